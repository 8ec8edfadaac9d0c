use crate::patterns::nearest;
use pqlab_analysis::text::neutral;
use pqlab_harness::counter::CounterError;
use pqlab_harness::{MeasuringError, WorkerError};
use pqlab_store::StoreError;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Errors from planning, measuring and reporting. Each message is one line that states the problem and where it
/// occurred. The calling program can add a remedy in terms of its own interface, such as a command-line option.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// The request contains an unknown name.
    #[error(
        "unknown {what} {name:?}{}{}",
        near.as_ref().map_or_else(String::new, |near| format!(" (did you mean {near:?}?)")),
        if known.is_empty() { String::new() } else { format!("; expected one of {}", known.join(", ")) }
    )]
    Unknown {
        /// Kind of thing that the name refers to.
        what: Thing,
        /// The unknown name or pattern.
        name: String,
        /// The most similar known name, if one is similar enough to suggest.
        near: Option<String>,
        /// The known names; empty if there are too many to list.
        known: Vec<String>,
    },
    /// A field of the request has an invalid value.
    #[error("{reason}")]
    Invalid {
        /// The field's name in the request.
        field: &'static str,
        /// The whole message: the invalid value and the allowed values.
        reason: String,
    },
    /// A suite cannot be read or is malformed.
    #[error("{origin}{}: {reason}", place.map_or_else(String::new, |(line, column)| format!(":{line}:{column}")))]
    Suite {
        /// Name of the suite's file.
        origin: String,
        /// Line and column, both from 1, if known.
        place: Option<(usize, usize)>,
        /// Description of the problem.
        reason: String,
    },
    /// The suites contain no case that matches the filters.
    #[error(
        "no case is selected{}{}",
        if with.is_empty() { String::new() } else { format!("; matching cases are in {}", with.join(", ")) },
        meant(near)
    )]
    NothingSelected {
        /// Other built-in suites that have cases matching the filters.
        with: Vec<String>,
        /// The case ids closest to the filters, if no built-in suite has a match.
        near: Vec<String>,
    },
    /// There is no run to report.
    #[error("no runs to report")]
    NoRuns,
    /// The runs cannot be combined in one report.
    #[error("{0}")]
    NotOneRun(pqlab_analysis::NotOneRun),
    /// A run has none of the requested cases.
    #[error(
        "no case of run {run} {}{}",
        pattern.as_ref().map_or_else(|| "is selected".to_owned(), |pattern| format!("matches {pattern:?}")),
        meant(near)
    )]
    NoCaseOfRun {
        /// The run's id.
        run: String,
        /// The pattern without a match; `None` if only the combination of several filters has no match.
        pattern: Option<String>,
        /// The case ids closest to the pattern.
        near: Vec<String>,
    },
    /// Both patterns match cases, but no two of these cases form a pair. In a pair, each `*` matches the same text in
    /// both ids.
    #[error("{first:?} and {second:?} match no pair of cases: each star must match the same text in both cases")]
    Unpaired {
        /// The first pattern.
        first: String,
        /// The second pattern.
        second: String,
    },
    /// No complete run of the suite on this machine is old enough to be the baseline of a comparison.
    #[error(
        "no complete run of suite {suite} on this machine is at least {age} older than run {run}; see `pqlab runs`"
    )]
    NoneThatOld {
        /// Name of the suite.
        suite: String,
        /// The required age, as text such as `7 days`.
        age: String,
        /// Id of the run under test. The baseline must have started at least `age` earlier.
        run: String,
    },
    /// No earlier run has a case in common with the run under test.
    #[error("no run before {run} has a case in common with it; name a run (see `pqlab runs`)")]
    NoEarlierRun {
        /// Id of the run under test.
        run: String,
    },
    /// Two runs have no case in common.
    #[error("runs {first} and {second} have no case in common")]
    NothingInCommon {
        /// Id of one run.
        first: String,
        /// Id of the other run.
        second: String,
    },
    /// A run cannot be resumed, because its counter is no longer available.
    #[error("run {run} used the counter {began}, but this machine now uses {now}")]
    OtherCounter {
        /// The run's id.
        run: String,
        /// Name of the counter that the run has used so far.
        began: String,
        /// Name of the counter that is available now.
        now: String,
    },
    /// The machine or the build has changed since the run started.
    #[error("conditions have changed since run {run} started: {}", changes.join("; "))]
    Changed {
        /// The run's id.
        run: String,
        /// Short descriptions of the differences.
        changes: Vec<String>,
    },
    /// No provider offers the algorithm, or the requested provider does not.
    #[error("{}", unoffered(algorithm, provider.as_deref(), offering))]
    Unoffered {
        /// Name of the algorithm.
        algorithm: String,
        /// The requested provider, if the request named one.
        provider: Option<String>,
        /// Providers that offer the algorithm.
        offering: Vec<String>,
    },
    /// A file that the request names cannot be used.
    #[error("{}: {reason}", neutral(&path.display().to_string()))]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Description of the problem with the file.
        reason: String,
    },
    /// The transactions in a block file have a different [form](crate::ledger::TransactionForm) than requested.
    #[error("{}: the transactions are {found}, not {wanted}", path.display())]
    OtherForm {
        /// Path of the file.
        path: PathBuf,
        /// Name of the form in the file, such as `TXv1`.
        found: &'static str,
        /// Name of the requested form.
        wanted: &'static str,
    },
    /// Libraries cannot be loaded.
    #[error("{}", failures.join("; "))]
    Libraries {
        /// One message for each library that failed to load, with the reason.
        failures: Vec<String>,
    },
    /// A suite or a run names libraries that the user did not request. pqlab does not open these libraries, because
    /// opening a library runs its code.
    #[error("{origin} would load and run the code of these libraries: {}", libraries.join(", "))]
    Foreign {
        /// Description of the suite or run, such as `run 20261121T190000Z-3f9a1c`.
        origin: String,
        /// Libraries that the user did not request.
        libraries: Vec<String>,
    },
    /// Two providers have no selected case in common.
    #[error("{first} and {second} have no selected case in common")]
    NothingShared {
        /// Id of one provider.
        first: String,
        /// Id of the other provider.
        second: String,
    },
    /// A program that the request needs is not installed.
    #[error("{program} is not installed")]
    Missing {
        /// Name of the program.
        program: &'static str,
    },
    /// The requested counter is not available.
    #[error(transparent)]
    Counter(#[from] CounterError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The sink that receives a run's records failed.
    #[error("cannot store the records: {0}")]
    Sink(Box<dyn Error + Send + Sync>),
    /// A worker process is missing or unusable.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// A case that other work depends on cannot be measured.
    #[error("{case} cannot be measured: {reason}")]
    Case {
        /// The case's id.
        case: String,
        /// Reason for the failure.
        reason: String,
    },
    /// A library failed, or gave a wrong answer.
    #[error("{provider}: {reason}")]
    Library {
        /// The provider's id.
        provider: String,
        /// Description of the failure or of the wrong answer.
        reason: String,
    },
    /// A call to the operating system failed.
    #[error("{attempt}: {error}")]
    System {
        /// Description of the failed call, such as `cannot start 4 threads`.
        attempt: String,
        /// The operating system's error.
        error: io::Error,
    },
}

