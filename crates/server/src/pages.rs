//! What is served under which path. Nothing here touches a file by a name that came from outside: a path names a run of
//! the store, or nothing.

use hyper::StatusCode;
use hyper::body::Bytes;
use percent_encoding::percent_decode_str;
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::record::RunSummary;
use pqlab_lab::report::templates::{Around, Page, page, policy, runs_page};
use pqlab_lab::store::{Store, StoreError};
use pqlab_lab::{LabError, gather};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Runs that make the history of one.
const HISTORY: usize = 20;
/// Pages that are kept as they were made.
const KEPT: usize = 8;
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
    /// Of the last runs that were asked for: the run, the state of the store, the page. Held while a page is made, so that
    /// many clients who ask for one at once have it made once.
    kept: Mutex<Vec<(String, String, Bytes)>>,
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
        Ok(Pages { database, kept: Mutex::new(Vec::new()) })
    }

    /// What is under a path.
    pub(super) fn answer(&self, path: &str) -> Answer {
        let found = match path {
            "/" => self.runs().map(|runs| Answer::page(Bytes::from(runs_page(&runs)))),
            "/state" => self.runs().map(|runs| Answer::text(StatusCode::OK, &state(&runs))),
            path => match path.strip_prefix("/runs/").and_then(decoded) {
                Some(id) => self.run(&id),
                None => return not_found(),
            },
        };
        found.unwrap_or_else(|error| match error {
            LabError::Store(StoreError::UnknownRun { .. }) => not_found(),
            // The reason names files of this machine: it is for the terminal of whoever serves, not for the client.
            _ => Answer::text(StatusCode::SERVICE_UNAVAILABLE, "The store cannot be read just now."),
        })
    }

    fn open(&self) -> Result<Store, StoreError> {
        Store::open_read_only(&self.database)
    }

    fn runs(&self) -> Result<Vec<RunSummary>, LabError> {
        Ok(self.open()?.runs()?)
    }

    fn run(&self, id: &str) -> Result<Answer, LabError> {
        let runs = self.runs()?;
        let Some(place) = runs.iter().position(|run| run.id == id) else {
            return Err(StoreError::UnknownRun { reference: id.to_owned() }.into());
        };
        // The newest come first: the history of a run is what comes behind it.
        let shown = &runs[place..runs.len().min(place + HISTORY)];
        let state = state(shown);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., page)) = kept.iter().find(|(run, as_of, _)| run == id && *as_of == state) {
            return Ok(Answer::page(page.clone()));
        }
        let ids: Vec<String> = shown.iter().map(|run| run.id.clone()).collect();
        let gathered = gather(|| self.open(), &ids)?;
        let analysis = gathered.analysis();
        let (text, _) = page(&Page {
            analysis: &analysis,
            past: &gathered.past,
            scenario: &RelayScenario::default(),
            around: Around { home: Some("/"), live: Some("/state"), feed: None },
        });
        let page = Bytes::from(text);
        kept.retain(|(run, ..)| run != id);
        kept.truncate(KEPT - 1);
        kept.insert(0, (id.to_owned(), state, page.clone()));
        Ok(Answer::page(page))
    }
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
