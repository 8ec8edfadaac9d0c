//! Describes the fields of a certificate that verification does not use.

use super::syntax::{ALT_ALGORITHM, ALT_KEY, ALT_VALUE};
use super::{Certificate, chain};
use crate::keys::asn1::{CONTEXT_0, INTEGER, element, elements};
use x509_cert::certificate::Version;

/// Names of extensions, by object identifier.
const NAMES: [(&str, &str); 26] = [
    ("2.5.29.9", "subject directory attributes"),
    ("2.5.29.14", "subject key identifier"),
    ("2.5.29.15", "key usage"),
    ("2.5.29.16", "private key usage period"),
    ("2.5.29.17", "subject alternative name"),
    ("2.5.29.18", "issuer alternative name"),
    ("2.5.29.19", "basic constraints"),
    ("2.5.29.30", "name constraints"),
    ("2.5.29.31", "CRL distribution points"),
    ("2.5.29.32", "certificate policies"),
    ("2.5.29.33", "policy mappings"),
    ("2.5.29.35", "authority key identifier"),
    ("2.5.29.36", "policy constraints"),
    ("2.5.29.37", "extended key usage"),
    ("2.5.29.46", "freshest CRL"),
    ("2.5.29.54", "inhibit anyPolicy"),
    ("2.5.29.72", "alternative public key"),
    ("2.5.29.73", "alternative signature algorithm"),
    ("2.5.29.74", "alternative signature"),
    ("1.3.6.1.5.5.7.1.1", "authority information access"),
    ("1.3.6.1.5.5.7.1.3", "QC statements"),
    ("1.3.6.1.5.5.7.1.11", "subject information access"),
    ("1.3.6.1.5.5.7.1.24", "TLS feature"),
    ("1.3.6.1.4.1.11129.2.4.2", "signed certificate timestamps"),
    ("1.3.6.1.4.1.11129.2.4.3", "precertificate poison"),
    ("2.16.840.1.113730.1.1", "Netscape certificate type"),
];

/// Maximum length of a serial number in bytes (RFC 5280, section 4.1.2.2).
const LONGEST_SERIAL: usize = 20;

/// Extension of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionSummary {
    /// Name of the extension, or its object identifier if the name is unknown.
    pub name: String,
    /// Whether a program that does not know the extension must reject the certificate.
    pub is_critical: bool,
    /// Whether pqlab interprets the extension when it verifies a certificate or a chain.
    pub is_interpreted: bool,
}

impl Certificate {
    /// Returns the extensions in the order of the certificate.
    pub fn extensions(&self) -> Vec<ExtensionSummary> {
        let summary = |extension: &x509_cert::ext::Extension| {
            let oid = extension.extn_id.to_string();
            let name = NAMES.iter().find(|(known, _)| *known == oid).map(|(_, name)| (*name).to_owned());
            ExtensionSummary {
                name: name.unwrap_or(oid),
                is_critical: extension.critical,
                is_interpreted: chain::interprets(&extension.extn_id)
                    || [ALT_KEY, ALT_ALGORITHM, ALT_VALUE].contains(&extension.extn_id),
            }
        };
        self.parsed.tbs_certificate().extensions().map(|all| all.iter().map(summary).collect()).unwrap_or_default()
    }

    /// Returns the version, 1 to 3, with a remark if the certificate has extensions that its version does not allow.
    pub fn version(&self) -> String {
        let tbs = self.parsed.tbs_certificate();
        let number = match tbs.version() {
            Version::V1 => 1,
            Version::V2 => 2,
            Version::V3 => 3,
        };
        let remark = if number < 3 && tbs.extensions().is_some() { " (extensions require version 3)" } else { "" };
        format!("{number}{remark}")
    }

    /// Returns the serial number in hexadecimal notation with its sign, and a remark if RFC 5280 forbids it.
    pub fn serial_number(&self) -> String {
        let serial = serial(&self.der).unwrap_or_default();
        let remark = if is_too_long(serial) { " (longer than 20 bytes, which RFC 5280 forbids)" } else { "" };
        format!("{}{remark}", describe_serial(serial))
    }
}

/// Returns the contents of the INTEGER serialNumber. `None` if `der` is not a certificate.
pub(super) fn serial(der: &[u8]) -> Option<&[u8]> {
    let (_, certificate, _) = element(der)?;
    let (_, tbs, _) = element(certificate)?;
    elements(tbs, 2).into_iter().find(|(tag, _)| *tag == INTEGER).map(|(_, serial)| serial)
}

/// Returns whether the version is unknown. Version 3 is encoded as 2.
pub(super) fn has_unknown_version(der: &[u8]) -> bool {
    let version = || {
        let (_, certificate, _) = element(der)?;
        let (_, tbs, _) = element(certificate)?;
        let (CONTEXT_0, version, _) = element(tbs)? else { return None };
        Some(element(version)?.1)
    };
    version().is_some_and(|version| !matches!(version, [0..=2]))
}

/// Returns whether RFC 5280 forbids a serial number because of its length.
pub(super) fn is_too_long(serial: &[u8]) -> bool {
    serial.len() > LONGEST_SERIAL + usize::from(serial.first() == Some(&0))
}

fn describe_serial(serial: &[u8]) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":");
    match serial {
        [] => "missing".to_owned(),
        [0] => "00 (zero; RFC 5280 requires a positive number)".to_owned(),
        [first, ..] if *first >= 0x80 => {
            // Two's complement: invert all bits and add one.
            let mut magnitude: Vec<u8> = serial.iter().map(|byte| !byte).collect();
            for byte in magnitude.iter_mut().rev() {
                let (sum, carried) = byte.overflowing_add(1);
                *byte = sum;
                if !carried {
                    break;
                }
            }
            let zeros = magnitude.iter().take_while(|byte| **byte == 0).count().min(magnitude.len() - 1);
            format!("-{} (negative; RFC 5280 requires a positive number)", hex(&magnitude[zeros..]))
        }
        [0, rest @ ..] => hex(rest),
        all => hex(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_numbers_have_a_sign_and_a_remark() {
        for (bytes, wanted) in [
            (&[1][..], "01"),
            (&[0, 0xff, 1], "FF:01"),
            (&[0], "00 (zero"),
            (&[0xff], "-01 (negative"),
            (&[0x80], "-80 (negative"),
            (&[0xff, 0x00], "-01:00 (negative"),
            (&[0x80, 0, 0], "-80:00:00 (negative"),
        ] {
            assert!(describe_serial(bytes).starts_with(wanted), "{}", describe_serial(bytes));
        }
        assert!(!is_too_long(&[1; 20]) && !is_too_long(&[&[0], &[0xff; 20][..]].concat()) && is_too_long(&[1; 21]));
    }
}
