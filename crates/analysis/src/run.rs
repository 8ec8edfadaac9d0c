//! A run with every figure that pages and pictures are made from, computed once.

use crate::caveats::Caveats;
use crate::comparison::{Compared, Measured, Ranking, Standing, Yardstick, ranking, ratio, standings};
use crate::estimates::{Disturbances, Estimates, estimate};
use crate::histogram::Histogram;
use crate::history::Past;
use crate::number::{count, percent};
use crate::terminal::neutral;
use pqlab_record::{Case, CoinSource, CyclesSource, Form, Parameter, ProtocolKind, Record, Run, State, Status};
use pqlab_stats::{Interval, Sorted};
use shlex::Quoter;

/// Most bars of a histogram.
const BARS: usize = 32;
/// Most points of a distribution's curve.
const STEPS: usize = 120;

/// A run with its figures.
pub struct Sheet<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its cases, in the order of the plan.
    pub rows: Vec<Row<'a>>,
    /// Its providers, in the order in which they first appear: what colours and shapes go by.
    pub providers: Vec<String>,
    /// By what its cases are compared with each other.
    yardstick: Yardstick,
}

/// A case with its figures.
pub struct Row<'a> {
    /// What was measured.
    pub record: &'a Record,
    /// `None` for a failed case.
    pub estimates: Option<Estimates>,
    /// What must be known when the figure is read.
    pub caveats: Caveats,
    /// What disturbed it.
    pub disturbances: Disturbances,
    /// How it stands among those that differ in the provider alone; `None` for what takes no part in rankings.
    pub standing: Option<Standing>,
    /// As comparisons need it.
    measured: Option<Measured<'a>>,
}

impl<'a> Sheet<'a> {
    /// Computes all estimates.
    pub fn of(run: &'a Run) -> Sheet<'a> {
        let mut rows: Vec<Row<'a>> = run.records.iter().map(|record| Row::of(record, run)).collect();
        let yardstick = Yardstick::within(run);
        let measured: Vec<Option<Measured<'a>>> = rows.iter_mut().map(|row| row.measured.take()).collect();
        let standings = standings(&measured, &yardstick);
        for ((row, measured), standing) in rows.iter_mut().zip(measured).zip(standings) {
            (row.measured, row.standing) = (measured, standing);
        }
        let mut providers: Vec<String> = Vec::new();
        for record in run.records.iter().filter(|record| record.case.workload != "floor") {
            if !providers.contains(&record.case.provider) {
                providers.push(record.case.provider.clone());
            }
        }
        Sheet { run, rows, providers, yardstick }
    }

    /// The areas, without the floor of the harness, in the order of the plan.
    pub fn areas(&self) -> Vec<&'a str> {
        self.run.areas().into_iter().filter(|area| *area != "floor").collect()
    }

    /// The rows of an area.
    pub fn area<'s>(&'s self, area: &'s str) -> impl Iterator<Item = &'s Row<'a>> {
        self.rows.iter().filter(move |row| row.case().workload == area)
    }

    /// How long the second takes over how long the first does, each one row or several done one after the other; `None` where
    /// one has no figure.
    pub fn ratio(&self, first: &[&Row<'a>], second: &[&Row<'a>]) -> Option<Compared> {
        Some(ratio(&measured(first)?, &measured(second)?, &self.yardstick))
    }

    /// Which of some that do the same is the fastest, each one row or several done one after the other.
    pub fn ranking(&self, rivals: &[Vec<&Row<'a>>]) -> Ranking {
        let rivals: Vec<Vec<&Measured<'a>>> = rivals.iter().map(|rows| measured(rows).unwrap_or_default()).collect();
        ranking(&rivals, &self.yardstick)
    }

    /// Those of some rows that lead, each by itself, the one with the lowest figure first; none where none takes part.
    pub fn leading<'r>(&self, rows: &[&'r Row<'a>]) -> Vec<&'r Row<'a>> {
        let rivals: Vec<Vec<&Row<'a>>> = rows.iter().map(|row| vec![*row]).collect();
        self.ranking(&rivals).leaders().into_iter().map(|place| rows[place]).collect()
    }

    /// The place of a provider among all, for its colour and shape.
    pub fn series(&self, provider: &str) -> usize {
        self.providers.iter().position(|known| known == provider).unwrap_or(self.providers.len())
    }
}

