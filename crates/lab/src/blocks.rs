//! What a suite or a command line says of a ledger's blocks.

use crate::LabError;
use pqlab_workloads::{Options, Senders};

/// Reads how many different senders a block has: `all`, `one`, a number, or a percentage.
///
/// # Errors
/// [`LabError::Invalid`] for anything else.
pub fn senders(text: &str) -> Result<Senders, LabError> {
    let senders = match text {
        "all" => Some(Senders::All),
        "one" => Some(Senders::Number(1)),
        text => match text.strip_suffix('%') {
            Some(share) => share.parse().ok().filter(|share| *share > 0.0 && *share <= 100.0).map(Senders::Percent),
            None => text.parse().ok().filter(|number| *number > 0).map(Senders::Number),
        },
    };
    senders.ok_or_else(|| {
        LabError::invalid("senders", format!("{text:?} senders: it must be all, one, a number or a percentage"))
    })
}

/// The numbers of senders that are asked for, else a suite's own.
pub(crate) fn chosen_senders(asked: Option<&Vec<Senders>>, own: &[String]) -> Result<Option<Vec<Senders>>, LabError> {
    match asked {
        Some(asked) => Ok(Some(asked.clone())),
        None if own.is_empty() => Ok(None),
        None => own.iter().map(|text| senders(text)).collect::<Result<_, _>>().map(Some),
    }
}

/// Refuses blocks that are no cases.
pub(crate) fn check(options: &Options) -> Result<(), LabError> {
    /// Transactions: a block that takes an hour to verify is no case, and a disk has an end.
    const LARGEST: u64 = 1_000_000;
    if let Some(block) = options.blocks.iter().flatten().find(|block| !(1..=LARGEST).contains(*block)) {
        let reason = format!("a block of {block} transactions cannot be a case: from 1 to {LARGEST}");
        return Err(LabError::invalid("blocks", reason));
    }
    match options.invalid_pct {
        Some(share) if !(0.0..=100.0).contains(&share) => {
            Err(LabError::invalid("invalid_pct", format!("{share}% invalid transactions: it must be from 0 to 100")))
        }
        _ => Ok(()),
    }
}
