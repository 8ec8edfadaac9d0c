//! Tests that every printed figure agrees with a field of the JSON export. Covers findings, costs, quality, CSV, the
//! tables of several cases, and the tables of the terminal, Markdown and LaTeX.

use super::exporter;
use super::markdown::escape;
use crate::fixtures;
use crate::terminal::{Palette, run_table};
use fastrand::Rng;
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::answer::answer;
use pqlab_analysis::findings::{CostSide, Findings, Recommendation, findings};
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::tables::{Table, tables};
use pqlab_record::{Disturbance, Parameter, Run, Visit};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A printed number, and its maximum rounding error: half a unit of its last digit.
#[derive(Clone, Copy, Debug)]
struct Printed {
    value: f64,
    rounding: f64,
}

impl Printed {
    /// Parses a number such as `28,090`, `≈1.2` or `10.4`, and multiplies the number by `unit`.
    fn new(text: &str, unit: f64) -> Printed {
        let digits = text.trim_start_matches('≈').replace(',', "");
        let value: f64 = digits.parse().unwrap_or_else(|_| panic!("{text:?} is not a number"));
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
        let mut place = 10_f64.powi(-decimals);
        if decimals == 0 {
            // Trailing zeros of a whole number may come from rounding.
            let zeros = digits.len() - digits.trim_end_matches('0').len();
            place = 10_f64.powi(zeros.min(digits.len() - 1) as i32);
        }
        Printed { value: value * unit, rounding: place * unit / 2.0 }
    }

    fn is(self, field: f64, about: &str) {
        let slack = self.rounding * 1.0001 + field.abs() * 1e-9;
        assert!((self.value - field).abs() <= slack, "{about}: printed {self:?}, exported {field}");
    }
}

/// Returns the number of nanoseconds in a unit.
fn ns(unit: &str) -> f64 {
    match unit {
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        other => panic!("{other:?} is not a unit of time"),
    }
}

/// Parses a time such as `10.4 µs` and converts it to ns.
fn time(text: &str) -> Printed {
    let (number, unit) = text.trim().rsplit_once(' ').unwrap_or_else(|| panic!("{text:?} is not a time"));
    Printed::new(number, ns(unit))
}

fn exported(format: &str, analysis: &RunAnalysis<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    exporter(format).unwrap().export(analysis, &mut bytes).unwrap();
    bytes
}

/// Rows of the JSON export, by id.
struct Export {
    rows: BTreeMap<String, Value>,
}

impl Export {
    fn new(analysis: &RunAnalysis<'_>) -> Export {
        let document: Value = serde_json::from_slice(&exported("json", analysis)).unwrap();
        let areas = document["results"].as_object().unwrap().values();
        let rows = areas.flat_map(|rows| rows.as_array().unwrap());
        let rows = rows.map(|row| (row["id"].as_str().unwrap().to_owned(), row.clone())).collect();
        Export { rows }
    }

    fn number(&self, id: &str, field: &str) -> Option<f64> {
        self.rows[id][field].as_f64()
    }

    fn ends(&self, id: &str, field: &str) -> [f64; 2] {
        [0, 1].map(|end| self.rows[id][field][end].as_f64().unwrap())
    }

    fn by_mean(&self, ids: &[String]) -> bool {
        ids.len() > 1 || self.rows[&ids[0]]["statistic"] == "mean"
    }

    /// Returns the mean of a case. `at_expected` is the name of its field in `attempts`. `of_samples` is the name of
    /// its field in the row, for cases without `attempts`.
    fn mean(&self, id: &str, at_expected: &str, of_samples: &str) -> &Value {
        match &self.rows[id]["attempts"] {
            Value::Null => &self.rows[id][of_samples],
            attempts => &attempts[at_expected],
        }
    }

