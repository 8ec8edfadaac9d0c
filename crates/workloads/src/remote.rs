//! Operations that another process performs and times. This process sends the inputs once, and checks the answers like
//! the answers of other libraries. Each sample is one visit, which is a request to the other process to perform a
//! number of operations.
//!
//! The other process times only operations with prepared keys and the library's own randomness, so its provider has no
//! other cases.

use crate::inputs::{Supply, bytes};
use crate::kem::key_pair;
use crate::signature::{MESSAGE, Mode, Setting, signing_key};
use crate::{fault, missing};
use pqlab_harness::clock::monotonic_ns;
use pqlab_harness::{Demands, Fault, Recorder, Trial};
use pqlab_primitives::{Coins, Function, Kem, KeyEncoding, Provider, Remote, RemoteCase, SignatureScheme};
use pqlab_record::{Case, Form, State};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Minimum length of a sample in ns. Messages between the processes take a small part of this time.
const SAMPLE_NS: u64 = 500_000;
/// Length of a visit during warm-up, in ns.
const WARM_UP_VISIT_NS: u64 = 20_000_000;
/// Maximum length of the warm-up in ns. A single operation may take longer. This is a small part of the harness's time
/// limit for preparing a case (`harness::process::Limits::request`).
const WARM_UP_NS: u64 = 10_000_000_000;
/// Minimum length of a long visit in the warm-up, in ns. Messages between the processes take a small part of this time.
const LONG_VISIT_NS: u64 = WARM_UP_VISIT_NS / 4;
/// Minimum number of long visits before the warm-up ends.
const LEAST_VISITS: usize = 6;
/// Minimum total time of the long visits before the warm-up ends, in ns.
const LEAST_NS: u64 = 100_000_000;
/// Maximum ratio of the time per operation in the first long visit to the time in the fastest long visit. A larger
/// ratio shows that a just-in-time compiler is at work. `LEAST_COMPILED_NS` then replaces [`LEAST_NS`].
const COMPILED: f64 = 1.5;
const LEAST_COMPILED_NS: u64 = 1_000_000_000;
/// Number of long visits after which the warm-up ends, even if the measured and reported times disagree in every visit.
/// A disagreement in so many visits cannot be chance, so more visits would not help.
const MOST_DISPUTED: usize = 50;
/// Fraction by which the later half of the visits may be faster than the earlier half if the visits are steady.
const STEADY_WITHIN: f64 = 0.02;
/// Maximum number of input sets per case, from the protocol.
const MOST_SETS: usize = 4096;
/// Maximum total size of the inputs in bytes: half the maximum size of a message.
const MESSAGE_BYTES: usize = 8 << 20;
/// Number of answers to check per sample.
const KEPT: usize = 4;

/// Returns whether another process can time the case.
pub(crate) fn offers(case: &Case) -> bool {
    let kind = case.kind();
    let timed_there = matches!(case.workload.as_str(), "floor" | "function" | "kem" | "signature" | "hash");
    let is_offered = timed_there
        && case.form != Some(Form::Encoded)
        && !kind.exact_coins
        && !kind.deterministic
        && kind.key.is_none();
    is_offered && !(case.operation == "sign" && uses_up_keys(&case.algorithm))
}

/// Returns whether each signature takes a one-time key, so that a visit would run out of keys.
fn uses_up_keys(algorithm: &str) -> bool {
    ["LMS-", "XMSS-"].iter().any(|family| algorithm.starts_with(family))
}

/// Function that checks the outputs for an input set, given the index of the set.
type Check = Box<dyn FnMut(usize, &[Vec<u8>]) -> Result<(), Fault> + Send>;

