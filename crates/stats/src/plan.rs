use crate::interval::student_factor;
use crate::share::half_width;
use crate::{Crossed, RunSpread, Share, mean};

/// Fraction of the target variance that noise within processes may use. The rest is reserved for variation between
/// processes, and for final intervals that are wider than expected.
const SHARE_OF_NOISE: f64 = 1.0 / 3.0;

/// Sources of a case's spread, from a random-effects analysis of variance with processes as groups (Searle, Casella and
/// McCulloch, "Variance Components" (1992), section 3.6, Henderson's method I).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VarianceComponents {
    /// Standard deviation between processes, as a percentage of the values. Zero if the noise within processes explains
    /// all differences between processes.
    pub between_pct: f64,
    /// Standard deviation of values within a process, in percent.
    pub within_pct: f64,
    /// Fraction of a value's variance that comes from differences between processes, from 0 to 1.
    pub between_share: f64,
    /// Number of processes.
    pub processes: usize,
    /// Mean number of values per process.
    pub values: f64,
}

/// Returns the variance components of positive values, such as medians of visits, grouped by process. Uses the
/// logarithmic scale, so that spreads are relative to the values.
///
/// Returns `None` if there are fewer than two processes, if no process has two values, or if a value is not positive
/// and finite.
pub fn variance_components(processes: &[Vec<f64>]) -> Option<VarianceComponents> {
    let groups = logarithms(processes)?;
    let within = within_variance(&groups)?;
    let count = groups.len() as f64;
    let total: f64 = groups.iter().map(|group| group.len() as f64).sum();
    if groups.len() < 2 {
        return None;
    }
    let centre = mean(&groups.concat())?;
    let means = groups.iter().map(|group| Some((group.len() as f64, mean(group)?)));
    let between_squares: f64 = means.map(|group| group.map_or(0.0, |(n, mean)| n * (mean - centre).powi(2))).sum();
    let squares: f64 = groups.iter().map(|group| (group.len() as f64).powi(2)).sum();
    // Effective group size (n0) in the expected mean square between processes.
    let typical = (total - squares / total) / (count - 1.0);
    let between = ((between_squares / (count - 1.0) - within) / typical).max(0.0);
    let all = between + within;
    Some(VarianceComponents {
        between_pct: 100.0 * between.sqrt(),
        within_pct: 100.0 * within.sqrt(),
        between_share: if all > 0.0 { between / all } else { 0.0 },
        processes: groups.len(),
        values: total / count,
    })
}

/// Returns the total number of rounds that a case needs, estimated from the first rounds. `pilot` contains the medians
/// of the visits so far, grouped by process.
///
/// The plan considers only the spread *within* processes. It requires enough rounds to keep the contribution of this
/// spread far below the target half-width of `precision_pct` percent. The final interval comes from the differences
/// *between* processes. For normal noise, deviations from a process's mean are independent of that mean. The number of
/// rounds is therefore independent of the width and the error of the final interval. The interval covers the true value
/// as often as with a fixed number of rounds. Stein, "A Two-Sample Test for a Linear Hypothesis whose Power is
/// Independent of the Variance", Annals of Mathematical Statistics 16 (1945), relies on the same independence. It would
/// be wrong to check the interval after each round and stop once it is narrow, because it is sometimes narrow by
/// chance.
///
/// Returns `None` if no process has two visits, or if a median is not positive and finite.
pub fn rounds_for_precision(pilot: &[Vec<f64>], precision_pct: f64, confidence: f64) -> Option<u64> {
    let groups = logarithms(pilot)?;
    let within = within_variance(&groups)?;
    let count = groups.len();
    // With fewer than three processes, the interval comes from the pooled samples, so use the
    // normal factor.
    let factor = student_factor(if count < 3 { 10_000 } else { count }, confidence)?;
    let target = precision_pct / 100.0;
    let rounds = factor * factor * within / (count as f64 * SHARE_OF_NOISE * target * target);
    // If the target is zero, `rounds` is infinite, and the cast gives `u64::MAX`.
    (!rounds.is_nan()).then_some((rounds.ceil() as u64).max(1))
}

/// Returns the total number of processes that a case needs for an interval with a half-width of `precision_pct`
/// percent, given the first `processes` processes. This is the second stage of Stein's procedure ("A Two-Sample Test
/// for a Linear Hypothesis whose Power is Independent of the Variance", Annals of Mathematical Statistics 16 (1945)).
/// Let `s^2` be the variance of one process, and `t` Student's factor for the pilot's degrees of freedom. Then `n = t^2
/// s^2 / d^2` processes reach a half-width of `d`, whatever the true variance is.
///
/// More processes do not reduce the variation between rounds and between runs. Therefore, the squared half-width due to
/// that variation is first subtracted from the squared target. An interval from added squared half-widths is never too
/// narrow (Banerjee, "Approximate Confidence Interval for Linear Functions of Means of k Populations when the
/// Population Variances are Not Equal", Sankhya 22 (1960)).
///
/// Returns at least `processes`, or `None` if not even a million processes suffice.
pub fn processes_for_precision(
    pilot: &Crossed,
    processes: u64,
    run: RunSpread,
    precision_pct: f64,
    confidence: f64,
) -> Option<u64> {
    let (of_processes, of_rounds) = pilot.falls_with_processes();
    let square = |shares: &[Share]| Some(half_width(shares, confidence)?.powi(2));
    let allowed = precision_to_factor(precision_pct).powi(2) - square(&[of_rounds, Share::of_runs(run)])?;
    let needed = (square(&[of_processes])? * pilot.processes as f64 / allowed).ceil();
    (allowed > 0.0 && needed <= MOST_PROCESSES).then_some((needed as u64).max(processes))
}

