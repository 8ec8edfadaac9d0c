//! Reads tables: CSV with commas, semicolons or tabs, and columns separated by spaces.

use super::number::{Number, is_missing, parse};
use super::reading::{Reading, listed};
use super::tools::google_benchmark;
use super::unit;
use pqlab_analysis::gathered;
use pqlab_stats::Load;
use std::borrow::Cow;

/// Contents of a table: samples, or throughput under load.
pub(super) enum Table {
    Series(Reading),
    Loads(Vec<Load>),
}

/// Names of the columns in a table of throughput under load.
const LOAD_COLUMNS: [&str; 3] = ["concurrency", "operations", "seconds"];

/// Names of columns that identify the measured operation, in lower case.
const LABELS: [&str; 24] = [
    "name",
    "benchmark",
    "bench",
    "algorithm",
    "algo",
    "command",
    "operation",
    "op",
    "test",
    "case",
    "scheme",
    "method",
    "variant",
    "function",
    "label",
    "kem",
    "sig",
    "signature",
    "library",
    "provider",
    "implementation",
    "impl",
    "group",
    "host",
];

/// Names of columns that contain a parameter of the measured operation, in lower case.
const PARAMETERS: [&str; 14] = [
    "threads",
    "thread",
    "concurrency",
    "size",
    "length",
    "len",
    "batch",
    "batch_size",
    "message_length",
    "msg_len",
    "param",
    "parameter",
    "workers",
    "level",
];

/// Names of columns that contain row numbers or dates, in lower case.
const COUNTERS: [&str; 20] = [
    "index",
    "idx",
    "#",
    "no",
    "nr",
    "id",
    "run",
    "rep",
    "repetition",
    "repeat",
    "iteration",
    "iter",
    "round",
    "trial",
    "seed",
    "pid",
    "timestamp",
    "date",
    "epoch",
    "row",
];

/// Words in the names of columns that contain summaries.
const STATISTICS: [&str; 26] = [
    "mean",
    "avg",
    "average",
    "median",
    "stddev",
    "stdev",
    "std",
    "sd",
    "deviation",
    "variance",
    "min",
    "minimum",
    "max",
    "maximum",
    "p50",
    "p90",
    "p95",
    "p99",
    "p999",
    "q1",
    "q3",
    "iqr",
    "mad",
    "error",
    "lower",
    "upper",
];

/// Names of columns that show whether the measured operation succeeded, in lower case, without spaces and punctuation.
const OUTCOMES: [&str; 9] =
    ["exitcode", "exitstatus", "returncode", "returncodes", "rc", "status", "statuscode", "error", "errorcode"];

/// Words that mean success in a column listed in [`OUTCOMES`].
const SUCCESSES: [&str; 8] = ["ok", "success", "succeeded", "pass", "passed", "done", "false", "no error"];

/// Parts of the names of columns that contain percentiles.
const PERCENTILES: [&str; 3] = ["percentile", "quantile", "percentage served"];

/// Start of the header line in Google Benchmark's CSV.
const GOOGLE_BENCHMARK: &str = "name,iterations,real_time,";

/// Reads a table. If `column` is given, reads only the values in the column with this name. `stem` names a table
/// without a header that has only one column.
pub(super) fn read(text: &str, column: Option<&str>, stem: &str) -> Result<Table, String> {
    let mut sheet = Sheet::parse(&without_context(text), stem)?;
    if sheet.cells.is_empty() {
        let why = match sheet.headed {
            true => format!("no row below the header ({})", listed(sheet.names.iter().map(|name| format!("{name:?}")))),
            false => "no rows".to_owned(),
        };
        return Ok(Table::Series(Reading { series: Vec::new(), notes: vec![why] }));
    }
    let place = |name: &str| sheet.names.iter().position(|known| known == name);
    if let (None, [Some(concurrency), Some(operations), Some(seconds)]) = (column, LOAD_COLUMNS.map(place)) {
        return sheet.loads([concurrency, operations, seconds]).map(Table::Loads);
    }
    if let Some(name) = column
        && place(name).is_none()
    {
        return Err(format!("contains no column {name:?}; available: {}", sheet.names.join(", ")));
    }
    let mut reading = match sheet.known_tool()? {
        Some(reading) => reading,
        None => {
            if column.is_none() {
                sheet.refuse_summaries()?;
                sheet.refuse_split_numbers()?;
            }
            let notes = sheet.remove_failed_rows(column);
            let mut reading = sheet.series(column)?;
            reading.notes.extend(notes);
            reading
        }
    };
    if sheet.comments > 0 {
        reading.notes.push(format!("{} comment lines were left out", sheet.comments));
    }
    Ok(Table::Series(reading))
}

