//! Lists available algorithms, providers, suites and counters, for `pqlab list`.

use crate::{LabError, Laboratory, Thing, builtin_suites};
use pqlab_harness::counter;
use pqlab_primitives::{KeyEncoding, Primitive, PrimitiveKind, Provider, Standardization};
use pqlab_record::CounterChoice;
use pqlab_workloads::{TlsImplementation, mtc_implementations, quic_implementations, ssh_implementations};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An algorithm from one provider. Lengths are in bytes. A field is `None` if it does not apply to the algorithm.
#[derive(Clone, Debug, Serialize)]
pub struct AlgorithmEntry {
    /// Name of the algorithm in its standard.
    pub algorithm: String,
    /// Kind of primitive.
    pub kind: PrimitiveKind,
    /// The provider's id.
    pub provider: String,
    /// Standard that defines the algorithm.
    pub standard: Option<String>,
    /// Standardization of the algorithm; `None` if the name is unknown.
    pub standardization: Option<Standardization>,
    /// NIST security category.
    pub category: Option<u8>,
    /// Length of the public, encapsulation or verifying key.
    pub public_key: Option<usize>,
    /// Lengths of private keys, keyed by encoding.
    pub secret_keys: BTreeMap<&'static str, usize>,
    /// Private-key encodings that this provider can load.
    pub encodings: Vec<&'static str>,
    /// Length of the ciphertext.
    pub ciphertext: Option<usize>,
    /// Length of the shared secret.
    pub shared_secret: Option<usize>,
    /// Maximum length of a signature.
    pub signature: Option<usize>,
    /// Whether signatures differ in length.
    pub signature_varies: Option<bool>,
    /// Length of the digest or tag.
    pub output: Option<usize>,
    /// Whether key generation accepts caller-supplied randomness, and whether encapsulation or signing does.
    pub exact_coins: Option<(bool, bool)>,
}

/// A provider in this build, or a TLS implementation that is not a provider.
#[derive(Clone, Debug, Serialize)]
pub struct ProviderEntry {
    /// The provider's id.
    pub id: String,
    /// The library's version.
    pub version: String,
    /// Build flags, features and code paths of the library, as text.
    pub build: String,
    /// Number of algorithms that the provider offers.
    pub algorithms: usize,
    /// Algorithms that the provider does not offer, with the reasons.
    pub unsupported: Vec<(String, String)>,
}

/// Built-in suite.
#[derive(Clone, Debug, Serialize)]
pub struct SuiteEntry {
    /// The suite's name.
    pub name: String,
    /// The question that the suite answers.
    pub about: String,
}

/// A counter, and whether it is available on this machine.
#[derive(Clone, Debug, Serialize)]
pub struct CounterEntry {
    /// The counter's name on the command line.
    pub name: &'static str,
    /// Whether the counter is available.
    pub available: bool,
    /// Rate in MHz, and resolution and overhead in ns. If the counter is not available: the reason and the remedy.
    pub detail: String,
}

/// Returns every algorithm of every provider, except functions that hash several messages in parallel.
pub fn algorithms(laboratory: &Laboratory) -> Vec<AlgorithmEntry> {
    let providers = laboratory.registry().providers().iter();
    let list = |provider: &Provider| {
        let id = provider.id();
        let listed = provider.primitives().filter(|primitive| primitive.kind() != PrimitiveKind::LaneHash);
        listed.map(|primitive| entry(&id, primitive)).collect::<Vec<_>>()
    };
    providers.flat_map(|provider| list(provider)).collect()
}

