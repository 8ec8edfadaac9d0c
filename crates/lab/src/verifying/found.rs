use super::parts::VerifyPart;
use pqlab_verification::{EdgeCases, Line};

/// Results from the parts of a verification, in any order.
#[derive(Debug, Default)]
pub struct Found {
    /// Result lines, each with the part that reported it.
    pub lines: Vec<(VerifyPart, Line)>,
    /// Results for the edge cases of Ed25519, each with the part that reported it.
    pub edge_cases: Vec<(VerifyPart, EdgeCases)>,
}

impl Found {
    /// Returns three lists, each in the order of the parts: the lines for vectors, the lines for pairs of libraries,
    /// and the edge cases.
    pub fn in_order(mut self, parts: &[VerifyPart]) -> (Vec<Line>, Vec<Line>, Vec<EdgeCases>) {
        let place = |part: &VerifyPart| parts.iter().position(|other| other == part);
        self.lines.sort_by_key(|(part, _)| place(part));
        self.edge_cases.sort_by_key(|(part, _)| place(part));
        let is_pair = |part: &VerifyPart| matches!(part, VerifyPart::Interoperability { .. });
        let (pairs, vectors): (Vec<_>, Vec<_>) = self.lines.into_iter().partition(|(part, _)| is_pair(part));
        let lines = |parts: Vec<(VerifyPart, Line)>| parts.into_iter().map(|(_, line)| line).collect();
        (lines(vectors), lines(pairs), self.edge_cases.into_iter().map(|(_, edge_cases)| edge_cases).collect())
    }
}
