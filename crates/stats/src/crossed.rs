use crate::share::{Share, half_width};
use crate::two_way::{RandomEffect, TwoWay};
use crate::{Interval, IntervalMethod, RunSpread};

/// One visit: the measurements of one process in one round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Process number.
    pub process: u64,
    /// Round number.
    pub round: u64,
    /// Natural logarithm of the visit's median or mean.
    pub value: f64,
}

/// Assumed standard deviation between processes in percent, for runs with too few processes for an estimate.
pub const PROCESS_PRIOR_PCT: f64 = 0.5;

/// Assumed standard deviation between rounds in percent, for runs with too few rounds for an estimate.
pub const ROUND_PRIOR_PCT: f64 = 0.5;

/// Assumed standard deviation of one visit in percent, for runs in which no process has two visits.
pub const RESIDUAL_PRIOR_PCT: f64 = 1.0;

/// Degrees of freedom of each assumed standard deviation.
pub const PRIOR_FREEDOM: f64 = 3.0;

/// Minimum degrees of freedom for using an estimated component without a prior. With a prior, the interval from three
/// processes would be too narrow if the processes differ by more than the prior assumes.
const ENOUGH_FREEDOM: usize = 2;

/// Mean over the visits of a case, and its uncertainty. Computed by [`crossed`].
#[derive(Clone, Debug, PartialEq)]
pub struct Crossed {
    /// Mean of the cells, on the logarithmic scale.
    pub mean: f64,
    /// Components that add up to the mean's variance.
    pub shares: Vec<Share>,
    /// Standard deviation between processes in percent, before it is combined with a prior. Includes the residual if
    /// the two cannot be separated. `None` if there is only one process.
    pub process_pct: Option<f64>,
    /// Standard deviation between rounds in percent, before it is combined with a prior. Includes the residual if the
    /// two cannot be separated. `None` if there is only one round.
    pub round_pct: Option<f64>,
    /// Residual standard deviation of a visit in percent. `None` if the residual cannot be separated from the other
    /// components.
    pub residual_pct: Option<f64>,
    /// Number of processes.
    pub processes: usize,
    /// Number of rounds.
    pub rounds: usize,
    /// Number of cells that contain a value.
    pub cells: usize,
    /// Part of the mean's variance that more processes reduce: variation between processes, and the residual.
    of_processes: Share,
    /// Part of the mean's variance that more processes do not reduce: variation between rounds.
    of_rounds: Share,
}

/// Estimate of one variance component from the table.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Sum of the component and `excess`.
    gross: Share,
    /// Contribution of the residual variance to `gross`, with the residual's degrees of freedom.
    excess: Share,
    /// Degrees of freedom that the component has in a complete table.
    freedom: usize,
}

impl Seen {
    fn component(&self) -> f64 {
        (self.gross.variance - self.excess.variance).max(0.0)
    }

    fn scaled(self, factor: f64) -> Seen {
        Seen { gross: self.gross.scaled(factor), excess: self.excess.scaled(factor), ..self }
    }
}

/// Returns the mean of a case's visits from a two-way random-effects model in which processes are crossed with rounds.
/// The logarithm of a visit's median is the sum of a process effect, a round effect and a residual. Searle, Casella and
/// McCulloch, "Variance Components" (1992), chapters 4 and 5.
///
/// **Mean.** The estimate is the mean of the cells. For a complete table, every sensible estimator yields this value.
/// If cells are missing, every other cell keeps the same weight, as in the median of all samples.
///
/// **Variance.** For known weights, the variance of the mean is exactly `a p + b r + c e`. Here `p`, `r` and `e` are
/// the variances of processes, rounds and residuals, and `a`, `b` and `c` are the sums of the squared weights of
/// processes, rounds and cells. Henderson's method III (section 5.5) estimates the variances. For a complete table,
/// this is the analysis of variance, and the variance of the mean is `(MS_P + MS_R - MS_E) / (P R)`. Negative
/// components are set to zero, so the variance is never less than any of the three mean squares divided by the number
/// of cells. If processes leave and others join, the table may split into parts that share no rounds. Effects are then
/// compared only within parts.
///
/// **Degrees of freedom** are Satterthwaite's ("An Approximate Distribution of Estimates of Variance Components",
/// Biometrics Bulletin 2 (1946)). The residual mean square is subtracted from the smaller of the two components. The
/// degrees of freedom account for the uncertainty of this difference, but are never fewer than the smallest degrees of
/// freedom of a mean square.
///
/// **Few processes or rounds.** A component with fewer than two degrees of freedom is combined with its prior
/// ([`PROCESS_PRIOR_PCT`], [`ROUND_PRIOR_PCT`] or [`RESIDUAL_PRIOR_PCT`], each with [`PRIOR_FREEDOM`]). With at least
/// three processes and three rounds, no prior is used.
///
/// **Inseparable components** are estimated as one component. If no process has two rounds, the variation between
/// processes includes the residual, and rounds are compared by their means. If, in addition, no round has two
/// processes, the variation between processes also includes the rounds, and the interval is Student's over the
/// processes.
///
/// Returns `None` if there are no cells, or if a value is not finite.
pub fn crossed(cells: &[Cell]) -> Option<Crossed> {
    TwoWay::new(cells).as_ref().map(Crossed::new)
}

