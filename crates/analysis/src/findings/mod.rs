//! Findings about a run: the best algorithm and library for each use case, the cost of post-quantum algorithms compared
//! with classical ones, and uncertainties. Every sentence is computed from the measurements.
//! [`ratio`](crate::comparison::ratio) decides which library is faster. If several libraries do not differ measurably,
//! the finding names all of them.

mod each;
mod randomness;
mod slower_paths;
mod slower_than_published;
mod smoke;

pub use crate::recommendation::Recommendation;
pub use crate::statement::{Statement, unit_words};

use crate::areas::{self, AGAINST, SMALLEST, STATEMENTS, USE_CASES, ledger, libraries, scaling};
use crate::case::{CaseAnalysis, wire_bytes};
use crate::caveats::Caveat;
use crate::comparison::{NotRanked, Standing};
use crate::estimates::{Estimates, rate_of, scaled};
use crate::group::{distinct, grouped};
use crate::kinds::{OneKind, one_kind};
use crate::number::{digits, grouped as thousands, known_rate, memory, percent, throughput_within};
use crate::recommendation::{
    Against, Best, CATEGORY, Candidate, Smallest, UseCase, factor_text, faster_but_not_ranked, word_for_next,
};
use crate::run::RunAnalysis;
use crate::statement::listed;
use pqlab_record::{State, Statistic, Unit};
use pqlab_stats::{Interval, Verdict};

/// Cost of a post-quantum algorithm compared with a classical one.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Task that is compared: `Key exchange`.
    pub what: String,
    /// The post-quantum side.
    pub post_quantum: CostSide,
    /// The classical side.
    pub classical: CostSide,
    /// Ratio of the post-quantum side's time to the classical side's, with its 95% interval.
    pub factor: Interval,
    /// Unit in which times are compared.
    pub unit: Unit,
    /// Whether the two times differ measurably.
    pub told_apart: bool,
    /// Bytes on the wire of the post-quantum side and of the classical side; `None` if a length is unknown.
    pub bytes: Option<(u64, u64)>,
}

/// One side of a [`Cost`].
#[derive(Clone, Debug, PartialEq)]
pub struct CostSide {
    /// Name of the algorithm.
    pub algorithm: String,
    /// The fastest library, and the libraries tied with it.
    pub providers: String,
    /// Time of the task: `31.2 µs`, `mean 88.8 µs`.
    pub time: String,
    /// Ids of the cases from which the time is computed.
    pub cases: Vec<String>,
}

/// Caveat about the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCaveat {
    /// Number of affected cases or groups of cases.
    pub count: usize,
    /// Description of the caveat.
    pub what: String,
    /// Details: affected cases, or reasons.
    pub details: Vec<String>,
}

impl RunCaveat {
    /// Returns the last line of the details if they are incomplete: `and 25 more: see the tables below`.
    pub fn more(&self) -> Option<String> {
        let more = self.count.checked_sub(self.details.len()).filter(|more| *more > 0 && !self.details.is_empty());
        more.map(|more| format!("and {} more: see the tables below", thousands(more as u64)))
    }
}

/// All findings about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Sentences that answer the question of the suite.
    pub statements: Vec<Statement>,
    /// Recommendations by use case.
    pub recommendations: Vec<Recommendation>,
    /// Costs of post-quantum algorithms.
    pub costs: Vec<Cost>,
    /// Caveats about the run.
    pub caveats: Vec<RunCaveat>,
}

/// Maximum number of details listed for a caveat.
const NAMED: usize = 12;

