//! Reads tables: CSV with commas, semicolons or tabs, and columns separated by spaces.

mod columns;

use super::number::{Number, is_missing, parse};
use super::reading::{Column, Reading, listed};
use super::tools::google_benchmark;
use super::unit::{self, Stated};
use columns::Role;
use pqlab_analysis::gathered;
use pqlab_stats::Load;
use std::borrow::Cow;
use std::collections::HashMap;

/// Contents of a table: samples, or throughput under load.
pub(super) enum Table {
    Series(Reading),
    /// The loads, and notes for the user.
    Loads(Vec<Load>, Vec<String>),
}

/// Names of the columns in a table of throughput under load.
const LOAD_COLUMNS: [&str; 3] = ["concurrency", "operations", "seconds"];

/// Note on decimal commas.
const DECIMAL_COMMAS: &str = "read commas as decimal commas";

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

/// Parts of the names of columns that contain percentiles.
const PERCENTILES: [&str; 3] = ["percentile", "quantile", "percentage served"];

/// Start of the header line in Google Benchmark's CSV.
const GOOGLE_BENCHMARK: &str = "name,iterations,real_time,";

/// Reads a table. If `column` is given, reads only this column or, if a known tool wrote the table, only
/// the series with this name. If the table has no header and only one column, `stem` is the column's name.
pub(super) fn read(text: &str, column: Option<Column<'_>>, stem: &str) -> Result<Table, String> {
    let mut sheet = Sheet::parse(&without_context(text), stem)?;
    if sheet.cells.is_empty() {
        let why = match sheet.headed {
            true => format!("no row below the header ({})", listed(sheet.names.iter().map(|name| format!("{name:?}")))),
            false => "no rows".to_owned(),
        };
        return Ok(Table::Series(Reading { notes: vec![why], ..Reading::default() }));
    }
    if let (None, Some(columns)) = (column, sheet.load_columns()) {
        return sheet.loads(columns);
    }
    let mut reading = match sheet.known_tool()? {
        Some(mut reading) => {
            reading.select(column)?;
            reading
        }
        None => {
            let known = column.and_then(|column| Some(sheet.names[column.place(&sheet.names)?].clone()));
            let known = known.as_deref();
            let mut notes = sheet.remove_failed_rows(known);
            if known.is_none() {
                sheet.refuse_summaries()?;
                sheet.refuse_split_numbers()?;
            }
            notes.extend(sheet.remove_other_phases(known));
            let mut reading = sheet.series(known)?;
            reading.notes.extend(notes);
            if let (None, Some(column)) = (known, column) {
                reading.number_repeated_names();
                if column.place(reading.series.iter().map(|one| &one.name)).is_none() {
                    let name = column.name;
                    let all = reading.series.iter().map(|one| &one.name).filter(|name| sheet.place(name).is_none());
                    let available: Vec<&String> = sheet.names.iter().chain(all).collect();
                    return Err(format!("contains no column {name:?}; available: {}", listed(available)));
                }
                reading.select(Some(column))?;
            }
            reading
        }
    };
    if sheet.comments > 0 {
        reading.notes.push(format!("left out comment lines ({})", sheet.comments));
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
        let comment = |line: &&str| {
            ["#", "%", "//"].iter().any(|mark| line.trim_start().starts_with(mark)) && !begins_with_error(line)
        };
        let head = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
        // A bare "#" or "%" can be the name of a column.
        let names_rows =
            [',', ';', '\t'].iter().any(|mark| head.starts_with(['#', '%']) && head[1..].starts_with(*mark));
        let comments = if names_rows { 0 } else { text.lines().filter(comment).count() };
        let body: String = text
            .lines()
            .map(|line| if comments > 0 && comment(&line) { "\n".to_owned() } else { format!("{line}\n") })
            .collect();
        let delimiter = directive.unwrap_or_else(|| delimiter(&body));
        let body = if delimiter == ' ' {
            body.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
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
            (true, _) => {
                let is_empty = |place: usize| sheet.cells.iter().all(|row| row[place].is_empty());
                let name = |(place, name): (usize, String)| match place {
                    1.. if name.is_empty() && !is_empty(place) => format!("column {}", place + 1),
                    // The row numbers of pandas have no name.
                    _ => name,
                };
                first.into_iter().enumerate().map(name).collect()
            }
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
        let one = |cells: &Vec<String>| cells.len() > 1 && value(&cells.join(",")).is_some();
        let doubtful = |cells: &Vec<String>| split(cells) || one(cells);
        let comma = self.delimiter == ',' && (doubtful(cells) || doubtful(&self.cells[0]));
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

    fn without_unit(&self, row: usize, column: usize) -> String {
        let (line, name, text) = (self.lines[row], &self.names[column], self.cell(row, column));
        format!(
            "row {line}, column {name:?}: only some samples have a unit, up to {text:?}; write the unit in all rows, or in \
             the name of the column"
        )
    }

    fn in_other_unit(&self, row: usize, column: usize, stated: &str) -> String {
        let (line, name, text) = (self.lines[row], &self.names[column], self.cell(row, column));
        format!(
            "row {line}, column {name:?}: {text:?} contradicts {stated:?}, the unit in the name; correct one of them"
        )
    }

    fn contradicted(&self, row: usize, column: usize, unit: &str) -> String {
        let (line, name) = (self.lines[row], &self.names[column]);
        format!(
            "row {line}: the name of column {name:?} contradicts the unit {unit:?} in the same row; correct one of them"
        )
    }

    fn not_in_unit(&self, row: usize, column: usize, unit: &str) -> String {
        let (line, name, text) = (self.lines[row], &self.names[column], self.cell(row, column));
        format!("row {line}, column {name:?}: {text:?} cannot be converted to {unit:?}, the unit of the first sample")
    }

    /// Returns the columns of a table of throughput under load.
    fn load_columns(&self) -> Option<[usize; 3]> {
        match LOAD_COLUMNS.map(|name| self.place(name)) {
            [Some(concurrency), Some(operations), Some(seconds)] => Some([concurrency, operations, seconds]),
            _ => None,
        }
    }

    /// Reads a table of throughput under load, without failed rows. Rejects the table if other columns divide the rows,
    /// because the loads of different operations do not form a curve.
    fn loads(&mut self, columns: [usize; 3]) -> Result<Table, String> {
        let mut notes = self.remove_failed_rows(None);
        notes.extend(self.remove_other_phases(None));
        if self.comments > 0 {
            notes.push(format!("left out comment lines ({})", self.comments));
        }
        if self.cells.is_empty() {
            return Ok(Table::Series(Reading { notes, ..Reading::default() }));
        }
        let columns = self.load_columns().unwrap_or(columns);
        let others = (0..self.names.len()).filter(|column| !columns.contains(column));
        let (dividing, others): (Vec<usize>, Vec<usize>) = others.partition(|column| self.divides(*column, columns[0]));
        if let Some(column) = dividing.first() {
            let cells: Vec<String> = (0..self.cells.len()).map(|row| shortened(self.cell(row, *column))).collect();
            return Err(format!(
                "throughput of several operations: column {:?} contains {}; write a file for each of them",
                self.names[*column],
                listed(pqlab_analysis::distinct(cells))
            ));
        }
        if !others.is_empty() {
            let names = others.iter().map(|column| format!("{:?}", self.names[*column]));
            notes.push(format!("left out columns ({}): {}", others.len(), listed(names)));
        }
        let style = self.style(&columns)?;
        if style == Style::Comma {
            notes.push(DECIMAL_COMMAS.to_owned());
        }
        let [concurrency, operations, seconds] = columns;
        let count = |row: usize, column: usize| {
            let (number, _) = self.number(row, column, style)?;
            if number >= 1.0 && number.fract() == 0.0 && number < 1e15 {
                Ok(number as u64)
            } else {
                Err(format!("row {}: {number} is not a positive whole number", self.lines[row]))
            }
        };
        let load = |row: usize| {
            let (concurrency, operations) = (count(row, concurrency)?, count(row, operations)?);
            match self.number(row, seconds, style)? {
                (number, None | Some("s")) if number > 0.0 => Ok(Load { concurrency, operations, seconds: number }),
                (_, Some(unit)) => Err(format!("row {}: expected seconds, not {unit}", self.lines[row])),
                _ => Err(format!("row {}: the seconds are not positive", self.lines[row])),
            }
        };
        let loads: Result<Vec<Load>, String> = (0..self.cells.len()).map(load).collect();
        Ok(Table::Loads(loads?, notes))
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
        if all(&["title", "name", "unit", "batch", "elapsed"]) {
            return Err("not samples: nanobench's table of summaries; write the \"elapsed\" of each of the \
                        \"measurements\" in its JSON as a list: [1.2, 1.3]"
                .into());
        }
        if all(&["Group", "Experiment", "Iterations", "Baseline"]) {
            return Err("not samples: Celero's table of summaries; write the samples as a list: [1.2, 1.3]".into());
        }
        if all(&["name", "iterations", "real_time", "time_unit"]) {
            return self.google_benchmark().map(Some);
        }
        if all(&["Target_Method", "Measurement_Nanoseconds", "Measurement_Operations"]) {
            return self.benchmark_dot_net().map(Some);
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
                unit: Some(text("time_unit")),
            }
        };
        google_benchmark::collect(&(0..self.cells.len()).map(entry).collect::<Vec<_>>())
    }

    /// Reads BenchmarkDotNet's `*-measurements.csv`. Each row contains the time of several operations. The samples come
    /// from the rows in stage `Result`, from which BenchmarkDotNet has subtracted its overhead. If there are none, they
    /// come from the workload rows in stage `Actual`.
    fn benchmark_dot_net(&self) -> Result<Reading, String> {
        let mut reading = Reading::default();
        let stage = |row: usize| self.text(row, "Measurement_IterationStage");
        let is_workload = |row: usize| !self.text(row, "Measurement_IterationMode").starts_with("Overhead");
        let rows = 0..self.cells.len();
        let wanted = if rows.clone().any(|row| stage(row) == "Result") { "Result" } else { "Actual" };
        let mut samples = Vec::new();
        for row in rows.clone().filter(|row| is_workload(*row) && stage(*row) == wanted) {
            let parts = ["Target_Type", "Target_Method", "Params"].map(|name| self.text(row, name));
            let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
            let time = self.plain(row, "Measurement_Nanoseconds")?;
            let operations = self.plain(row, "Measurement_Operations")?;
            if operations <= 0.0 {
                return Err(format!("row {}: the number of operations is not positive", self.lines[row]));
            }
            samples.push((name, time / operations));
        }
        if samples.len() < rows.len() {
            let others = rows.len() - samples.len();
            let all = rows.len();
            let note = format!("left out rows other than workload rows in stage {wanted} ({others} of {all})");
            reading.notes.push(note);
        }
        for (name, samples) in gathered(samples) {
            reading.add(&name, "ns", samples);
        }
        Ok(reading)
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
            reading.notes.push(format!("left out samples of disturbed visits ({unused})"));
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
            samples.push(((name, self.text(row, "unit")), time / iterations));
        }
        let mut reading = Reading::default();
        for ((name, text), samples) in gathered(samples) {
            let unit = unit::canonical(text);
            reading.add(&name, unit.unwrap_or(""), samples);
            if let (None, Some(added)) = (unit, reading.series.last()) {
                reading.unknown_units.push((added.name.clone(), text.to_owned()));
                reading
                    .notes
                    .push(format!("{name:?}: {text:?} is not understood as a unit, so the samples have no unit"));
            }
        }
        Ok(reading)
    }

    /// Reads a table that no known tool wrote.
    fn series(&self, column: Option<&str>) -> Result<Reading, String> {
        let mut reading = Reading::default();
        if self.cells.is_empty() {
            return Ok(reading);
        }
        let chosen = column.and_then(|name| self.place(name));
        let roles = self.roles();
        let with =
            |role: Role| roles.iter().enumerate().filter(move |(_, found)| **found == role).map(|(place, _)| place);
        let but_chosen = |columns: Vec<usize>| -> Vec<usize> {
            columns.into_iter().filter(|column| Some(*column) != chosen).collect()
        };
        let labels = but_chosen(with(Role::Label).collect());
        let varied = but_chosen(with(Role::Parameter).collect());
        let units = with(Role::Unit).next();
        let values = chosen.map_or_else(|| with(Role::Value).collect(), |chosen| vec![chosen]);
        if chosen.is_none() {
            reading.notes.extend(self.notes(&roles));
        }
        let style = self.style(&values)?;
        if style == Style::Comma {
            reading.notes.push(DECIMAL_COMMAS.to_owned());
        }
        let name = |row: usize| {
            let labels = labels.iter().map(|column| self.cell(row, *column).to_owned()).filter(|cell| !cell.is_empty());
            let varied = varied.iter().map(|column| format!("[{}={}]", self.names[*column], self.cell(row, *column)));
            labels.chain(varied).collect::<Vec<_>>().join(" ")
        };
        let names: Vec<String> = (0..self.cells.len()).map(name).collect();
        let grouped = !labels.is_empty() || !varied.is_empty();
        // A column of units that belongs to no column without a unit must agree with the others.
        let states_none = |column: usize| unit::stated(&self.names[column]) == Stated::Nothing;
        let units_are_free = !with(Role::Value).chain(chosen).any(states_none);
        let mut unused: Vec<(usize, String)> = Vec::new();
        let (mut groups, mut single) = (0, 0);
        let mut unknown: Vec<(usize, String)> = Vec::new();
        for &column in &values {
            let of_column = unit::stated(&self.names[column]);
            // The samples of a series are in the unit of its first sample.
            let mut of_series: HashMap<&str, &'static str> = HashMap::new();
            let mut not_understood: HashMap<&str, String> = HashMap::new();
            let mut samples = Vec::new();
            for (row, name) in names.iter().enumerate() {
                let (number, own) = self.number(row, column, style)?;
                let of_row = || units.map(|units| self.cell(row, units)).filter(|cell| !cell.is_empty());
                if let (Some(text), true, Stated::Known(unit)) = (of_row(), units_are_free, &of_column)
                    && unit::canonical(text) != Some(unit)
                {
                    if unit::canonical(text).is_some_and(|other| unit::quantity(other) == unit::quantity(unit)) {
                        return Err(self.contradicted(row, column, text));
                    }
                    unused.push((column, text.to_owned()));
                }
                let own = match (own, &of_column) {
                    (Some(own), Stated::Known(unit)) if own != *unit => {
                        return Err(self.in_other_unit(row, column, unit));
                    }
                    (Some(_), Stated::Unknown(text)) => return Err(self.in_other_unit(row, column, text)),
                    (Some(own), _) => own,
                    (None, Stated::Known(unit)) => unit,
                    (None, Stated::Unknown(text)) => {
                        not_understood.entry(name).or_insert_with(|| text.clone());
                        ""
                    }
                    (None, Stated::Nothing) => of_row().map_or("", |text| {
                        unit::canonical(text).unwrap_or_else(|| {
                            not_understood.entry(name).or_insert_with(|| text.to_owned());
                            ""
                        })
                    }),
                };
                let unit = *of_series.entry(name).or_insert(own);
                let number = match own {
                    own if own.is_empty() != unit.is_empty() => return Err(self.without_unit(row, column)),
                    "" => number,
                    own => unit::convert(number, own, unit).ok_or_else(|| self.not_in_unit(row, column, unit))?,
                };
                samples.push((name.as_str(), number));
            }
            for (name, samples) in gathered(samples) {
                let own = &self.names[column];
                let shown = if grouped { format!("{name}: {own}") } else { own.clone() };
                let unit = of_series.get(name).copied().unwrap_or("");
                groups += 1;
                single += usize::from(samples.len() == 1);
                reading.add(&shown, unit, samples);
                if let (Some(text), Some(added)) = (not_understood.get(name), reading.series.last()) {
                    reading.unknown_units.push((added.name.clone(), text.clone()));
                    unknown.push((column, text.clone()));
                }
            }
        }
        for (column, text) in pqlab_analysis::distinct(unused) {
            let (name, text) = (&self.names[column], shortened(&text));
            reading.notes.push(format!("did not apply {text:?} to column {name:?}, whose name states a unit"));
        }
        for (column, text) in pqlab_analysis::distinct(unknown) {
            reading.notes.push(format!(
                "column {:?}: {:?} is not understood as a unit, so the samples have no unit",
                self.names[column],
                shortened(&text)
            ));
        }
        if grouped && groups > 1 && groups == single {
            reading.notes.push(format!(
                "{groups} series of 1 sample each: the table has one row per name, so it contains results rather than \
                 repeated samples"
            ));
        }
        Ok(reading)
    }

    /// Returns notes on the columns that contain no samples.
    fn notes(&self, roles: &[Role]) -> Vec<String> {
        let with = |role: Role| (0..roles.len()).filter(move |column| roles[*column] == role);
        let quoted = |column: usize| format!("{:?}", self.names[column]);
        let mut notes = Vec::new();
        let aside = [Role::Counter, Role::Moment, Role::Remark];
        // The first column of units applies to the samples.
        let units = with(Role::Unit).skip(1);
        let others: Vec<String> = aside.into_iter().flat_map(with).chain(units).map(quoted).collect();
        let values = roles.contains(&Role::Value);
        if values && !others.is_empty() {
            notes.push(format!("left out columns with remarks, dates or row numbers: {}", listed(others)));
        }
        let constant = |column: usize| format!("{} is {:?}", quoted(column), shortened(self.cell(0, column)));
        let constants: Vec<String> = with(Role::Constant).map(constant).collect();
        if values && !constants.is_empty() {
            notes.push(format!("columns with the same value in all rows: {}", listed(constants)));
        }
        let percentages: Vec<String> = with(Role::Percentage).map(quoted).collect();
        if !percentages.is_empty() {
            notes.push(format!("left out columns of percentages: {}", listed(percentages)));
        }
        let dividing: Vec<String> =
            with(Role::Parameter).filter(|column| !self.is_named_parameter(*column)).map(quoted).collect();
        if values && !dividing.is_empty() {
            notes.push(format!(
                "columns of numbers that repeat equally often, so that they divide the rows into series: {}; to read one \
                 as samples, choose it with --column",
                listed(dividing)
            ));
        }
        let named = with(Role::Empty).filter(|column| self.headed && !self.names[*column].is_empty());
        notes.extend(named.map(|column| format!("{} has no samples", quoted(column))));
        let texts = [Role::Moment, Role::Remark, Role::Constant, Role::Label, Role::Unit, Role::Counter];
        if let (false, Some(column)) = (values, texts.into_iter().flat_map(with).next()) {
            let cells = (0..self.cells.len()).map(|row| self.cell(row, column));
            let example = cells.into_iter().find(|cell| !cell.is_empty()).map_or_else(String::new, shortened);
            let what = match roles[column] {
                Role::Moment => "points in time",
                Role::Counter => "row numbers",
                _ => "text",
            };
            notes.push(format!("column {} contains {what}, such as \"{example}\"", quoted(column)));
        }
        notes
    }

    fn refuse_summaries(&self) -> Result<(), String> {
        let percentile = |name: &&String| PERCENTILES.iter().any(|part| name.to_lowercase().contains(part));
        if let Some(name) = self.names.iter().find(percentile).filter(|_| self.headed && self.names.len() > 1) {
            return Err(format!(
                "not samples: a table of percentiles (column {name:?}); export the samples, or choose a column with \
                 --column"
            ));
        }
        if let Some(column) = (0..self.names.len()).find(|column| self.describes(*column)) {
            return Err(format!(
                "not samples: the summary that pandas' describe() returns (column {:?}); export the data itself with \
                 to_csv()",
                self.names[column]
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
        let one = |row: &Vec<String>| value(&row.join(&self.delimiter.to_string())).is_some();
        let doubtful = match self.delimiter {
            ',' => self.cells.iter().all(|row| split(row) || one(row)),
            ' ' => self.cells.iter().all(|row| split(row) && three(row) || one(row)),
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

/// Returns whether the first cell of a line is a spreadsheet's word for an error, such as `#N/A` or `#DIV/0!`.
fn begins_with_error(line: &str) -> bool {
    let cell = line.split([',', ';', '\t']).next().unwrap_or("").trim().trim_matches('"');
    let Some(word) = cell.strip_prefix('#') else { return false };
    let ends = word.strip_suffix(['!', '?']);
    let capitals = |text: &str| {
        text.starts_with(|letter: char| letter.is_ascii_uppercase())
            && text.chars().all(|letter| letter.is_uppercase() || letter.is_ascii_digit() || letter == '/')
    };
    ["N/A", "NV"].contains(&word) || ends.is_some_and(capitals)
}

/// Determines the separator between columns. No-break spaces are parts of numbers.
fn delimiter(body: &str) -> char {
    let lines: Vec<&str> = body.lines().filter(|line| !line.trim().is_empty()).collect();
    if let Some(found) = [';', '\t'].into_iter().find(|mark| lines.iter().all(|line| line.contains(*mark))) {
        return found;
    }
    if lines.iter().any(|line| line.contains(',')) {
        return ',';
    }
    let words = |line: &&str| line.split_ascii_whitespace().count();
    let columns = lines.first().map_or(0, words);
    let numbers = |line: &&str| line.split_ascii_whitespace().all(|word| value(word).is_some());
    let even = columns > 1 && lines.iter().all(|line| words(line) == columns);
    if even && lines.len() > 1 && lines[1..].iter().all(numbers) { ' ' } else { ',' }
}
