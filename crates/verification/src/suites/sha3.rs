use super::chains::Chain;
use super::lanes::InTurn;
use super::{Ran, Run, Suite};
use crate::checks::{buffer, equal, step};
use crate::read::ReadFault;
use crate::read::sha3::{self as read, Message, MonteCarlo, Test};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Hash, HashParameters, LaneHash, Xof, XofParameters};

pub(super) static SUITES: &[Suite] = &[
    Suite::published("ACVP SHA-3", is_sha3, Run::Hash(|hash, vectors, tally| acvp_sha3(hash, 1, vectors, tally))),
    Suite::fetched(
        "CAVP SHA-3 short messages",
        is_sha3,
        Run::Hash(|hash, vectors, tally| short_sha3(hash, 1, vectors, tally)),
    ),
    Suite::fetched("CAVP SHA-3 long messages", is_sha3, Run::Hash(long_sha3)),
    Suite::fetched("CAVP SHA-3 Monte Carlo", is_sha3, Run::Hash(monte_sha3)),
    Suite::published(
        "ACVP SHAKE",
        is_shake,
        Run::Xof(|xof, vectors, tally| acvp_shake(xof, 1, vectors, tally, digest)),
    ),
    Suite::published(
        "ACVP SHAKE, squeezed in parts",
        is_shake,
        Run::Xof(|xof, vectors, tally| acvp_shake(xof, 1, vectors, tally, squeezed)),
    ),
    Suite::fetched(
        "CAVP SHAKE short messages",
        is_shake,
        Run::Xof(|xof, vectors, tally| short_shake(xof, 1, vectors, tally)),
    ),
    Suite::fetched("CAVP SHAKE long messages", is_shake, Run::Xof(long_shake)),
    Suite::fetched("CAVP SHAKE variable output", is_shake, Run::Xof(variable_shake)),
    Suite::fetched("CAVP SHAKE Monte Carlo", is_shake, Run::Xof(monte_shake)),
    Suite::published("ACVP, in each lane", is_fips_202, Run::LaneHash(acvp_lanes)),
    Suite::fetched("CAVP short messages, in each lane", is_fips_202, Run::LaneHash(short_lanes)),
    Suite::fetched("CAVP Monte Carlo, one lane at a time", is_fips_202, Run::LaneHash(monte_lanes)),
];

/// Number of digests between two results of a chain (SHA-3 Validation System, sections 6.2.3 and 6.3.3).
const STEPS: usize = 1000;

/// Function that computes an output of a given length in bytes.
type Output = fn(&dyn Xof, &[u8], usize) -> Result<Vec<u8>, Fault>;

fn is_sha3(algorithm: &str) -> bool {
    algorithm.starts_with("SHA3-")
}

fn is_shake(algorithm: &str) -> bool {
    algorithm.starts_with("SHAKE")
}

fn is_fips_202(algorithm: &str) -> bool {
    is_sha3(algorithm) || is_shake(algorithm)
}

fn acvp_lanes(function: &dyn LaneHash, vectors: &Vectors, tally: &mut Tally) -> Ran {
    match in_turn(function) {
        Single::Hash(hash) => acvp_sha3(&hash, function.lanes(), vectors, tally),
        Single::Xof(xof) => acvp_shake(&xof, function.lanes(), vectors, tally, digest),
    }
}

fn short_lanes(function: &dyn LaneHash, vectors: &Vectors, tally: &mut Tally) -> Ran {
    match in_turn(function) {
        Single::Hash(hash) => short_sha3(&hash, function.lanes(), vectors, tally),
        Single::Xof(xof) => short_shake(&xof, function.lanes(), vectors, tally),
    }
}

fn monte_lanes(function: &dyn LaneHash, vectors: &Vectors, tally: &mut Tally) -> Ran {
    match in_turn(function) {
        Single::Hash(hash) => monte_sha3(&hash, vectors, tally),
        Single::Xof(xof) => monte_shake(&xof, vectors, tally),
    }
}

/// Runs ACVP's tests. Hashes each message `times` times, so that functions over several messages hash it once in every
/// lane.
fn acvp_sha3(hash: &dyn Hash, times: usize, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let name = format!("acvp/{}-2.0/internalProjection.json.gz", hash.info().algorithm);
    for test in vectors.file(&name, read::acvp)?.iter() {
        match test {
            Test::Message(message) => tally.check(message.id, || (0..times).try_for_each(|_| hashed(hash, message))),
            Test::MonteCarlo(id, chain) => tally.check(id, || {
                let mut digest = chain.seed.clone();
                chain.results.iter().try_for_each(|expected| {
                    digest = thousandth(hash, &digest)?;
                    equal("digest", expected, &digest)
                })
            }),
            Test::Large(id, _) => tally.check(id, || Err(too_large())),
        }
    }
    Ok(())
}