/// Creates the trial for a KEM operation.
///
/// # Errors
/// The same errors as [`crate::kem::trial`].
pub(crate) fn kem(
    remote: &Arc<dyn Remote>,
    kem: &Arc<dyn Kem>,
    case: &Case,
    generator: &mut ChaCha8Rng,
) -> Result<Box<dyn Trial>, Fault> {
    let kem = Arc::clone(kem);
    let (supply, parameters) = (Supply::new(case), kem.info().parameters.clone());
    if case.operation == "keygen" {
        let encoding = preferred_encoding(kem.written())?;
        let check = Box::new(move |_, outputs: &[Vec<u8>]| {
            let [public, private] = outputs else { return Err(number()) };
            let key = kem.load_decapsulation_key(encoding, private).map_err(fault)?;
            let to = kem.load_encapsulation_key(public).map_err(fault)?;
            let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
            to.encapsulate(Coins::Internal, &mut ciphertext, &mut secret).map_err(fault)?;
            let mut received = vec![0; secret.len()];
            key.decapsulate(&ciphertext, &mut received).map_err(fault)?;
            same(&secret, &received, SECRET)
        });
        return ready(remote, case, vec![Vec::new(); crate::inputs::POOL], check);
    }
    let keys = supply.keys(|| key_pair(kem.as_ref(), generator).map(|(key, _)| key)).map_err(fault)?;
    let public = |key: usize| {
        let mut bytes = vec![0; parameters.encapsulation_key];
        keys[key].encode_encapsulation_key(&mut bytes).map(|_| bytes)
    };
    match case.operation.as_str() {
        "encapsulate" => {
            let sets: Result<Vec<_>, _> = (0..keys.len()).map(|key| public(key).map(|bytes| vec![bytes])).collect();
            let check = Box::new(move |set: usize, outputs: &[Vec<u8>]| {
                let ([ciphertext, secret], Some(key)) = (outputs, keys.get(set)) else { return Err(number()) };
                let mut received = vec![0; secret.len()];
                key.decapsulate(ciphertext, &mut received).map_err(fault)?;
                same(secret, &received, SECRET)
            });
            ready(remote, case, sets.map_err(fault)?, check)
        }
        "decapsulate" => {
            let encoding = preferred_encoding(kem.written())?;
            let mut secrets = Vec::new();
            let sets = supply.inputs(keys.len(), Vec::new(), |key| {
                let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
                keys[key].encapsulation_key()?.encapsulate(Coins::Internal, &mut ciphertext, &mut secret)?;
                let mut private = vec![0; parameters.decapsulation_key(encoding).unwrap_or(0)];
                keys[key].encode(encoding, &mut private)?;
                secrets.push(secret);
                Ok::<_, pqlab_primitives::Error>(vec![encoding.name().into(), private, ciphertext])
            });
            let check = Box::new(move |set: usize, outputs: &[Vec<u8>]| match (outputs, secrets.get(set)) {
                ([secret], Some(expected)) => same(secret, expected, SECRET),
                _ => Err(number()),
            });
            ready(remote, case, sets.map_err(fault)?, check)
        }
        _ => Err(missing(case)),
    }
}

/// Creates the trial for a signature operation.
///
/// # Errors
/// The same errors as [`crate::signature::trial`].
pub(crate) fn signature(
    remote: &Arc<dyn Remote>,
    scheme: &Arc<dyn SignatureScheme>,
    case: &Case,
    generator: &mut ChaCha8Rng,
) -> Result<Box<dyn Trial>, Fault> {
    let (other, _) = signing_key(scheme.as_ref(), generator).map_err(fault)?;
    let setting = Setting::new(Arc::clone(scheme), Mode::default(), other.as_ref()).map_err(fault)?;
    let encoding = preferred_encoding(scheme.written())?;
    let parameters = &scheme.info().parameters;
    if case.operation == "keygen" {
        let check = Box::new(move |_, outputs: &[Vec<u8>]| {
            let [public, private] = outputs else { return Err(number()) };
            let verifier = setting.scheme.load_verifying_key(public).map_err(fault)?;
            let signer = setting.scheme.load_signing_key(encoding, private).map_err(fault)?;
            setting.round_trip(signer.as_ref(), verifier.as_ref())
        });
        return ready(remote, case, vec![Vec::new(); crate::inputs::POOL], check);
    }
    let length = case.message_length().unwrap_or(MESSAGE) as usize;
    let keys = Supply::new(case).keys(|| signing_key(scheme.as_ref(), generator).map(|(key, _)| key)).map_err(fault)?;
    let (mut sets, mut known) = (Vec::new(), Vec::new());
    for key in &keys {
        let message = bytes(generator, length);
        let verifier = key.verifying_key().map_err(fault)?;
        if case.operation == "sign" {
            let mut private = vec![0; parameters.signing_key(encoding).unwrap_or(0)];
            let length = key.encode(encoding, &mut private).map_err(fault)?;
            private.truncate(length);
            sets.push(vec![encoding.name().into(), private, message.clone()]);
            known.push((verifier, message, Vec::new()));
        } else {
            let (mut public, mut signed) = (vec![0; parameters.verifying_key], setting.signature());
            verifier.encode(&mut public).map_err(fault)?;
            let length = key.sign(&[], &message, Coins::Internal, &mut signed).map_err(fault)?;
            signed.truncate(length);
            sets.push(vec![public, message.clone(), signed.clone()]);
            known.push((verifier, message, signed));
        }
    }
    let signs = case.operation == "sign";
    let check = Box::new(move |set: usize, outputs: &[Vec<u8>]| {
        let ([output], Some((verifier, message, signed))) = (outputs, known.get(set)) else { return Err(number()) };
        if !signs && output != b"1" {
            return Err(Fault::WrongAnswer("a valid signature was rejected".into()));
        }
        setting.check(verifier.as_ref(), message, if signs { output } else { signed })
    });
    match case.operation.as_str() {
        "sign" | "verify" => ready(remote, case, sets, check),
        _ => Err(missing(case)),
    }
}