/// Returns the half-width, on the logarithmic scale, of an interval that ends `precision_pct` percent above the
/// estimate.
fn precision_to_factor(precision_pct: f64) -> f64 {
    (precision_pct / 100.0).ln_1p()
}

/// Maximum number of processes for one case.
const MOST_PROCESSES: f64 = 1e6;

/// Returns the logarithms of the values in all nonempty groups, or `None` if a value is not positive and finite.
fn logarithms(groups: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let logarithms = groups.iter().filter(|group| !group.is_empty()).map(|group| {
        let values: Vec<f64> = group.iter().map(|value| value.ln()).collect();
        values.iter().all(|value| value.is_finite()).then_some(values)
    });
    logarithms.collect()
}

/// Returns the pooled variance of values around the means of their groups, or `None` if no group has two values.
fn within_variance(groups: &[Vec<f64>]) -> Option<f64> {
    let freedom: usize = groups.iter().map(|group| group.len() - 1).sum();
    let squares = |group: &Vec<f64>| Some(crate::standard_deviation(group)?.powi(2) * (group.len() - 1) as f64);
    let sum: f64 = groups.iter().filter_map(squares).sum();
    (freedom > 0).then(|| sum / freedom as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CONFIDENCE, Cell, crossed};

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() <= 1e-9 * right.abs().max(1.0), "{left} should be {right}");
    }

    #[test]
    fn components_match_hand_computed_values() {
        // The logarithms are 0 and 2, 4 and 6, 8 and 10. Their variance within processes is 2. The
        // means 1, 5 and 9 give the mean square 2 x 32 / 2 = 32, so the variance between processes
        // is (32 - 2) / 2.
        let groups: Vec<Vec<f64>> =
            [[0.0_f64, 2.0], [4.0, 6.0], [8.0, 10.0]].iter().map(|group| group.map(f64::exp).to_vec()).collect();
        let components = variance_components(&groups).unwrap();
        close(components.within_pct, 100.0 * 2.0_f64.sqrt());
        close(components.between_pct, 100.0 * 15.0_f64.sqrt());
        close(components.between_share, 15.0 / 17.0);
        assert_eq!((components.processes, components.values), (3, 2.0));
    }

    #[test]
    fn equal_processes_have_no_variance_between_them() {
        let components = variance_components(&[vec![1.0, 1.1], vec![1.1, 1.0], vec![1.0, 1.1]]).unwrap();
        assert_eq!((components.between_pct, components.between_share), (0.0, 0.0));
        assert_eq!(variance_components(&[vec![1.0], vec![1.1]]), None);
        assert_eq!(variance_components(&[vec![1.0, 2.0]]), None);
        assert_eq!(variance_components(&[vec![1.0, 0.0], vec![1.0, 2.0]]), None);
    }

    #[test]
    fn plan_grows_with_the_square_of_noise_over_precision() {
        let pilot: Vec<Vec<f64>> = (0..8).map(|_| vec![1.0, 1.02, 0.98]).collect();
        let at = |precision| rounds_for_precision(&pilot, precision, CONFIDENCE).unwrap() as f64;
        // A deviation of 2% requires 2.3646^2 x 3 x (2 / 1)^2 / 8 rounds.
        assert_eq!(at(1.0), 9.0);
        assert!((at(0.1) / at(1.0) / 100.0 - 1.0).abs() < 0.1);
        assert_eq!(rounds_for_precision(&[vec![1.0; 3], vec![1.0; 3]], 1.0, CONFIDENCE), Some(1));
        assert_eq!(rounds_for_precision(&[vec![1.0], vec![2.0]], 1.0, CONFIDENCE), None);
        assert_eq!(rounds_for_precision(&pilot, 0.0, CONFIDENCE), Some(u64::MAX));
    }

    #[test]
    fn second_stage_matches_stein() {
        let nothing = RunSpread { pct: 0.0, degrees_of_freedom: 1 };
        let table = |deviation: f64| {
            let cell = |at: u64| Cell { process: at % 4, round: at / 4, value: deviation * (at % 4) as f64 };
            crossed(&(0..12).map(cell).collect::<Vec<_>>()).unwrap()
        };
        // The processes lie at 0, 1, 2 and 3%, without other noise. Their variance is 5/3, and
        // Student's factor for three degrees of freedom is 3.182446.
        let exact = 3.182_446_305_284_263_f64.powi(2) * 5.0 / 3.0 / 100.0_f64.powi(2) / 0.01_f64.ln_1p().powi(2);
        let found = processes_for_precision(&table(0.01), 4, nothing, 1.0, CONFIDENCE);
        assert_eq!(found, Some(exact.ceil() as u64));
        assert_eq!(processes_for_precision(&table(0.01), 100, nothing, 1.0, CONFIDENCE), Some(100));
        assert_eq!(processes_for_precision(&table(0.0), 4, nothing, 1.0, CONFIDENCE), Some(4));
        // A known spread between runs of 0.5% alone gives a half-width of 0.98%, just below the target of 1%. A spread
        // of 0.6% exceeds the target.
        let runs = |pct| RunSpread { pct, degrees_of_freedom: 1_000_000 };
        assert!(processes_for_precision(&table(0.01), 4, runs(0.5), 1.0, CONFIDENCE).unwrap() > 500);
        assert_eq!(processes_for_precision(&table(0.01), 4, runs(0.6), 1.0, CONFIDENCE), None);
    }
}
