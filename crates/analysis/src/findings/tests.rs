use super::*;
use crate::fixtures;
use pqlab_record::{ProviderBuild, Run};

fn with(operations: &[(&str, &str, &str, f64)]) -> Run {
    let mut run = fixtures::run();
    let mut add = |algorithm: &str, operation: &str, provider: &str, microseconds: f64| {
        let mut record = fixtures::record(provider, microseconds);
        record.case.algorithm = algorithm.to_owned();
        record.case.operation = operation.to_owned();
        record.case.facts.category = (algorithm != "X25519").then_some(3);
        run.records.push(record);
    };
    operations.iter().for_each(|(algorithm, operation, provider, time)| add(algorithm, operation, provider, *time));
    run
}

#[test]
fn recommends_the_fastest_library_and_compares_it_with_classical_algorithms() {
    let run = with(&[
        ("ML-KEM-768", "keygen", "liboqs", 10.0),
        ("ML-KEM-768", "decapsulate", "liboqs", 10.0),
        ("ML-KEM-768", "keygen", "aws-lc", 20.0),
        ("ML-KEM-768", "decapsulate", "aws-lc", 20.0),
        ("X25519", "keygen", "aws-lc", 5.0),
        ("X25519", "encapsulate", "aws-lc", 5.0),
        ("X25519", "decapsulate", "aws-lc", 5.0),
    ]);
    let found = findings(&RunAnalysis::new(&run));
    let best = found.recommendations.iter().find(|best| best.use_case == "Key exchange").unwrap();
    assert_eq!((best.algorithm.as_str(), best.provider.as_str()), ("ML-KEM-768", "liboqs"));
    assert!(best.tied.is_empty(), "{:?}", best.tied);
    assert_eq!(best.figure, "mean 30.4 µs");
    assert!(best.why.contains("next: ML-KEM-768 by aws-lc, mean 53.0 µs, "), "{}", best.why);
    let cost = found.costs.iter().find(|cost| cost.what == "Key exchange").unwrap();
    assert!((cost.factor.estimate - 30.4 / 15.0).abs() < 0.01 && cost.factor.low < cost.factor.estimate);
}

#[test]
fn unused_cpu_features_are_named() {
    let found = |features: &[&str], version: &str| {
        let mut run = with(&[("ML-DSA-65", "verify", "openssl", 30.0), ("ML-DSA-65", "verify", "aws-lc", 20.0)]);
        let build = ProviderBuild { id: "openssl".into(), version: version.into(), ..ProviderBuild::default() };
        run.header.environment.providers.push(build);
        run.header.environment.cpu.features = features.iter().map(|feature| (*feature).to_owned()).collect();
        let caveats = findings(&RunAnalysis::new(&run)).caveats;
        caveats
            .into_iter()
            .find(|caveat| caveat.what.starts_with("with unused CPU features"))
            .map(|caveat| caveat.details)
    };
    let expected = "openssl, ML-KEM-768, ML-DSA-65: portable C code; this CPU has AVX2".to_owned();
    assert_eq!(found(&["sse2", "avx2"], "4.0.3"), Some(vec![expected]));
    assert_eq!(found(&["sse2"], "4.0.3"), None);
    assert_eq!(found(&["sse2", "avx2"], "4.9.0"), None, "the facts are for another version");
}

#[test]
fn defective_libraries_are_named_and_not_recommended() {
    let mut run = with(&[("ML-DSA-65", "verify", "liboqs", 10.0), ("ML-DSA-65", "verify", "aws-lc", 20.0)]);
    run.records.retain(|record| record.case.facts.category.is_some());
    for record in &mut run.records {
        let defective = record.case.algorithm == "ML-DSA-65" && record.case.provider == "liboqs";
        record.case.facts.defect = defective.then(|| "it does not check the norm".to_owned());
        record.case.workload = "signature".into();
    }
    let analysis = RunAnalysis::new(&run);
    let marked: Vec<&CaseAnalysis<'_>> =
        analysis.cases().iter().filter(|row| row.caveats.has(Caveat::Defect)).collect();
    assert_eq!(marked.iter().map(|row| row.case().provider.as_str()).collect::<Vec<_>>(), ["liboqs"]);
    let found = findings(&analysis);
    let best = found.recommendations.iter().find(|best| best.use_case == "High-volume verification").unwrap();
    assert_eq!(best.provider, "aws-lc");
    let faster = "faster but not ranked: ML-DSA-65 by liboqs, 10.00 µs (known defect: it does not";
    assert!(best.why.contains(faster) && best.why.contains("no other candidate qualifies"), "{}", best.why);
    let caveat = found.caveats.iter().find(|caveat| caveat.what.starts_with("known defect")).unwrap();
    assert_eq!(caveat.details, ["liboqs, ML-DSA-65 verify: it does not check the norm"]);
}

