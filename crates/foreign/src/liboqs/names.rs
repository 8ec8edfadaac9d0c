//! pqlab's names for liboqs algorithms.

use super::Version;

/// First liboqs versions with the final ML-KEM (FIPS 203) and ML-DSA (FIPS 204). Older versions implement the drafts.
const ML_KEM_FINAL: Version = (0, 11);
const ML_DSA_FINAL: Version = (0, 12);

/// First liboqs version in which `FrodoKEM` has a salt. Older versions use this name for the variant without salt, which
/// is now called `eFrodoKEM`.
const FRODO_SALTED: Version = (0, 16);

/// Suffix of pqlab's name for an algorithm from an initial public draft of a standard.
const DRAFT: &str = "-ipd";

/// Returns pqlab's name for the algorithm that liboqs calls `name` in this version. The name comes from the standard,
/// from its draft, or from liboqs if neither defines the algorithm.
pub(super) fn ours(version: Version, name: &str) -> String {
    let draft = (name.starts_with("ML-KEM-") && version < ML_KEM_FINAL)
        || (name.starts_with("ML-DSA-") && version < ML_DSA_FINAL);
    if draft && !name.ends_with(DRAFT) {
        return format!("{name}{DRAFT}");
    }
    if name.starts_with("FrodoKEM-") && version < FRODO_SALTED {
        return format!("e{name}");
    }
    // The standard's name for SLH_DSA_PURE_SHA2_128S is SLH-DSA-SHA2-128s.
    match name.strip_prefix("SLH_DSA_PURE_").and_then(|set| set.split_once('_')) {
        Some((hash, size)) => format!("SLH-DSA-{hash}-{}", size.to_lowercase()),
        None => name.to_owned(),
    }
}

/// Removes the suffix for drafts, if present. The lengths of keys, ciphertexts and signatures are the same in the draft
/// and in the standard.
pub(super) fn final_name(ours: &str) -> &str {
    ours.strip_suffix(DRAFT).unwrap_or(ours)
}

/// Returns whether the algorithm comes from a draft standard.
pub(super) fn is_draft(ours: &str) -> bool {
    ours.ends_with(DRAFT)
}

