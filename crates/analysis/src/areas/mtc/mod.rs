//! Merkle Tree Certificates in a run, compared with chains of X.509 certificates: their lengths, the server's flight,
//! and the time to verify and to issue them.

pub(super) mod findings;
pub(super) mod tables;

use crate::case::CaseAnalysis;
use crate::run::RunAnalysis;
use pqlab_record::Case;

const AREA: &str = "mtc";
/// Algorithm of today's chains.
const CLASSICAL: &str = "ECDSA-P-256";

/// Kind of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Merkle Tree Certificate without signatures.
    Landmark,
    /// Merkle Tree Certificate with the signatures of this many cosigners.
    Standalone(u64),
    /// X.509 certificate.
    X509,
}

impl Kind {
    fn text(self) -> String {
        match self {
            Kind::Landmark => "landmark-relative".to_owned(),
            Kind::Standalone(1) => "standalone, 1 cosigner".to_owned(),
            Kind::Standalone(count) => format!("standalone, {count} cosigners"),
            Kind::X509 => "X.509".to_owned(),
        }
    }
}

/// Certificates of one kind from one log.
struct Certificates<'r, 'a> {
    kind: Kind,
    /// Algorithm of the signatures and of the subjects' keys: `ML-DSA-44`.
    algorithm: &'r str,
    /// Number of certificates in the log, or in the batch. `None` for X.509.
    log: Option<u64>,
    case: &'r CaseAnalysis<'a>,
}

impl<'r, 'a> Certificates<'r, 'a> {
    fn from_case(analysed: &'r CaseAnalysis<'a>) -> Option<Certificates<'r, 'a>> {
        let case: &'r Case = analysed.case();
        let (kind, algorithm) = match case.algorithm.strip_prefix("MTC-") {
            None => (Kind::X509, case.algorithm.strip_prefix("X.509-")?),
            Some(algorithm) if case.flag("landmark") => (Kind::Landmark, algorithm),
            Some(algorithm) => (Kind::Standalone(case.number("cosigners")?), algorithm),
        };
        Some(Certificates { kind, algorithm, log: case.number("certificates"), case: analysed })
    }

    /// Returns a length or a number that the case recorded.
    fn noted(&self, name: &str) -> Option<u64> {
        self.case.noted(name).into_iter().reduce(f64::max).map(|value| value as u64)
    }

    /// Returns the length in bytes of all certificates that a server sends.
    fn bytes(&self) -> Option<u64> {
        self.noted("certificate_bytes")
    }

    /// Returns the length in bytes of the server's flight in a TLS handshake.
    fn flight(&self) -> Option<u64> {
        self.noted("flight_bytes")
    }
}

/// Returns the certificates with a figure for this operation, in the order of the plan.
fn certificates<'r, 'a>(analysis: &'r RunAnalysis<'a>, operation: &str) -> Vec<Certificates<'r, 'a>> {
    let cases = analysis.area(AREA).filter(|case| case.case().operation == operation && case.estimates.is_some());
    cases.filter_map(Certificates::from_case).collect()
}

/// Finds the chain of X.509 certificates with this algorithm.
fn chain<'s, 'r, 'a>(all: &'s [Certificates<'r, 'a>], algorithm: &str) -> Option<&'s Certificates<'r, 'a>> {
    all.iter().find(|one| one.kind == Kind::X509 && one.algorithm == algorithm)
}
