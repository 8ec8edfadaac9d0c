//! Exports are read by the programs that they are made for: pyperf and polars, which `scripts/setup test` installs, and
//! pdflatex where it is installed. What is not there is said to be skipped.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use std::path::PathBuf;
use std::process::{Command, Output};

/// Python of the virtual environment that `scripts/setup test` makes, or `PQLAB_PYTHON`.
fn python() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PQLAB_PYTHON") {
        return Some(named.into());
    }
    let cache = std::env::var_os("PQLAB_CACHE").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/pqlab")))?;
    Some(cache.join("venv-test/bin/python")).filter(|python| python.exists())
}

fn said(output: &Output) -> String {
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

#[test]
fn pyperf_polars_and_latex_read_what_is_made_for_them() {
    let pqlab = Pqlab::new();
    pqlab.expect(0, &["run", "smoke", "--seed", "1", "--no-progress", "-q"]);
    let export = |format: &str, name: &str| {
        let path = pqlab.path(name);
        pqlab.expect(0, &["export", "last", "--format", format, "--out", path.to_str().unwrap()]);
        path
    };
    let has = |module: &str| {
        let python = python()?;
        let tried = Command::new(&python).args(["-c", &format!("import {module}")]).output().ok()?;
        tried.status.success().then_some(python)
    };
    match has("pyperf") {
        None => println!("skipped: pyperf is not there (`scripts/setup test` installs it)"),
        Some(python) => {
            let file = export("pyperf", "pyperf.json");
            for verb in ["check", "show", "stats"] {
                let output = Command::new(&python).args(["-m", "pyperf", verb]).arg(&file).output().unwrap();
                assert!(output.status.success() && !text(&output.stdout).is_empty(), "{verb}: {}", said(&output));
                assert!(!said(&output).contains("Traceback"), "{verb}: {}", said(&output));
            }
        }
    }
    match has("polars") {
        None => println!("skipped: polars is not there (`scripts/setup test` installs it)"),
        Some(python) => {
            let (parquet, csv) = (export("parquet", "run.parquet"), export("csv", "run.csv"));
            let program = "import polars, sys
parquet, csv = polars.read_parquet(sys.argv[1]), polars.read_csv(sys.argv[2], infer_schema_length=None)
assert parquet['id'].to_list() == csv['id'].to_list()
assert parquet['median_us'].to_list() == csv['median_us'].to_list(), 'medians'
assert parquet['verified'].dtype == polars.Boolean and parquet['n'].dtype == polars.Int64
print(parquet.height)";
            let output = Command::new(&python).args(["-c", program]).arg(parquet).arg(csv).output().unwrap();
            assert!(output.status.success(), "{}", said(&output));
            assert!(text(&output.stdout).trim().parse::<usize>().unwrap() > 5);
        }
    }
    let table = export("latex", "table.tex");
    if Command::new("pdflatex").arg("--version").output().is_err() {
        println!("skipped: pdflatex is not there (Debian: texlive-latex-recommended)");
        return;
    }
    let document = format!(
        "\\documentclass{{article}}\\usepackage{{booktabs,longtable}}\\begin{{document}}\\input{{{}}}\\end{{document}}\n",
        table.display()
    );
    common::write(&pqlab.path("main.tex"), &document);
    let folder = pqlab.path("");
    let output = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "main.tex"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success() && pqlab.path("main.pdf").exists(), "{}", said(&output));
}
