//! What the tests of the command line share.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program whose package is tested: the user's, or the one that has a library that goes wrong on demand.
pub(crate) const PROGRAM: &str =
    match (option_env!("CARGO_BIN_EXE_pqlab"), option_env!("CARGO_BIN_EXE_pqlab-misbehaving")) {
        (Some(program), _) | (None, Some(program)) => program,
        (None, None) => panic!("the package has no program"),
    };

/// The program under test, with a database and a home folder of its own.
pub(crate) struct Pqlab {
    folder: tempfile::TempDir,
}

impl Pqlab {
    pub(crate) fn new() -> Pqlab {
        Pqlab { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path("pqlab.db")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).env("PQLAB_DB", self.database()).env("HOME", self.folder.path()).env_remove("NO_COLOR");
        // Where cores are claimed: tests that run at the same time are nothing to one another.
        command.env("TMPDIR", self.folder.path());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program starts")
    }

    /// Runs, demands the exit code, and returns standard output.
    #[allow(dead_code)]
    pub(crate) fn expect(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{out}\n{err}");
        out
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text is UTF-8")
}

/// Writes a file and returns its path as text.
#[allow(dead_code)]
pub(crate) fn write(path: &Path, content: &str) -> String {
    std::fs::write(path, content).expect("a temporary file can be written");
    path.to_str().expect("a temporary path is UTF-8").to_owned()
}

/// Words as a shell has them, with single quotes.
#[allow(dead_code)]
pub(crate) fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (place, part) in line.split('\'').enumerate() {
        for (word, text) in if place % 2 == 1 { vec![part] } else { part.split(' ').collect() }.into_iter().enumerate()
        {
            if word > 0 {
                words.push(String::new());
            }
            words.last_mut().expect("there is always a word").push_str(text);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The commands of the program among what a line of a document quotes, each as it is typed.
#[allow(dead_code)]
pub(crate) fn commands_of(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).filter(|text| text.starts_with("pqlab ")).collect()
}
