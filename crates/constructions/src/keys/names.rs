//! Names of the algorithms and curves that object identifiers denote, including unsupported ones.

/// Object identifiers of single algorithms and curves, with their names.
const NAMES: [(&str, &str); 66] = [
    ("1.2.840.113549.1.1.1", "RSA"),
    ("1.2.840.113549.1.1.4", "RSA with MD5"),
    ("1.2.840.113549.1.1.5", "RSA with SHA-1"),
    ("1.2.840.113549.1.1.7", "RSAES-OAEP"),
    ("1.2.840.113549.1.1.10", "RSASSA-PSS"),
    ("1.2.840.113549.1.1.11", "RSA with SHA-256"),
    ("1.2.840.113549.1.1.12", "RSA with SHA-384"),
    ("1.2.840.113549.1.1.13", "RSA with SHA-512"),
    ("1.2.840.113549.1.1.14", "RSA with SHA-224"),
    ("1.2.840.10040.4.1", "DSA"),
    ("1.2.840.10040.4.3", "DSA with SHA-1"),
    ("2.16.840.1.101.3.4.3.2", "DSA with SHA-256"),
    ("1.2.840.10046.2.1", "Diffie-Hellman"),
    ("1.2.840.113549.1.3.1", "Diffie-Hellman (PKCS #3)"),
    ("1.2.840.10045.2.1", "an elliptic-curve key"),
    ("1.2.840.10045.4.1", "ECDSA with SHA-1"),
    ("1.2.840.10045.4.3.1", "ECDSA with SHA-224"),
    ("1.2.840.10045.4.3.2", "ECDSA with SHA-256"),
    ("1.2.840.10045.4.3.3", "ECDSA with SHA-384"),
    ("1.2.840.10045.4.3.4", "ECDSA with SHA-512"),
    ("1.2.840.10045.3.1.1", "P-192"),
    ("1.2.840.10045.3.1.7", "P-256"),
    ("1.3.132.0.33", "P-224"),
    ("1.3.132.0.34", "P-384"),
    ("1.3.132.0.35", "P-521"),
    ("1.3.132.0.10", "secp256k1"),
    ("1.3.36.3.3.2.8.1.1.7", "brainpoolP256r1"),
    ("1.3.36.3.3.2.8.1.1.11", "brainpoolP384r1"),
    ("1.3.36.3.3.2.8.1.1.13", "brainpoolP512r1"),
    ("1.2.156.10197.1.301", "SM2"),
    ("1.3.101.110", "X25519"),
    ("1.3.101.111", "X448"),
    ("1.3.101.112", "Ed25519"),
    ("1.3.101.113", "Ed448"),
    ("1.2.840.113549.1.9.16.3.17", "HSS/LMS"),
    ("1.3.6.1.5.5.7.6.34", "XMSS"),
    ("1.3.6.1.5.5.7.6.35", "XMSS-MT"),
    ("1.3.6.1.4.1.62253.25722", "X-Wing"),
    ("1.3.6.1.4.1.2.267.7.4.4", "Dilithium2 (round 3)"),
    ("1.3.6.1.4.1.2.267.7.6.5", "Dilithium3 (round 3)"),
    ("1.3.6.1.4.1.2.267.7.8.7", "Dilithium5 (round 3)"),
    ("1.3.6.1.4.1.2.267.11.4.4", "Dilithium2-AES (round 3)"),
    ("1.3.6.1.4.1.2.267.11.6.5", "Dilithium3-AES (round 3)"),
    ("1.3.6.1.4.1.2.267.11.8.7", "Dilithium5-AES (round 3)"),
    ("1.3.6.1.4.1.2.267.12.4.4", "ML-DSA-44 (draft of FIPS 204)"),
    ("1.3.6.1.4.1.2.267.12.6.5", "ML-DSA-65 (draft of FIPS 204)"),
    ("1.3.6.1.4.1.2.267.12.8.7", "ML-DSA-87 (draft of FIPS 204)"),
    ("1.3.6.1.4.1.2.267.8.2.2", "Kyber512 (round 3)"),
    ("1.3.6.1.4.1.2.267.8.3.3", "Kyber768 (round 3)"),
    ("1.3.6.1.4.1.2.267.8.4.4", "Kyber1024 (round 3)"),
    ("1.3.6.1.4.1.22554.5.6.1", "Kyber512 (round 3)"),
    ("1.3.6.1.4.1.22554.5.6.2", "Kyber768 (round 3)"),
    ("1.3.6.1.4.1.22554.5.6.3", "Kyber1024 (round 3)"),
    ("1.3.9999.3.1", "Falcon-512 (round 3)"),
    ("1.3.9999.3.4", "Falcon-1024 (round 3)"),
    ("1.3.9999.3.6", "Falcon-512 (round 3)"),
    ("1.3.9999.3.9", "Falcon-1024 (round 3)"),
    ("1.3.9999.3.11", "Falcon-512 (round 3)"),
    ("1.3.9999.3.14", "Falcon-1024 (round 3)"),
    ("1.3.9999.3.16", "Falcon-padded-512 (round 3)"),
    ("1.3.9999.3.19", "Falcon-padded-1024 (round 3)"),
    ("1.3.6.1.4.1.22554.5.5.1", "ntruhps2048509 (round 3)"),
    ("1.3.6.1.4.1.22554.5.5.2", "ntruhps2048677 (round 3)"),
    ("1.3.6.1.4.1.22554.5.5.3", "ntruhps4096821 (round 3)"),
    ("1.3.6.1.4.1.22554.5.5.4", "ntruhrss701 (round 3)"),
    ("1.3.6.1.5.5.7.6.30", "a composite signature"),
];

