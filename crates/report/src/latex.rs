//! Tables for LaTeX documents. Cells contain plain text, which is escaped.

/// Minimum number of rows of a table that may break across pages.
const LONG: usize = 41;

/// LaTeX commands for a small font and narrow gaps between columns.
const STYLE: &str = r"\footnotesize\setlength{\tabcolsep}{2pt}";

/// Alignment of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatexSide {
    /// Left-aligned, for short names.
    Left,
    /// Left-aligned in a column of fixed width, for long names. A line may break after `,`, `+`, `:`, `[` and `/`.
    Broken {
        /// Width of the column as a percentage of the line width.
        width_pct: u8,
    },
    /// Right-aligned, for numbers.
    Right,
}

impl LatexSide {
    /// Returns the column specification for `tabular`.
    fn specification(self) -> String {
        match self {
            LatexSide::Left => "l".into(),
            LatexSide::Broken { width_pct } => {
                format!(r">{{\raggedright\arraybackslash}}p{{{}\linewidth}}", f64::from(width_pct) / 100.0)
            }
            LatexSide::Right => "r".into(),
        }
    }
}

/// A table cell. Its text is escaped on output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LatexCell {
    /// Text of one cell.
    Text(String),
    /// Remark that spans the rest of its row. Must be the last cell of the row.
    Rest(String),
}

/// A table. All its texts are plain text.
#[derive(Clone, Copy, Debug)]
pub struct LatexTable<'a> {
    /// Caption above the table.
    pub caption: &'a str,
    /// Label for `\ref`. Characters other than letters, digits, `:`, `.` and `-` become hyphens.
    pub label: &'a str,
    /// Headings of the columns and their alignment.
    pub columns: &'a [(&'a str, LatexSide)],
    /// Cells, row by row. Missing cells stay empty.
    pub rows: &'a [Vec<LatexCell>],
    /// Notes below the table, one per line.
    pub notes: &'a [String],
}

/// Returns the LaTeX code of a table with rules from the `booktabs` package. Tables with 41 or more rows break across
/// pages and also need the `longtable` package. [`Broken`](LatexSide::Broken) columns need the `array` package. The
/// table has no space at its left and right edges, so that wide tables fit on a page. All texts are escaped, so none of
/// them can contain a command.
pub fn latex_table(table: &LatexTable<'_>) -> String {
    let LatexTable { caption, label, columns, rows, notes } = table;
    let sides: String = columns.iter().map(|(_, side)| side.specification()).collect();
    let sides = format!("{{@{{}}{sides}@{{}}}}");
    let names: Vec<String> = columns.iter().map(|(name, _)| escape(name)).collect();
    let heading = format!("{} \\\\", names.join(" & "));
    let notes = below(notes);
    let body: String = rows.iter().map(|row| line(row, columns)).collect();
    let caption = escape(caption);
    let plain = |character: char| character.is_ascii_alphanumeric() || ":.-".contains(character);
    let label = label.replace(|character| !plain(character), "-");
    if rows.len() >= LONG {
        return format!(
            "{{{STYLE}\n\\begin{{longtable}}{sides}\n\\caption{{{caption}}}\\label{{{label}}} \\\\\n\
             \\toprule\n{heading}\n\\midrule\n\\endfirsthead\n\\toprule\n{heading}\n\\midrule\n\\endhead\n\
             \\bottomrule\n\\endfoot\n{body}\\end{{longtable}}\n{notes}}}\n"
        );
    }
    format!(
        "\\begin{{table}}[htbp]\n\\centering\n\\caption{{{caption}}}\n\\label{{{label}}}\n{STYLE}\n\
         \\begin{{tabular}}{sides}\n\\toprule\n{heading}\n\\midrule\n{body}\\bottomrule\n\
         \\end{{tabular}}\n{notes}\\end{{table}}\n"
    )
}

/// Returns the notes below a table as paragraphs, in the font size of the table.
fn below(notes: &[String]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let lines: String = notes.iter().map(|note| format!("\\noindent {}\\par\n", escape(note))).collect();
    format!("\\par\\smallskip\n{{\\raggedright\n{lines}}}\n")
}

fn line(row: &[LatexCell], columns: &[(&str, LatexSide)]) -> String {
    let mut cells = Vec::with_capacity(columns.len());
    for (cell, (_, side)) in row.iter().zip(columns) {
        match cell {
            LatexCell::Text(text) if matches!(side, LatexSide::Broken { .. }) => cells.push(broken(text)),
            LatexCell::Text(text) => cells.push(escape(text)),
            LatexCell::Rest(text) => {
                let left = columns.len() - cells.len();
                let text = escape(text);
                cells.push(format!(r"\multicolumn{{{left}}}{{p{{0.5\linewidth}}@{{}}}}{{\raggedright {text}}}"));
                return format!("{} \\\\\n", cells.join(" & "));
            }
        }
    }
    cells.resize(columns.len(), String::new());
    format!("{} \\\\\n", cells.join(" & "))
}

