//! Determines what each column of a table means, if no known tool wrote the table. A column contains samples, names or
//! parameters of the measured operation, outcomes, units, or data that does not matter for the samples.

use super::super::number::{Number, is_missing, parse};
use super::super::reading::listed;
use super::super::unit::{self, Stated};
use super::{Sheet, shortened, value};
use std::collections::{HashMap, HashSet};

/// Meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Samples.
    Value,
    /// Text that identifies the measured operation.
    Label,
    /// Number that identifies the measured operation.
    Parameter,
    /// Unit of the samples in the same row.
    Unit,
    /// Row or repetition numbers.
    Counter,
    /// Points in time.
    Moment,
    /// Text that does not identify the measured operation, such as a comment.
    Remark,
    /// Numbers with a percent sign.
    Percentage,
    /// Text that is the same in each row, such as the name of a machine.
    Constant,
    /// No contents.
    Empty,
}

/// Names of columns that identify the measured operation, in lower case, without spaces and punctuation.
const LABELS: [&str; 42] = [
    "name",
    "benchmark",
    "bench",
    "algorithm",
    "algo",
    "alg",
    "primitive",
    "cipher",
    "hash",
    "curve",
    "command",
    "operation",
    "op",
    "test",
    "testcase",
    "case",
    "scenario",
    "suite",
    "workload",
    "task",
    "scheme",
    "method",
    "variant",
    "function",
    "func",
    "label",
    "kem",
    "sig",
    "signature",
    "library",
    "lib",
    "provider",
    "implementation",
    "impl",
    "backend",
    "group",
    "class",
    "metric",
    "metricname",
    "endpoint",
    "url",
    "host",
];

/// Words in the names of columns that contain a parameter of the measured operation. A name without separators, such as
/// `keysize`, can also end with one of them.
const PARAMETERS: [&str; 21] = [
    "threads",
    "thread",
    "concurrency",
    "size",
    "length",
    "len",
    "batch",
    "bits",
    "param",
    "parameter",
    "workers",
    "level",
    "category",
    "strength",
    "payload",
    "clients",
    "connections",
    "cores",
    "depth",
    "width",
    "degree",
];

/// Names of columns that contain row or repetition numbers, in lower case, without spaces and punctuation.
const COUNTERS: [&str; 27] = [
    "index",
    "idx",
    "i",
    "no",
    "nr",
    "id",
    "run",
    "runid",
    "rep",
    "repetition",
    "repeat",
    "iteration",
    "iterations",
    "iter",
    "iters",
    "loops",
    "round",
    "trial",
    "attempt",
    "sample",
    "sampleid",
    "measurement",
    "seed",
    "pid",
    "process",
    "row",
    "line",
];

/// Names of columns of remarks, in lower case, without spaces and punctuation.
const REMARKS: [&str; 9] =
    ["note", "notes", "comment", "comments", "remark", "remarks", "message", "description", "info"];

/// Words in the names of columns that contain points in time.
const MOMENTS: [&str; 9] = ["timestamp", "date", "datetime", "epoch", "when", "started", "finished", "ts", "starttime"];

/// Names of columns that contain the unit of the samples, in lower case, without spaces and punctuation.
const UNITS: [&str; 5] = ["unit", "units", "timeunit", "metricunit", "measure"];

/// Words in the names of columns that contain the phase of a benchmark or the kind of a row.
const PHASES: [&str; 8] = ["phase", "stage", "kind", "type", "mode", "statistic", "stat", "aggregate"];

/// Phases and kinds of rows that are not samples, in lower case, without spaces and punctuation.
const NOT_SAMPLES: [&str; 33] = [
    "warmup",
    "warming",
    "warm",
    "pilot",
    "jitting",
    "overhead",
    "calibration",
    "calibrate",
    "rampup",
    "rampdown",
    "cooldown",
    "setup",
    "teardown",
    "discard",
    "discarded",
    "dryrun",
    "dry",
    "mean",
    "median",
    "average",
    "avg",
    "stddev",
    "stdev",
    "variance",
    "cv",
    "min",
    "max",
    "total",
    "sum",
    "summary",
    "aggregate",
    "p95",
    "p99",
];

