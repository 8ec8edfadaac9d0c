//! Merkle Tree Certificates: the verifier must not accept changed contents, and pqlab must encode the proof in an
//! accepted certificate to the same bytes.
#![no_main]

mod altered;
mod parts;

use altered::altered;
use libfuzzer_sys::fuzz_target;
use mtcs::{CaTrust, CosignerInfo, MtcProof, SignatureAlgorithm, TrustStore, TrustedSubtree, verify_certificate};
use parts::part;
use pqlab_constructions::keys::{Identifier, PublicKey};
use pqlab_constructions::mtc::{Cosigner, Entry, HASH, LOG, Log, Proof, Subject, Subtree, TrustAnchorId};
use pqlab_primitives::{Coins, KeyEncoding};
use std::sync::LazyLock;
use std::time::Duration;

const NOW: u64 = 1_800_000_000;
const DAY: u64 = 86_400;

/// A client, and an honest certificate that it accepts.
struct Client {
    store: TrustStore,
    honest: Vec<u8>,
}

/// Returns clients for a landmark-relative and a standalone certificate. All keys are constant, so that findings can be
/// reproduced.
static CLIENTS: LazyLock<[Client; 2]> = LazyLock::new(|| {
    let (scheme, sha256) = (part(|library| library.signature("Ed25519")), part(|library| library.hash("SHA-256")));
    let signer = scheme.load_signing_key(KeyEncoding::Seed, &[7; 32]).expect("any seed must give a key");
    let mut public = vec![0; scheme.info().parameters.verifying_key];
    signer.verifying_key().and_then(|key| key.encode(&mut public)).expect("the public key must be available");
    let identifier = Identifier::named("Ed25519").expect("Ed25519 has an identifier");
    let public = PublicKey::new(identifier, &public).expect("the key must have the right length");
    let id = TrustAnchorId::new(&[32473, 1]);
    let subject = Subject {
        name: "CN=leaf",
        dns_name: "leaf.example",
        not_before: Duration::from_secs(NOW - DAY),
        not_after: Duration::from_secs(NOW + DAY),
        key: &public,
    };
    let entry = Entry::new(&id, &subject).expect("the entry must be encodable");
    [false, true].map(|is_signed| {
        let cosigner = Cosigner { id: id.clone(), identifier, key: signer.as_ref() };
        let cosigners = if is_signed { vec![cosigner] } else { Vec::new() };
        let mut log = Log::new(id.clone(), sha256.as_ref());
        let issued = log.issue(&vec![entry.clone(); 11], &cosigners, Coins::Internal).expect("issuing must succeed");
        let verifier = mtcs::TrustAnchorId::from_dotted(&id.to_string()).expect("the ID must be valid");
        let spki_der = public.to_der().expect("the key must be encodable");
        let info = CosignerInfo { id: verifier.clone(), algorithm: SignatureAlgorithm::Ed25519, spki_der };
        let mut ca = CaTrust::new(verifier, info);
        for tree in issued.trees.iter().filter(|_| !is_signed) {
            let entries = tree.subtree().entries();
            let (start, end) = (entries.start, entries.end);
            ca.trust_subtree(TrustedSubtree { log_number: LOG, start, end, hash: *tree.root() });
        }
        let mut store = TrustStore::new();
        store.add_ca(ca);
        Client { store, honest: issued.certificates[3].clone() }
    })
});

fuzz_target!(|input: (bool, u8, Vec<u8>)| {
    let (is_signed, choice, bytes) = input;
    let Client { store, honest } = &CLIENTS[usize::from(is_signed)];
    let contents = |certificate: &[u8]| {
        let found = verify_certificate(store, certificate, NOW as i64).ok()?;
        Some((found.kind, found.entry_index, found.subtree, found.subtree_hash))
    };
    let changed = altered(choice, &bytes, honest);
    let (expected, found) = (contents(honest).expect("the honest certificate must verify"), contents(&changed));
    if found.is_some() {
        assert_eq!(found, Some(expected));
    }
    for proof in [MtcProof::parse_strict(&bytes), MtcProof::from_certificate(&changed)].into_iter().flatten() {
        let Some(subtree) = Subtree::new(proof.subtree.start, proof.subtree.end) else { continue };
        let (hashes, rest) = proof.inclusion_proof.as_chunks::<HASH>();
        if !proof.entry_extensions.is_empty() || !rest.is_empty() {
            continue;
        }
        let field = |signature: &mtcs::Cosignature| {
            let (id, value) = (&signature.cosigner_id, &signature.signature);
            [&[id.len() as u8], &id[..], &(value.len() as u16).to_be_bytes(), value].concat()
        };
        let signatures: Vec<u8> = proof.cosignatures.iter().flat_map(field).collect();
        let encoded = Proof { subtree, hashes, signatures: &signatures }.encode().expect("the proof must be encodable");
        let again = MtcProof::parse(&encoded);
        assert_eq!(again, Ok(proof));
    }
});
