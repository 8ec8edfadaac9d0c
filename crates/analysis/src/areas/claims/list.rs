//! Claims, grouped by document.

use super::figures::{
    Found, KEM_ONLY, block, bytes, combiner, digests, efficiency, fingerprint, gain, handshake_of, lengths, load, loss,
    point, reference_ledger, share_of_part, share_of_step, transaction, transactions_per_second,
};
use super::{Claim, Document, Find, Unit};
use crate::areas::ntor::RelayScenario;
use crate::areas::{certificate, hybrid, kem, ledger, ntor, signature};
use crate::run::RunAnalysis;

/// A claim: its text, the claimed figure and its unit, the source of the measured figure, and a reason why the measured
/// figure may differ.
type Line = (&'static str, f64, Unit, Find, &'static str);

/// All claims, in display order.
pub(super) fn claims() -> Vec<Claim> {
    let mut all = Vec::new();
    all.extend(HYBRIDS.iter().map(|line| claim(Document::Hybrids, line)));
    all.extend(RATES.iter().flat_map(rates));
    all.extend(SIGNATURES.iter().map(|line| claim(Document::Signatures, line)));
    all.extend(TRANSACTIONS.iter().map(|line| claim(Document::Transactions, line)));
    all.extend(ASSUMED.iter().map(assumed));
    all.extend(CIRCUITS.iter().map(|line| claim(Document::Circuits, line)));
    all.extend(HASHES.iter().map(|line| claim(Document::Hashes, line)));
    all.extend(SHA3.iter().flat_map(cycles));
    all
}

fn claim(document: Document, &(what, claimed, unit, find, why): &Line) -> Claim {
    Claim { document, what: what.to_owned(), claimed, to: None, unit, find, why }
}

const CERTIFICATE: &str = "X.509-detached";
const HANDSHAKE: (&str, &str, &str) = (ntor::AREA, KEM_ONLY, "handshake");
const NTOR: (&str, &str, &str) = (ntor::AREA, "ntor-v1", "handshake");

/// Reason, other than the machine, why the signing times in the hybrid library document differ from pqlab's.
const RANDOMNESS: &str = "the authors sign with fresh randomness; pqlab signs deterministically if the library \
                          supports it";
const POOL: &str = "the authors use a Python thread pool";