/// Computes [`crossed`] from visits, each given as process number, round number and samples. `summary` reduces the
/// samples of a visit to their median or mean. Skips visits without samples. Returns `None` under the same conditions
/// as [`crossed`], and if a summary is not positive.
pub fn crossed_visits<'a>(
    visits: impl IntoIterator<Item = ((u64, u64), &'a [f64])>,
    summary: fn(&[f64]) -> Option<f64>,
) -> Option<Crossed> {
    let cell = |((process, round), samples): ((u64, u64), &[f64])| {
        Some(Cell { process, round, value: summary(samples)?.ln() })
    };
    crossed(&visits.into_iter().filter_map(cell).collect::<Vec<_>>())
}

/// Returns the residual variance, or `None` if the table leaves no degrees of freedom for it.
fn residual(table: &TwoWay) -> Option<Share> {
    let freedom = table.residual_freedom() as f64;
    (freedom > 0.0).then(|| Share::new(table.residual_squares / freedom, freedom))
}

/// Estimates the variance components of processes and rounds from the table.
fn seen(table: &TwoWay, residual: Option<Share>) -> (Option<Seen>, Option<Seen>) {
    let adjusted = |factor: &RandomEffect| {
        let freedom = factor.freedom as f64;
        (factor.freedom > 0).then(|| {
            let excess = residual.map_or(Share::default(), |residual| residual.scaled(freedom / factor.trace));
            let gross = factor.squares / factor.trace;
            let component = (gross - excess.variance).max(0.0);
            Seen { gross: Share::new(gross, effective(factor, component, residual)), excess, freedom: factor.freedom }
        })
    };
    let (mut process, mut round) = (adjusted(&table.process), adjusted(&table.round));
    if table.parts > 1 && (process.is_none() || round.is_none()) {
        // If each process or each round is a separate part, the variation between parts estimates that component.
        let (squares, of_processes, of_rounds) = table.between_parts();
        let freedom = (table.parts - 1) as f64;
        let between = |coefficient: f64, other: Option<Seen>, of_other: f64| {
            let variance = of_other * other.map_or(0.0, |other| other.component()) / coefficient;
            // No degrees of freedom remain for a residual, so the other component takes its place.
            let excess = Share::new(variance, other.map_or(freedom, |other| other.gross.degrees_of_freedom));
            Some(Seen { gross: Share::new(squares / coefficient, freedom), excess, freedom: table.parts - 1 })
        };
        if process.is_none() {
            process = between(of_processes, round, of_rounds);
        } else {
            round = between(of_rounds, process, of_processes);
        }
    }
    (process, round)
}

/// Returns Satterthwaite's degrees of freedom for a factor's sum of squares. [`RandomEffect`] describes the
/// distribution of this sum. For a complete table, the result is the factor's own degrees of freedom.
fn effective(factor: &RandomEffect, component: f64, residual: Option<Share>) -> f64 {
    let (freedom, residual) = (factor.freedom as f64, residual.map_or(0.0, |residual| residual.variance));
    let sum = factor.trace * component + freedom * residual;
    let squares = factor.trace_of_square * component.powi(2)
        + 2.0 * factor.trace * component * residual
        + freedom * residual.powi(2);
    if squares > 0.0 { (sum * sum / squares).min(freedom) } else { freedom }
}

