use super::{
    HEADER, SamplesError, VERSION, WITHOUT_CONDITIONS, WITHOUT_CPU_TIMES, WITHOUT_STARTS, conditions, cpu_times,
    decode, encode, from_payload, payload, starts, wire,
};
use crate::tests::only;
use flate2::{Compression, write::DeflateEncoder};
use pqlab_record::{Chunk, Conditions, CpuTime, Disturbance, Metric, Residue, Samples, Visit};
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

/// Equal to the last bit: `==` takes minus zero for zero, and the printed form tells them apart.
fn same(one: &Samples, other: &Samples) -> bool {
    one == other && format!("{one:?}") == format!("{other:?}")
}

fn sealed(length: u32, compressed: &[u8]) -> Vec<u8> {
    sealed_as(VERSION, length, compressed)
}

fn sealed_as(version: u8, length: u32, compressed: &[u8]) -> Vec<u8> {
    let body = [&length.to_le_bytes()[..], compressed].concat();
    [&[version][..], &crc32fast::hash(&body).to_le_bytes(), &body].concat()
}

proptest! {
    #[test]
    fn what_is_decoded_is_what_was_encoded(samples in any_samples()) {
        prop_assert!(same(&decode(&encode(&samples).unwrap()).unwrap(), &samples));
    }

    #[test]
    fn no_changed_byte_goes_unnoticed(samples in any_samples(), at in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut bytes = encode(&samples).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn no_cut_goes_unnoticed(samples in any_samples(), at in any::<prop::sample::Index>()) {
        let bytes = encode(&samples).unwrap();
        prop_assert!(decode(&bytes[..at.index(bytes.len())]).is_err());
    }
}

#[test]
fn not_a_number_and_minus_zero_keep_their_bits() {
    let mut samples = Samples::none();
    let values = vec![f64::from_bits(0x7ff8_0000_dead_beef), -0.0, f64::NEG_INFINITY, 9_007_199_254_740_993.0];
    samples.visits.push(Visit {
        start: 0,
        process: 0,
        round: 0,
        repeats: 0,
        disturbances: vec![],
        clock_hz: f64::NAN,
        ticks: vec![u64::MAX, 0],
        wall_ns: vec![],
        extra: vec![("delay".into(), values.clone()), ("zero".into(), vec![-0.0]), ("none".into(), vec![])],
        conditions: Default::default(),
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
        let visit = Visit {
            start: 0,
            process,
            round: 0,
            repeats: 0,
            disturbances: vec![],
            clock_hz: 2.7e9,
            ticks,
            wall_ns: vec![],
            extra: vec![],
            conditions: Default::default(),
        };
        samples.visits.push(visit);
    }
    let length = encode(&samples).unwrap().len();
    assert!(length < 20_000, "{length} bytes for 10,000 readings");
}

#[test]
fn lies_are_told_apart() {
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
    assert!(matches!(from_payload::<cpu_times::Samples>(&longer), Err(SamplesError::Trailing(1))));
}

#[test]
fn what_was_written_without_starts_is_the_firsts() {
    let mut samples = Samples::none();
    for start in [2, 0, 0] {
        samples.visits.push(Visit {
            start,
            process: 1,
            round: 4,
            repeats: 0,
            disturbances: vec![],
            clock_hz: 2.7e9,
            ticks: vec![21_000, 21_017],
            wall_ns: vec![],
            extra: vec![],
            conditions: Default::default(),
        });
    }
    assert_eq!(decode(&encode(&samples).unwrap()).unwrap(), samples);
    let old = postcard::to_stdvec(&wire::Samples::from(&samples)).unwrap();
    let decoded = decode(&sealed_as(WITHOUT_STARTS, old.len() as u32, &deflated(&old))).unwrap();
    assert!(decoded.visits.iter().map(|visit| visit.start).eq([0, 0, 0]));
    assert_eq!(decoded.visits[0].ticks, samples.visits[0].ticks);
    // Starts of more visits than there are, and of fewer.
    for count in [2, 4, u64::MAX] {
        let lie = [&old[..], &postcard::to_stdvec(&vec![(0_u32, count)]).unwrap()].concat();
        let refused = decode(&sealed_as(WITHOUT_CONDITIONS, lie.len() as u32, &deflated(&lie)));
        assert!(matches!(refused, Err(SamplesError::Starts)), "{refused:?}");
    }
}

#[test]
fn conditions_come_back_and_are_unknown_where_they_were_not_kept() {
    let mut samples = Samples::none();
    for chunks in [vec![], vec![Chunk { samples: 2, clock_hz: 3.7e9, shared: true }]] {
        samples.visits.push(Visit {
            start: 0,
            process: 1,
            round: 4,
            repeats: 0,
            disturbances: vec![],
            clock_hz: 2.7e9,
            ticks: vec![21_000, 21_017],
            wall_ns: vec![],
            extra: vec![],
            conditions: Conditions {
                chunks,
                processor: Some(3),
                residues: Some(Residue::ALL.to_vec()),
                first_call_ns: Some(3e7),
                cpu_time: Some(CpuTime { cpu_ns: 9_900_000, wall_ns: 10_000_000 }),
            },
        });
    }
    assert_eq!(decode(&encode(&samples).unwrap()).unwrap(), samples);
    let old = postcard::to_stdvec(&starts::Samples::from(&samples)).unwrap();
    let decoded = decode(&sealed_as(WITHOUT_CONDITIONS, old.len() as u32, &deflated(&old))).unwrap();
    assert!(decoded.visits.iter().all(|visit| visit.conditions == Conditions::default()));
    // Conditions of fewer visits than there are.
    let lie = [&old[..], &[0]].concat();
    let refused = decode(&sealed_as(WITHOUT_CPU_TIMES, lie.len() as u32, &deflated(&lie)));
    assert!(matches!(refused, Err(SamplesError::Conditions)), "{refused:?}");
    // Conditions of before CPU times were kept.
    let old = postcard::to_stdvec(&conditions::Samples::from(&samples)).unwrap();
    let decoded = decode(&sealed_as(WITHOUT_CPU_TIMES, old.len() as u32, &deflated(&old))).unwrap();
    for (visit, whole) in decoded.visits.iter().zip(&samples.visits) {
        assert_eq!(visit.conditions, Conditions { cpu_time: None, ..whole.conditions.clone() });
    }
    let lie = [&old[..], &postcard::to_stdvec(&[Some((1_u64, 1_u64))].to_vec()).unwrap()].concat();
    let refused = decode(&sealed(lie.len() as u32, &deflated(&lie)));
    assert!(matches!(refused, Err(SamplesError::CpuTimes)), "{refused:?}");
}

fn deflated(payload: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(payload).unwrap();
    encoder.finish().unwrap()
}

/// A child with 512 MiB of address space is killed by any allocation that trusts a length in the bytes.
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
            decode(&sealed_as(WITHOUT_STARTS, length, &bytes)).ok();
            decode(&sealed(length % (1032 * bytes.len() as u32 + 1), &bytes)).ok();
            from_payload::<starts::Samples>(&bytes).ok();
            from_payload::<conditions::Samples>(&bytes).ok();
            from_payload::<cpu_times::Samples>(&bytes).ok();
            from_payload::<wire::Samples>(&bytes).ok();
            Ok(())
        })
        .unwrap();
}
