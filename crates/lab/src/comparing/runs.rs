//! Compares stored runs, and measures a machine's noise by comparing a case with itself.

use crate::{LabError, Laboratory, Plan, Progress, RunRequest, is_pattern, matches};
use pqlab_analysis::comparison::{Comparison, ComparisonCriteria, Judged, pair_by_stars};
use pqlab_analysis::published::{PublishedComparison, compare_published};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, compare, compare_runs, crossed_of};
use pqlab_harness::clock;
use pqlab_record::{Case, Environment, MachineNoise, Protocol, Record, Run, RunSummary, Unit, Visits};
use pqlab_stats::{Crossed, FEWEST_COMPARISONS, RunSpread, null_comparisons};
use pqlab_store::Store;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

/// Equivalence margin: two results count as equivalent if they differ by at most this percentage.
#[derive(Clone, Debug, PartialEq)]
pub struct Margin {
    /// The margin, in percent.
    pub pct: f64,
    /// Source of the margin, as text for the user, such as `--margin`.
    pub source: String,
}

/// Returns the criteria for comparing runs from the machine and build that `environment` describes. The margin is
/// `margin` if given. Otherwise it is the margin that `pqlab calibrate` measured on this machine with this build or,
/// without a calibration, a default.
///
/// # Errors
/// [`LabError`] if the store fails, or if the margin is not a percentage above zero.
pub fn comparison_criteria(
    store: &Store,
    environment: &Environment,
    margin: Option<&Margin>,
) -> Result<ComparisonCriteria, LabError> {
    let mut criteria = ComparisonCriteria::default();
    if let Some(noise) = store.noise(environment)? {
        let degrees_of_freedom = usize::try_from(noise.comparisons).unwrap_or(usize::MAX);
        let spread = |pct: f64| RunSpread { pct, degrees_of_freedom };
        let source =
            format!("from {} comparisons of {} with itself at {}", noise.comparisons, noise.case, noise.measured_at);
        criteria = ComparisonCriteria {
            margin_pct: noise.margin_pct,
            margin_source: source.clone(),
            runs_time: Some(spread(noise.run_spread_pct)),
            runs_cycles: noise.run_spread_cycles_pct.map(spread),
            runs_source: source,
            ..criteria
        };
    }
    with_margin(criteria, margin)
}

/// Replaces the margin in the criteria, if `margin` is given.
fn with_margin(criteria: ComparisonCriteria, margin: Option<&Margin>) -> Result<ComparisonCriteria, LabError> {
    let Some(Margin { pct, source }) = margin else { return Ok(criteria) };
    check_percentage("margin", *pct)?;
    Ok(ComparisonCriteria { margin_pct: *pct, margin_source: source.clone(), ..criteria })
}

/// Returns the newest complete run of the same suite and host that started at least `seconds` before the run with the
/// id `run`.
///
/// # Errors
/// [`LabError::NoneThatOld`] if no run is old enough; [`LabError::Store`] if the store fails or `run` is unknown.
pub fn newest_before(store: &Store, run: &str, seconds: f64) -> Result<String, LabError> {
    let header = store.load_header(run)?;
    let same = |other: &&RunSummary| other.suite == header.suite && other.host == header.environment.host.name;
    let old = |other: &&RunSummary| {
        let age = clock::seconds_between(&other.started_at, &header.started_at);
        other.complete && age.is_some_and(|age| age >= seconds)
    };
    let runs = store.runs()?;
    let found = runs.iter().filter(same).filter(old).max_by_key(|other| (&other.started_at, &other.id));
    found.map(|found| found.id.clone()).ok_or_else(|| LabError::NoneThatOld {
        suite: header.suite.clone(),
        age: match seconds / DAY_S {
            days if days >= 1.0 => plural(days, "day"),
            days => plural(days * 24.0, "hour"),
        },
        run: header.id.clone(),
    })
}

const DAY_S: f64 = 86_400.0;

fn plural(number: f64, unit: &str) -> String {
    format!("{number} {unit}{}", if number == 1.0 { "" } else { "s" })
}

