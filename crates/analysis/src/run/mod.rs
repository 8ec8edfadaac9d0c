//! A run with its computed figures, the input of all reports.

mod groups;
mod pairs;

pub use groups::Group;
pub use pairs::{compare, compare_runs};

use crate::case::CaseAnalysis;
use crate::comparison::{
    Compared, ComparisonCriteria, Judged, Ranking, Standing, ranking, ratio, ratio_by, standings, total,
};
use crate::group::distinct;
use crate::job::JobWeights;
use crate::measured::Measured;
use crate::merged::Merged;
use pqlab_record::{NULL, ProviderBuild, Run, RunHeader, Statistic};
use pqlab_stats::Interval;
use std::collections::HashMap;
use std::sync::OnceLock;

/// A run with its figures, each computed only once.
#[derive(Debug)]
pub struct RunAnalysis<'a> {
    /// The run, or the [merged](Merged::new) run.
    pub run: &'a Run,
    /// Headers of the runs that the cases come from, newest first. For a run that was not merged, this is its own
    /// header.
    pub parts: Vec<&'a RunHeader>,
    /// The job for which a library is chosen.
    pub job: JobWeights,
    /// Providers in the order of first appearance, which determines their colors and shapes.
    pub providers: Vec<String>,
    /// Index of each provider in [`providers`](Self::providers).
    places: HashMap<String, usize>,
    cases: Vec<CaseAnalysis<'a>>,
    /// Criteria for comparing the run's cases with each other.
    criteria: ComparisonCriteria,
    /// Standing of each case. Computed on first use, because many tables need no comparisons.
    standings: OnceLock<Vec<Option<Standing>>>,
}

impl<'a> RunAnalysis<'a> {
    /// Computes the figures of all cases.
    pub fn new(run: &'a Run) -> RunAnalysis<'a> {
        let criteria = ComparisonCriteria::within(&run.header);
        RunAnalysis::assemble(run, vec![&run.header], |_| &run.header, criteria)
    }

    /// Computes the figures of cases from several runs, each according to the protocol of its own run. Comparisons
    /// treat cases from different runs as measured separately.
    pub fn of_merged(merged: &'a Merged) -> RunAnalysis<'a> {
        let each = merged.parts.iter().map(ComparisonCriteria::within);
        let criteria = each.reduce(ComparisonCriteria::wider).unwrap_or_default();
        RunAnalysis::assemble(&merged.run, merged.parts.iter().collect(), |place| merged.header(place), criteria)
    }

    /// Replaces the job for which a library is chosen.
    pub fn with_job(self, job: JobWeights) -> RunAnalysis<'a> {
        RunAnalysis { job, ..self }
    }

    fn assemble(
        run: &'a Run,
        parts: Vec<&'a RunHeader>,
        header: impl Fn(usize) -> &'a RunHeader,
        criteria: ComparisonCriteria,
    ) -> RunAnalysis<'a> {
        let cases = run.records.iter().enumerate();
        let cases = cases.map(|(place, record)| CaseAnalysis::new(header(place), record).at(place));
        let cases: Vec<CaseAnalysis<'a>> = cases.collect();
        let measured = cases.iter().filter(|case| !case.is_floor()).map(CaseAnalysis::case);
        let providers = distinct(measured.map(|case| case.provider.clone()));
        let places = providers.iter().cloned().zip(0..).collect();
        let (job, standings) = (JobWeights::default(), OnceLock::new());
        RunAnalysis { run, parts, job, providers, places, cases, criteria, standings }
    }

    /// Returns the cases, in the order of the plan.
    pub fn cases(&self) -> &[CaseAnalysis<'a>] {
        &self.cases
    }

