//! Estimates the spread between whole runs on this machine from earlier runs. A new run needs the estimate when it
//! starts.

use pqlab_analysis::crossed_of;
use pqlab_record::{CaseSpread, Environment, MachineNoise, RunSpreads, Unit, Visits};
use pqlab_store::{RunMedian, Store, StoreError};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum age in days of the earlier runs used for the estimate.
const DAYS: u32 = 30;
/// Maximum number of earlier runs used for the estimate, newest first.
const MOST_RUNS: usize = 12;
/// Minimum number of runs that must contain a case. The estimate ignores cases that occur in fewer runs.
const LEAST_RUNS: usize = 3;
/// Minimum degrees of freedom of an estimate. With fewer, the default spread is a better estimate.
const LEAST_FREEDOM: f64 = 5.0;
/// Lower limit for the spread of times in percent. Every machine has some spread, even if few runs show none.
const LEAST_TIME_PCT: f64 = 0.3;
/// Lower limit for the spread of core cycles in percent.
const LEAST_CYCLES_PCT: f64 = 0.1;
/// Upper limit for the variance of one case, as a multiple of the median over all cases. Without it, one unstable case
/// could dominate the estimate.
const MOST_TIMES_MEDIAN: f64 = 10.0;
/// Weight of the spread over all cases in the spread of one case, in degrees of freedom. A few runs estimate the spread of
/// a single case poorly.
const WEIGHT_OF_ALL: f64 = 4.0;
/// Lower limit for the estimated correlation between cases: how similarly a run shifts the medians of two cases.
const LEAST_CORRELATION: f64 = 0.3;

/// Returns the spread between runs that a new run assumes. Prefers the spread that `pqlab calibrate` measured on this
/// machine, then an estimate from earlier runs with this build, then the assumed spread.
pub(crate) fn known(store: &Store, environment: &Environment, now: &str) -> Result<RunSpreads, StoreError> {
    let assumed = RunSpreads::assumed(environment.cpu.virtualized == Some(true));
    if let Some(noise) = store.noise(environment)? {
        return Ok(from_noise(&noise, &assumed));
    }
    let runs = store.medians_of_runs_like(environment, now, DAYS, MOST_RUNS)?;
    Ok(from_runs(&runs, &assumed).unwrap_or(assumed))
}

/// Stores the medians of a complete run, from which [`known`] estimates the spread for later runs. Leaves out disturbed
/// cases and overhead cases.
pub(crate) fn remember(store: &mut Store, run: &str) -> Result<(), StoreError> {
    let mut medians = Vec::new();
    for record in &store.load_run(run)?.records {
        if record.samples.contended() || record.case.is_overhead() {
            continue;
        }
        let units = [(Unit::Nanoseconds, true), (Unit::CoreCycles, record.case.computes())];
        for (unit, _) in units.into_iter().filter(|(_, wanted)| *wanted) {
            let visits = record.samples.values(unit, Visits::Usable).filter(|visits| !visits.is_empty());
            let Some(crossed) = visits.and_then(|visits| crossed_of(&visits, record.case.statistic())) else {
                continue;
            };
            let variance = crossed.shares.iter().map(|share| share.variance).sum();
            medians.push(RunMedian { case: record.case.id(), unit, median: crossed.mean.exp(), variance });
        }
    }
    medians.retain(|median| median.median.is_finite() && median.median > 0.0 && median.variance.is_finite());
    store.save_medians(run, &medians)?;
    Ok(())
}

fn from_noise(noise: &MachineNoise, assumed: &RunSpreads) -> RunSpreads {
    RunSpreads {
        time_pct: noise.run_spread_pct.max(LEAST_TIME_PCT),
        cycles_pct: noise.run_spread_cycles_pct.map_or(assumed.cycles_pct, |pct| pct.max(LEAST_CYCLES_PCT)),
        degrees_of_freedom: noise.comparisons.max(1),
        source: format!("from `pqlab calibrate` at {}", noise.measured_at),
        cases: BTreeMap::new(),
    }
}

