use crate::args::{FormatArgs, LibraryCommand, LibraryVerbArgs};
use crate::output::{BadInput, Terminal};
use crate::signals::stop_on_signals;
use crate::table::table;
use crate::{DONE, INTERRUPTED, laboratory, output};
use indicatif::{ProgressBar, ProgressStyle};
use pqlab_lab::analysis::facts::NOT_FOUND;
use pqlab_lab::analysis::number::memory;
use pqlab_lab::analysis::text::neutral;
use pqlab_lab::verification::KnownDefect;
use pqlab_lab::{
    AddRequest, AddedBuild, AddedLibraries, AddedLibrary, AddedRecords, LabError, LibrarySpec, LinkedLibrary, Recipe,
    Thing, WrongSpec, linked_libraries, recipes,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

pub(crate) fn run(arguments: &LibraryVerbArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    let added = AddedLibraries::of_user()?;
    match &arguments.command {
        None => list(&added, &arguments.output, terminal.width),
        Some(LibraryCommand::List { output }) => list(&added, output, terminal.width),
        Some(LibraryCommand::Add { what, source, label }) => add(&added, what, source.as_deref(), label.as_deref()),
        Some(LibraryCommand::Update { labels }) => update(&added, labels),
        Some(LibraryCommand::Remove { labels }) => {
            let unreadable = added.all()?.unreadable;
            let is_unreadable = |label: &str| unreadable.iter().any(|(known, _)| known == label);
            // Nothing is removed if a label is unknown.
            labels.iter().filter(|label| !is_unreadable(label)).try_for_each(|label| added.find(label).map(drop))?;
            for label in labels {
                added.remove(label)?;
                output::talk(&format!("removed {label}"));
            }
            Ok(DONE)
        }
        Some(LibraryCommand::Info { label, output }) => info(&added, label, output),
    }
}

fn list(added: &AddedLibraries, format: &FormatArgs, width: usize) -> anyhow::Result<u8> {
    let AddedRecords { libraries: all, unreadable } = added.all()?;
    for (label, reason) in &unreadable {
        output::talk(&format!("{label}: {reason}; `pqlab library remove {label}` removes it"));
    }
    let linked = linked_libraries(&laboratory::open()?);
    if format.is_json() {
        let available: Vec<_> = recipes().iter().map(recipe_document).collect();
        let document = json!({"linked": linked, "added": all, "available": available});
        output::json(&serde_json::to_string_pretty(&document)?)?;
        return Ok(DONE);
    }
    let rows = linked.iter().map(|one| {
        let newer = one.facts.newest.as_ref().and_then(|newest| newest.version.clone()).unwrap_or_default();
        // The version may name several crates.
        let (first, more) =
            one.version.split_once(", ").map_or((one.version.as_str(), ""), |(first, _)| (first, ", ..."));
        let version = format!("{first}{more}");
        vec![
            one.name.clone(),
            version,
            newer,
            one.algorithms().to_string(),
            one.facts.language.clone(),
            one.facts.licence.clone(),
        ]
    });
    let heads = ["in this build", "version", "newer", "algorithms", "language", "licence"];
    let linked = table(&heads, rows.collect(), width);
    let rows = recipes().iter().map(|recipe| {
        let versions: Vec<&str> = recipe.versions.iter().map(|version| version.full.as_str()).collect();
        let versions = if versions.is_empty() { "yours (--source)".to_owned() } else { versions.join(", ") };
        vec![recipe.name.clone(), versions, recipe.licence.clone(), recipe.about.clone()]
    });
    let available = table(&["available", "versions", "licence", "contents"], rows.collect(), width);
    let rows = all.iter().map(|one| {
        // `info` shows the digest.
        let source = |build: &AddedBuild| build.source.split(", SHA-256").next().unwrap_or_default().to_owned();
        let origin = one.build.as_ref().map_or_else(|| one.spec.file().display().to_string(), source);
        vec![
            one.label.clone(),
            one.version.clone(),
            memory(one.bytes),
            one.added.get(..10).unwrap_or_default().to_owned(),
            origin,
        ]
    });
    let text = match all.is_empty() {
        true => "No library was added yet: `pqlab library add NAME`".to_owned(),
        false => table(&["added", "version", "size", "date", "source"], rows.collect(), width),
    };
    output::data(&format!("{linked}\n\n{text}\n\n{available}\nMore: `pqlab library info NAME`"))?;
    Ok(DONE)
}

fn add(added: &AddedLibraries, what: &str, source: Option<&Path>, label: Option<&str>) -> anyhow::Result<u8> {
    let laboratory = laboratory::open()?;
    if what.contains(':') {
        if source.is_some() {
            let message = "--source is for libraries with a recipe: `pqlab library add NAME --source FOLDER`";
            return Err(BadInput(message.to_owned()).into());
        }
        // The parser checks the label.
        let text = match (label, what.split_once('=').filter(|(front, _)| !front.contains(':'))) {
            (Some(label), Some((_, rest))) => format!("{label}={rest}"),
            (Some(label), None) => format!("{label}={what}"),
            (None, _) => what.to_owned(),
        };
        let spec: LibrarySpec = text.parse().map_err(|error: WrongSpec| BadInput(error.to_string()))?;
        report(&added.register(&laboratory, spec)?);
        return Ok(DONE);
    }
    let request =
        AddRequest { what: what.to_owned(), source: source.map(Path::to_path_buf), label: label.map(str::to_owned) };
    build(added, &request)
}

fn update(added: &AddedLibraries, labels: &[String]) -> anyhow::Result<u8> {
    let chosen: Vec<AddedLibrary> = match labels.is_empty() {
        true => added.all()?.libraries,
        false => labels.iter().map(|label| added.find(label)).collect::<Result<_, _>>()?,
    };
    let mut failed = Vec::new();
    for one in &chosen {
        match renew(added, one) {
            Ok(DONE) => {}
            Ok(code) => return Ok(code),
            Err(error) => {
                output::talk(&format!("{}: {error:#}", one.label));
                failed.push(one.label.as_str());
            }
        }
    }
    match failed.is_empty() {
        true => Ok(DONE),
        false => Err(BadInput(format!("not updated, see above: {}", failed.join(", "))).into()),
    }
}

/// Builds a library again, or describes it again if it was not built from a recipe.
fn renew(added: &AddedLibraries, one: &AddedLibrary) -> anyhow::Result<u8> {
    let Some(built) = &one.build else {
        report(&added.register_again(&laboratory::open()?, &one.label)?);
        return Ok(DONE);
    };
    // The version in the label stays the same, if the recipe still has it.
    let version =
        one.label.strip_prefix(&format!("{}-", built.recipe)).map(|version| format!("{}@{version}", built.recipe));
    let known = |what: &String| {
        recipes()
            .iter()
            .any(|recipe| recipe.versions.iter().any(|version| format!("{}@{}", recipe.name, version.name) == *what))
    };
    let what = version.filter(known).unwrap_or_else(|| built.recipe.clone());
    let request = AddRequest { what, source: built.folder.clone(), label: Some(one.label.clone()) };
    build(added, &request)
}

fn build(added: &AddedLibraries, request: &AddRequest) -> anyhow::Result<u8> {
    let stop = stop_on_signals()?;
    let bar = ProgressBar::new_spinner();
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("[{elapsed_precise}] {prefix}  {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.set_prefix(request.what.clone());
    bar.enable_steady_tick(Duration::from_millis(500));
    let built = added.build(&laboratory::open()?, request, &mut |line| bar.set_message(neutral(line)), &stop);
    bar.finish_and_clear();
    match built? {
        Some(built) => {
            report(&built);
            Ok(DONE)
        }
        None => {
            output::talk("interrupted: nothing was added");
            Ok(INTERRUPTED)
        }
    }
}

fn report(added: &AddedLibrary) {
    let time = added.build.as_ref().map_or_else(String::new, |build| format!(", built in {:.0} s", build.seconds));
    output::talk(&format!(
        "added {label}: {}, {}{time}; next: `pqlab verify --provider {label}`, `pqlab run --provider {label}`",
        added.version,
        memory(added.bytes),
        label = added.label
    ));
}

/// Shows an added library, a library in this build, or a library that can be added.
fn info(added: &AddedLibraries, name: &str, format: &FormatArgs) -> anyhow::Result<u8> {
    let all_added = added.all()?.libraries;
    if let Some(one) = all_added.iter().find(|one| one.label == name) {
        return show(name, &added_lines(one), serde_json::to_value(one)?, format);
    }
    let linked = linked_libraries(&laboratory::open()?);
    if let Some(one) = linked.iter().find(|one| one.name == name) {
        return show(&format!("{name}, in this build"), &linked_lines(one), serde_json::to_value(one)?, format);
    }
    if let Some(recipe) = recipes().iter().find(|recipe| recipe.name == name) {
        let title = format!("{name}, not added: `pqlab library add {name}`");
        return show(&title, &recipe_lines(recipe), recipe_document(recipe), format);
    }
    let labels = all_added.into_iter().map(|one| one.label);
    let names = linked.into_iter().map(|one| one.name);
    let known = labels.chain(names).chain(recipes().iter().map(|recipe| recipe.name.clone()));
    let known: BTreeSet<String> = known.collect();
    let known = known.into_iter().collect();
    Err(LabError::Unknown { what: Thing::Recipe, name: name.to_owned(), near: None, known }.into())
}

fn show(title: &str, lines: &[(&str, String)], document: Value, format: &FormatArgs) -> anyhow::Result<u8> {
    if format.is_json() {
        output::json(&serde_json::to_string_pretty(&document)?)?;
        return Ok(DONE);
    }
    let lines: Vec<String> = lines.iter().map(|(name, value)| format!("{name:<15}{value}")).collect();
    output::data(&format!("{title}\n{}", lines.join("\n")))?;
    Ok(DONE)
}

fn added_lines(added: &AddedLibrary) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("version", added.version.clone()),
        ("file", added.spec.file().display().to_string()),
        ("size", format!("{} bytes", added.bytes)),
        ("SHA-256", added.sha256.clone()),
        ("added", added.added.clone()),
    ];
    if let Some(build) = &added.build {
        lines.extend([
            ("recipe", build.recipe.clone()),
            ("licence", build.licence.clone()),
            ("source", build.source.clone()),
            ("compilers", build.compiler.clone()),
            ("flags", build.flags.clone()),
            ("build time", format!("{:.0} s", build.seconds)),
        ]);
    }
    lines
}