#[test]
fn a_recommendation_names_defects_in_other_operations() {
    let mut run = with(&[("ML-DSA-65", "sign", "liboqs", 10.0), ("ML-DSA-65", "verify", "liboqs", 10.0)]);
    run.records.drain(..fixtures::run().records.len());
    for record in &mut run.records {
        record.case.workload = "signature".into();
        let defect = record.case.operation == "verify";
        record.case.facts.defect = defect.then(|| "it does not check the norm".to_owned());
    }
    let found = findings(&RunAnalysis::new(&run));
    let best = found.recommendations.iter().find(|best| best.use_case == "High-volume signing").unwrap();
    assert!(best.why.contains("known defect in verify: it does not check the norm"), "{}", best.why);
}

#[test]
fn disturbed_libraries_are_named_and_not_recommended() {
    let mut run = with(&[("ML-KEM-768", "keygen", "openssl", 10.0), ("ML-KEM-768", "keygen", "aws-lc", 20.0)]);
    for operation in ["encapsulate", "decapsulate"] {
        run.records.extend(
            with(&[("ML-KEM-768", operation, "openssl", 9.0), ("ML-KEM-768", operation, "aws-lc", 20.0)])
                .records
                .into_iter()
                .filter(|record| record.case.operation == operation && record.case.provider != "liboqs"),
        );
    }
    for record in &mut run.records {
        let contended = record.case.provider == "openssl";
        for visit in record.samples.visits.iter_mut().filter(|_| contended) {
            visit.disturbances = vec![pqlab_record::Disturbance::Steal { pct: 20.0 }];
        }
    }
    let found = findings(&RunAnalysis::new(&run));
    let best = found.recommendations.iter().find(|best| best.use_case == "Key exchange").unwrap();
    assert_eq!(best.provider, "aws-lc");
    assert!(best.why.contains("faster but not ranked: ML-KEM-768 by openssl"), "{}", best.why);
    run.records.retain(|record| record.case.provider != "aws-lc");
    let found = findings(&RunAnalysis::new(&run));
    assert!(found.recommendations.iter().all(|best| best.provider != "openssl"), "{:?}", found.recommendations);
    let withheld = found.statements.iter().find(|statement| statement.about == "Key exchange").unwrap();
    let text = "no undisturbed measurement; the fastest disturbed one is ML-KEM-768 by openssl, mean ";
    assert!(withheld.text.starts_with(text) && !withheld.first, "{withheld:?}");
}

/// If the best candidate may no longer be recommended, no defective, disturbed or weaker candidate may replace it.
#[test]
fn no_substitute_is_defective_contended_or_weaker() {
    for area in ["signature", "certificate", "ledger"] {
        let mut run = with(&[
            ("Falcon-512", "verify", "liboqs", 20.0),
            ("ML-DSA-65", "verify", "aws-lc", 30.0),
            ("ML-DSA-65", "verify", "liboqs", 40.0),
        ]);
        run.records.drain(..fixtures::run().records.len());
        for record in &mut run.records {
            record.case.workload = area.into();
            record.case.parameters.clear();
            record.case.form = None;
            record.case.facts.category = Some(if record.case.algorithm == "Falcon-512" { 1 } else { 3 });
        }
        let best = |run: &Run| {
            let found = findings(&RunAnalysis::new(run)).recommendations;
            found.into_iter().map(|best| (best.algorithm, best.provider)).collect::<Vec<_>>()
        };
        assert!(!best(&run).is_empty(), "{area}");
        let spoil = |run: &mut Run, provider: &str, defective: bool| {
            for record in run.records.iter_mut().filter(|record| record.case.algorithm == "ML-DSA-65") {
                if record.case.provider == provider && defective {
                    record.case.facts.defect = Some("it does not check the norm".into());
                } else if record.case.provider == provider {
                    let visits = record.samples.visits.iter_mut();
                    visits.for_each(|visit| visit.disturbances = vec![pqlab_record::Disturbance::Steal { pct: 20.0 }]);
                }
            }
        };
        for defective in [true, false] {
            let mut run = run.clone();
            spoil(&mut run, "aws-lc", defective);
            for (algorithm, provider) in best(&run) {
                assert_eq!((algorithm.as_str(), provider.as_str()), ("ML-DSA-65", "liboqs"), "{area}");
            }
            spoil(&mut run, "liboqs", !defective);
            assert_eq!(best(&run), [], "{area}: no remaining library may be recommended");
        }
    }
}

