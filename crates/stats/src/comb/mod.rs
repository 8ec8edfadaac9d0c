mod kinds;
mod no_comb;

use crate::Sorted;
use kinds::Kinds;
pub use no_comb::NoComb;

/// Minimum number of samples for fitting a [`Comb`].
const FEWEST_SAMPLES: usize = 150;

/// Number of teeth of the [`Comb`] used for the first guess.
const GUESSED_TEETH: i32 = 5;

/// Factors by which the guessed [`Comb::each`] is multiplied. One fit starts from each product.
const SCALES: [f64; 8] = [1.0, 0.94, 1.06, 0.88, 1.12, 1.3, 1.6, 2.0];

/// Number of teeth used in each step of a fit. The fit starts with the first teeth, where the guess is most accurate.
const TEETH: [f64; 8] = [3.0, 5.0, 8.0, 12.0, 20.0, 20.0, 20.0, 20.0];

/// Maximum distance of a readable sample from its tooth, as a fraction of [`Comb::each`].
const REACH: f64 = 0.25;

/// Fraction of readable samples below which a model with two kinds of failed attempts is also tried.
const BLURRED: f64 = 0.9;

/// Minimum fraction of readable samples. Without a comb, half of the samples are readable by chance.
const LEAST_READABLE: f64 = 0.72;

/// Limits on the difference between the mean and the expected number of attempts: `MOST_ERRORS` standard errors plus
/// the fraction `MISFIT` of the expected number.
const MOST_ERRORS: f64 = 4.0;
const MISFIT: f64 = 0.2;

/// Maximum factor by which the fraction of samples with one attempt may differ from the expected fraction.
const AT_ONCE: f64 = 1.6;

/// Maximum fraction of samples below the first tooth.
const MOST_BELOW: f64 = 0.05;

/// Model of the times of an operation that repeats an attempt until one succeeds. Each attempt succeeds with the same
/// probability. A sample with `N` attempts takes `first + (N - 1) * each`, apart from noise. The samples therefore form
/// a comb, with a tooth for each number of attempts.
///
/// A library may stop an attempt when the first check fails, and skip the work for later checks. Such a comb has two
/// kinds of failed attempts, and more than one tooth for each number of attempts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comb {
    /// Time of an operation that succeeds at the first attempt, in the unit of the samples.
    pub first: f64,
    /// Mean time of each further attempt, in the unit of the samples.
    pub each: f64,
    /// Expected number of attempts.
    pub expected: f64,
    /// Fraction of the samples that show their number of attempts: 1 for a perfect comb, 0.5 without a comb.
    pub readable: f64,
    /// The two kinds of failed attempts, if they explain more samples than a comb with one kind.
    kinds: Option<Kinds>,
}

impl Comb {
    /// Fits a comb to samples. `expected` is the expected number of attempts, which must exceed 1. `early` is the
    /// fraction of failed attempts that fail the first check.
    ///
    /// The number of attempts has a geometric distribution, so the medians of the first five teeth are known quantiles
    /// of the samples. They give a first guess, from which several fits start. Each step of a fit assigns every sample
    /// to the nearest tooth, and fits a line to the samples close to their teeth. The first step uses three teeth;
    /// later steps use more. Samples farther than a quarter of `each` from a tooth are ignored, because they result
    /// from interruptions or from attempts that a library rejects early.
    ///
    /// If fewer than 90% of the samples are close to a tooth, a model with two kinds of failed attempts is also fitted,
    /// by expectation maximization. This model replaces the first one if it explains more samples than the first one
    /// can read. With two kinds, a sample is readable if one number of attempts has a probability of at least 75%.
    ///
    /// Returns [`NoComb`] if the comb cannot be read.
    pub fn fit(samples: &[f64], expected: f64, early: f64) -> Result<Comb, NoComb> {
        let sorted = Sorted::new(samples.to_vec()).filter(|sorted| sorted.min() > 0.0 && expected > 1.0);
        let sorted = sorted.ok_or(NoComb::Invalid)?;
        if samples.len() < FEWEST_SAMPLES {
            return Err(NoComb::FewSamples { samples: samples.len() });
        }
        let guess = Comb::guess(&sorted, expected).ok_or(NoComb::NoFit)?;
        let n = samples.len() as f64;
        let mean = |comb: &Comb| samples.iter().map(|sample| comb.nearest(*sample).0).sum::<f64>() / n;
        let share = |holds: &dyn Fn(f64) -> bool| samples.iter().filter(|sample| holds(**sample)).count() as f64 / n;
        let fits = SCALES.into_iter().filter_map(|scale| {
            let start = Comb { each: scale * guess.each, ..guess };
            let comb = TEETH.into_iter().try_fold(start, |comb, teeth| comb.improved(samples, teeth))?;
            Some(Comb { readable: share(&|sample| comb.read(sample).is_some()), ..comb })
        });
        // A comb with twice as many teeth fits as many samples, but does not give the expected number of attempts.
        let score = |comb: &Comb| comb.readable - (mean(comb) / expected - 1.0).abs() / 10.0;
        let mut comb = fits.max_by(|one, other| score(one).total_cmp(&score(other))).ok_or(NoComb::NoFit)?;
        if comb.readable < BLURRED {
            let kinds = Kinds::fit(samples, [comb.first, comb.each], expected, early);
            let explained = |kinds: &Kinds| share(&|sample| kinds.at_expected(sample).is_some());
            if let Some(kinds) = kinds.filter(|kinds| explained(kinds) > comb.readable) {
                comb = Comb { first: kinds.first, each: kinds.each(), kinds: Some(kinds), ..comb };
                comb.readable = share(&|sample| comb.read(sample).is_some());
            }
        }
        let (readable, mean) = (comb.readable, mean(&comb));
        let first = share(&|sample| comb.read(sample) == Some(1.0));
        let below = share(&|sample| sample < comb.first - comb.each / 2.0);
        let deviation = (expected * (expected - 1.0)).sqrt();
        if readable < LEAST_READABLE {
            Err(NoComb::Blurred { readable })
        } else if (mean - expected).abs() > MISFIT * expected + MOST_ERRORS * deviation / n.sqrt() {
            Err(NoComb::WrongMean { mean, expected })
        } else if !(1.0 / AT_ONCE..=AT_ONCE).contains(&(first * expected)) {
            Err(NoComb::WrongFirst { first, expected: 1.0 / expected })
        } else if below > MOST_BELOW {
            Err(NoComb::Below { below })
        } else {
            Ok(comb)
        }
    }

