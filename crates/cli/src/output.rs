//! Output: data goes to standard output, messages to standard error.

use crate::args::ColorChoice;
use pqlab_lab::Destination;
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::text::neutral;
use pqlab_lab::report::terminal::{Palette, steady};
use pqlab_lab::report::{Exporter, shell_line};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Unusable input from the user, with a one-line message: the problem, its place and the fix.
#[derive(Debug)]
pub(crate) struct BadInput(pub(crate) String);

impl std::fmt::Display for BadInput {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// Properties of the terminal that affect the output.
#[derive(Debug)]
pub(crate) struct Terminal {
    /// Whether to use colors.
    pub(crate) palette: Palette,
    /// Width in columns.
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
        let stdout = io::stdout();
        let room = stdout
            .is_terminal()
            .then(|| terminal_size::terminal_size_of(&stdout).map_or(PAGE, |(width, _)| usize::from(width.0)));
        let columns = std::env::var("COLUMNS").ok();
        Terminal { palette: Palette { colour: color }, width: width(columns.as_deref(), room) }
    }

    /// Returns the width in columns for text that can be wrapped without loss.
    pub(crate) fn page(&self) -> usize {
        if self.width == UNLIMITED { PAGE } else { self.width }
    }
}

/// Width in columns for unlimited output: nothing is cut, and no column is dropped.
const UNLIMITED: usize = usize::MAX;
/// Width of a page in columns. Also used if the width of the terminal is unknown.
const PAGE: usize = 120;

/// Returns the width that the user set, otherwise the width of the terminal. Pipes and files have no limit.
fn width(columns: Option<&str>, terminal: Option<usize>) -> usize {
    let chosen = columns.and_then(|columns| columns.trim().parse().ok()).filter(|columns| *columns > 0);
    chosen.or(terminal).unwrap_or(UNLIMITED)
}

/// Writes text to standard output, without control characters. Text may contain names from files and databases, which
/// must not control the terminal.
pub(crate) fn data(text: &str) -> io::Result<()> {
    raw(&steady(text))
}

/// Writes JSON to standard output, on one line or several. Escapes characters that are valid in JSON but could control
/// the terminal.
pub(crate) fn json(text: &str) -> io::Result<()> {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '\n' || neutral(character.encode_utf8(&mut [0; 4])).starts_with(character) {
            out.push(character);
        } else {
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    raw(&out)
}

/// Writes text to standard output unchanged. Only for text that pqlab itself generates.
pub(crate) fn raw(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Writes a message to standard error, without control characters.
pub(crate) fn talk(text: &str) {
    // If this write fails, no other stream can report the error.
    writeln!(io::stderr().lock(), "{}", steady(text)).ok();
}

/// Writes an error to standard error, as one line.
pub(crate) fn complain(text: &str) {
    let line = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    talk(&format!("pqlab: {line}"));
}

/// Prints a run in an export format to standard output, and the format's notes to standard error.
pub(crate) fn print_export(exporter: &dyn Exporter, analysis: &RunAnalysis<'_>) -> anyhow::Result<()> {
    print_notes(exporter, analysis);
    let mut out = io::BufWriter::new(io::stdout().lock());
    exporter.export(analysis, &mut out)?;
    out.flush()?;
    Ok(())
}

/// Prints the notes of an export format to standard error.
pub(crate) fn print_notes(exporter: &dyn Exporter, analysis: &RunAnalysis<'_>) {
    exporter.notes(analysis).iter().for_each(|note| talk(note));
}

/// Returns the command line, quoted so that it can be typed again.
pub(crate) fn command_line() -> String {
    shell_line(&std::iter::once("pqlab".to_owned()).chain(std::env::args().skip(1)).collect::<Vec<_>>())
}

/// Returns the destination that the user names in an option; `-` is standard output.
pub(crate) fn destination(path: &Path) -> Result<Destination, BadInput> {
    Destination::new(path).map_err(|error| BadInput(format!("cannot write {}: {error}", path.display())))
}

/// Writes to `path`: atomically for regular files, directly for pipes and devices.
pub(crate) fn write_file(
    path: &Path,
    destination: &Destination,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let outcome = (|| {
        let (writing, file) = destination.create()?;
        let mut file = io::BufWriter::new(file);
        write(&mut file)?;
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(writing.keep(&mut file)?)
    })();
    outcome.map_err(|error: anyhow::Error| {
        // The path may be a pipe, whose reader may stop early, as with standard output.
        if crate::is_broken_pipe(&error) {
            return error;
        }
        BadInput(format!("cannot write {}: {}", path.display(), error.root_cause())).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_are_unlimited_unless_the_user_sets_a_width() {
        assert_eq!((width(None, None), width(None, Some(80))), (UNLIMITED, 80));
        assert_eq!((width(Some("100"), None), width(Some("100"), Some(80))), (100, 100));
        for nonsense in ["", "0", "-3", "wide"] {
            assert_eq!((width(Some(nonsense), None), width(Some(nonsense), Some(80))), (UNLIMITED, 80));
        }
    }
}
