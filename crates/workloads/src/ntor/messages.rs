//! Handshakes that carry messages: classical hs-ntor for onion services, pqlab's own extension of hs-ntor with
//! ML-KEM-768, and ntor v3. Each step compares every decrypted message with the message that was sent. The comparison
//! takes a few ns.

use super::handshake_fault;
use super::sides::{Lengths, Sides};
use crate::fastest::{self, Question, keeps};
use crate::pairs::{Pair, pairs};
use crate::{CaseOptions, NULL, find};
use pqlab_constructions::ntor::onion_service::{Service, ServiceClient, ServiceKeys, ServicePending, ServiceProtocol};
use pqlab_constructions::ntor::{Sha3Parts, v3};
use pqlab_harness::Fault;
use pqlab_primitives::{Coins, KemParameters, Provider};
use pqlab_record::{Case, Facts, Sizes};
use std::sync::Arc;

/// Length of the data in an introduction, in bytes, as in the specification's test vectors.
const DATA: usize = 190;
/// Message that the client sends in ntor v3, as in Tor: one extension, which requests congestion control (proposal
/// 324).
const ASKED: [u8; 3] = [1, 1, 0];
/// The relay's answer to [`ASKED`]: one extension, with a window increment of 31 cells.
const GRANTED: [u8; 4] = [1, 2, 1, 31];
const SHA3: [&str; 4] = ["X25519", "SHA3-256", "SHAKE256", "AES-256-CTR"];
const KEM: &str = "ML-KEM-768";

/// Handshake that carries messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Messaged {
    /// hs-ntor as specified.
    OnionService,
    /// hs-ntor with ML-KEM-768 in addition to X25519: pqlab's own extension.
    HybridOnionService,
    /// ntor v3.
    V3,
}

pub(super) const ALL: [Messaged; 3] = [Messaged::OnionService, Messaged::HybridOnionService, Messaged::V3];

impl Messaged {
    pub(super) fn find(name: &str) -> Option<Messaged> {
        ALL.into_iter().find(|handshake| handshake.name() == name)
    }

    /// Returns the name used in cases.
    pub(super) fn name(self) -> &'static str {
        match self {
            Messaged::OnionService => "hs-ntor",
            Messaged::HybridOnionService => "hs-ntor-x25519-mlkem768",
            Messaged::V3 => "ntor-v3",
        }
    }

    fn hybrid(self) -> bool {
        self == Messaged::HybridOnionService
    }

    /// Returns the options for the handshake's halves. If there is no post-quantum half, the classical option replaces
    /// the post-quantum one.
    fn halves(self, options: &CaseOptions) -> CaseOptions {
        match self.hybrid() {
            true => options.clone(),
            false => CaseOptions { post_quantum: options.classical.clone(), ..options.clone() },
        }
    }

    /// Returns the handshake's primitives, as pairs of provider and algorithm.
    pub(super) fn primitives(self, pair: Pair) -> Vec<(String, String)> {
        let mut primitives: Vec<_> = SHA3.map(|name| (pair.classical.clone(), name.to_owned())).into();
        if self.hybrid() {
            primitives.push((pair.post_quantum, KEM.to_owned()));
        }
        primitives
    }

    /// Returns a template case for each pair of providers that supports the handshake. Its operation, parameters and
    /// block are empty.
    pub(super) fn bases(self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let options = &self.halves(options);
        let has_kem = |provider: &Provider| !self.hybrid() || provider.kem(KEM).is_some();
        let mut found = pairs(providers, options, |provider| parts(provider).is_some(), has_kem);
        if !self.hybrid() {
            found.retain(|pair| pair.classical == pair.post_quantum);
        }
        found.retain(|pair| keeps(options, self.name(), pair));
        let facts = self.facts();
        let base = |pair: Pair| Case {
            workload: "ntor".into(),
            algorithm: self.name().into(),
            operation: String::new(),
            provider: pair.id(),
            form: None,
            parameters: Vec::new(),
            block: String::new(),
            facts: facts.clone(),
        };
        found.into_iter().map(base).collect()
    }

    /// Returns facts with the lengths of messages and keys. A test checks that these lengths match the protocol.
    fn facts(self) -> Facts {
        let kem = KemParameters::find(KEM).filter(|_| self.hybrid());
        let (longer, also) = kem.as_ref().map_or((0, 0), |kem| (kem.encapsulation_key, kem.ciphertext));
        let (onionskin, reply, keys) = match self {
            Messaged::V3 => (128 + ASKED.len(), 64 + GRANTED.len(), 92),
            _ => (56 + 64 + DATA + longer, 64 + also, 128),
        };
        let sizes = Sizes {
            onionskin: Some(onionskin as u64),
            reply: Some(reply as u64),
            shared_secret: Some(keys),
            ..Sizes::default()
        };
        Facts { sizes, category: kem.and_then(|kem| kem.category), ..Facts::default() }
    }

    pub(super) fn questions(self, selected: &[Case], options: &CaseOptions) -> Vec<Question> {
        let deciding = |case: &Case| {
            let alone = Case { parameters: Vec::new(), ..case.clone() };
            (case.algorithm == self.name()).then_some(alone)
        };
        fastest::questions(&self.halves(options), selected, deciding)
    }
}