/// Estimates the spread between runs. Returns `None` if there are too few runs. If only one unit (time or cycles) has
/// enough data, the other unit gets the assumed spread, or its own rough estimate if that is greater.
fn from_runs(runs: &[Vec<RunMedian>], assumed: &RunSpreads) -> Option<RunSpreads> {
    let (time, cycles) = (between(runs, Unit::Nanoseconds), between(runs, Unit::CoreCycles));
    let enough = |found: &Option<Found>| found.as_ref().is_some_and(|found| found.degrees_of_freedom >= LEAST_FREEDOM);
    if !enough(&time) && !enough(&cycles) {
        return None;
    }
    let spread = |found: &Option<Found>, least: f64, assumed_pct: f64| match found {
        Some(found) if found.degrees_of_freedom >= LEAST_FREEDOM => (found.pct.max(least), found.degrees_of_freedom),
        Some(found) => (found.pct.max(assumed_pct), assumed.degrees_of_freedom as f64),
        None => (assumed_pct, assumed.degrees_of_freedom as f64),
    };
    let (time_pct, of_time) = spread(&time, LEAST_TIME_PCT, assumed.time_pct);
    let (cycles_pct, of_cycles) = spread(&cycles, LEAST_CYCLES_PCT, assumed.cycles_pct);
    let degrees_of_freedom = of_time.min(of_cycles);
    let own = |found: &Option<Found>, id: &str| found.as_ref().and_then(|found| found.cases.get(id).copied());
    let ids: BTreeSet<&String> = [&time, &cycles].into_iter().flatten().flat_map(|found| found.cases.keys()).collect();
    let of_case = |id: &String| {
        let (time, cycles) = (own(&time, id), own(&cycles, id));
        let runs = time.or(cycles).map_or(0.0, |own| own.degrees_of_freedom);
        let case = CaseSpread {
            time_pct: time.map_or(time_pct, |own| own.near(time_pct)).max(LEAST_TIME_PCT),
            cycles_pct: cycles.map_or(cycles_pct, |own| own.near(cycles_pct)).max(LEAST_CYCLES_PCT),
            degrees_of_freedom: degrees_of_freedom.min(WEIGHT_OF_ALL + runs) as u64,
        };
        (id.clone(), case)
    };
    Some(RunSpreads {
        time_pct,
        cycles_pct,
        degrees_of_freedom: degrees_of_freedom as u64,
        source: format!("from {} runs of this machine and build", runs.len()),
        cases: ids.into_iter().map(of_case).collect(),
    })
}

/// Estimated spread between runs.
struct Found {
    /// Standard deviation in percent.
    pct: f64,
    degrees_of_freedom: f64,
    /// Spreads of the single cases, by id.
    cases: BTreeMap<String, Own>,
}

/// Spread between the runs of one case, from the runs of this case alone.
#[derive(Clone, Copy)]
struct Own {
    /// Variance in percent squared, without the variance within runs. At least 0.
    variance: f64,
    degrees_of_freedom: f64,
}

impl Own {
    /// Returns the standard deviation in percent, shrunk towards that of all cases.
    fn near(&self, all_pct: f64) -> f64 {
        let total = WEIGHT_OF_ALL * all_pct.powi(2) + self.degrees_of_freedom * self.variance;
        (total / (WEIGHT_OF_ALL + self.degrees_of_freedom)).sqrt()
    }
}

/// One case in one run.
struct Seen {
    run: usize,
    /// Natural logarithm of the median.
    value: f64,
    /// Variance of `value`, as estimated within the run.
    within: f64,
}

