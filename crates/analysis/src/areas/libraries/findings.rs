//! Finding on the fastest single library for all operations of a job.

use super::{JobTotals, JobWeights, LibraryTotal, Part, facts_of, job_totals};
use crate::estimates::rate_of;
use crate::number::{known_rate, known_time};
use crate::recommendation::{Best, Candidate, Recommendation, faster_but_not_ranked, word_for_next};
use crate::run::RunAnalysis;
use crate::statement::listed;
use pqlab_record::Statistic;

/// Recommends a library for the [job](RunAnalysis::job), by default both sides of a TLS handshake. Considers only
/// libraries that may be recommended, and returns `None` if none may be.
pub(crate) fn for_job(analysis: &RunAnalysis<'_>) -> Option<Recommendation> {
    let weights = analysis.job;
    let job = job_totals(analysis, &weights).into_iter().find(|job| job.pairing.post_quantum)?;
    let all: Vec<Candidate<'_, '_>> = job.totals.iter().map(|total| candidate(analysis, &job, total)).collect();
    let sound = all.iter().zip(&job.totals).filter(|(_, total)| total.sound);
    let from: Vec<&Candidate<'_, '_>> = sound.map(|(one, _)| one).collect();
    let found = Best::find(analysis, &from)?;
    let best = found.best;
    let (_, total) = all.iter().zip(&job.totals).find(|(one, _)| std::ptr::eq(*one, best))?;
    let mut why: Vec<String> = best.category.map(|category| format!("NIST category {category}")).into_iter().collect();
    why.push(total.parts.iter().map(part).collect::<Vec<_>>().join(", "));
    let tied: Vec<String> = found.tied.iter().map(|one| one.provider.clone()).collect();
    if !tied.is_empty() {
        why.push(format!("tied with {}", listed(&tied)));
    }
    match &found.next {
        Some((next, factor)) => {
            let word = word_for_next(best, next, &all);
            why.push(format!("{word}: {}, {}, {factor}", next.provider, next.time_text()));
        }
        None if tied.is_empty() => why.push("no other ranked library supports every operation".to_owned()),
        None => {}
    }
    let cautions = faster_but_not_ranked(analysis, best, &all);
    why.extend(cautions.iter().cloned());
    // Show how mature the library's authors consider it, because the fastest library may be
    // unfinished.
    let library = total.parts.first()?.case.case().library();
    why.extend(
        facts_of(library).map(|facts| format!("maturity of {library}, according to its authors: {}", facts.maturity)),
    );
    let (figure, interval) = best.time_and_range();
    Some(Recommendation {
        use_case: if weights == JobWeights::default() {
            "Fastest single library for TLS"
        } else {
            "Fastest single library for the job"
        },
        algorithm: best.algorithm.clone(),
        provider: best.provider.clone(),
        figure,
        interval,
        rate: rate_of(&best.mean).map(|rate| format!("{} a second on one core", known_rate(&rate))),
        cases: best.ids(),
        what: format!("{}, one after the other", weights.words()),
        why: format!("{}.", why.join("; ")),
        cautions,
        tied: found.tied_names(),
    })
}

fn candidate<'r, 'a>(
    analysis: &RunAnalysis<'a>,
    job: &JobTotals<'r, 'a>,
    total: &LibraryTotal<'r, 'a>,
) -> Candidate<'r, 'a> {
    let cases = || total.parts.iter().map(|part| part.case.case());
    Candidate {
        algorithm: job.pairing.name(&analysis.job),
        provider: analysis.by(total.provider),
        category: cases().map(|case| case.facts.category).min().flatten(),
        time: total.total,
        statistic: Statistic::Mean,
        mean: total.total,
        sizes: Default::default(),
        bytes: None,
        defect: cases().find_map(|case| case.facts.defect.clone()),
        parts: total.cases(),
    }
}