#[test]
fn small_signatures_have_a_maximum_and_a_mean() {
    let run = fixtures::references_run();
    let found = findings(&RunAnalysis::new(&run));
    let small = found.recommendations.iter().find(|best| best.use_case == "Smallest key and signature").unwrap();
    assert_eq!((small.algorithm.as_str(), small.figure.as_str()), ("Falcon-512", "1,649 B"));
    assert!(
        small.why.contains("at most 1,649 B") && small.why.contains("smallest on average: Falcon-512, 1,552 B"),
        "{}",
        small.why
    );
}

#[test]
fn reference_constructions_are_recommended_only_if_alone() {
    let mut run = fixtures::references_run();
    let best = |run: &Run| {
        let found = findings(&RunAnalysis::new(run)).recommendations;
        found.into_iter().find(|best| best.use_case == "Hybrid key exchange").map(|best| best.algorithm)
    };
    assert_eq!(best(&run).as_deref(), Some("X-Wing"));
    run.records.retain(|record| record.case.algorithm != "X-Wing");
    assert_eq!(best(&run).as_deref(), Some("X25519+ML-KEM-768"));
}

#[test]
fn post_quantum_certificates_are_preferred() {
    let mut run = with(&[("X.509-Ed25519", "verify", "aws-lc", 5.0), ("X.509-ML-DSA-65", "verify", "aws-lc", 20.0)]);
    run.records.retain(|record| record.case.algorithm.starts_with("X.509"));
    // An imported file may omit the category.
    for category in [Some(3), None] {
        for record in &mut run.records {
            record.case.workload = "certificate".into();
            record.case.facts.category = category.filter(|_| record.case.algorithm != "X.509-Ed25519");
        }
        let found = findings(&RunAnalysis::new(&run));
        let best = found.recommendations.iter().find(|best| best.use_case == "Certificates").unwrap();
        assert_eq!(best.algorithm, "X.509-ML-DSA-65", "{category:?}");
    }
}

#[test]
fn ties_are_listed() {
    let run = with(&[("ML-KEM-768", "encapsulate", "openssl", 10.401)]);
    let found = findings(&RunAnalysis::new(&run));
    let caveat = found.caveats.iter().find(|caveat| caveat.what.starts_with("tied")).unwrap();
    assert_eq!(caveat.details, ["ML-KEM-768 encapsulate: liboqs and openssl"]);
    let failed = found.caveats.iter().find(|caveat| caveat.what.starts_with("failed")).unwrap();
    assert_eq!((failed.count, failed.details.len()), (1, 1));
    assert!(failed.details[0].ends_with("decapsulation gave a different secret"));
}

#[test]
fn all_tied_libraries_are_named() {
    let mut operations = Vec::new();
    for operation in ["keygen", "encapsulate", "decapsulate"] {
        operations.extend([("ML-KEM-768", operation, "one", 10.0), ("ML-KEM-768", operation, "two", 10.001)]);
        operations.push(("ML-KEM-768", operation, "slow", 20.0));
    }
    let mut run = with(&operations);
    run.records.retain(|record| ["one", "two", "slow"].contains(&record.case.provider.as_str()));
    let found = findings(&RunAnalysis::new(&run));
    let best = found.recommendations.iter().find(|best| best.use_case == "Key exchange").unwrap();
    assert_eq!((best.provider.as_str(), &best.tied[..]), ("one", &["ML-KEM-768 by two".to_owned()][..]));
    assert!(best.why.contains("tied with ML-KEM-768 by two; next: ML-KEM-768 by slow, "), "{}", best.why);
    let caveat = found.caveats.iter().find(|caveat| caveat.what.starts_with("tied")).unwrap();
    assert_eq!(caveat.details[0], "ML-KEM-768 keygen: one and two");
}

