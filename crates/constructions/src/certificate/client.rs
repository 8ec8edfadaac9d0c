//! Verifies a server's certificate chain as a client does. The chain must end at a trusted root (RFC 5280, section 6.1)
//! and name the server (RFC 9525). The leaf's key must be allowed to sign a handshake.

use super::chain::verify_path;
use super::{Certificate, CertificateError, Schemes};
use const_oid::ObjectIdentifier;
use std::time::Duration;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAltName};

/// Maximum number of certificates in a chain, without the root. Limits the work that a server can cause.
const LONGEST: usize = 8;
/// Object identifier id-kp-serverAuth (RFC 5280, section 4.2.1.12).
pub(super) const FOR_SERVERS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");

/// Verifies a server's chain for the DNS name `name`. The leaf comes first. Each certificate must be signed by the next
/// one, and the last one by one of `roots`. The caller must already trust `roots`, so their self-signatures are not
/// checked. `at` is the verification time, as the time since 1970-01-01 UTC.
///
/// # Errors
/// - [`CertificateError::Chain`], naming the certificate and the broken rule.
/// - [`CertificateError::Signature`] if a signature is invalid.
/// - The other variants if a certificate or key is malformed or unsupported.
pub fn verify_server(
    chain: &[Certificate],
    roots: &[Certificate],
    name: &str,
    at: Duration,
    schemes: &Schemes,
) -> Result<(), CertificateError> {
    let broken = |place, problem| CertificateError::Chain { place, problem };
    let (Some(leaf), Some(last)) = (chain.first(), chain.last()) else { return Err(broken(0, "is missing")) };
    if chain.len() > LONGEST {
        return Err(broken(LONGEST, "exceeds the maximum chain length"));
    }
    check_leaf(leaf, name)?;
    for (place, certificate) in chain.iter().enumerate() {
        let usage = certificate.parsed.tbs_certificate().get_extension::<ExtendedKeyUsage>()?;
        if usage.is_some_and(|(_, usage)| !usage.0.contains(&FOR_SERVERS)) {
            return Err(broken(place, "does not permit server authentication"));
        }
    }
    let mut found = Err(broken(chain.len() - 1, "has an untrusted issuer"));
    // Several roots may have the same name but different keys, so try each.
    let issuer = last.parsed.tbs_certificate().issuer();
    for root in roots.iter().filter(|root| root.parsed.tbs_certificate().subject() == issuer) {
        found = verify_path(chain, root, at, schemes);
        if found.is_ok() {
            break;
        }
    }
    found
}

/// Checks that the leaf names the server and that the leaf's key may sign handshakes.
fn check_leaf(leaf: &Certificate, name: &str) -> Result<(), CertificateError> {
    let broken = |problem| Err(CertificateError::Chain { place: 0, problem });
    let tbs = leaf.parsed.tbs_certificate();
    // Compare only subject alternative names. RFC 9525, section 2, forbids falling back to the
    // common name.
    let names = tbs.get_extension::<SubjectAltName>()?.map(|(_, names)| names.0).unwrap_or_default();
    let called = |found: &GeneralName| matches!(found, GeneralName::DnsName(found) if matches(found.as_str(), name));
    if !is_host(name) || !names.iter().any(called) {
        return broken("does not match the server name");
    }
    if tbs.get_extension::<BasicConstraints>()?.is_some_and(|(_, constraints)| constraints.ca) {
        return broken("is a CA certificate");
    }
    if tbs.get_extension::<KeyUsage>()?.is_some_and(|(_, usage)| !usage.digital_signature()) {
        return broken("has a key usage that excludes signing handshakes");
    }
    Ok(())
}

/// Returns whether a DNS name in a certificate matches the host (RFC 9525, section 6.3). Ignores case. `*` may replace
/// the entire first label if at least two labels follow.
fn matches(of_certificate: &str, host: &str) -> bool {
    match of_certificate.strip_prefix("*.") {
        None => of_certificate.eq_ignore_ascii_case(host),
        Some(rest) => {
            let below = host.split_once('.').map(|(_, below)| below);
            rest.contains('.') && below.is_some_and(|below| below.eq_ignore_ascii_case(rest))
        }
    }
}

/// Returns whether `name` is a host name: dot-separated labels of letters, digits and hyphens. The last label must not
/// be a number, which excludes IPv4 addresses.
fn is_host(name: &str) -> bool {
    let label = |label: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..=63).contains(&label.len()) && label.bytes().all(known) && !label.starts_with('-') && !label.ends_with('-')
    };
    let last = name.rsplit('.').next().unwrap_or_default();
    name.len() <= 253 && name.split('.').all(label) && !last.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_exact_names_and_one_label_wildcards() {
        for (certificate, host) in [
            ("leaf.example", "leaf.example"),
            ("LEAF.example", "leaf.EXAMPLE"),
            ("*.leaf.example", "a.leaf.example"),
            ("a", "a"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ] {
            assert!(matches(certificate, host) && is_host(host), "{certificate} {host}");
        }
        for (certificate, host) in [
            ("leaf.example", "leaf.example2"),
            ("leaf.example", "a.leaf.example"),
            ("*.leaf.example", "leaf.example"),
            ("*.leaf.example", "a.b.leaf.example"),
            ("*.leaf.example", ".leaf.example"),
            ("*.example", "leaf.example"),
            ("l*.leaf.example", "la.leaf.example"),
            ("a.*.example", "a.b.example"),
            ("*", "leaf"),
            ("*.leaf.example", "*.leaf.example"),
            ("leaf.example", "leaf.example."),
            ("192.0.2.1", "192.0.2.1"),
            ("a..b", "a..b"),
            ("", ""),
            ("-a.b", "-a.b"),
        ] {
            assert!(!(matches(certificate, host) && is_host(host)), "{certificate} {host}");
        }
        assert!(!is_host(&["a"; 128].join(".")) && is_host(&["a"; 127].join(".")));
        assert!(!is_host(&"a".repeat(64)) && is_host(&"a".repeat(63)));
    }
}