const HYBRIDS: &[Line] = &[
    (
        "X25519+ML-KEM-768, complete handshake",
        301.0,
        Unit::Time,
        Find::Time((hybrid::AREA, "X25519+ML-KEM-768", "handshake"), &[]),
        "",
    ),
    (
        "Ed25519+ML-DSA-65, key generation, signing and verification",
        468.0,
        Unit::Time,
        Find::Time((hybrid::AREA, "Ed25519+ML-DSA-65", "cycle"), &[]),
        "pqlab generates keys from fixed seeds and signs deterministically if the library supports it",
    ),
    ("Ed25519, signing", 33.5, Unit::Time, Find::Time((hybrid::AREA, "Ed25519", "sign"), &[]), ""),
    (
        "Ed25519, verification",
        106.9,
        Unit::Time,
        Find::Time((hybrid::AREA, "Ed25519", "verify"), &[]),
        "in the document, Ed25519 takes more than twice as long as ML-DSA-65",
    ),
    ("ML-DSA-65, signing", 100.5, Unit::Time, Find::Time((hybrid::AREA, "ML-DSA-65", "sign"), &[]), RANDOMNESS),
    ("ML-DSA-65, verification", 45.4, Unit::Time, Find::Time((hybrid::AREA, "ML-DSA-65", "verify"), &[]), ""),
    (
        "Ed25519+ML-DSA-65, signing",
        138.8,
        Unit::Time,
        Find::Time((hybrid::AREA, "Ed25519+ML-DSA-65", "sign"), &[]),
        RANDOMNESS,
    ),
    (
        "Ed25519+ML-DSA-65, verification",
        133.2,
        Unit::Time,
        Find::Time((hybrid::AREA, "Ed25519+ML-DSA-65", "verify"), &[]),
        "",
    ),
    (
        "time to verify Ed25519+ML-DSA-65, relative to Ed25519 alone",
        133.2 / 106.9,
        Unit::Factor,
        Find::Ratio((hybrid::AREA, "Ed25519+ML-DSA-65", "verify"), (hybrid::AREA, "Ed25519", "verify"), &[]),
        "in the document, Ed25519 takes 107 µs, more than twice as long as ML-DSA-65",
    ),
    ("combiner, key generation", 94.0, Unit::Time, Find::By(|run| combiner(run, "keygen")), ENCODED),
    ("combiner, encapsulation", 57.0, Unit::Time, Find::By(|run| combiner(run, "encapsulate")), ENCODED),
    ("combiner, decapsulation", 51.0, Unit::Time, Find::By(|run| combiner(run, "decapsulate")), ENCODED),
    ("handshakes per second, 100 concurrent", 1992.0, Unit::Rate, Find::By(|run| load(run, 100)), POOL),
    ("handshakes per second, 500 concurrent", 2151.0, Unit::Rate, Find::By(|run| load(run, 500)), POOL),
    ("handshakes per second, 1,000 concurrent", 2089.0, Unit::Rate, Find::By(|run| load(run, 1000)), POOL),
    ("handshakes per second, 5,000 concurrent", 2009.0, Unit::Rate, Find::By(|run| load(run, 5000)), POOL),
    (
        "throughput of 5,000 concurrent handshakes, relative to the best load",
        -6.6,
        Unit::Percent,
        Find::By(|run| loss(run, 5000, |entry| entry.against_peak_pct)),
        POOL,
    ),
    (
        "throughput of 5,000 concurrent handshakes, relative to 100 concurrent handshakes",
        -0.8,
        Unit::Percent,
        Find::By(|run| loss(run, 5000, |entry| entry.against_smallest_pct)),
        "the document's table lists 1,992 and 2,009 per second, which gives +0.9%",
    ),
    ("CoV of AES-256-GCM, 1 KB", 2.1, Unit::Percent, Find::Variation((hybrid::AREA, "AES-256-GCM", "seal")), ""),
    ("CoV of Ed25519 verification", 2.2, Unit::Percent, Find::Variation((hybrid::AREA, "Ed25519", "verify")), ""),
    ("CoV of public-key fingerprinting", 2.0, Unit::Percent, Find::By(fingerprint), ""),
    ("CoV of HKDF-SHA256", 2.8, Unit::Percent, Find::Variation((hybrid::AREA, "HKDF-SHA256", "derive")), ""),
    (
        "CoV of ML-KEM-768 encapsulation",
        9.4,
        Unit::Percent,
        Find::Variation((hybrid::AREA, "ML-KEM-768", "encapsulate")),
        "the document attributes the spread to the scheduler",
    ),
    (
        "CoV of ML-DSA-65 signing",
        52.4,
        Unit::Percent,
        Find::Variation((hybrid::AREA, "ML-DSA-65", "sign")),
        "signing retries a random number of times (rejection sampling)",
    ),
    (
        "issuing a certificate with a second signature",
        314.0,
        Unit::Time,
        Find::Time((certificate::AREA, CERTIFICATE, "build"), &[]),
        RANDOMNESS,
    ),
    (
        "verifying the second signature on a certificate",
        255.4,
        Unit::Time,
        Find::Time((certificate::AREA, CERTIFICATE, "verify-cosignature"), &[]),
        "",
    ),
    (
        "ML-KEM-768 key generation, generic build relative to vector code",
        5.3,
        Unit::Factor,
        Find::Between((kem::AREA, "ML-KEM-768", "keygen"), "generic", "vector"),
        "the authors compare two operating systems; pqlab uses one",
    ),
];

/// Reason why the combiner times in the hybrid library document are longer than pqlab's.
const ENCODED: &str = "the document's figure includes encoding keys to PEM and CBOR";

