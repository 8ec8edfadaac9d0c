use serde::{Deserialize, Serialize};

/// Result of one suite of vectors with one algorithm of one provider, or of one ordered pair of providers.
///
/// Every vector is counted once: their number is `attempted + unsupported`, and each attempted vector passed, failed,
/// or shows a known defect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Id of the provider; for a pair, the one that generates keys or signs.
    pub provider: String,
    /// For a pair, the provider that answers: encapsulates, verifies, opens.
    pub peer: Option<String>,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Source and operation of the vectors, such as `ACVP ML-KEM keyGen`.
    pub suite: String,
    /// Number of vectors tried with the provider.
    pub attempted: u64,
    /// Number of these that passed.
    pub passed: u64,
    /// Those of them that show a known defect of the library ([`crate::KNOWN_DEFECTS`]).
    pub defects: Vec<Reason>,
    /// Number of vectors that the provider or the traits do not support.
    pub unsupported: u64,
    /// Reasons why they are unsupported; the counts add up to `unsupported`.
    pub reasons: Vec<Reason>,
    /// The first few failures, each with the vector's number.
    pub failures: Vec<String>,
    /// Reason if nothing was attempted at all. A skipped line never counts as passed.
    pub skipped: Option<String>,
}

/// Reason why vectors are unsupported, or the defect that they show, with their number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Text for the user.
    pub reason: String,
    /// Number of vectors.
    pub count: u64,
}

impl Line {
    /// Returns the number of vectors that failed.
    pub fn failed(&self) -> u64 {
        self.attempted.saturating_sub(self.passed + self.known())
    }

    /// Returns the number of vectors that show a known defect.
    pub fn known(&self) -> u64 {
        self.defects.iter().map(|defect| defect.count).sum()
    }
}

/// Sums over lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Number of lines.
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
    /// Sums up `lines`.
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
