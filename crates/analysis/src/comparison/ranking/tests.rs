use super::*;
use crate::comparison::compare;
use crate::findings::findings;
use crate::fixtures;
use crate::sheet::Sheet;
use crate::terminal::{Palette, run_table, standing_text};
use fastrand::Rng;
use pqlab_record::{Disturbance, Record, Run};
use std::collections::BTreeSet;

/// How the only group of a run stands.
fn of(run: &Run) -> Vec<Option<Standing>> {
    let cases: Vec<Option<Measured<'_>>> = run.records.iter().map(|record| Measured::of(run, record)).collect();
    standings(&cases, &Yardstick::within(run))
}

fn run(records: Vec<Record>) -> Run {
    Run { records, ..fixtures::run() }
}

fn contended(record: &mut Record) {
    record.samples.visits.iter_mut().for_each(|visit| visit.disturbances = vec![Disturbance::Steal { pct: 30.0 }]);
}

#[test]
fn the_fastest_leads_only_where_the_data_tell_it_apart() {
    let found = of(&run(vec![fixtures::record("slow", 15.0), fixtures::failed("no"), fixtures::record("fast", 10.0)]));
    assert_eq!((found[1], found[2]), (None, Some(Standing::Fastest)));
    let ratio = found[0].unwrap().ratio().unwrap();
    assert!((ratio.estimate - 1.5).abs() < 0.01 && ratio.low < ratio.estimate && ratio.estimate < ratio.high);
    assert!(standing_text(found[0].unwrap()).starts_with("1.50× ±"));
    let level = [10.01, 10.0, 15.0].map(|time| fixtures::record(&format!("at {time}"), time));
    let found = of(&run(level.to_vec()));
    assert_eq!(found[..2], [Some(Standing::Tied); 2]);
    assert!(found[1].unwrap().leads() && !found[2].unwrap().leads());
}

#[test]
fn what_is_contended_or_defective_or_does_nothing_takes_part_in_no_ranking() {
    let mut records = vec![
        fixtures::record("null", 1.0),
        fixtures::record("shared", 8.0),
        fixtures::record("defective", 9.0),
        fixtures::record("sound", 10.3),
        fixtures::record("slow", 15.0),
    ];
    contended(&mut records[1]);
    records[2].case.facts.defect = Some("accepts what it must refuse".into());
    let found = of(&run(records));
    assert_eq!(found[..4], [None, None, None, Some(Standing::Fastest)]);
    assert!(matches!(found[4], Some(Standing::Slower(_))));
}

#[test]
fn cycles_decide_and_one_alone_is_not_the_fastest() {
    let mut records = vec![fixtures::record("one", 10.0), fixtures::record("other", 10.5)];
    // The core's clock was lower while the first was measured: it took the longer time and the fewer cycles.
    records[0].samples.visits.iter_mut().for_each(|visit| visit.clock_hz = 2.2e9);
    assert_eq!(of(&run(records.clone()))[0], Some(Standing::Fastest));
    records.truncate(1);
    assert_eq!(of(&run(records)), [None]);
    assert_eq!(of(&run(Vec::new())), []);
}

#[test]
fn cases_with_other_parameters_are_no_rivals() {
    let mut other = fixtures::record("other", 15.0);
    other.case.parameters = vec![pqlab_record::Parameter::Word("key".into(), "seed".into())];
    assert_eq!(of(&run(vec![fixtures::record("one", 10.0), other])), [None, None]);
    // Before ids said it, the length of the key tells that one loads a seed and expands it.
    let before = |provider: &str, length: u64, time: f64| {
        let mut record = fixtures::record(provider, time);
        (record.case.operation, record.case.form) = ("decapsulate".into(), Some(pqlab_record::Form::Encoded));
        record.case.facts.sizes.secret_key = Some(length);
        record
    };
    let of_lengths = |length: u64| of(&run(vec![before("one", 2400, 10.0), before("other", length, 15.0)]));
    assert_eq!(of_lengths(64), [None, None]);
    assert_eq!(of_lengths(2400)[0], Some(Standing::Fastest));
}