    /// Returns the total time of the given cases in ns: the sum of their means or of their medians.
    fn time_ns(&self, ids: &[String], by_mean: bool) -> f64 {
        let figure = |id: &String| {
            let mean = self.mean(id, "at_expected_us", "mean_us");
            if by_mean { mean.as_f64() } else { self.number(id, "median_us") }
        };
        ids.iter().map(|id| 1e3 * figure(id).unwrap()).sum()
    }

    fn cycles(&self, ids: &[String], by_mean: bool) -> Option<f64> {
        let figure = |id: &String| {
            let mean = self.mean(id, "at_expected_cycles", "mean_core_cycles");
            if by_mean { mean.as_f64() } else { self.number(id, "core_cycles") }
        };
        ids.iter().map(figure).sum()
    }

    fn rate(&self, id: &str) -> Option<f64> {
        self.mean(id, "ops_per_s", "ops_per_s").as_f64()
    }

    /// Returns the ends of the interval of a case's headline figure, in ns.
    fn headline_ends(&self, id: &str) -> [f64; 2] {
        let mean = self.mean(id, "at_expected_ci_us", "mean_ci_us");
        let ends = if self.by_mean(&[id.to_owned()]) { mean } else { &self.rows[id]["median_ci_us"] };
        [0, 1].map(|end| 1e3 * ends[end].as_f64().unwrap())
    }
}

/// Returns a random run of several operations. The run contains noise, drift of machine and clock, disturbed and
/// defective cases, this project's own code, and signers that retry at random.
fn random(rng: &mut Rng) -> Run {
    let noise = [0.0003, 0.002, 0.02][rng.usize(..3)];
    let jobs: [(&str, &str, &str, f64); 12] = [
        ("kem", "ML-KEM-768", "keygen", 15.0),
        ("kem", "ML-KEM-768", "encapsulate", 16.0),
        ("kem", "ML-KEM-768", "decapsulate", 20.0),
        ("kem", "X25519", "keygen", 30.0),
        ("kem", "X25519", "encapsulate", 60.0),
        ("kem", "X25519", "decapsulate", 31.0),
        ("signature", "ML-DSA-65", "sign", 40.0),
        ("signature", "ML-DSA-65", "verify", 50.0),
        ("signature", "Ed25519", "sign", 12.0),
        ("hybrid", "X25519", "handshake", 80.0),
        ("hybrid", "ML-KEM-768", "handshake", 50.0),
        ("hybrid", "X-Wing", "handshake", 134.0),
    ];
    let mut records = Vec::new();
    for provider in ["liboqs", "aws-lc", "openssl", "mldsa-batch:avx2"].into_iter().take(rng.usize(1..5)) {
        let speed = 1.0 + rng.f64();
        let (disturbed, defect) = (rng.f64() < 0.15, rng.f64() < 0.15);
        for (area, algorithm, operation, base) in jobs {
            if provider.starts_with("mldsa") && (algorithm, operation) != ("ML-DSA-65", "verify") {
                continue;
            }
            let own_code = if provider.starts_with("mldsa") { 0.3 } else { 1.0 };
            let mut record = fixtures::record(provider, base * speed * own_code);
            record.case.workload = area.to_owned();
            record.case.algorithm = algorithm.to_owned();
            record.case.operation = operation.to_owned();
            record.case.block = format!("{area}/{operation}");
            record.case.facts.category = algorithm.starts_with("ML").then_some(3);
            if area == "hybrid" {
                record.case.form = None;
                record.case.parameters = vec![Parameter::Word("coins".into(), "exact".into())];
            }
            if area == "signature" && operation != "keygen" {
                record.case.parameters = vec![Parameter::Number("len".into(), 32)];
            }
            if operation == "verify" && defect && provider == "liboqs" {
                record.case.facts.defect = Some("skips a check".to_owned());
            }
            // Add rounds, so that the spread between rounds is estimated and intervals are as
            // narrow as the noise.
            let again =
                record.samples.visits.clone().into_iter().map(|visit| Visit { round: visit.round + 2, ..visit });
            record.samples.visits.extend(again);
            for visit in &mut record.samples.visits {
                let mood = 1.0 + noise * (rng.f64() - 0.5);
                let clock = 1.0 + 0.02 * (f64::from(visit.round) + rng.f64());
                visit.clock_hz = 2.7e9 / clock;
                for ticks in &mut visit.ticks {
                    let mut times = mood * clock * (1.0 + noise * (rng.f64() - 0.5));
                    // Signing retries at random: each attempt succeeds with a probability of 20%.
                    while record.case.algorithm == "ML-DSA-65" && operation == "sign" && rng.f64() < 0.8 {
                        times += 0.4 * mood * clock;
                    }
                    // Rare slow samples shift the mean but not the median.
                    if rng.f64() < 0.02 {
                        times *= 2.0;
                    }
                    *ticks = (*ticks as f64 * times) as u64;
                }
                if disturbed {
                    visit.disturbances = vec![Disturbance::Steal { pct: 30.0 }];
                }
            }
            records.push(record);
        }
    }
    let mut run = Run { records, ..fixtures::run() };
    run.header.plan = run.records.iter().map(|record| record.case.clone()).collect();
    run
}

