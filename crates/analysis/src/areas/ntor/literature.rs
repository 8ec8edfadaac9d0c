//! Published figures of others. They are quoted, never compared with a run's figures: other machines, other software,
//! and times that begin and end at other points.

use serde::Deserialize;

/// A figure from the literature.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quoted {
    /// The protocol that was timed.
    pub protocol: String,
    /// Its algorithm.
    pub algorithm: String,
    /// Lower and upper end in ms; equal if one figure is given.
    pub time_ms: [f64; 2],
    /// Author and publication.
    pub source: String,
    /// Origin of the quotation.
    pub note: String,
}

/// The quoted figures, from the data file next to this one.
pub fn related_work() -> Vec<Quoted> {
    serde_json::from_str(include_str!("related_work.json")).expect("a test has read the file that is compiled in")
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
