//! Checks for hash functions that hash several messages concurrently.

use pqlab_primitives::{Error, Result};

/// Messages and outputs as arrays with one entry per lane.
pub(crate) type Arrays<'a, 'm, 'o, const LANES: usize> = (&'a [&'m [u8]; LANES], &'a mut [&'o mut [u8]; LANES]);

/// Returns the messages and outputs as arrays with one entry per lane.
///
/// There must be one message and one output per lane. All messages must be equally long, and so must all outputs. If
/// the hash function has a fixed digest length, `digest` is that length.
pub(crate) fn arrays<'a, 'm, 'o, const LANES: usize>(
    digest: Option<usize>,
    messages: &'a [&'m [u8]],
    outs: &'a mut [&'o mut [u8]],
) -> Result<Arrays<'a, 'm, 'o, LANES>> {
    let (given, outputs) = (messages.len(), outs.len());
    let messages: &[&[u8]; LANES] = messages.try_into().map_err(|_| Error::Length {
        what: "number of messages",
        expected: LANES,
        actual: given,
    })?;
    let outs: &mut [&mut [u8]; LANES] =
        outs.try_into().map_err(|_| Error::Length { what: "number of outputs", expected: LANES, actual: outputs })?;
    let length = messages.first().map_or(0, |first| first.len());
    for message in messages {
        Error::check_length("message in a lane", length, message.len())?;
    }
    let length = digest.unwrap_or(outs.first().map_or(0, |first| first.len()));
    for out in outs.iter() {
        Error::check_length("output buffer for a lane", length, out.len())?;
    }
    Ok((messages, outs))
}

/// Test helpers for all providers with lanes.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pqlab_primitives::{LaneHash, Provider};

    /// Checks every lane function that a provider offers. Each lane must return the digest of its message. Wrong
    /// lengths and wrong numbers of messages must be rejected.
    pub(crate) fn check(provider: &Provider, digest: impl Fn(&str, &[u8], usize) -> Vec<u8>) {
        for function in &provider.lane_hashes {
            let name = function.algorithm();
            let fixed = pqlab_primitives::HashParameters::of(name).map(|parameters| parameters.digest);
            for length in [0, 1, 71, 72, 103, 104, 135, 136, 137, 143, 144, 167, 168, 169, 336, 1000] {
                for output in fixed.map_or(vec![0, 1, 32, 135, 136, 137, 168, 500], |digest| vec![digest]) {
                    let messages: Vec<Vec<u8>> = messages(function.lanes(), length);
                    let expected: Vec<Vec<u8>> = messages.iter().map(|it| digest(name, it, output)).collect();
                    assert_eq!(outputs(function.as_ref(), &messages, output), Ok(expected), "{name}, {length} bytes");
                }
            }
            refusals(function.as_ref(), fixed.unwrap_or(32));
        }
    }

    fn messages(lanes: usize, length: usize) -> Vec<Vec<u8>> {
        let byte = |lane: usize, place: usize| (lane * 101 + place * 7 + place / 256).to_le_bytes()[0];
        (0..lanes).map(|lane| (0..length).map(|place| byte(lane, place)).collect()).collect()
    }

    fn outputs(function: &dyn LaneHash, messages: &[Vec<u8>], output: usize) -> Result<Vec<Vec<u8>>> {
        let mut buffers = vec![vec![0xa5; output]; function.lanes()];
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let mut outs: Vec<&mut [u8]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        function.digest_batch(&messages, 2, &mut outs)?;
        Ok(buffers)
    }

    fn refusals(function: &dyn LaneHash, output: usize) {
        let right = messages(function.lanes(), 100);
        let refused = |messages: &[Vec<u8>], output| outputs(function, messages, output).is_err();
        assert!(!refused(&right, output));
        assert!(refused(&right[1..], output), "must reject missing messages");
        let mut longer = right.clone();
        longer[function.lanes() - 1].push(0);
        assert!(refused(&longer, output), "must reject different message lengths");
        if pqlab_primitives::HashParameters::of(function.algorithm()).is_some() {
            assert!(refused(&right, output + 1), "must reject outputs longer than the digest");
        }
        let mut buffers = vec![vec![0; output]; function.lanes()];
        buffers[1].pop();
        let messages: Vec<&[u8]> = right.iter().map(Vec::as_slice).collect();
        let mut outs: Vec<&mut [u8]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        assert!(function.digest(&messages, &mut outs).is_err(), "must reject different output lengths");
        assert!(function.digest(&messages, &mut outs[1..]).is_err(), "must reject missing outputs");
    }
}