/// Escapes a text, and allows line breaks after separators.
fn broken(text: &str) -> String {
    let parts = text.split_inclusive([',', '+', ':', '[', '/']).map(escape);
    parts.collect::<Vec<_>>().join(r"\allowbreak{}")
}

/// Escapes everything that LaTeX would interpret as a command. Replaces control characters with code points such as
/// `U+00E9`. Does the same for characters that are missing from the fonts of plain pdfLaTeX.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
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
            '≈' => out.push_str(r"$\approx$"),
            '…' => out.push_str(r"\ldots{}"),
            // Braces keep a preceding row break from reading the bracket as its argument.
            '[' | ']' => out.extend(['{', character, '}']),
            character if character.is_ascii() && !character.is_ascii_control() => out.push(character),
            other => out.push_str(&format!("U+{:04X}", other as u32)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[(&str, LatexSide)] = &[
        ("Case", LatexSide::Broken { width_pct: 23 }),
        ("Median", LatexSide::Left),
        ("95% interval", LatexSide::Right),
    ];

    fn text(text: &str) -> LatexCell {
        LatexCell::Text(text.into())
    }

    #[test]
    fn tables_have_rules_caption_and_label() {
        let rows = [
            vec![text("a_b"), text("10.4 µs"), text("10.3 to 10.5")],
            vec![text("c+d"), LatexCell::Rest("failed: 100%".into())],
            vec![text("d")],
        ];
        let table =
            LatexTable { caption: "Times & more.", label: "tab:x y", columns: COLUMNS, rows: &rows, notes: &[] };
        let wanted = r"\begin{table}[htbp]
\centering
\caption{Times \& more.}
\label{tab:x-y}
\footnotesize\setlength{\tabcolsep}{2pt}
\begin{tabular}{@{}>{\raggedright\arraybackslash}p{0.23\linewidth}lr@{}}
\toprule
Case & Median & 95\% interval \\
\midrule
a\_b & 10.4 $\mu$s & 10.3 to 10.5 \\
c+\allowbreak{}d & \multicolumn{2}{p{0.5\linewidth}@{}}{\raggedright failed: 100\%} \\
d &  &  \\
\bottomrule
\end{tabular}
\end{table}
";
        assert_eq!(latex_table(&table), wanted);
    }

    #[test]
    fn notes_follow_the_rules_of_both_kinds_of_table() {
        let notes = ["(a) 100% of it".to_owned(), "(b) a_b".to_owned()];
        let below =
            "\\par\\smallskip\n{\\raggedright\n\\noindent (a) 100\\% of it\\par\n\\noindent (b) a\\_b\\par\n}\n";
        for (rows, end) in [(1, "\\end{tabular}\n"), (LONG, "\\end{longtable}\n")] {
            let rows = vec![vec![text("x")]; rows];
            let table = LatexTable { caption: "c", label: "l", columns: COLUMNS, rows: &rows, notes: &notes };
            let written = latex_table(&table);
            assert!(written.contains(&format!("{end}{below}")), "{written}");
            assert_eq!(written.matches('{').count(), written.matches('}').count(), "{written}");
        }
    }

    #[test]
    fn long_tables_break_across_pages() {
        let rows = vec![vec![text("x"), text("1"), text("2")]; LONG];
        let long = LatexTable { caption: "c", label: "l", columns: COLUMNS, rows: &rows, notes: &[] };
        let written = latex_table(&long);
        assert!(written.contains(r"\begin{longtable}{@{}>{") && written.contains(r"\endhead"), "{written}");
        assert!(!written.contains("tabular"), "{written}");
        assert!(latex_table(&LatexTable { rows: &rows[1..], ..long }).contains("tabular"));
    }

    #[test]
    fn texts_cannot_contain_commands() {
        assert_eq!(
            escape(r"a_b & 50% \x{y}^~<µ>é"),
            r"a\_b \& 50\% \textbackslash{}x\{y\}\textasciicircum{}\textasciitilde{}\textless{}$\mu$\textgreater{}U+00E9"
        );
        assert_eq!(escape("%\n\\input[x]"), r"\%U+000A\textbackslash{}input{[}x{]}");
    }
}
