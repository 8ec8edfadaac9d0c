//! Checks docs/reference.md. The document lists what the documents of five earlier systems show, with a pqlab command
//! for each item.
//!
//! - Every item must have a command, or be marked as unanswered.
//! - The program must accept each command. Each run must measure at least one case.
//! - The named formats and tables must exist.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, commands_of, shell_words, text};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::analysis::tables::tables;
use pqlab_lab::record::Run;
use pqlab_lab::report::{ExportOptions, exporter_with};
use pqlab_lab::{matches, suites_with_table};
use pqlab_testing::{Need, not_run};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Text that marks a row without a command.
const UNANSWERED: &str = "Not answered";
/// Verbs that finish quickly. The test runs their commands, and only parses most other commands.
const DONE_AT_ONCE: [&str; 4] = ["inspect", "ledger", "list", "stats"];

/// A numbered row of a table in the document.
struct Item {
    number: String,
    text: String,
    /// Commands, without the program's name.
    commands: Vec<Vec<String>>,
}

fn project() -> PathBuf {
    std::path::absolute("../..").unwrap()
}

fn document() -> String {
    std::fs::read_to_string(project().join("docs/reference.md")).unwrap()
}

/// Returns the rows that begin with a letter and a number.
fn items() -> Vec<Item> {
    let document = document();
    let item = |line: &str| {
        let number = line.strip_prefix("| ")?.split(' ').next()?;
        let (letter, rest) = number.split_at_checked(1)?;
        let numbered = letter.chars().all(char::is_uppercase) && !rest.is_empty() && rest.parse::<u32>().is_ok();
        let commands = commands_of(line).iter().map(|command| shell_words(command)[1..].to_vec()).collect();
        numbered.then(|| Item { number: number.to_owned(), text: line.to_owned(), commands })
    };
    document.lines().filter_map(item).collect()
}

/// Returns runs that together contain every table.
fn runs() -> Vec<Run> {
    let made: [fn() -> Run; 11] = [
        pqlab_fixtures::references_run,
        pqlab_fixtures::scaling_run,
        pqlab_fixtures::ntor_ahead_run,
        pqlab_fixtures::batches_run,
        pqlab_fixtures::libraries_run,
        pqlab_fixtures::tls_run,
        pqlab_fixtures::ssh_run,
        pqlab_fixtures::quic_run,
        pqlab_fixtures::protocols_run,
        pqlab_fixtures::mtc_run,
        pqlab_fixtures::cms_run,
    ];
    made.iter().map(|run| run()).collect()
}

/// A store with one run, and the names and areas of the run's tables.
struct Kept {
    pqlab: Pqlab,
    tables: Vec<(&'static str, String)>,
}

fn kept(run: &Run) -> Kept {
    let pqlab = Pqlab::new();
    let analysis = RunAnalysis::new(run);
    let mut file = Vec::new();
    exporter_with("json-samples", &ExportOptions::default()).unwrap().export(&analysis, &mut file).unwrap();
    let path = common::write(&pqlab.path("run.json"), &text(&file));
    pqlab.expect(0, &["import", &path]);
    let tables = tables(&analysis, &RelayScenario::default());
    Kept { pqlab, tables: tables.into_iter().map(|table| (table.name, table.area)).collect() }
}

/// Returns the value of an option.
fn option<'w>(words: &'w [String], name: &str) -> Option<&'w str> {
    words.iter().position(|word| word == name).and_then(|place| words.get(place + 1)).map(String::as_str)
}

fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && !pqlab_cpu::is_hidden(pqlab_cpu::Feature::Avx512);
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Returns whether the command needs code that this processor cannot run.
fn beyond_this_machine(words: &[String]) -> bool {
    words.iter().any(|word| word.contains("avx512")) && !has_avx512()
}

