//! What is done by the Python package: the program becomes it.

use crate::output::BadInput;
use anyhow::Context;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Names the Python that has the package, where it is not `python3`.
const PYTHON: &str = "PQLAB_PYTHON";

/// Words for the package, by what stands on the command line.
#[derive(Debug, Default)]
pub(crate) struct Words(Vec<OsString>);

impl Words {
    pub(crate) fn of(words: &[&str]) -> Words {
        Words(words.iter().map(OsString::from).collect())
    }

    /// An option with its value, which may begin with a hyphen.
    pub(crate) fn option(&mut self, name: &str, value: impl Into<OsString>) {
        let mut word = OsString::from(format!("{name}="));
        word.push(value.into());
        self.0.push(word);
    }

    pub(crate) fn flag(&mut self, name: &str, given: bool) {
        self.0.extend(given.then(|| name.into()));
    }

    /// Those that are no options, last.
    pub(crate) fn rest<T: Into<OsString>>(&mut self, words: impl IntoIterator<Item = T>) {
        self.0.push("--".into());
        self.0.extend(words.into_iter().map(Into::into));
    }

    /// In place of this process, so that signals and the exit code are the package's own.
    ///
    /// # Errors
    /// [`BadInput`] where Python has no such package; `asked` is what needs it.
    pub(crate) fn become_package(self, asked: &str) -> anyhow::Result<u8> {
        let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
        let there = Command::new(&python).args(["-c", "import pqlab._command"]).stderr(Stdio::null()).status();
        if !there.is_ok_and(|status| status.success()) {
            let name = Path::new(&python).display();
            let remedy = format!("pip install 'pqlab[cluster]', or name another Python in {PYTHON}");
            return Err(BadInput(format!("{asked}: {name} has no package pqlab: {remedy}")).into());
        }
        Err(Command::new(&python).args(["-m", "pqlab._command"]).args(self.0).exec()).context("cannot start Python")
    }
}
