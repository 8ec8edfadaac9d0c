//! Judges whether cases are slower than in a baseline by more than a threshold. The outcome (pass, undecided or fail)
//! is the last line of `pqlab gate`.
//!
//! - The **interval** of a case's ratio comes from the comparison. An interval that reaches the threshold is widened,
//!   because its case was selected from many. If R of m cases are selected, the confidence level is 1 - 0.05 R/m
//!   (Benjamini and Yekutieli, Journal of the American Statistical Association 100 (2005)).
//! - **Disturbance** widens the interval by a [factor](contention_factor) estimated from the samples. A disturbed case
//!   may be slower because of the disturbance, so the lower end is divided by the case's factor. A disturbed baseline
//!   may hide a slowdown, so the upper end is multiplied by the baseline's factor.
//! - **Pass** means that the interval lies entirely at or below the threshold. **Fail** means that it lies entirely
//!   above. **Undecided** means that the interval contains the threshold.

use super::{ComparedCase, Comparison};
use pqlab_record::{Record, Run, Samples};
use pqlab_stats::{CONFIDENCE, Sorted};
use std::collections::BTreeMap;

/// Maximum number of runs of a case, including the first. If a case is undecided after that many runs, its final
/// outcome is undecided.
pub const MOST_RUNS: usize = 3;
/// Number of runs in which a case must be slower before it fails.
const RUNS_TO_FAIL: usize = 2;

/// Outcome of a run compared with a baseline, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Not slower by more than the threshold.
    Pass,
    /// The measurements are inconclusive.
    Undecided,
    /// Slower by more than the threshold, or failed and therefore without a figure.
    Fail,
}

impl Outcome {
    /// Returns the keyword used in the last line and in files.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Pass => "PASS",
            Outcome::Undecided => "UNDECIDED",
            Outcome::Fail => "FAIL",
        }
    }

    /// Returns the final outcome of a case from its outcomes in successive runs, or `None` if the case must be measured
    /// again. The case passes if it passes in one run, and fails if it fails in two. After [`MOST_RUNS`] runs, a case
    /// that neither passes nor fails is undecided.
    pub fn settled(runs: &[Outcome]) -> Option<Outcome> {
        let slower = runs.iter().filter(|outcome| **outcome == Outcome::Fail).count();
        if runs.contains(&Outcome::Pass) {
            Some(Outcome::Pass)
        } else if slower >= RUNS_TO_FAIL {
            Some(Outcome::Fail)
        } else {
            (runs.len() >= MOST_RUNS).then_some(Outcome::Undecided)
        }
    }
}

/// Result for a case of a run compared with its baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    /// The case's id.
    pub case: String,
    /// Outcome in this run.
    pub outcome: Outcome,
    /// Whether the case failed and has no figure. Another run cannot change this outcome.
    pub failed: bool,
    /// Interval of the ratio to the baseline, widened for disturbance and the number of cases; `None` without a ratio.
    pub ends: Option<[f64; 2]>,
}

/// Returns the outcome of each case in a comparison, in order. `first` is the baseline run, and `second` the new run. A
/// case fails if it is slower by more than `slower_pct` percent.
pub fn regressions(comparison: &Comparison, first: &Run, second: &Run, slower_pct: f64) -> Vec<Regression> {
    let most = 1.0 + slower_pct / 100.0;
    let by_id = |run: &'_ Run| -> BTreeMap<String, usize> {
        run.records.iter().enumerate().map(|(index, record)| (record.case.id(), index)).collect()
    };
    let (firsts, seconds) = (by_id(first), by_id(second));
    let find = |case: &ComparedCase| (&first.records[firsts[&case.first]], &second.records[seconds[&case.second]]);
    let factors = |case: &ComparedCase| {
        let (one, two) = find(case);
        [one, two].map(|record: &Record| contention_factor(&record.samples))
    };
    let widened: Vec<Option<[f64; 2]>> =
        comparison.cases.iter().map(|case| Some(widen(case.ends(CONFIDENCE)?, factors(case)))).collect();
    let all = widened.iter().flatten().count();
    let left = widened.iter().flatten().filter(|ends| place(**ends, most) != Outcome::Pass).count();
    let careful = 1.0 - (1.0 - CONFIDENCE) * left as f64 / all.max(1) as f64;
    let judged = |(case, ends): (&ComparedCase, Option<[f64; 2]>)| {
        let (one, two) = find(case);
        let ends = match ends {
            Some(ends) if place(ends, most) != Outcome::Pass => {
                case.ends(careful).map(|ends| widen(ends, factors(case)))
            }
            ends => ends,
        };
        let failed = two.error.is_some();
        let outcome = match ends {
            _ if failed => Outcome::Fail,
            Some(ends) => place(ends, most),
            // A case without an earlier figure cannot have become slower.
            None if one.error.is_some() => Outcome::Pass,
            None => Outcome::Undecided,
        };
        Regression { case: case.second.clone(), outcome, failed, ends }
    };
    comparison.cases.iter().zip(widened).map(judged).collect()
}