#[test]
fn every_item_has_a_command_or_is_marked_unanswered() {
    let items = items();
    let letters: BTreeSet<char> = items.iter().filter_map(|item| item.number.chars().next()).collect();
    assert_eq!(letters.len(), 5, "{letters:?}");
    for letter in letters {
        let of_document: Vec<&Item> = items.iter().filter(|item| item.number.starts_with(letter)).collect();
        assert!(of_document.len() >= 10, "{letter} has {} items", of_document.len());
        for (wanted, item) in (1..).zip(&of_document) {
            assert_eq!(item.number, format!("{letter}{wanted}"), "item numbers must be consecutive");
        }
    }
    for Item { number, text, commands } in &items {
        assert_eq!(text.split(" | ").count(), 4, "{number}: a row must have four cells: {text}");
        let answered = !commands.is_empty() || text.contains("`make ");
        assert!(answered || text.contains(UNANSWERED), "{number} has no command: {text}");
    }
}

#[test]
fn every_command_is_accepted_and_measures_what_it_exports() {
    let kept: Vec<Kept> = runs().iter().map(kept).collect();
    let (mut lacking, mut planned_runs) = (false, 0);
    // Many rows repeat a command, and planning it again would give the same cases.
    let mut plans: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for Item { number, commands, .. } in items() {
        // The cases and suites that the row's commands run.
        let (mut planned, mut suites) = (Vec::new(), Vec::new());
        // The commands of a row share a folder, because a command may read files that another command wrote.
        let folder = Pqlab::new();
        for words in &commands {
            if beyond_this_machine(words) {
                lacking = true;
                continue;
            }
            match words[0].as_str() {
                "run" => {
                    let ids = plans.entry(words.clone()).or_insert_with(|| planned_by(words)).clone();
                    assert!(!ids.is_empty(), "{number}: {words:?}");
                    planned.extend(ids);
                    suites.extend(words[1..].iter().take_while(|word| !word.starts_with("--")).cloned());
                    planned_runs += 1;
                }
                "export" => exported(&number, words, &kept, &planned, &suites),
                "show" => shown(&number, words, &planned),
                verb if DONE_AT_ONCE.contains(&verb) => done(&folder, words),
                "leak" => {
                    Pqlab::new().expect(0, &with(words, &["--list"]));
                }
                _ => {
                    Pqlab::new().expect(0, &with(words, &["--help"]));
                }
            }
        }
    }
    assert!(planned_runs > 50, "only {planned_runs} commands measure");
    if lacking {
        not_run(Need::Machine("AVX-512"));
    }
}

