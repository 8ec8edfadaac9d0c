//! Tests Merkle Tree Certificates: trees against the vectors of the draft and a second implementation, and certificates
//! against the verifier `mtcs`.
#![allow(clippy::unwrap_used)]

mod common;

use common::{hash, signatures};
use der::{Decode, Encode};
use mtcs::{
    CaTrust, CosignerInfo, Error, SignatureAlgorithm, TrustAnchorId as VerifierId, TrustStore, TrustedSubtree,
    Verification, VerificationKind, verify_certificate,
};
use pqlab_constructions::keys::{Identifier, PublicKey};
use pqlab_constructions::mtc::{
    Cosigner, Digest, Entry, Issued, Log, Proof, Subject, Subtree, Tree, TrustAnchorId, cosign, leaf_hash,
};
use pqlab_primitives::{Coins, Hash, SigningKey};
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};
use std::ops::Range;
use std::time::Duration;

const NOW: u64 = 1_800_000_000;
const DAY: u64 = 86_400;
/// Trees in the vectors of the draft have up to this many entries.
const MOST: u64 = 130;

fn leaves(sha256: &dyn Hash) -> Vec<Digest> {
    (0..MOST).map(|index| leaf_hash(sha256, &[index as u8]).unwrap()).collect()
}

/// Returns every subtree with at most [`MOST`] entries in all, in the order of the vectors.
fn subtrees() -> impl Iterator<Item = Subtree> {
    (0..=MOST).flat_map(|end| (0..=end).filter_map(move |start| Subtree::new(start, end)))
}

fn tree(sha256: &dyn Hash, subtree: Subtree, leaves: &[Digest]) -> Tree {
    let Range { start, end } = subtree.entries();
    Tree::new(sha256, subtree, &leaves[start as usize..end as usize]).unwrap()
}

fn text(subtree: Subtree) -> String {
    let Range { start, end } = subtree.entries();
    format!("[{start}, {end})")
}

#[test]
fn reproduces_the_vectors_of_the_draft() {
    let sha256 = hash("SHA-256");
    let leaves = leaves(sha256.as_ref());
    let [mut roots, mut proofs, mut covers] = [(); 3].map(|()| Sha256::new());
    for subtree in subtrees() {
        let tree = tree(sha256.as_ref(), subtree, &leaves);
        roots.update(format!("{} {}\n", text(subtree), hex::encode(tree.root())));
        for index in subtree.entries() {
            let proof: String =
                tree.proof(index).unwrap().iter().map(|hash| format!(" {}", hex::encode(hash))).collect();
            proofs.update(format!("{index} {}{proof}\n", text(subtree)));
        }
    }
    for end in 0..=MOST {
        for start in 0..=end {
            let [left, right] = Subtree::covering(start..end);
            covers.update(format!("{} {}\n", text(left), text(right)));
        }
    }
    // Appendix "Subtree Test Vectors" of the draft.
    let wanted = [
        "b82806ad4265bb151c1119c0f4db437bb4d1a1f887b3a7fba1cd4ebf552e3e81",
        "ac2a8f989e44d99e399db448050ff5f19757df53cfb716aa81015d3955d8163f",
        "7fd9c8b926e9d2b5cf831560e8ce295a5ef97ad5c5ede4ea0dea28a8c8fc8bb0",
    ];
    assert_eq!([roots, proofs, covers].map(|hash| hex::encode(hash.finalize())), wanted);
}

/// Number of leaves to the left of the root of a tree: the largest power of two below `size` (RFC 9162, section 2.1.1).
fn split(size: usize) -> usize {
    let mut left = 1;
    while 2 * left < size {
        left *= 2;
    }
    left
}

/// Computes MTH as RFC 9162, section 2.1.1, defines it.
fn root_by_definition(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => Sha256::digest([]).into(),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            let node = [&[1][..], &root_by_definition(left), &root_by_definition(right)].concat();
            Sha256::digest(node).into()
        }
    }
}

