//! Code that `calibrate --independence` and `--between` share: a plan from the arguments, and a progress bar for many
//! runs.

use crate::args::MeasuredArgs;
use crate::output;
use crate::progress::bar_style;
use indicatif::ProgressBar;
use pqlab_lab::analysis::text::neutral;
use pqlab_lab::record::{Case, Record, RunHeader};
use pqlab_lab::{Filters, LabError, Laboratory, Plan, Progress, ProtocolOverrides};
use std::collections::BTreeSet;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

/// Number of steps of the progress bar for each case.
const STEPS: f64 = 1000.0;

impl MeasuredArgs {
    /// Returns the measurement settings set by options and presets.
    pub(super) fn overrides(&self) -> ProtocolOverrides {
        self.protocol.clone().or_preset(self.quick, self.rigorous)
    }

    /// Returns whether the arguments name cases or a seed.
    pub(super) fn names_cases(&self) -> bool {
        let lists = [&self.suites, &self.filter, &self.provider, &self.algorithm];
        lists.iter().any(|list| !list.is_empty()) || self.seed.is_some()
    }

    /// Plans the cases that the arguments select.
    pub(super) fn plan(&self, laboratory: &Laboratory) -> Result<Plan, LabError> {
        let filters = Filters {
            ids: self.filter.clone(),
            providers: self.provider.clone(),
            algorithms: self.algorithm.clone(),
            ..Filters::default()
        };
        laboratory.plan_of_suites(&self.suites, &filters, &self.overrides(), &mut |text| output::talk(text))
    }
}

/// Time in seconds that a run takes in addition to its cases, to capture the environment, calibrate the counter and
/// start processes.
pub(super) const START_S: f64 = 0.3;

/// Prints what will be measured, and the expected duration without disturbances.
pub(super) fn announce(what: &str, seconds: f64) {
    let duration = match seconds {
        seconds if seconds < 90.0 => format!("{:.0} s", seconds.ceil()),
        seconds if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    };
    output::talk(&format!("{what}; takes about {duration}, or longer if other programs disturb it"));
}

/// Progress bar for all cases of all runs.
pub(super) struct ManyRuns {
    bar: ProgressBar,
    /// Number of cases in the runs before the current one.
    before: usize,
    /// Number of cases in the current run.
    current: usize,
    total: usize,
    notes: BTreeSet<String>,
}

impl ManyRuns {
    /// Creates a bar for `total` cases.
    pub(super) fn new(total: usize) -> ManyRuns {
        let bar = match stderr().is_terminal() {
            true => ProgressBar::new((total as f64 * STEPS) as u64).with_style(bar_style()),
            false => ProgressBar::hidden(),
        };
        bar.enable_steady_tick(Duration::from_millis(500));
        ManyRuns { bar, before: 0, current: 0, total, notes: BTreeSet::new() }
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for ManyRuns {
    fn begin(&mut self, _header: &RunHeader, remaining: usize) {
        self.before += std::mem::replace(&mut self.current, remaining);
    }

    fn working(&mut self, case: &Case, done: f64) {
        let done = self.before as f64 + done;
        self.bar.set_position((done * STEPS) as u64);
        let place = if self.current == 1 { " alone" } else { "" };
        self.bar.set_message(format!("{done:.0} of {}: {}{place}", self.total, neutral(&case.id())));
    }

    fn finished(&mut self, _header: &RunHeader, _record: &Record) {}

    /// Prints each note only once, because every run repeats its notes.
    fn note(&mut self, text: &str) {
        if self.notes.insert(text.to_owned()) {
            self.bar.suspend(|| output::talk(text));
        }
    }
}
