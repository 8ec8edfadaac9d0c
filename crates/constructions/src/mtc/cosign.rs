//! Signatures of a CA and of other cosigners over the hash of a subtree (draft-ietf-plants-merkle-tree-certs-07,
//! sections 5.3 and 6.2).

use super::LOG;
use super::tree::{Digest, Subtree};
use crate::certificate::{CertificateError, sign};
use crate::keys::{DecodeError, Identifier};
use pqlab_primitives::{Coins, SigningKey};
use std::fmt;

/// First bytes of every message that cosigners sign.
const LABEL: &[u8] = b"subtree/v1\n\0";
/// Text before the arcs of a trust anchor ID in the name of a cosigner or a log.
const NAME: &str = "oid/1.3.6.1.4.1.";
/// Arc below a CA's ID that identifies its logs.
const LOGS: u32 = 0;

/// Trust anchor ID: arcs below the object identifier 1.3.6.1.4.1 (draft-ietf-tls-trust-anchor-ids, section 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustAnchorId(Vec<u32>);

impl TrustAnchorId {
    /// Creates an ID from its arcs.
    pub fn new(arcs: &[u32]) -> TrustAnchorId {
        TrustAnchorId(arcs.to_vec())
    }

    /// Returns the contents of the RELATIVE-OID.
    pub fn encode(&self) -> Vec<u8> {
        self.0.iter().copied().flat_map(base_128).collect()
    }

    /// Returns the ID of the CA's log.
    fn log(&self) -> TrustAnchorId {
        TrustAnchorId([&self.0[..], &[LOGS, u32::from(LOG)]].concat())
    }
}

impl fmt::Display for TrustAnchorId {
    /// Writes the arcs, separated by dots.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arcs: Vec<String> = self.0.iter().map(u32::to_string).collect();
        formatter.write_str(&arcs.join("."))
    }
}

/// Encodes an arc in groups of seven bits. The highest bit of every byte but the last is set.
fn base_128(arc: u32) -> impl Iterator<Item = u8> {
    let groups = arc.checked_ilog2().unwrap_or(0) / 7;
    (0..=groups).rev().map(move |group| {
        let bits = (arc >> (7 * group)) as u8 & 0x7f;
        if group == 0 { bits } else { bits | 0x80 }
    })
}

/// Signer of subtrees: the CA, or somebody who watches its log.
pub struct Cosigner<'a> {
    /// ID of the cosigner. A CA has the same ID as a cosigner.
    pub id: TrustAnchorId,
    /// Algorithm of the signatures.
    pub identifier: &'static Identifier,
    /// Private key.
    pub key: &'a dyn SigningKey,
}

/// Returns the field `signatures` of an MTCProof: the signatures of all cosigners over a subtree of the log of `ca`.
/// `root` is the hash of the subtree.
///
/// # Errors
/// [`CertificateError::Decode`] if a field is too long. Propagates errors from the signing library.
pub fn cosign(
    ca: &TrustAnchorId,
    subtree: Subtree,
    root: &Digest,
    cosigners: &[Cosigner],
    coins: Coins,
) -> Result<Vec<u8>, CertificateError> {
    let mut all: Vec<(Vec<u8>, &Cosigner)> =
        cosigners.iter().map(|cosigner| (cosigner.id.encode(), cosigner)).collect();
    // Verifiers reject other orders.
    all.sort_by(|(one, _), (other, _)| (one.len(), one).cmp(&(other.len(), other)));
    let log = ca.log();
    let mut signatures = Vec::new();
    for (id, cosigner) in all {
        let message = message(&cosigner.id, &log, subtree, root)?;
        let signature = sign(cosigner.key, cosigner.identifier, &message, coins)?;
        let length = u16::try_from(signature.len()).map_err(|_| too_long("signature"))?;
        signatures.push(short(&id)?);
        signatures.extend([id, length.to_be_bytes().to_vec(), signature].concat());
    }
    Ok(signatures)
}

/// Returns the message that a cosigner signs. Its timestamp is zero, because the signature is part of certificates.
fn message(
    cosigner: &TrustAnchorId,
    log: &TrustAnchorId,
    subtree: Subtree,
    root: &Digest,
) -> Result<Vec<u8>, CertificateError> {
    let [cosigner, log] = [cosigner, log].map(|id| format!("{NAME}{id}").into_bytes());
    let entries = subtree.entries();
    Ok([
        LABEL,
        &[short(&cosigner)?],
        &cosigner,
        &0_u64.to_be_bytes(),
        &[short(&log)?],
        &log,
        &entries.start.to_be_bytes(),
        &entries.end.to_be_bytes(),
        root,
    ]
    .concat())
}

/// Returns the length of a field that has at most 255 bytes.
fn short(field: &[u8]) -> Result<u8, CertificateError> {
    u8::try_from(field.len()).map_err(|_| too_long("name of a cosigner or a log"))
}

fn too_long(what: &'static str) -> CertificateError {
    DecodeError::Structure { what, problem: "is too long for an MTCProof" }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_the_examples_of_the_draft() {
        let id = TrustAnchorId::new(&[32473, 1]);
        assert_eq!(id.encode(), [0x81, 0xfd, 0x59, 0x01]);
        assert_eq!(format!("{NAME}{id}"), "oid/1.3.6.1.4.1.32473.1");
        assert_eq!(id.log().to_string(), "32473.1.0.1");
        assert_eq!(
            TrustAnchorId::new(&[0, 127, 128, 16_383, u32::MAX]).encode(),
            [0, 0x7f, 0x81, 0, 0xff, 0x7f, 0x8f, 0xff, 0xff, 0xff, 0x7f]
        );
    }
}
