//! Tests TLS over TCP on the command line, over loopback and over links between network namespaces of the workers.

#![allow(clippy::unwrap_used)]

mod common;

use common::Pqlab;
use pqlab_testing::{Need, not_run};
use serde_json::Value;

/// Runs `pqlab run tls` with these arguments. Returns the JSON document, or `None` if this machine cannot create
/// networks.
fn run(words: &str) -> Option<Value> {
    let lab = Pqlab::new();
    let arguments: Vec<&str> =
        ["run", "tls", "--no-progress", "--quiet", "--out", "-"].into_iter().chain(words.split(' ')).collect();
    let output = lab.command(&arguments).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(2) && printed.contains("namespace") {
        not_run(Need::Machine("network namespaces and TUN devices"));
        return None;
    }
    assert_eq!(output.status.code(), Some(0), "{printed}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn of_tls(document: &Value) -> Vec<&Value> {
    document["results"]["tls"].as_array().unwrap().iter().collect()
}

#[test]
fn a_link_measures_the_given_number_of_connections_and_nothing_else() {
    let Some(document) = run(
        "--rtt 3 --loss 1% --handshakes 13 --processes 2 --provider rustls --filter tls/X25519/connect[auth=ECDSA-P-256,chain=1,over=*",
    ) else {
        return;
    };
    let results = of_tls(&document);
    let [result] = &results[..] else { panic!("{results:#?}") };
    assert_eq!(result["id"], "tls/X25519/connect[auth=ECDSA-P-256,chain=1,over=tcp,rtt=3ms,loss=1%]@rustls");
    assert_eq!((&result["verified"], &result["n"]), (&Value::Bool(true), &Value::from(13)));
    assert_eq!(document["harness"]["handshakes"], 13);
    let table = &document["tables"]["tls-connections"];
    assert_eq!(table["rows"].as_array().map(Vec::len), Some(1));
}

#[test]
fn connections_over_loopback_are_measured_by_the_usual_rules() {
    let words =
        "--quick --over tcp --algorithm X25519MLKEM768 --provider openssl --filter *auth=ECDSA-P-256,chain=1,over=tcp*";
    let Some(document) = run(words) else { return };
    let results = of_tls(&document);
    let [result] = &results[..] else { panic!("{results:#?}") };
    assert_eq!(result["id"], "tls/X25519MLKEM768/connect[auth=ECDSA-P-256,chain=1,over=tcp]@openssl");
    for name in ["first_byte_ns", "client_cpu_ns", "server_cpu_ns"] {
        assert!(result["extra"].get(name).is_some(), "{name}: {}", result["extra"]);
    }
    assert!(document["harness"].get("handshakes").is_none());
}

#[test]
fn impossible_links_are_bad_usage() {
    for (words, printed) in [
        ("--network moon", "moon"),
        ("--rtt fast", "--rtt"),
        ("--rtt 10001", "rtt_ms is 10001"),
        ("--loss 101", "percentage"),
        ("--mtu 100", "mtu is 100"),
        ("--rtt 5 --handshakes 0", "handshakes must be at least 1, not 0"),
    ] {
        let arguments: Vec<&str> = ["run", "tls", "--no-progress"].into_iter().chain(words.split(' ')).collect();
        let output = Pqlab::new().command(&arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(printed), "{words}: {text}");
    }
}
