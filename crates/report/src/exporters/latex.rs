//! LaTeX tables, one for each area, with caption and label: for `\usepackage{array,booktabs,longtable}`.

use super::tables::{FIGURES, Footnotes, TableChoice};
use super::{ExportError, Exporter, Format};
use crate::latex::{LatexCell, LatexSide, LatexTable, latex_table};
use pqlab_analysis::number::NONE;
use pqlab_analysis::tables::{Holds, Row, Table};
use pqlab_analysis::text::neutral;
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::Status;
use std::io::Write;

/// The columns before the figures and the one behind them.
const NAMES: [(&str, LatexSide); 2] = [
    ("Algorithm and operation", LatexSide::Broken { width_pct: 23 }),
    ("Provider", LatexSide::Broken { width_pct: 13 }),
];
const NOTES: (&str, LatexSide) = ("Notes", LatexSide::Broken { width_pct: 12 });

/// A table of an area: medians with their intervals, and below it what must be known of them; and the tables of several cases.
pub(super) struct Latex {
    /// Which of these.
    pub(super) tables: TableChoice,
}

impl Exporter for Latex {
    fn format(&self) -> Format {
        Format {
            name: "latex",
            describe: "LaTeX tables (array, booktabs, longtable), one for each area",
            extension: "tex",
        }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        writeln!(out, "% Made by pqlab from run {}.", comment(&analysis.run.header.id))?;
        writeln!(out, r"% Needs \usepackage{{array,booktabs,longtable}}.")?;
        if let Some(table) = self.tables.one(analysis)? {
            return Ok(several(&table, out)?);
        }
        let figures = FIGURES.iter().map(|(heading, _)| (*heading, LatexSide::Right));
        let columns: Vec<(&str, LatexSide)> = NAMES.into_iter().chain(figures).chain([NOTES]).collect();
        for area in analysis.areas() {
            let mut footnotes = Footnotes::default();
            let rows: Vec<Vec<LatexCell>> = analysis.area(area).map(|of| row(of, &mut footnotes)).collect();
            let notes: Vec<String> = footnotes.texts().iter().map(|text| neutral(text)).collect();
            let (name, cpu) = (neutral(area), neutral(&analysis.run.header.environment.cpu.model));
            let caption = format!(
                "Area {name}: time of one operation (median, unless a mean is named) with its 95% interval, including the spread between runs, on {cpu}."
            );
            let label = format!("tab:pqlab-{}", crate::charts::slug(area));
            let table = LatexTable { caption: &caption, label: &label, columns: &columns, rows: &rows, notes: &notes };
            write!(out, "\n{}", latex_table(&table))?;
        }
        self.tables.all(analysis).iter().try_for_each(|table| several(table, out))?;
        Ok(())
    }
}

/// A table of several cases.
fn several(of: &Table, out: &mut dyn Write) -> std::io::Result<()> {
    let shown = of.shown();
    let prose = shown.iter().filter(|place| of.columns[**place].holds == Holds::Prose).count().max(1) as u8;
    let side = |holds: Holds| match holds {
        Holds::Text => LatexSide::Left,
        Holds::Figures => LatexSide::Right,
        Holds::Prose => LatexSide::Broken { width_pct: 45 / prose },
    };
    let mut columns: Vec<(&str, LatexSide)> =
        shown.iter().map(|place| (of.columns[*place].heading.as_str(), side(of.columns[*place].holds))).collect();
    let mut footnotes = Footnotes::default();
    let marks: Vec<String> = of.rows.iter().map(|row| footnotes.mark(&row.caveats)).collect();
    let marked = marks.iter().any(|mark| !mark.is_empty());
    if marked {
        columns.push(NOTES);
    }
    let row = |(row, mark): (&Row, &String)| {
        let cells = shown.iter().map(|place| LatexCell::Text(neutral(&row.cells[*place].text)));
        cells.chain(marked.then(|| LatexCell::Text(neutral(mark)))).collect()
    };
    let rows: Vec<Vec<LatexCell>> = of.rows.iter().zip(&marks).map(row).collect();
    let notes: Vec<String> = of.notes.iter().cloned().chain(footnotes.texts()).map(|text| neutral(&text)).collect();
    let label = format!("tab:pqlab-{}", of.name);
    let caption = format!("{}.", neutral(&of.title));
    let table = LatexTable { caption: &caption, label: &label, columns: &columns, rows: &rows, notes: &notes };
    write!(out, "\n{}", latex_table(&table))
}

