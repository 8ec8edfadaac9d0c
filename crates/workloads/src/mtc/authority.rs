//! Keys, and the X.509 certificates of a CA with an intermediate certificate.

use super::{DAY, NOW, broken, fault};
use pqlab_constructions::certificate::{Certificate, Profile, Schemes, SigningKeys, SubjectType, build, verify_server};
use pqlab_constructions::keys::{Identifier, KEY_IDENTIFIER, PublicKey};
use pqlab_harness::Fault;
use pqlab_primitives::{Coins, Hash, SignatureScheme, SigningKey};
use std::sync::Arc;
use std::time::Duration;

/// DNS name in the leaf certificate.
pub(super) const LEAF_NAME: &str = "leaf.example";

/// Key pair, with the public key as certificates contain it.
pub(super) struct Key {
    pub(super) identifier: &'static Identifier,
    pub(super) signer: Box<dyn SigningKey>,
    pub(super) public: PublicKey,
}

impl Key {
    pub(super) fn generate(scheme: &dyn SignatureScheme) -> Result<Key, Fault> {
        let parameters = &scheme.info().parameters;
        let signer = scheme.generate(Coins::Internal).map_err(fault)?;
        let mut public = vec![0; parameters.verifying_key];
        signer.verifying_key().and_then(|key| key.encode(&mut public)).map_err(fault)?;
        let identifier = Identifier::named(&parameters.algorithm)
            .ok_or_else(|| Fault::Unsupported(format!("{} has no object identifier", parameters.algorithm)))?;
        Ok(Key { identifier, signer, public: PublicKey::new(identifier, &public).map_err(broken)? })
    }
}

/// Names of the owners of the keys.
const NAMES: [&str; 3] = ["root", "intermediate", "leaf"];

/// Root, intermediate authority and leaf, with their keys.
pub(super) struct Authority {
    keys: [Key; 3],
    key_identifiers: [[u8; KEY_IDENTIFIER]; 3],
    root: [Certificate; 1],
    /// DER of the intermediate certificate.
    intermediate: Vec<u8>,
    schemes: Schemes,
}

impl Authority {
    pub(super) fn new(scheme: &Arc<dyn SignatureScheme>, sha256: &Arc<dyn Hash>) -> Result<Authority, Fault> {
        let key = || Key::generate(scheme.as_ref());
        let keys = [key()?, key()?, key()?];
        let identify = |key: &Key| key.public.key_identifier(sha256.as_ref()).map_err(broken);
        let key_identifiers = [identify(&keys[0])?, identify(&keys[1])?, identify(&keys[2])?];
        let root = issue(&keys, &key_identifiers, [0, 0], 1)?;
        let intermediate = issue(&keys, &key_identifiers, [0, 1], 2)?;
        let root = [Certificate::from_der(&root).map_err(broken)?];
        let schemes = Schemes::new(vec![Arc::clone(scheme)]);
        Ok(Authority { keys, key_identifiers, root, intermediate, schemes })
    }

    /// Issues a leaf certificate and returns its DER. The operation `issue` measures this function.
    pub(super) fn leaf(&self, serial_number: u32) -> Result<Vec<u8>, Fault> {
        issue(&self.keys, &self.key_identifiers, [1, 2], serial_number)
    }

    /// Returns the DER of the intermediate certificate.
    pub(super) fn intermediate(&self) -> &[u8] {
        &self.intermediate
    }

    /// Returns the signature scheme.
    pub(super) fn algorithm(&self) -> &'static str {
        self.keys[0].identifier.algorithm
    }

    /// Parses a chain, given as DER, and verifies it as a client does.
    pub(super) fn verify(&self, chain: &[&[u8]], name: &str, at: Duration) -> Result<(), Fault> {
        let parsed: Result<Vec<Certificate>, _> = chain.iter().map(|der| Certificate::from_der(der)).collect();
        verify_server(&parsed.map_err(broken)?, &self.root, name, at, &self.schemes).map_err(broken)
    }
}

/// Issues a certificate. `issuer` and `subject` are places in [`NAMES`].
fn issue(
    keys: &[Key; 3],
    key_identifiers: &[[u8; KEY_IDENTIFIER]; 3],
    [issuer, subject]: [usize; 2],
    serial_number: u32,
) -> Result<Vec<u8>, Fault> {
    let subject_type = match subject {
        0 => SubjectType::Authority { path_length: None },
        1 => SubjectType::Authority { path_length: Some(0) },
        _ => SubjectType::Leaf,
    };
    let profile = Profile {
        // Real certification authorities also use serial numbers of this length.
        serial_number: [&[0x40], &serial_number.to_be_bytes()[..], &[0x5a; 11]].concat(),
        issuer: format!("CN={},O=pqlab", NAMES[issuer]),
        subject: format!("CN={},O=pqlab", NAMES[subject]),
        not_before: NOW - DAY,
        not_after: NOW + DAY,
        subject_key_identifier: key_identifiers[subject],
        authority_key_identifier: key_identifiers[issuer],
        dns_names: if subject == 2 { vec![LEAF_NAME.to_owned()] } else { Vec::new() },
        subject_type,
    };
    let signer = SigningKeys::Single(keys[issuer].identifier, keys[issuer].signer.as_ref());
    build(&profile, &keys[subject].public, None, &signer, Coins::Internal).map_err(broken)
}