/// Returns the estimated components and the residual as shares of the variance. The residual is added to the larger
/// component. For a complete table, this sum is the mean square of that component, with the same degrees of freedom.
fn estimated_shares(mut estimated: Vec<Seen>, residual: Share) -> Vec<Share> {
    estimated.retain(|seen| seen.component() > 0.0);
    estimated.sort_by(|one, other| other.component().total_cmp(&one.component()));
    let Some(larger) = estimated.first() else { return vec![residual] };
    let freedom = larger.gross.degrees_of_freedom;
    let first = Share::new(larger.component() + residual.variance, freedom);
    let Some(smaller) = estimated.get(1) else { return vec![first] };
    let (variance, own) = (smaller.component(), smaller.gross.degrees_of_freedom);
    let sum = first.variance + variance;
    let most = sum * sum / freedom.min(own) - first.uncertainty();
    let uncertainty = (smaller.gross.uncertainty() + smaller.excess.uncertainty()).min(most);
    vec![first, Share::new(variance, (variance * variance / uncertainty).min(own))]
}

/// Adds the residual to the process component, because more processes reduce both. Keeps the component's degrees of
/// freedom, unless the component is zero.
fn with_residual(component: Share, residual: Share) -> Share {
    let variance = component.variance + residual.variance;
    let larger = if component.variance > 0.0 { component } else { residual };
    Share::new(variance, larger.degrees_of_freedom)
}

impl Crossed {
    /// Returns the mean and its uncertainty from a fitted table: see [`crossed`].
    pub(crate) fn new(table: &TwoWay) -> Crossed {
        let n = table.count() as f64;
        let squares = |counts: &[usize]| counts.iter().map(|cells| (*cells as f64 / n).powi(2)).sum::<f64>();
        let (process_weight, round_weight) = (squares(&table.of_process), squares(&table.of_round));
        let residual = residual(table);
        let (process, round) = seen(table, residual);
        let pct = |variance: f64| 100.0 * variance.sqrt();

        let assumed = |pct: f64, apart: bool| {
            let residual = if apart { 0.0 } else { RESIDUAL_PRIOR_PCT };
            (pct.powi(2) + residual.powi(2)) / 1e4
        };
        let mut shares = Vec::new();
        let mut estimated = Vec::new();
        // If every cell is a separate part, the data cannot separate processes from rounds, so the
        // process component covers both.
        let alone = table.parts == table.count() && table.count() > 1;
        let mut of_component = |seen: Option<Seen>, prior: f64, weight: f64| match seen {
            Some(seen) if seen.freedom >= ENOUGH_FREEDOM => {
                estimated.push(seen.scaled(weight));
                Share::new(weight * seen.component(), seen.gross.degrees_of_freedom)
            }
            Some(seen) => {
                let estimate = Share::new(seen.component(), seen.gross.degrees_of_freedom);
                let share = estimate.moderated(PRIOR_FREEDOM, assumed(prior, residual.is_some())).scaled(weight);
                shares.push(share);
                share
            }
            None => {
                let share = Share::default().moderated(PRIOR_FREEDOM, assumed(prior, true)).scaled(weight);
                shares.push(share);
                share
            }
        };
        let of_processes = of_component(process, PROCESS_PRIOR_PCT, process_weight);
        let of_rounds = if alone { Share::default() } else { of_component(round, ROUND_PRIOR_PCT, round_weight) };
        let left = match residual {
            Some(residual) if table.residual_freedom() < ENOUGH_FREEDOM => {
                residual.moderated(PRIOR_FREEDOM, assumed(RESIDUAL_PRIOR_PCT, true)).scaled(1.0 / n)
            }
            Some(residual) => residual.scaled(1.0 / n),
            // Without residual degrees of freedom, another component includes the residual, unless
            // there is only one cell.
            None if table.count() > 1 => Share::default(),
            None => Share::default().moderated(PRIOR_FREEDOM, assumed(RESIDUAL_PRIOR_PCT, true)),
        };
        // If processes are nested in rounds, or rounds in processes, the inner component acts as the residual of the
        // outer.
        let inner = table.parts > 1 && residual.is_none() && estimated.len() == 2;
        let left_over = match inner {
            true if table.process.freedom == 0 => estimated.remove(1).gross,
            true => estimated.remove(0).gross,
            false => left,
        };
        shares.extend(estimated_shares(estimated, left_over));
        shares.retain(|share| share.variance > 0.0);
        Crossed {
            mean: table.mean,
            shares,
            process_pct: process.map(|seen| pct(seen.component())),
            round_pct: round.map(|seen| pct(seen.component())),
            residual_pct: residual.map(|residual| pct(residual.variance)),
            processes: table.of_process.len(),
            rounds: table.of_round.len(),
            cells: table.count(),
            of_processes: with_residual(of_processes, left),
            of_rounds,
        }
    }

