//! Tally of passed, failed and unsupported vectors.

use crate::{Compared, KnownDefect, Line, Reason};
use pqlab_primitives::Error;
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of failures that a line quotes.
const QUOTED: usize = 5;

/// Reason why a vector did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The provider or the traits do not support the vector.
    Unsupported(String),
    /// The provider cannot reproduce this published answer, for example because it accepts no caller-supplied
    /// randomness.
    NotAsked(String),
    /// The answer is wrong.
    Wrong(String),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        match error {
            Error::Unsupported(reason) => Fault::Unsupported(reason.to_owned()),
            other => Fault::Wrong(other.to_string()),
        }
    }
}

/// Result of checking one vector.
pub(crate) type Checked = Result<(), Fault>;

/// Counts for one line.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    attempted: u64,
    passed: u64,
    reasons: BTreeMap<String, u64>,
    failures: Vec<String>,
    known: Vec<&'static KnownDefect>,
    defects: BTreeMap<&'static str, u64>,
    compared: Vec<Compared>,
}

impl Tally {
    /// Creates a tally that recognizes these known defects.
    pub(crate) fn with(known: Vec<&'static KnownDefect>) -> Tally {
        Tally { known, ..Tally::default() }
    }

    /// Checks a vector that may show a known defect. `marks` are the vector's flags and comment in its suite.
    pub(crate) fn check_marked(&mut self, id: impl Display, marks: &[String], vector: impl FnOnce() -> Checked) {
        let known = self.known.iter().find(|defect| marks.iter().any(|mark| mark == defect.mark)).copied();
        match (caught(vector), known) {
            (Err(Fault::Wrong(_)), Some(defect)) => {
                self.attempted += 1;
                *self.defects.entry(defect.what).or_default() += 1;
            }
            (outcome, _) => self.check(id, || outcome),
        }
    }

    /// Checks one vector. A panic counts as a failure of that vector.
    pub(crate) fn check(&mut self, id: impl Display, vector: impl FnOnce() -> Checked) {
        match caught(vector) {
            Ok(()) => {
                self.attempted += 1;
                self.passed += 1;
            }
            Err(Fault::Unsupported(reason) | Fault::NotAsked(reason)) => self.unsupported(reason),
            Err(Fault::Wrong(reason)) => self.fail(id, &reason),
        }
    }

    /// Checks a vector that contains the published answer of an operation. Also counts whether the answer could be
    /// compared.
    pub(crate) fn answer(&mut self, operation: &str, id: impl Display, vector: impl FnOnce() -> Checked) {
        let outcome = caught(vector);
        let asked = match &outcome {
            Ok(()) | Err(Fault::Wrong(_)) => Some(1),
            Err(Fault::NotAsked(_)) => Some(0),
            Err(Fault::Unsupported(_)) => None,
        };
        if let Some(asked) = asked {
            let place = self.compared.iter().position(|compared| compared.operation == operation);
            let place = place.unwrap_or_else(|| {
                self.compared.push(Compared { operation: operation.to_owned(), asked: 0, published: 0 });
                self.compared.len() - 1
            });
            self.compared[place].asked += asked;
            self.compared[place].published += 1;
        }
        self.check(id, || outcome);
    }

    /// Counts an unsupported vector.
    pub(crate) fn unsupported(&mut self, reason: impl Into<String>) {
        *self.reasons.entry(reason.into()).or_default() += 1;
    }

    /// Counts a failure.
    pub(crate) fn fail(&mut self, id: impl Display, reason: &str) {
        self.attempted += 1;
        if self.failures.len() < QUOTED {
            self.failures.push(format!("{id}: {reason}"));
        }
    }

