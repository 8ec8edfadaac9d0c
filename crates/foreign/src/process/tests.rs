//! Programs that go wrong: each is one clear error, none is waited for longer than its limit, and the next request has a fresh one.

use super::*;
use pqlab_primitives::{Error, Provider};
use pqlab_testing::{Need, program, require};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Speaks the protocol; what goes wrong replaces `digest` or `visit`.
const WORKER: &str = r#"
import os, struct, sys, time, hashlib
MODE = sys.argv[1]
def read(n):
    data = sys.stdin.buffer.read(n)
    if len(data) < n: sys.exit(0)
    return data
def send(*fields):
    body = b"".join(struct.pack(">I", len(f)) + f for f in (f.encode() if isinstance(f, str) else f for f in fields))
    sys.stdout.buffer.write(struct.pack(">I", len(body)) + body); sys.stdout.buffer.flush()
def wrong(at):
    if MODE == at + "-hangs": time.sleep(100)
    if MODE == at + "-crashes": sys.stderr.write("some words\nthe last words\n"); sys.stderr.flush(); os._exit(7)
    if MODE == at + "-garbage": sys.stdout.buffer.write(b"Segmentation fault\n"); sys.stdout.buffer.flush()
    if MODE == at + "-long": sys.stdout.buffer.write(b"\xff" * 8); sys.stdout.buffer.flush()
    if MODE == at + "-half": sys.stdout.buffer.write(b"\0\0\0\x10\0"); sys.stdout.buffer.flush(); os._exit(0)
    if MODE == at + "-shouts": send("LOUD")
    if MODE == at + "-silent": send("error")
cases = {}
while True:
    body = read(struct.unpack(">I", read(4))[0]); fields = []
    while body: n = struct.unpack(">I", body[:4])[0]; fields.append(body[4:4+n]); body = body[4+n:]
    verb = fields[0].decode(); wrong(verb)
    if verb == "hello": send("ok", "2" if MODE == "version" else "1", "python", "3", "hashlib", "none")
    elif verb == "list":
        if MODE == "exchange": send("ok", "kem X25519 encodings=scalar coins=keygen,operation"); continue
        send("ok", "hash SHA3-256", "hash NO-SUCH", *(["hash SHA3-256"] if MODE == "twice" else []), *(["dance"] if MODE == "dance" else []),
             *(["key-agreement X25519"] if MODE == "agrees" else []))
    elif verb == "call" and MODE == "exchange":
        found = kem(*fields[1:]); send("ok", *found) if found else send("error", "the secret is all zero")
    elif verb == "call":
        digest = hashlib.sha3_256(fields[3]).digest()
        if MODE == "short": digest = digest[:31]
        if MODE == "lacks": send("unsupported", "not today")
        elif MODE == "refuses": send("error", "not this message")
        else: send("ok", digest)
    elif verb == "prepare": cases[fields[1]] = fields[5:]; send("ok")
    elif verb == "visit":
        first, n = int(fields[2]), int(fields[3]); t = time.perf_counter_ns()
        for _ in range(n): hashlib.sha3_256(cases[fields[1]][0]).digest()
        send("ok", "soon" if MODE == "visit-words" else str(time.perf_counter_ns() - t))
    elif verb == "answers":
        send("ok", "7" if MODE == "answers-other" else "0", hashlib.sha3_256(cases[fields[1]][0]).digest())
    elif verb == "release": del cases[fields[1]]; send("ok")
    else: send("unsupported", "what?")
"#;

/// X25519 by RFC 7748, section 5: `EXCHANGE(scalar, point)`.
const EXCHANGE: &str = r#"
import os
P = 2**255 - 19
def EXCHANGE(scalar, point):
    k = int.from_bytes(scalar, "little") & ~7 & ~(1 << 255) | 1 << 254
    u = int.from_bytes(point, "little") & ~(1 << 255)
    a, b, c, d, swapped = 1, 0, u, 1, 0
    for t in reversed(range(255)):
        if k >> t & 1 != swapped: a, b, c, d, swapped = c, d, a, b, 1 - swapped
        A, B = (a + b) ** 2 % P, (a - b) ** 2 % P; E = A - B
        da, cb = (c - d) * (a + b), (c + d) * (a - b)
        c, d = (da + cb) ** 2 % P, u * (da - cb) ** 2 % P
        a, b = A * B % P, E * (A + 121665 * E) % P
    if swapped: a, b = c, d
    return (a * pow(b, P - 2, P) % P).to_bytes(32, "little")
