//! Worker programs. The first request starts a program. If the program has ended, the next request restarts it.

use super::ProcessError;
use super::conversation::{Conversation, Limits};
use super::frame::{self, Message};
use crate::LibrarySpec;
use pqlab_primitives::{Remote, RemoteCase, Result as LibraryResult};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Version of the protocol in `docs/workers.md`.
const VERSION: &[u8] = b"1";
const NO_GREETING: &str = "the greeting does not match protocol version 1";
/// Maximum number of input sets per case.
pub(super) const MOST_SETS: usize = 4096;

/// A program's answer to `hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// Programming language: `go`, `java`, ...
    pub language: String,
    /// Version of the language, as the program found it at run time.
    pub runtime: String,
    /// Libraries that the program calls, with versions.
    pub libraries: String,
    /// Source of the program's random numbers.
    pub generator: String,
}

/// A worker: a program in any language that pqlab starts and restarts as needed.
pub struct Program {
    name: String,
    path: PathBuf,
    arguments: Vec<String>,
    limits: Limits,
    /// Expected greeting. A different greeting after a start shows that the program was replaced, so the request fails.
    known: OnceLock<Greeting>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    conversation: Option<Conversation>,
    /// Number of times that the program was started. Handles from earlier starts are invalid.
    starts: u64,
    handles: u64,
}

impl Program {
    /// Finds the program that `spec` names. `now` is a monotonic clock in ns for the program's time limits.
    ///
    /// # Errors
    /// [`ProcessError::Unknown`] if no worker has that name.
    pub fn find(spec: &LibrarySpec, now: fn() -> u64) -> Result<Program, ProcessError> {
        let path = spec.file();
        match spec.name() {
            Some(name) if name.starts_with('.') || !path.is_file() => Err(ProcessError::Unknown {
                name: name.into(),
                folder: path.parent().unwrap_or(&path).display().to_string(),
            }),
            _ => Ok(Program::new(&spec.label, path, Vec::new(), Limits::by(now))),
        }
    }

    /// Prepares a program to be started by the first request.
    pub fn new(name: &str, path: PathBuf, arguments: Vec<String>, limits: Limits) -> Program {
        Program { name: name.into(), path, arguments, limits, known: OnceLock::new(), state: Mutex::default() }
    }

    /// Sets the expected greeting. Calls fail if the program starts with a different greeting.
    pub(super) fn known(self, greeting: Greeting) -> Program {
        Program { known: greeting.into(), ..self }
    }

    /// Returns the program's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the program's path, followed by the arguments that name files, such as a script for an interpreter.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let scripts = self.arguments.iter().map(Path::new).filter(|argument| argument.is_file());
        std::iter::once(self.path.as_path()).chain(scripts)
    }

    /// Starts the program if it is not running, and asks for the greeting.
    ///
    /// # Errors
    /// [`ProcessError`] if the program cannot be started or its greeting is invalid.
    pub fn greet(&self) -> Result<Greeting, ProcessError> {
        let fields = self.ask("hello", &[VERSION])?;
        greeting(&fields).ok_or_else(|| self.broken(NO_GREETING))
    }

    /// Sends a request and returns the fields of an `ok` answer. Stops the program if it hangs or sends garbage. If the
    /// program has ended or was stopped, the next request restarts it.
    ///
    /// # Errors
    /// [`ProcessError`] if the answer is not `ok`.
    pub(super) fn ask(&self, verb: &str, fields: &[&[u8]]) -> Result<Vec<Vec<u8>>, ProcessError> {
        self.ask_start(None, verb, fields)
    }

    fn ask_start(&self, start: Option<u64>, verb: &str, fields: &[&[u8]]) -> Result<Vec<Vec<u8>>, ProcessError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if start.is_some_and(|start| start != state.starts || state.conversation.is_none()) {
            return Err(self.conversation("the program was restarted after this case was prepared"));
        }
        let mut conversation = match state.conversation.take() {
            Some(conversation) => conversation,
            None => self.started(&mut state, verb)?,
        };
        // From here on, returning an error drops the conversation, which ends the program.
        let limit = if verb == "hello" { self.limits.hello } else { self.limits.answer };
        let Message { verb, fields } =
            conversation.ask(verb, fields, limit).map_err(|reason| self.conversation(&reason))?;
        let reason = || match &fields[..] {
            [reason] => line(reason).filter(|text| !text.is_empty()),
            _ => None,
        };
        let answer = match (verb.as_str(), reason()) {
            ("ok", _) => Ok(fields),
            ("unsupported", Some(reason)) => Err(ProcessError::Unsupported { program: self.name.clone(), reason }),
            ("error", Some(reason)) => Err(ProcessError::Refused { program: self.name.clone(), reason }),
            _ => {
                let expected = "ok, or error or unsupported with a one-line reason";
                return Err(self.conversation(&format!("invalid answer {verb:?}; expected {expected}")));
            }
        };
        state.conversation = Some(conversation);
        answer
    }

    /// Starts the program. Also exchanges greetings, unless the caller is about to send the greeting as `verb`.
    fn started(&self, state: &mut State, verb: &str) -> Result<Conversation, ProcessError> {
        let failed = |error: std::io::Error| ProcessError::Start {
            program: self.path.display().to_string(),
            reason: error.to_string(),
        };
        state.starts += 1;
        let mut conversation = Conversation::start(&self.path, &self.arguments, self.limits).map_err(failed)?;
        if verb != "hello" {
            let hello = conversation.ask("hello", &[VERSION], self.limits.hello);
            let answer = hello.map_err(|reason| self.conversation(&reason))?;
            let current = greeting(&answer.fields).filter(|_| answer.verb == "ok");
            let current = current.ok_or_else(|| self.conversation(NO_GREETING))?;
            if self.known.get_or_init(|| current.clone()) != &current {
                return Err(self.conversation("the program was replaced: its greeting has changed"));
            }
        }
        Ok(conversation)
    }

    fn conversation(&self, reason: &str) -> ProcessError {
        ProcessError::Conversation { program: self.name.clone(), reason: reason.into() }
    }

    /// Stops a program whose answer is well-formed but has invalid contents. Returns the error.
    pub(super) fn broken(&self, reason: &str) -> ProcessError {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).conversation = None;
        self.conversation(reason)
    }
}

