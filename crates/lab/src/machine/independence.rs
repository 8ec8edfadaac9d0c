//! Independence test: do the figures of a case depend on the other cases measured with it?

use crate::{LabError, Laboratory, Plan, Progress, RunRequest};
use pqlab_analysis::{crossed_of, run_spread};
use pqlab_record::{Case, Protocol, Record, Status, Unit, Visits};
use pqlab_stats::{CONFIDENCE, Crossed, Ratio, RunSpread, Share, benjamini_hochberg, ratio_between};
use rand::RngExt;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::atomic::AtomicBool;

/// Maximum share of chance findings expected among the cases that remain after the correction for their number.
pub const INDEPENDENCE_SIGNIFICANCE: f64 = 0.05;

/// Thresholds in percent: a case that differs by more in every repetition is counted.
pub const DIFFERENCES_PCT: [f64; 3] = [2.0, 3.0, 5.0];

/// Settings of the test.
#[derive(Clone, Debug)]
pub struct IndependenceRequest {
    /// Repetitions, each with a run of all cases and a run of each alone.
    pub repetitions: u32,
    /// Seed of all runs, so that keys and messages are the same in company and alone; drawn if absent.
    pub seed: Option<u64>,
    /// Command line, stored with the runs.
    pub command: String,
}

/// Effect of company on the cases of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Independence {
    /// Seed of all runs.
    pub seed: u64,
    /// Number of repetitions.
    pub repetitions: u32,
    /// The cases, in the plan's order.
    pub cases: Vec<Dependence>,
    /// Cases without a result, with the reasons.
    pub left_out: Vec<(String, String)>,
}

/// Effect of company on one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dependence {
    /// Id of the case.
    pub case: String,
    /// Whether its time depends on numbers drawn anew each time: signing by rejection, and generating keys by trial.
    pub by_rejection: bool,
    /// Unit of the ratio.
    #[serde(serialize_with = "unit_name")]
    pub unit: Unit,
    /// Whether a run of the case was contended.
    pub contended: bool,
    /// Time or cycles alone divided by those in company, over all repetitions.
    pub ratio: f64,
    /// 95% interval of the ratio.
    pub ratio_ci: [f64; 2],
    /// Two-sided p-value for a ratio of 1.
    pub p_value: f64,
    /// p-value adjusted for the number of cases of its kind, by Benjamini and Hochberg.
    pub adjusted_p: f64,
    /// Ratio of each repetition.
    pub ratios: Vec<f64>,
}

fn unit_name<S: serde::Serializer>(unit: &Unit, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match unit {
        Unit::Nanoseconds => "time",
        Unit::CoreCycles => "cycles",
    })
}

impl Dependence {
    /// Whether the interval of the ratio excludes 1.
    pub fn excludes_one(&self) -> bool {
        !(self.ratio_ci[0] <= 1.0 && 1.0 <= self.ratio_ci[1])
    }

    /// Whether the case is changed even after the correction for the number of cases.
    pub fn remains(&self) -> bool {
        self.adjusted_p <= INDEPENDENCE_SIGNIFICANCE
    }

    /// Whether all repetitions differ by more than `pct` percent in the same direction.
    pub fn always_differs_by(&self, pct: f64) -> bool {
        let most = 1.0 + pct / 100.0;
        let all = |test: &dyn Fn(f64) -> bool| self.ratios.iter().all(|ratio| test(*ratio));
        !self.ratios.is_empty() && (all(&|ratio| ratio > most) || all(&|ratio| ratio < 1.0 / most))
    }
}

impl Independence {
    /// Returns the cases that are judged together: those whose time varies by rejection, or the others.
    pub fn of_kind(&self, by_rejection: bool) -> impl Iterator<Item = &Dependence> {
        self.cases.iter().filter(move |case| case.by_rejection == by_rejection)
    }

    /// Whether no case remains changed after the correction.
    pub fn holds(&self) -> bool {
        !self.cases.iter().any(Dependence::remains)
    }
}