fn fixture_runs() -> Vec<Run> {
    vec![
        fixtures::run(),
        fixtures::sound_run(),
        fixtures::doubtful_run(),
        fixtures::small_run(),
        fixtures::scaling_run(),
        fixtures::ntor_run(),
        fixtures::ntor_ahead_run(),
        fixtures::references_run(),
        fixtures::libraries_run(),
        fixtures::batches_run(),
        fixtures::workers_run(),
        fixtures::tls_run(),
        fixtures::ssh_run(),
        fixtures::quic_run(),
        fixtures::protocols_run(),
        fixtures::mtc_run(),
        fixtures::cms_run(),
    ]
}

/// The printed forms of a run. All checks share them, because computing them takes longer than the checks.
struct Forms<'a> {
    analysis: RunAnalysis<'a>,
    export: Export,
    found: Findings,
    tables: Vec<Table>,
    markdown: String,
}

impl<'a> Forms<'a> {
    fn new(run: &'a Run) -> Forms<'a> {
        let analysis = RunAnalysis::new(run);
        Forms {
            export: Export::new(&analysis),
            found: findings(&analysis),
            tables: tables(&analysis, &RelayScenario::default()),
            markdown: String::from_utf8(exported("markdown", &analysis)).unwrap(),
            analysis,
        }
    }
}

/// Runs all checks on random runs and on every fixture. The checks return the number of figures that they found, so
/// that the test can assert that they found many.
#[test]
fn printed_figures_agree_with_the_export() {
    let random = (0..60).map(|seed| random(&mut Rng::with_seed(seed)));
    let (mut runs, mut checked, mut resolved) = (0, [0_usize; 5], 0);
    for run in random.chain(fixture_runs()) {
        let forms = Forms::new(&run);
        check_quality_counts(&forms);
        let (rows, attempts) = check_csv(&forms);
        let found = [
            check_findings_and_costs(&forms),
            check_intervals(&forms),
            check_tables_of_cases(&forms),
            check_cell_texts(&forms),
            rows,
        ];
        checked.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
        resolved += attempts;
        runs += 1;
    }
    let enough = checked.iter().zip([200, 200, 1000, 1000, 1000]).all(|(checked, minimum)| *checked > minimum);
    assert!(runs > 60 && enough && resolved > 50, "{runs} {checked:?} {resolved}");
}

/// Parses a time such as `mean 88.8 µs` and converts it to ns. Also returns whether the time is a mean.
fn named_time(text: &str) -> (Printed, bool) {
    match text.strip_prefix("mean ") {
        Some(rest) => (time(rest), true),
        None => (time(text), false),
    }
}

/// Checks that the printed total time of some cases agrees with the export. The text begins with `mean` if the time is
/// a mean.
fn assert_time(text: &str, ids: &[String], export: &Export, about: &str) {
    let (printed, mean) = named_time(text);
    printed.is(export.time_ns(ids, mean), about);
    assert!(mean || !export.by_mean(ids), "{about}: the printed time must be a mean");
}

/// Returns the ids of the same cases with another provider.
fn by(ids: &[String], provider: &str) -> Vec<String> {
    ids.iter().map(|id| format!("{}@{provider}", id.split_once('@').unwrap().0)).collect()
}

fn assert_recommendation(found: &Recommendation, export: &Export) -> usize {
    let about = format!("{found:?}");
    let first = &found.cases[0];
    let measured = !found.cases.is_empty() && !matches!(found.use_case, "Several threads") && found.interval != "exact";
    if !measured || !found.figure.ends_with('s') {
        return 0;
    }
    assert_time(&found.figure, &found.cases, export, &about);
    let (figure, mean) = named_time(&found.figure);
    let Some((low, high)) = found.interval.split_once(" to ") else { return 1 };
    let unit = high.rsplit_once(' ').unwrap().1;
    let [low, high] = [time(&format!("{low} {unit}")), time(high)];
    assert!(low.value <= figure.value && figure.value <= high.value, "{about}");
    if found.cases.len() == 1 && mean == export.by_mean(&found.cases) {
        let ends = export.headline_ends(first);
        low.is(ends[0], &about);
        high.is(ends[1], &about);
    }
    if let Some(rate) = &found.rate {
        let (number, unit) = rate.split_once(' ').unwrap();
        let per_second = 1e9 / export.time_ns(&found.cases, true);
        match unit {
            "a second on one core" => Printed::new(number, 1.0).is(per_second, &about),
            "transactions a second" => {
                let transactions = export.rows[first]["parameters"]["tx"].as_f64().unwrap();
                Printed::new(number, 1.0).is(per_second * transactions, &about);
            }
            "kB/s" => Printed::new(number, 1e3).is(export.number(first, "bytes_per_s").unwrap(), &about),
            "MB/s" => Printed::new(number, 1e6).is(export.number(first, "bytes_per_s").unwrap(), &about),
            "GB/s" => Printed::new(number, 1e9).is(export.number(first, "bytes_per_s").unwrap(), &about),
            other => panic!("{other:?}"),
        }
        if found.cases.len() == 1 && unit.starts_with("a second") {
            Printed::new(number, 1.0).is(export.rate(first).unwrap(), &about);
        }
    }
    let next = Regex::new(
        r"next: (?:[^;]* by )?(\S+), ((?:mean )?\S+ \S+), ≈?([\d.,]+)× \(([\d.,]+)× to ([\d.,]+)×\) in (time|core cycles)",
    );
    for parts in next.unwrap().captures_iter(&found.why) {
        let same =
            found.why.contains(&format!("next: {} by ", found.algorithm)) || found.use_case.contains("single library");
        let [factor, low, high] = [3, 4, 5].map(|place| Printed::new(&parts[place], 1.0));
        assert!(low.value <= factor.value && factor.value <= high.value, "{about}");
        let ids = by(&found.cases, &parts[1]);
        if !same || ids.iter().any(|id| !export.rows.contains_key(id)) {
            continue;
        }
        assert_time(&parts[2], &ids, export, &about);
        assert_quotient(&found.cases, &ids, factor, &parts[6], export, &about);
    }
    let unranked = Regex::new(r"faster but not ranked: (\S+) by (\S+), ((?:mean )?\S+ \S+) \(([^:)]+)").unwrap();
    for parts in unranked.captures_iter(&found.why).filter(|parts| found.algorithm == parts[1]) {
        let ids = by(&found.cases, &parts[2]);
        assert_time(&parts[3], &ids, export, &about);
        let reasons: Vec<&str> = ids.iter().filter_map(|id| export.rows[id]["not_ranked_because"].as_str()).collect();
        assert_eq!(reasons.first(), Some(&&parts[4]), "{about}");
    }
    1
}

/// Checks that a printed factor is the quotient of the exported figures in `unit`.
fn assert_quotient(first: &[String], second: &[String], factor: Printed, unit: &str, export: &Export, about: &str) {
    let by_mean = export.by_mean(first) || export.by_mean(second);
    let figure = |ids: &[String]| match unit {
        "core cycles" => export.cycles(ids, by_mean).unwrap(),
        _ => export.time_ns(ids, by_mean),
    };
    factor.is(figure(second) / figure(first), about);
}

fn check_findings_and_costs(forms: &Forms<'_>) -> usize {
    let Forms { export, found, .. } = forms;
    let mut checked: usize = found.recommendations.iter().map(|one| assert_recommendation(one, export)).sum();
    for cost in &found.costs {
        let about = format!("{cost:?}");
        let side = |side: &CostSide| {
            let (printed, mean) = named_time(&side.time);
            printed.is(export.time_ns(&side.cases, mean), &about);
        };
        side(&cost.post_quantum);
        side(&cost.classical);
        let factor = Printed { value: cost.factor.estimate, rounding: 1e-9 };
        let unit = pqlab_analysis::findings::unit_words(cost.unit);
        assert_quotient(&cost.classical.cases, &cost.post_quantum.cases, factor, unit, export, &about);
        assert!(cost.factor.low <= cost.factor.estimate && cost.factor.estimate <= cost.factor.high, "{about}");
        checked += 1;
    }
    checked
}

fn check_quality_counts(forms: &Forms<'_>) {
    let Forms { analysis, export, found, tables, .. } = forms;
    let lines = answer(analysis, found);
    let quality = lines.iter().find(|line| line.starts_with("Quality: ")).unwrap();
    let rows: Vec<&Value> = export.rows.values().filter(|row| row["workload"] != "floor").collect();
    let count = |holds: &dyn Fn(&Value) -> bool| rows.iter().filter(|row| holds(row)).count();
    let with = |precision: &str| count(&|row| row["quality"]["precision"] == precision);
    let (reached, missed) = (with("reached"), with("missed"));
    if reached + missed > 0 {
        let text = format!("{reached} of {} case", reached + missed);
        assert!(quality.contains(&text), "{quality}: {text}");
    }
    for (number, what) in [
        (missed, "imprecise"),
        (count(&|row| row["quality"]["disturbed"] == true), "disturbed"),
        (count(&|row| row["status"] == "failed"), "failed"),
        (count(&|row| !row["defect"].is_null()), "with a known defect"),
    ] {
        assert_eq!(quality.contains(&format!("; {number} {what}")), number > 0, "{quality}: {number} {what}");
    }
    let measured = count(&|row| row["quality"]["run_spread"] == "measured");
    assert_eq!(quality.contains("spread between runs measured"), measured > 0, "{quality}");
    for row in tables.iter().filter(|table| table.name == "decomposition").flat_map(|table| &table.rows) {
        let number = |place: usize| row.cells[place].text.split(' ').next().unwrap().to_owned();
        let [one, two, whole, rest] = [2, 3, 4, 5].map(|place| number(place).parse::<f64>().unwrap());
        let rounding = Printed::new(&number(4), 1.0).rounding;
        assert!((whole - one - two - rest).abs() <= 4.0 * rounding * 1.001, "{:?}", row.cells);
    }
    // The printed rest must be the whole minus both halves.
    let parts =
        Regex::new(r"mean ([\d.]+) µs .*: ([\d.]+) µs \S+ \+ ([\d.]+) µs \S+ ([+-]) ([\d.]+) µs combiner").unwrap();
    if let Some(of) = lines.iter().find_map(|line| parts.captures(line)) {
        let [whole, one, two, rest] = [1, 2, 3, 5].map(|place| Printed::new(&of[place], 1.0));
        let rest_value = if &of[4] == "-" { -rest.value } else { rest.value };
        let off = (whole.value - one.value - two.value - rest_value).abs();
        assert!(off <= 4.0 * whole.rounding * 1.001, "{}", &of[0]);
    }
}

fn check_tables_of_cases(forms: &Forms<'_>) -> usize {
    let Forms { analysis, export, markdown, .. } = forms;
    let terminal = run_table(analysis, &[], 1000, Palette::PLAIN);
    let row = Regex::new(r"^    (\S+(?: \([^)]*\))?) +(≈?[\d.,]+ (?:ns|µs|ms|s)) +±([\d.,<]+)% +(?:≈?([\d.,]+)( [MGT])? +±[\d.,<]+%)?(?: +[\d.]+)?? +(≈?[\d.,]+ (?:ns|µs|ms|s)) +≈?([\d.,]+)( M)?(/s| tx/s| [kMG]B/s) ").unwrap();
    let mut lines = terminal.lines().filter_map(|line| row.captures(&format!("{line} ")).map(|_| format!("{line} ")));
    let mut checked = 0;
    let areas = analysis.areas();
    let in_order = areas.iter().flat_map(|area| analysis.groups(area)).flat_map(|group| group.cases);
    for case in in_order.filter(|case| case.estimates.is_some()) {
        let id = case.case().id();
        let line = lines.next().unwrap_or_else(|| panic!("no row for {id}:\n{terminal}"));
        let of = row.captures(&line).unwrap();
        let about = format!("{id}: {line}");
        assert_eq!(of[1].split(' ').next(), Some(case.case().provider.as_str()), "{about}");
        let one = [id.clone()];
        time(&of[2]).is(export.time_ns(&one, export.by_mean(&one)), &about);
        if !of[3].starts_with('<') {
            Printed::new(&of[3], 1.0).is(export.number(&id, "half_width_pct").unwrap(), &about);
        }
        if let Some(cycles) = of.get(4) {
            let unit = of.get(5).map_or(1.0, |unit| match unit.as_str() {
                " M" => 1e6,
                " G" => 1e9,
                _ => 1e12,
            });
            Printed::new(cycles.as_str(), unit).is(export.cycles(&one, export.by_mean(&one)).unwrap(), &about);
        }
        time(&of[6]).is(export.time_ns(&one, true), &about);
        let rate = export.rate(&id).unwrap();
        let million = if of.get(8).is_some() { 1e6 } else { 1.0 };
        let rate = match &of[9] {
            "/s" => rate,
            " tx/s" => rate * export.rows[&id]["parameters"]["tx"].as_f64().unwrap(),
            unit => {
                let scale = if unit == " kB/s" {
                    1e3
                } else if unit == " MB/s" {
                    1e6
                } else {
                    1e9
                };
                export.number(&id, "bytes_per_s").unwrap() / scale
            }
        };
        Printed::new(&of[7], million).is(rate, &about);
        // Find the Markdown row by the names of the job and the provider.
        let start = format!("| {} | {} | ", escape(&case.job()), escape(&case.case().provider));
        let section = markdown.split(&format!("\n## {}\n", escape(&case.case().workload))).nth(1).unwrap();
        if let Some(line) = section.lines().find(|line| line.starts_with(&start)) {
            let cells: Vec<&str> = line[start.len()..].split(" | ").collect();
            assert_time(cells[0], &one, export, &about);
            let (low, high) = cells[1].split_once(" to ").unwrap();
            let unit = high.rsplit_once(' ').unwrap().1;
            let ends = export.headline_ends(&id);
            time(&format!("{low} {unit}")).is(ends[0], line);
            time(high).is(ends[1], line);
            let rate = export.rate(&id).unwrap();
            match cells[5].strip_suffix(" tx/s") {
                Some(transactions) => {
                    let each = export.rows[&id]["parameters"]["tx"].as_f64().unwrap();
                    Printed::new(transactions, 1.0).is(rate * each, line);
                }
                None => Printed::new(cells[5], 1.0).is(rate, line),
            }
        }
        checked += 1;
    }
    assert!(lines.next().is_none(), "{terminal}");
    checked
}

/// In every text, a figure followed by an interval must lie within the interval.
fn check_intervals(forms: &Forms<'_>) -> usize {
    static PAIR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"≈?([\d.,]+)(×| ns| µs| ms| s)? \(≈?([\d.,]+)(?:×)? to ([\d.,]+)(×| ns| µs| ms| s)").unwrap()
    });
    let Forms { analysis, found, tables, markdown, .. } = forms;
    let texts = [
        &run_table(analysis, tables, 1000, Palette::PLAIN),
        &answer(analysis, found).join("\n"),
        markdown,
        &String::from_utf8(exported("latex", analysis)).unwrap(),
    ];
    let mut checked = 0;
    for parts in texts.iter().flat_map(|text| PAIR.captures_iter(text)) {
        if parts.get(2).map(|unit| unit.as_str()) != Some(&parts[5]) {
            continue;
        }
        let [estimate, low, high] = [1, 3, 4].map(|place| Printed::new(&parts[place], 1.0).value);
        assert!(low <= estimate && estimate <= high, "{}", &parts[0]);
        checked += 1;
    }
    checked
}

