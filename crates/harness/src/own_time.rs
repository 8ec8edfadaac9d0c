//! Operations timed by another process: checks the time it reports for its loop against this process's clock.

use crate::trial::Fault;

/// Allowed time outside the loop, in ns: one message each way.
const MESSAGES_NS: u64 = 200_000;
/// Consecutive disagreements that cannot be chance. Another program may have the core between a loop and its answer. On
/// a machine that is building, or with a runtime that collects garbage and compiles, that happens in most visits, but
/// not in all.
const IN_A_ROW: u32 = 25;

/// State of the latest samples of a case.
#[derive(Debug, Default)]
pub(crate) struct OwnTime {
    /// Consecutive samples with more time outside the loop than allowed.
    beyond: u32,
}

impl OwnTime {
    /// Returns the time to keep, in ns, for a sample that took `said` by the other process's clock and `measured` by
    /// ours. The reported time is used if the two agree. Otherwise ours is, which may be too long but never too short.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`] if the reported time is longer than the measured one, or if [`IN_A_ROW`] consecutive
    /// samples report much less.
    pub(crate) fn judge(&mut self, said: u64, measured: u64) -> Result<u64, Fault> {
        if said > measured {
            let text = format!("the worker reported {said} ns for a visit of {measured} ns");
            return Err(Fault::WrongAnswer(text));
        }
        let beyond = measured - said > MESSAGES_NS.max(measured / 20);
        self.beyond = if beyond { self.beyond + 1 } else { 0 };
        if self.beyond >= IN_A_ROW {
            let text = format!(
                "the worker reported {said} ns for a visit of {measured} ns, and too little for \
                 {IN_A_ROW} visits in a row"
            );
            return Err(Fault::WrongAnswer(text));
        }
        Ok(if beyond { measured } else { said })
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
        assert_eq!(error, "wrong answer: the worker reported 1001 ns for a visit of 1000 ns");
    }

    #[test]
    fn rejects_repeated_short_times_but_not_single_disturbances() {
        let mut own = OwnTime::default();
        let results: Vec<_> = (0..IN_A_ROW).map(|_| own.judge(1_000_000, 2_000_000)).collect();
        let (last, before) = results.split_last().unwrap();
        assert!(before.iter().all(|kept| *kept == Ok(2_000_000)), "who tells too little gains nothing");
        assert!(last.as_ref().is_err_and(|error| error.to_string().contains("25 visits in a row")));
        let mut own = OwnTime::default();
        for sample in 0..100 {
            let measured = if sample % 10 == 0 { 1_000_100 } else { 2_000_000 };
            own.judge(1_000_000, measured).unwrap();
        }
    }
}