/// Creates the trial for digesting messages, given the expected digests.
///
/// # Errors
/// Errors from the other process.
pub(crate) fn digest(
    remote: &Arc<dyn Remote>,
    case: &Case,
    messages: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
) -> Result<Box<dyn Trial>, Fault> {
    let check = Box::new(move |set: usize, outputs: &[Vec<u8>]| match (outputs, expected.get(set)) {
        ([digest], Some(expected)) => same(digest, expected, "the same input gives a different digest"),
        _ => Err(number()),
    });
    ready(remote, case, messages.into_iter().map(|message| vec![message]).collect(), check)
}

/// Creates the trial for the empty operation, which measures the overhead of the other process.
///
/// # Errors
/// Errors from the other process.
pub(crate) fn nothing(remote: &Arc<dyn Remote>, case: &Case) -> Result<Box<dyn Trial>, Fault> {
    let case = Case { operation: "null".into(), algorithm: "null".into(), ..case.clone() };
    ready(remote, &case, vec![Vec::new(); crate::inputs::POOL], Box::new(|_, _| Ok(())))
}

/// Creates the trial for a function in the other process. That process prepares the inputs and reports whether each
/// answer is right.
///
/// # Errors
/// Errors from the other process.
pub(crate) fn function(remote: &Arc<dyn Remote>, case: &Case, function: &Function) -> Result<Box<dyn Trial>, Fault> {
    let expected: &[u8] = if function.verified { RIGHT } else { UNCHECKED };
    let check = Box::new(move |_, outputs: &[Vec<u8>]| match outputs {
        [found] if found == expected => Ok(()),
        [found] => Err(Fault::WrongAnswer(String::from_utf8_lossy(found).chars().take(MOST_WORDS).collect())),
        _ => Err(number()),
    });
    ready(remote, case, vec![Vec::new(); function.inputs], check)
}

/// Report from a worker that checked a function's answer and found it right.
const RIGHT: &[u8] = b"right";
/// Report from a worker that does not check answers.
const UNCHECKED: &[u8] = b"unchecked";
/// Maximum length of any other report in an error message, in characters.
const MOST_WORDS: usize = 300;

const SECRET: &str = "the two sides have different shared secrets";

fn same(found: &[u8], expected: &[u8], otherwise: &str) -> Result<(), Fault> {
    let right = found == expected && found.iter().any(|&byte| byte != 0);
    if right { Ok(()) } else { Err(Fault::WrongAnswer(otherwise.into())) }
}

fn number() -> Fault {
    Fault::WrongAnswer("unexpected number of outputs".into())
}

fn preferred_encoding(encodings: &[KeyEncoding]) -> Result<KeyEncoding, Fault> {
    let none = || Fault::Unsupported("the library cannot export private keys in any encoding".into());
    encodings.first().copied().ok_or_else(none)
}

/// Sends the input sets to the other process. Warms up if the case measures the warm state. Returns the trial.
fn ready(
    remote: &Arc<dyn Remote>,
    case: &Case,
    sets: Vec<Vec<Vec<u8>>>,
    check: Check,
) -> Result<Box<dyn Trial>, Fault> {
    let sets = fitting(sets);
    let there = remote.prepare(&case.operation, &case.algorithm, &sets).map_err(fault)?;
    let mut trial = Visits { there, sets: sets.len() as u64, next: 0, last: None, check };
    if case.state() == State::Warm {
        trial.warm_up()?;
    }
    Ok(Box::new(trial))
}

/// Returns the first sets, as many as fit into one message, but at least one.
fn fitting(mut sets: Vec<Vec<Vec<u8>>>) -> Vec<Vec<Vec<u8>>> {
    let mut bytes = 0;
    let mut fits = |set: &Vec<Vec<u8>>| {
        bytes += set.iter().map(|field| 4 + field.len()).sum::<usize>();
        bytes <= MESSAGE_BYTES
    };
    let count = sets.iter().take(MOST_SETS).take_while(|set| fits(set)).count();
    sets.truncate(count.max(1));
    sets
}

