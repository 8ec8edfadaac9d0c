//! Circuit handshakes on the command line: the relay as a process of its own, and what is measured over sockets.

#![allow(clippy::unwrap_used)]

mod common;

use common::Pqlab;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

#[test]
fn a_relay_says_where_it_listens_answers_and_ends_on_a_signal() {
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
    // Its descriptor: identity and onion key.
    stream.write_all(&[0xff, 0, 0, 0]).unwrap();
    let mut answer = [0; 54];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!((&answer[..2], &answer[2..22]), ([0, 52].as_slice(), b"pqlab's own relay...".as_slice()));
    drop(stream);
    assert!(std::process::Command::new("kill").arg(relay.id().to_string()).status().unwrap().success());
    let mut said = String::new();
    relay.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(relay.wait().unwrap().code().is_some(), "it ends by itself");
    assert!(said.contains("0 handshakes answered"), "{said}");
}

#[test]
fn handshakes_are_exchanged_over_sockets_and_shown() {
    let pqlab = Pqlab::new();
    let arguments = ["run", "ntor", "--over", "tcp", "--provider", "aws-lc", "--processes", "2", "--max-time", "0.1"];
    let output = pqlab.command(&arguments).arg("--no-progress").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("exchange[over=tcp,connection=fresh]"), "{text}");
    assert!(text.contains("over loopback sockets"), "{text}");
    let shown = pqlab.command(&["show", "last", "--link", "fast"]).output().unwrap();
    assert_eq!(shown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&shown.stderr).contains("100M"), "how to write it");
}

#[test]
fn several_cores_are_measured_and_the_tables_answer_what_is_asked() {
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
        ["Threads: throughput against one thread", "Load: tasks through a thread pool", "64 cores (extrapolated)"]
    {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    let several = std::thread::available_parallelism().unwrap().get() > 1;
    assert_eq!(shown.contains("2 cores (measured)"), several, "{shown}");
    let asked = ["--circuits-per-second", "200", "--link", "2M", "--rtt", "300"];
    for format in ["markdown", "latex"] {
        let file = pqlab.expect(0, &[&["export", "last", "--format", format][..], &asked].concat());
        let file = file.replace(r"\allowbreak{}", "");
        for words in ["at 200 circuits a second", "at 2.00 Mbit/s", "round trip of 300 ms", "against classical ntor"] {
            assert!(file.contains(words) && shown.contains(words), "{words} in {format}: {file}");
        }
        assert!(file.contains("NOT measured here") && file.contains("doi:10.1145/3372297.3423350"), "{format}: {file}");
    }
    for wrong in [["--link", "fast"], ["--rtt", "-1"], ["--circuits-per-second", "0"]] {
        let arguments = [&["export", "last", "--format", "markdown"][..], &wrong].concat();
        assert_eq!(pqlab.run(&arguments).status.code(), Some(2), "{wrong:?}");
    }
}
