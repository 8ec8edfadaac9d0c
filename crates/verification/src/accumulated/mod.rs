//! Accumulated vectors: the library computes thousands of answers for inputs drawn from a SHAKE128 stream, and a single
//! published digest covers all answers. These vectors need no file. A single wrong answer changes the digest.
//!
//! A run of many hours can be interrupted and resumed, because it saves its progress in a file.

mod figures;
mod kept;
mod questions;
mod stream;

use crate::given::with_given_coins;
use crate::line::Line;
use crate::tally::{Checked, Fault, Tally, caught};
use crate::thousands::thousands;
use figures::{ACCUMULATED, Accumulated};
use kept::Kept;
use pqlab_primitives::{Primitive, Provider};
use questions::Asked;
use std::path::PathBuf;
use std::sync::Arc;
use stream::Stream;

/// Suite name of accumulated vectors in result lines.
pub const ACCUMULATED_SUITE: &str = "accumulated answers";

/// Default number of answers.
const SHORT: u64 = 100;
/// Number of answers in a long run of a signature scheme.
const LONG: u64 = 10_000;
/// Number of answers in a long run of a KEM. KEM operations are faster, so this number is higher.
const LONG_KEM: u64 = 1_000_000;

/// Interval between saved states, in ns.
const KEEP_EVERY: u64 = 5_000_000_000;
/// Interval between progress reports, in ns.
const TELL_EVERY: u64 = 250_000_000;
/// Minimum duration of the trial run that [`pace`] times, in ns.
const PACED: u64 = 60_000_000;

/// Number of answers to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Answers {
    /// 100 answers.
    #[default]
    Short,
    /// 10,000 answers for a signature scheme, and a million for a KEM.
    Long,
    /// The largest number of answers, up to this limit, that has a published digest.
    UpTo(u64),
}

impl Answers {
    /// Returns [`Answers::UpTo`] for a number of answers with a published digest.
    ///
    /// # Errors
    /// Fails if no digest is published for this number. The message lists the published numbers.
    pub fn up_to(answers: u64) -> Result<Answers, String> {
        let published = published_answers();
        if published.contains(&answers) {
            return Ok(Answers::UpTo(answers));
        }
        let known: Vec<String> = published.iter().map(u64::to_string).collect();
        Err(format!("no digest is published for this number of answers; choose one of {}", known.join(", ")))
    }
}

/// Callback for progress reports. The arguments are the number of finished answers and the total number.
pub type Told<'a> = dyn Fn(u64, u64) + Sync + 'a;

/// Options for accumulated vectors.
#[derive(Default)]
pub struct Accumulation<'a> {
    /// Number of answers.
    pub answers: Answers,
    /// Folder for saved progress. Without a folder, every run starts from the beginning.
    pub kept_in: Option<PathBuf>,
    /// Callback for progress reports, if any.
    pub told: Option<&'a Told<'a>>,
    /// Monotonic clock. Without a clock, a run neither reports nor saves its progress.
    pub clock: Option<Clock>,
}

/// Returns the time in ns since an arbitrary moment. This crate does not read clocks itself.
pub type Clock = fn() -> u64;

/// Returns the numbers of answers that have a published digest for at least one algorithm, in ascending order.
pub fn published_answers() -> Vec<u64> {
    let mut answers: Vec<u64> = ACCUMULATED.iter().map(|figure| figure.answers).collect();
    answers.sort_unstable();
    answers.dedup();
    answers
}

/// Returns the published digest over an algorithm's first `answers` answers: the first 32 bytes of SHAKE128, in
/// hexadecimal. Returns `None` if no digest is published for this number of answers.
pub fn published_digest(algorithm: &str, answers: u64) -> Option<&'static str> {
    let figure = ACCUMULATED.iter().find(|figure| figure.algorithm == algorithm && figure.answers == answers);
    figure.map(|figure| figure.digest)
}

/// Returns the suite name if accumulated vectors are published for the algorithm.
pub(crate) fn suite_of(primitive: Primitive) -> Option<&'static str> {
    Asked::new(primitive)?;
    ACCUMULATED.iter().any(|figure| figure.algorithm == primitive.algorithm()).then_some(ACCUMULATED_SUITE)
}

/// Returns the number of answers that a run computes for an algorithm, and the measured seconds per answer with this
/// provider. Returns `None` if no accumulated vectors are published for the algorithm, or if the provider does not
/// support the necessary operations.
pub fn pace(provider: &Arc<Provider>, algorithm: &str, answers: Answers, clock: Clock) -> Option<(u64, f64)> {
    let provider = with_given_coins(provider);
    let asked = provider.primitives().filter(|primitive| primitive.algorithm() == algorithm).find_map(Asked::new)?;
    let all = checkpoints(algorithm, answers, asked.is_kem()).last()?.answers;
    let mut stream = Stream::begin();
    let begun = clock();
    while stream.done < 3 || clock() - begun < PACED {
        caught(|| asked.answer(&mut stream)).ok()?;
        stream.done += 1;
    }
    Some((all, (clock() - begun) as f64 / 1e9 / stream.done as f64))
}

/// Runs an algorithm's accumulated vectors with a provider. Each published digest, up to the requested number of
/// answers, counts as one vector.
pub(crate) fn line(provider: &Provider, primitive: Primitive, suite: &str, accumulation: &Accumulation) -> Line {
    let mut tally = Tally::default();
    if let Some(asked) = Asked::new(primitive) {
        let kept = accumulation.kept_in.as_deref().map(|folder| Kept::new(folder, provider, primitive.algorithm()));
        let checkpoints = checkpoints(primitive.algorithm(), accumulation.answers, asked.is_kem());
        accumulate(&asked, &checkpoints, kept.as_ref(), accumulation, &mut tally);
    }
    tally.line(&provider.id(), None, primitive.algorithm(), suite)
}

