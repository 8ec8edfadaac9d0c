//! Operations that another process performs and times: inputs are handed over once, a sample is a visit there, and its answers are
//! checked here as those of every library are.
//!
//! What is timed there are operations with prepared keys and randomness of the library's own; nothing else of such a provider has
//! cases.

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

/// A sample takes at least so long, in ns, so that the messages around it are a small part of it.
const SAMPLE_NS: u64 = 500_000;
/// How long a visit of the warm-up takes, in ns.
const WARM_UP_VISIT_NS: u64 = 20_000_000;
/// How long the warm-up takes at most, in ns, where one operation takes less: a small part of the time that the harness gives a case
/// to be readied (`harness::process::Limits::request`).
const WARM_UP_NS: u64 = 10_000_000_000;
/// A visit of which something is to be learned takes at least so long, in ns: messages are a small part of it.
const LONG_VISIT_NS: u64 = WARM_UP_VISIT_NS / 4;
/// Long visits that there are at least when it is over.
const LEAST_VISITS: usize = 6;
/// What they take together at least, in ns.
const LEAST_NS: u64 = 100_000_000;
/// Likewise where operations were so many times slower at the beginning: a compiler is at work.
const COMPILED: f64 = 1.5;
const LEAST_COMPILED_NS: u64 = 1_000_000_000;
/// So many long visits of which none agrees with what is said of it are no chance.
const MOST_DISPUTED: usize = 50;
/// The later half of the visits is not quicker than the earlier one by more than this.
const STEADY_WITHIN: f64 = 0.02;
/// Most sets of inputs of a case, by the protocol.
const MOST_SETS: usize = 4096;
/// Most bytes of inputs that are handed over: half a message.
const MESSAGE_BYTES: usize = 8 << 20;
/// Answers of a sample that are looked at.
const KEPT: usize = 4;

/// Whether an operation on the case's inputs can be timed in another process.
pub(crate) fn offers(case: &Case) -> bool {
    let kind = case.kind();
    let timed_there = matches!(case.workload.as_str(), "floor" | "function" | "kem" | "signature" | "hash");
    timed_there && case.form != Some(Form::Encoded) && !kind.exact_coins && !kind.deterministic && kind.key.is_none()
}

/// Whether the outputs of a set are right.
type Check = Box<dyn FnMut(usize, &[Vec<u8>]) -> Result<(), Fault> + Send>;

/// An operation of a KEM.
///
/// # Errors
/// As [`crate::kem::trial`].
pub(crate) fn kem(
    remote: &Arc<dyn Remote>,
    kem: &Arc<dyn Kem>,
    case: &Case,
    generator: &mut ChaCha8Rng,
) -> Result<Box<dyn Trial>, Fault> {
    let kem = Arc::clone(kem);
    let (supply, parameters) = (Supply::of(case), kem.info().parameters.clone());
    if case.operation == "keygen" {
        let encoding = own(kem.written())?;
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
            let encoding = own(kem.written())?;
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

/// An operation of a signature scheme.
///
/// # Errors
/// As [`crate::signature::trial`].
pub(crate) fn signature(
    remote: &Arc<dyn Remote>,
    scheme: &Arc<dyn SignatureScheme>,
    case: &Case,
    generator: &mut ChaCha8Rng,
) -> Result<Box<dyn Trial>, Fault> {
    let (other, _) = signing_key(scheme.as_ref(), generator).map_err(fault)?;
    let setting = Setting::new(Arc::clone(scheme), Mode::default(), other.as_ref()).map_err(fault)?;
    let encoding = own(scheme.written())?;
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
    let keys = Supply::of(case).keys(|| signing_key(scheme.as_ref(), generator).map(|(key, _)| key)).map_err(fault)?;
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
            return Err(Fault::WrongAnswer("a valid signature is refused".into()));
        }
        setting.check(verifier.as_ref(), message, if signs { output } else { signed })
    });
    match case.operation.as_str() {
        "sign" | "verify" => ready(remote, case, sets, check),
        _ => Err(missing(case)),
    }
}

