use crate::interval::{Interval, IntervalMethod, student_factor};
use crate::{mean, standard_deviation};

/// The interval of a weighted sum of the means of cases that were measured together: `[1.0, -1.0]` is the difference of
/// two cases, `[-1.0, -1.0, 1.0]` what the third takes beyond the first two.
///
/// The input is, for each process, for each round in which it measured all the cases, one value a case: say the mean
/// of that visit's samples. The weighted sum is taken within each round first, so that whatever slows all cases of a
/// round alike cancels out; then the mean over the rounds of each process; and Student's interval ("The Probable Error of
/// a Mean", Biometrika 6 (1908)) over those, with as many degrees of freedom as there are processes, less one: the
/// process is the unit of repetition, and each counts alike however many rounds it has.
///
/// `None` for fewer than two processes with a round, and where a value is not a finite number.
pub fn contrast_interval<const CASES: usize>(
    processes: &[Vec<[f64; CASES]>],
    weights: [f64; CASES],
    confidence: f64,
) -> Option<Interval> {
    let sum = |values: &[f64; CASES]| values.iter().zip(weights).map(|(value, weight)| weight * value).sum::<f64>();
    let of_process = |rounds: &Vec<[f64; CASES]>| mean(&rounds.iter().map(sum).collect::<Vec<_>>());
    mean_interval(&processes.iter().filter_map(of_process).collect::<Vec<_>>(), confidence)
}

/// Student's interval of the mean of independent values, such as one a process. `None` for fewer than two, and where one
/// is not a finite number.
pub fn mean_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let estimate = mean(values).filter(|mean| mean.is_finite())?;
    let deviation = standard_deviation(values).filter(|deviation| deviation.is_finite())?;
    let half = student_factor(values.len(), confidence)? * deviation / (values.len() as f64).sqrt();
    let (low, high) = (estimate - half, estimate + half);
    Some(Interval { estimate, low, high, confidence, method: IntervalMethod::StudentT })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CONFIDENCE;

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() <= 1e-9 * right.abs().max(1.0), "{left} is not {right}");
    }

    #[test]
    fn what_a_third_case_takes_beyond_the_first_two() {
        // Process by process 1, 2 and 3 beyond: mean 2, deviation 1, factor 4.302653 over the root of 3.
        let processes = [
            vec![[10.0, 20.0, 31.0], [100.0, 200.0, 301.0]],
            vec![[10.0, 20.0, 32.0]],
            vec![[11.0, 20.0, 32.0], [11.0, 21.0, 37.0], [9.0, 20.0, 32.0]],
        ];
        let interval = contrast_interval(&processes, [-1.0, -1.0, 1.0], CONFIDENCE).unwrap();
        close(interval.estimate, 2.0);
        close(interval.high - 2.0, 4.302_652_729_749_464 / 3.0_f64.sqrt());
        close(2.0 - interval.low, 4.302_652_729_749_464 / 3.0_f64.sqrt());
    }

    #[test]
    fn what_slows_both_of_a_pair_cancels_out() {
        let slow = [0.0, 50.0, -3.0, 8.0];
        let processes: Vec<Vec<[f64; 2]>> = slow
            .iter()
            .map(|shift| (0..5).map(|round| [f64::from(round) + shift, f64::from(round) + shift + 2.0]).collect())
            .collect();
        let interval = contrast_interval(&processes, [-1.0, 1.0], CONFIDENCE).unwrap();
        close(interval.estimate, 2.0);
        close(interval.low, interval.high);
    }

    #[test]
    fn one_process_is_no_repetition() {
        assert_eq!(contrast_interval(&[vec![[1.0, 2.0]; 9]], [-1.0, 1.0], CONFIDENCE), None);
        assert_eq!(contrast_interval(&[vec![[1.0, 2.0]; 9], vec![]], [-1.0, 1.0], CONFIDENCE), None);
        assert_eq!(contrast_interval(&[vec![[1.0, 2.0]], vec![[f64::NAN, 2.0]]], [-1.0, 1.0], CONFIDENCE), None);
    }
}