/// A table as text.
struct Sheet {
    names: Vec<String>,
    headed: bool,
    cells: Vec<Vec<String>>,
    /// Line number in the file of each row, from 1.
    lines: Vec<u64>,
    delimiter: char,
    comments: usize,
}

impl Sheet {
    fn parse(text: &str, stem: &str) -> Result<Sheet, String> {
        let (directive, text) = match text.strip_prefix("sep=").and_then(|rest| rest.split_once('\n')) {
            Some((delimiter, rest)) => (delimiter.trim_end_matches('\n').chars().next(), format!("\n{rest}")),
            None => (None, text.to_owned()),
        };
        let comment = |line: &&str| ["#", "%", "//"].iter().any(|mark| line.trim_start().starts_with(mark));
        let head = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
        // A bare "#" can be the name of a column.
        let names_rows = head.starts_with("#,") || head.starts_with("#;") || head.starts_with("#\t");
        let comments = if names_rows { 0 } else { text.lines().filter(comment).count() };
        let body: String = text
            .lines()
            .map(|line| if comments > 0 && comment(&line) { "\n".to_owned() } else { format!("{line}\n") })
            .collect();
        let delimiter = directive.unwrap_or_else(|| delimiter(&body));
        let body = if delimiter == ' ' {
            body.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
        } else {
            body
        };
        let separator = u8::try_from(delimiter).map_err(|_| format!("the separator {delimiter:?} is not supported"))?;
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(separator)
            .trim(csv::Trim::All)
            .from_reader(body.as_bytes());
        let (mut cells, mut lines) = (Vec::new(), Vec::new());
        for record in reader.records() {
            let record = record.map_err(|error| format!("not CSV: {error}"))?;
            if record.iter().all(str::is_empty) {
                continue;
            }
            lines.push(record.position().map_or(0, csv::Position::line));
            cells.push(record.iter().map(str::to_owned).collect::<Vec<String>>());
        }
        let mut sheet = Sheet { names: Vec::new(), headed: false, cells, lines, delimiter, comments };
        let Some(first) = sheet.cells.first().cloned() else { return Ok(sheet) };
        sheet.check_lengths(first.len())?;
        let numbers = first.iter().filter(|cell| value(cell).is_some() || is_missing(cell)).count();
        sheet.headed = numbers < first.len();
        if sheet.headed && first.iter().any(|cell| value(cell).is_some()) {
            return Err(format!(
                "line {}: the first row mixes names and numbers ({}); add a row with the names of the columns",
                sheet.lines[0],
                listed(&first)
            ));
        }
        if sheet.headed {
            sheet.cells.remove(0);
            sheet.lines.remove(0);
        }
        sheet.names = match (sheet.headed, first.len()) {
            (true, _) => first,
            (false, 1) => vec![stem.to_owned()],
            (false, columns) => (1..=columns).map(|index| format!("column {index}")).collect(),
        };
        for (place, name) in sheet.names.iter().enumerate() {
            if !name.is_empty() && sheet.names[..place].contains(name) {
                return Err(format!("two columns are called {name:?}; rename one"));
            }
        }
        Ok(sheet)
    }

