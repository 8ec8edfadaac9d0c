use crate::run_time::{ML_DSA, NO_REMAINDER, NORM};
use pqlab_primitives::Provider;
use serde::Serialize;

/// A known defect in a linked library, revealed by published vectors. Reports count the vectors that show a known
/// defect separately from passed and failed vectors.
///
/// An entry covers the affected versions of the library. If the entry names an extension, it covers only the code path
/// that uses this extension. Entries do not cover libraries that the user loads, because these may be patched. All
/// wrong answers of loaded libraries count as failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KnownDefect {
    /// Name of the library.
    pub library: &'static str,
    /// Prefix of the affected version of the library, or of one of the library's crates.
    pub version: &'static str,
    /// Prefix of the algorithm name.
    pub algorithm: &'static str,
    /// Prefix of the names of the affected operations.
    pub operation: &'static str,
    /// Processor extension that the affected code path uses, named as in the library's build description. `None` if
    /// every code path is affected.
    pub extension: Option<&'static str>,
    /// Name of the suite that reveals the defect.
    pub suite: &'static str,
    /// Flag or comment with which the suite marks the affected vectors.
    pub mark: &'static str,
    /// Description of the defect.
    pub what: &'static str,
}

impl KnownDefect {
    /// Returns whether the provider is the linked library, in the affected version and with the affected extension.
    pub fn is_in(&self, provider: &Provider) -> bool {
        let build = &provider.build_info.build;
        let extension = |wanted: &str| build.split([' ', ';', ',']).any(|word| word == wanted);
        provider.library == self.library && self.may_be_in(provider) && self.extension.is_none_or(extension)
    }

    /// Returns whether a linked or loaded library has the affected version, on any code path. A version string may name
    /// several crates.
    pub fn may_be_in(&self, provider: &Provider) -> bool {
        let mut versions = provider.build_info.version.split(", ");
        provider.code == self.library && versions.any(|one| one.starts_with(self.version))
    }
}

const fn liboqs_ml_dsa(suite: &'static str, mark: &'static str, what: &'static str) -> KnownDefect {
    KnownDefect {
        library: "liboqs",
        version: "0.13.",
        algorithm: "ML-DSA-",
        operation: "verify",
        extension: Some("avx2"),
        suite,
        mark,
        what,
    }
}

const NO_NORM: &str = "verification on AVX2 does not check the norm of z (FIPS 204, algorithm 8, line 13), so it accepts \
                       invalid signatures";
const ADDS: &str = "on AVX2, UseHint adds if r0 is 0, but FIPS 204 (algorithm 40, line 4) subtracts, so a valid \
                    signature is rejected";

/// All known defects. A defect that several suites reveal has one entry per suite.
pub static KNOWN_DEFECTS: &[KnownDefect] = &[
    liboqs_ml_dsa("Wycheproof ML-DSA verify", "InfinityNormViolation", NO_NORM),
    liboqs_ml_dsa("Wycheproof ML-DSA verify", "signature that calls use_hint(1, 0)", ADDS),
    liboqs_ml_dsa(ML_DSA, NORM, NO_NORM),
    liboqs_ml_dsa(ML_DSA, NO_REMAINDER, ADDS),
    KnownDefect {
        library: "rustcrypto",
        version: "ed25519-dalek 3.",
        algorithm: "Ed25519",
        operation: "verify-x",
        extension: None,
        suite: "Wycheproof Ed25519, in batches",
        mark: "InvalidEncoding",
        what: "batch verification decodes R and accepts encodings that are not points (RFC 8032, section 5.1.3), so it \
               accepts signatures that single verification rejects",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_primitives::BuildInfo;

    #[test]
    fn a_version_may_name_several_crates() {
        let [first, .., last] = KNOWN_DEFECTS else { panic!("the tests need at least two known defects") };
        let has = |defect: &KnownDefect, version: &str| defect.is_in(&provider(defect.library, version, "none; avx2"));
        assert!(has(first, "0.13.0") && !has(first, "0.14.0"));
        assert!(has(last, "ml-dsa 0.1.2, ed25519-dalek 3.0.0, sha2 0.11.0") && !has(last, "ed25519-dalek 4.0.0"));
    }

    #[test]
    fn defects_excuse_neither_other_code_paths_nor_loaded_libraries() {
        let defect = &KNOWN_DEFECTS[0];
        assert!(defect.is_in(&provider("liboqs", "0.13.0", "OQS_DIST_BUILD avx2 avx512")));
        assert!(!defect.is_in(&provider("liboqs", "0.13.0", "OQS_DIST_BUILD")));
        let mut loaded = provider("patched", "0.13.0", "avx2");
        loaded.code = "liboqs".into();
        assert!(!defect.is_in(&loaded) && defect.may_be_in(&loaded));
    }

    fn provider(library: &str, version: &str, build: &str) -> Provider {
        Provider::new(library, BuildInfo { version: version.into(), build: build.into() })
    }
}
