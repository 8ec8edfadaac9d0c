//! Compares figures. Every table, finding and export uses [`ratio`] for its comparisons.

use super::{ComparisonCriteria, Judged};
use crate::measured::{Figure, Measured, common_moments, common_statistic};
use pqlab_record::{CyclesSource, Moment, Statistic, Unit, Visits};
use pqlab_stats::{CONFIDENCE, Cell, Contrast, Interval, Ratio, RunSpread, Verdict, judge, ratio_of};
use std::collections::BTreeMap;

/// Tolerated relative difference between the ratio from paired rounds and the ratio of the medians. Applies even if the
/// interval is narrower.
const TOLERANCE: f64 = 0.01;

/// Comparison of two sides. A side is one case, or several cases in sequence.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Unit of the figures.
    pub unit: Unit,
    /// Statistic of the figures.
    pub statistic: Statistic,
    /// Ratio of the second side's figure to the first's, with its interval; `None` if a figure is unknown or zero.
    pub ratio: Option<Ratio>,
    /// Whether all cases were combined visit by visit, because the same processes measured them in the same rounds.
    pub paired: bool,
    /// Whether a disturbance may have caused the difference, because a side was disturbed and the sides were measured
    /// separately.
    pub doubtful: bool,
    /// Notes that qualify the comparison.
    pub notes: Vec<String>,
    /// Verdict on the ratio, ignoring `doubtful`.
    plain: Verdict,
}

impl Compared {
    /// Returns whether the second side is faster, even if the difference is [doubtful](Self::doubtful).
    pub(crate) fn is_faster(&self) -> bool {
        self.plain == Verdict::Faster
    }

    /// Returns the verdict on the second side from this comparison alone: [`pqlab_stats::judge`] applied to one ratio,
    /// but inconclusive if a difference is doubtful.
    pub fn verdict(&self) -> Verdict {
        match self.plain {
            Verdict::Faster | Verdict::Slower if self.doubtful => Verdict::Inconclusive,
            plain => plain,
        }
    }
}

/// Compares two sums of cases. The result is the ratio of the time of `second` to the time of `first`.
///
/// - **Unit**: core cycles if they are known for all cases and the criteria allow them, otherwise time.
/// - **Statistic**: the mean of every case if one of them [retries at random](pqlab_record::Case::repeats_by_chance) or
///   a side is a sum, otherwise the median.
/// - **Estimate**: the ratio of the sums of the headline figures, as a reader would compute it from the figures shown.
/// - **Interval**: computed from the weighted sum of the logarithms of the cases' visits ([`ratio_of`]). The weight of
///   a case is its fraction of its side's sum, negative for the first side. Cases of the same block and start are
///   combined visit by visit, at the moments that they have in common. Effects that a process or a round has on all of
///   these cases then cancel out. Each case contributes separately if the cases have few moments in common, if these
///   moments contradict the headline figures, or if the cases come from different blocks, starts or runs. For cases
///   from different blocks or runs, the spread between runs is added.
pub fn ratio(first: &[&Measured<'_>], second: &[&Measured<'_>], criteria: &ComparisonCriteria) -> Compared {
    ratio_by(first, second, common_statistic(&[first, second]), criteria)
}

