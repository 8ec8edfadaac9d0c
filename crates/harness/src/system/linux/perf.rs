//! Counts core cycles and instructions with the performance-monitoring unit, through Linux's `perf_event_open`.
//!
//! The counts include only the calling thread's work in user mode. The separately recorded wall time also includes time
//! in the kernel (interrupts, page faults, `getrandom`).

use crate::counter::{Counter, EventProbe};
use perf_event::events::{Event, Hardware};
use perf_event::{Builder, Sampler};
use pqlab_record::Metric;
use std::io;

/// Iterations of the loop that tests a counter. After this many, a count of zero cannot be chance.
const TRIAL_TURNS: u64 = 10_000;

/// Counter for a hardware event. It counts only the thread that opened it.
pub(super) struct Perf {
    metric: Metric,
    sampler: Sampler,
    user: bool,
    begin: u64,
}

impl Perf {
    /// Opens a counter and starts it. `metric` must be [`Metric::Cycles`] or [`Metric::Instructions`]. If `user` is
    /// set, readings use `rdpmc` whenever the kernel allows it.
    ///
    /// # Errors
    /// The error from the kernel.
    pub(super) fn open(metric: Metric, user: bool) -> io::Result<Perf> {
        Perf::count(
            if metric == Metric::Instructions { Hardware::INSTRUCTIONS } else { Hardware::CPU_CYCLES },
            metric,
            user,
        )
    }

    fn count(event: impl Event, metric: Metric, user: bool) -> io::Result<Perf> {
        // Pin the counter to the performance-monitoring unit. Otherwise the kernel may share the
        // unit among several counters and extrapolate their counts.
        let mut counter = Builder::new(event).pinned(true).build()?;
        counter.enable()?;
        Ok(Perf { metric, sampler: counter.sampled(0)?, user, begin: 0 })
    }

    fn read(&mut self) -> io::Result<u64> {
        fence();
        let by_user = if self.user { self.sampler.read_user().count() } else { None };
        let count = match by_user {
            Some(count) => count,
            None => self.sampler.read()?,
        };
        fence();
        Ok(count)
    }

    fn expect(&mut self) -> u64 {
        self.read().unwrap_or_else(|error| panic!("the performance counter failed while it was in use: {error}"))
    }
}

impl Counter for Perf {
    fn metric(&self) -> Metric {
        self.metric
    }

    #[inline]
    fn start(&mut self) {
        self.begin = self.expect();
    }

    #[inline]
    fn stop(&mut self) -> u64 {
        self.expect().wrapping_sub(self.begin)
    }
}

/// Tests whether and how an event can be counted on this machine.
pub(super) fn probe(metric: Metric) -> EventProbe {
    let mut perf = match Perf::open(metric, false) {
        Ok(perf) => perf,
        Err(error) => return EventProbe::Refused(error.raw_os_error().unwrap_or(0)),
    };
    let Ok(before) = perf.read() else { return EventProbe::Silent };
    for turn in 0..TRIAL_TURNS {
        std::hint::black_box(turn);
    }
    match perf.read() {
        Ok(after) if after > before => {}
        _ => return EventProbe::Silent,
    }
    if perf.sampler.read_user().count().is_some() { EventProbe::User } else { EventProbe::Kernel }
}

/// Keeps instructions from moving across a reading. `rdpmc` alone does not order them.
#[inline]
fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: `lfence` is part of SSE2, which every x86-64 processor has.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the barrier touches neither registers nor memory.
    unsafe {
        std::arch::asm!("isb", options(nomem, nostack));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perf_event::events::Software;
    use pqlab_testing::{Need, require};

    #[test]
    fn reads_by_system_call_if_the_register_is_not_readable() {
        // A software event, which counts ns, needs no performance-monitoring unit and has no
        // register to read.
        let clock = Perf::count(Software::TASK_CLOCK, Metric::Cycles, true);
        let mut clock = require!(clock, Need::Machine("permission to count software events"));
        assert!(clock.sampler.read_user().count().is_none());
        clock.start();
        let begin = crate::clock::thread_cpu_ns();
        while crate::clock::thread_cpu_ns() < begin + 1_000_000 {}
        assert!(clock.stop() >= 1_000_000);
        assert_eq!(clock.metric(), Metric::Cycles);
    }

    #[test]
    fn a_probe_answers_on_every_machine() {
        for metric in [Metric::Cycles, Metric::Instructions] {
            match probe(metric) {
                EventProbe::Refused(errno) => assert_ne!(errno, 0),
                EventProbe::Foreign => panic!("Linux must not be reported as an unsupported system"),
                EventProbe::User | EventProbe::Kernel | EventProbe::Silent => {
                    Perf::open(metric, true).unwrap();
                }
            }
        }
    }
}
