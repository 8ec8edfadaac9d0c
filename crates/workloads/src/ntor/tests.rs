#![allow(clippy::unwrap_used)]

use super::relay::{CLIENTS, Link, Relay, Served, handshake_type};
use super::*;
use crate::testing::right;
use pqlab_constructions::ntor::Initiator;
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Kem, KemInfo, KeyEncoding};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;

fn cases() -> (Vec<Arc<Provider>>, Vec<Case>) {
    let providers = pqlab_providers::providers();
    let cases = NtorWorkload.cases(&providers, &CaseOptions::default());
    (providers, cases)
}

#[test]
fn every_case_runs_and_is_verified() {
    let (providers, cases) = cases();
    // Test one pair of each kind, to keep the test short. Match mixed pairs by their second half,
    // because the first depends on the build.
    let wanted = |case: &&Case| {
        let provider = case.provider.as_str();
        ["rustcrypto", "null"].contains(&provider) || provider.ends_with("+libcrux:portable")
    };
    let mut seen = 0;
    for case in cases.iter().filter(wanted) {
        right(&NtorWorkload, case, &providers, &[1, 3]);
        seen += 1;
    }
    let there =
        |start: &str, end: &str| cases.iter().map(Case::id).any(|id| id.starts_with(start) && id.ends_with(end));
    assert!(there("ntor/hs-ntor/create[keys=ahead]@", "@rustcrypto"));
    assert!(there("ntor/hs-ntor-x25519-mlkem768/reply@", "+libcrux:portable"));
    assert!(seen >= 3 * 40, "{seen} cases");
}

#[test]
fn cases_have_the_lengths_and_names_of_their_handshakes() {
    let (_, cases) = cases();
    let sizes = |algorithm: &str| {
        let case = cases.iter().find(|case| case.algorithm == algorithm && case.operation == "handshake").unwrap();
        (case.facts.sizes.onionskin.unwrap(), case.facts.sizes.reply.unwrap())
    };
    assert_eq!(sizes("ntor-v1"), (84, 64));
    assert_eq!(sizes("kem-only-mlkem512"), (820, 800));
    assert_eq!(sizes("ntor-x25519-mlkem512"), (884, 832));
    let ids: Vec<String> = cases.iter().map(Case::id).collect();
    assert!(ids.contains(&"ntor/kem-only-mlkem512/profile[without=kem]@rustcrypto".to_owned()), "{ids:?}");
    assert!(ids.contains(&"ntor/kem-only-mlkem512/create[keys=ahead]@rustcrypto".to_owned()));
    assert!(ids.contains(&"ntor/ntor-v1/reply[onion-key=encoded]@rustcrypto".to_owned()));
    assert!(!ids.iter().any(|id| id.contains("kem-only") && id.contains("onion-key")), "kem-only needs no onion keys");
    assert!(ids.contains(&"ntor/ntor-x25519-mlkem768/replies[queue=64]@rustcrypto".to_owned()));
    assert!(ids.contains(&"ntor/ntor-v1/exchange[over=tcp,connection=kept]@rustcrypto".to_owned()));
    assert!(!ids.iter().any(|id| id.contains("ntor-v1") && id.contains('+')), "classical ntor must have only one half");
}

#[test]
fn a_queue_answers_every_onionskin_and_records_when() {
    let (providers, cases) = cases();
    let id_of = |length| format!("ntor/ntor-v1/replies[queue={length}]@rustcrypto");
    for length in [1, 16] {
        let case = cases.iter().find(|case| case.id() == id_of(length)).unwrap();
        let mut trial = crate::testing::prepared(&NtorWorkload, case, &providers);
        assert_eq!(trial.batch(), Some(1), "each queue must count as one operation");
        for _ in 0..2 * length {
            let noted = crate::testing::sample(trial.as_mut(), 1).unwrap();
            let [(first, of_first), (mean, of_mean)] = noted.try_into().unwrap();
            assert_eq!((first.as_str(), mean.as_str()), ("first_answered_ns", "mean_answered_ns"));
            assert!(of_first[0] > 0.0 && of_first[0] <= of_mean[0], "{of_first:?} {of_mean:?}");
            assert_eq!(length == 1, of_first == of_mean);
        }
        // The trial must detect that the routine left an onionskin unanswered.
        assert!(crate::testing::is_void(trial.as_mut(), 1));
    }
    let mut other = cases.iter().find(|case| case.id() == id_of(16)).unwrap().clone();
    other.parameters = vec![Parameter::Number("queue".into(), 0)];
    assert!(NtorWorkload.prepare(&other, &providers, crate::testing::SEED).is_err());
}

