//! Groups the cases of a run that do the same job.

use super::RunAnalysis;
use crate::case::CaseAnalysis;
use crate::group::grouped;

/// Cases that do the same job, one per provider.
#[derive(Clone, Debug)]
pub struct Group<'r, 'a> {
    /// The case name without the provider, shared by all cases in the group.
    pub job: String,
    /// The cases, in the order of the plan.
    pub cases: Vec<&'r CaseAnalysis<'a>>,
}

impl<'a> RunAnalysis<'a> {
    /// Groups the cases of an area for tables. Cases that differ only in the provider form a group, and groups of one
    /// algorithm are adjacent. Groups and cases keep the order in which they first appear in the plan.
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
    fn rivals_are_grouped_and_algorithms_stay_together() {
        let mut run = fixtures::run();
        run.records.retain(|record| record.case.workload == "kem");
        let (first, second) = (run.records[0].clone(), run.records[1].clone());
        let mut add = |algorithm: &str, operation: &str, like: &pqlab_record::Record| {
            let mut record = like.clone();
            record.case.algorithm = algorithm.to_owned();
            record.case.operation = operation.to_owned();
            run.records.push(record);
        };
        // The plan lists all cases of one provider before those of the next.
        add("X25519", "keygen", &first);
        add("ML-KEM-768", "keygen", &first);
        add("X25519", "keygen", &second);
        add("ML-KEM-768", "keygen", &second);
        let analysis = RunAnalysis::new(&run);
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
