//! Tests shared libraries that the user names. Only workers open them. Unusable libraries are rejected, and all others
//! are measured.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text, write};
use pqlab_testing::{Need, program, require};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const QUICK: &[&str] =
    &["--processes", "2", "--max-time", "0.05", "--no-progress", "-q", "--filter", "*ML-KEM-768/encapsulate[]@*"];

const COMPILER: Need = Need::Installed("cc");

/// Compiles a test library for ML-KEM-768 with the given macros defined. Returns the argument for `--library`.
fn strange(pqlab: &Pqlab, compiler: &Path, label: &str, macros: &[&str]) -> String {
    let file = pqlab.path(&format!("{label}.so"));
    let source = "../cli/tests/common/strange.c";
    let mut command = Command::new(compiler);
    command.args(["-shared", "-fPIC", "-o"]).arg(&file).arg(source).args(macros.iter().map(|name| format!("-D{name}")));
    let compiled = command.output().unwrap();
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    format!("{label}=nist:{}?algorithm=ML-KEM-768", file.to_str().unwrap())
}

fn refused(output: &Output, words: &[&str]) {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), out.as_str()), (Some(2), ""), "{err}");
    assert_eq!(err.trim_end().lines().count(), 1, "{err}");
    words.iter().for_each(|word| assert!(err.contains(word), "{word:?} is not in {err:?}"));
}

/// Returns the KEM results of the latest run.
fn rows(pqlab: &Pqlab) -> Vec<Value> {
    let document: Value = serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json"])).unwrap();
    document["results"]["kem"].as_array().unwrap().clone()
}

fn row<'a>(rows: &'a [Value], provider: &str) -> &'a Value {
    rows.iter().find(|row| row["provider"] == provider).unwrap_or_else(|| panic!("no row for {provider}"))
}

#[test]
fn unusable_libraries_are_refused_before_measuring() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let sound = strange(&pqlab, &compiler, "sound", &[]);
    let aborting = strange(&pqlab, &compiler, "aborting", &["ABORTS"]);
    let hanging = strange(&pqlab, &compiler, "hanging", &["HANGS"]);
    let empty = strange(&pqlab, &compiler, "empty", &["EMPTY"]);
    let prose = format!("prose=openssl:{}", write(&pqlab.path("prose.so"), "nothing that a loader reads\n"));
    let absent = "absent=liboqs:/nowhere/liboqs.so".to_owned();
    let mut arguments = vec!["run", "kem", "--time-limit", "5"];
    for library in [&sound, &aborting, &hanging, &empty, &prose, &absent] {
        arguments.extend(["--library", library]);
    }
    let words = [
        "SIGABRT",
        "its output: this library always aborts",
        "hanging=nist:",
        "took longer than 5 s",
        "crypto_kem_keypair",
        "prose: ",
        "prose.so is not a shared library: it is a text file: missing ELF magic",
        "absent: /nowhere/liboqs.so: ",
    ];
    let output = pqlab.run(&arguments);
    refused(&output, &words);
    assert!(!text(&output.stderr).contains("sound"), "the working library must not be reported");
    assert!(!pqlab.database().exists(), "the run must not start");
    refused(&pqlab.run(&["list", &format!("library={aborting}")]), &["SIGABRT", "always aborts"]);
    refused(&pqlab.run(&["verify", "--library", &empty]), &["crypto_kem_keypair"]);
}

/// Compiles C source to a shared library and returns its path.
fn compiled(pqlab: &Pqlab, compiler: &Path, name: &str, source: &str) -> String {
    let (file, source) = (pqlab.path(&format!("{name}.so")), write(&pqlab.path(&format!("{name}.c")), source));
    let mut command = Command::new(compiler);
    let output = command.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&file).arg(source).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    file.to_str().unwrap().to_owned()
}

/// Returns the C source of a KEM. Key generation contains the code in `statement`, and encapsulation contains the code
/// in `late`.
fn kem(statement: &str, late: &str) -> String {
    format!(
        "#include <string.h>
         void unresolved(void);
         int crypto_kem_keypair(unsigned char *pk, unsigned char *sk) {{
             {statement}
             for (int i = 0; i < 1184; i++) pk[i] = i * 7 + 1;
             for (int i = 0; i < 2400; i++) sk[i] = i * 7 + 1;
             return 0;
         }}
         int crypto_kem_enc(unsigned char *ct, unsigned char *ss, const unsigned char *pk) {{
             {late}
             memset(ct, 1, 1088); memset(ss, 1, 32); return pk == 0;
         }}
         int crypto_kem_dec(unsigned char *ss, const unsigned char *ct, const unsigned char *sk) {{
             memset(ss, 1, 32); return ct == sk;
         }}"
    )
}

