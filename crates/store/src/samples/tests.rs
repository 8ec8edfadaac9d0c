use super::{HEADER, SamplesError, VERSION, decode, encode, from_payload, payload, wire};
use crate::tests::only;
use flate2::{Compression, write::DeflateEncoder};
use pqlab_record::{Chunk, Conditions, CpuTime, Disturbance, Metric, Offsets, Residue, Samples, Visit};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::io::Write;

fn disturbances() -> impl Strategy<Value = Disturbance> {
    prop_oneof![
        any::<f64>().prop_map(|pct| Disturbance::Steal { pct }),
        any::<u64>().prop_map(|count| Disturbance::InvoluntarySwitches { count }),
        any::<f64>().prop_map(|pct| Disturbance::CpuShare { pct }),
        any::<f64>().prop_map(|pct| Disturbance::Pressure { pct }),
        any::<f64>().prop_map(|pct| Disturbance::ClockDrift { pct }),
        (any::<f64>(), any::<bool>()).prop_map(|(pct, kept)| Disturbance::SharedCore { pct, kept }),
        any::<u64>().prop_map(|count| Disturbance::OtherTasks { count }),
    ]
}

fn visits() -> impl Strategy<Value = Visit> {
    let readings = || prop_oneof![vec(any::<u64>(), 0..20), vec(20_000u64..30_000, 0..200)];
    let whole = (0u64..1 << 54).prop_map(|value| value as f64);
    let values = prop_oneof![vec(any::<f64>(), 0..20), vec(whole, 0..50)];
    let numbers = (prop_oneof![0u32..3, any::<u32>()], any::<u32>(), any::<u32>(), any::<u32>());
    let head = (numbers, vec(disturbances(), 0..3), any::<f64>());
    (head, readings(), readings(), vec((".*", values), 0..3)).prop_map(|(head, ticks, wall_ns, extra)| {
        let ((start, process, round, repeats), disturbances, clock_hz) = head;
        Visit {
            start,
            process,
            round,
            repeats,
            disturbances,
            clock_hz,
            ticks,
            wall_ns,
            extra,
            conditions: Default::default(),
        }
    })
}

fn any_samples() -> impl Strategy<Value = Samples> {
    let metrics = vec![Metric::Wall, Metric::Tsc, Metric::Cycles, Metric::Instructions];
    let all = (prop::sample::select(metrics), option::of(any::<f64>()), any::<u64>(), vec(visits(), 0..6));
    all.prop_map(|(metric, ns_per_tick, batch, visits)| Samples { metric, ns_per_tick, batch, visits })
}

/// Returns whether two values are equal and also print the same. `==` treats zero and minus zero as equal, but they
/// print differently.
fn same(one: &Samples, other: &Samples) -> bool {
    one == other && format!("{one:?}") == format!("{other:?}")
}

fn sealed(length: u32, compressed: &[u8]) -> Vec<u8> {
    let body = [&length.to_le_bytes()[..], compressed].concat();
    [&[VERSION][..], &crc32fast::hash(&body).to_le_bytes(), &body].concat()
}

/// A visit with two samples.
fn visit() -> Visit {
    Visit {
        start: 0,
        process: 1,
        round: 4,
        repeats: 0,
        disturbances: vec![],
        clock_hz: 2.7e9,
        ticks: vec![21_000, 21_017],
        wall_ns: vec![],
        extra: vec![],
        conditions: Conditions::default(),
    }
}

/// Conditions with every field set.
fn conditions() -> Conditions {
    Conditions {
        chunks: vec![Chunk { samples: 2, clock_hz: 3.7e9, shared: true }],
        processor: Some(3),
        residues: Some(Residue::ALL.to_vec()),
        first_call_ns: Some(3e7),
        cpu_time: Some(CpuTime { cpu_ns: 9_900_000, wall_ns: 10_000_000 }),
        offsets: None,
    }
}

proptest! {
    #[test]
    fn decoding_restores_the_encoded_samples(samples in any_samples()) {
        prop_assert!(same(&decode(&encode(&samples).unwrap()).unwrap(), &samples));
    }

    #[test]
    fn decoder_detects_a_changed_byte(samples in any_samples(), at in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut bytes = encode(&samples).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn decoder_detects_truncation(samples in any_samples(), at in any::<prop::sample::Index>()) {
        let bytes = encode(&samples).unwrap();
        prop_assert!(decode(&bytes[..at.index(bytes.len())]).is_err());
    }
}

#[test]
fn not_a_number_and_minus_zero_keep_their_bits() {
    let mut samples = Samples::none();
    let values = vec![f64::from_bits(0x7ff8_0000_dead_beef), -0.0, f64::NEG_INFINITY, 9_007_199_254_740_993.0];
    samples.visits.push(Visit {
        clock_hz: f64::NAN,
        ticks: vec![u64::MAX, 0],
        extra: vec![("delay".into(), values.clone()), ("zero".into(), vec![-0.0]), ("none".into(), vec![])],
        ..visit()
    });
    let decoded = decode(&encode(&samples).unwrap()).unwrap();
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&decoded.visits[0].extra[0].1), bits(&values));
    assert_eq!(bits(&decoded.visits[0].extra[1].1), bits(&[-0.0]));
    assert_eq!(decoded.visits[0].ticks, [u64::MAX, 0]);
    assert_eq!(payload(&decoded).unwrap(), payload(&samples).unwrap());
}

