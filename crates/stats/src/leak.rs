use crate::student::student_quantile;
use crate::{Sorted, block_bootstrap, mean, standard_deviation, welch_t_test};

/// Tenths of the distribution of times that are compared: all but the slowest, in which interruptions lie.
pub const TENTHS: usize = 9;

/// Percentages of the fastest samples that Welch's test looks at; dudect's rule `1 - 0.5^i`, and all of them.
pub const CROPPINGS: [f64; 11] =
    [50.0, 75.0, 87.5, 93.75, 96.875, 98.4375, 99.21875, 99.609375, 99.8046875, 99.90234375, 100.0];

/// Probability with which a statement `leak` may be false, over everything that was tested.
pub const LEAK_SIGNIFICANCE: f64 = 0.001;

/// Confidence of intervals and of the X in "none above X", over everything that was tested.
pub const LEAK_CONFIDENCE: f64 = 0.95;

/// Differences up to this many ns are taken for the harness's own: a comparison of a thing with itself shows them too.
pub const LEAK_FLOOR_NS: f64 = 3.0;

/// Fewest samples of a class of which anything is said.
pub const LEAST_SAMPLES: usize = 1_000;

/// Windows into which a run is cut.
const WINDOWS: usize = 250;
/// Fewest samples of a class in a window.
const LEAST_WINDOW: usize = 50;
/// Windows that the bootstrap keeps together.
const BLOCK: usize = 4;
/// Resamples of the bootstrap: it only estimates standard errors.
const RESAMPLES: usize = 400;
/// Share of the windows that is left out at each end.
const TRIM: f64 = 0.1;

/// A difference, second class less first, with its standard error, in the unit of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The difference.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Degrees of freedom of the error.
    pub degrees_of_freedom: f64,
}

impl Shift {
    /// Half the width of its two-sided interval where it is one of `tests` (Bonferroni).
    pub fn half_width(&self, confidence: f64, tests: usize) -> f64 {
        let tail = (1.0 - confidence) / (2.0 * tests.max(1) as f64);
        let quantile = student_quantile(1.0 - tail, self.degrees_of_freedom);
        self.standard_error * quantile.unwrap_or(f64::INFINITY)
    }

    fn significance(&self) -> f64 {
        if self.standard_error > 0.0 { self.estimate.abs() / self.standard_error } else { 0.0 }
    }
}

/// How the times of two classes differ.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeDifference {
    /// The difference of the means of each [tenth](TENTHS), from the fastest.
    pub tenths: Vec<Shift>,
    /// The difference of the means of the fastest samples, for each of the [`CROPPINGS`] where there is spread.
    pub cropped: Vec<Shift>,
}

/// Compares the times of two classes that were measured side by side, in the order in which they were measured; both have as
/// many samples.
///
/// Two families of tests. **Cropped means**: Welch's test of the samples below a percentile of both classes together, for
/// several percentiles: Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?", DATE 2017, section III.
/// **Tenths**: the run is cut into windows; in each the samples of a class are sorted, and the means of their tenths are
/// compared, so that what drifts slower than a window falls on both classes alike. The estimate is the mean over the windows
/// without the extreme tenth at either end, its error comes from a moving-block bootstrap over windows (see
/// [`block_bootstrap`]). A mean over a tenth, in place of a quantile, moves smoothly where the counter has coarse steps.
///
/// `None` for fewer than [`LEAST_SAMPLES`], for unequal numbers and where a sample is not a finite number.
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

/// The means of the tenths of some samples, without the slowest tenth.
fn tenths_of(samples: &[f64]) -> Option<[f64; TENTHS]> {
    let sorted = Sorted::new(samples.to_vec())?;
    let sorted = sorted.as_slice();
    let at = |tenth: usize| tenth * sorted.len() / (TENTHS + 1);
    Some(std::array::from_fn(|tenth| mean(&sorted[at(tenth)..at(tenth + 1)]).unwrap_or(f64::NAN)))
}

/// The trimmed mean of each tenth over the windows at these positions.
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
        // Without spread there is no test: then the tenths speak.
        let Some(test) = welch_t_test(&left, &right, LEAK_SIGNIFICANCE) else { continue };
        let estimate = mean(&right)? - mean(&left)?;
        let variance = |samples: &[f64]| Some(standard_deviation(samples)?.powi(2) / samples.len() as f64);
        let standard_error = (variance(&left)? + variance(&right)?).sqrt();
        shifts.push(Shift { estimate, standard_error, degrees_of_freedom: test.degrees_of_freedom });
    }
    Some(shifts)
}

