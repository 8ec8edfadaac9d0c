//! What cannot be opened says so in one line that names the file.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use common::{DEBIANS, SYSTEMS, refusal};
use pqlab_foreign::{LibrarySpec, OpenError, open};
use pqlab_testing::require;
use std::fs;
use std::path::{Path, PathBuf};

/// A copy of this test's program with a byte of its header changed.
fn altered(folder: &Path, name: &str, place: usize, byte: u8) -> PathBuf {
    let mut bytes = fs::read(std::env::current_exe().unwrap()).unwrap();
    bytes[place] = byte;
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_file_that_is_not_there() {
    for kind in ["liboqs", "openssl"] {
        let said = refusal(&format!("{kind}:/no/such/folder/lib.so"));
        assert!(said.starts_with("/no/such/folder/lib.so: No such file"), "{said}");
    }
    // A path is one of this folder, whatever the system's loader would find under the name.
    let said = refusal("openssl:libcrypto.so.3");
    assert!(said.starts_with(&*std::env::current_dir().unwrap().to_string_lossy()), "{said}");
}

#[test]
fn a_file_that_is_no_library() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("text.so", &b"INPUT(libcrypto.so.3) and more than twenty bytes"[..]), ("empty.so", b"")] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let said = refusal(&format!("liboqs:{}", path.display()));
        assert!(said.contains(name) && said.contains("is no ELF file"), "{said}");
    }
    let said = refusal(&format!("liboqs:{}/text.so/below", folder.path().display()));
    assert!(said.contains("Not a directory"), "{said}");
}

#[test]
fn a_library_for_another_machine() {
    let folder = tempfile::tempdir().unwrap();
    // The machine's number, then the word length.
    let mips = altered(folder.path(), "mips.so", 18, 8);
    let said = refusal(&format!("liboqs:{}", mips.display()));
    assert!(said.contains("mips.so is built for machine 8 (64 bits") && said.contains("this program for"), "{said}");
    let short = altered(folder.path(), "short.so", 4, 1);
    let said = refusal(&format!("openssl:{}", short.display()));
    assert!(said.contains("(32 bits"), "{said}");
}

#[test]
fn a_library_that_the_loader_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("half.so");
    let bytes = fs::read(std::env::current_exe().unwrap()).unwrap();
    fs::write(&path, &bytes[..64]).unwrap();
    let spec: LibrarySpec = format!("liboqs:{}", path.display()).parse().unwrap();
    assert!(matches!(open(&spec, None, || 0), Err(OpenError::Refused { .. })));
    let said = refusal(&spec.to_string());
    assert_eq!(said.matches("half.so").count(), 1, "{said}");
}

#[test]
fn a_library_without_the_symbols_of_its_kind() {
    let path = require!(common::system_libcrypto(), SYSTEMS);
    let path = path.display();
    let said = refusal(&format!("liboqs:{path}"));
    assert!(said.contains("has no symbol OQS_version: it is no liboqs"), "{said}");
    let said = refusal(&format!("nist:{path}?prefix=PQCLEAN_MLKEM768_CLEAN_&algorithm=ML-KEM-768"));
    assert!(
        said.contains("no symbol PQCLEAN_MLKEM768_CLEAN_crypto_kem_keypair or PQCLEAN_MLKEM768_CLEAN_keypair"),
        "{said}"
    );
    let said = refusal(&format!("nist:{path}?algorithm=Falcon-512"));
    assert!(
        said.contains("no symbol crypto_sign_signature or signature or crypto_sign: is the prefix right?"),
        "{said}"
    );
}

#[test]
fn a_library_that_was_linked_with_the_one_that_is_meant() {
    let libcrypto = require!(common::system_libcrypto(), SYSTEMS);
    let libssl = require!(Some(libcrypto.with_file_name("libssl.so.3")).filter(|path| path.exists()), DEBIANS);
    let said = refusal(&format!("openssl:{}", libssl.display()));
    assert!(said.contains("is that of") && said.contains("name that file"), "{said}");
}