/// Returns the published digests for an algorithm, up to the requested number of answers. Always includes the digest
/// over the fewest answers.
fn checkpoints(algorithm: &str, answers: Answers, kem: bool) -> Vec<&'static Accumulated> {
    let most = match answers {
        Answers::Short => SHORT,
        Answers::Long if kem => LONG_KEM,
        Answers::Long => LONG,
        Answers::UpTo(most) => most,
    };
    let figures = ACCUMULATED.iter().filter(|figure| figure.algorithm == algorithm).enumerate();
    figures.filter(|(index, figure)| *index == 0 || figure.answers <= most).map(|(_, figure)| figure).collect()
}

fn accumulate(
    asked: &Asked,
    checkpoints: &[&Accumulated],
    kept: Option<&Kept>,
    accumulation: &Accumulation,
    tally: &mut Tally,
) {
    let all = checkpoints.last().map_or(0, |last| last.answers);
    let mut stream = kept.and_then(|kept| kept.stream(all)).unwrap_or_else(Stream::begin);
    let now = || accumulation.clock.map_or(0, |clock| clock());
    let (mut last_kept, mut last_told) = (now(), now());
    let mut from = 1;
    for checkpoint in checkpoints {
        let to = checkpoint.answers;
        // Count the checkpoint as passed, because the interrupted run passed it.
        if to < stream.done {
            tally.check(to, || Ok(()));
            from = to + 1;
            continue;
        }
        while stream.done < to {
            match caught(|| asked.answer(&mut stream)) {
                Ok(()) => stream.done += 1,
                Err(Fault::Unsupported(reason) | Fault::NotAsked(reason)) => return tally.unsupported(reason),
                Err(Fault::Wrong(reason)) => {
                    // Keep the saved state, which ends before this answer, so that a resumed run fails here again.
                    return tally.fail(format_args!("answer {}", thousands(stream.done + 1)), &reason);
                }
            }
            let now = now();
            if now - last_told > TELL_EVERY {
                last_told = now;
                accumulation.told.iter().for_each(|told| told(stream.done, all));
            }
            if now - last_kept > KEEP_EVERY {
                last_kept = now;
                kept.iter().for_each(|kept| kept.keep(&stream));
            }
        }
        let digest = hex::encode(stream.digest());
        let outcome: Checked = if digest == checkpoint.digest {
            Ok(())
        } else {
            Err(Fault::Wrong(format!("wrong digest {digest} over the answers: at least one answer is wrong")))
        };
        let right = outcome.is_ok();
        tally.check(format_args!("answers {} to {}", thousands(from), thousands(to)), || outcome);
        if !right {
            break;
        }
        from = to + 1;
    }
    kept.iter().for_each(|kept| kept.forget());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_resumes_where_it_was_stopped() {
        let providers = pqlab_providers::providers();
        let provider = providers.iter().find(|provider| provider.library == "rustcrypto").unwrap();
        let primitive = Primitive::Signature(provider.signature("ML-DSA-44").unwrap());
        let folder = std::env::temp_dir().join(format!("pqlab-accumulated-{}", std::process::id()));
        let kept = Kept::new(&folder, provider, "ML-DSA-44");
        let stopped = |answers: u64, spoilt: &[u8]| {
            let (asked, mut stream) = (Asked::new(primitive).unwrap(), Stream::begin());
            for _ in 0..answers {
                asked.answer(&mut stream).unwrap();
                stream.done += 1;
            }
            stream.write(spoilt);
            kept.keep(&stream);
        };
        let go_on = || {
            let accumulation = Accumulation { kept_in: Some(folder.clone()), ..Accumulation::default() };
            let line = line(provider, primitive, ACCUMULATED_SUITE, &accumulation);
            assert!(kept.stream(100).is_none(), "a finished run must delete its saved progress");
            (line.attempted, line.passed)
        };
        stopped(57, b"");
        assert_eq!(go_on(), (1, 1));
        // A wrong digest proves that the run resumed from the altered state.
        stopped(57, b"another answer");
        assert_eq!(go_on(), (1, 0));
        assert_eq!(go_on(), (1, 1));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn checks_every_published_number_up_to_the_requested_one() {
        let answers = |algorithm, answers, kem| -> Vec<u64> {
            checkpoints(algorithm, answers, kem).iter().map(|figure| figure.answers).collect()
        };
        assert_eq!(answers("ML-DSA-44", Answers::Short, false), [100]);
        assert_eq!(answers("ML-DSA-44", Answers::Long, false), [100, 10_000]);
        assert_eq!(answers("ML-KEM-768", Answers::Long, true), [100, 10_000, 1_000_000]);
        assert_eq!(answers("ML-KEM-768", Answers::UpTo(60_000_000), true), [100, 10_000, 1_000_000]);
        assert_eq!(answers("ML-DSA-87", Answers::UpTo(1_000_000), false), [100, 10_000]);
        assert_eq!(answers("ML-DSA-87", Answers::UpTo(1), false), [100]);
        assert!(answers("Falcon-512", Answers::Long, false).is_empty());
        assert_eq!(published_answers(), [100, 10_000, 1_000_000, 60_000_000]);
    }
}
