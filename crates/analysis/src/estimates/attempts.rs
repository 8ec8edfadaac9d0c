//! Signing times resolved by the number of attempts.

use super::interval::{Disturbed, Pooled, cycles_step, run_spread};
use pqlab_record::{Case, Moment, Protocol, Samples, Unit, Visits};
use pqlab_stats::{Comb, Description, Interval, NoComb, Sorted};
use std::fmt::{self, Display, Formatter};

/// A [comb](Comb) fitted to the samples of a case, and the unit of these samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadComb {
    /// The fitted comb.
    pub comb: Comb,
    /// Unit of the comb: core cycles if they are known, because changes of the core clock blur a comb of times.
    pub unit: Unit,
}

/// Reason why the samples of a case that repeats attempts do not show their number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unread {
    /// The case is disturbed.
    Disturbed,
    /// A sample covers several operations.
    Batches,
    /// The samples do not fit a comb.
    NoComb(NoComb),
}

impl Display for Unread {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Disturbed => out.write_str("the case is disturbed"),
            Unread::Batches => out.write_str("a sample covers several operations"),
            Unread::NoComb(reason) => reason.fmt(out),
        }
    }
}

impl ReadComb {
    /// Fits a comb to the samples of a case. Returns `None` if the operation does not [repeat
    /// attempts](Case::expected_attempts) on one thread, or if there are no samples. Returns an error with the reason if
    /// the comb cannot be read.
    pub(super) fn read(samples: &Samples, case: &Case) -> Option<Result<ReadComb, Unread>> {
        let expected = case.expected_attempts().filter(|_| case.computes())?;
        if samples.batch != 1 {
            return Some(Err(Unread::Batches));
        }
        if samples.contended() {
            return Some(Err(Unread::Disturbed));
        }
        let (unit, visits) = match samples.values(Unit::CoreCycles, Visits::Usable) {
            Some(visits) => (Unit::CoreCycles, visits),
            None => (Unit::Nanoseconds, samples.values(Unit::Nanoseconds, Visits::Usable)?),
        };
        let pooled: Vec<f64> = visits.into_iter().flat_map(|(_, values)| values).collect();
        let comb = Comb::fit(&pooled, expected.number, expected.early);
        Some(comb.map(|comb| ReadComb { comb, unit }).map_err(Unread::NoComb))
    }

    /// Returns the samples of the selected visits in `unit`, scaled to the expected number of attempts. Omits samples
    /// whose number of attempts cannot be read, and visits without any readable sample. Returns `None` if the samples
    /// have no values in `unit`.
    pub(crate) fn values(&self, samples: &Samples, unit: Unit, visits: Visits) -> Option<Vec<(Moment, Vec<f64>)>> {
        let (read, wanted) = (samples.values(self.unit, visits)?, samples.values(unit, visits)?);
        let visit = |((moment, read), (_, wanted)): ((Moment, Vec<f64>), (Moment, Vec<f64>))| {
            let value = |(read, wanted): (f64, f64)| Some(wanted * self.comb.at_expected(read)? / read);
            (moment, read.into_iter().zip(wanted).filter_map(value).collect::<Vec<f64>>())
        };
        let all = read.into_iter().zip(wanted).map(visit);
        Some(all.filter(|(_, values)| !values.is_empty()).collect())
    }
}

/// Time and core cycles of an operation at the expected number of attempts, computed from samples with different
/// numbers of attempts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttemptsEstimate {
    /// Comb from which the number of attempts of each sample is read.
    pub read: ReadComb,
    /// Time in ns at the expected number of attempts, with its 95% interval.
    pub ns: Interval,
    /// Core cycles at the expected number of attempts, with their 95% interval; `None` if they are unknown.
    pub cycles: Option<Interval>,
}

