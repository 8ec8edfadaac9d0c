//! Tests with faulty programs. Every fault must produce one clear error within the time limit, and the next request
//! must start a fresh program.

use super::*;
use crate::LibrarySpec;
use pqlab_primitives::{Error, Provider};
use pqlab_testing::{Need, ODD_WORKER, program, require};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Monotonic clock for the tests, in ns.
fn now() -> u64 {
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    u64::try_from(BEGUN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap()
}

fn odd(folder: &Path, mode: &str) -> Program {
    let script = folder.join("worker.py");
    fs::write(&script, ODD_WORKER).unwrap();
    let limits = Limits { hello: Duration::from_secs(10), answer: Duration::from_secs(1), now };
    let arguments = vec![script.display().to_string(), mode.to_owned()];
    Program::new("odd", "python3".into(), arguments, limits)
}

fn provider(mode: &str) -> Result<Provider, ProcessError> {
    let folder = tempfile::tempdir().unwrap();
    open(odd(folder.path(), mode)).map(|(provider, _)| provider)
}

fn digest(provider: &Provider) -> Result<Vec<u8>, Error> {
    let mut out = vec![0; 32];
    provider.hash("SHA3-256").unwrap().digest(b"abc", &mut out).map(|()| out)
}

#[test]
fn makes_a_provider_of_a_program() {
    require!(program("python3"), Need::Installed("Python"));
    let provider = provider("right").unwrap();
    assert_eq!((provider.id().as_str(), provider.build_info.version.as_str()), ("odd", "hashlib"));
    let language = provider.language.as_ref().unwrap();
    assert_eq!((language.name.as_str(), language.runtime.as_deref()), ("python", Some("3")));
    assert_eq!(hex::encode(digest(&provider).unwrap())[..8], *"3a985da7");
    assert_eq!(provider.unsupported[0].algorithm, "NO-SUCH");
    let remote = provider.remote.as_ref().unwrap();
    let mut case = remote.prepare("digest", "SHA3-256", &[vec![b"abc".to_vec()]]).unwrap();
    let begun = Instant::now();
    let time = case.visit(0, 1000).unwrap();
    assert!(u128::from(time) <= begun.elapsed().as_nanos());
    assert_eq!(case.answers().unwrap(), [(0, vec![digest(&provider).unwrap()])]);
}

#[test]
fn changed_code_changes_the_build() {
    require!(program("python3"), Need::Installed("Python"));
    let folder = tempfile::tempdir().unwrap();
    let (first, listing) = open(odd(folder.path(), "right")).unwrap();
    let build = |program: Program| open_listed(program, &listing).unwrap().build_info;
    assert_eq!(build(odd(folder.path(), "right")), first.build_info);
    let program = odd(folder.path(), "right");
    let script = program.files().last().unwrap().to_path_buf();
    let mut file = std::fs::OpenOptions::new().append(true).open(script).unwrap();
    writeln!(file, "# another constant").unwrap();
    drop(file);
    assert_ne!(build(program).build, first.build_info.build);
}

#[test]
fn first_call_starts_a_program_with_a_known_listing() {
    require!(program("python3"), Need::Installed("Python"));
    let folder = tempfile::tempdir().unwrap();
    let (_, listing) = open(odd(folder.path(), "right")).unwrap();
    // These programs crash when they are asked for a greeting or for their list.
    for mode in ["hello-crashes", "list-crashes"] {
        let provider = open_listed(odd(folder.path(), mode), &listing).unwrap();
        let answer = digest(&provider).map_err(|error| error.to_string());
        match mode {
            "list-crashes" => assert_eq!(hex::encode(answer.unwrap())[..8], *"3a985da7"),
            _ => assert!(answer.unwrap_err().contains("the last words")),
        }
    }
    let other = open_listed(odd(folder.path(), "other"), &listing).unwrap();
    assert!(digest(&other).unwrap_err().to_string().contains("the program was replaced"));
}

#[test]
fn offers_x25519_as_kem_and_key_agreement() {
    require!(program("python3"), Need::Installed("Python"));
    let folder = tempfile::tempdir().unwrap();
    let (provider, _) = open(odd(folder.path(), "exchange")).unwrap();
    // Checks the keys in RFC 7748, section 6.1, as a KEM and as a key agreement, and computes the
    // public keys of loaded private keys.
    let known = pqlab_verification::known_answers::check(&provider, "X25519").unwrap();
    assert!(matches!(known, pqlab_verification::known_answers::KnownAnswer::Checked(count) if count >= 8), "{known:?}");
    let agreement = provider.key_agreement("X25519").unwrap();
    assert!(agreement.info().exact_coins);
    let (mut public, mut secret) = ([0; 32], [0; 32]);
    let key = agreement.generate(pqlab_primitives::Coins::Internal).unwrap();
    key.public_key(&mut public).unwrap();
    assert!(matches!(key.agree(&[0; 32], &mut secret), Err(Error::Malformed(_))));
    assert!(matches!(key.agree(&[9; 31], &mut secret), Err(Error::Length { what: "public key", .. })));
    let kem = provider.kem("X25519").unwrap();
    let (mut ciphertext, mut sent) = ([0; 32], [0; 32]);
    let recipient = kem.load_encapsulation_key(&public).unwrap();
    recipient.encapsulate(pqlab_primitives::Coins::Internal, &mut ciphertext, &mut sent).unwrap();
    key.agree(&ciphertext, &mut secret).unwrap();
    assert_eq!(sent, secret);
}

#[test]
fn rejects_programs_that_greet_or_list_wrongly() {
    require!(program("python3"), Need::Installed("Python"));
    for (mode, words) in [
        ("version", "the greeting does not match protocol version 1"),
        ("twice", "the list names SHA3-256 twice"),
        ("dance", "the kind must be"),
        ("agrees", "the kind must be kem, signature, hash"),
        ("name", "a function name may contain only"),
        ("inputs", "the number of input sets for a function must be 1 to 4096"),
        ("list-crashes", "exit status: 7: the last words"),
        ("list-garbage", "malformed answer"),
        ("hello-half", "malformed answer"),
        ("list-hangs", "no answer within 1 s, so pqlab stopped the program"),
    ] {
        let error = provider(mode).unwrap_err().to_string();
        assert!(error.starts_with("worker odd: ") && error.contains(words), "{mode}: {error}");
    }
}

#[test]
fn faulty_calls_are_errors_within_the_time_limit() {
    require!(program("python3"), Need::Installed("Python"));
    for (mode, words) in [
        ("call-hangs", "no answer within 1 s, so pqlab stopped the program"),
        ("call-crashes", "the program ended: exit status: 7: the last words"),
        ("call-garbage", "malformed answer: a message of 1399154541 bytes"),
        ("call-long", "a message of 4294967295 bytes"),
        ("call-half", "the stream ends inside a message"),
        ("call-shouts", "the first field of a message is not a verb"),
        ("call-silent", "; expected ok, or error or unsupported with a one-line reason"),
        ("short", "wrong number or length of outputs in the answer"),
        ("refuses", "not this message"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (provider, _) = open(odd(folder.path(), mode)).unwrap();
        // The second call starts a fresh program, which must fail in the same way.
        for _ in 0..2 {
            let begun = Instant::now();
            let error = digest(&provider).unwrap_err();
            assert!(matches!(error, Error::Library { call: "digest", .. }), "{mode}: {error}");
            assert!(error.to_string().contains(words), "{mode}: {error}");
            assert!(begun.elapsed() < Duration::from_secs(30), "{mode}");
        }
    }
    let lacks = provider("lacks").unwrap();
    assert_eq!(digest(&lacks), Err(Error::Unsupported("the worker does not offer this operation")));
}

#[test]
fn cases_do_not_outlive_their_program() {
    require!(program("python3"), Need::Installed("Python"));
    for (mode, words) in [
        ("visit-hangs", "no answer within 1 s, so pqlab stopped the program"),
        ("visit-crashes", "exit status: 7: the last words"),
        ("visit-words", "the answer to the visit request is not a time in ns"),
        ("visit-garbage", "malformed answer"),
        ("answers-other", "the answers do not match the input sets of the visit"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (provider, _) = open(odd(folder.path(), mode)).unwrap();
        let remote = provider.remote.as_ref().unwrap();
        let mut case = remote.prepare("digest", "SHA3-256", &[vec![b"abc".to_vec()]]).unwrap();
        let error = case.visit(0, 10).and_then(|_| case.answers().map(drop)).unwrap_err().to_string();
        assert!(error.contains(words), "{mode}: {error}");
        let after = case.visit(0, 10).unwrap_err().to_string();
        assert!(after.contains("restarted after this case was prepared"), "{mode}: {after}");
        // Requests outside the case start a fresh program.
        assert_eq!(hex::encode(digest(&provider).unwrap())[..8], *"3a985da7");
    }
}

#[test]
fn missing_programs_are_named_with_the_remedy() {
    let find = |text: &str| Program::find(&LibrarySpec::worker(text).unwrap(), now);
    let text = find("no-such-worker").err().unwrap().to_string();
    assert!(text.contains("no worker no-such-worker in") && text.contains("make workers"), "{text}");
    let text = find("/no/such/program").and_then(open).unwrap_err().to_string();
    assert!(text.starts_with("/no/such/program cannot be started: "), "{text}");
    assert!(find("../etc").is_ok_and(|program| program.name() == "etc"));
    assert!(find(".hidden").is_err());
}

/// Starts a worker behind a socket. The worker serves one connection: it sends `first` without a request, then one of
/// `answers` for each request.
fn behind_a_socket(folder: &Path, first: (&str, &str), answers: &[(&str, &[&str])]) -> Program {
    let path = folder.join("socket");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let (first, answers) = (
        (first.0.to_owned(), first.1.to_owned()),
        answers
            .iter()
            .map(|(verb, fields)| ((*verb).to_owned(), fields.iter().map(|field| (*field).to_owned()).collect()))
            .collect::<Vec<(String, Vec<String>)>>(),
    );
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        frame::send(&mut stream, &first.0, &[first.1.as_bytes()]).unwrap();
        for (verb, fields) in answers {
            if frame::receive(&mut stream).unwrap().is_none() {
                return;
            }
            let fields: Vec<&[u8]> = fields.iter().map(String::as_bytes).collect();
            frame::send(&mut stream, &verb, &fields).unwrap();
        }
        while let Ok(Some(_)) = frame::receive(&mut stream) {}
    });
    Program::new("behind", path, Vec::new(), Limits { hello: SHORT, answer: SHORT, now })
}

const SHORT: Duration = Duration::from_secs(1);
const HELLO: (&str, &[&str]) = ("ok", &["1", "python", "3", "mine", "none"]);

#[test]
fn workers_behind_sockets_report_their_process() {
    let folder = tempfile::tempdir().unwrap();
    // A thread of this process serves the connection, so the worker's process id is our own.
    let id = std::process::id();
    let answers: [(&str, &[&str]); 6] = [
        HELLO,
        ("ok", &["function f inputs=2 verified=no", "function g"]),
        ("ok", &[]),
        ("ok", &["1234"]),
        ("ok", &["1", "unchecked"]),
        ("ended", &["signal 9"]),
    ];
    let (provider, _) = open(behind_a_socket(folder.path(), ("process", &id.to_string()), &answers)).unwrap();
    let functions: Vec<_> = provider.functions.iter().map(|it| (it.name.as_str(), it.inputs, it.verified)).collect();
    assert_eq!(functions, [("f", 2, false), ("g", 1, true)]);
    let remote = provider.remote.as_ref().unwrap();
    let mut case = remote.prepare("call", "f", &[Vec::new(), Vec::new()]).unwrap();
    assert_eq!(case.process(), Some(id));
    assert_eq!(case.visit(1, 1).unwrap(), 1234);
    assert_eq!(case.answers().unwrap(), [(1, vec![b"unchecked".to_vec()])]);
    let error = case.visit(0, 1).unwrap_err().to_string();
    assert!(error.contains("the program ended: signal 9"), "{error}");
}

#[test]
fn rejects_sockets_without_a_process_and_ones_that_hang() {
    let id = std::process::id().to_string();
    for (first, answers, words) in [
        (("process", "0"), &[HELLO][..], "the program's first message is not a process id"),
        (("process", "x"), &[HELLO], "the program's first message is not a process id"),
        (("hello", "1"), &[HELLO], "the program's first message is not a process id"),
        (("process", id.as_str()), &[], "no answer within 1 s, so pqlab stopped the program"),
        (("process", id.as_str()), &[HELLO], "no answer within 1 s, so pqlab stopped the program"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let error = open(behind_a_socket(folder.path(), first, answers)).unwrap_err().to_string();
        assert!(error.contains(words), "{first:?}: {error}");
    }
}
