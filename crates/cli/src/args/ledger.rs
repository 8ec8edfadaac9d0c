//! The arguments of `pqlab ledger`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Block files of signed transactions.
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
    /// Make a block file: the file appears when it is whole, or not at all
    Generate(GenerateArgs),
    /// Verify a block file of any size
    Verify(VerifyBlockArgs),
    /// How verification grows with nodes: measured here, and by arithmetic for clusters that are not here
    Scaling(ScalingArgs),
}

/// Make a block file.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ledger generate --count 100000 --scheme ML-DSA-65 --out block.tx
  pqlab ledger generate --count 1000 --senders 10 --invalid 1 --format parquet --out block.parquet
  pqlab ledger generate --count 100 --form txv1 --senders 1 --out reference.tx
  pqlab ledger generate --count 100000000 --cluster auto --out s3://bucket/block.tx

Reference: an earlier system whose ledger benchmark pqlab reproduces, see `pqlab run --help`

Exit codes: 0 done; 2 bad usage, or the file cannot be written; 130 interrupted: no file is left")]
pub(crate) struct GenerateArgs {
    /// Number of transactions
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) count: u64,

    /// How they are signed: ML-DSA-44, ML-DSA-65, ML-DSA-87, MLDSA65-Ed25519-SHA512, Falcon-512, Falcon-padded-512,
    /// Ed25519, ECDSA-secp256k1 or RSA-2048
    #[arg(long, value_name = "S", default_value = "ML-DSA-65")]
    pub(crate) scheme: String,

    /// Number of different senders [default: as many as transactions]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub(crate) senders: Option<u64>,

    /// Percentage of bad transactions; wrong signature, wrong chain, truncated, trailing bytes and non-canonical take turns
    #[arg(long, value_name = "PCT", default_value = "0", allow_hyphen_values = true, value_parser = parse_share)]
    pub(crate) invalid: Share,

    /// The file; `-` is standard output, a pipe or device is written to
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// The file's format
    #[arg(long, value_enum, default_value_t = BlockFormatName::Block)]
    pub(crate) format: BlockFormatName,

    /// The transactions' form; txv1 is the reference's, signed with ML-DSA-65 alone
    #[arg(long, value_enum, default_value_t = FormName::Txv2)]
    pub(crate) form: FormName,

    /// The chain that they are made for
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) chain_id: u32,

    /// Seed of keys, fields, signatures and of which transactions are bad, as far as the library lets them be chosen
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Whose implementation signs [default: the first that has the scheme]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Option<String>,

    /// Threads that sign [default: as many as cores; with --cluster 1, those of a part]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// Have it signed by a Ray cluster: its address, `auto` for that of this machine, `local` for one that is started now; FILE may be
    /// an object in a store, such as s3://bucket/block.tx. Needs the Python package: pip install 'pqlab[cluster]'
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) cluster: Option<String>,

    /// No progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Verify a block file.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ledger verify block.tx --threads 1
  pqlab ledger verify block.parquet --json | jq .rejected_by_kind
  pqlab ledger verify block.tx --provider mldsa-batch --batch 1000
  pqlab ledger verify block.tx --cluster local --journal block.journal
  pqlab ledger verify s3://bucket/block.tx --cluster auto

Exit codes: 0 every transaction is valid; 1 one was rejected; 2 bad usage, or the file cannot be
read; 130 interrupted")]
pub(crate) struct VerifyBlockArgs {
    /// The file, in either format; with --cluster it may be an object in a store, such as s3://bucket/block.tx
    pub(crate) file: PathBuf,

    /// Threads that verify; one more reads [default: as many as cores; with --cluster 1, those of a part]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// The result as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// The verifier's chain: transactions for another one are rejected
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) chain_id: u32,

    /// The form that is taken; hybrid transactions of the form txv1 can be stripped of their second signature
    #[arg(long, value_enum, default_value_t = FormName::Txv2)]
    pub(crate) form: FormName,

    /// Whose implementation verifies, where it has the scheme [default: the first that has it]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Option<String>,

    /// Transactions that are verified at once, by a provider that can, such as mldsa-batch [default: 100]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) batch: Option<usize>,

    /// Verify it by a Ray cluster: its address, `auto` for that of this machine, `local` for one that is started now; a file must be
    /// on every node under the same name. Needs the Python package: pip install 'pqlab[cluster]'
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) cluster: Option<String>,

    /// With --cluster: keep the results of parts in a file, with which the same command goes on where it ended
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub(crate) journal: Option<PathBuf>,

    /// Keep up to 256 prepared keys of senders for their next transactions: pays where senders return
    #[arg(long)]
    pub(crate) keep_keys: bool,

    /// No progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Measure how verification grows with nodes, and carry it on by arithmetic. Needs the Python package: pip install 'pqlab[cluster]'
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ledger scaling
  pqlab ledger scaling --scheme Ed25519 --transactions 10000000 --machines 1 --cores 2
  pqlab ledger scaling --machines 1,12,100 --cores 64 --bandwidth 3125

Exit codes: 0 done; 2 bad usage, or Ray is not there; 130 interrupted")]
pub(crate) struct ScalingArgs {
    /// How the transactions are signed
    #[arg(long, value_name = "S", default_value = "ML-DSA-65")]
    pub(crate) scheme: String,

    /// Transactions of the block that is verified here, 1,024 at least
    #[arg(long, value_name = "N", default_value_t = 262_144)]
    pub(crate) count: u64,

    /// Nodes of one CPU that are started on this machine
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2")]
    pub(crate) nodes: Vec<u32>,

    /// How often each is measured, in turns
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) repetitions: u32,

    /// Whose implementation signs and verifies [default: the first that has the scheme]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Option<String>,

    /// Transactions of which arithmetic says how long they take
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub(crate) transactions: u64,

    /// On so many nodes
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,3,10,30,100,300")]
    pub(crate) machines: Vec<u32>,

    /// Of so many cores each
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) cores: u32,

    /// To each of which so many megabytes a second come
    #[arg(long, value_name = "MB", default_value_t = 1250.0)]
    pub(crate) bandwidth: f64,

    /// The result as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Say nothing of what is measured meanwhile
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

/// A share in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share(pub(crate) f64);

impl Share {
    /// So many of `count`, rounded.
    pub(crate) fn of(self, count: u64) -> u64 {
        ((count as f64 * self.0 / 100.0).round() as u64).min(count)
    }
}

/// Reads `1`, `0.5` or `1%`.
pub(crate) fn parse_share(text: &str) -> Result<Share, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse::<f64>();
    let share = number.ok().filter(|share| (0.0..=100.0).contains(share));
    share.map(Share).ok_or_else(|| "it must be a percentage from 0 to 100".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percentages() {
        assert_eq!(parse_share("1%").unwrap().of(1000), 10);
        assert_eq!(parse_share("0.5").unwrap().of(1000), 5);
        assert_eq!(parse_share("100").unwrap().of(3), 3);
        for wrong in ["", "%", "-1", "101", "NaN", "inf", "1%%"] {
            assert!(parse_share(wrong).is_err(), "{wrong}");
        }
    }
}