#[test]
fn blocks_are_compared_in_the_typical_form_and_not_in_the_fastest() {
    let mut run = fixtures::run();
    let mut prepared = fixtures::ledger_block("ML-DSA-65", "aws-lc", 100, 3_000.0);
    prepared.case.form = Some(pqlab_record::Form::Prepared);
    run.records = vec![
        prepared,
        fixtures::ledger_block("ML-DSA-65", "aws-lc", 100, 5_000.0),
        fixtures::ledger_block("ML-DSA-65", "liboqs", 100, 6_000.0),
        fixtures::ledger_block("TXv1-ML-DSA-65", "aws-lc", 100, 4_990.0),
    ];
    let found = findings(&RunAnalysis::new(&run));
    let best = found.recommendations.iter().find(|best| best.use_case == "Verifying blocks").unwrap();
    assert_eq!((best.provider.as_str(), best.figure.as_str()), ("aws-lc", "5.00 ms"));
    assert!(best.why.contains("next: ML-DSA-65 by liboqs, 6.00 ms, 1.200× ("), "{}", best.why);
}

#[test]
fn handshakes_have_their_bytes_and_threads_their_gain() {
    let run = fixtures::ntor_run();
    let found = findings(&RunAnalysis::new(&run));
    let cost = found.costs.iter().find(|cost| cost.post_quantum.algorithm == "kem-only-mlkem512").unwrap();
    assert_eq!(cost.bytes, Some((1620, 148)));
    let run = fixtures::scaling_run();
    let found = findings(&RunAnalysis::new(&run));
    let best = found.recommendations.iter().find(|best| best.use_case == "Several threads").unwrap();
    assert_eq!((best.algorithm.as_str(), best.figure.as_str()), ("1 operation", "1.90×"));
    assert!(best.why.starts_with("smallest gain: ML-DSA-65 verify by aws-lc, 1.90× ("), "{}", best.why);
}

#[test]
fn a_speed_up_above_the_number_of_threads_is_not_recommended() {
    let mut run = fixtures::scaling_run();
    // Slow down the single-threaded case by a factor of 1.6, so that two threads seem to do the
    // work of three.
    let single = run.records.iter_mut().find(|record| record.case.threads() == Some(1)).unwrap();
    for visit in &mut single.samples.visits {
        visit.ticks.iter_mut().for_each(|ticks| *ticks = *ticks * 8 / 5);
    }
    let found = findings(&RunAnalysis::new(&run));
    assert!(found.recommendations.iter().all(|best| best.use_case != "Several threads"), "{:?}", found.recommendations);
    let caveat = found.caveats.iter().find(|caveat| caveat.what.starts_with("with an impossible speed-up: above"));
    let details = &caveat.unwrap_or_else(|| panic!("{:?}", found.caveats)).details;
    assert!(details.iter().any(|detail| detail == "ML-DSA-65 verify aws-lc on 2 threads: 3.04×"), "{details:?}");
    assert!(
        findings(&RunAnalysis::new(&fixtures::scaling_run()))
            .caveats
            .iter()
            .all(|caveat| !caveat.what.starts_with("impossible"))
    );
}

#[test]
fn a_run_without_records_finds_nothing() {
    let mut run = fixtures::run();
    run.records.clear();
    run.header.plan.clear();
    let found = findings(&RunAnalysis::new(&run));
    assert!(found.recommendations.is_empty() && found.costs.is_empty() && found.caveats.is_empty());
}

#[test]
fn the_spread_between_runs_limits_the_precision_of_a_job() {
    let run = fixtures::libraries_run();
    let found = findings(&RunAnalysis::new(&run));
    let exchange = found.recommendations.iter().find(|one| one.use_case == "Key exchange").unwrap();
    let number = |text: &str| text.split_whitespace().next().unwrap().parse::<f64>().unwrap();
    let (low, high) = exchange.interval.split_once(" to ").unwrap();
    let half_pct = 100.0 * (number(high) / number(low) - 1.0) / 2.0;
    // The half-width is the assumed spread between runs, 1.5%, times Student's quantile for 20 degrees of freedom.
    assert!(half_pct >= 3.1, "{exchange:?}");
}

