//! A run made by hand, for tests: two areas with several providers, a failed case, batches, and the harness floor.

use pqlab_record::{
    Build, Case, Counters, Cpu, Disturbance, Environment, Facts, Form, Host, Memory, Metric, OperatingSystem,
    Parameter, Protocol, ProviderBuild, Record, Residue, Run, RunHeader, Samples, Sizes, Status, Virtualization, Visit,
};

/// A name with all that an output format may stumble over.
pub(crate) const HOSTILE: &str = "a,b\"c\"\r\nd<script>alert('x')</script>\u{1b}[31mé漢字\u{202e}";

const TICKS_PER_NS: f64 = 2.1;

/// `kem/ML-KEM-768/encapsulate` of a provider.
pub(crate) fn case(provider: &str) -> Case {
    Case {
        workload: "kem".into(),
        algorithm: "ML-KEM-768".into(),
        operation: "encapsulate".into(),
        provider: provider.into(),
        form: Some(Form::Prepared),
        parameters: Vec::new(),
        block: "kem".into(),
        facts: Facts {
            generator: None,
            defect: None,
            sizes: Sizes {
                public_key: Some(1184),
                secret_key: Some(2400),
                ciphertext: Some(1088),
                shared_secret: Some(32),
                signature: None,
                ..Sizes::default()
            },
            bytes: None,
            category: Some(3),
        },
    }
}

/// Samples of eight processes in two rounds around a time of one operation in µs: no sample more than 8% and most of them
/// less than 1% away, the slow ones farther than the fast ones.
pub(crate) fn samples(microseconds: f64, batch: u64) -> Samples {
    let mut state = 0x2545_f491_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    let visits = (0..2).flat_map(|round| (0..8).map(move |process| (round, process)));
    let visits = visits.map(|(round, process)| {
        let shift = 1.0 + 0.004 * (f64::from(process) - 3.5) / 3.5;
        let ticks = (0..40).map(|_| {
            let away = if noise() < 0.05 { 0.08 * noise() } else { 0.02 * (noise() - 0.5) };
            (microseconds * 1000.0 * TICKS_PER_NS * batch as f64 * shift * (1.0 + away)).round() as u64
        });
        Visit {
            start: 0,
            process,
            round,
            repeats: 0,
            disturbances: Vec::new(),
            clock_hz: 2.7e9,
            ticks: ticks.collect(),
            wall_ns: Vec::new(),
            extra: Vec::new(),
            conditions: Default::default(),
        }
    });
    Samples { metric: Metric::Tsc, ns_per_tick: Some(1.0 / TICKS_PER_NS), batch, visits: visits.collect() }
}

fn record_of(case: Case, microseconds: f64, batch: u64) -> Record {
    Record {
        case,
        status: Status::Ok,
        error: None,
        verified: true,
        precision_reached: true,
        samples: samples(microseconds, batch),
        finished_at: "2026-11-21T18:59:00Z".into(),
    }
}

/// A good case of a provider.
pub(crate) fn record(provider: &str, microseconds: f64) -> Record {
    record_of(case(provider), microseconds, 1)
}

/// A failed case.
pub(crate) fn failed(error: &str) -> Record {
    Record::failed(case("openssl"), error.into(), "2026-11-21T18:59:00Z".into())
}

fn other(workload: &str, algorithm: &str, operation: &str, provider: &str, parameters: Vec<Parameter>) -> Case {
    Case {
        workload: workload.into(),
        algorithm: algorithm.into(),
        operation: operation.into(),
        parameters,
        block: workload.into(),
        facts: Facts::default(),
        ..case(provider)
    }
}

/// A block of the ledger: so many ML-DSA-65 transactions, verified in so many µs.
pub(crate) fn ledger_block(algorithm: &str, provider: &str, transactions: u64, microseconds: f64) -> Record {
    let parameters = vec![
        Parameter::Number("tx".into(), transactions),
        Parameter::Number("senders".into(), transactions),
        Parameter::Word("regime".into(), "compute".into()),
    ];
    let mut block = other("ledger", algorithm, "verify-block", provider, parameters);
    block.form = Some(Form::Encoded);
    block.facts.bytes = Some(5327 * transactions);
    block.facts.category = Some(3);
    record_of(block, microseconds, 1)
}

