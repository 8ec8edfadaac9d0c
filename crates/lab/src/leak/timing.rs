//! Timing leak tests, which compare the times of an operation for two classes of inputs. The registry provides the
//! cases, the harness measures the times, and the statistics crate decides the verdicts.

use crate::patterns::nearest;
use crate::running::errand::{Task, lost, read_answer};
use crate::{LabError, Laboratory, Thing, matches};
use pqlab_analysis::number::grouped;
use pqlab_harness::errand::{Manner, Next};
use pqlab_harness::leak::{FIRST, FIRST_AGAIN, LeakPlan, LeakTimes, POSITIVE, SECOND, measure};
use pqlab_harness::{Fault, ending};
use pqlab_stats::{
    LEAK_CONFIDENCE, LEAST_SAMPLES, LeakJudgement, LeakSamples, LeakVerdict, Shift, TENTHS, judge_leak, median,
};
use pqlab_workloads::Registry;
use pqlab_workloads::leak::{LeakCase, LeakSubject, Role, cases, prepare};
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::atomic::AtomicBool;

/// Settings of a leak test, which compares the times of an operation for two classes of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeakRequest {
    /// Number of samples per case, half of them for each class.
    pub samples: u64,
    /// Smallest difference in ns that matters.
    pub effect_ns: f64,
    /// Delay in ns that the test adds to some samples and must detect (positive control).
    pub control_delay_ns: f64,
    /// Time limit for a case, in seconds.
    pub max_time_s: f64,
    /// Seed for keys, inputs and the order of the samples.
    pub seed: u64,
    /// Number of cases that are tested together. Verdicts are corrected for this number.
    pub cases: usize,
}

/// Verdict on a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeakConclusion {
    /// The time depends on the class, and the classes differ in secret data.
    Leak,
    /// The time depends on the class, but the classes differ only in public data, so this is not a leak.
    PublicDependent,
    /// The times of the classes differ by at most [`effect_ns`](LeakRequest::effect_ns).
    None,
    /// The samples are too few or too noisy for a verdict.
    Inconclusive,
    /// A control failed, so the measurement is void.
    Void,
    /// The library does not support the inputs that the test needs.
    Unsupported,
    /// The library failed.
    Failed,
}

/// Difference in time between the classes (second minus first) and its confidence interval, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeakEffect {
    /// The difference, in ns.
    pub ns: f64,
    /// 95% confidence interval of the difference, in ns, simultaneous over all cases and deciles.
    pub ci_ns: [f64; 2],
}

/// Result of a leak test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeakOutcome {
    /// The case's id.
    pub case: String,
    /// The operation's id.
    pub operation: String,
    /// Data in which the classes differ: `secret`, `public` or `nothing`.
    pub role: String,
    /// Description of the classes: the first versus the second.
    pub classes: String,
    /// Unavoidable other difference between the classes; `None` if there is none.
    pub caveat: Option<String>,
    /// Limits of what the verdict shows, one sentence each; empty if nothing was measured.
    pub limits: Vec<String>,
    /// The verdict.
    pub verdict: LeakConclusion,
    /// Reason for a missing or weak verdict.
    pub reason: Option<String>,
    /// The figures, if the case was measured.
    pub figures: Option<LeakFigures>,
}

/// Figures that support a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeakFigures {
    /// Difference between the classes in the decile where the difference is most significant.
    pub effect: LeakEffect,
    /// Number of the decile that `effect` describes, from 1 (the fastest) to 9.
    pub tenth: usize,
    /// Upper bound (95% confidence) on the difference in any decile except the slowest, in ns.
    pub bound_ns: f64,
    /// Maximum difference in ns that may come from the measurement itself.
    pub floor_ns: f64,
    /// Smallest difference in ns that 19 of 20 measurements with this number of samples detect. Assumes that all times
    /// of one class shift by the same amount.
    pub detectable_ns: f64,
    /// Differences in all deciles except the slowest, fastest first.
    pub tenths: Vec<LeakEffect>,
    /// Most significant difference in any decile or cropping, divided by its standard error. A cropping compares the
    /// means of only the fastest samples, up to a percentile (Welch's t-test).
    pub clearest_t: f64,
    /// Measured effect of the added delay (positive control).
    #[serde(rename = "planted")]
    pub positive_control: LeakEffect,
    /// Length of the added delay, in ns.
    #[serde(rename = "planted_ns")]
    pub control_delay_ns: f64,
    /// Largest difference between two groups of one class (negative control), in ns.
    pub null_ns: f64,
    /// Total number of samples in both classes.
    pub samples: usize,
    /// Median time of the first class in ns, including the cost of reading the counter.
    pub median_ns: f64,
    /// Name of the counter.
    pub counter: String,
    /// The counter's smallest step, in ns.
    pub resolution_ns: f64,
    /// Core to which the measuring thread was pinned; `None` if it was not pinned.
    pub pinned: Option<u32>,
}