fn short_sha3(hash: &dyn Hash, times: usize, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let name = cavp(&hash.info().algorithm, "ShortMsg");
    for message in vectors.file(&name, read::cavp_short)?.iter() {
        tally.check(format_args!("line {}", message.id), || (0..times).try_for_each(|_| hashed(hash, message)));
    }
    Ok(())
}

fn long_sha3(hash: &dyn Hash, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for message in vectors.fetched(&cavp(&hash.info().algorithm, "LongMsg"), read::cavp_short)?.iter() {
        tally.check(format_args!("line {}", message.id), || hashed(hash, message));
    }
    Ok(())
}

fn monte_sha3(hash: &dyn Hash, vectors: &Vectors, tally: &mut Tally) -> Ran {
    monte(&hash.info().algorithm, vectors, tally, |chain| {
        let mut digest = chain.seed.clone();
        Box::new(move || {
            digest = thousandth(hash, &digest)?;
            Ok(digest.clone())
        })
    })
}

/// Checks a chain. `begin` receives the chain's seed, and returns a function that computes the next compared output. If
/// the file is missing, checks one digest over the entire chain.
fn monte<'a>(
    algorithm: &str,
    vectors: &Vectors,
    tally: &mut Tally,
    begin: impl FnOnce(&MonteCarlo) -> Box<dyn FnMut() -> Result<Vec<u8>, Fault> + 'a>,
) -> Ran {
    let chain = match vectors.file(&cavp(algorithm, "Monte"), read::cavp_monte) {
        Ok(chain) => chain,
        Err(error) => match Chain::find(algorithm).filter(|_| matches!(error.fault, ReadFault::Absent)) {
            Some(known) => {
                let mut next = begin(&known.beginning());
                tally.check("the chain as a whole", || known.compare(&mut next));
                return Ok(());
            }
            None => return Err(error),
        },
    };
    let mut next = begin(&chain);
    for (count, expected) in chain.results.iter().enumerate() {
        tally.check(count, || equal("output", expected, &next()?));
    }
    Ok(())
}

fn acvp_shake(xof: &dyn Xof, times: usize, vectors: &Vectors, tally: &mut Tally, output: Output) -> Ran {
    let name = format!("acvp/{}-FIPS202/internalProjection.json.gz", xof.info().algorithm.replace("SHAKE", "SHAKE-"));
    for test in vectors.file(&name, read::acvp)?.iter() {
        match test {
            Test::Message(message) => {
                tally.check(message.id, || (0..times).try_for_each(|_| extended(xof, message, output)));
            }
            Test::MonteCarlo(id, _) => {
                tally.unsupported(format!("an unknown kind of chain (test {id})"));
            }
            Test::Large(id, _) => tally.check(id, || Err(too_large())),
        }
    }
    Ok(())
}

fn short_shake(xof: &dyn Xof, times: usize, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for message in vectors.file(&cavp(&xof.info().algorithm, "ShortMsg"), read::cavp_short)?.iter() {
        let check = || (0..times).try_for_each(|_| extended(xof, message, digest));
        tally.check(format_args!("line {}", message.id), check);
    }
    Ok(())
}

fn long_shake(xof: &dyn Xof, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let file = vectors.fetched(&cavp(&xof.info().algorithm, "LongMsg"), read::cavp_short)?;
    outputs(xof, &file, tally);
    Ok(())
}

fn variable_shake(xof: &dyn Xof, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let file = vectors.fetched(&cavp(&xof.info().algorithm, "VariableOut"), read::cavp_variable)?;
    outputs(xof, &file, tally);
    Ok(())
}

fn outputs(xof: &dyn Xof, messages: &[Message], tally: &mut Tally) {
    for message in messages {
        tally.check(format_args!("line {}", message.id), || extended(xof, message, digest));
    }
}

fn monte_shake(xof: &dyn Xof, vectors: &Vectors, tally: &mut Tally) -> Ran {
    monte(&xof.info().algorithm, vectors, tally, |chain| {
        let mut state = OutputChain::new(chain);
        Box::new(move || Ok(state.thousandth(xof)?.to_vec()))
    })
}