/// Formats a part: `2 × verify 70.0 µs`.
fn part(part: &Part<'_, '_>) -> String {
    let count = if part.weight == 1 { String::new() } else { format!("{} × ", part.weight) };
    format!("{count}{} {}", part.operation, known_time(&part.time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::{Disturbance, Run, SecondChance};

    fn found(run: &Run) -> Option<Recommendation> {
        let all = crate::findings::findings(&RunAnalysis::new(run)).recommendations;
        all.into_iter().find(|one| one.use_case == "Fastest single library for TLS")
    }

    fn contended(run: &mut Run, provider: &str) {
        for record in run.records.iter_mut().filter(|record| record.case.provider == provider) {
            record
                .samples
                .visits
                .iter_mut()
                .for_each(|visit| visit.disturbances = vec![Disturbance::Steal { pct: 20.0 }]);
        }
    }

    #[test]
    fn the_reasons_name_parts_the_next_library_and_faster_defective_ones() {
        let best = found(&fixtures::libraries_run()).unwrap();
        assert_eq!((best.algorithm.as_str(), best.provider.as_str()), ("ML-KEM-768 + ML-DSA-65", "aws-lc"));
        assert!(best.tied.is_empty() && best.figure == "mean 201 µs", "{best:?}");
        for part in [
            "NIST category 3; keygen 12.0 µs, encapsulate 13.0 µs, decapsulate 16.0 µs, sign 90.1 µs, 2 × verify 70.1 µs;",
            "next: libcrux:avx2, mean 310 µs, 1.54",
            "faster but not ranked: ML-KEM-768 + ML-DSA-65 by liboqs, mean 176 µs (known defect: a skipped check",
            "maturity of aws-lc, according to its authors: general-purpose",
        ] {
            assert!(best.why.contains(part), "{}", best.why);
        }
    }

    #[test]
    fn another_job_has_its_own_name() {
        let run = fixtures::libraries_run();
        let analysis = RunAnalysis::new(&run).with_job("sign=1,verify=100".parse().unwrap());
        let all = crate::findings::findings(&analysis).recommendations;
        let found = all.iter().find(|one| one.use_case == "Fastest single library for the job").unwrap();
        assert_eq!(
            (found.algorithm.as_str(), found.what.as_str()),
            ("ML-DSA-65", "1 × sign, 100 × verify, one after the other")
        );
    }

    #[test]
    fn no_substitute_is_disturbed_or_defective() {
        let mut run = fixtures::libraries_run();
        contended(&mut run, "aws-lc");
        let best = found(&run).unwrap();
        assert_eq!(best.provider, "libcrux:avx2");
        assert!(
            best.why.contains("faster but not ranked: ML-KEM-768 + ML-DSA-65 by aws-lc, mean 201 µs (disturbed: "),
            "{}",
            best.why
        );
        // Libraries that were measured again at the end share no rounds with the disturbed one.
        for record in run.records.iter_mut().filter(|record| record.case.provider == "libcrux:avx2") {
            record.second_chance = Some(SecondChance::Undisturbed);
        }
        let again = found(&run).unwrap();
        assert!(again.why.contains("by aws-lc, mean 201 µs (disturbed: "), "{}", again.why);
        contended(&mut run, "libcrux:avx2");
        contended(&mut run, "openssl");
        assert_eq!(found(&run), None, "no remaining library may be recommended");
    }

    #[test]
    fn all_tied_libraries_are_named() {
        let mut run = fixtures::libraries_run();
        let twins: Vec<_> = run.records.iter().filter(|record| record.case.provider == "aws-lc").cloned().collect();
        run.records.extend(twins.into_iter().map(|mut record| {
            record.case.provider = "branch".into();
            record
        }));
        let best = found(&run).unwrap();
        assert_eq!(best.tied, ["ML-KEM-768 + ML-DSA-65 by branch"]);
        assert!(best.why.contains("tied with branch; next: libcrux:avx2"), "{}", best.why);
    }

    #[test]
    fn classical_algorithms_are_not_a_substitute() {
        let mut run = fixtures::libraries_run();
        run.records.retain(|record| record.case.algorithm != "ML-DSA-65");
        assert_eq!(found(&run), None);
    }
}
