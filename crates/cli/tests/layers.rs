//! Checks which crates use which other crates, from cargo's metadata and the sources. The table in ARCHITECTURE.md must
//! show the same layers.

#[path = "layers/source.rs"]
mod source;

use serde_json::Value;
use source::{cycle, sources_of, units};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates from the lowest layer to the highest, each with the workspace crates that it may use. Tests may also use
/// other crates, because tests are outside the layers.
const MAY_USE: &[(&str, &[&str])] = &[
    ("pqlab-primitives", &[]),
    ("pqlab-record", &[]),
    ("pqlab-stats", &[]),
    ("pqlab-cpu", &[]),
    ("pqlab-openssl-headers", &[]),
    ("pqlab-openssl-sys", &["pqlab-openssl-headers"]),
    ("pqlab-cryptogams-sys", &["pqlab-cpu"]),
    ("pqlab-keccak", &["pqlab-cpu"]),
    ("pqlab-mldsa-batch", &["pqlab-cpu", "pqlab-keccak"]),
    ("pqlab-verification", &["pqlab-primitives"]),
    ("pqlab-adapters", &["pqlab-openssl-headers", "pqlab-primitives"]),
    (
        "pqlab-providers",
        &[
            "pqlab-adapters",
            "pqlab-cpu",
            "pqlab-primitives",
            "pqlab-openssl-sys",
            "pqlab-cryptogams-sys",
            "pqlab-keccak",
            "pqlab-mldsa-batch",
        ],
    ),
    ("pqlab-foreign", &["pqlab-adapters", "pqlab-openssl-headers", "pqlab-primitives"]),
    ("pqlab-network", &[]),
    ("pqlab-constructions", &["pqlab-primitives"]),
    ("pqlab-blocks", &["pqlab-constructions"]),
    ("pqlab-ssh", &[]),
    ("pqlab-tls", &["pqlab-constructions", "pqlab-openssl-sys", "pqlab-primitives"]),
    ("pqlab-quic", &["pqlab-network", "pqlab-tls"]),
    ("pqlab-harness", &["pqlab-cpu", "pqlab-stats", "pqlab-record"]),
    (
        "pqlab-workloads",
        &[
            "pqlab-constructions",
            "pqlab-harness",
            "pqlab-network",
            "pqlab-primitives",
            "pqlab-quic",
            "pqlab-record",
            "pqlab-ssh",
            "pqlab-tls",
            "pqlab-verification",
        ],
    ),
    ("pqlab-store", &["pqlab-record"]),
    ("pqlab-analysis", &["pqlab-primitives", "pqlab-stats", "pqlab-record"]),
    ("pqlab-report", &["pqlab-analysis", "pqlab-stats", "pqlab-record"]),
    (
        "pqlab-lab",
        &[
            "pqlab-analysis",
            "pqlab-blocks",
            "pqlab-constructions",
            "pqlab-cpu",
            "pqlab-foreign",
            "pqlab-harness",
            "pqlab-primitives",
            "pqlab-providers",
            "pqlab-record",
            "pqlab-report",
            "pqlab-stats",
            "pqlab-store",
            "pqlab-verification",
            "pqlab-workloads",
        ],
    ),
    ("pqlab-commit", &[]),
    ("pqlab-server", &["pqlab-lab"]),
    ("pqlab", &["pqlab-commit", "pqlab-lab", "pqlab-server"]),
    ("pqlab-python", &["pqlab-commit", "pqlab-constructions", "pqlab-lab", "pqlab-server"]),
    ("pqlab-misbehaving", &["pqlab", "pqlab-harness", "pqlab-primitives", "pqlab-providers", "pqlab-verification"]),
    ("pqlab-fixtures", &["pqlab-record"]),
    ("pqlab-testing", &[]),
];

/// Crates that read files of another crate during the build. Cargo's metadata does not show these dependencies.
/// `analysis` reads data files with facts about each library.
const READS: &[(&str, &str)] = &[("pqlab-analysis", "pqlab-providers")];

/// Crates that may depend on cryptography written in C.
const MAY_USE_C: &[&str] = &["pqlab-cryptogams-sys", "pqlab-openssl-sys", "pqlab-providers", "pqlab-tls"];

