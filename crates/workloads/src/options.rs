//! Options for the parameters of cases, declared once for command lines, suites and programs.
//!
//! The first paragraph of a field's doc comment is its help on the command line. A new parameter needs a field here and
//! a workload that uses it.

use crate::quantity::{megabits, milliseconds, percent};
use crate::{Keys, Senders, TlsMode, TlsNetwork, TlsSignature, Variant};
use clap::Args;
use pqlab_record::{CoinSource, Fastest, State};
use serde::{Deserialize, Deserializer, de::Error as _};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Maximum message length in bytes. Longer messages would only test memory.
const LONGEST: u64 = 16 << 20;
/// Maximum number of transactions in a block. Larger blocks would take an hour or more to verify and could fill the
/// disk.
const LARGEST_BLOCK: u64 = 1_000_000;
const MOST_THREADS: u64 = 1024;
const MOST_TASKS: u64 = 1_000_000;
/// Maximum number of signatures in a batch.
const LARGEST_BATCH: u64 = 10_000;
const MOST_INTERMEDIATES: u64 = pqlab_tls::Config::MOST_INTERMEDIATES as u64;

// Headings of the options on the command line.
const INPUTS: &str = "Keys, messages and states";
const THREADS: &str = "Threads";
const HYBRIDS: &str = "Hybrids";
const LEDGER: &str = "Blocks and batches";
const TLS: &str = "TLS and network links";

/// A parameter is outside the range that can be measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field} is {value}, but must be from {least} to {most}")]
pub struct OutOfRange {
    /// Field of [`CaseOptions`].
    pub field: &'static str,
    /// Value of the field.
    pub value: f64,
    /// Minimum allowed value.
    pub least: f64,
    /// Maximum allowed value.
    pub most: f64,
}

