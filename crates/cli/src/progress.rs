//! Shows the progress of a run: a bar for the run, a line for the current case and, on request, a line for each
//! finished case.

use crate::output;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use pqlab_lab::Progress;
use pqlab_lab::analysis::environment::{core_notes, environment_line};
use pqlab_lab::analysis::text::neutral;
use pqlab_lab::analysis::{CaseAnalysis, RunAnalysis};
use pqlab_lab::record::{Case, Record, Run, RunHeader};
use pqlab_lab::report::document::{describe_case, describe_run};
use pqlab_lab::report::terminal::{LineWidths, Palette, case_line};
use serde_json::Value;
use std::time::Duration;

/// Number of steps of the progress bar for each case.
const STEPS: f64 = 1000.0;

/// Kind of output to write to standard output while a run is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// A line for each finished case.
    Lines,
    /// Events, one JSON object per line.
    Events,
    /// Nothing until the end.
    Nothing,
}

/// Shows the progress of a run on the terminal.
pub(crate) struct Screen {
    stream: Stream,
    quiet: bool,
    verbose: bool,
    palette: Palette,
    widths: LineWidths,
    bars: Option<Bars>,
    /// Error of the first failed write. The run continues, because its results are stored anyway.
    pub(crate) broken: Option<std::io::Error>,
}

struct Bars {
    all: MultiProgress,
    run: ProgressBar,
    case: ProgressBar,
}

impl Screen {
    pub(crate) fn new(stream: Stream, progress: bool, quiet: bool, verbose: bool, palette: Palette) -> Screen {
        let bars = progress.then(|| {
            let all = MultiProgress::new();
            let run = all.add(ProgressBar::no_length().with_style(bar_style()));
            let case = all.add(ProgressBar::no_length().with_style(case_style()));
            Bars { all, run, case }
        });
        Screen { stream, quiet, verbose, palette, widths: LineWidths::default(), bars, broken: None }
    }

    fn print(&mut self, line: &str, print: fn(&str) -> std::io::Result<()>) {
        if self.broken.is_some() {
            return;
        }
        let written = match &self.bars {
            Some(bars) => bars.all.suspend(|| print(line)),
            None => print(line),
        };
        self.broken = written.err();
    }

    fn event(&mut self, name: &str, body: serde_json::Result<Value>) {
        match body {
            Ok(mut event) => {
                event["event"] = name.into();
                self.print(&event.to_string(), output::json);
            }
            Err(error) => self.note(&format!("cannot write event {name}: {error}")),
        }
    }

    /// Removes the bars.
    pub(crate) fn end(&mut self) {
        if let Some(bars) = self.bars.take() {
            bars.case.finish_and_clear();
            bars.run.finish_and_clear();
        }
    }
}

impl Progress for Screen {
    fn begin(&mut self, header: &RunHeader, remaining: usize) {
        self.widths = LineWidths::new(&header.plan);
        if self.stream == Stream::Events {
            let run = Run { header: header.clone(), records: Vec::new(), complete: false, finished_at: None };
            self.event("begin", serde_json::to_value(describe_run(&RunAnalysis::new(&run), false, &[])));
        }
        if self.verbose {
            let protocol = &header.protocol;
            self.note(&format!(
                "run {}: suite {}, {remaining} of {} cases, {} processes, seed {}",
                header.id,
                header.suite,
                header.plan.len(),
                protocol.processes,
                header.seed
            ));
            self.note(&environment_line(&header.environment));
        }
        header.environment.core.iter().flat_map(core_notes).for_each(|note| self.note(&note));
        if let Some(bars) = &self.bars {
            bars.run.set_length((remaining as f64 * STEPS) as u64);
            bars.run.enable_steady_tick(Duration::from_millis(500));
        }
    }

    fn working(&mut self, case: &Case, done: f64) {
        if let Some(bars) = &self.bars {
            bars.run.set_position((done * STEPS) as u64);
            let total = bars.run.length().unwrap_or(0) as f64 / STEPS;
            bars.run.set_message(format!("{done:.0} of {total:.0} cases"));
            bars.case.set_message(neutral(&case.id()));
        }
    }

    fn finished(&mut self, header: &RunHeader, record: &Record) {
        match self.stream {
            Stream::Lines => {
                let line = case_line(&CaseAnalysis::new(header, record), self.widths, self.palette);
                self.print(&line, output::data);
            }
            Stream::Events => {
                let result = serde_json::to_value(describe_case(&CaseAnalysis::new(header, record)));
                self.event("case", result.map(|result| serde_json::json!({ "result": result })));
            }
            Stream::Nothing => {}
        }
    }

    fn note(&mut self, text: &str) {
        if self.quiet {
            return;
        }
        match &self.bars {
            Some(bars) => bars.all.suspend(|| output::talk(text)),
            None => output::talk(text),
        }
    }
}

/// Returns the style of the progress bar for a run.
pub(crate) fn bar_style() -> ProgressStyle {
    let template = "[{elapsed_precise}] {bar:30} {percent:>3}%  {msg}, about {eta} left";
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn case_style() -> ProgressStyle {
    ProgressStyle::with_template("           {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_spinner())
}