/// Computes PATH as RFC 9162, section 2.1.3.1, defines it.
fn proof_by_definition(place: usize, leaves: &[Digest]) -> Vec<Digest> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    let (left, right) = leaves.split_at(split(leaves.len()));
    let (mut proof, sibling) = match place.checked_sub(left.len()) {
        None => (proof_by_definition(place, left), right),
        Some(place) => (proof_by_definition(place, right), left),
    };
    proof.push(root_by_definition(sibling));
    proof
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_and_proofs_follow_the_recursive_definition(
        leaves in proptest::collection::vec(any::<Digest>(), 1..300),
        choice in any::<prop::sample::Index>(),
        aligned in 0_u64..1000,
        changed in any::<prop::sample::Index>(),
    ) {
        let sha256 = hash("SHA-256");
        let sha256 = sha256.as_ref();
        let start = aligned * leaves.len().next_power_of_two() as u64;
        let subtree = Subtree::new(start, start + leaves.len() as u64).unwrap();
        let tree = Tree::new(sha256, subtree, &leaves).unwrap();
        prop_assert_eq!(*tree.root(), root_by_definition(&leaves));
        let place = choice.index(leaves.len());
        let index = start + place as u64;
        let proof = tree.proof(index).unwrap();
        prop_assert_eq!(&proof, &proof_by_definition(place, &leaves));
        prop_assert_eq!(subtree.proof_length(index), Some(proof.len()));
        let evaluate = |index, proof: &[Digest]| subtree.evaluate(sha256, index, leaves[place], proof).unwrap();
        prop_assert_eq!(evaluate(index, &proof), Some(*tree.root()));
        // The verifier must agree.
        let checked = mtcs::Subtree::new(start, start + leaves.len() as u64).unwrap();
        let again = |index, proof: &[Digest]| {
            mtcs::evaluate_inclusion_proof(&proof.concat(), index, &leaves[place], checked)
        };
        prop_assert_eq!(again(index, &proof), Some(*tree.root()));
        // Different places, lengths and hashes must not give the same root.
        for other in [index + 1, index ^ 1, start.wrapping_sub(1), start + leaves.len() as u64] {
            if other != index {
                prop_assert_ne!(evaluate(other, &proof), Some(*tree.root()));
                prop_assert_eq!(evaluate(other, &proof), again(other, &proof));
            }
        }
        let longer = [&proof[..], &[[0; 32]]].concat();
        prop_assert_eq!((evaluate(index, &longer), again(index, &longer)), (None, None));
        if !proof.is_empty() {
            prop_assert_eq!(evaluate(index, &proof[1..]), None);
            let mut wrong = proof.clone();
            wrong[changed.index(proof.len())][0] ^= 1;
            prop_assert_ne!(evaluate(index, &wrong), Some(*tree.root()));
        }
    }

    #[test]
    fn two_subtrees_cover_any_range(start in 0_u64..1 << 47, length in 0_u64..1 << 40) {
        let end = start + length;
        let [left, right] = Subtree::covering(start..end);
        let again = |one: &Subtree| Subtree::new(one.entries().start, one.entries().end);
        prop_assert!([left, right].iter().all(|one| again(one) == Some(*one)));
        prop_assert!(left.entries().start <= start && left.entries().end == right.entries().start);
        prop_assert_eq!(right.entries().end, end);
    }
}

#[test]
fn proofs_grow_with_the_logarithm_of_the_log() {
    for (entries, longest) in [(1, 0), (2, 0), (1_000, 9), (100_000, 16), (10_000_000, 23), (1 << 47, 46)] {
        let subtrees = Subtree::covering(0..entries);
        let lengths = subtrees.iter().filter_map(|subtree| subtree.proof_length(subtree.entries().start));
        assert_eq!(lengths.max(), Some(longest), "{entries} entries");
    }
}

struct Key {
    identifier: &'static Identifier,
    signer: Box<dyn SigningKey>,
    public: PublicKey,
}

impl Key {
    fn new(algorithm: &str) -> Key {
        let scheme = signatures(algorithm).remove(0).1;
        let signer = scheme.generate(Coins::Internal).unwrap();
        let mut public = vec![0; scheme.info().parameters.verifying_key];
        signer.verifying_key().unwrap().encode(&mut public).unwrap();
        let identifier = Identifier::named(algorithm).unwrap();
        Key { identifier, signer, public: PublicKey::new(identifier, &public).unwrap() }
    }
}

/// Returns the IDs of the CA and of the other cosigners.
fn id(cosigner: usize) -> TrustAnchorId {
    TrustAnchorId::new(&[32473, cosigner as u32 + 1])
}