/// Number of changed cases of a kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndependenceSummary {
    /// Number of cases of the kind.
    pub cases: usize,
    /// Number of cases whose 95% interval excludes 1.
    pub excluding: usize,
    /// Number of these expected by chance.
    pub by_chance: f64,
    /// Number of cases that remain after the correction for their number.
    pub remaining: usize,
    /// Number of cases that differ by more than each of [`DIFFERENCES_PCT`] in every repetition.
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
    /// Summarises the cases of a kind: those whose time varies by rejection, or the others.
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

/// Why a case has no result.
#[derive(Debug)]
struct LeftOut(String);

/// One repetition of one case.
struct Pair {
    company: Record,
    alone: Record,
}

/// Whether the time of an operation is random: signatures or keys that are tried until one is acceptable.
fn by_rejection(case: &Case) -> bool {
    let named = |names: &[&str]| names.iter().any(|name| case.algorithm.contains(name));
    let signs = ["sign", "cycle", "build"].iter().any(|operation| case.operation.starts_with(operation));
    let makes_keys = ["keygen", "cycle"].contains(&case.operation.as_str());
    signs && named(&["ML-DSA", "Falcon", "FN-DSA"]) || makes_keys && named(&["RSA", "Falcon", "FN-DSA"])
}

/// Compares the records of a case alone with those in company; `pairs` holds its repetitions. The unit is core cycles
/// if all its runs have them, else time. The error says why there is no result.
fn dependence(pairs: &[Pair], protocol: &Protocol) -> Result<Dependence, LeftOut> {
    let first = pairs.first().ok_or_else(|| LeftOut("it was not measured".into()))?;
    for record in pairs.iter().flat_map(|pair| [&pair.company, &pair.alone]) {
        if record.status == Status::Failed {
            return Err(LeftOut(record.error.clone().unwrap_or_else(|| "it failed".into())));
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
        None => (Unit::Nanoseconds, means(Unit::Nanoseconds).ok_or_else(|| LeftOut("it has no samples".into()))?),
    };
    let one_run = run_spread(&protocol.run_spreads, unit);
    let runs = RunSpread { pct: one_run.pct / (means.len() as f64).sqrt(), ..one_run };
    let company = mean_of(means.iter().map(|(company, _)| company));
    let alone = mean_of(means.iter().map(|(_, alone)| alone));
    let ratio = company.zip(alone).and_then(|(company, alone)| ratio_between(&company, &alone, runs, 0.0, CONFIDENCE));
    let Some(Ratio { ratio, p_value, .. }) = ratio else {
        return Err(LeftOut("no ratio of its runs can be computed".into()));
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

/// Returns the mean of independent runs, with the shares of its variance.
fn mean_of<'a>(runs: impl Iterator<Item = &'a Crossed> + Clone) -> Option<Crossed> {
    let count = runs.clone().count() as f64;
    let mut all = runs.clone().next()?.clone();
    all.mean = runs.clone().map(|run| run.mean).sum::<f64>() / count;
    let share = |share: &Share| Share { variance: share.variance / (count * count), ..*share };
    all.shares = runs.flat_map(|run| &run.shares).map(share).collect();
    Some(all)
}

/// Adjusts the p-values for the number of cases of each kind.
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
    /// Measures a plan as a whole and then each of its cases alone, in separate runs with fresh processes, as often as
    /// requested, and compares them. All runs have the same seed, and therefore the same keys and messages if the
    /// library accepts them. Nothing is stored. Returns `None` if the user stopped it.
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
                    _ => left_out[at] = Some("one of its runs has no record".into()),
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

    /// Measures a plan without storing it. Returns `None` if the user stopped it.
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
    fn finds_only_cases_that_company_changes() {
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
        let draws = |algorithm: &str, operation: &str| {
            by_rejection(&Case { algorithm: algorithm.into(), ..case("liboqs", operation) })
        };
        assert!(draws("ML-DSA-65", "sign") && draws("X.509-ML-DSA-65", "build") && draws("Ed25519+ML-DSA-65", "cycle"));
        assert!(draws("Falcon-512", "keygen") && draws("RSA-3072", "keygen") && draws("FN-DSA-512", "sign-load"));
        assert!(!draws("ML-DSA-65", "verify") && !draws("ML-DSA-65", "keygen") && !draws("Ed25519", "sign"));
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
        assert_eq!(adjusted, [0.04, 0.9, 0.04], "two of one kind, one of the other");
    }
}
