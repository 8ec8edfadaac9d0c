//! Published figures from the literature. pqlab quotes them but never compares them with figures from a run, because
//! the machines, the software and the timed sections differ.

use serde::Deserialize;

/// A figure from the literature.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quoted {
    /// The protocol that was timed.
    pub protocol: String,
    /// Algorithm used in the protocol.
    pub algorithm: String,
    /// Lower and upper end of the time in ms; equal if the source gives a single figure.
    pub time_ms: [f64; 2],
    /// Author and publication.
    pub source: String,
    /// Source of the quotation, and remarks on the figure.
    pub note: String,
}

/// Returns the quoted figures from `related_work.json`.
pub fn related_work() -> Vec<Quoted> {
    serde_json::from_str(include_str!("related_work.json")).expect("related_work.json must be valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quoted_figure_names_its_source() {
        let all = related_work();
        assert!(all.len() >= 3);
        for quoted in all {
            assert!(0.0 < quoted.time_ms[0] && quoted.time_ms[0] <= quoted.time_ms[1], "{quoted:?}");
            assert!(quoted.source.contains("20") && quoted.source.len() > 20 && !quoted.note.is_empty(), "{quoted:?}");
        }
    }
}
