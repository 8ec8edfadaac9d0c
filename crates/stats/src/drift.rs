use crate::student::student_two_sided;
use crate::two_way::TwoWay;
use crate::{Cell, Crossed};

/// P-value below which a drift is reported.
pub const DRIFT_SIGNIFICANCE: f64 = 0.001;

/// Minimum change over all rounds that is reported, in percent.
pub const DRIFT_PCT: f64 = 1.0;

/// Minimum number of rounds for testing drift.
const FEWEST_ROUNDS: usize = 4;

/// Minimum number of rounds for estimating the autocorrelation of the residuals.
const ROUNDS_FOR_AUTOCORRELATION: usize = 8;

/// Upper limit for the estimated autocorrelation. Estimates from a dozen rounds are often too high, either by chance or
/// because a change is not linear. Without the limit, such estimates would hide obvious drifts.
const MOST_AUTOCORRELATION: f64 = 0.6;

/// Trend of a case's times during the measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Change from the first round to the last in percent, according to a line fitted to the logarithms of the rounds'
    /// times.
    pub change_pct: f64,
    /// Two-sided p-value of the hypothesis of no change.
    pub p_value: f64,
    /// Whether the drift is significant and large enough: the p-value is below [`DRIFT_SIGNIFICANCE`], and the change
    /// is at least [`DRIFT_PCT`] percent.
    pub drifting: bool,
}

/// Tests whether a case becomes slower or faster during the measurement. `processes` contains the round and the median
/// of each visit, grouped by process.
///
/// The test fits a line to the effects of the rounds on the logarithm of the medians. These effects are adjusted for
/// processes, so that a missing visit does not look like a change. Rounds with fewer visits have less weight, according
/// to the variance components. Student's test of the slope has two degrees of freedom fewer than there are rounds.
/// Visits of the same round are not independent, because a disturbance affects all processes in a round. Agreement
/// between processes therefore does not prove a trend.
///
/// With eight or more rounds, the test allows for lasting disturbances. Let `c` be the lag-one autocorrelation of the
/// residuals, or 0 if it is negative. The variance of the slope is multiplied by `(1 + c) / (1 - c)`, and the degrees
/// of freedom by `(1 - c^2) / (1 + c^2)`. These factors give the effective number of independent values in a
/// first-order series, for its mean and its variance (Bayley and Hammersley, "The 'Effective' Number of Independent
/// Observations in an Autocorrelated Time Series", Supplement to the Journal of the Royal Statistical Society 8
/// (1946)).
///
/// Returns `None` if there are fewer than four rounds, if too few rounds are connected by common processes, or if a
/// value is not positive and finite.
pub fn drift(processes: &[Vec<(u32, f64)>]) -> Option<Drift> {
    let numbered = (0_u64..).zip(processes);
    let cell =
        |process: u64, (round, value): &(u32, f64)| Cell { process, round: u64::from(*round), value: value.ln() };
    let cells = numbered.flat_map(|(process, visits)| visits.iter().map(move |visit| cell(process, visit)));
    let table = TwoWay::new(&cells.collect::<Vec<_>>())?;
    if table.rounds.len() < FEWEST_ROUNDS {
        return None;
    }
    let line = line(&points(&table))?;
    let span = (table.rounds[table.rounds.len() - 1] - table.rounds[0]) as f64;
    let change = line.slope * span;
    let statistic = if change == 0.0 { 0.0 } else { line.slope / line.error.max(f64::MIN_POSITIVE) };
    let p_value = student_two_sided(statistic, line.freedom)?;
    let change_pct = 100.0 * change.exp_m1();
    Some(Drift { change_pct, p_value, drifting: p_value < DRIFT_SIGNIFICANCE && change_pct.abs() >= DRIFT_PCT })
}

/// A round of the table: number, effect, weight and connected part.
struct Point {
    round: f64,
    effect: f64,
    weight: f64,
    part: usize,
}

fn points(table: &TwoWay) -> Vec<Point> {
    let found = Crossed::new(table);
    // If no process has two rounds, the effects of processes cannot be removed, so compare rounds
    // directly.
    let nested = table.round.freedom == 0;
    let (effects, own) = match nested {
        true => (table.round_means(), found.process_pct),
        false => (table.round_effects.clone(), found.residual_pct),
    };
    let (shared, own) = (found.round_pct.unwrap_or(0.0).powi(2), own.unwrap_or(0.0).powi(2));
    let variances: Vec<f64> = table.of_round.iter().map(|cells| shared + own / *cells as f64).collect();
    let known = variances.iter().all(|variance| *variance > 0.0);
    let point = |at: usize| Point {
        round: table.rounds[at] as f64,
        effect: effects[at],
        weight: if known { 1.0 / variances[at] } else { 1.0 },
        part: if nested { 0 } else { table.part_of_round[at] },
    };
    (0..effects.len()).map(point).collect()
}

/// Line fitted by weighted least squares.
struct Line {
    slope: f64,
    /// Standard error of the slope.
    error: f64,
    freedom: f64,
}

