//! Second chance for disturbed cases: measures them again after the plan, when the disturbing load may have ended.
//!
//! In a second chance, visits start only while the core is quiet, and run in fresh processes. Under the adaptive rules,
//! disturbed visits are discarded without limit until the time is up. A second chance therefore adds either undisturbed
//! visits or none to the visits of the first pass. With a fixed number of samples, a complete and undisturbed second
//! chance replaces the first pass; any other second chance is discarded.

use super::{Block, Event, Measuring, MeasuringError, Outcome, blocks};
use pqlab_record::{Protocol, Record, Samples};
use std::collections::BTreeMap;
use std::time::Duration;

/// Minimum of the default time limit for all second chances, which applies to short runs. Otherwise, the limit is the
/// time that the run has taken. A load of some seconds ends within it.
const LEAST_PATIENCE: Duration = Duration::from_secs(30);
/// Maximum of the default time limit, as a multiple of the disturbed cases' own time limits. A quiet machine needs
/// less.
const MOST_PATIENCE: f64 = 10.0;
/// Maximum number of second chances per case. If a block finishes early, its remaining time goes to later attempts. Each
/// attempt prepares the cases anew, which takes time.
const PASSES: usize = 2;
/// Maximum number of processes in a second chance. Three suffice for an undisturbed case, and each one has to prepare
/// every case.
pub(super) const MOST_PROCESSES: u32 = 4;

/// Returns the time limit for the second chances of `cases` cases after a run that took `spent`.
fn patience(protocol: &Protocol, cases: usize, spent: Duration) -> Duration {
    // A fixed number of samples takes as long as it takes: no time limit applies to it.
    let most_s = protocol.iterations.map_or(MOST_PATIENCE * cases as f64 * protocol.max_time_s, |_| f64::INFINITY);
    let default_s = spent.max(LEAST_PATIENCE).as_secs_f64().min(most_s);
    Duration::try_from_secs_f64(protocol.patience_s.unwrap_or(default_s)).unwrap_or(Duration::MAX)
}

/// Combines the visits of the first pass and of a second chance. Without a fixed number of samples (`quota` is `None`),
/// returns both. With a fixed number, returns only the visits of the second chance if they include all samples and are
/// undisturbed, otherwise only those of the first pass. `quota` contains the number of samples that each process still
/// has to take.
pub(super) fn combined(mut first: Samples, again: Samples, quota: Option<&[u64]>) -> Samples {
    match quota {
        None => {
            first.visits.extend(again.visits);
            first
        }
        Some(left) if left.iter().all(|&left| left == 0) && !again.contended() => again,
        Some(_) => first,
    }
}

/// Returns the first unused process number and the first unused round number of these cases. All cases of a block use
/// the same numbers, so that comparisons can pair their visits.
pub(super) fn next_numbers(disturbed: &BTreeMap<usize, Record>) -> (u32, u32) {
    let visits = || disturbed.values().flat_map(|record| &record.samples.visits);
    let after = |last: Option<u32>| last.map_or(0, |last| last.saturating_add(1));
    (after(visits().map(|visit| visit.process).max()), after(visits().map(|visit| visit.round).max()))
}

impl Measuring<'_> {
    /// Measures the disturbed cases again, until none is left or the time is up. `planned` is the number of cases in
    /// the run, and `spent` is the run's time so far. The user can stop this pass early, because every case already has
    /// a record.
    pub(super) fn second_chance(&mut self, planned: usize, spent: Duration) -> Result<(), MeasuringError> {
        if self.disturbed.is_empty() || self.observer.stopped() {
            return Ok(());
        }
        let limit = patience(self.protocol, self.disturbed.len(), spent);
        // The null case shows only the overhead, and no report counts it.
        let cases = self.disturbed.keys().filter(|position| !self.plan[**position].is_null()).count();
        if cases == 0 {
            return Ok(());
        }
        self.observer.event(Event::SecondChance { cases, limit })?;
        let end_ns = self.pool.now_ns().saturating_add(u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX));
        for pass in 0..PASSES {
            let positions: Vec<usize> = self.disturbed.keys().copied().collect();
            let mut blocks = blocks(self.plan, &positions);
            blocks.retain(|block| block.iter().any(|&at| !self.plan[at].is_null()));
            // Time spent on an incomplete fixed number of samples is lost, so these blocks do not share it with later
            // passes.
            let (plan, protocol) = (self.plan, self.protocol);
            let is_partial = |block: &[usize]| block.iter().any(|&at| protocol.asks_for_precision(&plan[at]));
            for (index, block) in blocks.iter().enumerate() {
                let now_ns = self.pool.now_ns();
                if now_ns >= end_ns {
                    return Ok(());
                }
                // Divide the remaining time among the blocks of this and later passes, so that a block that a load
                // disturbs again gets another chance, and a load that never ends does not use up all of the time.
                let later = if is_partial(block) { blocks.len() * (PASSES - pass - 1) } else { 0 };
                let chances = blocks.len() - index + later;
                let until_ns = now_ns + (end_ns - now_ns) / chances as u64;
                let done = planned.saturating_sub(self.disturbed.len());
                if self.measure(block, done, Some(until_ns))? == Outcome::Interrupted {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

impl Block<'_> {
    /// Returns whether the deadline for second chances has passed.
    pub(super) fn is_over(&self) -> bool {
        self.until_ns.is_some_and(|until_ns| self.pool.now_ns() >= until_ns)
    }

    /// Returns the number of operations per sample in the first pass, which a second chance must use again. `None` in
    /// the first pass itself.
    pub(super) fn first_batch(&self, position: usize) -> Option<u64> {
        self.until_ns?;
        Some(self.disturbed.get(&position)?.samples.batch)
    }

    /// Merges the visits from second chances that were cut short into the records of their cases. A case that no
    /// process has visited again keeps its record.
    pub(super) fn keep_unfinished(&mut self) {
        for open in std::mem::take(&mut self.open) {
            let position = open.position;
            if self.until_ns.is_some() && open.is_tried {
                let record = self.record_of(open);
                self.disturbed.insert(position, record);
            }
        }
    }
}