    /// Returns whether no vector was counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.attempted == 0 && self.reasons.is_empty()
    }

    /// Converts the counts to a line.
    pub(crate) fn line(self, provider: &str, peer: Option<&str>, algorithm: &str, suite: &str) -> Line {
        let reasons: Vec<Reason> = self.reasons.into_iter().map(|(reason, count)| Reason { reason, count }).collect();
        let defects = self.defects.into_iter().map(|(what, count)| Reason { reason: what.to_owned(), count });
        Line {
            provider: provider.to_owned(),
            peer: peer.map(str::to_owned),
            algorithm: algorithm.to_owned(),
            suite: suite.to_owned(),
            attempted: self.attempted,
            passed: self.passed,
            defects: defects.collect(),
            unsupported: reasons.iter().map(|reason| reason.count).sum(),
            reasons,
            compared: self.compared,
            failures: self.failures,
            skipped: None,
        }
    }
}

/// Number of checks that have finished in this process.
static FINISHED: AtomicU64 = AtomicU64::new(0);

/// Returns the number of checks that have finished in this process. If the number stays the same for a long time, a
/// library call probably hangs.
pub fn finished_checks() -> u64 {
    FINISHED.load(Ordering::Relaxed)
}

/// Runs a call, and reports a panic as a wrong answer.
pub(crate) fn caught<T>(call: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    let outcome = catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|panic| Err(Fault::Wrong(format!("panicked: {}", panic_message(panic.as_ref())))));
    FINISHED.fetch_add(1, Ordering::Relaxed);
    outcome
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "no message",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vector_is_counted_once() {
        let mut tally = Tally::default();
        assert!(tally.is_empty());
        tally.check(1, || Ok(()));
        tally.check(2, || Err(Error::VerificationFailed.into()));
        tally.check(3, || Err(Error::Unsupported("no such thing").into()));
        tally.check(4, || Err(Error::Unsupported("no such thing").into()));
        tally.check(5, || panic!("on vector {}", 5));
        for id in 6..16 {
            tally.fail(id, "wrong");
        }
        let line = tally.line("a", Some("b"), "X", "suite");
        assert_eq!((line.attempted, line.passed, line.failed(), line.unsupported), (13, 1, 12, 2));
        assert_eq!(line.reasons, [Reason { reason: "no such thing".to_owned(), count: 2 }]);
        assert_eq!(line.failures.len(), QUOTED);
        assert_eq!(line.failures[0], "2: verification failed");
        assert_eq!(line.failures[1], "5: panicked: on vector 5");
    }

    #[test]
    fn counts_the_answers_that_could_be_asked() {
        let mut tally = Tally::default();
        tally.answer("signing", 1, || Ok(()));
        tally.answer("signing", 2, || Err(Fault::NotAsked("no coins".to_owned())));
        tally.answer("signing", 3, || Err(Fault::Unsupported("another algorithm".to_owned())));
        tally.answer("signing", 4, || Err(Fault::Wrong("wrong".to_owned())));
        tally.answer("key generation", 5, || Ok(()));
        let line = tally.line("a", None, "X", "suite");
        let compared =
            |operation: &str, asked, published| Compared { operation: operation.to_owned(), asked, published };
        assert_eq!(line.compared, [compared("signing", 2, 3), compared("key generation", 1, 1)]);
        assert_eq!((line.attempted, line.unsupported), (3, 2));
    }

    #[test]
    fn known_defects_count_as_neither_passed_nor_failed() {
        let defect = &crate::KNOWN_DEFECTS[0];
        let mut tally = Tally::with(vec![defect]);
        let (marked, other) = ([defect.mark.to_owned()], ["Other".to_owned()]);
        tally.check_marked(1, &marked, || Err(Fault::Wrong("accepted".to_owned())));
        tally.check_marked(2, &marked, || Ok(()));
        tally.check_marked(3, &marked, || Err(Fault::Unsupported("no".to_owned())));
        tally.check_marked(4, &other, || Err(Fault::Wrong("accepted".to_owned())));
        let line = tally.line("a", None, "X", "suite");
        assert_eq!((line.attempted, line.passed, line.failed(), line.known(), line.unsupported), (3, 1, 1, 1, 1));
        assert_eq!(line.defects, [Reason { reason: defect.what.to_owned(), count: 1 }]);
    }
}
