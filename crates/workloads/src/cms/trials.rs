//! Signs images, verifies them, and computes their digests.

use super::{Image, fault};
use crate::signature::signing_key;
use pqlab_constructions::cms::{CmsError, SignedData, Signer, TrustedKey, sign};
use pqlab_constructions::keys::{Identifier, KEY_IDENTIFIER};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, Hash, SignatureScheme, SigningKey, VerifyingKey};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest as _, Sha256, Sha512};
use std::hint::black_box;
use std::sync::Arc;

/// DER of the object identifier id-messageDigest, and of the heads that precede the digest in the signed attribute.
const MESSAGE_DIGEST: [u8; 11] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x04];
const HEADS: usize = 4;
/// DER of the object identifiers of SHA-256 and SHA-512 up to their last byte, which is 1 or 3.
const SHA_2: [u8; 10] = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02];

fn broken(error: CmsError) -> Fault {
    match error {
        CmsError::Primitive(error) => fault(error),
        other => Fault::WrongAnswer(other.to_string()),
    }
}

fn nothing() -> Fault {
    Fault::WrongAnswer("no operation has run since the outputs were cleared".to_owned())
}

/// Keys of a signer and of a device that trusts it.
pub(super) struct Keys {
    identifier: &'static Identifier,
    signing: Box<dyn SigningKey>,
    verifying: Box<dyn VerifyingKey>,
    /// Public key of somebody else.
    other: Box<dyn VerifyingKey>,
    key_identifier: [u8; KEY_IDENTIFIER],
    hash: Arc<dyn Hash>,
}

impl Keys {
    pub(super) fn new(
        scheme: &Arc<dyn SignatureScheme>,
        hash: &Arc<dyn Hash>,
        generator: &mut ChaCha8Rng,
    ) -> Result<Keys, Fault> {
        let parameters = &scheme.info().parameters;
        let identifier = Identifier::named(&parameters.algorithm)
            .ok_or_else(|| Fault::Unsupported(format!("{} has no object identifier", parameters.algorithm)))?;
        let (signing, _) = signing_key(scheme.as_ref(), generator).map_err(fault)?;
        let (stranger, _) = signing_key(scheme.as_ref(), generator).map_err(fault)?;
        let [verifying, other] = [&signing, &stranger].map(|key| key.verifying_key());
        let (verifying, other) = (verifying.map_err(fault)?, other.map_err(fault)?);
        let mut public = vec![0; parameters.verifying_key];
        let length = verifying.encode(&mut public).map_err(fault)?;
        let mut key_identifier = [0; KEY_IDENTIFIER];
        key_identifier.copy_from_slice(&Sha256::digest(&public[..length])[..KEY_IDENTIFIER]);
        Ok(Keys { identifier, signing, verifying, other, key_identifier, hash: Arc::clone(hash) })
    }

    fn make(&self, content: &[u8]) -> Result<Vec<u8>, CmsError> {
        let Keys { identifier, key_identifier, .. } = *self;
        let signer = Signer { identifier, key: self.signing.as_ref(), key_identifier };
        sign(&signer, self.hash.as_ref(), content, Coins::Internal)
    }

    fn verify(&self, der: &[u8], content: &[u8]) -> Result<(), CmsError> {
        self.verify_with(self.verifying.as_ref(), der, content)
    }

    fn verify_with(&self, key: &dyn VerifyingKey, der: &[u8], content: &[u8]) -> Result<(), CmsError> {
        let Keys { identifier, key_identifier, .. } = *self;
        let trusted = TrustedKey { identifier, key, key_identifier };
        SignedData::from_der(der)?.verify(&trusted, self.hash.as_ref(), content)
    }

