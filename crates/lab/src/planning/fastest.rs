//! What `fastest` stands for: found by worker processes, before the run that asks for it is planned.
//!
//! Each candidate does what is measured of the construction, in a few short visits that are interleaved with those of all
//! others, by the rules of a run. A library that crashes, hangs or answers wrongly there is a failed candidate, as it would
//! be a failed row.

use crate::planning::plan::{Draft, LOADS_LEFT_OUT, without_what_is_missing};
use crate::running::processors::Place;
use crate::verifying::defects;
use crate::{Filters, LabError, Laboratory, Plan, ProtocolOverrides, Suite};
use pqlab_analysis::fastest::fastest_line;
use pqlab_harness::process::{Limits, ProcessPool};
use pqlab_harness::schedule::{self, CounterFacts};
use pqlab_harness::{Event, Observer, ObserverError, counter};
use pqlab_primitives::Provider;
use pqlab_record::{CounterChoice, FailedCandidate, Fastest, Protocol, Record, RunnerUp, Status, Visits};
use pqlab_stats::{Sorted, mean};
use pqlab_workloads::fastest::Question;
use std::sync::Arc;
use std::time::Duration;

/// Worker processes.
const PROCESSES: u32 = 2;
/// Seconds of a visit: a few dozen operations of a fast library.
const VISIT_S: f64 = 0.003;
/// Most seconds for a candidate's operation. A signer that repeats itself takes them all, others a fifth.
const MAX_TIME_S: f64 = 0.1;
/// Half-width in percent that is precise enough to choose by.
const PRECISION_PCT: f64 = 2.0;
/// A request that takes longer than this is no candidate's, whatever a run would allow.
const REQUEST: Duration = Duration::from_secs(20);
/// Operations of constructions that sign.
const SIGNS: [&str; 2] = ["sign", "cycle"];
/// Of order and inputs: the same candidates have the same inputs.
const SEED: u64 = 1;

impl Laboratory {
    /// What suites and filters select. Where they leave a library to measurement (`fastest`), that is measured first, some
    /// tenths of a second for each candidate, and `note` is told what came of it.
    ///
    /// # Errors
    /// [`LabError::Unknown`] for a name that matches nothing, [`LabError::Invalid`] for a value that cannot be measured,
    /// [`LabError::NothingSelected`] if nothing is left, and [`LabError::Worker`] if worker processes cannot be had.
    pub fn plan(
        &self,
        suites: &[Suite],
        filters: &Filters,
        overrides: &ProtocolOverrides,
        note: &mut dyn FnMut(&str),
    ) -> Result<Plan, LabError> {
        let Draft { plan: mut draft, questions, loads_left_out } = self.drafted(suites, filters, overrides)?;
        without_what_is_missing(&mut draft.cases, note)?;
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
        without_what_is_missing(&mut plan.cases, &mut |_| {})?;
        Ok(plan)
    }

    /// The plan before anything is measured: where a library is left to measurement (`fastest`), with every one that it may be.
    ///
    /// # Errors
    /// As [`plan`](Self::plan) but for the last.
    pub fn draft(&self, suites: &[Suite], filters: &Filters, overrides: &ProtocolOverrides) -> Result<Plan, LabError> {
        Ok(self.drafted(suites, filters, overrides)?.plan)
    }

    fn drafted(&self, suites: &[Suite], filters: &Filters, overrides: &ProtocolOverrides) -> Result<Draft, LabError> {
        let drafted = Plan::draft(self.registry(), suites, filters, overrides);
        drafted.map_err(|error| self.with_what_was_meant(error, suites, filters))
    }

    /// The draft, and where it leaves a library to measurement a plan of as many cases as a run has: the first candidate stands there
    /// for the fastest.
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

    /// The cases of a question, measured.
    fn tried(&self, question: &Question, asked: &Protocol) -> Result<Vec<Record>, LabError> {
        let selected = counter::open(CounterChoice::Wall)?;
        let (metric, ns_per_tick) = (selected.counter.metric(), selected.ns_per_tick);
        let facts = CounterFacts { metric, ns_per_tick, grain_ns: selected.grain_ns() };
        let protocol = Protocol {
            processes: PROCESSES,
            visit_s: VISIT_S,
            max_time_s: MAX_TIME_S,
            precision_pct: PRECISION_PCT,
            counter: CounterChoice::Wall,
            affinity: asked.affinity.clone(),
            ..Protocol::default()
        };
        let cases = question.cases();
        let place = Place::of(&protocol);
        let mut workers = self.workers(SEED, &protocol, &cases, &place, None);
        workers.limits = Limits { request: workers.limits.request.min(REQUEST), ..workers.limits };
        let positions: Vec<usize> = (0..cases.len()).collect();
        let (mut pool, mut finished) = (ProcessPool::new(workers), Finished(Vec::new()));
        schedule::run(&cases, &positions, &protocol, SEED, facts, &mut pool, &mut finished)?;
        Ok(finished.0)
    }
}