/// Words that mark a row of a warm-up or a summary in a column of row numbers or names. In lower case, without spaces
/// and punctuation, except for percentages (`%`), which mark percentiles.
const SUMMARIES: [&str; 22] = [
    "mittelwert",
    "durchschnitt",
    "standardabweichung",
    "moyenne",
    "mean",
    "avg",
    "average",
    "median",
    "std",
    "stddev",
    "stdev",
    "stdv",
    "standarddeviation",
    "variance",
    "geomean",
    "cv",
    "cov",
    "mad",
    "iqr",
    "total",
    "summary",
    "warmup",
];

/// Words that mark a row of a summary only if the column contains one of [`SUMMARIES`].
const DOUBTFUL_SUMMARIES: [&str; 17] = [
    "min", "max", "minimum", "maximum", "count", "sum", "sd", "var", "p50", "p90", "p95", "p99", "p999", "q1", "q3",
    "%", "warm",
];

/// Names of columns that contain row numbers or samples.
const SAMPLES: [&str; 2] = ["sample", "measurement"];

/// Names of columns that often contain a parameter.
const LETTERS: [&str; 3] = ["n", "k", "m"];

/// Names of columns that show whether the measured operation succeeded, each with the kind of its contents. The names
/// are in lower case, without spaces and punctuation.
const OUTCOMES: [(&str, Outcome); 46] = [
    ("exitcode", Outcome::Code),
    ("exitstatus", Outcome::Code),
    ("returncode", Outcome::Code),
    ("returncodes", Outcome::Code),
    ("rc", Outcome::Code),
    ("status", Outcome::Code),
    ("statuscode", Outcome::Code),
    ("httpstatus", Outcome::Code),
    ("httpstatuscode", Outcome::Code),
    ("httpcode", Outcome::Code),
    ("responsecode", Outcome::Code),
    ("errorcode", Outcome::Code),
    ("success", Outcome::Holds),
    ("successful", Outcome::Holds),
    ("succeeded", Outcome::Holds),
    ("issuccess", Outcome::Holds),
    ("pass", Outcome::Holds),
    ("passed", Outcome::Holds),
    ("ok", Outcome::Holds),
    ("valid", Outcome::Holds),
    ("isvalid", Outcome::Holds),
    ("verified", Outcome::Holds),
    ("correct", Outcome::Holds),
    ("completed", Outcome::Holds),
    ("error", Outcome::Fails),
    ("err", Outcome::Fails),
    ("errors", Outcome::Fails),
    ("errormessage", Outcome::Fails),
    ("erroroccurred", Outcome::Fails),
    ("exception", Outcome::Fails),
    ("fail", Outcome::Fails),
    ("failed", Outcome::Fails),
    ("failure", Outcome::Fails),
    ("failures", Outcome::Fails),
    ("skip", Outcome::Fails),
    ("skipped", Outcome::Fails),
    ("timeout", Outcome::Fails),
    ("timedout", Outcome::Fails),
    ("aborted", Outcome::Fails),
    ("crashed", Outcome::Fails),
    ("killed", Outcome::Fails),
    ("signal", Outcome::Fails),
    ("invalid", Outcome::Fails),
    ("outcome", Outcome::Word),
    ("result", Outcome::Word),
    ("verdict", Outcome::Word),
];

/// Contents of a column that shows whether an operation succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// An exit code or status code, or a word for the status.
    Code,
    /// Whether the operation succeeded.
    Holds,
    /// Whether the operation failed, or why.
    Fails,
    /// A word for success or failure.
    Word,
}

/// Words for success, in lower case.
const SUCCESSES: [&str; 12] = [
    "ok",
    "success",
    "succeeded",
    "successful",
    "pass",
    "passed",
    "done",
    "completed",
    "valid",
    "correct",
    "no error",
    "none",
];
/// Words for failure, in lower case.
const FAILURES: [&str; 19] = [
    "fail",
    "failed",
    "failure",
    "error",
    "errored",
    "timeout",
    "timed out",
    "timedout",
    "skip",
    "skipped",
    "xfail",
    "crash",
    "crashed",
    "killed",
    "aborted",
    "cancelled",
    "canceled",
    "invalid",
    "incorrect",
];

