//! What a run found: which algorithm and library for which job, what post-quantum costs against classical, and what is
//! uncertain. Every sentence is computed; where the data do not tell two apart, it says so.

mod jobs;

use self::jobs::{AGAINST, JOBS, Job};
use crate::caveats::Caveat;
use crate::charts::{grouped, wire};
use crate::ledger;
use crate::number::{duration, factor, grouped as thousands, percent, rate, significant, throughput};
use crate::scaling::scaling;
use crate::sheet::{Factor, Row, Sheet, sum};
use pqlab_record::{Sizes, State};
use pqlab_stats::Interval;

/// The NIST category that a choice should have at least, where there is one: what the standards' own defaults have.
const CATEGORY: u8 = 3;

/// The best choice for a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The job: `Key exchange`.
    pub job: &'static str,
    /// The algorithm.
    pub algorithm: String,
    /// The provider.
    pub provider: String,
    /// Its figure: `31.2 µs`.
    pub figure: String,
    /// The figure's interval.
    pub interval: String,
    /// What the figure is of.
    pub what: String,
    /// Why it and not another.
    pub why: String,
    /// Whether the data do not tell it from the next.
    pub tied: bool,
}

/// What one thing costs against another.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// What is done: `Key exchange`.
    pub what: String,
    /// The post-quantum side: algorithm, provider, time.
    pub post_quantum: (String, String, String),
    /// The classical side.
    pub classical: (String, String, String),
    /// Time over time, with what it can be.
    pub time: Factor,
    /// Bytes on the wire over bytes on the wire.
    pub bytes: Option<(u64, u64)>,
}

/// What is not sure.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// How often.
    pub count: usize,
    /// What.
    pub what: String,
    /// Which, or why.
    pub details: Vec<String>,
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The best choices.
    pub choices: Vec<Choice>,
    /// What post-quantum costs.
    pub costs: Vec<Cost>,
    /// What is not sure.
    pub doubts: Vec<Doubt>,
}

/// One that could be chosen.
struct Candidate {
    algorithm: String,
    provider: String,
    category: Option<u8>,
    time: Interval,
    sizes: Sizes,
    /// What one operation works through, in bytes.
    bytes: Option<u64>,
    /// What the library is known to do wrong.
    defect: Option<String>,
    /// Whether something else ran on the machine while it was measured.
    contended: bool,
}

impl Candidate {
    /// Whether it may be recommended: it does all that the standard demands, and its figure is its own.
    fn sound(&self) -> bool {
        self.defect.is_none() && !self.contended
    }
}

/// Most details of a doubt that are named.
const NAMED: usize = 12;

/// What the run found.
pub fn findings(sheet: &Sheet<'_>) -> Findings {
    let mut choices: Vec<Choice> = JOBS.iter().filter_map(|job| choose(sheet, job)).collect();
    choices.extend(smallest(sheet));
    choices.extend(threads(sheet));
    Findings { choices, costs: costs(sheet), doubts: doubts(sheet) }
}

fn candidates(sheet: &Sheet<'_>, area: &str, operations: &[&str], parameter: Option<(&str, u64)>) -> Vec<Candidate> {
    let suits = |row: &&Row<'_>| {
        let case = row.case();
        let plain = match parameter {
            None => row.usual(),
            Some((name, number)) => {
                case.number(name) == Some(number) && case.state() == State::Warm && ledger::rank(case).is_some()
            }
        };
        plain && row.median().is_some() && case.provider != "null" && operations.contains(&case.operation.as_str())
    };
    let mut rows: Vec<&Row<'_>> = sheet.area(area).filter(suits).collect();
    if parameter.is_some() {
        // Blocks are compared in one form and regime.
        let typical = rows.iter().filter_map(|row| ledger::rank(row.case())).min();
        rows.retain(|row| ledger::rank(row.case()) == typical);
    }
    let mut found = Vec::new();
    for ((algorithm, provider), rows) in
        grouped(rows.into_iter(), |row| (row.case().algorithm.clone(), row.case().provider.clone()))
    {
        let time = |operation: &&str| {
            let of = rows.iter().filter(|row| row.case().operation == *operation);
            let length = |row: &&&Row<'_>| row.case().number("len").unwrap_or(0);
            let hash = rows.iter().any(|row| row.case().facts.bytes.is_some());
            if hash { of.max_by_key(length)?.median() } else { of.min_by_key(length)?.median() }
        };
        let Some(parts) = operations.iter().map(time).collect::<Option<Vec<_>>>() else { continue };
        let (Some(time), Some(row)) = (sum(&parts), rows.first()) else { continue };
        let facts = &row.case().facts;
        let bytes = rows.iter().filter_map(|row| row.case().facts.bytes).max();
        let defect = rows.iter().find_map(|row| row.case().facts.defect.clone());
        let (category, sizes) = (facts.category, facts.sizes);
        let contended = rows.iter().any(|row| row.caveats.has(Caveat::Shared));
        found.push(Candidate { algorithm, provider, category, time, sizes, bytes, defect, contended });
    }
    found.sort_by(|one, other| one.time.estimate.total_cmp(&other.time.estimate));
    found
}

