use super::{Ran, Run, Suite};
use crate::checks::signature::{Calls, ExpectedKey, Input, hashes_first, key_generation, signing, verification};
use crate::checks::{KEY_GENERATION, SIGNING};
use crate::checks::{refused, step};
use crate::read::ed25519::{self as read, Signature, Variant};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{KeyEncoding, Prehash, SignatureScheme};

const fn suite(name: &'static str, run: fn(&dyn SignatureScheme, &Vectors, &mut Tally) -> Ran) -> Suite {
    Suite::published(name, |algorithm| algorithm == "Ed25519", Run::Signature(run))
}

pub(super) static SUITES: &[Suite] = &[
    suite("RFC 8032 Ed25519", |scheme, vectors, tally| {
        let files = [
            vectors.file("rfc/8032-eddsa_ed25519.json.gz", read::rfc8032)?,
            vectors.file("rfc/8032-eddsa_ed25519ctx.json.gz", read::rfc8032_context)?,
            vectors.file("rfc/8032-eddsa_ed25519ph.json.gz", read::rfc8032_pre_hash)?,
        ];
        sign_and_verify(scheme, files.iter().flat_map(|file| file.iter()), tally);
        Ok(())
    }),
    suite("ACVP EdDSA keyGen", keygen),
    suite("ACVP EdDSA keyVer", key_verification),
    suite("ACVP EdDSA sigGen", |scheme, vectors, tally| {
        let file = vectors.file("acvp/EDDSA-SigGen-1.0/internalProjection.json.gz", read::signing)?;
        sign_and_verify(scheme, file.iter(), tally);
        Ok(())
    }),
    suite("ACVP EdDSA sigVer", verify),
    in_batches("RFC 8032 Ed25519: verification, in batches", |scheme, vectors, tally| {
        let file = vectors.file("rfc/8032-eddsa_ed25519.json.gz", read::rfc8032)?;
        verify_each(scheme, file.iter(), tally);
        Ok(())
    }),
    in_batches("ACVP EdDSA sigVer, in batches", verify),
];

const fn in_batches(name: &'static str, run: fn(&dyn SignatureScheme, &Vectors, &mut Tally) -> Ran) -> Suite {
    Suite::published(name, |algorithm| algorithm == "Ed25519", Run::Batches(run))
}

fn keygen(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let file = vectors.file("acvp/EDDSA-KeyGen-1.0/internalProjection.json.gz", read::key_generation)?;
    for vector in file.iter() {
        let signing_keys = [(KeyEncoding::Seed, vector.seed.as_slice())];
        let key = ExpectedKey { verifying_key: &vector.verifying_key, signing_keys: &signing_keys };
        tally.answer(KEY_GENERATION, vector.id, || key_generation(scheme, &vector.seed, &key, Calls::Both));
    }
    Ok(())
}

/// Checks that a library accepts or rejects a key as expected. A library may detect an invalid key only during
/// verification, which decodes the key (RFC 8032, section 5.1.7). The error is then the same as for an invalid
/// signature.
fn key_verification(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let file = vectors.file("acvp/EDDSA-KeyVer-1.0/internalProjection.json.gz", read::key_verification)?;
    for vector in file.iter() {
        tally.check(vector.id, || -> Checked {
            match (scheme.load_verifying_key(&vector.verifying_key), vector.valid) {
                (loaded, true) => step("verifying key", loaded).map(|_| ()),
                (Ok(key), false) => {
                    refused("verifying key", key.verify(&[], &[], &[0; 64]))?;
                    Err(Fault::Unsupported(
                        "the library checks keys during verification, not when it loads them".to_owned(),
                    ))
                }
                (loaded, false) => refused("verifying key", loaded),
            }
        });
    }
    Ok(())
}

fn verify(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let file = vectors.file("acvp/EDDSA-SigVer-1.0/internalProjection.json.gz", read::verification)?;
    verify_each(scheme, file.iter(), tally);
    Ok(())
}

pub(super) fn verify_each<'a>(
    scheme: &dyn SignatureScheme,
    vectors: impl Iterator<Item = &'a Signature>,
    tally: &mut Tally,
) {
    for vector in vectors {
        tally.check(&vector.id, || -> Checked {
            let input = offered(scheme, vector)?;
            verification(scheme, &vector.verifying_key, input, &vector.signature, vector.valid)
        });
    }
}

pub(super) fn sign_and_verify<'a>(
    scheme: &dyn SignatureScheme,
    vectors: impl Iterator<Item = &'a Signature>,
    tally: &mut Tally,
) {
    for vector in vectors {
        tally.answer(SIGNING, &vector.id, || -> Checked {
            let input = offered(scheme, vector)?;
            signing(scheme, (KeyEncoding::Seed, &vector.seed), input, &[], &vector.signature)?;
            verification(scheme, &vector.verifying_key, input, &vector.signature, vector.valid)
        });
    }
}

/// Returns the vector's input. Fails with [`Fault::Unsupported`] if the traits or the scheme do not support its
/// variant.
fn offered<'a>(scheme: &dyn SignatureScheme, vector: &'a Signature) -> Result<Input<'a>, Fault> {
    match vector.variant {
        Variant::Pure => Ok(Input::Pure(&[], &vector.message)),
        Variant::PreHash => {
            hashes_first(scheme, Prehash::Sha512)?;
            Ok(Input::PreHash(Prehash::Sha512, &vector.context, &vector.message))
        }
        Variant::Context => Err(Fault::Unsupported("pqlab's interface does not offer Ed25519ctx".to_owned())),
    }
}
