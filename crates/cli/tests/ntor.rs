//! Tests circuit handshakes on the command line: the relay as a separate process, and measurements over sockets.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Output, Stdio};

#[test]
fn a_relay_prints_its_address_answers_and_ends_on_a_signal() {
    let pqlab = Pqlab::new();
    let mut relay = pqlab
        .command(&["ntor-relay", "--provider", "rustcrypto"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(relay.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let address = first.trim().strip_prefix("listening at ").unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    // Request the relay's descriptor: its identity and onion key.
    stream.write_all(&[0xff, 0, 0, 0]).unwrap();
    let mut answer = [0; 54];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!((&answer[..2], &answer[2..22]), ([0, 52].as_slice(), b"pqlab's own relay...".as_slice()));
    drop(stream);
    assert!(std::process::Command::new("kill").arg(relay.id().to_string()).status().unwrap().success());
    let mut printed = String::new();
    relay.stderr.take().unwrap().read_to_string(&mut printed).unwrap();
    assert!(relay.wait().unwrap().code().is_some(), "the relay must exit");
    assert!(printed.contains("handshakes answered: 0;"), "{printed}");
}

#[test]
fn handshakes_are_exchanged_over_sockets_and_shown() {
    let pqlab = Pqlab::new();
    let arguments = ["run", "ntor", "--over", "tcp", "--provider", "aws-lc", "--processes", "2", "--max-time", "0.1"];
    let output = pqlab.command(&arguments).arg("--no-progress").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = text(&output.stdout);
    assert!(text.contains("exchange[over=tcp,connection=fresh]"), "{text}");
    assert!(text.contains("over loopback sockets"), "{text}");
    let shown = pqlab.command(&["show", "last", "--link", "fast"]).output().unwrap();
    assert_eq!(shown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&shown.stderr).contains("100M"), "the error must show a valid speed");
}

#[test]
fn several_cores_are_measured_and_tables_follow_the_options() {
    let pqlab = Pqlab::new();
    let arguments =
        ["run", "ntor", "--provider", "aws-lc", "--algorithm", "ntor-v1", "--algorithm", "kem-only-mlkem512"];
    let short = ["--threads", "1,2", "--tasks", "20", "--processes", "2", "--max-time", "0.05", "--no-progress"];
    let text = pqlab.expect(0, &[&arguments[..], &short].concat());
    for id in ["kem-only-mlkem512 reply[threads=2]", "ntor-v1 handshake-load[tasks=20,"] {
        assert!(text.contains(id), "{id} in {text}");
    }
    let shown = pqlab.expect(0, &["show", "last", "--circuits-per-second", "200", "--link", "2M", "--rtt", "300"]);
    for words in
        ["Threads: throughput relative to one thread", "Load: tasks in a thread pool", "64 cores (extrapolated)"]
    {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    let several = std::thread::available_parallelism().unwrap().get() > 1;
    assert_eq!(shown.contains("2 cores (measured)"), several, "{shown}");
    let scenario = ["--circuits-per-second", "200", "--link", "2M", "--rtt", "300"];
    for format in ["markdown", "latex"] {
        let file = pqlab.expect(0, &[&["export", "last", "--format", format][..], &scenario].concat());
        let file = file.replace(r"\allowbreak{}", "");
        for words in
            ["at 200 circuits per second", "at 2 Mbit/s", "round trip of 300 ms", "compared with classical ntor"]
        {
            assert!(file.contains(words) && shown.contains(words), "{words} in {format}: {file}");
        }
        assert!(file.contains("NOT measured here") && file.contains("doi:10.1145/3372297.3423350"), "{format}: {file}");
    }
    for wrong in [["--link", "fast"], ["--rtt", "-1"], ["--circuits-per-second", "0"]] {
        let arguments = [&["export", "last", "--format", "markdown"][..], &wrong].concat();
        assert_eq!(pqlab.run(&arguments).status.code(), Some(2), "{wrong:?}");
    }
}

/// Relay process, with the output that it prints before it waits for clients. The process is killed when dropped.
struct Running {
    process: Child,
    address: String,
    printed: String,
}

impl Running {
    fn new(pqlab: &Pqlab, keys: &str) -> Running {
        let arguments = ["ntor-relay", "--provider", "rustcrypto", "--keys", keys];
        let mut process = pqlab.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap());
        let mut printed = String::new();
        while !printed.contains("ntor-client") {
            assert!(lines.read_line(&mut printed).unwrap() > 0, "{printed}");
        }
        let address = printed.lines().next().unwrap().strip_prefix("listening at ").unwrap().to_owned();
        Running { process, address, printed }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

fn message(output: &Output) -> String {
    text(&output.stderr)
}

#[test]
fn a_client_makes_every_handshake_with_a_relay() {
    let pqlab = Pqlab::new();
    let keys = pqlab.path("relay.json").to_str().unwrap().to_owned();
    let relay = Running::new(&pqlab, &keys);
    let line =
        |begin: &str| relay.printed.lines().find(|line| line.trim_start().starts_with(begin)).unwrap().to_owned();
    let word = |line: &str, at: usize| line.split_whitespace().nth(at).unwrap().to_owned();
    let (identity, onion_key) = (word(&line("identity"), 1), word(&line("onion key"), 2));
    assert_eq!((identity.len(), onion_key.len()), (40, 64));
    assert!(line("ntor-v1").contains("0002") && line("ntor-v1").contains("84"), "{}", relay.printed);
    assert!(line("descriptor").contains("ff00"), "{}", relay.printed);
    let given = ["--identity", &identity, "--onion-key", &onion_key];
    for (handshake, name, each) in [
        ("ntor", "ntor-v1", "(88 and 66 per handshake)"),
        ("kem-only", "kem-only-mlkem768", "(1208 and 1122 per handshake)"),
        ("hybrid", "ntor-x25519-mlkem768", "(1272 and 1154 per handshake)"),
        ("ntor-x25519-mlkem512", "ntor-x25519-mlkem512", "(888 and 834 per handshake)"),
    ] {
        for how in [&["--keys", &keys][..], &given, &[]] {
            let arguments = [&["ntor-client", &relay.address, "--handshake", handshake, "--count", "3"], how].concat();
            let done = pqlab.expect(0, &arguments);
            assert!(done.starts_with(&format!("{name}: completed 3 handshakes")) && done.contains(each), "{done}");
            assert_eq!(done.contains("the relay is not authenticated"), handshake == "kem-only", "{done}");
        }
    }
}

#[test]
fn a_client_detects_the_wrong_relay() {
    let pqlab = Pqlab::new();
    let keys = pqlab.path("relay.json").to_str().unwrap().to_owned();
    let relay = Running::new(&pqlab, &keys);
    let given = std::fs::read_to_string(&keys).unwrap();
    let given: serde_json::Value = serde_json::from_str(&given).unwrap();
    let [identity, onion_key] = ["identity", "onion_key"].map(|key| given[key].as_str().unwrap().to_owned());
    let other = |hex: &str| hex.replace(|character: char| character != '0', "1");
    for (identity, onion_key) in [(other(&identity), onion_key.clone()), (identity.clone(), other(&onion_key))] {
        for handshake in ["ntor", "hybrid"] {
            let arguments = ["ntor-client", &relay.address, "--handshake", handshake, "--identity", &identity];
            let output = pqlab.run(&[&arguments[..], &["--onion-key", &onion_key]].concat());
            assert_eq!(output.status.code(), Some(1), "{}", message(&output));
            assert!(
                message(&output).contains("a different identity or onion key") && output.stdout.is_empty(),
                "{}",
                message(&output)
            );
        }
    }
    // An impostor knows the relay's public keys, but not the private key. Only its first answer has
    // the right length.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let impostor = std::thread::spawn(move || {
        for answer in [vec![9; 64], vec![9; 63], Vec::new()] {
            let (mut stream, _) = listener.accept().unwrap();
            stream.read_exact(&mut [0; 88]).unwrap();
            stream.write_all(&(answer.len() as u16).to_be_bytes()).unwrap();
            stream.write_all(&answer).unwrap();
        }
        // Finally, read the request but do not answer until the client gives up.
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
    });
    for reason in ["authenticator does not verify", "unexpected length", "unexpected length", "no answer within 0.5 s"]
    {
        let arguments = ["ntor-client", &address, "--handshake", "ntor", "--keys", &keys, "--timeout", "0.5"];
        let output = pqlab.run(&arguments);
        assert_eq!(output.status.code(), Some(1), "{}", message(&output));
        assert!(message(&output).contains(reason), "{}", message(&output));
    }
    impostor.join().unwrap();
}

#[test]
fn a_client_that_cannot_start_gives_the_reason_in_one_line() {
    let pqlab = Pqlab::new();
    // Address of a free port, where nothing listens.
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let bad = common::write(&pqlab.path("bad.json"), "{\"schema\": \"pqlab-relay/1\"}");
    for (arguments, reason) in [
        (&[nobody.as_str()][..], "no relay answers at"),
        (&["nowhere"], "invalid address"),
        (&[nobody.as_str(), "--handshake", "ntor-v2"], "did you mean \"ntor-v1\""),
        (&[nobody.as_str(), "--provider", "keccak"], "pqlab list providers"),
        (&[nobody.as_str(), "--keys", &bad], "bad.json: "),
        (&[nobody.as_str(), "--keys", "nothing.json"], "nothing.json: "),
        (&[nobody.as_str(), "--identity", "00"], "20 bytes in hexadecimal"),
        (&[nobody.as_str(), "--count", "0"], "--count"),
    ] {
        let output = pqlab.run(&[&["ntor-client"][..], arguments].concat());
        let printed = message(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {printed}");
        assert!(printed.contains(reason) && printed.lines().count() == 1, "{arguments:?}: {printed}");
    }
}