#[test]
fn causes_of_unusable_libraries_are_named_with_a_remedy() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let stack = "volatile unsigned char matrix[1u << 30];
        for (unsigned long i = 0; i < sizeof matrix; i += 4096) matrix[i] = 1;";
    for (name, source, kind, words) in [
        ("unresolved", kem("unresolved();", ""), "nist", &["undefined symbol: unresolved", "-Wl,-z,defs"][..]),
        ("illegal", kem("__builtin_trap();", ""), "nist", &["SIGILL", "illegal instruction", "rebuild"]),
        ("stack", kem(stack, ""), "nist", &["stack", "ulimit -s"]),
        (
            "provider",
            "int OSSL_provider_init(void) { return 1; }".to_owned(),
            "openssl",
            &["provider module", "kind liboqs"],
        ),
        ("libssl", "int SSL_CTX_new(void) { return 1; }".to_owned(), "openssl", &["this is libssl", "libcrypto.so"]),
        ("other", "int OQS_KEM_new(void) { return 1; }".to_owned(), "openssl", &["this is liboqs"]),
        ("other2", kem("", ""), "liboqs", &["the NIST competition's interface"]),
    ] {
        let file = compiled(&pqlab, &compiler, name, &source);
        let parameters = if kind == "nist" { "?algorithm=ML-KEM-768" } else { "" };
        let library = format!("library={name}={kind}:{file}{parameters}");
        refused(&pqlab.run(&["list", &library]), words);
    }
}

#[test]
fn files_that_are_no_complete_shared_library_are_named() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let library = compiled(&pqlab, &compiler, "complete", &kem("", ""));
    let bytes = std::fs::read(&library).unwrap();
    let object = pqlab.path("object.o");
    let output =
        Command::new(&compiler).args(["-c", "-fPIC", "-o"]).arg(&object).arg(pqlab.path("complete.c")).output();
    assert!(output.unwrap().status.success());
    let file = |name: &str, bytes: &[u8]| std::fs::write(pqlab.path(name), bytes).unwrap();
    file("half.so", &bytes[..bytes.len() / 2]);
    file("header.so", &bytes[..64]);
    file("archive.a", b"!<arch>\n/               0           0     0     0       4         `\n");
    file("script.so", b"/* GNU ld script */\nINPUT(libx.so)\n");
    file("empty.so", b"");
    for (name, words) in [
        ("object.o", "an object file; link it with `cc -shared"),
        ("half.so", "it is truncated"),
        ("header.so", "it is truncated"),
        ("archive.a", "a static library; link it with"),
        ("script.so", "a linker script"),
        ("empty.so", "it is empty"),
    ] {
        let library = format!("library=x=nist:{}?algorithm=ML-KEM-768", pqlab.path(name).display());
        refused(&pqlab.run(&["list", &library]), &[name, "is not a shared library", words]);
    }
}

#[test]
fn verify_reports_a_library_that_ends_the_process() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let file = compiled(
        &pqlab,
        &compiler,
        "leaving",
        &kem("", "_Exit(0);").replacen("#include", "#include <stdlib.h>\n#include", 1),
    );
    let library = format!("leaving=nist:{file}?algorithm=ML-KEM-768");
    let page = pqlab.expect(1, &["verify", "--provider", "leaving", "--library", &library]);
    assert!(page.contains("exit status: 0 (a library called `exit`)"), "{page}");
}

#[test]
fn an_illegal_instruction_fails_only_the_cases_of_its_library() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let file = compiled(&pqlab, &compiler, "late", &kem("", "__builtin_trap();"));
    let library = format!("late=nist:{file}?algorithm=ML-KEM-768");
    let wanted = ["run", "kem", "--provider", "late", "--provider", "rustcrypto", "--library", &library];
    pqlab.expect(1, &[&wanted[..], QUICK].concat());
    let rows = rows(&pqlab);
    assert_eq!(row(&rows, "rustcrypto")["status"], "ok");
    let error = row(&rows, "late")["error"].as_str().unwrap();
    assert!(error.contains("SIGILL") && error.contains("illegal instruction"), "{error}");
}

