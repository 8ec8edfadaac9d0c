//! Generates manual pages from the help texts.

use crate::DONE;
use crate::args::ManArgs;
use crate::output::{self, BadInput};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::fs;
use std::io;

const PROGRAM: &str = "pqlab";
// A test requires these headings in the help of every verb. They become sections of the manual page.
const EXAMPLES: &str = "Examples:\n";
const EXIT_CODES: &str = "Exit codes: ";

pub(crate) fn run(arguments: &ManArgs) -> anyhow::Result<u8> {
    let mut command = crate::args::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &arguments.out else {
        let page = page(named(&command, &arguments.verb)?)?;
        output::raw(&String::from_utf8_lossy(&page))?;
        return Ok(DONE);
    };
    fs::create_dir_all(folder)
        .map_err(|error| BadInput(format!("cannot create folder {}: {error}", folder.display())))?;
    for verb in all(&command) {
        let path = folder.join(format!("{}.1", name(verb)));
        let page = page(verb)?;
        output::write_file(&path, &output::destination(&path)?, |file| Ok(file.write_all(&page)?))?;
    }
    Ok(DONE)
}

/// Returns the verb or sub-verb that `words` name. Without words, returns the program itself.
fn named<'c>(command: &'c Command, words: &[String]) -> Result<&'c Command, BadInput> {
    let mut found = command;
    for word in words {
        let below = found.find_subcommand(word).filter(|verb| !verb.is_hide_set());
        found = below.ok_or_else(|| BadInput(format!("unknown verb `{}`: see `pqlab --help`", words.join(" "))))?;
    }
    Ok(found)
}

/// Returns the program and every visible verb.
fn all(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().filter(|verb| !verb.is_hide_set()).flat_map(all);
    std::iter::once(command).chain(below).collect()
}

/// Returns the name of a command's manual page, such as `pqlab-runs-rm`.
fn name(command: &Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let version = concat!("pqlab ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).title(name(command)).manual(PROGRAM).source(version);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_positionals().chain(command.get_opts()).next().is_some() {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let closing_text = command.get_after_long_help().or(command.get_after_help());
    closing(&closing_text.map(ToString::to_string).unwrap_or_default()).to_writer(&mut page)?;
    let mut see = Roff::new();
    see.control("SH", ["SEE ALSO"]);
    match command.get_name() == PROGRAM {
        true => see.text([bold("man pqlab-VERB"), roman(", "), bold("pqlab VERB --help")]),
        false => see.text([bold(PROGRAM), roman("(1)")]),
    };
    see.to_writer(&mut page)?;
    Ok(page)
}

/// Returns the sections after the options: notes and examples unchanged, then exit codes.
fn closing(help: &str) -> Roff {
    let mut roff = Roff::new();
    let (before, codes) = help.split_once(EXIT_CODES).unwrap_or((help, ""));
    let (words, examples) = before.split_once(EXAMPLES).unwrap_or((before, ""));
    for (heading, text, kept) in [("NOTES", words, true), ("EXAMPLES", examples, true), ("EXIT STATUS", codes, false)] {
        let lines: Vec<&str> = text.trim_matches('\n').lines().collect();
        if lines.iter().all(|line| line.is_empty()) {
            continue;
        }
        roff.control("SH", [heading]);
        match kept {
            true => {
                roff.control("nf", []);
                lines.iter().for_each(|line| _ = roff.text([roman(*line)]));
                roff.control("fi", []);
            }
            false => _ = roff.text([roman(lines.join(" "))]),
        }
    }
    roff
}