    /// Rejects the table if a row has more or fewer cells than `columns`, the number in the first row.
    fn check_lengths(&self, columns: usize) -> Result<(), String> {
        let Some(row) = self.cells.iter().position(|row| row.len() != columns) else { return Ok(()) };
        let cells = &self.cells[row];
        let digits = |cell: &String| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
        let split = |cells: &[String]| cells.windows(2).any(|pair| digits(&pair[1]) && parse(&pair[0]).is_some());
        let comma = self.delimiter == ',' && (split(cells) || split(&self.cells[0]));
        let hint = if comma { " (decimal comma? use decimal points, or separate columns with semicolons)" } else { "" };
        let (line, actual) = (self.lines[row], cells.len());
        Err(format!("not CSV: line {line} has {actual} cells, but the first row has {columns}{hint}"))
    }

    fn cell(&self, row: usize, column: usize) -> &str {
        &self.cells[row][column]
    }

    fn not_a_number(&self, row: usize, column: usize) -> String {
        let (line, name, text) = (self.lines[row], &self.names[column], self.cell(row, column));
        format!("row {line}, column {name:?}: {text:?} is not a number")
    }

    fn loads(&self, [concurrency, operations, seconds]: [usize; 3]) -> Result<Vec<Load>, String> {
        let number = |row: usize, column: usize| match parse(self.cell(row, column)) {
            Some(Number::Point(number)) => Ok(number),
            _ => Err(self.not_a_number(row, column)),
        };
        let count = |row: usize, column: usize| {
            let number = number(row, column)?;
            if number >= 1.0 && number.fract() == 0.0 && number < 1e15 {
                Ok(number as u64)
            } else {
                Err(format!("row {}: {number} is not a positive whole number", self.lines[row]))
            }
        };
        let load = |row: usize| {
            let (concurrency, operations) = (count(row, concurrency)?, count(row, operations)?);
            let seconds = number(row, seconds).ok().filter(|seconds| *seconds > 0.0);
            let seconds = seconds.ok_or_else(|| format!("row {}: the seconds are not positive", self.lines[row]))?;
            Ok(Load { concurrency, operations, seconds })
        };
        (0..self.cells.len()).map(load).collect()
    }