/// A library that returns constants agrees with itself, so only another library's answers show the fault.
#[test]
fn a_library_of_constants_has_no_times() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let file = compiled(&pqlab, &compiler, "constant", &kem("", ""));
    let library = format!("constant=nist:{file}?algorithm=ML-KEM-768");
    let wanted = ["run", "kem", "--provider", "constant", "--provider", "rustcrypto", "--library", &library];
    pqlab.expect(1, &[&wanted[..], QUICK].concat());
    let rows = rows(&pqlab);
    assert_eq!(row(&rows, "rustcrypto")["status"], "ok");
    let error = row(&rows, "constant")["error"].as_str().unwrap();
    assert!(error.starts_with("wrong answer: in an exchange with "), "{error}");
    let compared = ["compare-libraries", "rustcrypto", &library, "ML-KEM-768", "--exit-code"];
    assert!(pqlab.expect(1, &[&compared[..], QUICK].concat()).contains("1 newly failing"));
}

#[test]
fn verify_stops_a_library_that_does_not_return() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let file = compiled(&pqlab, &compiler, "endless", &kem("", "for (;;) ;"));
    let library = format!("endless=nist:{file}?algorithm=ML-KEM-768");
    let page = pqlab.expect(1, &["verify", "--provider", "endless", "--library", &library, "--time-limit", "3"]);
    assert!(page.contains("stopped the process, because it gave no result for 3 s after "), "{page}");
}

/// In older libraries, the ML-DSA functions take five arguments. In newer ones, functions of the same name take seven.
#[test]
fn ml_dsa_with_and_without_a_context_under_the_same_name_is_recognised() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let source = |more: &str, length: &str, context: &str, private: &str, public: &str| {
        format!(
            "#include <stddef.h>
             #include <string.h>
             static unsigned char sum(const unsigned char *m, size_t n, const unsigned char *c, size_t k, const unsigned char *key) {{
                 unsigned char s = key[0];
                 while (n--) s += *m++;
                 while (k--) s += 3 * *c++;
                 return s;
             }}
             int crypto_sign_keypair(unsigned char *pk, unsigned char *sk) {{
                 memset(pk, 7, 1952); memset(sk, 7, 4032); return 0;
             }}
             int crypto_sign_signature(unsigned char *sig, size_t *len, const unsigned char *m, size_t n{more}, const unsigned char *sk) {{
                 if ({length} > 255) return -1;
                 memset(sig, sum(m, n, {context}, {length}, {private}), 3309); *len = 3309; return 0;
             }}
             int crypto_sign_verify(const unsigned char *sig, size_t len, const unsigned char *m, size_t n{more}, const unsigned char *pk) {{
                 return len == 3309 && *sig == sum(m, n, {context}, {length}, {public}) ? 0 : -1;
             }}"
        )
    };
    let five = source("", "0", "m", "sk", "pk");
    let seven = source(", const unsigned char *ctx, size_t k", "k", "ctx", "sk", "pk");
    let none = seven.replace("if (k > 255)", "if (1)");
    let list = |name: &str, source: &str| {
        let file = compiled(&pqlab, &compiler, name, source);
        pqlab.run(&["list", &format!("library={name}=nist:{file}?algorithm=ML-DSA-65"), "--json"])
    };
    for (name, source) in [("five", &five), ("seven", &seven)] {
        let output = list(name, source);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stderr));
        assert!(text(&output.stdout).contains("ML-DSA-65"));
    }
    refused(&list("none", &none), &["five arguments", "seven (two for a context)"]);
}

#[test]
fn compare_libraries_names_algorithms_that_only_one_side_offers() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let library = strange(&pqlab, &compiler, "old", &[]);
    let run = |more: &[&str]| {
        let wanted = ["compare-libraries", "rustcrypto", &library, "--filter", "*/keygen@*"];
        let output = pqlab
            .run(&[&wanted[..], &["--processes", "2", "--max-time", "0.05", "--no-progress", "-q"], more].concat());
        text(&output.stdout)
    };
    let line = "rustcrypto: offered only by this library, so not compared: ";
    let shown = run(&[]);
    assert!(shown.lines().any(|found| found.starts_with(line) && found.contains("ML-KEM-512, ML-KEM-1024")), "{shown}");
    assert!(run(&["--format", "markdown"]).contains(&format!("- {line}")));
    let json: Value = serde_json::from_str(&run(&["--json"])).unwrap();
    let only = json["libraries"][0]["only_here"].as_array().unwrap();
    assert!(only.contains(&"ML-KEM-512".into()) && !only.contains(&"ML-KEM-768".into()), "{only:?}");
    assert_eq!(json["libraries"][1]["only_here"].as_array().unwrap().len(), 0);
    let json: Value = serde_json::from_str(&run(&["--algorithm", "ML-KEM-768", "--json"])).unwrap();
    assert_eq!(json["libraries"][0]["only_here"].as_array().unwrap().len(), 0, "the filter must apply");
}