#[test]
fn keys_made_ahead_share_a_block_with_keys_made_in_time() {
    let (_, cases) = cases();
    let block = |id: &str| cases.iter().find(|case| case.id() == id).unwrap().block.clone();
    for (with, without) in [("create[keys=ahead]", "create"), ("reply[onion-key=encoded]", "reply")] {
        let block_of = |operation: &str| block(&format!("ntor/ntor-x25519-mlkem512/{operation}@rustcrypto"));
        assert_eq!(block_of(with), block_of(without));
    }
}

#[test]
fn classical_ntor_shares_blocks_with_the_other_handshakes() {
    let (_, cases) = cases();
    for operation in ["create", "reply", "finish", "handshake", "handshake-load"] {
        for several in [false, true] {
            let alike = |case: &&Case| case.operation == operation && case.threads().is_some() == several;
            let blocks: Vec<&str> = cases.iter().filter(alike).map(|case| case.block.as_str()).collect();
            assert!(blocks.iter().all(|block| *block == blocks[0]), "{operation}: {blocks:?}");
            let names = cases.iter().filter(alike).map(|case| case.algorithm.as_str());
            let names: std::collections::HashSet<&str> = names.collect();
            // Handshakes that carry messages run on one thread only.
            let steps = OPERATIONS.contains(&operation) && !several;
            let all = handshakes().len() + if steps { messages::ALL.len() } else { 0 };
            assert!(names.is_empty() || names.len() == all, "{operation}: {names:?}");
        }
    }
}

#[test]
fn measures_handshakes_on_several_threads_and_as_tasks() {
    let providers = pqlab_providers::providers();
    let options =
        CaseOptions { threads: Some(vec![2]), tasks: Some(vec![100]), workers: Some(2), ..CaseOptions::default() };
    let ids: Vec<String> = NtorWorkload.cases(&providers, &options).iter().map(Case::id).collect();
    for id in [
        "ntor/ntor-v1/reply[threads=2]@rustcrypto",
        "ntor/kem-only-mlkem512/handshake[threads=2]@rustcrypto",
        "ntor/ntor-x25519-mlkem1024/handshake-load[tasks=100,workers=2]@rustcrypto",
    ] {
        assert!(ids.iter().any(|known| known == id), "{id}");
    }
    assert_eq!(ids.len(), ids.iter().collect::<std::collections::HashSet<_>>().len());
}

