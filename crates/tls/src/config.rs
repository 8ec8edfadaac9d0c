//! Configuration of a TLS 1.3 handshake.

use crate::{Context, Credentials, Error, Result};

/// Key exchange group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// X25519 (RFC 7748), classical.
    X25519,
    /// X25519 and ML-KEM-768 (RFC 10024).
    X25519MlKem768,
    /// P-256 and ML-KEM-768 (RFC 10024).
    SecP256r1MlKem768,
    /// P-384 and ML-KEM-1024 (RFC 10024).
    SecP384r1MlKem1024,
    /// ML-KEM-768 without a classical key exchange (draft-ietf-tls-mlkem).
    MlKem768,
}

impl Group {
    /// All groups, classical first.
    pub const ALL: [Group; 5] =
        [Group::X25519, Group::X25519MlKem768, Group::SecP256r1MlKem768, Group::SecP384r1MlKem1024, Group::MlKem768];

    /// Returns the group's name in the IANA registry of TLS supported groups.
    pub fn name(self) -> &'static str {
        match self {
            Group::X25519 => "X25519",
            Group::X25519MlKem768 => "X25519MLKEM768",
            Group::SecP256r1MlKem768 => "SecP256r1MLKEM768",
            Group::SecP384r1MlKem1024 => "SecP384r1MLKEM1024",
            Group::MlKem768 => "MLKEM768",
        }
    }

    /// Returns the group's code point in the IANA registry of TLS supported groups.
    pub fn code(self) -> u16 {
        match self {
            Group::X25519 => 0x001d,
            Group::X25519MlKem768 => 0x11ec,
            Group::SecP256r1MlKem768 => 0x11eb,
            Group::SecP384r1MlKem1024 => 0x11ed,
            Group::MlKem768 => 0x0201,
        }
    }

    /// Returns the name of the KEM that the group contains, if any.
    pub fn kem(self) -> Option<&'static str> {
        match self {
            Group::X25519 => None,
            Group::SecP384r1MlKem1024 => Some("ML-KEM-1024"),
            _ => Some("ML-KEM-768"),
        }
    }

    /// Returns the NIST security category, or `None` if a quantum computer breaks the group.
    pub fn category(self) -> Option<u8> {
        match self {
            Group::X25519 => None,
            Group::SecP384r1MlKem1024 => Some(5),
            _ => Some(3),
        }
    }

    /// Returns the group with this name. Ignores case.
    pub fn named(name: &str) -> Option<Group> {
        Group::ALL.into_iter().find(|group| group.name().eq_ignore_ascii_case(name))
    }
}

/// Signature algorithm of the handshake and of all certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Authentication {
    /// Ed25519 (RFC 8032).
    Ed25519,
    /// ECDSA over P-256 with SHA-256.
    EcdsaP256,
    /// 2048-bit RSA with SHA-256: RSASSA-PSS in the handshake, RSASSA-PKCS1-v1_5 in certificates.
    Rsa2048,
    /// ML-DSA-44 (FIPS 204).
    MlDsa44,
    /// ML-DSA-65 (FIPS 204).
    MlDsa65,
    /// ML-DSA-87 (FIPS 204).
    MlDsa87,
    /// SLH-DSA-SHA2-128s (FIPS 205).
    SlhDsaSha2128s,
}

impl Authentication {
    /// All algorithms, classical first.
    pub const ALL: [Authentication; 7] = [
        Authentication::Ed25519,
        Authentication::EcdsaP256,
        Authentication::Rsa2048,
        Authentication::MlDsa44,
        Authentication::MlDsa65,
        Authentication::MlDsa87,
        Authentication::SlhDsaSha2128s,
    ];

