//! Merges several runs into one, for reports that cover several suites.

use crate::comparison::{Difference, differences_of_builds};
use crate::group::distinct;
use pqlab_record::{Case, Run, RunHeader};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Several runs of the same build on the same machine, merged into one. The cases of a job, which differ only in the
/// provider, all come from a single run, so that pqlab ranks only libraries that were measured together. Merging
/// selects the run with the most providers for the job, or the newest such run.
#[derive(Clone, Debug)]
pub struct Merged {
    /// All cases as one run, with the start time of the oldest run and the end time of the newest. The merged run is
    /// complete if all runs are complete.
    pub(crate) run: Run,
    /// Headers of the runs that contribute cases, newest first.
    pub(crate) parts: Vec<RunHeader>,
    /// Index in `parts` of the run that each case comes from.
    of: Vec<usize>,
}

/// Reason why runs cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotOneRun {
    /// There are no runs.
    None,
    /// The runs come from different machines or builds.
    Apart {
        /// Id of the newest run.
        newest: String,
        /// Id of the run that differs.
        other: String,
        /// First property in which the two runs differ.
        what: Difference,
    },
}

impl fmt::Display for NotOneRun {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotOneRun::None => formatter.write_str("no runs to merge"),
            NotOneRun::Apart { newest, other, what: Difference { what, first, second } } => write!(
                formatter,
                "runs {newest} and {other} are from different machines or builds ({what}: {first:?} and {second:?}); \
                 compare them with `pqlab compare {other} {newest}`"
            ),
        }
    }
}

impl std::error::Error for NotOneRun {}

/// Area and name of a job, which all of its cases share. The measurement overhead is also a job.
type Job = (String, String);

fn job(case: &Case) -> Job {
    (case.workload.clone(), case.name())
}

