//! Combs of libraries that stop some failed attempts early.

use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Starting values for the ratio `times[0] / times[1]`, one for each trial fit.
const RATIOS: [f64; 2] = [0.85, 0.65];

/// Number of steps in each trial fit. The best trial fit then takes [`STEPS`] more steps.
const TRIED_STEPS: usize = 20;
const STEPS: usize = 50;

/// Number of initial steps that keep the guessed noise. If the noise were fitted from the start, it would absorb the
/// second kind of failed attempt.
const GUESSED_NOISE_STEPS: usize = 12;

/// Factor by which the final steps are lengthened to speed up the slow convergence of expectation maximization. The
/// steps converge for factors below 2.
const LENGTH: f64 = 1.8;

/// Number of groups of samples within the time of one attempt. A fit uses only the mean and the size of each group.
const GROUPS: f64 = 40.0;

/// Initial and minimum standard deviation, as fractions of the mean time of a failed attempt. They apply to the first
/// attempt and to each further attempt.
const GUESSED_NOISE: f64 = 0.04;
const LEAST_NOISE: f64 = 0.003;

/// Initial guess for the fraction of samples that the model does not explain, and the limits of this fraction.
const GUESSED_OUTLIERS: f64 = 0.05;
const OUTLIERS: (f64, f64) = (1e-4, 0.9);

/// Maximum number of failed attempts that the model considers. Samples with more failed attempts count as unexplained.
/// If 1 in 5 attempts succeeds, fewer than 2 in a million samples have more.
const MOST_FAILED: f64 = 60.0;

/// Maximum distance between a sample and a tooth to which it can belong, in standard deviations.
const REACH: f64 = 4.0;

/// Minimum ratio between the times of the two kinds. Fits below it fail.
const LEAST_RATIO: f64 = 0.3;

/// Minimum probability of the most probable number of attempts. A sample with a lower probability is not readable.
const SURE: f64 = 0.75;

/// Model of two kinds of failed attempts, which take different times: those that fail the first check, and the others.
/// A sample with `e` attempts of the first kind and `l` of the other takes `first + e * times[0] + l * times[1]`, plus
/// normally distributed noise. The probabilities of `e` and `l` are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kinds {
    /// Time of an operation that succeeds at the first attempt.
    pub(super) first: f64,
    /// Time of an attempt that fails the first check, and time of an attempt that fails a later check.
    times: [f64; 2],
    /// Variances of the time of the first attempt, and of the time of each further attempt.
    variances: [f64; 2],
    /// Fraction of samples that the model does not explain, such as interrupted ones.
    outliers: f64,
    /// Expected number of attempts.
    expected: f64,
    /// Fraction of the failed attempts that fail the first check.
    early: f64,
}

/// Result of reading a sample.
struct Reading {
    /// Probability density of the sample.
    density: f64,
    /// Probability that the model does not explain the sample.
    outlier: f64,
    /// Expected number of failed attempts of each kind.
    failed: [f64; 2],
    /// Most probable number of failed attempts, and its probability.
    likeliest: (f64, f64),
}

impl Kinds {
    /// Fits the model by expectation maximization. The fit starts from a comb with one kind of failed attempt, and
    /// tries several ratios of the two times. `early` is the fraction of failed attempts that fail the first check.
    /// Returns `None` if no fit converges, or if one kind takes less than 30% of the other's time.
    pub(super) fn fit(samples: &[f64], [first, each]: [f64; 2], expected: f64, early: f64) -> Option<Kinds> {
        let groups = groups(samples, first, each / GROUPS);
        let variance = (GUESSED_NOISE * each).powi(2);
        let tried = RATIOS.into_iter().filter_map(|ratio| {
            let late = each / (early * ratio + 1.0 - early);
            let times = [ratio * late, late];
            let outliers = GUESSED_OUTLIERS;
            let start = Kinds { first, times, variances: [variance; 2], outliers, expected, early };
            (0..TRIED_STEPS).try_fold(start, |kinds, step| {
                let next = kinds.improved(&groups)?;
                let guessed = Kinds { variances: kinds.variances, ..next };
                Some(if step < GUESSED_NOISE_STEPS { guessed } else { next })
            })
        });
        let likelihood = |kinds: &Kinds| -> f64 {
            groups.iter().map(|group| group.size * kinds.reading(group.mean).density.ln()).sum()
        };
        let best = tried.max_by(|one, other| likelihood(one).total_cmp(&likelihood(other)))?;
        (0..STEPS).try_fold(best, |kinds, _| Some(kinds.lengthened(&kinds.improved(&groups)?)))
    }