/// CSV must contain the same numbers as JSON. The numbers in JSON must be consistent with each other. Returns the
/// number of rows, and how many of them have a figure for the expected number of attempts.
fn check_csv(forms: &Forms<'_>) -> (usize, usize) {
    let Forms { analysis, export, .. } = forms;
    let mut resolved = 0;
    let bytes = exported("csv", analysis);
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let heading = reader.headers().unwrap().clone();
    let at = |name: &str| heading.iter().position(|known| known == name).unwrap();
    for row in reader.records().map(Result::unwrap) {
        let id = &row[at("id")];
        for name in ["median_us", "mean_us", "ops_per_s", "core_cycles", "mean_core_cycles", "half_width_pct"] {
            assert_eq!(row[at(name)].parse().ok(), export.number(id, name), "{id} {name}");
        }
        for (name, column) in [("at_expected_us", "at_expected_us"), ("each_cycles", "each_attempt_cycles")] {
            assert_eq!(row[at(column)].parse().ok(), export.rows[id]["attempts"][name].as_f64(), "{id} {name}");
        }
        for (field, low, high) in [
            ("mean_ci_us", "mean_low_us", "mean_high_us"),
            ("median_ci_us", "median_low_us", "median_high_us"),
            ("ops_per_s_ci", "ops_per_s_low", "ops_per_s_high"),
        ] {
            if !export.rows[id][field].is_null() {
                let ends = [low, high].map(|name| row[at(name)].parse::<f64>().unwrap());
                assert_eq!(ends, export.ends(id, field), "{id} {field}");
            }
        }
    }
    for (id, row) in &export.rows {
        if row["status"] != "ok" || row["mean_us"].is_null() {
            continue;
        }
        let within = |value: &str, interval: &str| {
            if let Some(value) = export.number(id, value) {
                let [low, high] = export.ends(id, interval);
                assert!(low <= value && value <= high, "{id} {interval}: {value} not in {low} to {high}");
            }
        };
        within("median_us", "median_ci_us");
        within("mean_us", "mean_ci_us");
        within("ops_per_s", "ops_per_s_ci");
        within("core_cycles", "core_cycles_ci");
        within("mean_core_cycles", "mean_core_cycles_ci");
        if let Some(rate) = export.number(id, "ops_per_s") {
            assert!((rate * export.number(id, "mean_us").unwrap() / 1e6 - 1.0).abs() < 1e-9, "{id}");
        }
        if let Some(rate) = row["attempts"]["ops_per_s"].as_f64() {
            let [low, high] = export.headline_ends(id);
            let (expected, [first, each]) = (
                export.time_ns(std::slice::from_ref(id), true),
                ["first_us", "each_us"].map(|name| 1e3 * row["attempts"][name].as_f64().unwrap()),
            );
            assert!(low <= expected && expected <= high, "{id}");
            assert!((rate * expected / 1e9 - 1.0).abs() < 1e-9, "{id}");
            let attempts = row["attempts"]["expected"].as_f64().unwrap();
            assert!(((first + (attempts - 1.0) * each) / expected - 1.0).abs() < 0.05, "{id}: {row}");
            resolved += 1;
        }
        assert_eq!(row["ranked"] == true, row["not_ranked_because"].is_null(), "{id}");
        let signs = id.contains("ML-DSA") && id.contains("/sign[");
        assert!(!signs || row["statistic"] == "mean", "{id}: a signer that retries at random must have a mean");
    }
    (export.rows.len(), resolved)
}