/// Range of numbers that can be points in time, in seconds since 1970: from 2000 to 2100.
const EPOCHS: std::ops::Range<f64> = 9.46e8..4.11e9;

impl Outcome {
    /// Returns whether the operation succeeded, according to a cell. Returns `None` if the cell does not show this.
    fn succeeded(self, cell: &str) -> Option<bool> {
        let lower = cell.trim().to_lowercase();
        match (self, parse(cell)) {
            // 2xx: status codes of HTTP
            (Outcome::Code, Some(Number::Point(code))) => Some(code == 0.0 || (200.0..300.0).contains(&code)),
            (Outcome::Holds, Some(Number::Point(number))) => Some(number != 0.0),
            (Outcome::Fails, Some(Number::Point(number))) => Some(number == 0.0),
            (_, Some(_)) => None,
            (_, None) if ["true", "yes", "y", "t"].contains(&lower.as_str()) => Some(self != Outcome::Fails),
            (_, None) if ["false", "no", "n", "f"].contains(&lower.as_str()) => {
                Some(matches!(self, Outcome::Fails | Outcome::Code))
            }
            (_, None) if is_missing(cell) => Some(matches!(self, Outcome::Fails | Outcome::Code)),
            (_, None) if SUCCESSES.contains(&lower.as_str()) => Some(true),
            (_, None) if FAILURES.contains(&lower.as_str()) => Some(false),
            (Outcome::Code | Outcome::Fails, None) => Some(false),
            (Outcome::Holds | Outcome::Word, None) => None,
        }
    }
}

impl Sheet {
    /// Removes the rows of failed operations. Then removes the columns that show success or failure, except the chosen
    /// column. Returns a note for each of these columns, including the chosen one.
    pub(super) fn remove_failed_rows(&mut self, chosen: Option<&str>) -> Vec<String> {
        let (mut notes, mut sound) = (Vec::new(), Vec::new());
        for column in (0..self.names.len()).rev() {
            let name = self.names[column].clone();
            let bare = bare(&name);
            let Some((_, outcome)) = OUTCOMES.iter().find(|(known, _)| *known == bare) else { continue };
            // A column of fractions contains measurement errors.
            let fractions = self.cells.iter().any(|row| match value(&row[column]) {
                Some((Number::Point(number), None)) => number.fract() != 0.0,
                other => other.is_some(),
            });
            let told: Option<Vec<bool>> = self.cells.iter().map(|row| outcome.succeeded(&row[column])).collect();
            let Some(kept) = told.filter(|_| self.headed && !fractions && self.names.len() > 1) else { continue };
            let failed = self.contents(column, &kept);
            if failed.is_empty() {
                sound.push(name.clone());
            } else {
                notes.push(format!(
                    "left out failed rows ({} of {}): column {name:?} contains {}",
                    failed.len(),
                    self.cells.len(),
                    listed(pqlab_analysis::distinct(failed))
                ));
            }
            self.keep(&kept);
            if chosen != Some(name.as_str()) {
                self.drop_column(column);
            }
        }
        let why = if notes.is_empty() { "no row failed" } else { "no other row failed" };
        notes.extend(sound.iter().map(|name| format!("left out column {name:?}, because {why}")));
        notes
    }

