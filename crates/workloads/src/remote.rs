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
use pqlab_primitives::{Coins, Kem, KeyEncoding, Provider, Remote, RemoteCase, SignatureScheme};
use pqlab_record::{Case, Form, State};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// A sample takes at least so long, in ns, so that the messages around it are a small part of it.
const SAMPLE_NS: u64 = 500_000;
/// How long a visit of the warm-up takes, in ns.
const WARM_UP_VISIT_NS: u64 = 20_000_000;
/// When the warm-up is over at the latest, in ns.
const WARM_UP_NS: u64 = 10_000_000_000;
/// Visits in a row that agree when it is over.
const STEADY: usize = 3;
/// By how much they differ at most.
const STEADY_WITHIN: f64 = 0.02;
/// Answers of a sample that are looked at.
const KEPT: usize = 4;

/// Whether an operation on the case's inputs can be timed in another process.
pub(crate) fn offers(case: &Case) -> bool {
    let kind = case.kind();
    let timed_there = matches!(case.workload.as_str(), "floor" | "kem" | "signature" | "hash");
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
    let length = case.number("len").unwrap_or(MESSAGE) as usize;
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
    let there = remote.prepare(&case.operation, &case.algorithm, &sets).map_err(fault)?;
    let mut trial = Visits { there, sets: sets.len() as u64, next: 0, last: None, check };
    if case.state() == State::Warm {
        trial.warm_up()?;
    }
    Ok(Box::new(trial))
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

    /// Visits until a compiler has done its work: until several visits in a row take the same.
    fn warm_up(&mut self) -> Result<(), Fault> {
        let begun = monotonic_ns();
        let (mut count, mut latest) = (1, Vec::new());
        loop {
            // By this process's clock: the other one's is not to be trusted with how long this takes.
            let started = monotonic_ns();
            self.visit(count)?;
            let took = (monotonic_ns() - started).max(1);
            latest.push(took as f64 / count as f64);
            let steady = latest.len() >= STEADY && took > WARM_UP_VISIT_NS / 4 && {
                let last = &latest[latest.len() - STEADY..];
                let (least, most) = last.iter().fold((f64::MAX, 0_f64), |(a, b), &ns| (a.min(ns), b.max(ns)));
                most <= least * (1.0 + STEADY_WITHIN)
            };
            if steady || monotonic_ns() - begun > WARM_UP_NS {
                return Ok(());
            }
            let wanted = (count as f64 * WARM_UP_VISIT_NS as f64 / took as f64) as u64;
            count = wanted.clamp(1, count.saturating_mul(8)).min(1 << 32);
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
