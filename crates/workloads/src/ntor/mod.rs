//! Workload `ntor`: circuit handshakes with every pair of providers, complete and step by step. Leaving out one part at
//! a time shows the cost of each part. The workload also measures the exchange with a real relay over loopback sockets.
//!
//! `reply` and `handshake` are also measured on several threads, and handshakes as tasks in a thread pool: see
//! module `scaling`.
//!
//! Handshakes that carry messages (hs-ntor for onion services, and ntor v3) are measured complete and step by step.
//!
//! `kem-only-*` does not authenticate the relay, and is therefore never called ntor.

pub mod client;
mod exchange;
mod messages;
mod nothing;
mod queue;
pub mod relay;
mod sides;
mod steps;

pub use pqlab_constructions::ntor::RelayDescriptor;

use crate::fastest::{self, Question, keeps};
use crate::pairs::{Pair, pairs};
use crate::{CaseOptions, NULL, Workload, fault, find, missing, scaling};
use messages::{Introduction, Messaged, Third};
use nothing::NothingKem;
use pqlab_constructions::ntor::{HandshakeError, Parts, Protocol, Variant};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Error, Provider};
use pqlab_record::{Case, Facts, Parameter, Sizes};
use sides::{Loading, Parties, Sides};
use std::sync::Arc;

/// The steps of a handshake, and the complete handshake.
const OPERATIONS: [&str; 4] = ["create", "reply", "finish", "handshake"];
/// Operations measured on several threads: the relay's step, and the complete handshake.
const AT_ONCE: [&str; 2] = ["reply", "handshake"];
/// Parts of a handshake. A case of `profile` leaves out one part to show its cost.
const PARTS: [&str; 5] = ["kem", "x25519", "hash", "kdf", "mac"];
/// Parameter for the client's first step. The ephemeral keys are generated in advance, outside the timed call.
const AHEAD: (&str, &str) = ("keys", "ahead");
/// Parameter for the relay's step. The relay loads the onion key from bytes in each call.
const ENCODED: (&str, &str) = ("onion-key", "encoded");
/// Numbers of onionskins in a queue. One operation answers all of them on one thread.
const QUEUES: [u64; 4] = [1, 4, 16, 64];
/// Name of the queue operation, and of the parameter for the number of onionskins.
const QUEUE: (&str, &str) = ("replies", "queue");
const KEMS: [&str; 3] = ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"];

pub(crate) struct NtorWorkload;

