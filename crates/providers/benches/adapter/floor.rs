//! The floor of the harness: a call that does nothing, through the trait, in batches.

use crate::Comparison;
use pqlab_primitives::{DecapsulationKey, Provider};
use pqlab_providers::providers;
use std::hint::black_box;
use std::sync::Arc;

pub(crate) fn batched() -> Comparison {
    let null: Arc<Provider> =
        providers().into_iter().find(|provider| provider.library == "null").expect("null is always there");
    let kem = Arc::clone(null.kem("null").expect("null has a KEM"));
    let key: Box<dyn DecapsulationKey> = kem.generate(pqlab_primitives::Coins::Internal).expect("null generates a key");
    let parameters = kem.info().parameters.clone();
    let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
    let to = key.encapsulation_key().expect("null has an encapsulation key");
    to.encapsulate(pqlab_primitives::Coins::Internal, &mut ciphertext, &mut secret).expect("null encapsulates");
    Comparison {
        what: "null decapsulate against an empty loop".to_owned(),
        batch: 10_000,
        adapter: Box::new(move |batch| {
            for _ in 0..batch {
                black_box(&key).decapsulate(&ciphertext, &mut secret).expect("null decapsulates");
            }
        }),
        bare: Box::new(|batch| {
            for index in 0..batch {
                black_box(index);
            }
        }),
    }
}
