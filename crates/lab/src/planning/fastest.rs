//! Chooses the `fastest` libraries by trials in worker processes, before the run is planned.
//!
//! Each candidate performs the operations that the run will measure. The trials follow the rules of a run, with a few
//! short visits per candidate, and alternate between the candidates. As in a run, a candidate fails if its library
//! crashes, hangs or gives a wrong answer.

use crate::planning::plan::{Draft, LOADS_LEFT_OUT, remove_unavailable};
use crate::running::processors::Place;
use crate::verifying::defects;
use crate::{Filters, LabError, Laboratory, Plan, ProtocolOverrides, Suite};
use pqlab_analysis::fastest::fastest_line;
use pqlab_harness::process::{Limits, NEVER, ProcessPool};
use pqlab_harness::schedule::{self, CounterFacts, Work};
use pqlab_harness::{Event, Observer, ObserverError, counter};
use pqlab_primitives::Provider;
use pqlab_record::{CounterChoice, FailedCandidate, Fastest, Protocol, Record, RunnerUp, Status, Visits};
use pqlab_stats::{Sorted, mean};
use pqlab_workloads::fastest::Question;
use std::sync::Arc;
use std::time::Duration;

/// Number of worker processes in a trial.
const PROCESSES: u32 = 2;
/// Duration of a visit in seconds. A fast library completes a few dozen operations in this time.
const VISIT_S: f64 = 0.003;
/// Time limit in seconds for each operation of a candidate. Signing with rejection uses all of it, other operations
/// about a fifth.
const MAX_TIME_S: f64 = 0.1;
/// Target half-width of the intervals in percent. This precision is enough to choose a library.
const PRECISION_PCT: f64 = 2.0;
/// Time limit for a worker's answer. A library that needs longer cannot be chosen, even if a run would wait longer.
const REQUEST: Duration = Duration::from_secs(20);
/// Construction operations that include signing.
const SIGNS: [&str; 2] = ["sign", "cycle"];
/// Seed for the order of the candidates and for their inputs. It is constant, so that a trial always uses the same
/// inputs.
const SEED: u64 = 1;

impl Laboratory {
    /// Plans the cases that suites and filters select. If a library must be chosen by trial (`fastest`), first measures
    /// each candidate for a few tenths of a second, and passes the result to `note`.
    ///
    /// # Errors
    /// - [`LabError::Unknown`] for a name without a match.
    /// - [`LabError::Invalid`] for a value that cannot be measured.
    /// - [`LabError::NothingSelected`] if no case matches.
    /// - [`LabError::Worker`] if worker processes cannot be started.
    pub fn plan(
        &self,
        suites: &[Suite],
        filters: &Filters,
        overrides: &ProtocolOverrides,
        note: &mut dyn FnMut(&str),
    ) -> Result<Plan, LabError> {
        let Draft { plan: mut draft, questions, loads_left_out } = self.drafted(suites, filters, overrides)?;
        filters.idle(&draft.cases).iter().for_each(|text| note(text));
        remove_unavailable(&mut draft.cases, note)?;
        if loads_left_out > 0 {
            note(&format!("not measured: {LOADS_LEFT_OUT}"));
        }
        if questions.is_empty() {
            return Ok(draft);
        }
        let mut answers = Vec::new();
        for question in &questions {
            let (question, defective) = without_defects(question, self.registry().providers());
            let tried = self.tried(&question, &draft.protocol)?;
            match answer(&question, &tried, defective) {
                Ok(found) => {
                    note(&fastest_line(&found));
                    answers.push(found);
                }
                Err(failed) => note(&none_left(&question, &failed)),
            }
        }
        let mut plan = Plan::new(self.registry(), suites, filters, overrides, &answers)?;
        remove_unavailable(&mut plan.cases, &mut |_| {})?;
        Ok(plan)
    }

    /// Returns the plan before any trial. If a library must be chosen by trial (`fastest`), the plan contains every
    /// candidate.
    ///
    /// # Errors
    /// Same as [`plan`](Self::plan), except [`LabError::Worker`].
    pub fn draft(&self, suites: &[Suite], filters: &Filters, overrides: &ProtocolOverrides) -> Result<Plan, LabError> {
        Ok(self.drafted(suites, filters, overrides)?.plan)
    }

