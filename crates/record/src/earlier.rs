//! Cases of before, by the names that they have today. Ids once did not say in which encoding a private key is loaded or written:
//! each provider's own was taken, so that one name stood for different work. Conversions of keys once named the provider that
//! made the keys, which took no part in them.

use crate::{Case, Form, Sizes};

/// Operations of the workloads `kem` and `signature` that load or write a private key where they are encoded.
const PRIVATE: [(&str, &str); 4] =
    [("kem", "keygen"), ("kem", "decapsulate"), ("signature", "keygen"), ("signature", "sign")];

/// What stands in the place of a provider where the code is this program's.
const OWN: &str = "pqlab";

/// Conversions of keys, in which no library takes part.
const CONVERSIONS: [&str; 4] = ["encode-public", "decode-public", "encode-private", "decode-private"];

impl Case {
    /// The case by the name that it has today. A case of before whose private key's encoding its id did not say had its
    /// provider's own: with today's name comes the block in which nothing else is measured. A conversion of keys is this
    /// program's own. Every other case is what it was.
    ///
    /// What cannot be told stays as it is, and is then no case of today.
    pub fn today(&self) -> Case {
        let mut case = self.clone();
        if converts_keys(self) {
            case.provider = OWN.into();
        }
        match unsaid_encoding(self) {
            Some(encoding) => {
                let block = self.block.clone();
                case.with_key(encoding).in_block(&block)
            }
            None => case,
        }
    }

    /// The id by which runs of any age are set against each other: that of [`today`](Self::today).
    pub fn lasting_id(&self) -> String {
        if unsaid_encoding(self).is_some() || converts_keys(self) { self.today().id() } else { self.id() }
    }

    /// The id without the encoding of the private key: what it was before ids said it.
    pub fn id_without_key(&self) -> String {
        let mut case = self.clone();
        case.parameters.retain(|parameter| !matches!(parameter, crate::Parameter::Word(name, _) if name == "key"));
        case.id()
    }
}

/// Whether it brings a key into or out of its encoding and names the provider that made the key.
fn converts_keys(case: &Case) -> bool {
    case.workload == "certificate" && CONVERSIONS.contains(&case.operation.as_str()) && case.provider != OWN
}

/// The encoding that a case's id would name today and does not; `None` where it does, and where there is none.
fn unsaid_encoding(case: &Case) -> Option<&'static str> {
    if case.key().is_some() {
        return None;
    }
    let operation = (case.workload.as_str(), case.operation.as_str());
    match operation {
        _ if PRIVATE.contains(&operation) && case.form == Some(Form::Encoded) => {
            own_encoding(&case.algorithm, &case.facts.sizes)
        }
        // The keys' own conversions took the shortest form of each.
        ("certificate", "encode-private" | "decode-private") => Some(match case.algorithm.as_str() {
            "X25519" => "scalar",
            pair if pair.contains('+') => "cbor",
            _ => "seed",
        }),
        _ => None,
    }
}

/// The encoding that the provider of a case wrote by itself. Where a standard has two, the length in bytes that was recorded with
/// the case tells which it was.
fn own_encoding(algorithm: &str, sizes: &Sizes) -> Option<&'static str> {
    let by_length = |seed: u64| Some(if sizes.secret_key? == seed { "seed" } else { "expanded" });
    match algorithm {
        "X25519" => Some("scalar"),
        "Ed25519" => Some("seed"),
        _ if algorithm.starts_with("ML-KEM-") => by_length(64),
        _ if algorithm.starts_with("ML-DSA-") => by_length(32),
        _ if algorithm.starts_with("ECDSA-") => Some("scalar"),
        _ if algorithm.starts_with("RSA-") => Some("der"),
        _ if ["Falcon-", "SLH-DSA-"].iter().any(|family| algorithm.starts_with(family)) => Some("expanded"),
        // The provider that does nothing calls its algorithms by its own name.
        "null" => Some("expanded"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Facts, Parameter};

    fn before(workload: &str, algorithm: &str, operation: &str, secret_key: Option<u64>) -> Case {
        Case {
            workload: workload.into(),
            algorithm: algorithm.into(),
            operation: operation.into(),
            provider: "p".into(),
            form: Some(Form::Encoded),
            parameters: Vec::new(),
            block: format!("{workload}/{operation}"),
            facts: Facts { sizes: Sizes { secret_key, ..Sizes::default() }, ..Facts::default() },
        }
    }

    #[test]
    fn an_encoded_case_of_before_had_its_providers_own_encoding() {
        for (workload, algorithm, operation, length, encoding) in [
            ("kem", "ML-KEM-768", "decapsulate", 64, "seed"),
            ("kem", "ML-KEM-768", "decapsulate", 2400, "expanded"),
            ("kem", "ML-KEM-512", "keygen", 64, "seed"),
            ("kem", "X25519", "decapsulate", 32, "scalar"),
            ("signature", "ML-DSA-65", "sign", 32, "seed"),
            ("signature", "ML-DSA-65", "keygen", 4032, "expanded"),
            ("signature", "Ed25519", "sign", 32, "seed"),
            ("signature", "ECDSA-P-256", "sign", 32, "scalar"),
            ("signature", "RSA-2048", "sign", 1193, "der"),
            ("signature", "SLH-DSA-SHA2-128f", "sign", 64, "expanded"),
            ("signature", "Falcon-padded-512", "keygen", 1281, "expanded"),
        ] {
            let old = before(workload, algorithm, operation, Some(length));
            let new = old.today();
            assert_eq!(new.id(), format!("{workload}/{algorithm}/{operation}[encoded,key={encoding}]@p"));
            assert_eq!(new.block, format!("{workload}/{operation}/encoded,key={encoding}"));
            assert_eq!((old.lasting_id(), new.lasting_id()), (new.id(), new.id()));
            assert_eq!((new.today(), new.id_without_key()), (new.clone(), old.id()));
        }
    }

    #[test]
    fn what_has_no_private_key_inside_keeps_its_name() {
        for (workload, operation) in [("kem", "encapsulate"), ("signature", "verify"), ("ledger", "verify")] {
            let case = before(workload, "ML-DSA-65", operation, Some(32));
            assert_eq!((case.today(), case.lasting_id()), (case.clone(), case.id()));
        }
        let prepared = Case { form: Some(Form::Prepared), ..before("kem", "ML-KEM-768", "decapsulate", Some(64)) };
        assert_eq!(prepared.today(), prepared);
        // Without the length it cannot be told: then it is no case of today.
        let unknown = before("kem", "ML-KEM-768", "decapsulate", None);
        assert_eq!(unknown.lasting_id(), "kem/ML-KEM-768/decapsulate[encoded]@p");
    }

    #[test]
    fn conversions_of_private_keys_took_the_shortest_form() {
        for (algorithm, encoding) in
            [("ML-DSA-65", "seed"), ("X25519", "scalar"), ("X-Wing", "seed"), ("X25519+ML-KEM-768", "cbor")]
        {
            let mut old = Case { form: None, ..before("certificate", algorithm, "decode-private", None) };
            old.parameters.push(Parameter::Word("format".into(), "der".into()));
            let new = format!("certificate/{algorithm}/decode-private[key={encoding},format=der]@pqlab");
            assert_eq!((old.lasting_id(), old.today().lasting_id()), (new.clone(), new));
        }
    }
}
