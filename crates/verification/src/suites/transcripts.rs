//! Digests over a hundred known answers, published by liboqs. The NIST competition's generator, AES-256 in counter mode
//! with a known seed, supplies all randomness, so every byte of a transcript is fixed.

use super::{Run, Suite, is_ml_dsa, is_ml_kem};
use crate::checks::signature::{Input, sign, takes_coins};
use crate::checks::{equal, kem, signature, step};
use crate::read::transcripts as read;
use crate::tally::{Fault, Tally};
use nist_pqc_seeded_rng::{NistPqcAes256CtrRng, Rng};
use pqlab_primitives::{Coins, Kem, KeyEncoding, SignatureScheme};
use sha2::{Digest, Sha256};

pub(super) static SUITES: &[Suite] = &[
    Suite::published(
        "liboqs known-answer transcripts",
        is_ml_kem,
        Run::Kem(|kem, vectors, tally| {
            let file = vectors.file("falcon/liboqs-kem-kats.json", read::digests)?;
            compare(file.get(kem.info().parameters.algorithm.as_ref()), tally, |count| kem_transcript(kem, count));
            Ok(())
        }),
    ),
    Suite::published(
        "liboqs known-answer transcripts",
        |algorithm| is_ml_dsa(algorithm) || algorithm.starts_with("Falcon-"),
        Run::Signature(|scheme, vectors, tally| {
            let file = vectors.file("falcon/liboqs-sig-kats.json", read::digests)?;
            let algorithm = scheme.info().parameters.algorithm.as_ref();
            compare(file.get(algorithm), tally, |count| signature_transcript(scheme, count));
            Ok(())
        }),
    ),
];

/// Number of answers in the longer transcript.
const ALL: u32 = 100;

fn compare(digests: Option<&read::Digests>, tally: &mut Tally, transcript: impl Fn(u32) -> Result<String, Fault>) {
    let Some(digests) = digests else { return };
    for (name, count, digest) in [("first answer", 1, &digests.single), ("all answers", ALL, &digests.all)] {
        tally.check(name, || {
            let transcript = transcript(count)?;
            equal("digest of the transcript", &digest.0, &Sha256::digest(transcript.as_bytes()))
        });
    }
}

/// Returns the outer generator, which supplies the seed for each answer's own generator.
fn outer_generator() -> NistPqcAes256CtrRng {
    NistPqcAes256CtrRng::from(std::array::from_fn::<u8, 48, _>(|i| i as u8))
}

fn draw<const N: usize>(generator: &mut NistPqcAes256CtrRng) -> [u8; N] {
    let mut bytes = [0; N];
    generator.fill_bytes(&mut bytes);
    bytes
}

fn upper(bytes: &[u8]) -> String {
    hex::encode_upper(bytes)
}

fn kem_transcript(kem: &dyn Kem, answers: u32) -> Result<String, Fault> {
    let info = kem.info();
    if !info.coins.keygen || !info.coins.operation || !info.encodings.contains(&KeyEncoding::Expanded) {
        return Err(Fault::Unsupported(
            "the library does not accept caller-supplied randomness, or cannot export expanded keys".to_owned(),
        ));
    }
    let mut outer = outer_generator();
    let mut answer = |count| {
        let seed = draw::<48>(&mut outer);
        let mut generator = NistPqcAes256CtrRng::from(seed);
        let key = step("generate", kem.generate(Coins::Exact(&draw::<64>(&mut generator))))?;
        let public = step("encapsulation key", key.encapsulation_key())?;
        let coins = draw::<32>(&mut generator);
        let (ciphertext, secret) = kem::encapsulate(kem, public.as_ref(), Coins::Exact(&coins))?;
        equal("shared secret", &secret, &kem::decapsulate(kem, key.as_ref(), &ciphertext)?)?;
        Ok(format!(
            "count = {count}\nseed = {}\npk = {}\nsk = {}\nct = {}\nss = {}\n",
            upper(&seed),
            upper(&kem::encoded(kem, public.as_ref())?),
            upper(&kem::encoded_secret(kem, key.as_ref(), KeyEncoding::Expanded)?),
            upper(&ciphertext),
            upper(&secret),
        ))
    };
    (0..answers).map(&mut answer).collect::<Result<Vec<String>, Fault>>().map(|answers| answers.join("\n"))
}

fn signature_transcript(scheme: &dyn SignatureScheme, answers: u32) -> Result<String, Fault> {
    let info = scheme.info();
    takes_coins(scheme)?;
    if !info.coins.keygen || !info.encodings.contains(&KeyEncoding::Expanded) {
        return Err(Fault::Unsupported(
            "the library does not accept caller-supplied randomness, or cannot export expanded keys".to_owned(),
        ));
    }
    let mut outer = outer_generator();
    let mut answer = |count| {
        let seed = draw::<48>(&mut outer);
        let mut message = vec![0; 33 * (count as usize + 1)];
        outer.fill_bytes(&mut message);
        let mut generator = NistPqcAes256CtrRng::from(seed);
        let key = step("generate", scheme.generate(Coins::Exact(&draw::<32>(&mut generator))))?;
        let public = signature::encoded(scheme, step("verifying key", key.verifying_key())?.as_ref())?;
        let coins = draw::<32>(&mut generator);
        let mut signed = sign(scheme, key.as_ref(), Input::Pure(&[], &message), Coins::Exact(&coins))?;
        signed.extend_from_slice(&message);
        Ok(format!(
            "count = {count}\nseed = {}\nmlen = {}\nmsg = {}\npk = {}\nsk = {}\nsmlen = {}\nsm = {}\n",
            upper(&seed),
            message.len(),
            upper(&message),
            upper(&public),
            upper(&signature::encoded_secret(scheme, key.as_ref(), KeyEncoding::Expanded)?),
            signed.len(),
            upper(&signed),
        ))
    };
    (0..answers).map(&mut answer).collect::<Result<Vec<String>, Fault>>().map(|answers| answers.join("\n"))
}
