use super::*;

#[test]
fn each_backend_offers_all_functions_or_says_what_it_lacks() {
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
        assert_eq!(runs("avx2"), is_x86_feature_detected!("avx2"));
        assert_eq!(runs("avx512"), is_x86_feature_detected!("avx512f"));
        assert_eq!(runs("avx512vl"), is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl"));
    }
}

#[test]
fn hashes_give_known_answers() {
    // FIPS 202's functions of the empty message, by NIST's example values.
    for provider in providers() {
        for hash in &provider.hashes {
            let mut out = vec![0; hash.info().digest];
            hash.digest(b"", &mut out).expect("the length is right");
            let expected = match hash.info().algorithm.as_ref() {
                "SHA3-224" => [0x6b, 0x4e, 0x03, 0x42],
                "SHA3-256" => [0xa7, 0xff, 0xc6, 0xf8],
                "SHA3-384" => [0x0c, 0x63, 0xa7, 0x5b],
                _ => [0xa6, 0x9f, 0x73, 0xcc],
            };
            assert_eq!(out[..4], expected, "{} {}", provider.id(), hash.info().algorithm);
            let mut again = vec![0; out.len()];
            hash.digest_batch(&[b"x".to_vec(), Vec::new()], 2, &mut again).expect("the length is right");
            assert_eq!(again, out);
        }
    }
}

#[test]
fn wrong_lengths_are_refused() {
    for provider in providers() {
        for hash in &provider.hashes {
            let mut out = vec![0; hash.info().digest + 1];
            assert!(matches!(hash.digest(b"", &mut out), Err(Error::Length { .. })));
            out.pop();
            assert!(matches!(hash.digest_batch(&[], 1, &mut out), Err(Error::Length { .. })));
        }
    }
}

#[test]
fn a_reader_goes_on_where_it_stopped() {
    for provider in providers() {
        for xof in &provider.xofs {
            let mut whole = vec![0; 1000];
            xof.digest(b"message", &mut whole).expect("any length");
            xof.digest(b"message", &mut []).expect("any length");
            let mut reader = xof.absorb(b"message").expect("offered");
            let mut parts = vec![0; 1000];
            for part in parts.chunks_mut(77) {
                reader.squeeze(&mut []).expect("any length");
                reader.squeeze(part).expect("any length");
            }
            assert_eq!(parts, whole, "{}", provider.id());
        }
    }
}
