use crate::accumulated;
use crate::given::with_given_coins;
use crate::known_answers::{KnownAnswer, check_fully};
use crate::read::ReadFault;
use crate::suites::Suite;
use crate::tally::Tally;
use crate::vectors::Vectors;
use crate::{KNOWN_DEFECTS, Line, Reason};
use pqlab_primitives::{NULL, Primitive, Provider};
use std::sync::Arc;

/// Selection function. Returns whether to run a suite, given the provider id, the algorithm and the suite name. A pair
/// in the interoperability matrix runs if either provider is selected.
pub type Select<'a> = dyn Fn(&str, &str, &str) -> bool + Sync + 'a;

/// Suite name for known answers.
const KNOWN_ANSWERS: &str = "known answers";

/// Name prefix of suites that generate their inputs at run time.
const RUN_TIME: &str = "run time";

/// Reason given for an algorithm without published vectors.
const NO_VECTORS: &str = "no published vectors for this algorithm: checked against known answers and other providers";

/// Selects every provider, algorithm and suite.
pub fn everything(_provider: &str, _algorithm: &str, _suite: &str) -> bool {
    true
}

/// Runs all suites with all providers except `null`. Reports one line for each provider, algorithm and suite that
/// covers the algorithm. Reports a skipped line for an algorithm without published vectors.
///
/// A wrong answer, an error or a panic is a failure of one vector. A library that kills the process also ends this
/// call, so callers should use a separate process for each provider and algorithm.
pub fn verify(providers: &[Arc<Provider>], vectors: &Vectors, select: &Select, report: &mut dyn FnMut(Line)) {
    for provider in &answering(providers) {
        let id = provider.id();
        for primitive in provider.primitives() {
            let algorithm = primitive.algorithm();
            let mut covered = false;
            for suite in Suite::for_primitive(primitive) {
                covered |= !suite.name.starts_with(RUN_TIME);
                if select(&id, algorithm, suite.name) {
                    report(line(provider, primitive, suite, vectors));
                }
            }
            if let Some(suite) = accumulated::suite_of(primitive) {
                covered = true;
                if select(&id, algorithm, suite) {
                    report(accumulated::line(provider, primitive, suite, vectors.accumulation()));
                }
            }
            if !covered && select(&id, algorithm, UNCOVERED) {
                report(skipped(&id, algorithm, UNCOVERED, NO_VECTORS));
            }
        }
    }
}

/// Checks the embedded known answers for every algorithm of every provider except `null`, including answers that are
/// too slow to check before each measurement. Reports one line for each provider and algorithm.
pub fn verify_known_answers(providers: &[Arc<Provider>], select: &Select, report: &mut dyn FnMut(Line)) {
    for provider in &answering(providers) {
        let id = provider.id();
        for algorithm in provider.algorithms() {
            if !select(&id, &algorithm, KNOWN_ANSWERS) {
                continue;
            }
            let mut line = Line { provider: id.clone(), algorithm, suite: KNOWN_ANSWERS.into(), ..Line::default() };
            match check_fully(provider, &line.algorithm) {
                Ok(KnownAnswer::Checked(count)) => (line.attempted, line.passed) = (count as u64, count as u64),
                Ok(KnownAnswer::NotAvailable(reason)) => {
                    line.unsupported = 1;
                    line.reasons = vec![Reason { reason: reason.to_owned(), count: 1 }];
                }
                Err(wrong) => {
                    line.attempted = 1;
                    line.failures = vec![wrong.to_string()];
                }
            }
            report(line);
        }
    }
}

/// Returns the names of the suites that cover a provider's algorithm.
pub fn suites_of(provider: &Provider, algorithm: &str) -> Vec<&'static str> {
    let primitives = provider.primitives().filter(|primitive| primitive.algorithm() == algorithm);
    primitives
        .flat_map(|one| Suite::for_primitive(one).map(|suite| suite.name).chain(accumulated::suite_of(one)))
        .collect()
}

/// Returns all providers except `null`, which computes no answers. Wraps each provider whose random generator can be
/// replaced, so that the provider accepts caller-supplied randomness.
pub(crate) fn answering(providers: &[Arc<Provider>]) -> Vec<Arc<Provider>> {
    providers.iter().filter(|provider| provider.library != NULL).map(with_given_coins).collect()
}

/// Suite name in the line of an algorithm without published vectors.
const UNCOVERED: &str = "published vectors";

fn line(provider: &Provider, primitive: Primitive, suite: &Suite, vectors: &Vectors) -> Line {
    let (id, algorithm) = (provider.id(), primitive.algorithm());
    let known = KNOWN_DEFECTS.iter().filter(|defect| {
        defect.is_in(provider) && algorithm.starts_with(defect.algorithm) && suite.name == defect.suite
    });
    let mut tally = Tally::with(known.collect());
    let ran = suite.put_to(primitive).map_or(Ok(()), |put| put(vectors, &mut tally));
    if let Err(error) = ran {
        if let (ReadFault::Absent, Some(absent)) = (&error.fault, suite.location.absent()) {
            return skipped(&id, algorithm, suite.name, absent);
        }
        tally.fail("reading the vectors", &error.to_string());
    } else if tally.is_empty() {
        tally.fail("reading the vectors", "the source contains no vectors for this algorithm");
    }
    tally.line(&id, None, algorithm, suite.name)
}

fn skipped(provider: &str, algorithm: &str, suite: &str, reason: &str) -> Line {
    Line {
        provider: provider.to_owned(),
        algorithm: algorithm.to_owned(),
        suite: suite.to_owned(),
        skipped: Some(reason.to_owned()),
        ..Line::default()
    }
}
