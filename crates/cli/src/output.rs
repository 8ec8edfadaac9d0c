//! Where words go: data to standard output, talk to standard error.

use crate::args::ColorChoice;
use anyhow::Context;
use pqlab_lab::report::terminal::Palette;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Something that the user gave cannot be used; one line that says what, where and how to mend it.
#[derive(Debug)]
pub(crate) struct BadInput(pub(crate) String);

impl std::fmt::Display for BadInput {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// What is known of the terminal.
#[derive(Debug)]
pub(crate) struct Terminal {
    /// Whether to colour.
    pub(crate) palette: Palette,
    /// Columns.
    pub(crate) width: usize,
}

impl Terminal {
    pub(crate) fn new(choice: ColorChoice) -> Terminal {
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                !forbidden && io::stdout().is_terminal()
            }
        };
        let width = terminal_size::terminal_size().map_or(120, |(width, _)| usize::from(width.0));
        Terminal { palette: Palette { colour: color }, width }
    }
}

/// Writes data to standard output.
pub(crate) fn data(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Says something on standard error.
pub(crate) fn talk(text: &str) {
    // If standard error is gone there is nobody to tell.
    writeln!(io::stderr().lock(), "{text}").ok();
}

/// Says what went wrong on standard error, in one line.
pub(crate) fn complain(text: &str) {
    let line = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    talk(&format!("pqlab: {line}"));
}

/// Writes a file whole or not at all: under another name first, then renamed.
pub(crate) fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let name = path.file_name().with_context(|| format!("{} is no file name", path.display()))?;
    let mut partial = name.to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let partial = path.with_file_name(partial);
    let outcome = (|| {
        let mut file = io::BufWriter::new(fs::File::create(&partial)?);
        write(&mut file)?;
        file.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        fs::rename(&partial, path)?;
        Ok(())
    })();
    if outcome.is_err() {
        fs::remove_file(&partial).ok();
    }
    outcome.map_err(|error: anyhow::Error| BadInput(format!("cannot write {}: {error}", path.display())).into())
}
