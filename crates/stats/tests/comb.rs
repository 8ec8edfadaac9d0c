//! Tests comb fits on simulated signing times with known teeth, early rejections, noise, interruptions and outliers.

#![allow(clippy::unwrap_used)]

mod simulation;

use fastrand::Rng;
use pqlab_stats::{Comb, NoComb, mean, median};
use simulation::normal;

/// Expected number of attempts.
const EXPECTED: f64 = 5.14;
/// Fraction of the failed attempts that take the first of the two times.
const EARLY: f64 = 0.47;

/// Distribution of simulated times.
#[derive(Clone, Copy)]
struct Signer {
    first: f64,
    /// Times of the two kinds of failed attempts. The simulated library rejects an attempt at one of two checks.
    attempts: [f64; 2],
    noise: f64,
    /// Interruptions per unit of time. Each one adds `delay`.
    interruptions: f64,
    delay: f64,
    /// Fraction of samples that are outliers, each delayed by up to 2,000 units of time.
    outliers: f64,
}

const STEADY: Signer =
    Signer { first: 200.0, attempts: [70.0; 2], noise: 1.0, interruptions: 0.0, delay: 37.0, outliers: 0.0 };

impl Signer {
    /// Returns the mean time at the expected number of attempts, without interruptions and outliers.
    fn truth(&self) -> f64 {
        self.first + (EXPECTED - 1.0) * self.each()
    }

    fn each(&self) -> f64 {
        EARLY * self.attempts[0] + (1.0 - EARLY) * self.attempts[1]
    }

    fn sample(&self, rng: &mut Rng) -> f64 {
        let mut time = self.first;
        while rng.f64() > 1.0 / EXPECTED {
            time += self.attempts[usize::from(rng.f64() > EARLY)];
        }
        time += self.noise * normal(rng);
        if rng.f64() < self.interruptions * time {
            time += self.delay;
        }
        if rng.f64() < self.outliers {
            time += 2000.0 * rng.f64();
        }
        time
    }

    fn samples(&self, number: usize, seed: u64) -> Vec<f64> {
        let mut rng = Rng::with_seed(seed);
        (0..number).map(|_| self.sample(&mut rng)).collect()
    }
}

/// Returns the mean time at the expected number of attempts, according to a fitted comb.
fn at_expected(comb: &Comb, samples: &[f64]) -> f64 {
    mean(&samples.iter().filter_map(|sample| comb.at_expected(*sample)).collect::<Vec<f64>>()).unwrap()
}

/// Returns the root mean square errors of two estimates, in percent: the time at the expected number of attempts, and
/// the plain mean. Panics if fewer than `fitted` of 100 combs can be fitted.
fn errors(signer: &Signer, number: usize, fitted: usize) -> (f64, f64) {
    let (mut found, mut plain) = (Vec::new(), Vec::new());
    for seed in 0..100 {
        let samples = signer.samples(number, seed);
        let square = |value: f64| (100.0 * (value / signer.truth() - 1.0)).powi(2);
        plain.push(square(mean(&samples).unwrap()));
        found.extend(Comb::fit(&samples, EXPECTED, EARLY).ok().map(|comb| square(at_expected(&comb, &samples))));
    }
    assert!(found.len() >= fitted, "{} combs read", found.len());
    (mean(&found).unwrap().sqrt(), mean(&plain).unwrap().sqrt())
}

#[test]
fn fits_find_the_first_and_each_further_attempt() {
    for (signer, tolerance) in [
        (STEADY, 2e-4),
        (Signer { attempts: [64.0, 76.0], ..STEADY }, 8e-3),
        (Signer { noise: 10.0, outliers: 0.01, ..STEADY }, 8e-3),
        (Signer { first: 1250.0, attempts: [544.0; 2], noise: 5.0, interruptions: 2e-4, ..STEADY }, 0.03),
    ] {
        let samples = signer.samples(20_000, 1);
        let comb = Comb::fit(&samples, EXPECTED, EARLY).unwrap();
        assert!((comb.first / signer.first - 1.0).abs() < tolerance, "{comb:?}");
        assert!((comb.each / signer.each() - 1.0).abs() < tolerance, "{comb:?}");
    }
}

#[test]
fn three_hundred_samples_are_enough_for_a_steady_signer() {
    let (found, plain) = errors(&STEADY, 300, 99);
    assert!(found < 0.05 && plain > 2.5, "{found} {plain}");
}

#[test]
fn early_rejections_keep_the_time_at_the_expected_number() {
    // The last signer rejects so early that only two thirds of the fits find its comb.
    for (attempts, fitted) in [([67.0, 73.0], 99), ([64.0, 76.0], 99), ([60.0, 77.0], 99), ([54.0, 84.0], 60)] {
        let (found, plain) = errors(&Signer { attempts, noise: 2.0, ..STEADY }, 1000, fitted);
        assert!(found < 0.1 && plain > 1.5, "{attempts:?}: {found} {plain}");
    }
}

/// Each kind of failed attempt is converted separately.
#[test]
fn early_rejections_are_read_off_single_samples() {
    let signer = Signer { attempts: [55.0, 70.0], ..STEADY };
    let comb = Comb::fit(&signer.samples(5000, 3), EXPECTED, EARLY).unwrap();
    for (early, late) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (3.0, 0.0), (0.0, 3.0), (2.0, 4.0)] {
        let sample = signer.first + early * signer.attempts[0] + late * signer.attempts[1];
        assert_eq!(comb.read(sample), Some(1.0 + early + late));
        let found = comb.at_expected(sample).unwrap();
        assert!((found / signer.truth() - 1.0).abs() < 2e-3, "{early} {late} {found}");
    }
    assert_eq!((comb.read(150.0), comb.at_expected(150.0)), (None, None));
}

