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

/// Default time limit for all second chances, as a fraction of the run's time.
const PATIENCE_SHARE: f64 = 0.1;
/// Minimum of the default time limit, which applies to short runs.
const LEAST_PATIENCE: Duration = Duration::from_secs(5);
/// Maximum of the default time limit, as a multiple of the disturbed cases' own time limits. A quiet machine needs
/// less.
const MOST_PATIENCE: f64 = 2.0;
/// Maximum number of second chances per case. If a block finishes early, its remaining time goes to later attempts.
const PASSES: usize = 3;

/// Returns the time limit for the second chances of `cases` cases after a run that took `spent`.
fn patience(protocol: &Protocol, cases: usize, spent: Duration) -> Duration {
    let most_s = MOST_PATIENCE * cases as f64 * protocol.max_time_s;
    let default_s = (PATIENCE_SHARE * spent.as_secs_f64()).max(LEAST_PATIENCE.as_secs_f64()).min(most_s);
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
        if cases > 0 {
            self.observer.event(Event::SecondChance { cases, limit })?;
        }
        let end_ns = self.pool.now_ns().saturating_add(u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX));
        for _ in 0..PASSES {
            let positions: Vec<usize> = self.disturbed.keys().copied().collect();
            let blocks = blocks(self.plan, &positions);
            for (index, block) in blocks.iter().enumerate() {
                let now_ns = self.pool.now_ns();
                if now_ns >= end_ns {
                    return Ok(());
                }
                // Divide the remaining time among the blocks, so that a load that never ends does not use up all of it.
                let until_ns = now_ns + (end_ns - now_ns) / (blocks.len() - index) as u64;
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

    /// Merges the visits from second chances that were cut short into the records of their cases.
    pub(super) fn keep_unfinished(&mut self) {
        for open in std::mem::take(&mut self.open) {
            let position = open.position;
            if self.until_ns.is_some() {
                let record = self.record_of(open);
                self.disturbed.insert(position, record);
            }
        }
    }
}
