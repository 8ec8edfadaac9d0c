//! Differences between processes that come from their memory layout.

use super::{ReadComb, by_round};
use pqlab_record::{Case, MemoryPart, Offsets, Record, Samples, Unit, Visits, Worker};
use pqlab_stats::{benjamini_hochberg, grouped, median, variance_components};
use std::collections::BTreeMap;

/// Minimum standard deviation between processes for [`Placement`], in percent.
const LEAST_PCT: f64 = 1.0;
/// Minimum ratio of the standard deviation between processes to the standard deviation between visits of one process,
/// for [`Placement`].
const TIMES_VISITS: f64 = 3.0;
/// Minimum number of processes for a test of the offsets. With fewer, no share of the variance would be significant.
const FEWEST_PROCESSES: usize = 12;
/// Maximum p-value at which an offset explains the differences, corrected for the number of tests.
pub const PLACEMENT_SIGNIFICANCE: f64 = 0.05;
/// Length of a cache line in bytes.
const LINE: u16 = 64;

/// Smallest and largest median of the processes of a case. Every process places code, stack and heap at different
/// addresses. If processes differ far more than the visits of one process, this placement is the likely reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Smallest median of a process, in `unit`.
    pub low: f64,
    /// Largest median of a process, in `unit`.
    pub high: f64,
    /// Unit of the medians.
    pub unit: Unit,
    /// Which planned offset explains the differences.
    pub cause: Cause,
}

/// Result of testing whether the planned [offsets](Offsets) explain the differences between processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// An offset explains a significant share.
    Offset(OffsetEffect),
    /// No offset explains a significant share. The order of the code in the program and the choice of physical pages
    /// are among the other possible reasons.
    NoOffset,
    /// The offsets are unknown, or there are too few processes.
    Untested,
}

/// Effect of an offset on the figures of the processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffsetEffect {
    /// Part of memory that the offset moves.
    pub part: MemoryPart,
    /// Modulus in bytes: 64 if the position within a cache line matters, 4096 for the position within a page.
    pub modulus: u16,
    /// Share of the variance between processes that the offset explains, from 0 to 1.
    pub share: f64,
    /// p-value of a permutation test, corrected for the number of tests.
    pub p: f64,
}

impl Placement {
    /// Returns the placement of a case, or `None` if its processes hardly differ. `read` is the comb of an operation
    /// that repeats attempts. Its samples count at the expected number of attempts, because the number of attempts
    /// differs between visits.
    pub(super) fn find(samples: &Samples, unit: Unit, read: Option<&ReadComb>) -> Option<Placement> {
        let visits = match read {
            Some(read) => read.values(samples, unit, Visits::Usable)?,
            None => samples.values(unit, Visits::Usable)?,
        };
        let rounds = by_round(&visits);
        let processes: Vec<Vec<f64>> =
            rounds.iter().map(|visits| visits.iter().map(|visit| visit.1).collect()).collect();
        let components = variance_components(&processes)?;
        if components.between_pct < (TIMES_VISITS * components.within_pct).max(LEAST_PCT) {
            return None;
        }
        let levels = levels_of(samples, unit, read)?;
        let values = || levels.iter().map(|level| level.value);
        let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max));
        Some(Placement { low, high, unit, cause: cause_of(&levels) })
    }
}

/// Figure of one process of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessLevel {
    /// The process.
    pub worker: Worker,
    /// Planned memory layout of the process, if it is known.
    pub offsets: Option<Offsets>,
    /// Median over the visits of the process, in core cycles or ns.
    pub value: f64,
}

/// Figures of the processes of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessLevels {
    /// Unit of the figures: core cycles if they are known.
    pub unit: Unit,
    /// Figures in the order of the processes.
    pub processes: Vec<ProcessLevel>,
}

impl ProcessLevels {
    /// Returns the figures of the processes of a case, at the expected number of attempts if the operation repeats
    /// attempts and their number can be read. `None` if there are no samples.
    pub fn new(record: &Record) -> Option<ProcessLevels> {
        let Record { samples, case, .. } = record;
        let read = ReadComb::read(samples, case).and_then(Result::ok);
        let unit = unit_of(samples, case);
        let processes = levels_of(samples, unit, read.as_ref())?;
        (!processes.is_empty()).then_some(ProcessLevels { unit, processes })
    }
}

fn unit_of(samples: &Samples, case: &Case) -> Unit {
    match case.computes() && samples.values(Unit::CoreCycles, Visits::Usable).is_some() {
        true => Unit::CoreCycles,
        false => Unit::Nanoseconds,
    }
}

fn levels_of(samples: &Samples, unit: Unit, read: Option<&ReadComb>) -> Option<Vec<ProcessLevel>> {
    let visits = match read {
        Some(read) => read.values(samples, unit, Visits::Usable)?,
        None => samples.values(unit, Visits::Usable)?,
    };
    let mut by_process: BTreeMap<Worker, Vec<f64>> = BTreeMap::new();
    for (moment, values) in &visits {
        by_process.entry(moment.worker).or_default().extend(median(values));
    }
    let offsets: BTreeMap<Worker, Option<Offsets>> =
        samples.visits.iter().map(|visit| (visit.worker(), visit.conditions.offsets)).collect();
    let level = |(worker, medians): (Worker, Vec<f64>)| {
        let offsets = offsets.get(&worker).copied().flatten();
        Some(ProcessLevel { worker, offsets, value: median(&medians)? })
    };
    Some(by_process.into_iter().filter_map(level).collect())
}