/// Fits a line with the same slope, but a separate intercept, for each connected part of the table. Returns `None` if
/// fewer than two degrees of freedom remain.
fn line(points: &[Point]) -> Option<Line> {
    let parts = points.iter().map(|point| point.part + 1).max()?;
    let mut sums = vec![[0.0; 3]; parts];
    for Point { round, effect, weight, part } in points {
        for (sum, value) in sums[*part].iter_mut().zip([1.0, *round, *effect]) {
            *sum += weight * value;
        }
    }
    let centred: Vec<(f64, f64, f64)> = points
        .iter()
        .map(|point| {
            let [weight, round, effect] = sums[point.part];
            (point.round - round / weight, point.effect - effect / weight, point.weight)
        })
        .collect();
    let squares: f64 = centred.iter().map(|(round, _, weight)| weight * round * round).sum();
    let used = points.len().checked_sub(parts + 1).filter(|freedom| *freedom >= 2 && squares > 0.0)?;
    let slope = centred.iter().map(|(round, effect, weight)| weight * round * effect).sum::<f64>() / squares;
    let distances: Vec<f64> = centred.iter().map(|(round, effect, _)| effect - slope * round).collect();
    let left: f64 = distances.iter().zip(&centred).map(|(distance, (.., weight))| weight * distance * distance).sum();
    let alike = autocorrelation(&distances);
    let inflation = (1.0 + alike) / (1.0 - alike);
    let freedom = used as f64;
    Some(Line {
        slope,
        error: (left / freedom / squares * inflation).sqrt(),
        freedom: freedom * (1.0 - alike * alike) / (1.0 + alike * alike),
    })
}

/// Returns the lag-one autocorrelation of residuals, limited to the range from 0 to [`MOST_AUTOCORRELATION`].
fn autocorrelation(distances: &[f64]) -> f64 {
    let n = distances.len() as f64;
    let squares: f64 = distances.iter().map(|distance| distance * distance).sum();
    if distances.len() < ROUNDS_FOR_AUTOCORRELATION || squares == 0.0 {
        return 0.0;
    }
    let products: f64 = distances.windows(2).map(|pair| pair[0] * pair[1]).sum();
    // Fitting a line reduces an autocorrelation of c by about (2 + 4 c) / n.
    ((products / squares + 2.0 / n) / (1.0 - 4.0 / n)).clamp(0.0, MOST_AUTOCORRELATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_the_slope_over_rounds() {
        // Rounds alternate by 0.1% around the line, in all processes alike. Each process has its
        // own level.
        let noise = |round: u32| if round.is_multiple_of(2) { 0.001 } else { -0.001 };
        let process = |level: f64, slope: f64, rounds: u32| {
            (0..rounds)
                .map(|round| (round, level * (slope * f64::from(round) + noise(round)).exp()))
                .collect::<Vec<_>>()
        };
        let run = |slope: f64, rounds: u32| [1.0, 1.3, 0.8].map(|level| process(level, slope, rounds));
        // Over five rounds, the alternation has no slope. Its residual sum of squares is 4.8e-6,
        // with three degrees of freedom, and the squared distances of the rounds from their mean
        // add up to 10.
        let found = drift(&run(0.01, 5)).unwrap();
        assert!((found.change_pct - 100.0 * 0.04_f64.exp_m1()).abs() < 1e-9, "{found:?}");
        let wanted = student_two_sided(0.01 / (4.8e-6_f64 / 3.0 / 10.0).sqrt(), 3.0).unwrap();
        assert!((found.p_value / wanted - 1.0).abs() < 1e-6, "{found:?} should have the p-value {wanted}");
        assert!(found.drifting);
        assert!(!drift(&run(0.000_1, 5)).unwrap().drifting, "a change of 0.01% per round must not count as drift");
        assert!(!drift(&run(0.0, 5)).unwrap().drifting);
        assert_eq!(drift(&run(0.01, 3)), None);
        assert_eq!(drift(&[]), None);
        assert_eq!(drift(&[vec![(0, 1.0), (1, 1.0), (2, 0.0), (3, 1.0)]]), None);
    }

    #[test]
    fn ignores_disturbances_common_to_all_processes() {
        // Each round has an offset common to all processes, but there is no trend.
        let common = [0.02, -0.01, 0.0, -0.02, 0.015, 0.03];
        let visits =
            |level: f64| (0..6).map(|round| (round as u32, level * f64::exp(common[round]))).collect::<Vec<_>>();
        let found = drift(&[1.0, 1.01, 0.99, 1.002].map(visits)).unwrap();
        assert!(!found.drifting && found.p_value > 0.1, "{found:?}");
    }

    #[test]
    fn ignores_missing_visits() {
        // A slow process joins late, and a fast one leaves early. Two more processes have only
        // later rounds.
        let level = |level: f64, rounds: std::ops::Range<u32>| {
            rounds.map(|round| (round, level * (1.0 + 1e-4 * f64::from(round * round % 3)))).collect::<Vec<_>>()
        };
        let found = drift(&[level(1.0, 0..6), level(1.5, 3..6), level(0.7, 0..2), level(2.0, 6..9), level(2.2, 6..9)]);
        let found = found.unwrap();
        assert!(!found.drifting && found.change_pct.abs() < 0.1, "{found:?}");
        // If a case measures first calls, each process has only one round.
        let once =
            |round: u32, slope: f64| vec![(round, (slope * f64::from(round) + 1e-3 * f64::from(round % 2)).exp())];
        let run = |slope: f64| (0..24).map(|process| once(process / 4, slope)).collect::<Vec<_>>();
        assert!(drift(&run(0.02)).unwrap().drifting);
        assert!(!drift(&run(0.0)).unwrap().drifting);
    }
}