/// Cases of one key exchange by a few providers, whose processes, rounds and visits differ by chance: some as fast as others,
/// some contended, some defective, some measured when the run was gone on with, some without known cycles.
fn random(rng: &mut Rng) -> Run {
    let operations = ["keygen", "encapsulate", "decapsulate"];
    let (processes, rounds) = (rng.u32(3..6), rng.u32(3..6));
    let noise = [0.002, 0.01, 0.03][rng.usize(..3)];
    let drawn = |rng: &mut Rng| (0..6).map(|_| rng.f64()).sum::<f64>() / 3.0 - 1.0;
    let moods: Vec<f64> = (0..processes * rounds).map(|_| 1.0 + 0.02 * drawn(rng)).collect();
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
            let of_process: Vec<f64> = (0..processes).map(|_| 1.0 + noise * drawn(rng)).collect();
            let mut visits = Vec::new();
            for (cell, mood) in moods.iter().enumerate() {
                let (process, round) = (cell as u32 % processes, cell as u32 / processes);
                let time = base * mood * of_process[process as usize] * (1.0 + noise * drawn(rng));
                let mut visit = record.samples.visits[0].clone();
                (visit.process, visit.round, visit.start) = (process, round, u32::from(resumed));
                visit.ticks = [0.99, 1.0, 1.01].map(|part| (2100.0 * time * part).round() as u64).to_vec();
                visit.clock_hz = if clockless { 0.0 } else { 2.7e9 / mood };
                visits.push(visit);
            }
            record.samples.visits = visits;
            if shared {
                contended(&mut record);
            }
            records.push(record);
        }
    }
    run(records)
}

fn verdict(run: &Run, one: &Record, other: &Record) -> Verdict {
    compare(run, run, &[(one, other)], &Yardstick::within(run)).cases[0].judgement.verdict
}

/// What the ranking, the terminal's table, the page's data, the pictures and the findings say of a run is what comparing its
/// cases pair by pair gives.
#[test]
fn nothing_that_is_shown_contradicts_the_comparison() {
    let (mut fastest, mut tied, mut slower) = (0, 0, 0);
    for seed in 0..120 {
        let run = random(&mut Rng::with_seed(seed));
        let sheet = Sheet::of(&run);
        let table = run_table(&run, 400, Palette::PLAIN);
        let found = findings(&sheet);
        let mut open = Vec::new();
        for operation in ["keygen", "encapsulate", "decapsulate"] {
            let rows: Vec<_> = sheet.rows.iter().filter(|row| row.case().operation == operation).collect();
            let ranked: Vec<_> = rows.iter().filter(|row| row.standing.is_some()).collect();
            let may: Vec<_> = rows
                .iter()
                .filter(|row| !row.record.samples.contended() && row.case().facts.defect.is_none())
                .collect();
            assert_eq!(
                ranked.len(),
                if may.len() > 1 { may.len() } else { 0 },
                "seed {seed}: all that may be ranked are"
            );
            let of = |one: &Record, other: &Record| verdict(&run, one, other);
            let leaders = sheet.leading(&rows);
            for row in &ranked {
                let others = || ranked.iter().filter(|other| !std::ptr::eq(other.record, row.record));
                let loses = others().any(|other| of(other.record, row.record) == Verdict::Slower);
                let about = format!("seed {seed}: {} {:?}", row.case().id(), row.standing);
                match row.standing.unwrap() {
                    Standing::Fastest => {
                        assert!(others().all(|other| of(row.record, other.record) == Verdict::Slower), "{about}");
                        assert_eq!(leaders.len(), 1, "{about}");
                        fastest += 1;
                    }
                    Standing::Tied => {
                        assert!(!loses, "{about}");
                        let equals = others().filter(|other| other.standing == Some(Standing::Tied));
                        let mut named = 0;
                        for other in equals {
                            assert_ne!(of(row.record, other.record), Verdict::Slower, "{about}");
                            named += 1;
                        }
                        assert!(named > 0, "{about}");
                        tied += 1;
                    }
                    Standing::Lowest => assert!(!loses, "{about}"),
                    Standing::Slower(ratio) => {
                        let pair = [(leaders[0].record, row.record)];
                        let compared = &compare(&run, &run, &pair, &Yardstick::within(&run)).cases[0];
                        assert_eq!(compared.judgement.verdict, Verdict::Slower, "{about}");
                        assert_eq!(compared.ratio.map(|of| of.ratio), Some(ratio), "{about}");
                        slower += 1;
                    }
                    Standing::Open(_) => {
                        assert_ne!(of(leaders[0].record, row.record), Verdict::Slower, "{about}");
                        assert!(loses, "{about}");
                    }
                }
            }
            // Whoever beats all is called the fastest, and whom nobody beats is among those that lead.
            for row in &ranked {
                let others = || ranked.iter().filter(|other| !std::ptr::eq(other.record, row.record));
                let beats_all = others().all(|other| of(row.record, other.record) == Verdict::Slower);
                assert_eq!(beats_all, row.standing == Some(Standing::Fastest), "seed {seed}: {}", row.case().id());
            }
            // The table's marks, in the order of its rows.
            let heading = format!("\n  ML-KEM-768 {operation}\n");
            let lines: Vec<&str> = table.split_once(&heading).unwrap().1.lines().take(rows.len()).collect();
            for (line, row) in lines.iter().zip(&rows) {
                assert!(line.trim_start().starts_with(&row.case().provider), "{line}");
                let wanted = row.standing.map(standing_text).unwrap_or_default();
                assert!(line.contains(&wanted), "seed {seed}: {line}");
                for mark in ["fastest", "tied", "lowest", "× ±"] {
                    assert_eq!(line.contains(mark), wanted.contains(mark), "seed {seed}: {line}");
                }
            }
            let level: Vec<String> = rows
                .iter()
                .filter(|row| row.standing.is_some_and(|of| !matches!(of, Standing::Fastest | Standing::Slower(_))))
                .map(|row| row.case().provider.clone())
                .collect();
            if !level.is_empty() {
                open.push((operation, level));
            }
        }
        let doubt = found.doubts.iter().find(|doubt| doubt.what.contains("not told apart"));
        assert_eq!(doubt.map_or(0, |doubt| doubt.count), open.len(), "seed {seed}");
        for (operation, level) in &open {
            let detail = doubt.unwrap().details.iter().find(|detail| detail.contains(operation)).unwrap();
            assert!(level.iter().all(|provider| detail.contains(provider)), "seed {seed}: {detail}");
        }
        assert_choice(&run, &sheet, seed);
        assert_page(&sheet, seed);
    }
    // The property would hold of runs that are all alike.
    assert!(fastest > 20 && tied > 20 && slower > 20, "{fastest} {tied} {slower}");
}