impl TimeDifference {
    /// By how much the classes surely differ, all tests of all `cases` together; not above zero where that is not known.
    pub fn surely(&self, cases: usize) -> f64 {
        self.surely_beyond(|_| 0.0, cases)
    }

    /// As [`surely`](Self::surely), less what the harness's own differences may be for each test.
    fn surely_beyond(&self, floor: impl Fn(usize) -> f64, cases: usize) -> f64 {
        let tests = family(cases);
        let shifts = self.tenths.iter().chain(&self.cropped).enumerate();
        let least = |(test, shift): (usize, &Shift)| {
            shift.estimate.abs() - shift.half_width(1.0 - LEAK_SIGNIFICANCE, tests) - floor(test)
        };
        shifts.map(least).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The least difference, of all times alike, that would be found in nineteen of twenty measurements with errors like these:
    /// some test must say that it surely exceeds the harness's own, `floor`.
    fn detectable(&self, floor: impl Fn(usize) -> f64, cases: usize) -> f64 {
        let tests = family(cases);
        let shifts = self.tenths.iter().chain(&self.cropped).enumerate();
        let least = |(test, shift): (usize, &Shift)| {
            // One-sided: as far as an estimate falls short of the truth in one of twenty measurements.
            let short = shift.half_width(0.9, 1);
            floor(test) + shift.half_width(1.0 - LEAK_SIGNIFICANCE, tests) + short
        };
        shifts.map(least).fold(f64::INFINITY, f64::min)
    }

    /// The difference of a test in absolute value, and at least [`LEAK_FLOOR_NS`]; the largest where that test was not made.
    fn floor(&self, test: usize, tests: usize) -> f64 {
        let own = self.tenths.iter().chain(&self.cropped);
        let shift = if own.clone().count() == tests { own.clone().nth(test) } else { None };
        shift.map_or_else(|| self.largest(), |shift| shift.estimate.abs()).max(LEAK_FLOOR_NS)
    }

    /// What no tenth's difference exceeds, with [`LEAK_CONFIDENCE`] over all tenths of all `cases`.
    pub fn bound(&self, cases: usize) -> f64 {
        let most = |shift: &Shift| shift.estimate.abs() + shift.half_width(LEAK_CONFIDENCE, TENTHS * cases.max(1));
        self.tenths.iter().map(most).fold(0.0, f64::max)
    }

    /// The largest difference of a tenth, in absolute value.
    pub fn largest(&self) -> f64 {
        self.tenths.iter().map(|shift| shift.estimate.abs()).fold(0.0, f64::max)
    }

    /// The difference that stands out most, of any test.
    pub fn clearest(&self) -> Shift {
        let mut clearest = self.tenths[0];
        for shift in self.tenths.iter().chain(&self.cropped) {
            if shift.significance() > clearest.significance() {
                clearest = *shift;
            }
        }
        clearest
    }

    /// The tenth, counted from 0, whose difference stands out most.
    pub fn clearest_tenth(&self) -> usize {
        let better = |best: usize, tenth: usize| {
            if self.tenths[tenth].significance() > self.tenths[best].significance() { tenth } else { best }
        };
        (0..self.tenths.len()).fold(0, better)
    }
}

/// Tests in all.
fn family(cases: usize) -> usize {
    (TENTHS + CROPPINGS.len()) * cases.max(1)
}

/// The times of four groups of calls that were measured side by side.
#[derive(Clone, Copy, Debug)]
pub struct LeakSamples<'a> {
    /// The first class.
    pub first: &'a [f64],
    /// The first class once more, from a pool of its own.
    pub null: &'a [f64],
    /// The first class a third time, with a known delay (the positive control).
    pub positive: &'a [f64],
    /// The second class.
    pub second: &'a [f64],
}

/// What can be said of a leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakVerdict {
    /// The time depends on the class.
    Leak,
    /// It does not, by more than the bound.
    None,
    /// Neither can be said.
    Inconclusive,
    /// The measurement found a difference where there is none.
    FalseAlarm,
    /// The measurement missed the known delay.
    Blind,
}

/// A verdict and what it rests on; in the unit of the samples, ns.
#[derive(Clone, Debug, PartialEq)]
pub struct LeakJudgement {
    /// The verdict.
    pub verdict: LeakVerdict,
    /// Second class less first.
    pub difference: TimeDifference,
    /// Null less first: what two groups of one class differ by.
    pub null: TimeDifference,
    /// Planted less null.
    pub positive: TimeDifference,
    /// Differences up to here are taken for the harness's own, in the tenth that stands out: [`LEAK_FLOOR_NS`], or what the
    /// null shows there if that is more.
    pub floor: f64,
    /// What no tenth's difference exceeds.
    pub bound: f64,
    /// The least difference of all times that would have been found in nineteen of twenty such measurements.
    pub detectable: f64,
}

