//! What a suite or a command line says of how many keys an operation takes in turn.

use crate::LabError;
use pqlab_workloads::Keys;

/// Most keys that a case may take in turn.
const MOST: u64 = 4096;

/// Reads how many keys an operation takes in turn: `pool`, or a number.
///
/// # Errors
/// [`LabError::Invalid`] for anything else.
pub fn keys(text: &str) -> Result<Keys, LabError> {
    let keys = match text {
        "pool" => Some(Keys::Pool),
        text => text.parse().ok().filter(|number| (1..=MOST).contains(number)).map(Keys::Number),
    };
    keys.ok_or_else(|| {
        LabError::invalid("keys", format!("{text:?} keys: it must be pool, or a number from 1 to {MOST}"))
    })
}

/// All that a suite names.
pub(crate) fn all(texts: &[String]) -> Result<Vec<Keys>, LabError> {
    texts.iter().map(|text| keys(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_pool_or_a_number() {
        assert_eq!((keys("pool").unwrap(), keys("1").unwrap()), (Keys::Pool, Keys::Number(1)));
        for wrong in ["", "0", "-1", "4097", "one"] {
            assert!(keys(wrong).is_err(), "{wrong}");
        }
    }
}
