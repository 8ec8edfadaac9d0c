//! Firmware images with CMS signatures in a run: the time to verify and to sign, the share of the digest, and the length
//! of the SignedData.

pub(super) mod findings;
pub(super) mod tables;

use crate::case::CaseAnalysis;
use crate::number::significant;
use crate::run::RunAnalysis;
use pqlab_primitives::cms_digest;

const AREA: &str = "cms";
/// Algorithm of today's signatures.
const CLASSICAL: &str = "ECDSA-P-256";
/// Prefix of the algorithm names of signatures.
const PREFIX: &str = "CMS-";

/// Images of one length, signed with one algorithm, with the figures of one library.
struct Image<'r, 'a> {
    /// Algorithm of the signature: `ML-DSA-65`.
    algorithm: &'r str,
    provider: &'r str,
    /// Length of the image in bytes.
    length: u64,
    verify: &'r CaseAnalysis<'a>,
    make: Option<&'r CaseAnalysis<'a>>,
    /// Digest of the image alone.
    digest: Option<&'r CaseAnalysis<'a>>,
}

impl<'r, 'a> Image<'r, 'a> {
    fn new(analysis: &'r RunAnalysis<'a>, verify: &'r CaseAnalysis<'a>) -> Option<Image<'r, 'a>> {
        let case = verify.case();
        let (algorithm, length) = (case.algorithm.strip_prefix(PREFIX)?, case.message_length()?);
        let find = |operation: &str, algorithm: &str| {
            analysis.area(AREA).find(|one| {
                let other = one.case();
                let is_same = other.provider == case.provider && other.message_length() == Some(length);
                is_same && other.operation == operation && other.algorithm == algorithm && one.estimates.is_some()
            })
        };
        let digest = cms_digest(algorithm).and_then(|digest| find("digest", digest));
        Some(Image { algorithm, provider: &case.provider, length, verify, make: find("make", &case.algorithm), digest })
    }

    /// Returns the length of the SignedData in bytes.
    fn signed_data(&self) -> Option<u64> {
        self.verify.noted("signed_data_bytes").into_iter().reduce(f64::max).map(|bytes| bytes as u64)
    }

    /// Returns the times in ns to verify the image, and to compute its digest alone.
    fn times(&self) -> Option<[f64; 2]> {
        Some([self.verify.time()?.estimate, self.digest?.time()?.estimate])
    }

    /// Returns the share of the digest in the time to verify, in percent. The figures of two cases can differ by more
    /// than the rest of the work, so the share is limited to 100%.
    fn digest_pct(&self) -> Option<f64> {
        let [verify, digest] = self.times()?;
        Some((100.0 * digest / verify).min(100.0))
    }
}

/// Returns the images with a figure for verifying, in the order of the plan.
fn images<'r, 'a>(analysis: &'r RunAnalysis<'a>) -> Vec<Image<'r, 'a>> {
    let verified = analysis.area(AREA).filter(|one| one.case().operation == "verify" && one.estimates.is_some());
    verified.filter_map(|verify| Image::new(analysis, verify)).collect()
}

/// Formats a length in decimal units: `10 MB`, `45.2 kB`.
fn size(bytes: u64) -> String {
    let (value, unit) = match bytes as f64 {
        bytes if bytes >= 1e6 => (bytes / 1e6, "MB"),
        bytes if bytes >= 1e3 => (bytes / 1e3, "kB"),
        bytes => (bytes, "B"),
    };
    if value.fract() == 0.0 { format!("{value} {unit}") } else { format!("{} {unit}", significant(value)) }
}