impl Workload for NtorWorkload {
    fn id(&self) -> &'static str {
        "ntor"
    }

    fn describe(&self) -> &'static str {
        "circuit handshakes: classical ntor, KEM-only, and authenticated hybrid"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let mut cases = Vec::new();
        for handshake in handshakes() {
            let kem = handshake.kem;
            let has_kem = |provider: &Provider| kem.is_none_or(|kem| kem_of(provider, kem).is_some());
            let options = &handshake.halves(options);
            let mut found = pairs(providers, options, has_classical, has_kem);
            if kem.is_none() {
                // Without a KEM, the second half is unused. Keep one pair for each classical
                // provider.
                found.retain(|pair| pair.classical == pair.post_quantum);
            }
            found.retain(|pair| keeps(options, &handshake.name(), pair));
            for pair in found {
                let Ok(protocol) = handshake.protocol(providers, &pair, None) else { continue };
                let case = |operation: &str, block: &str, parameters: Vec<Parameter>| Case {
                    workload: "ntor".into(),
                    algorithm: handshake.name(),
                    operation: operation.into(),
                    provider: pair.id(),
                    form: None,
                    parameters,
                    block: format!("ntor/{block}"),
                    facts: facts(&handshake, &protocol),
                };
                cases.extend(OPERATIONS.map(|operation| case(operation, "handshake", Vec::new())));
                let word = |(name, value): (&str, &str)| vec![Parameter::Word(name.into(), value.into())];
                cases.push(case("create", "handshake", word(AHEAD)));
                // The KEM-only handshake has no onion key.
                if handshake.variant != Variant::KemOnly {
                    cases.push(case("reply", "handshake", word(ENCODED)));
                }
                let (operation, queue) = QUEUE;
                cases.extend(
                    QUEUES.map(|length| case(operation, "queue", vec![Parameter::Number(queue.into(), length)])),
                );
                let parts = PARTS.iter().filter(|part| handshake.has(part));
                cases.extend(
                    parts.map(|part| {
                        case("profile", "handshake", vec![Parameter::Word("without".into(), (*part).into())])
                    }),
                );
                // Measure all handshakes and providers in the same rounds, on one thread and on several.
                let in_block = |block: &'static str| move |case: Case| Case { block: format!("ntor/{block}"), ..case };
                let at_once = AT_ONCE.map(|operation| case(operation, "threads", Vec::new()));
                let threads = at_once.iter().flat_map(|base| scaling::thread_cases(base, options));
                cases.extend(threads.map(in_block("threads")));
                let loads = scaling::load_cases(&case("handshake", "load", Vec::new()), options);
                cases.extend(loads.into_iter().map(in_block("load")));
                for connection in exchange::CONNECTIONS {
                    let parameters =
                        [("over", "tcp"), ("connection", connection)].map(|(k, v)| Parameter::Word(k.into(), v.into()));
                    cases.push(case("exchange", "exchange", parameters.to_vec()));
                }
            }
        }
        for base in messages::ALL.iter().flat_map(|handshake| handshake.bases(providers, options)) {
            let case = |operation: &str, parameters| Case {
                operation: operation.into(),
                parameters,
                block: "ntor/handshake".into(),
                ..base.clone()
            };
            cases.extend(OPERATIONS.map(|operation| case(operation, Vec::new())));
            cases.push(case("create", vec![Parameter::Word(AHEAD.0.into(), AHEAD.1.into())]));
        }
        cases
    }

    /// Returns the open questions. Each handshake has its own pair of providers, chosen by timing the complete
    /// handshake or single steps. Queues, profiles, threads, loads, and the exchange with a relay use the same pair.
    fn questions(&self, selected: &[Case], _providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Question> {
        let mut questions = Vec::new();
        for handshake in handshakes() {
            let deciding = |case: &Case| {
                let operation = match scaling::operation(case) {
                    "profile" | "exchange" => "handshake",
                    operation if operation == QUEUE.0 => "reply",
                    other => other,
                };
                let alone = Case { operation: operation.into(), parameters: Vec::new(), ..case.clone() };
                (case.algorithm == handshake.name()).then_some(alone)
            };
            fastest::merge(&mut questions, fastest::questions(&handshake.halves(options), selected, deciding));
        }
        for handshake in messages::ALL {
            fastest::merge(&mut questions, handshake.questions(selected, options));
        }
        questions
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        let pair = Pair::new(case);
        if pair.classical == NULL {
            return vec![(NULL.into(), NULL.into())];
        }
        if let Some(handshake) = Messaged::find(&case.algorithm) {
            return handshake.primitives(pair);
        }
        let Some(handshake) = Handshake::find(&case.algorithm) else { return Vec::new() };
        let mut primitives = vec![(pair.classical.clone(), "HMAC-SHA256"), (pair.classical.clone(), "HKDF-SHA256")];
        if handshake.has("x25519") {
            primitives.push((pair.classical.clone(), "X25519"));
        }
        if handshake.has("hash") {
            primitives.push((pair.classical, "SHA-256"));
        }
        primitives.extend(handshake.kem.map(|kem| (pair.post_quantum, kem)));
        primitives.into_iter().map(|(provider, algorithm)| (provider, algorithm.to_owned())).collect()
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let pair = Pair::new(case);
        if let Some(handshake) = Messaged::find(&case.algorithm) {
            return match handshake {
                Messaged::OnionService => step(case, Introduction::new(false, providers, &pair)?),
                Messaged::HybridOnionService => step(case, Introduction::new(true, providers, &pair)?),
                Messaged::V3 => step(case, Third::new(providers, &pair)?),
            };
        }
        let handshake = Handshake::find(&case.algorithm).ok_or_else(|| missing(case))?;
        let without = case.word("without");
        let whole = without.is_none() && pair.classical != NULL;
        let trial = || -> Result<Box<dyn Trial>, Fault> {
            let protocol = handshake.protocol(providers, &pair, without)?;
            Ok(match scaling::operation(case) {
                "reply" if is(case, ENCODED) => step(case, Loading::new(Parties::new(protocol, whole)?)?)?,
                "profile" => Box::new(steps::Whole::new(Parties::new(protocol, whole)?)),
                "exchange" => {
                    let fresh = case.word("connection") == Some("fresh");
                    Box::new(exchange::Exchange::new(protocol, fresh, whole)?)
                }
                operation if operation == QUEUE.0 => {
                    let length = case.number(QUEUE.1).filter(|length| QUEUES.contains(length));
                    let length = length.ok_or_else(|| missing(case))?;
                    Box::new(queue::Queue::new(Parties::new(protocol, whole)?, length))
                }
                _ => step(case, Parties::new(protocol, whole)?)?,
            })
        };
        if scaling::concerns(case) { scaling::prepare(case, seed, trial) } else { trial() }
    }
}

