//! Jobs: how many times each operation is performed.

use std::fmt;
use std::str::FromStr;

/// Operations that a job can include: KEM operations, then signature operations.
pub const OPERATIONS: [&str; 5] = ["keygen", "encapsulate", "decapsulate", "sign", "verify"];
/// Number of KEM operations at the start of [`OPERATIONS`].
pub(crate) const OF_KEM: usize = 3;
/// Maximum weight of an operation.
const MOST: u32 = 1000;

/// Number of times that a job performs each of the [`OPERATIONS`], from 0 to 1,000. At least one number is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobWeights([u32; OPERATIONS.len()]);

impl Default for JobWeights {
    /// Returns the weights for a TLS 1.3 handshake (RFC 8446, section 2), client and server combined. The client
    /// generates an ephemeral KEM key pair, the server encapsulates and signs, and the client decapsulates and verifies
    /// two signatures: one for the handshake and one in a certificate. Signature key pairs are generated beforehand and
    /// not counted.
    fn default() -> JobWeights {
        JobWeights([1, 1, 1, 1, 2])
    }
}

impl JobWeights {
    /// Returns the weight of an operation: the number of times that the job performs it, or 0 if it is not in
    /// [`OPERATIONS`].
    pub fn count(&self, operation: &str) -> u32 {
        self.parts().find(|(name, _)| *name == operation).map_or(0, |(_, weight)| weight)
    }

    /// Returns the operations with a weight above 0, and their weights.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, u32)> + '_ {
        OPERATIONS.into_iter().zip(self.0).filter(|(_, weight)| *weight > 0)
    }

    /// Describes the weights in words: `1 × keygen, 1 × encapsulate, 2 × verify`.
    pub fn words(&self) -> String {
        self.parts().map(|(name, weight)| format!("{weight} × {name}")).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for JobWeights {
    /// Formats the weights as they are parsed, without operations of weight 0: `keygen=1,encapsulate=1,verify=2`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.parts().map(|(name, weight)| format!("{name}={weight}")).collect();
        formatter.write_str(&parts.join(","))
    }
}

/// Reason why a string is not a valid [`JobWeights`], with a valid example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongWeights(String);

impl fmt::Display for WrongWeights {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}; example: {}", self.0, JobWeights::default())
    }
}

impl std::error::Error for WrongWeights {}

impl FromStr for JobWeights {
    type Err = WrongWeights;

    /// Parses `keygen=1,sign=1,verify=2`. Operations that are not named get weight 0.
    fn from_str(text: &str) -> Result<JobWeights, WrongWeights> {
        let mut weights = [None; OPERATIONS.len()];
        for part in text.split(',').map(str::trim) {
            let (name, number) = part
                .split_once('=')
                .ok_or_else(|| WrongWeights(format!("invalid weight {part:?}; expected OPERATION=NUMBER")))?;
            let (name, number) = (name.trim(), number.trim());
            let place = OPERATIONS.iter().position(|operation| *operation == name).ok_or_else(|| {
                WrongWeights(format!("unknown operation {name:?}; expected one of {}", OPERATIONS.join(", ")))
            })?;
            let weight = number.parse().ok().filter(|weight| *weight <= MOST).ok_or_else(|| {
                WrongWeights(format!("invalid count {number:?} for {name}; expected a whole number from 0 to {MOST}"))
            })?;
            if weights[place].replace(weight).is_some() {
                return Err(WrongWeights(format!("{name} is given twice")));
            }
        }
        let weights = weights.map(Option::unwrap_or_default);
        if weights.iter().all(|weight| *weight == 0) {
            return Err(WrongWeights("at least one operation needs a count above 0".to_owned()));
        }
        Ok(JobWeights(weights))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_parsed_as_they_are_written() {
        let plain = JobWeights::default();
        assert_eq!(plain.to_string(), "keygen=1,encapsulate=1,decapsulate=1,sign=1,verify=2");
        assert_eq!(plain.to_string().parse(), Ok(plain));
        let other: JobWeights = " verify = 1000 ,sign=0".parse().unwrap();
        assert_eq!(
            (other.count("verify"), other.count("sign"), other.count("keygen"), other.count("digest")),
            (1000, 0, 0, 0)
        );
        assert_eq!((other.to_string().as_str(), other.words().as_str()), ("verify=1000", "1000 × verify"));
    }

    #[test]
    fn wrong_weights_are_explained() {
        for (text, says) in [
            ("", "invalid weight \"\"; expected OPERATION=NUMBER"),
            ("sign=1,", "invalid weight \"\"; expected OPERATION=NUMBER"),
            ("sign", "invalid weight \"sign\"; expected OPERATION=NUMBER"),
            ("seal=1", "unknown operation \"seal\"; expected one of keygen, encapsulate, decapsulate, sign, verify"),
            ("sign=0.5", "invalid count \"0.5\" for sign; expected a whole number from 0 to 1000"),
            ("sign=-1", "invalid count \"-1\" for sign"),
            ("sign=1001", "invalid count \"1001\" for sign"),
            ("sign=1,sign=2", "sign is given twice"),
            ("sign=0,verify=0", "at least one operation needs a count above 0"),
        ] {
            let error = text.parse::<JobWeights>().unwrap_err().to_string();
            assert!(error.starts_with(says), "{text:?}: {error}");
            assert!(error.ends_with("; example: keygen=1,encapsulate=1,decapsulate=1,sign=1,verify=2"), "{error}");
        }
    }
}
