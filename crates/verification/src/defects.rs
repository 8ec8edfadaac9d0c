use serde::Serialize;

/// A defect of a library that published vectors show, with what is known of it. Such vectors are reported beside those
/// that pass and those that fail, in every line and every sum: a defect that is known is no failure of the run, and no
/// success either. Another version of the library is judged anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KnownDefect {
    /// The library.
    pub library: &'static str,
    /// What its version begins with, or that of one of the crates that it is made of.
    pub version: &'static str,
    /// What the algorithm's name begins with.
    pub algorithm: &'static str,
    /// What the names of the operations begin with that it makes wrong.
    pub operation: &'static str,
    /// The extension of the processor without which the library takes another path, as the library's build names it.
    pub extension: Option<&'static str>,
    /// The suite whose vectors show it.
    pub suite: &'static str,
    /// The flag or the comment that the suite gives these vectors.
    pub mark: &'static str,
    /// What is wrong.
    pub what: &'static str,
}

impl KnownDefect {
    /// Whether a build of the library, of this version, has it: a version may name several crates.
    pub fn is_of(&self, version: &str) -> bool {
        version.split(", ").any(|one| one.starts_with(self.version))
    }
}

const fn liboqs_ml_dsa(mark: &'static str, what: &'static str) -> KnownDefect {
    KnownDefect {
        library: "liboqs",
        version: "0.13.",
        algorithm: "ML-DSA-",
        operation: "verify",
        extension: Some("avx2"),
        suite: "Wycheproof ML-DSA verify",
        mark,
        what,
    }
}

/// All of them.
pub static KNOWN_DEFECTS: &[KnownDefect] = &[
    liboqs_ml_dsa(
        "InfinityNormViolation",
        "verification on AVX2 does not check the norm of z (FIPS 204, algorithm 8, line 13): bad signatures are accepted",
    ),
    liboqs_ml_dsa(
        "signature that calls use_hint(1, 0)",
        "on AVX2 UseHint adds where r0 is 0 (FIPS 204, algorithm 40, line 4, subtracts): a good signature is refused",
    ),
    KnownDefect {
        library: "rustcrypto",
        version: "ed25519-dalek 3.",
        algorithm: "Ed25519",
        operation: "verify-x",
        extension: None,
        suite: "Wycheproof Ed25519, in batches",
        mark: "InvalidEncoding",
        what: "a batch decodes R, and takes encodings that are no point's (RFC 8032, section 5.1.3): what the library refuses alone it \
               accepts in a batch",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_may_name_several_crates() {
        let [first, .., last] = KNOWN_DEFECTS else { panic!("there are some") };
        assert!(first.is_of("0.13.0") && !first.is_of("0.14.0"));
        assert!(last.is_of("ml-dsa 0.1.2, ed25519-dalek 3.0.0, sha2 0.11.0") && !last.is_of("ed25519-dalek 4.0.0"));
    }
}