/// Creates the trial for a step of a handshake, or for the complete handshake.
fn step<S: Sides>(case: &Case, sides: S) -> Result<Box<dyn Trial>, Fault> {
    Ok(match scaling::operation(case) {
        "create" if is(case, AHEAD) => Box::new(steps::CreateAhead::new(sides)),
        "create" => Box::new(steps::Create::new(sides)),
        "reply" => Box::new(steps::Reply::new(sides)),
        "finish" => Box::new(steps::Finish::new(sides)),
        "handshake" => Box::new(steps::Whole::new(sides)),
        _ => return Err(missing(case)),
    })
}

fn is(case: &Case, (name, value): (&str, &str)) -> bool {
    case.word(name) == Some(value)
}

/// Returns the three steps of every handshake, without parameters, for areas that measure something other than time.
pub(crate) fn steps(providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
    let alone = |case: &Case| case.parameters.is_empty() && OPERATIONS[..3].contains(&case.operation.as_str());
    NtorWorkload.cases(providers, options).into_iter().filter(alone).collect()
}

/// Returns whether a case, of any area, belongs to a handshake.
pub(crate) fn is_handshake(case: &Case) -> bool {
    Handshake::find(&case.algorithm).is_some() || Messaged::find(&case.algorithm).is_some()
}

/// Circuit handshake without messages: its kind, and its KEM if it uses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// Kind of handshake.
    pub variant: Variant,
    /// Name of the KEM; `None` for classical ntor.
    pub kem: Option<&'static str>,
}

/// Returns every handshake: classical ntor, and the KEM-only and the authenticated handshake with each ML-KEM parameter
/// set.
pub fn handshakes() -> Vec<Handshake> {
    let mut all = vec![Handshake { variant: Variant::V1, kem: None }];
    for variant in [Variant::KemOnly, Variant::Authenticated] {
        all.extend(KEMS.map(|kem| Handshake { variant, kem: Some(kem) }));
    }
    all
}

impl Handshake {
    /// Returns the handshake with this name.
    pub fn find(name: &str) -> Option<Handshake> {
        handshakes().into_iter().find(|handshake| handshake.name() == name)
    }

    /// Returns the name used in cases, such as `ntor-v1`, `kem-only-mlkem512` or `ntor-x25519-mlkem512`.
    pub fn name(&self) -> String {
        let kem = self.kem.unwrap_or_default().to_lowercase().replace("ml-kem-", "mlkem");
        match self.variant {
            Variant::V1 => "ntor-v1".to_owned(),
            Variant::KemOnly => format!("kem-only-{kem}"),
            Variant::Authenticated => format!("ntor-x25519-{kem}"),
        }
    }

    /// Returns the options for the handshake's halves. Classical ntor has no post-quantum half, so the classical option
    /// replaces the post-quantum one.
    fn halves(&self, options: &CaseOptions) -> CaseOptions {
        match self.kem {
            Some(_) => options.clone(),
            None => CaseOptions { post_quantum: options.classical.clone(), ..options.clone() },
        }
    }

    /// Returns whether the handshake contains the part.
    fn has(&self, part: &str) -> bool {
        match part {
            "kem" => self.variant != Variant::V1,
            "x25519" => self.variant != Variant::KemOnly,
            "hash" => self.variant != Variant::V1,
            _ => true,
        }
    }

