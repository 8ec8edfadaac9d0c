//! Generates the page for a request path. This module only compares the path with fixed paths and with run ids in the
//! store, and never uses the path as a file name.

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

/// Maximum number of runs in the history on a run's page, including the run itself.
const HISTORY: usize = 20;
/// Maximum number of pages generated concurrently.
const MAKERS: usize = 2;
/// Maximum number of concurrent reads of the list of runs.
const READERS: usize = 8;
const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
/// Content security policy of responses that are not pages.
const NOTHING_ALLOWED: &str = "default-src 'none'";

/// Response to a request.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) kind: &'static str,
    pub(super) policy: String,
    pub(super) body: Bytes,
}

/// Generates the pages of a store, and caches the pages of runs.
pub(super) struct Pages {
    database: PathBuf,
    kept: Kept,
    makers: Threads,
    readers: Threads,
}

/// Reason for an error response.
enum Wrong {
    /// Error while reading the store or comparing runs.
    Lab(LabError),
    /// The handler panicked.
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
    /// Checks that the store exists and can be read.
    pub(super) fn new(database: PathBuf) -> Result<Pages, StoreError> {
        Store::open_read_only(&database)?;
        Ok(Pages { database, kept: Kept::default(), makers: Threads::new(MAKERS), readers: Threads::new(READERS) })
    }

    /// Returns the response for a path.
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
            // The error names files on this machine, so do not send it to the client.
            Wrong::Lab(_) => Answer::text(StatusCode::SERVICE_UNAVAILABLE, "The store cannot be read right now."),
            Wrong::Panic => Answer::text(StatusCode::INTERNAL_SERVER_ERROR, "This page could not be created."),
        })
    }

    /// Calls `make` with all runs, newest first.
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
            let page = self.makers.run(move || run_page(&database, &ids)).await;
            page.ok_or(Wrong::Panic)?.map_err(Wrong::Lab)
        };
        Ok(Answer::page(self.kept.page(id, &state, make).await?))
    }
}

/// Returns the ids of the runs in a run's history, starting with the run itself, and the [`state`] of these runs.
fn history(runs: Vec<RunSummary>, reference: String) -> Result<(Vec<String>, String), StoreError> {
    let Some(place) = runs.iter().position(|run| run.id == reference) else {
        return Err(StoreError::UnknownRun { reference });
    };
    // Runs are sorted newest first, so a run's history follows it in the list.
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
    Answer::text(StatusCode::NOT_FOUND, "Page not found.")
}

/// Returns one line per run with its id and progress, so that the text changes when a run starts, finishes a case or
/// completes.
fn state(runs: &[RunSummary]) -> String {
    let one = |run: &RunSummary| {
        format!("{} {} of {}{}", run.id, run.finished, run.planned, if run.complete { " complete" } else { "" })
    };
    runs.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// Decodes percent-encoding in part of a path. Returns `None` if the result is not UTF-8. A percent sign without two
/// hexadecimal digits stays unchanged.
fn decoded(part: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(part).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_percent_signs_once() {
        assert_eq!(decoded("a%20b").as_deref(), Some("a b"));
        assert_eq!(decoded("%252e").as_deref(), Some("%2e"));
        for odd in ["%", "%4", "%zz"] {
            assert_eq!(decoded(odd).as_deref(), Some(odd));
        }
        assert_eq!(decoded("%ff"), None);
    }
}