#[test]
fn ten_thousand_readings_take_less_than_two_bytes_each() {
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 54
    };
    let mut samples = Samples::none();
    for process in 0..10 {
        let ticks = (0..1000).map(|_| 21_000 + (noise() + noise()) / 4).collect();
        samples.visits.push(Visit { process, ticks, ..visit() });
    }
    let length = encode(&samples).unwrap().len();
    assert!(length < 20_000, "{length} bytes for 10,000 readings");
}

#[test]
fn rejects_malformed_bytes_with_the_reason() {
    let bytes = encode(&Samples::none()).unwrap();
    assert!(matches!(decode(&[]), Err(SamplesError::Truncated(0))));
    assert!(matches!(decode(&[&[9], &bytes[1..]].concat()), Err(SamplesError::Version(9))));
    assert!(matches!(decode(&[&bytes[..], &[0]].concat()), Err(SamplesError::Checksum)));
    let (length, compressed) = (payload(&Samples::none()).unwrap().len() as u32, &bytes[HEADER..]);
    assert!(decode(&sealed(length, compressed)).is_ok());
    assert!(matches!(decode(&sealed(length + 1, compressed)), Err(SamplesError::Length(_))));
    assert!(matches!(decode(&sealed(length - 1, compressed)), Err(SamplesError::Length(_))));
    assert!(matches!(decode(&sealed(u32::MAX, compressed)), Err(SamplesError::Length(_))));
    assert!(matches!(decode(&sealed(length, &[compressed, &[0]].concat())), Err(SamplesError::Trailing(1))));
    assert!(matches!(decode(&sealed(length, &[0xff; 8])), Err(SamplesError::Deflate(_))));
    let longer = [&payload(&Samples::none()).unwrap()[..], &[0]].concat();
    assert!(matches!(from_payload(&longer, false), Err(SamplesError::Trailing(1))));
}

#[test]
fn decoding_restores_starts_and_conditions() {
    let visits = vec![Visit { start: 2, conditions: conditions(), ..visit() }, visit(), visit()];
    let samples = Samples { visits, ..Samples::none() };
    assert_eq!(decode(&encode(&samples).unwrap()).unwrap(), samples);
}

#[test]
fn offsets_need_version_5_and_nothing_else_does() {
    let offsets = Some(Offsets { stack: 4080, heap: 16, keys: 512 });
    let known = Visit { conditions: Conditions { offsets, ..conditions() }, ..visit() };
    let mut samples = Samples { visits: vec![known, visit(), visit()], ..Samples::none() };
    let encoded = encode(&samples).unwrap();
    assert_eq!(encoded[0], 5);
    assert_eq!(decode(&encoded).unwrap(), samples);
    let with = payload(&samples).unwrap();
    samples.visits[0].conditions.offsets = None;
    assert_eq!(encode(&samples).unwrap()[0], 4);
    let without = payload(&samples).unwrap();
    // One entry for each visit. Those of the first visit are 4080, 16 and 512.
    assert_eq!(with, [&without[..], &bytes(&["03 01 f01f 10 8004 00 00"])].concat());
    let fewer = [&without[..], &bytes(&["02 01 f01f 10 8004 00"])].concat();
    assert!(matches!(from_payload(&fewer, true), Err(SamplesError::Offsets)));
    assert!(matches!(from_payload(&with, false), Err(SamplesError::Trailing(9))));
}

#[test]
fn rejects_tables_that_do_not_fit_the_visits() {
    let refusal = |change: &dyn Fn(&mut wire::Samples)| {
        let mut shape = wire::Samples::from(&Samples { visits: vec![visit(); 3], ..Samples::none() });
        change(&mut shape);
        let payload = postcard::to_stdvec(&shape).unwrap();
        decode(&sealed(payload.len() as u32, &deflated(&payload))).unwrap_err().to_string()
    };
    for starts in [vec![], vec![(0, 2)], vec![(0, 4)], vec![(0, u64::MAX)], vec![(0, 3), (1, u64::MAX)]] {
        let reason = refusal(&|shape| shape.starts.clone_from(&starts));
        assert_eq!(reason, "start table covers a different number of visits than the payload", "{starts:?}");
    }
    let reason = refusal(&|shape| drop(shape.conditions.pop()));
    assert_eq!(reason, "number of condition records does not match number of visits");
    let reason = refusal(&|shape| shape.cpu_times.push(None));
    assert_eq!(reason, "number of CPU times does not match number of visits");
}