/// Returns a provider's primitives for the classical half. `None` if the provider lacks one of the four primitives, or
/// is the null provider.
fn parts(provider: &Provider) -> Option<Sha3Parts> {
    let [agreement, hash, xof, cipher] = SHA3;
    Some(Sha3Parts {
        agreement: provider.key_agreement(agreement)?.clone(),
        hash: provider.hash(hash)?.clone(),
        xof: provider.xof(xof)?.clone(),
        cipher: provider.stream_cipher(cipher)?.clone(),
    })
    .filter(|_| provider.library != NULL)
}

fn parts_of(providers: &[Arc<Provider>], pair: &Pair) -> Result<Sha3Parts, Fault> {
    let lacks = || Fault::Unsupported(format!("{} does not offer all of {}", pair.classical, SHA3.join(", ")));
    parts(find(providers, &pair.classical)?).ok_or_else(lacks)
}

fn other_message() -> Fault {
    Fault::WrongAnswer("the decrypted message differs from the one that was sent".into())
}

/// A client and an onion service.
pub(super) struct Introduction {
    protocol: Arc<ServiceProtocol>,
    client: ServiceClient,
    service: Service,
    data: [u8; DATA],
}

impl Introduction {
    pub(super) fn new(hybrid: bool, providers: &[Arc<Provider>], pair: &Pair) -> Result<Introduction, Fault> {
        let kem = match hybrid {
            true => {
                let kem = find(providers, &pair.post_quantum)?.kem(KEM);
                Some(kem.ok_or_else(|| Fault::Unsupported(format!("{} does not offer {KEM}", pair.id())))?.clone())
            }
            false => None,
        };
        let protocol = ServiceProtocol::new(parts_of(providers, pair)?, kem, DATA).map_err(handshake_fault)?;
        let service = Service::new(protocol.clone(), *b"a key of this introduction point", [0x5a; 32], Coins::Internal);
        let service = service.map_err(handshake_fault)?;
        let client = ServiceClient::new(protocol.clone(), service.descriptor());
        Ok(Introduction { protocol, client, service, data: std::array::from_fn(|at| at as u8) })
    }
}

impl Sides for Introduction {
    type Pending = ServicePending;
    type Ahead = ServiceKeys;

    fn lengths(&self) -> Lengths {
        let Introduction { protocol, .. } = self;
        Lengths { onionskin: protocol.introduction(), reply: protocol.answer(), keys: protocol.keys() }
    }

    fn whole(&self) -> bool {
        true
    }

    #[inline(always)]
    fn create(&self, onionskin: &mut [u8]) -> Result<ServicePending, Fault> {
        self.client.start(Coins::Internal, &self.data, onionskin).map_err(handshake_fault)
    }

    fn ahead(&self) -> Result<ServiceKeys, Fault> {
        self.protocol.ephemeral_keys(Coins::Internal).map_err(handshake_fault)
    }

    #[inline(always)]
    fn create_with(&self, keys: ServiceKeys, onionskin: &mut [u8]) -> Result<ServicePending, Fault> {
        self.client.start_with(keys, &self.data, onionskin).map_err(handshake_fault)
    }