/// Rates that the signature suite document lists. Each entry contains a scheme, its key generations, signatures and
/// verifications per second, and the libraries to compare with, in order of preference.
const RATES: &[(&str, [f64; 3], &[&str])] = &[
    ("Falcon-512", [212.0, 7_014.0, 43_787.0], LIBOQS),
    ("Falcon-1024", [65.0, 3_502.0, 22_102.0], LIBOQS),
    ("ML-DSA-44", [36_065.0, 15_307.0, 37_343.0], LIBOQS),
    ("ML-DSA-65", [20_711.0, 9_741.0, 22_340.0], LIBOQS),
    ("SLH-DSA-SHA2-128f", [1_214.0, 52.0, 832.0], PQ_OR_OPENSSL),
    ("ECDSA-secp256k1", [5_108.0, 5_153.0, 5_621.0], OPENSSL),
    ("Ed25519", [34_711.0, 34_335.0, 12_491.0], OPENSSL),
];
const LIBOQS: &[&str] = &["liboqs"];
const OPENSSL: &[&str] = &["openssl"];
/// Libraries for claims about schemes that liboqs may lack, in order of preference.
const PQ_OR_OPENSSL: &[&str] = &["liboqs", "openssl"];
const SLH_DSA: &str = "the authors use SLH-DSA from liboqs";

