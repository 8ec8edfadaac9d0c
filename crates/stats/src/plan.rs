use crate::interval::student_factor;
use crate::share::half_width;
use crate::{Crossed, RunSpread, Share, mean};

/// The part of the wanted variance that a plan leaves to the noise within processes. The rest is for what differs between
/// processes, and for the chance by which the final interval comes out wider than expected.
const SHARE_OF_NOISE: f64 = 1.0 / 3.0;

/// Where the spread of a case comes from: a random-effects analysis of variance with processes as groups (Searle, Casella
/// and McCulloch, "Variance Components" (1992), section 3.6, the estimators of Henderson's method I).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VarianceComponents {
    /// Standard deviation of what tells processes apart, in percent of the values; zero where the processes differ no more
    /// than the noise within them explains.
    pub between_pct: f64,
    /// Standard deviation of the values within a process, in percent.
    pub within_pct: f64,
    /// The share of the variance of one value that lies between processes, from 0 to 1.
    pub between_share: f64,
    /// Processes.
    pub processes: usize,
    /// Values a process; the mean where they have different numbers.
    pub values: f64,
}

/// The variance components of positive values, such as the medians of visits, a group for each process. They are taken on
/// the logarithmic scale, where a spread reads as a part of the value.
///
/// `None` for fewer than two processes, where no process has two values, and where a value is not positive and finite.
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
    let between_squares: f64 = means.map(|of| of.map_or(0.0, |(n, mean)| n * (mean - centre).powi(2))).sum();
    let squares: f64 = groups.iter().map(|group| (group.len() as f64).powi(2)).sum();
    // The number of values a process that the expected mean square between processes contains.
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

/// How many rounds a case needs in all, to judge by its first ones: `pilot` holds the medians of the visits so far, a group
/// for each process.
///
/// The plan looks at the spread *within* processes only, and asks for as many rounds as bring what that adds to the final
/// interval well below the wanted half-width of `precision_pct` percent. The final interval is made from the differences
/// *between* processes. For normal noise the deviations from a process's mean are independent of that mean, so the number
/// of rounds carries no information about how wide or how far off the final interval will be, and it covers as often as if
/// the number had been fixed beforehand: Stein, "A Two-Sample Test for a Linear Hypothesis whose Power is Independent of
/// the Variance", Annals of Mathematical Statistics 16 (1945), rests on the same independence. To look at the interval
/// itself after each round, and to stop when it is narrow, would not do: it would stop where the interval is narrow by
/// chance.
///
/// `None` where no process has two visits, or a median is not positive and finite: then there is nothing to plan by.
pub fn rounds_for_precision(pilot: &[Vec<f64>], precision_pct: f64, confidence: f64) -> Option<u64> {
    let groups = logarithms(pilot)?;
    let within = within_variance(&groups)?;
    let count = groups.len();
    // With fewer than three processes the interval is the one of the pooled samples, whose factor is the normal one.
    let factor = student_factor(if count < 3 { 10_000 } else { count }, confidence)?;
    let target = precision_pct / 100.0;
    let rounds = factor * factor * within / (count as f64 * SHARE_OF_NOISE * target * target);
    // Infinity becomes the largest number of rounds.
    (!rounds.is_nan()).then_some((rounds.ceil() as u64).max(1))
}

/// How many processes a case needs in all for the half-width of its interval to come down to `precision_pct` percent, by what
/// its first ones, `processes`, show: the second stage of Stein's procedure ("A Two-Sample Test for a Linear Hypothesis whose
/// Power is Independent of the Variance", Annals of Mathematical Statistics 16 (1945)). With `s^2` the variance of one
/// process and `t` Student's factor for the degrees of freedom that the pilot estimated it with, `n = t^2 s^2 / d^2`
/// processes reach a half-width of `d` whatever the true variance is. From the square of the wanted half-width that of what no
/// process fixes, the differences between rounds and between runs, is subtracted first: so to add squares of half-widths is
/// never too narrow (Banerjee, "Approximate Confidence Interval for Linear Functions of Means of k Populations when the
/// Population Variances are Not Equal", Sankhya 22 (1960)).
///
/// At least `processes`. `None` where no number suffices.
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

/// The logarithm of the factor that lies `precision_pct` percent above one: the farther end of an interval of factors.
fn precision_to_factor(precision_pct: f64) -> f64 {
    (precision_pct / 100.0).ln_1p()
}

/// No machine starts more processes than this for one case.
const MOST_PROCESSES: f64 = 1e6;