    fn drafted(&self, suites: &[Suite], filters: &Filters, overrides: &ProtocolOverrides) -> Result<Draft, LabError> {
        let drafted = Plan::draft(self.registry(), suites, filters, overrides);
        drafted.map_err(|error| self.with_what_was_meant(error, suites, filters))
    }

    /// Returns the plan before any trial. If a library must be chosen by trial, also returns a plan in which the first
    /// candidate replaces `fastest`. The second plan has about as many cases as the run will have.
    pub(crate) fn draft_and_likeness(
        &self,
        suites: &[Suite],
        filters: &Filters,
        overrides: &ProtocolOverrides,
    ) -> Result<(Plan, Option<Plan>), LabError> {
        let Draft { plan, questions, .. } = self.drafted(suites, filters, overrides)?;
        if questions.is_empty() {
            return Ok((plan, None));
        }
        let first = |question: &Question| {
            chosen(question, question.candidates.first().map(|one| (0.0, one.clone())).into_iter(), &[])
        };
        let first: Vec<Fastest> = questions.iter().filter_map(first).collect();
        Ok((plan, Plan::new(self.registry(), suites, filters, overrides, &first).ok()))
    }

    /// Runs the trials for a question: measures its cases with every candidate.
    fn tried(&self, question: &Question, rules: &Protocol) -> Result<Vec<Record>, LabError> {
        let selected = counter::open(CounterChoice::Wall)?;
        let (metric, ns_per_tick) = (selected.counter.metric(), selected.ns_per_tick);
        let facts = CounterFacts { metric, ns_per_tick, grain_ns: selected.grain_ns() };
        let protocol = Protocol {
            processes: PROCESSES,
            visit_s: VISIT_S,
            max_time_s: MAX_TIME_S,
            precision_pct: PRECISION_PCT,
            patience_s: Some(0.0),
            counter: CounterChoice::Wall,
            affinity: rules.affinity.clone(),
            ..Protocol::default()
        };
        let cases = question.cases();
        let place = Place::new(&protocol);
        let mut workers = self.workers(SEED, &protocol, &cases, &place, None);
        workers.limits = Limits { request: workers.limits.request.min(REQUEST), ..workers.limits };
        let work = Work { positions: (0..cases.len()).collect(), ..Work::default() };
        let (mut pool, mut finished) = (ProcessPool::new(workers, &NEVER), Finished(Vec::new()));
        schedule::run(&cases, work, &protocol, SEED, facts, &mut pool, &mut finished)?;
        Ok(finished.0)
    }
}

/// Collects finished records.
struct Finished(Vec<Record>);

impl Observer for Finished {
    fn event(&mut self, event: Event<'_>) -> Result<(), ObserverError> {
        if let Event::Finished { record, .. } = event {
            self.0.push(*record);
        }
        Ok(())
    }

    fn stopped(&self) -> bool {
        false
    }
}

/// Removes from the question all candidates that have a known defect in a deciding operation. Returns the remaining
/// question, and the removed candidates with their defects. If every candidate has a defect, keeps all of them, because
/// the run marks their figures.
fn without_defects(question: &Question, providers: &[Arc<Provider>]) -> (Question, Vec<FailedCandidate>) {
    let mut defective: Vec<FailedCandidate> = Vec::new();
    for case in question.cases() {
        let known = defective.iter().any(|one| one.provider == case.provider);
        if let Some(what) = defects::known(&case, providers).filter(|_| !known) {
            defective.push(FailedCandidate { provider: case.provider, reason: format!("known defect: {what}") });
        }
    }
    let mut left = question.clone();
    left.candidates.retain(|candidate| defective.iter().all(|one| one.provider != *candidate));
    if left.candidates.is_empty() { (question.clone(), Vec::new()) } else { (left, defective) }
}

