//! Independence test: finds out whether the figures of a case depend on the other cases in the run.

use crate::{LabError, Laboratory, Plan, Progress, RunRequest};
use pqlab_analysis::{crossed_of, run_spread};
use pqlab_record::{Case, Protocol, Record, Status, Unit, Visits};
use pqlab_stats::{CONFIDENCE, Crossed, Ratio, RunSpread, Share, benjamini_hochberg, ratio_between};
use rand::RngExt;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::atomic::AtomicBool;

/// Target false discovery rate: the maximum expected fraction of chance findings among the cases that remain
/// significant after the correction.
pub const INDEPENDENCE_SIGNIFICANCE: f64 = 0.05;

/// Thresholds in percent. For each threshold, the summary counts the cases that differ by more in every repetition.
pub const DIFFERENCES_PCT: [f64; 3] = [2.0, 3.0, 5.0];

/// Settings of an independence test.
#[derive(Clone, Debug)]
pub struct IndependenceRequest {
    /// Number of repetitions. Each consists of one run of all cases and one run of each case alone.
    pub repetitions: u32,
    /// Seed for all runs. A case therefore has the same messages when it is measured alone and together with others. It
    /// also has the same keys if the library accepts caller-supplied randomness. `None` chooses a random seed.
    pub seed: Option<u64>,
    /// Command line to store with the runs.
    pub command: String,
}

/// Result of an independence test: how measuring the cases together affects each case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Independence {
    /// Seed for all runs.
    pub seed: u64,
    /// Number of repetitions.
    pub repetitions: u32,
    /// The cases, in the plan's order.
    pub cases: Vec<Dependence>,
    /// Cases without a result, with the reasons.
    pub left_out: Vec<(String, String)>,
}

/// Comparison of a case measured alone with the same case measured together with others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dependence {
    /// Id of the case.
    pub case: String,
    /// Whether the operation makes a random number of attempts, so that its time is random. Examples are signing with
    /// rejection and generating keys by trial.
    pub by_rejection: bool,
    /// Unit of the ratio.
    #[serde(serialize_with = "unit_name")]
    pub unit: Unit,
    /// Whether a run of the case was disturbed.
    pub contended: bool,
    /// Figure of the case measured alone, divided by its figure measured together with other cases, over all
    /// repetitions.
    pub ratio: f64,
    /// 95% confidence interval of the ratio.
    pub ratio_ci: [f64; 2],
    /// Two-sided p-value for a ratio of 1.
    pub p_value: f64,
    /// p-value adjusted for the number of cases with the same [`by_rejection`](Self::by_rejection)
    /// (Benjamini-Hochberg).
    pub adjusted_p: f64,
    /// Ratio in each repetition, in order.
    pub ratios: Vec<f64>,
}

fn unit_name<S: serde::Serializer>(unit: &Unit, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match unit {
        Unit::Nanoseconds => "time",
        Unit::CoreCycles => "cycles",
    })
}

impl Dependence {
    /// Returns whether the interval of the ratio excludes 1.
    pub fn excludes_one(&self) -> bool {
        !(self.ratio_ci[0] <= 1.0 && 1.0 <= self.ratio_ci[1])
    }

    /// Returns whether the difference remains significant after the correction for the number of cases.
    pub fn remains(&self) -> bool {
        self.adjusted_p <= INDEPENDENCE_SIGNIFICANCE
    }

    /// Returns whether the ratio differs from 1 by more than `pct` percent in every repetition, always in the same
    /// direction.
    pub fn always_differs_by(&self, pct: f64) -> bool {
        let most = 1.0 + pct / 100.0;
        let all = |test: &dyn Fn(f64) -> bool| self.ratios.iter().all(|ratio| test(*ratio));
        !self.ratios.is_empty() && (all(&|ratio| ratio > most) || all(&|ratio| ratio < 1.0 / most))
    }
}

impl Independence {
    /// Returns the cases of one kind: those with random times ([`Dependence::by_rejection`]), or all others. The
    /// correction for the number of cases treats the kinds separately.
    pub fn of_kind(&self, by_rejection: bool) -> impl Iterator<Item = &Dependence> {
        self.cases.iter().filter(move |case| case.by_rejection == by_rejection)
    }

    /// Returns whether no case differs significantly after the correction for the number of cases.
    pub fn holds(&self) -> bool {
        !self.cases.iter().any(Dependence::remains)
    }
}