impl Merged {
    /// Merges runs, given in any order.
    ///
    /// # Errors
    /// Returns [`NotOneRun`] if there are no runs, or if they come from different machines or builds.
    pub fn new(mut runs: Vec<Run>) -> Result<Merged, NotOneRun> {
        runs.sort_by(|one, other| {
            let key = |run: &Run| (run.header.started_at.clone(), run.header.id.clone());
            key(other).cmp(&key(one))
        });
        runs.dedup_by(|one, other| one.header.id == other.header.id);
        let newest = runs.first().ok_or(NotOneRun::None)?;
        for run in &runs[1..] {
            let found = differences_of_builds(&newest.header.environment, &run.header.environment);
            if let Some(what) = found.into_iter().next() {
                return Err(NotOneRun::Apart { newest: newest.header.id.clone(), other: run.header.id.clone(), what });
            }
        }
        let complete = runs.iter().all(|run| run.complete);
        let finished_at = newest.finished_at.clone();
        // For each job, choose the run with the most providers. Among equals, choose the newest.
        let mut taken: HashMap<Job, (usize, usize)> = HashMap::new();
        for (place, run) in runs.iter().enumerate() {
            let mut counts: HashMap<Job, usize> = HashMap::new();
            run.header.plan.iter().for_each(|case| *counts.entry(job(case)).or_default() += 1);
            for (job, count) in counts {
                let best = taken.entry(job).or_insert((place, count));
                if count > best.1 {
                    *best = (place, count);
                }
            }
        }
        let taken: HashMap<Job, usize> = taken.into_iter().map(|(job, (place, _))| (job, place)).collect();
        let giving: HashSet<usize> = taken.values().copied().collect();
        let (mut records, mut of, mut plan, mut parts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (place, mut run) in runs.into_iter().enumerate().filter(|(place, _)| giving.contains(place)) {
            let is_from_this_run = |case: &Case| taken.get(&job(case)) == Some(&place);
            plan.extend(run.header.plan.iter().filter(|case| is_from_this_run(case)).cloned());
            for record in std::mem::take(&mut run.records) {
                if is_from_this_run(&record.case) {
                    of.push(parts.len());
                    records.push(record);
                }
            }
            parts.push(run.header);
        }
        let header = header(&parts, plan);
        Ok(Merged { run: Run { header, records, complete, finished_at }, parts, of })
    }

    /// Returns the header of the run that a case comes from.
    pub(crate) fn header(&self, place: usize) -> &RunHeader {
        &self.parts[self.of[place]]
    }
}

/// Creates the header of the merged run. Joins the ids, the suites and the commands of the runs. The start time comes
/// from the oldest run, and the other fields from the newest.
fn header(parts: &[RunHeader], plan: Vec<Case>) -> RunHeader {
    let joined = |field: fn(&RunHeader) -> &String, separator: &str| {
        distinct(parts.iter().map(|part| field(part).as_str())).join(separator)
    };
    let newest = &parts[0];
    RunHeader {
        id: joined(|part| &part.id, "+"),
        suite: joined(|part| &part.suite, "+"),
        command: joined(|part| &part.command, "; "),
        started_at: parts.iter().map(|part| part.started_at.clone()).min().unwrap_or_default(),
        plan,
        ..newest.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::Standing;
    use crate::fixtures;
    use crate::run::RunAnalysis;

    /// Returns a later run that covers only the `kem` area, without the provider `without` if one is given.
    fn later(without: Option<&str>) -> Run {
        let mut run = fixtures::run();
        run.header.id = "later".into();
        run.header.suite = "kem".into();
        run.header.started_at = "2027-01-01T00:00:00Z".into();
        run.header.protocol.run_spreads.cycles_pct = 9.0;
        let stays = |case: &Case| case.workload == "kem" && Some(case.provider.as_str()) != without;
        run.header.plan.retain(stays);
        run.records.retain(|record| stays(&record.case));
        run
    }

    #[test]
    fn each_job_comes_from_the_newest_run_that_contains_it() {
        let (old, new) = (fixtures::run(), later(None));
        let (all, kems) = (old.records.len(), new.records.len());
        let merged = Merged::new(vec![old.clone(), new.clone()]).unwrap();
        let analysis = merged.analysis();
        assert_eq!(analysis.cases().len(), all);
        assert!(analysis.cases()[..kems].iter().all(|case| case.header().id == "later"));
        assert!(
            analysis.cases()[kems..]
                .iter()
                .all(|case| case.header().id == old.header.id && case.case().workload != "kem")
        );
        assert_eq!(merged.run.header.id, format!("later+{}", old.header.id));
        assert_eq!(merged.run.header.suite, format!("kem+{}", old.header.suite));
        assert_eq!(analysis.parts.iter().map(|part| part.id.as_str()).collect::<Vec<_>>(), ["later", &old.header.id]);
        assert_eq!(merged.run.header.plan.len(), old.header.plan.len());
    }

    #[test]
    fn cases_that_were_ranked_together_stay_together() {
        let old = fixtures::run();
        let merged = Merged::new(vec![later(Some("aws-lc")), old.clone()]).unwrap();
        let analysis = merged.analysis();
        let shared: Vec<_> = analysis.cases().iter().filter(|case| analysis.standing(case).is_some()).collect();
        assert!(
            !shared.is_empty() && shared.iter().all(|case| case.header().id == old.header.id),
            "ranked cases must come from the old run"
        );
        assert!(shared.iter().any(|case| analysis.standing(case) == Some(Standing::Fastest)));
    }

    #[test]
    fn cases_of_two_runs_are_compared_with_the_larger_spread_between_runs() {
        let (old, new) = (fixtures::run(), later(None));
        let merged = Merged::new(vec![old.clone(), new]).unwrap();
        let (analysis, alone) = (merged.analysis(), RunAnalysis::new(&old));
        let first_place = |analysis: &RunAnalysis<'_>, area: &str| {
            analysis
                .area(area)
                .position(|case| case.estimates.is_some())
                .map(|at| analysis.area(area).nth(at).unwrap().place)
        };
        let compared = |analysis: &RunAnalysis<'_>| {
            let [kem, signature] = ["kem", "signature"].map(|area| first_place(analysis, area).unwrap());
            let case = |place: usize| &analysis.cases()[place];
            let ratio = crate::comparison::ratio(
                &[case(kem).measured().unwrap()],
                &[case(signature).measured().unwrap()],
                analysis.criteria(),
            );
            (ratio.paired, ratio.ratio.unwrap().ratio.half_width_pct())
        };
        let ((paired, width), (_, narrow)) = (compared(&analysis), compared(&alone));
        assert!(!paired && width > narrow && width > 9.0, "{width} and {narrow}");
    }

    #[test]
    fn other_machines_and_builds_are_not_merged() {
        let mut other = later(None);
        other.header.environment.build.commit = Some("another".into());
        let error = Merged::new(vec![fixtures::run(), other]).unwrap_err().to_string();
        assert!(error.contains("commit") && error.contains("pqlab compare"), "{error}");
        assert_eq!(Merged::new(Vec::new()).unwrap_err(), NotOneRun::None);
    }

    #[test]
    fn merging_one_run_does_not_change_it() {
        let run = fixtures::run();
        let merged = Merged::new(vec![run.clone(), run.clone()]).unwrap();
        assert_eq!(merged.run, run);
    }
}
