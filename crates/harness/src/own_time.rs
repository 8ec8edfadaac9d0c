//! Operations that are timed by somebody else: what a process in another language says of its loop, held against this
//! process's clock around it.

use crate::trial::Fault;
use std::collections::VecDeque;

/// What may pass beside a loop, in ns: a message each way.
const MESSAGES_NS: u64 = 200_000;
/// Samples that are looked at together. Now and then somebody else has the core between a loop and its answer.
const LATEST: usize = 9;
/// Samples before there is a verdict.
const LEAST: usize = 5;

/// The latest samples of a case.
#[derive(Debug, Default)]
pub(crate) struct OwnTime {
    /// Whether more passed beside the loop than may.
    beyond: VecDeque<bool>,
}

impl OwnTime {
    /// The figure to keep of a sample that took `said` by its own clock, and `measured` by ours around it, in ns. What is said is
    /// believed where the two agree; else ours is kept, which may be too long and never too short.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`] for a time that is longer than what passed, and where most of the latest samples are said to have
    /// taken less than they did.
    pub(crate) fn judge(&mut self, said: u64, measured: u64) -> Result<u64, Fault> {
        if said > measured {
            let text = format!("{said} ns are said to have passed in a visit of {measured} ns");
            return Err(Fault::WrongAnswer(text));
        }
        let beyond = measured - said > MESSAGES_NS.max(measured / 20);
        self.beyond.push_back(beyond);
        if self.beyond.len() > LATEST {
            self.beyond.pop_front();
        }
        let count = self.beyond.iter().filter(|beyond| **beyond).count();
        if self.beyond.len() >= LEAST && 2 * count > self.beyond.len() {
            let text = format!(
                "{said} ns are said to have passed in a visit of {measured} ns, and {count} of {} visits are like that",
                self.beyond.len()
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
    fn who_tells_too_little_most_of_the_time_is_found_and_who_was_disturbed_is_not() {
        let mut own = OwnTime::default();
        let told: Vec<_> = (0..LEAST).map(|_| own.judge(1_000_000, 2_000_000)).collect();
        assert!(told[..LEAST - 1].iter().all(|kept| *kept == Ok(2_000_000)));
        assert!(told[LEAST - 1].as_ref().is_err_and(|error| error.to_string().contains("5 of 5 visits")));
        let mut own = OwnTime::default();
        for sample in 0..100 {
            let measured = if sample % 3 == 0 { 2_000_000 } else { 1_000_100 };
            own.judge(1_000_000, measured).unwrap();
        }
    }
}
