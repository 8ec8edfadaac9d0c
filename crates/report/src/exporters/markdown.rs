//! Markdown for the file `BENCHMARKS.md`, in which a project publishes its figures.

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
use pqlab_analysis::standardization::not_standards_in;
use pqlab_analysis::tables::{Holds, Table, tables};
use pqlab_analysis::text::neutral;
use pqlab_analysis::trust::RULE;
use pqlab_analysis::words::{FLOOR_MEANING, words, worker_floors};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::{ASSUMED, ProtocolKind};
use std::io::Write;

/// Name of the table that gets its own section, on stability.
const SPREAD: &str = "spread";

/// Headline figures, methodology, environments, full tables, stability analysis, and comparisons with other machines.
pub(super) struct Markdown {
    /// Selection of the tables of several cases to write.
    pub(super) tables: TableChoice,
}

impl Exporter for Markdown {
    fn format(&self) -> Format {
        Format {
            name: "markdown",
            describe: "BENCHMARKS.md: headline figures, methodology, environment, full tables, stability",
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

/// Writes `BENCHMARKS.md`. Compares the run with runs on other machines in `past`. `scenario` contains the assumptions
/// for the tables of circuit handshakes.
///
/// # Errors
/// Fails if `out` cannot be written.
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
    caveats(&found, out)?;
    methodology(analysis, out)?;
    environments(analysis, past, out)?;
    let all = tables(analysis, scenario);
    for area in analysis.areas() {
        writeln!(out, "\n## {}\n", escape(area))?;
        let rows: Vec<&CaseAnalysis<'_>> = analysis.area(area).collect();
        cases(&rows, out)?;
        let of_area = |table: &&Table| table.area == area && table.name != SPREAD;
        all.iter().filter(of_area).try_for_each(|table| several(table, out))?;
    }
    stability(all.iter().find(|table| table.name == SPREAD), out)?;
    machines(analysis, past, out)?;
    writeln!(out, "\n## Reproduce this run\n\n```\n{}\n```", fenced(&run.header.command))
}

/// Writes the tables of recommendations and costs. Writes nothing if there are none.
fn headline(found: &Findings, out: &mut dyn Write) -> std::io::Result<()> {
    if !found.recommendations.is_empty() || !found.costs.is_empty() {
        writeln!(out, "\n## Headline figures\n")?;
    }
    if !found.recommendations.is_empty() {
        writeln!(out, "| Use case | Fastest | Figure | 95% interval | Reason |\n|---|---|---:|---|---|")?;
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
            "\nPost-quantum and classical algorithms, each with its fastest library, or with all libraries that tie. \
             Ratios compare core cycles if both sides have them, otherwise times.\n"
        )?;
        writeln!(
            out,
            "| Task | Post-quantum | Classical | Ratio | 95% interval | Ratio of bytes |\n|---|---|---|---:|---|---:|"
        )?;
    }
    for cost in &found.costs {
        let side = |one: &CostSide| format!("{} by {}, {}", escape(&one.algorithm), escape(&one.providers), one.time);
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
            if cost.told_apart { "" } else { ", no measurable difference" },
            bytes.unwrap_or_else(|| NONE.to_owned())
        )?;
    }
    Ok(())
}

fn caveats(found: &Findings, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "\n## Caveats\n")?;
    if found.caveats.is_empty() {
        writeln!(out, "None: every case was measured undisturbed, was verified, and reached the target precision.")?;
    }
    for caveat in &found.caveats {
        writeln!(out, "- {} {}", grouped(caveat.count as u64), caveat.what)?;
        caveat.details.iter().try_for_each(|detail| writeln!(out, "  - {}", escape(detail)))?;
        if let Some(more) = caveat.more() {
            writeln!(out, "  - {more}")?;
        }
    }
    Ok(())
}