/// In tables of several cases, the text of a cell must match its number, and the number must lie within its interval.
/// Measured rates must be reciprocals of means.
fn check_cell_texts(forms: &Forms<'_>) -> usize {
    static FIRST: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^[≈-]?([\d.,]+)( [MGT](?-u:\b))?(?: (ns|µs|ms|s)(?-u:\b))?(?: ([KMG])iB)?").unwrap()
    });
    let Forms { export, tables, .. } = forms;
    let rates: Vec<f64> = export
        .rows
        .iter()
        .filter_map(|(id, row)| {
            let rate = export.rate(id)?;
            // An operation may process a block of transactions, a queue of replies or a batch of certificates.
            let several = ["tx", "queue", "certificates"].map(|name| row["parameters"][name].as_f64().unwrap_or(1.0));
            Some(several.map(|times| rate * times))
        })
        .flatten()
        .collect();
    let mut checked = 0;
    for table in tables {
        for row in &table.rows {
            for (cell, column) in row.cells.iter().zip(&table.columns) {
                let Some(number) = cell.number else { continue };
                let about = format!("{} {}: {cell:?}", table.name, column.name);
                if let Some([low, high]) = number.interval {
                    assert!(low <= number.estimate && number.estimate <= high, "{about}");
                    if column.unit == "1/s" {
                        let known = |rate: &f64| (rate / number.estimate - 1.0).abs() < 1e-6;
                        assert!(
                            table.name == "claims" || rates.iter().any(known),
                            "{about}: no such rate in the export"
                        );
                    }
                }
                let Some(parts) = FIRST.captures(&cell.text) else { continue };
                // In the table of claims, a column names the unit of each row.
                let unit_column = table.columns.iter().position(|column| column.name == "unit");
                let unit = unit_column.map_or(column.unit, |place| row.cells[place].text.as_str());
                let scale = match (parts.get(3), unit) {
                    (Some(unit), of @ ("ns" | "µs" | "ms" | "s")) => ns(unit.as_str()) / ns(of),
                    _ => 1.0,
                };
                let binary = parts.get(4).map_or(1.0, |unit| match unit.as_str() {
                    "K" => 1024.0,
                    "M" => 1024.0 * 1024.0,
                    _ => 1024.0 * 1024.0 * 1024.0,
                });
                let scale = scale
                    * binary
                    * parts.get(2).map_or(1.0, |unit| match unit.as_str() {
                        " M" => 1e6,
                        " G" => 1e9,
                        _ => 1e12,
                    });
                let sign = if cell.text.starts_with('-') { -1.0 } else { 1.0 };
                let printed = Printed::new(&parts[1], scale);
                Printed { value: sign * printed.value, ..printed }.is(number.estimate, &about);
                checked += 1;
            }
        }
    }
    checked
}