/// Counts for the cases of one kind: cases with random times, or all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndependenceSummary {
    /// Number of cases of this kind.
    pub cases: usize,
    /// Number of cases for which the 95% interval of the ratio excludes 1.
    pub excluding: usize,
    /// Number of intervals that are expected to exclude 1 by chance: 5% of the cases.
    pub by_chance: f64,
    /// Number of cases that remain significant after the correction for the number of cases.
    pub remaining: usize,
    /// For each of [`DIFFERENCES_PCT`], the number of cases that differ by more in every repetition.
    pub always: [usize; DIFFERENCES_PCT.len()],
}

impl IndependenceSummary {
    fn to_json(self) -> Value {
        let always: Map<String, Value> =
            DIFFERENCES_PCT.iter().zip(self.always).map(|(pct, count)| (pct.to_string(), count.into())).collect();
        json!({
            "cases": self.cases,
            "excluding_1": self.excluding,
            "expected_by_chance": self.by_chance,
            "remaining": self.remaining,
            "always_differ_by_pct": always,
        })
    }
}

impl Independence {
    /// Summarizes the cases of one kind: those with random times ([`Dependence::by_rejection`]), or all others.
    pub fn summary(&self, by_rejection: bool) -> IndependenceSummary {
        let count = |test: &dyn Fn(&Dependence) -> bool| self.of_kind(by_rejection).filter(|case| test(case)).count();
        let cases = count(&|_| true);
        IndependenceSummary {
            cases,
            excluding: count(&Dependence::excludes_one),
            by_chance: 0.05 * cases as f64,
            remaining: count(&Dependence::remains),
            always: DIFFERENCES_PCT.map(|pct| count(&|case| case.always_differs_by(pct))),
        }
    }

    /// Returns the result as JSON.
    pub fn to_json(&self) -> Value {
        let mut value = json!(self);
        value["holds"] = self.holds().into();
        value["significance"] = INDEPENDENCE_SIGNIFICANCE.into();
        value["summary"] = self.summary(false).to_json();
        value["summary_by_rejection"] = self.summary(true).to_json();
        value
    }
}

/// Reason why a case has no result.
#[derive(Debug)]
struct LeftOut(String);

/// Records of a case from one repetition: measured with other cases (`company`), and measured alone.
struct Pair {
    company: Record,
    alone: Record,
}

/// Returns whether the time of an operation is random because the operation retries until a signature or key is
/// acceptable.
fn by_rejection(case: &Case) -> bool {
    let named = |names: &[&str]| names.iter().any(|name| case.algorithm.contains(name));
    let signs = ["sign", "cycle", "build"].iter().any(|operation| case.operation.starts_with(operation));
    let makes_keys = ["keygen", "cycle"].contains(&case.operation.as_str());
    signs && named(&["ML-DSA", "Falcon", "FN-DSA"]) || makes_keys && named(&["RSA", "Falcon", "FN-DSA"])
}

/// Compares a case measured alone with the same case measured together with others. `pairs` contains one entry per
/// repetition. The unit is core cycles if all runs have them, otherwise time.
fn dependence(pairs: &[Pair], protocol: &Protocol) -> Result<Dependence, LeftOut> {
    let first = pairs.first().ok_or_else(|| LeftOut("was not measured".into()))?;
    for record in pairs.iter().flat_map(|pair| [&pair.company, &pair.alone]) {
        if record.status == Status::Failed {
            return Err(LeftOut(record.error.clone().unwrap_or_else(|| "failed".into())));
        }
    }
    let case = &first.company.case;
    let means = |unit: Unit| -> Option<Vec<(Crossed, Crossed)>> {
        let mean = |record: &Record| crossed_of(&record.samples.values(unit, Visits::Usable)?, record.case.statistic());
        pairs.iter().map(|pair| Some((mean(&pair.company)?, mean(&pair.alone)?))).collect()
    };
    let cycles = case.computes().then(|| means(Unit::CoreCycles)).flatten();
    let (unit, means) = match cycles {
        Some(means) => (Unit::CoreCycles, means),
        None => (Unit::Nanoseconds, means(Unit::Nanoseconds).ok_or_else(|| LeftOut("has no samples".into()))?),
    };
    let one_run = run_spread(&protocol.run_spreads.of_case(&case.id()), unit);
    let runs = RunSpread { pct: one_run.pct / (means.len() as f64).sqrt(), ..one_run };
    let company = mean_of(means.iter().map(|(company, _)| company));
    let alone = mean_of(means.iter().map(|(_, alone)| alone));
    let ratio = company.zip(alone).and_then(|(company, alone)| ratio_between(&company, &alone, runs, 0.0, CONFIDENCE));
    let Some(Ratio { ratio, p_value, .. }) = ratio else {
        return Err(LeftOut("the ratio between the runs cannot be computed".into()));
    };
    Ok(Dependence {
        case: case.id(),
        by_rejection: by_rejection(case),
        unit,
        contended: pairs.iter().any(|pair| pair.company.samples.contended() || pair.alone.samples.contended()),
        ratio: ratio.estimate,
        ratio_ci: [ratio.low, ratio.high],
        p_value,
        adjusted_p: p_value,
        ratios: means.iter().map(|(company, alone)| (alone.mean - company.mean).exp()).collect(),
    })
}

