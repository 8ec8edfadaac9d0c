//! Runs the script of a recipe.

use super::recipe::Recipe;
use crate::LabError;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Returns the name and the text of a file in `workers/c`.
macro_rules! worker_file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../../workers/c/", $name)))
    };
}

/// Files of the workers in C, which scripts compile with a library.
const WORKER_FILES: [(&str, &str); 6] = [
    worker_file!("boringssl.c"),
    worker_file!("botan.c"),
    worker_file!("mldsa-native.c"),
    worker_file!("mlkem-native.c"),
    worker_file!("pqlab_schemes.h"),
    worker_file!("pqlab_worker.h"),
];

/// Time between two looks at the log of a build.
const LOOK: Duration = Duration::from_millis(200);

/// Folders of a build.
pub(super) struct Folders<'f> {
    pub(super) source: &'f Path,
    /// Scratch folder.
    pub(super) work: &'f Path,
    /// Folder that the script fills.
    pub(super) result: &'f Path,
}

/// What a script reports about its result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) version: Option<String>,
    pub(super) flags: Option<String>,
}

/// Runs the script of a recipe, and shows the last line of its output through `show`. Returns `None` if `stop` was set.
///
/// # Errors
/// [`LabError::Invalid`] with the last useful line of the output if the script fails, or if its result is missing.
pub(super) fn build(
    recipe: &Recipe,
    folders: &Folders<'_>,
    show: &mut dyn FnMut(&str),
    stop: &AtomicBool,
) -> Result<Option<Report>, LabError> {
    let system = |error: io::Error| LabError::system("cannot prepare the build")(error);
    let (workers, scratch) = (folders.work.join("workers"), folders.work.join("build"));
    for folder in [&workers, &scratch, &folders.result.to_path_buf()] {
        fs::create_dir_all(folder).map_err(system)?;
    }
    for (name, text) in WORKER_FILES {
        fs::write(workers.join(name), text).map_err(system)?;
    }
    let log = folders.work.join("log");
    let output = File::create(&log).map_err(system)?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let or_default = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let mut command = Command::new("bash");
    command.args(["-c", &format!("set -euo pipefail\n{}", recipe.script)]).current_dir(&scratch);
    command.env("SOURCE", folders.source).env("BUILD", &scratch).env("PREFIX", folders.result);
    command.env("WORKERS", &workers).env("JOBS", cores.to_string());
    command.env("CC", or_default("CC", "cc")).env("CXX", or_default("CXX", "c++"));
    command.stdin(Stdio::null()).stdout(output.try_clone().map_err(system)?).stderr(output).process_group(0);
    let mut child = command.spawn().map_err(LabError::system("cannot start bash"))?;
    let Some(status) = wait(&mut child, &log, show, stop).map_err(LabError::system("cannot wait for the build"))?
    else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(&fs::read(&log).map_err(system)?).into_owned();
    if !status.success() {
        let kept = keep(&log, &recipe.name);
        let reason = format!("cannot build {}: {} (log: {})", recipe.name, useful_line(&text), kept.display());
        return Err(LabError::invalid("library", reason));
    }
    let file = folders.result.join(&recipe.file);
    if !file.is_file() {
        let reason = format!("the build of {} left no {}", recipe.name, recipe.file.display());
        return Err(LabError::invalid("library", reason));
    }
    Ok(Some(reported(&text)))
}

/// Waits for the build, and ends it with all its processes if `stop` is set.
fn wait(
    child: &mut Child,
    log: &Path,
    show: &mut dyn FnMut(&str),
    stop: &AtomicBool,
) -> io::Result<Option<ExitStatus>> {
    let mut length = 0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if stop.load(Ordering::Relaxed) {
            let group = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
            killpg(group, Signal::SIGTERM).ok();
            child.wait()?;
            return Ok(None);
        }
        let now = fs::metadata(log)?.len();
        if now != length {
            length = now;
            let text = String::from_utf8_lossy(&fs::read(log)?).into_owned();
            show(text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default());
        }
        thread::sleep(LOOK);
    }
}

/// Copies the log of a failed build to a file that outlives the scratch folder.
fn keep(log: &Path, name: &str) -> PathBuf {
    let kept = std::env::temp_dir().join(format!("pqlab-build-{name}.log"));
    match fs::copy(log, &kept) {
        Ok(_) => kept,
        Err(_) => log.to_path_buf(),
    }
}

/// Returns the first line that names an error, or else the last line that is not blank.
fn useful_line(text: &str) -> &str {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let names_error = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["error:", "error in", "fatal:", "cannot find", "not found", "no such file", "no rule to make"]
            .iter()
            .any(|word| line.contains(word))
    };
    lines().find(names_error).or_else(|| lines().next_back()).unwrap_or("no output")
}

/// Reads the lines `flags=...` and `version=...` at the end of a build's output.
fn reported(text: &str) -> Report {
    let last = |name: &str| {
        let value = text.lines().rev().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    Report { version: last("version"), flags: last("flags") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(script: &'static str) -> Recipe {
        let text = "name = \"x\"\nabout = \"x\"\nlicence = \"MIT\"\nkind = \"worker\"\nfile = \"bin/x\"\nrequires = []";
        Recipe { script, ..toml::from_str(text).unwrap() }
    }

    fn built(script: &'static str, stop: &AtomicBool) -> Result<Option<Report>, String> {
        let folder = tempfile::tempdir().unwrap();
        let [source, work, result] = ["source", "work", "result"].map(|name| folder.path().join(name));
        fs::create_dir(&source).unwrap();
        let folders = Folders { source: &source, work: &work, result: &result };
        build(&recipe(script), &folders, &mut |_| (), stop).map_err(|error| error.to_string())
    }

    #[test]
    fn scripts_report_version_and_flags() {
        let script =
            "mkdir \"$PREFIX/bin\"; cp \"$WORKERS/botan.c\" \"$PREFIX/bin/x\"; printf 'flags=-O3 -g\\nversion=1.2\\n'";
        let report = built(script, &AtomicBool::new(false)).unwrap().unwrap();
        assert_eq!(report, Report { version: Some("1.2".into()), flags: Some("-O3 -g".into()) });
    }

    #[test]
    fn failures_name_the_useful_line() {
        let never = AtomicBool::new(false);
        let error =
            built("echo step one; echo 'a.c:3: error: no header' >&2; echo make: stop; exit 2", &never).unwrap_err();
        assert!(error.starts_with("cannot build x: a.c:3: error: no header (log: "), "{error}");
        let error = built("true", &never).unwrap_err();
        assert_eq!(error, "the build of x left no bin/x");
    }

    #[test]
    fn a_stopped_build_ends_with_its_processes() {
        assert_eq!(built("sleep 600 & wait", &AtomicBool::new(true)), Ok(None));
    }
}