fn row(of: &CaseAnalysis<'_>, footnotes: &mut Footnotes) -> Vec<LatexCell> {
    let text = |text: &str| LatexCell::Text(neutral(text));
    let names = [text(&of.case().name()), text(&of.case().provider)];
    let marks = footnotes.mark(&of.caveats);
    let Some(estimates) = &of.estimates else {
        let remark = match of.record.status {
            Status::Failed => format!("failed: {}", neutral(of.record.error.as_deref().unwrap_or(NONE))),
            Status::Ok => "no samples".to_owned(),
        };
        let remark = if marks.is_empty() { remark } else { format!("{remark}, {marks}") };
        return names.into_iter().chain([LatexCell::Rest(remark)]).collect();
    };
    let figures =
        FIGURES.iter().map(|(_, figure)| LatexCell::Text(figure(of, estimates).unwrap_or_else(|| NONE.to_owned())));
    names.into_iter().chain(figures).chain([text(&marks)]).collect()
}

/// For a comment, which ends with its line.
fn comment(text: &str) -> String {
    neutral(text).chars().filter(char::is_ascii).collect()
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;
    use pqlab_record::Run;

    fn exported(run: &Run) -> String {
        String::from_utf8(written(&Latex { tables: TableChoice::default() }, run)).unwrap()
    }

    #[test]
    fn a_table_has_caption_label_and_rules() {
        let text = exported(&fixtures::run());
        for part in ["\\caption{Area kem: ", "\\label{tab:pqlab-kem}", "\\toprule", "\\midrule", "\\bottomrule"] {
            assert!(text.contains(part), "{part}");
        }
        let row = "ML-KEM-768 encapsulate & liboqs & 10.4 $\\mu$s & 10.08 to 10.74 $\\mu$s & $\\approx$28,090 $\\pm$0.9\\% & ";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("{\\raggedright failed: decapsulation gave another secret} \\\\"));
        assert!(!text.contains("floor"));
        assert!(text.contains("ML-DSA-65 verify{[}\\allowbreak{}encoded,\\allowbreak{}len=1024,"), "{text}");
    }

    #[test]
    fn what_must_be_known_stands_below_the_table() {
        let mut run = fixtures::run();
        run.records[3].case.facts.defect = Some("accepts 100% of it".to_owned());
        run.records[2].case.facts.defect = Some("answers at all".to_owned());
        let text = exported(&run);
        assert!(text.contains(" & defect (a),\\allowbreak{} (b),\\allowbreak{} (c) \\\\\n"), "{text}");
        assert!(text.contains("\\noindent (a) defect: accepts 100\\% of it (known defect: "), "{text}");
        assert!(text.contains("failed: decapsulation gave another secret, defect (c)} \\\\"), "{text}");
        let tables = text.split("\\begin{table}").skip(1);
        assert!(
            tables.clone().count() == 3
                && tables.clone().all(|table| table.contains("\\end{tabular}\n\\par\\smallskip"))
        );
    }

    #[test]
    fn nothing_in_a_name_is_a_command() {
        let mut run = fixtures::run();
        run.records[0].case.algorithm = "%\n\\input{/etc/passwd}".to_owned();
        run.header.id = "x\n\\evil".to_owned();
        let text = exported(&run);
        assert!(!text.contains("\\input") && !text.contains("\n\\evil"), "{text}");
    }

    #[test]
    fn circuit_handshakes_have_their_tables() {
        let text = exported(&fixtures::ntor_run());
        for table in TableChoice::default().all(&RunAnalysis::of(&fixtures::ntor_run())) {
            assert!(text.contains(&format!("\\label{{tab:pqlab-{}}}", table.name)), "{}", table.name);
        }
        assert!(text.contains("kem-only-mlkem512 & 820 & 800 & 1,620 & 2 & 2 & 4 \\\\"), "{text}");
        assert!(text.contains("64 cores (extrapolated)") && text.contains("NOT measured here"));
        assert!(text.matches("\\begin{table}").count() == text.matches("\\end{table}").count());
    }

    #[test]
    fn a_long_table_breaks_across_pages() {
        let mut run = fixtures::run();
        run.records = vec![fixtures::record("liboqs", 10.4); 41];
        let text = exported(&run);
        assert!(
            text.contains("\\begin{longtable}") && text.contains("\\endhead") && !text.contains("\\begin{tabular}")
        );
    }
}
