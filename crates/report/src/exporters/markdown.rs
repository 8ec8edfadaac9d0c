//! Markdown: the file `BENCHMARKS.md` that a project keeps as the record of its figures.

use super::tables::{FIGURES, Footnotes, TableChoice};
use super::{ExportError, Exporter, Format};
use pqlab_analysis::answer::answer;
use pqlab_analysis::environment::environment_line;
use pqlab_analysis::fastest::fastest_line;
use pqlab_analysis::findings::{CostSide, Findings, findings};
use pqlab_analysis::history::{Past, other_machines};
use pqlab_analysis::languages::Language;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::number::{NONE, factor, factor_and_range, factor_range, grouped, known_factor, known_time, time};
use pqlab_analysis::tables::{Holds, Table, tables};
use pqlab_analysis::text::neutral;
use pqlab_analysis::trust::RULE;
use pqlab_analysis::words::{FLOOR_MEANING, words, worker_floors};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::{ASSUMED, ProtocolKind};
use std::io::Write;

/// The table that stands in a section of its own.
const SPREAD: &str = "spread";

/// Headline figures, methodology, environments, full tables, stability analysis, and other machines where they are given.
pub(super) struct Markdown {
    /// Which tables of several cases.
    pub(super) tables: TableChoice,
}

impl Exporter for Markdown {
    fn format(&self) -> Format {
        Format {
            name: "markdown",
            describe: "a BENCHMARKS.md: headline figures, methodology, environment, full tables, stability",
            extension: "md",
        }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        match self.tables.one(analysis)? {
            Some(table) => several(&table, out)?,
            None => benchmarks(analysis, &[], &self.tables.scenario, out)?,
        }
        Ok(())
    }
}

/// The file, with runs of other machines set beside this one, and what circuit handshakes cost in a scenario.
///
/// # Errors
/// Where `out` takes no more.
pub fn benchmarks(
    analysis: &RunAnalysis<'_>,
    past: &[Past],
    scenario: &RelayScenario,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let run = analysis.run;
    let when = run.finished_at.as_deref().unwrap_or(&run.header.started_at);
    writeln!(
        out,
        "# Benchmarks\n\nSuite `{}`, run `{}`, {}.",
        code(&run.header.suite),
        code(&run.header.id),
        escape(when)
    )?;
    let found = findings(analysis);
    writeln!(out, "\n## In short\n")?;
    answer(analysis, &found).iter().try_for_each(|line| writeln!(out, "- {}", escape(line)))?;
    headline(&found, out)?;
    methodology(analysis, out)?;
    environments(analysis, past, out)?;
    let made = tables(analysis, scenario);
    for area in analysis.areas() {
        writeln!(out, "\n## {}\n", escape(area))?;
        let rows: Vec<&CaseAnalysis<'_>> = analysis.area(area).collect();
        cases(&rows, out)?;
        let of_area = |table: &&Table| table.area == area && table.name != SPREAD;
        made.iter().filter(of_area).try_for_each(|table| several(table, out))?;
    }
    stability(made.iter().find(|table| table.name == SPREAD), out)?;
    machines(analysis, past, out)?;
    writeln!(out, "\n## To measure it again\n\n```\n{}\n```", fenced(&run.header.command))
}

