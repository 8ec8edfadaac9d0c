//! Compares the time that another process reports for its timed loop with the time that this process measures.

use crate::trial::Fault;

/// Time allowed for one message in each direction, in ns. Messages are outside the other process's timed loop.
const MESSAGES_NS: u64 = 200_000;
/// Number of consecutive samples after which the case fails, if their reported times are all far too short. Shorter
/// series can occur by chance, because another program may use the core between the timed loop and the answer. On a
/// busy machine, or in a runtime that collects garbage or compiles code, most samples are affected, but not all.
const IN_A_ROW: u32 = 25;

/// Counts the latest consecutive samples of a case in which the two clocks disagree.
#[derive(Debug, Default)]
pub(crate) struct OwnTime {
    /// Number of consecutive samples with too much time outside the other process's timed loop.
    beyond: u32,
}

impl OwnTime {
    /// Returns the time to record for a sample, in ns. `reported` is the time by the other process's clock, and
    /// `measured` the time by this process's clock. Returns `reported` if it is shorter than `measured` by at most 0.2
    /// ms or 5%, whichever is more. Otherwise returns `measured`, which may be too long but never too short.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`] if `reported` is longer than `measured`, or much shorter in [`IN_A_ROW`] consecutive
    /// samples.
    pub(crate) fn judge(&mut self, reported: u64, measured: u64) -> Result<u64, Fault> {
        if reported > measured {
            let text = format!("the worker reported {reported} ns for a visit that took {measured} ns");
            return Err(Fault::WrongAnswer(text));
        }
        let beyond = measured - reported > MESSAGES_NS.max(measured / 20);
        self.beyond = if beyond { self.beyond + 1 } else { 0 };
        if self.beyond >= IN_A_ROW {
            let text = format!(
                "the worker reported {reported} ns for a visit that took {measured} ns; its times were far too short \
                 in {IN_A_ROW} consecutive visits"
            );
            return Err(Fault::WrongAnswer(text));
        }
        Ok(if beyond { measured } else { reported })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_reported_times_that_agree_and_measured_times_otherwise() {
        let mut own = OwnTime::default();
        assert_eq!(own.judge(1_000_000, 1_150_000), Ok(1_000_000));
        assert_eq!(own.judge(99_000_000, 100_000_000), Ok(99_000_000));
        assert_eq!(own.judge(1_000_000, 9_000_000), Ok(9_000_000));
        assert_eq!(own.judge(0, 100_000), Ok(0));
    }

    #[test]
    fn rejects_a_reported_time_longer_than_the_measured_one() {
        let error = OwnTime::default().judge(1_001, 1_000).unwrap_err().to_string();
        assert_eq!(error, "wrong answer: the worker reported 1001 ns for a visit that took 1000 ns");
    }

    #[test]
    fn rejects_repeated_short_times_but_not_single_disturbances() {
        let mut own = OwnTime::default();
        let results: Vec<_> = (0..IN_A_ROW).map(|_| own.judge(1_000_000, 2_000_000)).collect();
        let (last, before) = results.split_last().unwrap();
        assert!(before.iter().all(|kept| *kept == Ok(2_000_000)), "a time that is too short must not be used");
        assert!(last.as_ref().is_err_and(|error| error.to_string().contains("25 consecutive visits")));
        let mut own = OwnTime::default();
        for sample in 0..100 {
            let measured = if sample % 10 == 0 { 1_000_100 } else { 2_000_000 };
            own.judge(1_000_000, measured).unwrap();
        }
    }
}