impl ComparedCase {
    /// Returns both ends of the ratio's interval at a confidence level.
    fn ends(&self, confidence: f64) -> Option<[f64; 2]> {
        let interval = self.ratio?.interval(confidence)?;
        Some([interval.low, interval.high])
    }
}

/// Widens an interval by the disturbance factors of the baseline case and of the case compared with it.
fn widen([low, high]: [f64; 2], [first, second]: [f64; 2]) -> [f64; 2] {
    [low / second, high * first]
}

/// Returns the outcome for the interval of a ratio. `most` is the largest ratio that passes.
fn place([low, high]: [f64; 2], most: f64) -> Outcome {
    if low > most {
        Outcome::Fail
    } else if high <= most {
        Outcome::Pass
    } else {
        Outcome::Undecided
    }
}

/// Estimates the slowdown that disturbance caused: the median over all visits divided by the median over undisturbed
/// visits. If no visit is undisturbed, the divisor is the 5th percentile of all samples. Returns 1 for an undisturbed
/// case.
pub fn contention_factor(samples: &Samples) -> f64 {
    if !samples.contended() {
        return 1.0;
    }
    let pooled = |undisturbed: bool| {
        let visits = samples.visits.iter().filter(|visit| !undisturbed || visit.disturbances.is_empty());
        Sorted::new(visits.flat_map(|visit| samples.ns_per_operation(visit)).collect())
    };
    let Some(all) = pooled(false) else { return 1.0 };
    let quiet = pooled(true).map_or_else(|| all.quantile(0.05), |clean| clean.median());
    if quiet > 0.0 { (all.median() / quiet).max(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::ComparisonCriteria;
    use crate::fixtures;
    use crate::run::{RunAnalysis, compare_runs};
    use Outcome::{Fail, Pass, Undecided};
    use pqlab_record::Disturbance;

    const THRESHOLD_PCT: f64 = 5.0;

    /// Returns the fixture's run with all times multiplied by `factor`. One in `every` visits stays undisturbed. The
    /// others are disturbed, and slower by a further factor of `contention`. If `every` is 0, all visits are disturbed.
    fn run(factor: f64, every: usize, contention: f64) -> Run {
        let mut run = fixtures::run();
        run.header.id = format!("{factor} {every} {contention}");
        run.records.retain(|record| record.error.is_none() && record.case.regime().is_none());
        for record in &mut run.records {
            for (index, visit) in record.samples.visits.iter_mut().enumerate() {
                // A round has one visit of each of eight processes. The shift by one per round
                // ensures that no process is undisturbed in both rounds.
                let disturbed = every == 0 || (index % 8 + index / 8) % every != 0;
                let factor = if disturbed { factor * contention } else { factor };
                visit.ticks.iter_mut().for_each(|ticks| *ticks = (*ticks as f64 * factor).round() as u64);
                if disturbed {
                    visit.disturbances = vec![Disturbance::Steal { pct: 30.0 }];
                }
            }
        }
        run
    }

    fn compared(first: &Run, second: &Run) -> Comparison {
        compare_runs(&RunAnalysis::new(first), &RunAnalysis::new(second), &ComparisonCriteria::default())
    }

    fn outcomes(first: &Run, second: &Run) -> Vec<Outcome> {
        let comparison = compared(first, second);
        let found = regressions(&comparison, first, second, THRESHOLD_PCT);
        assert_eq!(found.len(), comparison.cases.len());
        found.into_iter().map(|regression| regression.outcome).collect()
    }

    fn all(outcomes: &[Outcome], wanted: Outcome) -> bool {
        !outcomes.is_empty() && outcomes.iter().all(|outcome| *outcome == wanted)
    }

    #[test]
    fn a_slowdown_of_two_fails_however_disturbed_either_side_is() {
        let quiet = run(1.0, 1, 1.0);
        assert!(all(&outcomes(&quiet, &run(2.0, 1, 1.0)), Fail));
        for every in [0, 2, 3, 5, 8] {
            for contention in [1.0, 1.1, 1.25, 1.4, 1.5] {
                let slow = run(2.0, every, contention);
                assert!(slow.records.iter().all(|record| record.samples.contended()));
                assert!(all(&outcomes(&quiet, &slow), Fail), "1 in {every} undisturbed, others slower by {contention}");
                let same = outcomes(&quiet, &run(1.0, every, contention));
                assert!(every == 0 || !same.contains(&Fail), "contention {contention} alone must not fail: {same:?}");
            }
        }
    }

    #[test]
    fn unchanged_and_faster_cases_pass() {
        let quiet = run(1.0, 1, 1.0);
        for factor in [0.5, 0.97, 1.0, 1.01] {
            assert!(all(&outcomes(&quiet, &run(factor, 1, 1.0)), Pass), "{factor}");
        }
        // Half of the visits are disturbed, but no slower.
        assert!(all(&outcomes(&quiet, &run(1.0, 2, 1.0)), Pass));
    }

    #[test]
    fn an_interval_that_contains_the_threshold_is_undecided() {
        let quiet = run(1.0, 1, 1.0);
        assert!(all(&outcomes(&quiet, &run(1.05, 1, 1.0)), Undecided));
        // The disturbed baseline took 1.4, but might have taken 1.0 without the disturbance. A time
        // of 1.1 may therefore be a slowdown.
        assert!(all(&outcomes(&run(1.0, 3, 1.4), &run(1.1, 1, 1.0)), Undecided));
        assert!(all(&outcomes(&run(1.0, 3, 1.4), &run(0.5, 1, 1.0)), Pass));
        assert_eq!(place([1.0, 1.06], 1.05), Undecided);
        assert_eq!((place([1.05, 1.06], 1.05), place([1.0, 1.05], 1.05)), (Undecided, Pass));
        assert_eq!((place([1.051, 1.06], 1.05), place([0.9, 1.0], 1.05)), (Fail, Pass));
    }

    #[test]
    fn more_cases_require_a_clearer_slowdown() {
        let (quiet, slow) = (run(1.0, 1, 1.0), run(1.0, 1, 1.0));
        let ends = |others: bool| {
            let (mut first, mut second) = (quiet.clone(), slow.clone());
            let changed = &run(2.0, 1, 1.0).records[0];
            second.header.id = "second".into();
            second.records[0] = changed.clone();
            if !others {
                first.records.truncate(1);
                second.records.truncate(1);
            }
            let comparison = compared(&first, &second);
            regressions(&comparison, &first, &second, THRESHOLD_PCT)[0].ends.unwrap()
        };
        let (alone, among) = (ends(false), ends(true));
        assert!(among[0] < alone[0] && among[1] > alone[1], "{alone:?} {among:?}");
    }

    #[test]
    fn a_case_that_failed_fails_and_one_without_an_interval_is_undecided() {
        let (quiet, mut second) = (run(1.0, 1, 1.0), run(1.0, 1, 1.0));
        let case = second.records[0].case.clone();
        second.records[0] = Record::failed(case, "wrong secret".into(), String::new());
        second.records[1].samples.visits.iter_mut().for_each(|visit| visit.ticks.fill(0));
        let comparison = compared(&quiet, &second);
        let found = regressions(&comparison, &quiet, &second, THRESHOLD_PCT);
        assert_eq!((found[0].outcome, found[0].failed, found[0].ends), (Fail, true, None));
        assert_eq!((found[1].outcome, found[1].failed, found[1].ends), (Undecided, false, None));
        // The case failed in the baseline, so there is nothing to compare with.
        let comparison = compared(&second, &quiet);
        assert_eq!(regressions(&comparison, &second, &quiet, THRESHOLD_PCT)[0].outcome, Pass);
    }

    #[test]
    fn contention_is_estimated_from_the_samples_themselves() {
        let factor = |every, contention| contention_factor(&run(1.0, every, contention).records[0].samples);
        assert_eq!((factor(1, 1.0), factor(1, 1.5)), (1.0, 1.0));
        assert!((factor(8, 1.5) - 1.5).abs() < 0.05, "{}", factor(8, 1.5));
        // Without an undisturbed visit, the divisor is a low percentile of all samples, so the
        // factor shows only the fixture's own spread.
        assert!((1.0..1.05).contains(&factor(0, 1.5)), "{}", factor(0, 1.5));
        assert_eq!(factor(2, 0.5), 1.0, "contention must not make a case faster");
    }

    #[test]
    fn one_good_run_clears_a_case_and_two_bad_ones_fail_it() {
        for (runs, wanted) in [
            (&[Pass][..], Some(Pass)),
            (&[Fail], None),
            (&[Undecided], None),
            (&[Fail, Fail], Some(Fail)),
            (&[Fail, Pass], Some(Pass)),
            (&[Undecided, Pass], Some(Pass)),
            (&[Undecided, Fail], None),
            (&[Fail, Undecided], None),
            (&[Undecided, Fail, Fail], Some(Fail)),
            (&[Fail, Undecided, Fail], Some(Fail)),
            (&[Undecided, Undecided, Fail], Some(Undecided)),
            (&[Undecided, Undecided, Undecided], Some(Undecided)),
            (&[Fail, Undecided, Pass], Some(Pass)),
        ] {
            assert_eq!(Outcome::settled(runs), wanted, "{runs:?}");
        }
    }
}