fn headline(found: &Findings, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "\n## Headline figures\n")?;
    if !found.recommendations.is_empty() {
        writeln!(out, "| For | Fastest | Figure | 95% interval | Why |\n|---|---|---:|---|---|")?;
    }
    for one in &found.recommendations {
        writeln!(
            out,
            "| {} | **{}** by {}{} | **{}** | {} | {} |",
            one.use_case,
            escape(&one.algorithm),
            escape(&one.provider),
            one.tied.iter().map(|other| format!(", {}", escape(other))).collect::<String>(),
            one.figure,
            one.interval,
            escape(&one.why)
        )?;
    }
    if !found.costs.is_empty() {
        writeln!(
            out,
            "\nPost-quantum against classical, the fastest library of each (all that are not told apart); factors are in core cycles \
             if both sides have them:\n"
        )?;
        writeln!(
            out,
            "| What | Post-quantum | Classical | Time, factor | 95% interval | Bytes |\n|---|---|---|---:|---|---:|"
        )?;
    }
    for cost in &found.costs {
        let side = |of: &CostSide| format!("{} by {}, {}", escape(&of.algorithm), escape(&of.providers), of.time);
        let (factor_text, range) = factor_and_range(&cost.factor);
        let bytes = cost.bytes.filter(|(_, old)| *old > 0).map(|(new, old)| factor(new as f64 / old as f64));
        writeln!(
            out,
            "| {} | {} | {} | **{}** | {}{} | {} |",
            cost.what,
            side(&cost.post_quantum),
            side(&cost.classical),
            factor_text,
            range,
            if cost.told_apart { "" } else { ", not told apart" },
            bytes.unwrap_or_else(|| NONE.to_owned())
        )?;
    }
    writeln!(out, "\n### What is uncertain\n")?;
    if found.caveats.is_empty() {
        writeln!(
            out,
            "Nothing: every case was measured and verified, undisturbed, and none missed a target precision."
        )?;
    }
    for caveat in &found.caveats {
        writeln!(out, "- {} {}", grouped(caveat.count as u64), caveat.what)?;
        caveat.details.iter().try_for_each(|detail| writeln!(out, "  - {}", escape(detail)))?;
    }
    Ok(())
}