    /// Returns the algorithm's name, as in [`pqlab_primitives::SignatureParameters`].
    pub fn name(self) -> &'static str {
        match self {
            Authentication::Ed25519 => "Ed25519",
            Authentication::EcdsaP256 => "ECDSA-P-256",
            Authentication::Rsa2048 => "RSA-2048",
            Authentication::MlDsa44 => "ML-DSA-44",
            Authentication::MlDsa65 => "ML-DSA-65",
            Authentication::MlDsa87 => "ML-DSA-87",
            Authentication::SlhDsaSha2128s => "SLH-DSA-SHA2-128s",
        }
    }

    /// Returns the name of the handshake signature in the IANA registry of TLS signature schemes, or `None` if TLS does
    /// not define the signature.
    pub fn scheme(self) -> Option<&'static str> {
        match self {
            Authentication::Ed25519 => Some("ed25519"),
            Authentication::EcdsaP256 => Some("ecdsa_secp256r1_sha256"),
            Authentication::Rsa2048 => Some("rsa_pss_rsae_sha256"),
            Authentication::MlDsa44 => Some("mldsa44"),
            Authentication::MlDsa65 => Some("mldsa65"),
            Authentication::MlDsa87 => Some("mldsa87"),
            Authentication::SlhDsaSha2128s => None,
        }
    }

    /// Returns the algorithm with this name.
    pub fn named(name: &str) -> Option<Authentication> {
        Authentication::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }
}

/// Kind of resumption: whether and how a handshake resumes an earlier connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Resumption {
    /// No resumption: a full handshake.
    #[default]
    None,
    /// Pre-shared key and a new key exchange: psk_dhe_ke (RFC 8446, section 4.2.9).
    WithKeyExchange,
    /// Pre-shared key without a key exchange: psk_ke (RFC 8446, section 4.2.9).
    Alone,
}

impl Resumption {
    /// All kinds of resumption.
    pub const ALL: [Resumption; 3] = [Resumption::None, Resumption::WithKeyExchange, Resumption::Alone];

    /// Returns the name used in case ids.
    pub fn name(self) -> &'static str {
        match self {
            Resumption::None => "none",
            Resumption::WithKeyExchange => "psk-dhe",
            Resumption::Alone => "psk",
        }
    }

    /// Returns the kind with this name.
    pub fn named(name: &str) -> Option<Resumption> {
        Resumption::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// Configuration of a TLS 1.3 handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// Key exchange group.
    pub group: Group,
    /// Algorithm that the server uses to authenticate. A client that authenticates uses the same algorithm.
    pub authentication: Authentication,
    /// Number of certificates between leaf and root, at most [`MOST_INTERMEDIATES`](Config::MOST_INTERMEDIATES).
    pub intermediates: u8,
    /// Kind of resumption of an earlier connection, or [`Resumption::None`] for a full handshake.
    pub resumption: Resumption,
    /// Whether the client must also authenticate.
    pub client_authentication: bool,
}

impl Config {
    /// Maximum number of intermediate certificates. Real chains have one or two.
    pub const MOST_INTERMEDIATES: u8 = 3;

    /// Creates the configuration of a full handshake without intermediate certificates or client authentication.
    pub fn new(group: Group, authentication: Authentication) -> Config {
        Config { group, authentication, intermediates: 0, resumption: Resumption::None, client_authentication: false }
    }
}

/// TLS implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Implementation {
    /// rustls, which uses AWS-LC for cryptography.
    Rustls,
    /// OpenSSL's libssl.
    OpenSsl,
}

impl Implementation {
    /// All implementations.
    pub const ALL: [Implementation; 2] = [Implementation::Rustls, Implementation::OpenSsl];