/// Like [`ratio`], but with a given statistic. Comparisons of throughputs use means.
pub(crate) fn ratio_by(
    first: &[&Measured<'_>],
    second: &[&Measured<'_>],
    statistic: Statistic,
    criteria: &ComparisonCriteria,
) -> Compared {
    let all = || first.iter().chain(second);
    let in_cycles = all().all(|case| case.headline(Unit::CoreCycles, statistic).is_some());
    let unit = match criteria.judged {
        Judged::Auto if in_cycles => Unit::CoreCycles,
        Judged::Cycles => Unit::CoreCycles,
        Judged::Auto | Judged::Time => Unit::Nanoseconds,
    };
    let mut found = Compared {
        unit,
        statistic,
        ratio: None,
        paired: false,
        doubtful: all().any(|case| case.contended),
        notes: Vec::new(),
        plain: Verdict::Inconclusive,
    };
    if let Some(sum) = Sum::new(first, second, unit, statistic) {
        found.paired = true;
        let ratio = sum.contrasts(&mut found).and_then(|contrasts| {
            ratio_of(&contrasts, criteria.runs(unit), sum.resolution, CONFIDENCE)?.around(sum.beside)
        });
        found.ratio = ratio;
    }
    let sources: Vec<CyclesSource> = all().map(|case| case.record.samples.cycles_source()).collect();
    if found.ratio.is_none() {
        found.paired = false;
        found.notes.push(match unit {
            Unit::CoreCycles if !in_cycles => "core cycles are unknown for at least one side".into(),
            _ => "no interval, because a figure is zero".into(),
        });
    } else if unit == Unit::CoreCycles && sources.iter().any(|source| *source != sources[0]) {
        let source_word = |cases: &[&Measured<'_>]| {
            let counted = |case: &&Measured<'_>| case.record.samples.cycles_source() == CyclesSource::Counter;
            if cases.iter().all(counted) { "counted" } else { "estimated" }
        };
        let (first, second) = (source_word(first), source_word(second));
        found.notes.push(format!("core cycles are {first} for the first side and {second} for the second"));
    }
    found.plain = judge(&[found.ratio], criteria.margin_pct)[0].verdict;
    found
}

/// Returns the total time in ns of cases in sequence, or `None` if a case has no figure, or a figure of zero. The
/// estimate is the sum of the headline figures. The interval is computed as in [`ratio`], so that an effect of a
/// process, a round or a run on several cases is counted only once. A case that is listed several times is counted each
/// time.
pub fn total(cases: &[&Measured<'_>], criteria: &ComparisonCriteria) -> Option<Interval> {
    total_in(cases, Unit::Nanoseconds, criteria)
}

/// Like [`total`], but in a given unit.
pub(crate) fn total_in(cases: &[&Measured<'_>], unit: Unit, criteria: &ComparisonCriteria) -> Option<Interval> {
    let statistic = common_statistic(&[cases]);
    let sum = Sum::new(&[], cases, unit, statistic)?;
    let mut found = Compared {
        unit,
        statistic,
        ratio: None,
        paired: true,
        doubtful: false,
        notes: Vec::new(),
        plain: Verdict::Inconclusive,
    };
    let contrasts = sum.contrasts(&mut found)?;
    Some(ratio_of(&contrasts, criteria.runs(unit), sum.resolution, CONFIDENCE)?.around(sum.beside)?.ratio)
}

/// Compares two figures that were measured separately, without their samples. Gives the same result as [`ratio`] for
/// two cases from different runs. Returns `None` if the ratio is not positive and finite.
pub(crate) fn ratio_apart(first: &Figure, second: &Figure, runs: RunSpread) -> Option<Ratio> {
    let contrasts = [Contrast::apart(&first.crossed, -1.0), Contrast::apart(&second.crossed, 1.0)];
    let resolution = first.resolution.max(second.resolution);
    ratio_of(&contrasts, runs, resolution, CONFIDENCE)?.around(second.headline / first.headline)
}

/// A case and its weight in the logarithm of the ratio.
#[derive(Clone, Copy)]
struct Term<'m, 'a> {
    case: &'m Measured<'a>,
    weight: f64,
}

/// Logarithm of a ratio of sums, expressed to first order as a weighted sum over cases.
struct Sum<'m, 'a> {
    /// Cases with their weights. Cases whose weights on both sides cancel out are left out.
    terms: Vec<Term<'m, 'a>>,
    /// Ratio of the sums of the headline figures, or the sum if there is only one side.
    beside: f64,
    /// Largest step of a counter, relative to the case's headline figure.
    resolution: f64,
    unit: Unit,
    statistic: Statistic,
}

impl<'m, 'a> Sum<'m, 'a> {
    /// Computes the weights of all cases. Returns `None` if a headline figure is unknown or the ratio is not finite.
    fn new(
        first: &[&'m Measured<'a>],
        second: &[&'m Measured<'a>],
        unit: Unit,
        statistic: Statistic,
    ) -> Option<Sum<'m, 'a>> {
        let mut terms: Vec<Term<'m, 'a>> = Vec::new();
        let (mut sums, mut resolution) = ([0.0; 2], 0.0_f64);
        for ((side, sum), sign) in [first, second].into_iter().zip(&mut sums).zip([-1.0, 1.0]) {
            let headlines = side.iter().map(|case| case.headline(unit, statistic)).collect::<Option<Vec<f64>>>()?;
            *sum = headlines.iter().sum();
            for (case, headline) in side.iter().zip(headlines) {
                resolution = resolution.max(case.resolution(unit, statistic)?);
                let weight = sign * headline / *sum;
                match terms.iter_mut().find(|term| term.case.is(case)) {
                    Some(term) => term.weight += weight,
                    None => terms.push(Term { case, weight }),
                }
            }
        }
        terms.retain(|term| term.weight.abs() > f64::EPSILON);
        let beside = if first.is_empty() { sums[1] } else { sums[1] / sums[0] };
        beside.is_finite().then_some(Sum { terms, beside, resolution, unit, statistic })
    }

    /// Splits the sum into independent [contrasts](Contrast). Combines cases of one block if possible. Adds notes to
    /// `found`. Returns `None` if a case has no figure.
    fn contrasts(&self, found: &mut Compared) -> Option<Vec<Contrast>> {
        let groups = groups(&self.terms);
        let one_block = |one: &Term<'_, '_>, two: &Term<'_, '_>| one.case.shares_block(two.case);
        let split = |(at, group): (usize, &Vec<Term<'_, '_>>)| {
            groups.iter().skip(at + 1).any(|other| one_block(&group[0], &other[0]))
        };
        if groups.iter().enumerate().any(split) {
            let again = self.terms.iter().any(|term| term.case.record.second_chance.is_some());
            let reason = if again {
                "one case was disturbed and measured again at the end of the run"
            } else {
                "the run was interrupted and resumed between the cases"
            };
            found.notes.push(format!("measured separately: {reason}"));
        }
        // A disturbance slows all cases of a group equally, so ratios within the group still hold. Only a case without
        // a partner in its group makes the ratio doubtful.
        found.doubtful &= groups.iter().any(|group| group.len() == 1);
        let mut contrasts = Vec::new();
        for group in &groups {
            let weight: f64 = group.iter().map(|term| term.weight).sum();
            if group.len() > 1 {
                if let Some((together, all_visits)) = self.together(group, weight) {
                    if all_visits {
                        found.notes.push(
                            "disturbed visits are included, because the cases share too few undisturbed rounds".into(),
                        );
                    }
                    contrasts.push(together);
                    continue;
                }
                found.notes.push(
                    "the cases share too few comparable rounds, so the comparison uses all rounds of each case".into(),
                );
            }
            found.paired = false;
            for term in group {
                let figure = term.case.figure_by(self.unit, self.statistic)?;
                // The spread between runs applies to the group once, so divide the weight equally among its cases.
                let of_runs = weight / group.len() as f64;
                contrasts.push(Contrast::apart(&figure.crossed, term.weight).with_runs(of_runs));
            }
        }
        Some(contrasts)
    }

    /// Combines the cases of one block and start into one contrast, and returns whether it includes disturbed visits.
    /// Returns `None` if too few visits have counterparts in all cases, or if the common visits contradict the headline
    /// figures.
    fn together(&self, group: &[Term<'m, 'a>], weight: f64) -> Option<(Contrast, bool)> {
        let Sum { unit, statistic, resolution, .. } = *self;
        let cases: Vec<&Measured<'_>> = group.iter().map(|term| term.case).collect();
        // Prefer usable visits. Use all visits if the cases share too few rounds with usable visits.
        let found = [Visits::Usable, Visits::All].into_iter().find_map(|visits| {
            let (common, visits) = common_moments(&cases, visits)?;
            let values = cases.iter().map(|case| case.values(unit, statistic, visits)).collect::<Option<Vec<_>>>()?;
            let cell = |moment: &Moment| {
                let logarithm = |(term, values): (&Term<'_, '_>, &&BTreeMap<Moment, f64>)| {
                    Some(term.weight * values.get(moment)?.ln())
                };
                let value: f64 = group.iter().zip(&values).map(logarithm).collect::<Option<Vec<f64>>>()?.iter().sum();
                let (process, round) = moment.numbers();
                Some(Cell { process, round, value })
            };
            let cells: Vec<Cell> = common.iter().filter_map(cell).collect();
            Some((Contrast::together(&cells, weight)?, visits == Visits::All))
        });
        let (contrast, all_visits) = found?;
        let headlines = group.iter().map(|term| Some(term.weight * term.case.headline(unit, statistic)?.ln()));
        let expected: f64 = headlines.collect::<Option<Vec<f64>>>()?.iter().sum();
        let alone = ratio_of(std::slice::from_ref(&contrast), RunSpread::NONE, resolution, CONFIDENCE)?;
        (!alone.contradicts(expected.exp(), TOLERANCE)).then_some((contrast, all_visits))
    }
}

/// Groups the terms by block and start. Terms of the same block without a common start stay separate.
fn groups<'m, 'a>(terms: &[Term<'m, 'a>]) -> Vec<Vec<Term<'m, 'a>>> {
    let mut groups: Vec<Vec<Term<'m, 'a>>> = Vec::new();
    for term in terms {
        match groups.iter_mut().find(|group| group.iter().all(|other| other.case.is_interleaved_with(term.case))) {
            Some(group) => group.push(*term),
            None => groups.push(vec![*term]),
        }
    }
    groups
}