fn methodology(analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> std::io::Result<()> {
    let protocol = &analysis.run.header.protocol;
    let processes = format!("from {} worker processes, in shuffled rounds", protocol.processes);
    writeln!(out, "\n## Methodology\n")?;
    match protocol.kind {
        ProtocolKind::Adaptive => {
            writeln!(
                out,
                "- {processes}; the number of rounds follows from a pilot of three, for a 95% interval of ±{}% in core cycles (in time \
                 if they are not known), in at most {} s a case",
                protocol.precision_pct, protocol.max_time_s
            )?;
            writeln!(
                out,
                "- after these rounds the interval is looked at once: if it is too wide, up to 24 processes join; if it still is, the \
                 case is marked imprecise"
            )?;
        }
        ProtocolKind::Fixed | ProtocolKind::Reference => {
            let measurements = protocol.iterations.map_or_else(|| NONE.to_owned(), grouped);
            writeln!(out, "- {measurements} measurements a case, {processes}")?;
        }
    }
    writeln!(out, "- {} operations for warm-up in each process, discarded", grouped(protocol.warmup))?;
    writeln!(out, "- {}% trimmed at each tail (the median and its interval are taken before)", protocol.trim_pct)?;
    let spreads = &protocol.run_spreads;
    writeln!(
        out,
        "- intervals are over processes, rounds and runs; the spread between runs is {}: {}% in time, {}% in core cycles",
        if spreads.source == ASSUMED { "assumed" } else { "measured on this machine" },
        spreads.time_pct,
        spreads.cycles_pct
    )?;
    writeln!(out, "- quality: {RULE}")?;
    writeln!(out, "- every answer is checked before and after it is timed; a wrong one voids its figures")?;
    if let Some(floor) = analysis.floor_ns() {
        writeln!(out, "- harness floor: {} an operation: {FLOOR_MEANING}", time(floor))?;
    }
    worker_floors(analysis).iter().try_for_each(|line| writeln!(out, "- {}", escape(line)))?;
    let fastest = analysis.run.header.protocol.fastest.iter().map(fastest_line);
    words(analysis).into_iter().chain(fastest).try_for_each(|line| writeln!(out, "- {}", escape(&line)))
}

fn environments(analysis: &RunAnalysis<'_>, past: &[Past], out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "\n## Environments\n\n| Label | Environment |\n|---|---|")?;
    writeln!(out, "| ENV-1 | {} |", escape(&environment_line(&analysis.run.header.environment)))?;
    for (index, other) in other_machines(analysis.run, past).iter().enumerate() {
        writeln!(out, "| ENV-{} | {} |", index + 2, escape(&environment_line(&other.environment)))?;
    }
    writeln!(out, "\n| Library | Language | Run by | Version | Build |\n|---|---|---|---|---|")?;
    for provider in &analysis.run.header.environment.providers {
        let Language { name, runtime, .. } = analysis.language(&provider.id);
        let [language, runtime] =
            [name, runtime].map(|text| text.map_or_else(|| NONE.to_owned(), |text| escape(&text)));
        let [id, version, origin] = [&provider.id, &provider.version, &provider.origin()].map(|text| escape(text));
        writeln!(out, "| {id} | {language} | {runtime} | {version} | {origin} |")?;
    }
    Ok(())
}

/// The cases of an area, and below them a list of what must be known of them.
fn cases(rows: &[&CaseAnalysis<'_>], out: &mut dyn Write) -> std::io::Result<()> {
    let headings: Vec<&str> = FIGURES.iter().map(|(heading, _)| *heading).collect();
    let sides = vec!["---:"; FIGURES.len()];
    writeln!(out, "| Case | Provider | {} | Notes |\n|---|---|{}|---|", headings.join(" | "), sides.join("|"))?;
    let mut footnotes = Footnotes::default();
    for row in rows {
        let name = format!("| {} | {}", escape(&row.job()), escape(&row.case().provider));
        let marks = footnotes.mark(&row.caveats);
        let Some(estimates) = &row.estimates else {
            let reason = row.record.error.as_deref().unwrap_or(NONE);
            writeln!(out, "{name} | failed | {} | | | | | {marks} |", escape(reason))?;
            continue;
        };
        let figures = FIGURES.iter().map(|(_, figure)| figure(row, estimates).unwrap_or_else(|| NONE.to_owned()));
        writeln!(out, "{name} | {} | {marks} |", figures.collect::<Vec<_>>().join(" | "))?;
    }
    let texts = footnotes.texts();
    if !texts.is_empty() {
        writeln!(out)?;
    }
    texts.iter().try_for_each(|text| writeln!(out, "- {}", escape(text)))
}

/// A table of several cases, and below it what must be known of it and of its rows.
fn several(table: &Table, out: &mut dyn Write) -> std::io::Result<()> {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let shown = table.shown();
    let mut footnotes = Footnotes::default();
    let marks: Vec<String> = table.rows.iter().map(|row| footnotes.mark(&row.caveats)).collect();
    let marked = marks.iter().any(|mark| !mark.is_empty());
    let columns = || shown.iter().map(|place| &table.columns[*place]);
    let notes = marked.then(|| "Notes".to_owned());
    writeln!(out, "\n### {}\n", escape(&table.title))?;
    writeln!(out, "{}", line(columns().map(|column| escape(&column.heading)).chain(notes).collect()))?;
    let sides = columns().map(|column| if column.holds == Holds::Figures { "---:" } else { "---" });
    writeln!(out, "|{}|", sides.chain(marked.then_some("---")).collect::<Vec<_>>().join("|"))?;
    for (row, mark) in table.rows.iter().zip(&marks) {
        let cells = shown.iter().map(|place| escape(&row.cells[*place].text));
        writeln!(out, "{}", line(cells.chain(marked.then(|| escape(mark))).collect()))?;
    }
    let texts: Vec<String> = table.notes.iter().cloned().chain(footnotes.texts()).collect();
    if !texts.is_empty() {
        writeln!(out)?;
    }
    texts.iter().try_for_each(|text| writeln!(out, "- {}", escape(text)))
}

/// The spread of each operation beside that of AES-256-GCM, the noise floor, where the run has it.
fn stability(spread: Option<&Table>, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "\n## Stability\n")?;
    writeln!(
        out,
        "The coefficient of variation (CoV) of single operations stands beside each case where they were timed. It says"
    )?;
    writeln!(out, "how widely they spread, and nothing of leakage.")?;
    match spread {
        Some(table) => several(table, out),
        None => writeln!(out, "No noise floor: AES-256-GCM was not measured one by one in this run."),
    }
}

fn machines(analysis: &RunAnalysis<'_>, past: &[Past], out: &mut dyn Write) -> std::io::Result<()> {
    for (index, other) in other_machines(analysis.run, past).iter().enumerate() {
        let label = format!("ENV-{}", index + 2);
        writeln!(
            out,
            "\n## ENV-1 against {label}\n\n| Case | Provider | ENV-1 | {label} | Speed-up of ENV-1 | 95% interval |"
        )?;
        writeln!(out, "|---|---|---:|---:|---:|---|")?;
        for row in analysis.cases().iter().filter(|row| !row.is_floor()) {
            let (Some(here), Some(there)) = (row.time(), other.medians.get(&row.case().id())) else { continue };
            let Some(ratio) = row.time_over(other) else { continue };
            writeln!(
                out,
                "| {} | {} | {} | {} | **{}** | {} |",
                escape(&row.job()),
                escape(&row.case().provider),
                known_time(&here),
                known_time(there),
                known_factor(&ratio),
                factor_range(&ratio)
            )?;
        }
    }
    Ok(())
}

/// The text with everything escaped that Markdown or the HTML in it would take for more than text, in one line.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in neutral(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' => out.extend(['\\', character]),
            other => out.push(other),
        }
    }
    out
}

