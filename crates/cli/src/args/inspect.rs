//! Arguments of `pqlab inspect`.

use super::{FormatArgs, LibraryArgs};
use clap::Args;

/// Show and check the keys and signatures of one algorithm, or files with keys, certificates or tokens.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab inspect ML-KEM-768                               every library that offers it
  pqlab inspect Falcon-512 --provider liboqs --full      every byte
  pqlab inspect ML-DSA-65 --library new=liboqs:/opt/liboqs.so --provider new
  pqlab inspect X-Wing                                   a hybrid, with the bytes of each half
  pqlab inspect X25519MLKEM768 --provider aws-lc+liboqs  X25519: aws-lc, ML-KEM: liboqs
  pqlab inspect X.509-composite                          a certificate with its keys and signatures
  pqlab inspect fullchain.pem                            every certificate in the file
  pqlab inspect token.jws key.jwk                        a token, verified with its key

Files: PEM with any number of blocks, DER, JWK, JWK sets, JWS, COSE_Key and COSE_Sign1. An argument
with a slash or a known extension (.pem, .der, .key, .jwk, ...) is a file, and - is standard input.
Signatures are verified with the keys and certificates from all files.

Hybrids: X-Wing, MLKEM768-X25519-SHA3-256, X25519MLKEM768, X25519+ML-KEM-768,
MLDSA65-Ed25519-SHA512 and Ed25519+ML-DSA-65. Names with a plus sign come from the reference, an
earlier system that pqlab reproduces.
Certificates: X.509-Ed25519, X.509-ML-DSA-65, X.509-alternative, X.509-composite, X.509-detached.

Exit codes: 0 every check passed; 1 a check failed, or part of a file or one of several cannot be
read; 2 no such algorithm or provider, or the file or a library cannot be opened")]
pub(crate) struct InspectArgs {
    /// Algorithm, by any name in `pqlab list algorithms`; a hybrid or certificate (see below); or files
    #[arg(value_name = "WHAT", required = true)]
    pub(crate) what: Vec<String>,

    /// Only this library, or this pair for a hybrid, such as aws-lc+liboqs; all other libraries still check the output
    /// [repeatable]
    #[arg(short, long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Seed for keys, messages and randomness
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print every byte
    #[arg(long)]
    pub(crate) full: bool,

    #[command(flatten)]
    pub(crate) output: FormatArgs,

    #[command(flatten)]
    pub(crate) foreign: LibraryArgs,
}