/// Computes the findings of a run.
pub fn findings(analysis: &RunAnalysis<'_>) -> Findings {
    let mut recommendations: Vec<Recommendation> = libraries::for_job(analysis).into_iter().collect();
    let mut not_recommended = Vec::new();
    for use_case in use_cases() {
        match recommend(analysis, use_case) {
            Some(best) => recommendations.push(randomness::note_kind(analysis, use_case, best)),
            None => not_recommended.extend(withheld(analysis, use_case)),
        }
    }
    recommendations.extend(SMALLEST.into_iter().filter_map(|of| smallest(analysis, of)));
    recommendations.extend(scaling::threads(analysis));
    let mut statements = statements(analysis, &recommendations);
    statements.extend(not_recommended);
    let costs = costs(analysis).into_iter().map(|cost| randomness::note_cost_kind(analysis, cost)).collect();
    Findings { statements, recommendations, costs, caveats: caveats(analysis) }
}

/// Returns the statements about a run. If neither statements nor recommendations cover the area with the most cases,
/// each operation of that area gets a statement.
fn statements(analysis: &RunAnalysis<'_>, recommendations: &[Recommendation]) -> Vec<Statement> {
    let mut all = smoke::statements(analysis);
    all.extend(STATEMENTS.iter().flat_map(|statements| statements(analysis)));
    if all.is_empty() && recommendations.is_empty() {
        return analysis.areas().into_iter().flat_map(|area| each::statements(analysis, area)).collect();
    }
    let most = analysis.areas().into_iter().rev().max_by_key(|area| analysis.area(area).count());
    let belongs_to = |area: &str, use_case: &str| match use_cases().find(|known| known.name == use_case) {
        Some(known) => known.area == area,
        None => use_case == scaling::USE_CASE,
    };
    let is_covered = |area: &&str| {
        all.iter().any(|statement| statement.area == *area)
            || recommendations.iter().any(|one| belongs_to(area, one.use_case))
    };
    let missing = most.filter(|area| !is_covered(area));
    all.extend(missing.into_iter().flat_map(|area| each::statements(analysis, area)));
    all
}

/// Returns the use cases of all areas, in the order of recommendations.
fn use_cases() -> impl Iterator<Item = &'static UseCase> {
    USE_CASES.into_iter().flatten()
}

/// Returns the comparisons with classical algorithms from all areas.
fn against() -> impl Iterator<Item = &'static Against> {
    AGAINST.into_iter().flatten()
}

/// Selects the cases for `operations` in `area`, and splits them into cases that can be compared and cases that do a
/// different kind of work.
fn rows<'s, 'a>(
    analysis: &'s RunAnalysis<'a>,
    area: &str,
    operations: &[&str],
    transactions: Option<u64>,
) -> OneKind<'s, 'a> {
    let suits = |row: &&CaseAnalysis<'a>| {
        let case = row.case();
        let plain = match transactions {
            None => row.usual(),
            Some(_) => {
                case.transactions() == transactions && case.state() == State::Warm && ledger::rank(case).is_some()
            }
        };
        let in_area = case.workload == area && !case.is_null();
        plain && in_area && row.time().is_some() && operations.contains(&case.operation.as_str())
    };
    let mut rows: Vec<&'s CaseAnalysis<'a>> = analysis.cases().iter().filter(suits).collect();
    if transactions.is_some() {
        // Compare only blocks of the same form and regime.
        let typical = rows.iter().filter_map(|row| ledger::rank(row.case())).min();
        rows.retain(|row| ledger::rank(row.case()) == typical);
    }
    // Compare messages of one length: the longest for hashes, the shortest for signatures.
    let hash = rows.iter().any(|row| row.case().facts.bytes.is_some()) && transactions.is_none();
    let lengths = || rows.iter().filter_map(|row| row.case().message_length());
    let length = if hash { lengths().max() } else { lengths().min() };
    rows.retain(|row| row.case().message_length().is_none_or(|length_of_row| Some(length_of_row) == length));
    // Select the kind of randomness for each construction separately. Some constructions have no deterministic case, so
    // one choice for all would drop them.
    let mut kept = OneKind { cases: Vec::new(), left_out: Vec::new() };
    for (_, rows) in grouped(rows.into_iter(), |row| row.case().algorithm.clone()) {
        let kind = one_kind(rows);
        kept.cases.extend(kind.cases);
        kept.left_out.extend(kind.left_out);
    }
    kept
}