fn with<'w>(words: &'w [String], more: &[&'w str]) -> Vec<&'w str> {
    words.iter().map(String::as_str).chain(more.iter().copied()).collect()
}

/// Returns the ids of the cases that a command would measure. Omits the estimate of the duration, which needs trials.
fn planned_by(words: &[String]) -> Vec<String> {
    let is_verbose = words.iter().any(|word| word == "--verbose");
    let more = if is_verbose { &["--dry-run"][..] } else { &["--dry-run", "--quiet"] };
    let ids = Pqlab::new().expect(0, &with(words, more));
    ids.lines().map(str::to_owned).collect()
}

/// Exports the table in `words` from a stored run that has it. Checks that one of the row's `suites` produces the
/// table, and that the `planned` cases include the table's area.
fn exported(number: &str, words: &[String], kept: &[Kept], planned: &[String], suites: &[String]) {
    let Some(table) = option(words, "--table") else {
        kept[0].pqlab.expect(0, &with(words, &[]));
        return;
    };
    let having = |kept: &&Kept| kept.tables.iter().any(|(name, _)| *name == table);
    let one = kept.iter().find(having).unwrap_or_else(|| panic!("{number}: no run contains table {table}"));
    assert!(!one.pqlab.expect(0, &with(words, &[])).is_empty(), "{number}: {words:?}");
    let makers = suites_with_table(table);
    let made = makers.is_empty() || suites.iter().any(|suite| makers.contains(&suite.as_str()));
    assert!(made, "{number}: {table} needs one of {makers:?}, but the row runs {suites:?}");
    let areas = kept.iter().flat_map(|kept| &kept.tables).filter(|(name, _)| *name == table).map(|(_, area)| area);
    let areas: BTreeSet<&str> = areas.map(String::as_str).filter(|area| !area.is_empty()).collect();
    let of_area = |id: &String| id.split('/').next().is_some_and(|area| areas.contains(area));
    let measured = areas.is_empty() || makers.is_empty() || makers.len() > 1 || planned.iter().any(of_area);
    assert!(measured, "{number}: {table} needs cases in {areas:?}, which the row does not measure");
}

/// Checks that the row in the document measures the case that its `pqlab show` command names.
fn shown(number: &str, words: &[String], planned: &[String]) {
    if let Some(pattern) = words.get(2).filter(|word| !word.starts_with("--")) {
        assert!(planned.iter().any(|id| matches(pattern, id)), "{number}: {pattern} matches none of {planned:?}");
    }
    Pqlab::new().expect(0, &with(words, &["--help"]));
}

/// Runs a command in a folder that contains the files that the document names.
fn done(pqlab: &Pqlab, words: &[String]) {
    if words[0] == "list" && words.get(1).is_some_and(|what| what.contains('=')) {
        pqlab.expect(0, &with(words, &["--help"]));
        return;
    }
    common::write(&pqlab.path("samples.csv"), "us\n10.1\n10.2\n10.4\n10.1\n10.3\n");
    common::write(&pqlab.path("before.csv"), "us\n10.1\n10.2\n10.4\n10.1\n10.3\n");
    common::write(&pqlab.path("after.csv"), "us\n11.1\n11.2\n11.4\n11.1\n11.3\n");
    common::write(&pqlab.path("loads.csv"), "concurrency,operations,seconds\n100,100,0.05\n500,500,0.23\n");
    let made = words.iter().any(|word| word.ends_with(".tx") && pqlab.path(word).exists());
    if words.iter().any(|word| word == "verify") && !made {
        let block = ["ledger", "generate", "--count", "100", "--invalid", "1", "--out", "block.tx", "--no-progress"];
        assert!(pqlab.command(&block).current_dir(pqlab.path("")).status().unwrap().success());
    }
    let output = pqlab.command(&with(words, &[])).current_dir(pqlab.path("")).output().unwrap();
    // `pqlab ledger verify` exits with 1 if a block contains invalid transactions.
    let rejected = words[0] == "ledger" && output.status.code() == Some(1);
    assert!(rejected || output.status.success(), "{words:?}: {}", text(&output.stderr));
    assert!(!output.stdout.is_empty() || words.iter().any(|word| word == "--out"), "{words:?}");
}

#[test]
fn named_files_and_targets_exist() {
    let document = document();
    let makefile = std::fs::read_to_string(project().join("Makefile")).unwrap();
    let quoted: Vec<&str> = document.split('`').skip(1).step_by(2).collect();
    let targets = quoted.iter().filter_map(|text| text.strip_prefix("make ")).filter_map(|text| text.split(' ').next());
    let mut seen = 0;
    for target in targets {
        assert!(makefile.contains(&format!("\n{target}:")), "make {target}");
        seen += 1;
    }
    for script in quoted.iter().filter(|text| text.starts_with("scripts/")) {
        assert!(project().join(script.split(' ').next().unwrap()).is_file(), "{script}");
        seen += 1;
    }
    let links = document.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    // The files in results/ exist only after `make results`.
    for link in links.filter(|link| !link.contains("://") && !link.starts_with("results/")) {
        let file = link.split('#').next().unwrap();
        assert!(file.is_empty() || project().join("docs").join(file).exists(), "{link}");
        seen += 1;
    }
    assert!(seen > 5);
}

#[test]
fn the_row_of_sha3_csv_names_every_kind_of_column() {
    let item = items().into_iter().find(|item| item.number == "D2").unwrap();
    let mut run = pqlab_fixtures::references_run();
    run.records.retain(|record| record.case.provider == "cryptogams:scalar");
    let mut file = Vec::new();
    exporter_with("sha3-csv", &ExportOptions::default()).unwrap().export(&RunAnalysis::new(&run), &mut file).unwrap();
    let heading = text(&file).lines().next().unwrap().to_owned();
    assert!(heading.contains("64_ticks"), "the heading must have a column for ticks: {heading}");
    for column in heading.split(',').skip(2).filter(|column| column.parse::<u64>().is_err()) {
        assert!(item.text.contains(&format!("`{column}`")), "{column} is missing in {}", item.text);
    }
}
