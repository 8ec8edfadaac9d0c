use super::*;
use crate::shared::lanes::tests::check;
use crate::shared::testing::{check_batches_and_pieces, check_known_digests};

/// Computes the digest with the crate's portable backend, which does not use the vector code of the other backends.
fn digest(function: &str, message: &[u8], length: usize) -> Vec<u8> {
    let function = Function::ALL.into_iter().find(|it| it.name() == function).expect("not a FIPS 202 function");
    let mut outs = vec![vec![0; length]; LANES];
    let mut slices: Vec<&mut [u8]> = outs.iter_mut().map(Vec::as_mut_slice).collect();
    let lanes = Lanes::new(pqlab_keccak::Backend::Portable).expect("the portable code path must run everywhere");
    let slices = slices.as_mut_slice().try_into().expect("there must be eight lanes");
    lanes.digest(function, &[message; LANES], slices).expect("all messages must be equally long");
    outs.swap_remove(0)
}

#[test]
fn each_lane_gives_the_digest_of_its_message() {
    for provider in providers() {
        check(&provider, digest);
    }
}

#[test]
fn each_backend_offers_all_functions_or_gives_a_reason() {
    let providers = providers();
    assert_eq!(providers.iter().map(Provider::id).collect::<Vec<_>>(), ["keccak:avx512", "keccak:portable"]);
    for provider in &providers {
        assert_eq!(provider.lane_hashes.len() + provider.unsupported.len(), 6, "{}", provider.id());
        assert_eq!(provider.lane_hashes.len(), provider.hashes.len() + provider.xofs.len(), "{}", provider.id());
        for missing in &provider.unsupported {
            assert!(missing.reason.contains("AVX512") || missing.reason.contains("AVX-512"), "{}", missing.reason);
        }
    }
    assert_eq!(providers[1].lane_hashes.len(), 6, "the portable code must run everywhere");
}

#[test]
fn single_and_eight_lane_digests_agree() {
    for provider in providers() {
        for hash in &provider.hashes {
            let (name, length) = (hash.info().algorithm.as_ref(), hash.info().digest);
            let mut out = vec![0; length];
            hash.digest(&[7; 1000], &mut out).expect("the output has the wrong length");
            assert_eq!(out, digest(name, &[7; 1000], length), "{} {name}", provider.id());
        }
        for xof in &provider.xofs {
            let (name, mut out) = (xof.info().algorithm.as_ref(), vec![0; 500]);
            xof.digest(&[7; 1000], &mut out).expect("SHAKE must produce outputs of any length");
            assert_eq!(out, digest(name, &[7; 1000], 500), "{} {name}", provider.id());
        }
        if !provider.hashes.is_empty() {
            assert_eq!(check_known_digests(&provider), 6);
            check_batches_and_pieces(&provider);
        }
    }
}