/// Names of NIST's signature algorithms, in the order of their object identifiers. The first is
/// `2.16.840.1.101.3.4.3.17`.
const NIST_SIGNATURES: [&str; 30] = [
    "ML-DSA-44",
    "ML-DSA-65",
    "ML-DSA-87",
    "SLH-DSA-SHA2-128s",
    "SLH-DSA-SHA2-128f",
    "SLH-DSA-SHA2-192s",
    "SLH-DSA-SHA2-192f",
    "SLH-DSA-SHA2-256s",
    "SLH-DSA-SHA2-256f",
    "SLH-DSA-SHAKE-128s",
    "SLH-DSA-SHAKE-128f",
    "SLH-DSA-SHAKE-192s",
    "SLH-DSA-SHAKE-192f",
    "SLH-DSA-SHAKE-256s",
    "SLH-DSA-SHAKE-256f",
    "HashML-DSA-44 with SHA-512",
    "HashML-DSA-65 with SHA-512",
    "HashML-DSA-87 with SHA-512",
    "HashSLH-DSA-SHA2-128s with SHA-256",
    "HashSLH-DSA-SHA2-128f with SHA-256",
    "HashSLH-DSA-SHA2-192s with SHA-512",
    "HashSLH-DSA-SHA2-192f with SHA-512",
    "HashSLH-DSA-SHA2-256s with SHA-512",
    "HashSLH-DSA-SHA2-256f with SHA-512",
    "HashSLH-DSA-SHAKE-128s with SHAKE128",
    "HashSLH-DSA-SHAKE-128f with SHAKE128",
    "HashSLH-DSA-SHAKE-192s with SHAKE256",
    "HashSLH-DSA-SHAKE-192f with SHAKE256",
    "HashSLH-DSA-SHAKE-256s with SHAKE256",
    "HashSLH-DSA-SHAKE-256f with SHAKE256",
];

/// Names of the composites in draft-ietf-lamps-pq-composite-sigs and draft-ietf-lamps-pq-composite-kem, in the order of
/// their object identifiers. The first is `1.3.6.1.5.5.7.6.37`.
const COMPOSITES: [&str; 30] = [
    "MLDSA44-RSA2048-PSS-SHA256",
    "MLDSA44-RSA2048-PKCS15-SHA256",
    "MLDSA44-Ed25519-SHA512",
    "MLDSA44-ECDSA-P256-SHA256",
    "MLDSA65-RSA3072-PSS-SHA512",
    "MLDSA65-RSA3072-PKCS15-SHA512",
    "MLDSA65-RSA4096-PSS-SHA512",
    "MLDSA65-RSA4096-PKCS15-SHA512",
    "MLDSA65-ECDSA-P256-SHA512",
    "MLDSA65-ECDSA-P384-SHA512",
    "MLDSA65-ECDSA-brainpoolP256r1-SHA512",
    "MLDSA65-Ed25519-SHA512",
    "MLDSA87-ECDSA-P384-SHA512",
    "MLDSA87-ECDSA-brainpoolP384r1-SHA512",
    "MLDSA87-Ed448-SHAKE256",
    "MLDSA87-RSA3072-PSS-SHA512",
    "MLDSA87-RSA4096-PSS-SHA512",
    "MLDSA87-ECDSA-P521-SHA512",
    "MLKEM768-RSA2048-SHA3-256",
    "MLKEM768-RSA3072-SHA3-256",
    "MLKEM768-RSA4096-SHA3-256",
    "MLKEM768-X25519-SHA3-256",
    "MLKEM768-ECDH-P256-SHA3-256",
    "MLKEM768-ECDH-P384-SHA3-256",
    "MLKEM768-ECDH-brainpoolP256r1-SHA3-256",
    "MLKEM1024-RSA3072-SHA3-256",
    "MLKEM1024-ECDH-P384-SHA3-256",
    "MLKEM1024-ECDH-brainpoolP384r1-SHA3-256",
    "MLKEM1024-X448-SHA3-256",
    "MLKEM1024-ECDH-P521-SHA3-256",
];

