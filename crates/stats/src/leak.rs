use crate::student::student_quantile;
use crate::{Sorted, block_bootstrap, mean, standard_deviation, welch_t_test};

/// Number of tenths of the time distribution to compare. The slowest tenth is excluded, because it contains
/// interruptions.
pub const TENTHS: usize = 9;

/// Percentages of the fastest samples, one for each Welch's test. The first ten follow dudect's rule `1 - 0.5^i`.
pub const CROPPINGS: [f64; 11] =
    [50.0, 75.0, 87.5, 93.75, 96.875, 98.4375, 99.21875, 99.609375, 99.8046875, 99.90234375, 100.0];

/// Probability of a false `leak` verdict, over all tests together.
pub const LEAK_SIGNIFICANCE: f64 = 0.001;

/// Confidence level of intervals and of the bound in the "none above" verdict, over all tests together.
pub const LEAK_CONFIDENCE: f64 = 0.95;

/// Largest difference in ns that is always attributed to the harness. Comparisons of a class with itself also show
/// differences of this size.
pub const LEAK_FLOOR_NS: f64 = 3.0;

/// Minimum number of samples per class.
pub const LEAST_SAMPLES: usize = 1_000;

/// Number of windows (groups of consecutive samples) into which a run is divided.
const WINDOWS: usize = 250;
/// Minimum number of samples per class and window.
const LEAST_WINDOW: usize = 50;
/// Block length for the bootstrap, in windows.
const BLOCK: usize = 4;
/// Number of bootstrap resamples. A few hundred suffice for standard errors.
const RESAMPLES: usize = 400;
/// Fraction of windows that the trimmed mean excludes at each end.
const TRIM: f64 = 0.1;

/// Difference between the second and the first class, and its standard error, in the unit of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Second class minus first.
    pub estimate: f64,
    /// Standard error of the difference.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error.
    pub degrees_of_freedom: f64,
}

impl Shift {
    /// Returns the half-width of the two-sided interval, corrected for `tests` tests (Bonferroni).
    pub fn half_width(&self, confidence: f64, tests: usize) -> f64 {
        let tail = (1.0 - confidence) / (2.0 * tests.max(1) as f64);
        let quantile = student_quantile(1.0 - tail, self.degrees_of_freedom);
        self.standard_error * quantile.unwrap_or(f64::INFINITY)
    }

    fn significance(&self) -> f64 {
        if self.standard_error > 0.0 { self.estimate.abs() / self.standard_error } else { 0.0 }
    }
}

/// Differences between the times of two classes, in several tests.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeDifference {
    /// Difference between the means of each [tenth](TENTHS), fastest tenth first.
    pub tenths: Vec<Shift>,
    /// Difference between the means of the fastest samples, for each of the [`CROPPINGS`] with nonzero spread.
    pub cropped: Vec<Shift>,
}

/// Compares the times of two classes whose measurements were interleaved. The samples must be in the order of
/// measurement, with the same number for both classes.
///
/// There are two families of tests:
///
/// - **Cropped means**: Welch's test of the samples below a percentile of both classes together, for several
///   percentiles (Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?", DATE 2017, section III).
/// - **Tenths**: the run is divided into windows. In each window, the samples of each class are sorted and divided into
///   tenths, and the means of the tenths are compared. Drift over several windows therefore affects both classes alike.
///   The estimate is the mean over the windows, trimmed by a tenth at each end. Its error comes from a moving-block
///   bootstrap over windows (see [`block_bootstrap`]). Unlike quantiles, means of tenths vary smoothly even if the
///   counter has coarse steps.
///
/// Returns `None` if there are fewer than [`LEAST_SAMPLES`] samples, if the numbers differ, or if a sample is not
/// finite.
pub fn time_difference(first: &[f64], second: &[f64], seed: u64) -> Option<TimeDifference> {
    if first.len() != second.len() || first.len() < LEAST_SAMPLES {
        return None;
    }
    Some(TimeDifference { tenths: tenths(first, second, seed)?, cropped: cropped(first, second)? })
}