    /// Returns the interval for the case's long-run median or mean on this machine, over many runs. `headline` is the
    /// median or mean of all samples. The ends are `headline` divided and multiplied by the same factor. The interval
    /// covers the variation between processes, rounds, visits and runs. It also covers rounding to multiples of `step`,
    /// in the unit of `headline`. Rounding adds `(step / headline)^2 / 12` to the variance, which alone extends a 95%
    /// interval by more than half a step to each side.
    ///
    /// If `headline` is not positive and finite, the interval is unbounded.
    pub fn interval(&self, headline: f64, run: RunSpread, step: f64, confidence: f64) -> Interval {
        let mut shares = self.shares.clone();
        shares.extend([Share::of_runs(run), Share::known((step / headline).powi(2) / 12.0)]);
        let half = half_width(&shares, confidence).filter(|_| headline.is_finite() && headline > 0.0);
        let (low, high) = match half {
            Some(half) => (headline * (-half).exp(), headline * half.exp()),
            None => (headline.min(0.0), f64::INFINITY),
        };
        Interval { estimate: headline, low, high, confidence, method: IntervalMethod::CrossedT }
    }

    /// Returns the part of the mean's variance that more processes reduce, and the part that they do not reduce.
    pub(crate) fn falls_with_processes(&self) -> (Share, Share) {
        (self.of_processes, self.of_rounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CONFIDENCE;
    use crate::student::student_quantile;
    use crate::two_sample::welch_satterthwaite;

    const NOTHING: RunSpread = RunSpread { pct: 0.0, degrees_of_freedom: 1 };

    /// Builds cells from rows. Each row is a process; the values are in hundredths.
    fn table<const ROUNDS: usize>(rows: &[[f64; ROUNDS]]) -> Vec<Cell> {
        let row = |(process, row): (u64, &[f64; ROUNDS])| {
            let cell = move |(round, value)| Cell { process, round, value };
            (0..).zip(row.map(|value| value / 100.0)).map(cell).collect::<Vec<_>>()
        };
        (0..).zip(rows).flat_map(row).collect()
    }

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() <= 1e-9 * right.abs(), "{left} should be {right}");
    }

    #[test]
    fn complete_table_matches_anova_by_hand() {
        // The row means are 3, 4 and 8, the column means 3, 4, 5 and 8, and the mean is 5. The sums
        // of squares are 56, 42 and 4, with 2, 3 and 6 degrees of freedom, so the mean squares are
        // 28, 14 and 2/3.
        let found = crossed(&table(&[[1.0, 2.0, 3.0, 6.0], [2.0, 4.0, 3.0, 7.0], [6.0, 6.0, 9.0, 11.0]])).unwrap();
        close(found.mean, 0.05);
        assert_eq!((found.processes, found.rounds, found.cells), (3, 4, 12));
        close(found.process_pct.unwrap(), ((28.0 - 2.0 / 3.0) / 4.0_f64).sqrt());
        close(found.round_pct.unwrap(), ((14.0 - 2.0 / 3.0) / 3.0_f64).sqrt());
        close(found.residual_pct.unwrap(), (2.0 / 3.0_f64).sqrt());
        // The variance is (28 + 14 - 2/3) / 12. The term 28 / 12 has 2 degrees of freedom. The rest has the degrees of
        // freedom of the difference 14 - 2/3.
        let [process, round] = found.shares[..] else { panic!("{found:?}") };
        close(process.variance, 28.0 / 12.0 * 1e-4);
        close(process.degrees_of_freedom, 2.0);
        close(round.variance, 40.0 / 36.0 * 1e-4);
        close(
            round.degrees_of_freedom,
            (40.0_f64 / 3.0).powi(2) / (14.0_f64.powi(2) / 3.0 + (2.0 / 3.0_f64).powi(2) / 6.0),
        );
        // Satterthwaite's degrees of freedom are 3.735, so the factor is 2.857 and the half-width 5.302%. The processes
        // alone have the factor 4.302653, so their half-width is 6.572%.
        let freedom = welch_satterthwaite(&found.shares);
        close(freedom, (124.0_f64 / 36.0).powi(2) / (49.0 / 18.0 + 49.0 / 108.0 + 1.0 / 1944.0));
        let half = student_quantile(0.975, freedom).unwrap() * (124.0_f64 / 36.0).sqrt();
        assert!((half - 5.302).abs() < 5e-3, "{half}");
        let half = 4.302_652_729_749_464 * (28.0_f64 / 12.0).sqrt() / 100.0;
        let interval = found.interval(200.0, NOTHING, 0.0, CONFIDENCE);
        close(interval.high, 200.0 * half.exp());
        close(interval.low, 200.0 * (-half).exp());
    }