/// Judges one of `cases` measurements; `effect` is the difference in ns that matters.
///
/// The measurement must first find the delay positive in one group, and must not find a difference between two groups of
/// the same class. A leak is a difference that surely exceeds what those two groups show in the same test.
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

    /// Times of a noisy machine: normal noise, a regime that changes, steps of the counter, interruptions.
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

        /// First, null, positive and second, interleaved.
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
    fn a_shift_is_found_and_no_shift_is_bounded() {
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
    fn what_is_called_detectable_is_found_and_half_of_the_floor_is_not() {
        let mut machine = Machine::new(7);
        let least = judged(&machine.run(20_000, 0.0, 50.0), 30.0, 10).detectable;
        assert!(least > LEAK_FLOOR_NS && least < 25.0, "{least}");
        let found = |shift: f64, machine: &mut Machine| {
            let leaks = |_: &usize| judged(&machine.run(20_000, shift, 50.0), 30.0, 10).verdict == LeakVerdict::Leak;
            (0..10).filter(leaks).count()
        };
        // A quarter more, because each measurement has errors of its own.
        assert!(found(1.25 * least, &mut machine) >= 8);
        assert_eq!(found(0.5 * LEAK_FLOOR_NS, &mut machine), 0);
    }

    #[test]
    fn equal_classes_seldom_look_different() {
        let mut machine = Machine::new(2);
        let mut outside = 0;
        for seed in 0..200 {
            let [first, second, ..] = machine.run(LEAST_SAMPLES, 0.0, 0.0);
            let difference = time_difference(&first, &second, seed).unwrap();
            assert!(difference.surely(1) <= 0.0, "{difference:?}");
            let inside = |shift: &Shift| shift.estimate.abs() <= shift.half_width(LEAK_CONFIDENCE, TENTHS);
            outside += usize::from(!difference.tenths.iter().all(inside));
        }
        // At most 10 of 200 are expected.
        assert!(outside <= 20, "{outside}");
    }

    #[test]
    fn a_measurement_that_misses_what_was_planted_says_nothing() {
        let blind = judged(&Machine::new(3).run(5_000, 0.0, 0.5), 30.0, 1);
        assert_eq!(blind.verdict, LeakVerdict::Blind);
    }

    #[test]
    fn a_measurement_whose_null_differs_says_nothing() {
        let mut samples = Machine::new(4).run(5_000, 100.0, 50.0);
        samples[1].iter_mut().for_each(|time| *time += 40.0);
        samples[2].iter_mut().for_each(|time| *time += 40.0);
        assert_eq!(judged(&samples, 30.0, 1).verdict, LeakVerdict::FalseAlarm);
    }

    #[test]
    fn what_cannot_be_bounded_is_inconclusive() {
        let mut machine = Machine::new(5);
        let verdict = judged(&machine.run(1_000, 0.0, 500.0), 1.0, 1).verdict;
        assert_eq!(verdict, LeakVerdict::Inconclusive);
    }

    #[test]
    fn a_slow_path_that_only_a_few_inputs_take_is_found_by_cropped_means() {
        let mut samples = Machine::new(6).run(50_000, 0.0, 50.0);
        samples[3].iter_mut().step_by(50).for_each(|time| *time += 1_000.0);
        let judgement = judged(&samples, 30.0, 1);
        assert_eq!(judgement.verdict, LeakVerdict::Leak);
        assert!(judgement.difference.tenths.iter().all(|shift| shift.estimate.abs() < 10.0));
    }

    #[test]
    fn too_little_or_what_is_no_number_is_no_test() {
        assert_eq!(time_difference(&[1.0; 10], &[1.0; 10], 1), None);
        assert_eq!(time_difference(&[1.0; LEAST_SAMPLES], &[f64::NAN; LEAST_SAMPLES], 1), None);
        // Without any spread nothing is shown, and nothing is hidden.
        let still = time_difference(&[1.0; LEAST_SAMPLES], &[1.0; LEAST_SAMPLES], 1).unwrap();
        assert!(still.cropped.is_empty() && still.bound(1) == 0.0 && still.surely(1) <= 0.0);
    }
}
