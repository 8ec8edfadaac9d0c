use super::closing::closing;
use super::columns::{Cell, GAP, fitted, total_width};
use super::line::{FAILED, NO_SAMPLES, failure};
use super::palette::{Palette, TextStyle};
use super::tables::tables;
use super::text::{below, wrapped};
use crate::width::display_width;
use pqlab_analysis::comparison::{NotRanked, Standing};
use pqlab_analysis::estimates::scaled;
use pqlab_analysis::number::{
    NONE, grouped, known_count, known_rate, known_time, percent, significant, throughput_within,
};
use pqlab_analysis::tables::Table;
use pqlab_analysis::text::neutral;
use pqlab_analysis::trust::trust_sentence;
use pqlab_analysis::{CaseAnalysis, Group, RunAnalysis};
use pqlab_record::{CyclesSource, Statistic, Status};
use pqlab_stats::Interval;

/// Formats a run. The first lines name the run and give its typical uncertainty. A table for each area follows, with
/// one row per provider of an operation, and the given tables of [several cases](pqlab_analysis::tables). The last
/// lines explain notes and signs, and describe the environment and the measurement overhead.
pub fn run_table(analysis: &RunAnalysis<'_>, several: &[Table], width: usize, palette: Palette) -> String {
    let mut out = heading(analysis, palette);
    if let Some(sentence) = trust_sentence(analysis) {
        wrapped(&sentence, width).iter().for_each(|line| out.push_str(&format!("{line}\n")));
    }
    for area in analysis.areas() {
        out.push('\n');
        let rows = layout(analysis, area, &analysis.groups(area), width);
        let (lines, left_out) = fitted(&rows, width, palette);
        lines.iter().for_each(|line| out.push_str(&format!("{line}\n")));
        let names: Vec<&str> =
            left_out.iter().filter_map(|place| SPARED.get(place.checked_sub(SPARED_FROM)?)).copied().collect();
        if !names.is_empty() {
            let text = format!("no room for: {}", names.join(", "));
            wrapped(&text, width).iter().for_each(|line| out.push_str(&(palette.paint(TextStyle::Faint, line) + "\n")));
        }
    }
    out.push_str(&tables(several, width, palette));
    out.push_str(&failed_lines(analysis, palette));
    out + "\n" + &closing(analysis, palette)
}

