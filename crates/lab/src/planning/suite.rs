//! Suites: TOML files that select cases and set measurement settings.

use crate::{LabError, Thing};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pqlab_foreign::LibrarySpec;
use pqlab_record::{CounterChoice, Protocol, ProtocolKind};
use pqlab_workloads::CaseOptions;
use pqlab_workloads::quantity::{percent, seconds};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::de::value::{self, StringDeserializer};
use std::collections::BTreeMap;
use std::path::Path;

/// Default number of samples per case under the reference protocol. A suite can set a different number.
const REFERENCE_ITERATIONS: u64 = 1000;

/// A suite, as its TOML file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The suite's name, without spaces.
    pub name: String,
    /// The question that the suite answers, in a few lines.
    pub about: String,
    /// Shared libraries and worker programs to measure in addition to the libraries in this build. Paths in a suite
    /// file are relative to that file.
    #[serde(default)]
    pub libraries: Vec<LibrarySpec>,
    /// Measurement settings that replace the defaults.
    #[serde(default)]
    pub protocol: ProtocolOverrides,
    /// Selections of cases. The suite measures the union of all selections.
    pub select: Vec<Select>,
    /// Whether the suite is built in. Built-in suites may name algorithms and libraries that this build does not
    /// contain.
    #[serde(skip)]
    pub builtin: bool,
}

/// Selection of cases from one workload. In the patterns, `*` matches any text and `?` any single character. An empty
/// list of patterns matches everything.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Select {
    /// The workload's name.
    pub workload: String,
    /// Patterns for algorithms.
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// Patterns for operations.
    #[serde(default)]
    pub operations: Vec<String>,
    /// Patterns for providers. A pattern can match the whole id (`libcrux:avx2`) or the library alone (`libcrux`).
    #[serde(default)]
    pub providers: Vec<String>,
    /// Patterns for forms: `prepared`, `encoded`.
    #[serde(default)]
    pub forms: Vec<String>,
    /// Patterns for the algorithms that the suite measures by default, to limit its duration. A filter that matches
    /// none of the default cases selects from the other algorithms.
    #[serde(default)]
    pub usual_algorithms: Vec<String>,
    /// Patterns for the operations that the suite measures by default. A filter that matches none of the default cases
    /// selects from the other operations.
    #[serde(default)]
    pub usual_operations: Vec<String>,
    /// Patterns for parameters as written in ids (`regime=ram`). Every pattern must match one of the case's parameters.
    /// A pattern after an exclamation mark must match none of them (`!threads=*`). Cases without parameters always
    /// match.
    #[serde(default)]
    pub parameters: Vec<String>,
    /// Parameters of the cases. The fields `classical` and `post_quantum` name the libraries for the halves of a
    /// construction. The command line overrides them if it names a library for a half, as a provider or in a filter.
    #[serde(flatten)]
    pub options: CaseOptions,
    /// Whether to leave out the selection if the number of samples is fixed. The run still measures it if the command
    /// line sets a number of tasks or threads, or if a filter matches nothing else. Loads with many concurrent tasks
    /// are treated this way in every selection.
    #[serde(default)]
    pub adaptive_only: bool,
    /// Whether to also measure the `null` provider, which does nothing.
    #[serde(default)]
    pub null: bool,
    /// Unknown fields; empty in a valid suite.
    #[serde(flatten)]
    pub(crate) unknown: BTreeMap<String, toml::Value>,
}

/// Measurement settings that a suite, the command line or a program can set. The doc comment of a field is its help
/// text on the command line.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize)]
#[command(next_help_heading = "How to measure")]
#[serde(deny_unknown_fields)]
pub struct ProtocolOverrides {
    /// Measurement settings: adaptive or reference. The reference rules take 1,000 samples (2,000 in the sha3 suite)
    /// after 100 warm-up operations and trim 1% at each tail. They measure loads with many tasks only with --tasks or
    /// --filter [default: from the suite]
    #[arg(long = "protocol", value_name = "PROTOCOL", value_parser = one_of::<ProtocolKind>(&["adaptive", "reference"]))]
    pub kind: Option<ProtocolKind>,

    /// Fixed number of samples per case, instead of the adaptive rules
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub iterations: Option<u64>,