fn candidates<'s, 'a>(
    analysis: &'s RunAnalysis<'a>,
    area: &str,
    operations: &[&str],
    transactions: Option<u64>,
) -> Vec<Candidate<'s, 'a>> {
    let rows = rows(analysis, area, operations, transactions).cases;
    let by_chance = rows.iter().any(|row| row.case().repeats_by_chance());
    let statistic = if by_chance || operations.len() > 1 { Statistic::Mean } else { Statistic::Median };
    let mut found = Vec::new();
    for ((algorithm, provider), rows) in
        grouped(rows.into_iter(), |row| (row.case().algorithm.clone(), row.case().provider.clone()))
    {
        let part = |operation: &&str| rows.iter().copied().find(|row| row.case().operation == *operation);
        let Some(parts) = operations.iter().map(part).collect::<Option<Vec<_>>>() else { continue };
        let times = match parts[..] {
            [one] => {
                one.estimates.as_ref().map(|estimates| (estimates.time(statistic), estimates.time(Statistic::Mean)))
            }
            // Use `total`, because differences between whole runs affect all parts alike and do not
            // average out in a sum.
            _ => analysis.total(&parts).map(|total| (total, total)),
        };
        let (Some((time, mean)), Some(row)) = (times, parts.first()) else { continue };
        let facts = &row.case().facts;
        let bytes = parts.iter().filter_map(|row| row.case().facts.bytes).max();
        let defect = parts.iter().find_map(|row| row.case().facts.defect.clone());
        let (category, sizes) = (facts.category, facts.sizes);
        let provider = analysis.by(&provider);
        found.push(Candidate { algorithm, provider, category, time, statistic, mean, sizes, bytes, defect, parts });
    }
    found.sort_by(|one, other| one.time.estimate.total_cmp(&other.time.estimate));
    found
}

/// Explains why there is no recommendation for a use case, if disturbances are the reason.
fn withheld(analysis: &RunAnalysis<'_>, use_case: &UseCase) -> Option<Statement> {
    let all = candidates_for(analysis, use_case);
    let any_strong = all.iter().any(Candidate::strong);
    let disturbed = |one: &&Candidate<'_, '_>| one.not_ranked() == Some(NotRanked::Disturbed);
    let fastest = all.iter().filter(|one| one.strong() || !any_strong).find(disturbed)?;
    let (name, time) = (fastest.name(), fastest.time_text());
    let text = format!("no undisturbed measurement; the fastest disturbed one is {name}, {time}");
    Some(Statement::new(use_case.area, use_case.name, text))
}

/// Returns the candidates for a use case, fastest first.
fn candidates_for<'s, 'a>(analysis: &'s RunAnalysis<'a>, use_case: &UseCase) -> Vec<Candidate<'s, 'a>> {
    let mut all = candidates(analysis, use_case.area, use_case.operations, use_case.transactions);
    all.retain(|candidate| (use_case.algorithms)(&candidate.algorithm));
    // Recommend the reference systems' constructions only if there are no other candidates, because
    // they do not compete with other forms of the same construction.
    let of_reference = |one: &Candidate<'_, '_>| areas::is_of_reference(&one.algorithm);
    if !all.iter().all(of_reference) {
        all.retain(|one| !of_reference(one));
    }
    randomness::retain_one_kind(&mut all);
    all
}