fn cosigners(keys: &[Key]) -> Vec<Cosigner<'_>> {
    // The order of the cosigners must not matter.
    let all = keys.iter().enumerate().rev();
    all.map(|(at, key)| Cosigner { id: id(at), identifier: key.identifier, key: key.signer.as_ref() }).collect()
}

/// Returns the settings of a client that requires the signatures of all cosigners, or trusts subtrees.
fn store(keys: &[Key], trusted: &[(Subtree, Digest)]) -> TrustStore {
    let info = |(at, key): (usize, &Key)| CosignerInfo {
        id: VerifierId::from_dotted(&id(at).to_string()).unwrap(),
        algorithm: match key.identifier.algorithm {
            "Ed25519" => SignatureAlgorithm::Ed25519,
            "ECDSA-P-256" => SignatureAlgorithm::EcdsaP256Sha256,
            "ML-DSA-44" => SignatureAlgorithm::MlDsa44,
            "ML-DSA-65" => SignatureAlgorithm::MlDsa65,
            other => panic!("{other}"),
        },
        spki_der: key.public.to_der().unwrap(),
    };
    let mut all = keys.iter().enumerate().map(info);
    let first = all.next().unwrap();
    let mut ca = CaTrust::new(first.id.clone(), first);
    all.for_each(|cosigner| ca.require_cosigner(cosigner).unwrap());
    for (subtree, hash) in trusted {
        let Range { start, end } = subtree.entries();
        ca.trust_subtree(TrustedSubtree { log_number: 1, start, end, hash: *hash });
    }
    let mut store = TrustStore::new();
    store.add_ca(ca);
    store
}

fn entries(key: &Key, count: usize) -> Vec<Entry> {
    let entry = |number: usize| {
        let (not_before, not_after) = (Duration::from_secs(NOW - DAY), Duration::from_secs(NOW + DAY));
        let (name, dns_name) = (format!("CN=leaf {number}"), format!("leaf-{number}.example"));
        let subject = Subject { name: &name, dns_name: &dns_name, not_before, not_after, key: &key.public };
        Entry::new(&id(0), &subject).unwrap()
    };
    (0..count).map(entry).collect()
}

fn verify(store: &TrustStore, certificate: &[u8]) -> Result<Verification, Error> {
    verify_certificate(store, certificate, NOW as i64)
}

#[test]
fn the_verifier_accepts_standalone_certificates() {
    let sha256 = hash("SHA-256");
    for algorithm in ["Ed25519", "ECDSA-P-256", "ML-DSA-44", "ML-DSA-65"] {
        let keys = [(); 3].map(|()| Key::new(algorithm));
        for count in 1..=keys.len() {
            let mut log = Log::new(id(0), sha256.as_ref());
            // Batches of different sizes, so that the subtrees have different shapes.
            for batch in [1, 2, 5, 8] {
                let first = log.len();
                let issued = log.issue(&entries(&keys[0], batch), &cosigners(&keys[..count]), Coins::Internal).unwrap();
                assert_eq!((issued.certificates.len(), log.len()), (batch, first + batch));
                for (index, certificate) in (first as u64..).zip(&issued.certificates) {
                    let found = verify(&store(&keys[..count], &[]), certificate).unwrap();
                    assert_eq!((found.kind, found.entry_index), (VerificationKind::Standalone, index), "{algorithm}");
                    assert_eq!((found.log_number, found.satisfied_cosigners.len()), (1, count));
                }
            }
        }
    }
}

fn landmarks(issued: &Issued) -> Vec<(Subtree, Digest)> {
    issued.trees.iter().map(|tree| (tree.subtree(), *tree.root())).collect()
}

#[test]
fn the_verifier_accepts_landmark_relative_certificates() {
    let (sha256, key) = (hash("SHA-256"), Key::new("Ed25519"));
    let mut log = Log::new(id(0), sha256.as_ref());
    for batch in [1, 2, 13, 100] {
        let first = log.len() as u64;
        let issued = log.issue(&entries(&key, batch), &[], Coins::Internal).unwrap();
        let store = store(std::slice::from_ref(&key), &landmarks(&issued));
        for (index, certificate) in (first..).zip(&issued.certificates) {
            let found = verify(&store, certificate).unwrap();
            assert_eq!((found.kind, found.entry_index), (VerificationKind::LandmarkRelative, index));
        }
    }
}