fn linked_lines(one: &LinkedLibrary) -> Vec<(&'static str, String)> {
    let facts = one.facts;
    let mut lines = vec![("version", one.version.clone())];
    lines.extend(facts.newest.as_ref().map(|newest| {
        let found = match (&newest.version, &newest.to_measure) {
            (Some(version), Some(how)) => format!("{version}: {how}"),
            _ => "as in this build".to_owned(),
        };
        ("newest version", format!("{found} (read on {})", newest.looked_at))
    }));
    lines.extend([
        ("authors", facts.whose.clone()),
        ("language", facts.language.clone()),
        ("licence", facts.licence.clone()),
        ("maturity", facts.maturity.clone()),
        ("validation", facts.validation.clone()),
        ("constant time", facts.constant_time.clone()),
    ]);
    lines.retain(|(_, value)| value != NOT_FOUND);
    for provider in &one.providers {
        lines.push(("code path", format!("{}: {} algorithms; {}", provider.id, provider.algorithms, provider.build)));
    }
    lines.extend(facts.slower_paths.iter().map(|path| ("slower path", path.text())));
    // A defect that several suites reveal has one entry per suite.
    let mut defects: Vec<(String, Vec<&str>)> = Vec::new();
    for KnownDefect { algorithm, operation, what, suite, .. } in &one.defects {
        let defect = format!("{algorithm}* {operation}: {what}");
        match defects.iter_mut().find(|(known, _)| *known == defect) {
            Some((_, suites)) => suites.push(suite),
            None => defects.push((defect, vec![suite])),
        }
    }
    for (defect, suites) in defects {
        lines.push(("known defect", format!("{defect} (found by {})", suites.join("; "))));
    }
    lines.extend(
        facts
            .sources
            .iter()
            .map(|source| ("source", format!("{} ({}, read on {})", source.url, source.subjects(), source.looked_at))),
    );
    lines.push((
        "timed region",
        "docs/explanation/timed-region.md lists what each call parses, expands and wipes".to_owned(),
    ));
    lines
}

fn recipe_lines(recipe: &Recipe) -> Vec<(&'static str, String)> {
    let mut lines = vec![("contents", recipe.about.clone()), ("licence", recipe.licence.clone())];
    lines.extend(recipe.versions.iter().map(|version| {
        ("version", format!("{}: crate {} {}", version.full, version.crate_name, version.crate_version))
    }));
    if recipe.versions.is_empty() {
        lines.push(("version", "any: `--source FOLDER`".to_owned()));
    }
    let mut requires = recipe.requires.join(", ");
    if !recipe.versions.is_empty() && !recipe.requires.iter().any(|name| name == "cargo") {
        requires += "; cargo for the download";
    }
    lines.push(("requires", requires));
    lines.extend(recipe.homepage.clone().map(|page| ("site", page)));
    lines
}

fn recipe_document(recipe: &Recipe) -> Value {
    let versions: Vec<&str> = recipe.versions.iter().map(|version| version.name.as_str()).collect();
    json!({
        "name": recipe.name, "about": recipe.about, "licence": recipe.licence, "requires": recipe.requires,
        "versions": versions,
    })
}
