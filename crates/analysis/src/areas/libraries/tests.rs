use super::*;
use crate::fixtures;
use pqlab_record::{Disturbance, Run};

fn providers_of(job: &JobTotals<'_, '_>) -> Vec<(String, bool, Option<&'static str>)> {
    let standing_word = |standing: Standing| match standing {
        Standing::Fastest => "fastest",
        Standing::Slower(_) => "slower",
        _ => "open",
    };
    job.totals.iter().map(|total| (total.provider.to_owned(), total.sound, total.standing.map(standing_word))).collect()
}

fn weights(text: &str) -> JobWeights {
    text.parse().unwrap()
}

#[test]
fn libraries_that_support_a_job_are_ranked_by_its_total() {
    let run = fixtures::libraries_run();
    let analysis = RunAnalysis::new(&run);
    let jobs = job_totals(&analysis, &JobWeights::default());
    let [today, classical] = &jobs[..] else { panic!("{jobs:?}") };
    assert_eq!(
        providers_of(today),
        [
            ("aws-lc".to_owned(), true, Some("fastest")),
            ("libcrux:avx2".to_owned(), true, Some("slower")),
            ("openssl".to_owned(), true, Some("slower")),
            ("liboqs".to_owned(), false, None),
        ]
    );
    assert_eq!(
        today.incomplete,
        [("rustcrypto", vec!["decapsulate"]), ("graviola", vec!["sign", "verify"])],
        "failed and unsupported operations must be listed as missing"
    );
    assert_eq!(classical.pairing.name(&JobWeights::default()), "X25519 + Ed25519");
    assert_eq!(classical.totals.len(), 2);
    let best = &today.totals[0];
    let parts: f64 = best.parts.iter().map(|part| part.time.estimate).sum();
    assert!((parts / best.total.estimate - 1.0).abs() < 1e-9, "{parts} {}", best.total.estimate);
    // The job takes 12 + 13 + 16 + 90 + 2 × 35 µs.
    assert!((best.total.estimate / 201e3 - 1.0).abs() < 0.01, "{}", best.total.estimate);
    assert!(best.total.low < best.total.estimate && best.total.estimate < best.total.high);
    let Some(Standing::Slower(ratio)) = today.totals[1].standing else { panic!() };
    assert!((ratio.estimate / (310.0 / 201.0) - 1.0).abs() < 0.01, "{}", ratio.estimate);
}

#[test]
fn totals_include_process_effects_shared_by_all_parts() {
    let run = fixtures::libraries_run();
    let analysis = RunAnalysis::new(&run);
    let case = |operation: &str| {
        let mut cases = analysis.area("kem");
        cases.find(|case| case.case().operation == operation && case.case().provider == "aws-lc").unwrap()
    };
    let width = |interval: &Interval| interval.high / interval.low;
    let (keygen, decapsulate) = (case("keygen"), case("decapsulate"));
    let alone = analysis.total(&[keygen]).unwrap();
    let median = keygen.median().unwrap();
    assert_eq!(alone.estimate, median.estimate);
    assert!((width(&alone) / width(&median) - 1.0).abs() < 1e-4, "{alone:?} {median:?}");
    // Counting an operation twice does not change the relative uncertainty, because both counts use the same
    // measurement.
    let twice = analysis.total(&[keygen, keygen]).unwrap();
    let mean = keygen.estimates.as_ref().unwrap().mean_ns;
    assert!((width(&twice) / width(&mean) - 1.0).abs() < 1e-4 && twice.estimate == 2.0 * mean.estimate);
    // In the fixture, each process shifts all cases alike, so errors of the parts do not average
    // out in a sum.
    let both = analysis.total(&[keygen, decapsulate]).unwrap();
    let parts = [median, decapsulate.median().unwrap()];
    let independent = parts.iter().map(|part| (part.high - part.low).powi(2)).sum::<f64>().sqrt();
    assert!(both.high - both.low > independent, "{both:?} {independent}");
    assert!(analysis.total(&[]).is_none());
}

#[test]
fn weights_decide_which_library_wins() {
    let run = fixtures::libraries_run();
    let analysis = RunAnalysis::new(&run);
    let best = |text: &str| {
        let jobs = job_totals(&analysis, &weights(text));
        (jobs[0].totals[0].provider.to_owned(), jobs[0].pairing.name(&weights(text)), jobs[0].totals[0].parts.len())
    };
    assert_eq!(best("keygen=1,encapsulate=1,decapsulate=1"), ("libcrux:avx2".into(), "ML-KEM-768".into(), 3));
    assert_eq!(best("keygen=1"), ("liboqs".into(), "ML-KEM-768".into(), 1), "a defect must not affect other jobs");
    assert_eq!(best("sign=1000,verify=1"), ("aws-lc".into(), "ML-DSA-65".into(), 2));
}

#[test]
fn disturbed_and_defective_libraries_are_last_and_not_ranked() {
    let mut run: Run = fixtures::libraries_run();
    for record in run.records.iter_mut().filter(|record| record.case.provider == "aws-lc") {
        for visit in &mut record.samples.visits {
            visit.disturbances = vec![Disturbance::Steal { pct: 20.0 }];
        }
    }
    let analysis = RunAnalysis::new(&run);
    let jobs = job_totals(&analysis, &JobWeights::default());
    let found = providers_of(&jobs[0]);
    assert_eq!(found[0], ("libcrux:avx2".to_owned(), true, Some("fastest")));
    let last: Vec<(&str, bool)> = found[2..].iter().map(|(name, sound, _)| (name.as_str(), *sound)).collect();
    assert_eq!(last, [("liboqs", false), ("aws-lc", false)]);
}

#[test]
fn this_projects_own_code_is_never_ranked() {
    let mut run: Run = fixtures::libraries_run();
    run.records.retain(|record| record.case.provider == "aws-lc" || record.case.provider == "openssl");
    for record in run.records.iter_mut().filter(|record| record.case.provider == "aws-lc") {
        record.case.provider = "keccak:avx512".into();
    }
    let analysis = RunAnalysis::new(&run);
    let jobs = job_totals(&analysis, &JobWeights::default());
    assert_eq!(providers_of(&jobs[0]), [("openssl".to_owned(), true, None), ("keccak:avx512".to_owned(), false, None)]);
}
