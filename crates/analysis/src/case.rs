use crate::caveats::Caveats;
use crate::disturbances::Disturbances;
use crate::estimates::{Estimates, estimate, is_length, scaled};
use crate::histogram::Histogram;
use crate::measured::{Measured, NotRanked};
use crate::text::neutral;
use pqlab_record::{Case, Form, Parameter, Record, RunHeader, Sizes, State, Status};
use pqlab_stats::{Interval, Sorted};

/// Maximum number of bars in a histogram.
const BARS: usize = 32;
/// Number of bars for each attempt in a histogram that shows attempts.
const BARS_PER_ATTEMPT: f64 = 6.0;
/// Maximum number of bars in a histogram that shows attempts.
const BARS_OF_ATTEMPTS: usize = 160;
/// Number of steps in a distribution's curve.
const STEPS: usize = 120;
/// Parameters that a [usual](CaseAnalysis::usual) case may have.
const USUAL: [&str; 1] = [Parameter::LENGTH];
/// Parameters that a usual case may have if a construction signs.
const USUAL_OF_CONSTRUCTIONS: [&str; 3] = [Parameter::LENGTH, Parameter::DETERMINISTIC, Parameter::COINS];

/// A case with its figures.
#[derive(Clone, Debug)]
pub struct CaseAnalysis<'a> {
    /// Record of the measurement.
    pub record: &'a Record,
    /// Estimates; `None` if the case failed or has no samples.
    pub estimates: Option<Estimates>,
    /// Caveats about the figures.
    pub caveats: Caveats,
    /// Disturbances during the measurement.
    pub disturbances: Disturbances,
    header: &'a RunHeader,
    /// The figures, in the form that comparisons need.
    measured: Option<Measured<'a>>,
    /// Index of the case among the cases of the run; 0 for a case that was analyzed alone.
    pub place: usize,
}

