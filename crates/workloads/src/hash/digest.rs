use super::same;
use crate::fault;
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Error, Hash, Provider, Xof};
use std::sync::Arc;

/// Function that digests one message.
pub(super) enum Function {
    Hash(Arc<dyn Hash>),
    Xof(Arc<dyn Xof>),
}

impl Function {
    /// Returns the provider's hash function or XOF with this name.
    pub(super) fn find(provider: &Provider, algorithm: &str) -> Option<Function> {
        let hash = provider.hash(algorithm).map(|hash| Function::Hash(Arc::clone(hash)));
        hash.or_else(|| provider.xof(algorithm).map(|xof| Function::Xof(Arc::clone(xof))))
    }

    /// Returns the digest length in bytes. For an XOF, this is the requested length, `wanted`.
    pub(super) fn output(&self, wanted: usize) -> usize {
        match self {
            Function::Hash(hash) => hash.info().digest,
            Function::Xof(_) => wanted,
        }
    }

    pub(super) fn digest(&self, message: &[u8], length: usize) -> Result<Vec<u8>, Error> {
        let mut out = vec![0; length];
        match self {
            Function::Hash(hash) => hash.digest(message, &mut out),
            Function::Xof(xof) => xof.digest(message, &mut out),
        }
        .map(|()| out)
    }
}

/// Digests messages, with one dynamic call per batch.
pub(super) struct Digest {
    function: Function,
    messages: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
    out: Vec<u8>,
    /// Index of the message digested last.
    last: usize,
}

impl Digest {
    pub(super) fn new(
        function: Function,
        messages: Vec<Vec<u8>>,
        output: usize,
        reference: &Function,
    ) -> Result<Digest, Error> {
        let length = function.output(output);
        let expected =
            messages.iter().map(|message| reference.digest(message, length)).collect::<Result<Vec<_>, _>>()?;
        Ok(Digest { function, messages, expected, out: vec![0; length], last: 0 })
    }
}

impl Trial for Digest {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.out.fill(0);
        // Start each batch with a different message.
        self.messages.rotate_left(1);
        self.expected.rotate_left(1);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
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
