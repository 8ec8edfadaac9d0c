//! Tests hs-ntor: the specification's vectors, pqlab's KEM extension step by step, and corrupted messages.

#![allow(clippy::unwrap_used)]

mod common;

use common::{kems, providers};
use pqlab_constructions::ntor::onion_service::{Service, ServiceClient, ServiceDescriptor, ServiceProtocol};
use pqlab_constructions::ntor::{HandshakeError, Sha3Parts};
use pqlab_primitives::{Coins, Provider};
use std::sync::Arc;

/// Test vectors from rend-spec-v3, appendix G.1.
const AUTH_KEY: &str = "34E171E4358E501BFF21ED907E96AC6BFEF697C779D040BBAF49ACC30FC5D21F";
const B: &str = "8E5127A40E83AABF6493E41F142B6EE3604B85A3961CD7E38D247239AFF71979";
const B_PRIVATE: &str = "A0ED5DBF94EEB2EDB3B514E4CF6ABFF6022051CC5F103391F1970A3FCD15296A";
const SUBCREDENTIAL: &str = "0085D26A9DEBA252263BF0231AEAC59B17CA11BAD8A218238AD6487CBAD68B57";
const X_PRIVATE: &str = "60B4D6BF5234DCF87A4E9D7487BDF3F4A69B6729835E825CA29089CFDDA1E341";
const Y_PRIVATE: &str = "68CB5188CA0CD7924250404FAB54EE1392D3D2B9C049A2E446513875952F8F55";
const PLAINTEXT: &str = "6BD364C12638DD5C3BE23D76ACA05B04E6CE932C0101000100200DE6130E4FCA\
                         C4EDDA24E21220CC3EADAE403EF6B7D11C8273AC71908DE565450300067F0000\
                         0113890214F823C4F8CC085C792E0AEE0283FE00AD7520B37D0320728D5DF39B\
                         7B7077A0118A900FF4456C382F0041300ACF9C58E51C392795EF870000000000\
                         0000000000000000000000000000000000000000000000000000000000000000\
                         000000000000000000000000000000000000000000000000000000000000";
const INTRODUCE1: &str = "000000000000000000000000000000000000000002002034E171E4358E501BFF\
                          21ED907E96AC6BFEF697C779D040BBAF49ACC30FC5D21F00BF04348B46D09AED\
                          726F1D66C618FDEA1DE58E8CB8B89738D7356A0C59111D5DADBECCCB38E37830\
                          4DCC179D3D9E437B452AF5702CED2CCFEC085BC02C4C175FA446525C1B9D5530\
                          563C362FDFFB802DAB8CD9EBC7A5EE17DA62E37DEEB0EB187FBB48C63298B0E8\
                          3F391B7566F42ADC97C46BA7588278273A44CE96BC68FFDAE31EF5F0913B9A9C\
                          7E0F173DBC0BDDCD4ACB4C4600980A7DDD9EAEC6E7F3FA3FC37CD95E5B8BFB3E\
                          35717012B78B4930569F895CB349A07538E42309C993223AEA77EF8AEA64F25D\
                          DEE97DA623F1AEC0A47F150002150455845C385E5606E41A9A199E7111D54EF2\
                          D1A51B7554D8B3692D85AC587FB9E69DF990EFB776D8";
const ANSWER: &str = "8FBE0DB4D4A9C7FF46701E3E0EE7FD05CD28BE4F302460ADDEEC9E93354EE700\
                      4A92E8437B8424D5E5EC279245D5C72B25A0327ACF6DAF902079FCB643D8B208";
const NTOR_KEY_SEED: &str = "4D0C72FE8AFF35559D95ECC18EB5A36883402B28CDFD48C8A530A5A3D7D578DB";

fn bytes<const N: usize>(hex: &str) -> [u8; N] {
    hex::decode(hex).unwrap().try_into().unwrap()
}

fn parts(provider: &Provider) -> Option<Sha3Parts> {
    Some(Sha3Parts {
        agreement: provider.key_agreement("X25519")?.clone(),
        hash: provider.hash("SHA3-256")?.clone(),
        xof: provider.xof("SHAKE256")?.clone(),
        cipher: provider.stream_cipher("AES-256-CTR")?.clone(),
    })
}