impl AttemptsEstimate {
    /// Returns the estimate for the samples of a case, or `None` if there are none. `read` is their comb, and `step_ns`
    /// the counter's resolution per operation in ns.
    pub(super) fn new(
        read: ReadComb,
        samples: &Samples,
        case: &Case,
        protocol: &Protocol,
        step_ns: f64,
    ) -> Option<AttemptsEstimate> {
        let disturbed = Disturbed::new(samples);
        let spreads = protocol.run_spreads.of_case(&case.id());
        let interval = |unit: Unit| {
            let step = match unit {
                Unit::Nanoseconds => step_ns,
                Unit::CoreCycles => cycles_step(samples, step_ns)?,
            };
            let visits = read.values(samples, unit, Visits::Usable)?;
            let all = Sorted::new(visits.iter().flat_map(|(_, values)| values.iter().copied()).collect())?;
            let runs = run_spread(&spreads, unit);
            let pooled = Pooled { visits: &visits, runs, step, disturbed: disturbed.as_ref() };
            Some(pooled.mean(&Description::new(&all.trim(protocol.trim_pct))))
        };
        Some(AttemptsEstimate { read, ns: interval(Unit::Nanoseconds)?, cycles: interval(Unit::CoreCycles) })
    }

    /// Returns the core cycles of an operation that succeeds on the first attempt, and of each further attempt. Returns
    /// `None` if core cycles are unknown.
    pub fn cycles_by_attempt(&self) -> Option<[f64; 2]> {
        let ReadComb { comb, unit } = self.read;
        (unit == Unit::CoreCycles).then_some([comb.first, comb.each])
    }

    /// Returns the time in ns of an operation that succeeds on the first attempt, and of each further attempt, at the
    /// mean core clock.
    pub fn ns_by_attempt(&self) -> [f64; 2] {
        let ReadComb { comb, unit } = self.read;
        let scale = match (unit, self.cycles) {
            (Unit::CoreCycles, Some(cycles)) => self.ns.estimate / cycles.estimate,
            _ => 1.0,
        };
        [scale * comb.first, scale * comb.each]
    }
}

#[cfg(test)]
mod tests {
    use crate::estimates::{Estimates, estimate};
    use crate::fixtures;
    use pqlab_record::{Disturbance, Metric, Parameter, Protocol, Record, Statistic, Visit};

    /// Core cycles of the first attempt.
    const FIRST: f64 = 200_000.0;
    /// Core cycles of each further attempt.
    const EACH: f64 = 70_000.0;
    /// Core cycles of an interruption.
    const INTERRUPTION: f64 = 35_000.0;

    /// Returns the record of a signer with 40 samples in each visit. Its attempts succeed with a probability of
    /// 1 / 5.14, and the core's clock differs from visit to visit.
    fn signer(rounds: u32) -> Record {
        let mut record = fixtures::record("liboqs", 10.4);
        record.case.workload = "signature".to_owned();
        record.case.algorithm = "ML-DSA-65".to_owned();
        record.case.operation = "sign".to_owned();
        record.case.parameters = vec![Parameter::Number("len".into(), 32)];
        let visits: Vec<Visit> = record.samples.visits.iter().filter(|visit| visit.round == 0).cloned().collect();
        let again = |round| visits.iter().map(move |visit| Visit { round, ..visit.clone() });
        record.samples.visits = (0..rounds).flat_map(again).collect();
        // Knuth's linear congruential generator: "The Art of Computer Programming", volume 2, section 3.3.4.
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let ns_per_tick = record.samples.ns_per_tick.unwrap();
        for visit in &mut record.samples.visits {
            visit.clock_hz = 2.4e9 + 0.8e9 * random();
            visit.ticks = (0..40)
                .map(|_| {
                    let mut cycles = FIRST * (1.0 + 0.002 * random());
                    while random() > 1.0 / 5.14 {
                        cycles += EACH;
                    }
                    if random() < 0.1 {
                        cycles += INTERRUPTION;
                    }
                    (cycles / visit.clock_hz * 1e9 / ns_per_tick) as u64
                })
                .collect();
        }
        record
    }

