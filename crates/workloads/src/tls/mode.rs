//! Options that select kinds of handshakes and signature algorithms.

use pqlab_record::UnknownWord;
use pqlab_tls::{Authentication, Config, Group, Resumption};
use std::str::FromStr;

/// Kind of handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TlsMode {
    /// Full handshake in which only the server authenticates.
    Full,
    /// Full handshake in which the client also authenticates.
    ClientAuthentication,
    /// Resumes an earlier connection with a key exchange.
    PskWithKeyExchange,
    /// Resumes an earlier connection with only the pre-shared key.
    Psk,
}

impl TlsMode {
    /// Every mode, the default first.
    pub const ALL: [TlsMode; 4] =
        [TlsMode::Full, TlsMode::ClientAuthentication, TlsMode::PskWithKeyExchange, TlsMode::Psk];

    /// Returns the name used in ids, files and command lines.
    pub fn name(self) -> &'static str {
        match self {
            TlsMode::Full => "full",
            TlsMode::ClientAuthentication => "client-auth",
            TlsMode::PskWithKeyExchange => Resumption::WithKeyExchange.name(),
            TlsMode::Psk => Resumption::Alone.name(),
        }
    }

    /// Returns the mode that a case names. `word` is `None` for the default mode.
    pub(super) fn parse(word: Option<&str>) -> Option<TlsMode> {
        TlsMode::ALL.into_iter().find(|mode| mode.name() == word.unwrap_or("full"))
    }
}

impl FromStr for TlsMode {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<TlsMode, UnknownWord> {
        UnknownWord::find("kind of handshake", word, &TlsMode::ALL, TlsMode::name)
    }
}

/// Signature algorithm of the keys in certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TlsSignature(pub Authentication);

impl TlsSignature {
    /// Returns every algorithm that can sign handshakes.
    pub(crate) fn all() -> [TlsSignature; 7] {
        Authentication::ALL.map(TlsSignature)
    }
}

impl FromStr for TlsSignature {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<TlsSignature, UnknownWord> {
        UnknownWord::find("TLS signature", word, &TlsSignature::all(), |signature| signature.0.name())
    }
}

/// Returns the TLS configuration for a case. `chain` is the number of intermediate certificates, at most
/// [`MOST_INTERMEDIATES`](Config::MOST_INTERMEDIATES).
pub(crate) fn config(group: Group, authentication: Authentication, chain: u64, mode: TlsMode) -> Config {
    let resumption = match mode {
        TlsMode::Full | TlsMode::ClientAuthentication => Resumption::None,
        TlsMode::PskWithKeyExchange => Resumption::WithKeyExchange,
        TlsMode::Psk => Resumption::Alone,
    };
    Config {
        intermediates: u8::try_from(chain).unwrap_or(u8::MAX),
        resumption,
        client_authentication: mode == TlsMode::ClientAuthentication,
        ..Config::new(group, authentication)
    }
}
