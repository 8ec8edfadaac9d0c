//! Where words go: data to standard output, talk to standard error.

use crate::args::ColorChoice;
use pqlab_lab::Destination;
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::text::neutral;
use pqlab_lab::report::terminal::{Palette, steady};
use pqlab_lab::report::{Exporter, shell_line};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Something that the user gave cannot be used; one line that says what, where and how to fix it.
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
        let stdout = io::stdout();
        let room = stdout
            .is_terminal()
            .then(|| terminal_size::terminal_size_of(&stdout).map_or(PAGE, |(width, _)| usize::from(width.0)));
        let columns = std::env::var("COLUMNS").ok();
        Terminal { palette: Palette { colour: color }, width: width(columns.as_deref(), room) }
    }

    /// Columns of what is set in blocks and sentences, of which nothing is lost where they are narrow.
    pub(crate) fn page(&self) -> usize {
        if self.width == UNLIMITED { PAGE } else { self.width }
    }
}

/// Columns where nothing is cut and no column is left out.
const UNLIMITED: usize = usize::MAX;
/// Columns of a page, and of a terminal that does not tell.
const PAGE: usize = 120;

/// As many columns as the user says, else as the terminal has. Whoever reads a pipe or a file has room for everything.
fn width(columns: Option<&str>, terminal: Option<usize>) -> usize {
    let said = columns.and_then(|columns| columns.trim().parse().ok()).filter(|columns| *columns > 0);
    said.or(terminal).unwrap_or(UNLIMITED)
}

/// Writes sentences and tables to standard output. What a file, a store or a machine's name supplied cannot steer the
/// terminal.
pub(crate) fn data(text: &str) -> io::Result<()> {
    raw(&steady(text))
}

/// Writes a JSON value to standard output, on one line or on several. Where JSON leaves a character of a string as it is
/// that would steer a terminal, its escape stands.
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

/// Writes to standard output what is ours to the last byte.
pub(crate) fn raw(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Says something on standard error; what it quotes cannot steer the terminal.
pub(crate) fn talk(text: &str) {
    // If standard error is gone there is nobody to tell.
    writeln!(io::stderr().lock(), "{}", steady(text)).ok();
}

/// Says what went wrong on standard error, in one line.
pub(crate) fn complain(text: &str) {
    let line = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    talk(&format!("pqlab: {line}"));
}

/// Prints a run in an export format, and what the format notes of it to standard error.
pub(crate) fn print_export(exporter: &dyn Exporter, analysis: &RunAnalysis<'_>) -> anyhow::Result<()> {
    print_notes(exporter, analysis);
    let mut out = io::BufWriter::new(io::stdout().lock());
    exporter.export(analysis, &mut out)?;
    out.flush()?;
    Ok(())
}

/// Prints to standard error what an export format notes of a run.
pub(crate) fn print_notes(exporter: &dyn Exporter, analysis: &RunAnalysis<'_>) {
    exporter.notes(analysis).iter().for_each(|note| talk(note));
}

/// The command line as it can be typed again.
pub(crate) fn command_line() -> String {
    shell_line(&std::iter::once("pqlab".to_owned()).chain(std::env::args().skip(1)).collect::<Vec<_>>())
}

/// Where a file goes that the user names after a flag; `-` is standard output.
pub(crate) fn destination(path: &Path) -> Result<Destination, BadInput> {
    Destination::of(path).map_err(|error| BadInput(format!("cannot write {}: {error}", path.display())))
}

/// Writes what the user calls `path`: a regular file whole or not at all, and to what is none directly.
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
        // Whoever reads a pipe may have seen enough, as with standard output.
        if crate::is_broken_pipe(&error) {
            return error;
        }
        BadInput(format!("cannot write {}: {error}", path.display())).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_has_room_for_everything_unless_the_user_says_how_much() {
        assert_eq!((width(None, None), width(None, Some(80))), (UNLIMITED, 80));
        assert_eq!((width(Some("100"), None), width(Some("100"), Some(80))), (100, 100));
        for nonsense in ["", "0", "-3", "wide"] {
            assert_eq!((width(Some(nonsense), None), width(Some(nonsense), Some(80))), (UNLIMITED, 80));
        }
    }
}