/// The run.
pub(crate) fn run() -> Run {
    let marked = vec![
        Parameter::Number("len".into(), 1024),
        Parameter::Flag("deterministic".into()),
        Parameter::Word("regime".into(), "disk".into()),
    ];
    let mut encoded = other("signature", "ML-DSA-65", "verify", "libcrux:avx2", marked);
    encoded.form = Some(Form::Encoded);
    let mut digest = other("hash", "SHA3-256", "digest", "openssl", vec![Parameter::Number("len".into(), 64)]);
    digest.form = None;
    digest.facts.bytes = Some(64);
    // What waits for a disk has no cycles.
    let disk = record_of(encoded, 46.9, 1);
    let records = vec![
        record("liboqs", 10.4),
        record("aws-lc", 12.9),
        failed("decapsulation gave another secret"),
        record_of(other("signature", "ML-DSA-65", "verify", "aws-lc", Vec::new()), 45.4, 1),
        disk,
        record_of(digest, 0.2, 16),
        record_of(other("floor", "null", "decapsulate", "null", Vec::new()), 0.0027, 64),
    ];
    Run {
        header: RunHeader {
            id: "20261121T185800-k3f9".into(),
            suite: "standard".into(),
            command: "pqlab run --quick".into(),
            seed: 1,
            started_at: "2026-11-21T18:58:00Z".into(),
            environment: environment(),
            protocol: Protocol::default(),
            plan: records.iter().map(|record| record.case.clone()).collect(),
        },
        records,
        complete: true,
        finished_at: Some("2026-11-21T19:00:00Z".into()),
    }
}

/// What the library of [`doubtful_run`] does wrong.
pub(crate) const DEFECT: &str = "accepts signatures whose hint is not in order";

/// The cases of [`run`] that have figures and compute, without any caveat: core cycles counted, single operations, precise.
pub(crate) fn sound_run() -> Run {
    let mut run = run();
    run.records.retain(|record| record.status == Status::Ok);
    for samples in run.records.iter_mut().map(|record| &mut record.samples) {
        (samples.metric, samples.ns_per_tick, samples.batch) = (Metric::Cycles, None, 1);
        for visit in &mut samples.visits {
            visit.wall_ns = visit.ticks.iter().map(|ticks| (*ticks as f64 / TICKS_PER_NS) as u64).collect();
        }
    }
    run.header.protocol.precision_pct = 100.0;
    run.header.plan = run.records.iter().map(|record| record.case.clone()).collect();
    run
}

/// The same cases with every caveat that there is at each of them.
pub(crate) fn doubtful_run() -> Run {
    let mut run = run();
    run.header.protocol.precision_pct = 0.01;
    run.records.retain(|record| record.status == Status::Ok);
    for record in &mut run.records {
        record.case.facts.defect = Some(DEFECT.to_owned());
        record.case.parameters.push(Parameter::Word("key".into(), "seed".into()));
        record.samples.batch = 16;
        record.precision_reached = false;
        let first: Vec<Visit> = record.samples.visits.iter().filter(|visit| visit.round == 0).cloned().collect();
        record.samples.visits =
            (0..12).flat_map(|round| first.iter().cloned().map(move |visit| slower(visit, round))).collect();
    }
    run.header.plan = run.records.iter().map(|record| record.case.clone()).collect();
    run
}

/// The visit as one of a later round with a single sample, beside a neighbour, slower by a percent a round, of a call that leaves registers in use.
fn slower(mut visit: Visit, round: u32) -> Visit {
    visit.round = round;
    visit.ticks.truncate(1);
    visit.ticks.iter_mut().for_each(|ticks| *ticks = (*ticks as f64 * (1.0 + 0.01 * f64::from(round))) as u64);
    visit.disturbances = vec![Disturbance::SharedCore { pct: 40.0, kept: false }];
    visit.conditions.residues = Some(vec![Residue::VectorUpper]);
    visit
}

/// A run of four cases with few samples, short enough for its exports to be read whole: single operations of a KEM, batches of
/// a hash, a failed case, and the harness floor.
pub(crate) fn small_run() -> Run {
    let mut run = run();
    run.records.retain(|record| record.case.provider != "aws-lc" && record.case.workload != "signature");
    for visit in run.records.iter_mut().flat_map(|record| &mut record.samples.visits) {
        visit.ticks.truncate(3);
    }
    run.records.iter_mut().for_each(|record| record.samples.visits.retain(|visit| visit.process < 4));
    run.header.plan = run.records.iter().map(|record| record.case.clone()).collect();
    run
}

fn noted(mut record: Record, extra: &[(&str, f64)]) -> Record {
    for visit in &mut record.samples.visits {
        visit.extra = extra.iter().map(|(name, value)| ((*name).to_owned(), vec![*value])).collect();
    }
    record
}