/// Crates that build or link cryptography written in C.
const C_LIBRARIES: &[&str] = &[
    "aws-lc-fips-sys",
    "aws-lc-rs",
    "aws-lc-sys",
    "boring",
    "boring-sys",
    "libsodium-sys",
    "openssl",
    "openssl-src",
    "openssl-sys",
    "oqs",
    "oqs-sys",
    "pqlab-cryptogams-sys",
    "pqlab-openssl-sys",
    "ring",
    "secp256k1",
    "secp256k1-sys",
];

/// Names of functions that read a clock. Only the harness may call them; all other code uses the harness's clocks.
const CLOCKS: &[&str] =
    &["Instant::now", "SystemTime::now", "Timestamp::now", "Zoned::now", "clock_gettime", "_rdtsc", "__rdtscp"];

/// Crates whose modules must not use each other in a cycle. A module is a file or folder in `src`; in the listed
/// folders, every part counts as a separate module.
const ONE_DIRECTION: &[(&str, &[&str])] = &[
    ("pqlab-analysis", &["areas"]),
    (
        "pqlab-lab",
        &["comparing", "leak", "libraries", "machine", "planning", "running", "samples", "stored", "verifying"],
    ),
];

/// Crates that may name an area only in an `areas` folder. All other code must use lists of all areas.
const SEPARATE_AREAS: &[&str] = &["pqlab-analysis", "pqlab-report"];

/// Names of the areas.
const AREAS: &[&str] = &[
    "certificate",
    "cms",
    "hash",
    "hpke",
    "hybrid",
    "kem",
    "ledger",
    "memory",
    "mtc",
    "ntor",
    "quic",
    "residue",
    "scaling",
    "signature",
    "ssh",
    "tls",
    "token",
];

/// Files that may contain the name of an area. Either the name has another meaning there, or the file implements a file
/// format for one area.
const NOT_AREAS: &[(&str, &str)] = &[
    ("analysis/src/caveats.rs", "residue"),
    ("analysis/src/tables.rs", "scaling"),
    // Parts of names of algorithms.
    ("report/src/charts/provenance.rs", "ntor"),
    ("report/src/exporters/columns.rs", "residue"),
    ("report/src/exporters/columns.rs", "signature"),
    ("report/src/exporters/sha3_csv.rs", "hash"),
    ("report/src/templates/data.rs", "signature"),
    ("report/src/terminal/case/mod.rs", "signature"),
];

/// Crate in the workspace.
struct Package {
    name: String,
    folder: PathBuf,
    /// Dependencies, except those for tests only.
    dependencies: BTreeSet<String>,
    /// Dependencies that are compiled only with a feature.
    optional: BTreeSet<String>,
    /// Features by name, each with the features and dependencies that it enables.
    features: BTreeMap<String, Vec<String>>,
}

fn packages() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .expect("cannot run cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata must be JSON");
    let text = |value: &Value| value.as_str().expect("the value must be a string").to_owned();
    let list = |value: &Value| value.as_array().expect("the value must be a list").clone();
    let package = |package: &Value| {
        let dependencies = list(&package["dependencies"]);
        let names = |keep: &dyn Fn(&Value) -> bool| {
            dependencies.iter().filter(|it| it["kind"] != "dev" && keep(it)).map(|it| text(&it["name"])).collect()
        };
        Package {
            name: text(&package["name"]),
            folder: Path::new(&text(&package["manifest_path"])).parent().expect("must be in a folder").to_path_buf(),
            dependencies: names(&|_| true),
            optional: names(&|it| it["optional"] == true),
            features: serde_json::from_value(package["features"].clone()).expect("features must be lists by name"),
        }
    };
    list(&metadata["packages"]).iter().map(package).collect()
}

