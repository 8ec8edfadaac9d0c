use super::*;
use crate::lanes::tests::check;

/// By a backend of the same crate that shares no vector code.
fn digest(function: &str, message: &[u8], length: usize) -> Vec<u8> {
    let function = Function::ALL.into_iter().find(|known| known.name() == function).expect("a function of FIPS 202");
    let mut outs = vec![vec![0; length]; LANES];
    let mut slices: Vec<&mut [u8]> = outs.iter_mut().map(Vec::as_mut_slice).collect();
    let lanes = Lanes::new(pqlab_keccak::Backend::Portable).expect("runs everywhere");
    let slices = slices.as_mut_slice().try_into().expect("eight");
    lanes.digest(function, &[message; LANES], slices).expect("of one length");
    outs.swap_remove(0)
}

#[test]
fn every_lane_has_the_digest_of_its_message() {
    for provider in providers() {
        check(&provider, digest);
    }
}

#[test]
fn each_backend_offers_all_functions_or_says_what_it_lacks() {
    let providers = providers();
    assert_eq!(providers.iter().map(Provider::id).collect::<Vec<_>>(), ["keccak:avx512", "keccak:portable"]);
    for provider in &providers {
        assert_eq!(provider.lane_hashes.len() + provider.unsupported.len(), 6, "{}", provider.id());
        for missing in &provider.unsupported {
            assert!(missing.reason.contains("AVX512") || missing.reason.contains("AVX-512"), "{}", missing.reason);
        }
    }
    assert_eq!(providers[1].lane_hashes.len(), 6, "the portable code runs everywhere");
}
