//! Figures of others. They are quoted, never compared with what a run measured: other machines, other software, and times
//! that begin and end elsewhere.

use serde::Deserialize;

/// A figure from the literature.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quoted {
    /// What was timed.
    pub protocol: String,
    /// Over which algorithm.
    pub algorithm: String,
    /// From and to, in ms; both alike where one figure is given.
    pub time_ms: [f64; 2],
    /// Who says so, and where.
    pub source: String,
    /// How it came here.
    pub note: String,
}

/// What is quoted, from the data file beside this one.
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