#[test]
fn taken_names_and_malformed_libraries_are_refused() {
    let pqlab = Pqlab::new();
    let run = |library: &str| pqlab.run(&["run", "kem", "--library", library]);
    refused(
        &run("rustcrypto=liboqs:/x.so"),
        &["\"rustcrypto\" is the name of a provider in this build", "LABEL=KIND:PATH"],
    );
    refused(&run("liboqs"), &["[LABEL=]KIND:PATH"]);
    let twice = pqlab.run(&["run", "kem", "--library", "a=liboqs:/x.so", "--library", "a=liboqs:/y.so"]);
    refused(&twice, &["\"a\" is used by another library"]);
    refused(&pqlab.run(&["list", "library=oqs:/x.so"]), &["expected one of liboqs, openssl, nist"]);
    refused(&pqlab.run(&["list", "nothing"]), &["nothing", "suites"]);
    refused(&pqlab.run(&["compare-libraries", "rustcrypto", "rustcrypto"]), &["both sides are rustcrypto"]);
    refused(&pqlab.run(&["compare-libraries", "rustcrypto", "aws_lc"]), &["did you mean \"aws-lc\""]);
}

#[test]
fn only_workers_open_libraries() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let (library, witness) = (strange(&pqlab, &compiler, "own", &[]), pqlab.path("witness"));
    let listed = format!("library={library}");
    let given = ["--library", &library];
    let run = [&["run", "kem", "--provider", "own"], &given[..], QUICK].concat();
    for arguments in [
        vec!["list", &listed],
        [&["list", "algorithms"], &given[..]].concat(),
        [&["run", "kem", "--provider", "own", "--dry-run"], &given[..]].concat(),
        run,
        [&["verify", "--provider", "own", "--no-interop"], &given[..]].concat(),
        [&["inspect", "ML-KEM-768", "--provider", "own"], &given[..]].concat(),
        [&["leak", "--list", "kem/*@own"], &given[..]].concat(),
        [&["compare-libraries", "rustcrypto", &library], QUICK].concat(),
    ] {
        std::fs::remove_file(&witness).ok();
        let mut command = pqlab.command(&arguments);
        let child =
            command.env("PQLAB_TEST_WITNESS", &witness).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let coordinator = child.id().to_string();
        let output = child.wait_with_output().unwrap();
        assert_ne!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        let processes = read_to_string(&witness).unwrap();
        assert!(processes.lines().count() > 0, "{arguments:?}");
        assert!(processes.lines().all(|process| process != coordinator), "{arguments:?}: only workers may open it");
    }
}

#[test]
fn wrong_answers_fail_only_the_rows_of_their_library() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let library = strange(&pqlab, &compiler, "wrong", &[]);
    let wanted = ["run", "kem", "--provider", "wrong", "--provider", "rustcrypto", "--library", &library];
    pqlab.expect(1, &[&wanted[..], QUICK].concat());
    let rows = rows(&pqlab);
    let (wrong, right) = (row(&rows, "wrong"), row(&rows, "rustcrypto"));
    assert_eq!((&wrong["status"], &right["status"]), (&"failed".into(), &"ok".into()));
    assert!(wrong["error"].as_str().unwrap().starts_with("wrong answer"), "{wrong}");
    assert_eq!(wrong["library"], serde_json::json!({"kind": "nist", "label": "wrong"}));
    assert!(right["library"].is_null() && right["language"].is_null());
    assert_eq!(wrong["language"], "c", "every shared library must be listed as C");
    let path = pqlab.path("wrong.so");
    let shown = pqlab.expect(0, &["show", "last", "kem/ML-KEM-768/encapsulate@wrong"]);
    assert!(shown.contains(&format!("loaded from {}", path.display())), "{shown}");
    let report = pqlab.path("report");
    pqlab.expect(0, &["report", "last", "--out", report.to_str().unwrap()]);
    let page = read_to_string(report.join("index.html")).unwrap();
    assert!(page.contains(&format!("loaded from {}", path.display())));
    // `verify` compares the library's answers with those of all other libraries.
    let verified =
        ["verify", "--provider", "wrong", "--algorithm", "ML-KEM-768", "--library", &library, "--format", "json"];
    assert!(pqlab.expect(1, &verified).contains("wrong"));
    let inspected = pqlab.expect(1, &["inspect", "ML-KEM-768", "--provider", "wrong", "--library", &library]);
    assert!(inspected.contains("ML-KEM-768 by wrong") && inspected.contains("FAILED"), "{inspected}");
}

