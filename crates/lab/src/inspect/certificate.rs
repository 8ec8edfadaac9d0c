use super::{InspectRequest, Inspection, Item, ItemPart, Notebook, Objection, flipped};
use crate::{LabError, matches};
use pqlab_harness::Fault;
use pqlab_primitives::Provider;
use pqlab_workloads::{Specimen, certificate_issuers};
use std::sync::Arc;

/// Issues and inspects one self-signed certificate of the given form with each requested provider or pair of providers.
/// Without `every`, considers only the pairs that a run measures by default.
pub(super) fn inspect(
    providers: &[Arc<Provider>],
    form: &str,
    request: &InspectRequest,
    every: bool,
) -> Result<Vec<Inspection>, LabError> {
    let issuers = certificate_issuers(form, providers, every);
    let chosen = |issuer: &&String| {
        let library = issuer.split(':').next().unwrap_or_default();
        let patterns = &request.providers;
        patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, issuer) || matches(pattern, library))
    };
    let selected: Vec<&String> = issuers.iter().filter(chosen).collect();
    if selected.is_empty() {
        return Err(LabError::Unoffered {
            algorithm: form.to_owned(),
            provider: Some(request.providers.join(", ")),
            offering: issuers,
        });
    }
    Ok(selected.into_iter().map(|issuer| one(providers, form, issuer, request.seed)).collect())
}

fn one(providers: &[Arc<Provider>], form: &str, issuer: &str, seed: u64) -> Inspection {
    let mut notebook = Notebook::new(seed, form);
    let issued = notebook.check("issuing a certificate succeeds", || Ok(Specimen::new(form, issuer, providers, seed)?));
    if let Some(specimen) = issued {
        examine(&mut notebook, &specimen);
    }
    Inspection {
        provider: issuer.to_owned(),
        kind: "certificate".to_owned(),
        algorithm: form.to_owned(),
        standard: standard(form).to_owned(),
        category: None,
        seeded: false,
        items: notebook.items,
        checks: notebook.checks,
    }
}

fn examine(notebook: &mut Notebook, specimen: &Specimen) {
    let bytes = specimen.as_bytes();
    let parts = notebook.check("parsing the certificate succeeds", || Ok(specimen.parts()?)).unwrap_or_default();
    let named = |(name, range): &(String, std::ops::Range<usize>)| ItemPart {
        name: name.clone(),
        begin: range.start,
        end: range.end,
    };
    notebook.items.push(Item {
        name: "certificate".to_owned(),
        length: bytes.len(),
        longest: bytes.len(),
        bytes: bytes.to_vec(),
        parts: parts.iter().map(named).collect(),
    });
    notebook.check("round trip: every signature is accepted", || Ok(specimen.verify(bytes)?));
    for (name, range) in &parts {
        let place = range.start.midpoint(range.end);
        notebook.check(&format!("a tampered certificate is rejected (byte {place}, in the {name})"), || {
            refuses(specimen, &flipped(bytes, place))
        });
    }
    notebook.check("a truncated certificate is rejected", || refuses(specimen, &bytes[..bytes.len() - 1]));
    if let Some(outcome) = specimen.chain() {
        notebook
            .check("a chain of three certificates is accepted, and rejected without the intermediate", || Ok(outcome?));
    }
}

fn refuses(specimen: &Specimen, bytes: &[u8]) -> Result<(), Objection> {
    match specimen.verify(bytes) {
        Err(_) => Ok(()),
        Ok(()) => Err(Objection::Wrong("the certificate was accepted".into())),
    }
}

fn standard(form: &str) -> &'static str {
    match form {
        "X.509-Ed25519" => "RFC 5280, RFC 8410",
        "X.509-ML-DSA-65" => "RFC 5280, RFC 9881",
        "X.509-alternative" => "X.509 (10/2019), clause 9.8",
        "X.509-composite" => "draft-ietf-lamps-pq-composite-sigs",
        _ => "format of an earlier system, reproduced for comparison only; do not use it",
    }
}

impl From<Fault> for Objection {
    fn from(fault: Fault) -> Objection {
        match fault {
            Fault::Unsupported(what) => Objection::Unsupported(what),
            other => Objection::Wrong(other.to_string()),
        }
    }
}