/// A digest of each message, which must be the one expected.
///
/// # Errors
/// What the other process reports.
pub(crate) fn digest(
    remote: &Arc<dyn Remote>,
    case: &Case,
    messages: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
) -> Result<Box<dyn Trial>, Fault> {
    let check = Box::new(move |set: usize, outputs: &[Vec<u8>]| match (outputs, expected.get(set)) {
        ([digest], Some(expected)) => same(digest, expected, "the same input gives another digest"),
        _ => Err(number()),
    });
    ready(remote, case, messages.into_iter().map(|message| vec![message]).collect(), check)
}

/// The operation that does nothing: the floor of the other process.
///
/// # Errors
/// What the other process reports.
pub(crate) fn nothing(remote: &Arc<dyn Remote>, case: &Case) -> Result<Box<dyn Trial>, Fault> {
    let case = Case { operation: "null".into(), algorithm: "null".into(), ..case.clone() };
    ready(remote, &case, vec![Vec::new(); crate::inputs::POOL], Box::new(|_, _| Ok(())))
}

/// A function of the other process, which readies its inputs and says of each answer whether it is right.
///
/// # Errors
/// What the other process reports.
pub(crate) fn function(remote: &Arc<dyn Remote>, case: &Case, function: &Function) -> Result<Box<dyn Trial>, Fault> {
    let expected: &[u8] = if function.verified { RIGHT } else { UNCHECKED };
    let check = Box::new(move |_, outputs: &[Vec<u8>]| match outputs {
        [found] if found == expected => Ok(()),
        [found] => Err(Fault::WrongAnswer(String::from_utf8_lossy(found).chars().take(MOST_WORDS).collect())),
        _ => Err(number()),
    });
    ready(remote, case, vec![Vec::new(); function.inputs], check)
}

/// What a worker says of an answer of a function.
const RIGHT: &[u8] = b"right";
const UNCHECKED: &[u8] = b"unchecked";
/// Most characters of what it says else that are kept.
const MOST_WORDS: usize = 300;

const SECRET: &str = "the two sides have different shared secrets";

fn same(found: &[u8], expected: &[u8], otherwise: &str) -> Result<(), Fault> {
    let right = found == expected && found.iter().any(|&byte| byte != 0);
    if right { Ok(()) } else { Err(Fault::WrongAnswer(otherwise.into())) }
}

fn number() -> Fault {
    Fault::WrongAnswer("another number of outputs than the operation has".into())
}

fn own(encodings: &[KeyEncoding]) -> Result<KeyEncoding, Fault> {
    encodings.first().copied().ok_or_else(|| Fault::Unsupported("no encoding of a private key is written".into()))
}

/// Hands the inputs over, and warms up where the case is to be warm.
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

/// As many of the sets as fit a message: one at least.
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

/// An operation that another process performs.
struct Visits {
    there: Box<dyn RemoteCase>,
    sets: u64,
    /// The set that is the next one's turn.
    next: u64,
    /// Operations of the last visit, and its time.
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

    /// Visits until a compiler has done its work, or for as long as a warm-up may take.
    fn warm_up(&mut self) -> Result<(), Fault> {
        let (mut state, mut next) = (WarmUp::default(), Some(1));
        while let Some(count) = next {
            // By this process's clock: the other one's is not to be trusted with how long this takes.
            let started = monotonic_ns();
            let said = self.visit(count)?;
            next = state.next(count, monotonic_ns() - started, said);
        }
        state.judged()
    }
}

/// Visits before the first figure.
#[derive(Default)]
struct WarmUp {
    /// What they took together, in ns.
    spent: u64,
    /// What the long ones took together, in ns.
    spent_long: u64,
    /// What an operation took in each long one, in ns.
    long: Vec<f64>,
    /// What one of the long visits took, and what it was said to take, in ns: of all the one that agrees best. A visit of 20 ms shows
    /// what one of half a millisecond hides among the messages.
    closest: Option<(u64, u64)>,
}

