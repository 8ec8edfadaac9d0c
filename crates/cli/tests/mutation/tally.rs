//! Counts rejected and accepted files.

use super::changes::{Field, Step, changed, changes, fields, long, name};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Outcome of an attempt to read a changed file.
pub(crate) enum Outcome {
    Refused,
    Taken,
}

/// Checks that the message of a rejection states a reason and, for JSON, a line number.
pub(crate) fn refused(reason: &str, of_json: bool) -> Result<Outcome, String> {
    match (reason.trim().is_empty(), of_json && !reason.contains(" line ")) {
        (true, _) => Err("rejected without a reason".to_owned()),
        (_, true) => Err(format!("rejected without a line number: {reason}")),
        _ => Ok(Outcome::Refused),
    }
}

/// Prints the name of the current attempt if it takes longer than a minute, so that endless attempts can be identified.
struct Watch(Arc<Mutex<(String, Instant)>>);

impl Watch {
    fn new() -> Watch {
        let doing = Arc::new(Mutex::new((String::new(), Instant::now())));
        let seen = Arc::downgrade(&doing);
        std::thread::spawn(move || {
            while let Some(doing) = seen.upgrade() {
                let (what, since) = doing.lock().unwrap().clone();
                drop(doing);
                if !what.is_empty() && since.elapsed() > MINUTE {
                    println!("still trying after {} s: {what}", since.elapsed().as_secs());
                }
                std::thread::sleep(MINUTE);
            }
        });
        Watch(doing)
    }

    fn at(&self, what: &str) {
        *self.0.lock().unwrap() = (what.to_owned(), Instant::now());
    }
}

const MINUTE: Duration = Duration::from_secs(60);

pub(crate) struct Tally {
    watch: Watch,
    tried: usize,
    refused: usize,
    taken: usize,
    failures: Vec<String>,
}

impl Tally {
    pub(crate) fn new() -> Tally {
        Tally { watch: Watch::new(), tried: 0, refused: 0, taken: 0, failures: Vec::new() }
    }

    pub(crate) fn attempt(&mut self, what: &str, attempt: impl FnOnce() -> Result<Outcome, String>) {
        self.tried += 1;
        self.watch.at(what);
        match catch_unwind(AssertUnwindSafe(attempt)) {
            Ok(Ok(Outcome::Refused)) => self.refused += 1,
            Ok(Ok(Outcome::Taken)) => self.taken += 1,
            Ok(Err(reason)) => self.failures.push(format!("{what}: {reason}")),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                self.failures.push(format!("{what}: panic: {text}"));
            }
        }
    }

    /// Changes one field of a JSON document at a time, and passes each changed document to `attempt`.
    pub(crate) fn json(
        &mut self,
        of: &str,
        document: &Value,
        mut attempt: impl FnMut(&str) -> Result<Outcome, String>,
    ) {
        let (all, changes) = (fields(document, long()), changes());
        for (number, field) in all.iter().enumerate() {
            let chosen =
                if long() { 0..changes.len() } else { (7 * number) % changes.len()..(7 * number) % changes.len() + 1 };
            for (as_what, change) in &changes[chosen] {
                let text = changed(document, &[(field, change)]);
                self.attempt(&format!("{of}: {} as {as_what}", name(field)), || attempt(&text));
            }
        }
        if long() {
            self.pairs(of, document, &all, attempt);
        }
    }

    /// For each pair of fields in the same object, changes both fields once and passes the result to `attempt`.
    fn pairs(
        &mut self,
        of: &str,
        document: &Value,
        all: &[Field],
        mut attempt: impl FnMut(&str) -> Result<Outcome, String>,
    ) {
        let changes = changes();
        let above = |field: &Field| match field.split_last() {
            Some((Step::Key(_), above)) => Some(name(above)),
            _ => None,
        };
        let objects: Vec<Option<String>> = all.iter().map(above).collect();
        let pairs = (0..all.len()).flat_map(|one| (one + 1..all.len()).map(move |other| (one, other)));
        for (one, other) in pairs.filter(|(one, other)| objects[*one].is_some() && objects[*one] == objects[*other]) {
            let first = &changes[(7 * one + 5 * other) % changes.len()];
            let second = &changes[(11 * one + 3 * other + 1) % changes.len()];
            let text = changed(document, &[(&all[one], &first.1), (&all[other], &second.1)]);
            let what = format!("{of}: {} as {}, {} as {}", name(&all[one]), first.0, name(&all[other]), second.0);
            self.attempt(&what, || attempt(&text));
        }
    }

    pub(crate) fn end(self) {
        println!("mutations: {} tried, {} rejected, {} accepted", self.tried, self.refused, self.taken);
        let shown: Vec<String> =
            self.failures.iter().take(40).map(|failure| failure.chars().take(400).collect()).collect();
        assert!(self.failures.is_empty(), "{} attempts failed:\n{}", self.failures.len(), shown.join("\n"));
        assert!(self.refused > 0 && self.taken > 0, "some files must be rejected and some accepted");
    }
}