#[test]
fn a_library_that_fails_later_fails_its_own_cases() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let library = strange(&pqlab, &compiler, "later", &["ABORTS_LATER"]);
    let wanted = ["run", "kem", "--provider", "later", "--provider", "rustcrypto", "--library", &library];
    let mut command = pqlab.command(&[&wanted[..], QUICK].concat());
    let output = command.env("PQLAB_TEST_WITNESS", pqlab.path("witness")).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let rows = rows(&pqlab);
    assert_eq!(row(&rows, "rustcrypto")["status"], "ok");
    let printed = row(&rows, "later")["error"].as_str().unwrap();
    assert!(
        printed.contains("later was not opened: ") && printed.contains("SIGABRT") && printed.contains("only once"),
        "{printed}"
    );
}

#[test]
fn a_suite_that_names_a_library_needs_allow_foreign() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let library = strange(&pqlab, &compiler, "own", &[]);
    let suite = "name = \"mine\"\nabout = \"\"\nlibraries = [\"own=nist:own.so?algorithm=ML-KEM-768\"]\n\
                 [[select]]\nworkload = \"kem\"\nalgorithms = [\"ML-KEM-768\"]\nproviders = [\"own\"]\n";
    let file = write(&pqlab.path("mine.toml"), suite);
    let witness = pqlab.path("witness");
    for arguments in [&["run", &file, "--dry-run"][..], &["run", &file], &["list", "cases", &file]] {
        let output = pqlab.command(arguments).env("PQLAB_TEST_WITNESS", &witness).output().unwrap();
        refused(&output, &["mine.toml", "own=nist:", "--allow-foreign", "--library"]);
    }
    assert!(!witness.exists(), "the library's code must not run");
    for leave in [&["--allow-foreign"][..], &["--library", &library]] {
        let ids = pqlab.expect(0, &[&["run", &file, "--dry-run"], leave].concat());
        assert!(ids.contains("kem/ML-KEM-768/encapsulate@own\n"), "{ids}");
        assert_eq!(pqlab.expect(0, &[&["list", "cases", &file], leave].concat()).trim(), ids.trim());
    }
    let wrong = write(&pqlab.path("wrong.toml"), &suite.replace("own=nist", "own=oqs"));
    refused(&pqlab.run(&["run", &wrong]), &["wrong.toml:3:", "expected one of liboqs"]);
}

#[test]
fn a_run_with_libraries_resumes_only_with_allow_foreign() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let library = strange(&pqlab, &compiler, "own", &[]);
    let wanted = ["run", "kem", "--provider", "own", "--provider", "rustcrypto", "--algorithm", "ML-KEM-768"];
    let manner = ["--library", &library, "--processes", "2", "--max-time", "0.3", "--no-progress", "--json"];
    let mut child = pqlab.command(&[&wanted[..], &manner].concat()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("\"event\":\"case\"")));
    child.kill().unwrap();
    child.wait().unwrap();
    for again in [&["run", "--resume"][..], &["gate", "last"]] {
        refused(&pqlab.run(again), &["own=nist:", "--allow-foreign"]);
    }
    pqlab.expect(1, &["run", "--resume", "--allow-foreign", "-q", "--no-progress"]);
    let rows = rows(&pqlab);
    assert!(rows.iter().filter(|row| row["provider"] == "own").all(|row| row["status"] == "failed"));
    assert!(rows.iter().filter(|row| row["provider"] == "rustcrypto").all(|row| row["status"] == "ok"));
    let again = pqlab.run(&[&["gate", "last", "--library", &library, "--fail-slower", "900"], QUICK].concat());
    assert_ne!(again.status.code(), Some(2), "{}", text(&again.stderr));
}

