//! Helpers for tests of the command line.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Program under test: `pqlab`, or the program with an extra provider that fails on demand.
pub(crate) const PROGRAM: &str =
    match (option_env!("CARGO_BIN_EXE_pqlab"), option_env!("CARGO_BIN_EXE_pqlab-misbehaving")) {
        (Some(program), _) | (None, Some(program)) => program,
        (None, None) => panic!("the package under test must have a program"),
    };

/// Program under test, with a separate database and home folder.
pub(crate) struct Pqlab {
    folder: tempfile::TempDir,
    /// Locks on cores that the program must avoid.
    _locked: Vec<File>,
}

impl Pqlab {
    /// Measures on a core that depends on nextest's slot for this test, so that tests at the same time spread over the
    /// cores.
    #[allow(dead_code)]
    pub(crate) fn new() -> Pqlab {
        let slot = std::env::var("NEXTEST_TEST_GLOBAL_SLOT").ok().and_then(|slot| slot.parse().ok());
        Pqlab::avoiding_last(slot.unwrap_or(0) % std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Makes the program avoid this number of cores at the end, by locking them as another user.
    pub(crate) fn avoiding_last(avoided: usize) -> Pqlab {
        let folder = tempfile::tempdir().expect("cannot create a temporary folder");
        let locks = folder.path().join("pqlab-4294967293");
        fs::create_dir(&locks).expect("cannot create a temporary folder");
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let lock = |core: usize| {
            let file = File::create(locks.join(format!("core-{core}.lock"))).expect("cannot write a temporary file");
            file.lock().expect("cannot lock a temporary file");
            file
        };
        Pqlab { _locked: (cores - avoided..cores).map(lock).collect(), folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path("pqlab.db")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .args(arguments)
            .env("PQLAB_DB", self.database())
            .env("HOME", self.folder.path())
            .env_remove("NO_COLOR")
            .env_remove("XDG_DATA_HOME");
        // The program claims cores with lock files in this folder, so give each test its own.
        command.env("TMPDIR", self.folder.path());
        // Tests run at the same time and disturb each other. If the program measured disturbed cases again, it would
        // always use the whole time limit for that.
        let keeps_patience = ["--patience", "--resume", "-h", "--help"].iter().any(|option| arguments.contains(option));
        let measures = matches!(arguments.first(), Some(&("run" | "gate" | "compare-libraries" | "calibrate")));
        if measures && !keeps_patience {
            command.args(["--patience", "0s"]);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("cannot start the program")
    }

    /// Runs the program, checks the exit code, and returns standard output.
    #[allow(dead_code)]
    pub(crate) fn expect(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{out}\n{err}");
        out
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output must be UTF-8")
}

/// Writes a file and returns its path as a string.
#[allow(dead_code)]
pub(crate) fn write(path: &Path, content: &str) -> String {
    std::fs::write(path, content).expect("cannot write a temporary file");
    path.to_str().expect("the temporary path must be UTF-8").to_owned()
}

/// Splits a line into words as a shell does. Supports single quotes.
#[allow(dead_code)]
pub(crate) fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (place, part) in line.split('\'').enumerate() {
        for (word, text) in if place % 2 == 1 { vec![part] } else { part.split(' ').collect() }.into_iter().enumerate()
        {
            if word > 0 {
                words.push(String::new());
            }
            words.last_mut().expect("the list of words is never empty").push_str(text);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the pqlab commands that a line of a document quotes.
#[allow(dead_code)]
pub(crate) fn commands_of(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).filter(|text| text.starts_with("pqlab ")).collect()
}
