use serde::Serialize;

/// A defect of a library that published vectors show, with what is known of it. Such vectors are reported beside those
/// that pass and those that fail, in every line and every sum: a defect that is known is no failure of the run, and no
/// success either. Another version of the library is judged anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KnownDefect {
    /// The library.
    pub library: &'static str,
    /// What its version begins with.
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
];
