//! Runs series of leak tests and builds JSON documents from the results.

use crate::{LabError, Laboratory, LeakOutcome, LeakRequest, Tainted};
use pqlab_workloads::leak::{LeakCase, Role};
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

/// Minimum number of samples per leak test, over both classes of inputs.
pub const FEWEST_LEAK_SAMPLES: u64 = 2_000;

/// Progress of leak tests.
#[derive(Clone, Copy, Debug)]
pub enum LeakStep<'a> {
    /// The test of this case is about to start.
    Begins(&'a LeakCase),
    /// Number of finished tests, plus the finished fraction of the current test.
    Done(f64),
    /// Result of a test.
    Found(&'a LeakOutcome),
}

impl LeakRequest {
    /// Rejects requests with numbers that are out of range.
    ///
    /// # Errors
    /// [`LabError::Invalid`] for the first invalid number.
    pub fn check(&self) -> Result<(), LabError> {
        if self.samples < FEWEST_LEAK_SAMPLES {
            let reason = format!("samples must be at least {FEWEST_LEAK_SAMPLES}, not {}", self.samples);
            return Err(LabError::invalid("samples", reason));
        }
        let numbers = [("effect", self.effect_ns), ("planted", self.control_delay_ns), ("max_time", self.max_time_s)];
        match numbers.into_iter().find(|(_, number)| !(number.is_finite() && *number > 0.0)) {
            Some((field, number)) => {
                Err(LabError::invalid(field, format!("{field} must be a number above zero, not {number}")))
            }
            None => Ok(()),
        }
    }
}

impl Laboratory {
    /// Tests all cases `repeat` times, each time with a different seed. Verdicts are corrected for the number of cases.
    /// `take` receives progress and results. Returns `None` if `stop` is set in the meantime.
    ///
    /// # Errors
    /// Errors from [`measure_leak`](Self::measure_leak) and [`LeakRequest::check`]. An error from `take` ends the tests
    /// and is returned.
    pub fn measure_leaks<E: From<LabError>>(
        &self,
        cases: &[LeakCase],
        request: &LeakRequest,
        repeat: u32,
        take: &mut dyn FnMut(LeakStep<'_>) -> Result<(), E>,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<LeakOutcome>>, E> {
        request.check()?;
        let mut outcomes = Vec::new();
        for turn in 0..u64::from(repeat) {
            for case in cases {
                take(LeakStep::Begins(case))?;
                let request = LeakRequest { seed: request.seed.wrapping_add(turn), cases: cases.len(), ..*request };
                let before = outcomes.len() as f64;
                let mut refused = None;
                let mut far = |share: f64| {
                    if refused.is_none() {
                        refused = take(LeakStep::Done(before + share)).err();
                    }
                };
                let found = self.measure_leak(case, &request, &mut far, stop)?;
                if let Some(refused) = refused {
                    return Err(refused);
                }
                let Some(outcome) = found else { return Ok(None) };
                take(LeakStep::Found(&outcome))?;
                outcomes.push(outcome);
                take(LeakStep::Done(outcomes.len() as f64))?;
            }
        }
        Ok(Some(outcomes))
    }

    /// Taints the secret of each case that has one, and runs the case once under valgrind. `take` receives each result
    /// as soon as it is available. Returns `None` if `stop` is set in the meantime.
    ///
    /// # Errors
    /// Errors from [`taint`](Self::taint), and any error that `take` returns.
    pub fn taint_all<E: From<LabError>>(
        &self,
        cases: &[LeakCase],
        seed: u64,
        take: &mut dyn FnMut(&Tainted) -> Result<(), E>,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Tainted>>, E> {
        let mut all = Vec::new();
        for case in cases.iter().filter(|case| case.role == Role::Secret) {
            let Some(tainted) = self.taint(case, seed, stop)? else { return Ok(None) };
            take(&tainted)?;
            all.push(tainted);
        }
        Ok(Some(all))
    }
}

/// Returns the ids and classes of the given leak tests, as a JSON list.
pub fn leak_listing(cases: &[LeakCase]) -> Value {
    let entry = |case: &LeakCase| json!({"case": case.to_string(), "operation": case.operation_id(), "role": case.role.name(), "classes": case.classes});
    cases.iter().map(entry).collect()
}

/// Returns the results of leak tests as JSON with the schema `pqlab-leak/1`.
pub fn leak_document(outcomes: &[LeakOutcome]) -> Value {
    json!({"schema": "pqlab-leak/1", "tests": outcomes})
}

/// Returns the results of taint tests as JSON with the schema `pqlab-taint/1`.
pub fn taint_document(tainted: &[Tainted]) -> Value {
    let entry = |tainted: &Tainted| json!({"case": tainted.case, "gap": tainted.end.gap, "findings": tainted.findings});
    json!({"schema": "pqlab-taint/1", "tests": tainted.iter().map(entry).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_need_numbers_above_zero() {
        let good =
            LeakRequest { samples: 2_000, effect_ns: 30.0, control_delay_ns: 50.0, max_time_s: 1.0, seed: 1, cases: 1 };
        let checked = |request: LeakRequest| request.check().map_err(|error| error.to_string());
        assert_eq!(checked(good), Ok(()));
        assert!(checked(LeakRequest { samples: 1_999, ..good }).unwrap_err().contains("at least 2000"));
        assert!(
            checked(LeakRequest { effect_ns: f64::NAN, ..good })
                .unwrap_err()
                .contains("effect must be a number above zero, not NaN")
        );
        assert!(
            checked(LeakRequest { max_time_s: 0.0, ..good })
                .unwrap_err()
                .contains("max_time must be a number above zero, not 0")
        );
    }
}