/// Trial that another process performs and times.
struct Visits {
    there: Box<dyn RemoteCase>,
    sets: u64,
    /// Index of the input set for the next operation.
    next: u64,
    /// Number of operations of the last visit, and its time in ns.
    last: Option<(u64, u64)>,
    check: Check,
}

impl Visits {
    fn visit(&mut self, count: u64) -> Result<u64, Fault> {
        let ns = self.there.visit(self.next, count).map_err(fault)?;
        self.next = (self.next + count) % self.sets;
        self.last = Some((count, ns));
        Ok(ns)
    }

    /// Makes visits until their times are steady, which shows that a just-in-time compiler has finished. Stops earlier
    /// if the time for the warm-up is used up.
    fn warm_up(&mut self) -> Result<(), Fault> {
        let (mut state, mut next) = (WarmUp::default(), Some(1));
        while let Some(count) = next {
            // Use this process's clock, because the other process must not control how long the warm-up takes.
            let started = monotonic_ns();
            let reported_ns = self.visit(count)?;
            next = state.next(count, monotonic_ns() - started, reported_ns);
        }
        state.judged()
    }
}

/// State of the warm-up, which consists of the visits before the first sample.
#[derive(Default)]
struct WarmUp {
    /// Total time of the visits, in ns.
    spent: u64,
    /// Total time of the long visits, in ns.
    spent_long: u64,
    /// Time per operation in each long visit, in ns.
    long: Vec<f64>,
    /// Measured and reported time, in ns, of the long visit in which these two times agree best. The time for messages
    /// hides differences in a visit of 0.5 ms, but not in a visit of 20 ms.
    closest: Option<(u64, u64)>,
}

impl WarmUp {
    /// Records a visit: `count` operations that took `took` ns by this process's clock and `reported` ns by the other
    /// process's clock. Returns the number of operations for the next visit. Returns `None` if visits have become
    /// steady, or if the next visit would exceed the time for the warm-up. For very slow operations, one visit is
    /// therefore enough.
    fn next(&mut self, count: u64, took: u64, reported: u64) -> Option<u64> {
        let took = took.max(1);
        let apart = |(took, reported): (u64, u64)| took.abs_diff(reported) as f64 / took as f64;
        if took > LONG_VISIT_NS && self.closest.is_none_or(|closest| apart((took, reported)) < apart(closest)) {
            self.closest = Some((took, reported));
        }
        self.spent = self.spent.saturating_add(took);
        if took > LONG_VISIT_NS {
            self.spent_long += took;
            self.long.push(took as f64 / count as f64);
        }
        let wanted = (count as f64 * WARM_UP_VISIT_NS as f64 / took as f64) as u64;
        let wanted = wanted.clamp(1, count.saturating_mul(8)).min(1 << 32);
        let expected = took as f64 * wanted as f64 / count as f64;
        let ready = self.steady() && (self.judged().is_ok() || self.long.len() >= MOST_DISPUTED);
        (!ready && self.spent as f64 + expected <= WARM_UP_NS as f64).then_some(wanted)
    }

    /// Returns whether visits have stopped becoming faster. Compares the fastest visits of the earlier and of the later
    /// half, because other programs on the core slow down single visits.
    fn steady(&self) -> bool {
        let quickest = |visits: &[f64]| visits.iter().copied().fold(f64::MAX, f64::min);
        let (earlier, later) = self.long.split_at(self.long.len() / 2);
        let compiled = self.long.first().is_some_and(|first| *first > COMPILED * quickest(&self.long));
        self.long.len() >= LEAST_VISITS
            && self.spent_long >= if compiled { LEAST_COMPILED_NS } else { LEAST_NS }
            && quickest(later) >= quickest(earlier) * (1.0 - STEADY_WITHIN)
    }

    /// Checks that the reported time was within 5% of the measured time in at least one long visit. Passes if there was
    /// no long visit.
    fn judged(&self) -> Result<(), Fault> {
        match self.closest {
            Some((took, reported)) if took.abs_diff(reported) > took / 20 => {
                let text = "no visit in the warm-up came closer";
                let text = format!("the worker reported {reported} ns for a visit that took {took} ns ({text})");
                Err(Fault::WrongAnswer(text))
            }
            _ => Ok(()),
        }
    }
}

