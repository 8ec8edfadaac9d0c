//! Generates this architecture's Keccak files from OpenSSL's source, renames the functions in each file, and assembles
//! the files. Without new names, the files would define the same symbols, because OpenSSL builds only one file per
//! architecture.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Common prefix of the symbols that every file defines.
const SYMBOL: &str = "SHA3_";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(cryptogams, values(\"x86_64\", \"aarch64\"))");
    println!("cargo:rustc-env=PQLAB_OPENSSL_SRC_VERSION={}", openssl_src::version());
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let elf = variable("CARGO_CFG_TARGET_FAMILY").contains("unix") && variable("CARGO_CFG_TARGET_VENDOR") != "apple";
    let wide = variable("CARGO_CFG_TARGET_POINTER_WIDTH") == "64";
    let architecture = variable("CARGO_CFG_TARGET_ARCH");
    let (flavour, extension, files): (_, _, &[&str]) = match architecture.as_str() {
        "x86_64" if elf && wide => ("elf", "s", &["x86_64", "avx2", "avx512", "avx512vl"]),
        "aarch64" if elf && wide && variable("CARGO_CFG_TARGET_ENDIAN") == "little" => ("linux64", "S", &["armv8"]),
        // Some files use directives that exist only for ELF, so nothing is assembled on other targets.
        _ => return,
    };

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let source = openssl_src::source_dir().join("crypto");
    let mut build = cc::Build::new();
    // The files do not mark the stack as non-executable. Without this flag, the linker would make it executable.
    build.flag("-Wa,--noexecstack").include(&source);
    for file in files {
        let script = source.join("sha/asm").join(format!("keccak1600-{file}.pl"));
        let assembly = out.join(format!("pqlab-keccak1600-{file}.{extension}"));
        generate(&script, flavour, &assembly, build.get_compiler().path());
        rename(&assembly, file);
        build.file(&assembly);
    }
    build.compile("pqlab_cryptogams");
    println!("cargo:rustc-cfg=cryptogams=\"{architecture}\"");
}

fn generate(script: &Path, flavour: &str, assembly: &Path, compiler: &Path) {
    let mut command = Command::new("perl");
    // The scripts run the compiler to find out which instructions the assembler supports.
    command.arg(script).arg(flavour).arg(assembly).env("CC", compiler);
    let output = command.output().unwrap_or_else(|error| panic!("cannot start perl: {error}"));
    assert!(
        output.status.success() && assembly.is_file(),
        "{} wrote no assembly, {}:\n{}",
        script.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

fn rename(assembly: &Path, file: &str) {
    let text = fs::read_to_string(assembly).unwrap_or_else(|error| panic!("{}: {error}", assembly.display()));
    assert!(text.contains(SYMBOL), "{} must define {SYMBOL}*", assembly.display());
    let text = text.replace(SYMBOL, &format!("pqlab_keccak1600_{file}_"));
    fs::write(assembly, text).unwrap_or_else(|error| panic!("{}: {error}", assembly.display()));
}