    /// Removes warm-up rows and rows with summaries. Returns a note for each column that marks such rows.
    pub(super) fn remove_other_phases(&mut self, chosen: Option<&str>) -> Vec<String> {
        let mut notes = Vec::new();
        for column in (0..self.names.len()).rev() {
            let name = self.names[column].clone();
            let words = words(&name);
            // A column such as `warmup_runs` contains counts.
            let flag = |row: &Vec<String>| match parse(&row[column]) {
                Some(Number::Point(number)) => number == 0.0 || number == 1.0,
                other => other.is_none(),
            };
            let marks_warm_ups = self.headed && bare(&name).contains("warm") && self.cells.iter().all(flag);
            if chosen == Some(name.as_str()) || self.names.len() == 1 {
                continue;
            }
            let kept: Vec<bool> = if marks_warm_ups {
                let told = self.cells.iter().map(|row| Outcome::Fails.succeeded(&row[column]));
                told.map(|kept| kept.unwrap_or(true)).collect()
            } else if self.headed && words.iter().any(|word| PHASES.contains(&word.as_str())) {
                // Cold and warm caches are not phases.
                let caches = self.cells.iter().any(|row| ["cold", "hot"].contains(&bare(&row[column]).as_str()));
                let other = |word: &str| NOT_SAMPLES.contains(&word) && !(caches && word == "warm");
                self.cells.iter().map(|row| !other(&bare(&row[column]))).collect()
            } else {
                self.rows_of_samples(column)
            };
            let others = self.contents(column, &kept);
            if !others.is_empty() {
                notes.push(format!(
                    "left out rows with warm-ups or summaries ({} of {}): column {name:?} contains {}",
                    others.len(),
                    self.cells.len(),
                    listed(pqlab_analysis::distinct(others))
                ));
            }
            self.keep(&kept);
            // Numbers that count the rows around a summary are not samples, even if there are few.
            let counts = !kept.iter().all(|kept| *kept) && !self.cells.is_empty() && self.counts_all(column);
            if marks_warm_ups || counts {
                self.drop_column(column);
            }
        }
        notes
    }

    /// Returns for each row whether it contains samples. The other rows contain a warm-up or a summary of other rows,
    /// according to the word in `column`, which otherwise contains row numbers or names.
    fn rows_of_samples(&self, column: usize) -> Vec<bool> {
        let all = || vec![true; self.cells.len()];
        let name = &self.names[column];
        let cells: HashSet<&str> = self.cells.iter().map(|row| row[column].trim()).collect();
        let word = |row: &Vec<String>| {
            let cell = row[column].trim();
            // `enc_mean` summarizes `enc`.
            let statistic = cell.rsplit_once(['_', ' ', '-', '/', ':', '.']).filter(|(name, _)| cells.contains(name));
            match statistic.map(|(_, word)| bare(word)) {
                _ if cell.ends_with('%') && value(cell.trim_end_matches('%')).is_some() => "%".to_owned(),
                Some(word) if SUMMARIES.contains(&word.as_str()) => word,
                Some(word) if DOUBTFUL_SUMMARIES.contains(&word.as_str()) => word,
                _ => bare(cell),
            }
        };
        let words: Vec<String> = self.cells.iter().map(word).collect();
        let is_sure = |word: &String| SUMMARIES.contains(&word.as_str());
        let is_summary = |word: &String| is_sure(word) || DOUBTFUL_SUMMARIES.contains(&word.as_str());
        let other_numbers =
            |row: &Vec<String>| row.iter().enumerate().any(|(other, cell)| other != column && value(cell).is_some());
        let sound =
            self.cells.iter().zip(&words).filter(|(_, word)| is_summary(word)).all(|(row, _)| other_numbers(row));
        if !words.iter().any(is_sure) || !sound || self.headed && unit::in_name(name).is_some() {
            return all();
        }
        let numbers = self.cells.iter().any(|row| parse(&row[column]).is_some());
        let numbered = numbers || self.headed && (name.is_empty() || COUNTERS.contains(&bare(name).as_str()));
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for row in &self.cells {
            *counts.entry(&row[column]).or_default() += 1;
        }
        let rows = || self.cells.iter().map(|row| counts[row[column].as_str()]).zip(&words);
        // An operation that is called `mean` occurs as often as the others.
        let most = rows().filter(|(_, word)| !is_summary(word)).map(|(count, _)| count).max().unwrap_or(1);
        rows().map(|(count, word)| !is_summary(word) || !numbered && count > 1 && count >= most).collect()
    }

