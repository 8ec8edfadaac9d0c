//! Workload `hash`: hash functions and XOFs by message length, and beside them HMAC, HKDF and AES-GCM.

use crate::inputs::{POOL, Turn, bytes, generator};
use crate::{Options, Workload, fault, find, missing};
use pqlab_harness::{Fault, Recorder, Seed, Trial};
use pqlab_primitives::{AeadKey, Error, Hash, Kdf, MacKey, Provider, Xof};
use pqlab_record::{Case, Facts, Parameter};
use std::sync::Arc;

/// Message lengths in bytes, where none are asked for.
const LENGTHS: [u64; 5] = [64, 256, 1024, 4096, 16384];
/// Length in bytes of what a XOF puts out.
const XOF_OUTPUT: usize = 32;
/// Length in bytes of what is authenticated or encrypted.
const RECORD: usize = 1024;
/// Length in bytes of the keying material that a KDF derives.
const KEYING_MATERIAL: usize = 32;

pub(crate) struct HashWorkload;

impl Workload for HashWorkload {
    fn id(&self) -> &'static str {
        "hash"
    }

    fn describe(&self) -> &'static str {
        "hash functions and XOFs by message length; HMAC, HKDF and AES-GCM beside them"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &Options) -> Vec<Case> {
        let lengths = options.lengths.clone().unwrap_or_else(|| LENGTHS.to_vec());
        let mut cases = Vec::new();
        for &length in &lengths {
            for provider in providers {
                let hashes = provider.hashes.iter().map(|hash| hash.info().algorithm.as_ref());
                let xofs = provider.xofs.iter().map(|xof| xof.info().algorithm.as_ref());
                // `null` has one of each; the hash stands for both.
                let xofs = xofs.filter(|algorithm| *algorithm != crate::NULL);
                cases.extend(hashes.chain(xofs).map(|algorithm| digest_case(provider, algorithm, length)));
            }
        }
        for provider in providers {
            let macs = provider.macs.iter().map(|mac| (mac.algorithm(), "tag", RECORD));
            let kdfs = provider.kdfs.iter().map(|kdf| (kdf.algorithm(), "derive", KEYING_MATERIAL));
            let aeads = provider
                .aeads
                .iter()
                .flat_map(|aead| [(aead.algorithm(), "seal", RECORD), (aead.algorithm(), "open", RECORD)]);
            let all = macs.chain(kdfs).chain(aeads);
            cases.extend(all.map(|(algorithm, operation, length)| Case {
                block: "hash/symmetric".into(),
                facts: Facts { bytes: (operation != "derive").then_some(length as u64), ..Facts::default() },
                ..plain_case(provider, algorithm, operation, length as u64)
            }));
        }
        cases
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let provider = find(providers, &case.provider)?;
        let mut generator = generator(case, seed);
        let length = case.number("len").unwrap_or(RECORD as u64) as usize;
        let mut input = |length| bytes(&mut generator, length);
        let (key, nonce) = (input(32), input(12));
        let messages: Vec<Vec<u8>> = (0..POOL).map(|_| input(length)).collect();
        let algorithm = case.algorithm.as_str();
        Ok(match case.operation.as_str() {
            "digest" => {
                let function = match (provider.hash(algorithm), provider.xof(algorithm)) {
                    (Some(hash), _) => Function::Hash(Arc::clone(hash)),
                    (None, Some(xof)) => Function::Xof(Arc::clone(xof)),
                    (None, None) => return Err(missing(case)),
                };
                Box::new(Digest::new(function, messages).map_err(fault)?)
            }
            "tag" => {
                let mac = provider.mac(algorithm).ok_or_else(|| missing(case))?;
                let prepared = mac.load_key(&key).map_err(fault)?;
                Box::new(Tag::new(prepared, mac.tag_len(), messages).map_err(fault)?)
            }
            "derive" => {
                let kdf = provider.kdf(algorithm).ok_or_else(|| missing(case))?;
                Box::new(Derive::new(Arc::clone(kdf), messages).map_err(fault)?)
            }
            "seal" | "open" => {
                let aead = provider.aead(algorithm).ok_or_else(|| missing(case))?;
                let prepared = aead.load_key(&key).map_err(fault)?;
                let seal = case.operation == "seal";
                Box::new(Cipher::new(prepared, aead.tag_len(), nonce, messages, seal).map_err(fault)?)
            }
            _ => return Err(missing(case)),
        })
    }
}

fn digest_case(provider: &Provider, algorithm: &str, length: u64) -> Case {
    Case {
        block: format!("hash/digest/{length}"),
        facts: Facts { bytes: Some(length), ..Facts::default() },
        ..plain_case(provider, algorithm, "digest", length)
    }
}

fn plain_case(provider: &Provider, algorithm: &str, operation: &str, length: u64) -> Case {
    Case {
        workload: "hash".into(),
        algorithm: algorithm.to_owned(),
        operation: operation.into(),
        provider: provider.id(),
        form: None,
        parameters: vec![Parameter::Number("len".into(), length)],
        block: String::new(),
        facts: Facts::default(),
    }
}

enum Function {
    Hash(Arc<dyn Hash>),
    Xof(Arc<dyn Xof>),
}

impl Function {
    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<(), Error> {
        match self {
            Function::Hash(hash) => hash.digest(message, out),
            Function::Xof(xof) => xof.digest(message, out),
        }
    }
}

/// Digests, dispatched once a batch.
struct Digest {
    function: Function,
    messages: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
    out: Vec<u8>,
    /// Index of the message digested last.
    last: usize,
}

