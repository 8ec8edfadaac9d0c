//! The arguments of `pqlab inspect`.

use super::LibraryArgs;
use clap::Args;

/// Lengths, bytes and checks of one algorithm's keys and signatures or ciphertexts.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab inspect ML-KEM-768                               every library that has it
  pqlab inspect Falcon-512 --provider liboqs --full      every byte
  pqlab inspect ML-DSA-65 --library new=liboqs:/opt/liboqs.so --provider new
  pqlab inspect X-Wing                                   which bytes are of which half of a hybrid
  pqlab inspect X25519MLKEM768 --provider aws-lc+liboqs  X25519 of aws-lc, ML-KEM of liboqs
  pqlab inspect X.509-composite                          a certificate with its keys and signatures

Hybrids: X-Wing, MLKEM768-X25519-SHA3-256, X25519MLKEM768, X25519+ML-KEM-768,
MLDSA65-Ed25519-SHA512 and Ed25519+ML-DSA-65; those with a plus are as the reference made them, an
earlier system that pqlab reproduces.
Certificates: X.509-Ed25519, X.509-ML-DSA-65, X.509-alternative, X.509-composite, X.509-detached.

Exit codes: 0 every check passed; 1 one failed; 2 no such algorithm or provider, or a library
cannot be opened")]
pub(crate) struct InspectArgs {
    /// The algorithm, by any of its names: see `pqlab list algorithms`; or a hybrid or a certificate, see below
    pub(crate) algorithm: String,

    /// Only this provider, or for a hybrid this pair, such as aws-lc+liboqs; what it makes is still handed to all others
    /// [repeatable]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// From which keys, messages and coins are drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Every byte
    #[arg(long)]
    pub(crate) full: bool,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) foreign: LibraryArgs,
}
