//! CRYPTOGAMS' Keccak in assembly, from OpenSSL's source. Each code path is a separate provider. If this processor
//! cannot run a code path, the provider lists the functions as unsupported and gives the reason.

#[cfg(test)]
mod tests;

use crate::shared::compiled::compiled;
use pqlab_adapters::messages;
use pqlab_cryptogams_sys::{self as sys, Code, Parameters, Sponge};
use pqlab_primitives::{
    Backend, BuildInfo, Error, Hash, HashParameters, Provider, Result, Unsupported, Xof, XofParameters, XofReader,
};
use std::hint::black_box;
use std::sync::Arc;

pub(crate) fn providers() -> Vec<Provider> {
    sys::Backend::ALL.into_iter().map(provider).collect()
}

const HASHES: [(&str, Parameters); 4] = [
    ("SHA3-224", Parameters::SHA3_224),
    ("SHA3-256", Parameters::SHA3_256),
    ("SHA3-384", Parameters::SHA3_384),
    ("SHA3-512", Parameters::SHA3_512),
];

const XOFS: [(&str, Parameters); 2] = [("SHAKE128", Parameters::SHAKE128), ("SHAKE256", Parameters::SHAKE256)];

fn provider(backend: sys::Backend) -> Provider {
    let build = format!("{}; crypto/sha/asm/{} of OpenSSL {}", compiled(), backend.file(), sys::VERSION);
    let mut provider = Provider::new("cryptogams", BuildInfo { version: sys::VERSION.to_owned(), build });
    provider.backend = Some(Backend(backend.name().to_owned()));
    match Code::new(backend) {
        Ok(code) => {
            let hash = |(algorithm, parameters)| -> Arc<dyn Hash> {
                let info = HashParameters::find(algorithm).expect("missing from the parameter table");
                Arc::new(FixedLength { info, code, parameters })
            };
            let xof = |(algorithm, parameters)| -> Arc<dyn Xof> {
                let info = XofParameters::find(algorithm).expect("missing from the parameter table");
                Arc::new(Shake { info, code, parameters })
            };
            provider.hashes = HASHES.into_iter().map(hash).collect();
            provider.xofs = XOFS.into_iter().map(xof).collect();
        }
        Err(reason) => {
            let names = HASHES.into_iter().chain(XOFS).map(|(name, _)| name);
            let unsupported = |name: &str| Unsupported { algorithm: name.to_owned(), reason: reason.to_string() };
            provider.unsupported = names.map(unsupported).collect();
        }
    }
    provider
}

struct FixedLength {
    info: HashParameters,
    code: Code,
    parameters: Parameters,
}

impl Hash for FixedLength {
    fn info(&self) -> &HashParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.info.digest, out.len())?;
        sys::digest(self.code, self.parameters, message, out);
        Ok(())
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.info.digest, out.len())?;
        for message in messages::in_turn(messages, count)? {
            sys::digest(self.code, self.parameters, message, black_box(&mut *out));
        }
        Ok(())
    }
}

struct Shake {
    info: XofParameters,
    code: Code,
    parameters: Parameters,
}

impl Xof for Shake {
    fn info(&self) -> &XofParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        sys::digest(self.code, self.parameters, message, out);
        Ok(())
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        for message in messages::in_turn(messages, count)? {
            sys::digest(self.code, self.parameters, message, black_box(&mut *out));
        }
        Ok(())
    }

    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
        Ok(Box::new(Squeezing(Sponge::absorb(self.code, self.parameters, message))))
    }
}

struct Squeezing(Sponge);

impl XofReader for Squeezing {
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        self.0.squeeze(out);
        Ok(())
    }
}