#[test]
fn two_libraries_are_compared_case_by_case() {
    let pqlab = Pqlab::new();
    let wanted =
        ["compare-libraries", "rustcrypto", "libcrux:portable", "--algorithm", "ML-KEM-512", "--margin", "1000"];
    let manner = ["--processes", "3", "--max-time", "0.05", "--no-progress", "-q"];
    let compare = |more: &[&str]| {
        let output = pqlab.run(&[&wanted[..], &manner, more].concat());
        // With such a wide margin, no case can be slower, so the exit code is never 1.
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let planned = compare(&["--dry-run"]);
    let json: Value = serde_json::from_str(&compare(&["--json"])).unwrap();
    let cases = json["cases"].as_array().unwrap();
    let both = cases.iter().flat_map(|case| [&case["first"], &case["second"]]).map(|id| id.as_str().unwrap());
    assert_eq!(planned.lines().collect::<BTreeSet<_>>(), both.collect());
    let mut firsts: Vec<&str> = cases.iter().map(|case| case["first"].as_str().unwrap()).collect();
    firsts.sort_unstable();
    let all = ["decapsulate", "encapsulate", "keygen"].map(|what| format!("kem/ML-KEM-512/{what}@rustcrypto"));
    assert_eq!(firsts, all);
    for case in cases {
        let (first, second) = (case["first"].as_str().unwrap(), case["second"].as_str().unwrap());
        assert_eq!(second, first.replace("rustcrypto", "libcrux:portable"));
        assert_eq!(case["paired"], true, "{case}");
    }
    assert_eq!((&json["first_run"], &json["margin_source"]), (&json["second_run"], &"--margin".into()));
    let run: Value = serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json"])).unwrap();
    assert_eq!((&run["run"]["id"], &run["run"]["suite"]), (&json["first_run"], &"libraries".into()));
    let libraries = json["libraries"].as_array().unwrap();
    let ids: Vec<&str> = libraries.iter().map(|library| library["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["rustcrypto", "libcrux:portable"]);
    let version = libraries[0]["version"].as_str().unwrap();
    assert!(version.contains("ml-kem "), "{version}");
    assert!(
        libraries[0]["known_defects"][0]
            .as_str()
            .unwrap()
            .starts_with("Ed25519 verify-x: batch verification decodes R")
    );
    assert_eq!(libraries[1]["known_defects"].as_array().unwrap().len(), 0);
    let shown = compare(&["--filter", "*encapsulate*"]);
    assert!(shown.starts_with(&format!("rustcrypto: {version}")), "{shown}");
    assert!(shown.contains("\nrustcrypto: known defect: Ed25519 verify-x: ") && shown.contains("\nlibcrux:portable: "));
    assert!(shown.lines().last().unwrap().starts_with("Answer: "), "{shown}");
    let markdown = compare(&["--filter", "*encapsulate*", "--format", "markdown"]);
    assert!(markdown.starts_with("### libcrux:portable against rustcrypto\n\nAnswer: "), "{markdown}");
    assert!(markdown.contains("\n| kem/ML-KEM-512/encapsulate | "), "{markdown}");
    refused(
        &pqlab.run(&["compare-libraries", "libsecp256k1", "libcrux:portable"]),
        &["libsecp256k1 and libcrux:portable have no selected case in common"],
    );
}

/// Returns the path of the distribution's libcrypto, if it is installed.
fn libcrypto() -> Option<PathBuf> {
    let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    folders.iter().map(|folder| Path::new(folder).join("libcrypto.so.3")).find(|path| path.is_file())
}

#[test]
fn the_distributions_library_is_measured_with_the_built_in_one() {
    let path = require!(libcrypto(), Need::Machine("the distribution's libcrypto.so.3"));
    let pqlab = Pqlab::new();
    let library = format!("system=openssl:{}", path.display());
    let listed: Value =
        serde_json::from_str(&pqlab.expect(0, &["list", &format!("library={library}"), "--json"])).unwrap();
    assert_eq!((&listed["label"], &listed["kind"]), (&"system".into(), &"openssl".into()));
    assert!(listed["version"].as_str().unwrap().contains("3."), "{listed}");
    let algorithms = listed["algorithms"].as_array().unwrap();
    let named = |name: &str| algorithms.iter().find(|entry| entry["algorithm"] == name);
    assert_eq!(named("X25519").unwrap()["public_key"], 32);
    let wanted = ["compare-libraries", "openssl", &library, "X25519", "--margin", "1000", "--json"];
    let manner = ["--processes", "3", "--max-time", "0.05", "--no-progress", "-q"];
    let output = pqlab.run(&[&wanted[..], &manner].concat());
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output.stderr));
    let rows = rows(&pqlab);
    assert!(rows.iter().all(|row| row["status"] == "ok" && row["verified"] == true), "{rows:?}");
    let loaded = rows.iter().filter(|row| row["library"]["label"] == "system").count();
    assert_eq!((loaded * 2, loaded >= 3), (rows.len(), true));
    let verified = ["verify", "--provider", "system", "--algorithm", "X25519", "--library", &library];
    pqlab.expect(0, &verified);
}

#[test]
fn info_covers_libraries_that_are_linked_or_available() {
    let pqlab = Pqlab::new();
    let listed: Value = serde_json::from_str(&pqlab.expect(0, &["library", "list", "--json"])).unwrap();
    let linked = listed["linked"].as_array().unwrap();
    assert!(linked.iter().any(|one| one["name"] == "rustcrypto" && !one["providers"].as_array().unwrap().is_empty()));
    let liboqs = pqlab.expect(0, &["library", "info", "liboqs"]);
    for part in ["liboqs, in this build", "newest version", "0.16.0", "licence", "code path", "source"] {
        assert!(liboqs.contains(part), "{part}: {liboqs}");
    }
    let ed25519 = pqlab.expect(0, &["library", "info", "rustcrypto"]);
    assert!(ed25519.contains("known defect   Ed25519* verify-x"), "{ed25519}");
    let wolfssl = pqlab.expect(0, &["library", "info", "wolfssl"]);
    assert!(wolfssl.contains("not added: `pqlab library add wolfssl`"), "{wolfssl}");
    assert!(wolfssl.contains("autoconf, automake, libtoolize; cargo for the download"), "{wolfssl}");
    let unknown = pqlab.run(&["library", "info", "no-such-library"]);
    refused(&unknown, &["unknown library \"no-such-library\"; expected one of", "botan", "rustcrypto"]);
}

#[test]
fn added_libraries_are_offered_until_they_are_removed() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let sound = strange(&pqlab, &compiler, "sound", &[]);
    assert!(pqlab.expect(0, &["library"]).contains("No library was added yet"));
    pqlab.expect(0, &["library", "add", &sound]);
    refused(&pqlab.run(&["library", "add", "x=liboqs:/nowhere/liboqs.so"]), &["x: /nowhere/liboqs.so"]);
    refused(&pqlab.run(&["library", "add", "no-such-library"]), &["unknown library \"no-such-library\"", "openssl"]);
    refused(&pqlab.run(&["library", "add", "rustcrypto=liboqs:/x.so"]), &["the name of a provider in this build"]);
    refused(&pqlab.run(&["library", "add", &sound]), &["sound was already added"]);
    refused(&pqlab.run(&["library", "add", "..=liboqs:/x.so"]), &["must not begin with `.`"]);
    refused(&pqlab.run(&["library", "add", "liboqs:/x.so", "--label", "a b"]), &["the label `a b`"]);
    let listed: Value = serde_json::from_str(&pqlab.expect(0, &["library", "list", "--json"])).unwrap();
    assert_eq!(listed["added"][0]["label"], "sound");
    assert!(pqlab.expect(0, &["library", "info", "sound"]).contains("SHA-256"));
    assert!(pqlab.expect(0, &["list", "providers"]).contains("sound"));
    let run = [&["run", "kem", "--provider", "sound", "--provider", "rustcrypto"], QUICK].concat();
    pqlab.run(&run);
    assert!(rows(&pqlab).iter().any(|row| row["provider"] == "sound" && row["library"]["label"] == "sound"));
    // A file that was replaced is left out, with a note that says what to do.
    let file = pqlab.path("sound.so");
    std::fs::write(&file, "other").unwrap();
    let output = pqlab.run(&["list", "providers"]);
    assert!(text(&output.stderr).contains("left out the added library sound"), "{}", text(&output.stderr));
    assert!(!text(&output.stdout).contains("sound"));
    refused(&pqlab.run(&["library", "remove", "sound", "other"]), &["unknown added library \"other\"", "sound"]);
    pqlab.expect(0, &["library", "remove", "sound"]);
    assert!(pqlab.expect(0, &["library"]).contains("No library was added yet"));
    assert!(file.exists(), "a library that was registered as it is must stay");
}