BASE = bytes([9]) + bytes(31)
def kem(operation, algorithm, *given):
    if operation == b"keygen":
        sk = given[0] or os.urandom(32)
        return EXCHANGE(sk, BASE), sk
    if operation == b"encapsulate":
        e = given[1] or os.urandom(32)
        found = EXCHANGE(e, BASE), EXCHANGE(e, given[0])
    else:
        assert given[0] == b"scalar"
        found = EXCHANGE(given[1], given[2]),
    return None if not any(found[-1]) else found
"#;

/// A clock of the tests' own.
fn now() -> u64 {
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    u64::try_from(BEGUN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap()
}

fn odd(folder: &Path, mode: &str) -> Program {
    let script = folder.join("worker.py");
    fs::write(&script, [EXCHANGE, WORKER].concat()).unwrap();
    let limits = Limits { hello: Duration::from_secs(10), answer: Duration::from_secs(1), now };
    let arguments = vec![script.display().to_string(), mode.to_owned()];
    Program::new("odd", "python3".into(), arguments, limits)
}

fn provider(mode: &str) -> Result<Provider, ProcessError> {
    let folder = tempfile::tempdir().unwrap();
    open(odd(folder.path(), mode))
}

fn digest(provider: &Provider) -> Result<Vec<u8>, Error> {
    let mut out = vec![0; 32];
    provider.hash("SHA3-256").unwrap().digest(b"abc", &mut out).map(|()| out)
}

#[test]
fn what_a_program_lists_is_a_provider() {
    require!(program("python3"), Need::Installed("Python"));
    let provider = provider("right").unwrap();
    assert_eq!((provider.id().as_str(), provider.build_info.version.as_str()), ("odd", "hashlib"));
    assert_eq!(provider.build_info.build, "python: 3");
    assert_eq!(hex::encode(digest(&provider).unwrap())[..8], *"3a985da7");
    assert_eq!(provider.unsupported[0].algorithm, "NO-SUCH");
    let remote = provider.remote.as_ref().unwrap();
    let mut case = remote.prepare("digest", "SHA3-256", &[vec![b"abc".to_vec()]]).unwrap();
    let begun = Instant::now();
    let said = case.visit(0, 1000).unwrap();
    assert!(u128::from(said) <= begun.elapsed().as_nanos());
    assert_eq!(case.answers().unwrap(), [(0, vec![digest(&provider).unwrap()])]);
}

#[test]
fn an_x25519_is_a_kem_and_a_key_agreement() {
    require!(program("python3"), Need::Installed("Python"));
    let folder = tempfile::tempdir().unwrap();
    let provider = open(odd(folder.path(), "exchange")).unwrap();
    // Keys of RFC 7748, section 6.1, by both; a key is loaded and asked for its public half.
    let known = pqlab_verification::known_answers::check(&provider, "X25519").unwrap();
    assert!(matches!(known, pqlab_verification::known_answers::KnownAnswer::Checked(count) if count >= 8), "{known:?}");
    let agreement = provider.key_agreement("X25519").unwrap();
    assert!(agreement.info().exact_coins);
    let (mut public, mut secret) = ([0; 32], [0; 32]);
    let key = agreement.generate(pqlab_primitives::Coins::Internal).unwrap();
    key.public_key(&mut public).unwrap();
    assert!(matches!(key.agree(&[0; 32], &mut secret), Err(Error::Library { call: "decapsulate", .. })));
    assert!(matches!(key.agree(&[9; 31], &mut secret), Err(Error::Length { what: "public key", .. })));
    let kem = provider.kem("X25519").unwrap();
    let (mut ciphertext, mut sent) = ([0; 32], [0; 32]);
    let recipient = kem.load_encapsulation_key(&public).unwrap();
    recipient.encapsulate(pqlab_primitives::Coins::Internal, &mut ciphertext, &mut sent).unwrap();
    key.agree(&ciphertext, &mut secret).unwrap();
    assert_eq!(sent, secret);
}

#[test]
fn a_program_that_greets_or_lists_wrongly_is_no_provider() {
    require!(program("python3"), Need::Installed("Python"));
    for (mode, words) in [
        ("version", "its greeting is none of version 1"),
        ("twice", "its list has SHA3-256 twice"),
        ("dance", "the kind is none of"),
        ("agrees", "the kind is none of kem, signature, hash"),
        ("list-crashes", "exit status: 7: the last words"),
        ("list-garbage", "it does not answer with a message"),
        ("hello-half", "it does not answer with a message"),
        ("list-hangs", "no answer in 1 s, it was ended"),
    ] {
        let error = provider(mode).unwrap_err().to_string();
        assert!(error.starts_with("worker odd: ") && error.contains(words), "{mode}: {error}");
    }
}

#[test]
fn what_goes_wrong_in_a_call_is_an_error_within_the_limit() {
    require!(program("python3"), Need::Installed("Python"));
    for (mode, words) in [
        ("call-hangs", "no answer in 1 s, it was ended"),
        ("call-crashes", "it ended: exit status: 7: the last words"),
        ("call-garbage", "it does not answer with a message: a message of 1399154541 bytes"),
        ("call-long", "a message of 4294967295 bytes"),
        ("call-half", "the stream ends inside a message"),
        ("call-shouts", "the first field of a message is not a verb"),
        ("call-silent", "is none of the protocol"),
        ("short", "a wrong number or length of outputs"),
        ("refuses", "not this message"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let provider = open(odd(folder.path(), mode)).unwrap();
        // The second time it is a fresh one that goes wrong in the same way.
        for _ in 0..2 {
            let begun = Instant::now();
            let error = digest(&provider).unwrap_err();
            assert!(matches!(error, Error::Library { call: "digest", .. }), "{mode}: {error}");
            assert!(error.to_string().contains(words), "{mode}: {error}");
            assert!(begun.elapsed() < Duration::from_secs(30), "{mode}");
        }
    }
    let lacks = provider("lacks").unwrap();
    assert_eq!(digest(&lacks), Err(Error::Unsupported("the worker does not offer this")));
}

#[test]
fn a_case_does_not_outlive_its_program() {
    require!(program("python3"), Need::Installed("Python"));
    for (mode, words) in [
        ("visit-hangs", "no answer in 1 s, it was ended"),
        ("visit-crashes", "exit status: 7: the last words"),
        ("visit-words", "its visit is not answered with a time"),
        ("visit-garbage", "it does not answer with a message"),
        ("answers-other", "its answers are not those of a visit"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let provider = open(odd(folder.path(), mode)).unwrap();
        let remote = provider.remote.as_ref().unwrap();
        let mut case = remote.prepare("digest", "SHA3-256", &[vec![b"abc".to_vec()]]).unwrap();
        let error = case.visit(0, 10).and_then(|_| case.answers().map(drop)).unwrap_err().to_string();
        assert!(error.contains(words), "{mode}: {error}");
        let after = case.visit(0, 10).unwrap_err().to_string();
        assert!(after.contains("prepared before"), "{mode}: {after}");
        // Everything else goes on with a fresh one.
        assert_eq!(hex::encode(digest(&provider).unwrap())[..8], *"3a985da7");
    }
}

#[test]
fn what_is_not_there_is_named_with_the_remedy() {
    let text = Program::find("no-such-worker", now).err().unwrap().to_string();
    assert!(text.contains("no worker no-such-worker in") && text.contains("make workers"), "{text}");
    let text = Program::find("/no/such/program", now).and_then(open).unwrap_err().to_string();
    assert!(text.starts_with("/no/such/program cannot be started: "), "{text}");
    assert!(Program::find("../etc", now).is_ok_and(|program| program.name() == "etc"));
}