/// Returns the mean over independent runs, with the components of its variance; `None` without runs.
fn mean_of<'a>(runs: impl Iterator<Item = &'a Crossed> + Clone) -> Option<Crossed> {
    let count = runs.clone().count() as f64;
    let mut all = runs.clone().next()?.clone();
    all.mean = runs.clone().map(|run| run.mean).sum::<f64>() / count;
    let share = |share: &Share| Share { variance: share.variance / (count * count), ..*share };
    all.shares = runs.flat_map(|run| &run.shares).map(share).collect();
    Some(all)
}

/// Adjusts the p-values for the number of cases (Benjamini-Hochberg), separately for cases with and without rejection.
fn adjust(cases: &mut [Dependence]) {
    for kind in [false, true] {
        let mut of_kind: Vec<&mut Dependence> = cases.iter_mut().filter(|case| case.by_rejection == kind).collect();
        let p_values: Vec<f64> = of_kind.iter().map(|case| case.p_value).collect();
        for (case, adjusted) in of_kind.iter_mut().zip(benjamini_hochberg(&p_values)) {
            case.adjusted_p = adjusted;
        }
    }
}

impl Laboratory {
    /// Measures all cases of a plan together and then each case alone, in separate runs with fresh processes. Repeats
    /// this as often as requested and compares the results. All runs use the same [seed](IndependenceRequest::seed).
    /// Stores no run. Returns `None` if `stop` is set in the meantime.
    ///
    /// # Errors
    /// [`LabError`] if runs cannot be measured.
    pub fn measure_independence(
        &self,
        plan: &Plan,
        request: &IndependenceRequest,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Option<Independence>, LabError> {
        let seed = request.seed.unwrap_or_else(|| rand::rng().random::<u64>() >> 11);
        let run = RunRequest { seed: Some(seed), command: request.command.clone() };
        let judged: Vec<&Case> = plan.cases.iter().filter(|case| !case.is_overhead()).collect();
        let mut pairs: Vec<Vec<Pair>> = judged.iter().map(|_| Vec::new()).collect();
        let mut left_out: Vec<Option<String>> = vec![None; judged.len()];
        for _ in 0..request.repetitions {
            let Some(company) = self.measure_apart(plan, &run, progress, stop)? else { return Ok(None) };
            for (at, case) in judged.iter().enumerate() {
                let alone =
                    Plan { suite: "alone".into(), cases: vec![(*case).clone()], protocol: plan.protocol.clone() };
                let Some(alone) = self.measure_apart(&alone, &run, progress, stop)? else { return Ok(None) };
                let company = company.iter().find(|record| record.case.id() == case.id());
                match (company, alone.into_iter().next()) {
                    (Some(company), Some(alone)) => pairs[at].push(Pair { company: company.clone(), alone }),
                    _ => left_out[at] = Some("one of the runs has no result for this case".into()),
                }
            }
        }
        let (mut cases, mut without) = (Vec::new(), Vec::new());
        for ((case, pairs), missing) in judged.iter().zip(&pairs).zip(left_out) {
            match missing.map_or_else(|| dependence(pairs, &plan.protocol), |reason| Err(LeftOut(reason))) {
                Ok(found) => cases.push(found),
                Err(LeftOut(reason)) => without.push((case.id(), reason)),
            }
        }
        adjust(&mut cases);
        Ok(Some(Independence { seed, repetitions: request.repetitions, cases, left_out: without }))
    }

    /// Measures a plan without storing the run. Returns `None` if `stop` is set in the meantime.
    fn measure_apart(
        &self,
        plan: &Plan,
        request: &RunRequest,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Record>>, LabError> {
        let run = self.measure(plan.clone(), request, progress, stop)?;
        Ok(run.complete.then_some(run.records))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{case, record};

    fn pairs(case: &Case, company: f64, alone: &[f64]) -> Vec<Pair> {
        let pair = |(seed, alone): (usize, &f64)| Pair {
            company: record(case, company, 2.7e9, 2 * seed as u64),
            alone: record(case, *alone, 2.7e9, 2 * seed as u64 + 1),
        };
        alone.iter().enumerate().map(pair).collect()
    }

    #[test]
    fn finds_only_cases_that_other_cases_change() {
        let protocol = Protocol::default();
        let same = dependence(&pairs(&case("liboqs", "encapsulate"), 10_000.0, &[10_000.0; 2]), &protocol).unwrap();
        let other = dependence(&pairs(&case("aws-lc", "encapsulate"), 10_000.0, &[9_600.0; 2]), &protocol).unwrap();
        let mut cases = vec![same, other];
        adjust(&mut cases);
        let independence = Independence { seed: 1, repetitions: 2, cases, left_out: Vec::new() };
        let [same, other] = independence.cases.as_slice() else { panic!() };
        assert!(!same.excludes_one() && !same.remains() && !same.always_differs_by(2.0), "{same:?}");
        assert!(other.excludes_one() && other.remains() && (other.ratio - 0.96).abs() < 0.005, "{other:?}");
        assert!(other.always_differs_by(3.0) && !other.always_differs_by(5.0));
        assert!(!independence.holds() && other.adjusted_p >= other.p_value);
        assert_eq!((other.unit, other.ratios.len()), (Unit::CoreCycles, 2));
    }

    #[test]
    fn ignores_differences_that_change_direction() {
        let opposed =
            dependence(&pairs(&case("liboqs", "encapsulate"), 10_000.0, &[9_600.0, 10_400.0]), &Protocol::default());
        assert!(!opposed.unwrap().always_differs_by(2.0));
    }

    #[test]
    fn ignores_the_clock_if_cycles_are_known() {
        let case = case("liboqs", "encapsulate");
        let slow_clock = |case: &Case| Pair {
            company: record(case, 10_000.0, 2.7e9, 1),
            alone: record(case, 10_000.0 * 2.7 / 2.4, 2.4e9, 2),
        };
        let by_cycles = dependence(&[slow_clock(&case)], &Protocol::default()).unwrap();
        assert!(!by_cycles.excludes_one() && by_cycles.unit == Unit::CoreCycles, "{by_cycles:?}");
        let on_disk = Case { parameters: vec![pqlab_record::Parameter::Word("regime".into(), "disk".into())], ..case };
        let by_time = dependence(&[slow_clock(&on_disk)], &Protocol::default()).unwrap();
        assert!(by_time.excludes_one() && by_time.unit == Unit::Nanoseconds, "{by_time:?}");
    }

    #[test]
    fn more_repetitions_narrow_the_interval() {
        let case = case("liboqs", "encapsulate");
        let width = |repetitions: usize| {
            let found =
                dependence(&pairs(&case, 10_000.0, &vec![10_000.0; repetitions]), &Protocol::default()).unwrap();
            found.ratio_ci[1] / found.ratio_ci[0] - 1.0
        };
        assert!(width(8) < 0.6 * width(2), "{} {}", width(8), width(2));
    }

    #[test]
    fn a_failed_case_is_left_out_with_its_reason() {
        let case = case("liboqs", "encapsulate");
        let alone = Record::failed(case.clone(), "a wrong answer".into(), String::new());
        let pair = Pair { company: record(&case, 10_000.0, 2.7e9, 1), alone };
        let LeftOut(reason) = dependence(&[pair], &Protocol::default()).unwrap_err();
        assert_eq!(reason, "a wrong answer");
        assert!(dependence(&[], &Protocol::default()).is_err());
    }

    #[test]
    fn signing_by_rejection_is_judged_separately() {
        let retries = |algorithm: &str, operation: &str| {
            by_rejection(&Case { algorithm: algorithm.into(), ..case("liboqs", operation) })
        };
        assert!(retries("ML-DSA-65", "sign") && retries("X.509-ML-DSA-65", "build"));
        assert!(retries("Ed25519+ML-DSA-65", "cycle") && retries("Falcon-512", "keygen"));
        assert!(retries("RSA-3072", "keygen") && retries("FN-DSA-512", "sign-load"));
        assert!(!retries("ML-DSA-65", "verify") && !retries("ML-DSA-65", "keygen") && !retries("Ed25519", "sign"));
        let mut cases: Vec<Dependence> = Vec::new();
        for (algorithm, p_value) in [("a", 0.02), ("b", 0.9), ("c", 0.04)] {
            cases.push(Dependence {
                case: algorithm.into(),
                by_rejection: algorithm == "c",
                unit: Unit::CoreCycles,
                contended: false,
                ratio: 1.0,
                ratio_ci: [1.0, 1.0],
                p_value,
                adjusted_p: p_value,
                ratios: vec![1.0],
            });
        }
        adjust(&mut cases);
        let adjusted: Vec<f64> = cases.iter().map(|case| case.adjusted_p).collect();
        assert_eq!(adjusted, [0.04, 0.9, 0.04], "two cases of one kind and one of the other");
    }
}
