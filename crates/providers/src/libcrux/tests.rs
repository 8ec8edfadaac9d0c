use super::*;

#[test]
fn each_code_path_has_a_provider() {
    let providers = providers();
    let ids: Vec<String> = providers.iter().map(Provider::id).collect();
    assert_eq!(ids[0], "libcrux:portable");
    #[cfg(target_arch = "x86_64")]
    assert_eq!(
        ids.get(1).is_some_and(|id| id == "libcrux:avx2"),
        is_x86_feature_detected!("avx2") && !is_hidden(Feature::Avx2),
        "{ids:?}"
    );
    #[cfg(target_arch = "aarch64")]
    assert_eq!(ids[1..], ["libcrux:neon"]);
    // Only the portable code path offers all six FIPS 202 functions for a single message.
    for provider in &providers[1..] {
        assert!(provider.hashes.is_empty() && provider.xofs.is_empty(), "{}", provider.id());
        assert!(!provider.unsupported.is_empty(), "{} must give a reason", provider.id());
    }
}
