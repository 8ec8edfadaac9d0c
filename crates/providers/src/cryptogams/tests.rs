use super::*;

#[test]
fn each_backend_offers_all_functions_or_gives_a_reason() {
    let providers = providers();
    let ids: Vec<String> = providers.iter().map(Provider::id).collect();
    let names = ["scalar", "avx2", "avx512", "avx512vl", "armv8", "armv8-sha3"];
    assert_eq!(ids, names.map(|name| format!("cryptogams:{name}")));
    for provider in &providers {
        let offered = provider.hashes.len() + provider.xofs.len();
        assert!(matches!((offered, provider.unsupported.len()), (6, 0) | (0, 6)), "{}", provider.id());
        assert!(provider.build_info.build.contains("keccak1600-"), "{}", provider.build_info.build);
    }
    let runs = |name: &str| providers.iter().any(|it| it.id() == format!("cryptogams:{name}") && !it.hashes.is_empty());
    let plain = if cfg!(target_arch = "x86_64") { "scalar" } else { "armv8" };
    let built = cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));
    assert_eq!(runs(plain), built);
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    {
        use pqlab_cpu::{Feature, is_hidden};
        let avx512 = is_x86_feature_detected!("avx512f") && !is_hidden(Feature::Avx512);
        assert_eq!(runs("avx2"), is_x86_feature_detected!("avx2") && !is_hidden(Feature::Avx2));
        assert_eq!(runs("avx512"), avx512);
        assert_eq!(runs("avx512vl"), avx512 && is_x86_feature_detected!("avx512vl"));
    }
}