/// Pins the format. The bytes in this test must never change: a new structure needs a new version and a separate test.
#[test]
fn the_payload_has_these_bytes() {
    let disturbances = vec![
        Disturbance::Steal { pct: 12.5 },
        Disturbance::InvoluntarySwitches { count: 7 },
        Disturbance::CpuShare { pct: 50.0 },
        Disturbance::Pressure { pct: 1.0 },
        Disturbance::ClockDrift { pct: -2.0 },
        Disturbance::SharedCore { pct: 30.0, kept: false },
        Disturbance::SharedCore { pct: 30.0, kept: true },
        Disturbance::OtherTasks { count: 2 },
    ];
    let first = Visit {
        start: 1,
        repeats: 5,
        disturbances,
        wall_ns: vec![6, 4],
        extra: vec![("delay".into(), vec![0.5]), ("bytes".into(), vec![1088.0])],
        conditions: conditions(),
        ..visit()
    };
    let second = Visit { start: 2, ..visit() };
    let expected = bytes(&[
        // Metric, ns_per_tick, batch (300), number of visits.
        "02 01000000000000e03f ac02 02",
        // Process, round, repeats, number of disturbances.
        "01 04 05 08",
        "000000000000002940 0107 020000000000004940 03000000000000f03f",
        "0400000000000000c0 050000000000003e40 060000000000003e40 0702",
        // Clock rate, smallest tick (21,000), the ticks minus the smallest, then the same for
        // wall_ns.
        "00000060d71de441 88a401 020011 04 020200",
        // Extra values: a list with a fraction (0.5), then a list of integers (1,088).
        "02 0564656c6179 0101000000000000e03f 056279746573 00c0080100",
        // The second visit.
        "01 04 00 00 00000060d71de441 88a401 020011 00 00 00",
        // Starts, each with its number of visits.
        "02 0101 0201",
        // Conditions: chunks, processor, residues, first_call_ns.
        "02 0102000000a03091eb4101 0103 010400010203 0100000000389c7c41",
        "00 00 00 00",
        // CPU time of the first visit (9,900,000 of 10,000,000 ns), then none for the second.
        "02 01e09fdc0480ade204 00",
    ]);
    let samples = Samples { metric: Metric::Cycles, ns_per_tick: Some(0.5), batch: 300, visits: vec![first, second] };
    assert_eq!(payload(&samples).unwrap(), expected);
    assert_eq!(decode(&sealed(expected.len() as u32, &deflated(&expected))).unwrap(), samples);
    let metrics = [Metric::Wall, Metric::Tsc, Metric::Cycles, Metric::Instructions];
    let first_byte = metrics.map(|metric| payload(&Samples { metric, ..Samples::none() }).unwrap()[0]);
    assert_eq!(first_byte, [0, 1, 2, 3]);
}

/// Converts hexadecimal digits to bytes.
fn bytes(text: &[&str]) -> Vec<u8> {
    let digits: Vec<char> = text.concat().chars().filter(char::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap()).collect()
}

fn deflated(payload: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(payload).unwrap();
    encoder.finish().unwrap()
}

/// Runs in a child process with 512 MiB of address space. A decoder that trusted the lengths in the bytes would exceed
/// this limit.
#[test]
fn random_bytes_neither_panic_nor_take_memory() {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", r#"ulimit -v 524288 && exec "$@""#, "sh"]).arg(std::env::current_exe().unwrap());
    let output = only(&mut command, "samples::tests::decoder_of_random_bytes").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

#[test]
#[ignore = "run by random_bytes_neither_panic_nor_take_memory"]
fn decoder_of_random_bytes() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases: 10_000, ..Default::default() });
    let strings = (vec(any::<u8>(), 0..600), any::<u32>());
    runner
        .run(&strings, |(bytes, length)| {
            prop_assert!(decode(&bytes).is_err());
            decode(&sealed(length, &bytes)).ok();
            decode(&sealed(length % (1032 * bytes.len() as u32 + 1), &bytes)).ok();
            from_payload(&bytes, false).ok();
            from_payload(&bytes, true).ok();
            Ok(())
        })
        .unwrap();
}
