//! LaTeX tables, one for each area, with caption and label: for `\usepackage{array,booktabs,longtable}`.

use super::{ExportError, Exporter};
use crate::estimates::{Estimates, estimate};
use crate::findings::time;
use crate::ntor::RelayScenario;
use crate::ntor::tables::{Holds, Table, tables};
use crate::number::{NONE, percent, rate};
use crate::terminal::neutral;
use pqlab_record::{Record, Run, Status};
use std::io::Write;

/// From this many rows on a table may break across pages.
const LONG: usize = 40;
const HEADING: &str = r"Algorithm and operation & Provider & Median & 95\% interval & p95 & CoV & op/s \\";
/// Names may break, and nothing stands at the edges, so that the table fits a page of `article`.
const COLUMNS: &str = r"@{}>{\raggedright}p{0.23\linewidth}>{\raggedright}p{0.13\linewidth}rrrrr@{}";
/// Small, and with little between the columns.
const STYLE: &str = r"\footnotesize\setlength{\tabcolsep}{2pt}";

/// A table of an area: medians with their intervals; of circuit handshakes also what they cost.
pub(super) struct Latex {
    /// What tables of circuit handshakes ask about.
    pub(super) scenario: RelayScenario,
}

impl Exporter for Latex {
    fn name(&self) -> &'static str {
        "latex"
    }

    fn describe(&self) -> &'static str {
        "LaTeX tables (array, booktabs, longtable), one for each area"
    }

    fn extension(&self) -> &'static str {
        "tex"
    }

    fn export(&self, run: &Run, out: &mut dyn Write) -> Result<(), ExportError> {
        writeln!(out, "% Made by pqlab from run {}.", comment(&run.header.id))?;
        writeln!(out, r"% Needs \usepackage{{array,booktabs,longtable}}.")?;
        for area in run.areas().into_iter().filter(|area| *area != "floor") {
            let rows: Vec<String> = run.area(area).map(|record| row(record, run)).collect();
            table(&area_frame(run, area), &rows, out)?;
        }
        tables(run, &self.scenario).iter().try_for_each(|table| circuits(table, out))?;
        Ok(())
    }
}

/// What stands around the rows.
struct Frame {
    caption: String,
    label: String,
    /// A letter for each column.
    columns: String,
    heading: String,
    /// A size of type, and what else holds for the table.
    size: &'static str,
}

fn area_frame(run: &Run, area: &str) -> Frame {
    Frame {
        caption: format!(
            "Area {}: median time of one operation with its 95\\% interval over processes, on {}.",
            escape(area),
            escape(&run.header.environment.cpu.model)
        ),
        label: format!("tab:pqlab-{}", crate::charts::slug(area)),
        columns: COLUMNS.to_owned(),
        heading: HEADING.to_owned(),
        size: STYLE,
    }
}

/// A table of circuit handshakes.
fn circuits(of: &Table, out: &mut dyn Write) -> std::io::Result<()> {
    let column = |holds: Holds| match holds {
        Holds::Text => "l",
        Holds::Figures => "r",
        Holds::Prose => "p{0.45\\linewidth}",
    };
    let line = |cells: Vec<String>| format!("{} \\\\", cells.join(" & "));
    let frame = Frame {
        caption: format!(
            "{}.{}",
            escape(&of.title),
            of.note.map_or(String::new(), |note| format!(" {}.", escape(note)))
        ),
        label: format!("tab:pqlab-ntor-{}", of.name),
        columns: of.columns.iter().map(|(_, holds)| column(*holds)).collect(),
        heading: line(of.columns.iter().map(|(heading, _)| escape(heading)).collect()),
        size: "\\scriptsize",
    };
    let rows: Vec<String> = of.rows.iter().map(|row| line(row.iter().map(|cell| escape(cell)).collect())).collect();
    table(&frame, &rows, out)
}

fn table(frame: &Frame, rows: &[String], out: &mut dyn Write) -> std::io::Result<()> {
    let Frame { caption, label, columns, heading, size } = frame;
    if rows.len() > LONG {
        writeln!(out, "\n{{{size}\n\\begin{{longtable}}{{{columns}}}")?;
        writeln!(out, "\\caption{{{caption}}}\\label{{{label}}} \\\\")?;
        writeln!(out, "\\toprule\n{heading}\n\\midrule\n\\endfirsthead\n\\toprule\n{heading}\n\\midrule\n\\endhead")?;
        writeln!(out, "\\bottomrule\n\\endfoot")?;
        rows.iter().try_for_each(|row| writeln!(out, "{row}"))?;
        return writeln!(out, "\\end{{longtable}}}}");
    }
    writeln!(out, "\n\\begin{{table}}[htbp]\n\\centering\n\\caption{{{caption}}}\n\\label{{{label}}}\n{size}")?;
    writeln!(out, "\\begin{{tabular}}{{{columns}}}\n\\toprule\n{heading}\n\\midrule")?;
    rows.iter().try_for_each(|row| writeln!(out, "{row}"))?;
    writeln!(out, "\\bottomrule\n\\end{{tabular}}\n\\end{{table}}")
}