#[test]
fn certificates_are_der_and_have_the_predicted_length() {
    let (sha256, key) = (hash("SHA-256"), Key::new("ML-DSA-44"));
    let mut log = Log::new(id(0), sha256.as_ref());
    let issued = log.issue(&entries(&key, 10), &cosigners(std::slice::from_ref(&key)), Coins::Internal).unwrap();
    let bare = |certificate: &[u8]| x509_cert::Certificate::from_der(certificate).unwrap().to_der().unwrap();
    assert!(issued.certificates.iter().all(|certificate| bare(certificate) == *certificate));
    // A log of any size can be simulated, because only the hashes of the siblings depend on the other entries.
    let subtree = issued.trees[0].subtree();
    let hashes = vec![[0; 32]; subtree.proof_length(3).unwrap()];
    let signatures = vec![0; 1 + 4 + 2 + 2420];
    let proof = Proof { subtree, hashes: &hashes, signatures: &signatures };
    let simulated = entries(&key, 4)[3].certificate(3, &proof).unwrap();
    assert_eq!(simulated.len(), issued.certificates[3].len());
}

#[test]
fn the_verifier_rejects_changed_certificates() {
    let sha256 = hash("SHA-256");
    let keys = [(); 3].map(|()| Key::new("Ed25519"));
    let [entry, other] = <[Entry; 2]>::try_from(entries(&keys[0], 2)).unwrap();
    for count in 0..=2 {
        let mut log = Log::new(id(0), sha256.as_ref());
        let batch = vec![entry.clone(), other.clone(), other.clone(), other.clone(), other.clone()];
        let issued = log.issue(&batch, &cosigners(&keys[..count]), Coins::Internal).unwrap();
        let trusted = if count == 0 { landmarks(&issued) } else { Vec::new() };
        let client = store(&keys[..count.max(1)], &trusted);
        let honest = &issued.certificates[0];
        let found = verify(&client, honest).unwrap();
        for length in 0..honest.len() {
            assert!(verify(&client, &honest[..length]).is_err(), "{length} of {} bytes", honest.len());
        }
        assert!(verify(&client, &[&honest[..], &[0]].concat()).is_err());
        for bit in 0..8 * honest.len() {
            let mut changed = honest.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(verify(&client, &changed).is_err(), "bit {bit}");
        }
        // A different entry, place, subtree, signature or cosigner.
        let tree = &issued.trees[0];
        let hashes = tree.proof(0).unwrap();
        let signed = cosign(&id(0), tree.subtree(), tree.root(), &cosigners(&keys[..count]), Coins::Internal).unwrap();
        let proof = Proof { subtree: tree.subtree(), hashes: &hashes, signatures: &signed };
        assert_eq!(verify(&client, &entry.certificate(0, &proof).unwrap()).unwrap().subtree_hash, found.subtree_hash);
        assert!(verify(&client, &other.certificate(0, &proof).unwrap()).is_err());
        assert!(verify(&client, &entry.certificate(1, &proof).unwrap()).is_err());
        let different = Proof { subtree: issued.trees[1].subtree(), ..proof };
        assert!(verify(&client, &entry.certificate(0, &different).unwrap()).is_err());
        let shorter = Proof { hashes: &hashes[1..], ..proof };
        assert!(verify(&client, &entry.certificate(0, &shorter).unwrap()).is_err());
        if count == 0 {
            let wrong: Vec<_> = trusted.iter().map(|(subtree, _)| (*subtree, [0; 32])).collect();
            assert_eq!(verify(&store(&keys[..1], &wrong), honest), Err(Error::ProofEvaluation));
            assert!(verify(&store(&keys[..1], &[]), honest).is_err(), "no trusted subtree and no signature");
        } else {
            let fewer =
                cosign(&id(0), tree.subtree(), tree.root(), &cosigners(&keys[..count - 1]), Coins::Internal).unwrap();
            let fewer = Proof { signatures: &fewer, ..proof };
            assert!(matches!(
                verify(&client, &entry.certificate(0, &fewer).unwrap()),
                Err(Error::PolicyUnsatisfied { .. })
            ));
            assert!(verify(&store(&keys[1..=count], &[]), honest).is_err(), "keys of other cosigners");
        }
        let expired = verify_certificate(&client, honest, (NOW + 2 * DAY) as i64);
        assert_eq!(expired, Err(Error::TimeInvalid));
    }
}
