//! Verbs that the Python package performs: this program becomes it.

use crate::output::BadInput;
use anyhow::Context;
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Names the Python that has the package, if it is not `python3`.
const PYTHON: &str = "PQLAB_PYTHON";

/// Has the package do what `request` says of its `verb`. It takes the place of this process, so that signals and the exit code are
/// the package's own.
///
/// # Errors
/// [`BadInput`] if Python has no such package; `asked` is what needs it.
pub(crate) fn become_package(verb: &str, request: &Value, asked: &str) -> anyhow::Result<u8> {
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let there = Command::new(&python).args(["-c", "import pqlab._command"]).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        let name = Path::new(&python).display();
        let remedy = format!("pip install 'pqlab[cluster]', or name another Python in {PYTHON}");
        return Err(BadInput(format!("{asked}: {name} has no package pqlab: {remedy}")).into());
    }
    let mut package = Command::new(&python);
    package.args(["-m", "pqlab._command", verb]).arg(request.to_string());
    Err(package.exec()).context("cannot start Python")
}

/// A path for a request.
///
/// # Errors
/// [`BadInput`] if JSON cannot hold it.
pub(crate) fn utf8(path: &Path) -> Result<&str, BadInput> {
    path.to_str().ok_or_else(|| BadInput(format!("{}: a cluster takes names in UTF-8 only", path.display())))
}
