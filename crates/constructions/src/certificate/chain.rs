//! Verifies a chain from a leaf to a trusted root: signatures, names, validity and constraints (RFC 5280, section 6.1).
//! Ignores policies, name constraints and revocation. Rejects unknown critical extensions.

use super::client::FOR_SERVERS;
use super::{Certificate, CertificateError, Schemes};
use const_oid::{AssociatedOid, ObjectIdentifier};
use std::time::Duration;
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAltName};

const KNOWN: [ObjectIdentifier; 4] = [BasicConstraints::OID, KeyUsage::OID, SubjectAltName::OID, ExtendedKeyUsage::OID];
/// Object identifier anyExtendedKeyUsage (RFC 5280, section 4.2.1.12).
const FOR_ANYTHING: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37.0");

/// Verifies `chain`, leaf first. Each certificate must be signed by the next one, and the last one by `root`. The
/// caller must already trust `root`. `at` is the verification time, as the time since 1970-01-01 UTC.
///
/// # Errors
/// - [`CertificateError::Chain`], naming the certificate and the broken rule.
/// - [`CertificateError::Signature`] if a signature is invalid.
/// - The other variants if a certificate or key is malformed or unsupported.
pub fn verify_chain(
    chain: &[Certificate],
    root: &Certificate,
    at: Duration,
    schemes: &Schemes,
) -> Result<(), CertificateError> {
    verify_path(chain, root, at, schemes)?;
    root.verify(root, schemes)?;
    Ok(())
}

/// Like [`verify_chain`], but does not check the root's self-signature.
pub(super) fn verify_path(
    chain: &[Certificate],
    root: &Certificate,
    at: Duration,
    schemes: &Schemes,
) -> Result<(), CertificateError> {
    if chain.is_empty() {
        return Err(CertificateError::Chain { place: 0, problem: "is missing" });
    }
    let issuers = chain.iter().skip(1).chain([root]);
    check(root, chain.len(), at, true)?;
    for (place, (certificate, issuer)) in chain.iter().zip(issuers).enumerate() {
        check(certificate, place, at, place > 0)?;
        if certificate.parsed.tbs_certificate().issuer() != issuer.parsed.tbs_certificate().subject() {
            return Err(CertificateError::Chain { place, problem: "names a different issuer" });
        }
        certificate.verify(issuer, schemes)?;
    }
    Ok(())
}

/// Returns whether [`verify_chain`] interprets an extension.
pub(super) fn interprets(extension: &ObjectIdentifier) -> bool {
    KNOWN.contains(extension)
}

/// Checks the validity period, critical extensions and, for an authority, its constraints. `place` is the position in
/// the chain, 0 for the leaf. For an authority, `place - 1` intermediate certificates lie between it and the leaf.
fn check(certificate: &Certificate, place: usize, at: Duration, authority: bool) -> Result<(), CertificateError> {
    let broken = |problem| CertificateError::Chain { place, problem };
    let tbs = certificate.parsed.tbs_certificate();
    if at < tbs.validity().not_before.to_unix_duration() {
        return Err(broken("is not valid yet"));
    }
    if at > tbs.validity().not_after.to_unix_duration() {
        return Err(broken("has expired"));
    }
    let extensions = tbs.extensions().map(Vec::as_slice).unwrap_or_default();
    if extensions.iter().any(|extension| extension.critical && !KNOWN.contains(&extension.extn_id)) {
        return Err(broken("has an unknown critical extension"));
    }
    // The extension may list several purposes, but chains are verified only for server authentication.
    if let Some((true, usage)) = tbs.get_extension::<ExtendedKeyUsage>()?
        && !usage.0.iter().any(|purpose| [FOR_SERVERS, FOR_ANYTHING].contains(purpose))
    {
        return Err(broken("has a critical extended key usage without server authentication"));
    }
    if !authority {
        return Ok(());
    }
    let Some((_, constraints)) = tbs.get_extension::<BasicConstraints>()? else {
        return Err(broken("has no basic constraints, so it must not sign certificates"));
    };
    if !constraints.ca {
        return Err(broken("is not a CA certificate"));
    }
    if constraints.path_len_constraint.is_some_and(|longest| place > usize::from(longest) + 1) {
        return Err(broken("has a path length constraint that the chain exceeds"));
    }
    match tbs.get_extension::<KeyUsage>()? {
        Some((_, usage)) if !usage.key_cert_sign() => Err(broken("has a key usage that excludes signing certificates")),
        _ => Ok(()),
    }
}
