//! What `fastest` stands for, in words.

use crate::number::time;
use crate::text::neutral;
use pqlab_record::Fastest;

/// What `fastest` stands for, by what, by how much, and among which: `fastest for X-Wing by handshake: aws-lc+liboqs, 74.2 µs;
/// then aws-lc, 77.9 µs (of 4 candidates: classical half of aws-lc, openssl, post-quantum half of aws-lc, liboqs)`. Those that
/// failed or have a known defect are named with the reason.
pub fn fastest_line(found: &Fastest) -> String {
    let asked = match found.asked.as_str() {
        "fastest+fastest" => String::new(),
        other => format!(" ({other})"),
    };
    let after = match &found.runner_up {
        Some(next) => format!("then {}, {}", next.provider, time(next.ns)),
        None => "no other can".to_owned(),
    };
    let failed: String =
        found.failed.iter().map(|one| format!("; {} not chosen: {}", one.provider, one.reason)).collect();
    let (construction, operations) = (&found.construction, found.operations.join(" + "));
    let chosen = format!("{}, {}; {after}", found.provider, time(found.ns));
    neutral(&format!(
        "fastest for {construction} by {operations}{asked}: {chosen} (of {} candidates{}){failed}",
        found.candidates,
        among(&found.among)
    ))
}

/// The libraries among which it was chosen: of pairs those of either half.
fn among(candidates: &[String]) -> String {
    let halves = |candidate: &String| match candidate.split_once('+') {
        Some((classical, post_quantum)) => [classical.to_owned(), post_quantum.to_owned()],
        None => [candidate.clone(), candidate.clone()],
    };
    let mut libraries: [Vec<String>; 2] = Default::default();
    for (of, half) in candidates.iter().flat_map(|candidate| [0, 1].into_iter().zip(halves(candidate))) {
        if !libraries[of].contains(&half) {
            libraries[of].push(half);
        }
    }
    let [classical, post_quantum] = libraries.map(|libraries| libraries.join(", "));
    match candidates.iter().any(|candidate| candidate.contains('+')) {
        true => format!(": classical half of {classical}, post-quantum half of {post_quantum}"),
        false if classical.is_empty() => String::new(),
        false => format!(": {classical}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::{FailedCandidate, RunnerUp};

    #[test]
    fn it_is_said_with_its_runner_up_and_what_failed() {
        let mut found = Fastest {
            construction: "X-Wing".into(),
            asked: "fastest+fastest".into(),
            operations: vec!["handshake".into()],
            provider: "a+b".into(),
            ns: 74_200.0,
            runner_up: Some(RunnerUp { provider: "a".into(), ns: 77_900.0 }),
            candidates: 3,
            among: Vec::new(),
            failed: vec![FailedCandidate { provider: "c".into(), reason: "the worker was killed by SIGSEGV".into() }],
        };
        assert_eq!(
            fastest_line(&found),
            "fastest for X-Wing by handshake: a+b, 74.2 µs; then a, 77.9 µs (of 3 candidates); c not chosen: the worker was \
             killed by SIGSEGV"
        );
        (found.asked, found.runner_up, found.failed) = ("fastest+b".into(), None, Vec::new());
        assert_eq!(
            fastest_line(&found),
            "fastest for X-Wing by handshake (fastest+b): a+b, 74.2 µs; no other can (of 3 candidates)"
        );
        found.among = ["a", "a+b", "c+b"].map(String::from).to_vec();
        let line = fastest_line(&found);
        assert!(line.ends_with("(of 3 candidates: classical half of a, c, post-quantum half of a, b)"), "{line}");
        found.among = ["a", "b", "c"].map(String::from).to_vec();
        assert!(fastest_line(&found).ends_with("(of 3 candidates: a, b, c)"), "without a second half");
    }
}