    /// Reads the table if a known tool wrote it, and rejects known summaries. Returns `None` for other tables.
    fn known_tool(&self) -> Result<Option<Reading>, String> {
        if !self.headed {
            return Ok(None);
        }
        let all = |names: &[&str]| names.iter().all(|name| self.names.iter().any(|known| known == name));
        if all(&["command", "mean", "stddev", "median", "user", "system"]) {
            return Err("not samples: hyperfine's table of summaries; export the times with --export-json".into());
        }
        if all(&["Benchmark", "Mode", "Score", "Unit"]) {
            return Err("not samples: JMH's table of summaries; export the samples with -rf json".into());
        }
        if all(&["name", "iterations", "real_time", "time_unit"]) {
            return self.google_benchmark().map(Some);
        }
        if all(&["id", "ns_per_operation", "used"]) {
            return self.pqlab_samples().map(Some);
        }
        if all(&["sample_measured_value", "unit", "iteration_count"]) {
            return self.criterion().map(Some);
        }
        Ok(None)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    fn text(&self, row: usize, name: &str) -> &str {
        self.place(name).map_or("", |column| self.cell(row, column))
    }

    fn plain(&self, row: usize, name: &str) -> Result<f64, String> {
        let wrong = || self.place(name).map_or_else(String::new, |column| self.not_a_number(row, column));
        match parse(self.text(row, name)) {
            Some(Number::Point(number)) => Ok(number),
            _ => Err(wrong()),
        }
    }

    fn google_benchmark(&self) -> Result<Reading, String> {
        let entry = |row: usize| {
            let (name, failed) = (self.text(row, "name"), self.text(row, "error_occurred"));
            let text = |name: &str| self.text(row, name);
            let computed = (name.ends_with("_BigO") || name.ends_with("_RMS")) && text("iterations").is_empty();
            let message = text("error_message");
            let reason = if message.is_empty() { "no reason given" } else { message };
            google_benchmark::Entry {
                name,
                run_name: None,
                run_type: None,
                computed,
                skipped: (text("iterations") == "0").then(|| "0 iterations".to_owned()),
                failed: (failed == "true").then(|| reason.to_owned()),
                variant: [None; 3],
                time: self.plain(row, "real_time").map_err(|_| text("real_time").to_owned()),
                unit: text("time_unit"),
            }
        };
        google_benchmark::collect(&(0..self.cells.len()).map(entry).collect::<Vec<_>>())
    }

    /// Reads pqlab's format `samples-csv`.
    fn pqlab_samples(&self) -> Result<Reading, String> {
        let mut reading = Reading::default();
        let (mut samples, mut unused) = (Vec::new(), 0);
        for row in 0..self.cells.len() {
            if self.text(row, "used") == "true" {
                samples.push((self.text(row, "id"), self.plain(row, "ns_per_operation")?));
            } else {
                unused += 1;
            }
        }
        for (id, samples) in gathered(samples) {
            reading.add(id, "ns", samples);
        }
        if unused > 0 {
            reading.notes.push(format!("{unused} samples of disturbed visits were left out"));
        }
        reading.notes.push("pqlab's own samples: `pqlab compare` gives more reliable intervals".into());
        Ok(reading)
    }

    /// Reads criterion's `raw.csv`.
    fn criterion(&self) -> Result<Reading, String> {
        let mut samples = Vec::new();
        for row in 0..self.cells.len() {
            let parts = ["group", "function", "value"].map(|name| self.text(row, name));
            let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
            let (time, iterations) = (self.plain(row, "sample_measured_value")?, self.plain(row, "iteration_count")?);
            if iterations <= 0.0 {
                return Err(format!("row {}: the iteration count is not positive", self.lines[row]));
            }
            let unit = self.text(row, "unit");
            samples.push(((name, unit::canonical(unit).unwrap_or("")), time / iterations));
        }
        let mut reading = Reading::default();
        for ((name, unit), samples) in gathered(samples) {
            reading.add(&name, unit, samples);
        }
        Ok(reading)
    }

    /// Removes the rows of operations that failed. Also removes the columns that show whether an operation succeeded,
    /// except the chosen column. Returns a note for each such column.
    fn remove_failed_rows(&mut self, chosen: Option<&str>) -> Vec<String> {
        let mut notes = Vec::new();
        for column in (0..self.names.len()).rev() {
            let name = self.names[column].clone();
            let bare: String = name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
            // A column of fractions holds measurement errors.
            let fractions = self.cells.iter().any(|row| match value(&row[column]) {
                Some((Number::Point(number), None)) => number.fract() != 0.0,
                other => other.is_some(),
            });
            if !self.headed || fractions || !OUTCOMES.contains(&bare.as_str()) || self.names.len() == 1 {
                continue;
            }
            let succeeded = |cell: &str| match parse(cell) {
                // Status codes of HTTP
                Some(Number::Point(code)) => {
                    code == 0.0 || bare.starts_with("status") && (200.0..300.0).contains(&code)
                }
                _ => is_missing(cell) || SUCCESSES.contains(&cell.to_lowercase().as_str()),
            };
            let kept: Vec<bool> = self.cells.iter().map(|row| succeeded(&row[column])).collect();
            let failed =
                self.cells.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(row, _)| shortened(&row[column]));
            let failed: Vec<String> = failed.collect();
            notes.push(match failed.len() {
                0 => format!("column {name:?} was left out, because it tells only that no row failed"),
                count => format!(
                    "{count} of {} rows failed and were left out: column {name:?} contains {}",
                    self.cells.len(),
                    listed(pqlab_analysis::distinct(failed))
                ),
            });
            let mut keep = kept.iter();
            self.cells.retain(|_| *keep.next().unwrap_or(&true));
            let mut keep = kept.iter();
            self.lines.retain(|_| *keep.next().unwrap_or(&true));
            if chosen != Some(name.as_str()) {
                self.names.remove(column);
                self.cells.iter_mut().for_each(|row| drop(row.remove(column)));
            }
        }
        notes
    }