fn greeting(fields: &[Vec<u8>]) -> Option<Greeting> {
    let texts: Option<Vec<String>> = fields.iter().map(|field| line(field).filter(|text| !text.is_empty())).collect();
    let [version, language, runtime, libraries, generator] = <[String; 5]>::try_from(texts?).ok()?;
    (version.as_bytes() == VERSION).then_some(Greeting { language, runtime, libraries, generator })
}

/// A program whose operations are timed.
pub(super) struct Timed(pub(super) Arc<Program>);

impl Remote for Timed {
    fn prepare(&self, operation: &str, algorithm: &str, sets: &[Vec<Vec<u8>>]) -> LibraryResult<Box<dyn RemoteCase>> {
        let (handle, count) = {
            let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.handles += 1;
            (state.handles.to_string(), sets.len().min(MOST_SETS))
        };
        let number = count.to_string();
        let mut fields = vec![handle.as_bytes(), operation.as_bytes(), algorithm.as_bytes(), number.as_bytes()];
        fields.extend(sets.iter().take(count).flatten().map(Vec::as_slice));
        self.0.ask("prepare", &fields).map_err(|error| error.of_library("prepare"))?;
        let start = self.0.state.lock().unwrap_or_else(PoisonError::into_inner).starts;
        let width = 1 + outputs(operation);
        Ok(Box::new(Case { program: Arc::clone(&self.0), handle, start, count, width }))
    }
}

struct Case {
    program: Arc<Program>,
    handle: String,
    start: u64,
    count: usize,
    /// Number of fields for each input set in the answer to an `answers` request: the set's number and the outputs.
    width: usize,
}

/// Returns the number of outputs of an operation.
fn outputs(operation: &str) -> usize {
    match operation {
        "null" => 0,
        "keygen" | "encapsulate" => 2,
        _ => 1,
    }
}

impl Case {
    fn ask(&self, verb: &'static str, rest: &[&[u8]]) -> LibraryResult<Vec<Vec<u8>>> {
        let fields: Vec<&[u8]> = std::iter::once(self.handle.as_bytes()).chain(rest.iter().copied()).collect();
        self.program.ask_start(Some(self.start), verb, &fields).map_err(|error| error.of_library(verb))
    }
}

impl RemoteCase for Case {
    fn visit(&mut self, first: u64, count: u64) -> LibraryResult<u64> {
        let fields = self.ask("visit", &[first.to_string().as_bytes(), count.to_string().as_bytes()])?;
        let time = match &fields[..] {
            [time] => frame::number(time),
            _ => None,
        };
        let odd = || self.program.broken("the answer to the visit request is not a time in ns").of_library("visit");
        time.ok_or_else(odd)
    }

    fn process(&self) -> Option<u32> {
        let state = self.program.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.conversation.as_ref().filter(|_| state.starts == self.start).map(Conversation::process)
    }

    fn answers(&mut self) -> LibraryResult<Vec<(usize, Vec<Vec<u8>>)>> {
        let fields = self.ask("answers", &[])?;
        let odd = || self.program.broken("the answers do not match the input sets of the visit").of_library("answers");
        if !reads(&fields, self.width, self.count) {
            return Err(odd());
        }
        let mut found = Vec::new();
        for set in fields.chunks_exact(self.width) {
            let number = frame::number(&set[0]).ok_or_else(odd)? as usize;
            found.push((number, set[1..].to_vec()));
        }
        Ok(found)
    }
}

/// Checks an answer to `answers`: groups of `width` fields, each starting with the number of a different input set
/// below `count`.
fn reads(fields: &[Vec<u8>], width: usize, count: usize) -> bool {
    let mut seen = vec![false; count];
    !fields.is_empty()
        && fields.len().is_multiple_of(width)
        && fields.chunks_exact(width).all(|set| match frame::number(&set[0]) {
            Some(number) if (number as usize) < count => !std::mem::replace(&mut seen[number as usize], true),
            _ => false,
        })
}

impl Drop for Case {
    fn drop(&mut self) {
        // Ignore errors, because a restarted program no longer holds the case.
        let _ = self.ask("release", &[]);
    }
}

/// Decodes a text field, which must be one line of UTF-8. Returns `None` for anything else.
pub(super) fn line(field: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(field).ok()?.trim();
    (!text.contains(char::is_control)).then(|| text.to_owned())
}