fn rust() -> Sha3Parts {
    providers().iter().find(|provider| provider.library == "rustcrypto").and_then(|provider| parts(provider)).unwrap()
}

fn hybrid() -> Arc<ServiceProtocol> {
    let (_, kem) = kems("ML-KEM-768").into_iter().find(|(id, _)| id == "rustcrypto").unwrap();
    ServiceProtocol::new(rust(), Some(kem), 190).unwrap()
}

fn classical() -> Arc<ServiceProtocol> {
    ServiceProtocol::new(rust(), None, 190).unwrap()
}

struct Exchange {
    protocol: Arc<ServiceProtocol>,
    service: Service,
    client: ServiceClient,
    coins: Vec<u8>,
    introduction: Vec<u8>,
    answer: Vec<u8>,
    keys: Vec<u8>,
}

impl Exchange {
    fn new(protocol: Arc<ServiceProtocol>) -> Exchange {
        let coins = Coins::Exact(&bytes::<32>(B_PRIVATE));
        let service = Service::new(protocol.clone(), bytes(AUTH_KEY), bytes(SUBCREDENTIAL), coins).unwrap();
        let client = ServiceClient::new(protocol.clone(), service.descriptor());
        let coins = [bytes::<32>(X_PRIVATE).to_vec(), vec![3; protocol.start_coins() - 32]].concat();
        let mut introduction = vec![0; protocol.introduction()];
        client.start(Coins::Exact(&coins), &hex::decode(PLAINTEXT).unwrap(), &mut introduction).unwrap();
        let (answer, keys) = (vec![0; protocol.answer()], vec![0; protocol.keys()]);
        let mut exchange = Exchange { protocol, service, client, coins, introduction, answer, keys };
        (exchange.answer, exchange.keys) = exchange.respond(&exchange.introduction).unwrap();
        exchange
    }

    fn respond(&self, introduction: &[u8]) -> Result<(Vec<u8>, Vec<u8>), HandshakeError> {
        let (mut answer, mut keys) = (self.answer.clone(), self.keys.clone());
        let mut data = vec![0; self.protocol.data()];
        let coins = [bytes::<32>(Y_PRIVATE).to_vec(), vec![5; self.protocol.respond_coins() - 32]].concat();
        self.service.respond(introduction, Coins::Exact(&coins), &mut data, &mut answer, &mut keys)?;
        assert_eq!(data, hex::decode(PLAINTEXT).unwrap());
        Ok((answer, keys))
    }

    fn finish(&self, answer: &[u8]) -> Result<Vec<u8>, HandshakeError> {
        let (mut introduction, mut keys) = (self.introduction.clone(), vec![0; self.keys.len()]);
        let data = hex::decode(PLAINTEXT).unwrap();
        let pending = self.client.start(Coins::Exact(&self.coins), &data, &mut introduction)?;
        pending.finish(answer, &mut keys).map(|()| keys)
    }
}

#[test]
fn classical_handshake_matches_the_vectors_with_every_provider() {
    let mut tested = 0;
    for provider in providers() {
        let Some(parts) = parts(&provider) else { continue };
        tested += 1;
        let exchange = Exchange::new(ServiceProtocol::new(parts.clone(), None, 190).unwrap());
        let descriptor = ServiceDescriptor {
            auth_key: bytes(AUTH_KEY),
            encryption_key: bytes(B),
            subcredential: bytes(SUBCREDENTIAL),
        };
        assert_eq!(exchange.service.descriptor(), descriptor, "{}", provider.id());
        assert_eq!(exchange.introduction, hex::decode(INTRODUCE1).unwrap(), "{}", provider.id());
        assert_eq!(exchange.answer, hex::decode(ANSWER).unwrap(), "{}", provider.id());
        let mut keys = vec![0; 128];
        let expand = b"tor-hs-ntor-curve25519-sha3-256-1:hs_key_expand";
        let seed = [bytes::<32>(NTOR_KEY_SEED).as_slice(), expand].concat();
        parts.xof.digest(&seed, &mut keys).unwrap();
        assert_eq!((exchange.finish(&exchange.answer).unwrap(), exchange.keys), (keys.clone(), keys));
    }
    assert!(tested >= 3, "only {tested} providers");
}