    /// Operations to discard at the start of each process [default: 100]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub warmup: Option<u64>,

    /// Share of samples to drop at each tail, such as 1% [default: 0]
    #[arg(long = "trim", value_name = "PERCENT", allow_hyphen_values = true, value_parser = percent)]
    pub trim_pct: Option<f64>,

    /// Operations per sample [default: calibrated; 1 if one operation takes long enough]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub batch: Option<u64>,

    /// Target half-width of 95% intervals [default: 1%, or the suite's]
    #[arg(long = "precision", value_name = "PERCENT", allow_hyphen_values = true, value_parser = percent)]
    pub precision_pct: Option<f64>,

    /// Time limit per case, such as 500ms [default: 1.5s, or the suite's]
    #[arg(long = "max-time", value_name = "TIME", allow_hyphen_values = true, value_parser = seconds)]
    pub max_time_s: Option<f64>,

    /// Time limit for measuring disturbed cases again at the end of the run, such as 60s; 0 to skip it [default: the
    /// run's time, at least 30s]
    #[arg(long = "patience", value_name = "TIME", allow_hyphen_values = true, value_parser = seconds)]
    pub patience_s: Option<f64>,

    /// Number of worker processes [default: 8, or the suite's]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub processes: Option<u32>,

    /// Cores to pin the workers to, one after another, such as 2,3 or 4-7 [default: the last allowed core]
    #[arg(long, value_name = "CPUS", value_parser = parse_cores)]
    #[serde(skip)]
    pub affinity: Option<Cores>,

    /// Counter to read [default: core cycles if available, otherwise TSC ticks or the wall clock]
    #[arg(long, value_name = "COUNTER", value_parser = one_of::<CounterChoice>(&["wall", "tsc", "cycles", "instructions"]))]
    pub counter: Option<CounterChoice>,

    /// Number of samples for each case that waits for a network.
    #[arg(skip)]
    pub handshakes: Option<u64>,

    /// Number of samples per case under the reference protocol; `None` for 1,000.
    #[arg(skip)]
    pub reference_iterations: Option<u64>,

    /// Whether to take only a quarter of the samples that a suite sets. Does not reduce an explicitly requested number.
    #[arg(skip)]
    #[serde(skip)]
    pub quick: bool,
}

/// List of cores. The alias keeps clap from treating `Option<Vec<_>>` as an option that may be repeated.
type Cores = Vec<u32>;

impl ProtocolOverrides {
    /// Fills unset fields from a preset: `quick` (wider intervals, fewer processes, less time) or `rigorous` (narrower
    /// intervals, more processes, more time). If both are set, `quick` applies.
    pub fn or_preset(self, quick: bool, rigorous: bool) -> ProtocolOverrides {
        let (precision_pct, max_time_s, processes) = match (quick, rigorous) {
            (true, _) => (3.0, 0.25, 4),
            (false, true) => (0.5, 10.0, 16),
            (false, false) => return self,
        };
        ProtocolOverrides {
            precision_pct: self.precision_pct.or(Some(precision_pct)),
            max_time_s: self.max_time_s.or(Some(max_time_s)),
            processes: self.processes.or(Some(processes)),
            quick: self.quick || quick,
            ..self
        }
    }

    /// Applies the overrides to a protocol.
    pub fn apply(&self, protocol: &mut Protocol) {
        fn set<T: Clone>(target: &mut T, value: &Option<T>) {
            if let Some(value) = value {
                *target = value.clone();
            }
        }
        if self.iterations.is_some() && self.kind.is_none() {
            protocol.kind = ProtocolKind::Fixed;
        }
        if self.kind == Some(ProtocolKind::Reference) {
            protocol.iterations = Some(self.reference_iterations.unwrap_or(REFERENCE_ITERATIONS));
            protocol.warmup = 100;
            protocol.trim_pct = 1.0;
        }
        set(&mut protocol.kind, &self.kind);
        set(&mut protocol.processes, &self.processes);
        set(&mut protocol.warmup, &self.warmup);
        set(&mut protocol.handshakes, &self.handshakes);
        set(&mut protocol.trim_pct, &self.trim_pct);
        set(&mut protocol.precision_pct, &self.precision_pct);
        set(&mut protocol.max_time_s, &self.max_time_s);
        set(&mut protocol.counter, &self.counter);
        match self.iterations {
            Some(_) => protocol.iterations = self.iterations,
            None if self.quick && self.kind.is_none() => {
                protocol.iterations = protocol.iterations.map(|iterations| iterations.div_ceil(4));
            }
            None => {}
        }
        if self.batch.is_some() {
            protocol.batch = self.batch;
        }
        if self.patience_s.is_some() {
            protocol.patience_s = self.patience_s;
        }
        if self.affinity.is_some() {
            protocol.affinity = self.affinity.clone();
        }
        if self.kind == Some(ProtocolKind::Adaptive) {
            protocol.iterations = None;
        }
    }

