use crate::two_sample::{student_quantile, welch_satterthwaite};
use crate::two_way::{Factor, TwoWay};
use crate::{Interval, IntervalMethod, KNOWN, RunSpread};

/// One visit: what one process measured in one round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The process's number.
    pub process: u64,
    /// The round's number.
    pub round: u64,
    /// The natural logarithm of the visit's median.
    pub value: f64,
}

/// What is assumed of the standard deviation between processes where a run has too few of them to tell, in percent.
pub const PROCESS_PRIOR_PCT: f64 = 0.5;

/// What is assumed of the standard deviation between rounds where a run has too few of them to tell, in percent.
pub const ROUND_PRIOR_PCT: f64 = 0.5;

/// What is assumed of the standard deviation of one visit where no process was visited twice, in percent.
pub const RESIDUAL_PRIOR_PCT: f64 = 1.0;

/// How many degrees of freedom each of these assumptions counts for.
pub const PRIOR_FREEDOM: f64 = 3.0;

/// A component with fewer degrees of freedom than this is combined with what is assumed of it. From two on it stands for
/// itself: an assumption that makes an interval of three processes narrow makes it wrong where they differ by more than
/// was assumed.
const ENOUGH_FREEDOM: f64 = 2.0;

/// A variance with its degrees of freedom.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// The variance, of a logarithm.
    pub variance: f64,
    /// How many degrees of freedom its estimate has.
    pub degrees_of_freedom: f64,
}

impl Share {
    fn new(variance: f64, degrees_of_freedom: f64) -> Share {
        Share { variance, degrees_of_freedom }
    }

    /// What is known of the variance between runs.
    pub(crate) fn of_runs(runs: RunSpread) -> Share {
        Share::new((runs.pct / 100.0).powi(2), runs.degrees_of_freedom.max(1) as f64)
    }

    /// A variance that is known and not estimated.
    pub(crate) fn known(variance: f64) -> Share {
        Share::new(variance, KNOWN as f64)
    }

    /// The moderated variance of Smyth, "Linear Models and Empirical Bayes Methods for Assessing Differential Expression in
    /// Microarray Experiments", Statistical Applications in Genetics and Molecular Biology 3 (2004): an estimate combined
    /// with a variance that is assumed, each weighted with its degrees of freedom.
    fn moderated(self, assumed: f64) -> Share {
        let freedom = PRIOR_FREEDOM + self.degrees_of_freedom;
        let sum = PRIOR_FREEDOM * assumed + self.degrees_of_freedom * self.variance;
        Share::new(sum / freedom, freedom)
    }

    fn scaled(self, factor: f64) -> Share {
        Share::new(factor * self.variance, self.degrees_of_freedom)
    }

    /// What this adds to the denominator of Satterthwaite's degrees of freedom.
    fn uncertainty(self) -> f64 {
        if self.variance == 0.0 { 0.0 } else { self.variance.powi(2) / self.degrees_of_freedom }
    }
}

/// The mean over the visits of a case, and how far it may be off: see [`crossed`].
#[derive(Clone, Debug, PartialEq)]
pub struct Crossed {
    /// The mean of the cells, a logarithm.
    pub mean: f64,
    /// The variance of the mean, in shares that add up to it.
    pub shares: Vec<Share>,
    /// Standard deviation of what tells processes apart, in percent, before anything assumed is combined with it; with the
    /// residual one in it where these cannot be told apart, `None` where there is only one process.
    pub process_pct: Option<f64>,
    /// Likewise of what tells rounds apart.
    pub round_pct: Option<f64>,
    /// Standard deviation of what is left of a visit, in percent. `None` where it cannot be told from the others.
    pub residual_pct: Option<f64>,
    /// Processes.
    pub processes: usize,
    /// Rounds.
    pub rounds: usize,
    /// Cells that have a value.
    pub cells: usize,
    /// The part of the mean's variance that falls as processes are added: what differs between them, and the residual.
    of_processes: Share,
    /// The part that no number of processes mends: what differs between rounds.
    of_rounds: Share,
}

/// A component as the table shows it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Estimate of the component with the `excess` that the residual variance adds to its mean square.
    gross: Share,
    /// What of this is no part of the component, with the degrees of freedom of its estimate.
    excess: Share,
}

impl Seen {
    fn component(&self) -> f64 {
        (self.gross.variance - self.excess.variance).max(0.0)
    }

    fn scaled(self, factor: f64) -> Seen {
        Seen { gross: self.gross.scaled(factor), excess: self.excess.scaled(factor) }
    }
}

