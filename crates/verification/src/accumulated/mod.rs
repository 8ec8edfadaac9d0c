//! Accumulated vectors: thousands of answers to inputs from one SHAKE128 stream, and one published digest of them all.
//! They need no file, and find a library that is wrong once in thousands of times.
//!
//! A run of many hours can be stopped and taken up again: how far it came is kept in a file.

mod figures;
mod kept;
mod questions;
mod stream;

use crate::line::Line;
use crate::tally::{Checked, Fault, Tally, caught};
use crate::thousands::thousands;
use figures::{ACCUMULATED, Accumulated};
use kept::Kept;
use pqlab_primitives::{Primitive, Provider};
use questions::Asked;
use std::path::PathBuf;
use stream::Stream;

/// What a line has for their suite.
pub const ACCUMULATED_SUITE: &str = "accumulated answers";

/// How many answers are asked for where nothing else is said.
const SHORT: u64 = 100;
/// How many where it may take long: of KEMs, which are faster, a hundred times as many.
const LONG: u64 = 10_000;
const LONG_KEM: u64 = 1_000_000;

/// How often the state is kept, and how often is told how far it is.
const KEEP_EVERY: u64 = 5_000_000_000;
const TELL_EVERY: u64 = 250_000_000;
/// How long answers are timed to say how long all will take.
const PACED: u64 = 60_000_000;

/// How many answers are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Answers {
    /// A hundred.
    #[default]
    Short,
    /// 10,000; a million of KEMs.
    Long,
    /// The largest published number up to this one.
    UpTo(u64),
}

impl Answers {
    /// The published numbers up to this one, which must be one of them.
    ///
    /// # Errors
    /// A sentence that names those that there are.
    pub fn up_to(answers: u64) -> Result<Answers, String> {
        let published = published_answers();
        if published.contains(&answers) {
            return Ok(Answers::UpTo(answers));
        }
        let known: Vec<String> = published.iter().map(u64::to_string).collect();
        Err(format!("nobody has published a digest of so many answers; there are those of {}", known.join(", ")))
    }
}

/// Who is told how many answers there are of how many.
pub type Told<'a> = dyn Fn(u64, u64) + Sync + 'a;

/// How accumulated vectors are gone through.
#[derive(Default)]
pub struct Accumulation<'a> {
    /// How many answers.
    pub answers: Answers,
    /// The folder in which is kept how far a run came; without one a run begins anew.
    pub kept_in: Option<PathBuf>,
    /// Who is told.
    pub told: Option<&'a Told<'a>>,
    /// A clock that never goes back; without one nobody is told and nothing kept before the end.
    pub clock: Option<Clock>,
}

/// Reads a clock, in ns from some moment on: this crate reads none by itself.
pub type Clock = fn() -> u64;

/// The numbers of answers of which digests are known, for one algorithm or another: those that can be asked for.
pub fn published_answers() -> Vec<u64> {
    let mut answers: Vec<u64> = ACCUMULATED.iter().map(|figure| figure.answers).collect();
    answers.sort_unstable();
    answers.dedup();
    answers
}

/// The published digest of so many answers of an algorithm: in hexadecimal, the first 32 bytes of SHAKE128 over them.
pub fn published_digest(algorithm: &str, answers: u64) -> Option<&'static str> {
    let figure = ACCUMULATED.iter().find(|figure| figure.algorithm == algorithm && figure.answers == answers);
    figure.map(|figure| figure.digest)
}

/// The name of the suite that an algorithm has accumulated vectors under.
pub(crate) fn suite_of(primitive: Primitive) -> Option<&'static str> {
    Asked::of(primitive)?;
    ACCUMULATED.iter().any(|figure| figure.algorithm == primitive.algorithm()).then_some(ACCUMULATED_SUITE)
}

/// How many answers of an algorithm are asked for, and how many seconds one takes this provider here. `None` where there
/// are no accumulated vectors of it or the provider does not take what they ask for.
pub fn pace(provider: &Provider, algorithm: &str, answers: Answers, clock: Clock) -> Option<(u64, f64)> {
    let asked = provider.primitives().filter(|primitive| primitive.algorithm() == algorithm).find_map(Asked::of)?;
    let all = checkpoints(algorithm, answers, asked.is_kem()).last()?.answers;
    let mut stream = Stream::begin();
    let begun = clock();
    while stream.done < 3 || clock() - begun < PACED {
        caught(|| asked.answer(&mut stream)).ok()?;
        stream.done += 1;
    }
    Some((all, (clock() - begun) as f64 / 1e9 / stream.done as f64))
}

/// Puts an algorithm's accumulated vectors to a provider. Each published number of answers on the way is a vector.
pub(crate) fn line(provider: &Provider, primitive: Primitive, suite: &str, accumulation: &Accumulation) -> Line {
    let mut tally = Tally::default();
    if let Some(asked) = Asked::of(primitive) {
        let kept = accumulation.kept_in.as_deref().map(|folder| Kept::new(folder, provider, primitive.algorithm()));
        let checkpoints = checkpoints(primitive.algorithm(), accumulation.answers, asked.is_kem());
        accumulate(&asked, &checkpoints, kept.as_ref(), accumulation, &mut tally);
    }
    tally.line(&provider.id(), None, primitive.algorithm(), suite)
}

/// The figures of an algorithm up to the number of answers that is asked for; at least the first.
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
        // One that was passed before the run was put down.
        if to < stream.done {
            tally.check(to, || Ok(()));
            from = to + 1;
            continue;
        }
        while stream.done < to {
            match caught(|| asked.answer(&mut stream)) {
                Ok(()) => stream.done += 1,
                Err(Fault::Unsupported(reason)) => return tally.unsupported(reason),
                Err(Fault::Wrong(reason)) => {
                    // Nothing that was kept leads past this answer.
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
            Err(Fault::Wrong(format!("their digest is {digest}: one of them, or more, is wrong")))
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
    fn a_run_goes_on_where_it_was_stopped() {
        let providers = pqlab_providers::providers();
        let provider = providers.iter().find(|provider| provider.library == "rustcrypto").unwrap();
        let primitive = Primitive::Signature(provider.signature("ML-DSA-44").unwrap());
        let folder = std::env::temp_dir().join(format!("pqlab-accumulated-{}", std::process::id()));
        let kept = Kept::new(&folder, provider, "ML-DSA-44");
        let stopped = |answers: u64, spoilt: &[u8]| {
            let (asked, mut stream) = (Asked::of(primitive).unwrap(), Stream::begin());
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
            assert!(kept.stream(100).is_none(), "what is at its end begins anew");
            (line.attempted, line.passed)
        };
        stopped(57, b"");
        assert_eq!(go_on(), (1, 1));
        // It was taken up, not begun anew.
        stopped(57, b"another answer");
        assert_eq!(go_on(), (1, 0));
        assert_eq!(go_on(), (1, 1));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_asked_for_is_what_is_published() {
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