    /// Returns whether a column contains the names of the statistics that pandas' `describe` returns.
    pub(super) fn describes(&self, column: usize) -> bool {
        let contains = |word: &str| self.cells.iter().any(|row| row[column].trim() == word);
        ["count", "mean", "std", "min", "max"].into_iter().all(contains)
            || ["mean", "25%", "75%"].into_iter().all(contains)
    }

    /// Returns whether a column divides the rows of a table of throughput: text, or a known parameter that does not
    /// follow from the column `concurrency`.
    pub(super) fn divides(&self, column: usize, concurrency: usize) -> bool {
        let named = self.headed && LABELS.contains(&bare(&self.names[column]).as_str());
        let varied = (0..self.cells.len()).any(|row| self.cell(row, column) != self.cell(0, column));
        let mut values: HashMap<&str, &str> = HashMap::new();
        let mut follows = || {
            (0..self.cells.len()).all(|row| {
                let cell = self.cell(row, column);
                *values.entry(self.cell(row, concurrency)).or_insert(cell) == cell
            })
        };
        match self.role(column) {
            Role::Parameter => varied && !follows(),
            role => varied && (named || role == Role::Label),
        }
    }

    /// Returns whether the name of a column says that it contains a parameter.
    pub(super) fn is_named_parameter(&self, column: usize) -> bool {
        let name = &self.names[column];
        is_parameter(&words(name), &bare(name))
    }

    /// Returns the contents of a column in the rows that are not kept.
    fn contents(&self, column: usize, kept: &[bool]) -> Vec<String> {
        let others = self.cells.iter().zip(kept).filter(|(_, kept)| !**kept);
        others.map(|(row, _)| shortened(&row[column])).collect()
    }

    fn keep(&mut self, kept: &[bool]) {
        let mut keep = kept.iter();
        self.cells.retain(|_| *keep.next().unwrap_or(&true));
        let mut keep = kept.iter();
        self.lines.retain(|_| *keep.next().unwrap_or(&true));
    }

    fn drop_column(&mut self, column: usize) {
        self.names.remove(column);
        self.cells.iter_mut().for_each(|row| drop(row.remove(column)));
    }

    /// Returns the role of each column.
    pub(super) fn roles(&self) -> Vec<Role> {
        let columns = 0..self.names.len();
        let mut roles: Vec<Role> = columns.clone().map(|column| self.role(column)).collect();
        // Whether a column without a unit contains samples depends on the other columns.
        for column in columns {
            let others = roles.iter().enumerate().any(|(other, role)| other != column && *role == Role::Value);
            if roles[column] == Role::Value && others && self.headed {
                roles[column] = self.role_beside_values(column, &roles);
            }
        }
        // Parameters are samples if the table contains nothing else. Row numbers are samples only if no other column can
        // contain them.
        if !roles.contains(&Role::Value) {
            let measures = |name: &String| unit::stated(name) != Stated::Nothing || unit::is_measure(name);
            let elsewhere = self.headed && self.names.iter().any(measures);
            for (column, role) in roles.iter_mut().enumerate() {
                let (name, bare) = (&self.names[column], bare(&self.names[column]));
                let named = bare.is_empty()
                    || bare == "n"
                    || COUNTERS.contains(&bare.as_str())
                    || is_counter(&words(name))
                    || name.trim() == "#";
                let counts = named && !SAMPLES.contains(&bare.as_str()) || elsewhere && !measures(name);
                match role {
                    Role::Counter if self.names.len() == 1 || !self.headed || !counts => *role = Role::Value,
                    Role::Parameter => *role = Role::Value,
                    _ => {}
                }
            }
        }
        roles
    }