/// Returns the cases whose id or operation id matches one of the patterns.
///
/// # Errors
/// [`LabError::Unknown`] for a pattern without a match.
pub fn leak_cases(laboratory: &Laboratory, patterns: &[String]) -> Result<Vec<LeakCase>, LabError> {
    cases_of(laboratory.registry(), patterns)
}

/// Like [`leak_cases`], but for a given registry.
pub(crate) fn cases_of(registry: &Registry, patterns: &[String]) -> Result<Vec<LeakCase>, LabError> {
    let all = cases(registry.providers());
    let fits = |pattern: &str, case: &LeakCase| {
        pattern == case.to_string() || pattern == case.operation_id() || {
            matches(pattern, &case.operation_id()) || matches(pattern, &case.to_string())
        }
    };
    for pattern in patterns {
        if !all.iter().any(|case| fits(pattern, case)) {
            let ids: Vec<String> = all.iter().flat_map(|case| [case.operation_id(), case.to_string()]).collect();
            let near = nearest(pattern, ids.iter().map(String::as_str)).into_iter().next();
            return Err(LabError::Unknown { what: Thing::LeakCase, name: pattern.clone(), near, known: Vec::new() });
        }
    }
    Ok(all.into_iter().filter(|case| patterns.iter().any(|pattern| fits(pattern, case))).collect())
}

/// Finds a case by its id.
///
/// # Errors
/// `InvalidData` if this build does not have the case.
pub(super) fn find_case(registry: &Registry, id: String) -> io::Result<LeakCase> {
    let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
    let found = cases_of(registry, &[id]).map_err(|error| invalid(error.to_string()))?;
    found.into_iter().next().ok_or_else(|| invalid("no such case".into()))
}

/// Task: tests whether the time of a case depends on its secret.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LeakTask {
    /// The case's id.
    pub(crate) case: String,
    /// Settings of the test.
    pub(crate) request: LeakRequest,
}

/// Progress or result of a leak test. `Done` contains the finished fraction, from 0 to 1.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum LeakAnswer {
    Done(f64),
    Outcome(Box<LeakOutcome>),
}

impl Task for LeakTask {
    const NAME: &'static str = "leak";
    type Answer = LeakAnswer;

    fn carry_out(self, registry: &Registry, say: &(dyn Fn(LeakAnswer) + Sync)) -> io::Result<()> {
        let case = find_case(registry, self.case)?;
        let outcome = measure_leak(registry, &case, &self.request, &mut |share| say(LeakAnswer::Done(share)));
        say(LeakAnswer::Outcome(Box::new(outcome)));
        Ok(())
    }
}

impl Laboratory {
    /// Tests in a separate process whether the time of a case depends on its secret. If the process dies, the verdict
    /// is [`LeakConclusion::Failed`]. `progress` receives the finished fraction, from 0 to 1. Returns `None` if `stop`
    /// is set in the meantime.
    ///
    /// # Errors
    /// [`LabError::Worker`] if the process cannot be started, [`LabError::System`] if contact with it is lost.
    pub fn measure_leak(
        &self,
        case: &LeakCase,
        request: &LeakRequest,
        progress: &mut dyn FnMut(f64),
        stop: &AtomicBool,
    ) -> Result<Option<LeakOutcome>, LabError> {
        let mut errand = self.start(&LeakTask { case: case.to_string(), request: *request }, &Manner::default())?;
        let mut outcome = None;
        loop {
            match errand.next(stop).map_err(lost)? {
                Next::Said(message) => match read_answer::<LeakTask>(&message) {
                    Some(LeakAnswer::Done(share)) => progress(share),
                    Some(LeakAnswer::Outcome(found)) => outcome = Some(*found),
                    None => {}
                },
                Next::Ended => break,
                Next::Stopped => return Ok(None),
            }
        }
        let status = errand.end().map_err(lost)?.status;
        Ok(Some(match outcome {
            Some(outcome) if status.success() => outcome,
            _ => leak_without_figures(case, LeakConclusion::Failed, format!("the process ended: {}", ending(status))),
        }))
    }
}

