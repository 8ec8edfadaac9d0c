//! All runs in a store in order, each with its machine and its changes since the previous run.

use crate::comparison::{ComparedCase, Comparison, Difference};
use crate::number::{difference, time};
use pqlab_record::{Environment, RunSummary, Unit};
use pqlab_stats::{Interval, Verdict};

/// The runs in a store.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Environment of each machine, taken from the newest run on it. The machine with the newest run comes first.
    pub machines: Vec<Environment>,
    /// Runs, newest first.
    pub runs: Vec<TimelineRun>,
}

/// A run in the timeline.
#[derive(Clone, Debug)]
pub struct TimelineRun {
    /// Summary of the run, as shown in lists.
    pub summary: RunSummary,
    /// Index of the run's machine in the timeline.
    pub machine: usize,
    /// Time when the run was completed, or when it started if it is incomplete: RFC 3339, UTC, to the second.
    pub moment: String,
    /// Changes since the previous complete run of the same suite on the same machine. `None` if no previous complete
    /// run is stored, if the two runs have no case in common, or if this run is incomplete.
    pub changes: Option<Changes>,
}

/// Summary of a comparison of two runs, for lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// Id of the earlier run.
    pub earlier: String,
    /// Number of cases that are faster.
    pub faster: usize,
    /// Number of cases with an inconclusive verdict.
    pub inconclusive: usize,
    /// Number of cases that were compared.
    pub compared: usize,
    /// Regressions, in the order of the plan.
    pub regressions: Vec<Regressed>,
    /// Differences between the environments and measurement rules of the two runs.
    pub differences: Vec<Difference>,
}

/// A case that got worse from one run to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Regressed {
    /// Id of the case in the later run.
    pub case: String,
    /// How the case got worse: it is slower, or it newly fails.
    pub how: Worse,
    /// Times in ns, in the earlier and in the later run: medians, or means if the case is compared by its means. `None`
    /// if a run has no figure.
    pub medians_ns: [Option<f64>; 2],
    /// Notes that qualify the comparison.
    pub notes: Vec<String>,
}

/// Kind of regression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Worse {
    /// The case takes longer: percentage of time or core cycles added, with its interval.
    Slower(Interval, Unit),
    /// The case failed.
    Failed,
}

impl Changes {
    /// Summarizes a comparison of two runs.
    pub fn new(comparison: &Comparison) -> Changes {
        Changes {
            earlier: comparison.first_run.clone(),
            faster: comparison.count(Verdict::Faster),
            inconclusive: comparison.count(Verdict::Inconclusive),
            compared: comparison.cases.len(),
            regressions: comparison.cases.iter().filter_map(Regressed::from_case).collect(),
            differences: comparison.differences.clone(),
        }
    }

    /// Returns the number of cases that are slower.
    pub fn slower(&self) -> usize {
        self.regressions.iter().filter(|regressed| regressed.how != Worse::Failed).count()
    }

    /// Returns the number of cases that newly fail.
    pub fn broken(&self) -> usize {
        self.regressions.len() - self.slower()
    }
}

impl Regressed {
    fn from_case(case: &ComparedCase) -> Option<Regressed> {
        let how = match (case.judgement.verdict, case.ratio) {
            _ if case.broken => Worse::Failed,
            (Verdict::Slower, Some(ratio)) => {
                let pct = |factor: f64| 100.0 * (factor - 1.0);
                let Interval { estimate, low, high, .. } = ratio.ratio;
                let slower = Interval { estimate: pct(estimate), low: pct(low), high: pct(high), ..ratio.ratio };
                Worse::Slower(slower, case.unit)
            }
            _ => return None,
        };
        Some(Regressed {
            case: case.second.clone(),
            how,
            medians_ns: [case.first_ns, case.second_ns],
            notes: case.notes.clone(),
        })
    }

    /// Describes the regression in a few words: `+20.1% ±0.4 cycles`, `fails`.
    pub fn words(&self) -> String {
        match self.how {
            Worse::Slower(pct, Unit::CoreCycles) => format!("{} cycles", difference(&pct)),
            Worse::Slower(pct, _) => format!("{} time", difference(&pct)),
            Worse::Failed => "fails".to_owned(),
        }
    }

    /// Formats the times before and after: `10.4 µs, then 12.5 µs`. Returns `None` if one is missing.
    pub fn medians(&self) -> Option<String> {
        let [before, after] = self.medians_ns;
        Some(format!("{}, then {}", time(before?), time(after?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::ComparisonCriteria;
    use crate::fixtures;
    use crate::run::{RunAnalysis, compare_runs};

    #[test]
    fn only_slower_and_failing_cases_are_regressions() {
        let earlier = fixtures::sound_run();
        let mut later = earlier.clone();
        later.header.id = "later".into();
        let changes = |later: &pqlab_record::Run| {
            let (first, second) = (RunAnalysis::new(&earlier), RunAnalysis::new(later));
            Changes::new(&compare_runs(&first, &second, &ComparisonCriteria::default()))
        };
        let same = changes(&later);
        assert_eq!((same.regressions.len(), same.faster), (0, 0));
        let slow = |record: &mut pqlab_record::Record, factor: f64| {
            let ticks = record.samples.visits.iter_mut().flat_map(|visit| &mut visit.ticks);
            ticks.for_each(|ticks| *ticks = (*ticks as f64 * factor).round() as u64);
        };
        slow(&mut later.records[0], 1.2);
        slow(&mut later.records[1], 0.8);
        let reason = "decapsulation gave a different secret".to_owned();
        later.records[2] =
            pqlab_record::Record::failed(later.records[2].case.clone(), reason, "2026-11-21T18:59:00Z".into());
        let found = changes(&later);
        assert_eq!((found.slower(), found.broken(), found.faster), (1, 1, 1), "{found:?}");
        let [slower, broken] = &found.regressions[..] else { panic!("{found:?}") };
        assert_eq!(slower.case, later.records[0].case.id());
        assert!(slower.words().starts_with("+20.0% ±") && slower.words().ends_with(" cycles"), "{}", slower.words());
        assert!(slower.medians().is_some_and(|medians| medians.contains(", then ")));
        assert_eq!((broken.words().as_str(), broken.medians()), ("fails", None));
    }
}
