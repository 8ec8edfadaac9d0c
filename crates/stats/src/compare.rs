use crate::share::{half_width, p_value};
use crate::student::{student_quantile, student_two_sided};
use crate::two_sample::welch_satterthwaite;
use crate::{CONFIDENCE, Cell, Crossed, Interval, IntervalMethod, Share, Sorted, benjamini_hochberg, crossed};

/// Maximum expected fraction of `faster` and `slower` verdicts that are false.
pub const VERDICT_SIGNIFICANCE: f64 = 0.01;

/// Default equivalence margin in percent, for machines whose spread was not measured.
pub const DEFAULT_MARGIN_PCT: f64 = 2.0;

/// Assumed spread between runs on a machine whose spread was not measured.
pub const DEFAULT_RUN_SPREAD: RunSpread = RunSpread { pct: 0.3, degrees_of_freedom: 20 };

/// Degrees of freedom of a variance that is known, not estimated.
pub(crate) const KNOWN: usize = 1_000_000;

/// Spread between runs of the same case, in addition to the spread between processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunSpread {
    /// Standard deviation between runs, in percent.
    pub pct: f64,
    /// Number of independent comparisons from which the spread was estimated.
    pub degrees_of_freedom: usize,
}

impl RunSpread {
    /// No spread, for cases in the same block of one run.
    pub const NONE: RunSpread = RunSpread { pct: 0.0, degrees_of_freedom: KNOWN };
}

/// Time of a second case relative to a first case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Ratio of the medians and its interval. If the ratio is below 1, the second case is faster.
    pub ratio: Interval,
    /// Two-sided p-value for the hypothesis that the ratio is 1.
    pub p_value: f64,
    /// Degrees of freedom for the interval (Welch-Satterthwaite).
    pub degrees_of_freedom: f64,
    /// Standard error of the ratio's logarithm.
    pub standard_error: f64,
}

impl Ratio {
    /// Moves the interval to `estimate`, for example to the ratio of two medians that are shown with it. Updates the
    /// p-value. Returns `None` unless `estimate` is positive and finite.
    pub fn around(self, estimate: f64) -> Option<Ratio> {
        let shift = estimate.ln() - self.ratio.estimate.ln();
        if !shift.is_finite() {
            return None;
        }
        let [low, high] = [self.ratio.low, self.ratio.high].map(|end| end * shift.exp());
        // Derive the error from the interval if that gives a larger one, because the interval may
        // be wider than the standard error implies.
        let factor = student_quantile(0.5 + self.ratio.confidence / 2.0, self.degrees_of_freedom)?;
        let error = ((self.ratio.high / self.ratio.estimate).ln() / factor).max(self.standard_error);
        let statistic = if estimate == 1.0 { 0.0 } else { estimate.ln() / error.max(f64::MIN_POSITIVE) };
        let p_value = student_two_sided(statistic, self.degrees_of_freedom)?;
        Some(Ratio { ratio: Interval { estimate, low, high, ..self.ratio }, p_value, ..self })
    }

    /// Returns whether the ratio contradicts `estimate`. It does if the estimate lies outside the interval, and differs
    /// from the ratio by more than the relative `tolerance`.
    pub fn contradicts(&self, estimate: f64, tolerance: f64) -> bool {
        let inside = self.ratio.low <= estimate && estimate <= self.ratio.high;
        !inside && (estimate / self.ratio.estimate).ln().abs() > tolerance
    }

    /// Returns the interval at another confidence level, or `None` unless `confidence` is between 0 and 1.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        let half = student_quantile(0.5 + confidence / 2.0, self.degrees_of_freedom)? * self.standard_error;
        let estimate = self.ratio.estimate;
        let [low, high] = [estimate * (-half).exp(), estimate * half.exp()];
        (confidence > 0.0 && half.is_finite()).then_some(Interval { low, high, confidence, ..self.ratio })
    }
}

/// Independent term in the logarithm of a ratio: a weighted sum of the logarithms of one or more cases' times. The
/// ratio of two separately measured cases has two terms, with weights -1 and 1. If the same processes measured both
/// cases in the same rounds, their ratio has only one term.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    mean: f64,
    shares: Vec<Share>,
    weight: f64,
}