    /// Reads a table that no known tool wrote.
    fn series(&self, column: Option<&str>) -> Result<Reading, String> {
        let mut reading = Reading::default();
        if self.cells.is_empty() {
            return Ok(reading);
        }
        let chosen = column.and_then(|name| self.place(name));
        let rows = self.cells.len();
        let numeric: Vec<usize> = (0..self.names.len())
            .map(|column| (0..rows).filter(|row| value(self.cell(*row, column)).is_some()).count())
            .collect();
        let lower: Vec<String> = self.names.iter().map(|name| name.trim().to_lowercase()).collect();
        let is = |column: usize, list: &[&str]| self.headed && list.contains(&lower[column].as_str());
        let empty = |column: usize| (0..rows).all(|row| self.cell(row, column).is_empty());
        let mut labels: Vec<usize> = (0..self.names.len())
            .filter(|column| is(*column, &LABELS) && numeric[*column] < rows && !empty(*column))
            .collect();
        let present: Vec<usize> = (0..self.names.len())
            .map(|column| (0..rows).filter(|row| !is_missing(self.cell(*row, column))).count())
            .collect();
        // A column that contains mostly numbers must contain only numbers.
        let mostly = |column: &usize| numeric[*column] > 0 && 2 * numeric[*column] >= present[*column];
        let mut values: Vec<usize> =
            (0..self.names.len()).filter(|column| !labels.contains(column) && mostly(column)).collect();
        let texts: Vec<usize> = (0..self.names.len())
            .filter(|column| !labels.contains(column) && !values.contains(column))
            .filter(|column| !empty(*column))
            .collect();
        // Row numbers and parameters are not samples, unless there are no other columns.
        let counters: Vec<usize> =
            values.iter().copied().filter(|column| is(*column, &COUNTERS) || self.counts(*column)).collect();
        let parameters: Vec<usize> = values
            .iter()
            .copied()
            .filter(|column| is(*column, &PARAMETERS))
            .filter(|column| !counters.contains(column))
            .collect();
        let aside =
            |column: &usize| (counters.contains(column) || parameters.contains(column)) && Some(*column) != chosen;
        let (mut ignored, mut varied) = (Vec::new(), Vec::new());
        if values.iter().any(|column| !aside(column)) {
            ignored = counters.into_iter().filter(|column| Some(*column) != chosen).collect();
            varied = parameters.into_iter().filter(|column| Some(*column) != chosen).collect();
            values.retain(|column| !ignored.contains(column) && !varied.contains(column));
        }
        if let Some(chosen) = chosen {
            values = vec![chosen];
            labels.retain(|column| *column != chosen);
        } else {
            let others: Vec<String> =
                texts.iter().chain(&ignored).map(|column| format!("{:?}", self.names[*column])).collect();
            if !others.is_empty() && !values.is_empty() {
                reading.notes.push(format!(
                    "{} columns were left out, because they contain text or row numbers: {}",
                    others.len(),
                    listed(others)
                ));
            }
            let named = |(column, name): &(usize, &String)| self.headed && !name.is_empty() && empty(*column);
            reading.notes.extend(
                self.names.iter().enumerate().filter(named).map(|(_, name)| format!("{name:?} has no samples")),
            );
            if let (true, Some(column)) = (values.is_empty(), texts.iter().chain(&labels).next()) {
                let text = (0..rows)
                    .map(|row| self.cell(row, *column))
                    .find(|text| !text.is_empty())
                    .map_or_else(String::new, shortened);
                reading.notes.push(format!("column {:?} contains text, such as \"{text}\"", self.names[*column]));
            }
        }
        let style = self.style(&values)?;
        if style == Style::Comma {
            reading.notes.push("commas read as decimal commas".to_owned());
        }
        let name = |row: usize| {
            let labels = labels.iter().map(|column| self.cell(row, *column).to_owned());
            let varied = varied.iter().map(|column| format!("[{}={}]", self.names[*column], self.cell(row, *column)));
            labels.chain(varied).collect::<Vec<_>>().join(" ")
        };
        let names: Vec<String> = (0..rows).map(name).collect();
        let grouped = !labels.is_empty() || !varied.is_empty();
        let (mut groups, mut single) = (0, 0);
        for &column in &values {
            let mut unit = unit::in_name(&self.names[column]).unwrap_or("");
            let mut samples = Vec::new();
            for (row, name) in names.iter().enumerate() {
                let (number, own) = self.number(row, column, style)?;
                let number = match own {
                    None => number,
                    Some(own) if row == 0 || unit.is_empty() && samples.is_empty() => {
                        unit = own;
                        number
                    }
                    Some(own) => unit::convert(number, own, unit)
                        .ok_or_else(|| format!("{}, which is not in {unit:?}", self.not_a_number(row, column)))?,
                };
                samples.push((name.as_str(), number));
            }
            for (name, samples) in gathered(samples) {
                let own = &self.names[column];
                let shown = if grouped { format!("{name}: {own}") } else { own.clone() };
                groups += 1;
                single += usize::from(samples.len() == 1);
                reading.add(&shown, unit, samples);
            }
        }
        if grouped && groups > 1 && groups == single {
            reading.notes.push(format!(
                "{groups} series of 1 sample each: the table has one row per name, so it contains results rather than \
                 repeated samples"
            ));
        }
        Ok(reading)
    }