/// Returns whether the name denotes a scheme that hashes the message before signing. liboqs lists 144 such schemes, one
/// for each pair of scheme and hash function. In pqlab they are variants of a scheme, so they are not listed.
pub(super) fn is_prehashed(name: &str) -> bool {
    name.starts_with("SLH_DSA_") && name.contains("_PREHASH_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_primitives::{SignatureParameters, Stage, Standardization};

    #[test]
    fn names_follow_the_version() {
        for (version, name, expected) in [
            ((0, 10), "ML-KEM-768", "ML-KEM-768-ipd"),
            ((0, 10), "ML-KEM-768-ipd", "ML-KEM-768-ipd"),
            ((0, 11), "ML-KEM-768", "ML-KEM-768"),
            ((0, 11), "ML-DSA-65", "ML-DSA-65-ipd"),
            ((0, 12), "ML-DSA-65", "ML-DSA-65"),
            ((0, 10), "Falcon-padded-512", "Falcon-padded-512"),
            ((0, 15), "SLH_DSA_PURE_SHA2_128S", "SLH-DSA-SHA2-128s"),
            ((0, 15), "SLH_DSA_PURE_SHAKE_256F", "SLH-DSA-SHAKE-256f"),
            ((0, 15), "BIKE-L1", "BIKE-L1"),
            ((0, 15), "FrodoKEM-640-AES", "eFrodoKEM-640-AES"),
            ((0, 16), "FrodoKEM-640-AES", "FrodoKEM-640-AES"),
            ((0, 16), "eFrodoKEM-640-AES", "eFrodoKEM-640-AES"),
        ] {
            assert_eq!(ours(version, name), expected, "{name} in {version:?}");
        }
        assert_eq!((final_name("ML-KEM-768-ipd"), final_name("BIKE-L1")), ("ML-KEM-768", "BIKE-L1"));
        assert!(is_draft("ML-DSA-65-ipd") && !is_draft("ML-DSA-65"));
        assert!(SignatureParameters::find(&ours((0, 16), "SLH_DSA_PURE_SHA2_192F")).is_some());
    }

    /// Names that liboqs 0.13 lists, enabled or not, from its kem.h and sig.h.
    const LISTED: &str = "
        BIKE-L1 BIKE-L3 BIKE-L5 Classic-McEliece-348864 Classic-McEliece-348864f Classic-McEliece-460896
        Classic-McEliece-460896f Classic-McEliece-6688128 Classic-McEliece-6688128f Classic-McEliece-6960119
        Classic-McEliece-6960119f Classic-McEliece-8192128 Classic-McEliece-8192128f HQC-128 HQC-192 HQC-256 Kyber512
        Kyber768 Kyber1024 ML-KEM-512 ML-KEM-768 ML-KEM-1024 sntrup761 FrodoKEM-640-AES FrodoKEM-640-SHAKE
        FrodoKEM-976-AES FrodoKEM-976-SHAKE FrodoKEM-1344-AES FrodoKEM-1344-SHAKE
        Dilithium2 Dilithium3 Dilithium5 ML-DSA-44 ML-DSA-65 ML-DSA-87 Falcon-512 Falcon-1024 Falcon-padded-512
        Falcon-padded-1024 SPHINCS+-SHA2-128f-simple SPHINCS+-SHA2-128s-simple SPHINCS+-SHA2-192f-simple
        SPHINCS+-SHA2-192s-simple SPHINCS+-SHA2-256f-simple SPHINCS+-SHA2-256s-simple SPHINCS+-SHAKE-128f-simple
        SPHINCS+-SHAKE-128s-simple SPHINCS+-SHAKE-192f-simple SPHINCS+-SHAKE-192s-simple SPHINCS+-SHAKE-256f-simple
        SPHINCS+-SHAKE-256s-simple MAYO-1 MAYO-2 MAYO-3 MAYO-5 cross-rsdp-128-balanced cross-rsdp-128-fast
        cross-rsdp-128-small cross-rsdp-192-balanced cross-rsdp-192-fast cross-rsdp-192-small cross-rsdp-256-balanced
        cross-rsdp-256-fast cross-rsdp-256-small cross-rsdpg-128-balanced cross-rsdpg-128-fast cross-rsdpg-128-small
        cross-rsdpg-192-balanced cross-rsdpg-192-fast cross-rsdpg-192-small cross-rsdpg-256-balanced
        cross-rsdpg-256-fast cross-rsdpg-256-small OV-Is OV-Ip OV-III OV-V OV-Is-pkc OV-Ip-pkc OV-III-pkc OV-V-pkc
        OV-Is-pkc-skc OV-Ip-pkc-skc OV-III-pkc-skc OV-V-pkc-skc";

    #[test]
    fn every_listed_name_has_a_standardization() {
        let stage = |version, name| Standardization::find(&ours(version, name)).map(|found| found.stage);
        let unknown: Vec<&str> = LISTED.split_whitespace().filter(|name| stage((0, 13), name).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert_eq!(LISTED.split_whitespace().count(), 29 + 56);
        assert_eq!(stage((0, 10), "ML-KEM-768"), Some(Stage::Superseded));
        assert_eq!(stage((0, 16), "SLH_DSA_PURE_SHAKE_256F"), Some(Stage::Standard));
    }

    #[test]
    fn recognises_prehashed_schemes() {
        assert!(is_prehashed("SLH_DSA_SHA2_224_PREHASH_SHA2_128S"));
        assert!(!is_prehashed("SLH_DSA_PURE_SHA2_128S") && !is_prehashed("ML-DSA-65"));
    }
}