    /// Returns the name used in case ids.
    pub fn name(self) -> &'static str {
        match self {
            Implementation::Rustls => "rustls",
            Implementation::OpenSsl => "openssl",
        }
    }

    /// Returns the implementation with this name.
    pub fn named(name: &str) -> Option<Implementation> {
        Implementation::ALL.into_iter().find(|implementation| implementation.name() == name)
    }

    /// Returns the id of the provider that supplies the implementation's cryptographic primitives.
    pub fn primitives(self) -> &'static str {
        match self {
            Implementation::Rustls => "aws-lc",
            Implementation::OpenSsl => "openssl",
        }
    }

    /// Returns whether this build contains the implementation.
    pub fn is_built_in(self) -> bool {
        match self {
            Implementation::Rustls => cfg!(feature = "rustls"),
            Implementation::OpenSsl => cfg!(feature = "openssl"),
        }
    }

    /// Returns the version of the library.
    pub fn version(self) -> String {
        match self {
            Implementation::Rustls => {
                concat!(env!("PQLAB_VERSION_RUSTLS"), " (aws-lc-rs ", env!("PQLAB_VERSION_AWS_LC_RS"), ")").to_owned()
            }
            #[cfg(feature = "openssl")]
            Implementation::OpenSsl => pqlab_openssl_sys::SRC_VERSION.to_owned(),
            #[cfg(not(feature = "openssl"))]
            Implementation::OpenSsl => String::new(),
        }
    }

    /// Checks that the implementation supports a configuration.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with a reason for the user.
    pub fn check(self, config: &Config) -> Result<()> {
        if !self.is_built_in() {
            return Err(Error::Unsupported("this build does not contain this TLS implementation"));
        }
        if config.authentication.scheme().is_none() {
            return Err(Error::Unsupported("neither rustls nor OpenSSL supports SLH-DSA signatures in TLS"));
        }
        if self == Implementation::Rustls {
            if config.group == Group::SecP384r1MlKem1024 {
                return Err(Error::Unsupported("rustls does not support SecP384r1MLKEM1024"));
            }
            if config.resumption == Resumption::Alone {
                return Err(Error::Unsupported(
                    "rustls cannot resume without a key exchange (supports psk_dhe_ke, not psk_ke)",
                ));
            }
        }
        Ok(())
    }

    /// Returns the name of each group, signature algorithm and kind of resumption that the implementation does not
    /// support, with the reason.
    pub fn lacks(self) -> Vec<(&'static str, String)> {
        let usual = Config::new(Group::X25519, Authentication::Ed25519);
        let groups = Group::ALL.map(|group| (group.name(), Config { group, ..usual }));
        let signatures =
            Authentication::ALL.map(|authentication| (authentication.name(), Config { authentication, ..usual }));
        let modes = Resumption::ALL.map(|resumption| (resumption.name(), Config { resumption, ..usual }));
        let all = groups.into_iter().chain(signatures).chain(modes);
        all.filter_map(|(name, config)| Some((name, self.check(&config).err()?.to_string()))).collect()
    }

    /// Creates the state that a client's connections share.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the configuration is not supported. Propagates errors from the library.
    pub fn client(self, config: &Config, credentials: &Credentials) -> Result<Box<dyn Context>> {
        self.check(config)?;
        match self {
            #[cfg(feature = "rustls")]
            Implementation::Rustls => Ok(Box::new(crate::by_rustls::Client::new(config, credentials)?)),
            #[cfg(feature = "openssl")]
            Implementation::OpenSsl => Ok(Box::new(crate::by_openssl::Side::client(config, credentials)?)),
            #[cfg(not(all(feature = "rustls", feature = "openssl")))]
            _ => Err(Error::Unsupported("this build does not contain this TLS implementation")),
        }
    }

    /// Creates the state that a server's connections share.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the configuration is not supported. Propagates errors from the library.
    pub fn server(self, config: &Config, credentials: &Credentials) -> Result<Box<dyn Context>> {
        self.check(config)?;
        match self {
            #[cfg(feature = "rustls")]
            Implementation::Rustls => Ok(Box::new(crate::by_rustls::Server::new(config, credentials)?)),
            #[cfg(feature = "openssl")]
            Implementation::OpenSsl => Ok(Box::new(crate::by_openssl::Side::server(config, credentials)?)),
            #[cfg(not(all(feature = "rustls", feature = "openssl")))]
            _ => Err(Error::Unsupported("this build does not contain this TLS implementation")),
        }
    }
}
