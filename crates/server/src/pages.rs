//! What is served under which path. Nothing here touches a file by a name that came from outside: a path names a run of
//! the store, or nothing.

use crate::work::{Kept, Threads};
use hyper::StatusCode;
use hyper::body::Bytes;
use percent_encoding::percent_decode_str;
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::record::RunSummary;
use pqlab_lab::report::templates::{Around, Page, page, policy, runs_page};
use pqlab_lab::store::{Store, StoreError};
use pqlab_lab::{LabError, gather};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Runs that make the history of one.
const HISTORY: usize = 20;
/// Pages that are made at once.
const MAKERS: usize = 2;
/// Clients at once for which the list of runs is read.
const READERS: usize = 8;
const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
/// For answers that are no pages.
const NOTHING_ALLOWED: &str = "default-src 'none'";

/// An answer to a request.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) kind: &'static str,
    pub(super) policy: String,
    pub(super) body: Bytes,
}

/// The pages over a store.
pub(super) struct Pages {
    database: PathBuf,
    kept: Kept,
    makers: Threads,
    readers: Threads,
}

/// Why there is no answer.
enum Wrong {
    /// The store says so.
    Lab(LabError),
    /// It panicked.
    Panic,
}

impl Answer {
    pub(super) fn text(status: StatusCode, text: &str) -> Answer {
        Answer { status, kind: TEXT, policy: NOTHING_ALLOWED.to_owned(), body: Bytes::from(format!("{text}\n")) }
    }

    fn page(body: Bytes) -> Answer {
        Answer { status: StatusCode::OK, kind: HTML, policy: policy(true), body }
    }
}

impl Pages {
    /// Over a store that must be there.
    pub(super) fn new(database: PathBuf) -> Result<Pages, StoreError> {
        Store::open_read_only(&database)?;
        Ok(Pages { database, kept: Kept::default(), makers: Threads::new(MAKERS), readers: Threads::new(READERS) })
    }

    /// What is under a path.
    pub(super) async fn answer(&self, path: &str) -> Answer {
        let found = match path {
            "/" => self.read(|runs| Ok(Answer::page(Bytes::from(runs_page(&runs))))).await,
            "/state" => self.read(|runs| Ok(Answer::text(StatusCode::OK, &state(&runs)))).await,
            path => match path.strip_prefix("/runs/").and_then(decoded) {
                Some(id) => self.run(&id).await,
                None => return not_found(),
            },
        };
        found.unwrap_or_else(|wrong| match wrong {
            Wrong::Lab(LabError::Store(StoreError::UnknownRun { .. })) => not_found(),
            // The reason names files of this machine: it is for the terminal of whoever serves, not for the client.
            Wrong::Lab(_) => Answer::text(StatusCode::SERVICE_UNAVAILABLE, "The store cannot be read just now."),
            Wrong::Panic => Answer::text(StatusCode::INTERNAL_SERVER_ERROR, "This page could not be made."),
        })
    }

    /// Makes something of the runs that there are, the newest first.
    async fn read<T: Send + 'static>(
        &self,
        make: impl FnOnce(Vec<RunSummary>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Wrong> {
        let database = self.database.clone();
        let read = self.readers.run(move || make(Store::open_read_only(&database)?.runs()?)).await;
        read.ok_or(Wrong::Panic)?.map_err(|error| Wrong::Lab(error.into()))
    }

    async fn run(&self, id: &str) -> Result<Answer, Wrong> {
        let reference = id.to_owned();
        let (ids, state) = self.read(|runs| history(runs, reference)).await?;
        let database = self.database.clone();
        let make = async {
            let made = self.makers.run(move || run_page(&database, &ids)).await;
            made.ok_or(Wrong::Panic)?.map_err(Wrong::Lab)
        };
        Ok(Answer::page(self.kept.page(id, &state, make).await?))
    }
}

/// The ids of a run and of those that make its history, and the text that changes when any of them does.
fn history(runs: Vec<RunSummary>, reference: String) -> Result<(Vec<String>, String), StoreError> {
    let Some(place) = runs.iter().position(|run| run.id == reference) else {
        return Err(StoreError::UnknownRun { reference });
    };
    // The newest come first: the history of a run is what comes behind it.
    let shown = &runs[place..runs.len().min(place + HISTORY)];
    Ok((shown.iter().map(|run| run.id.clone()).collect(), state(shown)))
}

fn run_page(database: &Path, ids: &[String]) -> Result<Bytes, LabError> {
    let gathered = gather(|| Store::open_read_only(database), ids)?;
    let analysis = gathered.analysis();
    let (text, _) = page(&Page {
        analysis: &analysis,
        past: &gathered.past,
        scenario: &RelayScenario::default(),
        around: Around { home: Some("/"), live: Some("/state"), feed: None },
    });
    Ok(Bytes::from(text))
}

fn not_found() -> Answer {
    Answer::text(StatusCode::NOT_FOUND, "There is no such page.")
}

/// A text that changes when any of the runs does.
fn state(runs: &[RunSummary]) -> String {
    let one = |run: &RunSummary| {
        format!("{} {} of {}{}", run.id, run.finished, run.planned, if run.complete { " complete" } else { "" })
    };
    runs.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// A part of a path with its percent signs resolved; `None` where that is no text. A percent sign before anything but two
/// digits stands for itself.
fn decoded(part: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(part).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_are_resolved_once() {
        assert_eq!(decoded("a%20b").as_deref(), Some("a b"));
        assert_eq!(decoded("%252e").as_deref(), Some("%2e"));
        for odd in ["%", "%4", "%zz"] {
            assert_eq!(decoded(odd).as_deref(), Some(odd));
        }
        assert_eq!(decoded("%ff"), None);
    }
}
