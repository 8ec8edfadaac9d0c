//! What `fastest` stands for, in words.

use crate::number::time;
use crate::text::neutral;
use pqlab_record::Fastest;

/// What `fastest` stands for, by what, and by how much: `fastest for X-Wing by handshake: aws-lc+liboqs, 74.2 µs; then aws-lc,
/// 77.9 µs (of 12 candidates)`. Those that failed are named with the reason.
pub fn fastest_line(found: &Fastest) -> String {
    let asked = match found.asked.as_str() {
        "fastest+fastest" => String::new(),
        other => format!(" ({other})"),
    };
    let after = match &found.runner_up {
        Some(next) => format!("then {}, {}", next.provider, time(next.ns)),
        None => "no other can".to_owned(),
    };
    let failed: String = found.failed.iter().map(|one| format!("; {} failed: {}", one.provider, one.reason)).collect();
    let (construction, operations) = (&found.construction, found.operations.join(" + "));
    let chosen = format!("{}, {}; {after}", found.provider, time(found.ns));
    neutral(&format!(
        "fastest for {construction} by {operations}{asked}: {chosen} (of {} candidates){failed}",
        found.candidates
    ))
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
            failed: vec![FailedCandidate { provider: "c".into(), reason: "the worker was killed by SIGSEGV".into() }],
        };
        assert_eq!(
            fastest_line(&found),
            "fastest for X-Wing by handshake: a+b, 74.2 µs; then a, 77.9 µs (of 3 candidates); c failed: the worker was \
             killed by SIGSEGV"
        );
        (found.asked, found.runner_up, found.failed) = ("fastest+b".into(), None, Vec::new());
        assert_eq!(
            fastest_line(&found),
            "fastest for X-Wing by handshake (fastest+b): a+b, 74.2 µs; no other can (of 3 candidates)"
        );
    }
}