/// Estimates the spread between runs by the method of moments. For each case, the excess variance is the variance of
/// the runs' medians minus the variance within runs. The result is the square root of the mean excess over all cases.
///
/// The cases of a run are not independent: a run that shifts all of them alike is one observation, not one per case.
/// The degrees of freedom are therefore those of a sum of squares of equally correlated cases (Satterthwaite).
fn between(runs: &[Vec<RunMedian>], unit: Unit) -> Option<Found> {
    let mut cases: BTreeMap<&str, Vec<Seen>> = BTreeMap::new();
    for (run, medians) in runs.iter().enumerate() {
        for RunMedian { case, median, variance, .. } in medians.iter().filter(|median| median.unit == unit) {
            cases.entry(case).or_default().push(Seen { run, value: median.ln(), within: *variance });
        }
    }
    cases.retain(|_, seen| seen.len() >= LEAST_RUNS);
    let count = cases.len() as f64;
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let values: Vec<f64> = values.collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let (mut observed, mut explained, mut freedom) = (Vec::new(), Vec::new(), 0.0);
    let mut of_runs: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for seen in cases.values() {
        let middle = mean(&mut seen.iter().map(|seen| seen.value));
        let degrees = (seen.len() - 1) as f64;
        observed.push(seen.iter().map(|seen| (seen.value - middle).powi(2)).sum::<f64>() / degrees);
        explained.push(mean(&mut seen.iter().map(|seen| seen.within)));
        freedom += degrees / count;
        seen.iter().for_each(|seen| of_runs.entry(seen.run).or_default().push(seen.value - middle));
    }
    let most = MOST_TIMES_MEDIAN * pqlab_stats::median(&observed)?;
    let own = cases.iter().zip(observed.iter().zip(&explained)).map(|((id, seen), (observed, explained))| {
        let variance = 1e4 * (observed - explained).max(0.0);
        ((*id).to_owned(), Own { variance, degrees_of_freedom: (seen.len() - 1) as f64 })
    });
    let own = own.collect();
    let excess = observed.iter().zip(&explained).map(|(observed, explained)| observed.min(most) - explained.min(most));
    let excess = mean(&mut excess.into_iter());
    let total = mean(&mut observed.iter().copied());
    let common = of_runs.values().map(|of_run| mean(&mut of_run.iter().copied()).powi(2)).sum::<f64>() / freedom;
    let correlation = if count > 1.0 && total > 0.0 { (common / total * count - 1.0) / (count - 1.0) } else { 1.0 };
    let correlation = correlation.clamp(LEAST_CORRELATION, 1.0);
    Some(Found {
        pct: 100.0 * excess.max(0.0).sqrt(),
        degrees_of_freedom: freedom * count / (1.0 + (count - 1.0) * correlation.powi(2)),
        cases: own,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{case, record};
    use pqlab_record::{Protocol, Record, RunHeader};

    /// Returns uniform random numbers with mean 0 and standard deviation 1.
    fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as f64 / (1_u64 << 30) as f64 - 1.0) * 3.0_f64.sqrt()
        }
    }

    /// Generates runs of several cases. Between runs, all times share a spread of `clock_pct`, and each case's cycles
    /// have a spread of `cycles_pct`. `within_pct` is the spread within a run.
    fn runs(
        runs: usize,
        cases: usize,
        clock_pct: f64,
        cycles_pct: f64,
        within_pct: f64,
        seed: u64,
    ) -> Vec<Vec<RunMedian>> {
        let mut noise = noise(seed);
        let mut all = Vec::new();
        for _ in 0..runs {
            let clock = clock_pct / 100.0 * noise();
            let mut medians = Vec::new();
            for number in 0..cases {
                let deviation = (cycles_pct * noise() + within_pct * noise()) / 100.0;
                let median = |unit, away: f64| RunMedian {
                    case: format!("case {number}"),
                    unit,
                    median: 1000.0 * (number + 1) as f64 * away.exp(),
                    variance: (within_pct / 100.0).powi(2),
                };
                medians.extend([median(Unit::Nanoseconds, clock + deviation), median(Unit::CoreCycles, deviation)]);
            }
            all.push(medians);
        }
        all
    }

    #[test]
    fn the_spread_between_runs_excludes_the_spread_within_them() {
        let found = from_runs(&runs(12, 200, 1.0, 0.4, 0.8, 1), &RunSpreads::default()).unwrap();
        assert!((found.cycles_pct - 0.4).abs() < 0.05, "{found:?}");
        assert!(found.time_pct > 0.6 && found.time_pct < 1.6, "{found:?}");
        assert_eq!(found.source, "from 12 runs of this machine and build");
        // The clock affects all cases of a run alike, so each run is one observation, not 200.
        assert!((11..=40).contains(&found.degrees_of_freedom), "{found:?}");
        let quiet = from_runs(&runs(12, 200, 0.0, 0.0, 0.8, 2), &RunSpreads::default()).unwrap();
        assert_eq!((quiet.time_pct, quiet.cycles_pct), (LEAST_TIME_PCT, LEAST_CYCLES_PCT));
    }

    #[test]
    fn too_few_runs_or_cases_give_no_estimate() {
        assert_eq!(from_runs(&[], &RunSpreads::default()), None);
        assert_eq!(
            from_runs(&runs(2, 200, 1.0, 0.4, 0.1, 1), &RunSpreads::default()),
            None,
            "two runs must be too few"
        );
        assert_eq!(
            from_runs(&runs(3, 1, 1.0, 0.4, 0.1, 1), &RunSpreads::default()),
            None,
            "one case in three runs must be too few"
        );
        assert!(from_runs(&runs(6, 3, 1.0, 0.4, 0.1, 1), &RunSpreads::default()).is_some());
        // Three runs are too few to estimate the spread of times, so the assumed spread is a lower limit.
        let mut three = runs(3, 100, 0.0, 0.4, 0.1, 1);
        for (away, medians) in [0.99, 1.0, 1.01].into_iter().zip(&mut three) {
            medians.iter_mut().filter(|entry| entry.unit == Unit::Nanoseconds).for_each(|entry| entry.median *= away);
        }
        let three = from_runs(&three, &RunSpreads::default()).unwrap();
        assert_eq!(three.time_pct, RunSpreads::default().time_pct);
        assert!((three.cycles_pct - 0.4).abs() < 0.1, "{three:?}");
    }

    #[test]
    fn one_unstable_case_does_not_dominate() {
        let mut all = runs(8, 50, 0.5, 0.2, 0.1, 3);
        let before = from_runs(&all, &RunSpreads::default()).unwrap();
        for (number, medians) in all.iter_mut().enumerate() {
            medians[0].median *= 1.0 + number as f64;
            medians[1].median *= 1.0 + number as f64;
        }
        let after = from_runs(&all, &RunSpreads::default()).unwrap();
        assert!(after.cycles_pct < 1.3 * before.cycles_pct, "{before:?} {after:?}");
    }

    #[test]
    fn a_case_that_differs_between_runs_has_a_spread_of_its_own() {
        let mut all = runs(8, 50, 0.5, 0.1, 0.1, 4);
        let mut noise = noise(5);
        for medians in &mut all {
            medians[0..2].iter_mut().for_each(|entry| entry.median *= (0.02 * noise()).exp());
        }
        let found = from_runs(&all, &RunSpreads::default()).unwrap();
        let (unstable, usual) = (found.of_case("case 0"), found.of_case("case 7"));
        assert!(unstable.cycles_pct > 1.0 && unstable.cycles_pct < 2.5, "{unstable:?}");
        assert!(usual.cycles_pct < 0.3, "{usual:?}");
        assert!(unstable.degrees_of_freedom >= 7 && unstable.degrees_of_freedom <= 11, "{unstable:?}");
        assert_eq!(found.of_case("another").cycles_pct, found.cycles_pct);
    }

    /// The first three runs know nothing, as in a new database. Later runs know the runs before.
    #[test]
    fn intervals_cover_unstable_cases_better_with_spreads_of_their_own() {
        let (mut covered, mut covered_by_all, mut tried) = (0, 0, 0);
        for seed in 0..20 {
            let mut all = runs(10, 60, 0.5, 0.1, 0.1, 100 + seed);
            let mut noise = noise(200 + seed);
            for medians in &mut all {
                // One case in six has ten times the spread of the others.
                let unstable = medians.iter_mut().enumerate().filter(|(at, _)| at % 12 < 2);
                unstable.for_each(|(_, entry)| entry.median *= (0.01 * noise()).exp());
            }
            let (last, before) = all.split_last().unwrap();
            let found = from_runs(before, &RunSpreads::default()).unwrap();
            for entry in last.iter().filter(|entry| entry.unit == Unit::CoreCycles) {
                let others =
                    before.iter().flatten().filter(|other| other.case == entry.case && other.unit == entry.unit);
                let others: Vec<f64> = others.map(|other| other.median.ln()).collect();
                let away = (entry.median.ln() - others.iter().sum::<f64>() / others.len() as f64).abs();
                let within = |spread: &RunSpreads| {
                    let deviation = (spread.cycles_pct / 100.0).hypot(entry.variance.sqrt());
                    // Student's quantile for 95%, to two digits.
                    away <= (1.96 + 2.5 / spread.degrees_of_freedom as f64) * deviation
                };
                tried += 1;
                covered += usize::from(within(&found.of_case(&entry.case)));
                covered_by_all += usize::from(within(&found));
            }
        }
        let pct = |count: usize| 100.0 * count as f64 / tried as f64;
        assert!(pct(covered) >= 93.0, "{:.1}% of {tried}", pct(covered));
        assert!(covered > covered_by_all, "{:.1}% against {:.1}%", pct(covered), pct(covered_by_all));
    }

    fn stored(store: &mut Store, id: &str, nanoseconds: f64) -> RunHeader {
        let records: Vec<Record> = ["keygen", "encapsulate", "decapsulate"]
            .iter()
            .enumerate()
            .map(|(at, operation)| record(&case("liboqs", operation), nanoseconds * (at + 1) as f64, 2.7e9, at as u64))
            .collect();
        let mut environment = Environment::default();
        environment.host.name = Some("bench-1".into());
        let header = RunHeader {
            id: id.into(),
            suite: "kem".into(),
            command: String::new(),
            seed: 1,
            started_at: "2026-11-21T19:00:00Z".into(),
            environment,
            protocol: Protocol::default(),
            plan: records.iter().map(|record| record.case.clone()).collect(),
        };
        store.begin_run(&header).unwrap();
        for (position, record) in records.iter().enumerate() {
            store.finish_case(id, position, record).unwrap();
        }
        store.complete_run(id, "2026-11-21T19:01:00Z").unwrap();
        remember(store, id).unwrap();
        header
    }

    fn assumed(environment: &Environment) -> RunSpreads {
        RunSpreads::assumed(environment.cpu.virtualized == Some(true))
    }

    #[test]
    fn the_spread_comes_from_the_doctor_or_earlier_runs() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path().join("pqlab.db")).unwrap();
        let now = "2026-11-22T00:00:00Z";
        for number in 0..6 {
            let header = stored(&mut store, &format!("run-{number}"), 10_000.0 * (1.0 + 0.02 * f64::from(number % 2)));
            let known = known(&store, &header.environment, now).unwrap();
            assert_eq!(known == assumed(&header.environment), number < 5, "after {} runs: {known:?}", number + 1);
        }
        let header = stored(&mut store, "last", 10_000.0);
        let from_runs = known(&store, &header.environment, now).unwrap();
        assert!(from_runs.cycles_pct > 0.8 && from_runs.cycles_pct < 1.3, "{from_runs:?}");
        assert_eq!(from_runs.source, "from 7 runs of this machine and build");
        let mut elsewhere = header.environment.clone();
        elsewhere.build.version = "another".into();
        assert_eq!(known(&store, &elsewhere, now).unwrap(), assumed(&elsewhere));
        assert_eq!(known(&store, &header.environment, "2027-01-22T00:00:00Z").unwrap(), assumed(&elsewhere));
        elsewhere.cpu.virtualized = Some(elsewhere.cpu.virtualized != Some(true));
        assert_eq!(known(&store, &elsewhere, now).unwrap(), assumed(&elsewhere));
        assert_ne!(assumed(&elsewhere), assumed(&header.environment));

        let noise = MachineNoise {
            host: header.environment.host.name.clone(),
            cpu: header.environment.cpu.model.clone(),
            measured_at: "2026-11-21T20:00:00Z".into(),
            case: "kem/ML-KEM-768/decapsulate@liboqs".into(),
            comparisons: 20,
            false_verdicts: 0,
            run_spread_pct: 0.7,
            run_spread_cycles_pct: Some(0.05),
            margin_pct: 1.0,
            smallest_difference_pct: 2.0,
        };
        store.save_noise(&noise).unwrap();
        let by_doctor = known(&store, &header.environment, now).unwrap();
        assert_eq!((by_doctor.time_pct, by_doctor.cycles_pct), (0.7, LEAST_CYCLES_PCT));
        let source = "from `pqlab calibrate` at 2026-11-21T20:00:00Z";
        assert_eq!((by_doctor.degrees_of_freedom, &*by_doctor.source), (20, source));
        store.save_noise(&MachineNoise { run_spread_cycles_pct: None, ..noise }).unwrap();
        let without = known(&store, &header.environment, now).unwrap();
        assert_eq!(without.cycles_pct, RunSpreads::default().cycles_pct);
    }
}
