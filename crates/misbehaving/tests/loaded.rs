//! Tests that `pqlab verify` finds bugs in separately compiled libraries and in programs. The tests compile copies of
//! liboqs, each with one change to its sources, and run a worker in Python. They verify the libraries and the worker as
//! a user would. Earlier versions of pqlab missed these bugs.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../../cli/tests/common/mod.rs"]
mod common;

use common::{Pqlab, text, write};
use pqlab_testing::{Need, program, require};
use serde_json::Value;
use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMPILER: Need = Need::Installed("cc");
const PYTHON: Need = Need::Installed("Python");
const SOURCES: Need = Need::Machine("the sources of the crate oqs-sys in cargo's folders");

const DSA: &str = "src/sig/ml_dsa/pqcrystals-dilithium-standard_ml-dsa-44_ref";
const KEM: &str = "src/kem/ml_kem/mlkem-native_ml-kem-768_ref";
const SHIMS: &str = "src/common/pqclean_shims";
const KECCAK: &str = "src/common/sha3/xkcp_low/KeccakP-1600/plain-64bits";

/// Files of liboqs that every built library contains.
const SHARED: [&str; 14] = [
    "src/common/common.c",
    "src/common/rand/rand.c",
    "src/common/sha3/sha3.c",
    "src/common/sha3/sha3x4.c",
    "src/common/sha3/xkcp_sha3.c",
    "src/common/sha3/xkcp_sha3x4.c",
    "src/common/sha3/xkcp_low/KeccakP-1600/plain-64bits/KeccakP-1600-opt64.c",
    "src/common/sha3/xkcp_low/KeccakP-1600times4/serial/KeccakP-1600-times4-on1.c",
    "src/common/pqclean_shims/fips202.c",
    "src/common/pqclean_shims/fips202x4.c",
    "src/kem/kem.c",
    "src/kem/ml_kem/kem_ml_kem_768.c",
    "src/sig/sig.c",
    "src/sig/ml_dsa/sig_ml_dsa_44.c",
];

/// Folders whose headers become `oqs/*.h`.
const HEADERS: [&str; 11] = [
    "src",
    "src/common",
    "src/common/aes",
    "src/common/rand",
    "src/common/sha2",
    "src/common/sha3",
    "src/kem",
    "src/kem/ml_kem",
    "src/sig",
    "src/sig/ml_dsa",
    "src/sig_stfl",
];

const CONFIGURATION: &str = r#"
#define OQS_VERSION_TEXT "0.13.0"
#define OQS_COMPILE_BUILD_TARGET "portable"
#define OQS_ENABLE_KEM_ML_KEM 1
#define OQS_ENABLE_KEM_ml_kem_768 1
#define OQS_ENABLE_SIG_ML_DSA 1
#define OQS_ENABLE_SIG_ml_dsa_44 1
#define OQS_ENABLE_SHA3_xkcp_low 1
"#;

/// One change to liboqs's sources.
struct Change {
    name: &'static str,
    /// Path of the changed file in [`DSA`] or [`KEM`].
    file: &'static str,
    from: &'static str,
    to: &'static str,
    /// Interfaces through which `verify` must find the bug. Through all others, `verify` must report no failure.
    found_as: &'static [Interface],
}

/// Interface through which pqlab opens a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interface {
    /// `nist:`, with the functions of PQClean.
    Plain,
    /// `nist:`, with functions that also take random bytes.
    Given,
    /// `liboqs:`. Verification can replace the library's random generator.
    Liboqs,
}

const ALL: &[Interface] = &[Interface::Plain, Interface::Given, Interface::Liboqs];

impl Interface {
    fn spec(self, library: &Path, algorithm: &str) -> String {
        let library = library.display();
        match self {
            Interface::Plain => format!("mutant=nist:{library}?prefix=PLAIN_&algorithm={algorithm}"),
            Interface::Given => format!("mutant=nist:{library}?prefix=GIVEN_&algorithm={algorithm}"),
            Interface::Liboqs => format!("mutant=liboqs:{library}"),
        }
    }
}