fn recommend(analysis: &RunAnalysis<'_>, use_case: &UseCase) -> Option<Recommendation> {
    let all = candidates_for(analysis, use_case);
    let classical_only = all.iter().all(|candidate| candidate.category.is_none());
    let post_quantum = |candidate: &&Candidate<'_, '_>| candidate.category.is_some() || classical_only;
    let sound: Vec<&Candidate<'_, '_>> = all.iter().filter(|one| one.sound()).collect();
    // Decide from all candidates whether a strong one is required. If only sound candidates counted, a weak one could
    // replace strong ones that may not be recommended.
    let any_strong = all.iter().any(Candidate::strong);
    let suits = |one: &&Candidate<'_, '_>| if any_strong { one.strong() } else { post_quantum(one) };
    let from: Vec<&Candidate<'_, '_>> = sound.iter().copied().filter(suits).collect();
    let found = Best::find(analysis, &from)?;
    let best = found.best;
    let faster_than_best = |one: &Candidate<'_, '_>| {
        let compared = analysis.ratio(&best.parts, &one.parts)?;
        factor_text(&compared).filter(|_| compared.verdict() == Verdict::Faster)
    };
    let mut why = Vec::new();
    if let Some(category) = best.category {
        why.push(format!("NIST category {category}"));
    }
    if !found.tied.is_empty() {
        why.push(format!("tied with {}", listed(&found.tied_names())));
    }
    match &found.next {
        Some((next, factor)) => {
            let word = word_for_next(best, next, all.iter().filter(suits));
            why.push(format!("{word}: {}, {}, {factor}", next.name(), next.time_text()));
        }
        None if found.tied.is_empty() => why.push("no other candidate qualifies".to_owned()),
        None => {}
    }
    let weak = |one: &&&Candidate<'_, '_>| one.category.is_some() && !one.strong();
    let weaker =
        sound.iter().filter(weak).filter(|_| best.strong()).find_map(|one| Some((one, faster_than_best(one)?)));
    if let Some((weaker, factor)) = weaker {
        why.push(format!(
            "at category {}: {}, {}, {factor}",
            weaker.category.unwrap_or(0),
            weaker.name(),
            weaker.time_text(),
        ));
    }
    let mut cautions = faster_but_not_ranked(analysis, best, all.iter().filter(suits));
    why.extend(cautions.iter().cloned());
    let through = best.bytes.filter(|_| use_case.by_the_byte);
    let rate = rate_of(&best.mean).map(|rate| match (through, use_case.transactions) {
        (Some(bytes), _) => throughput_within(&scaled(&rate, bytes as f64)),
        (None, Some(number)) => format!("{} transactions a second", known_rate(&scaled(&rate, number as f64))),
        (None, None) => format!("{} a second on one core", known_rate(&rate)),
    });
    why.extend(rate.clone());
    let defect = other_defect(analysis, best);
    why.extend(defect.clone());
    cautions.extend(defect);
    let length = through.map_or_else(String::new, |bytes| format!(" of {}", memory(bytes)));
    let (figure, interval) = best.time_and_range();
    Some(Recommendation {
        use_case: use_case.name,
        algorithm: best.algorithm.clone(),
        provider: best.provider.clone(),
        figure,
        interval,
        rate,
        cases: best.ids(),
        what: format!("{}{length}", use_case.what),
        why: format!("{}.", why.join("; ")),
        cautions,
        tied: found.tied_names(),
    })
}

/// Names a known defect that affects another operation of the same algorithm and library.
fn other_defect(analysis: &RunAnalysis<'_>, best: &Candidate<'_, '_>) -> Option<String> {
    let provider = &best.parts.first()?.case().provider;
    let same = |row: &&CaseAnalysis<'_>| row.case().algorithm == best.algorithm && row.case().provider == *provider;
    let (operation, defect) = analysis
        .cases()
        .iter()
        .filter(same)
        .find_map(|row| Some((&row.case().operation, row.case().facts.defect.as_ref()?)))?;
    Some(format!("but this library has a known defect in {operation}: {defect}"))
}

