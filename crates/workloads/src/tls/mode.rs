//! The words by which handshakes are chosen.

use pqlab_record::UnknownWord;
use pqlab_tls::{Authentication, Config, Group, Resumption};
use std::str::FromStr;

/// What kind of handshake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TlsMode {
    /// A full one; the server shows who it is.
    Full,
    /// A full one in which the client does too.
    ClientAuthentication,
    /// An earlier connection is resumed, with a key exchange.
    PskWithKeyExchange,
    /// An earlier connection is resumed, by the pre-shared key alone.
    Psk,
}

impl TlsMode {
    /// Every mode, the usual one first.
    pub const ALL: [TlsMode; 4] =
        [TlsMode::Full, TlsMode::ClientAuthentication, TlsMode::PskWithKeyExchange, TlsMode::Psk];

    /// The word that ids, files and command lines carry.
    pub fn name(self) -> &'static str {
        match self {
            TlsMode::Full => "full",
            TlsMode::ClientAuthentication => "client-auth",
            TlsMode::PskWithKeyExchange => Resumption::WithKeyExchange.name(),
            TlsMode::Psk => Resumption::Alone.name(),
        }
    }

    /// The mode that a case names; the usual one is not named.
    pub(super) fn of(word: Option<&str>) -> Option<TlsMode> {
        TlsMode::ALL.into_iter().find(|mode| mode.name() == word.unwrap_or("full"))
    }
}

impl FromStr for TlsMode {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<TlsMode, UnknownWord> {
        UnknownWord::find("kind of handshake", word, &TlsMode::ALL, TlsMode::name)
    }
}

/// The algorithm of certificates' keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TlsSignature(pub Authentication);

impl TlsSignature {
    /// Every algorithm that a handshake may be signed with.
    pub(super) fn all() -> [TlsSignature; 7] {
        Authentication::ALL.map(TlsSignature)
    }
}

impl FromStr for TlsSignature {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<TlsSignature, UnknownWord> {
        UnknownWord::find("signature of TLS", word, &TlsSignature::all(), |signature| signature.0.name())
    }
}

/// What of TLS a case asks for; `chain` is the number of intermediate certificates, at most
/// [`MOST_INTERMEDIATES`](Config::MOST_INTERMEDIATES).
pub(super) fn config(group: Group, authentication: Authentication, chain: u64, mode: TlsMode) -> Config {
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