/// The logarithms of groups that are not empty; `None` where a value is not positive and finite.
fn logarithms(groups: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let logarithms = groups.iter().filter(|group| !group.is_empty()).map(|group| {
        let values: Vec<f64> = group.iter().map(|value| value.ln()).collect();
        values.iter().all(|value| value.is_finite()).then_some(values)
    });
    logarithms.collect()
}

/// The pooled variance of values around the mean of their group. `None` where no group has two.
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
        assert!((left - right).abs() <= 1e-9 * right.abs().max(1.0), "{left} is not {right}");
    }

    #[test]
    fn components_agree_with_hand_computed_values() {
        // Logarithms 0 2, 4 6, 8 10: within 2; means 1 5 9, so 2 x 32 / 2 = 32 between, less 2, over 2.
        let groups: Vec<Vec<f64>> =
            [[0.0_f64, 2.0], [4.0, 6.0], [8.0, 10.0]].iter().map(|group| group.map(f64::exp).to_vec()).collect();
        let components = variance_components(&groups).unwrap();
        close(components.within_pct, 100.0 * 2.0_f64.sqrt());
        close(components.between_pct, 100.0 * 15.0_f64.sqrt());
        close(components.between_share, 15.0 / 17.0);
        assert_eq!((components.processes, components.values), (3, 2.0));
    }

    #[test]
    fn processes_that_agree_have_no_variance_between_them() {
        let components = variance_components(&[vec![1.0, 1.1], vec![1.1, 1.0], vec![1.0, 1.1]]).unwrap();
        assert_eq!((components.between_pct, components.between_share), (0.0, 0.0));
        assert_eq!(variance_components(&[vec![1.0], vec![1.1]]), None);
        assert_eq!(variance_components(&[vec![1.0, 2.0]]), None);
        assert_eq!(variance_components(&[vec![1.0, 0.0], vec![1.0, 2.0]]), None);
    }

    #[test]
    fn a_plan_grows_with_the_square_of_noise_and_precision() {
        let pilot: Vec<Vec<f64>> = (0..8).map(|_| vec![1.0, 1.02, 0.98]).collect();
        let at = |precision| rounds_for_precision(&pilot, precision, CONFIDENCE).unwrap() as f64;
        // Deviation 2%: 2.3646^2 x 3 x (2 / 1)^2 / 8 rounds.
        assert_eq!(at(1.0), 9.0);
        assert!((at(0.1) / at(1.0) / 100.0 - 1.0).abs() < 0.1);
        assert_eq!(rounds_for_precision(&[vec![1.0; 3], vec![1.0; 3]], 1.0, CONFIDENCE), Some(1));
        assert_eq!(rounds_for_precision(&[vec![1.0], vec![2.0]], 1.0, CONFIDENCE), None);
        assert_eq!(rounds_for_precision(&pilot, 0.0, CONFIDENCE), Some(u64::MAX));
    }

    #[test]
    fn the_second_stage_is_steins() {
        let nothing = RunSpread { pct: 0.0, degrees_of_freedom: 1 };
        let table = |deviation: f64| {
            let cell = |at: u64| Cell { process: at % 4, round: at / 4, value: deviation * (at % 4) as f64 };
            crossed(&(0..12).map(cell).collect::<Vec<_>>()).unwrap()
        };
        // Processes at 0 1 2 3%, without other noise: variance 5/3, factor 3.182446 at three degrees of freedom.
        let exact = 3.182_446_305_284_263_f64.powi(2) * 5.0 / 3.0 / 100.0_f64.powi(2) / 0.01_f64.ln_1p().powi(2);
        let found = processes_for_precision(&table(0.01), 4, nothing, 1.0, CONFIDENCE);
        assert_eq!(found, Some(exact.ceil() as u64));
        assert_eq!(processes_for_precision(&table(0.01), 100, nothing, 1.0, CONFIDENCE), Some(100));
        assert_eq!(processes_for_precision(&table(0.0), 4, nothing, 1.0, CONFIDENCE), Some(4));
        // A spread between runs of 0.5%, known for certain, takes 0.98% of the 1% away; one of 0.6% all of it.
        let runs = |pct| RunSpread { pct, degrees_of_freedom: 1_000_000 };
        assert!(processes_for_precision(&table(0.01), 4, runs(0.5), 1.0, CONFIDENCE).unwrap() > 500);
        assert_eq!(processes_for_precision(&table(0.01), 4, runs(0.6), 1.0, CONFIDENCE), None);
    }
}