/// Recommends the algorithm with the fewest bytes on the wire. Compares the maximum lengths that the encodings allow
/// and, if lengths vary, also the measured averages.
fn smallest(analysis: &RunAnalysis<'_>, (area, operation, use_case, what): Smallest) -> Option<Recommendation> {
    let all = candidates(analysis, area, &[operation], None);
    let any_strong = all.iter().any(Candidate::strong);
    let sound = || all.iter().filter(|one| one.category.is_some() && one.sound());
    let fit = || sound().filter(|one| one.strong() || !any_strong);
    let bytes = |one: &Candidate<'_, '_>| wire_bytes(&one.sizes);
    let fewest = fit().filter_map(bytes).min()?;
    let least = fit().find(|one| bytes(one) == Some(fewest))?;
    let others = fit().filter(|one| one.algorithm != least.algorithm);
    let (next_bytes, next) = others.filter_map(|one| Some((bytes(one)?, one))).min_by_key(|(bytes, _)| *bytes)?;
    let same: Vec<&Candidate<'_, '_>> = fit().filter(|one| one.algorithm == least.algorithm).collect();
    let found = Best::find(analysis, &same)?;
    let best = found.best;
    let mut why = vec![
        format!("NIST category {}", best.category.unwrap_or(0)),
        format!("at most {} B", thousands(fewest)),
        format!("next: {}, at most {} B", next.algorithm, thousands(next_bytes)),
    ];
    let mean = |one: &Candidate<'_, '_>| {
        let seen = areas::most_lengths(analysis, &one.algorithm)?.1.mean;
        Some((one.algorithm.clone(), seen + one.sizes.public_key? as f64))
    };
    // An average length may be below every fixed length, so name the algorithm with the smallest average as well.
    let by_mean = fit().filter_map(mean).min_by(|one, other| one.1.total_cmp(&other.1));
    why.extend(by_mean.map(|(algorithm, mean)| {
        let smallest =
            if mean < fewest as f64 { "smallest on average" } else { "smallest on average among measured lengths" };
        format!("{smallest}: {algorithm}, {} B", digits(mean, 4))
    }));
    let weaker = sound().filter(|one| !one.strong() && any_strong).filter_map(|one| Some((bytes(one)?, one)));
    why.extend(weaker.min_by_key(|(bytes, _)| *bytes).filter(|(bytes, _)| *bytes < fewest).map(|(bytes, one)| {
        format!("at category {}: {}, {} B", one.category.unwrap_or(0), one.algorithm, thousands(bytes))
    }));
    why.push(match (&found.tied[..], same.len()) {
        (_, 1) => "no other library is ranked for this algorithm".to_owned(),
        ([], _) => "the fastest library for this algorithm".to_owned(),
        _ => format!("tied with {}", listed(&found.tied_names())),
    });
    Some(Recommendation {
        use_case,
        algorithm: best.algorithm.clone(),
        provider: best.provider.clone(),
        figure: format!("{} B", thousands(fewest)),
        interval: "exact".to_owned(),
        rate: None,
        cases: best.ids(),
        what: if any_strong { format!("{what}, NIST category {CATEGORY} or higher") } else { what.to_owned() },
        why: format!("{} ({operation}: {}).", why.join("; "), best.time_text()),
        cautions: Vec::new(),
        tied: found.tied_names(),
    })
}

fn costs(analysis: &RunAnalysis<'_>) -> Vec<Cost> {
    let cost = |&(what, area, operations, post_quantum, classical): &Against| {
        let all = candidates(analysis, area, operations, None);
        let best = |algorithm: &str| {
            let same: Vec<&Candidate<'_, '_>> =
                all.iter().filter(|one| one.algorithm == algorithm && one.sound()).collect();
            let found = Best::find(analysis, &same)?;
            let providers = std::iter::once(found.best).chain(found.tied.iter().copied());
            let providers: Vec<String> = providers.map(|one| one.provider.clone()).collect();
            Some((found.best, providers.join(", ")))
        };
        let (new, old) = (best(post_quantum)?, best(classical)?);
        let side = |(one, providers): &(&Candidate<'_, '_>, String)| CostSide {
            algorithm: one.algorithm.clone(),
            providers: providers.clone(),
            time: one.time_text(),
            cases: one.ids(),
        };
        let compared = analysis.ratio(&old.0.parts, &new.0.parts)?;
        Some(Cost {
            what: what.to_owned(),
            post_quantum: side(&new),
            classical: side(&old),
            factor: compared.ratio?.ratio,
            unit: compared.unit,
            told_apart: matches!(compared.verdict(), Verdict::Faster | Verdict::Slower),
            bytes: wire_bytes(&new.0.sizes).zip(wire_bytes(&old.0.sizes)),
        })
    };
    against().filter_map(cost).collect()
}

