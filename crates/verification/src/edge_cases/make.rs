//! Generates the Ed25519 edge cases of C2SP CCTV, `ed25519`. They contain every pair of points of small order, in every
//! encoding that decoders accept. Each point occurs alone and with a component of prime order added.

use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::scalar::clamp_integer;
use curve25519_dalek::traits::IsIdentity;
use curve25519_dalek::{EdwardsPoint, Scalar};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha512};

/// A signature on which libraries may disagree.
#[derive(Serialize)]
pub(super) struct EdgeCase {
    pub(super) number: usize,
    /// Public key, `A`.
    #[serde(serialize_with = "hexadecimal")]
    pub(super) key: [u8; 32],
    /// Signature, `R || S`.
    #[serde(rename = "sig", serialize_with = "hexadecimal")]
    pub(super) signature: Vec<u8>,
    #[serde(rename = "msg")]
    pub(super) message: String,
    flags: Option<Vec<Flag>>,
}

/// Special property of an edge case, named as in CCTV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Flag {
    #[serde(rename = "low_order_R")]
    LowOrderR,
    #[serde(rename = "low_order_A")]
    LowOrderA,
    #[serde(rename = "low_order_component_R")]
    LowOrderComponentR,
    #[serde(rename = "low_order_component_A")]
    LowOrderComponentA,
    #[serde(rename = "low_order_residue")]
    LowOrderResidue,
    #[serde(rename = "non_canonical_A")]
    NonCanonicalA,
    #[serde(rename = "non_canonical_R")]
    NonCanonicalR,
    #[serde(rename = "reencoded_k")]
    ReencodedK,
}

impl EdgeCase {
    pub(super) fn flags(&self) -> &[Flag] {
        self.flags.as_deref().unwrap_or_default()
    }
}

fn hexadecimal<S: Serializer>(bytes: &impl AsRef<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(bytes))
}

/// Encodings of the eight points of small order. For each point, the canonical encoding comes first.
const SMALL_ORDER: &[&[&str]] = &[
    &[
        "0000000000000000000000000000000000000000000000000000000000000000",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ],
    &[
        "0000000000000000000000000000000000000000000000000000000000000080",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ],
    &[
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ],
    &["26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"],
    &["26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"],
    &["c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"],
    &["c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"],
    &[
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ],
];

/// A point of small order.
struct Small {
    point: EdwardsPoint,
    canonical: [u8; 32],
    others: Vec<[u8; 32]>,
}

impl Small {
    fn all() -> Vec<Small> {
        let decoded = |digits: &&str| {
            let mut encoding = [0; 32];
            hex::decode_to_slice(digits, &mut encoding).expect("embedded encodings are hexadecimal");
            encoding
        };
        let small = |encodings: &&[&str]| {
            let mut encodings = encodings.iter().map(decoded);
            let canonical = encodings.next().expect("each point has a canonical encoding");
            let point = CompressedEdwardsY(canonical).decompress().expect("embedded encodings must decode to points");
            Small { point, canonical, others: encodings.collect() }
        };
        SMALL_ORDER.iter().map(small).collect()
    }
}

/// One of the two points in an edge case, `A` or `R`. It is a point of small order, either in a given encoding or with
/// a component of prime order added.
#[derive(Clone, Copy)]
struct Part<'a> {
    small: &'a Small,
    encoding: Option<&'a [u8; 32]>,
    /// Discrete logarithm of the added component of prime order, or `None` if no component is added.
    added: Option<Scalar>,
}

impl Part<'_> {
    fn canonical(&self) -> [u8; 32] {
        match self.added {
            Some(scalar) => (EdwardsPoint::mul_base(&scalar) + self.small.point).compress().to_bytes(),
            None => self.small.canonical,
        }
    }

    fn encoded(&self) -> [u8; 32] {
        self.encoding.copied().unwrap_or_else(|| self.canonical())
    }
}

