//! Checks that a hybrid operation makes exactly as many allocations as its halves. This test has its own binary,
//! because the counter replaces the global allocator.

#![allow(clippy::unwrap_used)]

mod common;

use common::{hash, kems, providers};
use pqlab_constructions::HybridKem;
use pqlab_primitives::{Coins, Kem};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller upholds the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(mut call: impl FnMut()) -> u64 {
    // The first call may fill caches in the library.
    call();
    let before = COUNT.get();
    call();
    COUNT.get() - before
}

/// Counts the allocations made by encoded key generation, encapsulation and decapsulation.
fn allocations_of_kem(kem: &dyn Kem) -> [u64; 3] {
    let parameters = &kem.info().parameters;
    let key_length = kem.info().decapsulation_key(kem.info().encodings[0]).unwrap();
    let (mut public, mut private) = (vec![0; parameters.encapsulation_key], vec![0; key_length]);
    let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
    let coins = vec![7; parameters.keygen_coins];
    let key = kem.generate(Coins::Exact(&coins)).unwrap();
    let to = key.encapsulation_key().unwrap();
    [
        allocations(|| kem.generate_encoded(Coins::Exact(&coins), &mut public, &mut private).unwrap()),
        allocations(|| to.encapsulate(Coins::Internal, &mut ciphertext, &mut secret).unwrap()),
        allocations(|| key.decapsulate(&ciphertext, &mut secret).unwrap()),
    ]
}

/// Counts the allocations made by generating a prepared key, and by deriving its public key.
fn of_objects(kem: &dyn Kem) -> [u64; 2] {
    let coins = vec![7; kem.info().parameters.keygen_coins];
    let key = kem.generate(Coins::Exact(&coins)).unwrap();
    [
        allocations(|| drop(kem.generate(Coins::Exact(&coins)).unwrap())),
        allocations(|| drop(key.encapsulation_key().unwrap())),
    ]
}

#[test]
fn hybrids_allocate_what_their_halves_allocate() {
    let x25519 = kems("X25519").remove(0).1;
    let shake256 = providers().iter().find_map(|provider| provider.xof("SHAKE256").cloned()).unwrap();
    let hkdf = providers().iter().find_map(|provider| provider.kdf("HKDF-SHA256").cloned()).unwrap();
    for (id, ml_kem) in kems("ML-KEM-768") {
        let (classical, post_quantum) = (allocations_of_kem(x25519.as_ref()), allocations_of_kem(ml_kem.as_ref()));
        let halves: Vec<u64> = classical.iter().zip(post_quantum).map(|(first, second)| first + second).collect();
        let hybrids = [
            HybridKem::x_wing(Arc::clone(&x25519), Arc::clone(&ml_kem), hash("SHA3-256"), Arc::clone(&shake256)),
            HybridKem::composite(Arc::clone(&x25519), Arc::clone(&ml_kem), hash("SHA3-256")),
            HybridKem::x25519_ml_kem_768(Arc::clone(&x25519), Arc::clone(&ml_kem)),
            HybridKem::reference(Arc::clone(&x25519), Arc::clone(&ml_kem), Arc::clone(&hkdf)),
        ];
        for hybrid in hybrids.map(Result::unwrap) {
            let name = &hybrid.info().parameters.algorithm;
            assert_eq!(allocations_of_kem(&hybrid).as_slice(), halves, "{name} over {id}");
            // The hybrid also allocates its own boxed key object.
            let (classical, post_quantum) = (of_objects(x25519.as_ref()), of_objects(ml_kem.as_ref()));
            let [key, public] = of_objects(&hybrid);
            assert_eq!(key, classical[0] + post_quantum[0] + 1, "{name} over {id}");
            assert_eq!(public, classical[1] + post_quantum[1] + 1, "{name} over {id}");
        }
    }
}
