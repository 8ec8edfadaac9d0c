//! Operations that are timed by somebody else: what a process in another language says of its loop, held against this
//! process's clock around it.

use crate::trial::Fault;

/// What may pass beside a loop, in ns: a message each way.
const MESSAGES_NS: u64 = 200_000;
/// So many samples in a row that do not agree are no chance. Between a loop and its answer somebody else may have the core: on a
/// machine that builds meanwhile, or with a runtime that collects and compiles there, in most of the visits; but not in all.
const IN_A_ROW: u32 = 25;

/// The latest samples of a case.
#[derive(Debug, Default)]
pub(crate) struct OwnTime {
    /// Samples in a row beside whose loop more passed than may.
    beyond: u32,
}

impl OwnTime {
    /// The figure to keep of a sample that took `said` by its own clock, and `measured` by ours around it, in ns. What is said is
    /// believed where the two agree; else ours is kept, which may be too long and never too short.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`] for a time that is longer than what passed, and where all of the latest samples are said to have
    /// taken less than they did.
    pub(crate) fn judge(&mut self, said: u64, measured: u64) -> Result<u64, Fault> {
        if said > measured {
            let text = format!("{said} ns are said to have passed in a visit of {measured} ns");
            return Err(Fault::WrongAnswer(text));
        }
        let beyond = measured - said > MESSAGES_NS.max(measured / 20);
        self.beyond = if beyond { self.beyond + 1 } else { 0 };
        if self.beyond >= IN_A_ROW {
            let text = format!(
                "{said} ns are said to have passed in a visit of {measured} ns, and {IN_A_ROW} visits in a row are like that"
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
    fn what_agrees_is_believed_and_what_does_not_is_measured() {
        let mut own = OwnTime::default();
        assert_eq!(own.judge(1_000_000, 1_150_000), Ok(1_000_000));
        assert_eq!(own.judge(99_000_000, 100_000_000), Ok(99_000_000));
        assert_eq!(own.judge(1_000_000, 9_000_000), Ok(9_000_000));
        assert_eq!(own.judge(0, 100_000), Ok(0));
    }

    #[test]
    fn a_time_that_did_not_pass_is_a_wrong_answer() {
        let error = OwnTime::default().judge(1_001, 1_000).unwrap_err().to_string();
        assert_eq!(error, "wrong answer: 1001 ns are said to have passed in a visit of 1000 ns");
    }

    #[test]
    fn who_tells_too_little_is_found_and_who_was_disturbed_is_not() {
        let mut own = OwnTime::default();
        let told: Vec<_> = (0..IN_A_ROW).map(|_| own.judge(1_000_000, 2_000_000)).collect();
        let (last, before) = told.split_last().unwrap();
        assert!(before.iter().all(|kept| *kept == Ok(2_000_000)), "who tells too little gains nothing");
        assert!(last.as_ref().is_err_and(|error| error.to_string().contains("25 visits in a row")));
        let mut own = OwnTime::default();
        for sample in 0..100 {
            let measured = if sample % 10 == 0 { 1_000_100 } else { 2_000_000 };
            own.judge(1_000_000, measured).unwrap();
        }
    }
}