/// The mean of the visits of a case in which every process takes part in every round, by a two-way random-effects model:
/// the logarithm of a visit's median is the sum of what its process, its round and it alone have. Searle, Casella and
/// McCulloch, "Variance Components" (1992), chapters 4 and 5.
///
/// **Mean.** The mean of the cells. In a complete table every sensible estimate is this one; where cells are missing it
/// weighs them as the median of all samples does.
///
/// **Variance.** With weights that are known the variance of the mean is exactly `a p + b r + c e` of the variances of
/// processes, rounds and residuals, `a` the sum of squares of the weights of processes, `b` of rounds and `c` of cells. The
/// components are Henderson's of method III (section 5.5), those of the analysis of variance where the table is complete;
/// there the variance is `(MS_P + MS_R - MS_E) / (P R)`. A negative component counts as zero, which keeps the variance from
/// falling below any of the three mean squares over the number of cells. Where processes leave and others join, so that the
/// table falls into parts without a common round, effects are compared within the parts only.
///
/// **Degrees of freedom** are Satterthwaite's ("An Approximate Distribution of Estimates of Variance Components", Biometrics
/// Bulletin 2 (1946)). The residual mean square is taken off the smaller one of the two components; how uncertain such a
/// difference is counts, but no further than to the degrees of freedom of the mean square that has fewer of them.
///
/// **Few processes or rounds.** A component with fewer than two degrees of freedom is combined with what is assumed of it
/// ([`PROCESS_PRIOR_PCT`], [`ROUND_PRIOR_PCT`] and [`RESIDUAL_PRIOR_PCT`], each with [`PRIOR_FREEDOM`]). From three
/// processes and three rounds on nothing is assumed.
///
/// **Layouts in which components cannot be told apart** come out as one: where no process has two rounds, what differs
/// between processes contains the residuals, and if the rounds have one process each, the rounds too. The interval is then
/// Student's over the processes.
///
/// `None` without a cell, and where a value is not a finite number.
pub fn crossed(cells: &[Cell]) -> Option<Crossed> {
    TwoWay::new(cells).as_ref().map(Crossed::of)
}

/// The residual variance; `None` where nothing is left to estimate it from.
fn residual(table: &TwoWay) -> Option<Share> {
    let freedom = table.residual_freedom() as f64;
    (freedom > 0.0).then(|| Share::new(table.residual_squares / freedom, freedom))
}

/// What the table shows of processes and of rounds.
fn seen(table: &TwoWay, residual: Option<Share>) -> (Option<Seen>, Option<Seen>) {
    let adjusted = |factor: &Factor| {
        let freedom = factor.freedom as f64;
        (factor.freedom > 0).then(|| {
            let excess = residual.map_or(Share::default(), |residual| residual.scaled(freedom / factor.trace));
            let gross = factor.squares / factor.trace;
            let component = (gross - excess.variance).max(0.0);
            Seen { gross: Share::new(gross, effective(factor, component, residual)), excess }
        })
    };
    let (mut process, mut round) = (adjusted(&table.process), adjusted(&table.round));
    if table.parts > 1 && (process.is_none() || round.is_none()) {
        // Each process, or each round, is a part of its own: then it is the parts that tell of it.
        let (squares, of_processes, of_rounds) = table.between_parts();
        let freedom = (table.parts - 1) as f64;
        let between = |coefficient: f64, other: Option<Seen>, of_other: f64| {
            let residual = residual.unwrap_or_default();
            let component = other.map_or(0.0, |other| other.component());
            let variance = (of_other * component + freedom * residual.variance) / coefficient;
            // Of the two, the one with fewer degrees of freedom.
            let least = |seen: Seen| seen.gross.degrees_of_freedom.min(seen.excess.degrees_of_freedom.max(1.0));
            let excess = Share::new(variance, other.map_or(residual.degrees_of_freedom, least));
            Some(Seen { gross: Share::new(squares / coefficient, freedom), excess })
        };
        if process.is_none() {
            process = between(of_processes, round, of_rounds);
        } else {
            round = between(of_rounds, process, of_processes);
        }
    }
    (process, round)
}

/// Satterthwaite's degrees of freedom of a factor's sum of squares: see [`Factor`] for its distribution. In a complete
/// table they are the factor's own.
fn effective(factor: &Factor, component: f64, residual: Option<Share>) -> f64 {
    let (freedom, residual) = (factor.freedom as f64, residual.map_or(0.0, |residual| residual.variance));
    let sum = factor.trace * component + freedom * residual;
    let squares = factor.trace_of_square * component.powi(2)
        + 2.0 * factor.trace * component * residual
        + freedom * residual.powi(2);
    if squares > 0.0 { (sum * sum / squares).min(freedom) } else { freedom }
}

