//! Draws experiments from known distributions and counts how often the interval of the median covers the true one.

use fastrand::Rng;
use pqlab_stats::{CONFIDENCE, IntervalMethod, median_interval};
use statrs::distribution::{ContinuousCDF, Normal};

const PROCESSES: usize = 8;
const SAMPLES: usize = 40;
const EXPERIMENTS: usize = 3000;

/// Standard normal, by the polar method of Marsaglia and Bray, "A Convenient Method for Generating Normal Variables",
/// SIAM Review 6 (1964).
fn normal(rng: &mut Rng) -> f64 {
    loop {
        let (u, v) = (2.0 * rng.f64() - 1.0, 2.0 * rng.f64() - 1.0);
        let square = u * u + v * v;
        if square > 0.0 && square < 1.0 {
            return u * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// The share of experiments whose interval covers `truth`. `draw` makes one sample from the process's own effect (a
/// standard normal number).
fn coverage(seed: u64, truth: f64, draw: impl Fn(&mut Rng, f64) -> f64) -> f64 {
    let mut rng = Rng::with_seed(seed);
    let covered = (0..EXPERIMENTS).filter(|_| {
        let processes: Vec<Vec<f64>> = (0..PROCESSES)
            .map(|_| {
                let effect = normal(&mut rng);
                (0..SAMPLES).map(|_| draw(&mut rng, effect)).collect()
            })
            .collect();
        let interval = median_interval(&processes, CONFIDENCE).expect("there are samples");
        assert_eq!(interval.method, IntervalMethod::StudentT);
        assert!(interval.low <= interval.estimate && interval.estimate <= interval.high);
        interval.low <= truth && truth <= interval.high
    });
    covered.count() as f64 / EXPERIMENTS as f64
}

fn assert_covered(what: &str, share: f64) {
    assert!(share >= 0.93, "{what}: the interval covers the true median in {:.1}% of experiments", 100.0 * share);
    // An interval that never misses is wider than it claims to be.
    assert!(share <= 0.985, "{what}: {:.1}% covered is more than a 95% interval should", 100.0 * share);
}

#[test]
fn normal_times_with_normal_effects_of_the_process() {
    assert_covered(
        "mostly between processes",
        coverage(1, 10.0, |rng, effect| 10.0 + 0.3 * effect + 0.1 * normal(rng)),
    );
    assert_covered(
        "mostly within processes",
        coverage(2, 10.0, |rng, effect| 10.0 + 0.02 * effect + 0.5 * normal(rng)),
    );
}

#[test]
fn log_normal_times() {
    assert_covered("log-normal", coverage(3, 10.0, |rng, effect| 10.0 * (0.1 * effect + 0.4 * normal(rng)).exp()));
    assert_covered("very skewed", coverage(4, 10.0, |rng, effect| 10.0 * (0.3 * effect + normal(rng)).exp()));
}

#[test]
fn bimodal_times_shifted_by_the_process() {
    // Three in four operations take the fast path at 10, the others the slow one at 14; each process shifts both.
    let (fast, slow, share, shift, noise) = (10.0, 14.0, 0.75, 0.3, 0.2_f64);
    let draw = |rng: &mut Rng, effect: f64| {
        let path = if rng.f64() < share { fast } else { slow };
        path + shift * effect + noise * normal(rng)
    };
    // Over processes and samples, each path is normal with the variances of both added.
    let spread = noise.hypot(shift);
    let below = |time: f64| {
        let path = |centre: f64| Normal::new(centre, spread).unwrap().cdf(time);
        share * path(fast) + (1.0 - share) * path(slow)
    };
    let (mut low, mut high) = (fast - 2.0, slow + 2.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if below(middle) < 0.5 { low = middle } else { high = middle }
    }
    assert_covered("bimodal", coverage(5, low, draw));
}

#[test]
fn order_statistics_cover_what_they_claim_within_one_process() {
    let mut rng = Rng::with_seed(6);
    let covered = (0..EXPERIMENTS).filter(|_| {
        let samples: Vec<f64> = (0..SAMPLES).map(|_| (0.5 * normal(&mut rng)).exp()).collect();
        let interval = median_interval(&[samples], CONFIDENCE).unwrap();
        assert!(!interval.method.covers_processes() && interval.confidence >= CONFIDENCE);
        interval.low <= 1.0 && 1.0 <= interval.high
    });
    assert_covered("order statistics", covered.count() as f64 / EXPERIMENTS as f64);
}