/// The finding on key exchanges names whoever no other whole key exchange beats, with all that are not told from it.
fn assert_choice(run: &Run, sheet: &Sheet<'_>, seed: u64) {
    let found = findings(sheet);
    let choice = found.choices.iter().find(|choice| choice.job == "Key exchange");
    let providers: BTreeSet<&str> = sheet.rows.iter().map(|row| row.case().provider.as_str()).collect();
    let whole = |provider: &str| -> Vec<Measured<'_>> {
        let of_provider = run.records.iter().filter(|record| record.case.provider == provider);
        of_provider.map(|record| Measured::of(run, record).unwrap()).collect()
    };
    let sound: Vec<&str> =
        providers.into_iter().filter(|provider| whole(provider).iter().all(Measured::ranked)).collect();
    let Some(choice) = choice else { return assert!(sound.is_empty(), "seed {seed}: {sound:?}") };
    assert!(sound.contains(&choice.provider.as_str()), "seed {seed}: {choice:?}");
    let best = whole(&choice.provider);
    for rival in sound.iter().filter(|rival| **rival != choice.provider) {
        let other = whole(rival);
        let sides = [&best, &other].map(|side| side.iter().collect::<Vec<_>>());
        let found = ratio(&sides[0], &sides[1], &Yardstick::within(run)).verdict();
        assert_ne!(found, Verdict::Faster, "seed {seed}: {choice:?} against {rival}");
        let named = choice.tied.contains(&format!("ML-KEM-768 by {rival}"));
        assert_eq!(named, found != Verdict::Slower, "seed {seed}: {choice:?} against {rival}");
    }
}

/// The page says of each case in full, and of the fastest of each picture, what the ranking says.
fn assert_page(sheet: &Sheet<'_>, seed: u64) {
    let (page, charts) = crate::templates::page(&crate::templates::Page { sheet, past: &[], live: None });
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    for (row, case) in sheet.rows.iter().zip(data["cases"].as_array().unwrap()) {
        assert_eq!(case["i"], row.case().id());
        assert_eq!(case["f"].as_str().map(str::to_owned), row.standing.map(standing_text), "seed {seed}");
    }
    let heat = charts.iter().find(|chart| chart.name.starts_with("heat-")).unwrap();
    for row in &sheet.rows {
        let about =
            heat.svg.split("<title").find(|title| title.contains(&format!("{} {}:", row.job(), row.case().provider)));
        let named = about.unwrap().split("</title>").next().unwrap().replace("&lt;", "<");
        if let Some(standing) = row.standing {
            assert!(named.ends_with(&standing_text(standing)), "seed {seed}: {named}");
        } else {
            assert!(
                !named.contains("fastest") && !named.contains("tied") && !named.contains('×'),
                "seed {seed}: {named}"
            );
        }
    }
}