    fn estimates(record: &Record) -> Estimates {
        estimate(record, &Protocol::default()).unwrap()
    }

    #[test]
    fn signers_are_compared_at_the_expected_number_of_attempts() {
        let record = signer(4);
        let found = estimates(&record);
        let attempts = found.attempts.unwrap();
        let wanted = FIRST * 1.001 + EACH * (record.case.expected_attempts().unwrap().number - 1.0);
        let cycles = found.cycles.unwrap();
        let at_expected = cycles.at_expected.unwrap();
        assert_eq!(attempts.cycles, Some(at_expected));
        assert!((at_expected.estimate / wanted - 1.0).abs() < 0.002, "{at_expected:?} {wanted}");
        assert!(at_expected.half_width_pct() < 0.5, "{at_expected:?}");
        assert!(cycles.mean.half_width_pct() > 3.0, "{cycles:?}");
        assert_eq!((cycles.headline(), found.headline_ns()), (at_expected, attempts.ns));
        assert_eq!(found.deciding_half_width_pct, at_expected.half_width_pct());
        let [first, each] = attempts.cycles_by_attempt().unwrap();
        assert!((first / FIRST - 1.001).abs() < 0.002 && (each / EACH - 1.0).abs() < 0.002, "{first} {each}");
        assert!(attempts.ns.low < attempts.ns.estimate && attempts.ns.estimate < attempts.ns.high);
        let rate = found.operations_per_second().unwrap().estimate;
        assert!((rate * attempts.ns.estimate / 1e9 - 1.0).abs() < 1e-9);
        assert_eq!(found.time(Statistic::Median), found.median_ns);
    }

    #[test]
    fn without_a_comb_signers_are_compared_by_the_mean() {
        let without = |record: &Record| {
            let found = estimates(record);
            assert_eq!((found.attempts, found.headline_ns()), (None, found.mean_ns));
            found.unread.map(|reason| reason.to_string())
        };
        let mut few = signer(4);
        few.samples.visits.truncate(3);
        assert_eq!(without(&few).unwrap(), "there are 120 samples; at least 150 are required");
        let mut batches = signer(4);
        batches.samples.batch = 2;
        assert_eq!(without(&batches).unwrap(), "a sample covers several operations");
        let mut set = signer(4);
        set.case.parameters = vec![Parameter::Word(Parameter::MESSAGES.into(), "cctv".into())];
        assert_eq!(without(&set), None);
        let mut threads = signer(4);
        threads.case.parameters.push(Parameter::Number(Parameter::THREADS.into(), 2));
        assert_eq!(without(&threads), None);
        let mut disturbed = signer(4);
        let steal = vec![Disturbance::Steal { pct: 7.0 }];
        disturbed.samples.visits.iter_mut().for_each(|visit| visit.disturbances = steal.clone());
        assert_eq!(without(&disturbed).unwrap(), "the case is disturbed");
        let mut falcon = signer(4);
        falcon.case.algorithm = "Falcon-512".to_owned();
        assert_eq!(without(&falcon), None);
    }

    #[test]
    fn times_show_the_attempts_if_cycles_are_unknown() {
        let mut record = signer(4);
        record.samples.metric = Metric::Wall;
        for visit in &mut record.samples.visits {
            let scale = visit.clock_hz / 2.4e9;
            visit.ticks.iter_mut().for_each(|ticks| *ticks = (*ticks as f64 * scale) as u64);
            visit.clock_hz = 0.0;
        }
        let found = estimates(&record);
        let attempts = found.attempts.unwrap();
        assert_eq!((attempts.cycles, attempts.cycles_by_attempt()), (None, None));
        assert!((attempts.ns_by_attempt()[1] / (EACH / 2.4) - 1.0).abs() < 0.002, "{attempts:?}");
        assert_eq!(found.headline_ns(), attempts.ns);
    }
}
