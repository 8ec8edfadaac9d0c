use super::*;

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