/// Kind of thing that a name in a request refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thing {
    /// An algorithm.
    Algorithm,
    /// A provider.
    Provider,
    /// An operation.
    Operation,
    /// A key form: prepared or encoded.
    Form,
    /// A [state](crate::record::State) of the caches and the process: warm, evicted or first call.
    State,
    /// A [variant](crate::Variant) of signing, such as deterministic.
    Variant,
    /// A source of an operation's random bytes.
    CoinSource,
    /// A suite.
    Suite,
    /// A workload.
    Workload,
    /// A leak test case.
    LeakCase,
    /// A provider that offers a signature scheme for the ledger.
    LedgerProvider,
    /// A handshake that creates a circuit, such as ntor.
    Handshake,
    /// A suite, an area, an algorithm or a provider.
    Selection,
    /// A library with a recipe.
    Recipe,
    /// A version of a library.
    Version,
    /// A library that the user added.
    Added,
    /// One side of a library comparison: a provider in this build, or a library to load.
    Library,
}

impl fmt::Display for Thing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Thing::Algorithm => "algorithm",
            Thing::Provider => "provider",
            Thing::Operation => "operation",
            Thing::Form => "form",
            Thing::State => "state",
            Thing::Variant => "variant",
            Thing::CoinSource => "source of randomness",
            Thing::Suite => "suite",
            Thing::Workload => "workload",
            Thing::LeakCase => "leak test",
            Thing::LedgerProvider => "ledger provider",
            Thing::Handshake => "circuit handshake",
            Thing::Selection => "suite, area, algorithm or provider",
            Thing::Recipe => "library",
            Thing::Version => "version",
            Thing::Added => "added library",
            Thing::Library => "provider",
        })
    }
}

impl LabError {
    /// Returns whether the caller can fix the error by changing the request, the files that it names, or the store. If
    /// not, the cause is a failure of pqlab, a library or the machine.
    pub fn is_request(&self) -> bool {
        match self {
            LabError::Sink(_)
            | LabError::Worker(_)
            | LabError::Case { .. }
            | LabError::Library { .. }
            | LabError::System { .. } => false,
            LabError::Unknown { .. }
            | LabError::Invalid { .. }
            | LabError::Suite { .. }
            | LabError::NothingSelected { .. }
            | LabError::NoRuns
            | LabError::NotOneRun(_)
            | LabError::NoCaseOfRun { .. }
            | LabError::Unpaired { .. }
            | LabError::NoneThatOld { .. }
            | LabError::NoEarlierRun { .. }
            | LabError::NothingInCommon { .. }
            | LabError::OtherCounter { .. }
            | LabError::Changed { .. }
            | LabError::Unoffered { .. }
            | LabError::File { .. }
            | LabError::OtherForm { .. }
            | LabError::Missing { .. }
            | LabError::Libraries { .. }
            | LabError::Foreign { .. }
            | LabError::NothingShared { .. }
            | LabError::Counter(_)
            | LabError::Store(_) => true,
        }
    }

