//! Runs the script of a recipe.

use super::recipe::{Recipe, program};
use crate::LabError;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Returns the name of a file for the workers' folder, and its text.
macro_rules! worker_file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../workers/c/", $name)))
    };
    (rust $name:literal) => {
        (concat!("rust/", $name), include_str!(concat!("../../../../workers/rust/", $name)))
    };
}

/// Files of the workers that scripts build with a library. Those in Rust have their own folder.
const WORKER_FILES: [(&str, &str); 23] = [
    worker_file!("boringssl.c"),
    worker_file!("botan.c"),
    worker_file!("mldsa-native.c"),
    worker_file!("mlkem-native.c"),
    worker_file!("pqlab_schemes.h"),
    worker_file!("pqlab_worker.h"),
    worker_file!("wolfssl.c"),
    worker_file!(rust "Cargo.lock"),
    worker_file!(rust "Cargo.toml"),
    worker_file!(rust "build.sh"),
    worker_file!(rust "src/bin/fn-dsa.rs"),
    worker_file!(rust "src/bin/frodo-kem.rs"),
    worker_file!(rust "src/bin/hqc-kem.rs"),
    worker_file!(rust "src/bin/lms-signature.rs"),
    worker_file!(rust "src/bin/sntrup.rs"),
    worker_file!(rust "src/bin/sqisign-rs.rs"),
    worker_file!(rust "src/bin/xmss.rs"),
    worker_file!(rust "src/kem.rs"),
    worker_file!(rust "src/lib.rs"),
    worker_file!(rust "src/message.rs"),
    worker_file!(rust "src/serve.rs"),
    worker_file!(rust "src/set.rs"),
    worker_file!(rust "src/signature.rs"),
];

/// Time between two looks at the log of a build.
const LOOK: Duration = Duration::from_millis(200);

/// Number of looks before a process group that was asked to end is killed.
const GRACE: u32 = 15;

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

/// Runs the script of a recipe, writes its output to `log`, and shows the last line of its output through `show`. Returns `None` if `stop` was set.
///
/// # Errors
/// [`LabError::Invalid`] with the last useful line of the output if the script fails, or if its result is missing.
pub(super) fn build(
    recipe: &Recipe,
    folders: &Folders<'_>,
    log: &Path,
    show: &mut dyn FnMut(&str),
    stop: &AtomicBool,
) -> Result<Option<Report>, LabError> {
    let system = |error: io::Error| LabError::system("cannot prepare the build")(error);
    let (workers, scratch) = (folders.work.join("workers"), folders.work.join("build"));
    for folder in [&workers.join("rust/src/bin"), &scratch, &folders.result.to_path_buf()] {
        fs::create_dir_all(folder).map_err(system)?;
    }
    for (name, text) in WORKER_FILES {
        fs::write(workers.join(name), text).map_err(system)?;
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut command = Command::new("bash");
    command.args(["-c", &format!("set -euo pipefail\n{}", recipe.script)]).current_dir(&scratch);
    command.env("SOURCE", folders.source).env("BUILD", &scratch).env("PREFIX", folders.result);
    command.env("WORKERS", &workers).env("JOBS", cores.to_string());
    command.env("CC", program("cc")).env("CXX", program("c++"));
    let ended = run(&mut command, log, show, stop).map_err(LabError::system("cannot run bash"))?;
    let Some((status, text)) = ended else { return Ok(None) };
    if !status.success() {
        let reason = format!("cannot build {}: {} (log: {})", recipe.name, useful_line(&text), log.display());
        return Err(LabError::invalid("library", reason));
    }
    let file = folders.result.join(&recipe.file);
    if !file.is_file() {
        let reason = format!("the build of {} left no {} (log: {})", recipe.name, recipe.file.display(), log.display());
        return Err(LabError::invalid("library", reason));
    }
    Ok(Some(reported(&text)))
}

/// Runs a command in a process group of its own, with its output in `log`, and shows the last line of the output.
/// Returns the exit status and the output, or `None` if `stop` was set. The whole process group has then ended.
pub(super) fn run(
    command: &mut Command,
    log: &Path,
    show: &mut dyn FnMut(&str),
    stop: &AtomicBool,
) -> io::Result<Option<(ExitStatus, String)>> {
    let output = File::create(log)?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output).process_group(0);
    let mut child = command.spawn()?;
    let group = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    let read = || Ok::<_, io::Error>(String::from_utf8_lossy(&fs::read(log)?).into_owned());
    let mut length = 0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some((status, read()?)));
        }
        if stop.load(Ordering::Relaxed) {
            end(group, &mut child)?;
            return Ok(None);
        }
        let now = fs::metadata(log)?.len();
        if now != length {
            length = now;
            show(read()?.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default());
        }
        thread::sleep(LOOK);
    }
}

