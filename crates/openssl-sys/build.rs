//! Builds libcrypto and libssl from `openssl-src`, or takes them from the cache of an earlier build.
//!
//! The cache (`$PQLAB_CACHE`, else `~/.cache/pqlab`) only saves time. The archives are copied into `OUT_DIR` and linked
//! from there, so the cache may be emptied at any moment.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// In link order: libssl calls libcrypto.
const ARCHIVES: [&str; 2] = ["libssl.a", "libcrypto.a"];

fn main() {
    for name in ["PQLAB_CACHE", "CC", "CFLAGS", "AR", "RANLIB"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let cached = cache_entry();
    let from_cache = cached.as_ref().is_some_and(|entry| copy(entry, &out).is_ok());
    if !from_cache {
        build(&out.join("openssl-build"), &out);
        if let Some(entry) = cached
            && let Err(error) = publish(&out, &entry)
        {
            println!("cargo:warning=OpenSSL's archives are not cached: {error}");
        }
    }
    println!("cargo:rustc-link-search=native={}", out.display());
    for library in ["ssl", "crypto"] {
        println!("cargo:rustc-link-lib=static={library}");
    }
    println!("cargo:rustc-env=PQLAB_OPENSSL_SRC_VERSION={}", openssl_src::version());
}

/// Configuration options. They omit what neither this project nor any TLS handshake uses; TLS keeps its ciphers, groups
/// and extensions. The optimised arithmetic for NIST curves, which every distribution enables, must be requested.
const OPTIONS: &[&str] = &[
    "no-shared",
    "no-module",
    "no-tests",
    "no-apps",
    "no-docs",
    "no-legacy",
    "no-comp",
    "no-zlib",
    "no-dtls",
    "no-quic",
    "no-ssl3",
    "no-tls1",
    "no-tls1_1",
    "no-cms",
    "no-cmp",
    "no-ts",
    "no-rfc3779",
    "no-argon2",
    "no-scrypt",
    "no-krb5kdf",
    "no-pvkkdf",
    "no-snmpkdf",
    "no-sshkdf",
    "no-ocb",
    "no-siv",
    "no-bf",
    "no-cast",
    "no-idea",
    "no-md2",
    "no-md4",
    "no-mdc2",
    "no-rc2",
    "no-rc5",
    "no-whirlpool",
    "enable-ec_nistp_64_gcc_128",
];

/// Configures and builds only the libraries, with OpenSSL's own choice of compiler flags, and copies them to `out`.
fn build(folder: &Path, out: &Path) {
    let target = env::var("TARGET").unwrap_or_default();
    let platform = match target.as_str() {
        "x86_64-unknown-linux-gnu" => "linux-x86_64",
        "aarch64-unknown-linux-gnu" => "linux-aarch64",
        // On other platforms `openssl-src` does the build, without these options.
        _ => {
            let artifacts = openssl_src::Build::new().build();
            copy(artifacts.lib_dir(), out).expect("OpenSSL's build leaves its archives");
            return;
        }
    };
    fs::remove_dir_all(folder).ok();
    fs::create_dir_all(folder).expect("the build folder can be made");
    let configure = openssl_src::source_dir().join("Configure");
    run(Command::new("perl").arg(configure).arg(platform).args(OPTIONS).current_dir(folder), "Configure");
    let make = |goal: &str| {
        let mut command = Command::new("make");
        // Cargo's job server controls parallelism.
        command
            .arg("-s")
            .arg(goal)
            .current_dir(folder)
            .env("MAKEFLAGS", env::var("CARGO_MAKEFLAGS").unwrap_or_default());
        run(&mut command, goal);
    };
    make("build_generated");
    for archive in ARCHIVES {
        make(archive);
    }
    copy(folder, out).expect("OpenSSL's build leaves its archives");
    fs::remove_dir_all(folder).ok();
}

fn run(command: &mut Command, what: &str) {
    // Cargo's settings for Rust code must not reach OpenSSL's build.
    for name in ["DEBUG", "OPT_LEVEL", "PROFILE", "TARGET", "HOST"] {
        command.env_remove(name);
    }
    let output = command.output().unwrap_or_else(|error| panic!("OpenSSL's {what} does not start: {error}"));
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        panic!("OpenSSL's {what} fails, {}:\n{text}", output.status);
    }
}

/// Copies the archives from one folder to another.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    ARCHIVES.iter().try_for_each(|archive| fs::copy(from.join(archive), to.join(archive)).map(drop))
}

/// Returns the cache folder for the archives of exactly this build. Its name includes version, target, compiler and
/// flags.
fn cache_entry() -> Option<PathBuf> {
    let root = env::var_os("PQLAB_CACHE")
        .map(PathBuf::from)
        .or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cache/pqlab")))?;
    let target = env::var("TARGET").ok()?;
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let compiler_version = Command::new(&compiler).arg("--version").output().ok()?.stdout;
    let mut hasher = DefaultHasher::new();
    (openssl_src::version(), &target, &compiler, compiler_version, env::var("CFLAGS").ok(), OPTIONS, ARCHIVES)
        .hash(&mut hasher);
    let name = format!("openssl-{}-{target}-{:016x}", openssl_src::version(), hasher.finish());
    Some(root.join("c").join(name))
}

/// Copies to temporary names first, so that readers never see incomplete archives.
fn publish(out: &Path, entry: &Path) -> io::Result<()> {
    fs::create_dir_all(entry)?;
    for archive in ARCHIVES {
        let partial = entry.join(format!("{archive}.{}", std::process::id()));
        fs::copy(out.join(archive), &partial)?;
        fs::rename(&partial, entry.join(archive))?;
    }
    Ok(())
}