    /// Creates an error for an invalid value.
    pub(crate) fn invalid(field: &'static str, reason: impl Into<String>) -> LabError {
        LabError::Invalid { field, reason: reason.into() }
    }

    /// Creates an error for an unknown name.
    pub(crate) fn unknown<'a>(what: Thing, name: &str, known: impl Iterator<Item = &'a str>) -> LabError {
        LabError::Unknown { what, name: name.to_owned(), near: near(name, known), known: Vec::new() }
    }

    /// Creates an error for an unknown name. The message lists the known names.
    pub(crate) fn unknown_of_few(what: Thing, name: &str, known: &[&str]) -> LabError {
        LabError::Unknown {
            what,
            name: name.to_owned(),
            near: near(name, known.iter().copied()),
            known: known.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// Creates an error for a pattern that matches no case of a run.
    pub fn no_case_of_run(run: &str, pattern: &str, ids: &[String]) -> LabError {
        LabError::NoCaseOfRun {
            run: run.to_owned(),
            pattern: Some(pattern.to_owned()),
            near: nearest(pattern, ids.iter().map(String::as_str)),
        }
    }

    /// Creates an error for a library that failed.
    pub(crate) fn library(provider: &str, reason: impl fmt::Display) -> LabError {
        LabError::Library { provider: provider.to_owned(), reason: reason.to_string() }
    }

    /// Returns a function that wraps an error from the operating system. `attempt` describes the failed call.
    pub(crate) fn system(attempt: impl Into<String>) -> impl FnOnce(io::Error) -> LabError {
        |error| LabError::System { attempt: attempt.into(), error }
    }
}

impl From<MeasuringError> for LabError {
    fn from(error: MeasuringError) -> LabError {
        match error {
            MeasuringError::Worker(error) => error.into(),
            MeasuringError::Observer(error) => match error.0.downcast::<SinkError>() {
                Ok(refused) => (*refused).into(),
                Err(other) => LabError::Sink(other),
            },
        }
    }
}

/// Error from a [`RecordSink`](crate::RecordSink).
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Any other error that the sink reports.
    #[error(transparent)]
    Other(Box<dyn Error + Send + Sync>),
}

impl SinkError {
    /// Wraps the error of a custom sink.
    pub fn other(error: impl Into<Box<dyn Error + Send + Sync>>) -> SinkError {
        SinkError::Other(error.into())
    }
}

impl From<SinkError> for LabError {
    fn from(error: SinkError) -> LabError {
        match error {
            SinkError::Store(error) => LabError::Store(error),
            SinkError::Other(error) => LabError::Sink(error),
        }
    }
}

/// Returns the known name most similar to `name`, if it is similar enough for a suggestion.
fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let lower = name.to_lowercase();
    let likeness = |candidate: &'a str| (strsim::jaro_winkler(&lower, &candidate.to_lowercase()), candidate);
    let (score, candidate) = known.map(likeness).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (score > 0.8).then(|| candidate.to_owned())
}

/// Returns the suggestion to append to a message; empty if there is none.
fn meant(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; closest matches: {}", near.join(", ")) }
}

fn unoffered(algorithm: &str, provider: Option<&str>, offering: &[String]) -> String {
    match provider {
        Some(provider) if !offering.is_empty() => {
            format!("{provider} does not offer {algorithm}; providers that offer it: {}", offering.join(", "))
        }
        _ => format!("no provider in this build offers {algorithm}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_come_with_suggestions() {
        let known = ["kem", "signature"];
        let text = |error: LabError| error.to_string();
        let many = LabError::unknown(Thing::Algorithm, "ML-KEM-769", ["ML-KEM-768", "X25519"].into_iter());
        assert_eq!(text(many), r#"unknown algorithm "ML-KEM-769" (did you mean "ML-KEM-768"?)"#);
        let few = LabError::unknown_of_few(Thing::Workload, "kemm", &known);
        assert_eq!(text(few), r#"unknown workload "kemm" (did you mean "kem"?); expected one of kem, signature"#);
        let far = LabError::unknown_of_few(Thing::Workload, "zzz", &known);
        assert_eq!(text(far), r#"unknown workload "zzz"; expected one of kem, signature"#);
    }

    #[test]
    fn sink_errors_keep_their_reason() {
        let refused =
            |error: SinkError| LabError::from(MeasuringError::Observer(pqlab_harness::ObserverError(error.into())));
        let full = refused(SinkError::other("the bucket is full"));
        assert_eq!(full.to_string(), "cannot store the records: the bucket is full");
        assert!(!full.is_request());
        let stored = refused(StoreError::NoHome.into());
        assert!(matches!(stored, LabError::Store(StoreError::NoHome)) && stored.is_request());
    }
}
