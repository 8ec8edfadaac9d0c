//! What a client does with the chain that a server sends: up to a root that it trusts (RFC 5280, section 6.1), for the name
//! that it called (RFC 9525), and of a key that may sign a handshake.

use super::chain::verify_path;
use super::{Certificate, CertificateError, Schemes};
use const_oid::ObjectIdentifier;
use std::time::Duration;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAltName};

/// Most certificates of a chain below its root: who sends more would have a client verify more.
const LONGEST: usize = 8;
/// id-kp-serverAuth (RFC 5280, section 4.2.1.12).
const FOR_SERVERS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");

/// Verifies a server's chain, the leaf first and each certificate signed by the next, for a DNS name, at a time in seconds since
/// 1970. The last one is signed by one of `roots`, which are trusted because the caller says so: their own signatures say
/// nothing, and nobody looks at them.
///
/// # Errors
/// [`CertificateError::Chain`] naming the certificate and the rule; [`CertificateError::Signature`] and the others.
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
        return Err(broken(LONGEST, "is one too many"));
    }
    check_leaf(leaf, name)?;
    for (place, certificate) in chain.iter().enumerate() {
        let usage = certificate.parsed.tbs_certificate().get_extension::<ExtendedKeyUsage>()?;
        if usage.is_some_and(|(_, usage)| !usage.0.contains(&FOR_SERVERS)) {
            return Err(broken(place, "is for something else than servers"));
        }
    }
    let mut found = Err(broken(chain.len() - 1, "is of an issuer that nobody trusts"));
    // Two roots of one name have different keys.
    let issuer = last.parsed.tbs_certificate().issuer();
    for root in roots.iter().filter(|root| root.parsed.tbs_certificate().subject() == issuer) {
        found = verify_path(chain, root, at, schemes);
        if found.is_ok() {
            break;
        }
    }
    found
}

/// Whether it is that server's, and its key one that signs handshakes.
fn check_leaf(leaf: &Certificate, name: &str) -> Result<(), CertificateError> {
    let broken = |problem| Err(CertificateError::Chain { place: 0, problem });
    let tbs = leaf.parsed.tbs_certificate();
    // Names of the subject are not for machines (RFC 9525, section 2).
    let names = tbs.get_extension::<SubjectAltName>()?.map(|(_, names)| names.0).unwrap_or_default();
    let called = |of: &GeneralName| matches!(of, GeneralName::DnsName(of) if matches(of.as_str(), name));
    if !is_host(name) || !names.iter().any(called) {
        return broken("is of another name");
    }
    if tbs.get_extension::<BasicConstraints>()?.is_some_and(|(_, constraints)| constraints.ca) {
        return broken("is an authority's");
    }
    if tbs.get_extension::<KeyUsage>()?.is_some_and(|(_, usage)| !usage.digital_signature()) {
        return broken("has a key that signs no handshake");
    }
    Ok(())
}

/// Whether a name of a certificate stands for the host (RFC 9525, section 6.3): it is the same but for case, or has an asterisk
/// for the whole of the first label, of three at least.
fn matches(of_certificate: &str, host: &str) -> bool {
    match of_certificate.strip_prefix("*.") {
        None => of_certificate.eq_ignore_ascii_case(host),
        Some(rest) => {
            let below = host.split_once('.').map(|(_, below)| below);
            rest.contains('.') && below.is_some_and(|below| below.eq_ignore_ascii_case(rest))
        }
    }
}

/// Whether it is the name of a host: labels of letters, digits and hyphens, of which the last is no number, as an address' is.
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
    fn a_name_stands_for_itself_and_an_asterisk_for_one_label() {
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