/// Returns the newest run before `run` that has a case in common with it, not counting overhead cases.
///
/// # Errors
/// [`LabError::NoEarlierRun`] if there is none; [`LabError::Store`] if a run cannot be loaded.
fn newest_with_same_cases(store: &Store, run: &str) -> Result<String, LabError> {
    let ids = |run: &str| {
        let plan = store.load_header(run)?.plan;
        Ok::<HashSet<String>, LabError>(plan.iter().filter(|case| !case.is_overhead()).map(Case::id).collect())
    };
    let judged = ids(run)?;
    let runs = store.runs()?;
    for earlier in runs.iter().skip_while(|other| other.id != run).skip(1) {
        if !judged.is_disjoint(&ids(&earlier.id)?) {
            return Ok(earlier.id.clone());
        }
    }
    Err(LabError::NoEarlierRun { run: run.to_owned() })
}

/// Compares two stored runs, `first` (the baseline) and `second`. If `run` is given, `first` and `second` are case
/// patterns instead, and the function compares cases of that run.
///
/// # Errors
/// [`LabError::NoCaseOfRun`], [`LabError::Unpaired`] and [`LabError::NothingInCommon`] if there is nothing to compare,
/// [`LabError::Invalid`] if the margin is not a percentage, [`LabError::Store`] if a run cannot be loaded.
pub fn compare_stored(
    store: &Store,
    run: Option<&str>,
    first: &str,
    second: &str,
    margin: Option<&Margin>,
    judged: Judged,
) -> Result<Comparison, LabError> {
    let load = |reference: &str| Ok::<Run, LabError>(store.load_run(&store.resolve(reference)?)?);
    if let Some(run) = run {
        return compare_cases(&load(run)?, first, second, margin, judged);
    }
    let (first, second) = (load(first)?, load(second)?);
    compare_analyses(store, &RunAnalysis::new(&first), &RunAnalysis::new(&second), margin, judged)
}

/// Compares pairs of cases of one run. In a pair, the first case matches `first`, the second matches `second`, and each
/// `*` matches the same text in both ids. If each pattern matches only one case, these two cases form a pair.
///
/// # Errors
/// [`LabError::NoCaseOfRun`] for a pattern without a match, [`LabError::Unpaired`] if no two cases form a pair.
pub fn compare_cases(
    run: &Run,
    first: &str,
    second: &str,
    margin: Option<&Margin>,
    judged: Judged,
) -> Result<Comparison, LabError> {
    let ids: Vec<String> = run.records.iter().map(|record| record.case.id()).collect();
    for pattern in [first, second] {
        if !ids.iter().any(|id| matches(pattern, id)) {
            return Err(LabError::no_case_of_run(&run.header.id, pattern, &ids));
        }
    }
    let analysis = RunAnalysis::new(run);
    let cases = analysis.cases();
    let pairs = pair_by_stars(first, second, &ids).into_iter().map(|(one, two)| (&cases[one], &cases[two]));
    let pairs: Vec<(&CaseAnalysis<'_>, &CaseAnalysis<'_>)> = pairs.collect();
    if pairs.is_empty() {
        return Err(LabError::Unpaired { first: first.to_owned(), second: second.to_owned() });
    }
    // Use the same criteria as every other view of this run.
    let criteria = with_margin(analysis.criteria().clone().judged_in(judged), margin)?;
    Ok(compare(&analysis, &analysis, &pairs, &criteria))
}

/// Runs or cases to compare, as named by the user.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared<'a> {
    /// The baseline run, or a case pattern. The default is the newest run before `second` that has a case in common
    /// with it. If `since_s` is set, this field names the run under test, and its default is `last`.
    pub first: Option<&'a str>,
    /// The run under test, or a case pattern. The default is `last`.
    pub second: Option<&'a str>,
    /// The run from which both patterns select cases. If patterns are given, the default is `last`.
    pub run: Option<&'a str>,
    /// If set, the baseline is the newest complete run of the same suite and host that started at least this many
    /// seconds earlier.
    pub since_s: Option<f64>,
}

