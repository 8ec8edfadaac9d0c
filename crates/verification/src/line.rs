use serde::{Deserialize, Serialize};

/// What became of one suite of vectors with one algorithm of one provider, or of one ordered pair of providers.
///
/// Every vector is counted once: `attempted + unsupported` is how many there are, and what was attempted passed, failed,
/// or shows a known defect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The provider's id; of a pair, the one that makes keys or signs.
    pub provider: String,
    /// Of a pair, the one that answers: encapsulates, verifies, opens.
    pub peer: Option<String>,
    /// The algorithm's name.
    pub algorithm: String,
    /// Where the vectors are from and what they ask, such as `ACVP ML-KEM keyGen`.
    pub suite: String,
    /// Vectors that were put to the provider.
    pub attempted: u64,
    /// Those of them that came out right.
    pub passed: u64,
    /// Those of them that show a defect of the library that is known ([`crate::KNOWN_DEFECTS`]).
    pub defects: Vec<Reason>,
    /// Vectors that the provider, or the traits, offer nothing for.
    pub unsupported: u64,
    /// Why they are unsupported; the counts add up to `unsupported`.
    pub reasons: Vec<Reason>,
    /// The first few failures, each with the vector's own number.
    pub failures: Vec<String>,
    /// Why nothing was attempted at all, where that is so. A skipped line never counts as passed.
    pub skipped: Option<String>,
}

/// Why vectors are unsupported, or which defect they show, and how many of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// As one would tell a user.
    pub reason: String,
    /// Number of vectors.
    pub count: u64,
}

impl Line {
    /// Vectors that came out wrong.
    pub fn failed(&self) -> u64 {
        self.attempted.saturating_sub(self.passed + self.known())
    }

    /// Vectors that show a known defect.
    pub fn known(&self) -> u64 {
        self.defects.iter().map(|defect| defect.count).sum()
    }
}

/// Sums over lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Lines.
    pub lines: u64,
    /// Vectors that were attempted.
    pub attempted: u64,
    /// Vectors that passed.
    pub passed: u64,
    /// Vectors that failed.
    pub failed: u64,
    /// Vectors that show a known defect.
    pub defects: u64,
    /// Vectors that are unsupported.
    pub unsupported: u64,
    /// Lines that were skipped.
    pub skipped: u64,
}

impl Totals {
    /// The sums over `lines`.
    pub fn of<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Totals {
        let mut totals = Totals::default();
        for line in lines {
            totals.lines += 1;
            totals.attempted += line.attempted;
            totals.passed += line.passed;
            totals.failed += line.failed();
            totals.defects += line.known();
            totals.unsupported += line.unsupported;
            totals.skipped += u64::from(line.skipped.is_some());
        }
        totals
    }
}