    /// Rejects invalid values.
    ///
    /// # Errors
    /// [`LabError::Invalid`] with the value and the allowed range.
    pub fn check(&self) -> Result<(), LabError> {
        let positive = |name: &'static str, value: Option<f64>| match value {
            Some(value) if !(value.is_finite() && value > 0.0) => {
                Err(LabError::invalid(name, format!("{name} must be a number above zero, not {value}")))
            }
            _ => Ok(()),
        };
        let at_least_one = |name: &'static str, value: Option<u64>| match value {
            Some(0) => Err(LabError::invalid(name, format!("{name} must be at least 1, not 0"))),
            _ => Ok(()),
        };
        positive("precision", self.precision_pct)?;
        positive("max-time", self.max_time_s)?;
        at_least_one("processes", self.processes.map(u64::from))?;
        at_least_one("iterations", self.iterations)?;
        at_least_one("handshakes", self.handshakes)?;
        at_least_one("reference_iterations", self.reference_iterations)?;
        at_least_one("batch", self.batch)?;
        if let Some(patience) = self.patience_s.filter(|patience| !(patience.is_finite() && *patience >= 0.0)) {
            return Err(LabError::invalid("patience", format!("patience must be at least 0, not {patience}")));
        }
        if let Some(trim) = self.trim_pct
            && !(0.0..50.0).contains(&trim)
        {
            let reason = format!("trim must be at least 0 and below 50 percent per tail, not {trim}");
            return Err(LabError::invalid("trim", reason));
        }
        if self.kind == Some(ProtocolKind::Fixed) && self.iterations.is_none() {
            return Err(LabError::invalid("iterations", "the fixed protocol needs a number of iterations"));
        }
        Ok(())
    }
}

/// Returns a command-line parser that accepts `words`. Each word has the same meaning as in a suite file.
fn one_of<T: DeserializeOwned + Clone + Send + Sync + 'static>(
    words: &'static [&'static str],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words.iter().copied())
        .try_map(|word| T::deserialize(StringDeserializer::<value::Error>::new(word)))
}

/// Parses a list of cores such as `0,2,4-7`.
fn parse_cores(text: &str) -> Result<Cores, String> {
    let invalid = |what: &str, text: &str| format!("invalid {what} {text:?}; expected a list such as 0,2,4-7");
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| invalid("core number", text));
    let mut cores = Vec::new();
    for part in text.split(',') {
        match part.split_once('-') {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if last < first || last - first > 4096 {
                    return Err(invalid("range of cores", part));
                }
                cores.extend(first..=last);
            }
            None => cores.push(number(part)?),
        }
    }
    Ok(cores)
}

/// Returns the number of samples that all suites set for the reference protocol. Returns `None` if a suite sets none,
/// or if the suites differ, because a run has only one number of samples.
pub(crate) fn reference_iterations(suites: &[Suite]) -> Option<u64> {
    let mut all = suites.iter().map(|suite| suite.protocol.reference_iterations);
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}

