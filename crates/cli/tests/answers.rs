//! Checks that the output for every suite ends with an answer to the question in the suite's description. The runs
//! contain the cases of the suite's plan, with invented figures.

#![allow(clippy::unwrap_used)]

use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::answer::answer;
use pqlab_lab::analysis::findings::findings;
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::analysis::tables::{Row, tables};
use pqlab_lab::record::{Case, Run};
use pqlab_lab::{Filters, Laboratory, ProtocolOverrides, Suite, WorkerProgram, builtin_suites, matches};

/// Patterns for the answers to each suite's question. A new suite needs an entry here, and an answer in the analysis.
const ANSWERS: [(&str, &[&str]); 30] = [
    ("smoke", &["pqlab works here: * of * cases were measured, with verified results."]),
    (
        "standard",
        &[
            "Fastest single library for TLS: * by *, * a second on one core*",
            "Hybrid in parts: X25519MLKEM768 by *, * for a complete exchange *",
        ],
    ),
    ("kem", &["Key exchange: ML-KEM-* by *"]),
    ("signature", &["High-volume signing: * by *", "High-volume verification: * by *"]),
    (
        "hybrid",
        &[
            "Hybrid in parts: X25519MLKEM768 by *, * for a complete exchange *",
            "X-Wing handshake under load*: * a second by * (5,000 concurrent tasks, * workers)*",
        ],
    ),
    ("certificate", &["Issuing certificates: X.509-* by *", "Certificates: X.509-* by *"]),
    (
        "token",
        &[
            "Token with ML-DSA-65, without the public key: * B as JWS and * B as COSE, vs * with Ed25519; make: * by *; verify: * by *",
        ],
    ),
    (
        "hpke",
        &[
            "HPKE with X-Wing: * by * to seal and open, vs * with DHKEM-X25519-HKDF-SHA256 by * (*×*, *); the encapsulated key adds 1,120 B to the message, vs 32 B.",
        ],
    ),
    ("hash", &["Hashing: SHA3-256 by *"]),
    ("ntor", &["Circuit handshakes: ntor-* by *"]),
    (
        "tls",
        &[
            "TLS handshake: * with X25519MLKEM768 by *, vs * with X25519 (*×*, *); the ClientHello has 1,381 B, vs 197 B.",
            "TLS certificates: * with ML-DSA-65 by *, vs * with ECDSA-P-256 (*×*, *); the server sends 15,785 B in 11 packets, beyond the first window of 10, so the handshake takes one more round trip.",
            "TLS server with X25519MLKEM768, handshakes per second on one core: * with ECDSA-P-256 by *, * with ML-DSA-65 by *.",
            "TLS connection over loopback: * with X25519 and ECDSA-P-256 by *, * with X25519MLKEM768 and ECDSA-P-256 by *, * with X25519MLKEM768 and ML-DSA-65 by *.",
        ],
    ),
    (
        "ssh",
        &[
            "SSH: mlkem768x25519-sha256 costs * and 2,272 B more than curve25519-sha256, with Ed25519 keys.",
            "SSH handshake: * (client *, server *) with mlkem768x25519-sha256 and Ed25519 keys by russh; 2,684 B from the client and 2,288 B from the server in 5 round trips.",
            "SSH handshake with mlkem768x25519-sha256, by type of the keys: * with Ed25519, * with ECDSA-P-256, * with RSA-3072.",
            "SSH connection over loopback, with Ed25519 keys: * with curve25519-sha256, * with mlkem768x25519-sha256.",
        ],
    ),
    (
        "quic",
        &[
            "QUIC: * for a handshake with X25519MLKEM768 and ECDSA-P-256, vs * with X25519 (*×*, *); the ClientHello takes 2 datagrams, vs 1; 1 round trip, vs 1.",
            "QUIC certificates: * for a handshake with X25519MLKEM768 and ML-DSA-65, vs * with ECDSA-P-256 (*×*, *); the ClientHello takes 2 datagrams, vs 2; 2 round trips, vs 1, because the server may send only three times what it received.",
            "QUIC connection over a simulated link with rtt=20ms: * with X25519 and ECDSA-P-256, * with X25519MLKEM768 and ECDSA-P-256, * with X25519MLKEM768 and ML-DSA-65.",
        ],
    ),
    (
        "protocols",
        &[
            "Waiting time over a link with rtt=100ms loss=1%, compared with classical algorithms: TLS *×* with X25519MLKEM768, ML-DSA-65; SSH *×* with mlkem768x25519-sha256, Ed25519; QUIC *×* with X25519MLKEM768, ECDSA-P-256*",
        ],
    ),
    (
        "mtc",
        &[
            "MTC: * B and * to verify for a landmark-relative certificate with ML-DSA-44 from a log of 10,000,000, vs * B and * for an X.509 chain (*×*, *) and * B and * with ECDSA-P-256; the server's flight has * B, vs * B.",
            "MTC standalone: * B and * to verify for a standalone (2 cosigners) certificate with ML-DSA-44 *",
            "Issuing a Merkle Tree Certificate: * by *, with ML-DSA-44 and 2 cosigners in batches of 1,000, vs * by * for one X.509 certificate.",
        ],
    ),
    (
        "cms",
        &[
            "Image of 10 MB with ML-DSA-65: * to verify by * and 3,535 B, vs * to verify by * and * B with ECDSA-P-256 (*×*, *); hashing takes * of the time*",
            "Image of 10 MB with SLH-DSA-SHA2-128s: * to verify by * and * B, vs *",
        ],
    ),
    (
        "signatures",
        &[
            "High-volume signing: * by *",
            "Falcon-512 signature: * B on average and * B at most in * signatures by *; the encoding allows 752 B.",
        ],
    ),
    ("kems", &["Key exchange: ML-KEM-* by *"]),
    (
        "signing",
        &[
            "Retries when signing with ML-DSA-65: * per signature by * for the published messages*; single signatures by *: half take at most *, 99.0% at most *.",
        ],
    ),
    ("signature-sizes", &["Falcon-512 signature: *", "Falcon-padded-1024 signature: *"]),
    (
        "message-lengths",
        &[
            "Long messages with ML-DSA-65: *×* for signing 16.0 KiB compared with 32 B by *, and hashing dominates from 16.0 KiB; *",
        ],
    ),
    (
        "batches",
        &[
            "Batches of ML-DSA-65: * per signature in batches of 100 by *, *× * compared with single verification (*).",
            "Batches of Ed25519: *",
        ],
    ),
    (
        "ledger",
        &[
            "Verifying blocks: * by *",
            "Blocks of ML-DSA-65: * per transaction in a block of 100,000 by *, * for a single transaction by *",
        ],
    ),
    ("ledger-reference", &["Verifying blocks: TXv1-ML-DSA-65 by *"]),
    ("hybrid-reference", &["Hybrid key exchange: X25519+ML-KEM-768 by *"]),
    (
        "scaling",
        &[
            "Several threads: * by *",
            "ML-KEM-768 handshake under load*: * a second by * (5,000 concurrent tasks, * workers)*",
        ],
    ),
    (
        "memory",
        &[
            "Peak memory of ML-KEM-768 decapsulate: * of stack and * of heap by * (least), * (most).",
            "Large stacks: more than 64.0 KiB of stack in * of * operations: *",
        ],
    ),
    (
        "residue",
        &[
            "Register state left by libcrux:*: *×* for * followed by SSE code (the worst case), compared with clearing *",
            "No slowdown from register state: no operation of * is known to slow the code that follows.",
        ],
    ),
    (
        "cold",
        &[
            "Cold ML-KEM-768 decapsulate: * for the first call by *, *× * compared with a warm call (*); with evicted caches, *×*",
        ],
    ),
    ("sha3", &["Hashing: SHA3-256 by *", "Extendable output: SHAKE128 by *"]),
];

