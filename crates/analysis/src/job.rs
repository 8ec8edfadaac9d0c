//! How often each operation of a job is done.

use std::fmt;
use std::str::FromStr;

/// The operations that a job may have: those of a KEM, then those of a signature scheme.
pub const OPERATIONS: [&str; 5] = ["keygen", "encapsulate", "decapsulate", "sign", "verify"];
/// How many of them, from the first, are a KEM's.
pub(crate) const OF_KEM: usize = 3;
/// What a weight is at most.
const MOST: u32 = 1000;

/// How often a job does each operation of [`OPERATIONS`], as whole numbers from 0 to 1,000 of which one at least is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobWeights([u32; OPERATIONS.len()]);

impl Default for JobWeights {
    /// What both sides of a TLS 1.3 handshake (RFC 8446, section 2) do together: the client makes an ephemeral key pair of the KEM,
    /// the server encapsulates and signs, the client decapsulates and verifies two signatures, that of the handshake and that of a
    /// certificate. Key pairs of signatures are made beforehand and are no part of it.
    fn default() -> JobWeights {
        JobWeights([1, 1, 1, 1, 2])
    }
}

impl JobWeights {
    /// How often an operation of [`OPERATIONS`] is done; 0 for any other.
    pub fn of(&self, operation: &str) -> u32 {
        self.parts().find(|(name, _)| *name == operation).map_or(0, |(_, weight)| weight)
    }

    /// Operations that are done at all, each with how often.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, u32)> + '_ {
        OPERATIONS.into_iter().zip(self.0).filter(|(_, weight)| *weight > 0)
    }

    /// In words: `1 × keygen, 1 × encapsulate, 2 × verify`.
    pub fn words(&self) -> String {
        self.parts().map(|(name, weight)| format!("{weight} × {name}")).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for JobWeights {
    /// As it is parsed, without what is not done: `keygen=1,encapsulate=1,verify=2`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.parts().map(|(name, weight)| format!("{name}={weight}")).collect();
        formatter.write_str(&parts.join(","))
    }
}

/// Why a text is no [`JobWeights`], and what one looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongWeights(String);

impl fmt::Display for WrongWeights {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}; a job looks like {}", self.0, JobWeights::default())
    }
}

impl std::error::Error for WrongWeights {}

impl FromStr for JobWeights {
    type Err = WrongWeights;

    /// `keygen=1,sign=1,verify=2`: what is not named is not done.
    fn from_str(text: &str) -> Result<JobWeights, WrongWeights> {
        let mut weights = [None; OPERATIONS.len()];
        for part in text.split(',').map(str::trim) {
            let (name, number) =
                part.split_once('=').ok_or_else(|| WrongWeights(format!("{part:?} is not OPERATION=NUMBER")))?;
            let (name, number) = (name.trim(), number.trim());
            let place = OPERATIONS.iter().position(|known| *known == name).ok_or_else(|| {
                WrongWeights(format!("no operation {name:?} in a job: there are {}", OPERATIONS.join(", ")))
            })?;
            let weight = number.parse().ok().filter(|weight| *weight <= MOST).ok_or_else(|| {
                WrongWeights(format!("{name} cannot be done {number:?} times: whole numbers from 0 to {MOST}"))
            })?;
            if weights[place].replace(weight).is_some() {
                return Err(WrongWeights(format!("{name} is named twice")));
            }
        }
        let weights = weights.map(Option::unwrap_or_default);
        if weights.iter().all(|weight| *weight == 0) {
            return Err(WrongWeights("a job without operations takes no time".to_owned()));
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
        assert_eq!((other.of("verify"), other.of("sign"), other.of("keygen"), other.of("digest")), (1000, 0, 0, 0));
        assert_eq!((other.to_string().as_str(), other.words().as_str()), ("verify=1000", "1000 × verify"));
    }

    #[test]
    fn what_is_wrong_with_weights_is_said() {
        for (text, says) in [
            ("", "\"\" is not OPERATION=NUMBER"),
            ("sign=1,", "\"\" is not OPERATION=NUMBER"),
            ("sign", "\"sign\" is not OPERATION=NUMBER"),
            ("seal=1", "no operation \"seal\" in a job: there are keygen, encapsulate, decapsulate, sign, verify"),
            ("sign=0.5", "sign cannot be done \"0.5\" times: whole numbers from 0 to 1000"),
            ("sign=-1", "sign cannot be done \"-1\" times"),
            ("sign=1001", "sign cannot be done \"1001\" times"),
            ("sign=1,sign=2", "sign is named twice"),
            ("sign=0,verify=0", "a job without operations takes no time"),
        ] {
            let error = text.parse::<JobWeights>().unwrap_err().to_string();
            assert!(error.starts_with(says), "{text:?}: {error}");
            assert!(
                error.ends_with("; a job looks like keygen=1,encapsulate=1,decapsulate=1,sign=1,verify=2"),
                "{error}"
            );
        }
    }
}
