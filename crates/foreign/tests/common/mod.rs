//! Finds libraries that may be installed, and checks opened libraries.

#![allow(dead_code, clippy::unwrap_used, reason = "each test uses only some of these functions")]

#[path = "../../../providers/src/shared/testing.rs"]
mod testing;

use pqlab_foreign::{Description, LibrarySpec, open};
use pqlab_primitives::{Coins, Error, Kem, KemParameters, KeyEncoding, Provider, VerifyingKey};
use pqlab_testing::Need;
use pqlab_verification::{Line, interop, verify_known_answers};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use testing::*;

/// Requirements for tests: the system's libcrypto, and Debian's libssl in the same folder.
pub(crate) const SYSTEMS: Need = Need::Machine("a libcrypto.so.3 in the system's folders");
pub(crate) const DEBIANS: Need = Need::Machine("a libssl.so.3 in the folder of the system's libcrypto");

/// Returns the path of the system's libcrypto, or `None` if it is not installed.
pub(crate) fn system_libcrypto() -> Option<PathBuf> {
    let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    folders.iter().map(|folder| Path::new(folder).join("libcrypto.so.3")).find(|path| path.exists())
}

/// Returns the path of a library that `scripts/foreign-libraries` built, or `None` if it is not built.
pub(crate) fn built(name: &str) -> Option<PathBuf> {
    let cache = env::var_os("PQLAB_CACHE").map(PathBuf::from);
    let cache = cache.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cache/pqlab")))?;
    Some(cache.join("foreign").join(name)).filter(|path| path.exists())
}

/// Opens a library. Panics if the library cannot be opened.
pub(crate) fn opened(spec: &str) -> Arc<Provider> {
    let spec: LibrarySpec = spec.parse().unwrap_or_else(|wrong| panic!("{wrong}"));
    let provider = open(&spec, None, || 0).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(provider.id(), spec.label);
    Arc::new(provider)
}

