use super::columns::{Cell, lines, total_width};
use super::decomposition;
use super::environment::closing_with;
use super::ledger;
use super::line::{FAILED, NO_SAMPLES, failure};
use super::marks::{Mark, symbols};
use super::overview::overview;
use super::palette::{Palette, Role};
use super::scaling::scaling_tables;
use super::standing::{Standing, standings};
use super::text::neutral;
use crate::estimates::{Estimates, estimate};
use crate::number::{NONE, duration, grouped, percent, rate, significant, throughput};
use pqlab_record::{Record, Run, Status};

/// A run as tables, one for each area, the providers of a case side by side where the terminal is wide enough, below one
/// another with more figures where it is not. The harness floor closes it.
pub fn run_table(run: &Run, width: usize, palette: Palette) -> String {
    let mut out = heading(run, palette);
    let mut marks: Vec<Mark> = Vec::new();
    for area in run.areas() {
        let groups = groups(run, area);
        let measured = groups.iter().flat_map(|group| &group.rows);
        marks.extend(measured.filter_map(|row| Some(Mark::of(row.record, row.estimates.as_ref()?))).flatten());
        if area == "floor" {
            continue;
        }
        out.push_str(&format!("\n{}\n", palette.paint(Role::Strong, &neutral(area))));
        let rows = layout(&groups, width);
        for line in lines(&rows, width, palette) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out.push_str(&scaling_tables(run, width, palette));
    out.push_str(&decomposition::table(run, width, palette));
    out.push_str(&decomposition::stability(run, width, palette));
    out.push_str(&ledger::tables(run, width, palette));
    let failed: Vec<&Record> = run.records.iter().filter(|record| record.status == Status::Failed).collect();
    if !failed.is_empty() {
        out.push('\n');
        for record in failed {
            out.push_str(&format!("{}  {}\n", neutral(&record.case.id()), failure(record, palette)));
        }
    }
    if let Some(table) = overview(run, width, palette) {
        out.push_str(&format!("\n{table}"));
    }
    out + "\n" + &closing_with(run, marks, palette)
}

/// A case with its estimates, if it has any.
struct Row<'a> {
    record: &'a Record,
    estimates: Option<Estimates>,
    standing: Option<Standing>,
}

/// The rows of one algorithm and operation, a row for each provider.
struct Group<'a> {
    name: String,
    rows: Vec<Row<'a>>,
}

fn heading(run: &Run, palette: Palette) -> String {
    let header = &run.header;
    let state = match run.complete {
        true => "complete".to_owned(),
        false => format!("{} of {} cases", grouped(run.records.len() as u64), grouped(header.plan.len() as u64)),
    };
    let id = palette.paint(Role::Strong, &neutral(&header.id));
    format!("run {id}  suite {}  {}  {state}\n", neutral(&header.suite), neutral(&header.started_at))
}