    /// Returns whether a column numbers the rows: it has no unit and contains consecutive whole numbers from 0 or 1.
    fn counts(&self, column: usize) -> bool {
        let number = |row: usize| match parse(self.cell(row, column)) {
            Some(Number::Point(number)) => Some(number),
            _ => None,
        };
        let rows = self.cells.len();
        let start = number(0).filter(|start| *start == 0.0 || *start == 1.0);
        rows >= 3
            && unit::in_name(&self.names[column]).is_none()
            && start.is_some_and(|start| (0..rows).all(|row| number(row) == Some(start + row as f64)))
    }

    fn refuse_summaries(&self) -> Result<(), String> {
        let percentile = |name: &&String| PERCENTILES.iter().any(|part| name.to_lowercase().contains(part));
        if let Some(name) = self.names.iter().find(percentile).filter(|_| self.headed && self.names.len() > 1) {
            return Err(format!(
                "not samples: a table of percentiles (column {name:?}); export the samples, or choose a column with \
                 --column"
            ));
        }
        let summary = |name: &&String| {
            let lower = name.to_lowercase();
            lower.split(|letter: char| !letter.is_alphanumeric()).any(|word| STATISTICS.contains(&word))
        };
        let found: Vec<&String> = self.names.iter().filter(summary).collect();
        if self.headed && found.len() > 1 {
            return Err(format!(
                "not samples: a table of summaries (columns {}); export the samples, or choose a column with --column",
                listed(found)
            ));
        }
        Ok(())
    }

    /// Rejects a table without a header if its columns could be the parts of one number, such as 12,50 or 1,234.
    fn refuse_split_numbers(&self) -> Result<(), String> {
        let digits = |cell: &String| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
        let whole = |cell: &String| digits(&cell.trim_start_matches(['+', '-']).to_owned());
        let split = |row: &Vec<String>| whole(&row[0]) && row[1..].iter().all(digits);
        let three = |row: &Vec<String>| row[1..].iter().all(|cell| cell.len() == 3);
        let doubtful = match self.delimiter {
            ',' => self.cells.iter().all(split),
            ' ' => self.cells.iter().all(|row| split(row) && three(row)),
            _ => false,
        };
        if self.headed || self.names.len() < 2 || !doubtful {
            return Ok(());
        }
        let (first, separator) = (self.cells[0].join(&self.delimiter.to_string()), self.delimiter);
        let what = if separator == ',' { "decimal commas or thousands separators" } else { "thousands separators" };
        Err(format!(
            "line {}: {first:?} can mean {} columns or one number with {what}; add a row with the names of the \
             columns, or write decimal points",
            self.lines[0],
            self.names.len()
        ))
    }