/// Recomputes the messages and keys of the variant with a KEM, step by step, from the definition in
/// `ntor::onion_service`.
#[test]
fn hybrid_matches_its_definition() {
    let exchange = Exchange::new(hybrid());
    let parts = rust();
    let (_, kem) = kems("ML-KEM-768").into_iter().find(|(id, _)| id == "rustcrypto").unwrap();
    let agree = |private: &str, public: &[u8]| {
        let mut secret = [0; 32];
        parts.agreement.load_private_key(&bytes::<32>(private)).unwrap().agree(public, &mut secret).unwrap();
        secret.to_vec()
    };
    let sha3 = |input: &[u8]| {
        let mut digest = [0; 32];
        parts.hash.digest(input, &mut digest).unwrap();
        digest.to_vec()
    };
    let shake = |input: &[u8], length: usize| {
        let mut out = vec![0; length];
        parts.xof.digest(input, &mut out).unwrap();
        out
    };
    let mac = |key: &[u8], message: &[u8]| sha3(&[&(key.len() as u64).to_be_bytes(), key, message].concat());

    assert_eq!((exchange.introduction.len(), exchange.answer.len()), (310 + 1184, 64 + 1088));
    let protoid = b"hs-ntor-x25519-mlkem768-sha3-256-1".as_slice();
    let tweak = |name: &str| [protoid, name.as_bytes()].concat();
    let (auth_key, b, subcredential) = (bytes::<32>(AUTH_KEY), bytes::<32>(B), bytes::<32>(SUBCREDENTIAL));
    let (before, m) = exchange.introduction.split_at(310 + 1184 - 32);
    let (x, c) = before[56..].split_at(32 + 1184);
    let info = [tweak(":hs_key_expand"), subcredential.to_vec()].concat();
    let intro = [&agree(X_PRIVATE, &b), auth_key.as_slice(), x, &b, protoid, &tweak(":hs_key_extract"), &info].concat();
    let introduction_keys = shake(&intro, 64);
    assert_eq!(m, mac(&introduction_keys[32..], before));
    let mut plaintext = c.to_vec();
    parts.cipher.apply_once(&introduction_keys[..32], &[0; 16], &mut plaintext).unwrap();
    assert_eq!(plaintext, hex::decode(PLAINTEXT).unwrap());

    let (y, auth) = exchange.answer.split_at(32 + 1088);
    let key = kem.generate(Coins::Exact(&exchange.coins[32..])).unwrap();
    let mut secret = [0; 32];
    key.decapsulate(&y[32..], &mut secret).unwrap();
    let shared = [agree(X_PRIVATE, &y[..32]), agree(X_PRIVATE, &b), secret.to_vec()].concat();
    let rend = [&shared, auth_key.as_slice(), &b, x, y, protoid].concat();
    let verify = mac(&rend, &tweak(":hs_verify"));
    let input = [&verify, auth_key.as_slice(), &b, y, x, protoid, b"Server"].concat();
    assert_eq!(auth, mac(&input, &tweak(":hs_mac")));
    let seed = mac(&rend, &tweak(":hs_key_extract"));
    assert_eq!(exchange.keys, shake(&[seed, tweak(":hs_key_expand")].concat(), 128));
    assert_eq!(exchange.finish(&exchange.answer).unwrap(), exchange.keys);
}