fn rates(&(algorithm, rates, libraries): &(&'static str, [f64; 3], &'static [&'static str])) -> Vec<Claim> {
    let operations = [
        ("keygen", "key generations per second"),
        ("sign", "signatures per second"),
        ("verify", "verifications per second"),
    ];
    let claim = |((operation, words), claimed)| Claim {
        document: Document::Signatures,
        what: format!("{algorithm}, {words}"),
        claimed,
        to: None,
        unit: Unit::Rate,
        find: Find::Rate((signature::AREA, algorithm, operation), libraries),
        why: if libraries.len() > 1 { SLH_DSA } else { "" },
    };
    operations.into_iter().zip(rates).map(claim).collect()
}

const SIGNATURES: &[Line] = &[
    (
        "rate of Falcon-512 verification, relative to ML-DSA-44",
        1.17,
        Unit::Factor,
        Find::Ratio((signature::AREA, "ML-DSA-44", "verify"), (signature::AREA, "Falcon-512", "verify"), LIBOQS),
        "both from liboqs, whose optimised code for the two algorithms targets different processors",
    ),
    (
        "rate of Falcon-512 verification, relative to Ed25519",
        3.5,
        Unit::Factor,
        Find::Ratio((signature::AREA, "Ed25519", "verify"), (signature::AREA, "Falcon-512", "verify"), PQ_OR_OPENSSL),
        "Falcon-512 from liboqs, Ed25519 from OpenSSL",
    ),
    (
        "rate of ML-DSA-44 key generation, relative to Ed25519",
        36_065.0 / 34_711.0,
        Unit::Factor,
        Find::Ratio((signature::AREA, "Ed25519", "keygen"), (signature::AREA, "ML-DSA-44", "keygen"), PQ_OR_OPENSSL),
        "ML-DSA-44 from liboqs, Ed25519 from OpenSSL",
    ),
    (
        "rate of Ed25519 signing, relative to Falcon-512",
        4.9,
        Unit::Factor,
        Find::Ratio((signature::AREA, "Falcon-512", "sign"), (signature::AREA, "Ed25519", "sign"), PQ_OR_OPENSSL),
        "Falcon-512 from liboqs, Ed25519 from OpenSSL",
    ),
    (
        "rate of Ed25519 signing, relative to ML-DSA-44",
        5.0,
        Unit::Factor,
        Find::Ratio((signature::AREA, "ML-DSA-44", "sign"), (signature::AREA, "Ed25519", "sign"), PQ_OR_OPENSSL),
        "the document's table lists 34,335 and 15,307 per second, which gives 2.24",
    ),
    (
        "rate of Ed25519 signing, relative to SLH-DSA-SHA2-128f",
        660.0,
        Unit::Factor,
        Find::Ratio(
            (signature::AREA, "SLH-DSA-SHA2-128f", "sign"),
            (signature::AREA, "Ed25519", "sign"),
            PQ_OR_OPENSSL,
        ),
        SLH_DSA,
    ),
    (
        "rate of Falcon-512 signing on 10 cores, relative to one core",
        8.6,
        Unit::Factor,
        Find::By(|run| gain(run, "Falcon-512 sign")),
        "depends on the kind and number of this machine's cores",
    ),
    (
        "efficiency of Falcon-512 signing on 10 cores",
        86.0,
        Unit::Percent,
        Find::By(|run| efficiency(run, "Falcon-512 sign")),
        "depends on the kind and number of this machine's cores",
    ),
    (
        "mean length of a Falcon-512 signature",
        655.0,
        Unit::Bytes,
        Find::By(|run| lengths(run, "Falcon-512", |lengths| Some(lengths.mean))),
        "",
    ),
    (
        "standard deviation of Falcon-512 signature lengths",
        2.2,
        Unit::Bytes,
        Find::By(|run| lengths(run, "Falcon-512", |lengths| lengths.stdev)),
        "",
    ),
    (
        "upper bound for the CoV of Falcon-512 signature lengths",
        0.35,
        Unit::Percent,
        Find::By(|run| lengths(run, "Falcon-512", |lengths| lengths.cov_pct)),
        "",
    ),
    (
        "99th percentile of Falcon-512 signature lengths",
        660.0,
        Unit::Bytes,
        Find::By(|run| lengths(run, "Falcon-512", |lengths| Some(lengths.p99))),
        "",
    ),
    (
        "mean length of a Falcon-1024 signature",
        1_271.0,
        Unit::Bytes,
        Find::By(|run| lengths(run, "Falcon-1024", |lengths| Some(lengths.mean))),
        "",
    ),
];

const TRANSACTIONS: &[Line] = &[
    (
        "verification of a transaction in a block of 100",
        15.08,
        Unit::Time,
        Find::By(|run| block(run).and_then(transaction)),
        "",
    ),
    ("verification of a single transaction", 13.78, Unit::Time, Find::By(|run| reference_ledger(run, "verify")), ""),
    ("encoding a transaction", 0.69, Unit::Time, Find::By(|run| reference_ledger(run, "encode")), ""),
    (
        "decoding a transaction",
        0.58,
        Unit::Time,
        Find::By(|run| reference_ledger(run, "decode")),
        "pqlab reads transactions in place",
    ),
    (
        "transactions per second on one thread",
        64_000.0,
        Unit::Rate,
        Find::By(|run| block(run).and_then(transactions_per_second)),
        "15.08 µs per transaction would give 66,300 per second",
    ),
];

/// Lower and upper end of the times that the ledger report assumes for classical schemes, in µs.
const ASSUMED: &[(&str, &str, [f64; 2])] = &[
    ("Ed25519, verification", "Ed25519", [10.0, 15.0]),
    ("ECDSA with secp256k1, verification", "ECDSA-secp256k1", [50.0, 100.0]),
    ("RSA-2048, verification", "RSA-2048", [100.0, 200.0]),
];

fn assumed(&(what, algorithm, [from, to]): &(&'static str, &'static str, [f64; 2])) -> Claim {
    Claim {
        document: Document::Transactions,
        what: what.to_owned(),
        claimed: from,
        to: Some(to),
        unit: Unit::Time,
        find: Find::Time((ledger::AREA, algorithm, "verify"), &[]),
        why: "assumed in the document, not measured",
    }
}

const PROFILE: &str = "the authors use a profiler; pqlab leaves out one part at a time";
const WHOLE: &str = "the document's figure covers the whole handshake; pqlab's covers only the relay's step";
const WHOLE_TIMES_CORES: &str =
    "the authors multiply the rate of whole handshakes by the number of cores; pqlab measures the relay's step";

const CIRCUITS: &[Line] = &[
    ("KEM-only handshake with ML-KEM-512", 29.0, Unit::Time, Find::Time(HANDSHAKE, &[]), ""),
    ("the client's first step", 6.0, Unit::Time, Find::Time((ntor::AREA, KEM_ONLY, "create"), &[]), ""),
    ("the relay's step", 13.0, Unit::Time, Find::Time((ntor::AREA, KEM_ONLY, "reply"), &[]), ""),
    ("the client's last step", 10.0, Unit::Time, Find::Time((ntor::AREA, KEM_ONLY, "finish"), &[]), ""),
    (
        "time of classical ntor, relative to the KEM-only handshake",
        15.5,
        Unit::Factor,
        Find::Ratio(NTOR, HANDSHAKE, &[]),
        "the authors assumed 0.45 ms for the classical handshake instead of measuring it",
    ),
    (
        "time of the KEM-only handshake, relative to classical ntor",
        64.0,
        Unit::Factor,
        Find::Ratio(HANDSHAKE, NTOR, &[]),
        "elsewhere, the document says that the KEM-only handshake is 15.5 times as fast",
    ),
    (
        "CoV of the handshake",
        10.8,
        Unit::Percent,
        Find::By(|run| {
            handshake_of(run, KEM_ONLY, |one| {
                let whole = one.whole.as_ref()?;
                Some(point(100.0 * whole.single?.stdev? / whole.mean))
            })
        }),
        "",
    ),
    (
        "handshakes per second on one core",
        34_500.0,
        Unit::Rate,
        Find::By(|run| handshake_of(run, KEM_ONLY, |one| one.whole.as_ref()?.per_second)),
        "",
    ),
    ("handshakes per second, 8 cores", 276_000.0, Unit::Rate, Find::By(|run| on_cores(run, 8)), WHOLE_TIMES_CORES),
    ("handshakes per second, 64 cores", 2_208_000.0, Unit::Rate, Find::By(|run| on_cores(run, 64)), WHOLE_TIMES_CORES),
    (
        "bytes of both messages, relative to classical ntor",
        10.9,
        Unit::Factor,
        Find::By(|run| bytes(run, KEM_ONLY, |own, ntor| own / ntor)),
        "",
    ),
    (
        "bytes with ML-KEM-768, relative to classical ntor",
        15.3,
        Unit::Factor,
        Find::By(|run| bytes(run, "kem-only-mlkem768", |own, ntor| own / ntor)),
        "with the layout for ML-KEM-512, the two messages have 1,204 and 1,120 bytes",
    ),
    (
        "bytes with ML-KEM-1024, relative to classical ntor",
        21.2,
        Unit::Factor,
        Find::By(|run| bytes(run, "kem-only-mlkem1024", |own, ntor| own / ntor)),
        "with the layout for ML-KEM-512, the two messages have 1,588 and 1,600 bytes",
    ),
    (
        "extra time on a 100 Mbit/s link, compared with classical ntor",
        118.0,
        Unit::Time,
        Find::By(|run| bytes(run, KEM_ONLY, |own, ntor| (own - ntor) * 8.0 / 100e6 * 1e9)),
        "",
    ),
    (
        "extra bandwidth at 1,000 circuits per second, compared with classical ntor",
        11.78,
        Unit::Megabits,
        Find::By(|run| bytes(run, KEM_ONLY, |own, ntor| (own - ntor) * 8.0 * 1000.0 / 1e6)),
        "",
    ),
    (
        "KEM-only handshake with ML-KEM-768",
        35.0,
        Unit::Time,
        Find::Time((ntor::AREA, "kem-only-mlkem768", "handshake"), &[]),
        "extrapolated in the document",
    ),
    (
        "KEM-only handshake with ML-KEM-1024",
        45.0,
        Unit::Time,
        Find::Time((ntor::AREA, "kem-only-mlkem1024", "handshake"), &[]),
        "extrapolated in the document",
    ),
    ("client's first step, % of the handshake", 20.7, Unit::Percent, Find::By(|run| share_of_step(run, 0)), ""),
    ("relay's step, % of the handshake", 45.0, Unit::Percent, Find::By(|run| share_of_step(run, 1)), ""),
    ("client's last step, % of the handshake", 34.3, Unit::Percent, Find::By(|run| share_of_step(run, 2)), ""),
    ("KEM, % of the handshake", 60.0, Unit::Percent, Find::By(|run| share_of_part(run, "kem")), PROFILE),
    ("key derivation, % of the handshake", 25.0, Unit::Percent, Find::By(|run| share_of_part(run, "kdf")), PROFILE),
    ("authentication, % of the handshake", 10.0, Unit::Percent, Find::By(|run| share_of_part(run, "mac")), PROFILE),
    (
        "core utilisation at 1,000 circuits per second",
        2.9,
        Unit::Percent,
        Find::By(|run| {
            let scenario = RelayScenario { circuits_per_second: 1000.0, ..RelayScenario::default() };
            handshake_of(run, KEM_ONLY, |one| one.cpu_pct(&scenario).map(point))
        }),
        WHOLE,
    ),
    (
        "CPU time for a million handshakes",
        29.0,
        Unit::Seconds,
        Find::By(|run| handshake_of(run, KEM_ONLY, |one| Some(point(1e6 / one.replies_per_second()?)))),
        WHOLE,
    ),
    (
        "bytes sent in a million handshakes",
        1.54,
        Unit::Gigabytes,
        Find::By(|run| bytes(run, KEM_ONLY, |own, _| own / 1e3)),
        POWERS_OF_TWO,
    ),
    (
        "bytes sent in a million classical handshakes",
        0.141,
        Unit::Gigabytes,
        Find::By(|run| bytes(run, KEM_ONLY, |_, ntor| ntor / 1e3)),
        POWERS_OF_TWO,
    ),
];

const POWERS_OF_TWO: &str = "the document uses binary units";

/// Returns the handshakes per second that a relay with `cores` cores answers, extrapolated if not measured.
fn on_cores(run: &RunAnalysis<'_>, cores: u64) -> Option<Found> {
    handshake_of(run, KEM_ONLY, |one| {
        let rate = one.measured_replies(cores).or_else(|| one.extrapolated_replies(cores));
        rate.map(point)
    })
}

const SCALAR: &str = "cryptogams:scalar";
const AVX512: &str = "cryptogams:avx512vl";
const OTHER_CODE: &str = "pqlab measures different code than the document";

const HASHES: &[Line] = &[(
    "SHA3-256 of 16,384 bytes, plain code relative to AVX-512",
    9.3 / 7.4,
    Unit::Factor,
    Find::By(|run| digests(run, SCALAR, AVX512)),
    OTHER_CODE,
)];

/// Message lengths in bytes for which the hash benchmark lists cycles per byte.
const LENGTHS: [u64; 5] = [64, 256, 1024, 4096, 16_384];

/// Function, code path, and the cycles per byte that the hash benchmark lists for each of [`LENGTHS`].
const SHA3: &[(&str, &str, [f64; 5])] = &[
    ("SHA3-224", AVX512, [15.4, 7.8, 7.8, 7.1, 7.0]),
    ("SHA3-256", AVX512, [15.4, 7.8, 7.8, 7.6, 7.4]),
    ("SHA3-384", AVX512, [15.5, 11.7, 9.8, 9.8, 9.7]),
    ("SHA3-512", AVX512, [15.4, 15.5, 14.6, 13.9, 13.9]),
    ("SHAKE128", AVX512, [15.5, 7.8, 6.9, 6.2, 6.1]),
    ("SHAKE256", AVX512, [15.6, 7.8, 7.9, 7.6, 7.4]),
    ("SHA3-224", SCALAR, [19.5, 10.1, 9.9, 8.9, 8.8]),
    ("SHA3-256", SCALAR, [19.5, 10.1, 9.9, 9.5, 9.3]),
    ("SHA3-384", SCALAR, [20.2, 14.8, 12.3, 12.2, 12.0]),
    ("SHA3-512", SCALAR, [19.9, 19.5, 18.1, 17.1, 17.1]),
    ("SHAKE128", SCALAR, [20.0, 10.0, 8.7, 7.7, 7.6]),
    ("SHAKE256", SCALAR, [19.6, 10.1, 9.9, 9.5, 9.3]),
];

fn cycles(&(algorithm, provider, figures): &(&'static str, &'static str, [f64; 5])) -> Vec<Claim> {
    let code = if provider == AVX512 { "AVX-512" } else { "plain code" };
    let claim = |(length, claimed)| Claim {
        document: Document::Hashes,
        what: format!("{algorithm} of {} bytes, {code}", crate::number::grouped(length)),
        claimed,
        to: None,
        unit: Unit::CyclesPerByte,
        find: Find::CyclesPerByte { algorithm, provider, length },
        why: OTHER_CODE,
    };
    LENGTHS.into_iter().zip(figures).map(claim).collect()
}