#[test]
fn programs_in_other_languages_are_recommended_with_their_language() {
    let run = fixtures::workers_run();
    let analysis = RunAnalysis::new(&run);
    let found = findings(&analysis);
    let by = |use_case: &str| found.recommendations.iter().find(|one| one.use_case == use_case).unwrap();
    assert_eq!(by("High-volume verification").provider, "go (Go)");
    assert_eq!(by("Key exchange").provider, "openssl");
    let verification = by("High-volume verification");
    assert!(verification.why.contains("next: ML-DSA-65 by openssl, "), "{verification:?}");
    let job = by("Fastest single library for TLS");
    assert!(job.provider == "openssl" && job.why.contains("next: libcrux:avx2, "), "{job:?}");
    let mut verifying = run.clone();
    verifying.records.retain(|record| record.case.operation == "verify");
    let analysis = RunAnalysis::new(&verifying);
    let lines = crate::answer::answer(&analysis, &findings(&analysis));
    assert!(lines[0].starts_with("High-volume verification: ML-DSA-65 by go (Go), 80.0 µs ("), "{lines:?}");
}

fn recommended<'f>(found: &'f Findings, use_case: &str) -> &'f Recommendation {
    let all = &found.recommendations;
    all.iter().find(|one| one.use_case == use_case).unwrap_or_else(|| panic!("{use_case} is not among {all:?}"))
}

#[test]
fn constructions_are_compared_with_the_kind_of_randomness_that_most_libraries_support() {
    let run = fixtures::constructions_run();
    let analysis = RunAnalysis::new(&run);
    let found = findings(&analysis);
    for (use_case, what) in [
        ("Hybrid signing", "signing one message with both halves (deterministic signing)"),
        (
            "Hybrid signature cycle",
            "generating a key pair, signing and verifying with both halves (deterministic signing, caller-supplied randomness)",
        ),
        ("Issuing certificates", "building a certificate and signing it with every key (deterministic signing)"),
    ] {
        let best = recommended(&found, use_case);
        assert_eq!((best.provider.as_str(), best.what.as_str()), ("aws-lc", what));
        let left_out = "left out because their randomness differs: aws-lc+liboqs (uses its own randomness).";
        assert!(best.why.ends_with(left_out), "{}", best.why);
    }
    // Verification uses no randomness, so its cases are comparable whatever the library uses to
    // sign.
    let verifying = recommended(&found, "Hybrid verification");
    assert_eq!(
        (verifying.provider.as_str(), verifying.what.as_str()),
        ("aws-lc+liboqs", "verifying both halves of one signature")
    );
    assert!(!verifying.why.contains("left out"), "{}", verifying.why);
    let cycle = |algorithm: &str| {
        let found_cost = found
            .costs
            .iter()
            .find(|cost| cost.what.starts_with("Hybrid signature cycle") && cost.post_quantum.algorithm == algorithm);
        found_cost.unwrap_or_else(|| panic!("{algorithm} is not among {:?}", found.costs))
    };
    let composite = cycle("MLDSA65-Ed25519-SHA512");
    assert_eq!(composite.what, "Hybrid signature cycle (deterministic signing, caller-supplied randomness)");
    assert!(composite.told_apart && (composite.factor.estimate - 270.0 / 80.0).abs() < 0.05, "{composite:?}");
    let reference = cycle("Ed25519+ML-DSA-65");
    let what = "Hybrid signature cycle (randomness: caller-supplied randomness vs deterministic signing, caller-supplied randomness)";
    assert_eq!((reference.what.as_str(), reference.post_quantum.providers.as_str()), (what, "aws-lc"));
}

#[test]
fn a_library_without_rivals_keeps_its_own_kind_of_randomness() {
    let mut run = fixtures::constructions_run();
    run.records.retain(|record| record.case.provider == "aws-lc+liboqs");
    let found = findings(&RunAnalysis::new(&run));
    let cycle = recommended(&found, "Hybrid signature cycle");
    assert_eq!(cycle.what, "generating a key pair, signing and verifying with both halves");
    assert!(!cycle.why.contains("left out"), "{}", cycle.why);
}