    #[inline(always)]
    fn reply(&self, onionskin: &[u8], reply: &mut [u8], keys: &mut [u8]) -> Result<(), Fault> {
        let mut data = [0; DATA];
        self.service.respond(onionskin, Coins::Internal, &mut data, reply, keys).map_err(handshake_fault)?;
        if data == self.data { Ok(()) } else { Err(other_message()) }
    }

    #[inline(always)]
    fn finish(&self, pending: ServicePending, reply: &[u8], keys: &mut [u8]) -> Result<(), Fault> {
        pending.finish(reply, keys).map_err(handshake_fault)
    }
}

/// A client and a relay that speak ntor v3.
pub(super) struct Third {
    protocol: Arc<v3::Protocol>,
    client: v3::Client,
    relay: v3::Relay,
}

impl Third {
    pub(super) fn new(providers: &[Arc<Provider>], pair: &Pair) -> Result<Third, Fault> {
        let protocol = v3::Protocol::new(parts_of(providers, pair)?, b"").map_err(handshake_fault)?;
        let relay = v3::Relay::new(protocol.clone(), *b"the identity of a measured relay", Coins::Internal);
        let relay = relay.map_err(handshake_fault)?;
        Ok(Third { client: v3::Client::new(protocol.clone(), relay.descriptor()), protocol, relay })
    }
}

impl Sides for Third {
    type Pending = v3::Pending;
    type Ahead = v3::EphemeralKey;

    fn lengths(&self) -> Lengths {
        let Third { protocol, .. } = self;
        Lengths {
            onionskin: protocol.onionskin(ASKED.len()),
            reply: protocol.reply(GRANTED.len()),
            keys: protocol.keys(),
        }
    }

    fn whole(&self) -> bool {
        true
    }

    #[inline(always)]
    fn create(&self, onionskin: &mut [u8]) -> Result<v3::Pending, Fault> {
        self.client.start(Coins::Internal, &ASKED, onionskin).map_err(handshake_fault)
    }

    fn ahead(&self) -> Result<v3::EphemeralKey, Fault> {
        self.protocol.ephemeral_key(Coins::Internal).map_err(handshake_fault)
    }

    #[inline(always)]
    fn create_with(&self, key: v3::EphemeralKey, onionskin: &mut [u8]) -> Result<v3::Pending, Fault> {
        self.client.start_with(key, &ASKED, onionskin).map_err(handshake_fault)
    }

    #[inline(always)]
    fn reply(&self, onionskin: &[u8], reply: &mut [u8], keys: &mut [u8]) -> Result<(), Fault> {
        let mut as_sent = false;
        let compose = |message: &[u8]| {
            as_sent = message == ASKED;
            GRANTED
        };
        self.relay.respond(onionskin, Coins::Internal, compose, reply, keys).map_err(handshake_fault)?;
        if as_sent { Ok(()) } else { Err(other_message()) }
    }

    #[inline(always)]
    fn finish(&self, pending: v3::Pending, reply: &[u8], keys: &mut [u8]) -> Result<(), Fault> {
        let mut message = [0; GRANTED.len()];
        pending.finish(reply, &mut message, keys).map_err(handshake_fault)?;
        if message == GRANTED { Ok(()) } else { Err(other_message()) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn cases_have_the_lengths_of_the_messages_sent() {
        let providers = pqlab_providers::providers();
        for handshake in ALL {
            let bases = handshake.bases(&providers, &CaseOptions::default());
            let case = bases.iter().find(|case| case.provider == "rustcrypto").unwrap();
            let lengths = match handshake {
                Messaged::V3 => Third::new(&providers, &Pair::new(case)).unwrap().lengths(),
                of => Introduction::new(of.hybrid(), &providers, &Pair::new(case)).unwrap().lengths(),
            };
            let sizes = case.facts.sizes;
            let stated = [sizes.onionskin, sizes.reply, sizes.shared_secret].map(Option::unwrap);
            assert_eq!(stated, [lengths.onionskin, lengths.reply, lengths.keys].map(|length| length as u64));
            assert!(bases.iter().all(|case| case.provider != NULL));
            assert_eq!(bases.iter().any(|case| case.provider.contains('+')), handshake.hybrid());
        }
    }
}
