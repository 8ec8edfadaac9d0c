//! Interleaved comparison between this project's batch verification and the libraries' verification, for 100 signatures
//! from 100 signers. Both sides use encoded keys, or both use prepared keys. For reference, the batch code also
//! verifies the signatures one at a time.
//!
//!     cargo bench -p pqlab-providers --bench mldsa_batch -- [SET] [PROCESSES]

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "some functions are used only by the adapter benchmark")]
#[path = "interleaved/mod.rs"]
mod interleaved;

use interleaved::{Comparison, Found, Side};
use pqlab_mldsa_batch::{
    Backend, Claim, EncodedKey, Message, MlDsa44, MlDsa65, MlDsa87, ParameterSet, PreparedKey, Verifier,
};
use pqlab_primitives::{Coins, SignatureScheme, VerifyingKey};
use pqlab_providers::providers;
use std::hint::black_box;
use std::sync::Arc;

/// Number of signers. Each signer signs one message.
const SIGNERS: usize = 100;
const MESSAGE: usize = 100;

/// Forms of the comparison: encoded keys, prepared keys, or one signature at a time.
const FORMS: [&str; 3] = ["encoded", "prepared", "single"];

fn main() {
    if let Some(name) = interleaved::requested() {
        let [library, backend, form, set] = name.split(' ').collect::<Vec<_>>()[..] else { panic!("need four words") };
        let backend = Backend::ALL.into_iter().find(|one| one.name() == backend).expect("unknown backend");
        let comparison = match set {
            "ML-DSA-44" => compare::<MlDsa44>(library, backend, form),
            "ML-DSA-65" => compare::<MlDsa65>(library, backend, form),
            _ => compare::<MlDsa87>(library, backend, form),
        };
        interleaved::answer(comparison);
        return;
    }
    let words = interleaved::words();
    let wanted = words.first().map_or("ML-DSA", String::as_str);
    let processes = words.get(1).map_or(interleaved::PROCESSES, |number| number.parse().expect("not a number"));
    println!(
        "times per signature in a batch of {SIGNERS}; ratio: library time / batch time, with 95% interval over \
         {processes} processes"
    );
    for set in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"].into_iter().filter(|set| set.contains(wanted)) {
        for library in ["aws-lc", "liboqs"] {
            for backend in Backend::ALL.into_iter().filter(|one| Verifier::new(*one).is_ok()) {
                for form in FORMS {
                    let name = format!("{library} {} {form} {set}", backend.name());
                    let Found { first, second, ratio, .. } = interleaved::find(&name, processes);
                    let (estimate, low, high) = (ratio.estimate, ratio.low, ratio.high);
                    println!("{name:<36} {first:>9.0} ns {second:>9.0} ns   {estimate:.3} [{low:.3}, {high:.3}]");
                }
            }
        }
    }
}

struct Signed {
    key: Vec<u8>,
    message: Vec<u8>,
    signature: Vec<u8>,
}

fn scheme(library: &str, algorithm: &str) -> Arc<dyn SignatureScheme> {
    let all = providers();
    let provider = all.iter().find(|provider| provider.library == library).expect("the library is not in this build");
    let mut schemes = provider.signatures.iter();
    Arc::clone(schemes.find(|scheme| scheme.info().parameters.algorithm == algorithm).expect("no such algorithm"))
}

fn compare<P: ParameterSet>(library: &str, backend: Backend, form: &str) -> Comparison {
    let library = scheme(library, P::NAME);
    let signed: Vec<Signed> = (0..SIGNERS)
        .map(|index| {
            let signing = library.generate(Coins::Internal).expect("keygen failed");
            let (message, mut key) = (vec![index as u8; MESSAGE], vec![0; P::KEY]);
            signing.verifying_key().and_then(|verifying| verifying.encode(&mut key)).expect("the buffer is too small");
            let mut signature = vec![0; P::SIGNATURE];
            signing.sign(b"", &message, Coins::Internal, &mut signature).expect("signing failed");
            Signed { key, message, signature }
        })
        .collect();
    let signed: &'static [Signed] = signed.leak();
    let verifier = Verifier::new(backend).expect("this processor must support the backend");
    Comparison { batch: Some(SIGNERS), first: theirs(library, signed, form), second: ours::<P>(verifier, signed, form) }
}

fn theirs(library: Arc<dyn SignatureScheme>, signed: &'static [Signed], form: &str) -> Side {
    let prepared: Vec<Box<dyn VerifyingKey>> =
        signed.iter().map(|one| library.load_verifying_key(&one.key).expect("cannot load the key")).collect();
    let check = |key: &dyn VerifyingKey, one: &Signed| {
        key.verify(b"", &one.message, &one.signature).expect("invalid signature")
    };
    if form == "prepared" {
        return Box::new(move |count| {
            for (key, one) in prepared[..count].iter().zip(black_box(signed)) {
                check(&**key, one);
            }
        });
    }
    Box::new(move |count| {
        for one in &black_box(signed)[..count] {
            check(&*library.load_verifying_key(&one.key).expect("cannot load the key"), one);
        }
    })
}

fn ours<P: ParameterSet>(verifier: Verifier, signed: &'static [Signed], form: &str) -> Side {
    let claim = |one: &'static Signed| Claim {
        key: EncodedKey::<P>::new(&one.key).expect("wrong key length").into(),
        message: Message::Pure { context: b"", message: &one.message },
        signature: &one.signature,
    };
    let prepare = |one: &Signed| verifier.prepare(EncodedKey::<P>::new(&one.key).expect("wrong key length"));
    let mut claims: Vec<Claim<P>> = signed.iter().map(claim).collect();
    if form == "prepared" {
        let prepared: &'static [PreparedKey<P>] = signed.iter().map(prepare).collect::<Vec<_>>().leak();
        for (claim, key) in claims.iter_mut().zip(prepared) {
            claim.key = key.into();
        }
    }
    if form == "single" {
        return Box::new(move |count| {
            for claim in &black_box(&claims)[..count] {
                verifier.verify(claim).expect("invalid signature");
            }
        });
    }
    Box::new(move |count| {
        let verdicts = verifier.verify_batch(&black_box(&claims)[..count]);
        assert!(black_box(verdicts).iter().all(Result::is_ok));
    })
}
