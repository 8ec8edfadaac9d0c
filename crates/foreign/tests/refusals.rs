//! Checks that the error for a file that cannot be opened is one line and names the file.

#![allow(clippy::unwrap_used, reason = "test helpers")]

mod common;

use common::{DEBIANS, SYSTEMS, refusal};
use pqlab_foreign::{LibrarySpec, OpenError, open};
use pqlab_testing::require;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Copies this test program and changes one byte in the ELF header.
fn altered(folder: &Path, name: &str, place: usize, byte: u8) -> PathBuf {
    let mut bytes = fs::read(std::env::current_exe().unwrap()).unwrap();
    bytes[place] = byte;
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn reports_missing_files() {
    for kind in ["liboqs", "openssl"] {
        let text = refusal(&format!("{kind}:/no/such/folder/lib.so"));
        assert!(text.starts_with("/no/such/folder/lib.so: No such file"), "{text}");
    }
    // A relative path refers to the current folder, even if the system's loader would find a library with this name.
    let text = refusal("openssl:libcrypto.so.3");
    assert!(text.starts_with(&*std::env::current_dir().unwrap().to_string_lossy()), "{text}");
}

#[test]
fn rejects_files_that_are_not_libraries() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, reason) in [
        ("text.so", &b"text of more than twenty bytes"[..], "missing ELF magic"),
        ("script.so", b"INPUT(libcrypto.so.3)", "a linker script"),
        ("empty.so", b"", "it is empty"),
        ("spaced.so", b"/* Use the shared library */\nGROUP ( /lib/libc.so.6 )", "a text file"),
        ("ld.so", b"OUTPUT_FORMAT(elf64-x86-64)\nGROUP ( /lib/libc.so.6 )", "a linker script"),
        ("mac.so", b"\xcf\xfa\xed\xfe\x07\0\0\x01", "a Mach-O file"),
        ("windows.so", b"MZ\x90\0\x03\0", "a PE file"),
        ("web.so", b"\0asm\x01\0\0\0", "WebAssembly"),
        ("packed.so", b"\x1f\x8b\x08\0", "gzip"),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let text = refusal(&format!("liboqs:{}", path.display()));
        assert!(text.contains(name) && text.contains(reason), "{text}");
    }
    let text = refusal(&format!("liboqs:{}/text.so/below", folder.path().display()));
    assert!(text.contains("Not a directory"), "{text}");
}

#[test]
fn rejects_libraries_for_other_machines() {
    let folder = tempfile::tempdir().unwrap();
    // In an ELF header, byte 18 is the low byte of the machine number and byte 4 the word length.
    let mips = altered(folder.path(), "mips.so", 18, 8);
    let text = refusal(&format!("liboqs:{}", mips.display()));
    assert!(text.contains("mips.so is built for machine 8 (64-bit") && text.contains("this program is"), "{text}");
    let short = altered(folder.path(), "short.so", 4, 1);
    let text = refusal(&format!("openssl:{}", short.display()));
    assert!(text.contains("(32-bit"), "{text}");
}

#[test]
fn reports_the_loaders_errors() {
    let folder = tempfile::tempdir().unwrap();
    // The dynamic loader does not load programs.
    let path = folder.path().join("program.so");
    fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
    let spec: LibrarySpec = format!("liboqs:{}", path.display()).parse().unwrap();
    assert!(matches!(open(&spec, None, || 0), Err(OpenError::Refused { .. })));
    let text = refusal(&spec.to_string());
    assert_eq!(text.matches("program.so").count(), 1, "{text}");
}

#[test]
fn rejects_libraries_without_the_symbols_of_their_kind() {
    let path = require!(common::system_libcrypto(), SYSTEMS);
    let path = path.display();
    let text = refusal(&format!("liboqs:{path}"));
    assert!(text.contains("has no symbol OQS_version: not liboqs"), "{text}");
    let text = refusal(&format!("nist:{path}?prefix=PQCLEAN_MLKEM768_CLEAN_&algorithm=ML-KEM-768"));
    assert!(
        text.contains("no symbol PQCLEAN_MLKEM768_CLEAN_crypto_kem_keypair or PQCLEAN_MLKEM768_CLEAN_keypair"),
        "{text}"
    );
    let text = refusal(&format!("nist:{path}?algorithm=Falcon-512"));
    assert!(
        text.contains("no symbol crypto_sign_signature or signature or crypto_sign: is the prefix correct?"),
        "{text}"
    );
}

#[test]
fn rejects_libraries_that_only_link_the_requested_one() {
    let libcrypto = require!(common::system_libcrypto(), SYSTEMS);
    let libssl = require!(Some(libcrypto.with_file_name("libssl.so.3")).filter(|path| path.exists()), DEBIANS);
    let text = refusal(&format!("openssl:{}", libssl.display()));
    assert!(text.contains("comes from") && text.contains("name that file"), "{text}");
}

#[test]
fn advises_another_kind_than_the_requested_one() {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("half.c"), folder.path().join("half.so"));
    fs::write(&source, "int crypto_kem_keypair(unsigned char *p, unsigned char *s) { return 0; }\n").unwrap();
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(compiled.unwrap().success());
    let text = refusal(&format!("nist:{}?algorithm=ML-KEM-768", library.display()));
    assert!(text.contains("has no symbol crypto_kem_enc") && !text.contains("use kind nist"), "{text}");
    let text = refusal(&format!("liboqs:{}", library.display()));
    assert!(text.contains("has no symbol OQS_version") && text.contains("use kind nist"), "{text}");
}