fn entry(provider: &str, primitive: Primitive) -> AlgorithmEntry {
    let blank = AlgorithmEntry {
        algorithm: primitive.algorithm().to_owned(),
        kind: primitive.kind(),
        provider: provider.to_owned(),
        standard: None,
        standardization: Standardization::find(primitive.algorithm()),
        category: None,
        public_key: None,
        secret_keys: BTreeMap::new(),
        encodings: Vec::new(),
        ciphertext: None,
        shared_secret: None,
        signature: None,
        signature_varies: None,
        output: None,
        exact_coins: None,
    };
    let names = |encodings: &[KeyEncoding]| encodings.iter().map(|encoding| encoding.name()).collect();
    let lengths = |keys: &[(KeyEncoding, usize)]| keys.iter().map(|&(key, length)| (key.name(), length)).collect();
    match primitive {
        Primitive::Kem(kem) => {
            let info = kem.info();
            let parameters = &info.parameters;
            AlgorithmEntry {
                standard: Some(parameters.standard.to_string()),
                category: parameters.category,
                public_key: Some(parameters.encapsulation_key),
                secret_keys: lengths(&parameters.decapsulation_keys),
                encodings: names(&info.encodings),
                ciphertext: Some(parameters.ciphertext),
                shared_secret: Some(parameters.shared_secret),
                exact_coins: Some((info.coins.keygen, info.coins.operation)),
                ..blank
            }
        }
        Primitive::Signature(scheme) => {
            let info = scheme.info();
            let parameters = &info.parameters;
            AlgorithmEntry {
                standard: Some(parameters.standard.to_string()),
                category: parameters.category,
                public_key: Some(parameters.verifying_key),
                secret_keys: lengths(&parameters.signing_keys),
                encodings: names(&info.encodings),
                signature: Some(parameters.signature),
                signature_varies: Some(parameters.variable_length),
                exact_coins: Some((info.coins.keygen, info.coins.operation)),
                ..blank
            }
        }
        Primitive::BatchVerifier(verifier) => {
            let parameters = verifier.parameters();
            AlgorithmEntry {
                standard: Some(parameters.standard.to_string()),
                category: parameters.category,
                public_key: Some(parameters.verifying_key),
                signature: Some(parameters.signature),
                signature_varies: Some(parameters.variable_length),
                ..blank
            }
        }
        Primitive::KeyAgreement(agreement) => {
            let parameters = &agreement.info().parameters;
            AlgorithmEntry {
                standard: Some(parameters.standard.to_string()),
                public_key: Some(parameters.public_key),
                secret_keys: BTreeMap::from([("scalar", parameters.private_key)]),
                encodings: vec!["scalar"],
                shared_secret: Some(parameters.shared_secret),
                exact_coins: Some((agreement.info().exact_coins, false)),
                ..blank
            }
        }
        Primitive::Hash(hash) => AlgorithmEntry {
            standard: Some(hash.info().standard.to_string()),
            output: Some(hash.info().digest),
            ..blank
        },
        Primitive::Xof(xof) => AlgorithmEntry { standard: Some(xof.info().standard.to_string()), ..blank },
        Primitive::Mac(mac) => AlgorithmEntry { output: Some(mac.tag_len()), ..blank },
        Primitive::Aead(aead) => AlgorithmEntry { output: Some(aead.tag_len()), ..blank },
        Primitive::Kdf(_) | Primitive::LaneHash(_) | Primitive::StreamCipher(_) => blank,
    }
}