    /// Returns the mean time of a failed attempt.
    pub(super) fn each(&self) -> f64 {
        self.early * self.times[0] + (1.0 - self.early) * self.times[1]
    }

    /// Returns the most probable number of attempts of a sample, or `None` if its probability is below 75%.
    pub(super) fn read(&self, sample: f64) -> Option<f64> {
        let Reading { outlier, likeliest: (failed, probability), .. } = self.reading(sample);
        (probability * (1.0 - outlier) >= SURE).then_some(failed + 1.0)
    }

    /// Returns the time that a sample would have with the expected number of failed attempts of each kind. Returns
    /// `None` if the model does not explain the sample.
    pub(super) fn at_expected(&self, sample: f64) -> Option<f64> {
        let Reading { outlier, failed: [early, late], .. } = self.reading(sample);
        let failed = self.expected - 1.0;
        let excess = [early - failed * self.early, late - failed * (1.0 - self.early)];
        (outlier < 0.5).then(|| sample - excess[0] * self.times[0] - excess[1] * self.times[1])
    }

    fn variance(&self, failed: f64) -> f64 {
        self.variances[0] + failed * self.variances[1]
    }

    /// Calls `visit` for each tooth within reach of a sample, in ascending order of failed attempts. `visit` receives
    /// the number of failed attempts of each kind, the sample's distance from the tooth, and the probability density.
    fn teeth(&self, sample: f64, mut visit: impl FnMut([f64; 2], f64, f64)) {
        let further = sample - self.first;
        let reach = REACH * self.variance((further / self.each() + 1.0).max(0.0)).sqrt();
        let (short, long) = (self.times[0].min(self.times[1]), self.times[0].max(self.times[1]));
        let (success, odds) = (1.0 / self.expected, self.early / (1.0 - self.early));
        let mut failed = ((further - reach) / long).ceil().max(0.0);
        while failed <= MOST_FAILED && failed * short <= further + reach {
            let variance = self.variance(failed);
            let late = (1.0 - success) * (1.0 - self.early);
            let scale = (1.0 - self.outliers) / (2.0 * PI * variance).sqrt();
            let mut weight = scale * success * late.powf(failed);
            let mut early = 0.0;
            while early <= failed {
                let distance = further - early * self.times[0] - (failed - early) * self.times[1];
                if distance.abs() <= reach {
                    let density = weight * (-distance * distance / (2.0 * variance)).exp();
                    visit([early, failed - early], distance, density);
                }
                weight *= odds * (failed - early) / (early + 1.0);
                early += 1.0;
            }
            failed += 1.0;
        }
    }

    /// Returns the probability density of samples that the model does not explain. It decays at the same rate as the
    /// density of the explained samples, so the fraction of unexplained samples is about the same for short and long
    /// samples.
    fn background(&self, sample: f64) -> f64 {
        let each = self.each();
        let rate = -(1.0 - 1.0 / self.expected).ln() / each;
        let from = sample - self.first + each / 2.0;
        if from > 0.0 { self.outliers * rate * (-rate * from).exp() } else { f64::EPSILON / each }
    }

    fn reading(&self, sample: f64) -> Reading {
        let (mut explained, mut failed) = (0.0, [0.0; 2]);
        let (mut number, mut of_number, mut likeliest) = (-1.0, 0.0, (0.0, 0.0));
        self.teeth(sample, |[early, late], _, density| {
            explained += density;
            failed[0] += early * density;
            failed[1] += late * density;
            if early + late > number {
                (number, of_number) = (early + late, 0.0);
            }
            of_number += density;
            if of_number > likeliest.1 {
                likeliest = (number, of_number);
            }
        });
        let background = self.background(sample);
        let density = explained + background;
        Reading {
            density,
            outlier: background / density,
            failed: failed.map(|sum| sum / explained),
            likeliest: (likeliest.0, likeliest.1 / explained),
        }
    }

