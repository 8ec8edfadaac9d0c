use crate::caveats::Caveats;
use crate::disturbances::Disturbances;
use crate::estimates::{Estimates, estimate, is_length, scaled};
use crate::histogram::Histogram;
use crate::measured::{Measured, NotRanked};
use crate::text::neutral;
use pqlab_record::{Case, Form, Parameter, Record, RunHeader, Sizes, State, Status};
use pqlab_stats::{Interval, Sorted};

/// Largest number of bars in a histogram.
const BARS: usize = 32;
/// Largest number of points in a distribution's curve.
const STEPS: usize = 120;
/// Parameters that a usual case may have, and those that a usual case of a signing construction may have.
const USUAL: [&str; 1] = [Parameter::LENGTH];
const USUAL_OF_CONSTRUCTIONS: [&str; 3] = [Parameter::LENGTH, Parameter::DETERMINISTIC, Parameter::COINS];

/// A case with its figures.
#[derive(Clone, Debug)]
pub struct CaseAnalysis<'a> {
    /// What was measured.
    pub record: &'a Record,
    /// `None` for a failed case and for one without samples.
    pub estimates: Option<Estimates>,
    /// What a reader must know about the figure.
    pub caveats: Caveats,
    /// Disturbances during its measurement.
    pub disturbances: Disturbances,
    header: &'a RunHeader,
    /// Its figures in the form that comparisons need.
    measured: Option<Measured<'a>>,
    /// Its index among the cases of its run if these were computed together.
    pub place: usize,
}

impl<'a> CaseAnalysis<'a> {
    /// Computes the figures of a case by the rules of its run.
    pub fn of(header: &'a RunHeader, record: &'a Record) -> CaseAnalysis<'a> {
        let estimates = estimate(record, &header.protocol);
        let caveats = Caveats::of(&record.case, estimates.as_ref());
        let measured = estimates.as_ref().map(|estimates| Measured::of(header, record, estimates));
        let disturbances = Disturbances::of(&record.samples);
        CaseAnalysis { record, estimates, caveats, disturbances, header, measured, place: 0 }
    }

    /// Sets its index among cases that were computed together.
    pub(crate) fn at(self, place: usize) -> CaseAnalysis<'a> {
        CaseAnalysis { place, ..self }
    }

    /// Returns the header of its run.
    pub fn header(&self) -> &'a RunHeader {
        self.header
    }

    /// What was measured.
    pub fn case(&self) -> &'a Case {
        &self.record.case
    }

    /// Its figures in the form that comparisons need; `None` if it has none.
    pub fn measured(&self) -> Option<&Measured<'a>> {
        self.measured.as_ref()
    }

    /// Time of one operation in ns, with its interval, by the statistic that ranks and compares the case.
    pub fn time(&self) -> Option<Interval> {
        self.estimates.as_ref().map(Estimates::headline_ns)
    }

    /// The median with its interval in ns.
    pub fn median(&self) -> Option<Interval> {
        self.estimates.as_ref().map(|estimates| estimates.median_ns)
    }

    /// Why it is excluded from rankings; `None` if it is ranked.
    pub fn not_ranked(&self) -> Option<NotRanked> {
        self.measured.as_ref().map_or(Some(NotRanked::NoFigure), Measured::not_ranked)
    }

    /// Whether it is ranked.
    pub fn ranked(&self) -> bool {
        self.not_ranked().is_none()
    }

    /// Whether it failed.
    pub fn failed(&self) -> bool {
        self.record.status == Status::Failed
    }

    /// Whether it measures the overhead of the harness, which is compared with nothing.
    pub fn is_floor(&self) -> bool {
        self.case().is_overhead()
    }

    /// Whether it is in the usual state, with a prepared key if there are two forms, and not a special variant.
    /// Constructions that [sign](Case::signs_with_construction) count in the one way that each library has: without
    /// randomness if it can, else with its own. Callers that compare such cases must take [one
    /// kind](crate::kinds::one_kind) of them.
    pub fn usual(&self) -> bool {
        let case = self.case();
        let may_have = if case.signs_with_construction() { &USUAL_OF_CONSTRUCTIONS[..] } else { &USUAL[..] };
        case.form != Some(Form::Encoded) && case.state() == State::Warm && case.has_only(may_have)
    }

    /// Bytes that one operation processes, if its time is proportional to them ([`Case::works_by_the_byte`]). Only then
    /// are figures per byte and bytes per second meaningful.
    pub fn bytes(&self) -> Option<u64> {
        self.case().facts.bytes.filter(|bytes| *bytes > 0 && self.case().works_by_the_byte())
    }

    /// Work per second, with its 95% interval and unit: transactions of a block (`tx/s`), otherwise operations
    /// (`op/s`). `None` without samples or if the mean is zero.
    pub fn rate(&self) -> Option<(Interval, &'static str)> {
        let operations = self.estimates.as_ref()?.operations_per_second()?;
        Some(match self.case().transactions() {
            Some(transactions) => (scaled(&operations, transactions as f64), "tx/s"),
            None => (operations, "op/s"),
        })
    }

    /// Name that the same case has for every provider: everything but the provider.
    pub fn job(&self) -> String {
        neutral(&self.case().name())
    }

    /// Usable times of one operation in ns, sorted.
    pub fn times(&self) -> Option<Sorted> {
        let samples = &self.record.samples;
        Sorted::new(samples.usable().flat_map(|visit| samples.ns_per_operation(visit)).collect())
    }

    /// Values that the workload noted under a name: of usable visits, or of all visits if it is a number of bytes.
    pub fn noted(&self, name: &str) -> Vec<f64> {
        let samples = &self.record.samples;
        let visits: Vec<_> = if is_length(name) { samples.visits.iter().collect() } else { samples.usable().collect() };
        let with_name = visits.into_iter().flat_map(|visit| visit.extra.iter().filter(|(known, _)| known == name));
        with_name.flat_map(|(_, values)| values.iter().copied()).collect()
    }

    /// Histogram of its times; `None` without samples.
    pub fn histogram(&self) -> Option<Histogram> {
        self.times().map(|times| Histogram::of(&times, BARS))
    }

    /// The distribution as a curve: times in ns with the share of samples that took no longer.
    pub fn distribution(&self) -> Vec<(f64, f64)> {
        let Some(times) = self.times() else { return Vec::new() };
        (0..=STEPS).map(|step| step as f64 / STEPS as f64).map(|share| (times.quantile(share), share)).collect()
    }
}

/// Bytes on the wire: onionskin and reply, public key and ciphertext, or public key and signature. Saturates, because
/// the lengths in an imported run can be anything.
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
            let case = CaseAnalysis::of(&run.header, record);
            let histogram = case.histogram().unwrap();
            let counted: u64 = histogram.counts.iter().sum::<u64>() + histogram.beyond;
            assert_eq!(counted as usize, case.times().unwrap().as_slice().len());
            let curve = case.distribution();
            assert!(curve.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 < pair[1].1));
        }
    }
}