const DSA_CHANGES: &[Change] = &[
    Change {
        name: "neighbouring coefficients of the mask are equal",
        file: "sign.c",
        from: "polyvecl_uniform_gamma1(&y, rhoprime, nonce++);",
        to: "polyvecl_uniform_gamma1(&y, rhoprime, nonce++);
             for (int i = 0; i < L; i++)
               for (int j = 0; j < N; j += 2) y.vec[i].coeffs[j + 1] = y.vec[i].coeffs[j];",
        found_as: ALL,
    },
    Change {
        name: "the mask depends only on the key",
        file: "sign.c",
        from: "shake256_inc_absorb(&state, rnd, RNDBYTES);
  shake256_inc_absorb(&state, mu, CRHBYTES);",
        to: "",
        found_as: ALL,
    },
    Change {
        name: "signing does not check the low bits",
        file: "sign.c",
        from: "if(polyveck_chknorm(&w0, GAMMA2 - BETA))",
        to: "if(0)",
        found_as: ALL,
    },
    Change {
        name: "signing checks the low bits with half of beta",
        file: "sign.c",
        from: "if(polyveck_chknorm(&w0, GAMMA2 - BETA))",
        to: "if(polyveck_chknorm(&w0, GAMMA2 - BETA / 2))",
        found_as: ALL,
    },
    Change {
        name: "all polynomials of s1 are equal",
        file: "sign.c",
        from: "polyvecl_uniform_eta(&s1, rhoprime, 0);",
        to: "polyvecl_uniform_eta(&s1, rhoprime, 0);
             for (int i = 1; i < L; i++) s1.vec[i] = s1.vec[0];",
        found_as: ALL,
    },
    Change {
        name: "key generation follows the draft",
        file: "sign.c",
        from: "shake256(seedbuf, 2*SEEDBYTES + CRHBYTES, seedbuf, SEEDBYTES+2);",
        to: "shake256(seedbuf, 2*SEEDBYTES + CRHBYTES, seedbuf, SEEDBYTES);",
        // Without a given seed, keys of the draft and of the standard have the same distribution.
        found_as: &[Interface::Liboqs],
    },
    Change {
        name: "decreasing hint counts are accepted",
        file: "packing.c",
        from: "sig[OMEGA + i] < k || ",
        to: "",
        found_as: ALL,
    },
];

const KEM_CHANGES: &[Change] = &[
    Change {
        name: "keys are generated from constant coins",
        file: "mlkem/kem.c",
        from: "randombytes(coins, 2 * MLKEM_SYMBYTES);",
        to: "memset(coins, 5, 2 * MLKEM_SYMBYTES);",
        found_as: ALL,
    },
    Change {
        name: "encapsulation uses constant coins",
        file: "mlkem/kem.c",
        from: "randombytes(coins, MLKEM_SYMBYTES);",
        to: "memset(coins, 5, MLKEM_SYMBYTES);",
        found_as: ALL,
    },
    Change {
        name: "one byte in the middle of c1 is not compared",
        file: "mlkem/kem.c",
        from: "fail = mlk_ct_memcmp(ct, tmp, MLKEM_INDCCA_CIPHERTEXTBYTES);",
        to: "tmp[500] = ct[500]; fail = mlk_ct_memcmp(ct, tmp, MLKEM_INDCCA_CIPHERTEXTBYTES);",
        found_as: ALL,
    },
];

/// Returns the folder of liboqs's sources in the `oqs-sys` crate, in the version that `Cargo.lock` names. `None` if
/// cargo has not fetched the crate.
fn sources() -> Option<PathBuf> {
    let lock = fs::read_to_string("../../Cargo.lock").ok()?;
    let (_, after) = lock.split_once("name = \"oqs-sys\"\nversion = \"")?;
    let name = format!("oqs-sys-{}/liboqs", after.split_once('"')?.0);
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(home.join("registry/src")).ok()?;
    registries.flatten().map(|registry| registry.path().join(&name)).find(|folder| folder.join(DSA).is_dir())
}

fn c_files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect()
}