impl Contrast {
    /// Creates the term for a single case.
    pub fn apart(case: &Crossed, weight: f64) -> Contrast {
        let shares = case.shares.iter().map(|share| share.scaled(weight * weight)).collect();
        Contrast { mean: weight * case.mean, shares, weight }
    }

    /// Creates the term for cases that the same processes measured in the same rounds. `cells` has one cell for each
    /// process and round in which all of these cases were visited. The value of a cell is the weighted sum of the
    /// logarithms of the cases' medians. If a process or a round affects all cases alike, the effect cancels out. The
    /// effect of the run remains only in proportion to `weight`, the sum of the weights. Returns `None` under the same
    /// conditions as [`crossed`].
    pub fn together(cells: &[Cell], weight: f64) -> Option<Contrast> {
        let Crossed { mean, shares, .. } = crossed(cells)?;
        Some(Contrast { mean, shares, weight })
    }

    /// Sets the weight of the spread between runs. The cases of one block share one spread between runs, even if they
    /// are measured separately. Each term then gets only part of the total weight.
    pub fn with_runs(self, weight: f64) -> Contrast {
        Contrast { weight, ..self }
    }
}

/// Returns the ratio whose logarithm is the sum of `parts`. Adds the spread between runs once for each side of the
/// ratio, multiplied by the total weight on that side. `resolution` is the counter's step as a fraction of the medians.
/// The interval allows for rounding to this step.
///
/// Returns `None` if an input is not finite.
pub fn ratio_of(parts: &[Contrast], runs: RunSpread, resolution: f64, confidence: f64) -> Option<Ratio> {
    let difference: f64 = parts.iter().map(|part| part.mean).sum();
    let of_side = |sign: f64| parts.iter().map(|part| (sign * part.weight).max(0.0)).sum::<f64>();
    let of_runs = Share::of_runs(runs).scaled(of_side(1.0).powi(2) + of_side(-1.0).powi(2));
    let mut shares: Vec<Share> = parts.iter().flat_map(|part| part.shares.iter().copied()).collect();
    shares.extend([of_runs, step(resolution)]);
    let standard_error = shares.iter().map(|share| share.variance).sum::<f64>().sqrt();
    if !difference.is_finite() || !standard_error.is_finite() {
        return None;
    }
    let degrees_of_freedom = if standard_error > 0.0 { welch_satterthwaite(&shares) } else { KNOWN as f64 };
    let half = half_width(&shares, confidence)?;
    let [estimate, low, high] = [difference, difference - half, difference + half].map(f64::exp);
    Some(Ratio {
        ratio: Interval { estimate, low, high, confidence, method: IntervalMethod::CrossedT },
        p_value: p_value(difference, &shares)?,
        degrees_of_freedom,
        standard_error,
    })
}

/// Returns the ratio of two cases that were measured separately, in different runs or by different processes. Applies
/// [`ratio_of`] to their crossed means, and adds the spread between runs on each side. Returns `None` if an input is
/// not finite.
pub fn ratio_between(
    first: &Crossed,
    second: &Crossed,
    runs: RunSpread,
    resolution: f64,
    confidence: f64,
) -> Option<Ratio> {
    ratio_of(&[Contrast::apart(first, -1.0), Contrast::apart(second, 1.0)], runs, resolution, confidence)
}

/// Returns the variance that rounding adds to the difference of two readings. Each reading adds a twelfth of the
/// squared step.
fn step(resolution: f64) -> Share {
    Share::known(resolution * resolution / 6.0)
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The second case is faster than the first.
    Faster,
    /// The second case is slower than the first.
    Slower,
    /// Any difference is within the margin.
    Equivalent,
    /// The measurements do not permit a decision.
    Inconclusive,
}

impl Verdict {
    /// Returns the name used on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Equivalent => "equivalent",
            Verdict::Inconclusive => "inconclusive",
        }
    }

    /// Returns the explanation of this verdict on the second case, B, as shown in the help and the documentation. The
    /// margin only defines equivalence: a significant difference is faster or slower even if it is small.
    pub fn meaning(self) -> &'static str {
        match self {
            Verdict::Faster => "B takes significantly less time and is not equivalent",
            Verdict::Slower => "B takes significantly more time and is not equivalent",
            Verdict::Equivalent => "the whole interval of the ratio lies within the margin",
            Verdict::Inconclusive => "no decision possible: noise, a failure, or a disturbed core",
        }
    }
}

