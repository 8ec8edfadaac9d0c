//! Checks the size of the report page for a store with 20 runs of 2,000 cases each, and for a run with 6,000 cases.
//! Prints how long pqlab takes to write the report and how long the browser takes to show it, but does not check these
//! times.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "common/browser.rs"]
mod browser;
mod common;

use browser::{CHROMIUM, chromium, driver, text_of};
use common::Pqlab;
use pqlab_lab::record::{
    Case, Environment, Facts, Form, Metric, Parameter, Protocol, Record, Run, RunHeader, Samples, Sizes, Status, Visit,
};
use pqlab_lab::store::Store;
use pqlab_testing::require;
use std::fs;
use std::time::Instant;

const CASES: usize = 2000;
/// Number of cases in the run with the largest page.
const MANY: usize = 6000;
const RUNS: usize = 20;
const PROCESSES: u32 = 8;
const SAMPLES: u64 = 50;
/// Maximum size of the page for the store, in bytes.
const MOST: u64 = 5_000_000;
/// Maximum size of the page for the run with [`MANY`] cases, in bytes.
const MOST_OF_MANY: u64 = 12_000_000;

fn record(index: usize, run: usize) -> Record {
    let area = ["kem", "signature", "hash", "ledger"][index % 4];
    let case = Case {
        workload: area.into(),
        algorithm: format!("Algorithm-{}", index / 40),
        operation: ["keygen", "sign", "verify", "encapsulate", "decapsulate"][index / 4 % 5].into(),
        provider: ["aws-lc", "openssl:provider", "aws-lc+libcrux:avx2", "rustcrypto"][index / 20 % 4].into(),
        form: Some(if index.is_multiple_of(2) { Form::Prepared } else { Form::Encoded }),
        parameters: vec![Parameter::Number("len".into(), index as u64)],
        block: area.into(),
        facts: Facts {
            sizes: Sizes { public_key: Some(1184), ..Sizes::default() },
            category: Some(3),
            ..Facts::default()
        },
    };
    let base = 10_000 + 37 * index as u64;
    let ticks = |process: u64| {
        let spread = |sample: u64| (sample * sample * 7919 + process * 104_729 + run as u64 * 13) % 997;
        (0..SAMPLES).map(|sample| base + spread(sample)).collect()
    };
    let visit = |process: u32| Visit {
        start: 0,
        process,
        round: 0,
        repeats: 0,
        disturbances: Vec::new(),
        clock_hz: 3e9,
        ticks: ticks(u64::from(process)),
        wall_ns: Vec::new(),
        extra: Vec::new(),
        conditions: Default::default(),
    };
    Record {
        case,
        status: Status::Ok,
        error: None,
        verified: true,
        precision_reached: !index.is_multiple_of(7),
        second_chance: None,
        samples: Samples {
            metric: Metric::Tsc,
            ns_per_tick: Some(0.5),
            batch: 1,
            visits: (0..PROCESSES).map(visit).collect(),
        },
        finished_at: "2026-11-21T19:00:00Z".into(),
    }
}

fn run(number: usize, cases: usize) -> Run {
    let records: Vec<Record> = (0..cases).map(|index| record(index, number)).collect();
    Run {
        header: RunHeader {
            id: format!("202611{:02}T190000Z-000000", number + 1),
            suite: "large".into(),
            command: "pqlab run large".into(),
            seed: 1,
            started_at: format!("2026-11-{:02}T19:00:00Z", number + 1),
            environment: Environment::default(),
            protocol: Protocol::default(),
            plan: records.iter().map(|record| record.case.clone()).collect(),
        },
        records,
        complete: true,
        finished_at: Some(format!("2026-11-{:02}T20:00:00Z", number + 1)),
    }
}

#[test]
fn the_page_of_a_large_store_stays_small() {
    let pqlab = Pqlab::new();
    let mut store = Store::open(pqlab.database()).unwrap();
    for number in 0..RUNS {
        store.import_run(&run(number, CASES)).unwrap();
    }
    drop(store);
    let out = pqlab.path("out");
    let begun = Instant::now();
    let page = pqlab.expect(0, &["report", "--out", out.to_str().unwrap()]);
    let seconds = begun.elapsed().as_secs_f64();
    let bytes = fs::metadata(page.trim()).unwrap().len();
    println!("{RUNS} runs of {CASES} cases: {bytes} bytes, {seconds:.1} s");
    assert!(bytes < MOST, "{bytes} bytes");
    let text = fs::read_to_string(page.trim()).unwrap();
    assert_eq!(text.matches("class=\"open\"").count(), CASES);
    assert!(text.contains("Trend: the cases that changed most"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(open(&pqlab, &format!("file://{}", page.trim()), CASES));
}

#[test]
fn a_page_with_thousands_of_cases_opens() {
    let pqlab = Pqlab::new();
    Store::open(pqlab.database()).unwrap().import_run(&run(0, MANY)).unwrap();
    let page = pqlab.expect(0, &["report", "--out", pqlab.path("out").to_str().unwrap()]);
    let bytes = fs::metadata(page.trim()).unwrap().len();
    println!("{MANY} cases: {bytes} bytes");
    assert!(bytes < MOST_OF_MANY, "{bytes} bytes");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(open(&pqlab, &format!("file://{}", page.trim()), MANY));
}

/// Opens the page five times in a running browser. Every row must be present each time, and the last row must be
/// visible after scrolling.
async fn open(pqlab: &Pqlab, page: &str, cases: usize) {
    let chromium = require!(chromium(), CHROMIUM);
    let (driver, client) = driver(chromium, &pqlab.path("browser")).await;
    let mut seconds = Vec::new();
    for _ in 0..5 {
        client.goto("about:blank").await.unwrap();
        let begun = Instant::now();
        client.goto(page).await.unwrap();
        // Wait for two frames, after which the browser has painted the page.
        client.execute_async(SHOWN, Vec::new()).await.unwrap();
        seconds.push(begun.elapsed().as_secs_f64());
        assert_eq!(text_of(&client, ROWS).await, cases);
    }
    assert_eq!(text_of(&client, LAST_ROW).await, true);
    seconds.sort_by(f64::total_cmp);
    println!("opened in {:.2} s (median), at most {:.2} s", seconds[2], seconds[4]);
    client.close().await.unwrap();
    drop(driver);
}

const SHOWN: &str = "const [done] = arguments; requestAnimationFrame(() => requestAnimationFrame(() => done(null)));";
const ROWS: &str = "return document.querySelectorAll('table.cases tr.case').length;";
/// Script that scrolls to the last row of the last table and returns whether the row is on the screen.
const LAST_ROW: &str = "const area = [...document.querySelectorAll('.area')].pop();\
    const row = [...area.querySelectorAll('table.cases tbody tr')].pop();\
    row.scrollIntoView({ block: 'center', behavior: 'instant' });\
    const { top, bottom, height } = row.getBoundingClientRect();\
    return height > 10 && top >= 0 && bottom <= innerHeight;";
