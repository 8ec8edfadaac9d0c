//! Measures the ledger's overhead. Each process verifies a block of 100 decoded transactions on one thread, alternating
//! between the verifier and a bare loop. The loop computes the same digests and calls the same provider. The program
//! prints the median ratio of the two times and its 95% interval, estimated over all processes.

#![allow(clippy::print_stdout)]

use pqlab_constructions::ledger::stream::verify_positions;
use pqlab_constructions::ledger::{Body, Form, Scheme, Scratch, Transaction, Verifier};
use pqlab_primitives::{Coins, Hash, SignatureScheme};
use pqlab_stats::{median, median_interval};
use std::env;
use std::hint::black_box;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const PROCESSES: usize = 12;
const ROUNDS: usize = 60;
const BLOCK: u64 = 100;
const CHAIN: u32 = 1;
const CASES: [(Scheme, &str); 4] = [
    (Scheme::MlDsa65, "aws-lc"),
    (Scheme::MlDsa65, "openssl"),
    (Scheme::Ed25519, "aws-lc"),
    (Scheme::EcdsaSecp256k1, "libsecp256k1"),
];

fn main() {
    if env::args().nth(1).as_deref() == Some("--child") {
        let number: usize = env::args().nth(2).and_then(|text| text.parse().ok()).expect("--child takes a case number");
        let (ratio, ledger, bare) = child(CASES[number].0, CASES[number].1);
        println!("{ratio} {ledger} {bare}");
        return;
    }
    for (number, (scheme, provider)) in CASES.into_iter().enumerate() {
        let children: Vec<[f64; 3]> = (0..PROCESSES).map(|_| ask(number)).collect();
        let ratios: Vec<Vec<f64>> = children.iter().map(|child| vec![child[0]]).collect();
        let interval = median_interval(&ratios, 0.95).expect("every process must report a ratio");
        let time = |which: usize| median(&children.iter().map(|child| child[which]).collect::<Vec<_>>()).unwrap_or(0.0);
        println!(
            "{:<40} ledger {:>8.2} µs/tx  bare {:>8.2} µs/tx  ratio {:.4} [{:.4}, {:.4}]",
            format!("verify block of {BLOCK}, {scheme}@{provider}"),
            time(1) / 1e3,
            time(2) / 1e3,
            interval.estimate,
            interval.low,
            interval.high
        );
    }
}

fn ask(number: usize) -> [f64; 3] {
    let program = env::current_exe().expect("cannot find this program's path");
    let output = Command::new(program).args(["--child", &number.to_string()]).output().expect("cannot start a child");
    let text = String::from_utf8(output.stdout).expect("a child must print UTF-8");
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    numbers.try_into().unwrap_or_else(|_| panic!("a child failed: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Returns the median ratio of ledger time to bare time, and the median ledger and bare times in ns per transaction.
/// Each ratio compares two consecutive measurements.
fn child(scheme: Scheme, provider: &str) -> (f64, f64, f64) {
    let providers = pqlab_providers::providers();
    let provider = providers.iter().find(|it| it.id() == provider).expect("this build lacks the provider");
    let implementation = provider.signature(scheme.algorithm()).expect("the provider must offer the scheme");
    let sha256 = providers.iter().find_map(|it| it.hash("SHA-256")).expect("a provider must offer SHA-256");
    let encoded: Vec<Vec<u8>> = (0..BLOCK).map(|nonce| signed(scheme, implementation, sha256, nonce)).collect();
    let decoded: Vec<Transaction<'_>> =
        encoded.iter().map(|bytes| Transaction::decode(bytes).expect("cannot decode a new transaction")).collect();
    let verifier = Verifier::new(Form::TxV2, CHAIN, Arc::clone(sha256));
    let verifier =
        verifier.with_scheme(scheme, Arc::clone(implementation)).expect("the provider must implement the scheme");
    let ledger = || {
        let verify = |index, scratch: &mut Scratch| verifier.verify_decoded(&decoded[index as usize], scratch);
        assert_eq!(verify_positions(BLOCK, None, verify).count(), 0);
    };
    let messages: Vec<Vec<u8>> = decoded
        .iter()
        .zip(&encoded)
        .map(|(it, bytes)| [b"TXv2", &bytes[..bytes.len() - 2 - it.signature().len()]].concat())
        .collect();
    let bare = || {
        for (transaction, message) in decoded.iter().zip(&messages) {
            let mut digest = [0; 32];
            sha256.digest(message, &mut digest).expect("cannot hash the message");
            let key = implementation.load_verifying_key(transaction.body().public_key).expect("cannot load the key");
            key.verify(&[], &digest, transaction.signature()).expect("the signature must be valid");
        }
    };
    let (mut ratios, mut times) = (Vec::new(), [Vec::new(), Vec::new()]);
    for round in 0..ROUNDS {
        let (one, other) = if round % 2 == 0 {
            let one = time(&ledger);
            (one, time(&bare))
        } else {
            let other = time(&bare);
            (time(&ledger), other)
        };
        ratios.push(one / other);
        times[0].push(one / BLOCK as f64);
        times[1].push(other / BLOCK as f64);
    }
    let middle = |values: &[f64]| median(values).expect("at least one round must be measured");
    (middle(&ratios), middle(&times[0]), middle(&times[1]))
}

fn time(work: &dyn Fn()) -> f64 {
    let started = Instant::now();
    black_box(work)();
    started.elapsed().as_nanos() as f64
}

fn signed(scheme: Scheme, implementation: &Arc<dyn SignatureScheme>, sha256: &Arc<dyn Hash>, nonce: u64) -> Vec<u8> {
    let key = implementation.generate(Coins::Internal).expect("cannot generate a key");
    let mut public_key = vec![0; scheme.public_key()];
    key.verifying_key().and_then(|key| key.encode(&mut public_key)).expect("cannot encode the key");
    let body = Body { chain_id: CHAIN, scheme, nonce, to: &[1; 32], amount: 1, fee: 1, public_key: &public_key };
    let mut out = vec![0; scheme.transaction()];
    let signed = body.sign(key.as_ref(), sha256.as_ref(), Coins::Internal, &mut Scratch::new(), &mut out);
    out.truncate(signed.expect("cannot sign the transaction"));
    out
}