    /// Returns the areas in the order of the plan, without the measurement overhead.
    pub fn areas(&self) -> Vec<&'a str> {
        let measured = self.cases.iter().filter(|case| !case.is_floor()).map(CaseAnalysis::case);
        distinct(measured.map(|case| case.workload.as_str()))
    }

    /// Returns the builds of the libraries that the run measured, without those that it only found.
    pub fn builds<'s>(&'s self) -> impl Iterator<Item = &'a ProviderBuild> + use<'s, 'a> {
        let cases = || self.cases.iter().filter(|case| !case.is_floor());
        let halves = move || cases().flat_map(|case| case.case().provider.split('+'));
        let is_used = move |build: &&ProviderBuild| {
            halves().any(|half| half == build.id || half.split(':').next() == Some(build.id.as_str()))
        };
        self.run.header.environment.providers.iter().filter(is_used)
    }

    /// Returns the cases of an area.
    pub fn area<'s>(&'s self, area: &'s str) -> impl Iterator<Item = &'s CaseAnalysis<'a>> {
        self.cases.iter().filter(move |case| case.case().workload == area)
    }

    /// Returns the measurement overhead: the median in ns for the `null` provider, which accepts the same calls but
    /// does nothing. Returns `None` if the run did not measure it. [`worker_floors`](Self::worker_floors) returns the
    /// overhead of workers.
    pub fn floor_ns(&self) -> Option<f64> {
        self.floors().find(|(provider, _)| *provider == NULL).map(|(_, ns)| ns)
    }

    /// Returns the overhead of each program in another language: the provider, and the median in ns of an empty
    /// iteration of the program's timing loop.
    pub fn worker_floors(&self) -> Vec<(&'a str, f64)> {
        self.floors().filter(|(provider, _)| *provider != NULL).collect()
    }

    fn floors(&self) -> impl Iterator<Item = (&'a str, f64)> {
        let floors = self.cases.iter().filter(|case| case.is_floor());
        floors.filter_map(|case| Some((case.case().provider.as_str(), case.median()?.estimate)))
    }

    /// Returns the criteria for comparing the run's cases with each other.
    pub fn criteria(&self) -> &ComparisonCriteria {
        &self.criteria
    }

    /// Returns the standing of a case among the cases that differ only in the provider, or `None` if it is not ranked.
    pub fn standing(&self, case: &CaseAnalysis<'_>) -> Option<Standing> {
        let measured = || self.cases.iter().map(CaseAnalysis::measured).collect::<Vec<_>>();
        let standings = self.standings.get_or_init(|| standings(&measured(), &self.criteria));
        standings.get(case.place).copied().flatten()
    }

    /// Compares the total time of `second` with the total time of `first`. Each side is one case, or several cases in
    /// sequence. Returns `None` if a case has no figure.
    pub fn ratio(&self, first: &[&CaseAnalysis<'a>], second: &[&CaseAnalysis<'a>]) -> Option<Compared> {
        Some(ratio(&measured(first)?, &measured(second)?, &self.criteria))
    }

    /// Returns the ratio of `second`'s throughput to `first`'s, computed from times, or `None` if a case has no figure.
    pub fn throughput_ratio(&self, first: &CaseAnalysis<'a>, second: &CaseAnalysis<'a>) -> Option<Interval> {
        let (first, second) = (measured(&[first])?, measured(&[second])?);
        let criteria = self.criteria.clone().judged_in(Judged::Time);
        Some(ratio_by(&second, &first, Statistic::Mean, &criteria).ratio?.ratio)
    }

    /// Returns the total time in ns of cases in sequence, with its interval. For several cases, this is the sum of
    /// their means. A case can be listed several times. Returns `None` if a case has no figure.
    pub fn total(&self, cases: &[&CaseAnalysis<'a>]) -> Option<Interval> {
        total(&measured(cases)?, &self.criteria)
    }

    /// Ranks rivals that do the same work. A rival is one case, or several cases in sequence.
    pub fn ranking(&self, rivals: &[Vec<&CaseAnalysis<'a>>]) -> Ranking {
        let rivals: Vec<Vec<&Measured<'a>>> = rivals.iter().map(|cases| measured(cases).unwrap_or_default()).collect();
        ranking(&rivals, &self.criteria)
    }

    /// Ranks single cases and returns the leaders, the one with the lowest figure first. Empty if no case is ranked.
    pub fn leading<'r>(&self, cases: &[&'r CaseAnalysis<'a>]) -> Vec<&'r CaseAnalysis<'a>> {
        let rivals: Vec<Vec<&CaseAnalysis<'a>>> = cases.iter().map(|case| vec![*case]).collect();
        self.ranking(&rivals).leaders().into_iter().map(|place| cases[place]).collect()
    }

    /// Returns the index of a provider, which selects its color and shape.
    pub fn series(&self, provider: &str) -> usize {
        self.places.get(provider).copied().unwrap_or(self.providers.len())
    }
}

