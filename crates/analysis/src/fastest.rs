//! Describes which library pqlab chose when the user requested the provider `fastest`.

use crate::number::time;
use crate::text::neutral;
use pqlab_record::Fastest;

/// Describes the choice of `fastest`: the chosen provider, the deciding operations, the runner-up and the candidates.
/// Example: `fastest for X-Wing, judged by handshake: aws-lc+liboqs, 74.2 µs; next: aws-lc, 77.9 µs (4 candidates:
/// classical half aws-lc, openssl; post-quantum half aws-lc, liboqs)`. Candidates that failed or have a known defect
/// are listed with the reason.
pub fn fastest_line(found: &Fastest) -> String {
    let choice = match found.asked.as_str() {
        "fastest+fastest" => String::new(),
        other => format!(" ({other})"),
    };
    let runner_up = match &found.runner_up {
        Some(next) => format!("next: {}, {}", next.provider, time(next.ns)),
        None => "no other candidate works".to_owned(),
    };
    let failed: String =
        found.failed.iter().map(|one| format!("; {} not chosen: {}", one.provider, one.reason)).collect();
    let (construction, operations) = (&found.construction, found.operations.join(" + "));
    let chosen = format!("{}, {}; {runner_up}", found.provider, time(found.ns));
    neutral(&format!(
        "fastest for {construction}, judged by {operations}{choice}: {chosen} ({} candidates{}){failed}",
        found.candidates,
        among(&found.among)
    ))
}

/// Lists the candidate libraries. For pairs, lists the libraries of each half.
fn among(candidates: &[String]) -> String {
    let halves = |candidate: &String| match candidate.split_once('+') {
        Some((classical, post_quantum)) => [classical.to_owned(), post_quantum.to_owned()],
        None => [candidate.clone(), candidate.clone()],
    };
    let mut libraries: [Vec<String>; 2] = Default::default();
    for (half_index, half) in candidates.iter().flat_map(|candidate| [0, 1].into_iter().zip(halves(candidate))) {
        if !libraries[half_index].contains(&half) {
            libraries[half_index].push(half);
        }
    }
    let [classical, post_quantum] = libraries.map(|libraries| libraries.join(", "));
    match candidates.iter().any(|candidate| candidate.contains('+')) {
        true => format!(": classical half {classical}; post-quantum half {post_quantum}"),
        false if classical.is_empty() => String::new(),
        false => format!(": {classical}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::{FailedCandidate, RunnerUp};

    #[test]
    fn line_names_runner_up_and_failures() {
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
            "fastest for X-Wing, judged by handshake: a+b, 74.2 µs; next: a, 77.9 µs (3 candidates); c not chosen: the \
             worker was killed by SIGSEGV"
        );
        (found.asked, found.runner_up, found.failed) = ("fastest+b".into(), None, Vec::new());
        assert_eq!(
            fastest_line(&found),
            "fastest for X-Wing, judged by handshake (fastest+b): a+b, 74.2 µs; no other candidate works (3 candidates)"
        );
        found.among = ["a", "a+b", "c+b"].map(String::from).to_vec();
        let line = fastest_line(&found);
        assert!(line.ends_with("(3 candidates: classical half a, c; post-quantum half a, b)"), "{line}");
        found.among = ["a", "b", "c"].map(String::from).to_vec();
        assert!(fastest_line(&found).ends_with("(3 candidates: a, b, c)"), "single libraries");
    }
}