/// Returns an empty line, followed by a line for each failed case with the reason. Returns an empty string if no case
/// failed.
pub(super) fn failed_lines(analysis: &RunAnalysis<'_>, palette: Palette) -> String {
    let failed = analysis.cases().iter().filter(|case| case.failed());
    let line = |case: &CaseAnalysis<'_>| format!("{}  {}\n", neutral(&case.case().id()), failure(case.record, palette));
    let lines: String = failed.map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// Returns the name of a case's provider. Appends its language if the run measured programs in other languages.
pub(super) fn provider_name(analysis: &RunAnalysis<'_>, case: &CaseAnalysis<'_>) -> String {
    let provider = &case.case().provider;
    if analysis.has_workers() { analysis.language(provider).label(provider) } else { provider.clone() }
}

/// Returns the first line of the output: the run, its suite, its start, and whether it is complete.
pub(super) fn heading(analysis: &RunAnalysis<'_>, palette: Palette) -> String {
    let run = analysis.run;
    let header = &run.header;
    let state = match run.complete {
        true => "complete".to_owned(),
        false => {
            let (finished, planned) = run.progress();
            format!("{} of {} cases", grouped(finished as u64), grouped(planned as u64))
        }
    };
    let id = palette.paint(TextStyle::Strong, &neutral(&header.id));
    format!("run {id}  suite {}  {}  {state}\n", neutral(&header.suite), neutral(&header.started_at))
}

/// Returns a row for each case, below a heading with the name of its algorithm and operation. A note is at the end of
/// its row if it fits, otherwise below the row.
fn layout(analysis: &RunAnalysis<'_>, title: &str, groups: &[Group<'_, '_>], width: usize) -> Vec<Vec<Cell>> {
    let measured = || groups.iter().flat_map(|group| &group.cases).filter_map(|row| row.estimates.as_ref());
    let cycles = || measured().filter_map(|estimates| estimates.cycles);
    let mut estimated = cycles().map(|cycles| cycles.source == CyclesSource::Estimated);
    let all_estimated = estimated.all(|estimated| estimated);
    let heading = |text: &str| Cell::right(text).role(TextStyle::Faint);
    let has_bytes = measured().zip(groups.iter().flat_map(|group| &group.cases)).any(|(_, row)| row.bytes().is_some());
    let mut table = vec![vec![
        Cell::left(title).role(TextStyle::Strong),
        heading("time"),
        Cell::default(),
        heading(if cycles().next().is_none() {
            ""
        } else if all_estimated {
            "≈cycles"
        } else {
            "cycles"
        }),
        Cell::default(),
        heading(if has_bytes && cycles().next().is_some() { "per byte" } else { "" }),
        heading("mean"),
        heading("rate"),
        heading("n"),
        Cell::default(),
    ]];
    let mut notes = vec![String::new()];
    for group in groups {
        let by_mean = group.cases.iter().any(|row| row.case().repeats_by_chance());
        table.push(vec![Cell::left(&format!("  {}{}", group.job, if by_mean { "  (mean)" } else { "" }))]);
        notes.push(String::new());
        for row in &group.cases {
            table.push(cells(row, &provider_name(analysis, row), analysis.standing(row), all_estimated));
            notes.push(row.estimates.as_ref().map(|_| row.caveats.notes_text()).unwrap_or_default());
        }
    }
    let room = width.saturating_sub(total_width(&table) + GAP);
    let mut out = Vec::new();
    for (mut cells, note) in table.into_iter().zip(notes) {
        let doubtful = |text: &str| Cell::left(text).role(TextStyle::Warning);
        if note.is_empty() {
            out.push(cells);
        } else if display_width(&note) <= room {
            cells.resize(COLUMNS, Cell::default());
            cells.push(doubtful(&note));
            out.push(cells);
        } else {
            out.push(cells);
            out.extend(below(&note, width).iter().map(|line| vec![doubtful(line)]));
        }
    }
    out
}

/// Number of columns before the notes.
const COLUMNS: usize = 10;
/// Descriptions of the columns that a narrow terminal may omit.
const SPARED: [&str; 5] = ["per byte", "mean", "rate", "n", "rank among the libraries"];
/// Index of the first column that a narrow terminal may omit.
const SPARED_FROM: usize = 5;

fn cells(row: &CaseAnalysis<'_>, provider: &str, standing: Option<Standing>, all_estimated: bool) -> Vec<Cell> {
    let provider = Cell::left(&format!("    {provider}"));
    let Some(estimates) = &row.estimates else { return vec![provider, missing(row)] };
    let half_width = |interval: &Interval| Cell::left(&format!("±{}", percent(interval.half_width_pct())));
    let per_second = match estimates.bytes_per_second(row.bytes()) {
        Some(value) => throughput_within(&value),
        None => {
            let unit = |unit| if unit == "op/s" { "/s" } else { " tx/s" };
            row.rate().map_or(NONE.to_owned(), |(rate, name)| format!("{}{}", short_rate(&rate), unit(name)))
        }
    };
    let leads = standing.is_some_and(Standing::leads);
    let headline = estimates.headline_ns();
    let time = Cell::right(&known_time(&headline));
    let cycles = estimates.cycles.as_ref();
    let shown = cycles.map(|cycles| {
        let text = known_count(&cycles.headline());
        let estimated = cycles.source == CyclesSource::Estimated && !all_estimated;
        if estimated && !text.starts_with('≈') { format!("≈{text}") } else { text }
    });
    let per_byte = estimates.cycles_per_byte(row.bytes()).map(significant);
    vec![
        provider,
        if leads { time.role(TextStyle::Good) } else { time },
        half_width(&headline),
        Cell::right(&shown.unwrap_or_default()),
        cycles.map_or(Cell::default(), |cycles| half_width(&cycles.headline())),
        Cell::right(&per_byte.unwrap_or_default()).spare(3),
        Cell::right(&known_time(&estimates.time(Statistic::Mean))).spare(4),
        Cell::right(&per_second).spare(2),
        Cell::right(&format!("{}×{}", grouped(estimates.n as u64), estimates.processes)).spare(5),
        Cell::left(&standing.map_or_else(|| own_code(row), Standing::text)).spare(1),
    ]
}

/// Returns the reason why this project's own code is not ranked. Returns an empty text for all other cases, because
/// their notes contain the reason.
fn own_code(row: &CaseAnalysis<'_>) -> String {
    let reason = row.not_ranked().filter(|reason| *reason == NotRanked::OwnCode);
    reason.map_or(String::new(), NotRanked::sentence)
}

/// Formats a rate in few characters: `96,130`, or `1.234 M` from a million.
fn short_rate(rate: &Interval) -> String {
    match rate.estimate {
        value if value < 999_950.0 => known_rate(rate),
        _ => format!("{} M", known_rate(&scaled(rate, 1e-6))),
    }
}

/// Returns the cell that replaces missing figures.
pub(super) fn missing(row: &CaseAnalysis<'_>) -> Cell {
    match row.record.status {
        Status::Ok => Cell::right(NO_SAMPLES),
        Status::Failed => Cell::right(FAILED).role(TextStyle::Bad),
    }
}

#[cfg(test)]
mod tests {
    use super::super::palette::tests::{COLOUR, stripped};
    use super::*;
    use crate::fixtures;
    use pqlab_analysis::ntor::RelayScenario;
    use pqlab_analysis::tables::tables as tables_of;
    use pqlab_record::{Disturbance, Run};

    fn shown(run: &Run, width: usize, palette: Palette) -> String {
        let analysis = RunAnalysis::new(run);
        run_table(&analysis, &tables_of(&analysis, &RelayScenario::default()), width, palette)
    }

    const CLOSING: &str = "6 cases: 5 measured, 1 failed
±: 95% interval of the long-run figure on this machine and build, including the spread between runs
≈cycles: core cycles estimated from the time and the core clock, measured before, during and after each visit
Example CPU @ 2.10GHz · 2 cores · KVM guest · governor performance · Debian 13 · kernel 6.12.1 · rustc 1.95.0 (release) \
· TSC at 2.10 GHz (not core cycles, core clock about 2.70 GHz)
measurement overhead: 2.70 ns per operation, included in all figures (the time of the same calls to the null provider, which does nothing)
";

    #[test]
    fn runs_are_shown_as_a_sentence_and_a_table_for_each_area() {
        let wanted = "run 20261121T185800-k3f9  suite standard  2026-11-21T18:58:00Z  complete
Typical uncertainty (95%): ±3.2% in time, ±0.9% in core cycles, with an assumed spread between runs
(`pqlab calibrate` measures it). Interference: none seen.

kem             time         ≈cycles            mean      rate      n
  ML-KEM-768 encapsulate
    liboqs   10.4 µs  ±3.2%   28,090  ±0.9%  10.4 µs  96,000/s  640×8  fastest
    aws-lc   12.9 µs  ±3.2%   34,840  ±0.9%  12.9 µs  77,400/s  640×8  1.24× ±0.9%
    openssl   FAILED

signature            time         ≈cycles            mean      rate      n
  ML-DSA-65 verify
    aws-lc        45.4 µs  ±3.2%  122,600  ±0.9%  45.5 µs  22,000/s  640×8
  ML-DSA-65 verify[encoded,len=1024,deterministic,regime=disk]
    libcrux:avx2  46.9 µs  ±3.2%                  47.0 µs  21,300/s  640×8

hash           time         ≈cycles         per byte    mean      rate      n
  SHA3-256 digest[len=64]
    openssl  200 ns  ±3.2%      540  ±0.9%      8.44  200 ns  320 MB/s  640×8

kem/ML-KEM-768/encapsulate@openssl  FAILED  decapsulation gave a different secret

";
        assert_eq!(shown(&fixtures::run(), 100, Palette::PLAIN), format!("{wanted}{CLOSING}"));
    }

    #[test]
    fn narrow_terminals_omit_columns_and_move_notes_below_their_row() {
        let mut run = fixtures::run();
        let disk = run.records.iter_mut().find(|record| record.case.regime().is_some()).unwrap();
        for visit in &mut disk.samples.visits {
            let factor = 1.0 + 0.02 * f64::from(visit.process % 3);
            visit.ticks.iter_mut().for_each(|ticks| *ticks = (*ticks as f64 * factor) as u64);
        }
        let text = shown(&run, 64, Palette::PLAIN);
        let wanted = "
kem             time         ≈cycles
  ML-KEM-768 encapsulate
    liboqs   10.4 µs  ±3.2%   28,090  ±0.9%  fastest
    aws-lc   12.9 µs  ±3.2%   34,840  ±0.9%  1.24× ±0.9%
    openssl   FAILED
no room for: mean, rate, n

";
        assert!(text.contains(wanted), "{text}");
        assert!(text.contains("\n      imprecise: memory placement differs between processes\n"), "{text}");
        assert!(text.ends_with(CLOSING.split_once('\n').unwrap().1), "{text}");
        let tables = text.split("\nkem/").next().unwrap().split("\nkem ").nth(1).unwrap();
        let fits = |line: &str| display_width(line) <= 64;
        assert!(tables.lines().all(fits), "{tables}");
    }

    #[test]
    fn widest_figures_fit_a_hundred_columns() {
        let mut run = fixtures::run();
        run.records.retain(|record| record.error.is_none() && record.case.workload == "kem");
        for (record, (provider, microseconds)) in
            run.records.iter_mut().zip([("aws-lc+liboqs", 123_456.7), ("null", 0.1)])
        {
            record.case.provider = provider.to_owned();
            record.case.facts.defect = Some("accepts invalid signatures".to_owned());
            record.samples = fixtures::samples(microseconds, 1);
        }
        let text = shown(&run, 100, Palette::PLAIN);
        let row = text.lines().find(|line| line.contains("aws-lc+liboqs")).unwrap();
        assert!(row.contains("123 ms") && row.contains("640×8") && row.ends_with("  defect"), "{text}");
        assert!(display_width(row) <= 100, "{text}");
    }

    #[test]
    fn providers_have_their_language_if_workers_were_measured() {
        let text = shown(&fixtures::workers_run(), 100, Palette::PLAIN);
        for wanted in ["    openssl (C) ", "    libcrux:avx2 (Rust) ", "    go  ", "    script (JavaScript) "] {
            assert!(text.lines().any(|line| line.starts_with(wanted)), "{wanted:?} in {text}");
        }
        let rows = || text.lines().filter(|line| line.starts_with("    "));
        assert!(rows().all(|line| display_width(line) <= 100), "{text}");
        assert!(!shown(&fixtures::libraries_run(), 100, Palette::PLAIN).contains("openssl (C)"));
    }

    #[test]
    fn colour_adds_nothing_to_read() {
        for width in [70, 100, 140] {
            let coloured = shown(&fixtures::run(), width, COLOUR);
            assert_eq!(stripped(&coloured), shown(&fixtures::run(), width, Palette::PLAIN));
        }
    }

    #[test]
    fn notes_are_explained() {
        let mut run = fixtures::run();
        run.complete = false;
        let mut other = run.records[0].clone();
        other.case.operation = "keygen".to_owned();
        other.samples.visits.iter_mut().for_each(|visit| visit.disturbances = vec![Disturbance::Steal { pct: 0.5 }]);
        run.records.insert(2, other);
        let text = shown(&run, 100, Palette::PLAIN);
        let wanted = "
  ML-KEM-768 keygen
    liboqs   10.4 µs  ±3.2%   28,090  ±0.9%  10.4 µs  96,000/s  640×8               disturbed
";
        assert!(text.contains(wanted), "{text}");
        assert!(text.starts_with("run 20261121T185800-k3f9  suite standard  2026-11-21T18:58:00Z  7 of 6 cases\n"));
        assert!(text.contains("1 disturbed\ndisturbed: another program used this core; "), "{text}");
        assert!(text.contains("excluded elsewhere. Measure again when the machine is quiet.\n"), "{text}");
    }

    #[test]
    fn estimated_cycles_are_marked_if_others_were_counted() {
        let mut run = fixtures::run();
        let samples = &mut run.records[0].samples;
        (samples.metric, samples.ns_per_tick) = (pqlab_record::Metric::Cycles, None);
        for visit in &mut samples.visits {
            visit.wall_ns = visit.ticks.iter().map(|ticks| ticks / 2).collect();
        }
        let text = shown(&run, 100, Palette::PLAIN);
        let area = text.split("\nsignature").next().unwrap();
        assert!(area.contains("   cycles  ") && area.contains("  21,840  ") && area.contains("  ≈34,840  "), "{text}");
    }

    #[test]
    fn names_cannot_control_the_terminal() {
        let mut run = fixtures::run();
        for record in &mut run.records {
            record.case.algorithm = fixtures::HOSTILE.to_owned();
            record.case.workload = fixtures::HOSTILE.to_owned();
            record.case.provider = fixtures::HOSTILE.to_owned();
            record.error = record.error.as_ref().map(|_| fixtures::HOSTILE.to_owned());
        }
        run.header.suite = fixtures::HOSTILE.to_owned();
        for width in [40, 400] {
            let text = shown(&run, width, Palette::PLAIN);
            assert!(!text.chars().any(|character| character != '\n' && character.is_control()));
        }
    }

    #[test]
    fn the_null_provider_is_not_ranked() {
        let mut run = fixtures::run();
        let mut null = run.records[0].clone();
        null.case.provider = "null".to_owned();
        null.samples = fixtures::samples(0.01, 16);
        run.records.push(null);
        let text = shown(&run, 100, Palette::PLAIN);
        assert!(text.contains("  99.9 M/s  640×8\n"), "{text}");
    }
}
