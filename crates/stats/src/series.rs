use crate::mean;

/// The autocorrelation of a series at lags 0 to `most`, with the denominator `n` at every lag: Box and Jenkins, "Time
/// Series Analysis" (1970), section 2.1.5. `None` for a series without spread, of fewer than two values, or with one that
/// is not a finite number.
pub fn autocorrelation(series: &[f64], most: usize) -> Option<Vec<f64>> {
    let distances = distances(series)?;
    Some((0..=most.min(series.len() - 1)).map(|lag| covariance(&distances, lag) / covariance(&distances, 0)).collect())
}

/// How many independent samples tell as much about the mean as this series does: `n / (1 + 2 sum of autocorrelations)`,
/// the sum cut off by the initial monotone sequence of Geyer, "Practical Markov Chain Monte Carlo", Statistical Science 7
/// (1992), section 3.3. At most `n`; `None` as for [`autocorrelation`].
pub fn effective_sample_size(series: &[f64]) -> Option<f64> {
    let distances = distances(series)?;
    let variance = covariance(&distances, 0);
    let n = series.len();
    let pair = |at: usize| (covariance(&distances, at) + covariance(&distances, at + 1)) / variance;
    let (mut sum, mut least) = (0.0, f64::INFINITY);
    for at in (0..n - 1).step_by(2) {
        let gamma = pair(at).min(least);
        if gamma <= 0.0 {
            break;
        }
        least = gamma;
        sum += gamma;
    }
    // Twice the sum of the pairs, less the one at lag zero that it counts twice.
    Some((n as f64 / (2.0 * sum - 1.0).max(1.0)).min(n as f64))
}

fn distances(series: &[f64]) -> Option<Vec<f64>> {
    let centre = mean(series).filter(|centre| centre.is_finite() && series.len() > 1)?;
    if series.iter().all(|value| *value == series[0]) {
        return None;
    }
    Some(series.iter().map(|value| value - centre).collect())
}

fn covariance(distances: &[f64], lag: usize) -> f64 {
    let products = distances.iter().zip(&distances[lag..]).map(|(left, right)| left * right);
    products.sum::<f64>() / distances.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    #[test]
    fn the_autocorrelation_agrees_with_hand_computed_values() {
        // Distances -1 0 1 0: squares 2; products at lag 1: 0 0 0; at lag 2: -1 0.
        assert_eq!(autocorrelation(&[1.0, 2.0, 3.0, 2.0], 9).unwrap(), [1.0, 0.0, -0.5, 0.0]);
        assert_eq!(autocorrelation(&[1.0, 1.0], 1), None);
        assert_eq!((autocorrelation(&[1.0], 1), effective_sample_size(&[f64::NAN, 1.0])), (None, None));
    }

    #[test]
    fn independent_samples_count_in_full_and_dependent_ones_in_part() {
        let mut rng = Rng::with_seed(1);
        let n = 20_000;
        let independent: Vec<f64> = (0..n).map(|_| rng.f64()).collect();
        assert!(effective_sample_size(&independent).unwrap() > 0.9 * f64::from(n));
        // An autoregression of coefficient 0.8 has (1 - 0.8) / (1 + 0.8) of them.
        let mut value = 0.0;
        let mut step = |noise: f64| {
            value = 0.8 * value + noise - 0.5;
            value
        };
        let dependent: Vec<f64> = (0..n).map(|_| step(rng.f64())).collect();
        let share = effective_sample_size(&dependent).unwrap() / f64::from(n);
        assert!((share * 9.0 - 1.0).abs() < 0.15, "{share}");
        // Alternation says more about the mean than independence does, but no more than n is claimed.
        let alternating: Vec<f64> = (0..100).map(|index| f64::from(index % 2)).collect();
        assert_eq!(effective_sample_size(&alternating), Some(100.0));
    }
}