    #[test]
    fn negative_components_are_set_to_zero() {
        // All row and column means are equal, so only the residual is left. Its sum of squares is 6, with 4 degrees of
        // freedom.
        let found = crossed(&table(&[[1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [-1.0, 0.0, 1.0]])).unwrap();
        assert_eq!((found.process_pct, found.round_pct), (Some(0.0), Some(0.0)));
        let [residual] = found.shares[..] else { panic!("{found:?}") };
        close(residual.variance, 6.0 / 4.0 / 9.0 * 1e-4);
        assert_eq!(residual.degrees_of_freedom, 4.0);
        // Rows differ, but columns do not. The variance is therefore the mean square of the rows
        // divided by the number of cells.
        let found = crossed(&table(&[[2.0, 0.0, 1.0], [0.0, 1.0, -1.0], [-2.0, -1.0, 0.0]])).unwrap();
        let [process] = found.shares[..] else { panic!("{found:?}") };
        close(process.variance, 3.0 / 9.0 * 1e-4);
        close(process.degrees_of_freedom, 2.0);
    }

    #[test]
    fn combines_poorly_estimated_components_with_priors() {
        let variance = |pct: f64| (pct / 100.0).powi(2);
        let (process, round) = (variance(PROCESS_PRIOR_PCT), variance(ROUND_PRIOR_PCT));
        // With one process, the rounds include the residual.
        let one = crossed(&table(&[[1.0, 2.0, 3.0]])).unwrap();
        assert_eq!((one.process_pct, one.residual_pct), (None, None));
        let wanted = [Share::new(process, 3.0), Share::new(1e-4 / 3.0, 2.0)];
        for (share, wanted) in one.shares.iter().zip(wanted) {
            close(share.variance, wanted.variance);
            close(share.degrees_of_freedom, wanted.degrees_of_freedom);
        }
        // With one round, the processes include the residual.
        let one = crossed(&table(&[[1.0], [2.0], [3.0]])).unwrap();
        close(one.shares.iter().map(|share| share.variance).sum(), round + 1e-4 / 3.0);
        // Two processes have one degree of freedom; the prior adds three.
        let two = crossed(&table(&[[0.0, 0.0, 0.0], [2.0, 2.0, 2.0]])).unwrap();
        let [share] = two.shares[..] else { panic!("{two:?}") };
        close(share.variance, (3.0 * process + 2e-4) / 4.0 / 2.0);
        close(share.degrees_of_freedom, 4.0);
        // With one cell, every component is assumed.
        let cell = crossed(&table(&[[1.0]])).unwrap();
        close(cell.shares.iter().map(|share| share.variance).sum(), process + round + variance(RESIDUAL_PRIOR_PCT));
        assert_eq!(crossed(&[]), None);
        assert_eq!(crossed(&table(&[[f64::NAN, 1.0]])), None);
        assert_eq!(crossed(&table(&[[0.0_f64.ln(), 1.0]])), None);
    }

    #[test]
    fn single_visits_give_students_interval() {
        let values = [1.0, 3.0, 2.0, 6.0, 3.0];
        let cells: Vec<Cell> =
            (0..).zip(values).map(|(at, value)| Cell { process: at, round: at, value: value / 100.0 }).collect();
        let found = crossed(&cells).unwrap();
        let [share] = found.shares[..] else { panic!("{found:?}") };
        close(share.variance, 3.5 / 5.0 * 1e-4);
        close(share.degrees_of_freedom, 4.0);
    }

    #[test]
    fn nested_processes_make_the_round_the_unit() {
        // Three rounds with two processes each. The round means are 1, 5 and 9. The mean square
        // within rounds is 2, with three degrees of freedom.
        let values = [0.0, 2.0, 4.0, 6.0, 8.0, 10.0];
        let cells: Vec<Cell> =
            (0..).zip(values).map(|(at, value)| Cell { process: at, round: at / 2, value: value / 100.0 }).collect();
        let found = crossed(&cells).unwrap();
        close(found.process_pct.unwrap(), 2.0_f64.sqrt());
        close(found.round_pct.unwrap(), 15.0_f64.sqrt());
        // The variance is the mean square between rounds, 32, divided by the six cells.
        close(found.shares.iter().map(|share| share.variance).sum(), 32.0 / 6.0 * 1e-4);
        close(welch_satterthwaite(&found.shares), 2.0);
    }

    #[test]
    fn incomplete_table_matches_henderson() {
        // Process 0 has the values 0 and 3 in rounds 0 and 1, process 1 has 1 and 8 in rounds 0 and
        // 2, and process 2 has 2 and 4 in rounds 1 and 2. The sum of squares within rounds is
        // 1/2 + 1/2 + 8 = 9, and within processes 9/2 + 49/2 + 2 = 31. The residual has one degree
        // of freedom. Its contrast y00 - y01 - y10 + y12 + y21 - y22 is 0 - 3 - 1 + 8 + 2 - 4 = 2,
        // so the residual sum of squares is 2^2/6 = 4/6.
        let at = |process, round, value: f64| Cell { process, round, value: value / 100.0 };
        let cells = [at(0, 0, 0.0), at(0, 1, 3.0), at(1, 0, 1.0), at(1, 2, 8.0), at(2, 1, 2.0), at(2, 2, 4.0)];
        let found = crossed(&cells).unwrap();
        close(found.residual_pct.unwrap(), (4.0 / 6.0_f64).sqrt());
        // Each adjusted sum of squares has two degrees of freedom and the coefficient 6 - 3 = 3.
        close(found.process_pct.unwrap(), ((9.0 - 2.0 / 3.0 - 4.0 / 3.0) / 3.0_f64).sqrt());
        close(found.round_pct.unwrap(), ((31.0 - 2.0 / 3.0 - 4.0 / 3.0) / 3.0_f64).sqrt());
    }

    #[test]
    fn summarises_visits_by_their_medians() {
        let samples = [[1.0, 2.0, 90.0], [3.0, 4.0, 4.5], [2.5, 3.0, 3.5], [5.0, 6.0, 7.0]];
        let visits = || (0..2).flat_map(|process| (0..2).map(move |round| (process, round))).zip(&samples);
        let cells: Vec<Cell> =
            visits().map(|((process, round), samples)| Cell { process, round, value: f64::ln(samples[1]) }).collect();
        let from_visits =
            |samples: [&[f64]; 4]| crossed_visits(visits().map(|(numbers, _)| numbers).zip(samples), crate::median);
        let [one, two, three, four] = &samples;
        assert_eq!(from_visits([one, two, three, four]), crossed(&cells));
        assert_eq!(from_visits([one, two, three, &[]]), crossed(&cells[..3]), "visits without samples must be skipped");
        assert_eq!(from_visits([one, two, three, &[0.0]]), None);
    }

    #[test]
    fn runs_and_rounding_widen_an_interval() {
        let found = crossed(&table(&[[0.0; 3]; 3])).unwrap();
        let exact = found.interval(10.0, NOTHING, 0.0, CONFIDENCE);
        assert_eq!((exact.low, exact.high), (10.0, 10.0));
        let stepped = found.interval(10.0, NOTHING, 1.0, CONFIDENCE);
        assert!(stepped.low < 9.5 && stepped.high > 10.5 && stepped.high < 10.7, "{stepped:?}");
        // Student's factor for 20 degrees of freedom is 2.0860.
        let runs = found.interval(10.0, RunSpread { pct: 1.0, degrees_of_freedom: 20 }, 0.0, CONFIDENCE);
        assert!((runs.half_width_pct() - 100.0 * (0.01 * 2.085_963_447_f64).exp_m1()).abs() < 1e-6, "{runs:?}");
        assert_eq!(runs.method.name(), "crossed-t");
        assert!(runs.method.covers_processes());
        assert_eq!(found.interval(0.0, NOTHING, 1.0, CONFIDENCE).high, f64::INFINITY);
    }
}
