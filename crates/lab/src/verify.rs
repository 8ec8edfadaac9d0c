use crate::Laboratory;
use pqlab_verification::{Line, Reason, Select};
use pqlab_workloads::NULL;
use pqlab_workloads::known_answers::{KnownAnswer, check_fully};

/// What lines of known answers name as their suite.
const SUITE: &str = "known answers";

/// Checks the embedded known answers of every algorithm of every provider, those too that take a worker too long to
/// check before each measurement, and reports line by line.
pub fn known_answers(laboratory: &Laboratory, select: &Select, report: &mut dyn FnMut(Line)) {
    for provider in laboratory.registry().providers().iter().filter(|provider| provider.library != NULL) {
        let id = provider.id();
        for algorithm in provider.algorithms() {
            if !select(&id, &algorithm, SUITE) {
                continue;
            }
            let mut line = Line { provider: id.clone(), algorithm, suite: SUITE.into(), ..Line::default() };
            match check_fully(provider, &line.algorithm) {
                Ok(KnownAnswer::Checked(count)) => (line.attempted, line.passed) = (count as u64, count as u64),
                Ok(KnownAnswer::NotAvailable(reason)) => {
                    line.unsupported = 1;
                    line.reasons = vec![Reason { reason: reason.to_owned(), count: 1 }];
                }
                Err(reason) => {
                    line.attempted = 1;
                    line.failures = vec![reason];
                }
            }
            report(line);
        }
    }
}
