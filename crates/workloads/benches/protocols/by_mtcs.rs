//! Bare loop over mtcs, which verifies certificates from a log of [`LOG_LENGTH`] entries.

use crate::NOW;
use crate::interleaved::Work;
use mtcs::{CaTrust, CosignerInfo, SignatureAlgorithm, TrustAnchorId, TrustStore, TrustedSubtree};
use pqlab_constructions::keys::{Identifier, PublicKey};
use pqlab_constructions::mtc::{Cosigner, Entry, LOG, Log, Subject, TrustAnchorId as Id};
use pqlab_primitives::{Coins, Provider};
use std::hint::black_box;
use std::time::Duration;

/// Number of entries in the log.
pub(crate) const LOG_LENGTH: usize = 1_000;
/// Algorithm of the CA and of the subjects' key.
pub(crate) const ALGORITHM: &str = "ML-DSA-44";
/// Number of verified certificates. The tool verifies as many in turn.
const POOL: usize = 16;
const DAY: Duration = Duration::from_secs(86_400);

pub(crate) struct Bare {
    store: TrustStore,
    certificates: Vec<Vec<u8>>,
    next: usize,
}

impl Bare {
    /// Issues the certificates with this provider: landmark-relative ones, or standalone ones that only the CA signs.
    pub(crate) fn new(provider: &Provider, is_landmark: bool) -> Bare {
        let scheme = provider.signature(ALGORITHM).expect("the provider must offer the signature scheme");
        let sha256 = provider.hash("SHA-256").expect("the provider must offer SHA-256");
        let identifier = Identifier::named(ALGORITHM).expect("the algorithm must have an identifier");
        let key = scheme.generate(Coins::Internal).expect("cannot generate the key");
        let mut public = vec![0; scheme.info().parameters.verifying_key];
        key.verifying_key().and_then(|key| key.encode(&mut public)).expect("cannot encode the key");
        let public = PublicKey::new(identifier, &public).expect("cannot encode the key");

        let (ca, now) = (Id::new(&[32473, 1]), Duration::from_secs(NOW));
        let entry = |number| {
            let name = &format!("CN=leaf {number},O=pqlab");
            let (not_before, not_after) = (now - DAY, now + DAY);
            let subject = Subject { name, dns_name: "leaf.example", not_before, not_after, key: &public };
            Entry::new(&ca, &subject).expect("cannot encode the entry")
        };
        let entries: Vec<Entry> = (0..LOG_LENGTH).map(entry).collect();
        let cosigner = Cosigner { id: ca.clone(), identifier, key: key.as_ref() };
        let cosigners = if is_landmark { &[][..] } else { &[cosigner] };
        let issued = Log::new(ca.clone(), sha256.as_ref()).issue(&entries, cosigners, Coins::Internal);
        let issued = issued.expect("cannot issue the certificates");

        let id = TrustAnchorId::from_dotted(&ca.to_string()).expect("the ID must be valid");
        let spki_der = public.to_der().expect("cannot encode the key");
        let info = CosignerInfo { id: id.clone(), algorithm: SignatureAlgorithm::MlDsa44, spki_der };
        let mut trust = CaTrust::new(id, info);
        if is_landmark {
            let [tree, _] = &issued.trees;
            let entries = tree.subtree().entries();
            let (start, end, hash) = (entries.start, entries.end, *tree.root());
            trust.trust_subtree(TrustedSubtree { log_number: LOG, start, end, hash });
        }
        let mut store = TrustStore::new();
        store.add_ca(trust);
        Bare { store, certificates: issued.certificates.into_iter().take(POOL).collect(), next: 0 }
    }
}

impl Work for Bare {
    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            self.next = (self.next + 1) % self.certificates.len();
            let verified = mtcs::verify_certificate(&self.store, &self.certificates[self.next], NOW.cast_signed());
            black_box(verified.expect("the certificate must be valid"));
        }
    }
}