    fn role(&self, column: usize) -> Role {
        let cells = || (0..self.cells.len()).map(|row| self.cell(row, column));
        let (rows, name) = (self.cells.len(), &self.names[column]);
        let (words, bare) = (words(name), bare(name));
        let numeric = cells().filter(|cell| value(cell).is_some()).count();
        let present = cells().filter(|cell| !is_missing(cell)).count();
        let is = |list: &[&str]| self.headed && list.contains(&bare.as_str());
        if cells().all(str::is_empty) {
            return Role::Empty;
        }
        if is(&LABELS) && numeric < rows {
            return Role::Label;
        }
        let percentage =
            |cell: &str| is_missing(cell) || cell.strip_suffix('%').is_some_and(|rest| parse(rest).is_some());
        if cells().all(percentage) && cells().any(|cell| cell.ends_with('%')) {
            return Role::Percentage;
        }
        // A column that contains mostly numbers must contain only numbers, and so must a column with a unit.
        let measures =
            || self.headed && (unit::in_name(name).is_some_and(unit::is_performance) || unit::is_measure(name));
        if numeric > 0 && (2 * numeric >= present || measures()) {
            let unit = self.headed.then(|| unit::in_name(name)).flatten();
            let performance = unit.is_some_and(unit::is_performance);
            let moment = self.headed && words.iter().any(|word| MOMENTS.contains(&word.as_str()));
            return match () {
                () if is(&COUNTERS) || name == "#" || is_counter(&words) || self.counts(column) => Role::Counter,
                // pandas writes its row numbers below an empty name.
                () if self.headed && column == 0 && name.is_empty() && self.is_whole(column) => Role::Counter,
                () if moment || unit.is_some_and(|unit| self.are_epochs(column, unit)) => Role::Moment,
                () if self.headed && !performance && is_parameter(&words, &bare) => Role::Parameter,
                () => Role::Value,
            };
        }
        let distinct: HashSet<&str> = cells().collect();
        match () {
            () if is(&UNITS) && cells().all(|cell| unit::canonical(cell).is_some()) => Role::Unit,
            () if is(&UNITS) && distinct.len() == 1 => Role::Unit,
            () if cells().all(|cell| is_missing(cell) || is_date(cell)) => Role::Moment,
            () if !self.headed || is(&REMARKS) || distinct.len() == rows && rows > 2 => Role::Remark,
            () if distinct.len() == 1 => Role::Constant,
            () => Role::Label,
        }
    }

    /// Returns the role of a numeric column in a table in which another column may contain the samples.
    fn role_beside_values(&self, column: usize, roles: &[Role]) -> Role {
        let unit = unit::in_name(&self.names[column]);
        if unit.is_some_and(unit::is_performance) {
            return Role::Value;
        }
        if unit.is_none() && ["s", "ms", "us", "ns"].into_iter().any(|unit| self.are_epochs(column, unit)) {
            return Role::Moment;
        }
        let timed = |(place, role): (usize, &Role)| {
            *role == Role::Value && unit::in_name(&self.names[place]).is_some_and(unit::is_performance)
        };
        let constant = (0..self.cells.len()).all(|row| self.cell(row, column) == self.cell(0, column));
        // Two columns of whole numbers without units can both contain samples.
        let measures = |(place, role): (usize, &Role)| {
            let name = &self.names[place];
            place != column
                && *role == Role::Value
                && (unit::stated(name) != Stated::Nothing
                    || unit::is_measure(name)
                    || (0..self.cells.len()).any(|row| self.cell(row, place).contains(['.', ','])))
        };
        let differs = LETTERS.contains(&bare(&self.names[column]).as_str())
            || roles.iter().enumerate().any(measures) && !unit::is_measure(&self.names[column]);
        let balanced = self.is_balanced(column, roles);
        match balanced && (differs || self.follows_labels(column, roles)) {
            true => Role::Parameter,
            // The number of operations, for example.
            false if constant && roles.iter().enumerate().any(timed) => Role::Constant,
            false => Role::Value,
        }
    }

    /// Returns whether a column looks like a parameter of repeated measurements. It must contain at least two different
    /// whole numbers. Every combination of an operation's name and a number must occur equally often, and at least
    /// twice.
    fn is_balanced(&self, column: usize, roles: &[Role]) -> bool {
        let name = |row: usize| {
            let parts = roles.iter().enumerate().filter(|(_, role)| matches!(role, Role::Label | Role::Parameter));
            parts.map(|(part, _)| self.cell(row, part)).collect::<Vec<&str>>()
        };
        let mut counts: HashMap<(Vec<&str>, &str), usize> = HashMap::new();
        for row in 0..self.cells.len() {
            *counts.entry((name(row), self.cell(row, column))).or_default() += 1;
        }
        let values: HashSet<&str> = counts.keys().map(|(_, value)| *value).collect();
        let first = counts.values().next().copied().unwrap_or(0);
        self.is_whole(column) && values.len() > 1 && first > 1 && counts.values().all(|count| *count == first)
    }