/// As comparisons need them; `None` where one has no figure.
fn measured<'r, 'a>(rows: &[&'r Row<'a>]) -> Option<Vec<&'r Measured<'a>>> {
    rows.iter().map(|row| row.measured.as_ref()).collect()
}

impl<'a> Row<'a> {
    fn of(record: &'a Record, run: &'a Run) -> Row<'a> {
        let estimates = estimate(record, &run.header.protocol);
        let caveats = Caveats::of(&record.case, estimates.as_ref());
        let measured = estimates.as_ref().map(|estimates| Measured::with(run, record, estimates));
        Row { record, estimates, caveats, disturbances: Disturbances::of(&record.samples), standing: None, measured }
    }

    /// What was measured.
    pub fn case(&self) -> &'a Case {
        &self.record.case
    }

    /// Core cycles of one operation with the half-width of their interval, `≈` before them where they were estimated.
    pub fn cycles_text(&self) -> Option<String> {
        cycles_text(self.estimates.as_ref()?)
    }

    /// The median with its interval in ns.
    pub fn median(&self) -> Option<Interval> {
        self.estimates.as_ref().map(|estimates| estimates.median_ns)
    }

    /// Whether it takes part in rankings: it is undisturbed enough, and does all that the standard demands.
    pub fn ranked(&self) -> bool {
        self.measured.as_ref().is_some_and(Measured::ranked)
    }

    /// How long the case took in another run over how long it takes here, in time.
    pub fn time_over(&self, past: &Past) -> Option<Interval> {
        let measured = self.measured.as_ref()?;
        past.time_over(measured.run(), measured)
    }

    /// Whether there is a figure.
    pub fn failed(&self) -> bool {
        self.record.status == Status::Failed
    }

    /// In the usual state, with a prepared key where there are two forms, of no special variant.
    pub fn usual(&self) -> bool {
        let case = self.case();
        let plain = |parameter: &Parameter| matches!(parameter, Parameter::Number(name, _) if name == "len");
        case.form != Some(Form::Encoded) && case.state() == State::Warm && case.parameters.iter().all(plain)
    }

    /// What cases of several providers have in common: all but the provider.
    pub fn job(&self) -> String {
        neutral(&self.case().name())
    }

    /// Usable times of one operation in ns, sorted.
    pub fn times(&self) -> Option<Sorted> {
        let samples = &self.record.samples;
        Sorted::new(samples.usable().flat_map(|visit| samples.ns_per_operation(visit)).collect())
    }

    /// How often which times occur; `None` without samples.
    pub fn histogram(&self) -> Option<Histogram> {
        self.times().map(|times| Histogram::of(&times, BARS))
    }

    /// The distribution as a curve: times in ns with the share of samples that took no longer.
    pub fn distribution(&self) -> Vec<(f64, f64)> {
        let Some(times) = self.times() else { return Vec::new() };
        (0..=STEPS).map(|step| step as f64 / STEPS as f64).map(|share| (times.quantile(share), share)).collect()
    }
}

/// Core cycles of one operation with the half-width of their interval, `≈` before them where they were estimated.
pub(crate) fn cycles_text(estimates: &Estimates) -> Option<String> {
    let cycles = estimates.cycles?;
    let sign = if cycles.source == CyclesSource::Estimated { "≈" } else { "" };
    let (count, width) = (count(cycles.median.estimate), percent(cycles.median.half_width_pct()));
    Some(format!("{sign}{count} ±{width}"))
}

