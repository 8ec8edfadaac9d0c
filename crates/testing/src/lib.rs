//! Checks the requirements of tests. Skips or fails tests with unmet requirements.
//!
//! Test frameworks print nothing about passing tests. A test that returns early because a browser is missing looks as
//! if it had used the browser. [`require!`] is the only way to skip a test. If a [`Need::Installed`] is missing and the
//! environment variable `CI` is `true`, the test fails. This crate reports every skipped test on standard error,
//! bypassing the framework's capture, and adds a line to the file named by `PQLAB_NOT_RUN`. `make test` prints these
//! lines at the end.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::{env, thread};

/// Python program that implements the protocol of `docs/workers.md`. Its first argument selects correct behavior or a
/// fault.
pub const ODD_WORKER: &str = include_str!("odd_worker.py");

/// Requirement of a test. The variant shows who can provide the requirement, and the text names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Program or package that `scripts/setup test` installs. If it is missing, the test fails in continuous
    /// integration.
    Installed(&'static str),
    /// Folder of published vectors, which is not part of the project. If `PQLAB_VECTORS` is set, the folder must exist,
    /// so that a typo in its name fails the test. Otherwise the folder is optional.
    Vectors,
    /// Files that `make vectors` downloads into the cache. Optional everywhere.
    Fetched,
    /// Libraries that `scripts/foreign-libraries` builds into the cache. Optional everywhere.
    Built,
    /// Workers that `make workers` builds into the cache if the tools for their language are installed. Optional
    /// everywhere.
    Workers,
    /// Capability of the CPU, the kernel or the user account, which cannot be installed.
    Machine(&'static str),
}

impl fmt::Display for Need {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Installed(what) | Need::Machine(what) => out.write_str(what),
            Need::Built => out.write_str("shared libraries (`scripts/foreign-libraries` builds them)"),
            Need::Workers => out.write_str("workers in other languages (`make workers` builds them)"),
            Need::Fetched => out.write_str("more published vectors (`make vectors` fetches them)"),
            Need::Vectors => out.write_str("the folder of published vectors (PQLAB_VECTORS names it)"),
        }
    }
}

/// Environment settings that decide the outcome of a test with a missing requirement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether `CI` is `true`. Continuous integration installs everything that can be installed.
    pub ci: bool,
    /// Whether `PQLAB_VECTORS` is set.
    pub vectors_named: bool,
    /// File named by `PQLAB_NOT_RUN`, which receives a line for each test that was not run.
    pub list: Option<PathBuf>,
}

impl Surroundings {
    /// Reads the settings of this process.
    pub fn here() -> Surroundings {
        Surroundings {
            ci: env::var_os("CI").is_some_and(|value| value == "true"),
            vectors_named: env::var_os("PQLAB_VECTORS").is_some(),
            list: env::var_os("PQLAB_NOT_RUN").map(PathBuf::from),
        }
    }

    /// Returns whether a test may be skipped if this need is not met.
    pub fn excuse(&self, need: Need) -> bool {
        match need {
            Need::Installed(_) => !self.ci,
            Need::Vectors => !self.vectors_named,
            Need::Built | Need::Workers | Need::Fetched | Need::Machine(_) => true,
        }
    }

    /// Appends a line to the list, if there is one. The line contains the missing need, a tab, and the test. A single
    /// append writes it, so lines from concurrent processes do not mix.
    ///
    /// # Errors
    /// Errors from opening or writing the file.
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

/// Reports and records that the calling test skips a check but continues. [`require!`] also ends the test.
///
/// # Panics
/// Panics if the requirement must be met in this run, or if the list of skipped tests cannot be written.
#[track_caller]
pub fn not_run(need: Need) {
    let (here, place) = (Surroundings::here(), Location::caller());
    // The framework names a test's thread after the test. A test may also call this function from another thread.
    let thread = thread::current();
    let test = format!("{}: {}", place.file(), thread.name().unwrap_or("unnamed thread"));
    assert!(here.excuse(need), "missing requirement: {need}");
    // Do not use `eprintln!`: the test framework would capture its output.
    writeln!(io::stderr(), "not run: {test}: needs {need}").expect("cannot write to standard error");
    here.record(need, &test).expect("cannot write to the file named by PQLAB_NOT_RUN");
}

/// Values accepted by [`require!`]. `Some`, `Ok` and `true` mean that the need is met.
pub trait Found {
    /// Type of the contained value.
    type Thing;

    /// Returns the value, if present.
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

/// Returns a required value. If the value is missing, skips the test by returning from the calling function, which must
/// return `()`. Fails the test instead if the test may not be skipped. Example: `let browser =
/// require!(program("chromium"), Need::Installed("chromium"));`.
#[macro_export]
macro_rules! require {
    ($found:expr, $need:expr) => {
        match $crate::Found::found($found) {
            Some(thing) => thing,
            None => return $crate::not_run($need),
        }
    };
}

/// Returns the path of a program, or `None` if no folder in `PATH` contains the program. Treats programs listed in
/// `PQLAB_WITHOUT` (separated by spaces) as missing, so that tests can run without them.
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

/// Returns the Python interpreter for tests, or `None` if it cannot import the module. Uses the interpreter named by
/// `PQLAB_PYTHON`, or the one in the virtual environment that `scripts/setup test` creates in the cache.
/// `PQLAB_WITHOUT` also hides modules.
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
    fn requires_installable_needs_in_continuous_integration() {
        let (elsewhere, ci) = (Surroundings::default(), Surroundings { ci: true, ..Surroundings::default() });
        assert!(elsewhere.excuse(BROWSER) && !ci.excuse(BROWSER));
        assert!(elsewhere.excuse(MACHINE) && ci.excuse(MACHINE));
    }

    #[test]
    fn requires_the_vectors_folder_if_named() {
        for ci in [false, true] {
            let unnamed = Surroundings { ci, ..Surroundings::default() };
            assert!(unnamed.excuse(Need::Vectors), "the folder must be optional by default");
            assert!(!Surroundings { vectors_named: true, ..unnamed }.excuse(Need::Vectors));
        }
    }

    #[test]
    fn lists_every_test_that_was_not_run() {
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
    fn returns_values_that_are_found() {
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
    #[ignore = "run by ends_or_fails_tests_without_their_need"]
    fn without() {
        require!(None::<()>, BROWSER);
        panic!("the test continued");
    }

    #[test]
    fn ends_or_fails_tests_without_their_need() {
        let folder = tempfile::tempdir().unwrap();
        for (ci, passes) in [("false", true), ("true", false)] {
            let list = folder.path().join(ci);
            let mut command = std::process::Command::new(env::current_exe().unwrap());
            command.args(["--exact", "tests::without", "--ignored"]).env("CI", ci).env("PQLAB_NOT_RUN", &list);
            let output = command.output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.success(), passes, "{text}");
            assert!(!text.contains("the test continued"), "{text}");
            if passes {
                let line = "testing/src/lib.rs: tests::without";
                assert!(text.contains(&format!("{line}: needs a browser")), "{text}");
                assert!(std::fs::read_to_string(&list).unwrap().trim_end().ends_with(line), "{text}");
            } else {
                assert!(text.contains("missing requirement: a browser"), "{text}");
            }
        }
    }

    #[test]
    fn finds_programs_unless_hidden() {
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