/// A run with one operation on several threads, and one under load. Two processors.
pub(crate) fn scaling_run() -> Run {
    let number = |name: &str, value: u64| Parameter::Number(name.into(), value);
    let threads = |provider: &str, threads: u64, microseconds: f64| {
        let case = other("scaling", "ML-DSA-65", "verify", provider, vec![number("threads", threads)]);
        noted(record_of(case, microseconds, 1), &[("cores", threads.min(2) as f64)])
    };
    let load = |tasks: u64, microseconds: f64| {
        let parameters = vec![number("tasks", tasks), number("workers", 2)];
        let case = other("scaling", "ML-DSA-65", "verify-load", "aws-lc", parameters);
        let delays = [("queueing_p50_ns", 2e3), ("queueing_p95_ns", 5e3), ("queueing_p99_ns", 8e3)];
        let extra = [&delays[..], &[("queueing_max_ns", 9e3), ("cores", 2.0)]].concat();
        noted(record_of(case, microseconds, 1), &extra)
    };
    let records = vec![
        threads("aws-lc", 1, 90.0),
        threads("aws-lc", 2, 90.0 / 1.9),
        threads("aws-lc", 4, 90.0 / 1.8),
        threads("liboqs", 2, 50.0),
        load(100, 45.0 / 0.9),
        load(500, 45.0),
        load(5000, 45.0 / 0.95),
    ];
    let mut run = run();
    run.header.plan = records.iter().map(|record| record.case.clone()).collect();
    run.records = records;
    run
}

fn environment() -> Environment {
    Environment {
        host: Host {
            name: Some("bench-1".into()),
            memory: Memory { total: Some(16 << 30), available: Some(12 << 30) },
            load: Some([0.5, 0.25, 0.125]),
            pressure: None,
            container: None,
            captured_at: "2026-11-21T18:58:00Z".into(),
        },
        cpu: Cpu {
            model: "Example CPU @ 2.10GHz".into(),
            architecture: "x86_64".into(),
            cores: 2,
            features: vec!["avx2".into(), "bmi2".into()],
            governor: Some("performance".into()),
            virtualized: Some(true),
            virtualization: Some(Virtualization { hypervisor: Some("KVM".into()), clocksource: Some("tsc".into()) }),
            ..Cpu::default()
        },
        os: OperatingSystem { name: "Debian 13".into(), kernel: "6.12.1".into(), ..OperatingSystem::default() },
        build: Build {
            version: "0.1.0".into(),
            rustc: "1.95.0".into(),
            cc: Some("gcc 14.2.0".into()),
            profile: "release".into(),
            target: "x86_64-unknown-linux-gnu".into(),
            flags: None,
            commit: Some("394a572".into()),
        },
        providers: vec![
            ProviderBuild { id: "liboqs".into(), version: "0.13.0".into(), build: "avx2, vendored".into() },
            ProviderBuild { id: "aws-lc".into(), version: "1.19.0".into(), build: "assembly".into() },
        ],
        counters: Counters {
            primary: "tsc".into(),
            ticks_per_second: Some(2.1e9),
            core_clock_estimate_hz: Some(2.7e9),
            resolution_ns: 1.0,
            overhead_ns: 12.0,
            unavailable: vec![("cycles".into(), "no performance counters in this virtual machine".into())],
        },
    }
}

/// Circuit handshakes of one provider: classical, and KEM-only with two parts left out in turn, and its steps on several
/// threads of two processors.
pub(crate) fn ntor_run() -> Run {
    let sized = |algorithm: &str, operation: &str, onionskin, reply, parameters| {
        let mut case = other("ntor", algorithm, operation, "aws-lc", parameters);
        case.form = None;
        case.facts.sizes = Sizes { onionskin: Some(onionskin), reply: Some(reply), ..Sizes::default() };
        case
    };
    let without = |part: &str| vec![Parameter::Word("without".into(), part.into())];
    let mut records = Vec::new();
    for (operation, microseconds) in [("create", 30.0), ("reply", 60.0), ("finish", 60.0), ("handshake", 150.0)] {
        records.push(record_of(sized("ntor-v1", operation, 84, 64, Vec::new()), microseconds, 1));
    }
    for (operation, microseconds) in [("create", 20.0), ("reply", 40.0), ("finish", 40.0), ("handshake", 100.0)] {
        records.push(record_of(sized("kem-only-mlkem512", operation, 820, 800, Vec::new()), microseconds, 1));
    }
    for (part, microseconds) in [("kem", 30.0), ("kdf", 90.0)] {
        records.push(record_of(sized("kem-only-mlkem512", "profile", 820, 800, without(part)), microseconds, 1));
    }
    for (operation, threads, microseconds) in
        [("reply", 1, 40.0), ("reply", 2, 40.0 / 1.9), ("reply", 4, 40.0 / 1.8), ("handshake", 2, 100.0 / 1.9)]
    {
        let parameters = vec![Parameter::Number("threads".into(), threads)];
        let case = sized("kem-only-mlkem512", operation, 820, 800, parameters);
        records.push(noted(record_of(case, microseconds, 16), &[("cores", threads.min(2) as f64)]));
    }
    let parameters = vec![Parameter::Number("tasks".into(), 100), Parameter::Number("workers".into(), 2)];
    let load = sized("kem-only-mlkem512", "handshake-load", 820, 800, parameters);
    records.push(noted(record_of(load, 60.0, 100), &[("cores", 2.0)]));
    Run { records, ..run() }
}
