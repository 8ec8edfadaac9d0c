use super::{header, new_store};
use crate::{Store, StoreError};

fn store_of(runs: &[(&str, &str)]) -> (tempfile::TempDir, Store) {
    let (folder, mut store) = new_store();
    for (id, started_at) in runs {
        let mut header = header(id, 1);
        header.started_at = (*started_at).into();
        store.begin_run(&header).unwrap();
    }
    (folder, store)
}

#[test]
fn runs_are_listed_from_the_newest() {
    let (_folder, store) = store_of(&[
        ("c", "2026-11-21T19:00:01Z"),
        ("a", "2026-11-21T19:00:00.25Z"),
        ("b", "2026-11-21T19:00:00Z"),
        ("d", "2026-11-21T19:00:01Z"),
    ]);
    let ids: Vec<String> = store.runs().unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(ids, ["d", "c", "a", "b"]);
    let resolved = |reference| store.resolve(reference).unwrap();
    assert_eq!([resolved("last"), resolved("last~0"), resolved("last~1"), resolved("last~3")], ["d", "d", "c", "b"]);
    assert_eq!(store.last_incomplete().unwrap().as_deref(), Some("d"));
}

#[test]
fn a_unique_prefix_is_enough() {
    let time = "2026-11-21T19:00:00Z";
    let (_folder, store) = store_of(&[("20261121-a", time), ("20261121-ab", time), ("2025%", time)]);
    assert_eq!(store.resolve("20261121-ab").unwrap(), "20261121-ab");
    assert_eq!(store.resolve("20261121-a").unwrap(), "20261121-a", "a full id must win over a prefix");
    assert_eq!(store.resolve("2025").unwrap(), "2025%");
    let ambiguous = store.resolve("2026").unwrap_err().to_string();
    assert_eq!(ambiguous, r#""2026" matches 2 runs: 20261121-ab, 20261121-a"#);
    for unknown in ["", "%", "lasting", "last~", "last~x", "last~-1", "20261121-abc"] {
        assert!(matches!(store.resolve(unknown), Err(StoreError::UnknownRun { .. })), "{unknown}");
    }
    let beyond = store.resolve("last~3").unwrap_err().to_string();
    assert_eq!(beyond, r#"no run "last~3" (stored runs: 3)"#);
}

#[test]
fn shortens_long_lists_of_candidates() {
    let ids: Vec<String> = (10..30).map(|number| format!("run-{number}")).collect();
    let runs: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "2026-11-21T19:00:00Z")).collect();
    let (_folder, store) = store_of(&runs);
    let message = store.resolve("run").unwrap_err().to_string();
    assert!(message.contains("20 runs: run-29,") && message.ends_with("run-22, and 12 more"), "{message}");
}