    /// Determines the meaning of commas from all numbers in the selected columns.
    fn style(&self, values: &[usize]) -> Result<Style, String> {
        let (mut comma, mut point, mut unclear) = (None, None, None);
        for row in 0..self.cells.len() {
            for &column in values {
                let text = self.cell(row, column);
                let found = match value(text) {
                    Some((Number::Comma(_), _)) => &mut comma,
                    Some((Number::Ambiguous(_), _)) => &mut unclear,
                    Some((Number::Point(_), _)) if text.contains('.') => &mut point,
                    _ => continue,
                };
                found.get_or_insert((row, column));
            }
        }
        let at = |(row, column): (usize, usize)| format!("row {}: {:?}", self.lines[row], self.cell(row, column));
        match (comma, point, unclear) {
            (Some(comma), Some(point), _) => {
                Err(format!("mixes decimal commas ({}) and decimal points ({})", at(comma), at(point)))
            }
            (Some(_), None, _) => Ok(Style::Comma),
            (None, Some(_), _) | (None, None, None) => Ok(Style::Point),
            (None, None, Some(unclear)) => Err(format!(
                "{} has a decimal comma or a thousands separator; write decimal points and no thousands separators",
                at(unclear)
            )),
        }
    }

    fn number(&self, row: usize, column: usize, style: Style) -> Result<(f64, Option<&'static str>), String> {
        let (number, unit) = value(self.cell(row, column)).ok_or_else(|| self.not_a_number(row, column))?;
        let number = match (number, style) {
            (Number::Point(number) | Number::Comma(number), _) | (Number::Ambiguous(number), Style::Comma) => number,
            // The comma separates the thousands.
            (Number::Ambiguous(_), Style::Point) => {
                let digits = self.cell(row, column).replace(',', "");
                let number = value(&digits).ok_or_else(|| self.not_a_number(row, column))?;
                match number.0 {
                    Number::Point(number) | Number::Comma(number) | Number::Ambiguous(number) => number,
                }
            }
        };
        Ok((number, unit))
    }
}

/// Meaning of commas in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Commas separate thousands.
    Point,
    /// Commas are decimal commas.
    Comma,
}

/// Parses a number, with its unit if the cell contains one (`12.5 ms`).
fn value(cell: &str) -> Option<(Number, Option<&'static str>)> {
    if let Some(number) = parse(cell) {
        return Some((number, None));
    }
    let cell = cell.trim();
    let bare = cell.trim_end_matches(|letter: char| letter.is_alphabetic() || letter == '/');
    let unit = unit::canonical(&cell[bare.len()..])?;
    Some((parse(bare)?, Some(unit)))
}

/// Returns the first 40 characters of a cell, with control characters escaped.
fn shortened(cell: &str) -> String {
    cell.chars().take(40).flat_map(char::escape_debug).collect()
}

/// Blanks the lines that Google Benchmark writes before the header of its CSV, so that line numbers stay correct.
fn without_context(text: &str) -> Cow<'_, str> {
    let lines = text.lines().take_while(|line| !line.starts_with(GOOGLE_BENCHMARK)).count();
    let rest: Vec<&str> = text.split_inclusive('\n').skip(lines).collect();
    if lines == 0 || rest.is_empty() { Cow::Borrowed(text) } else { Cow::Owned("\n".repeat(lines) + &rest.concat()) }
}

/// Determines the separator between columns.
fn delimiter(body: &str) -> char {
    let lines: Vec<&str> = body.lines().filter(|line| !line.trim().is_empty()).collect();
    if let Some(found) = [';', '\t'].into_iter().find(|mark| lines.iter().all(|line| line.contains(*mark))) {
        return found;
    }
    if lines.iter().any(|line| line.contains(',')) {
        return ',';
    }
    let words = |line: &&str| line.split_whitespace().count();
    let columns = lines.first().map_or(0, words);
    let numbers = |line: &&str| line.split_whitespace().all(|word| value(word).is_some());
    let even = columns > 1 && lines.iter().all(|line| words(line) == columns);
    if even && lines.len() > 1 && lines[1..].iter().all(numbers) { ' ' } else { ',' }
}
