use crate::two_sample::student_two_sided;
use crate::{mean, standard_deviation};

/// The level below which a drift is believed.
pub const DRIFT_SIGNIFICANCE: f64 = 0.001;

/// A smaller change than this over a case's rounds is no drift worth a mark, in percent.
pub const DRIFT_PCT: f64 = 1.0;

/// A series that moves in one direction while it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// By how much the values change from the first round to the last, in percent, by a straight line through the
    /// logarithms of each process.
    pub change_pct: f64,
    /// Two-sided p-value of no change.
    pub p_value: f64,
    /// Whether this is more than chance and more than a trifle: a p-value below [`DRIFT_SIGNIFICANCE`] and a change of at
    /// least [`DRIFT_PCT`] percent.
    pub drifting: bool,
}

/// Does a case become slower or faster while it is measured? The input is, for each process, the round and the median of
/// each visit. The slope of each process is estimated by least squares, and Student's test asks whether their mean is
/// zero: the processes take turns, so what the machine does they all see, while noise within a process that depends on
/// its own past does not pass for a trend.
///
/// `None` for fewer than three processes with three visits each in different rounds, and where a value is not positive
/// and finite.
pub fn drift(processes: &[Vec<(u32, f64)>]) -> Option<Drift> {
    let rounds = processes.iter().flatten().map(|(round, _)| *round);
    let span = f64::from(rounds.clone().max()? - rounds.min()?);
    let mut changes = Vec::new();
    for visits in processes.iter().filter(|visits| visits.len() >= 3) {
        let times: Vec<f64> = visits.iter().map(|(round, _)| f64::from(*round)).collect();
        let values: Vec<f64> = visits.iter().map(|(_, value)| value.ln()).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let (centre, level) = (mean(&times)?, mean(&values)?);
        let products: f64 = times.iter().zip(&values).map(|(time, value)| (time - centre) * (value - level)).sum();
        let squares: f64 = times.iter().map(|time| (time - centre).powi(2)).sum();
        if squares > 0.0 {
            changes.push(products / squares * span);
        }
    }
    if changes.len() < 3 {
        return None;
    }
    let change = mean(&changes)?;
    let error = standard_deviation(&changes)? / (changes.len() as f64).sqrt();
    let statistic = if change == 0.0 { 0.0 } else { change / error.max(f64::MIN_POSITIVE) };
    let p_value = student_two_sided(statistic, (changes.len() - 1) as f64)?;
    let change_pct = 100.0 * change.exp_m1();
    Some(Drift { change_pct, p_value, drifting: p_value < DRIFT_SIGNIFICANCE && change_pct.abs() >= DRIFT_PCT })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drift_is_the_mean_change_over_the_rounds() {
        let line = |slope: f64| (0..5).map(|round| (round, (slope * f64::from(round)).exp())).collect::<Vec<_>>();
        let found = drift(&[line(0.009), line(0.010), line(0.011)]).unwrap();
        assert!((found.change_pct - 100.0 * 0.04_f64.exp_m1()).abs() < 1e-9, "{found:?}");
        assert!(!found.drifting && found.p_value > DRIFT_SIGNIFICANCE, "three processes are few: {found:?}");
        assert!(drift(&[line(0.01), line(0.010_01), line(0.009_99)]).unwrap().drifting);
        assert!(!drift(&[line(0.000_1), line(0.000_100_1), line(0.000_099_9)]).unwrap().drifting, "a trifle");
        assert!(!drift(&[line(0.0), line(0.0), line(0.0)]).unwrap().drifting);
        assert_eq!(drift(&[line(0.01), line(0.01)]), None);
        assert_eq!(drift(&[]), None);
    }
}