/// Cases that differ in the provider alone stand together; those of one algorithm follow each other, all in the order in
/// which the plan names them first.
fn groups<'a>(run: &'a Run, area: &'a str) -> Vec<Group<'a>> {
    let mut algorithms: Vec<&str> = Vec::new();
    let mut groups: Vec<(usize, Group<'a>)> = Vec::new();
    for record in run.area(area) {
        let algorithm = record.case.algorithm.as_str();
        let rank = algorithms.iter().position(|known| *known == algorithm).unwrap_or_else(|| {
            algorithms.push(algorithm);
            algorithms.len() - 1
        });
        let row = Row { record, estimates: estimate(record, &run.header.protocol), standing: None };
        let name = record.case.name();
        match groups.iter_mut().find(|(_, group)| group.name == name) {
            Some((_, group)) => group.rows.push(row),
            None => groups.push((rank, Group { name, rows: vec![row] })),
        }
    }
    groups.sort_by_key(|(rank, _)| *rank);
    let mut groups: Vec<Group<'a>> = groups.into_iter().map(|(_, group)| group).collect();
    for group in &mut groups {
        // What does nothing is faster than all that do something.
        let competes = |row: &&Row<'_>| row.record.case.library() != "null";
        let all: Vec<Option<&Estimates>> =
            group.rows.iter().map(|row| Some(row).filter(competes).and_then(|row| row.estimates.as_ref())).collect();
        for (row, standing) in standings(&all).into_iter().enumerate() {
            group.rows[row].standing = standing;
        }
    }
    groups
}

/// The first of the layouts that fits the terminal; the last where none does, which the terminal then wraps.
fn layout(groups: &[Group<'_>], width: usize) -> Vec<Vec<Cell>> {
    let fits = |rows: &Vec<Vec<Cell>>| total_width(rows) <= width;
    let shared = groups.iter().any(|group| group.rows.len() > 1);
    // What is told of a byte has no room beside other providers.
    let of_bytes = groups.iter().flat_map(|group| &group.rows).any(|row| row.record.case.facts.bytes.is_some());
    if shared && of_bytes {
        return below_one_another(groups);
    }
    let wide = if shared { side_by_side(groups) } else { one_line_each(groups) };
    Some(wide).filter(fits).unwrap_or_else(|| below_one_another(groups))
}

/// A column for each provider and one that names the fastest.
fn side_by_side(groups: &[Group<'_>]) -> Vec<Vec<Cell>> {
    let mut providers: Vec<&str> = Vec::new();
    for row in groups.iter().flat_map(|group| &group.rows) {
        if !providers.contains(&row.record.case.provider.as_str()) {
            providers.push(&row.record.case.provider);
        }
    }
    let mut heading = vec![Cell::left("")];
    heading.extend(providers.iter().map(|provider| Cell::right(provider).role(Role::Faint)));
    heading.push(Cell::left("fastest").role(Role::Faint));
    let mut table = vec![heading];
    // Marks stand behind the right edge of the figures, so every figure of a column leaves the room that the widest takes.
    let room = |provider: &str| {
        let cells = groups.iter().flat_map(|group| &group.rows).filter(|row| row.record.case.provider == provider);
        cells.map(|row| marks(row).len()).max().unwrap_or(0)
    };
    let rooms: Vec<usize> = providers.iter().map(|provider| room(provider)).collect();
    for group in groups {
        let mut cells = vec![Cell::left(&format!("  {}", group.name))];
        for (provider, room) in providers.iter().zip(&rooms) {
            let row = group.rows.iter().find(|row| row.record.case.provider == *provider);
            cells.push(row.map_or(Cell::right(""), |row| short(row, *room)));
        }
        let leading = group.rows.iter().filter(|row| row.standing.is_some_and(Standing::leads));
        let names: Vec<&str> = leading.map(|row| row.record.case.provider.as_str()).collect();
        cells.push(Cell::left(&names.join(" or ")));
        table.push(cells);
    }
    table
}

/// The cell of a provider: median, half-width and marks.
fn short(row: &Row<'_>, room: usize) -> Cell {
    let Some(estimates) = &row.estimates else { return missing(row) };
    let (number, unit) = duration(estimates.median_ns.estimate);
    let marks = marks(row);
    let gap = if room > 0 { " " } else { "" };
    let cell = Cell::right(&format!("{number} {unit} ±{}{gap}{marks:<room$}", percent(estimates.half_width_pct())));
    if row.standing.is_some_and(Standing::leads) { cell.role(Role::Good) } else { cell }
}

/// A row for each case, with its name and provider.
fn one_line_each(groups: &[Group<'_>]) -> Vec<Vec<Cell>> {
    let rows = groups.iter().flat_map(|group| group.rows.iter().map(|row| (&group.name, row)));
    let cells = rows.map(|(name, row)| {
        let mut cells = vec![Cell::left(&format!("  {name}")), Cell::left(&row.record.case.provider)];
        cells.extend(full(row));
        cells
    });
    cells.collect()
}

/// A row for each case, under the name of its algorithm and operation.
fn below_one_another(groups: &[Group<'_>]) -> Vec<Vec<Cell>> {
    let mut table = Vec::new();
    for group in groups {
        table.push(vec![Cell::left(&format!("  {}", group.name))]);
        for row in &group.rows {
            let mut cells = vec![Cell::left(&format!("    {}", row.record.case.provider))];
            cells.extend(full(row));
            table.push(cells);
        }
    }
    table
}

fn full(row: &Row<'_>) -> Vec<Cell> {
    let Some(estimates) = &row.estimates else { return vec![missing(row)] };
    let operations = estimates.operations();
    let time = |nanoseconds: f64| {
        let (number, unit) = duration(nanoseconds);
        format!("{number} {unit}")
    };
    let p95 = operations.map_or(NONE.to_owned(), |operations| time(operations.p95));
    let variation = operations.and_then(|operations| operations.cov_pct).map_or(NONE.to_owned(), percent);
    let bytes = row.record.case.facts.bytes;
    let per_second = match estimates.bytes_per_second(bytes) {
        Some(value) => throughput(value),
        None => format!("{} op/s", estimates.operations_per_second().map_or(NONE.to_owned(), rate)),
    };
    let leads = row.standing.is_some_and(Standing::leads);
    let median = Cell::right(&time(estimates.median_ns.estimate));
    let mut cells = vec![
        if leads { median.role(Role::Good) } else { median },
        Cell::left(&format!("±{}", percent(estimates.half_width_pct()))),
        Cell::right(&format!("p95 {p95}")).spare(3),
        Cell::right(&format!("CoV {variation}")).spare(4),
        Cell::left(&marks(row)).role(Role::Doubtful),
        Cell::right(&per_second).spare(1),
    ];
    let per_byte = estimates.ticks_per_byte(bytes);
    let per_byte = per_byte.map(|ticks| format!("{} {}/B", significant(ticks), estimates.metric.unit()));
    cells.push(Cell::right(&per_byte.unwrap_or_default()).spare(2));
    cells.extend(row.standing.map(|standing| Cell::left(&standing.words())));
    cells
}

/// What stands in place of the figures.
fn missing(row: &Row<'_>) -> Cell {
    match row.record.status {
        Status::Ok => Cell::right(NO_SAMPLES),
        Status::Failed => Cell::right(FAILED).role(Role::Bad),
    }
}

fn marks(row: &Row<'_>) -> String {
    row.estimates.as_ref().map(|estimates| symbols(row.record, estimates)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::palette::tests::{COLOUR, stripped};
    use super::super::text::display_width;
    use super::*;
    use crate::fixtures;
    use pqlab_record::Disturbance;

    const CLOSING: &str = "7 cases: 6 measured, 1 failed
Example CPU @ 2.10GHz · 2 cores · KVM guest · governor performance · Debian 13 · kernel 6.12.1 · rustc 1.95.0 (release) \
· TSC at 2.10 GHz (not core cycles, core clock about 2.70 GHz)
harness floor 2.70 ns an operation (the null provider through the same calls)
";

    #[test]
    fn providers_stand_side_by_side() {
        let wanted = "run 20261121T185800-k3f9  suite standard  2026-11-21T18:58:00Z  complete

kem
                                 liboqs         aws-lc  openssl  fastest
  ML-KEM-768 encapsulate  10.4 µs ±0.2%  12.9 µs ±0.2%   FAILED  liboqs

signature
  ML-DSA-65 verify
    aws-lc        45.4 µs  ±0.2%  p95 45.9 µs  CoV 1.1%  22,022 op/s
  ML-DSA-65 verify[encoded,len=1024,deterministic,regime=disk]
    libcrux:avx2  46.9 µs  ±0.2%  p95 47.4 µs  CoV 1.1%  21,317 op/s

hash
  SHA3-256 digest[len=64]  openssl  200 ns  ±0.2%  p95 -  CoV -  320 MB/s  6.56 TSC ticks/B

kem/ML-KEM-768/encapsulate@openssl  FAILED  decapsulation gave another secret

";
        assert_eq!(run_table(&fixtures::run(), 100, Palette::PLAIN), format!("{wanted}{CLOSING}"));
    }

    #[test]
    fn a_narrow_terminal_has_them_below_one_another() {
        let text = run_table(&fixtures::run(), 70, Palette::PLAIN);
        let wanted = "
kem
  ML-KEM-768 encapsulate
    liboqs   10.4 µs  ±0.2%  p95 10.5 µs  96,134 op/s  fastest
    aws-lc   12.9 µs  ±0.2%  p95 13.0 µs  77,502 op/s  1.24× the time
    openssl   FAILED

";
        assert!(text.contains(wanted), "{text}");
        assert!(text.ends_with(CLOSING));
        let tables = text.split("\nkem/").next().unwrap();
        let fits = |line: &str| display_width(line) <= 70 || line.starts_with("run ");
        assert!(tables.lines().all(fits), "{tables}");
    }

    #[test]
    fn colour_adds_nothing_to_read() {
        for width in [70, 100, 140] {
            let coloured = run_table(&fixtures::run(), width, COLOUR);
            assert_eq!(stripped(&coloured), run_table(&fixtures::run(), width, Palette::PLAIN));
        }
    }

    #[test]
    fn marks_keep_the_figures_in_line() {
        let mut run = fixtures::run();
        run.complete = false;
        let mut other = run.records[0].clone();
        other.case.operation = "keygen".to_owned();
        other.precision_reached = false;
        other.samples.visits.iter_mut().for_each(|visit| visit.disturbances = vec![Disturbance::Steal { pct: 3.0 }]);
        run.records.insert(2, other);
        let text = run_table(&run, 100, Palette::PLAIN);
        let wanted = "
                                    liboqs         aws-lc  openssl  fastest
  ML-KEM-768 encapsulate  10.4 µs ±0.2%     12.9 µs ±0.2%   FAILED  liboqs
  ML-KEM-768 keygen       10.4 µs ±0.2% !?
";
        assert!(text.contains(wanted), "{text}");
        assert!(text.starts_with("run 20261121T185800-k3f9  suite standard  2026-11-21T18:58:00Z  8 of 7 cases\n"));
        assert!(text.contains("1 contended, 1 imprecise\n! contended") && text.contains("\n? the target precision"));
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        let mut run = fixtures::run();
        for record in &mut run.records {
            record.case.algorithm = fixtures::HOSTILE.to_owned();
            record.case.workload = fixtures::HOSTILE.to_owned();
            record.case.provider = fixtures::HOSTILE.to_owned();
            record.error = record.error.as_ref().map(|_| fixtures::HOSTILE.to_owned());
        }
        run.header.suite = fixtures::HOSTILE.to_owned();
        for width in [40, 400] {
            let text = run_table(&run, width, Palette::PLAIN);
            assert!(!text.chars().any(|character| character != '\n' && character.is_control()));
        }
    }

    #[test]
    fn what_does_nothing_does_not_compete() {
        let mut run = fixtures::run();
        let mut null = run.records[0].clone();
        null.case.provider = "null".to_owned();
        null.samples = fixtures::samples(0.01, 16);
        run.records.push(null);
        let text = run_table(&run, 100, Palette::PLAIN);
        assert!(text.contains("10.0 ns ±0.2%  liboqs\n"), "{text}");
    }
}
