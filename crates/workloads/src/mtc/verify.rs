//! Trial that verifies certificates, and the certificates and chains to verify.

use super::authority::{Authority, Key, LEAF_NAME};
use super::trust::{Cosigners, entry, verify};
use super::{DAY, NOW, Source, broken, cosigner_id, fault};
use crate::inputs::{POOL, Turn};
use mtcs::{TrustStore, VerificationKind};
use pqlab_constructions::mtc::{Digest, HASH, Proof, Subtree, cosign};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, SignatureParameters};
use pqlab_tls::Flight;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::time::Duration;

/// Certificates that a server sends, with what a client needs to verify them.
pub(super) trait Sent: Send {
    /// Verifies the certificates, from the received bytes.
    fn verify(&self) -> Result<(), Fault>;

    /// Returns the lengths of the certificates in bytes.
    fn lengths(&self) -> Vec<usize>;
}

/// Verifies certificates.
pub(super) struct Verify<S> {
    /// Valid certificates.
    good: Vec<S>,
    /// Certificates that a client must reject, each with the reason.
    bad: Vec<(&'static str, S)>,
    /// Length in bytes of the server's signature in a TLS handshake.
    signature: usize,
    turn: Turn,
    is_done: bool,
}

impl<S: Sent> Verify<S> {
    fn new(good: Vec<S>, bad: Vec<(&'static str, S)>, algorithm: &str) -> Result<Verify<S>, Fault> {
        let parameters = SignatureParameters::find(algorithm);
        let parameters = parameters.ok_or_else(|| Fault::Unsupported(format!("{algorithm} has no parameters")))?;
        // TLS encodes signatures of ECDSA in DER, which adds at most 8 bytes.
        let signature = parameters.signature + if algorithm.starts_with("ECDSA") { 8 } else { 0 };
        Ok(Verify { turn: Turn::new(good.len()), good, bad, signature, is_done: false })
    }
}

impl<S: Sent> Trial for Verify<S> {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.is_done = false;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.good[self.turn.advance()].verify()?;
        }
        self.is_done = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if !self.is_done {
            return Err(Fault::WrongAnswer("no certificate was verified".into()));
        }
        match self.bad.iter().find(|(_, sent)| sent.verify().is_ok()) {
            None => Ok(()),
            Some((what, _)) => Err(Fault::WrongAnswer(format!("verification accepts a certificate {what}"))),
        }
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        let lengths = self.good[self.turn.last()].lengths();
        recorder.note("certificate_bytes", lengths.iter().sum::<usize>() as f64);
        let flight = Flight::of_server(lengths, self.signature);
        recorder.note("flight_bytes", flight.bytes as f64);
        recorder.note("flight_packets", flight.packets() as f64);
        Ok(())
    }
}

/// A Merkle Tree Certificate, and the settings of a client.
pub(super) struct MerkleTree {
    store: Arc<TrustStore>,
    certificate: Vec<u8>,
    at: Duration,
}

impl Sent for MerkleTree {
    fn verify(&self) -> Result<(), Fault> {
        verify(&self.store, &self.certificate, self.at).map(|verification| {
            std::hint::black_box(verification);
        })
    }

    fn lengths(&self) -> Vec<usize> {
        vec![self.certificate.len()]
    }
}

