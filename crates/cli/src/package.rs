//! Runs the verbs that the Python package implements, by replacing the current process.

use crate::output::BadInput;
use anyhow::Context;
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Environment variable that names the Python interpreter with the package, if this is not `python3`.
const PYTHON: &str = "PQLAB_PYTHON";

/// Replaces the current process with the package's `verb`, so that the package receives signals and sets the exit code.
///
/// # Errors
/// [`BadInput`] if Python does not have the package. The message begins with `needed_by`, the verb or option that needs
/// the package.
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

/// Returns a path as a string for a JSON request.
///
/// # Errors
/// [`BadInput`] if the path is not UTF-8.
pub(crate) fn utf8(path: &Path) -> Result<&str, BadInput> {
    path.to_str().ok_or_else(|| BadInput(format!("{}: a cluster needs a path in UTF-8", path.display())))
}