fn caveats(analysis: &RunAnalysis<'_>) -> Vec<RunCaveat> {
    let mut caveats = Vec::new();
    let mut add = |what: &str, details: Vec<String>| {
        if !details.is_empty() {
            caveats.push(RunCaveat {
                count: details.len(),
                what: what.to_owned(),
                details: details.into_iter().take(NAMED).collect(),
            });
        }
    };
    let failed = analysis.cases().iter().filter(|row| row.failed());
    let reason = |row: &CaseAnalysis<'_>| {
        format!("{}: {}", row.case().id(), row.record.error.as_deref().unwrap_or("no reason given"))
    };
    add("failed; failed cases have no figures", failed.map(reason).collect());
    let defective = analysis.cases().iter().filter(|row| !row.failed() && row.case().facts.defect.is_some());
    let defects = grouped(defective, |row| (row.case().provider.clone(), row.case().facts.defect.clone()));
    let defect = |((provider, defect), rows): ((String, Option<String>), Vec<&CaseAnalysis<'_>>)| {
        let cases = rows.iter().map(|row| row.case());
        let what = distinct(cases.map(|case| format!("{} {}", case.algorithm, case.operation)));
        format!("{provider}, {}: {}", what.join(", "), defect.unwrap_or_default())
    };
    add(Caveat::Defect.legend(), defects.into_iter().map(defect).collect());
    add(slower_paths::WHAT, slower_paths::details(analysis));
    add(slower_than_published::WHAT, slower_than_published::details(analysis));
    let noted = |note: Caveat, width: fn(&Estimates) -> String| {
        let rows = analysis.cases().iter().filter(move |row| !row.is_floor() && row.caveats.has(note));
        rows.map(move |row| format!("{} ({})", row.case().id(), row.estimates.as_ref().map_or(String::new(), width)))
    };
    let in_time = |estimates: &Estimates| format!("±{}", percent(estimates.half_width_pct()));
    let judged = |estimates: &Estimates| {
        let unit = if estimates.cycles.is_some() { "core cycles" } else { "time" };
        format!("±{} in {unit}", percent(estimates.deciding_half_width_pct))
    };
    add(&format!("disturbed: {}", Caveat::Shared.legend()), noted(Caveat::Shared, in_time).collect());
    add(&format!("imprecise: {}", Caveat::Imprecise.legend()), noted(Caveat::Imprecise, judged).collect());
    let usual: Vec<&CaseAnalysis<'_>> =
        analysis.cases().iter().filter(|row| row.usual() && row.time().is_some() && !row.case().is_null()).collect();
    let tied = grouped(usual.into_iter(), |row| (row.case().workload.clone(), row.job())).into_iter().filter_map(
        |((_, job), rows)| {
            let ties = |row: &&&CaseAnalysis<'_>| analysis.standing(row) == Some(Standing::Tied);
            let names: Vec<String> = rows.iter().filter(ties).map(|row| row.case().provider.clone()).collect();
            (!names.is_empty()).then(|| format!("{job}: {}", listed(&names)))
        },
    );
    add("tied: no measurable difference between the fastest libraries", tied.collect());
    add(
        "with an impossible speed-up: above the number of threads, because the single-thread figure was disturbed",
        scaling::impossible(analysis),
    );
    let missing = analysis.run.header.plan.len().saturating_sub(analysis.run.records.len());
    if missing > 0 {
        caveats.push(RunCaveat {
            count: missing,
            what: "not measured: the run was interrupted or is still in progress".to_owned(),
            details: Vec::new(),
        });
    }
    caveats
}

#[cfg(test)]
mod tests;