fn row(record: &Record, run: &Run) -> String {
    let case = &record.case;
    let names = format!("{} & {}", broken(&case.name()), broken(&case.provider));
    let figure = |value: Option<String>| escape(&value.unwrap_or_else(|| NONE.to_owned()));
    match estimate(record, &run.header.protocol) {
        Some(estimates) => {
            let of = estimates.operations();
            let cells = [
                figure(Some(time(estimates.median_ns.estimate))),
                figure(Some(crate::findings::interval(&estimates.median_ns))),
                figure(of.map(|of| time(of.p95))),
                figure(of.and_then(|of| of.cov_pct).map(percent)),
                figure(Estimates::operations_per_second(&estimates).map(rate)),
            ];
            format!("{names} & {} \\\\", cells.join(" & "))
        }
        None if record.status == Status::Failed => {
            format!(
                "{names} & \\multicolumn{{5}}{{p{{0.5\\linewidth}}@{{}}}}{{\\raggedright failed: {}}} \\\\",
                escape(record.error.as_deref().unwrap_or(NONE))
            )
        }
        None => format!("{names} & \\multicolumn{{5}}{{l}}{{no samples}} \\\\"),
    }
}

/// The text, escaped, that may break behind its separators.
fn broken(text: &str) -> String {
    let parts = text.split_inclusive([',', '+', ':', '[', '/']).map(escape);
    parts.collect::<Vec<_>>().join(r"\allowbreak{}")
}

/// The text with everything escaped that LaTeX would take for a command, in plain pdfLaTeX too: characters that its fonts
/// lack are written by their number.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in neutral(text).chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', character]),
            '~' => out.push_str(r"\textasciitilde{}"),
            '^' => out.push_str(r"\textasciicircum{}"),
            '\\' => out.push_str(r"\textbackslash{}"),
            '<' => out.push_str(r"\textless{}"),
            '>' => out.push_str(r"\textgreater{}"),
            '|' => out.push_str(r"\textbar{}"),
            '"' => out.push_str(r"{\char34}"),
            'µ' => out.push_str(r"$\mu$"),
            '×' => out.push_str(r"$\times$"),
            '±' => out.push_str(r"$\pm$"),
            '…' => out.push_str(r"\ldots{}"),
            // A row break followed by a bracket would take it for its argument.
            '[' | ']' => out.extend(['{', character, '}']),
            character if character.is_ascii() => out.push(character),
            other => out.push_str(&format!("U+{:04X}", other as u32)),
        }
    }
    out
}

/// For a comment, which ends with its line.
fn comment(text: &str) -> String {
    neutral(text).chars().filter(char::is_ascii).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn exported(run: &Run) -> String {
        let mut bytes = Vec::new();
        Latex { scenario: RelayScenario::default() }.export(run, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_table_has_caption_label_and_rules() {
        let text = exported(&fixtures::run());
        for part in ["\\caption{Area kem: ", "\\label{tab:pqlab-kem}", "\\toprule", "\\midrule", "\\bottomrule"] {
            assert!(text.contains(part), "{part}");
        }
        let row = "ML-KEM-768 encapsulate & liboqs & 10.4 $\\mu$s & 10.38 to 10.42 $\\mu$s & ";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("{\\raggedright failed: decapsulation gave another secret} \\\\"));
        assert!(!text.contains("floor"));
        assert!(text.contains("ML-DSA-65 verify{[}\\allowbreak{}encoded,\\allowbreak{}len=1024,"), "{text}");
    }

    #[test]
    fn nothing_in_a_name_is_a_command() {
        assert_eq!(
            escape(r"a_b & 50% \x{y}^~<µ>é"),
            r"a\_b \& 50\% \textbackslash{}x\{y\}\textasciicircum{}\textasciitilde{}\textless{}$\mu$\textgreater{}U+00E9"
        );
        let mut run = fixtures::run();
        run.records[0].case.algorithm = "%\n\\input{/etc/passwd}".to_owned();
        run.header.id = "x\n\\evil".to_owned();
        let text = exported(&run);
        assert!(!text.contains("\\input") && !text.contains("\n\\evil"), "{text}");
    }

    #[test]
    fn circuit_handshakes_have_their_tables() {
        let text = exported(&fixtures::ntor_run());
        for table in tables(&fixtures::ntor_run(), &RelayScenario::default()) {
            assert!(text.contains(&format!("\\label{{tab:pqlab-ntor-{}}}", table.name)), "{}", table.name);
        }
        assert!(text.contains("kem-only-mlkem512 & 820 & 800 & 1,620 & 2 & 2 & 4 \\\\"), "{text}");
        assert!(text.contains("64 cores (extrapolated)") && text.contains("NOT measured here"));
        assert!(text.matches("\\begin{table}").count() == text.matches("\\end{table}").count());
    }

    #[test]
    fn a_long_table_breaks_across_pages() {
        let mut run = fixtures::run();
        run.records = vec![fixtures::record("liboqs", 10.4); LONG + 1];
        let text = exported(&run);
        assert!(
            text.contains("\\begin{longtable}") && text.contains("\\endhead") && !text.contains("\\begin{tabular}")
        );
    }
}