/// Compares two runs, cases of one run, or a run with an earlier run, depending on the request.
///
/// # Errors
/// Errors from [`compare_stored`] and [`newest_before`].
pub fn compare_named(
    store: &Store,
    request: &Compared<'_>,
    margin: Option<&Margin>,
    judged: Judged,
) -> Result<Comparison, LabError> {
    let named = |given: Option<&str>| given.unwrap_or("last").to_owned();
    let (first, second) = match request.since_s {
        Some(seconds) => {
            let judged = store.resolve(&named(request.first))?;
            (newest_before(store, &judged, seconds)?, judged)
        }
        None => {
            let second = named(request.second);
            let first = match request.first {
                None if request.run.is_none() => newest_with_same_cases(store, &store.resolve(&second)?)?,
                first => named(first),
            };
            (first, second)
        }
    };
    let patterns = [&first, &second].iter().any(|text| is_pattern(text));
    let run = request.run.or_else(|| patterns.then_some("last"));
    compare_stored(store, run, &first, &second, margin, judged)
}

/// Compares two analyzed runs, with the [criteria](comparison_criteria) that the store contains for the second run's
/// machine.
///
/// # Errors
/// [`LabError::NothingInCommon`] if there is nothing to compare, [`LabError::Invalid`] if the margin is not a
/// percentage, [`LabError::Store`] if the store fails.
pub fn compare_analyses(
    store: &Store,
    first: &RunAnalysis<'_>,
    second: &RunAnalysis<'_>,
    margin: Option<&Margin>,
    judged: Judged,
) -> Result<Comparison, LabError> {
    let criteria = comparison_criteria(store, &second.run.header.environment, margin)?.judged_in(judged);
    let comparison = compare_runs(first, second, &criteria);
    if comparison.cases.is_empty() {
        let [first, second] = [first, second].map(|analysis| analysis.run.header.id.clone());
        return Err(LabError::NothingInCommon { first, second });
    }
    Ok(comparison)
}

/// Compares a stored run (`last` by default) with published figures for its kind of core. If `all_cpus` is set, also
/// lists figures for other cores.
///
/// # Errors
/// [`LabError::Store`] if the run does not exist or cannot be loaded.
pub fn compare_with_published(
    store: &Store,
    run: Option<&str>,
    all_cpus: bool,
) -> Result<PublishedComparison, LabError> {
    let run = store.load_run(&store.resolve(run.unwrap_or("last"))?)?;
    Ok(compare_published(&RunAnalysis::new(&run), all_cpus))
}

/// Checks that `value` is a usable percentage: above 0 and at most 1000. `field` is the name of the value in the
/// request.
///
/// # Errors
/// [`LabError::Invalid`] if `value` is out of range.
pub fn check_percentage(field: &'static str, value: f64) -> Result<(), LabError> {
    if value.is_finite() && value > 0.0 && value <= 1000.0 {
        return Ok(());
    }
    Err(LabError::invalid(field, format!("{field} must be a percentage above 0 and at most 1000, not {value}")))
}

