//! Rates per second.

use crate::case::CaseAnalysis;
use crate::estimates::scaled;
use pqlab_stats::Interval;

/// Returns the rate of a case in units per second, with its interval: `units` divided by the mean time. Returns `None`
/// without samples, or if the interval of the mean time is not positive. `units` is the number of units that one
/// operation processes (bytes, or transactions in a block).
pub fn rate(case: &CaseAnalysis<'_>, units: f64) -> Option<Interval> {
    Some(scaled(&case.estimates.as_ref()?.operations_per_second()?, units))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::run::RunAnalysis;

    #[test]
    fn rate_is_the_reciprocal_of_the_mean() {
        let mut run = fixtures::run();
        // Add one slow sample to each visit, which moves the mean but not the median.
        for visit in &mut run.records[0].samples.visits {
            visit.ticks[0] *= 30;
        }
        let analysis = RunAnalysis::new(&run);
        let case = &analysis.cases()[0];
        let mean = case.estimates.as_ref().unwrap().samples_ns.mean;
        let found = rate(case, 100.0).unwrap();
        assert!((found.estimate / (100.0 * 1e9 / mean) - 1.0).abs() < 1e-9);
        let from_median = 100.0 * 1e9 / case.median().unwrap().estimate;
        assert!(found.estimate < 0.7 * from_median, "the rate must come from the mean, not the median");
        assert!(found.low < found.estimate && found.estimate < found.high);
    }
}