/// The command that measures a case again, under the rules of the run, quoted for a shell.
pub fn command(run: &Run, case: &Case) -> String {
    let protocol = &run.header.protocol;
    let mut words = vec!["pqlab".to_owned(), "run".to_owned(), case.workload.clone()];
    let mut flag = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    flag("filter", case.id());
    if case.coins() == Some(CoinSource::Exact) {
        flag("coins", CoinSource::Exact.name().to_owned());
    }
    for parameter in &case.parameters {
        match parameter {
            Parameter::Number(name, value) => {
                let known = [
                    ("len", "lengths"),
                    ("keys", "keys"),
                    ("threads", "threads"),
                    ("tasks", "tasks"),
                    ("workers", "workers"),
                ];
                if let Some((_, option)) = known.iter().find(|(known, _)| known == name) {
                    flag(option, value.to_string());
                }
            }
            Parameter::Word(name, value) if name == "state" => flag("state", value.clone()),
            Parameter::Word(name, _) | Parameter::Flag(name)
                if ["deterministic", "prehash", "messages"].contains(&name.as_str()) =>
            {
                flag("variant", name.clone());
            }
            Parameter::Word(..) | Parameter::Flag(_) => {}
        }
    }
    match protocol.kind {
        ProtocolKind::Reference => flag("protocol", "reference".to_owned()),
        ProtocolKind::Adaptive => {
            flag("precision", protocol.precision_pct.to_string());
            flag("max-time", protocol.max_time_s.to_string());
            flag("processes", protocol.processes.to_string());
        }
        ProtocolKind::Fixed => {
            if let Some(iterations) = protocol.iterations {
                flag("iterations", iterations.to_string());
            }
            flag("warmup", protocol.warmup.to_string());
            flag("trim", protocol.trim_pct.to_string());
            flag("processes", protocol.processes.to_string());
        }
    }
    if let Some(batch) = protocol.batch {
        flag("batch", batch.to_string());
    }
    flag("seed", run.header.seed.to_string());
    shell_line(&words)
}

/// Words as one line that a shell takes apart into the same words, but for NUL bytes, which no command line can hold.
pub fn shell_line(words: &[String]) -> String {
    Quoter::new().allow_nul(true).join(words.iter().map(String::as_str)).expect("NUL bytes are the only ones refused")
}

/// The sum of independent times: the half-widths add as squares.
pub fn sum(parts: &[Interval]) -> Option<Interval> {
    let first = parts.first()?;
    let estimate = parts.iter().map(|part| part.estimate).sum::<f64>();
    let root = |side: fn(&Interval) -> f64| parts.iter().map(|part| side(part).powi(2)).sum::<f64>().sqrt();
    let low = estimate - root(|part| part.estimate - part.low);
    let high = estimate + root(|part| part.high - part.estimate);
    Some(Interval { estimate, low: low.max(0.0), high, ..*first })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_histogram_counts_every_sample_once() {
        let run = fixtures::run();
        let sheet = Sheet::of(&run);
        for row in sheet.rows.iter().filter(|row| !row.failed()) {
            let histogram = row.histogram().unwrap();
            let counted: u64 = histogram.counts.iter().sum::<u64>() + histogram.beyond;
            assert_eq!(counted as usize, row.times().unwrap().as_slice().len());
            let curve = row.distribution();
            assert!(curve.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 < pair[1].1));
        }
    }

    #[test]
    fn a_command_measures_the_one_case_again() {
        let mut run = fixtures::run();
        let wanted = "pqlab run kem --filter kem/ML-KEM-768/encapsulate@liboqs --precision 1 --max-time 1.5 --processes 8 \
                      --seed 1";
        assert_eq!(command(&run, &run.records[0].case), wanted);
        let wanted = "pqlab run signature --filter 'signature/ML-DSA-65/verify[encoded,len=1024,deterministic,regime=disk]@\
                      libcrux:avx2' --lengths 1024 --variant deterministic --precision 1 --max-time 1.5 --processes 8 --seed 1";
        assert_eq!(command(&run, &run.records[4].case), wanted);
        run.records[0].case.algorithm = "it's; rm -rf".to_owned();
        let words = shlex::split(&command(&run, &run.records[0].case)).unwrap();
        assert_eq!(words[3..5], ["--filter", "kem/it's; rm -rf/encapsulate@liboqs"]);
    }

    #[test]
    fn the_half_widths_of_a_sum_add_up_as_squares() {
        let interval = |low: f64, estimate: f64, high: f64| Interval {
            estimate,
            low,
            high,
            confidence: 0.95,
            method: pqlab_stats::IntervalMethod::StudentT,
        };
        let total = sum(&[interval(9.0, 10.0, 11.0), interval(4.0, 5.0, 6.0)]).unwrap();
        assert_eq!(total.estimate, 15.0);
        assert!((total.high - 15.0 - 2.0_f64.sqrt()).abs() < 1e-12);
    }
}