/// Compiles a small liboqs with ML-DSA-44 and ML-KEM-768 in portable C.
struct Workshop {
    compiler: PathBuf,
    liboqs: PathBuf,
    folder: tempfile::TempDir,
    shared: Vec<PathBuf>,
    /// Objects of the unchanged algorithms, which changed libraries reuse.
    algorithms: [(&'static str, Vec<PathBuf>); 2],
}

impl Workshop {
    fn new(compiler: PathBuf, liboqs: PathBuf) -> Workshop {
        let folder = tempfile::tempdir().unwrap();
        let include = folder.path().join("include/oqs");
        fs::create_dir_all(&include).unwrap();
        for header in HEADERS.iter().flat_map(|from| fs::read_dir(liboqs.join(from)).unwrap()) {
            let header = header.unwrap().path();
            if header.extension().is_some_and(|extension| extension == "h") {
                fs::copy(&header, include.join(header.file_name().unwrap())).unwrap();
            }
        }
        fs::write(include.join("oqsconfig.h"), CONFIGURATION).unwrap();
        let algorithms = [DSA, KEM].map(|from| (from, Vec::new()));
        let mut workshop = Workshop { compiler, liboqs, folder, shared: Vec::new(), algorithms };
        let names = std::path::absolute("tests/loaded/names.c").unwrap();
        let files = SHARED.iter().map(|file| workshop.liboqs.join(file)).chain([names]);
        workshop.shared = workshop.objects(&files.collect::<Vec<_>>(), &[]);
        workshop.algorithms = [DSA, KEM].map(|from| {
            let copy = workshop.copy(from);
            let sources = if copy.join("mlkem").is_dir() { copy.join("mlkem") } else { copy.clone() };
            (from, workshop.objects(&c_files(&sources), &[copy]))
        });
        workshop
    }

    /// Compiles files to objects.
    fn objects(&self, files: &[PathBuf], includes: &[PathBuf]) -> Vec<PathBuf> {
        let folder = tempfile::Builder::new().tempdir_in(self.folder.path()).unwrap().keep();
        let ours = [self.folder.path().join("include"), self.liboqs.join(SHIMS), self.liboqs.join(KECCAK)];
        let mut compile = Command::new(&self.compiler);
        compile.args(["-c", "-O2", "-w", "-fPIC", "-fvisibility=hidden", "-DMLKEM_K=3"]).current_dir(&folder);
        compile.args(["-DOQS_HAVE_GETENTROPY", "-DOQS_HAVE_POSIX_MEMALIGN"]);
        compile.arg("-DMLK_CONFIG_FILE=\"../integration/liboqs/config_c.h\"");
        for include in ours.iter().chain(includes) {
            compile.arg("-I").arg(include);
        }
        let compiled = compile.args(files).output().unwrap();
        assert!(compiled.status.success(), "{}", text(&compiled.stderr));
        let names = files.iter().map(|file| folder.join(file.with_extension("o").file_name().unwrap()));
        names.collect()
    }

    /// Copies an algorithm's folder.
    fn copy(&self, from: &str) -> PathBuf {
        let copy = tempfile::Builder::new().tempdir_in(self.folder.path()).unwrap().keep();
        let copied = Command::new("cp").arg("-R").arg(self.liboqs.join(from).join(".")).arg(&copy).status().unwrap();
        assert!(copied.success());
        copy
    }

    /// Returns the objects of an algorithm. Applies the change if the changed file is in the algorithm's folder, and
    /// compiles only this file again.
    fn algorithm(&self, from: &str, objects: &[PathBuf], change: &Change) -> Vec<PathBuf> {
        let mut objects = objects.to_vec();
        if self.liboqs.join(from).join(change.file).is_file() {
            let copy = self.copy(from);
            let file = copy.join(change.file);
            let source = fs::read_to_string(&file).unwrap();
            assert_eq!(source.matches(change.from).count(), 1, "{}: {}", change.file, change.from);
            let mut permissions = fs::metadata(&file).unwrap().permissions();
            permissions.set_mode(0o644);
            fs::set_permissions(&file, permissions).unwrap();
            fs::write(&file, source.replace(change.from, change.to)).unwrap();
            let changed = self.objects(&[file], &[copy]).remove(0);
            let unchanged = objects.iter_mut().find(|object| object.file_name() == changed.file_name());
            *unchanged.unwrap() = changed;
        }
        objects
    }

    /// Builds a library with the change, or an unchanged one.
    fn library(&self, name: &str, change: Option<&Change>) -> PathBuf {
        let library = self.folder.path().join(format!("{name}.so"));
        let mut link = Command::new(&self.compiler);
        link.args(["-shared", "-Wl,-z,defs", "-o"]).arg(&library).args(&self.shared);
        for (from, objects) in &self.algorithms {
            link.args(change.map_or_else(|| objects.clone(), |change| self.algorithm(from, objects, change)));
        }
        let linked = link.output().unwrap();
        assert!(linked.status.success(), "{}", text(&linked.stderr));
        library
    }
}

/// Verifies one algorithm of a library or worker. Returns the first failure of each check that fails.
fn failures(foreign: [&str; 2], algorithm: &str) -> Vec<String> {
    let arguments = ["verify", foreign[0], foreign[1], "--provider", "mutant", "--algorithm", algorithm];
    let pqlab = Pqlab::new();
    let mut command = pqlab.command(&[&arguments[..], &["--no-interop", "--format", "json"]].concat());
    // Run outside the repository, so that pqlab uses only the embedded vectors.
    let output = command.current_dir(pqlab.path("")).env_remove("PQLAB_VECTORS").output().unwrap();
    let page: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}\n{}", text(&output.stdout), text(&output.stderr));
    });
    let lines = page["vectors"].as_array().unwrap();
    assert!(lines.iter().any(|line| line["passed"].as_u64() > Some(0)), "{page}");
    let failed = lines.iter().filter_map(|line| {
        Some(format!("{}: {}", line["suite"].as_str()?, line["failures"].as_array()?.first()?.as_str()?))
    });
    let failed: Vec<String> = failed.collect();
    assert_eq!(output.status.code(), Some(i32::from(!failed.is_empty())), "{failed:?}");
    failed
}