fn tenths(first: &[f64], second: &[f64], seed: u64) -> Option<Vec<Shift>> {
    let length = (first.len() / WINDOWS).max(LEAST_WINDOW);
    let mut windows: Vec<[f64; TENTHS]> = Vec::new();
    for (left, right) in first.chunks_exact(length).zip(second.chunks_exact(length)) {
        let (left, right) = (tenths_of(left)?, tenths_of(right)?);
        windows.push(std::array::from_fn(|tenth| right[tenth] - left[tenth]));
    }
    let all: Vec<usize> = (0..windows.len()).collect();
    let estimates = central(&windows, &all);
    let resampled = block_bootstrap(windows.len(), BLOCK, RESAMPLES, seed, |positions| central(&windows, positions));
    let degrees_of_freedom = (windows.len() / BLOCK).saturating_sub(1).max(1) as f64;
    (0..TENTHS)
        .map(|tenth| {
            let draws: Vec<f64> = resampled.iter().map(|resample| resample[tenth]).collect();
            let standard_error = standard_deviation(&draws)?;
            Some(Shift { estimate: estimates[tenth], standard_error, degrees_of_freedom })
        })
        .collect()
}

/// Returns the means of the tenths of the samples, without the slowest tenth.
fn tenths_of(samples: &[f64]) -> Option<[f64; TENTHS]> {
    let sorted = Sorted::new(samples.to_vec())?;
    let sorted = sorted.as_slice();
    let at = |tenth: usize| tenth * sorted.len() / (TENTHS + 1);
    Some(std::array::from_fn(|tenth| mean(&sorted[at(tenth)..at(tenth + 1)]).unwrap_or(f64::NAN)))
}

/// Returns the mean of each tenth over the windows at `positions`, trimmed by [`TRIM`] at each end.
fn central(windows: &[[f64; TENTHS]], positions: &[usize]) -> [f64; TENTHS] {
    let cut = (positions.len() as f64 * TRIM) as usize;
    std::array::from_fn(|tenth| {
        let mut values: Vec<f64> = positions.iter().map(|&position| windows[position][tenth]).collect();
        values.sort_unstable_by(f64::total_cmp);
        mean(&values[cut..values.len() - cut]).unwrap_or(f64::NAN)
    })
}

fn cropped(first: &[f64], second: &[f64]) -> Option<Vec<Shift>> {
    let pooled = Sorted::new([first, second].concat())?;
    let mut shifts = Vec::new();
    for percentage in CROPPINGS {
        let limit = pooled.quantile(percentage / 100.0);
        let crop = |samples: &[f64]| samples.iter().copied().filter(|&sample| sample <= limit).collect::<Vec<_>>();
        let (left, right) = (crop(first), crop(second));
        // Samples without spread have no test statistic, so skip the test. The tenths still cover
        // these samples.
        let Some(test) = welch_t_test(&left, &right, LEAK_SIGNIFICANCE) else { continue };
        let estimate = mean(&right)? - mean(&left)?;
        let variance = |samples: &[f64]| Some(standard_deviation(samples)?.powi(2) / samples.len() as f64);
        let standard_error = (variance(&left)? + variance(&right)?).sqrt();
        shifts.push(Shift { estimate, standard_error, degrees_of_freedom: test.degrees_of_freedom });
    }
    Some(shifts)
}

impl TimeDifference {
    /// Returns the largest lower bound on the absolute difference in any test, in the unit of the samples. The bounds
    /// are corrected for all tests of all `cases` together. The result is zero or negative if no difference is
    /// significant.
    pub fn surely(&self, cases: usize) -> f64 {
        self.surely_beyond(|_| 0.0, cases)
    }