#[test]
fn every_crate_uses_only_what_its_layer_may() {
    let packages = packages();
    let ours: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut wrong = Vec::new();
    for package in &packages {
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == package.name) else {
            wrong.push(format!("{} has no layer yet: add the crate to MAY_USE and to ARCHITECTURE.md", package.name));
            continue;
        };
        let used = package.dependencies.iter().filter(|name| ours.contains(name.as_str()));
        let forbidden = used.filter(|name| !allowed.contains(&name.as_str()));
        wrong.extend(forbidden.map(|name| format!("{} must not use {name}", package.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No crate may compile or read another crate's file, because the manifest would not show this dependency.
#[test]
fn crates_read_no_files_of_another() {
    let packages = packages();
    let mut wrong = Vec::new();
    for package in &packages {
        let mut files = sources(&package.folder.join("src"));
        files.extend(Some(package.folder.join("build.rs")).filter(|file| file.is_file()));
        for file in files {
            let text = fs::read_to_string(&file).expect("cannot read a source file");
            for other in packages.iter().filter(|other| other.name != package.name) {
                let folder = other.folder.file_name().expect("a folder has a name").to_string_lossy();
                let reads = without_tests(&text).contains(&format!("../{folder}/"));
                if reads && !READS.contains(&(package.name.as_str(), other.name.as_str())) {
                    wrong.push(format!("{} must not read files of {}", file.display(), other.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn architecture_table_matches_the_layers() {
    let document = "../../ARCHITECTURE.md";
    let text = fs::read_to_string(document).expect("cannot read ARCHITECTURE.md");
    let mut packages: Vec<(String, String)> = Vec::new();
    for package in self::packages() {
        let folder = package.folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        packages.push((package.name, folder));
    }
    let folder_of = |name: &str| packages.iter().find(|(known, _)| known == name).map(|(_, folder)| folder.as_str());
    let mut documented = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("| `crates/")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [folder, _, may_use] = cells[..] else { panic!("a row must have three cells: {line}") };
        let may_use: BTreeSet<&str> = may_use.split(", ").filter(|name| *name != "nothing").collect();
        documented.push((folder.trim_matches('`').trim_start_matches("crates/"), may_use));
    }
    let wanted = MAY_USE.iter().map(|(name, may_use)| {
        let may_use = may_use.iter().map(|name| folder_of(name).expect("no such crate")).collect();
        (folder_of(name).expect("no such crate"), may_use)
    });
    assert_eq!(documented, wanted.collect::<Vec<(&str, BTreeSet<&str>)>>());
}

/// The laboratory and the program must offer a cargo feature for each group of libraries, and for each library outside
/// the groups.
#[test]
fn programs_pass_on_every_library() {
    let packages = packages();
    let features = |name: &str| &packages.iter().find(|package| package.name == name).expect("no such crate").features;
    let libraries = features("pqlab-providers");
    let grouped: Vec<&String> = ["c", "rust"].into_iter().flat_map(|group| &libraries[group]).collect();
    for passes_on in ["pqlab-lab", "pqlab"] {
        let passed = features(passes_on);
        let missing: Vec<&String> =
            libraries.keys().filter(|name| !grouped.contains(name) && !passed.contains_key(*name)).collect();
        assert!(missing.is_empty(), "the manifest of {passes_on} lacks the features {missing:?}");
    }
}

/// Programs that only measure and compare must build without the report crate and its rasterizer.
#[test]
fn laboratory_needs_no_reports() {
    let packages = packages();
    let lab = packages.iter().find(|package| package.name == "pqlab-lab").expect("pqlab-lab must be in the workspace");
    assert!(lab.optional.contains("pqlab-report"));
    let mentions =
        |file: &PathBuf| fs::read_to_string(file).expect("cannot read a source file").contains("pqlab_report");
    let files: Vec<PathBuf> = sources(&lab.folder.join("src")).into_iter().filter(mentions).collect();
    assert_eq!(files, [lab.folder.join("src/lib.rs")], "only lib.rs may name pqlab_report, to re-export it");
}

#[test]
fn only_providers_depend_on_cryptography_in_c() {
    let mut wrong = Vec::new();
    for package in packages().iter().filter(|package| !MAY_USE_C.contains(&package.name.as_str())) {
        let forbidden = package.dependencies.iter().filter(|name| C_LIBRARIES.contains(&name.as_str()));
        wrong.extend(forbidden.map(|name| format!("{} must not use {name}: put it behind a provider", package.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every crate must use the workspace lints, which for example deny unsafe blocks without a reason.
#[test]
fn every_crate_inherits_the_lints_of_the_workspace() {
    let packages = packages();
    let without = |package: &&Package| {
        let manifest = fs::read_to_string(package.folder.join("Cargo.toml")).expect("cannot read a manifest");
        !manifest.contains("[lints]\nworkspace = true")
    };
    let wrong: Vec<&str> = packages.iter().filter(without).map(|package| package.name.as_str()).collect();
    assert!(wrong.is_empty(), "no `[lints] workspace = true` in the manifest of {wrong:?}");
    for package in &packages {
        for file in sources(&package.folder.join("src")) {
            let text = fs::read_to_string(&file).expect("cannot read a source file");
            assert!(!text.contains("allow(clippy::undocumented_unsafe_blocks"), "{}", file.display());
        }
    }
}

#[test]
fn only_the_harness_reads_a_clock() {
    let mut wrong = Vec::new();
    let mut files = 0;
    for package in packages().iter().filter(|package| package.name != "pqlab-harness") {
        for file in sources(&package.folder.join("src")) {
            files += 1;
            let text = fs::read_to_string(&file).expect("cannot read a source file");
            for (number, line) in without_tests(&text).lines().enumerate() {
                let code = line.split("//").next().unwrap_or(line);
                if CLOCKS.iter().any(|clock| code.contains(clock)) {
                    wrong.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
                }
            }
        }
    }
    assert!(files > 20, "only {files} source files were found");
    assert!(wrong.is_empty(), "only the harness may read a clock:\n{}", wrong.join("\n"));
}

/// Verbs must not depend on each other. Code that verbs share belongs in a module outside src/commands.
#[test]
fn no_verb_uses_the_file_of_another() {
    let source = Path::new("src");
    let verbs = source.join("commands");
    let mut wrong = Vec::new();
    let mut files = 0;
    for file in sources(source) {
        // If a verb is a folder, its files may use each other through `super`.
        let upwards = if file.parent() == Some(verbs.as_path()) { "super::" } else { "super::super" };
        let of_a_verb = file.starts_with(&verbs);
        files += usize::from(of_a_verb);
        let text = fs::read_to_string(&file).expect("cannot read a source file");
        for (number, line) in without_tests(&text).lines().enumerate() {
            let code = line.split("//").next().unwrap_or(line);
            if code.contains("crate::commands") || (of_a_verb && code.contains(upwards)) {
                wrong.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(files > 20, "only {files} files of verbs were found");
    assert!(wrong.is_empty(), "move code that verbs share out of src/commands:\n{}", wrong.join("\n"));
}

#[test]
fn modules_use_each_other_in_one_direction() {
    let packages = packages();
    for (name, split) in ONE_DIRECTION {
        let package = packages.iter().find(|package| package.name == *name).expect("no such crate");
        let units = units(&package.folder.join("src"), split);
        assert!(units.len() > 10, "{name} has only {} units", units.len());
        let cycle = cycle(&units).unwrap_or_default();
        assert!(cycle.is_empty(), "modules of {name} use each other in a cycle:\n{}", cycle.join("\n"));
    }
}

#[test]
fn areas_are_named_only_in_folders_of_areas() {
    let mut found = BTreeSet::new();
    let mut wrong = Vec::new();
    for package in packages().iter().filter(|package| SEPARATE_AREAS.contains(&package.name.as_str())) {
        let src = package.folder.join("src");
        let outside = |source: &&source::Source| !source.file.iter().any(|part| part == "areas");
        let sources = sources_of(&src);
        for source in sources.iter().filter(outside) {
            for (line, text) in source.texts.iter().filter(|(_, text)| AREAS.contains(&text.as_str())) {
                let file = src.join(&source.file);
                match NOT_AREAS.iter().find(|(path, word)| file.ends_with(path) && word == text) {
                    Some(exception) => {
                        found.insert(exception);
                    }
                    None => wrong.push(format!("{}:{line}: {text:?}", file.display())),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "an area must be named only in an `areas` folder:\n{}", wrong.join("\n"));
    let gone: Vec<_> = NOT_AREAS.iter().filter(|exception| !found.contains(exception)).collect();
    assert!(gone.is_empty(), "remove the exceptions that are no longer needed: {gone:?}");
}

/// Returns the source files below a folder, except those that contain only tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("cannot read a source folder") {
        let path = entry.expect("cannot read a folder entry").path();
        if path.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// Returns the source text before the test module, which is always last in a file.
fn without_tests(text: &str) -> &str {
    let are_tests = |(at, attribute): &(usize, &str)| {
        let mut lines = text[at + attribute.len()..].lines().skip_while(|line| line.starts_with("#["));
        lines.next() == Some("mod tests {")
    };
    text.match_indices("\n#[cfg(test)]\n").find(are_tests).map_or(text, |(at, _)| &text[..at])
}
