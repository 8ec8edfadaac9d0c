//! Resolves the provider name `fastest` to a pair of providers for each construction, such as the hybrid KEM `X-Wing`.
//! The fastest pair takes the least time for the measured operations. Only pairs that support everything the
//! construction needs are candidates.
//!
//! This module measures nothing itself. The caller drafts a plan with every possible pair, and selects cases from the
//! draft. The selected cases determine which [questions](Question) are open. The caller measures each question's cases
//! in worker processes, and plans again with the answers. As a result, filters also limit the candidates, and all areas
//! of a plan share one answer. If a library crashes, its pairs drop out and the run continues.

use crate::pairs::Pair;
use crate::{CaseOptions, NULL};
use pqlab_record::{Case, Fastest};

/// Provider name that requests the fastest pair.
pub const FASTEST: &str = "fastest";

/// Complete operations, which include all other operations of their construction. If such an operation is measured,
/// only its time determines the fastest pair.
const WHOLE: [&str; 2] = ["handshake", "cycle"];

/// Open question about the fastest pair of providers for a construction. Measuring [the question's cases](Self::cases)
/// gives the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Name of the construction, such as `X-Wing`.
    pub construction: String,
    /// Requested pair: `fastest+fastest`, or `fastest+liboqs` if one half was given.
    pub asked: String,
    /// Pairs to choose from, by their names in case ids.
    pub candidates: Vec<String>,
    /// Cases for the operations to measure, one per operation, each with an arbitrary pair.
    deciding: Vec<Case>,
}

impl Question {
    /// Returns the operations to time. The pair with the smallest total time for these operations is the fastest.
    pub fn operations(&self) -> Vec<String> {
        let all = || self.deciding.iter().map(|case| case.operation.clone());
        match all().find(|operation| WHOLE.contains(&operation.as_str())) {
            Some(whole) => vec![whole],
            None => all().collect(),
        }
    }

    /// Returns the cases to measure: each operation for each candidate, all in the same rounds.
    pub fn cases(&self) -> Vec<Case> {
        let operations = self.operations();
        let block = format!("fastest/{}/{}", self.construction, self.asked);
        let cases_of = |candidate: &String| {
            let deciding = self.deciding.iter().filter(|case| operations.contains(&case.operation));
            let by = |case: &Case| Case { provider: candidate.clone(), block: block.clone(), ..case.clone() };
            deciding.map(by).collect::<Vec<_>>()
        };
        self.candidates.iter().flat_map(cases_of).collect()
    }

    /// Adds the candidates and operations of `other`, a question about the same construction and requested pair.
    fn join(&mut self, other: Question) {
        for candidate in other.candidates {
            if !self.candidates.contains(&candidate) {
                self.candidates.push(candidate);
            }
        }
        for case in other.deciding {
            if self.deciding.iter().all(|known| known.operation != case.operation) {
                self.deciding.push(case);
            }
        }
    }
}

/// Adds more questions. Merges questions about the same construction and requested pair.
pub fn merge(questions: &mut Vec<Question>, more: Vec<Question>) {
    for question in more {
        let same = |known: &&mut Question| known.construction == question.construction && known.asked == question.asked;
        match questions.iter_mut().find(same) {
            Some(known) => known.join(question),
            None => questions.push(question),
        }
    }
}

/// Returns whether the options request `fastest` for either half.
pub(crate) fn is_asked(options: &CaseOptions) -> bool {
    [&options.classical, &options.post_quantum].into_iter().any(|half| half.as_deref() == Some(FASTEST))
}

/// Returns the requested pair that `pair` would satisfy, such as `fastest+liboqs`. Returns `None` if the options do not
/// request `fastest`.
fn request(options: &CaseOptions, pair: &Pair) -> Option<String> {
    let part = |wanted: &Option<String>, own: &String| match wanted.as_deref() {
        Some(FASTEST) => FASTEST.to_owned(),
        _ => own.clone(),
    };
    let both =
        || format!("{}+{}", part(&options.classical, &pair.classical), part(&options.post_quantum, &pair.post_quantum));
    is_asked(options).then(both)
}

/// Returns whether to measure a construction with the pair. If the options request `fastest`, a plan keeps only the
/// chosen pair. A draft keeps every pair that does not contain the null provider.
pub(crate) fn keeps(options: &CaseOptions, construction: &str, pair: &Pair) -> bool {
    let Some(asked) = request(options, pair) else { return true };
    // The null provider does nothing, so it must not be chosen as the fastest.
    if pair.classical == NULL || pair.post_quantum == NULL {
        return false;
    }
    let chosen =
        |choice: &Fastest| choice.construction == construction && choice.asked == asked && choice.provider == pair.id();
    options.fastest.as_ref().is_none_or(|choices| choices.iter().any(chosen))
}

