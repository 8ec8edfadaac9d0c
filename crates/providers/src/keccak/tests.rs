use super::*;

#[test]
fn each_backend_offers_all_functions_or_gives_a_reason() {
    let providers = providers();
    assert_eq!(
        providers.iter().map(Provider::id).collect::<Vec<_>>(),
        ["keccak:avx512", "keccak:avx2", "keccak:portable"]
    );
    for provider in &providers {
        assert_eq!(provider.lane_hashes.len() + provider.unsupported.len(), 6, "{}", provider.id());
        let singles = provider.hashes.len() + provider.xofs.len();
        assert_eq!(singles, if provider.id() == "keccak:avx2" { 0 } else { provider.lane_hashes.len() });
        for missing in &provider.unsupported {
            assert!(missing.reason.contains("AVX"), "{}", missing.reason);
        }
    }
    assert_eq!(providers[2].lane_hashes.len(), 6, "the portable code must run everywhere");
}