/// Returns the error from opening a library. Panics if the library opens, or if the error is not one line.
pub(crate) fn refusal(spec: &str) -> String {
    let spec: LibrarySpec = spec.parse().unwrap_or_else(|wrong| panic!("{wrong}"));
    let text = open(&spec, None, || 0).expect_err("opening must fail").to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

/// Checks that an opened library behaves like a linked one.
pub(crate) fn check(provider: &Arc<Provider>) {
    check_description(provider);
    check_answers(provider);
    let is_in_a_table = |kem: &&Arc<dyn Kem>| KemParameters::find(&kem.info().parameters.algorithm).is_some();
    provider.kems.iter().filter(is_in_a_table).for_each(|kem| check_kem_refusals(&**kem));
    for kem in &provider.kems {
        let parameters = &kem.info().parameters;
        let key = kem.generate(Coins::Internal).unwrap();
        let public = encoded_encapsulation_key(&**kem, &*key.encapsulation_key().unwrap());
        let mut sent = encapsulate(&**kem, &*kem.load_encapsulation_key(&public).unwrap(), Coins::Internal);
        for &encoding in kem.written() {
            let mut private = vec![0; kem.info().decapsulation_key(encoding).unwrap()];
            assert_eq!(key.encode(encoding, &mut private), Ok(private.len()));
            let loaded = kem.load_decapsulation_key(encoding, &private).unwrap();
            assert_eq!(decapsulate(&*loaded, &sent.ciphertext).unwrap(), sent.secret, "{}", parameters.algorithm);
            let mut again = vec![0; public.len()];
            match loaded.encode_encapsulation_key(&mut again) {
                // No library computes the encapsulation key of an algorithm that is not in our
                // tables.
                Err(Error::Unsupported(_)) if KemParameters::find(&parameters.algorithm).is_none() => {}
                written => assert!(written == Ok(public.len()) && again == public, "{}", parameters.algorithm),
            }
        }
        sent.ciphertext[0] ^= 1;
        assert_ne!(decapsulate(&*key, &sent.ciphertext).unwrap(), sent.secret);
    }
    check_signatures(provider);
    check_threads(provider, quick);
}

/// Checks that a KEM rejects wrong lengths and encodings that the algorithm does not define.
fn check_kem_refusals(kem: &dyn Kem) {
    let parameters = &kem.info().parameters;
    let key = kem.generate(Coins::Internal).unwrap();
    let public = key.encapsulation_key().unwrap();
    let length = |encoding| kem.info().decapsulation_key(encoding).unwrap();
    let given = kem.generate(Coins::Exact(&[1]));
    assert!(if kem.info().coins.keygen { length_error(given) } else { unsupported_error(given) });
    assert!(length_error(kem.load_encapsulation_key(&bytes(parameters.encapsulation_key - 1, 0))));
    assert!(length_error(public.encode(&mut vec![0; parameters.encapsulation_key - 1])));
    for &encoding in &kem.info().encodings {
        assert!(length_error(kem.load_decapsulation_key(encoding, &bytes(length(encoding) + 1, 0))));
    }
    for &encoding in kem.written() {
        assert!(length_error(key.encode(encoding, &mut vec![0; length(encoding) - 1])));
    }
    assert!(unsupported_error(kem.load_decapsulation_key(KeyEncoding::Der, &[])));
    assert!(unsupported_error(key.encode(KeyEncoding::Der, &mut [])));
    let mut ciphertext = vec![0; parameters.ciphertext];
    assert!(length_error(public.encapsulate(Coins::Internal, &mut ciphertext[1..], &mut [0; 32])));
    assert!(length_error(public.encapsulate(Coins::Internal, &mut ciphertext, &mut [0; 31])));
    let exact = public.encapsulate(Coins::Exact(&[]), &mut ciphertext, &mut [0; 32]);
    assert!(if kem.info().coins.operation { length_error(exact) } else { unsupported_error(exact) });
    public.encapsulate(Coins::Internal, &mut ciphertext, &mut [0; 32]).unwrap();
    assert!(length_error(decapsulate(&*key, &ciphertext[1..])));
    assert!(length_error(key.decapsulate(&ciphertext, &mut [0; 33])));
    assert!(length_error(kem.generate_encoded(Coins::Internal, &mut [], &mut [])));
}

/// Checks that a signature verifies only for the signed message, and that changed, shorter or longer signatures do not
/// verify.
fn check_accepts_only(key: &dyn VerifyingKey, context: &[u8], message: &[u8], mut signature: Vec<u8>) {
    let refused = Err(Error::VerificationFailed);
    assert_eq!(key.verify(context, message, &signature), Ok(()));
    assert_eq!(key.verify(context, b"massage", &signature), refused);
    for position in [0, signature.len() / 2, signature.len() - 1] {
        signature[position] ^= 1;
        assert_eq!(key.verify(context, message, &signature), refused, "byte {position}");
        signature[position] ^= 1;
    }
    assert_eq!(key.verify(context, message, &signature[1..]), refused);
    assert_eq!(key.verify(context, message, &[]), refused);
    // Not zero: a Falcon signature one byte shorter than the padded length becomes a valid, padded one.
    signature.push(0xff);
    assert_eq!(key.verify(context, message, &signature), refused);
}

/// Uses a key from four threads concurrently, for every KEM and for every signature scheme that `is_selected` accepts.
fn check_threads(provider: &Provider, is_selected: impl Fn(&str) -> bool) {
    for kem in &provider.kems {
        let key = kem.generate(Coins::Internal).unwrap();
        let public = key.encapsulation_key().unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let sent = encapsulate(&**kem, &*public, Coins::Internal);
                    assert_eq!(decapsulate(&*key, &sent.ciphertext).unwrap(), sent.secret);
                });
            }
        });
    }
    for scheme in provider.signatures.iter().filter(|scheme| is_selected(&scheme.info().parameters.algorithm)) {
        let key = scheme.generate(Coins::Internal).unwrap();
        let verifying = key.verifying_key().unwrap();
        thread::scope(|scope| {
            for i in 0..4u8 {
                let (key, verifying) = (&key, &verifying);
                scope.spawn(move || {
                    let signature = sign(scheme.info(), &**key, b"", &[i], Coins::Internal);
                    assert_eq!(verifying.verify(b"", &[i], &signature), Ok(()));
                });
            }
        });
    }
}