#[test]
fn fastest_applies_to_either_half_and_classical_ntor_uses_the_first() {
    let providers = pqlab_providers::providers();
    let fastest = || Some("fastest".to_owned());
    let options = CaseOptions { classical: fastest(), post_quantum: fastest(), ..CaseOptions::default() };
    let draft = NtorWorkload.cases(&providers, &options);
    let questions = NtorWorkload.questions(&draft, &providers, &options);
    assert_eq!(questions.len(), handshakes().len() + messages::ALL.len());
    // Answer with a slow provider. If the plan contains this provider's cases, the plan used the answers.
    let answers = questions.iter().map(|question| {
        assert_eq!(
            question.operations(),
            ["handshake"],
            "complete handshakes must choose the library for steps, parts and loads"
        );
        assert!(question.cases().iter().all(|case| case.parameters.is_empty()));
        pqlab_record::Fastest {
            construction: question.construction.clone(),
            asked: question.asked.clone(),
            operations: question.operations(),
            provider: "rustcrypto".into(),
            ns: 1.0,
            runner_up: None,
            candidates: question.candidates.len() as u64,
            among: question.candidates.clone(),
            failed: Vec::new(),
        }
    });
    let options = CaseOptions { fastest: Some(answers.collect()), ..options };
    let cases = NtorWorkload.cases(&providers, &options);
    for handshake in handshakes() {
        let of = cases.iter().filter(|case| case.algorithm == handshake.name());
        assert!(of.clone().any(|case| case.operation == "profile") && of.clone().count() > OPERATIONS.len());
        assert!(of.clone().all(|case| case.provider == "rustcrypto"), "{}", handshake.name());
    }
    let options = CaseOptions { post_quantum: Some("rustcrypto".into()), ..CaseOptions::default() };
    let named = NtorWorkload.cases(&providers, &options);
    assert!(named.iter().any(|case| case.algorithm == "ntor-v1"), "classical ntor must not need a post-quantum half");
    assert!(NtorWorkload.questions(&named, &providers, &options).is_empty());
}

struct Running {
    relay: Arc<Relay>,
    address: SocketAddr,
    serving: Option<JoinHandle<()>>,
}

impl Running {
    fn start() -> Running {
        Running::new(Relay::new(&pqlab_providers::providers(), "rustcrypto", [9; 20]).unwrap())
    }

    fn new(relay: Arc<Relay>) -> Running {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let serving = Arc::clone(&relay);
        let serving = Some(std::thread::spawn(move || serving.serve(&listener).unwrap()));
        Running { relay, address, serving }
    }

    /// Performs one handshake of each kind over a single connection.
    fn works(&self) {
        let providers = pqlab_providers::providers();
        let pair = Pair { classical: "rustcrypto".into(), post_quantum: "rustcrypto".into() };
        let mut link = Link::connect(self.address).unwrap();
        let descriptor = link.descriptor().unwrap();
        assert_eq!(descriptor, self.relay.descriptor());
        for handshake in handshakes() {
            let protocol = handshake.protocol(&providers, &pair, None).unwrap();
            let (mut onionskin, mut reply) = (vec![0; protocol.onionskin()], vec![0; protocol.reply()]);
            let mut keys = vec![0; protocol.keys()];
            let pending = Initiator::new(protocol, descriptor).start(Coins::Internal, &mut onionskin).unwrap();
            link.ask(handshake_type(handshake), &onionskin, &mut reply).unwrap();
            pending.finish(&reply, &mut keys).unwrap();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.relay.stop(self.address);
        self.serving.take().unwrap().join().unwrap();
    }
}

#[test]
fn the_relay_answers_every_handshake_and_several_clients_at_once() {
    let running = Running::start();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..4).for_each(|_| running.works()));
        }
    });
    assert_eq!(running.relay.served().handshakes, 8 * 4 * 7);
}

#[test]
fn disconnects_on_invalid_requests_without_an_answer() {
    let running = Running::start();
    let ntor = |length: u16| [&2u16.to_be_bytes(), length.to_be_bytes().as_slice()].concat();
    for request in [
        [0xab, 0xcd, 0, 0].to_vec(),
        ntor(0),
        [ntor(83), vec![0; 83]].concat(),
        [ntor(84), vec![0; 84]].concat(),
        [ntor(85), vec![0; 85]].concat(),
        ntor(u16::MAX),
        [vec![0xff, 0, 0, 1], vec![0]].concat(),
    ] {
        let mut stream = TcpStream::connect(running.address).unwrap();
        stream.write_all(&request).unwrap();
        let mut answer = Vec::new();
        // A reset also counts as a disconnection.
        stream.read_to_end(&mut answer).ok();
        assert!(answer.is_empty(), "{request:?} was answered");
    }
    assert_eq!(running.relay.served().handshakes, 0);
    running.works();
}