/// Returns the candidate with the smallest total time, or the failures if no candidate is left. `failed` contains the
/// candidates that were excluded before the trials.
fn answer(
    question: &Question,
    tried: &[Record],
    mut failed: Vec<FailedCandidate>,
) -> Result<Fastest, Vec<FailedCandidate>> {
    let mut able = Vec::new();
    for candidate in &question.candidates {
        match total_ns(tried, candidate) {
            Ok(ns) => able.push((ns, candidate.clone())),
            Err(reason) => failed.push(FailedCandidate { provider: candidate.clone(), reason }),
        }
    }
    able.sort_by(|one, other| one.0.total_cmp(&other.0));
    chosen(question, able.into_iter(), &failed).ok_or(failed)
}

/// Returns the answer to a question. `in_order` contains the candidates with their total times in ns, fastest first.
/// Returns `None` if there are no candidates.
fn chosen(
    question: &Question,
    mut in_order: impl Iterator<Item = (f64, String)>,
    failed: &[FailedCandidate],
) -> Option<Fastest> {
    let (ns, provider) = in_order.next()?;
    Some(Fastest {
        construction: question.construction.clone(),
        asked: question.asked.clone(),
        operations: question.operations(),
        provider,
        ns,
        runner_up: in_order.next().map(|(ns, provider)| RunnerUp { provider, ns }),
        candidates: question.candidates.len() as u64,
        among: question.candidates.clone(),
        failed: failed.to_vec(),
    })
}

/// Returns the total time in ns of a candidate's operations, or the reason why it is unknown.
fn total_ns(tried: &[Record], candidate: &str) -> Result<f64, String> {
    let records: Vec<&Record> = tried.iter().filter(|record| record.case.provider == candidate).collect();
    if records.is_empty() {
        return Err("was not tried".to_owned());
    }
    records.into_iter().map(typical_ns).sum()
}

/// Returns the typical time of an operation in ns. For operations that sign, this is the mean, because rejections are
/// part of the cost. For other operations, it is the interquartile mean, because interruptions hardly affect it.
fn typical_ns(record: &Record) -> Result<f64, String> {
    if record.status == Status::Failed {
        return Err(record.error.clone().unwrap_or_default());
    }
    let samples = &record.samples;
    let usable: Vec<f64> = Visits::Usable.select(samples).flat_map(|visit| samples.ns_per_operation(visit)).collect();
    let typical = if SIGNS.contains(&record.case.operation.as_str()) {
        mean(&usable)
    } else {
        Sorted::new(usable).map(|sorted| sorted.interquartile_mean())
    };
    typical.ok_or_else(|| "has no samples".to_owned())
}

