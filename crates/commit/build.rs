//! Passes the commit to the crate in an environment variable.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=PQLAB_COMMIT={}", commit().unwrap_or_default());
}

/// Returns the commit of the working tree, followed by `+` if tracked files have changed. `None` if the sources are not
/// a git checkout or are part of another project's checkout.
///
/// Cargo reruns this script when the commit changes but not when a file changes, so the `+` may be out of date.
fn commit() -> Option<String> {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    let workspace = package.ancestors().nth(2)?;
    let git = |arguments: &[&str]| -> Option<String> {
        // Under sudo, the sources may belong to another user. `--no-optional-locks` keeps git from writing to the
        // repository.
        let output = Command::new("git")
            .args(["-c", "safe.directory=*", "--no-optional-locks"])
            .args(arguments)
            .current_dir(workspace)
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let top = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    if top.canonicalize().ok()? != workspace.canonicalize().ok()? {
        return None;
    }
    let mut watched = vec!["HEAD".to_owned(), "packed-refs".to_owned()];
    watched.extend(git(&["symbolic-ref", "--quiet", "HEAD"]));
    for name in watched {
        // Watch only existing files: Cargo reruns the script at every build if a watched file is
        // missing.
        if let Some(path) = git(&["rev-parse", "--git-path", &name]).map(|path| workspace.join(path))
            && path.exists()
        {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changes.is_empty() { commit } else { commit + "+" })
}
