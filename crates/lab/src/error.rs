use crate::patterns::nearest;
use pqlab_harness::counter::CounterError;
use pqlab_harness::{MeasuringError, WorkerError};
use pqlab_store::StoreError;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// What can go wrong between a suite and a report. Messages are one line and say what and where; what is to be done about it
/// depends on how the request was made, and is for the program that made it to say.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// The request names something that is not there.
    #[error(
        "no {what} is called {name:?}{}{}",
        near.as_ref().map_or_else(String::new, |near| format!(", did you mean {near:?}")),
        if known.is_empty() { String::new() } else { format!(": there are {}", known.join(", ")) }
    )]
    Unknown {
        /// What kind of thing.
        what: Thing,
        /// The name, or the pattern.
        name: String,
        /// A name that is there and much like it.
        near: Option<String>,
        /// The names that are there, where they are few.
        known: Vec<String>,
    },
    /// A field of the request has a value that cannot be used.
    #[error("{reason}")]
    Invalid {
        /// The field, as the request calls it.
        field: &'static str,
        /// The value, and what it must be.
        reason: String,
    },
    /// A suite cannot be read, or is malformed.
    #[error("{origin}{}: {reason}", place.map_or_else(String::new, |(line, column)| format!(":{line}:{column}")))]
    Suite {
        /// The suite's file.
        origin: String,
        /// Line and column, both from 1, where they are known.
        place: Option<(usize, usize)>,
        /// What is wrong.
        reason: String,
    },
    /// Suites and filters leave nothing to measure.
    #[error(
        "nothing is selected{}{}",
        if with.is_empty() { String::new() } else { format!("; it is in {}", with.join(", ")) },
        meant(near)
    )]
    NothingSelected {
        /// Suites that have something of what the filters leave.
        with: Vec<String>,
        /// The ids nearest to what the filters say, where no suite has it.
        near: Vec<String>,
    },
    /// There is no run to work on.
    #[error("there is no run to report")]
    NoRuns,
    /// Runs cannot be put into one report.
    #[error("{0}")]
    NotOneRun(pqlab_analysis::NotOneRun),
    /// A run has no case that is asked for.
    #[error(
        "no case of run {run} {}{}",
        pattern.as_ref().map_or_else(|| "is selected".to_owned(), |pattern| format!("matches {pattern:?}")),
        meant(near)
    )]
    NoCaseOfRun {
        /// The run's id.
        run: String,
        /// The pattern that matches none; `None` where several filters together leave none.
        pattern: Option<String>,
        /// The ids nearest to it.
        near: Vec<String>,
    },
    /// No case that one pattern matches belongs to one that the other matches.
    #[error(
        "no two cases belong together: {first:?} and {second:?} pair those for which the stars stand for the same text"
    )]
    Unpaired {
        /// The first pattern.
        first: String,
        /// The second pattern.
        second: String,
    },
    /// No run of a suite is old enough.
    #[error(
        "no complete run of suite {suite} on this machine began {age} before run {run}: `pqlab runs` lists what there is"
    )]
    NoneThatOld {
        /// The suite.
        suite: String,
        /// How old it should be, in words.
        age: String,
        /// The run that it is counted from.
        run: String,
    },
    /// Two runs have nothing to compare.
    #[error("runs {first} and {second} have no case in common")]
    NothingInCommon {
        /// A run's id.
        first: String,
        /// Another's.
        second: String,
    },
    /// A run cannot go on with the counter with which it began.
    #[error("run {run} counted {began}, but now there is only {now}")]
    OtherCounter {
        /// The run's id.
        run: String,
        /// What it counted.
        began: String,
        /// What can be counted now.
        now: String,
    },
    /// A run began on another machine or with another build.
    #[error("run {run} did not begin like this: {}", changes.join("; "))]
    Changed {
        /// The run's id.
        run: String,
        /// What is not as it was, each in a few words.
        changes: Vec<String>,
    },
    /// No provider, or not the one that was asked for, offers an algorithm.
    #[error("{}", unoffered(algorithm, provider.as_deref(), offering))]
    Unoffered {
        /// The algorithm.
        algorithm: String,
        /// The provider that was asked for, if one was.
        provider: Option<String>,
        /// Those that offer it.
        offering: Vec<String>,
    },
    /// A file that the request names cannot be used.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A block file's transactions are not of the form that is taken.
    #[error("{}: its transactions are {found}, but {wanted} is what is taken", path.display())]
    OtherForm {
        /// The file.
        path: PathBuf,
        /// What they are.
        found: &'static str,
        /// What is taken.
        wanted: &'static str,
    },
    /// Libraries that were to be loaded cannot be.
    #[error("{}", failures.join("; "))]
    Libraries {
        /// Each with why not.
        failures: Vec<String>,
    },
    /// A suite or a run names libraries that were not asked for: to open them is to run their code.
    #[error("{origin} names libraries whose code would run: {}", libraries.join(", "))]
    Foreign {
        /// What names them.
        origin: String,
        /// The libraries.
        libraries: Vec<String>,
    },
    /// Two providers offer nothing in common of what is selected.
    #[error("{first} and {second} have no case in common of what is selected")]
    NothingShared {
        /// A provider's id.
        first: String,
        /// Another's.
        second: String,
    },
    /// A program that the request needs is not installed.
    #[error("{program} is not installed")]
    Missing {
        /// The program.
        program: &'static str,
    },
    /// The counter that was asked for is not to be had.
    #[error(transparent)]
    Counter(#[from] CounterError),
    /// The database refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What takes the records of a run refuses.
    #[error("the records cannot be kept: {0}")]
    Sink(Box<dyn Error + Send + Sync>),
    /// There is no worker process, or none that can be worked with.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// A case that everything else hangs on cannot be measured.
    #[error("{case} cannot be measured: {reason}")]
    Case {
        /// The case's id.
        case: String,
        /// Why not.
        reason: String,
    },
    /// A library failed, or gave a wrong answer.
    #[error("{provider}: {reason}")]
    Library {
        /// The provider's id.
        provider: String,
        /// What it did.
        reason: String,
    },
    /// The system refuses something that the work needs.
    #[error("{attempt}: {error}")]
    System {
        /// What was tried.
        attempt: String,
        /// The system's words.
        error: io::Error,
    },
}