/// Returns all edge cases, in CCTV's order.
pub(super) fn edge_cases() -> Vec<EdgeCase> {
    // Use CCTV's scalars; any two would do.
    let s = Scalar::from_bytes_mod_order(clamp_integer([0x42; 32]));
    let r = Scalar::from_bytes_mod_order_wide(&std::array::from_fn(|index| [0x13, 0x37][index % 2]));
    let points = Small::all();
    let mut cases = Vec::new();
    for low_a in &points {
        for low_r in &points {
            let alone = |small, encoding| Part { small, encoding, added: None };
            let mixed = |small, added| Part { small, encoding: None, added: Some(added) };
            let (a, r) = ([alone(low_a, None), mixed(low_a, s)], [alone(low_r, None), mixed(low_r, r)]);
            for (a, r) in [(a[0], r[0]), (a[0], r[1]), (a[1], r[0]), (a[1], r[1])] {
                add(&mut cases, a, r, false);
            }
            for encoding in &low_a.others {
                let a = alone(low_a, Some(encoding));
                add(&mut cases, a, r[0], false);
                add(&mut cases, a, r[1], false);
                add(&mut cases, a, r[1], true);
            }
            for encoding in &low_r.others {
                let r = alone(low_r, Some(encoding));
                add(&mut cases, a[0], r, false);
                add(&mut cases, a[1], r, false);
                add(&mut cases, a[1], r, true);
            }
            for a in &low_a.others {
                for r in &low_r.others {
                    add(&mut cases, alone(low_a, Some(a)), alone(low_r, Some(r)), false);
                }
            }
        }
    }
    cases
}

/// Adds at most two cases for the points `A` and `R`: one in which the components of small order cancel out, and one in
/// which they do not. Whether the components cancel out depends only on the hash modulo 8, so the function tries one
/// message for each remainder. If `reencoded` is set, the hash covers the canonical encodings of both points.
fn add(cases: &mut Vec<EdgeCase>, a: Part, r: Part, reencoded: bool) {
    let (key, first) = (a.encoded(), r.encoded());
    let hashed = if reencoded { (a.canonical(), r.canonical()) } else { (key, first) };
    let mut found = [false; 2];
    for remainder in 0..8 {
        let message = (0_u32..)
            .map(|count| if count == 0 { "ed25519vectors".to_owned() } else { format!("ed25519vectors {count}") })
            .find(|message| hash(&hashed, message).as_bytes()[0] % 8 == remainder);
        let Some(message) = message else { continue };
        let k = hash(&hashed, &message);
        let residue = |k: &Scalar| !(a.small.point * k + r.small.point).is_identity();
        if std::mem::replace(&mut found[usize::from(residue(&k))], true) {
            continue;
        }
        let last = k * a.added.unwrap_or(Scalar::ZERO) + r.added.unwrap_or(Scalar::ZERO);
        let flags = [
            (Flag::LowOrderR, r.added.is_none()),
            (Flag::LowOrderA, a.added.is_none()),
            (Flag::LowOrderComponentR, !r.small.point.is_identity()),
            (Flag::LowOrderComponentA, !a.small.point.is_identity()),
            (Flag::LowOrderResidue, residue(&hash(&(key, first), &message))),
            (Flag::NonCanonicalA, a.encoding.is_some()),
            (Flag::NonCanonicalR, r.encoding.is_some()),
            (Flag::ReencodedK, reencoded),
        ];
        let flags: Vec<Flag> = flags.into_iter().filter(|(_, set)| *set).map(|(flag, _)| flag).collect();
        cases.push(EdgeCase {
            number: cases.len(),
            key,
            signature: [first, last.to_bytes()].concat(),
            message,
            flags: (!flags.is_empty()).then_some(flags),
        });
    }
}

/// Returns `k = SHA-512(R || A || M)` (RFC 8032, section 5.1.7).
fn hash((a, r): &([u8; 32], [u8; 32]), message: &str) -> Scalar {
    let digest = Sha512::new().chain_update(r).chain_update(a).chain_update(message).finalize();
    Scalar::from_bytes_mod_order_wide(&digest.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::ser::{PrettyFormatter, Serializer};
    use sha2::Sha256;

    /// Compares the generated JSON with `ed25519/ed25519vectors.json`.
    #[test]
    fn generated_edge_cases_match_the_published_file() {
        let mut text = Vec::new();
        let mut serializer = Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b"\t"));
        edge_cases().serialize(&mut serializer).unwrap();
        text.push(b'\n');
        let digest = hex::encode(Sha256::digest(&text));
        assert_eq!(digest, "b38e84caf3e7e89170ff520292dbeae421b0a794c27408ce5ce973018fe3d7f9");
    }
}
