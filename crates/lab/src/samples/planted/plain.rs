//! Files that no known tool wrote: lists, tables of any shape, throughput, and documents in several lines.

use super::*;
use crate::samples::unit;
use proptest::test_runner::RngSeed;
use std::collections::BTreeMap;

/// Encodes a text as UTF-8 or UTF-16, with one of the usual line ends.
fn encoded(text: &str, encoding: usize) -> Vec<u8> {
    let text = if encoding.is_multiple_of(2) { text.to_owned() } else { text.replace('\n', "\r\n") };
    match encoding / 2 {
        0 => text.into_bytes(),
        1 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        2 => [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
        _ => [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect(),
    }
}

/// Returns the counts in the notes that start with `start`, such as 2 in `left out failed rows (2 of 9)`.
fn counted(notes: &[String], start: &str) -> usize {
    let count = |note: &String| -> Option<usize> {
        let digits = note.strip_prefix(start)?.trim_start_matches(" (");
        digits.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
    };
    notes.iter().filter_map(count).sum()
}

/// Column of a generated table: its name, and the kind of its cells.
#[derive(Clone, Copy, Debug)]
enum Cells {
    Times,
    WholeNumbers,
    FewNumbers,
    Rows,
    Names,
    Words,
    Dates,
    Percentages,
    Outcomes,
    Phases,
    Nothing,
    WithUnit,
}

const COLUMNS: [(&str, Cells); 34] = [
    ("time_us", Cells::Times),
    ("enc (ns)", Cells::Times),
    ("latency", Cells::Times),
    ("old", Cells::Times),
    ("duration", Cells::WithUnit),
    ("total", Cells::WithUnit),
    ("cycles", Cells::WholeNumbers),
    ("value", Cells::WholeNumbers),
    ("time_10ns", Cells::Times),
    ("cycles_k", Cells::WholeNumbers),
    ("x", Cells::WholeNumbers),
    ("count", Cells::FewNumbers),
    ("k", Cells::FewNumbers),
    ("threads", Cells::FewNumbers),
    ("size (bytes)", Cells::FewNumbers),
    ("core", Cells::FewNumbers),
    ("run", Cells::Rows),
    ("", Cells::Rows),
    ("sample", Cells::Rows),
    ("algorithm", Cells::Names),
    ("compiler", Cells::Names),
    ("name", Cells::Names),
    ("host", Cells::Names),
    ("note", Cells::Words),
    ("comment", Cells::Words),
    ("timestamp", Cells::Dates),
    ("when", Cells::Dates),
    ("load", Cells::Percentages),
    ("ok", Cells::Outcomes),
    ("passed", Cells::Outcomes),
    ("phase", Cells::Phases),
    ("stage", Cells::Phases),
    ("spare", Cells::Nothing),
    ("empty_ns", Cells::Nothing),
];

impl Cells {
    fn cell(self, row: usize, random: u32) -> String {
        let pick = |all: &[&str]| all[random as usize % all.len()].to_owned();
        match self {
            Cells::Times => format!("{}.{:02}5", 1 + random % 9000, random % 100),
            Cells::WholeNumbers => (100 + random % 50_000).to_string(),
            Cells::FewNumbers => pick(&["2", "3", "4"]),
            Cells::Rows => (row + 1).to_string(),
            Cells::Names => pick(&["gcc", "clang"]),
            Cells::Words => pick(&["", "first", "cold start", "again"]),
            Cells::Dates => format!("2026-11-{:02}T10:00:00Z", 1 + random % 28),
            Cells::Percentages => format!("{}%", random % 100),
            Cells::Outcomes => pick(&["true", "true", "false"]),
            Cells::Phases => pick(&["measure", "measure", "warm-up"]),
            Cells::Nothing => String::new(),
            Cells::WithUnit => format!("{}.5 {}", 1 + random % 900, ["us", "ms", "ns"][random as usize % 3]),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// Every column of a table is read completely, divides the rows into series, or is named in a note. Every row is
    /// read, or counted in a note.
    #[test]
    fn no_column_and_no_row_of_a_table_is_lost(
        columns in prop::sample::subsequence((0..COLUMNS.len()).collect::<Vec<_>>(), 1..6).prop_shuffle(),
        rows in prop::collection::vec(prop::collection::vec(any::<u32>(), 6), 1..14),
        encoding in 0..8_usize,
    ) {
        let columns: Vec<(&str, Cells)> = columns.into_iter().map(|index| COLUMNS[index]).collect();
        let cells: Vec<Vec<String>> = rows.iter().enumerate().map(|(row, random)| {
            columns.iter().zip(random).map(|((_, cells), random)| cells.cell(row, *random)).collect()
        }).collect();
        let head = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let body: String = cells.iter().map(|row| row.join(";") + "\n").collect();
        // A line of separators is empty, and a header without names is none.
        prop_assume!(cells.iter().all(|row| row.iter().any(|cell| !cell.is_empty())) && head.len() >= columns.len());
        let text = format!("{head}\n{body}");
        let file = match read("x.csv", &encoded(&text, encoding)) {
            Ok(file) => file,
            Err(error) => {
                prop_assert!(!error.contains('\n') && !error.ends_with("contains no samples"), "{text}{error}");
                return Ok(());
            }
        };
        let Samples::Series(found) = &file.samples else { panic!("{text}") };
        let notes = file.notes.join("\n");
        let left_out = counted(&file.notes, "left out failed rows")
            + counted(&file.notes, "left out rows with warm-ups or summaries");
        let mut accounted = 0;
        for (column, (name, kind)) in columns.iter().enumerate() {
            let unnamed = format!("column {}", column + 1);
            let name = if name.is_empty() && column > 0 { &unnamed } else { *name };
            let is_last = |series: &&Series| series.name.rsplit(": ").next() == Some(name);
            let of_column: Vec<&Series> = found.iter().filter(is_last).collect();
            let count: usize = of_column.iter().map(|series| series.samples.len()).sum();
            if count > 0 {
                prop_assert_eq!(count, rows.len() - left_out, "{}: {}{}", name, text, notes);
                accounted += count;
                // The numbers of all rows, in the order of the file.
                if matches!(kind, Cells::Times | Cells::WholeNumbers | Cells::FewNumbers | Cells::Rows) {
                    let planted: Vec<f64> = cells.iter().map(|row| row[column].parse().unwrap()).collect();
                    for series in of_column {
                        let mut rest = planted.iter();
                        prop_assert!(series.samples.iter().all(|one| rest.any(|other| one == other)), "{name}: {text}");
                    }
                }
                continue;
            }
            let quoted = format!("{name:?}");
            let divides = found.iter().any(|series| series.name.contains(&format!("[{name}=")))
                || matches!(kind, Cells::Names) && found.iter().all(|series| {
                    series.name.contains("gcc") || series.name.contains("clang")
                });
            let is_row_numbers = name.is_empty() && matches!(kind, Cells::Rows);
            prop_assert!(divides || notes.contains(&quoted) || is_row_numbers, "{name}: {text}{notes}\n{found:?}");
        }
        prop_assert_eq!(accounted, found.iter().map(|series| series.samples.len()).sum::<usize>(), "{}{}", text, notes);
    }

    /// A number with a unit in its cell is converted to the unit of the first sample, and never changes otherwise. A unit
    /// that contradicts the name of the column is refused.
    #[test]
    fn units_in_cells(
        rows in prop::collection::vec((1_u32..100_000, prop::sample::select(vec!["ns", "us", "ms", "s"])), 1..12),
        head in prop::sample::select(vec!["", "latency", "t_us", "t (ms)"]),
        space in prop::sample::select(vec!["", " "]),
    ) {
        let body: String = rows.iter().map(|(value, unit)| format!("{value}{space}{unit}\n")).collect();
        let text = if head.is_empty() { body } else { format!("{head}\n{body}") };
        let stated = unit::in_name(head);
        let result = read("x.csv", text.as_bytes());
        if let Some(stated) = stated.filter(|stated| rows.iter().any(|(_, unit)| unit != stated)) {
            let error = result.unwrap_err();
            prop_assert!(error.contains(&format!("{stated:?}")) && error.contains("row "), "{text}: {error}");
            return Ok(());
        }
        let SampleFile { samples: Samples::Series(found), .. } = result.unwrap() else { panic!("{text}") };
        let first = stated.unwrap_or(rows[0].1);
        let expected: Vec<f64> =
            rows.iter().map(|(value, unit)| unit::convert(f64::from(*value), unit, first).unwrap()).collect();
        prop_assert_eq!((&found[0].unit[..], &found[0].samples), (first, &expected), "{}", text);
    }

    /// An object of lists. Each list is read, or noted because it is empty. Each other field is counted in a note.
    #[test]
    fn lists_of_json(
        lists in prop::collection::btree_map("[a-z]{3,6}(_us|_ns)?", prop::collection::vec(1_u32..1_000_000, 0..5), 1..5),
        others in prop::collection::btree_map("[A-Z]{2,5}", prop::sample::select(vec!["1", "\"x\"", "null", "{\"a\":1}"]), 0..4),
        encoding in 0..8_usize,
    ) {
        let mut fields: Vec<String> = lists.iter().map(|(name, list)| format!("{name:?}:{list:?}")).collect();
        fields.extend(others.iter().map(|(name, value)| format!("{name:?}: {value}")));
        fields.sort_by_key(String::len);
        let text = format!("{{\n{}\n}}\n", fields.join(",\n"));
        let result = read("x.json", &encoded(&text, encoding));
        let read: BTreeMap<&String, &Vec<u32>> = lists.iter().filter(|(_, list)| !list.is_empty()).collect();
        if read.is_empty() {
            let error = result.unwrap_err();
            prop_assert!(error.contains("contains no samples"), "{text}{error}");
            return Ok(());
        }
        let SampleFile { samples: Samples::Series(found), notes, .. } = result.unwrap() else { panic!("{text}") };
        prop_assert_eq!(found.len(), read.len());
        for one in &found {
            let planted: Vec<f64> = read[&one.name].iter().map(|value| f64::from(*value)).collect();
            prop_assert_eq!((&one.samples, &one.unit[..]), (&planted, unit::in_name(&one.name).unwrap_or("")));
        }
        let notes = notes.join("\n");
        for (name, _) in lists.iter().filter(|(_, list)| list.is_empty()) {
            prop_assert!(notes.contains(&format!("{name:?} has no samples")), "{text}{notes}");
        }
        let counted = format!("left out fields that are not lists ({})", others.len());
        prop_assert_eq!(notes.contains(&counted), !others.is_empty(), "{}{}", text, notes);
    }

    /// Plain numbers, one on each line or in a JSON list, with comments, empty lines, and one line that is not a number.
    #[test]
    fn plain_numbers(
        samples in prop::collection::vec(1_u32..1_000_000, 1..20),
        is_list in any::<bool>(),
        comments in 0..3_usize,
        gaps in 0..3_usize,
        odd in prop::option::of(prop::sample::select(vec!["nan", "inf", "x", "1.2.3", "12,34.5", "--"])),
        place in any::<prop::sample::Index>(),
        encoding in 0..8_usize,
    ) {
        let mut words: Vec<String> = samples.iter().map(|sample| format!("{}", f64::from(*sample) / 64.0)).collect();
        // In JSON, these are two numbers.
        let odd = odd.filter(|odd| !is_list || !odd.contains(','));
        let place = 1 + place.index(words.len());
        if let Some(odd) = odd {
            words.insert(place, odd.to_owned());
        }
        let planted: Vec<f64> = samples.iter().map(|sample| f64::from(*sample) / 64.0).collect();
        let text = if is_list {
            format!("[{}]", words.join(",\n"))
        } else {
            "# comment\n".repeat(comments) + &"\n".repeat(gaps) + &words.join("\n") + "\n"
        };
        let result = read("x.txt", &encoded(&text, encoding));
        match (odd, result) {
            (None, Ok(SampleFile { samples: Samples::Series(found), notes, .. })) => {
                prop_assert_eq!((found.len(), &found[0].samples), (1, &planted), "{}", text);
                let noted = notes.iter().any(|note| *note == format!("left out comment lines ({comments})"));
                prop_assert_eq!(noted, comments > 0 && !is_list, "{:?}", notes);
            }
            (Some(odd), Err(error)) => prop_assert!(
                error.contains(odd) || is_list && error.contains("not JSON") || error.contains("not a number")
                    || error.contains("has 2 cells"),
                "{text}{error}"
            ),
            (_, other) => prop_assert!(false, "{text}{other:?}"),
        }
    }

    /// Several JSON documents, one on each line, are refused by this name, even if the last one is cut off.
    #[test]
    fn json_lines(
        values in prop::collection::vec(1_u32..1000, 3..10), cut in any::<bool>(), encoding in 0..8_usize,
        form in prop::sample::select(vec!["{\"ns\":@}", "{\"reason\":\"benchmark-complete\",\"id\":@}", "[@,1]",
            "{\"Action\":\"output\",\"Output\":\"@\"}", "{\"counter-value\":\"@\",\"event\":\"cycles\"}"]),
    ) {
        let lines: Vec<String> = values.iter().map(|value| form.replace('@', &value.to_string())).collect();
        let mut text = lines.join("\n");
        if cut {
            text.truncate(text.len() - 1);
        }
        let error = read("x.json", &encoded(&text, encoding)).unwrap_err();
        let named = error.contains(&format!("JSON lines ({} lines", values.len())) || error.contains("not samples");
        prop_assert!(named && !error.contains('\n'), "{text}: {error}");
    }

    /// A table of throughput under load. Failed rows are counted, and other columns are named.
    #[test]
    fn throughput_under_load(
        rows in prop::collection::vec((1_u32..64, 1_u32..100_000, 1_u32..1000, any::<bool>()), 1..12),
        order in Just((0..5_usize).collect::<Vec<usize>>()).prop_shuffle(),
        encoding in 0..8_usize,
    ) {
        let row = |cells: [String; 5]| order.iter().map(|place| cells[*place].clone()).collect::<Vec<_>>().join(",") + "\n";
        let mut text = row(["concurrency", "operations", "seconds", "success", "remark"].map(str::to_owned));
        for (concurrency, operations, seconds, passed) in &rows {
            let seconds = f64::from(*seconds) / 8.0;
            text += &row([concurrency.to_string(), operations.to_string(), seconds.to_string(), passed.to_string(), "x".into()]);
        }
        let failed = rows.iter().filter(|row| !row.3).count();
        let result = read("x.csv", &encoded(&text, encoding));
        if failed == rows.len() {
            prop_assert!(result.unwrap_err().contains("left out failed rows"));
            return Ok(());
        }
        let SampleFile { samples: Samples::Loads(loads), notes, .. } = result.unwrap() else { panic!("{text}") };
        let kept: Vec<Load> = rows.iter().filter(|row| row.3).map(|(concurrency, operations, seconds, _)| Load {
            concurrency: u64::from(*concurrency),
            operations: u64::from(*operations),
            seconds: f64::from(*seconds) / 8.0,
        }).collect();
        prop_assert_eq!(loads, kept);
        prop_assert_eq!(counted(&notes, "left out failed rows"), failed);
        prop_assert!(notes.join("\n").contains("\"remark\""), "{notes:?}");
    }

    /// BenchmarkDotNet's measurements. A note counts the rows other than samples.
    #[test]
    fn benchmark_dot_net(
        rows in prop::collection::vec((0_usize..5, 0_usize..2, 1_u32..1000, 1_u32..100), 1..20), encoding in 0..8_usize,
    ) {
        let kinds = [("Workload", "Result"), ("Workload", "Actual"), ("Workload", "Warmup"), ("Workload", "Pilot"),
            ("Overhead", "Actual")];
        let mut text = "Target;Target_Type;Target_Method;Params;Measurement_IterationMode;Measurement_IterationStage;\
                        Measurement_IterationIndex;Measurement_Nanoseconds;Measurement_Operations\n".to_owned();
        for (index, (kind, method, time, operations)) in rows.iter().enumerate() {
            let ((mode, stage), total) = (kinds[*kind], u64::from(*time) * u64::from(*operations));
            text += &format!("T;K;M{method};;{mode};{stage};{index};{total};{operations}\n");
        }
        let wanted = if rows.iter().any(|row| row.0 == 0) { 0 } else { 1 };
        let mut expected: Vec<(usize, Vec<f64>)> = Vec::new();
        for (_, method, time, _) in rows.iter().filter(|row| row.0 == wanted) {
            match expected.iter_mut().find(|(known, _)| known == method) {
                Some((_, samples)) => samples.push(f64::from(*time)),
                None => expected.push((*method, vec![f64::from(*time)])),
            }
        }
        let others = rows.iter().filter(|row| row.0 != wanted).count();
        let notes = note(others, format!("({others} of {})", rows.len())).into_iter().collect::<Vec<_>>();
        let lists: Vec<Vec<f64>> = expected.into_iter().map(|(_, samples)| samples).collect();
        check(read("x-measurements.csv", &encoded(&text, encoding)), &lists, "ns", &notes);
    }

    /// Entries of Google Benchmark in several units. All samples of a series are in the unit of the first.
    #[test]
    fn units_of_google_benchmark(
        entries in prop::collection::vec((0_usize..2, 1_u32..1000, prop::sample::select(vec!["ns", "us", "ms", "s"])), 1..12),
        unknown in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let unknown = unknown.map(|place| place.index(entries.len()));
        let entry = |(place, (name, time, unit)): (usize, &(usize, u32, &str))| {
            let unit = if Some(place) == unknown { "moons" } else { unit };
            json!({"name": format!("BM_{name}"), "real_time": time, "time_unit": unit})
        };
        let text = json!({"benchmarks": entries.iter().enumerate().map(entry).collect::<Vec<_>>()}).to_string();
        let result = read("x.json", text.as_bytes());
        if unknown.is_some() {
            prop_assert!(result.unwrap_err().contains("unknown time unit \"moons\""));
            return Ok(());
        }
        let SampleFile { samples: Samples::Series(found), .. } = result.unwrap() else { panic!() };
        for one in &found {
            let own = || entries.iter().filter(|(name, ..)| format!("BM_{name}") == one.name);
            prop_assert_eq!(Some(&one.unit[..]), own().next().map(|(_, _, unit)| *unit));
            let planted: Vec<f64> =
                own().map(|(_, time, unit)| unit::convert(f64::from(*time), unit, &one.unit).unwrap()).collect();
            prop_assert_eq!(&one.samples, &planted);
        }
        prop_assert_eq!(found.iter().map(|one| one.samples.len()).sum::<usize>(), entries.len());
    }

    /// A file of a known tool that ends too early is refused as JSON that is cut off.
    #[test]
    fn truncated_json(place in any::<prop::sample::Index>(), form in 0..5_usize, encoding in 0..8_usize) {
        let text = [
            json!({"results": [{"command": "c", "times": [1.5, 2.5], "exit_codes": [0, 0]}]}),
            json!({"benchmarks": [{"name": "BM_a", "run_type": "iteration", "real_time": 1.5, "time_unit": "ns"}]}),
            json!({"benchmarks": [{"metadata": {"name": "n"}, "runs": [{"values": [1.5, 2.5]}]}]}),
            json!([{"benchmark": "B", "primaryMetric": {"scoreUnit": "us/op", "rawData": [[1.5, 2.5]]}}]),
            json!({"iters": [1, 2], "times": [1.5, 3.0]}),
        ][form].to_string();
        let cut = &text[..1 + place.index(text.len() - 1)];
        let error = read("x.json", &encoded(cut, encoding)).unwrap_err();
        prop_assert!(error.contains("not JSON: EOF") && !error.contains('\n'), "{cut}: {error}");
    }
}

/// Lists of criterion before version 0.3.5, with and without the sampling mode.
#[test]
fn old_criterion_lists_never_become_samples_of_their_own() {
    for text in ["[\"Linear\",[1,2,3],[10,20.5,31]]", "[[1,2,3],[10,20.5,31]]"] {
        check(read("sample.json", text.as_bytes()), &[vec![10.0, 10.25, 31.0 / 3.0]], "ns", &[]);
    }
}