/// What a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thing {
    /// An algorithm.
    Algorithm,
    /// A provider.
    Provider,
    /// An operation.
    Operation,
    /// A form of keys: prepared or encoded.
    Form,
    /// A state of caches and process.
    State,
    /// A variant of signing.
    Variant,
    /// Where random bytes come from.
    CoinSource,
    /// A suite.
    Suite,
    /// A workload.
    Workload,
    /// A case of a leak test.
    LeakCase,
    /// A provider with a scheme of the ledger.
    LedgerProvider,
    /// A circuit handshake.
    Handshake,
    /// A suite, an area, an algorithm or a provider.
    Selection,
    /// A provider of the build, or a library that is to be loaded.
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
            Thing::CoinSource => "source of coins",
            Thing::Suite => "suite",
            Thing::Workload => "workload",
            Thing::LeakCase => "leak test",
            Thing::LedgerProvider => "provider with a scheme of the ledger",
            Thing::Handshake => "circuit handshake",
            Thing::Selection => "suite, area, algorithm or provider",
            Thing::Library => "provider",
        })
    }
}

impl LabError {
    /// Whether another request, or another file, would have been answered: else something here is broken.
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

    /// A value that cannot be used.
    pub(crate) fn invalid(field: &'static str, reason: impl Into<String>) -> LabError {
        LabError::Invalid { field, reason: reason.into() }
    }

    /// A name that is not among those that are known.
    pub(crate) fn unknown<'a>(what: Thing, name: &str, known: impl Iterator<Item = &'a str>) -> LabError {
        LabError::Unknown { what, name: name.to_owned(), near: near(name, known), known: Vec::new() }
    }

    /// Likewise where those that are known are few enough to be told.
    pub(crate) fn unknown_of_few(what: Thing, name: &str, known: &[&str]) -> LabError {
        LabError::Unknown {
            what,
            name: name.to_owned(),
            near: near(name, known.iter().copied()),
            known: known.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// A pattern that matches none of a run's cases.
    pub fn no_case_of_run(run: &str, pattern: &str, ids: &[String]) -> LabError {
        LabError::NoCaseOfRun {
            run: run.to_owned(),
            pattern: Some(pattern.to_owned()),
            near: nearest(pattern, ids.iter().map(String::as_str)),
        }
    }

    /// Something that a library did.
    pub(crate) fn library(provider: &str, reason: impl fmt::Display) -> LabError {
        LabError::Library { provider: provider.to_owned(), reason: reason.to_string() }
    }

    /// Something that the system refused.
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

/// Why a [`RecordSink`](crate::RecordSink) does not take what it is given.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The database refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something else refuses; whoever made the sink knows what is inside.
    #[error(transparent)]
    Other(Box<dyn Error + Send + Sync>),
}

impl SinkError {
    /// Whatever error a sink of one's own has.
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

/// A known name that is much like the one that is not.
fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let lower = name.to_lowercase();
    let likeness = |candidate: &'a str| (strsim::jaro_winkler(&lower, &candidate.to_lowercase()), candidate);
    let (score, candidate) = known.map(likeness).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (score > 0.8).then(|| candidate.to_owned())
}

/// The ids that may have been meant.
fn meant(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; the nearest there is: {}", near.join(", ")) }
}

fn unoffered(algorithm: &str, provider: Option<&str>, offering: &[String]) -> String {
    match provider {
        Some(provider) if !offering.is_empty() => {
            format!("{provider} does not offer {algorithm}: {} do", offering.join(", "))
        }
        _ => format!("no provider of this build offers {algorithm}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_with_what_was_meant_and_what_there_is() {
        let known = ["kem", "signature"];
        let text = |error: LabError| error.to_string();
        let many = LabError::unknown(Thing::Algorithm, "ML-KEM-769", ["ML-KEM-768", "X25519"].into_iter());
        assert_eq!(text(many), r#"no algorithm is called "ML-KEM-769", did you mean "ML-KEM-768""#);
        let few = LabError::unknown_of_few(Thing::Workload, "kemm", &known);
        assert_eq!(text(few), r#"no workload is called "kemm", did you mean "kem": there are kem, signature"#);
        let far = LabError::unknown_of_few(Thing::Workload, "zzz", &known);
        assert_eq!(text(far), r#"no workload is called "zzz": there are kem, signature"#);
    }

    #[test]
    fn what_a_sink_refuses_keeps_its_reason() {
        let refused =
            |error: SinkError| LabError::from(MeasuringError::Observer(pqlab_harness::ObserverError(error.into())));
        let full = refused(SinkError::other("the bucket is full"));
        assert_eq!(full.to_string(), "the records cannot be kept: the bucket is full");
        assert!(!full.is_request());
        let stored = refused(StoreError::NoHome.into());
        assert!(matches!(stored, LabError::Store(StoreError::NoHome)) && stored.is_request());
    }
}
