//! Arguments of `pqlab ledger`.

use super::{FormatArgs, positive};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Generate and verify block files of signed transactions.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ledger generate --count 10000 --scheme ML-DSA-65 --invalid 1 --out block.tx
  pqlab ledger verify block.tx

Exit codes: 0 done; 1 a transaction was rejected; 2 bad usage, or the file cannot be read or
written; 130 interrupted")]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    pub(crate) command: LedgerCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum LedgerCommand {
    /// Generate a block file, which appears only when complete
    Generate(GenerateArgs),
    /// Verify a block file of any size
    Verify(VerifyBlockArgs),
    /// Measure how verification scales with the number of nodes, and extrapolate. Needs the Python package: pip install
    /// 'pqlab[cluster]'
    Scaling(ScalingArgs),
}

/// Generate a block file.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ledger generate --count 100000 --scheme ML-DSA-65 --out block.tx
  pqlab ledger generate --count 1000 --senders 10 --invalid 1 --format parquet --out block.parquet
  pqlab ledger generate --count 100 --form txv1 --senders 1 --out reference.tx
  pqlab ledger generate --count 100000000 --cluster auto --out s3://bucket/block.tx

Reference: an earlier system whose ledger benchmark pqlab reproduces (see `pqlab run --help`)

Exit codes: 0 done; 2 bad usage, or the file cannot be written; 130 interrupted: no file is written")]
pub(crate) struct GenerateArgs {
    /// Number of transactions
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) count: u64,

    /// Signature scheme: ML-DSA-44, ML-DSA-65, ML-DSA-87, MLDSA65-Ed25519-SHA512, Falcon-512, Falcon-padded-512,
    /// Ed25519, ECDSA-secp256k1 or RSA-2048
    #[arg(long, value_name = "S", default_value = "ML-DSA-65")]
    pub(crate) scheme: String,

    /// Number of different senders [default: one per transaction]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub(crate) senders: Option<u64>,

    /// Percentage of invalid transactions, which cycle through these faults: wrong signature, wrong chain, truncated,
    /// trailing bytes, non-canonical
    #[arg(long, value_name = "PCT", default_value = "0", allow_hyphen_values = true, value_parser = parse_share)]
    pub(crate) invalid: Share,

    /// Output file, pipe or device; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// File format
    #[arg(long, value_enum, default_value_t = BlockFormatName::Block)]
    pub(crate) format: BlockFormatName,

    /// Transaction form; txv1 is the form of the reference and supports only ML-DSA-65
    #[arg(long, value_enum, default_value_t = FormName::Txv2)]
    pub(crate) form: FormName,

    /// Chain id of the transactions
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) chain_id: u32,

    /// Seed for fields, the choice of invalid transactions and, if the library accepts a seed, keys and signatures
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Id of the provider to sign with [default: the preferred provider that offers the scheme]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Option<String>,

    /// Number of signing threads [default: one per core; with --cluster, 1 per part]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// Sign on a Ray cluster: an address, `auto` (the cluster of this machine) or `local` (start a cluster). FILE may
    /// then be an object such as s3://bucket/block.tx. Needs the Python package: pip install 'pqlab[cluster]'
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) cluster: Option<String>,

    /// Hide the progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Verify a block file.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ledger verify block.tx --threads 1
  pqlab ledger verify block.parquet --json | jq .rejected_by_kind
  pqlab ledger verify block.tx --provider mldsa-batch --at-once 1000
  pqlab ledger verify block.tx --cluster local --journal block.journal
  pqlab ledger verify s3://bucket/block.tx --cluster auto

Exit codes: 0 every transaction is valid; 1 a transaction was rejected; 2 bad usage, or the file
cannot be read; 130 interrupted")]
pub(crate) struct VerifyBlockArgs {
    /// Block file in either format; with --cluster also an object such as s3://bucket/block.tx
    pub(crate) file: PathBuf,

    /// Number of verifying threads, in addition to a reading thread [default: one per core; with --cluster, 1 per part]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    #[command(flatten)]
    pub(crate) output: FormatArgs,