/// Ends a process group: asks its processes to end, and kills the remaining ones after [`GRACE`] looks.
fn end(group: Pid, child: &mut Child) -> io::Result<()> {
    for look in 0.. {
        let signal = if look < GRACE { Signal::SIGTERM } else { Signal::SIGKILL };
        // The group is gone if no process receives the signal. A child that ended must be waited for first.
        child.try_wait()?;
        if killpg(group, signal).is_err() {
            break;
        }
        thread::sleep(LOOK);
    }
    child.wait().map(drop)
}

/// Returns the first line that names an error, or else the last line that is not blank.
fn useful_line(text: &str) -> &str {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let names_error = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["error:", "fatal:", "cannot find", "undefined reference", "no such file", "no rule to make"]
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

    fn built(script: &'static str, stop: &AtomicBool, folder: &Path) -> Result<Option<Report>, String> {
        let [source, work, result] = ["source", "work", "result"].map(|name| folder.join(name));
        fs::create_dir_all(&source).unwrap();
        let folders = Folders { source: &source, work: &work, result: &result };
        build(&recipe(script), &folders, &folder.join("log"), &mut |_| (), stop).map_err(|error| error.to_string())
    }

    #[test]
    fn all_files_of_the_workers_are_embedded() {
        let workers = Path::new("../../workers");
        let is_embedded = |name: &str| WORKER_FILES.iter().any(|(embedded, _)| *embedded == name);
        for (folder, prefix) in
            [("c", ""), ("rust", "rust/"), ("rust/src", "rust/src/"), ("rust/src/bin", "rust/src/bin/")]
        {
            let files = fs::read_dir(workers.join(folder)).unwrap().map(Result::unwrap);
            for file in files.filter(|file| file.path().is_file()) {
                let name = format!("{prefix}{}", file.file_name().to_string_lossy());
                // The example, which no recipe builds.
                assert!(is_embedded(&name) || name == "worker.c", "{name}");
            }
        }
    }

    #[test]
    fn scripts_report_version_and_flags() {
        let folder = tempfile::tempdir().unwrap();
        let script =
            "mkdir \"$PREFIX/bin\"; cp \"$WORKERS/botan.c\" \"$PREFIX/bin/x\"; printf 'flags=-O3 -g\\nversion=1.2\\n'";
        let report = built(script, &AtomicBool::new(false), folder.path()).unwrap().unwrap();
        assert_eq!(report, Report { version: Some("1.2".into()), flags: Some("-O3 -g".into()) });
    }

    #[test]
    fn failures_name_the_useful_line() {
        let folder = tempfile::tempdir().unwrap();
        let failed = |script: &'static str| built(script, &AtomicBool::new(false), folder.path()).unwrap_err();
        let error = failed("echo step one; echo 'a.c:3: error: no header' >&2; echo make: stop; exit 2");
        assert!(error.starts_with("cannot build x: a.c:3: error: no header (log: "), "{error}");
        assert!(failed("true").starts_with("the build of x left no bin/x (log: "));
        assert!(failed("exit 3").starts_with("cannot build x: no output (log: "));
    }

    #[test]
    fn a_stopped_build_ends_with_its_processes() {
        let folder = tempfile::tempdir().unwrap();
        let (stop, file) = (AtomicBool::new(false), folder.path().join("result/pid"));
        let script = "sleep 600 & echo $! > \"$PREFIX/new\"; mv \"$PREFIX/new\" \"$PREFIX/pid\"; wait";
        thread::scope(|scope| {
            scope.spawn(|| {
                while !file.exists() {
                    thread::sleep(LOOK);
                }
                stop.store(true, Ordering::Relaxed);
            });
            assert_eq!(built(script, &stop, folder.path()), Ok(None));
        });
        let pid = fs::read_to_string(&file).unwrap().trim().parse().unwrap();
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let is_gone = nix::sys::signal::kill(Pid::from_raw(pid), None).is_err() || state.contains(") Z ");
        assert!(is_gone, "{state}");
    }
}