/// Tests each offset, once by its position within a cache line, and once by its position within a page.
fn cause_of(levels: &[ProcessLevel]) -> Cause {
    let known: Option<Vec<(Offsets, f64)>> = levels.iter().map(|level| Some((level.offsets?, level.value))).collect();
    let Some(known) = known.filter(|known| known.len() >= FEWEST_PROCESSES) else { return Cause::Untested };
    // Groups need at least two processes on average.
    let pages_part = Offsets::PAGE / if known.len() >= 16 { 8 } else { 4 };
    let mut effects = Vec::new();
    for index in 0..Offsets::default().parts().len() {
        for modulus in [LINE, Offsets::PAGE] {
            let group = |offset: u16| u64::from(if modulus == LINE { offset % LINE } else { offset / pages_part });
            let values: Vec<(f64, u64)> =
                known.iter().map(|(offsets, value)| (*value, group(offsets.parts()[index].1))).collect();
            let part = Offsets::default().parts()[index].0;
            effects.extend(grouped(&values).map(|found| OffsetEffect {
                part,
                modulus,
                share: found.share,
                p: found.p,
            }));
        }
    }
    let adjusted = benjamini_hochberg(&effects.iter().map(|effect| effect.p).collect::<Vec<f64>>());
    let adjusted = effects.into_iter().zip(adjusted).map(|(effect, p)| OffsetEffect { p, ..effect });
    // If several offsets explain the differences equally well, name the one with the greatest share.
    let strongest = adjusted
        .filter(|effect| effect.p <= PLACEMENT_SIGNIFICANCE)
        .min_by(|one, other| one.p.total_cmp(&other.p).then(other.share.total_cmp(&one.share)));
    strongest.map_or(Cause::NoOffset, Cause::Offset)
}

impl Cause {
    /// Describes the cause for the user, as a clause; `None` if it was not tested.
    pub fn text(&self) -> Option<String> {
        match self {
            Cause::Offset(OffsetEffect { part, modulus, share, .. }) => {
                let within = if *modulus == LINE { "a cache line" } else { "a page" };
                let part = part.name();
                Some(format!("the offset of the {part} within {within} explains {:.0}%", 100.0 * share))
            }
            Cause::NoOffset => Some("no offset of stack, heap or keys explains it".to_owned()),
            Cause::Untested => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the levels of simulated processes with random offsets. `effect` returns the cycles that the offsets add.
    fn levels(seed: u64, count: u32, effect: impl Fn(Offsets) -> f64) -> Vec<ProcessLevel> {
        // Knuth's linear congruential generator: "The Art of Computer Programming", volume 2, section 3.3.4.
        let mut state = seed;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for _ in 0..20 {
            random();
        }
        let mut level = |process| {
            let [stack, heap, keys] = [(); 3].map(|()| (random() % 256) as u16 * Offsets::STEP);
            let offsets = Offsets { stack, heap, keys };
            // Half of the processes are slower for another reason.
            let other = if random() % 2 == 0 { 0.0 } else { 5_000.0 };
            let value = 120_000.0 + other + effect(offsets) + (random() % 200) as f64;
            ProcessLevel { worker: Worker { start: 0, process }, offsets: Some(offsets), value }
        };
        (0..count).map(&mut level).collect()
    }

    #[test]
    fn finds_the_offset_that_matters() {
        let line = |offsets: Offsets| if offsets.stack % 64 == 48 { 27_000.0 } else { 0.0 };
        let page = |offsets: Offsets| if offsets.keys >= 3_072 { 27_000.0 } else { 0.0 };
        let (mut lines, mut pages) = (0, 0);
        for seed in 0..40 {
            let found = cause_of(&levels(seed, 24, line));
            lines += u32::from(matches!(found, Cause::Offset(effect)
                if effect.part == MemoryPart::Stack && effect.modulus == 64 && effect.share > 0.5));
            let found = cause_of(&levels(seed, 24, page));
            pages += u32::from(matches!(found, Cause::Offset(effect)
                if effect.part == MemoryPart::Keys && effect.modulus == 4096 && effect.share > 0.5));
        }
        assert!(lines >= 36 && pages >= 36, "{lines} {pages}");
    }

    #[test]
    fn rarely_blames_an_offset_that_does_not_matter() {
        let blamed = (0..200).filter(|seed| matches!(cause_of(&levels(*seed, 24, |_| 0.0)), Cause::Offset(_)));
        let blamed = blamed.count();
        assert!(blamed <= 16, "{blamed} of 200, but 5% are 10");
    }

    #[test]
    fn few_processes_and_unknown_offsets_are_not_tested() {
        assert_eq!(cause_of(&levels(1, 11, |_| 0.0)), Cause::Untested);
        let mut unknown = levels(1, 24, |_| 0.0);
        unknown[3].offsets = None;
        assert_eq!(cause_of(&unknown), Cause::Untested);
        assert_eq!(Cause::Untested.text(), None);
    }

    #[test]
    fn causes_are_clauses() {
        let effect = OffsetEffect { part: MemoryPart::Stack, modulus: 4096, share: 0.83, p: 0.002 };
        let text = Cause::Offset(effect).text().unwrap();
        assert_eq!(text, "the offset of the stack within a page explains 83%");
        let text = Cause::Offset(OffsetEffect { modulus: 64, ..effect }).text().unwrap();
        assert_eq!(text, "the offset of the stack within a cache line explains 83%");
    }
}