    /// Checks that a device accepts the image with this SignedData, and rejects every change.
    fn check(&self, der: &[u8], image: &Image) -> Result<(), Fault> {
        self.verify(der, image.bytes()).map_err(broken)?;
        let attribute = replaced(der, &MESSAGE_DIGEST, HEADS, |byte| byte ^ 1);
        let digest = replaced(der, &SHA_2, 0, |byte| byte ^ 2);
        if attribute == der || digest == der {
            return Err(Fault::WrongAnswer("the SignedData names no digest".to_owned()));
        }
        let accepts = [
            ("a different image", self.verify(der, image.changed()).is_ok()),
            ("a changed attribute", self.verify(&attribute, image.bytes()).is_ok()),
            ("a different digest algorithm", self.verify(&digest, image.bytes()).is_ok()),
            ("a different key", self.verify_with(self.other.as_ref(), der, image.bytes()).is_ok()),
            ("a truncated SignedData", self.verify(&der[..der.len() - 1], image.bytes()).is_ok()),
        ];
        match accepts.iter().find(|(_, accepted)| *accepted) {
            None => Ok(()),
            Some((what, _)) => Err(Fault::WrongAnswer(format!("verification accepts {what}"))),
        }
    }
}

/// Returns a copy of `der` with a byte changed after each occurrence of `pattern`, `skip` bytes later.
fn replaced(der: &[u8], pattern: &[u8], skip: usize, change: impl Fn(u8) -> u8) -> Vec<u8> {
    let mut changed = der.to_vec();
    for start in (0..der.len()).filter(|start| der[*start..].starts_with(pattern)) {
        if let Some(byte) = changed.get_mut(start + pattern.len() + skip) {
            *byte = change(*byte);
        }
    }
    changed
}

fn note_length(der: &[u8], recorder: &mut Recorder) {
    recorder.note("signed_data_bytes", der.len() as f64);
}

pub(super) struct Make {
    keys: Keys,
    image: Image,
    made: Option<Vec<u8>>,
}

impl Make {
    pub(super) fn new(keys: Keys, image: Image) -> Make {
        Make { keys, image, made: None }
    }
}

impl Trial for Make {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.made = None;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.made = Some(self.keys.make(self.image.bytes()).map_err(broken)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.keys.check(self.made.as_ref().ok_or_else(nothing)?, &self.image)
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        note_length(self.made.as_ref().ok_or_else(nothing)?, recorder);
        Ok(())
    }
}

pub(super) struct Verify {
    keys: Keys,
    image: Image,
    der: Vec<u8>,
    is_done: bool,
}

impl Verify {
    pub(super) fn new(keys: Keys, image: Image) -> Result<Verify, Fault> {
        let der = keys.make(image.bytes()).map_err(broken)?;
        Ok(Verify { keys, image, der, is_done: false })
    }
}

impl Trial for Verify {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.is_done = false;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.keys.verify(black_box(&self.der), self.image.bytes()).map_err(broken)?;
        }
        self.is_done = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.is_done { self.keys.check(&self.der, &self.image) } else { Err(nothing()) }
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        note_length(&self.der, recorder);
        Ok(())
    }
}

pub(super) struct Digest {
    hash: Arc<dyn Hash>,
    image: Image,
    expected: Vec<u8>,
    digest: Vec<u8>,
}

impl Digest {
    pub(super) fn new(hash: &Arc<dyn Hash>, image: Image) -> Result<Digest, Fault> {
        let expected = match hash.info().algorithm.as_ref() {
            "SHA-256" => Sha256::digest(image.bytes()).to_vec(),
            "SHA-512" => Sha512::digest(image.bytes()).to_vec(),
            other => return Err(Fault::Unsupported(format!("no reference for {other}"))),
        };
        Ok(Digest { hash: Arc::clone(hash), image, digest: vec![0; expected.len()], expected })
    }
}

impl Trial for Digest {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.digest.fill(0);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.hash.digest(black_box(self.image.bytes()), &mut self.digest).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.digest == self.expected {
            return Ok(());
        }
        Err(Fault::WrongAnswer("the digest of the image is wrong".to_owned()))
    }
}
