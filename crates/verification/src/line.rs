use serde::{Deserialize, Serialize};

/// Result of running one suite with one algorithm, for one provider or for one ordered pair of providers.
///
/// Each vector counts once, in `attempted` or in `unsupported`. Each attempted vector passed, failed, or shows a known
/// defect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Id of the provider. In a pair, id of the provider that generates keys or signs.
    pub provider: String,
    /// In a pair, id of the provider that encapsulates, verifies or opens.
    pub peer: Option<String>,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Source and operation of the vectors, such as `ACVP ML-KEM keyGen`.
    pub suite: String,
    /// Number of vectors that were run with the provider.
    pub attempted: u64,
    /// Number of attempted vectors that passed.
    pub passed: u64,
    /// Known defects of the library ([`crate::KNOWN_DEFECTS`]) that attempted vectors show.
    pub defects: Vec<Reason>,
    /// Number of vectors that the provider or the traits do not support.
    pub unsupported: u64,
    /// Reasons why vectors are unsupported. Their counts add up to `unsupported`.
    pub reasons: Vec<Reason>,
    /// Operations with published answers, each with the number of answers that were compared.
    pub compared: Vec<Compared>,
    /// The first few failures, with the vectors' numbers.
    pub failures: Vec<String>,
    /// Reason why the suite was skipped and no vector was attempted. `None` if the suite ran. A skipped line never
    /// counts as passed.
    pub skipped: Option<String>,
}

/// Number of published answers for an operation, and number of those that were compared with the provider's answers.
/// Some answers cannot be compared. For example, a provider that accepts no caller-supplied randomness computes
/// signatures that differ from the published ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// The operation: `key generation`, `encapsulation` or `signing`.
    pub operation: String,
    /// Number of published answers that were compared with the provider's answers.
    pub asked: u64,
    /// Number of published answers.
    pub published: u64,
}

/// A reason why vectors are unsupported, or a defect that vectors show, with the number of vectors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Description for the user.
    pub reason: String,
    /// Number of vectors with this reason or defect.
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

/// Sums of the counts in several lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Number of lines.
    pub lines: u64,
    /// Number of attempted vectors.
    pub attempted: u64,
    /// Number of vectors that passed.
    pub passed: u64,
    /// Number of vectors that failed.
    pub failed: u64,
    /// Number of vectors that show a known defect.
    pub defects: u64,
    /// Number of unsupported vectors.
    pub unsupported: u64,
    /// Number of skipped lines.
    pub skipped: u64,
}

impl Totals {
    /// Returns the sums over `lines`.
    pub fn count<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Totals {
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
