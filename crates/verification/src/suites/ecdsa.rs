use super::{Ran, Run, Suite};
use crate::checks::SIGNING;
use crate::checks::signature::{Input, signing, verification};
use crate::read::ecdsa::{self as read, Case, Curve};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{KeyEncoding, SignatureScheme};

pub(super) static SUITES: &[Suite] = &[
    Suite::published(
        "RFC 6979 ECDSA: verification",
        |algorithm| curve(algorithm).is_some(),
        Run::Signature(|scheme, vectors, tally| {
            each(scheme, vectors, tally, None, |curve, case| {
                verification(scheme, &curve.verifying_key, Input::Pure(&[], &case.message), &case.signature, true)
            })
        }),
    ),
    Suite::published(
        "RFC 6979 ECDSA: deterministic signing",
        |algorithm| curve(algorithm).is_some(),
        Run::Signature(|scheme, vectors, tally| {
            each(scheme, vectors, tally, Some(SIGNING), |curve, case| {
                let key = (KeyEncoding::Scalar, curve.signing_key.as_slice());
                signing(scheme, key, Input::Pure(&[], &case.message), &[], &case.signature)
            })
        }),
    ),
];

/// Returns the RFC's name for an algorithm's curve, and the hash function that the algorithm uses. Returns `None` if
/// the RFC's vectors do not cover the algorithm.
fn curve(algorithm: &str) -> Option<(&'static str, &'static str)> {
    match algorithm {
        "ECDSA-P-256" => Some(("NIST P-256", "SHA-256")),
        "ECDSA-P-384" => Some(("NIST P-384", "SHA-384")),
        _ => None,
    }
}

fn each(
    scheme: &dyn SignatureScheme,
    vectors: &Vectors,
    tally: &mut Tally,
    operation: Option<&str>,
    check: impl Fn(&Curve, &Case) -> Checked,
) -> Ran {
    let file = vectors.file("rfc/6979-deterministic-ecdsa_vectors.json.gz", read::rfc6979)?;
    let Some((name, hash)) = curve(&scheme.info().parameters.algorithm) else { return Ok(()) };
    for curve in file.iter().filter(|curve| curve.name == name) {
        for case in &curve.cases {
            let id = format!("{} {:?}", case.hash, String::from_utf8_lossy(&case.message));
            let compare = || {
                if case.hash == hash {
                    check(curve, case)
                } else {
                    Err(Fault::Unsupported(format!("the vector uses a hash function other than {hash}")))
                }
            };
            match operation {
                Some(operation) => tally.answer(operation, id, compare),
                None => tally.check(id, compare),
            }
        }
    }
    Ok(())
}