#[test]
fn disconnects_slow_clients_while_serving_others() {
    let running = Running::start();
    let mut slow = TcpStream::connect(running.address).unwrap();
    slow.write_all(&[0, 2]).unwrap();
    running.works();
    // This timeout is much longer than the relay's, so only a relay that waits forever fails here.
    slow.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
    let mut answer = Vec::new();
    let ended = slow.read_to_end(&mut answer);
    let waited = ended.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
    assert!(answer.is_empty() && !waited, "{ended:?}");
    running.works();
}

#[test]
fn ten_thousand_garbage_connections_leave_the_relay_serving() {
    let running = Running::start();
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for round in 0..10_000 {
        let mut garbage = vec![0; random.next_u32() as usize % 3000];
        random.fill_bytes(&mut garbage);
        if round % 3 == 0 && garbage.len() >= 4 {
            // Use a known type, so that the handshake itself sees garbage.
            garbage[..2].copy_from_slice(&[[0, 2], [0xff, 1], [0xff, 0x13]][round / 3 % 3]);
            let length = [84u16, 820, 1652][round / 3 % 3];
            garbage[2..4].copy_from_slice(&length.to_be_bytes());
        }
        let Ok(mut stream) = TcpStream::connect(running.address) else { continue };
        socket2::SockRef::from(&stream).set_linger(Some(std::time::Duration::ZERO)).unwrap();
        stream.write_all(&garbage).ok();
    }
    running.works();
    assert_eq!(running.relay.served().handshakes, 7);
}

/// KEM that panics when it parses a client's encapsulation key.
struct Panicking(Arc<dyn Kem>);

impl Kem for Panicking {
    fn info(&self) -> &KemInfo {
        self.0.info()
    }

    fn generate_encoded(&self, coins: Coins, public: &mut [u8], private: &mut [u8]) -> pqlab_primitives::Result<()> {
        self.0.generate_encoded(coins, public, private)
    }

    fn generate(&self, coins: Coins) -> pqlab_primitives::Result<Box<dyn DecapsulationKey>> {
        self.0.generate(coins)
    }

    fn load_encapsulation_key(&self, _: &[u8]) -> pqlab_primitives::Result<Box<dyn EncapsulationKey>> {
        panic!("as some libraries do")
    }

    fn load_decapsulation_key(
        &self,
        encoding: KeyEncoding,
        bytes: &[u8],
    ) -> pqlab_primitives::Result<Box<dyn DecapsulationKey>> {
        self.0.load_decapsulation_key(encoding, bytes)
    }
}

#[test]
fn a_panic_in_a_library_frees_the_clients_place() {
    const NUMBER: u16 = 0xff01;
    let providers = pqlab_providers::providers();
    let provider = providers.iter().find(|provider| provider.id() == "rustcrypto").unwrap();
    let parts = Parts {
        agreement: provider.key_agreement("X25519").unwrap().clone(),
        kem: Arc::new(Panicking(provider.kem("ML-KEM-512").unwrap().clone())),
        hash: provider.hash("SHA-256").unwrap().clone(),
        mac: provider.mac("HMAC-SHA256").unwrap().clone(),
        kdf: provider.kdf("HKDF-SHA256").unwrap().clone(),
    };
    let protocol = Protocol::new(Variant::KemOnly, parts).unwrap();
    let running = Running::new(Relay::with_protocols(vec![(NUMBER, protocol.clone())], [9; 20]).unwrap());
    let (mut onionskin, mut reply) = (vec![0; protocol.onionskin()], vec![0; protocol.reply()]);
    // Insert the right identity, because the relay checks the identity before it uses the key.
    onionskin[800..].fill(9);
    for _ in 0..=CLIENTS {
        let mut link = Link::connect(running.address).unwrap();
        assert!(link.ask(NUMBER, &onionskin, &mut reply).is_err());
    }
    let mut link = Link::connect(running.address).unwrap();
    assert_eq!(link.descriptor().unwrap(), running.relay.descriptor(), "a panic must free the client's place");
    assert_eq!(running.relay.served(), Served { handshakes: 0, refused: CLIENTS as u64 + 1 });
}
