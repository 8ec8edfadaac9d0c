//! Builds libcrypto from `openssl-src`, or takes it from the cache of an earlier build.
//!
//! The cache (`$PQLAB_CACHE`, else `~/.cache/pqlab`) only saves time: the archive is copied into `OUT_DIR` and linked
//! from there, so that emptying the cache at any moment breaks nothing.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

const ARCHIVE: &str = "libcrypto.a";

fn main() {
    for name in ["PQLAB_CACHE", "CC", "CFLAGS", "AR", "RANLIB"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let archive = out.join(ARCHIVE);
    let cached = cache_entry();
    let from_cache = cached.as_ref().is_some_and(|entry| fs::copy(entry, &archive).is_ok());
    if !from_cache {
        build(&out.join("openssl-build"), &archive);
        if let Some(entry) = cached
            && let Err(error) = publish(&archive, &entry)
        {
            println!("cargo:warning=libcrypto.a is not cached: {error}");
        }
    }
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=crypto");
    println!("cargo:rustc-env=PQLAB_OPENSSL_SRC_VERSION={}", openssl_src::version());
}

/// What is left out is what nothing here calls. The optimised arithmetic for the NIST curves is in every distribution's
/// build and has to be asked for.
const OPTIONS: [&str; 12] = [
    "no-shared",
    "no-module",
    "no-tests",
    "no-apps",
    "no-docs",
    "no-legacy",
    "no-comp",
    "no-zlib",
    "no-ssl3",
    "no-md2",
    "no-rc5",
    "enable-ec_nistp_64_gcc_128",
];

/// Configures and builds libcrypto alone, with OpenSSL's own choice of compiler flags.
fn build(folder: &Path, archive: &Path) {
    let target = env::var("TARGET").unwrap_or_default();
    let platform = match target.as_str() {
        "x86_64-unknown-linux-gnu" => "linux-x86_64",
        "aarch64-unknown-linux-gnu" => "linux-aarch64",
        // Elsewhere the crate that brings the source knows how to build it, if not with these options.
        _ => {
            let artifacts = openssl_src::Build::new().build();
            fs::copy(artifacts.lib_dir().join(ARCHIVE), archive).expect("OpenSSL's build leaves libcrypto.a");
            return;
        }
    };
    fs::remove_dir_all(folder).ok();
    fs::create_dir_all(folder).expect("the build folder can be made");
    let configure = openssl_src::source_dir().join("Configure");
    run(Command::new("perl").arg(configure).arg(platform).args(OPTIONS).current_dir(folder), "Configure");
    let make = |goal: &str| {
        let mut command = Command::new("make");
        // Cargo's job server decides how much runs at once.
        command
            .arg("-s")
            .arg(goal)
            .current_dir(folder)
            .env("MAKEFLAGS", env::var("CARGO_MAKEFLAGS").unwrap_or_default());
        run(&mut command, goal);
    };
    make("build_generated");
    make(ARCHIVE);
    fs::copy(folder.join(ARCHIVE), archive).expect("OpenSSL's build leaves libcrypto.a");
    fs::remove_dir_all(folder).ok();
}

fn run(command: &mut Command, what: &str) {
    // Cargo's own settings for Rust code must not reach OpenSSL's build.
    for name in ["DEBUG", "OPT_LEVEL", "PROFILE", "TARGET", "HOST"] {
        command.env_remove(name);
    }
    let output = command.output().unwrap_or_else(|error| panic!("OpenSSL's {what} does not start: {error}"));
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        panic!("OpenSSL's {what} fails, {}:\n{text}", output.status);
    }
}

/// Where the archive of exactly this build is kept: version, target, compiler and flags are in the name.
fn cache_entry() -> Option<PathBuf> {
    let root = env::var_os("PQLAB_CACHE")
        .map(PathBuf::from)
        .or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cache/pqlab")))?;
    let target = env::var("TARGET").ok()?;
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let compiler_version = Command::new(&compiler).arg("--version").output().ok()?.stdout;
    let mut hasher = DefaultHasher::new();
    (openssl_src::version(), &target, &compiler, compiler_version, env::var("CFLAGS").ok(), OPTIONS).hash(&mut hasher);
    let name = format!("openssl-{}-{target}-{:016x}", openssl_src::version(), hasher.finish());
    Some(root.join("c").join(name).join(ARCHIVE))
}

/// Copies under a name of its own first, so that a reader never sees half an archive.
fn publish(archive: &Path, entry: &Path) -> io::Result<()> {
    let folder = entry.parent().expect("an entry has a folder");
    fs::create_dir_all(folder)?;
    let partial = folder.join(format!("{ARCHIVE}.{}", std::process::id()));
    fs::copy(archive, &partial)?;
    fs::rename(&partial, entry)
}