/// Builds one library for each change, and one without a change. Verifies that exactly the expected bugs are found.
fn finds_in_libraries(compiler: PathBuf, liboqs: PathBuf, algorithm: &str, changes: &[Change]) {
    let workshop = Workshop::new(compiler, liboqs);
    let unchanged = workshop.library("unchanged", None);
    for interface in ALL {
        let found = failures(["--library", &interface.spec(&unchanged, algorithm)], algorithm);
        assert!(found.is_empty(), "false alarm with {interface:?}: {found:#?}");
    }
    let mut wrong = Vec::new();
    for change in changes {
        let library = workshop.library("changed", Some(change));
        for interface in ALL {
            let found = failures(["--library", &interface.spec(&library, algorithm)], algorithm);
            println!("{}, {interface:?}: {} checks, {:?}", change.name, found.len(), found.first());
            if found.is_empty() == change.found_as.contains(interface) {
                wrong.push(format!("{}, {interface:?}", change.name));
            }
        }
        fs::remove_file(library).unwrap();
    }
    assert!(wrong.is_empty(), "not found, or found through an interface that cannot reveal the bug: {wrong:#?}");
}

#[test]
fn finds_bugs_of_ml_dsa_in_loaded_libraries() {
    let (compiler, liboqs) = (require!(program("cc"), COMPILER), require!(sources(), SOURCES));
    finds_in_libraries(compiler, liboqs, "ML-DSA-44", DSA_CHANGES);
}

#[test]
fn finds_bugs_of_ml_kem_in_loaded_libraries() {
    let (compiler, liboqs) = (require!(program("cc"), COMPILER), require!(sources(), SOURCES));
    finds_in_libraries(compiler, liboqs, "ML-KEM-768", KEM_CHANGES);
}

/// Bugs that the worker can have, by algorithm.
const WORKER: &[(&str, &[&str])] =
    &[("SHA3-256", &["padding", "middle", "long", "longest"]), ("Ed25519", &["nonce"]), ("ECDSA-P-256", &["nonce"])];

#[test]
fn finds_bugs_of_workers() {
    require!(program("python3"), PYTHON);
    let folder = tempfile::tempdir().unwrap();
    let script = std::path::absolute("tests/loaded/worker.py").unwrap();
    let verify = |bug: &str, algorithm: &str| {
        let path = folder.path().join(bug);
        let starter = write(&path, &format!("#!/bin/sh\nexec python3 {script:?} {bug}\n"));
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        failures(["--worker", &format!("mutant={starter}")], algorithm)
    };
    for &(algorithm, bugs) in WORKER {
        let found = verify("none", algorithm);
        assert!(found.is_empty(), "false alarm with {algorithm}: {found:#?}");
        for bug in bugs {
            let found = verify(bug, algorithm);
            println!("{algorithm}, {bug}: {} checks, {:?}", found.len(), found.first());
            assert!(!found.is_empty(), "{algorithm}, {bug}: not found");
        }
    }
}