/// Returns the open questions for the selected cases of a draft. `deciding` maps a selected case to the case that is
/// timed to choose its pair. It returns `None` for a case that does not affect the choice, such as a half of a hybrid.
pub(crate) fn questions(
    options: &CaseOptions,
    selected: &[Case],
    deciding: impl Fn(&Case) -> Option<Case>,
) -> Vec<Question> {
    let mut questions = Vec::new();
    for case in selected.iter().filter(|case| case.provider != NULL) {
        let Some(deciding) = deciding(case) else { continue };
        let Some(asked) = request(options, &Pair::new(case)) else { continue };
        let question = Question {
            construction: deciding.algorithm.clone(),
            asked,
            candidates: vec![case.provider.clone()],
            deciding: vec![deciding],
        };
        merge(&mut questions, vec![question]);
    }
    questions
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::Facts;

    fn case(operation: &str, provider: &str) -> Case {
        Case {
            workload: "hybrid".into(),
            algorithm: "X-Wing".into(),
            operation: operation.into(),
            provider: provider.into(),
            form: None,
            parameters: Vec::new(),
            block: format!("hybrid/kem/{operation}"),
            facts: Facts::default(),
        }
    }

    fn options(classical: &str, post_quantum: &str) -> CaseOptions {
        CaseOptions {
            classical: Some(classical.into()),
            post_quantum: Some(post_quantum.into()),
            ..CaseOptions::default()
        }
    }

    fn pair(classical: &str, post_quantum: &str) -> Pair {
        Pair { classical: classical.into(), post_quantum: post_quantum.into() }
    }

    fn chosen(asked: &str, provider: &str) -> Fastest {
        Fastest {
            construction: "X-Wing".into(),
            asked: asked.into(),
            operations: vec!["handshake".into()],
            provider: provider.into(),
            ns: 1.0,
            runner_up: None,
            candidates: 2,
            among: Vec::new(),
            failed: Vec::new(),
        }
    }

    #[test]
    fn a_draft_keeps_all_possible_pairs_and_a_plan_the_chosen_one() {
        let draft = options(FASTEST, FASTEST);
        assert!(keeps(&draft, "X-Wing", &pair("a", "b")) && !keeps(&draft, "X-Wing", &pair(NULL, NULL)));
        let plan = CaseOptions { fastest: Some(vec![chosen("fastest+fastest", "a+b")]), ..draft };
        assert!(keeps(&plan, "X-Wing", &pair("a", "b")) && !keeps(&plan, "X-Wing", &pair("a", "a")));
        assert!(!keeps(&plan, "another", &pair("a", "b")), "each construction must have its own answer");
        assert!(keeps(&options("a", "b"), "X-Wing", &pair("a", "b")), "a named pair must be kept");
    }

    #[test]
    fn with_one_half_given_each_of_its_providers_has_its_own_question() {
        let plan = CaseOptions {
            fastest: Some(vec![chosen("fastest+b", "a+b"), chosen("fastest+c", "d+c")]),
            classical: Some(FASTEST.into()),
            ..CaseOptions::default()
        };
        let kept = |classical, post_quantum| keeps(&plan, "X-Wing", &pair(classical, post_quantum));
        assert!(kept("a", "b") && kept("d", "c") && !kept("d", "b") && !kept("a", "c"));
    }

    #[test]
    fn measured_operations_decide_unless_one_contains_them_all() {
        let options = options(FASTEST, FASTEST);
        let selected = ["a", "a+b"].map(|provider| ["keygen", "encapsulate"].map(|name| case(name, provider)));
        let mut open = questions(&options, selected.as_flattened(), |case| Some(case.clone()));
        assert_eq!(open.len(), 1);
        assert_eq!((open[0].operations(), open[0].cases().len()), (vec!["keygen".into(), "encapsulate".into()], 4));
        let other_area = questions(&options, &[case("handshake", "c")], |case| Some(case.clone()));
        merge(&mut open, other_area);
        let cases = open[0].cases();
        assert_eq!(open[0].operations(), ["handshake"]);
        assert_eq!(cases.iter().map(|case| case.provider.as_str()).collect::<Vec<_>>(), ["a", "a+b", "c"]);
        assert!(cases.iter().all(|case| case.operation == "handshake" && case.block == cases[0].block));
    }

    #[test]
    fn asks_nothing_without_fastest_or_if_a_case_follows_from_others() {
        let named = options("a", "b");
        assert!(questions(&named, &[case("keygen", "a+b")], |case| Some(case.clone())).is_empty());
        assert!(questions(&options(FASTEST, "b"), &[case("keygen", "a+b")], |_| None).is_empty());
    }
}