fn choose(sheet: &Sheet<'_>, job: &Job) -> Option<Choice> {
    let mut all = candidates(sheet, job.area, job.operations, job.parameter);
    all.retain(|candidate| (job.algorithms)(&candidate.algorithm));
    // The reference's form of a transaction is no other scheme: it is no tie with the same scheme in the other form.
    if all.iter().any(|candidate| !candidate.algorithm.starts_with(ledger::REFERENCE_FORM)) {
        all.retain(|candidate| !candidate.algorithm.starts_with(ledger::REFERENCE_FORM));
    }
    let classical_only = all.iter().all(|candidate| candidate.category.is_none());
    let strong = |candidate: &&Candidate| candidate.category.is_some_and(|category| category >= CATEGORY);
    let post_quantum = |candidate: &&Candidate| candidate.category.is_some() || classical_only;
    // What may be recommended decides how strong the choice is: nobody is served by a strong one that may not be.
    let sound: Vec<&Candidate> = all.iter().filter(|one| one.sound()).collect();
    let any_strong = sound.iter().any(strong);
    let suits = |one: &&Candidate| if any_strong { strong(one) } else { post_quantum(one) };
    let from: Vec<&Candidate> = sound.into_iter().filter(suits).collect();
    let (best, rest) = from.split_first()?;
    let next = rest.iter().find(|one| one.algorithm != best.algorithm || one.provider != best.provider);
    let tied = next.is_some_and(|next| next.time.overlaps(&best.time));
    let mut why = Vec::new();
    if let Some(category) = best.category {
        why.push(format!("NIST category {category}"));
    }
    match next {
        Some(next) if tied => {
            why.push(format!("not told apart from {} by {}: their intervals overlap", next.algorithm, next.provider))
        }
        Some(next) => why.push(format!(
            "the next, {} by {}, takes {} ({} the time)",
            next.algorithm,
            next.provider,
            time(next.time.estimate),
            factor(next.time.estimate / best.time.estimate)
        )),
        None => why.push("measured alone".to_owned()),
    }
    let weaker = all
        .iter()
        .filter(|one| one.sound())
        .find(|one| one.category.is_some_and(|category| category < CATEGORY) && one.time.high < best.time.low);
    if let Some(weaker) = weaker.filter(|_| best.category.is_some_and(|category| category >= CATEGORY)) {
        why.push(format!(
            "at category {}, {} by {} takes {}",
            weaker.category.unwrap_or(0),
            weaker.algorithm,
            weaker.provider,
            time(weaker.time.estimate)
        ));
    }
    let faster = all.iter().filter(|one| suits(one) && one.time.estimate < best.time.estimate);
    why.extend(faster.map(not_recommended));
    let each = match job.parameter {
        Some((_, number)) => number as f64,
        None => 1.0,
    };
    let through = best.bytes.filter(|_| job.area == "hash");
    if let (Some(bytes), true) = (through, best.time.estimate > 0.0) {
        why.push(throughput(bytes as f64 * 1e9 / best.time.estimate));
    } else if best.time.estimate > 0.0 {
        let unit = if job.parameter.is_some() { "transactions a second" } else { "a second on one core" };
        why.push(format!("{} {unit}", rate(each * 1e9 / best.time.estimate)));
    }
    Some(Choice {
        job: job.name,
        algorithm: best.algorithm.clone(),
        provider: best.provider.clone(),
        figure: time(best.time.estimate),
        interval: interval(&best.time),
        what: job.what.to_owned(),
        why: format!("{}.", why.join("; ")),
        tied,
    })
}