    /// Chain id to accept; transactions for other chains are rejected
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) chain_id: u32,

    /// Transaction form to accept; anyone can strip the second signature from a hybrid txv1 transaction
    #[arg(long, value_enum, default_value_t = FormName::Txv2)]
    pub(crate) form: FormName,

    /// Id of the provider to verify with, for the schemes that it offers [default: the preferred provider for each
    /// scheme]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Option<String>,

    /// Number of transactions per batch, for a --provider that verifies in batches, such as mldsa-batch [default: 100]
    #[arg(long = "at-once", value_name = "N", allow_hyphen_values = true)]
    pub(crate) batch: Option<usize>,

    /// Verify on a Ray cluster: an address, `auto` (the cluster of this machine) or `local` (start a cluster). Every
    /// node needs the file at the same path. Needs the Python package: pip install 'pqlab[cluster]'
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) cluster: Option<String>,

    /// With --cluster: record finished parts in this file, so that the same command can resume
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub(crate) journal: Option<PathBuf>,

    /// Cache up to 256 prepared sender keys; pays off if senders repeat
    #[arg(long)]
    pub(crate) keep_keys: bool,

    /// Hide the progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Measure how verification scales with the number of nodes, and extrapolate.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ledger scaling
  pqlab ledger scaling --scheme Ed25519 --transactions 10000000 --machines 1 --cores 2
  pqlab ledger scaling --machines 1,12,100 --cores 64 --bandwidth 3125

Exit codes: 0 done; 2 bad usage, or Ray is missing; 130 interrupted")]
pub(crate) struct ScalingArgs {
    /// Signature scheme of the transactions
    #[arg(long, value_name = "S", default_value = "ML-DSA-65")]
    pub(crate) scheme: String,

    /// Block size to measure, in transactions (at least 1,024)
    #[arg(long, value_name = "N", default_value_t = 262_144)]
    pub(crate) count: u64,

    /// Cluster sizes to measure, in one-CPU nodes on this machine
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2")]
    pub(crate) nodes: Vec<u32>,

    /// Number of measurements per cluster size, interleaved
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) repetitions: u32,

    /// Id of the provider to sign and verify with [default: the preferred provider that offers the scheme]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Option<String>,

    /// Block size to extrapolate to, in transactions
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub(crate) transactions: u64,

    /// Cluster sizes to extrapolate to, in nodes
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,3,10,30,100,300")]
    pub(crate) machines: Vec<u32>,

    /// Cores per node to extrapolate to
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) cores: u32,

    /// Network bandwidth per node, in MB/s
    #[arg(long, value_name = "MB", default_value_t = 1250.0, value_parser = positive)]
    pub(crate) bandwidth: f64,

    #[command(flatten)]
    pub(crate) output: FormatArgs,

    /// Hide progress messages
    #[arg(long)]
    pub(crate) no_progress: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum BlockFormatName {
    Block,
    Parquet,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum FormName {
    Txv1,
    Txv2,
}

/// Percentage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share(pub(crate) f64);

impl Share {
    /// Returns this percentage of `count`, rounded.
    pub(crate) fn apply(self, count: u64) -> u64 {
        ((count as f64 * self.0 / 100.0).round() as u64).min(count)
    }
}

/// Parses `1`, `0.5` or `1%`.
pub(crate) fn parse_share(text: &str) -> Result<Share, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse::<f64>();
    let share = number.ok().filter(|share| (0.0..=100.0).contains(share));
    share.map(Share).ok_or_else(|| "expected a percentage from 0 to 100".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percentages() {
        assert_eq!(parse_share("1%").unwrap().apply(1000), 10);
        assert_eq!(parse_share("0.5").unwrap().apply(1000), 5);
        assert_eq!(parse_share("100").unwrap().apply(3), 3);
        for wrong in ["", "%", "-1", "101", "NaN", "inf", "1%%"] {
            assert!(parse_share(wrong).is_err(), "{wrong}");
        }
    }
}
