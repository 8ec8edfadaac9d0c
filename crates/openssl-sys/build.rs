//! Builds libcrypto and libssl from `openssl-src`, or copies them from the cache if an earlier build stored them there.
//!
//! The cache (`$PQLAB_CACHE`, or `~/.cache/pqlab` by default) only saves time. The archives are copied to `OUT_DIR` and
//! linked from there, so the cache may be emptied at any time.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// Archives in link order: libssl depends on libcrypto.
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
            println!("cargo:warning=cannot cache OpenSSL's archives: {error}");
        }
    }
    println!("cargo:rustc-link-search=native={}", out.display());
    for library in ["ssl", "crypto"] {
        println!("cargo:rustc-link-lib=static={library}");
    }
    println!("cargo:rustc-env=PQLAB_OPENSSL_SRC_VERSION={}", openssl_src::version());
}

/// Configuration options. They disable features that neither this project nor a TLS 1.3 handshake uses. TLS 1.3 stays
/// complete. The optimized arithmetic for NIST curves, which every distribution enables, must be requested explicitly.
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
    "no-camellia",
    "no-cast",
    "no-ct",
    "no-des",
    "no-dsa",
    "no-idea",
    "no-md2",
    "no-md4",
    "no-mdc2",
    "no-rc2",
    "no-rc5",
    "no-rmd160",
    "no-seed",
    "no-sm2",
    "no-sm3",
    "no-sm4",
    "no-srp",
    "no-whirlpool",
    "enable-ec_nistp_64_gcc_128",
];

/// Configures and builds only the two libraries, with OpenSSL's default compiler flags, and copies them to `out`.
fn build(folder: &Path, out: &Path) {
    let target = env::var("TARGET").unwrap_or_default();
    let platform = match target.as_str() {
        "x86_64-unknown-linux-gnu" => "linux-x86_64",
        "aarch64-unknown-linux-gnu" => "linux-aarch64",
        // On other platforms, `openssl-src` builds OpenSSL without these options.
        _ => {
            let artifacts = openssl_src::Build::new().build();
            copy(artifacts.lib_dir(), out).expect("cannot copy OpenSSL's archives");
            return;
        }
    };
    fs::remove_dir_all(folder).ok();
    fs::create_dir_all(folder).expect("cannot create the build folder");
    let configure = openssl_src::source_dir().join("Configure");
    run(Command::new("perl").arg(configure).arg(platform).args(OPTIONS).current_dir(folder), "Configure");
    let make = |goal: &str| {
        let mut command = Command::new("make");
        // Let Cargo's job server control the parallelism.
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
    copy(folder, out).expect("cannot copy OpenSSL's archives");
    fs::remove_dir_all(folder).ok();
}

fn run(command: &mut Command, what: &str) {
    // Cargo's settings for Rust code must not affect OpenSSL's build.
    for name in ["DEBUG", "OPT_LEVEL", "PROFILE", "TARGET", "HOST"] {
        command.env_remove(name);
    }
    let output = command.output().unwrap_or_else(|error| panic!("cannot start OpenSSL's {what}: {error}"));
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        panic!("OpenSSL's {what} failed, {}:\n{text}", output.status);
    }
}

/// Copies the archives from one folder to another.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    ARCHIVES.iter().try_for_each(|archive| fs::copy(from.join(archive), to.join(archive)).map(drop))
}

/// Returns the cache folder for the archives of exactly this build. The folder's name contains the version, the target,
/// and a hash that also covers the compiler and its flags.
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

/// Copies the archives to the cache. Copies to temporary names first, so that no process sees an incomplete archive.
fn publish(out: &Path, entry: &Path) -> io::Result<()> {
    fs::create_dir_all(entry)?;
    for archive in ARCHIVES {
        let partial = entry.join(format!("{archive}.{}", std::process::id()));
        fs::copy(out.join(archive), &partial)?;
        fs::rename(&partial, entry.join(archive))?;
    }
    Ok(())
}