    fn is_whole(&self, column: usize) -> bool {
        (0..self.cells.len()).all(|row| match parse(self.cell(row, column)) {
            Some(Number::Point(number)) => number.fract() == 0.0,
            _ => false,
        })
    }

    /// Returns whether a column has only one value for each combination of labels, such as the size of a key.
    fn follows_labels(&self, column: usize, roles: &[Role]) -> bool {
        let labels: Vec<usize> = (0..roles.len()).filter(|other| roles[*other] == Role::Label).collect();
        let mut values: HashMap<Vec<&str>, &str> = HashMap::new();
        !labels.is_empty()
            && (0..self.cells.len()).all(|row| {
                let name = labels.iter().map(|label| self.cell(row, *label)).collect();
                let cell = self.cell(row, column);
                *values.entry(name).or_insert(cell) == cell
            })
    }

    /// Returns whether a column contains points in time from 2000 to 2100, as numbers of `unit` since 1970.
    fn are_epochs(&self, column: usize, unit: &str) -> bool {
        (0..self.cells.len()).all(|row| match parse(self.cell(row, column)) {
            Some(Number::Point(number)) => unit::convert(number, unit, "s").is_some_and(|s| EPOCHS.contains(&s)),
            _ => false,
        })
    }

    /// Returns whether a column numbers the rows. Such a column has no unit, and contains consecutive whole numbers
    /// from 0 or 1. The numbers may start again several times.
    fn counts(&self, column: usize) -> bool {
        self.cells.len() >= 3 && self.counts_all(column)
    }

    /// Does the same as [`Sheet::counts`], for any number of rows.
    fn counts_all(&self, column: usize) -> bool {
        let number = |row: usize| match parse(self.cell(row, column)) {
            Some(Number::Point(number)) => Some(number),
            _ => None,
        };
        let rows = self.cells.len();
        let start = number(0).filter(|start| *start == 0.0 || *start == 1.0);
        let follows = |row: usize, start: f64| match (number(row - 1), number(row)) {
            (Some(before), Some(now)) => now == before + 1.0 || now == start && before > start + 1.0,
            _ => false,
        };
        unit::in_name(&self.names[column]).is_none()
            && start.is_some_and(|start| (1..rows).all(|row| follows(row, start)))
    }
}

/// Returns whether a column's name is the name of a parameter. `words` are the words of the name, and `bare` is the
/// name without spaces and punctuation.
fn is_parameter(words: &[String], bare: &str) -> bool {
    let times = ["time", "latency", "duration", "elapsed", "rate", "throughput"];
    let ends = ["size", "len", "length", "bits", "threads", "workers", "level", "category"];
    !words.iter().any(|word| times.contains(&word.as_str()))
        && (words.iter().any(|word| PARAMETERS.contains(&word.as_str())) || ends.iter().any(|end| bare.ends_with(end)))
}

/// Returns whether a column's name, split into words, ends with a word for a row number, such as `launch_index`.
fn is_counter(words: &[String]) -> bool {
    words.last().is_some_and(|last| ["index", "idx", "id", "number", "nr"].contains(&last.as_str()))
}

/// Returns whether a cell begins with a date, such as `2026-11-27`.
fn is_date(cell: &str) -> bool {
    let bytes = cell.trim().as_bytes();
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(place, byte)| match place {
            4 | 7 => matches!(byte, b'-' | b'/'),
            _ => byte.is_ascii_digit(),
        })
}

/// Splits a name into words in lower case, at punctuation and where a capital letter follows a small one.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || small && letter.is_uppercase() {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().expect("not empty").extend(letter.to_lowercase());
        }
        small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the letters and digits of a name, in lower case.
fn bare(name: &str) -> String {
    name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect()
}