/// The shares of the components that are estimated, and of the residual.
fn estimated_shares(mut estimated: Vec<Seen>, residual: Share) -> Vec<Share> {
    estimated.retain(|seen| seen.component() > 0.0);
    estimated.sort_by(|one, other| other.component().total_cmp(&one.component()));
    let mut shares: Vec<Share> = Vec::new();
    let (mut least, mut uncertainty) = (f64::INFINITY, 0.0);
    for (index, seen) in estimated.iter().enumerate() {
        let Seen { gross, excess } = *seen;
        // The residual variance of the mean stands beside the larger component, whose excess it nearly is.
        let left = if index == 0 { residual.variance } else { 0.0 };
        let variance = seen.component() + left;
        let freedom = residual.degrees_of_freedom.max(excess.degrees_of_freedom);
        let mut own = gross.uncertainty() + Share::new(left - excess.variance, freedom).uncertainty();
        least = least.min(gross.degrees_of_freedom);
        let sum = shares.iter().map(|share| share.variance).sum::<f64>() + variance;
        own = own.min(sum * sum / least - uncertainty);
        uncertainty += own;
        shares.push(Share::new(variance, variance * variance / own));
    }
    if shares.is_empty() { vec![residual] } else { shares }
}

/// What falls with the number of processes: the component's degrees of freedom, unless it is nothing beside the residual.
fn with_residual(component: Share, residual: Share) -> Share {
    let variance = component.variance + residual.variance;
    let larger = if component.variance > 0.0 { component } else { residual };
    Share::new(variance, larger.degrees_of_freedom)
}

/// The standard deviation of a sum of shares, and Student's factor for it; `None` where a share is not finite.
pub(crate) fn half_width(shares: &[Share], confidence: f64) -> Option<f64> {
    let variance = shares.iter().map(|share| share.variance).sum::<f64>();
    if variance == 0.0 {
        return Some(0.0);
    }
    let factor = student_quantile(0.5 + confidence / 2.0, welch_satterthwaite(shares))?;
    Some(factor * variance.sqrt()).filter(|half| half.is_finite())
}

impl Crossed {
    /// As [`crossed`], of a table that is fitted already.
    pub(crate) fn of(table: &TwoWay) -> Crossed {
        let n = table.count() as f64;
        let squares = |of: &[usize]| of.iter().map(|cells| (*cells as f64 / n).powi(2)).sum::<f64>();
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
        // Where each cell is a part of its own, what differs between rounds is in what differs between processes.
        let alone = table.parts == table.count() && table.count() > 1;
        let mut of_component = |seen: Option<Seen>, prior: f64, weight: f64| match seen {
            Some(seen) if seen.gross.degrees_of_freedom >= ENOUGH_FREEDOM => {
                estimated.push(seen.scaled(weight));
                Share::new(weight * seen.component(), seen.gross.degrees_of_freedom)
            }
            Some(seen) => {
                let own = Share::new(seen.component(), seen.gross.degrees_of_freedom);
                let share = own.moderated(assumed(prior, residual.is_some())).scaled(weight);
                shares.push(share);
                share
            }
            None => {
                let share = Share::default().moderated(assumed(prior, true)).scaled(weight);
                shares.push(share);
                share
            }
        };
        let of_processes = of_component(process, PROCESS_PRIOR_PCT, process_weight);
        let of_rounds = if alone { Share::default() } else { of_component(round, ROUND_PRIOR_PCT, round_weight) };
        let left = match residual {
            Some(residual) if residual.degrees_of_freedom < ENOUGH_FREEDOM => {
                residual.moderated(assumed(RESIDUAL_PRIOR_PCT, true)).scaled(1.0 / n)
            }
            Some(residual) => residual.scaled(1.0 / n),
            // It is in another component, unless there is but one cell.
            None if table.count() > 1 => Share::default(),
            None => Share::default().moderated(assumed(RESIDUAL_PRIOR_PCT, true)),
        };
        shares.extend(estimated_shares(estimated, left));
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

    /// The interval of the median that the case has in the long run on this machine, other runs included: to either side of
    /// `headline`, the median of all samples, by a factor. Beside what processes, rounds and visits differ by it holds what
    /// whole runs differ by, and the rounding to whole multiples of `step`, in the headline's unit: a twelfth of the step's
    /// square, which alone is more than half a step to either side at 95%.
    ///
    /// Where the headline is not positive and finite there is no such factor, and the interval is all there is.
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

    /// The part of the mean's variance that falls as processes are added, and the part that none of them mends.
    pub(crate) fn falls_with_processes(&self) -> (Share, Share) {
        (self.of_processes, self.of_rounds)
    }
}