impl WarmUp {
    /// How many operations come next, after `count` that took `took` ns: none where visits become no quicker, and none where they would
    /// take longer than a warm-up may. So one visit is enough of operations that take as long.
    fn next(&mut self, count: u64, took: u64, said: u64) -> Option<u64> {
        let took = took.max(1);
        let apart = |(took, said): (u64, u64)| took.abs_diff(said) as f64 / took as f64;
        if took > LONG_VISIT_NS && self.closest.is_none_or(|closest| apart((took, said)) < apart(closest)) {
            self.closest = Some((took, said));
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

    /// Whether visits have become no quicker. Their quickest count: what somebody else does on the core makes single ones slow.
    fn steady(&self) -> bool {
        let quickest = |visits: &[f64]| visits.iter().copied().fold(f64::MAX, f64::min);
        let (earlier, later) = self.long.split_at(self.long.len() / 2);
        let compiled = self.long.first().is_some_and(|first| *first > COMPILED * quickest(&self.long));
        self.long.len() >= LEAST_VISITS
            && self.spent_long >= if compiled { LEAST_COMPILED_NS } else { LEAST_NS }
            && quickest(later) >= quickest(earlier) * (1.0 - STEADY_WITHIN)
    }

    /// Whether some long visit took what it was said to take; where there was none, nothing is known.
    fn judged(&self) -> Result<(), Fault> {
        match self.closest {
            Some((took, said)) if took.abs_diff(said) > took / 20 => {
                let text = "in no other visit of the warm-up is the difference smaller";
                Err(Fault::WrongAnswer(format!(
                    "{said} ns are said to have passed in a visit of {took} ns, and {text}"
                )))
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
        let Some((count, _)) = self.last else { return Err(Fault::WrongAnswer("nothing was done".into())) };
        let answers = self.there.answers().map_err(fault)?;
        if answers.len() as u64 != count.min(self.sets) {
            let text = format!("{count} operations have {} answers", answers.len());
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

/// Whether a case is of a provider, or of a pair with one, whose operations another process times.
pub(crate) fn is_remote(providers: &[Arc<Provider>], case: &Case) -> bool {
    case.provider
        .split('+')
        .any(|half| providers.iter().any(|provider| provider.id() == half && provider.remote.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The visits of a warm-up: operations, with what they take in ns where the operation takes so long in the visit of that number.
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
    fn a_warm_up_ends_when_visits_become_no_quicker() {
        let quick = visits(|_| 1_000);
        assert!((LEAST_NS..2 * LEAST_NS).contains(&total(&quick)), "{quick:?}");
        // Somebody else has the core in two of three visits, of which the first may pass for that of a compiler at work.
        let disturbed = visits(|visit| if visit % 3 == 0 { 1_000 } else { 1_700 });
        assert!(total(&disturbed) < 2 * LEAST_COMPILED_NS, "{disturbed:?}");
        // A compiler comes in at the 50th visit, after others of its kind.
        let compiled = visits(|visit| if visit < 50 { 40_000 - 700 * visit as u64 } else { 900 });
        assert!(compiled.len() > 50 && (LEAST_COMPILED_NS..WARM_UP_NS).contains(&total(&compiled)), "{compiled:?}");
    }

    #[test]
    fn a_warm_up_of_what_becomes_ever_quicker_ends_within_its_time() {
        let restless = visits(|visit| (100_000.0 * 0.98_f64.powi(visit as i32)) as u64 + 1);
        assert!(total(&restless) > LEAST_COMPILED_NS && total(&restless) <= WARM_UP_NS + WARM_UP_VISIT_NS);
    }

    #[test]
    fn a_clock_that_never_agrees_is_found_and_one_that_sometimes_does_is_not() {
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
    fn no_more_inputs_are_handed_over_than_fit_a_message() {
        let count = |sets: usize, bytes: usize| fitting(vec![vec![vec![0; bytes]]; sets]).len();
        assert_eq!([count(16, 32), count(5000, 1), count(3, 20 << 20)], [16, MOST_SETS, 1]);
        assert_eq!(count(100, 1 << 20), 7);
        assert_eq!(fitting(vec![Vec::new(); 16]).len(), 16);
    }

    #[test]
    fn slow_operations_are_warmed_up_by_few_visits() {
        let seconds = |seconds: u64| visits(|_| seconds * 1_000_000_000).len();
        assert_eq!([seconds(1), seconds(3), seconds(4), seconds(6), seconds(30)], [6, 3, 2, 1, 1]);
    }
}