    /// Returns the model after one step of expectation maximization, or `None` if [`sound`](Self::sound) rejects it.
    fn improved(&self, groups: &[Group]) -> Option<Kinds> {
        let mut line = Line::default();
        // Weights and weighted squares of the distances: of the samples with one attempt, and of the others.
        let (mut weights, mut squares, mut failures) = ([0.0; 2], [0.0; 2], 0.0);
        let (mut number, mut outliers) = (0.0, 0.0);
        for Group { mean, size } in groups {
            let Reading { density: all, outlier, .. } = self.reading(*mean);
            number += size;
            outliers += size * outlier;
            self.teeth(*mean, |failed, distance, density| {
                let (share, further) = (size * density / all, failed[0] + failed[1]);
                line.add(share / self.variance(further), failed, *mean);
                let has_failed = usize::from(further > 0.0);
                weights[has_failed] += share;
                squares[has_failed] += share * distance * distance;
                failures += share * further;
            });
        }
        let (first, times) = line.solve()?;
        let least = (LEAST_NOISE * self.each()).powi(2);
        let at_once = squares[0] / weights[0];
        let further = (squares[1] - weights[1] * at_once) / failures;
        // `max` also replaces the results of divisions by zero.
        let variances = [at_once.max(least), further.max(least)];
        Kinds { first, times, variances, outliers: outliers / number, ..*self }.sound()
    }

    /// Extends the step from this model to `next` by the factor [`LENGTH`]. Returns `next` if the extended step leads
    /// to a model that is not [`sound`](Self::sound).
    fn lengthened(&self, next: &Kinds) -> Kinds {
        let further = |from: f64, to: f64| from + LENGTH * (to - from);
        let scaled = |from: f64, to: f64| from * (to / from).powf(LENGTH);
        let pairs =
            |of: &dyn Fn(f64, f64) -> f64, from: [f64; 2], to: [f64; 2]| [of(from[0], to[0]), of(from[1], to[1])];
        let long = Kinds {
            first: further(self.first, next.first),
            times: pairs(&further, self.times, next.times),
            variances: pairs(&scaled, self.variances, next.variances),
            outliers: scaled(self.outliers, next.outliers),
            ..*self
        };
        long.sound().unwrap_or(*next)
    }

    /// Returns the model with the fraction of outliers clamped to [`OUTLIERS`]. Returns `None` if `first` is not
    /// positive, or if the ratio of the two times is not above [`LEAST_RATIO`].
    fn sound(self) -> Option<Kinds> {
        let Kinds { first, times, outliers, .. } = self;
        let is_sound = first > 0.0 && times[0] > LEAST_RATIO * times[1] && times[1] > LEAST_RATIO * times[0];
        is_sound.then_some(Kinds { outliers: outliers.clamp(OUTLIERS.0, OUTLIERS.1), ..self })
    }
}

/// Group of samples with almost equal times.
struct Group {
    mean: f64,
    size: f64,
}

/// Divides samples into groups by time. Each group spans an interval of the given width, and one interval begins at
/// `first`.
fn groups(samples: &[f64], first: f64, width: f64) -> Vec<Group> {
    let mut sums: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    for sample in samples {
        let (sum, size) = sums.entry(((sample - first) / width).floor() as i64).or_default();
        *sum += sample;
        *size += 1.0;
    }
    sums.into_values().map(|(sum, size)| Group { mean: sum / size, size }).collect()
}

/// Weighted least-squares fit of `first + early * times[0] + late * times[1]` to the samples.
#[derive(Default)]
struct Line {
    weight: f64,
    /// Weighted sums of the numbers of early failures, the numbers of late failures, and the samples.
    sums: [f64; 3],
    /// Weighted sums of the products early * early, early * late, late * late, early * sample, late * sample.
    products: [f64; 5],
}

impl Line {
    fn add(&mut self, weight: f64, [early, late]: [f64; 2], sample: f64) {
        self.weight += weight;
        let values = [early, late, sample];
        let products = [early * early, early * late, late * late, early * sample, late * sample];
        self.sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        self.products.iter_mut().zip(products).for_each(|(sum, value)| *sum += weight * value);
    }

    /// Returns `first` and `times`, or `None` if the samples do not determine them.
    fn solve(&self) -> Option<(f64, [f64; 2])> {
        let [early, late, sample] = self.sums.map(|sum| sum / self.weight);
        let means = [early * early, early * late, late * late, early * sample, late * sample];
        let mut covariances = self.products.map(|sum| sum / self.weight);
        covariances.iter_mut().zip(means).for_each(|(value, mean)| *value -= mean);
        let [ee, el, ll, es, ls] = covariances;
        let determinant = ee * ll - el * el;
        let times = [(es * ll - ls * el) / determinant, (ls * ee - es * el) / determinant];
        let first = sample - times[0] * early - times[1] * late;
        (times[0].is_finite() && times[1].is_finite()).then_some((first, times))
    }
}