    /// Like [`surely`](Self::surely), but subtracts `floor(test)`, the difference attributed to the harness, from each
    /// bound.
    fn surely_beyond(&self, floor: impl Fn(usize) -> f64, cases: usize) -> f64 {
        let tests = family(cases);
        let shifts = self.tenths.iter().chain(&self.cropped).enumerate();
        let least = |(test, shift): (usize, &Shift)| {
            shift.estimate.abs() - shift.half_width(1.0 - LEAK_SIGNIFICANCE, tests) - floor(test)
        };
        shifts.map(least).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the smallest uniform shift that 19 of 20 measurements with these errors would detect. A shift is
    /// detected if, in at least one test, it significantly exceeds `floor(test)`, the difference attributed to the
    /// harness.
    fn detectable(&self, floor: impl Fn(usize) -> f64, cases: usize) -> f64 {
        let tests = family(cases);
        let shifts = self.tenths.iter().chain(&self.cropped).enumerate();
        let least = |(test, shift): (usize, &Shift)| {
            // In 1 of 20 measurements, the estimate falls short of the true shift by more than
            // this.
            let short = shift.half_width(0.9, 1);
            floor(test) + shift.half_width(1.0 - LEAK_SIGNIFICANCE, tests) + short
        };
        shifts.map(least).fold(f64::INFINITY, f64::min)
    }

    /// Returns the absolute difference in a test, but at least [`LEAK_FLOOR_NS`]. If this comparison does not have
    /// `tests` tests, because some were skipped, returns the largest difference among the tenths instead.
    fn floor(&self, test: usize, tests: usize) -> f64 {
        let shifts = self.tenths.iter().chain(&self.cropped);
        let shift = if shifts.clone().count() == tests { shifts.clone().nth(test) } else { None };
        shift.map_or_else(|| self.largest(), |shift| shift.estimate.abs()).max(LEAK_FLOOR_NS)
    }

    /// Returns an upper bound on the absolute differences of all tenths. The bound holds with confidence
    /// [`LEAK_CONFIDENCE`] for all tenths of all `cases` together.
    pub fn bound(&self, cases: usize) -> f64 {
        let most = |shift: &Shift| shift.estimate.abs() + shift.half_width(LEAK_CONFIDENCE, TENTHS * cases.max(1));
        self.tenths.iter().map(most).fold(0.0, f64::max)
    }

    /// Returns the largest absolute difference among the tenths.
    pub fn largest(&self) -> f64 {
        self.tenths.iter().map(|shift| shift.estimate.abs()).fold(0.0, f64::max)
    }

    /// Returns the most significant difference among all tests.
    pub fn clearest(&self) -> Shift {
        let mut clearest = self.tenths[0];
        for shift in self.tenths.iter().chain(&self.cropped) {
            if shift.significance() > clearest.significance() {
                clearest = *shift;
            }
        }
        clearest
    }

    /// Returns the number of the tenth with the most significant difference, counted from 0.
    pub fn clearest_tenth(&self) -> usize {
        let better = |best: usize, tenth: usize| {
            if self.tenths[tenth].significance() > self.tenths[best].significance() { tenth } else { best }
        };
        (0..self.tenths.len()).fold(0, better)
    }
}

/// Returns the total number of tests over all `cases`.
fn family(cases: usize) -> usize {
    (TENTHS + CROPPINGS.len()) * cases.max(1)
}

/// Times of four groups of calls, in ns. The measurements of the groups were interleaved.
#[derive(Clone, Copy, Debug)]
pub struct LeakSamples<'a> {
    /// Times for the first class.
    pub first: &'a [f64],
    /// Times for the first class again, from a separate pool of inputs.
    pub null: &'a [f64],
    /// Times for the first class with a known delay: the positive control.
    pub positive: &'a [f64],
    /// Times for the second class.
    pub second: &'a [f64],
}

/// Verdict of a leak test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakVerdict {
    /// The time depends on the class.
    Leak,
    /// The time does not depend on the class by more than the bound.
    None,
    /// The measurement shows neither a leak nor its absence.
    Inconclusive,
    /// The measurement found a difference between two groups of the same class.
    FalseAlarm,
    /// The measurement missed the known delay of the positive control.
    Blind,
}

