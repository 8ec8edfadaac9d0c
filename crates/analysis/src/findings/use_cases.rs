//! The use cases for which a run recommends something, and what is set against what is in use today.

/// A use case of one area.
pub(super) struct UseCase {
    pub(super) name: &'static str,
    pub(super) area: &'static str,
    /// Done one after the other.
    pub(super) operations: &'static [&'static str],
    pub(super) what: &'static str,
    /// Which algorithms do it; all where it says nothing.
    pub(super) algorithms: fn(&str) -> bool,
    /// A number of operations in one, such as transactions in a block.
    pub(super) parameter: Option<(&'static str, u64)>,
}

const ANY: fn(&str) -> bool = |_| true;

/// All of them.
pub(super) const USE_CASES: [UseCase; 16] = [
    UseCase {
        name: "Key exchange",
        area: "kem",
        operations: &["keygen", "encapsulate", "decapsulate"],
        what: "keygen, encapsulate and decapsulate, one after the other",
        algorithms: ANY,
        parameter: None,
    },
    UseCase {
        name: "Signing much",
        area: "signature",
        operations: &["sign"],
        what: "one signature, with a prepared key",
        algorithms: ANY,
        parameter: None,
    },
    UseCase {
        name: "Verifying much",
        area: "signature",
        operations: &["verify"],
        what: "one verification, with a prepared key",
        algorithms: ANY,
        parameter: None,
    },
    UseCase {
        name: "Hybrid key exchange",
        area: "hybrid",
        operations: &["handshake"],
        what: "a whole exchange, both halves",
        algorithms: |name| HYBRIDS.contains(&name),
        parameter: None,
    },
    UseCase {
        name: "Hybrid signing",
        area: "hybrid",
        operations: &["sign"],
        what: "one signature of both halves",
        algorithms: |name| HYBRID_SIGNATURES.contains(&name),
        parameter: None,
    },
    UseCase {
        name: "Hybrid verifying",
        area: "hybrid",
        operations: &["verify"],
        what: "one verification of both halves",
        algorithms: |name| HYBRID_SIGNATURES.contains(&name),
        parameter: None,
    },
    UseCase {
        name: "Hybrid signature cycle",
        area: "hybrid",
        operations: &["cycle"],
        what: "keys made, one signature made and verified, both halves",
        algorithms: |name| HYBRID_SIGNATURES.contains(&name),
        parameter: None,
    },
    UseCase {
        name: "Issuing certificates",
        area: "certificate",
        operations: &["build"],
        what: "a certificate built and signed by every key",
        algorithms: |name| name != "X.509-Ed25519",
        parameter: None,
    },
    UseCase {
        name: "Certificates",
        area: "certificate",
        operations: &["verify"],
        what: "verifying every signature of a certificate",
        algorithms: |name| name != "X.509-Ed25519",
        parameter: None,
    },
    UseCase {
        name: "Circuit handshakes",
        area: "ntor",
        operations: &["handshake"],
        what: "a whole handshake that authenticates the relay",
        algorithms: |name| name.starts_with("ntor-"),
        parameter: None,
    },
    UseCase {
        name: "A relay's part of circuit handshakes",
        area: "ntor",
        operations: &["reply"],
        what: "one reply of a relay that is authenticated by it",
        algorithms: |name| name.starts_with("ntor-"),
        parameter: None,
    },
    UseCase {
        name: "Signing transactions",
        area: "ledger",
        operations: &["sign"],
        what: "one transaction, with a prepared key",
        algorithms: ANY,
        parameter: None,
    },
    UseCase {
        name: "Verifying transactions",
        area: "ledger",
        operations: &["verify"],
        what: "one transaction, with a prepared key",
        algorithms: ANY,
        parameter: None,
    },
    UseCase {
        name: "Verifying blocks",
        area: "ledger",
        operations: &["verify-block"],
        what: "verifying a block of 100 transactions",
        algorithms: ANY,
        parameter: Some(("tx", 100)),
    },
    UseCase {
        name: "Hashing",
        area: "hash",
        operations: &["digest"],
        what: "SHA3-256 of the longest message",
        algorithms: |name| name == "SHA3-256",
        parameter: None,
    },
    UseCase {
        name: "Extendable output",
        area: "hash",
        operations: &["digest"],
        what: "SHAKE128 of the longest message",
        algorithms: |name| name == "SHAKE128",
        parameter: None,
    },
];
const HYBRIDS: [&str; 4] = ["X-Wing", "MLKEM768-X25519-SHA3-256", "X25519MLKEM768", "X25519+ML-KEM-768"];
/// Constructions of one of the reference systems, which no standard names.
pub(super) const OF_REFERENCE: [&str; 2] = ["X25519+ML-KEM-768", "Ed25519+ML-DSA-65"];
const HYBRID_SIGNATURES: [&str; 2] = ["MLDSA65-Ed25519-SHA512", "Ed25519+ML-DSA-65"];

/// Comparisons with what is in use today: area, operations, post-quantum, classical.
pub(super) const AGAINST: [(&str, &str, &[&str], &str, &str); 14] = [
    ("Key exchange", "kem", &["keygen", "encapsulate", "decapsulate"], "ML-KEM-768", "X25519"),
    ("Signing", "signature", &["sign"], "ML-DSA-65", "Ed25519"),
    ("Verifying", "signature", &["verify"], "ML-DSA-65", "Ed25519"),
    ("Verifying", "signature", &["verify"], "ML-DSA-65", "ECDSA-P-256"),
    ("Verifying", "signature", &["verify"], "Falcon-512", "Ed25519"),
    ("Hybrid key exchange", "hybrid", &["handshake"], "X-Wing", "X25519"),
    ("Hybrid signature cycle", "hybrid", &["cycle"], "MLDSA65-Ed25519-SHA512", "Ed25519"),
    ("Hybrid signature cycle", "hybrid", &["cycle"], "Ed25519+ML-DSA-65", "Ed25519"),
    ("Hybrid verifying", "hybrid", &["verify"], "MLDSA65-Ed25519-SHA512", "Ed25519"),
    ("Signing a transaction", "ledger", &["sign"], "ML-DSA-65", "ECDSA-secp256k1"),
    ("Verifying a transaction", "ledger", &["verify"], "ML-DSA-65", "ECDSA-secp256k1"),
    ("Verifying a transaction", "ledger", &["verify"], "Falcon-padded-512", "ECDSA-secp256k1"),
    ("Circuit handshake", "ntor", &["handshake"], "ntor-x25519-mlkem512", "ntor-v1"),
    ("Circuit handshake, relay not authenticated", "ntor", &["handshake"], "kem-only-mlkem512", "ntor-v1"),
];
