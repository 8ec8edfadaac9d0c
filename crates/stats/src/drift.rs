use crate::student::student_two_sided;
use crate::two_way::TwoWay;
use crate::{Cell, Crossed};

/// The level below which a drift is believed.
pub const DRIFT_SIGNIFICANCE: f64 = 0.001;

/// A smaller change than this over a case's rounds is no drift worth a mark, in percent.
pub const DRIFT_PCT: f64 = 1.0;

/// Fewest rounds of which a drift is told.
const FEWEST_ROUNDS: usize = 4;

/// From so many rounds on the autocorrelation of their means can be estimated.
const ROUNDS_FOR_AUTOCORRELATION: usize = 8;

/// No autocorrelation above this is believed. That of a dozen rounds is often estimated as higher by chance, and is high around a
/// change that is no straight line: to believe it would hide plain drifts.
const MOST_AUTOCORRELATION: f64 = 0.6;

/// A series that moves in one direction while it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// By how much the values change from the first round to the last, in percent, by a straight line through the
    /// logarithms of the rounds.
    pub change_pct: f64,
    /// Two-sided p-value of no change.
    pub p_value: f64,
    /// Whether this is more than chance and more than a trifle: a p-value below [`DRIFT_SIGNIFICANCE`] and a change of at
    /// least [`DRIFT_PCT`] percent.
    pub drifting: bool,
}

/// Does a case become slower or faster while it is measured? The input is, for each process, the round and the median of
/// each visit. A straight line is laid through the rounds' effects, processes taken out, so that a missing visit does not
/// pass for a change, and Student's test with two degrees of freedom fewer than there are rounds asks whether it is level.
/// The round is the unit here: what disturbs a round disturbs it for all processes alike, so that their agreement with one
/// another shows no trend. Rounds with fewer visits count for less, by as much as the variance components say.
///
/// From eight rounds on it counts that other loads may resemble each other: with `c` the autocorrelation of the distances from
/// the line, where it is positive, the variance of the slope is `(1 + c) / (1 - c)` times as large, and the degrees of freedom
/// are `(1 - c^2) / (1 + c^2)` of what they were: what a series of first order leaves of independent values for its mean and
/// for its variance (Bayley and Hammersley, "The 'Effective' Number of Independent Observations in an Autocorrelated Time
/// Series", Supplement to the Journal of the Royal Statistical Society 8 (1946)).
///
/// `None` for fewer than four rounds, where too few of them have a process in common, and where a value is not positive and
/// finite.
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

/// A round: its number, its effect and its weight, and the connected part of the table in which it is.
struct Point {
    round: f64,
    effect: f64,
    weight: f64,
    part: usize,
}

fn points(table: &TwoWay) -> Vec<Point> {
    let found = Crossed::of(table);
    // Where no process has two rounds there is nothing to take out, and rounds may be compared as they are.
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

/// A straight line by weighted least squares.
struct Line {
    slope: f64,
    /// Standard error of the slope.
    error: f64,
    freedom: f64,
}

/// Fits a line with a level of its own for each part. `None` where fewer than two degrees of freedom are left.
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

/// How much the distances from a fitted line resemble those before, from 0 to [`MOST_AUTOCORRELATION`].
fn autocorrelation(distances: &[f64]) -> f64 {
    let n = distances.len() as f64;
    let squares: f64 = distances.iter().map(|distance| distance * distance).sum();
    if distances.len() < ROUNDS_FOR_AUTOCORRELATION || squares == 0.0 {
        return 0.0;
    }
    let products: f64 = distances.windows(2).map(|pair| pair[0] * pair[1]).sum();
    // A line that was fitted takes about (2 + 4 c) / n away from an autocorrelation of c.
    ((products / squares + 2.0 / n) / (1.0 - 4.0 / n)).clamp(0.0, MOST_AUTOCORRELATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drift_is_the_slope_of_the_rounds() {
        // Every other round 0.1% off the line, for all processes alike; those differ by a factor each.
        let noise = |round: u32| if round.is_multiple_of(2) { 0.001 } else { -0.001 };
        let process = |level: f64, slope: f64, rounds: u32| {
            (0..rounds)
                .map(|round| (round, level * (slope * f64::from(round) + noise(round)).exp()))
                .collect::<Vec<_>>()
        };
        let run = |slope: f64, rounds: u32| [1.0, 1.3, 0.8].map(|level| process(level, slope, rounds));
        // Five rounds: the alternation is level; errors sum of squares 4.8e-6 over 3 over 10.
        let found = drift(&run(0.01, 5)).unwrap();
        assert!((found.change_pct - 100.0 * 0.04_f64.exp_m1()).abs() < 1e-9, "{found:?}");
        let wanted = student_two_sided(0.01 / (4.8e-6_f64 / 3.0 / 10.0).sqrt(), 3.0).unwrap();
        assert!((found.p_value / wanted - 1.0).abs() < 1e-6, "{found:?} {wanted}");
        assert!(found.drifting);
        assert!(!drift(&run(0.000_1, 5)).unwrap().drifting, "a trifle");
        assert!(!drift(&run(0.0, 5)).unwrap().drifting);
        assert_eq!(drift(&run(0.01, 3)), None);
        assert_eq!(drift(&[]), None);
        assert_eq!(drift(&[vec![(0, 1.0), (1, 1.0), (2, 0.0), (3, 1.0)]]), None);
    }

    #[test]
    fn processes_that_agree_on_a_disturbance_show_no_drift() {
        // What each round adds is common to all processes and knows no direction.
        let common = [0.02, -0.01, 0.0, -0.02, 0.015, 0.03];
        let visits =
            |level: f64| (0..6).map(|round| (round as u32, level * f64::exp(common[round]))).collect::<Vec<_>>();
        let found = drift(&[1.0, 1.01, 0.99, 1.002].map(visits)).unwrap();
        assert!(!found.drifting && found.p_value > 0.1, "{found:?}");
    }

    #[test]
    fn a_process_that_misses_rounds_is_no_change() {
        // A slow process is missing at first, a fast one at the end, and two join that saw none of the earlier rounds.
        let level = |level: f64, rounds: std::ops::Range<u32>| {
            rounds.map(|round| (round, level * (1.0 + 1e-4 * f64::from(round * round % 3)))).collect::<Vec<_>>()
        };
        let found = drift(&[level(1.0, 0..6), level(1.5, 3..6), level(0.7, 0..2), level(2.0, 6..9), level(2.2, 6..9)]);
        let found = found.unwrap();
        assert!(!found.drifting && found.change_pct.abs() < 0.1, "{found:?}");
        // First calls: a process has one round.
        let once =
            |round: u32, slope: f64| vec![(round, (slope * f64::from(round) + 1e-3 * f64::from(round % 2)).exp())];
        let run = |slope: f64| (0..24).map(|process| once(process / 4, slope)).collect::<Vec<_>>();
        assert!(drift(&run(0.02)).unwrap().drifting);
        assert!(!drift(&run(0.0)).unwrap().drifting);
    }
}