/// Object identifier prefixes of algorithm families, with their names.
const FAMILIES: [(&str, &str); 8] = [
    ("1.3.6.1.4.1.2.267.", "Dilithium or Kyber (round 2 or 3)"),
    ("1.3.9999.6.", "SPHINCS+ (round 3)"),
    ("1.3.9999.2.", "a round-3 algorithm with an Open Quantum Safe identifier"),
    ("1.3.9999.", "a non-standard algorithm with an Open Quantum Safe identifier"),
    ("1.3.6.1.4.1.22554.5.", "a round-3 algorithm with a Bouncy Castle identifier"),
    ("2.16.840.1.114027.80.", "a composite from an old draft"),
    ("1.3.6.1.4.1.8301.", "a stateful hash-based signature from an old draft"),
    ("1.3.6.1.5.5.7.6.", "an IETF algorithm, such as a composite"),
];

/// Returns the name of an algorithm or curve by its object identifier, or `None` if it is unknown.
pub fn algorithm_name(oid: &str) -> Option<&'static str> {
    if let Some(last) = oid.strip_prefix("2.16.840.1.101.3.4.3.").and_then(|last| last.parse::<usize>().ok())
        && let Some(name) = last.checked_sub(17).and_then(|place| NIST_SIGNATURES.get(place))
    {
        return Some(name);
    }
    if let Some(last) = oid.strip_prefix("1.3.6.1.5.5.7.6.").and_then(|last| last.parse::<usize>().ok())
        && let Some(name) = last.checked_sub(37).and_then(|place| COMPOSITES.get(place))
    {
        return Some(name);
    }
    match oid {
        "2.16.840.1.101.3.4.4.1" => return Some("ML-KEM-512"),
        "2.16.840.1.101.3.4.4.2" => return Some("ML-KEM-768"),
        "2.16.840.1.101.3.4.4.3" => return Some("ML-KEM-1024"),
        _ => {}
    }
    let single = NAMES.iter().find(|(known, _)| *known == oid).map(|(_, name)| *name);
    single.or_else(|| FAMILIES.iter().find(|(start, _)| oid.starts_with(start)).map(|(_, name)| *name))
}

/// Returns the object identifier, preceded by the algorithm's name if the name is known.
pub(super) fn with_name(oid: &str) -> String {
    algorithm_name(oid).map_or_else(|| oid.to_owned(), |name| format!("{name} ({oid})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_standard_and_old_identifiers() {
        for (oid, name) in [
            ("2.16.840.1.101.3.4.3.17", "ML-DSA-44"),
            ("2.16.840.1.101.3.4.3.20", "SLH-DSA-SHA2-128s"),
            ("2.16.840.1.101.3.4.3.31", "SLH-DSA-SHAKE-256f"),
            ("2.16.840.1.101.3.4.3.33", "HashML-DSA-65 with SHA-512"),
            ("2.16.840.1.101.3.4.3.46", "HashSLH-DSA-SHAKE-256f with SHAKE256"),
            ("1.3.132.0.34", "P-384"),
            ("1.3.6.1.4.1.2.267.7.6.5", "Dilithium3 (round 3)"),
            ("1.3.9999.6.4.13", "SPHINCS+ (round 3)"),
        ] {
            assert_eq!(algorithm_name(oid), Some(name));
        }
        assert_eq!(algorithm_name("1.2.3"), None);
        assert_eq!(algorithm_name("2.16.840.1.101.3.4.3.47"), None);
        assert_eq!(with_name("1.3.132.0.34"), "P-384 (1.3.132.0.34)");
    }

    #[test]
    fn composites_and_other_arcs_have_names() {
        for (oid, name) in [
            ("1.3.6.1.5.5.7.6.37", "MLDSA44-RSA2048-PSS-SHA256"),
            ("1.3.6.1.5.5.7.6.48", "MLDSA65-Ed25519-SHA512"),
            ("1.3.6.1.5.5.7.6.54", "MLDSA87-ECDSA-P521-SHA512"),
            ("1.3.6.1.5.5.7.6.58", "MLKEM768-X25519-SHA3-256"),
            ("1.3.6.1.4.1.22554.5.5.1", "ntruhps2048509 (round 3)"),
            ("1.3.6.1.4.1.22554.5.6.2", "Kyber768 (round 3)"),
        ] {
            assert_eq!(algorithm_name(oid), Some(name));
        }
        assert!(algorithm_name("1.3.6.1.5.5.7.6.99").unwrap().contains("IETF"));
    }
}
