//! Settings of a client that verifies Merkle Tree Certificates, and the cosigners that it trusts.

use super::authority::{Key, LEAF_NAME};
use super::{DAY, NOW, Source, broken, cosigner_id};
use mtcs::{CaTrust, CosignerInfo, SignatureAlgorithm, TrustAnchorId, TrustStore, TrustedSubtree, Verification};
use pqlab_constructions::mtc::{Cosigner, Digest, Entry, LOG, Subject, Subtree};
use pqlab_harness::Fault;
use std::time::Duration;

/// Keys of the CA and of the other cosigners.
pub(super) struct Cosigners(Vec<Key>);

impl Cosigners {
    /// Generates the keys. There is always a key of the CA, although landmark-relative certificates are not signed.
    pub(super) fn generate(source: &Source) -> Result<Cosigners, Fault> {
        let keys = (0..source.cosigners.max(1)).map(|_| Key::generate(source.scheme.as_ref()));
        Ok(Cosigners(keys.collect::<Result<_, _>>()?))
    }

    /// Returns the first `count` cosigners.
    pub(super) fn take(&self, count: usize) -> Vec<Cosigner<'_>> {
        let all = self.0.iter().enumerate().take(count);
        all.map(|(at, key)| Cosigner { id: cosigner_id(at), identifier: key.identifier, key: key.signer.as_ref() })
            .collect()
    }

    /// Returns the settings of a client that requires the signatures of all cosigners, or trusts these subtrees.
    pub(super) fn store(&self, trusted: &[(Subtree, Digest)]) -> Result<TrustStore, Fault> {
        let info = |(at, key): (usize, &Key)| {
            Ok(CosignerInfo {
                id: TrustAnchorId::from_dotted(&cosigner_id(at).to_string()).map_err(broken)?,
                algorithm: match key.identifier.algorithm {
                    "Ed25519" => SignatureAlgorithm::Ed25519,
                    "ML-DSA-44" => SignatureAlgorithm::MlDsa44,
                    other => return Err(Fault::Unsupported(format!("cosigners with {other}"))),
                },
                spki_der: key.public.to_der().map_err(broken)?,
            })
        };
        let mut all = self.0.iter().enumerate().map(info);
        let first = all.next().ok_or_else(|| Fault::Unsupported("a CA without a key".into()))??;
        let mut ca = CaTrust::new(first.id.clone(), first);
        for cosigner in all {
            ca.require_cosigner(cosigner?).map_err(broken)?;
        }
        for (subtree, hash) in trusted {
            let entries = subtree.entries();
            ca.trust_subtree(TrustedSubtree { log_number: LOG, start: entries.start, end: entries.end, hash: *hash });
        }
        let mut store = TrustStore::new();
        store.add_ca(ca);
        Ok(store)
    }
}

/// Returns the entry of a server with this key.
pub(super) fn entry(key: &Key, number: usize) -> Result<Entry, Fault> {
    let subject = Subject {
        name: &format!("CN=leaf {number},O=pqlab"),
        dns_name: LEAF_NAME,
        not_before: NOW - DAY,
        not_after: NOW + DAY,
        key: &key.public,
    };
    Entry::new(&cosigner_id(0), &subject).map_err(broken)
}

/// Verifies a certificate as a client does.
pub(super) fn verify(store: &TrustStore, certificate: &[u8], at: Duration) -> Result<Verification, Fault> {
    mtcs::verify_certificate(store, certificate, at.as_secs() as i64).map_err(broken)
}