/// Verdict and its p-value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// P-value for the hypothesis that the cases do not differ, adjusted for the number of comparisons. `None` if there
    /// is no ratio.
    pub adjusted_p: Option<f64>,
}

/// Judges several comparisons together. The first rule that applies decides:
///
/// - Equivalent if the interval of the ratio lies between `1 / (1 + margin)` and `1 + margin`. This rule corresponds to
///   two one-sided tests at half the significance level of the interval (Schuirmann, Journal of Pharmacokinetics and
///   Biopharmaceutics 15 (1987)).
/// - Faster or slower if the p-value, adjusted for the number of comparisons (Benjamini-Hochberg), is at most
///   [`VERDICT_SIGNIFICANCE`].
/// - Otherwise inconclusive.
pub fn judge(ratios: &[Option<Ratio>], margin_pct: f64) -> Vec<Judgement> {
    let p_values: Vec<f64> = ratios.iter().map(|ratio| ratio.map_or(f64::NAN, |ratio| ratio.p_value)).collect();
    let adjusted = benjamini_hochberg(&p_values);
    let most = 1.0 + margin_pct / 100.0;
    let judge = |(ratio, adjusted): (&Option<Ratio>, f64)| match ratio {
        None => Judgement { verdict: Verdict::Inconclusive, adjusted_p: None },
        Some(Ratio { ratio, .. }) => {
            let verdict = if 1.0 / most <= ratio.low && ratio.high <= most {
                Verdict::Equivalent
            } else if adjusted > VERDICT_SIGNIFICANCE {
                Verdict::Inconclusive
            } else if ratio.estimate > 1.0 {
                Verdict::Slower
            } else {
                Verdict::Faster
            };
            Judgement { verdict, adjusted_p: Some(adjusted) }
        }
    };
    ratios.iter().zip(adjusted).map(judge).collect()
}

/// A machine's noise, estimated by comparing cases with themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NullComparisons {
    /// Number of comparisons.
    pub comparisons: usize,
    /// Number of comparisons with the verdict `faster` or `slower`. Each comparison is judged with the spread estimated
    /// from the others.
    pub false_verdicts: usize,
    /// Spread between runs.
    pub runs: RunSpread,
    /// Smallest margin in percent, but at least [`LEAST_MARGIN_PCT`], that satisfies two conditions:
    ///
    /// - With the estimated spread, 19 of 20 comparisons of a case with itself would be equivalent.
    /// - In the actual comparisons, 9 of 10 were equivalent.
    pub margin_pct: f64,
    /// Smallest difference in percent that 19 of 20 comparisons detect.
    pub smallest_difference_pct: f64,
}

/// Minimum spread between runs, in percent. Every machine has some spread, even if two dozen comparisons in a quiet
/// minute show none.
pub const LEAST_RUN_SPREAD_PCT: f64 = 0.1;

/// Minimum margin derived from a machine's own spread, in percent. The placement of code and data in memory alone
/// changes times by more than this (Mytkowicz, Diwan, Hauswirth and Sweeney, "Producing wrong data without doing
/// anything obviously wrong!", ASPLOS 2009). In addition, a machine is sometimes noisier than during the measurement of
/// its spread.
pub const LEAST_MARGIN_PCT: f64 = 1.0;

/// Minimum number of comparisons for estimating a machine's noise.
pub const FEWEST_COMPARISONS: usize = 5;

/// Factor by which the mean square of normal numbers shrinks if the largest tenth is removed: `P(chi2(3) < q) / 0.9`,
/// where `q` is the ninth decile of `chi2(1)`.
const WITHOUT_LARGEST: f64 = 0.6230;

/// Estimates the spread between runs by the method of moments, from the part of the squared differences that the spread
/// between processes does not explain. If there are ten or more comparisons, removes the largest tenth and corrects the
/// estimate, so that a single undetected disturbance does not dominate.
fn run_spread(ratios: &[&Ratio]) -> RunSpread {
    let mut squares: Vec<f64> = ratios.iter().map(|ratio| ratio.ratio.estimate.ln().powi(2)).collect();
    squares.sort_by(f64::total_cmp);
    let kept = squares.len() - squares.len() / 10;
    let correction = if kept < squares.len() { WITHOUT_LARGEST } else { 1.0 };
    let observed = squares[..kept].iter().sum::<f64>() / kept as f64 / correction;
    let errors: Vec<f64> = ratios.iter().map(|ratio| ratio.standard_error.powi(2)).collect();
    let explained = crate::median(&errors).unwrap_or(0.0);
    let pct = 100.0 * ((observed - explained) / 2.0).max(0.0).sqrt();
    RunSpread { pct: pct.max(LEAST_RUN_SPREAD_PCT), degrees_of_freedom: kept }
}

