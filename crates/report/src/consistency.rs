//! Tests that the terminal's table, the page, the pictures and the findings agree with each other.

use crate::fixtures;
use crate::terminal::{Palette, run_table};
use fastrand::Rng;
use pqlab_analysis::comparison::{ComparedCase, Standing};
use pqlab_analysis::findings::{Findings, findings};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, compare};
use pqlab_record::{Disturbance, Run};
use pqlab_stats::Verdict;
use std::collections::BTreeSet;

/// Returns a random run of one KEM with several providers. The numbers of processes, rounds and visits vary. Some
/// providers are equally fast. Others are disturbed, defective, measured after a resume, or lack cycle counts.
fn random(rng: &mut Rng) -> Run {
    let operations = ["keygen", "encapsulate", "decapsulate"];
    let (processes, rounds) = (rng.u32(3..6), rng.u32(3..6));
    let noise = [0.002, 0.01, 0.03][rng.usize(..3)];
    let deviation = |rng: &mut Rng| (0..6).map(|_| rng.f64()).sum::<f64>() / 3.0 - 1.0;
    let moods: Vec<f64> = (0..processes * rounds).map(|_| 1.0 + 0.02 * deviation(rng)).collect();
    let mut records = Vec::new();
    for provider in 0..rng.usize(2..6) {
        let base = [10.0, 10.0, 10.05, 10.2, 10.5, 12.0][rng.usize(..6)];
        let (shared, resumed, clockless) = (rng.f64() < 0.12, rng.f64() < 0.12, rng.f64() < 0.08);
        let defect = (rng.f64() < 0.12).then(|| "skips a check".to_owned());
        for operation in operations {
            let mut record = fixtures::record(&format!("p{provider}"), base);
            record.case.operation = operation.to_owned();
            record.case.block = format!("kem/{operation}");
            record.case.facts.defect.clone_from(&defect);
            let of_process: Vec<f64> = (0..processes).map(|_| 1.0 + noise * deviation(rng)).collect();
            let mut visits = Vec::new();
            for (cell, mood) in moods.iter().enumerate() {
                let (process, round) = (cell as u32 % processes, cell as u32 / processes);
                let time = base * mood * of_process[process as usize] * (1.0 + noise * deviation(rng));
                let mut visit = record.samples.visits[0].clone();
                (visit.process, visit.round, visit.start) = (process, round, u32::from(resumed));
                visit.ticks = [0.99, 1.0, 1.01].map(|part| (2100.0 * time * part).round() as u64).to_vec();
                visit.clock_hz = if clockless { 0.0 } else { 2.7e9 / mood };
                visits.push(visit);
            }
            record.samples.visits = visits;
            if shared {
                let steal = || vec![Disturbance::Steal { pct: 30.0 }];
                record.samples.visits.iter_mut().for_each(|visit| visit.disturbances = steal());
            }
            records.push(record);
        }
    }
    Run { records, ..fixtures::run() }
}

fn compared(analysis: &RunAnalysis<'_>, one: &CaseAnalysis<'_>, other: &CaseAnalysis<'_>) -> ComparedCase {
    compare(analysis, analysis, &[(one, other)], analysis.criteria()).cases.remove(0)
}

