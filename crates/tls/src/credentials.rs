//! Keys and certificates for a handshake: root, intermediate authorities, server and client. All keys use one
//! algorithm.

use crate::{Config, Error, Result};
use pqlab_constructions::certificate::{Profile, SigningKeys, SubjectType, build};
use pqlab_constructions::keys::{Identifier, KEY_IDENTIFIER, PrivateKey, PublicKey};
use pqlab_primitives::{Coins, KeyEncoding, SignatureScheme, SigningKey, Wiped};
use sha2::{Digest, Sha256};
use std::ffi::CStr;
use std::time::Duration;

/// Server name in the server's certificate, which clients check. RFC 6761, section 6.5, reserves `.example`.
pub const SERVER_NAME: &str = match SERVER_NAME_C.to_str() {
    Ok(name) => name,
    Err(_) => unreachable!(),
};
/// [`SERVER_NAME`] as a C string.
pub(crate) const SERVER_NAME_C: &CStr = c"server.example";
const CLIENT_NAME: &str = "client.example";

/// Fixed time of all certificate checks, counted from 1970-01-01 UTC.
pub(crate) const NOW: Duration = Duration::from_secs(1_800_000_000);
const YEAR: Duration = Duration::from_secs(365 * 86_400);

/// A leaf certificate and its private key.
#[derive(Clone)]
pub struct Leaf {
    /// Certificate in DER.
    pub certificate: Vec<u8>,
    /// Private key in PKCS #8, encoded as DER.
    key: Wiped<Vec<u8>>,
}

impl Leaf {
    /// Returns the private key in PKCS #8, encoded as DER.
    pub fn key(&self) -> &[u8] {
        &self.key
    }
}

/// Credentials of a client and a server.
#[derive(Clone)]
pub struct Credentials {
    /// Root certificate in DER. Both sides trust this certificate, and neither sends it.
    pub root: Vec<u8>,
    /// Certificates between leaf and root in DER, the issuer of the leaves first.
    pub intermediates: Vec<Vec<u8>>,
    /// The server's certificate and key.
    pub server: Leaf,
    /// The client's certificate and key, if the client must authenticate.
    pub client: Option<Leaf>,
}

struct Owner {
    identifier: &'static Identifier,
    signer: Box<dyn SigningKey>,
    public: PublicKey,
    name: String,
}

impl Credentials {
    /// Generates keys and certificates. `scheme` must implement the configured algorithm.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if certificates cannot contain keys of the algorithm, the chain is too long, or the
    /// library cannot export private keys. Propagates other errors from the library.
    pub fn make(config: &Config, scheme: &dyn SignatureScheme) -> Result<Credentials> {
        let identifier = Identifier::named(config.authentication.name());
        let identifier = identifier.filter(|known| *known.algorithm == *scheme.info().parameters.algorithm);
        let identifier = identifier.ok_or(Error::Unsupported("certificates cannot contain keys of this algorithm"))?;
        if config.intermediates > Config::MOST_INTERMEDIATES {
            return Err(Error::Unsupported("a chain may contain at most three intermediate certificates"));
        }
        let root = Owner::new(identifier, scheme, "Root")?;
        let root_certificate = root.issue(&root, 1, SubjectType::Authority { path_length: None }, None)?;
        let (mut issuer, mut intermediates) = (root, Vec::new());
        for below in (0..config.intermediates).rev() {
            let next = Owner::new(identifier, scheme, &format!("Intermediate {}", below + 1))?;
            let subject_type = SubjectType::Authority { path_length: Some(below) };
            intermediates.insert(0, issuer.issue(&next, 2 + below, subject_type, None)?);
            issuer = next;
        }
        let leaf = |name: &str, serial| -> Result<Leaf> {
            let owner = Owner::new(identifier, scheme, name)?;
            let certificate = issuer.issue(&owner, serial, SubjectType::Leaf, Some(name))?;
            Ok(Leaf { certificate, key: owner.private_key(scheme)? })
        };
        Ok(Credentials {
            server: leaf(SERVER_NAME, 0x10)?,
            client: config.client_authentication.then(|| leaf(CLIENT_NAME, 0x11)).transpose()?,
            root: root_certificate,
            intermediates,
        })
    }

    /// Returns the certificates that a side sends: its leaf, then the intermediate certificates.
    pub(crate) fn chain<'a>(&'a self, leaf: &'a Leaf) -> impl Iterator<Item = &'a [u8]> {
        [&leaf.certificate].into_iter().chain(&self.intermediates).map(Vec::as_slice)
    }
}

impl Owner {
    fn new(identifier: &'static Identifier, scheme: &dyn SignatureScheme, name: &str) -> Result<Owner> {
        let signer = scheme.generate(Coins::Internal)?;
        let mut public = vec![0; scheme.info().parameters.verifying_key];
        let length = signer.verifying_key()?.encode(&mut public)?;
        let public = PublicKey::new(identifier, &public[..length])?;
        Ok(Owner { identifier, signer, public, name: format!("CN={name},O=pqlab") })
    }

    /// Issues a certificate for `subject`, signed by this owner.
    fn issue(&self, subject: &Owner, serial: u8, subject_type: SubjectType, dns_name: Option<&str>) -> Result<Vec<u8>> {
        let profile = Profile {
            // Real certification authorities also use serial numbers of this length.
            serial_number: [&[0x40, serial], [0x5a; 14].as_slice()].concat(),
            issuer: self.name.clone(),
            subject: subject.name.clone(),
            not_before: NOW - YEAR,
            not_after: NOW + YEAR,
            subject_key_identifier: key_identifier(&subject.public),
            authority_key_identifier: key_identifier(&self.public),
            dns_names: dns_name.map(str::to_owned).into_iter().collect(),
            subject_type,
        };
        let keys = SigningKeys::Single(self.identifier, self.signer.as_ref());
        Ok(build(&profile, &subject.public, None, &keys, Coins::Internal)?)
    }

    /// Encodes the private key as PKCS #8. The key is in seed form if the library can export seeds.
    fn private_key(&self, scheme: &dyn SignatureScheme) -> Result<Wiped<Vec<u8>>> {
        let written = scheme.written();
        let encoding = written.iter().find(|encoding| **encoding != KeyEncoding::Expanded).or(written.first());
        let encoding = *encoding.ok_or(Error::Unsupported("the library cannot export private keys"))?;
        let mut bytes = Wiped::new(vec![0; scheme.info().signing_key(encoding).unwrap_or_default()]);
        let length = self.signer.encode(encoding, &mut bytes)?;
        let bytes = Some(&bytes[..length]);
        let key = match encoding {
            KeyEncoding::Expanded => PrivateKey::new(self.identifier, None, bytes)?,
            _ => PrivateKey::new(self.identifier, bytes, None)?,
        };
        Ok(Wiped::new(key.to_der()?.to_vec()))
    }
}

/// Returns the key identifier as defined in RFC 7093, section 2, method 1.
fn key_identifier(key: &PublicKey) -> [u8; KEY_IDENTIFIER] {
    let digest = Sha256::digest(key.as_bytes());
    let mut identifier = [0; KEY_IDENTIFIER];
    identifier.copy_from_slice(&digest[..KEY_IDENTIFIER]);
    identifier
}
