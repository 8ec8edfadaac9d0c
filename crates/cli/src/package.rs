//! Verbs that the Python package performs: this process is replaced by it.

use crate::output::BadInput;
use anyhow::Context;
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Environment variable that names the Python with the package, if it is not `python3`.
const PYTHON: &str = "PQLAB_PYTHON";

/// Replaces this process with the package's `verb`, so that signals and the exit code are the package's own.
///
/// # Errors
/// [`BadInput`] if Python does not have the package; `needed_by` is the verb or option that needs it.
pub(crate) fn become_package(verb: &str, request: &Value, needed_by: &str) -> anyhow::Result<u8> {
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let imported = Command::new(&python).args(["-c", "import pqlab._command"]).stderr(Stdio::null()).status();
    if !imported.is_ok_and(|status| status.success()) {
        let name = Path::new(&python).display();
        let remedy = format!("pip install 'pqlab[cluster]', or name another Python in {PYTHON}");
        return Err(BadInput(format!("{needed_by}: {name} does not have the package pqlab: {remedy}")).into());
    }
    let mut package = Command::new(&python);
    package.args(["-m", "pqlab._command", verb]).arg(request.to_string());
    Err(package.exec()).context("cannot start Python")
}

/// Returns a path as text for a request in JSON.
///
/// # Errors
/// [`BadInput`] if the path is not UTF-8.
pub(crate) fn utf8(path: &Path) -> Result<&str, BadInput> {
    path.to_str().ok_or_else(|| BadInput(format!("{}: a cluster needs a path in UTF-8", path.display())))
}
