//! Layout of the help: verbs in groups, and everyday options in `-h`.

use super::Cli;
use clap::{Command, CommandFactory};

/// Verbs by purpose.
const GROUPS: &[(&str, &[&str])] = &[
    ("Measure", &["run", "compare-libraries", "library", "calibrate", "fleet"]),
    ("Look", &["show", "runs", "list", "report", "serve"]),
    ("Compare", &["compare", "gate", "stats"]),
    ("Check", &["verify", "inspect", "leak", "doctor"]),
    ("Exchange", &["export", "import"]),
    ("Special", &["ledger", "ntor-relay", "ntor-client", "completions", "man"]),
];

/// Options that `-h` shows, for verbs with too many options for one screen.
const EVERYDAY: &[(&str, &[&str])] = &[
    (
        "run",
        &[
            "suites",
            "dry_run",
            "quick",
            "rigorous",
            "algorithm",
            "provider",
            "filter",
            "precision_pct",
            "max_time_s",
            "out",
            "format",
            "wide",
            "baseline",
            "save_baseline",
            "resume",
        ],
    ),
    (
        "gate",
        &["baseline", "fail_slower", "metric", "algorithm", "provider", "quick", "rigorous", "format", "precision_pct"],
    ),
    (
        "compare-libraries",
        &[
            "first",
            "second",
            "suites",
            "algorithm",
            "quick",
            "rigorous",
            "margin",
            "exit_code",
            "all",
            "wide",
            "format",
        ],
    ),
    ("leak", &["cases", "list", "samples", "effect", "max_time", "taint", "format", "libraries"]),
    ("export", &["run", "format", "table", "provider", "digits", "out", "db"]),
    ("inspect", &["what", "provider", "seed", "full", "format"]),
    ("report", &["runs", "merge", "out", "site", "weights", "db"]),
    ("list", &["what", "of", "algorithm", "provider", "filter", "format"]),
    ("calibrate", &["suites", "comparisons", "case", "independence", "between", "algorithm", "quick", "format"]),
    (
        "compare",
        &[
            "first",
            "second",
            "since",
            "run",
            "published",
            "margin",
            "metric",
            "exit_code",
            "all",
            "wide",
            "format",
            "db",
        ],
    ),
    ("show", &["run", "case", "wide", "full", "weights", "db"]),
];

/// Returns the command line with two forms of help: `--help` is complete, and `-h` fits on one screen.
pub(crate) fn command() -> Command {
    let mut command = Cli::command();
    let groups = groups(&command);
    for verb in command.clone().get_subcommands() {
        let name = verb.get_name().to_owned();
        command = command.mut_subcommand(&name, |verb| short(verb, &name));
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ))
}

/// Returns whether the program has this verb.
pub(crate) fn is_verb(name: &str) -> bool {
    GROUPS.iter().any(|(_, verbs)| verbs.contains(&name))
}

/// Lists the verbs under the names of their groups.
fn groups(command: &Command) -> String {
    let line = |name: &&str| {
        let verb = command.find_subcommand(name).filter(|verb| !verb.is_hide_set());
        let about = verb.and_then(|verb| verb.get_about()).map(ToString::to_string).unwrap_or_default();
        format!("  {name:17}  {about}\n")
    };
    let group =
        |(title, verbs): &(&str, &[&str])| format!("{title}:\n{}\n", verbs.iter().map(line).collect::<String>());
    GROUPS.iter().map(group).collect()
}

/// Shortens the `-h` of a verb to everyday options, examples, and a reference to the complete help.
fn short(verb: Command, name: &str) -> Command {
    let everyday = EVERYDAY.iter().find(|(of, _)| *of == name).map(|(_, options)| *options);
    let Some(everyday) = everyday else { return verb };
    let full = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let examples: String = full.split("\n\n").find(|part| part.starts_with("Examples:")).unwrap_or_default().to_owned();
    let examples: Vec<&str> = examples.lines().take(1 + EXAMPLES).collect();
    let after = format!("{}\n\nAll options: pqlab {name} --help", examples.join("\n"));
    verb.mut_args(|arg| {
        let rare = !everyday.contains(&arg.get_id().as_str()) && arg.get_id() != "help";
        if rare { arg.hide_short_help(true) } else { arg }
    })
    .after_help(after)
    .after_long_help(full)
}

/// Number of examples in `-h`.
const EXAMPLES: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_is_in_one_group() {
        let command = Cli::command();
        let mut visible: Vec<&str> =
            command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, verbs)| verbs.iter().copied()).collect();
        visible.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, visible);
    }

    #[test]
    fn everyday_options_exist() {
        let command = Cli::command();
        for (verb, options) in EVERYDAY {
            let verb = command.find_subcommand(verb).unwrap();
            for option in *options {
                assert!(verb.get_arguments().any(|arg| arg.get_id() == option), "{option} of {}", verb.get_name());
            }
        }
    }

    #[test]
    fn short_help_fits_on_one_screen() {
        let mut command = command();
        command.build();
        for name in command.clone().get_subcommands().map(Command::get_name) {
            let verb = command.find_subcommand_mut(name).unwrap();
            let lines = verb.render_help().to_string().lines().count();
            assert!(verb.is_hide_set() || lines <= 40, "pqlab {name} -h has {lines} lines");
        }
    }

    /// Writes a section of the reference page for a verb and for each of its sub-verbs.
    fn section(verb: &mut Command, name: &str, out: &mut String) {
        let help = verb.clone().term_width(100).render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        out.push_str(&format!("\n## `{name}`\n\n```text\n{}\n```\n", lines.join("\n")));
        for below in verb.get_subcommands_mut().filter(|below| !below.is_hide_set() && below.get_name() != "help") {
            section(below, &format!("{name} {}", below.get_name()), out);
        }
    }

    /// Compares docs/cli.md with the program's help. With `PQLAB_RENEW_SNAPSHOTS=1`, writes the page instead.
    #[test]
    fn the_reference_page_is_the_help_of_the_program() {
        let mut command = command();
        command.build();
        let mut page = "# Command line\n\nThe help of every verb, as `pqlab VERB --help` prints it.\n".to_owned();
        section(&mut command, "pqlab", &mut page);
        let path = "../../docs/cli.md";
        if std::env::var_os("PQLAB_RENEW_SNAPSHOTS").is_some() {
            std::fs::write(path, page).unwrap();
        } else {
            let stored = std::fs::read_to_string(path).unwrap_or_default();
            assert!(stored == page, "docs/cli.md differs from the help; PQLAB_RENEW_SNAPSHOTS=1 renews it");
        }
    }
}