/// Verdict of a leak test and its evidence. All differences are in ns.
#[derive(Clone, Debug, PartialEq)]
pub struct LeakJudgement {
    /// The verdict.
    pub verdict: LeakVerdict,
    /// Difference between the second class and the first.
    pub difference: TimeDifference,
    /// Difference between the groups `null` and `first`, which belong to the same class.
    pub null: TimeDifference,
    /// Difference between the positive control and the null.
    pub positive: TimeDifference,
    /// Largest difference that is attributed to the harness. This is [`LEAK_FLOOR_NS`], or, if larger, the difference
    /// between `null` and `first` in the tenth that is most significant in `difference`.
    pub floor: f64,
    /// Upper bound on the absolute differences of all tenths.
    pub bound: f64,
    /// Smallest uniform shift that 19 of 20 such measurements would detect.
    pub detectable: f64,
}

/// Returns the verdict on one of `cases` measurements. `effect` is the smallest difference that matters, in ns.
///
/// A valid measurement detects the delay of the positive control and finds no difference between the two groups of the
/// first class. A leak is a difference between the classes that significantly exceeds the difference between those two
/// groups in the same test. Returns `None` if a group has fewer than [`LEAST_SAMPLES`] samples, if the groups differ in
/// size, or if a sample is not finite.
pub fn judge_leak(samples: LeakSamples<'_>, effect: f64, cases: usize, seed: u64) -> Option<LeakJudgement> {
    let difference = time_difference(samples.first, samples.second, seed)?;
    let null = time_difference(samples.first, samples.null, seed)?;
    let positive = time_difference(samples.null, samples.positive, seed)?;
    let tests = difference.tenths.len() + difference.cropped.len();
    let floor = null.floor(difference.clearest_tenth(), tests);
    let bound = difference.bound(cases);
    let detectable = difference.detectable(|test| null.floor(test, tests), cases);
    let verdict = if null.surely(cases) > LEAK_FLOOR_NS {
        LeakVerdict::FalseAlarm
    } else if positive.surely(cases) <= 0.0 {
        LeakVerdict::Blind
    } else if difference.surely_beyond(|test| null.floor(test, tests), cases) > 0.0 {
        LeakVerdict::Leak
    } else if bound <= effect {
        LeakVerdict::None
    } else {
        LeakVerdict::Inconclusive
    };
    Some(LeakJudgement { verdict, difference, null, positive, floor, bound, detectable })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    /// Simulates times on a noisy machine: normal noise, regime changes, counter steps and interruptions.
    struct Machine {
        draw: ChaCha8Rng,
        calls: u64,
    }

    impl Machine {
        fn new(seed: u64) -> Machine {
            Machine { draw: ChaCha8Rng::seed_from_u64(seed), calls: 0 }
        }

        fn unit(&mut self) -> f64 {
            (self.draw.next_u64() >> 11) as f64 / (1u64 << 53) as f64
        }

        fn time(&mut self, shift: f64) -> f64 {
            self.calls += 1;
            let regime = if (self.calls / 30_000).is_multiple_of(2) { 0.0 } else { 180.0 };
            let noise: f64 = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
            let interrupted = if self.unit() < 0.002 { 50_000.0 * self.unit() } else { 0.0 };
            ((1_000.0 + regime + 20.0 * noise + interrupted + shift) / 10.0).round() * 10.0
        }

        /// Returns interleaved times for the groups first, null, positive and second.
        fn run(&mut self, count: usize, shift: f64, positive: f64) -> [Vec<f64>; 4] {
            let shifts = [0.0, 0.0, positive, shift];
            let mut samples: [Vec<f64>; 4] = Default::default();
            for _ in 0..count {
                let start = (self.draw.next_u64() % 4) as usize;
                for turn in 0..4 {
                    let group = (start + turn) % 4;
                    let time = self.time(shifts[group]);
                    samples[group].push(time);
                }
            }
            samples
        }
    }

    fn judged(samples: &[Vec<f64>; 4], effect: f64, cases: usize) -> LeakJudgement {
        let [first, null, positive, second] = samples;
        judge_leak(LeakSamples { first, null, positive, second }, effect, cases, 1).unwrap()
    }

    #[test]
    fn detects_shifts_and_bounds_their_absence() {
        let mut machine = Machine::new(1);
        for _ in 0..10 {
            let leak = judged(&machine.run(20_000, 25.0, 50.0), 30.0, 10);
            assert_eq!(leak.verdict, LeakVerdict::Leak, "{leak:?}");
            let shift = leak.difference.tenths[4];
            assert!((shift.estimate - 25.0).abs() < 3.0, "{shift:?}");
            let none = judged(&machine.run(20_000, 0.0, 50.0), 30.0, 10);
            assert_eq!(none.verdict, LeakVerdict::None, "{none:?}");
            assert!(none.bound < 10.0);
        }
    }

    #[test]
    fn detects_the_detectable_difference_but_not_half_the_floor() {
        let mut machine = Machine::new(7);
        let least = judged(&machine.run(20_000, 0.0, 50.0), 30.0, 10).detectable;
        assert!(least > LEAK_FLOOR_NS && least < 25.0, "{least}");
        let found = |shift: f64, machine: &mut Machine| {
            let leaks = |_: &usize| judged(&machine.run(20_000, shift, 50.0), 30.0, 10).verdict == LeakVerdict::Leak;
            (0..10).filter(leaks).count()
        };
        // Simulate a shift that is a quarter larger than `least`, because `least` is itself an
        // estimate.
        assert!(found(1.25 * least, &mut machine) >= 8);
        assert_eq!(found(0.5 * LEAK_FLOOR_NS, &mut machine), 0);
    }

    #[test]
    fn equal_classes_rarely_differ() {
        let mut machine = Machine::new(2);
        let mut outside = 0;
        for seed in 0..200 {
            let [first, second, ..] = machine.run(LEAST_SAMPLES, 0.0, 0.0);
            let difference = time_difference(&first, &second, seed).unwrap();
            assert!(difference.surely(1) <= 0.0, "{difference:?}");
            let inside = |shift: &Shift| shift.estimate.abs() <= shift.half_width(LEAK_CONFIDENCE, TENTHS);
            outside += usize::from(!difference.tenths.iter().all(inside));
        }
        // About 10 of 200 are expected to lie outside.
        assert!(outside <= 20, "{outside}");
    }

    #[test]
    fn missed_positive_control_is_blind() {
        let blind = judged(&Machine::new(3).run(5_000, 0.0, 0.5), 30.0, 1);
        assert_eq!(blind.verdict, LeakVerdict::Blind);
    }

    #[test]
    fn differing_null_is_a_false_alarm() {
        let mut samples = Machine::new(4).run(5_000, 100.0, 50.0);
        samples[1].iter_mut().for_each(|time| *time += 40.0);
        samples[2].iter_mut().for_each(|time| *time += 40.0);
        assert_eq!(judged(&samples, 30.0, 1).verdict, LeakVerdict::FalseAlarm);
    }

    #[test]
    fn wide_bounds_are_inconclusive() {
        let mut machine = Machine::new(5);
        let verdict = judged(&machine.run(1_000, 0.0, 500.0), 1.0, 1).verdict;
        assert_eq!(verdict, LeakVerdict::Inconclusive);
    }

    #[test]
    fn cropped_means_detect_rare_slow_paths() {
        let mut samples = Machine::new(6).run(50_000, 0.0, 50.0);
        samples[3].iter_mut().step_by(50).for_each(|time| *time += 1_000.0);
        let judgement = judged(&samples, 30.0, 1);
        assert_eq!(judgement.verdict, LeakVerdict::Leak);
        assert!(judgement.difference.tenths.iter().all(|shift| shift.estimate.abs() < 10.0));
    }

    #[test]
    fn returns_none_for_few_or_non_finite_samples() {
        assert_eq!(time_difference(&[1.0; 10], &[1.0; 10], 1), None);
        assert_eq!(time_difference(&[1.0; LEAST_SAMPLES], &[f64::NAN; LEAST_SAMPLES], 1), None);
        // If the samples have no spread, nothing is detected and the bound is zero.
        let still = time_difference(&[1.0; LEAST_SAMPLES], &[1.0; LEAST_SAMPLES], 1).unwrap();
        assert!(still.cropped.is_empty() && still.bound(1) == 0.0 && still.surely(1) <= 0.0);
    }
}
