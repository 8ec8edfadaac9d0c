//! Checks that other programs can read the exports: pyperf and polars (installed by `scripts/setup test`), Google
//! Benchmark's compare.py, cmark-gfm and pdflatex. Each program reads a measured run, and a copy of the run with a name
//! that is hard to escape.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use pqlab_testing::{Need, program, python_with, require};
use std::path::Path;
use std::process::{Command, Output};

/// Path of compare.py from Debian's libbenchmark-tools package.
const COMPARE: &str = "/usr/share/benchmark/compare.py";
/// Name that is hard to escape. The name replaces `ML-KEM-768`. It contains no line feed, because programs handle line
/// feeds differently.
const HOSTILE: &str = "<script>a,b\"c\"</script> & 100% _x_ {\\input{y}} |漢字| $é$ #~^";

/// Returns standard output and standard error.
fn both_streams(output: &Output) -> String {
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

#[test]
fn external_programs_read_the_exports() {
    let pqlab = Pqlab::new();
    pqlab.expect(0, &["run", "smoke", "--seed", "1", "--no-progress", "-q"]);
    let document = pqlab.expect(0, &["export", "last", "--format", "json-samples"]);
    let measured: serde_json::Value = serde_json::from_str(&document).unwrap();
    let measured = measured["run"]["id"].as_str().unwrap();
    let quoted = serde_json::to_string(HOSTILE).unwrap();
    let hostile = document.replace("ML-KEM-768", quoted.trim_matches('"')).replace(measured, "hostile");
    assert_ne!(hostile, document);
    let file = common::write(&pqlab.path("hostile.json"), &hostile);
    pqlab.expect(0, &["import", &file]);
    for run in [measured, "hostile"] {
        let export = |format: &str, name: &str| {
            let path = pqlab.path(&format!("{run}-{name}"));
            pqlab.expect(0, &["export", run, "--format", format, "--out", path.to_str().unwrap()]);
            path
        };
        pyperf(&export("pyperf", "pyperf.json"));
        polars(&export("parquet", "run.parquet"), &export("csv", "run.csv"));
        compare(&export("google-benchmark", "benchmark.json"));
        markdown(&export("markdown", "BENCHMARKS.md"));
        latex(&export("latex", "table.tex"));
    }
}

fn pyperf(file: &Path) {
    let python = require!(python_with("pyperf"), Need::Installed("pyperf"));
    for verb in ["check", "show", "stats"] {
        let output = Command::new(&python).args(["-m", "pyperf", verb]).arg(file).output().unwrap();
        assert!(output.status.success() && !text(&output.stdout).is_empty(), "{verb}: {}", both_streams(&output));
        assert!(!both_streams(&output).contains("Traceback"), "{verb}: {}", both_streams(&output));
    }
}

fn polars(parquet: &Path, csv: &Path) {
    let python = require!(python_with("polars"), Need::Installed("polars"));
    let program = "import polars, sys
parquet, csv = polars.read_parquet(sys.argv[1]), polars.read_csv(sys.argv[2], infer_schema_length=None)
assert parquet['id'].to_list() == csv['id'].to_list()
assert parquet['median_us'].to_list() == csv['median_us'].to_list(), 'medians'
assert parquet['verified'].dtype == polars.Boolean and parquet['n'].dtype == polars.Int64
print(parquet.height)";
    let output = Command::new(&python).args(["-c", program]).arg(parquet).arg(csv).output().unwrap();
    assert!(output.status.success(), "{}", both_streams(&output));
    assert!(text(&output.stdout).trim().parse::<usize>().unwrap() > 5);
}

/// Compares a run with itself, using compare.py. Every row must show that nothing changed.
fn compare(file: &Path) {
    let python = require!(python_with("scipy"), Need::Installed("SciPy"));
    require!(
        Path::new(COMPARE).exists(),
        Need::Installed("Google Benchmark's compare.py (Debian: libbenchmark-tools)")
    );
    let output = Command::new(&python).args([COMPARE, "--no-color", "benchmarks"]).args([file, file]).output().unwrap();
    assert!(output.status.success(), "{}", both_streams(&output));
    assert!(text(&output.stdout).matches("+0.0000").count() > 10, "{}", both_streams(&output));
}

fn markdown(file: &Path) {
    let cmark = require!(program("cmark-gfm"), Need::Installed("cmark-gfm"));
    let output = Command::new(cmark).args(["-e", "table", "-t", "html"]).arg(file).output().unwrap();
    assert!(output.status.success(), "{}", both_streams(&output));
    let html = text(&output.stdout);
    assert!(!html.contains("<script") && !html.contains("raw HTML omitted"), "{html}");
    let source = std::fs::read_to_string(file).unwrap();
    // Every line that begins with `|` must become a table row, except the separators below the
    // headings.
    let lines = |sign: &str| source.lines().filter(|line| line.starts_with(sign)).count();
    assert_eq!(html.matches("<tr>").count(), lines("|") - lines("|---"), "{html}");
    assert_eq!(html.matches("<table>").count(), lines("|---"));
}

/// Checks that the document compiles, and that no table is wider than the page.
fn latex(table: &Path) {
    let pdflatex = require!(program("pdflatex"), Need::Installed("pdflatex (Debian: texlive-latex-recommended)"));
    let document = format!(
        "\\documentclass{{article}}\\usepackage{{array,booktabs,longtable}}\\begin{{document}}\\input{{{}}}\\end{{document}}\n",
        table.display()
    );
    let main = table.with_extension("main.tex");
    common::write(&main, &document);
    let compile = || {
        let mut command = Command::new(&pdflatex);
        command.args(["-interaction=nonstopmode", "-halt-on-error"]).arg(&main).current_dir(table.parent().unwrap());
        command.output().unwrap()
    };
    // Compile twice, because longtable uses the widths from the first pass.
    compile();
    let output = compile();
    assert!(output.status.success() && main.with_extension("pdf").exists(), "{}", both_streams(&output));
    let wide: Vec<String> =
        text(&output.stdout).lines().filter(|line| line.contains("in alignment")).map(str::to_owned).collect();
    assert_eq!(wide, Vec::<String>::new(), "{}", both_streams(&output));
}
