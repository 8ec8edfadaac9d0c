//! Passes build information to the crate in environment variables: compilers, profile, target and flags.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = variable("TARGET").unwrap_or_default();
    set("RUSTC", &first_line(&variable("RUSTC").unwrap_or_else(|| "rustc".to_owned())).unwrap_or_default());
    set("CC", &c_compiler(&target).unwrap_or_default());
    set("PROFILE", &profile().unwrap_or_default());
    set("TARGET", &target);
    set("FLAGS", &flags(&target));
}

fn set(name: &str, value: &str) {
    println!("cargo::rustc-env=PQLAB_{name}={value}");
}

fn variable(name: &str) -> Option<String> {
    println!("cargo::rerun-if-env-changed={name}");
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Returns the first line of the output of `program --version`, or `None` if the program cannot be run.
fn first_line(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned())
}

/// Reads an environment variable as the `cc` crate does: tries `NAME_<target>`, `TARGET_NAME`, then `NAME`. Returns the
/// variable's full name and its value, or `None` if no variable is set.
fn for_target(name: &str, target: &str) -> Option<(String, String)> {
    [
        format!("{name}_{target}"),
        format!("{name}_{}", target.replace('-', "_")),
        format!("TARGET_{name}"),
        name.to_owned(),
    ]
    .into_iter()
    .find_map(|key| variable(&key).map(|value| (key, value)))
}

/// Returns the version of the C compiler that the `cc` crate and the libraries' build systems use. Skips a launcher
/// such as `ccache`.
fn c_compiler(target: &str) -> Option<String> {
    let command = for_target("CC", target).map_or_else(|| "cc".to_owned(), |(_, command)| command);
    command.split_ascii_whitespace().filter(|word| !word.ends_with("ccache")).find_map(first_line)
}

/// Returns the profile's name, taken from the target directory because `PROFILE` is always `debug` or `release`.
fn profile() -> Option<String> {
    let output = PathBuf::from(variable("OUT_DIR")?);
    let folder = output
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name == "build"))
        .and_then(Path::parent)
        .and_then(|folder| folder.file_name())
        .map(|name| name.to_string_lossy().into_owned());
    let name = folder.or_else(|| variable("PROFILE"))?;
    Some(if name == "debug" { "dev".to_owned() } else { name })
}

fn flags(target: &str) -> String {
    let rust = variable("CARGO_ENCODED_RUSTFLAGS").map(|flags| format!("RUSTFLAGS={}", flags.replace('\x1f', " ")));
    let c = for_target("CFLAGS", target).map(|(key, value)| format!("{key}={value}"));
    let all: Vec<String> = [rust, c].into_iter().flatten().collect();
    // A line break would end the `cargo::` line that sets the variable.
    all.join(" ").replace(['\n', '\r'], " ")
}