/// The ranking, the terminal's table, the page's data, the pictures and the findings must agree with comparisons of
/// every pair of cases.
#[test]
fn all_renderings_agree_with_the_comparison() {
    let (mut fastest, mut tied, mut slower) = (0, 0, 0);
    for seed in 0..120 {
        let run = random(&mut Rng::with_seed(seed));
        let analysis = RunAnalysis::new(&run);
        let table = run_table(&analysis, &[], 400, Palette::PLAIN);
        let found = findings(&analysis);
        let mut open = Vec::new();
        for operation in ["keygen", "encapsulate", "decapsulate"] {
            let rows: Vec<_> = analysis.cases().iter().filter(|row| row.case().operation == operation).collect();
            let ranked: Vec<_> = rows.iter().filter(|row| analysis.standing(row).is_some()).collect();
            let may: Vec<_> = rows
                .iter()
                .filter(|row| !row.record.samples.contended() && row.case().facts.defect.is_none())
                .collect();
            assert_eq!(
                ranked.len(),
                if may.len() > 1 { may.len() } else { 0 },
                "seed {seed}: every case that may be ranked must be ranked"
            );
            let verdict =
                |one: &CaseAnalysis<'_>, other: &CaseAnalysis<'_>| compared(&analysis, one, other).judgement.verdict;
            let leaders = analysis.leading(&rows);
            for row in &ranked {
                let others = || ranked.iter().filter(|other| !std::ptr::eq(other.record, row.record));
                let loses = others().any(|other| verdict(other, row) == Verdict::Slower);
                let about = format!("seed {seed}: {} {:?}", row.case().id(), analysis.standing(row));
                match analysis.standing(row).unwrap() {
                    Standing::Fastest => {
                        assert!(others().all(|other| verdict(row, other) == Verdict::Slower), "{about}");
                        assert_eq!(leaders.len(), 1, "{about}");
                        fastest += 1;
                    }
                    Standing::Tied => {
                        assert!(!loses, "{about}");
                        let equals = others().filter(|other| analysis.standing(other) == Some(Standing::Tied));
                        let mut named = 0;
                        for other in equals {
                            assert_ne!(verdict(row, other), Verdict::Slower, "{about}");
                            named += 1;
                        }
                        assert!(named > 0, "{about}");
                        tied += 1;
                    }
                    Standing::Lowest => assert!(!loses, "{about}"),
                    Standing::Slower(ratio) => {
                        let compared = compared(&analysis, leaders[0], row);
                        assert_eq!(compared.judgement.verdict, Verdict::Slower, "{about}");
                        assert_eq!(compared.ratio.map(|of| of.ratio), Some(ratio), "{about}");
                        slower += 1;
                    }
                    Standing::Open(_) => {
                        assert_ne!(verdict(leaders[0], row), Verdict::Slower, "{about}");
                        assert!(loses, "{about}");
                    }
                }
            }
            // A case must be marked fastest if and only if it beats all others.
            for row in &ranked {
                let others = || ranked.iter().filter(|other| !std::ptr::eq(other.record, row.record));
                let beats_all = others().all(|other| verdict(row, other) == Verdict::Slower);
                assert_eq!(
                    beats_all,
                    analysis.standing(row) == Some(Standing::Fastest),
                    "seed {seed}: {}",
                    row.case().id()
                );
            }
            // Check the marks in the terminal's table, row by row.
            let heading = format!("\n  ML-KEM-768 {operation}\n");
            let lines: Vec<&str> = table.split_once(&heading).unwrap().1.lines().take(rows.len()).collect();
            for (line, row) in lines.iter().zip(&rows) {
                assert!(line.trim_start().starts_with(&row.case().provider), "{line}");
                let wanted = analysis.standing(row).map(Standing::text).unwrap_or_default();
                assert!(line.contains(&wanted), "seed {seed}: {line}");
                for mark in ["fastest", "tied", "lowest", "× ±"] {
                    assert_eq!(line.contains(mark), wanted.contains(mark), "seed {seed}: {line}");
                }
            }
            let level: Vec<String> = rows
                .iter()
                .filter(|row| analysis.standing(row) == Some(Standing::Tied))
                .map(|row| row.case().provider.clone())
                .collect();
            if !level.is_empty() {
                open.push((operation, level));
            }
        }
        let caveat = found.caveats.iter().find(|caveat| caveat.what.starts_with("tied"));
        assert_eq!(caveat.map_or(0, |caveat| caveat.count), open.len(), "seed {seed}");
        for (operation, level) in &open {
            let detail = caveat.unwrap().details.iter().find(|detail| detail.contains(operation)).unwrap();
            assert!(level.iter().all(|provider| detail.contains(provider)), "seed {seed}: {detail}");
        }
        assert_recommendation(&analysis, &found, seed);
        assert_page(&analysis, seed);
    }
    // The checks prove little unless each of the three outcomes is frequent.
    assert!(fastest > 20 && tied > 20 && slower > 20, "{fastest} {tied} {slower}");
}

/// Checks the finding on key exchanges. The finding must name a provider that no other provider beats in a complete key
/// exchange. It must also name all providers tied with this provider.
fn assert_recommendation(analysis: &RunAnalysis<'_>, found: &Findings, seed: u64) {
    let recommended = found.recommendations.iter().find(|recommended| recommended.use_case == "Key exchange");
    let providers: BTreeSet<&str> = analysis.cases().iter().map(|row| row.case().provider.as_str()).collect();
    let whole = |provider: &str| -> Vec<&CaseAnalysis<'_>> {
        analysis.cases().iter().filter(|case| case.case().provider == provider).collect()
    };
    let ranked = |provider: &&str| whole(provider).into_iter().all(CaseAnalysis::ranked);
    let sound: Vec<&str> = providers.into_iter().filter(ranked).collect();
    let Some(recommended) = recommended else { return assert!(sound.is_empty(), "seed {seed}: {sound:?}") };
    assert!(sound.contains(&recommended.provider.as_str()), "seed {seed}: {recommended:?}");
    let best = whole(&recommended.provider);
    for rival in sound.iter().filter(|rival| **rival != recommended.provider) {
        let other = whole(rival);
        let found = analysis.ratio(&best, &other).unwrap().verdict();
        assert_ne!(found, Verdict::Faster, "seed {seed}: {recommended:?} against {rival}");
        let named = recommended.tied.contains(&format!("ML-KEM-768 by {rival}"));
        assert_eq!(named, found != Verdict::Slower, "seed {seed}: {recommended:?} against {rival}");
    }
}

/// Checks that the data of each case on the page, and the tiles of the heat map, agree with the ranking.
fn assert_page(analysis: &RunAnalysis<'_>, seed: u64) {
    let (page, charts) = crate::templates::page(&crate::templates::Page {
        analysis,
        past: &[],
        scenario: &pqlab_analysis::ntor::RelayScenario::default(),
        around: crate::templates::Around::default(),
    });
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    for (row, case) in analysis.cases().iter().zip(data["cases"].as_array().unwrap()) {
        assert_eq!(case["i"], row.case().id());
        assert_eq!(case["f"].as_str().map(str::to_owned), analysis.standing(row).map(Standing::text), "seed {seed}");
    }
    let heat = charts.iter().find(|chart| chart.name.starts_with("heat-")).unwrap();
    for row in analysis.cases() {
        let about =
            heat.svg.split("<title").find(|title| title.contains(&format!("{} {}:", row.job(), row.case().provider)));
        let named = about.unwrap().split("</title>").next().unwrap().replace("&lt;", "<");
        if let Some(standing) = analysis.standing(row) {
            assert!(named.ends_with(&standing.text()), "seed {seed}: {named}");
        } else {
            assert!(
                !named.contains("fastest") && !named.contains("tied") && !named.contains('×'),
                "seed {seed}: {named}"
            );
        }
    }
}