impl Trial for Visits {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.last = None;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        self.visit(batch as u64).map(drop)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some((count, _)) = self.last else { return Err(Fault::WrongAnswer("no operation was performed".into())) };
        let answers = self.there.answers().map_err(fault)?;
        if answers.len() as u64 != count.min(self.sets) {
            let text = format!("number of answers: {}, expected {}", answers.len(), count.min(self.sets));
            return Err(Fault::WrongAnswer(text));
        }
        for (set, outputs) in answers.iter().rev().take(KEPT) {
            (self.check)(*set, outputs)?;
        }
        Ok(())
    }

    fn own_ns(&mut self) -> Option<u64> {
        self.last.map(|(_, ns)| ns)
    }

    fn process(&self) -> Option<u32> {
        self.there.process()
    }

    fn demands(&self) -> Demands {
        Demands { shortest_sample_ns: SAMPLE_NS, own_time: true, ..Demands::default() }
    }
}

/// Returns whether the case's provider, or one provider of its pair, runs in another process.
pub(crate) fn is_remote(providers: &[Arc<Provider>], case: &Case) -> bool {
    case.provider
        .split('+')
        .any(|half| providers.iter().any(|provider| provider.id() == half && provider.remote.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the visits of a warm-up, each as its number of operations and its time in ns. `operation_ns` gives the
    /// time per operation for each visit.
    fn visits(operation_ns: impl Fn(usize) -> u64) -> Vec<(u64, u64)> {
        let (mut state, mut made, mut next) = (WarmUp::default(), Vec::new(), Some(1));
        while let Some(count) = next {
            made.push((count, count * operation_ns(made.len())));
            next = made.last().and_then(|&(count, took)| state.next(count, took, took));
        }
        made
    }

    fn total(visits: &[(u64, u64)]) -> u64 {
        visits.iter().map(|(_, took)| took).sum()
    }

    #[test]
    fn a_warm_up_ends_when_visits_are_steady() {
        let quick = visits(|_| 1_000);
        assert!((LEAST_NS..2 * LEAST_NS).contains(&total(&quick)), "{quick:?}");
        // Another program slows two of three visits. If the first long visit is slow, the warm-up
        // may mistake the next fast one for compiled code.
        let disturbed = visits(|visit| if visit % 3 == 0 { 1_000 } else { 1_700 });
        assert!(total(&disturbed) < 2 * LEAST_COMPILED_NS, "{disturbed:?}");
        // A compiler starts at the 50th visit, after a gradual speed-up.
        let compiled = visits(|visit| if visit < 50 { 40_000 - 700 * visit as u64 } else { 900 });
        assert!(compiled.len() > 50 && (LEAST_COMPILED_NS..WARM_UP_NS).contains(&total(&compiled)), "{compiled:?}");
    }

    #[test]
    fn a_warm_up_ends_in_time_even_if_visits_keep_getting_faster() {
        let restless = visits(|visit| (100_000.0 * 0.98_f64.powi(visit as i32)) as u64 + 1);
        assert!(total(&restless) > LEAST_COMPILED_NS && total(&restless) <= WARM_UP_NS + WARM_UP_VISIT_NS);
    }

    #[test]
    fn rejects_a_clock_that_never_agrees_but_not_one_that_sometimes_does() {
        let judged = |said: fn(usize, u64) -> u64| {
            let (mut state, mut next, mut visits) = (WarmUp::default(), Some(1), 0);
            while let Some(count) = next {
                next = state.next(count, count * 1_000, said(visits, count * 1_000));
                visits += 1;
            }
            assert!(state.spent < WARM_UP_NS / 2);
            state.judged().is_ok()
        };
        assert!(judged(|_, took| took) && judged(|_, took| took * 96 / 100));
        assert!(!judged(|_, took| took * 9 / 10));
        assert!(judged(|visit, took| if visit % 20 == 19 { took } else { took / 2 }));
    }

    #[test]
    fn sends_no_more_inputs_than_fit_into_a_message() {
        let count = |sets: usize, bytes: usize| fitting(vec![vec![vec![0; bytes]]; sets]).len();
        assert_eq!([count(16, 32), count(5000, 1), count(3, 20 << 20)], [16, MOST_SETS, 1]);
        assert_eq!(count(100, 1 << 20), 7);
        assert_eq!(fitting(vec![Vec::new(); 16]).len(), 16);
    }

    #[test]
    fn warms_slow_operations_up_in_few_visits() {
        let seconds = |seconds: u64| visits(|_| seconds * 1_000_000_000).len();
        assert_eq!([seconds(1), seconds(3), seconds(4), seconds(6), seconds(30)], [6, 3, 2, 1, 1]);
    }
}