/// Minimum number of processes per run for estimating a machine's noise.
const FEWEST_PROCESSES: usize = 3;

/// Estimates a machine's noise from pairs of runs of the same case. Uses the same kind of ratio as later comparisons.
/// Returns `None` if there are fewer than [`FEWEST_COMPARISONS`] pairs, if a run has fewer than three processes, or if
/// a pair has no ratio.
pub fn null_comparisons(pairs: &[(Crossed, Crossed)]) -> Option<NullComparisons> {
    let few = |run: &Crossed| run.processes < FEWEST_PROCESSES;
    if pairs.len() < FEWEST_COMPARISONS || pairs.iter().any(|(first, second)| few(first) || few(second)) {
        return None;
    }
    let bare = |(first, second): &(Crossed, Crossed)| ratio_between(first, second, RunSpread::NONE, 0.0, CONFIDENCE);
    let bare: Vec<Ratio> = pairs.iter().map(bare).collect::<Option<_>>()?;
    let runs = run_spread(&bare.iter().collect::<Vec<_>>());
    let mut false_verdicts = 0;
    let (mut ends, mut expected, mut differences) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (first, second)) in pairs.iter().enumerate() {
        let others = bare.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, ratio)| ratio);
        let by_others = ratio_between(first, second, run_spread(&others.collect::<Vec<_>>()), 0.0, CONFIDENCE)?;
        false_verdicts += usize::from(by_others.p_value <= VERDICT_SIGNIFICANCE);
        let found = ratio_between(first, second, runs, 0.0, CONFIDENCE)?;
        ends.push(found.ratio.high.max(1.0 / found.ratio.low));
        // `high / low` spans two half-widths. One is the half-width of the interval itself. The other is the distance
        // from 1 that 19 of 20 interval centers do not exceed.
        expected.push(found.ratio.high / found.ratio.low);
        let factor = student_quantile(1.0 - VERDICT_SIGNIFICANCE / 2.0, found.degrees_of_freedom)?
            + student_quantile(0.95, found.degrees_of_freedom)?;
        differences.push((factor * found.standard_error).exp());
    }
    let margin = Sorted::new(ends)?.quantile(0.9).max(Sorted::new(expected)?.median());
    Some(NullComparisons {
        comparisons: pairs.len(),
        false_verdicts,
        runs,
        margin_pct: (100.0 * (margin - 1.0)).max(LEAST_MARGIN_PCT),
        smallest_difference_pct: 100.0 * (Sorted::new(differences)?.median() - 1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() <= 1e-9 * right.abs().max(1.0), "{left} should be {right}");
    }

    /// Creates one cell per process, each in its own round. For these cells, the interval is Student's interval over
    /// the processes.
    fn cells(values: impl IntoIterator<Item = f64>) -> Vec<Cell> {
        (0..).zip(values).map(|(process, value)| Cell { process, round: process, value }).collect()
    }

    fn ratio_of_pairs(pairs: &[(f64, f64)], resolution: f64, confidence: f64) -> Option<Ratio> {
        let together = Contrast::together(&cells(pairs.iter().map(|(first, second)| (second / first).ln())), 0.0)?;
        ratio_of(&[together], RunSpread::NONE, resolution, confidence)
    }

    #[test]
    fn ratio_of_pairs_matches_students() {
        // The logarithms of the ratios are 0.01, 0.02 and 0.03: mean 0.02, deviation 0.01, factor 4.302653 / sqrt(3).
        let pairs = [(1.0, 0.01_f64.exp()), (5.0, 5.0 * 0.02_f64.exp()), (2.0, 2.0 * 0.03_f64.exp())];
        let found = ratio_of_pairs(&pairs, 0.0, CONFIDENCE).unwrap();
        close(found.ratio.estimate, 0.02_f64.exp());
        close(found.ratio.high, (0.02 + 4.302_652_729_749_464 * 0.01 / 3.0_f64.sqrt()).exp());
        close(found.degrees_of_freedom, 2.0);
        assert!(ratio_of_pairs(&pairs, 0.05, CONFIDENCE).unwrap().ratio.high > found.ratio.high);
        assert_eq!(ratio_of_pairs(&[], 0.0, CONFIDENCE), None);
        assert_eq!(ratio_of_pairs(&[(1.0, 0.0), (1.0, 1.0), (1.0, 1.0)], 0.0, CONFIDENCE), None);
    }

    #[test]
    fn moves_the_interval_to_another_estimate() {
        let pairs = [(1.0, 1.01), (1.0, 1.02), (1.0, 1.03)];
        let found = ratio_of_pairs(&pairs, 0.0, CONFIDENCE).unwrap();
        let moved = found.around(1.05).unwrap();
        close(moved.ratio.high / moved.ratio.estimate, found.ratio.high / found.ratio.estimate);
        assert!(moved.p_value < found.p_value && moved.ratio.estimate == 1.05);
        close(found.around(found.ratio.estimate).unwrap().p_value, found.p_value);
        assert_eq!(found.around(f64::NAN), None);
        assert!(found.contradicts(1.5, 0.01) && !found.contradicts(1.021, 0.01) && !found.contradicts(1.5, 0.5));
    }

    #[test]
    fn higher_confidence_widens_the_interval() {
        let pairs = [(1.0, 1.01), (5.0, 5.1), (2.0, 2.06), (1.0, 1.04)];
        let found = ratio_of_pairs(&pairs, 0.0, CONFIDENCE).unwrap();
        let [same, surer] = [CONFIDENCE, 0.99].map(|confidence| found.interval(confidence).unwrap());
        close(same.low, found.ratio.low);
        close(same.high, found.ratio.high);
        let direct = ratio_of_pairs(&pairs, 0.0, 0.99).unwrap().ratio;
        close(surer.low, direct.low);
        close(surer.high, direct.high);
        assert_eq!((found.interval(1.0), found.interval(0.0)), (None, None));
    }

    #[test]
    fn run_spread_widens_the_interval() {
        let run = |medians: [f64; 4]| crossed(&cells(medians.map(f64::ln))).unwrap();
        let (first, second) = (run([1.00, 1.01, 0.99, 1.005]), run([1.03, 1.04, 1.02, 1.035]));
        let bare = ratio_between(&first, &second, RunSpread::NONE, 0.0, CONFIDENCE).unwrap();
        let spread = ratio_between(&first, &second, DEFAULT_RUN_SPREAD, 0.0, CONFIDENCE).unwrap();
        close(bare.ratio.estimate, spread.ratio.estimate);
        let of_runs = 2.0 * (DEFAULT_RUN_SPREAD.pct / 100.0).powi(2);
        close(spread.standard_error.powi(2), bare.standard_error.powi(2) + of_runs);
    }

    #[test]
    fn terms_are_added_with_their_weights() {
        let (one, two) = (crossed(&cells([0.0, 0.01, 0.02])).unwrap(), crossed(&cells([1.0, 1.03, 1.06])).unwrap());
        let whole = |case: &Crossed| {
            ratio_of(&[Contrast::apart(case, 1.0)], RunSpread::NONE, 0.0, CONFIDENCE).unwrap().standard_error.powi(2)
        };
        let runs = RunSpread { pct: 1.0, degrees_of_freedom: 20 };
        let parts = [Contrast::apart(&one, 0.25), Contrast::apart(&two, 0.75), Contrast::apart(&one, -1.0)];
        let found = ratio_of(&parts, runs, 0.0, CONFIDENCE).unwrap();
        close(found.ratio.estimate, (0.25 * one.mean + 0.75 * two.mean - one.mean).exp());
        // All cases on one side come from the same run, so the spread between runs counts once per
        // side.
        let wanted = 1.0625 * whole(&one) + 0.5625 * whole(&two) + 2.0 * 1e-4;
        close(found.standard_error.powi(2), wanted);
        // If the weights in a block do not sum to zero, the variance between runs contributes in proportion to the
        // square of their sum.
        let kept = Contrast::together(&cells([0.0, 0.01, 0.02]), 0.1).unwrap();
        let found = ratio_of(&[kept], runs, 0.0, CONFIDENCE).unwrap();
        close(found.standard_error.powi(2), whole(&one) + 0.01 * 1e-4);
    }

    #[test]
    fn gives_each_of_the_four_verdicts() {
        let pairs = |shift: f64, spread: f64| {
            let pair = |index: i32| (1.0, 1.0 + shift + spread * f64::from(index));
            ratio_of_pairs(&(-3..=3).map(pair).collect::<Vec<_>>(), 0.0, CONFIDENCE)
        };
        let all = [pairs(0.05, 0.001), pairs(-0.05, 0.001), pairs(0.001, 0.001), pairs(0.03, 0.02), None];
        let verdicts: Vec<Verdict> = judge(&all, 2.0).iter().map(|judgement| judgement.verdict).collect();
        use Verdict::{Equivalent, Faster, Inconclusive, Slower};
        assert_eq!(verdicts, [Slower, Faster, Equivalent, Inconclusive, Inconclusive]);
        // The difference is significant, but within the margin.
        assert_eq!(judge(&[pairs(0.01, 0.0001)], 2.0)[0].verdict, Equivalent);
        assert_eq!(judge(&[pairs(0.01, 0.0001)], 0.5)[0].verdict, Slower);
        assert_eq!(judge(&[pairs(0.0, 0.0)], 0.5)[0], Judgement { verdict: Equivalent, adjusted_p: Some(1.0) });
    }

    #[test]
    fn more_comparisons_raise_the_bar() {
        let barely = ratio_of_pairs(&[(1.0, 1.02), (1.0, 1.03), (1.0, 1.04), (1.0, 1.03)], 0.0, CONFIDENCE);
        let nothing = ratio_of_pairs(&[(1.0, 1.01), (1.0, 0.96), (1.0, 1.04), (1.0, 0.99)], 0.0, CONFIDENCE);
        assert_eq!(judge(&[barely], 1.0)[0].verdict, Verdict::Slower);
        assert_eq!(judge(&[barely, nothing, nothing, nothing, nothing], 1.0)[0].verdict, Verdict::Inconclusive);
    }

    /// Returns a run with four processes.
    fn run(shift: f64) -> Crossed {
        crossed(&cells([1.0, 1.001, 0.999, 1.002].map(|median: f64| (median * (1.0 + shift)).ln()))).unwrap()
    }

    #[test]
    fn estimates_noise_from_five_or_more_pairs() {
        let pairs: Vec<(Crossed, Crossed)> =
            [0.01, -0.01, 0.01, -0.01, 0.01].iter().map(|shift| (run(0.0), run(*shift))).collect();
        let found = null_comparisons(&pairs).unwrap();
        assert_eq!((found.comparisons, found.false_verdicts, found.runs.degrees_of_freedom), (5, 0, 5));
        // The spread is the difference of 1%, minus the part that the spread between processes
        // explains, divided by sqrt(2).
        assert!((found.runs.pct - 0.70).abs() < 0.01, "{found:?}");
        assert!(found.margin_pct > 2.0 && found.smallest_difference_pct > 2.0, "{found:?}");
        assert_eq!(null_comparisons(&pairs[..4]), None);
        let few = crossed(&cells([0.0, 0.001])).unwrap();
        assert_eq!(null_comparisons(&vec![(run(0.0), few); 5]), None);
    }

    #[test]
    fn single_disturbances_do_not_dominate_the_estimate() {
        let quiet: Vec<(Crossed, Crossed)> =
            (0..20).map(|index| (run(0.0), run(0.002 * f64::from(index % 5 - 2)))).collect();
        let mut disturbed = quiet.clone();
        disturbed[7].1 = run(0.4);
        let (quiet, disturbed) = (null_comparisons(&quiet).unwrap(), null_comparisons(&disturbed).unwrap());
        assert!(disturbed.runs.pct < 1.5 * quiet.runs.pct, "quiet {quiet:?}, disturbed {disturbed:?}");
        assert!(disturbed.margin_pct < 1.5 * quiet.margin_pct, "quiet {quiet:?}, disturbed {disturbed:?}");
        assert_eq!((quiet.false_verdicts, disturbed.false_verdicts), (0, 1));
    }

    #[test]
    fn machines_without_spread_get_the_minimum() {
        let found = null_comparisons(&vec![(run(0.0), run(0.0)); 20]).unwrap();
        assert_eq!((found.runs.pct, found.margin_pct), (LEAST_RUN_SPREAD_PCT, LEAST_MARGIN_PCT));
    }
}