#[test]
fn rejects_changed_bytes() {
    for protocol in [classical(), hybrid()] {
        let exchange = Exchange::new(protocol);
        for at in 0..exchange.introduction.len() {
            let mut introduction = exchange.introduction.clone();
            introduction[at] ^= 1 << (at % 8);
            let expected = if at < 56 { HandshakeError::Identity } else { HandshakeError::Introduction };
            assert_eq!(exchange.respond(&introduction).unwrap_err(), expected, "byte {at}");
        }
        for at in 0..exchange.answer.len() {
            let mut answer = exchange.answer.clone();
            answer[at] ^= 1 << (at % 8);
            assert_eq!(exchange.finish(&answer), Err(HandshakeError::Authenticator), "byte {at}");
        }
        for length in [0, 1, exchange.answer.len() - 1, exchange.answer.len() + 1] {
            let mut answer = exchange.answer.clone();
            answer.resize(length, 0);
            assert!(matches!(exchange.finish(&answer), Err(HandshakeError::Length { message: "answer", .. })));
        }
        for length in [0, 1, exchange.introduction.len() - 1, exchange.introduction.len() + 1] {
            let mut introduction = exchange.introduction.clone();
            introduction.resize(length, 0);
            assert!(matches!(exchange.respond(&introduction), Err(HandshakeError::Length { .. })));
        }
    }
}

#[test]
fn requires_the_encryption_key_and_the_subcredential() {
    for protocol in [classical(), hybrid()] {
        let exchange = Exchange::new(protocol.clone());
        let (mut data, mut answer, mut keys) = (vec![0; 190], exchange.answer.clone(), exchange.keys.clone());
        // The other service knows everything except the private key.
        let other = Service::new(protocol.clone(), bytes(AUTH_KEY), bytes(SUBCREDENTIAL), Coins::Internal).unwrap();
        let refused =
            other.respond(&exchange.introduction, Coins::Internal, &mut data, &mut answer, &mut keys).unwrap_err();
        assert_eq!((refused, data.as_slice()), (HandshakeError::Introduction, [0; 190].as_slice()));
        let guess = ServiceDescriptor { subcredential: [0; 32], ..exchange.service.descriptor() };
        let mut introduction = exchange.introduction.clone();
        let client = ServiceClient::new(protocol, guess);
        client.start(Coins::Internal, &[1; 190], &mut introduction).unwrap();
        assert_eq!(exchange.respond(&introduction).unwrap_err(), HandshakeError::Introduction);
    }
}

#[test]
fn accepts_keys_generated_in_advance_or_on_demand() {
    for protocol in [classical(), hybrid()] {
        let exchange = Exchange::new(protocol.clone());
        let run = |ahead: bool| {
            let mut introduction = vec![0; protocol.introduction()];
            let pending = match ahead {
                true => {
                    let keys = protocol.ephemeral_keys(Coins::Internal).unwrap();
                    exchange.client.start_with(keys, &[1; 190], &mut introduction)
                }
                false => exchange.client.start(Coins::Internal, &[1; 190], &mut introduction),
            };
            let (mut data, mut answer) = (vec![0; 190], vec![0; protocol.answer()]);
            let (mut at_service, mut at_client) = (vec![0; 128], vec![0; 128]);
            let coins = Coins::Internal;
            exchange.service.respond(&introduction, coins, &mut data, &mut answer, &mut at_service).unwrap();
            pending.unwrap().finish(&answer, &mut at_client).unwrap();
            assert_eq!((at_client.clone(), data), (at_service, vec![1; 190]));
            at_client
        };
        assert_ne!(run(true), run(false));
    }
    let keys = hybrid().ephemeral_keys(Coins::Internal).unwrap();
    let client = ServiceClient::new(classical(), Exchange::new(classical()).service.descriptor());
    assert!(matches!(client.start_with(keys, &[1; 190], &mut [0; 310]), Err(HandshakeError::Length { .. })));
}

#[test]
fn rejects_invalid_public_keys_and_too_much_data() {
    let weak = ServiceDescriptor { auth_key: [1; 32], encryption_key: [0; 32], subcredential: [2; 32] };
    let started = ServiceClient::new(classical(), weak).start(Coins::Internal, &[1; 190], &mut [0; 310]).map(drop);
    assert_eq!(started, Err(HandshakeError::LowOrder));
    let exchange = Exchange::new(classical());
    let mut introduction = exchange.introduction.clone();
    introduction[56..88].fill(0);
    assert_eq!(exchange.respond(&introduction).unwrap_err(), HandshakeError::LowOrder);
    let mut answer = exchange.answer.clone();
    answer[..32].fill(0);
    assert_eq!(exchange.finish(&answer), Err(HandshakeError::LowOrder));
    assert!(ServiceProtocol::new(rust(), None, 257).is_err());
}