#[test]
fn the_signature_cycle_is_a_headline_and_a_claim() {
    let run = fixtures::constructions_run();
    let tables = crate::tables::tables(&RunAnalysis::new(&run), &crate::areas::ntor::RelayScenario::default());
    let rows = |name: &str| -> Vec<Vec<String>> {
        let table = tables.iter().find(|table| table.name == name).unwrap();
        table.rows.iter().map(|row| row.cells.iter().map(|cell| cell.text.clone()).collect()).collect()
    };
    let cycle = ["signature created and verified", "Ed25519+ML-DSA-65", "caller-supplied randomness", "aws-lc"];
    let headlines = rows("headlines");
    assert!(headlines.iter().any(|row| row[..4] == cycle), "{headlines:?}");
    let claims = rows("claims");
    let name = "Ed25519+ML-DSA-65, key generation, signing and verification";
    let claim = claims.iter().find(|row| row.iter().any(|cell| cell == name));
    let claim = claim.unwrap_or_else(|| panic!("{claims:?}"));
    assert!(
        claim.iter().any(|cell| cell.contains("468")) && claim.iter().any(|cell| cell.starts_with("260 µs")),
        "{claim:?}"
    );
}

fn statement_lines(run: &Run) -> Vec<String> {
    let statements = findings(&RunAnalysis::new(run)).statements;
    statements.into_iter().map(|of| format!("{}: {}", of.about, of.text)).collect()
}

#[test]
fn unranked_libraries_are_never_the_fastest() {
    let mut run = fixtures::libraries_run();
    run.records.retain(|record| record.case.operation == "encapsulate" && record.case.algorithm == "ML-KEM-768");
    run.header.suite = "kem".into();
    let fastest =
        |run: &Run| statement_lines(run).into_iter().find(|line| line.starts_with("ML-KEM-768 encapsulate: ")).unwrap();
    assert!(fastest(&run).contains(" by libcrux:avx2, the fastest; next: liboqs, "), "{}", fastest(&run));
    for record in run.records.iter_mut().filter(|record| record.case.provider == "libcrux:avx2") {
        record.case.facts.defect = Some("made up".into());
    }
    assert!(fastest(&run).contains(" by liboqs, the fastest; "), "{}", fastest(&run));
    for record in &mut run.records {
        record.case.facts.defect = Some("made up".into());
    }
    assert_eq!(statement_lines(&run), [] as [String; 0]);
}

#[test]
fn areas_without_a_job_answer_their_own_question() {
    let lines = statement_lines(&fixtures::references_run());
    let starts = |start: &str| {
        let line = lines.iter().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("{start} is not among {lines:#?}"))
    };
    let token = starts("Token with ML-DSA-44, without the public key: 3,666 B as JWS and 2,726 B as COSE; ");
    assert!(token.contains("; make: mean 90.1 µs by aws-lc; verify: 34.0 µs by liboqs"), "{token}");
    starts(
        "Falcon-512 signature: 655.0 B on average and 660 B at most in 640 signatures by liboqs; the encoding allows 752 B",
    );
    // The larger block is missing, because its library has a known defect.
    starts("Blocks of ML-DSA-65: 50.0 µs per transaction in a block of 100 by aws-lc");
    let load = statement_lines(&fixtures::scaling_run());
    let line = load
        .iter()
        .find(|line| line.starts_with("ML-DSA-65 verify under load: "))
        .unwrap_or_else(|| panic!("{load:#?}"));
    assert!(
        line.contains(" a second by aws-lc (5,000 concurrent tasks, 2 workers), -5.")
            && line.contains("wait at most 8.00 µs"),
        "{line}"
    );
    let memory = statement_lines(&fixtures::libraries_run());
    assert!(
        memory.iter().any(|line| line == "Large stacks: more than 64.0 KiB of stack in 0 of 2 operations"),
        "{memory:?}"
    );
    let tls = statement_lines(&fixtures::tls_run());
    assert!(
        tls.iter()
            .any(|line| line.starts_with("TLS connection over satellite: 1.210 s (2.02× the round trip) with X25519 ")),
        "{tls:#?}"
    );
    let quic = statement_lines(&fixtures::quic_run());
    let line = quic.iter().find(|line| line.starts_with("QUIC: ")).unwrap_or_else(|| panic!("{quic:#?}"));
    assert!(line.contains("; the ClientHello takes 2 datagrams, vs 1; 1 round trip, vs 1"), "{line}");
    let line = quic.iter().find(|line| line.starts_with("QUIC certificates: ")).unwrap();
    assert!(line.contains("; 2 round trips, vs 1, because the server may send only three times"), "{line}");
    let batches = statement_lines(&fixtures::batches_run());
    let line = batches.iter().find(|line| line.starts_with("Batches of ML-DSA-65: ")).unwrap();
    assert!(line.contains("42.0 µs per signature in batches of 100 by aws-lc, 1.050× "), "{line}");
}