#[test]
fn noise_and_outliers_hardly_move_the_time_at_the_expected_number() {
    let (found, plain) = errors(&Signer { noise: 8.0, outliers: 0.02, ..STEADY }, 1000, 99);
    assert!(found < 0.4 && plain > 2.0, "{found} {plain}");
}

#[test]
fn interruptions_of_half_an_attempt_are_left_out() {
    let (found, plain) = errors(&Signer { interruptions: 4e-4, ..STEADY }, 1000, 99);
    assert!(found < 0.4 && plain > 2.0, "{found} {plain}");
}

#[test]
fn interruptions_of_a_whole_attempt_are_read_as_attempts() {
    let (found, _) = errors(&Signer { interruptions: 4e-4, delay: 70.0, ..STEADY }, 1000, 99);
    assert!(found < 0.3, "{found}");
}

/// Simulates a core with two clock rates. The times form one comb for each rate, but the cycles form a single comb.
#[test]
fn two_clock_rates_give_one_comb_in_cycles() {
    let mut rng = Rng::with_seed(7);
    let (mut cycles, mut times) = (Vec::new(), Vec::new());
    for _ in 0..4000 {
        let sample = STEADY.sample(&mut rng);
        cycles.push(sample);
        times.push(sample / if rng.bool() { 3.2 } else { 2.4 });
    }
    let comb = Comb::fit(&cycles, EXPECTED, EARLY).unwrap();
    assert!((at_expected(&comb, &cycles) / STEADY.truth() - 1.0).abs() < 1e-3);
    assert!(Comb::fit(&times, EXPECTED, EARLY).is_err());
}

#[test]
fn attempts_are_read_off_single_samples() {
    let comb = Comb::fit(&STEADY.samples(2000, 3), EXPECTED, EARLY).unwrap();
    for attempts in 1..40 {
        let time = 200.0 + 70.0 * f64::from(attempts - 1);
        assert_eq!(comb.read(time + 10.0), Some(f64::from(attempts)));
        assert_eq!(comb.read(time + 35.0), None);
    }
    let most = comb.at_expected(200.0 + 70.0 * 30.0).unwrap();
    assert!((most / STEADY.truth() - 1.0).abs() < 2e-3, "{most}");
    assert_eq!(comb.read(50.0), None);
}

#[test]
fn distributions_without_a_comb_are_not_read() {
    let mut rng = Rng::with_seed(5);
    let normal_times: Vec<f64> = (0..2000).map(|_| 1000.0 + 30.0 * normal(&mut rng)).collect();
    let exponential: Vec<f64> = (0..2000).map(|_| 100.0 - 300.0 * rng.f64().ln()).collect();
    let blurred = [
        normal_times,
        exponential,
        Signer { noise: 30.0, ..STEADY }.samples(2000, 1),
        Signer { attempts: [50.0, 90.0], noise: 15.0, ..STEADY }.samples(2000, 1),
    ];
    for samples in blurred {
        let found = Comb::fit(&samples, EXPECTED, EARLY);
        assert!(matches!(found, Err(NoComb::Blurred { readable }) if readable < 0.72), "{found:?}");
    }
    assert_eq!(Comb::fit(&[100.0; 1000], EXPECTED, EARLY), Err(NoComb::NoFit));
}

/// A guess of `each` that is far too small must not make the fit consider millions of attempts.
#[test]
fn fits_end_if_samples_are_many_attempts_apart() {
    let mut rng = Rng::with_seed(4);
    for spread in [1e-6, 1e-3, 1.0, 100.0] {
        let mut times: Vec<f64> = (0..1000).map(|_| 1e6 + spread * rng.f64()).collect();
        times.extend((0..60).map(|_| 1e9 * rng.f64()));
        times.extend((0..60).map(|attempts| 1e6 + 20.0 * spread * f64::from(attempts)));
        assert!(Comb::fit(&times, EXPECTED, EARLY).is_err(), "{spread}");
    }
}

#[test]
fn combs_that_contradict_the_expected_number_are_not_read() {
    let samples = STEADY.samples(4000, 2);
    assert!(Comb::fit(&samples, EXPECTED, EARLY).is_ok());
    assert!(Comb::fit(&samples, 2.0, EARLY).is_err());
    assert!(Comb::fit(&samples, 12.0, EARLY).is_err());
    assert_eq!(Comb::fit(&samples, 1.0, EARLY), Err(NoComb::Invalid));
    assert_eq!(Comb::fit(&samples[..149], EXPECTED, EARLY), Err(NoComb::FewSamples { samples: 149 }));
    assert_eq!(Comb::fit(&[&samples[..], &[f64::NAN]].concat(), EXPECTED, EARLY), Err(NoComb::Invalid));
    assert_eq!(Comb::fit(&[&samples[..], &[0.0]].concat(), EXPECTED, EARLY), Err(NoComb::Invalid));
}

/// Checks that each fitted tooth agrees with the median of its samples.
#[test]
fn teeth_are_where_the_samples_are() {
    let samples = STEADY.samples(5000, 9);
    let comb = Comb::fit(&samples, EXPECTED, EARLY).unwrap();
    for attempts in 1..6 {
        let tooth = samples.iter().copied().filter(|sample| comb.read(*sample) == Some(f64::from(attempts)));
        let place = comb.first + f64::from(attempts - 1) * comb.each;
        assert!((median(&tooth.collect::<Vec<f64>>()).unwrap() / place - 1.0).abs() < 1e-3);
    }
}
