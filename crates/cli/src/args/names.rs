use clap::ValueEnum;
use pqlab_lab::report::Names;

/// What rows are called in an export.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamesName {
    /// The ids of cases
    Ids,
    /// As the reference's ledger benchmark calls the same work: BM_Verify100Transactions
    Reference,
}

impl From<NamesName> for Names {
    fn from(name: NamesName) -> Names {
        match name {
            NamesName::Ids => Names::Ids,
            NamesName::Reference => Names::Reference,
        }
    }
}