/// Issues certificates from a log with `log` entries. Only the hashes of other entries are part of a certificate, so
/// random hashes stand in for them.
pub(super) fn certificates(source: &Source, log: u64, generator: &mut ChaCha8Rng) -> Result<Verify<MerkleTree>, Fault> {
    let sha256 = source.sha256.as_ref();
    let (cosigners, others) = (Cosigners::generate(source)?, Cosigners::generate(source)?);
    let key = Key::generate(source.scheme.as_ref())?;
    // The larger one of the two subtrees that cover the log.
    let [subtree, _] = Subtree::covering(0..log);
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for number in 0..POOL {
        let entry = entry(&key, number)?;
        let index = generator.random_range(subtree.entries());
        let siblings = subtree.proof_length(index).unwrap_or_default();
        let mut hashes: Vec<Digest> = vec![[0; HASH]; siblings];
        hashes.iter_mut().for_each(|hash| generator.fill_bytes(hash));
        let leaf = entry.leaf(sha256).map_err(fault)?;
        let root = subtree.evaluate(sha256, index, leaf, &hashes).map_err(fault)?;
        let root = root.ok_or_else(|| Fault::WrongAnswer("the inclusion proof has a wrong length".into()))?;
        let sign = |count| cosign(&cosigner_id(0), subtree, &root, &cosigners.take(count), Coins::Internal);
        let signatures = sign(source.cosigners).map_err(broken)?;
        let trusted = |hash| if source.cosigners == 0 { vec![(subtree, hash)] } else { Vec::new() };
        let store = Arc::new(cosigners.store(&trusted(root))?);
        let proof = Proof { subtree, hashes: &hashes, signatures: &signatures };
        let issue = |index, proof: &Proof| entry.certificate(index, proof).map_err(broken);
        let sent = |certificate| MerkleTree { store: Arc::clone(&store), certificate, at: NOW };
        let certificate = issue(index, &proof)?;
        check(&store, &certificate, index, &root, source.cosigners)?;
        if number == 0 {
            let wrong = [&hashes[..hashes.len() - 1], &[[0; HASH]]].concat();
            let shorter = &hashes[..hashes.len() - 1];
            bad.push((
                "of a different entry",
                sent(self::entry(&key, POOL)?.certificate(index, &proof).map_err(broken)?),
            ));
            bad.push(("with a different index", sent(issue(index ^ 1, &proof)?)));
            bad.push(("with a wrong hash in its proof", sent(issue(index, &Proof { hashes: &wrong, ..proof })?)));
            bad.push(("with a proof that is too short", sent(issue(index, &Proof { hashes: shorter, ..proof })?)));
            bad.push(("without its last byte", sent(certificate[..certificate.len() - 1].to_vec())));
            bad.push(("after its expiry", MerkleTree { at: NOW + 2 * DAY, ..sent(certificate.clone()) }));
            let strangers = Arc::new(others.store(&trusted([0; HASH]))?);
            let what = if source.cosigners == 0 { "of a different subtree" } else { "signed by other cosigners" };
            bad.push((what, MerkleTree { store: strangers, ..sent(certificate.clone()) }));
            if let Some(fewer) = source.cosigners.checked_sub(1) {
                let signatures = sign(fewer).map_err(broken)?;
                bad.push(("without a signature", sent(issue(index, &Proof { signatures: &signatures, ..proof })?)));
            }
        }
        good.push(sent(certificate));
    }
    Verify::new(good, bad, key.identifier.algorithm)
}

/// Checks what the verifier finds in a certificate.
fn check(store: &TrustStore, certificate: &[u8], index: u64, root: &Digest, cosigners: usize) -> Result<(), Fault> {
    let found = verify(store, certificate, NOW)?;
    let kind = if cosigners == 0 { VerificationKind::LandmarkRelative } else { VerificationKind::Standalone };
    let seen = (found.kind, found.entry_index, found.subtree_hash, found.satisfied_cosigners.len());
    if seen == (kind, index, *root, cosigners) {
        return Ok(());
    }
    Err(Fault::WrongAnswer(format!("the verifier found {seen:?} in a certificate")))
}

/// A chain of X.509 certificates, and the settings of a client.
pub(super) struct Chain {
    authority: Arc<Authority>,
    leaf: Vec<u8>,
    with_intermediate: bool,
    name: &'static str,
    at: Duration,
}

impl Sent for Chain {
    fn verify(&self) -> Result<(), Fault> {
        let chain = [&self.leaf[..], self.authority.intermediate()];
        self.authority.verify(&chain[..1 + usize::from(self.with_intermediate)], self.name, self.at)
    }

    fn lengths(&self) -> Vec<usize> {
        vec![self.leaf.len(), self.authority.intermediate().len()]
    }
}

/// Issues chains with one intermediate certificate.
pub(super) fn chains(authority: Authority) -> Result<Verify<Chain>, Fault> {
    let authority = Arc::new(authority);
    let leaves = (0..POOL as u32).map(|number| authority.leaf(number)).collect::<Result<Vec<_>, _>>()?;
    let sent = |leaf: &[u8]| Chain {
        authority: Arc::clone(&authority),
        leaf: leaf.to_vec(),
        with_intermediate: true,
        name: LEAF_NAME,
        at: NOW,
    };
    let mut flipped = leaves[0].clone();
    flipped.iter_mut().rev().take(1).for_each(|byte| *byte ^= 1);
    let bad = vec![
        ("without its issuer's", Chain { with_intermediate: false, ..sent(&leaves[0]) }),
        ("for a different name", Chain { name: "other.example", ..sent(&leaves[0]) }),
        ("after its expiry", Chain { at: NOW + 2 * DAY, ..sent(&leaves[0]) }),
        ("with a bit flipped", sent(&flipped)),
        ("without its last byte", sent(&leaves[0][..leaves[0].len() - 1])),
    ];
    Verify::new(leaves.iter().map(|leaf| sent(leaf)).collect(), bad, authority.algorithm())
}