/// Chain from the SHA-3 Validation System, section 6.3.3. Each message is the first 128 bits of the previous output.
/// The last 16 bits of that output determine the length of the next output.
struct OutputChain {
    output: Vec<u8>,
    length: usize,
    shortest: usize,
    longest: usize,
}

impl OutputChain {
    fn new(chain: &MonteCarlo) -> OutputChain {
        let (shortest, longest) = chain.output_bits.unwrap_or((128, 128));
        let (shortest, longest) = (shortest.div_ceil(8), longest / 8);
        OutputChain { output: chain.seed.clone(), length: longest, shortest, longest: longest.max(shortest) }
    }

    fn thousandth(&mut self, xof: &dyn Xof) -> Result<&[u8], Fault> {
        for _ in 0..STEPS {
            let mut message = self.output.clone();
            message.resize(16, 0);
            self.output = digest(xof, &message, self.length)?;
            let last = self.output.last_chunk::<2>().copied().unwrap_or_default();
            let range = self.longest - self.shortest + 1;
            self.length = self.shortest + usize::from(u16::from_be_bytes(last)) % range;
        }
        Ok(&self.output)
    }
}

/// A function that hashes several messages, presented as a function that hashes one.
enum Single<'a> {
    Hash(InTurn<'a, HashParameters>),
    Xof(InTurn<'a, XofParameters>),
}

fn in_turn(function: &dyn LaneHash) -> Single<'_> {
    let algorithm = function.algorithm();
    match (HashParameters::find(algorithm), XofParameters::find(algorithm)) {
        (Some(info), _) => Single::Hash(InTurn::new(function, info)),
        (None, Some(info)) => Single::Xof(InTurn::new(function, info)),
        (None, None) => unreachable!("suites must cover only functions of FIPS 202"),
    }
}

fn cavp(algorithm: &str, kind: &str) -> String {
    format!("nist-cavp-sha3/{}{kind}.rsp.gz", algorithm.replace('-', "_"))
}

fn thousandth(hash: &dyn Hash, seed: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut message = seed.to_vec();
    let mut out = buffer(hash.info().digest);
    for _ in 0..STEPS {
        step("digest", hash.digest(&message, &mut out))?;
        message.clone_from(&out);
    }
    Ok(out)
}

pub(super) fn hashed(hash: &dyn Hash, message: &Message) -> Checked {
    whole_bytes(message)?;
    let mut out = buffer(hash.info().digest);
    step("digest", hash.digest(&message.message, &mut out))?;
    equal("digest", &message.digest, &out)
}

/// Compares an output that may end within a byte. If the last byte is incomplete, FIPS 202 (appendix B.1) stores its
/// bits in the lower positions, and ACVP in the upper positions.
fn extended(xof: &dyn Xof, message: &Message, output: Output) -> Checked {
    whole_bytes(message)?;
    let mut out = output(xof, &message.message, message.digest.len())?;
    let rest = message.digest_bits % 8;
    if let (Some(last), 1..) = (out.last_mut(), rest) {
        *last <<= 8 - rest;
    }
    equal("output", &message.digest, &out)
}

fn digest(xof: &dyn Xof, message: &[u8], length: usize) -> Result<Vec<u8>, Fault> {
    let mut out = buffer(length);
    step("digest", xof.digest(message, &mut out))?;
    Ok(out)
}

/// Squeezes an output in parts that end at different positions in a block: within it, at its end, and just beyond it.
fn squeezed(xof: &dyn Xof, message: &[u8], length: usize) -> Result<Vec<u8>, Fault> {
    let rate = xof.info().rate;
    let mut parts = [1, 7, rate - 8, rate, 0, rate + 1].into_iter().cycle();
    let mut reader = step("absorb", xof.absorb(message))?;
    let mut out = buffer(length);
    let mut rest = out.as_mut_slice();
    while !rest.is_empty() {
        let (part, after) = rest.split_at_mut(parts.next().unwrap_or(1).min(rest.len()));
        step("squeeze", reader.squeeze(part))?;
        rest = after;
    }
    Ok(out)
}

fn whole_bytes(message: &Message) -> Checked {
    if message.bits.is_multiple_of(8) {
        Ok(())
    } else {
        Err(Fault::Unsupported(
            "the message length is not a multiple of 8 bits, and pqlab's hash interface accepts only whole bytes"
                .to_owned(),
        ))
    }
}

fn too_large() -> Fault {
    Fault::Unsupported("the message is 1 GiB or longer, and pqlab passes each message in one piece".to_owned())
}