/// Declares the fields, the ranges of numeric fields, and the methods that cover all fields.
macro_rules! case_options {
    ($($(#[$attribute:meta])* $name:ident: $type:ty $(=> $range:expr)?,)*) => {
        /// Case parameters that a user, a suite or a program chooses. Workloads choose the parameters that are unset
        /// (`None` or an empty list).
        #[derive(Args, Clone, Debug, Default, PartialEq, Deserialize)]
        #[serde(default)]
        pub struct CaseOptions {
            $($(#[$attribute])* pub $name: $type,)*
        }

        impl CaseOptions {
            /// Returns these options, with unset parameters taken from `there`.
            pub fn or(self, there: CaseOptions) -> CaseOptions {
                CaseOptions { $($name: self.$name.or_there(there.$name),)* }
            }

            /// Checks that all numbers are within the ranges of their fields.
            ///
            /// # Errors
            /// [`OutOfRange`] for the first number outside the range of its field.
            pub fn check(&self) -> Result<(), OutOfRange> {
                $($(within(stringify!($name), self.$name.numbers(), $range)?;)?)*
                Ok(())
            }
        }
    };
}

case_options! {
    /// Message lengths, in bytes
    #[arg(help_heading = INPUTS, long, value_name = "BYTES", value_delimiter = ',', allow_hyphen_values = true)]
    lengths: Option<Vec<u64>> => 0..=LONGEST,

    /// States of caches and process: warm, evicted (caches overwritten before each call), first-call (fresh process)
    /// [default: warm, or the suite's]
    #[arg(help_heading = INPUTS, long = "state", value_name = "STATES", value_delimiter = ',')]
    #[serde(deserialize_with = "words")]
    states: Vec<State>,

    /// Signing variants: plain, deterministic, prehash, messages (published sets), sizes (of signatures)
    /// [default: plain, or the suite's]
    #[arg(help_heading = INPUTS, long = "variant", value_name = "VARIANTS", value_delimiter = ',')]
    #[serde(deserialize_with = "words")]
    variants: Vec<Variant>,

    /// Randomness for keygen, encapsulate and sign: internal (the library's generator), exact (supplied bytes)
    /// [default: internal, or the suite's]
    #[arg(help_heading = INPUTS, long, value_name = "SOURCES", value_delimiter = ',')]
    #[serde(deserialize_with = "words")]
    coins: Vec<CoinSource>,

    /// Number of keys that an operation rotates through, or pool (up to 16) [default: pool, or the suite's]
    #[arg(help_heading = INPUTS, long, value_name = "N", value_delimiter = ',', allow_hyphen_values = true)]
    #[serde(deserialize_with = "words")]
    keys: Vec<Keys>,

    /// Numbers of threads that work at the same time [default: 1, 2, 4, ... and all cores]
    #[arg(help_heading = THREADS, long, value_name = "N", value_delimiter = ',', allow_hyphen_values = true)]
    threads: Option<Vec<u64>> => 1..=MOST_THREADS,

    /// Numbers of tasks to submit together to a thread pool [default: 100,500,1000,5000]
    #[arg(help_heading = THREADS, long, value_name = "N", value_delimiter = ',', allow_hyphen_values = true)]
    tasks: Option<Vec<u64>> => 1..=MOST_TASKS,

    /// Threads in the pool for --tasks [default: all cores]
    #[arg(help_heading = THREADS, long = "pool-threads", value_name = "N", allow_hyphen_values = true)]
    workers: Option<u64> => 1..=MOST_THREADS,

    /// Library for the classical half of hybrids, or `fastest` (chosen by a short trial) [default: each]
    #[arg(help_heading = HYBRIDS, long, value_name = "P")]
    classical: Option<String>,

    /// Library for the post-quantum half of hybrids, or `fastest` (chosen by a short trial) [default: each]
    #[arg(help_heading = HYBRIDS, long, value_name = "P")]
    post_quantum: Option<String>,

    /// Transactions per ledger block [default: 1,100,1000,10000,100000, or the suite's]
    #[arg(help_heading = LEDGER, long, value_name = "COUNTS", value_delimiter = ',', allow_hyphen_values = true)]
    blocks: Option<Vec<u64>> => 1..=LARGEST_BLOCK,

    /// Signatures or transactions per batch to verify [default: 8,32,100 signatures, 100 transactions, or the suite's]
    #[arg(help_heading = LEDGER, long, value_name = "COUNTS", value_delimiter = ',', allow_hyphen_values = true)]
    at_once: Option<Vec<u64>> => 2..=LARGEST_BATCH,

    /// Different senders per block or signers per batch: all, one, a number or a percentage such as 10%
    #[arg(help_heading = LEDGER, long, value_name = "M", value_delimiter = ',', allow_hyphen_values = true)]
    #[serde(deserialize_with = "words")]
    senders: Vec<Senders>,

    /// Share of invalid transactions per block, such as 1%; a case fails unless it rejects exactly these
    #[arg(help_heading = LEDGER, long = "invalid", value_name = "PERCENT", allow_hyphen_values = true, value_parser = percentage)]
    invalid_pct: Option<f64> => 0..=100,

    /// Output lengths of extendable-output functions, in bytes [default: 32, or the suite's]
    #[arg(help_heading = INPUTS, long, value_name = "BYTES", value_delimiter = ',', allow_hyphen_values = true)]
    output_lengths: Option<Vec<u64>> => 1..=LONGEST,

    /// Signature algorithms of certificates and SSH keys: Ed25519, ECDSA-P-256, RSA-2048, ML-DSA-44, ML-DSA-65,
    /// ML-DSA-87 [default: each, or the suite's]
    #[arg(help_heading = TLS, long = "auth", value_name = "NAMES", value_delimiter = ',')]
    #[serde(deserialize_with = "words")]
    signatures: Vec<TlsSignature>,

    /// Intermediate certificates in a server's chain [default: 1, or the suite's]
    #[arg(help_heading = TLS, long = "chain", value_name = "N", value_delimiter = ',', allow_hyphen_values = true)]
    chains: Option<Vec<u64>> => 0..=MOST_INTERMEDIATES,

    /// TLS handshakes: full, client-auth, psk-dhe (resumption with a key exchange), psk (resumption without one)
    /// [default: full, or the suite's]
    #[arg(help_heading = TLS, long = "mode", value_name = "MODES", value_delimiter = ',')]
    #[serde(deserialize_with = "words")]
    modes: Vec<TlsMode>,

    /// Measure only connections over these links: datacenter, broadband, mobile, satellite, lossy-wifi
    #[arg(help_heading = TLS, long = "network", value_name = "NAMES", value_delimiter = ',')]
    #[serde(deserialize_with = "words")]
    networks: Vec<TlsNetwork>,

    /// Round-trip time of the link, such as 50ms [default: from --network, else 0]
    #[arg(help_heading = TLS, long = "rtt", value_name = "TIME", allow_hyphen_values = true, value_parser = milliseconds)]
    rtt_ms: Option<f64> => 0..=10_000,

    /// Bandwidth of the link in each direction, such as 100Mbit [default: from --network, else unlimited]
    #[arg(help_heading = TLS, long = "rate", value_name = "RATE", allow_hyphen_values = true, value_parser = megabits)]
    rate_mbit: Option<f64> => 0..=100_000,

    /// Packet loss of the link in each direction, such as 0.5% [default: from --network, else 0]
    #[arg(help_heading = TLS, long = "loss", value_name = "PERCENT", allow_hyphen_values = true, value_parser = percentage)]
    loss_pct: Option<f64> => 0..=100,

    /// Maximum packet size on the link, in bytes [default: 1500]
    #[arg(help_heading = TLS, long, value_name = "BYTES", allow_hyphen_values = true)]
    mtu: Option<u64> => 576..=65_535,

    /// Pairs of providers that were chosen for `fastest`. `None` before the choice, when `fastest` means every possible
    /// pair.
    #[arg(skip)]
    #[serde(skip)]
    fastest: Option<Vec<Fastest>>,

    /// Number of processors that the run may use. `None` for all processors that the process may use.
    #[arg(skip)]
    #[serde(skip)]
    cores: Option<usize>,
}

impl CaseOptions {
    /// Returns whether a network link is requested.
    pub fn ask_for_network(&self) -> bool {
        let own = [self.rtt_ms, self.rate_mbit, self.loss_pct];
        !self.networks.is_empty() || own.iter().any(Option::is_some) || self.mtu.is_some()
    }

    /// Returns the number of processors that the run may use.
    pub fn cores(&self) -> usize {
        self.cores.unwrap_or_else(|| pqlab_harness::affinity::allowed().len())
    }
}

/// Field of [`CaseOptions`].
trait Field: Sized {
    /// Returns this value if it is chosen, otherwise `other`.
    fn or_there(self, other: Self) -> Self;

    /// Returns the numbers in the field.
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
}

impl<T: Numbers> Field for Option<T> {
    fn or_there(self, other: Self) -> Self {
        self.or(other)
    }

    fn numbers(&self) -> Vec<f64> {
        self.as_ref().map(Numbers::numbers).unwrap_or_default()
    }
}

impl<T> Field for Vec<T> {
    fn or_there(self, other: Self) -> Self {
        if self.is_empty() { other } else { self }
    }
}

/// Value of an optional field.
trait Numbers {
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
}

impl Numbers for u64 {
    fn numbers(&self) -> Vec<f64> {
        vec![*self as f64]
    }
}

impl Numbers for f64 {
    fn numbers(&self) -> Vec<f64> {
        vec![*self]
    }
}

impl Numbers for Vec<u64> {
    fn numbers(&self) -> Vec<f64> {
        self.iter().map(|&number| number as f64).collect()
    }
}

impl Numbers for usize {}
impl Numbers for String {}
impl Numbers for Vec<Fastest> {}

fn within(field: &'static str, values: Vec<f64>, range: RangeInclusive<u64>) -> Result<(), OutOfRange> {
    let (least, most) = (*range.start() as f64, *range.end() as f64);
    match values.into_iter().find(|value| !(least..=most).contains(value)) {
        Some(value) => Err(OutOfRange { field, value, least, most }),
        None => Ok(()),
    }
}

/// Parses a list of strings.
fn words<'de, D: Deserializer<'de>, T: FromStr<Err = pqlab_record::UnknownWord>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    words.iter().map(|word| word.parse().map_err(D::Error::custom)).collect()
}

/// Parses a percentage from 0 to 100, such as `1`, `0.5` or `1%`.
fn percentage(text: &str) -> Result<f64, String> {
    let share = percent(text).ok().filter(|share| (0.0..=100.0).contains(share));
    share.ok_or_else(|| "expected a percentage from 0 to 100".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: CaseOptions,
    }

    /// Command-line arguments that set every field that users can choose. `SUITE` sets the same values in a suite.
    const LINE: &str = "x --lengths 0,32 --state evicted --variant plain,sizes --coins exact --keys pool,1 \
                        --threads 1,2 --tasks 7 --pool-threads 2 --classical fastest --post-quantum b --blocks 10 \
                        --senders one,10% --at-once 8,100 --invalid 1% --output-lengths 64 \
                        --auth ML-DSA-65,RSA-2048 --chain 0,2 --mode psk --network mobile,satellite --rtt 0.5ms \
                        --rate 20Mbit --loss 1% --mtu 1400";
    const SUITE: &str = r#"{"lengths": [0, 32], "states": ["evicted"], "variants": ["plain", "sizes"], "coins":
        ["exact"], "keys": ["pool", "1"], "threads": [1, 2], "tasks": [7], "workers": 2, "classical": "fastest",
        "post_quantum": "b", "blocks": [10], "senders": ["one", "10%"], "at_once": [8, 100], "invalid_pct": 1.0,
        "output_lengths": [64], "signatures": ["ML-DSA-65", "RSA-2048"], "chains": [0, 2], "modes": ["psk"],
        "networks": ["mobile", "satellite"], "rtt_ms": 0.5, "rate_mbit": 20, "loss_pct": 1.0, "mtu": 1400}"#;

    fn of_suite(text: &str) -> Result<CaseOptions, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_command_line_and_a_suite_give_equal_options() {
        let line = Line::try_parse_from(LINE.split_whitespace()).unwrap().options;
        assert_eq!(line, of_suite(SUITE).unwrap());
        assert_eq!(line.check(), Ok(()));
        // `LINE` must set every field, so that `or` below takes nothing from `other`.
        let text = format!("{:?}", CaseOptions { fastest: Some(Vec::new()), cores: Some(1), ..line.clone() });
        assert!(!text.contains("None") && !text.contains(": []"), "{text}");
        let other = CaseOptions { lengths: Some(vec![9]), coins: vec![CoinSource::Internal], ..CaseOptions::default() };
        assert_eq!(line.clone().or(other.clone()), line);
        assert_eq!(CaseOptions::default().or(line.clone()), line);
        assert_eq!(other.clone().or(line.clone()), CaseOptions { lengths: other.lengths, coins: other.coins, ..line });
    }

    #[test]
    fn refuses_values_that_cannot_be_measured() {
        for wrong in [
            r#"{"lengths": [16777217]}"#,
            r#"{"output_lengths": [0]}"#,
            r#"{"threads": [0]}"#,
            r#"{"threads": [1025]}"#,
            r#"{"tasks": [0]}"#,
            r#"{"workers": 0}"#,
            r#"{"blocks": [0]}"#,
            r#"{"blocks": [1000001]}"#,
            r#"{"at_once": [1]}"#,
            r#"{"invalid_pct": 100.5}"#,
            r#"{"chains": [4]}"#,
            r#"{"rtt_ms": 10001}"#,
            r#"{"mtu": 575}"#,
        ] {
            let error = of_suite(wrong).unwrap().check().unwrap_err();
            assert!(wrong.contains(error.field) && error.to_string().contains(" to "), "{error}");
        }
        for wrong in
            [r#"{"states": ["worm"]}"#, r#"{"keys": ["0"]}"#, r#"{"senders": ["none"]}"#, r#"{"modes": ["whole"]}"#]
        {
            assert!(of_suite(wrong).unwrap_err().contains("expected"), "{wrong}");
        }
        for wrong in ["x --invalid 101", "x --invalid NaN", "x --variant plane", "x --coins 1", "x --lengths -1"] {
            assert!(Line::try_parse_from(wrong.split_whitespace()).is_err(), "{wrong}");
        }
    }
}
