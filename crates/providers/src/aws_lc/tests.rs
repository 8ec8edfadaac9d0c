use super::providers;
use crate::shared::testing::*;
use pqlab_primitives::{Coins, KeyEncoding};

#[test]
fn build_info_distinguishes_builds() {
    let info = providers().remove(0).build_info;
    assert_eq!(info.version.as_bytes(), aws_lc_sys::AWSLC_VERSION_NUMBER_STRING.strip_suffix(&[0]).unwrap());
    assert!(info.build.starts_with("aws-lc-sys 0."), "{}", info.build);
    assert!(info.build.contains("assembly") && info.build.contains("FIPS"), "{}", info.build);
    #[cfg(target_arch = "x86_64")]
    {
        use pqlab_cpu::{Feature, is_hidden};
        let avx2 = std::is_x86_feature_detected!("avx2") && !is_hidden(Feature::Avx2);
        assert_eq!(info.build.contains(" avx2"), avx2, "{}", info.build);
        assert!(!info.build.contains(" avx512") || !is_hidden(Feature::Avx512), "{}", info.build);
    }
}

/// Sets the first eight coefficients of `s1` out of range. Each takes three bits, and its packed value must be at most
/// 4 (FIPS 204, algorithm 25).
#[test]
fn rejects_ml_dsa_keys_with_coefficients_out_of_range() {
    let provider = providers().remove(0);
    let scheme = provider.signature("ML-DSA-44").unwrap();
    let mut expanded = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
    scheme.generate(Coins::Internal).unwrap().encode(KeyEncoding::Expanded, &mut expanded).unwrap();
    expanded[128..131].fill(0xff);
    assert!(malformed_error(scheme.load_signing_key(KeyEncoding::Expanded, &expanded)));
    assert!(error_queue_is_empty());
}

#[test]
fn failed_calls_leave_the_error_queue_empty() {
    check_failed_calls(&providers().remove(0), error_queue_is_empty);
}

fn error_queue_is_empty() -> bool {
    // SAFETY: the call takes no arguments and reads this thread's error queue.
    unsafe { aws_lc_sys::ERR_peek_error() == 0 }
}
