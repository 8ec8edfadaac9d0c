//! Simulated records for tests.

use pqlab_record::{Case, Facts, Form, Metric, Record, Samples, Status, Visit};

/// Returns an ML-KEM-768 case for a provider.
pub(crate) fn case(provider: &str, operation: &str) -> Case {
    Case {
        workload: "kem".into(),
        algorithm: "ML-KEM-768".into(),
        operation: operation.into(),
        provider: provider.into(),
        form: Some(Form::Prepared),
        parameters: Vec::new(),
        block: "kem".into(),
        facts: Facts::default(),
    }
}

/// Returns a record with eight processes and four rounds. Each visit's time differs from `ns` by at most 0.3%, and each
/// sample's time differs from its visit's time by at most 0.1%. `seed` determines these differences. The core clock is
/// `clock_hz` in every visit.
pub(crate) fn record(case: &Case, ns: f64, clock_hz: f64, seed: u64) -> Record {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
    };
    let mut visits = Vec::new();
    for round in 0..4 {
        for process in 0..8 {
            let here = ns * (1.0 + 0.003 * noise());
            visits.push(Visit {
                start: 0,
                process,
                round,
                repeats: 0,
                disturbances: Vec::new(),
                clock_hz,
                ticks: (0..20).map(|_| (here * (1.0 + 0.001 * noise())).round() as u64).collect(),
                wall_ns: Vec::new(),
                extra: Vec::new(),
                conditions: Default::default(),
            });
        }
    }
    Record {
        case: case.clone(),
        status: Status::Ok,
        error: None,
        verified: true,
        precision_reached: true,
        second_chance: None,
        samples: Samples { metric: Metric::Wall, ns_per_tick: Some(1.0), batch: 1, visits },
        finished_at: "2026-11-21T18:59:00Z".into(),
    }
}