impl Digest {
    fn new(function: Function, messages: Vec<Vec<u8>>) -> Result<Digest, Error> {
        let length = match &function {
            Function::Hash(hash) => hash.info().digest,
            Function::Xof(_) => XOF_OUTPUT,
        };
        let expected = messages
            .iter()
            .map(|message| {
                let mut out = vec![0; length];
                function.digest(message, &mut out).map(|()| out)
            })
            .collect::<Result<_, _>>()?;
        Ok(Digest { function, messages, expected, out: vec![0; length], last: 0 })
    }
}

impl Trial for Digest {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.out.fill(0);
        // Other messages come first each time.
        self.messages.rotate_left(1);
        self.expected.rotate_left(1);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        self.last = (batch.max(1) - 1) % self.messages.len();
        match &self.function {
            Function::Hash(hash) => hash.digest_batch(&self.messages, batch, &mut self.out),
            Function::Xof(xof) => xof.digest_batch(&self.messages, batch, &mut self.out),
        }
        .map_err(fault)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        same(&self.out, &self.expected[self.last], "digest")
    }
}

fn same(actual: &[u8], expected: &[u8], what: &str) -> Result<(), Fault> {
    if actual == expected { Ok(()) } else { Err(Fault::WrongAnswer(format!("the same input gives another {what}"))) }
}

/// Message authentication with a prepared key.
struct Tag {
    key: Box<dyn MacKey>,
    messages: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
    turn: Turn,
    out: Vec<u8>,
}

impl Tag {
    fn new(key: Box<dyn MacKey>, length: usize, messages: Vec<Vec<u8>>) -> Result<Tag, Error> {
        let expected = messages
            .iter()
            .map(|message| {
                let mut out = vec![0; length];
                key.tag(message, &mut out).map(|()| out)
            })
            .collect::<Result<_, _>>()?;
        Ok(Tag { key, turn: Turn::of(messages.len()), messages, expected, out: vec![0; length] })
    }
}

impl Trial for Tag {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.out.fill(0);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.key.tag(&self.messages[self.turn.advance()], &mut self.out).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        same(&self.out, &self.expected[self.turn.last()], "tag")
    }
}

/// Key derivation: extract and expand.
struct Derive {
    kdf: Arc<dyn Kdf>,
    materials: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
    turn: Turn,
    out: Vec<u8>,
}

const SALT: &[u8] = b"pqlab derive salt";
const INFO: &[u8] = b"pqlab derive info";

impl Derive {
    fn new(kdf: Arc<dyn Kdf>, materials: Vec<Vec<u8>>) -> Result<Derive, Error> {
        let expected = materials
            .iter()
            .map(|material| {
                let mut out = vec![0; KEYING_MATERIAL];
                kdf.derive(SALT, material, INFO, &mut out).map(|()| out)
            })
            .collect::<Result<_, _>>()?;
        Ok(Derive { kdf, turn: Turn::of(materials.len()), materials, expected, out: vec![0; KEYING_MATERIAL] })
    }
}

impl Trial for Derive {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.out.fill(0);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let material = &self.materials[self.turn.advance()];
            self.kdf.derive(SALT, material, INFO, &mut self.out).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        same(&self.out, &self.expected[self.turn.last()], "key")
    }
}

/// Authenticated encryption or decryption in place, with a prepared key. Each operation of a batch has a buffer of its
/// own, because decryption consumes its input.
struct Cipher {
    key: Box<dyn AeadKey>,
    nonce: Vec<u8>,
    messages: Vec<Vec<u8>>,
    /// Ciphertext and tag of each message.
    sealed: Vec<(Vec<u8>, Vec<u8>)>,
    buffers: Vec<(Vec<u8>, Vec<u8>)>,
    seal: bool,
}

impl Cipher {
    fn new(
        key: Box<dyn AeadKey>,
        tag: usize,
        nonce: Vec<u8>,
        messages: Vec<Vec<u8>>,
        seal: bool,
    ) -> Result<Cipher, Error> {
        let sealed = messages
            .iter()
            .map(|message| {
                let (mut buffer, mut out) = (message.clone(), vec![0; tag]);
                key.seal(&nonce, &[], &mut buffer, &mut out).map(|()| (buffer, out))
            })
            .collect::<Result<_, _>>()?;
        Ok(Cipher { key, nonce, messages, sealed, buffers: Vec::new(), seal })
    }
}

impl Trial for Cipher {
    fn refill(&mut self, batch: usize) -> Result<(), Fault> {
        self.buffers.resize_with(batch.max(self.buffers.len()), Default::default);
        for (index, (buffer, tag)) in self.buffers.iter_mut().take(batch).enumerate() {
            let message = index % self.messages.len();
            let input = if self.seal { &self.messages[message] } else { &self.sealed[message].0 };
            buffer.clear();
            buffer.extend_from_slice(input);
            tag.clear();
            tag.extend_from_slice(&self.sealed[message].1);
            if self.seal {
                tag.fill(0);
            }
        }
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for (buffer, tag) in &mut self.buffers[..batch] {
            if self.seal {
                self.key.seal(&self.nonce, &[], buffer, tag).map_err(fault)?;
            } else {
                self.key.open(&self.nonce, &[], buffer, tag).map_err(fault)?;
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some((buffer, tag)) = self.buffers.first() else { return Ok(()) };
        let expected = if self.seal { &self.sealed[0].0 } else { &self.messages[0] };
        same(buffer, expected, if self.seal { "ciphertext" } else { "plaintext" })?;
        same(tag, &self.sealed[0].1, "tag")
    }
}
