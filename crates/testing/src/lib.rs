//! What a test needs beside itself, and what becomes of one that does not have it.
//!
//! A test framework shows nothing of a test that passes, so a test that only returns where a browser is missing looks like
//! one that drove it. [`require!`] is the one way out of a test: what [`Need::Installed`] says fails where the environment
//! variable `CI` is `true`, and everything that was not run is written to standard error past the framework's capture and,
//! as a line, to the file that `PQLAB_NOT_RUN` names. `make test` prints that list at its end.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::{env, thread};

/// A program in Python that speaks the protocol of `docs/workers.md`, rightly or as the mode in its first argument says.
pub const ODD_WORKER: &str = include_str!("odd_worker.py");

/// What a test cannot do without, by who could provide it. The text is what to install or to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A program or package that `scripts/setup test` installs: its absence fails the test in continuous integration.
    Installed(&'static str),
    /// The folder of published vectors, which is no part of the project. A folder that `PQLAB_VECTORS` names has to be there:
    /// a slip in its name fails the test everywhere. Without the variable a clone may lack the folder, everywhere.
    Vectors,
    /// What `make vectors` fetches into the cache: nobody has to.
    Fetched,
    /// What `scripts/foreign-libraries` builds into the cache: nobody has to.
    Built,
    /// A capability of the processor, the kernel or the user's rights, which nothing can install.
    Machine(&'static str),
}

impl fmt::Display for Need {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Installed(what) | Need::Machine(what) => out.write_str(what),
            Need::Built => out.write_str("shared libraries (`scripts/foreign-libraries` builds them)"),
            Need::Fetched => out.write_str("more published vectors (`make vectors` fetches them)"),
            Need::Vectors => out.write_str("the folder of published vectors (PQLAB_VECTORS names it)"),
        }
    }
}

/// What of its environment decides about a test without its need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// `CI=true`: continuous integration, where everything that can be installed is.
    pub ci: bool,
    /// `PQLAB_VECTORS` is set.
    pub vectors_named: bool,
    /// `PQLAB_NOT_RUN`: the file that takes a line for each test that was not run.
    pub list: Option<PathBuf>,
}

impl Surroundings {
    /// Those of this process.
    pub fn here() -> Surroundings {
        Surroundings {
            ci: env::var_os("CI").is_some_and(|value| value == "true"),
            vectors_named: env::var_os("PQLAB_VECTORS").is_some(),
            list: env::var_os("PQLAB_NOT_RUN").map(PathBuf::from),
        }
    }

    /// Whether a test may do without this.
    pub fn excuse(&self, need: Need) -> bool {
        match need {
            Need::Installed(_) => !self.ci,
            Need::Vectors => !self.vectors_named,
            Need::Built | Need::Fetched | Need::Machine(_) => true,
        }
    }

    /// Adds a line to the list, where there is one: what was missing, a tab, and the test. Lines of processes that write at
    /// once do not mix: each is one write to the end of the file.
    ///
    /// # Errors
    /// Those of opening and writing the file.
    pub fn record(&self, need: Need, test: &str) -> io::Result<()> {
        match &self.list {
            Some(list) => {
                let mut file = OpenOptions::new().create(true).append(true).open(list)?;
                file.write_all(format!("{need}\t{test}\n").as_bytes())
            }
            None => Ok(()),
        }
    }
}

/// Says and records that the test that calls this goes without something. [`require!`] also ends it; this is for a test
/// that goes on with the rest.
///
/// # Panics
/// Where the need has no excuse, and where the list cannot be written.
#[track_caller]
pub fn not_run(need: Need) {
    let (here, place) = (Surroundings::here(), Location::caller());
    // The framework names the thread of a test after it; a test may be asked from a thread of its own.
    let thread = thread::current();
    let test = format!("{}: {}", place.file(), thread.name().unwrap_or("a thread of a test"));
    assert!(here.excuse(need), "this test needs what is not here: {need}");
    // `eprintln!` would be captured.
    writeln!(io::stderr(), "not run: {test}: needs {need}").expect("standard error takes a line");
    here.record(need, &test).expect("the file that PQLAB_NOT_RUN names takes a line");
}

/// What [`require!`] may be asked for: `Some`, `Ok` or `true` is there.
pub trait Found {
    /// What there is.
    type Thing;

    /// The thing, if it is there.
    fn found(self) -> Option<Self::Thing>;
}

impl<T> Found for Option<T> {
    type Thing = T;

    fn found(self) -> Option<T> {
        self
    }
}

impl<T, E> Found for Result<T, E> {
    type Thing = T;

    fn found(self) -> Option<T> {
        self.ok()
    }
}

impl Found for bool {
    type Thing = ();

    fn found(self) -> Option<()> {
        self.then_some(())
    }
}

/// What a test needs, or the end of the function that asks: `let browser = require!(program("chromium"), Need::Installed("chromium"));`.
/// The function returns nothing; where the need has no excuse, the test fails.
#[macro_export]
macro_rules! require {
    ($found:expr, $need:expr) => {
        match $crate::Found::found($found) {
            Some(thing) => thing,
            None => return $crate::not_run($need),
        }
    };
}