    /// Returns the protocol for one provider (`aws-lc`) or two (`aws-lc+liboqs`), the classical one first.
    ///
    /// # Errors
    /// [`Fault::Unsupported`] if a provider lacks an algorithm.
    pub fn over(&self, providers: &[Arc<Provider>], pair: &str) -> Result<Arc<Protocol>, Fault> {
        let (classical, post_quantum) = pair.split_once('+').unwrap_or((pair, pair));
        let pair = Pair { classical: classical.to_owned(), post_quantum: post_quantum.to_owned() };
        self.protocol(providers, &pair, None)
    }

    /// Returns the protocol for a pair of providers. The null provider replaces the part `without`, one of [`PARTS`].
    ///
    /// # Errors
    /// [`Fault::Unsupported`] if a provider lacks an algorithm.
    pub(crate) fn protocol(
        &self,
        providers: &[Arc<Provider>],
        pair: &Pair,
        without: Option<&str>,
    ) -> Result<Arc<Protocol>, Fault> {
        let classical = find(providers, &pair.classical)?;
        let lacks = |what: &str| Fault::Unsupported(format!("{} does not offer {what}", pair.id()));
        let name = |standard: &'static str| if classical.library == NULL { NULL } else { standard };
        let nothing = || find(providers, NULL);
        let instead = |part: &str| without == Some(part);
        let of = |part: &str| if instead(part) { nothing() } else { Ok(classical) };
        let called = |part: &str, standard: &'static str| if instead(part) { NULL } else { name(standard) };
        let agreement = of("x25519")?.key_agreement(called("x25519", "X25519")).ok_or_else(|| lacks("X25519"))?;
        let hash = of("hash")?.hash(called("hash", "SHA-256")).ok_or_else(|| lacks("SHA-256"))?;
        let mac = of("mac")?.mac(called("mac", "HMAC-SHA256")).ok_or_else(|| lacks("HMAC-SHA256"))?;
        let kdf = of("kdf")?.kdf(called("kdf", "HKDF-SHA256")).ok_or_else(|| lacks("HKDF-SHA256"))?;
        // Classical ntor does not use its KEM, so any KEM will do.
        let kem_name = self.kem.unwrap_or(KEMS[0]);
        let kem = if instead("kem") || self.kem.is_none() || pair.post_quantum == NULL {
            NothingKem::shaped_as(kem_name, nothing()?).ok_or_else(|| lacks(kem_name))?
        } else {
            kem_of(find(providers, &pair.post_quantum)?, kem_name).ok_or_else(|| lacks(kem_name))?.clone()
        };
        let parts = Parts { agreement: agreement.clone(), kem, hash: hash.clone(), mac: mac.clone(), kdf: kdf.clone() };
        Protocol::new(self.variant, parts).map_err(handshake_fault)
    }
}

fn kem_of<'a>(provider: &'a Provider, name: &str) -> Option<&'a Arc<dyn pqlab_primitives::Kem>> {
    provider.kem(if provider.library == NULL { NULL } else { name })
}

/// Returns whether a provider offers all algorithms except the KEM.
fn has_classical(provider: &Provider) -> bool {
    let name = |standard| if provider.library == NULL { NULL } else { standard };
    provider.key_agreement(name("X25519")).is_some()
        && provider.hash(name("SHA-256")).is_some()
        && provider.mac(name("HMAC-SHA256")).is_some()
        && provider.kdf(name("HKDF-SHA256")).is_some()
}

fn facts(handshake: &Handshake, protocol: &Protocol) -> Facts {
    let category = match (handshake.variant, handshake.kem) {
        (Variant::V1, _) => None,
        (_, kem) => kem.and_then(pqlab_primitives::KemParameters::find).and_then(|kem| kem.category),
    };
    let sizes = Sizes {
        onionskin: Some(protocol.onionskin() as u64),
        reply: Some(protocol.reply() as u64),
        shared_secret: Some(protocol.keys() as u64),
        ..Sizes::default()
    };
    Facts { sizes, category, ..Facts::default() }
}

/// Converts a handshake error to a fault. Both parties are honest here, so a failed handshake means that a primitive
/// gave a wrong answer.
fn handshake_fault(error: HandshakeError) -> Fault {
    match error {
        HandshakeError::Primitive(error @ (Error::Unsupported(_) | Error::Library { .. })) => fault(error),
        other => Fault::WrongAnswer(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