    /// Returns the number of attempts of a sample, or `None` if the number is uncertain. With one kind of failed
    /// attempt, the number is uncertain if the sample is farther than a quarter of `each` from a tooth. With two kinds,
    /// it is uncertain if no number of attempts has a probability of at least 75%.
    pub fn read(&self, sample: f64) -> Option<f64> {
        if let Some(kinds) = &self.kinds {
            return kinds.read(sample);
        }
        let (attempts, distance) = self.nearest(sample);
        (distance.abs() <= REACH).then_some(attempts)
    }

    /// Returns `sample - each * (N - expected)`: the time that a sample with `N` attempts would have with the expected
    /// number of attempts. This removes the random variation in the number of attempts (a control variate), so few
    /// samples suffice for a precise mean. With two kinds of failed attempts, the result uses the expected number of
    /// attempts of each kind, given the sample, because `N` is not known. Returns `None` if the sample is far from all
    /// teeth.
    pub fn at_expected(&self, sample: f64) -> Option<f64> {
        if let Some(kinds) = &self.kinds {
            return kinds.at_expected(sample);
        }
        Some(sample - self.each * (self.read(sample)? - self.expected))
    }

    /// Guesses a comb from the medians of the first teeth. These medians are known quantiles of the samples.
    fn guess(sorted: &Sorted, expected: f64) -> Option<Comb> {
        let fail = 1.0 - 1.0 / expected;
        let median_of = |tooth: i32| sorted.quantile(1.0 - fail.powi(tooth) * (1.0 + 1.0 / fail) / 2.0);
        let first = median_of(1);
        let slope = |tooth: i32| (median_of(tooth) - first) / f64::from(tooth - 1);
        let each = crate::median(&(2..=GUESSED_TEETH).map(slope).collect::<Vec<f64>>())?;
        (each > 0.0).then_some(Comb { first, each, expected, readable: 0.0, kinds: None })
    }

    /// Returns the nearest tooth, counted from 1, and the distance from it in units of `each`.
    fn nearest(&self, sample: f64) -> (f64, f64) {
        let place = 1.0 + (sample - self.first) / self.each;
        let attempts = place.round().max(1.0);
        (attempts, place - attempts)
    }

    /// Refits the comb: fits a least-squares line to the readable samples of the first `teeth` teeth. Returns `None` if
    /// these samples all belong to one tooth, or if `first` or `each` is not positive.
    fn improved(&self, samples: &[f64], teeth: f64) -> Option<Comb> {
        let (mut n, mut sums, mut squares) = (0.0, [0.0; 2], [0.0; 2]);
        for sample in samples {
            if let Some(attempts) = self.read(*sample).filter(|attempts| *attempts <= teeth) {
                let (further, time) = (attempts - 1.0, sample - self.first);
                n += 1.0;
                sums = [sums[0] + further, sums[1] + time];
                squares = [squares[0] + further * further, squares[1] + further * time];
            }
        }
        let each = (n * squares[1] - sums[0] * sums[1]) / (n * squares[0] - sums[0] * sums[0]);
        let first = self.first + (sums[1] - each * sums[0]) / n;
        (first > 0.0 && each > 0.0 && each.is_finite()).then_some(Comb { first, each, ..*self })
    }
}
