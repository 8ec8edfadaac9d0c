//! Effect of interruptions of the core on the figures of a case. The hypervisor, the kernel and the firmware interrupt
//! the core without reporting it. pqlab measures interruptions once, when the run begins.

use crate::case::CaseAnalysis;
use crate::estimates::{Estimates, scaled};
use pqlab_record::{CyclesSource, Interruptions};
use pqlab_stats::Interval;

/// Percentiles that interruptions can raise, with their names.
const PERCENTILES: [(&str, f64); 3] = [("p75", 0.75), ("p95", 0.95), ("p99", 0.99)];

/// Minimum distance from the median to a percentile that counts as interrupted, as a fraction of the length of an
/// interruption.
const PART: f64 = 0.5;

impl CaseAnalysis<'_> {
    /// Returns the interruptions during the case's samples; `None` if they were not measured, if there were none, or if
    /// the operation does not compute on a single thread.
    fn interruptions(&self) -> Option<&Interruptions> {
        let interruptions = self.header().environment.core.as_ref()?.interruptions.as_ref()?;
        (interruptions.share_pct > 0.0 && self.case().computes()).then_some(interruptions)
    }

    /// Returns the mean time of one operation in ns without interruptions, with its interval. Returns `None` if there
    /// is no interruption to subtract, or if trimming may have removed the interrupted samples.
    pub fn uninterrupted_mean_ns(&self) -> Option<Interval> {
        let interruptions = self.interruptions().filter(|_| self.header().protocol.trim_pct == 0.0)?;
        Some(uninterrupted(&self.estimates.as_ref()?.mean_ns, interruptions))
    }

    /// Returns the mean core cycles of one operation without interruptions. Returns `None` if there is no interruption
    /// to subtract, if trimming may have removed the interrupted samples, or if the cycles are unknown. Also returns
    /// `None` if the cycles were counted, because a guest's counters stop while the hypervisor interrupts the guest.
    pub fn uninterrupted_mean_cycles(&self) -> Option<Interval> {
        let interruptions = self.interruptions().filter(|_| self.header().protocol.trim_pct == 0.0)?;
        let cycles = self.estimates.as_ref()?.cycles.filter(|cycles| cycles.source == CyclesSource::Estimated)?;
        Some(uninterrupted(&cycles.mean, interruptions))
    }

    /// Returns the names of the percentiles that contain an interruption: `p75`, `p95`, `p99`. Returns `None` if no
    /// interruptions were measured, or if the operation does not compute on a single thread.
    pub fn interrupted_percentiles(&self) -> Option<Vec<&'static str>> {
        let (interruptions, estimates) = (self.interruptions()?, self.estimates.as_ref()?);
        Some(percentiles(estimates, interruptions))
    }
}

/// Subtracts the share of interruptions from a mean. Interruptions take the same share of any period, so they lengthen
/// every mean by the same factor.
fn uninterrupted(mean: &Interval, interruptions: &Interruptions) -> Interval {
    scaled(mean, 1.0 - (interruptions.share_pct / 100.0).clamp(0.0, 0.99))
}

/// Returns the percentiles that contain an interruption. Such a percentile exceeds the median by at least half the
/// length of an interruption, and the share of interrupted samples is large enough to reach it.
fn percentiles(estimates: &Estimates, interruptions: &Interruptions) -> Vec<&'static str> {
    let median_ns = estimates.samples_ns.median;
    let met = 1.0 - (-interruptions.per_ms * median_ns / 1e6).exp();
    let length_ns = 1e3 * interruptions.typical_us;
    let contains = |&(_, order): &(&str, f64)| {
        let beyond = estimates.percentile(order).is_some_and(|value| value - median_ns >= PART * length_ns);
        beyond && met >= 1.0 - order
    };
    PERCENTILES.iter().filter(|percentile| contains(percentile)).map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::{CoreChecks, Run};

    /// Returns a run of one case that takes 75 µs on a simulated clock. Two interruptions per millisecond take 12 µs
    /// each.
    fn interrupted() -> Run {
        let mut run = fixtures::run();
        run.records.truncate(1);
        let samples = &mut run.records[0].samples;
        let ns_per_tick = samples.ns_per_tick.unwrap();
        let (mut now, mut next) = (0.0, 250_000.0);
        for visit in &mut samples.visits {
            for ticks in &mut visit.ticks {
                let mut ns = 75_000.0;
                while next < now + ns {
                    (ns, next) = (ns + 12_000.0, next + 500_000.0);
                }
                now += ns;
                *ticks = (ns / ns_per_tick) as u64;
            }
        }
        let interruptions = Some(Interruptions { per_ms: 2.0, typical_us: 12.0, share_pct: 2.4 });
        run.header.environment.core = Some(CoreChecks { interruptions, ..CoreChecks::default() });
        run
    }

    #[test]
    fn means_without_interruptions_are_those_of_the_work_alone() {
        let run = interrupted();
        let case = CaseAnalysis::new(&run.header, &run.records[0]);
        let mean = case.estimates.as_ref().unwrap().mean_ns.estimate;
        let clean = case.uninterrupted_mean_ns().unwrap();
        assert!(mean > 76_500.0, "{mean}");
        assert!((clean.estimate / 75_000.0 - 1.0).abs() < 0.002, "{clean:?}");
        assert!(clean.low < clean.estimate && clean.estimate < clean.high);
        let cycles = case.uninterrupted_mean_cycles().unwrap().estimate;
        assert!((cycles / (75_000.0 * 2.7) - 1.0).abs() < 0.002, "{cycles}");
    }

    #[test]
    fn percentiles_that_contain_an_interruption_are_marked() {
        let mut run = interrupted();
        // One sample in seven meets an interruption: more than 5%, and fewer than 25%.
        let marked = |run: &Run| CaseAnalysis::new(&run.header, &run.records[0]).interrupted_percentiles();
        assert_eq!(marked(&run), Some(vec!["p95", "p99"]));
        run.header.protocol.trim_pct = 1.0;
        assert_eq!(CaseAnalysis::new(&run.header, &run.records[0]).uninterrupted_mean_ns(), None);
        run.header.environment.core.as_mut().unwrap().interruptions.as_mut().unwrap().per_ms = 0.2;
        assert_eq!(marked(&run), Some(vec!["p99"]), "1.5% of the samples meet an interruption");
        run.header.environment.core = None;
        assert_eq!(marked(&run), None);
    }
}