/// Returns false for algorithms that take seconds per signature: the small SLH-DSA sets and SPHINCS+.
fn quick(algorithm: &str) -> bool {
    let slow = algorithm.starts_with("SLH-DSA") && algorithm.ends_with('s');
    !slow && !algorithm.starts_with("SPHINCS+")
}

fn check_signatures(provider: &Provider) {
    for scheme in provider.signatures.iter().filter(|scheme| quick(&scheme.info().parameters.algorithm)) {
        let info = scheme.info();
        let context: &[u8] = if info.context { b"context" } else { b"" };
        let key = scheme.generate(Coins::Internal).unwrap();
        let public = key.verifying_key().unwrap();
        for &encoding in scheme.written() {
            let mut private = vec![0; info.signing_key(encoding).unwrap()];
            let length = key.encode(encoding, &mut private).unwrap();
            let loaded = scheme.load_signing_key(encoding, &private[..length]).unwrap();
            let signature = sign(info, &*loaded, context, b"message", Coins::Internal);
            check_accepts_only(&*public, context, b"message", signature);
        }
        let given = scheme.generate(Coins::Exact(&[1]));
        assert!(if info.coins.keygen { length_error(given) } else { unsupported_error(given) });
        if !info.context {
            assert!(unsupported_error(key.sign(b"x", b"", Coins::Internal, &mut vec![0; info.parameters.signature])));
        }
        let refused = key.sign(b"", b"", Coins::Internal, &mut vec![0; info.parameters.signature / 2]);
        assert!(matches!(refused, Err(Error::Length { .. })) || info.parameters.variable_length);
    }
}

/// Checks that the description, which the coordinator receives, matches the opened library.
fn check_description(provider: &Provider) {
    let description = Description::new(provider);
    let json = serde_json::to_string(&description).unwrap();
    let read: Description = serde_json::from_str(&json).unwrap();
    assert_eq!(read, description);
    let described = read.provider();
    assert_eq!((described.id(), &described.build_info), (provider.id(), &provider.build_info));
    assert_eq!(described.algorithms(), provider.algorithms());
    assert!(described.kems.iter().all(|kem| unsupported_error(kem.generate(Coins::Internal))));
    assert!(!provider.build_info.version.is_empty() && provider.build_info.build.contains("SHA-256 "));
    assert!(provider.generator.is_some());
}

/// Checks the library with known answers, and checks that its operations agree with each other.
pub(crate) fn check_answers(provider: &Arc<Provider>) {
    let providers = [provider.clone()];
    verify_known_answers(&providers, &|_, algorithm, _| quick(algorithm), &mut expect_right);
    interop(&providers, &|_, algorithm, _| quick(algorithm), &mut expect_right);
}

/// Checks that two libraries interoperate. Returns the number of checked results that involve both libraries.
pub(crate) fn check_pair(one: &Arc<Provider>, other: &Arc<Provider>) -> usize {
    let mut lines = 0;
    interop(&[one.clone(), other.clone()], &|_, algorithm, _| quick(algorithm), &mut |line: Line| {
        lines += usize::from(line.peer.as_ref().is_some_and(|peer| *peer != line.provider));
        expect_right(line);
    });
    lines
}

fn expect_right(line: Line) {
    assert!(line.failures.is_empty(), "{}, {}: {:?}", line.provider, line.algorithm, line.failures);
}