/// Returns every provider, and every built-in implementation of TLS, SSH, QUIC and Merkle Tree Certificates. A provider and a TLS implementation
/// with the same name share one entry, which also lists what the TLS implementation does not support.
pub fn provider_entries(laboratory: &Laboratory) -> Vec<ProviderEntry> {
    let all = algorithms(laboratory);
    let providers = laboratory.registry().providers().iter();
    let mut entries: Vec<ProviderEntry> = providers
        .map(|provider| ProviderEntry {
            id: provider.id(),
            version: provider.build_info.version.clone(),
            build: provider.build_info.build.clone(),
            algorithms: all.iter().filter(|entry| entry.provider == provider.id()).count(),
            unsupported: provider.unsupported.iter().map(|gap| (gap.algorithm.clone(), gap.reason.clone())).collect(),
        })
        .collect();
    for implementation in TlsImplementation::ALL.into_iter().filter(|implementation| implementation.is_built_in()) {
        let lacks = implementation.lacks().into_iter().map(|(what, reason)| (format!("{what} in TLS"), reason));
        match entries.iter_mut().find(|entry| entry.id == implementation.name()) {
            Some(entry) => entry.unsupported.extend(lacks),
            None => entries.push(ProviderEntry {
                id: implementation.name().to_owned(),
                version: implementation.version(),
                build: format!("TLS over {}", implementation.primitives()),
                algorithms: 0,
                unsupported: lacks.collect(),
            }),
        }
    }
    entries.extend(ssh_implementations().into_iter().map(|(id, version)| ProviderEntry {
        id,
        version,
        build: "SSH over rustcrypto".to_owned(),
        algorithms: 0,
        unsupported: SSH_LACKS.map(|(what, reason)| (what.to_owned(), reason.to_owned())).into(),
    }));
    entries.extend(quic_implementations().into_iter().map(|(id, version)| ProviderEntry {
        id,
        version,
        build: "QUIC over rustls".to_owned(),
        algorithms: 0,
        unsupported: Vec::new(),
    }));
    entries.extend(mtc_implementations().into_iter().map(|(id, version)| ProviderEntry {
        id,
        version,
        build: "verifier over rustcrypto".to_owned(),
        algorithms: 0,
        unsupported: Vec::new(),
    }));
    entries
}

/// Algorithms of OpenSSH and of drafts that the SSH implementation does not support, with the reasons.
const SSH_LACKS: [(&str, &str); 2] = [
    ("sntrup761x25519-sha512 in SSH", "russh does not implement this key exchange"),
    ("ML-DSA in SSH", "russh implements no post-quantum host keys or user keys"),
];

/// Returns every counter, available or not.
pub fn counters() -> Vec<CounterEntry> {
    [
        ("cycles", CounterChoice::Cycles),
        ("instructions", CounterChoice::Instructions),
        ("tsc", CounterChoice::Tsc),
        ("wall", CounterChoice::Wall),
    ]
    .into_iter()
    .map(|(name, choice)| match counter::open(choice) {
        Ok(selected) => CounterEntry {
            name,
            available: true,
            detail: match selected.ns_per_tick {
                Some(ns) => format!(
                    "{:.1} MHz, resolution {:.1} ns, overhead {:.1} ns",
                    1e3 / ns,
                    selected.resolution_ns,
                    selected.overhead_ns
                ),
                None => format!("resolution {:.1} ns, overhead {:.1} ns", selected.resolution_ns, selected.overhead_ns),
            },
        },
        Err(error) => CounterEntry { name, available: false, detail: error.to_string() },
    })
    .collect()
}

/// Returns the built-in suites.
///
/// # Errors
/// Same as [`builtin_suites`].
pub fn suite_entries() -> Result<Vec<SuiteEntry>, LabError> {
    let about = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(builtin_suites()?
        .iter()
        .map(|suite| SuiteEntry { name: suite.name.clone(), about: about(&suite.about) })
        .collect())
}

/// Describes the loaded library or worker program with this label, including its algorithms, as JSON.
///
/// # Errors
/// [`LabError::Unknown`] if no library has that label.
pub fn library_entry(laboratory: &Laboratory, label: &str) -> Result<Value, LabError> {
    let loaded = laboratory.libraries().find(|library| library.label == label).ok_or_else(|| {
        LabError::unknown(Thing::Library, label, laboratory.libraries().map(|library| library.label.as_str()))
    })?;
    let entries: Vec<AlgorithmEntry> =
        algorithms(laboratory).into_iter().filter(|entry| entry.provider == label).collect();
    let provider = provider_entries(laboratory).into_iter().find(|entry| entry.id == label);
    Ok(json!({
        "label": label,
        "kind": loaded.kind.name(),
        "path": loaded.file().display().to_string(),
        "version": provider.as_ref().map(|entry| &entry.version),
        "build": provider.as_ref().map(|entry| &entry.build),
        "algorithms": entries,
        "unsupported": provider.as_ref().map(|entry| &entry.unsupported),
    }))
}