/// What took less time than the choice, and why it is none.
fn not_recommended(one: &Candidate) -> String {
    let named = format!("{} by {} takes {}", one.algorithm, one.provider, time(one.time.estimate));
    match &one.defect {
        Some(defect) => format!("faster but defective: {named} (known defect of this library: {defect})"),
        None => format!("faster but not sure: {named} (something else ran on the machine meanwhile)"),
    }
}

/// The fewest bytes on the wire, of signatures and of key exchanges.
fn smallest(sheet: &Sheet<'_>) -> Vec<Choice> {
    let of = |area: &str, operation: &str, job: &'static str, what: &str| {
        let all = candidates(sheet, area, &[operation], None);
        let post_quantum = all.iter().filter(|one| one.category.is_some() && one.sound());
        let mut sized: Vec<(u64, &Candidate)> = post_quantum.filter_map(|one| Some((wire(&one.sizes)?, one))).collect();
        sized.sort_by(|one, other| {
            (one.0, one.1.time.estimate)
                .partial_cmp(&(other.0, other.1.time.estimate))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let (bytes, best) = sized.first()?;
        let next = sized.iter().find(|(_, one)| one.algorithm != best.algorithm)?;
        Some(Choice {
            job,
            algorithm: best.algorithm.clone(),
            provider: best.provider.clone(),
            figure: format!("{} B", thousands(*bytes)),
            interval: "exact".to_owned(),
            what: what.to_owned(),
            why: format!(
                "NIST category {}; the next, {}, has {} B; this library is the fastest at it ({operation}: {}).",
                best.category.unwrap_or(0),
                next.1.algorithm,
                thousands(next.0),
                time(best.time.estimate)
            ),
            tied: false,
        })
    };
    let signature = of("signature", "verify", "Small signatures", "public key and signature together");
    let exchange = of("kem", "encapsulate", "Small key exchange", "public key and ciphertext together");
    let transaction = of("ledger", "verify", "Small transactions", "public key and signature together");
    [signature, exchange, transaction].into_iter().flatten().collect()
}

/// What the most threads that had a processor each were worth, for the operation that gained most of them.
fn threads(sheet: &Sheet<'_>) -> Option<Choice> {
    let all = scaling(sheet.run);
    let several = all.iter().filter(|one| one.threads > 1 && !one.oversubscribed && one.provider != "null");
    let sound = |id: &str| {
        let row = sheet.rows.iter().find(|row| row.case().id() == id);
        row.is_some_and(|row| row.case().facts.defect.is_none() && !row.caveats.has(Caveat::Shared))
    };
    let gained = several.filter(|one| sound(&one.id)).filter_map(|one| Some((one, one.speed_up?)));
    let (best, gain) = gained.max_by(|(one, gain), (other, others)| {
        (one.threads, gain.estimate).partial_cmp(&(other.threads, others.estimate)).unwrap_or(std::cmp::Ordering::Equal)
    })?;
    Some(Choice {
        job: "Several threads",
        algorithm: best.name.clone(),
        provider: best.provider.clone(),
        figure: factor(gain.estimate),
        interval: format!("{} to {}", factor(gain.low), factor(gain.high)),
        what: format!("the throughput of one thread, on {} threads", best.threads),
        why: format!(
            "{} a second all together; {} of the ideal.",
            rate(best.ops_per_s),
            percent(100.0 * gain.estimate / best.threads as f64)
        ),
        tied: false,
    })
}

fn costs(sheet: &Sheet<'_>) -> Vec<Cost> {
    let cost = |(what, area, operations, post_quantum, classical): (&str, &str, &[&str], &str, &str)| {
        let all = candidates(sheet, area, operations, None);
        let best = |algorithm: &str| all.iter().find(|candidate| candidate.algorithm == algorithm && candidate.sound());
        let (new, old) = (best(post_quantum)?, best(classical)?);
        let side = |one: &Candidate| (one.algorithm.clone(), one.provider.clone(), time(one.time.estimate));
        Some(Cost {
            what: what.to_owned(),
            post_quantum: side(new),
            classical: side(old),
            time: Factor::of(&new.time, &old.time)?,
            bytes: wire(&new.sizes).zip(wire(&old.sizes)),
        })
    };
    AGAINST.into_iter().filter_map(cost).collect()
}

fn doubts(sheet: &Sheet<'_>) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let mut add = |what: &str, details: Vec<String>| {
        if !details.is_empty() {
            doubts.push(Doubt {
                count: details.len(),
                what: what.to_owned(),
                details: details.into_iter().take(NAMED).collect(),
            });
        }
    };
    let failed = sheet.rows.iter().filter(|row| row.failed());
    let reason =
        |row: &Row<'_>| format!("{}: {}", row.case().id(), row.record.error.as_deref().unwrap_or("no reason given"));
    add("failed: no figure is given for work that was not done right", failed.map(reason).collect());
    let defective = sheet.rows.iter().filter(|row| !row.failed() && row.case().facts.defect.is_some());
    let defects = grouped(defective, |row| (row.case().provider.clone(), row.case().facts.defect.clone()));
    let defect = |((provider, defect), rows): ((String, Option<String>), Vec<&Row<'_>>)| {
        let mut what: Vec<String> = Vec::new();
        for case in rows.iter().map(|row| row.case()) {
            let named = format!("{} {}", case.algorithm, case.operation);
            if !what.contains(&named) {
                what.push(named);
            }
        }
        format!("{provider}, {}: {}", what.join(", "), defect.unwrap_or_default())
    };
    add(
        "known defects: the library does not do all that the standard demands",
        defects.into_iter().map(defect).collect(),
    );
    let noted = |note: Caveat| {
        let rows = sheet.rows.iter().filter(move |row| row.caveats.has(note));
        rows.map(|row| {
            let width = row.estimates.as_ref().map_or(0.0, crate::Estimates::half_width_pct);
            format!("{} (±{}%)", row.case().id(), significant(width))
        })
    };
    add("shared: somebody used the core, and the figures count all visits", noted(Caveat::Shared).collect());
    add("imprecise: the wanted precision was not reached in the time given", noted(Caveat::Imprecise).collect());
    let usual: Vec<&Row<'_>> = sheet
        .rows
        .iter()
        .filter(|row| row.usual() && row.median().is_some() && row.case().provider != "null")
        .collect();
    let overlapping = grouped(usual.into_iter(), |row| (row.case().workload.clone(), row.job()))
        .into_iter()
        .filter_map(|((_, job), mut rows)| {
            rows.sort_by(|one, other| key(one).total_cmp(&key(other)));
            let (first, second) = (rows.first()?, rows.get(1)?);
            let open = first.median()?.overlaps(&second.median()?);
            open.then(|| format!("{job}: {} and {}", first.case().provider, second.case().provider))
        });
    add("comparisons whose two fastest are not told apart: their intervals overlap", overlapping.collect());
    let missing = sheet.run.header.plan.len().saturating_sub(sheet.run.records.len());
    if missing > 0 {
        doubts.push(Doubt {
            count: missing,
            what: "not measured: the run was stopped, or is still going on".to_owned(),
            details: Vec::new(),
        });
    }
    doubts
}

fn key(row: &Row<'_>) -> f64 {
    row.median().map_or(f64::INFINITY, |median| median.estimate)
}

/// A time with its unit.
pub(crate) fn time(nanoseconds: f64) -> String {
    let (number, unit) = duration(nanoseconds);
    format!("{number} {unit}")
}

/// `10.3 to 10.5 µs`.
pub(crate) fn interval(of: &Interval) -> String {
    let ((low, small), (high, unit)) =
        (crate::number::duration_digits(of.low, 4), crate::number::duration_digits(of.high, 4));
    if small == unit { format!("{low} to {high} {unit}") } else { format!("{low} {small} to {high} {unit}") }
}

#[cfg(test)]
mod tests;