fn plan(suite: &Suite, filters: &Filters) -> Vec<Case> {
    let laboratory = Laboratory::new(WorkerProgram::pqlab("no worker is started"));
    let suites = std::slice::from_ref(suite);
    laboratory.draft(suites, filters, &ProtocolOverrides::default()).unwrap().cases
}

fn lines(run: &Run) -> Vec<String> {
    let analysis = RunAnalysis::new(run);
    answer(&analysis, &findings(&analysis))
}

fn suite(name: &str) -> Suite {
    builtin_suites().unwrap().into_iter().find(|suite| suite.name == name).unwrap()
}

#[test]
fn every_suite_answers_its_question() {
    let mut wrong = Vec::new();
    for suite in builtin_suites().unwrap() {
        let Some((_, wanted)) = ANSWERS.iter().find(|(name, _)| *name == suite.name) else {
            wrong.push(format!("{}: add the expected answer to ANSWERS: {}", suite.name, suite.about));
            continue;
        };
        let run = pqlab_fixtures::planned_run(&suite.name, plan(&suite, &Filters::default()));
        let lines = lines(&run);
        for pattern in *wanted {
            if !lines.iter().any(|line| matches(pattern, line)) {
                wrong.push(format!("{}: {pattern}\n    is not among\n    {}", suite.name, lines.join("\n    ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks that the findings contain the signature cycle of hybrids although libraries sign with different kinds of
/// randomness. A library must not be named the fastest merely because it is the only one with its kind of randomness.
#[test]
fn findings_contain_the_signature_cycle_of_hybrids() {
    let run = pqlab_fixtures::planned_run("hybrid", plan(&suite("hybrid"), &Filters::default()));
    let analysis = RunAnalysis::new(&run);
    let found = findings(&analysis);
    for (use_case, kind) in [
        ("Hybrid signing", "(deterministic signing)"),
        ("Hybrid signature cycle", "(deterministic signing, caller-supplied randomness)"),
    ] {
        let best = found.recommendations.iter().find(|one| one.use_case == use_case).unwrap();
        assert!(best.what.ends_with(kind) && !best.provider.contains("liboqs"), "{best:?}");
        assert!(best.why.contains("left out because their randomness differs: aws-lc+liboqs (uses"), "{best:?}");
    }
    let costs = found.costs.iter().filter(|cost| cost.what.starts_with("Hybrid signature cycle (")).count();
    assert_eq!(costs, 2, "{:?}", found.costs);
    let made = tables(&analysis, &RelayScenario::default());
    let headlines = made.iter().find(|table| table.name == "headlines").unwrap();
    let text = |row: &Row, place: usize| row.cells[place].text.clone();
    let rows = headlines.rows.iter().map(|row| (text(row, 0), text(row, 1), text(row, 2)));
    let cycles: Vec<_> = rows.filter(|(what, ..)| what == "signature created and verified").collect();
    assert_eq!(cycles.len(), 2, "{cycles:?}");
    assert!(cycles.iter().all(|(.., kind)| kind.ends_with("caller-supplied randomness")), "{cycles:?}");
}

/// Tests parts of suites that do not contain a complete job. Their answer must name the fastest library for each
/// operation.
#[test]
fn a_part_of_a_suite_ends_with_its_answer() {
    let only = |pattern: &str| Filters { ids: vec![pattern.to_owned()], ..Filters::default() };
    let mut blocks = Filters::default();
    blocks.ids.push("ledger/ML-DSA-65/verify-block*".into());
    blocks.options.blocks = Some(vec![1000]);
    for (name, filters, wanted) in [
        ("signature", only("signature/ML-DSA-44/keygen@*"), "ML-DSA-44 keygen: * by *, the fastest; next: *, *"),
        ("kem", only("kem/ML-KEM-512/encapsulate@*"), "ML-KEM-512 encapsulate: * by *, the fastest; next: *, *"),
        ("ledger", blocks, "Blocks of ML-DSA-65: * per transaction in a block of 1,000 by *"),
    ] {
        let suite = suite(name);
        let lines = lines(&pqlab_fixtures::planned_run(name, plan(&suite, &filters)));
        assert!(lines.iter().any(|line| matches(wanted, line)), "{name}: {wanted} is not among\n{}", lines.join("\n"));
    }
}