/// Keeps what is finished.
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

/// The question without the candidates that have a known defect in what decides, and these with their defects. If all have one, they
/// stay: what is measured is marked.
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

/// The candidate with the least time over all operations; those that failed where none is left. Those in `failed` were not tried.
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

/// The answer where these are the candidates by their times, the fastest first; `None` where there are none.
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

/// What a candidate takes for all that was tried of it, in ns; else why that is not known.
fn total_ns(tried: &[Record], candidate: &str) -> Result<f64, String> {
    let of: Vec<&Record> = tried.iter().filter(|record| record.case.provider == candidate).collect();
    if of.is_empty() {
        return Err("it was not tried".to_owned());
    }
    of.into_iter().map(typical_ns).sum()
}

/// The typical time of an operation in ns. Of a signer that repeats by chance it is the mean, which users pay; else the interquartile
/// mean, which does not lean on what interrupted it.
fn typical_ns(record: &Record) -> Result<f64, String> {
    if record.status == Status::Failed {
        return Err(record.error.clone().unwrap_or_default());
    }
    let samples = &record.samples;
    let usable: Vec<f64> = Visits::Usable.of(samples).flat_map(|visit| samples.ns_per_operation(visit)).collect();
    let typical = if SIGNS.contains(&record.case.operation.as_str()) {
        mean(&usable)
    } else {
        Sorted::new(usable).map(|sorted| sorted.interquartile_mean())
    };
    typical.ok_or_else(|| "it has no samples".to_owned())
}

/// What a user is told of a construction that no candidate can do.
fn none_left(question: &Question, failed: &[FailedCandidate]) -> String {
    let reasons: Vec<String> = failed.iter().map(|one| format!("{}: {}", one.provider, one.reason)).collect();
    format!(
        "{} is left out, since every candidate for {} failed: {}",
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
        let asked = || Some(FASTEST.to_owned());
        let options = CaseOptions { classical: asked(), post_quantum: asked(), ..CaseOptions::default() };
        let workload = registry.workloads().iter().find(|workload| workload.id() == "hybrid").unwrap();
        let mut cases = workload.cases(registry.providers(), &options);
        cases.retain(|case| case.algorithm == "X-Wing" && ["keygen", "encapsulate"].contains(&case.operation.as_str()));
        workload.questions(&cases, registry.providers(), &options).remove(0)
    }

    /// Each case takes what the function says, in ns; nothing where it fails.
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
    fn the_least_sum_of_what_is_measured_is_the_answer_with_its_runner_up() {
        let question = question();
        let [first, second, third, ..] = question.candidates.as_slice() else { panic!("{:?}", question.candidates) };
        // The second is the best at one operation, the third at both together.
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
        assert_eq!(found.among, question.candidates, "and those among which it was chosen");
        assert_ne!(first, third);
    }

    #[test]
    fn what_fails_in_one_operation_is_out_of_the_question_and_named() {
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
        assert!(none_left(&question, &failed).contains("X-Wing is left out"));
    }
    #[test]
    fn libraries_with_a_known_defect_in_what_decides_are_not_chosen() {
        let registry = Registry::new(pqlab_providers::providers());
        let asked = || Some(FASTEST.to_owned());
        let options = CaseOptions { classical: asked(), post_quantum: asked(), ..CaseOptions::default() };
        let workload = registry.workloads().iter().find(|workload| workload.id() == "certificate").unwrap();
        let of = |operation: &str| {
            let mut cases = workload.cases(registry.providers(), &options);
            cases.retain(|case| case.algorithm == "X.509-composite" && case.operation == operation);
            workload.questions(&cases, registry.providers(), &options).remove(0)
        };
        let concerned = |question: &Question| {
            let cases = question.cases().into_iter();
            cases.filter(|case| defects::known(case, registry.providers()).is_some()).count()
        };
        let verify = of("verify");
        assert_eq!(verify.operations(), ["verify"]);
        let (left, defective) = without_defects(&verify, registry.providers());
        assert_eq!(concerned(&left), 0);
        assert_eq!(left.candidates.len() + defective.len(), verify.candidates.len());
        assert!(defective.iter().all(|one| one.reason.starts_with("known defect: ")));
        let build = of("build");
        assert_eq!(build.operations(), ["sign"]);
        assert_eq!(without_defects(&build, registry.providers()).0, build, "the defect is in verification");
        // What is defective in all candidates is measured, and marked.
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