/// The path of a program: the first of the folders of `PATH` that has it. Programs that `PQLAB_WITHOUT` lists, separated by
/// spaces, are not there: it tries what becomes of the tests that need them.
pub fn program(name: &str) -> Option<PathBuf> {
    find(name, &hidden(), env::split_paths(&env::var_os("PATH")?))
}

fn hidden() -> String {
    env::var("PQLAB_WITHOUT").unwrap_or_default()
}

fn hides(hidden: &str, name: &str) -> bool {
    hidden.split_whitespace().any(|hidden| hidden == name)
}

fn find(name: &str, hidden: &str, folders: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    if hides(hidden, name) {
        return None;
    }
    folders.map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Python that has a module: the one that `PQLAB_PYTHON` names, else that of the virtual environment that `scripts/setup
/// test` makes in the cache. `PQLAB_WITHOUT` hides modules as it hides programs.
pub fn python_with(module: &str) -> Option<PathBuf> {
    if hides(&hidden(), module) {
        return None;
    }
    let python =
        env::var_os("PQLAB_PYTHON").map(PathBuf::from).or_else(|| Some(cache()?.join("venv-test/bin/python")))?;
    has_module(&python, module).then_some(python)
}

fn cache() -> Option<PathBuf> {
    let named = env::var_os("PQLAB_CACHE").map(PathBuf::from);
    named.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cache/pqlab")))
}

fn has_module(python: &Path, module: &str) -> bool {
    let tried = std::process::Command::new(python).args(["-c", &format!("import {module}")]).output();
    tried.is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BROWSER: Need = Need::Installed("a browser");
    const MACHINE: Need = Need::Machine("another processor");

    #[test]
    fn what_can_be_installed_has_no_excuse_in_continuous_integration() {
        let (elsewhere, ci) = (Surroundings::default(), Surroundings { ci: true, ..Surroundings::default() });
        assert!(elsewhere.excuse(BROWSER) && !ci.excuse(BROWSER));
        assert!(elsewhere.excuse(MACHINE) && ci.excuse(MACHINE));
    }

    #[test]
    fn a_folder_of_vectors_that_is_named_has_to_be_there() {
        for ci in [false, true] {
            let unnamed = Surroundings { ci, ..Surroundings::default() };
            assert!(unnamed.excuse(Need::Vectors), "a stranger has no such folder");
            assert!(!Surroundings { vectors_named: true, ..unnamed }.excuse(Need::Vectors));
        }
    }

    #[test]
    fn every_test_that_was_not_run_is_a_line_of_the_list() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list");
        let here = Surroundings { list: Some(list.clone()), ..Surroundings::default() };
        here.record(BROWSER, "a.rs: first").unwrap();
        here.record(MACHINE, "b.rs: second").unwrap();
        let text = std::fs::read_to_string(&list).unwrap();
        assert_eq!(text, "a browser\ta.rs: first\nanother processor\tb.rs: second\n");
        assert!(Surroundings { list: Some(folder.path().join("no/list")), ..here }.record(BROWSER, "").is_err());
        Surroundings::default().record(BROWSER, "goes nowhere").unwrap();
    }

    #[test]
    fn what_is_there_is_handed_on() {
        fn sum(first: Option<u32>, second: Result<u32, String>, there: bool, out: &mut u32) {
            *out = require!(first, MACHINE) + require!(second, MACHINE);
            require!(there, MACHINE);
            *out *= 10;
        }
        let mut out = 0;
        sum(Some(1), Ok(2), true, &mut out);
        assert_eq!(out, 30);
    }

    #[test]
    #[ignore = "run by a_test_without_its_need_ends_or_fails"]
    fn without() {
        require!(None::<()>, BROWSER);
        panic!("it went on");
    }

    #[test]
    fn a_test_without_its_need_ends_or_fails() {
        let folder = tempfile::tempdir().unwrap();
        for (ci, passes) in [("false", true), ("true", false)] {
            let list = folder.path().join(ci);
            let mut command = std::process::Command::new(env::current_exe().unwrap());
            command.args(["--exact", "tests::without", "--ignored"]).env("CI", ci).env("PQLAB_NOT_RUN", &list);
            let output = command.output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.success(), passes, "{said}");
            assert!(!said.contains("it went on"), "{said}");
            if passes {
                let line = "testing/src/lib.rs: tests::without";
                assert!(said.contains(&format!("{line}: needs a browser")), "{said}");
                assert!(std::fs::read_to_string(&list).unwrap().trim_end().ends_with(line), "{said}");
            } else {
                assert!(said.contains("this test needs what is not here: a browser"), "{said}");
            }
        }
    }

    #[test]
    fn programs_are_found_unless_they_are_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("browser");
        std::fs::write(&path, "").unwrap();
        let folders = || [PathBuf::from("/no/such/folder"), folder.path().to_path_buf()].into_iter();
        assert_eq!(find("browser", "", folders()), Some(path.clone()));
        assert_eq!(find("browser", "bro wsers", folders()), Some(path));
        assert_eq!(find("browser", "valgrind browser", folders()), None);
        assert_eq!(find("valgrind", "", folders()), None);
    }
}
