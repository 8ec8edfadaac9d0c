//! Compares every available backend with the `sha3` and `shake` crates, using a different message in each lane.

use pqlab_keccak::{Backend, Error, Function, LANES, Lanes, Single};
use pqlab_testing::{Need, not_run};
use sha3::digest::{Digest, ExtendableOutput, Update};

/// Computes the digest with the reference crates.
fn reference(function: Function, message: &[u8], length: usize) -> Vec<u8> {
    fn hash<D: Digest>(message: &[u8]) -> Vec<u8> {
        D::digest(message).to_vec()
    }
    fn xof<X: ExtendableOutput + Update + Default>(message: &[u8], length: usize) -> Vec<u8> {
        let (mut state, mut out) = (X::default(), vec![0; length]);
        state.update(message);
        state.finalize_xof_into(&mut out);
        out
    }
    match function {
        Function::Sha3_224 => hash::<sha3::Sha3_224>(message),
        Function::Sha3_256 => hash::<sha3::Sha3_256>(message),
        Function::Sha3_384 => hash::<sha3::Sha3_384>(message),
        Function::Sha3_512 => hash::<sha3::Sha3_512>(message),
        Function::Shake128 => xof::<shake::Shake128>(message, length),
        Function::Shake256 => xof::<shake::Shake256>(message, length),
    }
}

/// Generates reproducible pseudorandom bytes (SplitMix64).
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[0]).collect()
    }

    fn below(&mut self, limit: u64) -> usize {
        usize::try_from(self.next() % limit).expect("the limit must fit in a usize")
    }
}

fn backends() -> Vec<Lanes> {
    let all: Vec<Lanes> = Backend::ALL.into_iter().filter_map(|backend| Lanes::new(backend).ok()).collect();
    if all.len() < Backend::ALL.len() {
        not_run(Need::Machine("AVX-512 and AVX2"));
    }
    all
}

/// Compares digests of messages of equal length with the reference. Messages start at odd addresses. Each output is
/// surrounded by bytes that must stay unchanged.
fn compare(lanes: Lanes, function: Function, generator: &mut Generator, length: usize, output: usize) {
    const MARGIN: usize = 65;
    const UNTOUCHED: u8 = 0xa5;
    let messages: [Vec<u8>; LANES] = std::array::from_fn(|lane| generator.bytes(lane + length));
    let messages: [&[u8]; LANES] = std::array::from_fn(|lane| &messages[lane][lane..]);
    let mut buffers: [Vec<u8>; LANES] = std::array::from_fn(|_| vec![UNTOUCHED; output + 2 * MARGIN]);
    let mut outs = buffers.each_mut().map(|buffer| &mut buffer[MARGIN..MARGIN + output]);
    lanes.digest(function, &messages, &mut outs).expect("the lengths must be accepted");
    let single = Single::new(lanes.backend()).expect("the backend must run here");
    for (lane, buffer) in buffers.iter().enumerate() {
        let what = format!("{}, {}, lane {lane}, {length} bytes", function.name(), lanes.backend().name());
        let expected = reference(function, messages[lane], output);
        assert_eq!(hex::encode(&buffer[MARGIN..MARGIN + output]), hex::encode(expected), "{what}");
        let mut one = vec![UNTOUCHED; output + 2 * MARGIN];
        single.digest(function, messages[lane], &mut one[MARGIN..MARGIN + output]).expect("the length must fit");
        assert_eq!(hex::encode(&one), hex::encode(buffer), "{what}, single");
        let margins = buffer[..MARGIN].iter().chain(&buffer[MARGIN + output..]);
        assert!(margins.into_iter().all(|byte| *byte == UNTOUCHED), "{what}: wrote past the end of the output");
    }
}

#[test]
fn matches_for_every_length_up_to_three_blocks() {
    let mut generator = Generator(1);
    for lanes in backends() {
        for function in Function::ALL {
            for length in 0..=3 * function.rate() {
                compare(lanes, function, &mut generator, length, function.digest_length().unwrap_or(32));
            }
        }
    }
}

#[test]
fn matches_for_every_output_up_to_three_blocks() {
    let mut generator = Generator(2);
    for lanes in backends() {
        for function in [Function::Shake128, Function::Shake256] {
            for output in 0..=3 * function.rate() {
                compare(lanes, function, &mut generator, 100, output);
            }
        }
    }
}

#[test]
fn matches_for_random_lengths() {
    let mut generator = Generator(3);
    for lanes in backends() {
        for function in Function::ALL {
            for _ in 0..100 {
                let length = generator.below(5000);
                let output = function.digest_length().unwrap_or_else(|| generator.below(2000));
                compare(lanes, function, &mut generator, length, output);
            }
        }
    }
}

#[test]
fn piecewise_output_equals_whole_output() {
    let mut generator = Generator(4);
    for single in Backend::ALL.into_iter().filter_map(|backend| Single::new(backend).ok()) {
        for function in [Function::Shake128, Function::Shake256] {
            for _ in 0..50 {
                let length = generator.below(400);
                let message = generator.bytes(length);
                let expected = reference(function, &message, 2000);
                let (mut output, mut squeezed) = (single.absorb(function, &message), Vec::new());
                while squeezed.len() < expected.len() {
                    let mut piece = vec![0; generator.below(400).min(expected.len() - squeezed.len())];
                    output.squeeze(&mut piece);
                    squeezed.extend(piece);
                }
                assert_eq!(hex::encode(squeezed), hex::encode(&expected), "{}", single.backend().name());
            }
        }
    }
}

#[test]
fn rejects_wrong_digest_lengths() {
    let mut out = [0; 31];
    let refused = Single::fastest().digest(Function::Sha3_256, b"", &mut out);
    assert_eq!(refused, Err(Error::Length { what: "output", lane: 0, expected: 32, actual: 31 }));
    assert_eq!(out, [0; 31], "must not write on error");
}

#[test]
fn rejects_unequal_lengths() {
    for lanes in backends() {
        let (short, long) = ([0_u8; 3], [0_u8; 4]);
        let mut buffers = [[0_u8; 32]; LANES];
        let mut messages = [short.as_slice(); LANES];
        messages[5] = &long;
        let mut outs = buffers.each_mut().map(|out| out.as_mut_slice());
        assert_eq!(
            lanes.digest(Function::Sha3_256, &messages, &mut outs),
            Err(Error::Length { what: "message", lane: 5, expected: 3, actual: 4 })
        );
        messages[5] = &short;
        assert_eq!(
            lanes.digest(Function::Sha3_512, &messages, &mut outs),
            Err(Error::Length { what: "output", lane: 0, expected: 64, actual: 32 })
        );
        let mut shorter = [0_u8; 31];
        outs[7] = &mut shorter;
        assert_eq!(
            lanes.digest(Function::Shake128, &messages, &mut outs),
            Err(Error::Length { what: "output", lane: 7, expected: 32, actual: 31 })
        );
        assert_eq!(buffers, [[0; 32]; LANES], "must not write on error");
    }
}

#[test]
fn selects_the_first_available_backend() {
    let first = Backend::ALL.into_iter().find(|backend| Lanes::new(*backend).is_ok());
    assert_eq!(Some(Lanes::fastest().backend()), first);
    assert_eq!(Some(Single::fastest().backend()), first);
}
