//! Names algorithms that are not standards.

use crate::group::{distinct, gathered};
use crate::run::RunAnalysis;
pub use pqlab_primitives::{Stage, Standardization};

/// Maximum number of names of one family in the text. If there are more, the text gives their number.
const NAMED: usize = 2;

/// Names the measured algorithms of a run that are not standards, like [`not_standards`].
pub fn not_standards_in(analysis: &RunAnalysis<'_>) -> Option<String> {
    let measured = analysis.cases().iter().filter(|case| case.estimates.is_some()).map(|case| case.case());
    not_standards(measured.map(|case| case.algorithm.as_str()))
}

/// Names the algorithms that are not standards: `Not standards (November 2026): MAYO-1, 12 sets of UOV (round 3
/// candidate, NIST additional signatures); sntrup761 (...)`. Returns `None` if there are none. Omits names that
/// [`Standardization`] does not know.
pub fn not_standards<'n>(algorithms: impl Iterator<Item = &'n str>) -> Option<String> {
    let known = distinct(algorithms).into_iter().filter_map(|name| Some((Standardization::find(name)?, name)));
    let others = known.filter(|(found, _)| found.stage != Stage::Standard);
    let by_detail = gathered(others.map(|(found, name)| (found.detail, (found.family, name))));
    let group = |(detail, names): (&str, Vec<(&str, &str)>)| {
        let families = gathered(names).into_iter().map(|(family, names)| match names.len() {
            0..=NAMED => names.join(", "),
            number => format!("{number} sets of {family}"),
        });
        format!("{} ({detail})", families.collect::<Vec<_>>().join(", "))
    };
    let groups: Vec<String> = by_detail.into_iter().map(group).collect();
    (!groups.is_empty()).then(|| format!("Not standards ({}): {}", Standardization::AS_OF, groups.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn algorithms_are_grouped_by_detail_and_family() {
        let names = [
            "ML-KEM-768",
            "OV-Is",
            "OV-Ip",
            "MAYO-2",
            "OV-V",
            "ML-KEM-768-ipd",
            "OV-V",
            "no-such-algorithm",
            "sntrup761",
            "MAYO-1",
        ];
        let text = not_standards(names.into_iter()).unwrap();
        let wanted = "3 sets of UOV, MAYO-2, MAYO-1 (round 3 candidate, NIST additional signatures); \
                      ML-KEM-768-ipd (draft of 2023, superseded by FIPS 203); \
                      sntrup761 (no standard of its own; RFC 9941 uses it in SSH)";
        assert_eq!(text, format!("Not standards ({}): {wanted}", Standardization::AS_OF));
        assert_eq!(not_standards(["ML-KEM-768", "X25519MLKEM768", "no-such-algorithm"].into_iter()), None);
    }

    #[test]
    fn runs_of_standards_need_no_text() {
        let mut run = fixtures::run();
        assert_eq!(not_standards_in(&RunAnalysis::new(&run)), None);
        run.records[0].case.algorithm = "BIKE-L1".into();
        assert!(not_standards_in(&RunAnalysis::new(&run)).unwrap().contains(": BIKE-L1 (not selected by NIST"));
    }
}