impl<'a> CaseAnalysis<'a> {
    /// Computes the figures of a case according to the protocol of its run.
    pub fn new(header: &'a RunHeader, record: &'a Record) -> CaseAnalysis<'a> {
        let estimates = estimate(record, &header.protocol);
        let caveats = Caveats::new(&record.case, estimates.as_ref());
        let measured = estimates.as_ref().map(|estimates| Measured::new(header, record, estimates));
        let disturbances = Disturbances::count(&record.samples);
        CaseAnalysis { record, estimates, caveats, disturbances, header, measured, place: 0 }
    }

    /// Sets the [index](Self::place) of the case among the cases of the run.
    pub(crate) fn at(self, place: usize) -> CaseAnalysis<'a> {
        CaseAnalysis { place, ..self }
    }

    /// Returns the header of the case's run.
    pub fn header(&self) -> &'a RunHeader {
        self.header
    }

    /// Returns the measured case.
    pub fn case(&self) -> &'a Case {
        &self.record.case
    }

    /// Returns the figures in the form that comparisons need, or `None` if there are none.
    pub fn measured(&self) -> Option<&Measured<'a>> {
        self.measured.as_ref()
    }

    /// Returns the time of one operation in ns, with its interval. Uses the statistic that ranks and compares the case.
    /// Returns `None` if the case has no estimates.
    pub fn time(&self) -> Option<Interval> {
        self.estimates.as_ref().map(Estimates::headline_ns)
    }

    /// Returns the median time of one operation in ns, with its interval, or `None` if the case has no estimates.
    pub fn median(&self) -> Option<Interval> {
        self.estimates.as_ref().map(|estimates| estimates.median_ns)
    }

    /// Returns the reason for excluding the case from rankings, or `None` if it is ranked.
    pub fn not_ranked(&self) -> Option<NotRanked> {
        self.measured.as_ref().map_or(Some(NotRanked::NoFigure), Measured::not_ranked)
    }

    /// Returns whether the case is ranked.
    pub fn ranked(&self) -> bool {
        self.not_ranked().is_none()
    }

    /// Returns whether the case failed.
    pub fn failed(&self) -> bool {
        self.record.status == Status::Failed
    }

    /// Returns whether the case measures the overhead of the harness. Such cases are not compared with others.
    pub fn is_floor(&self) -> bool {
        self.case().is_overhead()
    }

    /// Returns whether this is the usual variant of the operation: warm, with a prepared key if there are two forms,
    /// and without special parameters.
    ///
    /// If a construction [signs](Case::signs_with_construction), each library has one usual variant: deterministic if
    /// the library supports it, otherwise with the library's own randomness. Before comparing such cases, callers must
    /// select one kind (`kinds::one_kind`).
    pub fn usual(&self) -> bool {
        let case = self.case();
        let may_have = if case.signs_with_construction() { &USUAL_OF_CONSTRUCTIONS[..] } else { &USUAL[..] };
        case.form != Some(Form::Encoded) && case.state() == State::Warm && case.has_only(may_have)
    }

    /// Returns the number of bytes that one operation processes, if its time is proportional to that number
    /// ([`Case::works_by_the_byte`]). Only then are figures per byte and bytes per second meaningful.
    pub fn bytes(&self) -> Option<u64> {
        self.case().facts.bytes.filter(|bytes| *bytes > 0 && self.case().works_by_the_byte())
    }

    /// Returns the core cycles per byte that one operation processes, with their interval. Returns `None` if the cycles
    /// are unknown, or if [`bytes`](Self::bytes) is `None`.
    pub fn cycles_per_byte(&self) -> Option<Interval> {
        let bytes = self.bytes()? as f64;
        Some(scaled(&self.estimates.as_ref()?.cycles?.headline(), 1.0 / bytes))
    }

    /// Returns the work per second with its 95% interval and unit: transactions for a block (`tx/s`), otherwise
    /// operations (`op/s`). Returns `None` without samples or if the mean is zero.
    pub fn rate(&self) -> Option<(Interval, &'static str)> {
        let operations = self.estimates.as_ref()?.operations_per_second()?;
        Some(match self.case().transactions() {
            Some(transactions) => (scaled(&operations, transactions as f64), "tx/s"),
            None => (operations, "op/s"),
        })
    }

    /// Returns the case's name without the provider, so that it is the same for every provider.
    pub fn job(&self) -> String {
        neutral(&self.case().name())
    }

    /// Returns the times of one operation in ns from all usable visits, sorted, or `None` without samples.
    pub fn times(&self) -> Option<Sorted> {
        let samples = &self.record.samples;
        Sorted::new(samples.usable().flat_map(|visit| samples.ns_per_operation(visit)).collect())
    }

    /// Returns the values that the workload recorded under `name` in usable visits. Byte counts come from all visits,
    /// because disturbances do not change them.
    pub fn noted(&self, name: &str) -> Vec<f64> {
        let samples = &self.record.samples;
        let visits: Vec<_> = if is_length(name) { samples.visits.iter().collect() } else { samples.usable().collect() };
        let with_name = visits.into_iter().flat_map(|visit| visit.extra.iter().filter(|(known, _)| known == name));
        with_name.flat_map(|(_, values)| values.iter().copied()).collect()
    }

    /// Returns a histogram of the times, or `None` without samples. If the times show the number of attempts, the bars
    /// are narrow enough to tell attempts apart.
    pub fn histogram(&self) -> Option<Histogram> {
        let attempts = self.estimates.as_ref()?.attempts;
        let times = self.times()?;
        Some(match attempts {
            Some(attempts) => {
                Histogram::of_width(&times, attempts.ns_by_attempt()[1] / BARS_PER_ATTEMPT, BARS_OF_ATTEMPTS)
            }
            None => Histogram::new(&times, BARS),
        })
    }

    /// Returns the distribution as a curve: times in ns, each with the fraction of samples that took at most that long.
    pub fn distribution(&self) -> Vec<(f64, f64)> {
        let Some(times) = self.times() else { return Vec::new() };
        (0..=STEPS).map(|step| step as f64 / STEPS as f64).map(|share| (times.quantile(share), share)).collect()
    }
}

/// Returns the number of bytes on the wire: onionskin and reply, public key and ciphertext, or public key and
/// signature. Returns `None` if a length is unknown. The sum saturates, because an imported run can contain arbitrary
/// lengths.
pub fn wire_bytes(sizes: &Sizes) -> Option<u64> {
    if let (Some(onionskin), Some(reply)) = (sizes.onionskin, sizes.reply) {
        return Some(onionskin.saturating_add(reply));
    }
    Some(sizes.public_key?.saturating_add(sizes.ciphertext.or(sizes.signature)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn histogram_counts_every_sample_once() {
        let run = fixtures::run();
        for record in run.records.iter().filter(|record| record.error.is_none()) {
            let case = CaseAnalysis::new(&run.header, record);
            let histogram = case.histogram().unwrap();
            let counted: u64 = histogram.counts.iter().sum::<u64>() + histogram.beyond;
            assert_eq!(counted as usize, case.times().unwrap().as_slice().len());
            let curve = case.distribution();
            assert!(curve.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 < pair[1].1));
        }
    }
}
