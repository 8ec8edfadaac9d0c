use crate::estimates::Estimates;
use pqlab_record::Record;

/// What must be known when a figure is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// The coefficient of variation is above 5%.
    HighVariation,
    /// The coefficient of variation is from 3 to 5%.
    Variation,
    /// The measurement was contended.
    Contended,
    /// The case became slower or faster while it was measured.
    Drifting,
    /// The wanted precision was not reached in the time given.
    Imprecise,
    /// A known defect of the library concerns what was measured.
    Defect,
}

impl Mark {
    /// All marks, in the order in which they are shown.
    pub const ALL: [Mark; 6] =
        [Mark::HighVariation, Mark::Variation, Mark::Contended, Mark::Drifting, Mark::Imprecise, Mark::Defect];

    /// The marks of a case.
    pub fn of(record: &Record, estimates: &Estimates) -> Vec<Mark> {
        let variation = estimates.operations().and_then(|operations| operations.cov_pct).unwrap_or(0.0);
        let holds = |mark: &Mark| match mark {
            Mark::HighVariation => variation > 5.0,
            Mark::Variation => (3.0..=5.0).contains(&variation),
            Mark::Contended => estimates.contended,
            Mark::Drifting => estimates.drift.is_some_and(|drift| drift.drifting),
            Mark::Imprecise => !record.precision_reached,
            Mark::Defect => record.case.facts.defect.is_some(),
        };
        Mark::ALL.into_iter().filter(holds).collect()
    }

    /// How it is shown.
    pub fn symbol(self) -> char {
        match self {
            Mark::HighVariation => '*',
            Mark::Variation => '~',
            Mark::Contended => '!',
            Mark::Drifting => '/',
            Mark::Imprecise => '?',
            Mark::Defect => '^',
        }
    }

    /// What it says.
    pub fn legend(self) -> &'static str {
        match self {
            Mark::HighVariation => "CoV above 5%",
            Mark::Variation => "CoV 3% to 5%",
            Mark::Contended => "contended: something else ran on the machine",
            Mark::Drifting => "drifting: it became slower or faster while it was measured",
            Mark::Imprecise => "the target precision was not reached in the time given",
            Mark::Defect => "known defect: the library does not do all that the standard demands here",
        }
    }
}

/// The symbols of a case, one behind the other.
pub(super) fn symbols(record: &Record, estimates: &Estimates) -> String {
    Mark::of(record, estimates).into_iter().map(Mark::symbol).collect()
}