impl Suite {
    /// Parses a suite from TOML. Errors name `origin` as the suite's file.
    ///
    /// # Errors
    /// [`LabError::Suite`], with the line and column if known.
    pub fn parse(text: &str, origin: &str) -> Result<Suite, LabError> {
        let malformed = |place, reason| LabError::Suite { origin: origin.to_owned(), place, reason };
        let message = |error: &toml::de::Error| error.message().lines().collect::<Vec<_>>().join("; ");
        let suite: Suite = toml::from_str(text).map_err(|error| match unfit_field(text) {
            Some((start, reason)) => malformed(Some(place(text, start)), reason),
            None => malformed(error.span().map(|span| place(text, span.start)), message(&error)),
        })?;
        if let Some((start, reason)) = unfit_field(text) {
            return Err(malformed(Some(place(text, start)), reason));
        }
        if suite.name.is_empty() || suite.name.contains(char::is_whitespace) {
            return Err(malformed(None, format!("the name {:?} must be one word", suite.name)));
        }
        if suite.select.is_empty() {
            return Err(malformed(None, "no case is selected: add a [[select]] table".to_owned()));
        }
        suite.protocol.check().map_err(|error| malformed(None, error.to_string()))?;
        Ok(suite)
    }

    /// Returns the built-in suite called `name`, or reads the suite file with this path.
    ///
    /// # Errors
    /// [`LabError::Unknown`] for an unknown name, [`LabError::File`] if the file cannot be read, [`LabError::Suite`] if
    /// the file is malformed.
    pub fn find(name: &str) -> Result<Suite, LabError> {
        let builtin = builtin_suites()?;
        if let Some(suite) = builtin.iter().find(|suite| suite.name == name) {
            return Ok(suite.clone());
        }
        if name.ends_with(".toml") || Path::new(name).is_file() {
            let text = std::fs::read_to_string(name)
                .map_err(|error| LabError::File { path: name.into(), reason: format!("cannot be read: {error}") })?;
            let mut suite = Suite::parse(&text, name)?;
            for library in suite.libraries.iter_mut().filter(|library| library.name().is_none()) {
                library.path = Path::new(name).parent().unwrap_or(Path::new("")).join(&library.path);
            }
            return Ok(suite);
        }
        let names: Vec<&str> = builtin.iter().map(|suite| suite.name.as_str()).collect();
        Err(LabError::unknown_of_few(Thing::Suite, name, &names))
    }
}

/// Returns the line and column of a byte offset, both starting at 1.
fn place(text: &str, start: usize) -> (usize, usize) {
    let before = &text[..start.min(text.len())];
    (before.matches('\n').count() + 1, before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1)
}

/// Finds the first field in a selection that is unknown or has an invalid value. Returns its byte offset and the error.
/// This function is needed because the TOML reader cannot locate errors in flattened structures.
fn unfit_field(text: &str) -> Option<(usize, String)> {
    let document = toml::de::DeTable::parse(text).ok()?;
    let selections = document.get_ref().get("select")?.get_ref().as_array()?;
    let fields = selections.iter().filter_map(|selection| selection.get_ref().as_table()).flatten();
    fields.into_iter().find_map(|(key, value)| {
        let (name, start) = (key.get_ref(), key.span().start);
        let written = text.get(value.span())?;
        let workload = if *name == "workload" { "" } else { "workload = \"\"\n" };
        match toml::from_str::<Select>(&format!("{workload}{name:?} = {written}")) {
            Ok(select) if select.unknown.is_empty() => None,
            Ok(_) => Some((start, format!("unknown field {name:?} in a selection"))),
            Err(error) => Some((start, format!("{name}: {}", error.message().lines().collect::<Vec<_>>().join("; ")))),
        }
    })
}