/// Returns the outcome of a test that has no figures.
fn leak_without_figures(case: &LeakCase, verdict: LeakConclusion, reason: String) -> LeakOutcome {
    LeakOutcome {
        case: case.to_string(),
        operation: case.operation_id(),
        role: case.role.name().to_owned(),
        classes: case.classes.to_owned(),
        caveat: None,
        limits: Vec::new(),
        verdict,
        reason: Some(reason),
        figures: None,
    }
}

/// Measures a case in the current process, which was started for this case. `progress` receives the finished fraction,
/// from 0 to 1.
fn measure_leak(
    registry: &Registry,
    case: &LeakCase,
    request: &LeakRequest,
    progress: &mut dyn FnMut(f64),
) -> LeakOutcome {
    match try_measure(registry, case, request, progress) {
        Ok(outcome) => outcome,
        Err(Fault::Unsupported(reason)) => leak_without_figures(case, LeakConclusion::Unsupported, reason),
        Err(error) => leak_without_figures(case, LeakConclusion::Failed, error.to_string()),
    }
}

fn try_measure(
    registry: &Registry,
    case: &LeakCase,
    request: &LeakRequest,
    progress: &mut dyn FnMut(f64),
) -> Result<LeakOutcome, Fault> {
    let LeakSubject { mut target, pools, caveat, .. } = prepare(case, registry.providers(), request.seed)?;
    let plan = LeakPlan {
        samples: request.samples,
        least: LEAST_SAMPLES as u64,
        longest_ns: (request.max_time_s * 1e9) as u64,
        control_delay_ns: request.control_delay_ns,
        seed: request.seed,
    };
    let times = measure(target.as_mut(), &pools, &plan, progress)?;
    let samples = LeakSamples {
        first: &times.groups[FIRST],
        null: &times.groups[FIRST_AGAIN],
        positive: &times.groups[POSITIVE],
        second: &times.groups[SECOND],
    };
    let judgement = judge_leak(samples, request.effect_ns, request.cases, request.seed)
        .ok_or_else(|| Fault::Library("the measured times cannot be evaluated".into()))?;
    let (verdict, reason) = conclude(&judgement, case.role, request);
    let figures = figures(&judgement, &times, request);
    Ok(LeakOutcome {
        reason,
        caveat: caveat.map(str::to_owned),
        limits: limits(case, verdict, &figures),
        figures: Some(figures),
        ..leak_without_figures(case, verdict, String::new())
    })
}

fn conclude(judgement: &LeakJudgement, role: Role, request: &LeakRequest) -> (LeakConclusion, Option<String>) {
    match judgement.verdict {
        LeakVerdict::Leak if role == Role::Public => (LeakConclusion::PublicDependent, None),
        LeakVerdict::Leak if role == Role::Nothing => {
            let reason = "the classes are identical, so their difference is a false alarm: use a quieter machine";
            (LeakConclusion::Void, Some(reason.to_owned()))
        }
        LeakVerdict::Leak => (LeakConclusion::Leak, None),
        LeakVerdict::None => (LeakConclusion::None, None),
        LeakVerdict::Inconclusive => {
            let reason = format!(
                "cannot rule out a difference of {:.1} ns (threshold {} ns): \
                 take more samples or use a quieter machine",
                judgement.bound, request.effect_ns
            );
            (LeakConclusion::Inconclusive, Some(reason))
        }
        LeakVerdict::FalseAlarm => {
            let reason = format!(
                "two groups of the same class differ by {:.1} ns (negative control): use a quieter \
                                  machine",
                judgement.null.largest()
            );
            (LeakConclusion::Void, Some(reason))
        }
        LeakVerdict::Blind => {
            let reason = format!(
                "did not detect the known delay of {} ns (positive control): take more samples or use a longer delay",
                request.control_delay_ns
            );
            (LeakConclusion::Void, Some(reason))
        }
    }
}

/// Returns sentences about what the verdict does not show. Reports print them next to the verdict, so that readers do
/// not overinterpret it.
fn limits(case: &LeakCase, verdict: LeakConclusion, figures: &LeakFigures) -> Vec<String> {
    let mut limits = vec![
        format!("the verdict covers only {}", case.classes),
        format!(
            "with {} samples, the test detects a difference of {:.1} ns or more in 19 of 20 measurements",
            grouped(figures.samples as u64),
            figures.detectable_ns
        ),
        "the verdict applies only to this machine and this library build at the time of the test, and ignores the \
         slowest tenth of the samples"
            .to_owned(),
    ];
    if verdict == LeakConclusion::None {
        limits.push("finding no leak does not prove constant time; --taint finds branches on secrets".to_owned());
    }
    limits
}