/// Returns the note that a construction is left out because every candidate failed.
fn none_left(question: &Question, failed: &[FailedCandidate]) -> String {
    let reasons: Vec<String> = failed.iter().map(|one| format!("{}: {}", one.provider, one.reason)).collect();
    format!(
        "not measured: {} with {}, because every candidate failed: {}",
        question.construction,
        question.asked,
        reasons.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::{Case, Metric, Samples, Visit};
    use pqlab_workloads::fastest::FASTEST;
    use pqlab_workloads::{CaseOptions, Registry};

    fn question() -> Question {
        let registry = Registry::new(pqlab_providers::providers());
        let fastest = || Some(FASTEST.to_owned());
        let options = CaseOptions { classical: fastest(), post_quantum: fastest(), ..CaseOptions::default() };
        let workload = registry.workloads().iter().find(|workload| workload.id() == "hybrid").unwrap();
        let mut cases = workload.cases(registry.providers(), &options);
        cases.retain(|case| case.algorithm == "X-Wing" && ["keygen", "encapsulate"].contains(&case.operation.as_str()));
        workload.questions(&cases, registry.providers(), &options).remove(0)
    }

    /// Creates a record for each case, with the time in ns that `ns` returns. If `ns` returns `None`, the case failed.
    fn tried(question: &Question, ns: impl Fn(&Case) -> Option<u64>) -> Vec<Record> {
        let record = |case: Case| {
            let Some(ns) = ns(&case) else { return Record::failed(case, "it crashed".into(), String::new()) };
            let visit = Visit {
                start: 0,
                process: 0,
                round: 0,
                repeats: 0,
                disturbances: Vec::new(),
                clock_hz: 0.0,
                ticks: vec![ns, ns, 50 * ns, ns],
                wall_ns: Vec::new(),
                extra: Vec::new(),
                conditions: Default::default(),
            };
            let samples = Samples { metric: Metric::Wall, ns_per_tick: Some(1.0), batch: 1, visits: vec![visit] };
            Record { status: Status::Ok, error: None, samples, ..Record::failed(case, String::new(), String::new()) }
        };
        question.cases().into_iter().map(record).collect()
    }

    #[test]
    fn the_smallest_total_wins_and_the_runner_up_is_named() {
        let question = question();
        let [first, second, third, ..] = question.candidates.as_slice() else { panic!("{:?}", question.candidates) };
        // The second candidate is fastest in one operation, the third in both operations together.
        let ns = |case: &Case| match (case.provider == *second, case.provider == *third, case.operation.as_str()) {
            (true, _, "keygen") => Some(1),
            (true, _, _) => Some(99),
            (_, true, _) => Some(45),
            _ => Some(1000),
        };
        let found = answer(&question, &tried(&question, ns), Vec::new()).unwrap();
        assert_eq!((found.provider.as_str(), found.ns), (third.as_str(), 90.0));
        assert_eq!(found.runner_up.unwrap().provider, *second);
        assert_eq!(found.operations, ["keygen", "encapsulate"]);
        assert_eq!(found.among, question.candidates, "the answer must list all candidates");
        assert_ne!(first, third);
    }

    #[test]
    fn candidates_that_fail_one_operation_are_excluded_and_named() {
        let question = question();
        let quickest = &question.candidates[1];
        let ns = |case: &Case| match (case.provider == *quickest, case.operation.as_str()) {
            (true, "keygen") => Some(1),
            (true, _) => None,
            _ => Some(1000),
        };
        let found = answer(&question, &tried(&question, ns), Vec::new()).unwrap();
        assert_ne!(found.provider, *quickest);
        assert_eq!(found.failed, [FailedCandidate { provider: quickest.clone(), reason: "it crashed".into() }]);
        let failed = answer(&question, &tried(&question, |_| None), Vec::new()).unwrap_err();
        assert_eq!(failed.len(), question.candidates.len());
        assert!(none_left(&question, &failed).contains("not measured: X-Wing"));
    }

    #[test]
    fn libraries_with_a_known_defect_in_a_deciding_operation_are_not_chosen() {
        let registry = Registry::new(pqlab_providers::providers());
        let fastest = || Some(FASTEST.to_owned());
        let options = CaseOptions { classical: fastest(), post_quantum: fastest(), ..CaseOptions::default() };
        let workload = registry.workloads().iter().find(|workload| workload.id() == "certificate").unwrap();
        let ask = |operation: &str| {
            let mut cases = workload.cases(registry.providers(), &options);
            cases.retain(|case| case.algorithm == "X.509-composite" && case.operation == operation);
            workload.questions(&cases, registry.providers(), &options).remove(0)
        };
        let concerned = |question: &Question| {
            let cases = question.cases().into_iter();
            cases.filter(|case| defects::known(case, registry.providers()).is_some()).count()
        };
        let verify = ask("verify");
        assert_eq!(verify.operations(), ["verify"]);
        let (left, defective) = without_defects(&verify, registry.providers());
        assert_eq!(concerned(&left), 0);
        assert_eq!(left.candidates.len() + defective.len(), verify.candidates.len());
        assert!(defective.iter().all(|one| one.reason.starts_with("known defect: ")));
        let build = ask("build");
        assert_eq!(build.operations(), ["sign"]);
        assert_eq!(without_defects(&build, registry.providers()).0, build, "verification must not affect signing");
        // If all candidates are defective, keep all of them, because the run marks their figures.
        let mut only = verify;
        only.candidates = vec!["liboqs".into()];
        assert_eq!(without_defects(&only, registry.providers()).0, only);
    }

    #[test]
    fn signers_are_compared_by_their_means() {
        let question = question();
        let mut records = tried(&question, |_| Some(10));
        let other = typical_ns(&records[0]).unwrap();
        records[0].case.operation = "sign".into();
        assert_eq!((other, typical_ns(&records[0]).unwrap()), (10.0, 132.5));
    }
}