impl Laboratory {
    /// Measures the noise of the machine by comparing a case with itself `comparisons` times. Each comparison takes two
    /// runs, and every run uses fresh processes. A disturbed run cannot show whether a case is faster or slower, so
    /// another run replaces it. After twice the necessary number of runs, the method stops and uses the undisturbed
    /// runs, even if they give fewer comparisons than requested. If they give fewer than five, the method also uses
    /// disturbed runs.
    ///
    /// Does not store the result; pass it to [`Store::save_noise`]. Returns `None` if `stop` is set in the meantime.
    ///
    /// # Errors
    /// [`LabError`] if the case cannot be measured, or if `comparisons` is too small.
    pub fn measure_noise(
        &self,
        case: &Case,
        protocol: &Protocol,
        comparisons: usize,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Option<MachineNoise>, LabError> {
        let mut store = Store::in_memory()?;
        let (mut quiet, mut contended): (Vec<Means>, Vec<Means>) = (Vec::new(), Vec::new());
        let mut environment = None;
        while quiet.len() < 2 * comparisons && quiet.len() + contended.len() < 4 * comparisons {
            let plan = Plan { suite: "noise".into(), cases: vec![case.clone()], protocol: protocol.clone() };
            let request = RunRequest { seed: None, command: "pqlab calibrate".into() };
            let ended = self.run(&mut store, plan, &request, progress, stop)?;
            if !ended.complete {
                return Ok(None);
            }
            let run = store.load_run(&ended.run)?;
            let record = run.records.first();
            let estimates = record.and_then(|record| CaseAnalysis::new(&run.header, record).estimates);
            let Some((record, estimates)) = record.zip(estimates) else {
                let reason = record.and_then(|record| record.error.clone()).unwrap_or_else(|| "no samples".into());
                return Err(LabError::Case { case: case.id(), reason });
            };
            let Some(time) = mean_in(record, Unit::Nanoseconds) else {
                let reason = "its mean time cannot be computed".to_owned();
                return Err(LabError::Case { case: case.id(), reason });
            };
            let cycles = estimates.cycles.and_then(|_| mean_in(record, Unit::CoreCycles));
            if estimates.contended { &mut contended } else { &mut quiet }.push(Means { time, cycles });
            environment = Some(run.header.environment);
        }
        let lacking = (2 * FEWEST_COMPARISONS.min(comparisons)).saturating_sub(quiet.len());
        quiet.extend(contended.into_iter().take(lacking));
        let Some(environment) = environment else { return Err(too_few()) };
        let time = in_pairs(&quiet, |run| Some(&run.time)).as_deref().and_then(null_comparisons);
        let time = time.ok_or_else(too_few)?;
        let cycles = in_pairs(&quiet, |run| run.cycles.as_ref()).as_deref().and_then(null_comparisons);
        // Judge the noise in the unit that later comparisons of this case use.
        let judged = cycles.unwrap_or(time);
        let noise = MachineNoise {
            host: environment.host.name,
            cpu: environment.cpu.model,
            measured_at: clock::utc_now(),
            case: case.id(),
            comparisons: judged.comparisons as u64,
            false_verdicts: judged.false_verdicts as u64,
            run_spread_pct: time.runs.pct,
            run_spread_cycles_pct: cycles.map(|cycles| cycles.runs.pct),
            margin_pct: judged.margin_pct,
            smallest_difference_pct: judged.smallest_difference_pct,
        };
        Ok(Some(noise))
    }
}

/// Mean time and mean core cycles of a case, over the processes and rounds of one run.
struct Means {
    time: Crossed,
    /// In core cycles; `None` if no cycles were measured.
    cycles: Option<Crossed>,
}

fn mean_in(record: &Record, unit: Unit) -> Option<Crossed> {
    crossed_of(&record.samples.values(unit, Visits::Usable)?, record.case.statistic())
}

/// Groups consecutive runs into disjoint pairs, and returns the two means of each pair. Returns `None` if `mean`
/// returns `None` for a run.
fn in_pairs(runs: &[Means], mean: impl Fn(&Means) -> Option<&Crossed>) -> Option<Vec<(Crossed, Crossed)>> {
    runs.chunks_exact(2).map(|pair| Some((mean(&pair[0])?.clone(), mean(&pair[1])?.clone()))).collect()
}

fn too_few() -> LabError {
    LabError::invalid("comparisons", "at least 5 comparisons with at least 3 processes each are needed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{case, record};

    #[test]
    fn mean_cycles_require_a_known_clock_rate() {
        let known = record(&case("liboqs", "encapsulate"), 10_000.0, 2.5e9, 1);
        let mean = mean_in(&known, Unit::CoreCycles).unwrap();
        assert!((mean.mean.exp() / 25_000.0 - 1.0).abs() < 0.005 && mean.processes == 8, "{mean:?}");
        let time = mean_in(&known, Unit::Nanoseconds).unwrap();
        assert!((time.mean.exp() / 10_000.0 - 1.0).abs() < 0.005, "{time:?}");
        let unknown = record(&case("liboqs", "encapsulate"), 10_000.0, 0.0, 1);
        assert_eq!(mean_in(&unknown, Unit::CoreCycles), None);
        let run = |cycles: Option<&Crossed>| Means { time: time.clone(), cycles: cycles.cloned() };
        let runs = [run(Some(&mean)), run(Some(&time)), run(None), run(Some(&mean))];
        let wanted = Some(vec![(mean.clone(), time.clone())]);
        assert_eq!(in_pairs(&runs[..2], |run| run.cycles.as_ref()), wanted);
        assert_eq!(in_pairs(&runs, |run| run.cycles.as_ref()), None, "a run without cycles must yield no pairs");
        assert_eq!(in_pairs(&runs, |run| Some(&run.time)).map(|pairs| pairs.len()), Some(2));
    }
}