impl Merged {
    /// Computes the figures of all cases.
    pub fn analysis(&self) -> RunAnalysis<'_> {
        RunAnalysis::of_merged(self)
    }
}

/// Returns the figures in the form that comparisons need, or `None` if a case has none.
fn measured<'r, 'a>(cases: &[&'r CaseAnalysis<'a>]) -> Option<Vec<&'r Measured<'a>>> {
    cases.iter().map(|case| case.measured()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn every_record_is_a_case_and_the_overhead_is_not_an_area() {
        let run = fixtures::run();
        let analysis = RunAnalysis::new(&run);
        assert_eq!(analysis.cases().len(), run.records.len());
        for (case, record) in analysis.cases().iter().zip(&run.records) {
            assert!(std::ptr::eq(case.record, record) && case.failed() == case.estimates.is_none());
        }
        assert_eq!(analysis.areas(), ["kem", "signature", "hash"]);
        assert_eq!(analysis.providers, ["liboqs", "aws-lc", "openssl", "libcrux:avx2"]);
        assert!((analysis.floor_ns().unwrap() / 2.7 - 1.0).abs() < 0.01);
        let standings: Vec<Option<Standing>> = analysis.cases().iter().map(|case| analysis.standing(case)).collect();
        assert_eq!(standings[0], Some(Standing::Fastest));
        assert!(matches!(standings[1], Some(Standing::Slower(_))));
        assert!(standings[2..].iter().all(Option::is_none), "cases without rivals must not be ranked: {standings:?}");
    }

    #[test]
    fn each_case_is_estimated_only_once() {
        let made = || crate::estimates::tests::MADE.get();
        for run in [fixtures::run(), fixtures::scaling_run(), fixtures::ntor_run()] {
            let before = made();
            let analysis = RunAnalysis::new(&run);
            crate::findings::findings(&analysis);
            crate::trust::trust_sentence(&analysis);
            crate::areas::scaling::scaling(&analysis);
            crate::areas::scaling::loads(&analysis);
            crate::areas::ledger::comparison(&analysis);
            crate::areas::hybrid::decompositions(&analysis);
            crate::tables::tables(&analysis, &crate::areas::ntor::RelayScenario::default());
            compare_runs(&analysis, &analysis, analysis.criteria());
            assert!(analysis.floor_ns().is_some() || run.area("floor").next().is_none());
            assert_eq!(made() - before, run.records.len());
        }
    }

    #[test]
    fn the_overhead_is_that_of_the_harness_and_workers_have_their_own() {
        let run = fixtures::workers_run();
        let analysis = RunAnalysis::new(&run);
        assert!((analysis.floor_ns().unwrap() / 2.7 - 1.0).abs() < 0.01);
        let floors = analysis.worker_floors();
        assert_eq!(floors.iter().map(|(provider, _)| *provider).collect::<Vec<_>>(), ["go", "script"]);
        assert!(floors.iter().all(|(_, ns)| *ns < 2.6), "{floors:?}");
        let mut without = run.clone();
        without.records.retain(|record| !record.case.is_null());
        assert_eq!(RunAnalysis::new(&without).floor_ns(), None);
    }
}