fn methodology(analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> std::io::Result<()> {
    let protocol = &analysis.run.header.protocol;
    let processes = format!("{} worker processes, in shuffled rounds", protocol.processes);
    writeln!(out, "\n## Methodology\n")?;
    match protocol.kind {
        ProtocolKind::Adaptive => {
            writeln!(
                out,
                "- every case is measured in {processes}; a pilot of three rounds determines the number of rounds, for \
                 a 95% interval of ±{}% in core cycles (in time if cycles are unknown) and at most {} s per case",
                protocol.precision_pct, protocol.max_time_s
            )?;
            writeln!(
                out,
                "- after these rounds, pqlab checks the interval once: if it is too wide, pqlab adds processes, up to \
                 24; if it is still too wide, pqlab marks the case as imprecise"
            )?;
        }
        ProtocolKind::Fixed | ProtocolKind::Reference => {
            let measurements = protocol.iterations.map_or_else(|| NONE.to_owned(), grouped);
            writeln!(out, "- {measurements} measurements per case, from {processes}")?;
        }
    }
    writeln!(out, "- {} warm-up operations in each process, discarded", grouped(protocol.warmup))?;
    writeln!(
        out,
        "- {}% of the samples trimmed at each tail (not for the median and its interval)",
        protocol.trim_pct
    )?;
    let spreads = &protocol.run_spreads;
    writeln!(
        out,
        "- intervals cover processes, rounds and runs; the spread between runs is {}: {}% in time, {}% in core cycles",
        if spreads.source == ASSUMED { "assumed" } else { "measured on this machine" },
        spreads.time_pct,
        spreads.cycles_pct
    )?;
    writeln!(out, "- quality: {RULE}")?;
    writeln!(out, "- every answer is checked before and throughout the timing; a wrong answer voids the case")?;
    if let Some(floor) = analysis.floor_ns() {
        writeln!(out, "- measurement overhead: {} per operation, {FLOOR_MEANING}", time(floor))?;
    }
    worker_floors(analysis).iter().try_for_each(|line| writeln!(out, "- {}", escape(line)))?;
    let fastest = analysis.run.header.protocol.fastest.iter().map(fastest_line);
    words(analysis)
        .into_iter()
        .chain(not_standards_in(analysis))
        .chain(fastest)
        .try_for_each(|line| writeln!(out, "- {}", escape(&line)))
}

fn environments(analysis: &RunAnalysis<'_>, past: &[Past], out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "\n## Environments\n\n| Label | Environment |\n|---|---|")?;
    writeln!(out, "| ENV-1 | {} |", escape(&environment_line(&analysis.run.header.environment)))?;
    for (index, other) in other_machines(analysis.run, past).iter().enumerate() {
        writeln!(out, "| ENV-{} | {} |", index + 2, escape(&environment_line(&other.environment)))?;
    }
    writeln!(out, "\n| Library | Language | Runtime | Version | Build |\n|---|---|---|---|---|")?;
    for provider in analysis.builds() {
        let Language { name, runtime, .. } = analysis.language(&provider.id);
        let [language, runtime] =
            [name, runtime].map(|text| text.map_or_else(|| NONE.to_owned(), |text| escape(&text)));
        let [id, version, origin] = [&provider.id, &provider.version, &provider.origin()].map(|text| escape(text));
        writeln!(out, "| {id} | {language} | {runtime} | {version} | {origin} |")?;
    }
    Ok(())
}

/// Writes the table of an area's cases, followed by a list of their caveats.
fn cases(rows: &[&CaseAnalysis<'_>], out: &mut dyn Write) -> std::io::Result<()> {
    let headings: Vec<&str> = FIGURES.iter().map(|(heading, _)| *heading).collect();
    let sides = vec!["---:"; FIGURES.len()];
    writeln!(out, "| Case | Library | {} | Notes |\n|---|---|{}|---|", headings.join(" | "), sides.join("|"))?;
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

/// Writes a table of several cases, followed by its notes and the caveats of its rows.
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

/// Writes the spread of each operation, compared with the spread of AES-256-GCM. If the run did not time single
/// AES-256-GCM operations, writes that there is no noise floor.
fn stability(spread: Option<&Table>, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "\n## Stability\n")?;
    writeln!(
        out,
        "The tables above show the coefficient of variation (CoV) of cases with timed single operations. It describes"
    )?;
    writeln!(out, "how widely the times spread, but says nothing about leakage.")?;
    match spread {
        Some(table) => several(table, out),
        None => writeln!(out, "No noise floor: this run did not time single AES-256-GCM operations."),
    }
}

fn machines(analysis: &RunAnalysis<'_>, past: &[Past], out: &mut dyn Write) -> std::io::Result<()> {
    for (index, other) in other_machines(analysis.run, past).iter().enumerate() {
        let label = format!("ENV-{}", index + 2);
        writeln!(
            out,
            "\n## ENV-1 against {label}\n\n| Case | Library | ENV-1 | {label} | Speed-up of ENV-1 | 95% interval |"
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

/// Escapes everything that Markdown or embedded HTML would interpret as markup. Returns a single line.
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

/// Replaces characters that would end a code span. Escapes have no effect inside a code span.
fn code(text: &str) -> String {
    neutral(text).replace('`', "'").replace('|', "/")
}

/// Replaces fences that would end a code block.
fn fenced(text: &str) -> String {
    neutral(text).replace("```", "'''")
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;
    use pqlab_record::Run;

    fn exported(run: &Run, past: &[Past]) -> String {
        let mut bytes = Vec::new();
        benchmarks(&RunAnalysis::new(run), past, &RelayScenario::default(), &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn files_have_all_sections_and_every_case() {
        let run = fixtures::run();
        let text = exported(&run, &[]);
        for part in [
            "# Benchmarks",
            "## Headline figures",
            "## Methodology",
            "## Environments",
            "## kem",
            "## Stability",
            "## Reproduce this run",
        ] {
            assert!(text.contains(&format!("{part}\n")), "{part}");
        }
        assert!(
            text.contains("| ML-KEM-768 encapsulate | liboqs | 10.4 µs | 10.08 to 10.74 µs | ≈28,090 ±0.9% | "),
            "{text}"
        );
        assert!(text.contains("| ML-KEM-768 encapsulate | openssl | failed | decapsulation gave a different secret |"));
        assert!(text.contains("measurement overhead: 2.70 ns"));
        assert!(!text.contains("ENV-2"));
        // The pilot fixes the number of rounds, so the text must not suggest that pqlab measures
        // until the interval is narrow.
        assert!(text.contains("a pilot of three rounds determines") && !text.contains("until"), "{text}");
    }

    #[test]
    fn algorithms_that_are_not_standards_are_named() {
        let mut run = fixtures::run();
        assert!(!exported(&run, &[]).contains("Not standards"));
        run.records[0].case.algorithm = "Kyber768".to_owned();
        let text = exported(&run, &[]);
        assert!(
            text.contains("\n- Not standards (") && text.contains(": Kyber768 (superseded by FIPS 203)\n"),
            "{text}"
        );
    }

    #[test]
    fn other_machines_are_compared() {
        let run = fixtures::run();
        let mut other = fixtures::run();
        other.header.environment.cpu.model = "Other CPU".to_owned();
        other.records[0].samples = fixtures::samples(20.8, 1);
        let text = exported(&run, &[Past::new(&other)]);
        assert!(text.contains("## ENV-1 against ENV-2") && text.contains("**2.00×**"), "{text}");
    }

    #[test]
    fn tables_of_circuit_handshakes_use_the_scenario() {
        let scenario = RelayScenario { circuits_per_second: 50.0, ..RelayScenario::default() };
        let run = fixtures::ntor_run();
        let text = String::from_utf8(written(
            &Markdown { tables: TableChoice { scenario: scenario.clone(), only: None } },
            &run,
        ))
        .unwrap();
        for table in tables(&RunAnalysis::new(&run), &scenario) {
            assert!(text.contains(&format!("### {}\n", escape(&table.title))), "{}", table.title);
        }
        assert!(text.contains("| kem-only-mlkem512 | 820 | 800 | 1,620 | 2 | 2 | 4 |"), "{text}");
        assert!(text.contains("at 50.0 circuits per second") && text.contains("| 64 cores (extrapolated) |"), "{text}");
        assert!(text.contains("does NOT authenticate the relay"));
    }

    #[test]
    fn names_stay_in_their_cells() {
        let mut run = fixtures::run();
        run.records[0].case.algorithm = "a|b\n# c <script> `d` *e*".to_owned();
        run.header.command = "```\nx".to_owned();
        let text = exported(&run, &[]);
        assert!(text.contains(r"a\|b\\n\# c &lt;script&gt; \`d\` \*e\*"), "{text}");
        assert!(!text.contains("<script>") && text.matches("```").count() == 2);
    }
}