/// For a span of code, in which there are no escapes.
fn code(text: &str) -> String {
    neutral(text).replace('`', "'").replace('|', "/")
}

/// For a block of code: nothing in it closes the block.
fn fenced(text: &str) -> String {
    neutral(text).replace("```", "'''")
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;
    use pqlab_record::Run;

    fn made(run: &Run, past: &[Past]) -> String {
        let mut bytes = Vec::new();
        benchmarks(&RunAnalysis::of(run), past, &RelayScenario::default(), &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn the_file_has_its_parts_and_every_case() {
        let run = fixtures::run();
        let text = made(&run, &[]);
        for part in [
            "# Benchmarks",
            "## Headline figures",
            "## Methodology",
            "## Environments",
            "## kem",
            "## Stability",
            "## To measure it again",
        ] {
            assert!(text.contains(&format!("{part}\n")), "{part}");
        }
        assert!(
            text.contains("| ML-KEM-768 encapsulate | liboqs | 10.4 µs | 10.08 to 10.74 µs | ≈28,090 ±0.9% | "),
            "{text}"
        );
        assert!(text.contains("| ML-KEM-768 encapsulate | openssl | failed | decapsulation gave another secret |"));
        assert!(text.contains("harness floor: 2.70 ns"));
        assert!(!text.contains("ENV-2"));
        // Nothing is measured until something is narrow.
        assert!(text.contains("follows from a pilot of three") && !text.contains("until"), "{text}");
    }

    #[test]
    fn another_machine_stands_beside_this_one() {
        let run = fixtures::run();
        let mut other = fixtures::run();
        other.header.environment.cpu.model = "Other CPU".to_owned();
        other.records[0].samples = fixtures::samples(20.8, 1);
        let text = made(&run, &[Past::of(&other)]);
        assert!(text.contains("## ENV-1 against ENV-2") && text.contains("**2.00×**"), "{text}");
    }

    #[test]
    fn circuit_handshakes_have_their_tables_in_the_scenario_that_is_asked_for() {
        let scenario = RelayScenario { circuits_per_second: 50.0, ..RelayScenario::default() };
        let run = fixtures::ntor_run();
        let text = String::from_utf8(written(
            &Markdown { tables: TableChoice { scenario: scenario.clone(), only: None } },
            &run,
        ))
        .unwrap();
        for table in tables(&RunAnalysis::of(&run), &scenario) {
            assert!(text.contains(&format!("### {}\n", escape(&table.title))), "{}", table.title);
        }
        assert!(text.contains("| kem-only-mlkem512 | 820 | 800 | 1,620 | 2 | 2 | 4 |"), "{text}");
        assert!(text.contains("at 50.0 circuits a second") && text.contains("| 64 cores (extrapolated) |"), "{text}");
        assert!(text.contains("does NOT authenticate the relay"));
    }

    #[test]
    fn names_stay_in_their_cells() {
        let mut run = fixtures::run();
        run.records[0].case.algorithm = "a|b\n# c <script> `d` *e*".to_owned();
        run.header.command = "```\nx".to_owned();
        let text = made(&run, &[]);
        assert!(text.contains(r"a\|b\\n\# c &lt;script&gt; \`d\` \*e\*"), "{text}");
        assert!(!text.contains("<script>") && text.matches("```").count() == 2);
    }
}
