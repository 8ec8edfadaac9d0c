//! Cases of a run that do the same job.

use super::RunAnalysis;
use crate::case::CaseAnalysis;
use crate::group::grouped;

/// Cases that do the same job, a case for each provider.
#[derive(Clone, Debug)]
pub struct Group<'r, 'a> {
    /// What they have in common: all but the provider.
    pub job: String,
    /// In the order of the plan.
    pub cases: Vec<&'r CaseAnalysis<'a>>,
}

impl<'a> RunAnalysis<'a> {
    /// The cases of an area as tables list them: those that differ in the provider alone stand together, and those of one
    /// algorithm follow each other, all in the order in which the plan names them first.
    pub fn groups<'r>(&'r self, area: &'r str) -> Vec<Group<'r, 'a>> {
        let algorithms = grouped(self.area(area), |case| case.case().algorithm.as_str());
        let jobs = algorithms.into_iter().flat_map(|(_, cases)| grouped(cases.into_iter(), |case| case.job()));
        jobs.map(|(job, cases)| Group { job, cases }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn rivals_stand_together_and_an_algorithm_is_named_once() {
        let mut run = fixtures::run();
        run.records.retain(|record| record.case.workload == "kem");
        let (first, second) = (run.records[0].clone(), run.records[1].clone());
        let mut of = |algorithm: &str, operation: &str, like: &pqlab_record::Record| {
            let mut record = like.clone();
            record.case.algorithm = algorithm.to_owned();
            record.case.operation = operation.to_owned();
            run.records.push(record);
        };
        // As a plan has them that goes from provider to provider.
        of("X25519", "keygen", &first);
        of("ML-KEM-768", "keygen", &first);
        of("X25519", "keygen", &second);
        of("ML-KEM-768", "keygen", &second);
        let analysis = RunAnalysis::of(&run);
        let groups = analysis.groups("kem");
        let listed: Vec<(&str, Vec<&str>)> = groups
            .iter()
            .map(|group| (group.job.as_str(), group.cases.iter().map(|case| case.case().provider.as_str()).collect()))
            .collect();
        let wanted = [
            ("ML-KEM-768 encapsulate", vec!["liboqs", "aws-lc", "openssl"]),
            ("ML-KEM-768 keygen", vec!["liboqs", "aws-lc"]),
            ("X25519 keygen", vec!["liboqs", "aws-lc"]),
        ];
        assert_eq!(listed, wanted);
        assert!(analysis.groups("hash").is_empty());
    }
}