/// Returns the built-in suites.
///
/// # Errors
/// [`LabError::Suite`] if a suite is malformed, which a test rules out.
pub fn builtin_suites() -> Result<Vec<Suite>, LabError> {
    macro_rules! suites {
        ($($name:literal)*) => {
            [$(($name, include_str!(concat!("../../../../suites/", $name, ".toml")))),*]
        };
    }
    // `pqlab list` shows the suites in this order.
    let sources = suites! {
        "smoke"
        "standard"
        "kem"
        "signature"
        "hybrid"
        "certificate"
        "token"
        "hpke"
        "hash"
        "ntor"
        "tls"
        "ssh"
        "quic"
        "protocols"
        "mtc"
        "cms"
        "signatures"
        "kems"
        "signing"
        "signature-sizes"
        "message-lengths"
        "batches"
        "cold"
        "scaling"
        "memory"
        "residue"
        "ledger"
        "ledger-reference"
        "hybrid-reference"
        "sha3"
    };
    sources
        .iter()
        .map(|(name, text)| {
            let mut suite = Suite::parse(text, &format!("suites/{name}.toml"))?;
            suite.builtin = true;
            Ok(suite)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_standard_suite_states_its_duration() {
        for suite in builtin_suites().unwrap() {
            let says = ["minute", "hour", " seconds"].iter().any(|unit| suite.about.contains(unit));
            assert!(
                !says || suite.name == "standard",
                "{}: `about` must not mention a duration, because the program announces it: {}",
                suite.name,
                suite.about
            );
        }
    }

    fn message(text: &str) -> String {
        Suite::parse(text, "x.toml").unwrap_err().to_string()
    }

    #[test]
    fn the_built_in_suites_are_sound() {
        assert!(builtin_suites().unwrap().iter().any(|suite| suite.name == "standard"));
    }

    #[test]
    fn only_the_suite_residue_measures_residue() {
        let suites = builtin_suites().unwrap();
        let with = suites.iter().filter(|suite| suite.select.iter().any(|select| select.workload == "residue"));
        assert_eq!(with.map(|suite| suite.name.as_str()).collect::<Vec<_>>(), ["residue"]);
    }

    /// Editors use `docs/suite.schema.json` to complete and check suites. The suite parser must accept every field in
    /// the schema, and the schema must contain every field that a built-in suite uses.
    #[test]
    fn the_editor_schema_has_every_field() {
        let schema = include_str!("../../../../docs/suite.schema.json");
        let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
        let protocol = &schema["properties"]["protocol"]["properties"];
        let select = &schema["properties"]["select"]["items"]["properties"];
        let head = "name = \"a\"\nabout = \"\"\n";
        // Strings, numbers and lists of them have the same syntax in JSON and TOML.
        let example = |field: &serde_json::Value| field["examples"][0].to_string();
        for (name, field) in protocol.as_object().unwrap() {
            let text = format!("{head}[protocol]\n{name} = {}\n[[select]]\nworkload = \"kem\"\n", example(field));
            assert!(Suite::parse(&text, "x.toml").is_ok(), "{name}: {}", message(&text));
        }
        let top = schema["properties"].as_object().unwrap().iter();
        for (name, field) in top.filter(|(name, _)| !["name", "about", "protocol", "select"].contains(&name.as_str())) {
            let text = format!("{head}{name} = {}\n[[select]]\nworkload = \"kem\"\n", example(field));
            assert!(Suite::parse(&text, "x.toml").is_ok(), "{name}: {}", message(&text));
        }
        for (name, field) in select.as_object().unwrap().iter().filter(|(name, _)| *name != "workload") {
            let text = format!("{head}[[select]]\nworkload = \"kem\"\n{name} = {}\n", example(field));
            assert!(Suite::parse(&text, "x.toml").is_ok(), "{name}: {}", message(&text));
        }
        for entry in std::fs::read_dir("../../suites").unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let suite: toml::Table = toml::from_str(&text).unwrap();
            let rules = suite.get("protocol").and_then(|item| item.as_table()).into_iter().flat_map(|item| item.keys());
            rules.for_each(|name| assert!(protocol.get(name).is_some(), "{name}"));
            let fields = suite["select"].as_array().unwrap().iter().flat_map(|value| value.as_table().unwrap().keys());
            fields.for_each(|name| assert!(select.get(name).is_some(), "{name}"));
        }
        let documented = include_str!("../../../../docs/suites.md");
        let example = documented.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
        assert_eq!(Suite::parse(example, "docs/suites.md").unwrap().select.len(), 2);
    }

    #[test]
    fn errors_are_one_line_and_name_the_place() {
        let broken = message("name = \"a\"\nabout = \"\"\nselect = [");
        assert!(broken.starts_with("x.toml:3:") && !broken.contains('\n'), "{broken}");
        let unknown = message("name = \"a\"\nabout = \"\"\nselct = 1\n[[select]]\nworkload = \"kem\"\n");
        assert!(unknown.contains("selct") && !unknown.contains('\n'), "{unknown}");
        for (field, words) in [
            ("long = [1]", "x.toml:5:1: unknown field \"long\" in a selection"),
            ("lengths = \"a\"", "x.toml:5:1: lengths: invalid type"),
            ("states = [\"worm\"]", "x.toml:5:1: states: unknown state \"worm\""),
            ("algorithms = 1", "x.toml:5:1: algorithms: invalid type"),
        ] {
            let text = format!("name = \"a\"\nabout = \"\"\n[[select]]\nworkload = \"kem\"\n{field}\n");
            let error = message(&text);
            assert!(error.starts_with(words) && !error.contains('\n'), "{error}");
        }
        let negative = "name = \"a\"\nabout = \"\"\nselect = [{workload = \"kem\"}]\nprotocol = {precision_pct = -1.0}";
        assert!(message(negative).contains("precision must be a number above zero, not -1"));
    }

    #[test]
    fn library_paths_are_relative_to_the_suite_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.toml");
        let text = |libraries: &str| {
            format!("name = \"a\"\nabout = \"\"\nlibraries = {libraries}\n[[select]]\nworkload = \"kem\"\n")
        };
        std::fs::write(
            &file,
            text(r#"["a=liboqs:sub/liboqs.so", "openssl:/x/libcrypto.so.3", "worker:go", "worker:./mine"]"#),
        )
        .unwrap();
        let suite = Suite::find(file.to_str().unwrap()).unwrap();
        let paths: Vec<_> = suite.libraries.iter().map(|library| library.path.clone()).collect();
        assert_eq!(
            paths,
            [
                folder.path().join("sub/liboqs.so"),
                "/x/libcrypto.so.3".into(),
                "go".into(),
                folder.path().join("./mine"),
            ]
        );
        let wrong = message(&text(r#"["oqs:/x.so"]"#));
        assert!(wrong.starts_with("x.toml:3:") && wrong.contains("expected one of liboqs"), "{wrong}");
    }

    #[test]
    fn cores_are_numbers_and_ranges() {
        assert_eq!(parse_cores("0,2,4-6").unwrap(), [0, 2, 4, 5, 6]);
        for wrong in ["", "a", "3-1", "-1", "1,,2", "0-4294967295"] {
            assert!(parse_cores(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_command_line_and_a_suite_set_the_same_rules() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            rules: ProtocolOverrides,
        }
        let line = "x --protocol reference --iterations 7 --warmup 1 --trim 0.5 --batch 2 --precision 3 --max-time 4 --patience 1min \
                    --processes 5 --counter tsc --affinity 2,3";
        let suite = r#"{"kind": "reference", "iterations": 7, "warmup": 1, "trim_pct": 0.5, "batch": 2, "precision_pct": 3,
            "max_time_s": 4, "patience_s": 60, "processes": 5, "counter": "tsc"}"#;
        let suite: ProtocolOverrides = serde_json::from_str(suite).unwrap();
        let line = <Line as clap::Parser>::try_parse_from(line.split_whitespace()).unwrap().rules;
        assert_eq!(line, ProtocolOverrides { affinity: Some(vec![2, 3]), ..suite });
        for wrong in ["x --protocol fixed", "x --counter best", "x --affinity 1 --affinity 2"] {
            assert!(<Line as clap::Parser>::try_parse_from(wrong.split_whitespace()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn quick_quarters_the_suites_iterations_but_not_the_users() {
        let quick = |iterations| ProtocolOverrides { quick: true, iterations, ..Default::default() };
        let mut protocol = Protocol { kind: ProtocolKind::Fixed, iterations: Some(10_000), ..Protocol::default() };
        quick(None).apply(&mut protocol);
        assert_eq!(protocol.iterations, Some(2500));
        quick(Some(7)).apply(&mut protocol);
        assert_eq!(protocol.iterations, Some(7));
        let mut adaptive = Protocol::default();
        quick(None).apply(&mut adaptive);
        assert_eq!(adaptive.iterations, None);
    }

    #[test]
    fn the_reference_protocol_takes_1000_samples_after_100_operations_and_trims_1_percent() {
        let mut protocol = Protocol::default();
        ProtocolOverrides { kind: Some(ProtocolKind::Reference), ..Default::default() }.apply(&mut protocol);
        assert_eq!((protocol.iterations, protocol.warmup, protocol.trim_pct), (Some(1000), 100, 1.0));
    }
}
