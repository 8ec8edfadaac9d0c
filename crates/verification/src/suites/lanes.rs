use pqlab_primitives::{Error, Hash, HashParameters, LaneHash, Result, Xof, XofParameters, XofReader};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Adapter that presents a function over several messages as a hash function over one message. Each call puts the
/// message into the next lane, and different messages into all other lanes.
pub(super) struct InTurn<'a, Info> {
    function: &'a dyn LaneHash,
    info: Info,
    turn: AtomicUsize,
}

impl<'a, Info> InTurn<'a, Info> {
    pub(super) fn new(function: &'a dyn LaneHash, info: Info) -> InTurn<'a, Info> {
        InTurn { function, info, turn: AtomicUsize::new(0) }
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        let lanes = self.function.lanes();
        let place = self.turn.fetch_add(1, Ordering::Relaxed) % lanes;
        let messages: Vec<Vec<u8>> = (0..lanes).map(|lane| varied(message, (lane + lanes - place) % lanes)).collect();
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let mut buffers = vec![vec![0xa5; out.len()]; lanes];
        let mut outs: Vec<&mut [u8]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        self.function.digest(&messages, &mut outs)?;
        out.copy_from_slice(&buffers[place]);
        let another = |lane: usize| lane != place && buffers[lane] == buffers[place];
        match (0..lanes).find(|lane| another(*lane)) {
            // Skip short outputs, which may be equal by chance, and empty messages, whose variants are equal.
            Some(lane) if !message.is_empty() && out.len() >= 16 => Err(Error::Library {
                call: "digest over several messages",
                detail: format!("lanes {place} and {lane} give the same output for different messages"),
            }),
            _ => Ok(()),
        }
    }
}

/// Returns a variant of the message. Variant 0 is the message itself; variants 1 to 255 differ from it in every byte.
fn varied(message: &[u8], difference: usize) -> Vec<u8> {
    let mask = difference.to_le_bytes()[0].wrapping_mul(0x25);
    message.iter().map(|byte| byte ^ mask).collect()
}

impl Hash for InTurn<'_, HashParameters> {
    fn info(&self) -> &HashParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        InTurn::digest(self, message, out)
    }
}

impl Xof for InTurn<'_, XofParameters> {
    fn info(&self) -> &XofParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        InTurn::digest(self, message, out)
    }

    fn absorb(&self, _message: &[u8]) -> Result<Box<dyn XofReader>> {
        Err(Error::Unsupported("lane functions digest whole messages in one call"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test function that copies each lane's message to its output. If `bad` is set, it copies the first lane's message
    /// to all outputs.
    struct Copying {
        bad: bool,
    }

    impl LaneHash for Copying {
        fn algorithm(&self) -> &str {
            "copy"
        }

        fn lanes(&self) -> usize {
            4
        }

        fn digest(&self, messages: &[&[u8]], outs: &mut [&mut [u8]]) -> Result<()> {
            for (lane, out) in outs.iter_mut().enumerate() {
                out.copy_from_slice(messages[if self.bad { 0 } else { lane }]);
            }
            Ok(())
        }
    }

    #[test]
    fn puts_a_message_through_every_lane_but_into_one_at_a_time() {
        let info = HashParameters::find("SHA3-256").unwrap();
        let message = [7; 32];
        let (good, bad) = (Copying { bad: false }, Copying { bad: true });
        let (good, bad) = (InTurn::new(&good, info.clone()), InTurn::new(&bad, info));
        for _ in 0..8 {
            let mut out = [0; 32];
            assert_eq!(good.digest(&message, &mut out), Ok(()));
            assert_eq!(out, message);
            assert!(bad.digest(&message, &mut out).is_err());
        }
    }
}
