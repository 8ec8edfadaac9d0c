//! Runs verbs that the Python package implements, by replacing this process.

use crate::output::BadInput;
use anyhow::Context;
use serde_json::Value;
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Environment variable that names the Python interpreter with the package. The default is `python3`.
const PYTHON: &str = "PQLAB_PYTHON";

/// Version of the program. The package must have the same version, because requests carry no format version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Replaces the current process with the package's `verb`, so that the package receives signals and sets the exit code.
///
/// # Errors
/// [`BadInput`] if Python does not have the package, or has a different version of the package. The message begins with
/// `needed_by`, the verb or option that needs the package.
pub(crate) fn become_package(verb: &str, request: &Value, needed_by: &str) -> anyhow::Result<u8> {
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let problem = match version_of(&python) {
        Some(found) if found == VERSION => None,
        Some(found) => Some(format!("has version {found} of the pqlab package, not {VERSION}")),
        None => Some("does not have the pqlab package".to_owned()),
    };
    if let Some(problem) = problem {
        let name = Path::new(&python).display();
        let remedy = format!("run `pip install 'pqlab[cluster]'`, or set {PYTHON} to another Python");
        return Err(BadInput(format!("{needed_by}: {name} {problem}; {remedy}")).into());
    }
    let mut package = Command::new(&python);
    package.args(["-m", "pqlab._command", verb]).arg(request.to_string());
    Err(package.exec()).context("cannot start Python")
}

/// Returns the version of the package, or `None` if this Python does not have the package.
fn version_of(python: &OsStr) -> Option<String> {
    let program = "import pqlab._command; print(pqlab.__version__)";
    let output = Command::new(python).args(["-c", program]).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns a path as a string for a JSON request.
///
/// # Errors
/// [`BadInput`] if the path is not UTF-8.
pub(crate) fn utf8(path: &Path) -> Result<&str, BadInput> {
    path.to_str().ok_or_else(|| BadInput(format!("{}: the Python package pqlab needs a path in UTF-8", path.display())))
}
