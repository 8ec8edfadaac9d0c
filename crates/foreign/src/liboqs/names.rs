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
    use pqlab_primitives::SignatureParameters;

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

    #[test]
    fn recognises_prehashed_schemes() {
        assert!(is_prehashed("SLH_DSA_SHA2_224_PREHASH_SHA2_128S"));
        assert!(!is_prehashed("SLH_DSA_PURE_SHA2_128S") && !is_prehashed("ML-DSA-65"));
    }
}