fn figures(judgement: &LeakJudgement, times: &LeakTimes, request: &LeakRequest) -> LeakFigures {
    let effect = |shift: &Shift| {
        let half = shift.half_width(LEAK_CONFIDENCE, TENTHS * request.cases.max(1));
        LeakEffect { ns: shift.estimate, ci_ns: [shift.estimate - half, shift.estimate + half] }
    };
    let tenth = judgement.difference.clearest_tenth();
    let clearest = judgement.difference.clearest();
    let t = if clearest.standard_error > 0.0 { clearest.estimate / clearest.standard_error } else { 0.0 };
    LeakFigures {
        effect: effect(&judgement.difference.tenths[tenth]),
        tenth: tenth + 1,
        bound_ns: judgement.bound,
        floor_ns: judgement.floor,
        detectable_ns: judgement.detectable,
        tenths: judgement.difference.tenths.iter().map(effect).collect(),
        clearest_t: t,
        positive_control: effect(&judgement.positive.tenths[judgement.positive.clearest_tenth()]),
        control_delay_ns: request.control_delay_ns,
        null_ns: judgement.null.largest(),
        samples: times.groups[FIRST].len() + times.groups[SECOND].len(),
        median_ns: median(&times.groups[FIRST]).unwrap_or(f64::NAN),
        counter: times.counter.to_owned(),
        resolution_ns: times.resolution_ns,
        pinned: times.pinned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_workloads::leak::BUILT_IN;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    #[test]
    fn a_difference_is_a_leak_only_if_secret_data_differ() {
        let mut draw = ChaCha8Rng::seed_from_u64(1);
        let mut group = |shift: f64| -> Vec<f64> {
            (0..20_000).map(|_| 1_000.0 + shift + f64::from(draw.next_u32() % 100)).collect()
        };
        let (first, null, positive, second) = (group(0.0), group(0.0), group(50.0), group(25.0));
        let samples = LeakSamples { first: &first, null: &null, positive: &positive, second: &second };
        let judgement = judge_leak(samples, 30.0, 1, 1).unwrap();
        assert_eq!(judgement.verdict, LeakVerdict::Leak);
        let request = LeakRequest {
            samples: 20_000,
            effect_ns: 30.0,
            control_delay_ns: 50.0,
            max_time_s: 1.0,
            seed: 1,
            cases: 1,
        };
        assert_eq!(conclude(&judgement, Role::Secret, &request), (LeakConclusion::Leak, None));
        assert_eq!(conclude(&judgement, Role::Public, &request), (LeakConclusion::PublicDependent, None));
        let (conclusion, reason) = conclude(&judgement, Role::Nothing, &request);
        assert!(conclusion == LeakConclusion::Void && reason.unwrap().contains("false alarm"));
    }

    #[test]
    fn verdicts_state_their_limits_and_no_leak_is_not_constant_time() {
        let registry = Registry::new(Vec::new());
        let case = cases_of(&registry, &["compare/constant-time/*".to_owned()]).unwrap().remove(0);
        assert_eq!(case.provider, BUILT_IN);
        let request = LeakRequest {
            samples: 4_000,
            effect_ns: 30.0,
            control_delay_ns: 50.0,
            max_time_s: 20.0,
            seed: 1,
            cases: 1,
        };
        let outcome = measure_leak(&registry, &case, &request, &mut |_| {});
        let figures = outcome.figures.unwrap();
        assert!(figures.detectable_ns >= pqlab_stats::LEAK_FLOOR_NS, "{figures:?}");
        for (verdict, wanted) in
            [(LeakConclusion::Leak, 3), (LeakConclusion::Inconclusive, 3), (LeakConclusion::None, 4)]
        {
            let limits = limits(&case, verdict, &figures);
            assert_eq!(limits.len(), wanted);
            assert!(limits[0].contains(case.classes) && limits[2].contains("this machine"), "{limits:?}");
            assert!(limits[1].contains("4,000 samples") && limits[1].contains(" ns or more"), "{limits:?}");
            let mentioned = limits.iter().any(|limit| limit.contains("does not prove constant time"));
            assert_eq!(mentioned, verdict == LeakConclusion::None);
        }
        assert!(outcome.limits.len() >= 3);
        assert!(leak_without_figures(&case, LeakConclusion::Failed, String::new()).limits.is_empty());
    }
}
