//! Converts a run and its figures to a [`Document`], the exported JSON.

use indexmap::IndexMap;
use pqlab_analysis::estimates::{AttemptsEstimate, Cause, Estimates, Imprecision, Placement, rate_of};
use pqlab_analysis::languages::Language;
use pqlab_analysis::scaling::{LoadFigures, ScalingFigures, loads, scaling};
use pqlab_analysis::standardization::Standardization;
use pqlab_analysis::tables::{Cell, Column, Row, Table};
use pqlab_analysis::trust::Quality;
use pqlab_analysis::{CaseAnalysis, Disturbances, RunAnalysis};
use pqlab_record::document::{
    AttemptsEntry, CellEntry, ColumnEntry, DisturbanceEntry, DisturbancesEntry, Document, EnvironmentEntry, ExtraEntry,
    HarnessEntry, LibraryEntry, LoadEntry, ModeEntry, ParameterValue, PartEntry, PlacementEntry, QualityEntry,
    RatioInterval, ResultEntry, RowEntry, RunEntry, ScalingEntry, StandardizationEntry, TableEntry,
};
use pqlab_record::{
    Disturbance, Metric, Offsets, Parameter, RunHeader, SCHEMA, Samples, SecondChance, Status, Unit, Worker,
};
use pqlab_stats::{Description, Interval, Mode};

/// Converts a run, all of its figures and the given tables to a document. Includes the raw samples if `samples` is set.
pub fn describe_run(analysis: &RunAnalysis<'_>, samples: bool, tables: &[Table]) -> Document {
    let run = analysis.run;
    let mut results: IndexMap<String, Vec<ResultEntry>> = IndexMap::new();
    for case in analysis.cases() {
        let mut entry = describe_case(case);
        entry.samples = samples.then(|| case.record.samples.clone());
        results.entry(case.case().workload.clone()).or_default().push(entry);
    }
    Document {
        schema: SCHEMA.to_owned(),
        generated_at: run.finished_at.clone().unwrap_or_else(|| run.header.started_at.clone()),
        run: describe_execution(analysis),
        environment: EnvironmentEntry::from(&run.header.environment),
        harness: HarnessEntry::new(&run.header, analysis.floor_ns()),
        results,
        scaling: scaling(analysis).into_iter().map(describe_scaling).collect(),
        loads: loads(analysis).into_iter().map(describe_load).collect(),
        tables: tables.iter().map(|table| (table.name.to_owned(), describe_table(table))).collect(),
    }
}

fn describe_scaling(figures: ScalingFigures) -> ScalingEntry {
    ScalingEntry {
        id: figures.id,
        name: figures.name,
        provider: figures.provider,
        threads: figures.threads,
        cores: figures.cores,
        oversubscribed: figures.oversubscribed,
        ops_per_s: figures.rate.estimate,
        ops_per_s_ci: [figures.rate.low, figures.rate.high],
        speed_up: figures.speed_up.map(describe_ratio),
        efficiency: figures.efficiency.map(describe_ratio),
    }
}

fn describe_load(figures: LoadFigures) -> LoadEntry {
    LoadEntry {
        id: figures.id,
        name: figures.name,
        provider: figures.provider,
        tasks: figures.tasks,
        workers: figures.workers,
        cores: figures.cores,
        oversubscribed: figures.oversubscribed,
        wall_ms: figures.wall_ms,
        ops_per_s: figures.rate.estimate,
        ops_per_s_ci: [figures.rate.low, figures.rate.high],
        queueing_p50_us: figures.queueing_p50_us,
        queueing_p95_us: figures.queueing_p95_us,
        queueing_p99_us: figures.queueing_p99_us,
        queueing_max_us: figures.queueing_max_us,
        against_peak_pct: figures.against_peak_pct.map(describe_ratio),
        against_smallest_pct: figures.against_smallest_pct.map(describe_ratio),
    }
}

fn describe_ratio(ratio: Interval) -> RatioInterval {
    RatioInterval { estimate: ratio.estimate, low: ratio.low, high: ratio.high }
}

fn describe_execution(analysis: &RunAnalysis<'_>) -> RunEntry {
    let run = analysis.run;
    let header = &run.header;
    let part = |part: &&RunHeader| PartEntry {
        id: part.id.clone(),
        suite: part.suite.clone(),
        started_at: part.started_at.clone(),
    };
    RunEntry {
        id: header.id.clone(),
        suite: header.suite.clone(),
        command: header.command.clone(),
        seed: header.seed,
        complete: run.complete,
        started_at: header.started_at.clone(),
        finished_at: run.finished_at.clone(),
        planned: header.plan.len(),
        finished: run.records.len(),
        failed: run.records.iter().filter(|record| record.status == Status::Failed).count(),
        second_chances: run.records.iter().filter(|record| record.second_chance.is_some()).count(),
        second_chances_undisturbed: run
            .records
            .iter()
            .filter(|record| record.second_chance == Some(SecondChance::Undisturbed))
            .count(),
        parts: analysis.parts.iter().map(part).collect(),
    }
}

/// Converts a case and its figures to an entry of a document, without the raw samples.
pub fn describe_case(analysed: &CaseAnalysis<'_>) -> ResultEntry {
    let (record, case) = (analysed.record, analysed.case());
    let loaded = analysed.header().environment.loaded(&case.provider);
    let estimates = analysed.estimates.as_ref();
    let operations = estimates.and_then(Estimates::operations);
    let operation_us = |field: fn(&Description) -> f64| operations.map(|description| field(description) / NS_PER_US);
    let percentile = |order: f64| Some(estimates?.percentile(order)? / NS_PER_US);
    let cycles = estimates.and_then(|estimates| estimates.cycles);
    let counted = |metric: Metric| estimates.filter(|estimates| estimates.metric == metric);
    let interval = estimates.map(|estimates| estimates.median_ns);
    let rate = estimates.and_then(|estimates| rate_of(&estimates.mean_ns));
    let normality = estimates.and_then(|estimates| estimates.normality);
    let in_us = |medians: &[(Worker, f64)]| medians.iter().map(|(_, median)| median / NS_PER_US).collect();
    ResultEntry {
        id: case.id(),
        run: analysed.header().id.clone(),
        name: case.name(),
        workload: case.workload.clone(),
        algorithm: case.algorithm.clone(),
        operation: case.operation.clone(),
        provider: case.provider.clone(),
        parameters: case.parameters.iter().map(parameter).collect(),
        status: record.status,
        error: record.error.clone(),
        verified: record.verified,
        contended: estimates.is_some_and(|estimates| estimates.contended),
        drifting: estimates.is_some_and(|estimates| estimates.drift.is_some_and(|drift| drift.drifting)),
        precision_reached: estimates.map_or(record.precision_reached, |estimates| estimates.imprecise.is_empty()),
        encoding: case.form,
        backend: case.backend().map(str::to_owned),
        batch: estimates.map(|estimates| estimates.batch),
        n: estimates.map_or(0, |estimates| estimates.n),
        processes: estimates.map_or(0, |estimates| estimates.processes),
        median_us: interval.map(|interval| interval.estimate / NS_PER_US),
        median_ci_us: interval.map(|interval| [interval.low / NS_PER_US, interval.high / NS_PER_US]),
        mean_us: estimates.map(|estimates| estimates.mean_ns.estimate / NS_PER_US),
        mean_ci_us: estimates.map(|estimates| ends(&estimates.mean_ns).map(|end| end / NS_PER_US)),
        statistic: estimates.map(|estimates| estimates.statistic.name().to_owned()),
        stdev_us: operations.and_then(|operations| operations.stdev).map(|stdev| stdev / NS_PER_US),
        cov_pct: operations.and_then(|operations| operations.cov_pct),
        robust_cov_pct: operations.and_then(Description::robust_cov_pct),
        min_us: operation_us(|operations| operations.min),
        max_us: operation_us(|operations| operations.max),
        p5_us: percentile(0.05),
        p25_us: percentile(0.25),
        p75_us: percentile(0.75),
        p95_us: percentile(0.95),
        p99_us: percentile(0.99),
        iqm_us: operation_us(|operations| operations.iqm),
        jarque_bera: normality.map(|test| test.statistic).and_then(finite),
        jarque_bera_p: normality.map(|test| test.p_value).and_then(finite),
        ops_per_s: rate.map(|rate| rate.estimate),
        ops_per_s_ci: rate.as_ref().map(ends),
        ticks: estimates.and_then(|estimates| estimates.ticks),
        ticks_per_byte: estimates.and_then(|estimates| estimates.ticks_per_byte(analysed.bytes())),
        sizes: case.facts.sizes,
        drift_pct: estimates.and_then(|estimates| estimates.drift).map(|drift| drift.change_pct),
        between_processes_pct: estimates.and_then(|it| it.components).map(|spread| spread.between_pct),
        within_processes_pct: estimates.and_then(|it| it.components).map(|spread| spread.within_pct),
        counter: estimates.map(|estimates| estimates.metric),
        cycles: counted(Metric::Cycles).and_then(|estimates| estimates.ticks),
        cycles_per_byte: estimates.and_then(|estimates| estimates.cycles_per_byte(analysed.bytes())),
        instructions: counted(Metric::Instructions).and_then(|estimates| estimates.ticks),
        half_width_pct: estimates.map(Estimates::half_width_pct).and_then(finite),
        confidence: interval.map(|interval| interval.confidence),
        interval_method: interval.map(|interval| interval.method.name().to_owned()),
        process_medians_us: estimates.map(|estimates| in_us(&estimates.process_medians_ns)),
        process_offsets: estimates.and_then(|estimates| process_offsets(estimates, &record.samples)),
        core_clock_hz: estimates.and_then(|estimates| estimates.clock_hz),
        left_out: estimates.map_or(0, |estimates| estimates.left_out),
        disturbances: describe_disturbances(&analysed.disturbances),
        extra: estimates.map(extra).unwrap_or_default(),
        category: case.facts.category,
        standardization: Standardization::find(&case.algorithm).map(|found| StandardizationEntry {
            stage: found.stage.name().to_owned(),
            detail: found.detail.to_owned(),
        }),
        defect: case.facts.defect.clone(),
        bytes: case.facts.bytes,
        bytes_per_s: estimates
            .and_then(|estimates| estimates.bytes_per_second(analysed.bytes()))
            .map(|rate| rate.estimate),
        block: case.block.clone(),
        finished_at: record.finished_at.clone(),
        core_cycles: cycles.map(|cycles| cycles.median.estimate),
        core_cycles_ci: cycles.map(|cycles| [cycles.median.low, cycles.median.high]),
        core_cycles_source: cycles.map(|cycles| cycles.source),
        mean_core_cycles: cycles.map(|cycles| cycles.mean.estimate),
        mean_core_cycles_ci: cycles.map(|cycles| ends(&cycles.mean)),
        attempts: estimates.and_then(|estimates| estimates.attempts.as_ref()).map(describe_attempts),
        ranked: analysed.ranked(),
        not_ranked_because: analysed.not_ranked().map(|reason| reason.text().to_owned()),
        quality: Quality::assess(analysed).map(|quality| QualityEntry {
            precision: quality.precision.name().to_owned(),
            disturbed: quality.disturbed,
            run_spread: quality.spread_name().to_owned(),
        }),
        shared_pct: estimates.map(|estimates| estimates.shared_pct),
        processor: estimates.and_then(|it| if let [one] = it.processors[..] { Some(one) } else { None }),
        processors: estimates.map(|estimates| estimates.processors.clone()),
        modes: estimates.and_then(|estimates| estimates.modes).map(|modes| modes.map(mode).to_vec()),
        residue: estimates.and_then(|estimates| estimates.residues.clone()),
        first_call_us: estimates.and_then(|estimates| estimates.first_call_ns).map(|ns| ns / NS_PER_US),
        placement: estimates.and_then(|estimates| estimates.placement.as_ref()).map(describe_placement),
        uninterrupted_mean_us: analysed.uninterrupted_mean_ns().map(|mean| mean.estimate / NS_PER_US),
        uninterrupted_mean_core_cycles: analysed.uninterrupted_mean_cycles().map(|mean| mean.estimate),
        interrupted_percentiles: analysed
            .interrupted_percentiles()
            .map(|names| names.into_iter().map(str::to_owned).collect()),
        second_chance: record.second_chance,
        imprecise: estimates.map(|it| it.imprecise.iter().copied().map(Imprecision::words).map(Into::into).collect()),
        key: case.key().map(str::to_owned),
        coins: case.coins().map(|coins| coins.name().to_owned()),
        generator: case.facts.generator.clone(),
        library: loaded.map(|(label, library)| LibraryEntry { kind: library.kind.clone(), label: label.to_owned() }),
        language: Language::find(&analysed.header().environment, &case.provider).word,
        caveats: analysed.caveats.by_word(),
        samples: None,
    }
}

/// Returns the memory layouts of the processes, in the order of their medians; `None` if all are unknown.
fn process_offsets(estimates: &Estimates, samples: &Samples) -> Option<Vec<Option<Offsets>>> {
    let offsets_of = |worker: &Worker| {
        let visits = samples.visits.iter().filter(|visit| visit.worker() == *worker);
        visits.filter_map(|visit| visit.conditions.offsets).next()
    };
    let all: Vec<Option<Offsets>> = estimates.process_medians_ns.iter().map(|(worker, _)| offsets_of(worker)).collect();
    all.iter().any(Option::is_some).then_some(all)
}

fn describe_placement(placement: &Placement) -> PlacementEntry {
    let effect = if let Cause::Offset(effect) = placement.cause { Some(effect) } else { None };
    PlacementEntry {
        low: placement.low,
        high: placement.high,
        unit: if placement.unit == Unit::CoreCycles { "cycles" } else { "ns" }.to_owned(),
        tested: placement.cause != Cause::Untested,
        part: effect.map(|effect| effect.part),
        modulus: effect.map(|effect| effect.modulus),
        explained_pct: effect.map(|effect| 100.0 * effect.share),
        p: effect.map(|effect| effect.p),
    }
}

fn describe_attempts(attempts: &AttemptsEstimate) -> AttemptsEntry {
    let [first_us, each_us] = attempts.ns_by_attempt().map(|ns| ns / NS_PER_US);
    let by_attempt = attempts.cycles_by_attempt();
    let rate = rate_of(&attempts.ns);
    AttemptsEntry {
        expected: attempts.read.comb.expected,
        first_cycles: by_attempt.map(|[first, _]| first),
        each_cycles: by_attempt.map(|[_, each]| each),
        first_us,
        each_us,
        at_expected_us: attempts.ns.estimate / NS_PER_US,
        at_expected_ci_us: ends(&attempts.ns).map(|end| end / NS_PER_US),
        at_expected_cycles: attempts.cycles.map(|cycles| cycles.estimate),
        at_expected_cycles_ci: attempts.cycles.as_ref().map(ends),
        ops_per_s: rate.map(|rate| rate.estimate),
        ops_per_s_ci: rate.as_ref().map(ends),
        readable_pct: 100.0 * attempts.read.comb.readable,
    }
}

fn describe_disturbances(disturbances: &Disturbances) -> DisturbancesEntry {
    let kinds = disturbances.kinds.iter().map(|(kind, visits, worst)| DisturbanceEntry {
        kind: (*kind).to_owned(),
        visits: *visits,
        worst: finite(match worst {
            Disturbance::InvoluntarySwitches { count } | Disturbance::OtherTasks { count } => *count as f64,
            Disturbance::Steal { pct }
            | Disturbance::CpuShare { pct }
            | Disturbance::Pressure { pct }
            | Disturbance::ClockDrift { pct }
            | Disturbance::SharedCore { pct, .. } => *pct,
        }),
        text: worst.to_string(),
    });
    DisturbancesEntry {
        visits: disturbances.visits,
        disturbed: disturbances.disturbed,
        repeats: disturbances.repeats,
        kinds: kinds.collect(),
    }
}

/// Converts a table to an entry of a document.
pub fn describe_table(table: &Table) -> TableEntry {
    let column = |column: &Column| ColumnEntry {
        name: column.name.clone(),
        heading: column.heading.clone(),
        unit: (!column.unit.is_empty()).then(|| column.unit.to_owned()),
    };
    let cell = |cell: &Cell| CellEntry {
        text: cell.text.clone(),
        value: cell.number.map(|number| number.estimate),
        interval: cell.number.and_then(|number| number.interval),
    };
    let row = |row: &Row| RowEntry {
        cells: table.columns.iter().zip(&row.cells).map(|(column, it)| (column.name.clone(), cell(it))).collect(),
        caveats: row.caveats.by_word(),
    };
    TableEntry {
        title: table.title.clone(),
        area: table.area.clone(),
        columns: table.columns.iter().map(column).collect(),
        rows: table.rows.iter().map(row).collect(),
        notes: table.notes.clone(),
    }
}

const NS_PER_US: f64 = 1000.0;

/// Returns the lower and the upper end of an interval.
fn ends(interval: &Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

fn mode(mode: Mode) -> ModeEntry {
    ModeEntry { median_us: mode.median / NS_PER_US, processes: mode.processes }
}

fn parameter(parameter: &Parameter) -> (String, ParameterValue) {
    match parameter {
        Parameter::Flag(name) => (name.clone(), ParameterValue::Flag(true)),
        Parameter::Number(name, value) => (name.clone(), ParameterValue::Number(*value)),
        Parameter::Word(name, value) => (name.clone(), ParameterValue::Word(value.clone())),
    }
}

/// Returns statistics of the values that the workload recorded, by name.
pub(crate) fn extra(estimates: &Estimates) -> IndexMap<String, ExtraEntry> {
    let entry = |values: &Description| ExtraEntry {
        n: values.n,
        mean: values.mean,
        stdev: values.stdev,
        min: values.min,
        p5: values.p5,
        median: values.median,
        p95: values.p95,
        p99: values.p99,
        max: values.max,
    };
    estimates.extra.iter().map(|(name, values)| (name.clone(), entry(values))).collect()
}

/// Returns `None` for infinity and NaN, which JSON cannot express. The document then contains null.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exporters::exporter;
    use crate::fixtures;
    use pqlab_record::Run;
    use pqlab_record::document::ImportError;

    fn written(format: &str, run: &Run) -> Vec<u8> {
        let mut bytes = Vec::new();
        exporter(format).unwrap().export(&RunAnalysis::new(run), &mut bytes).unwrap();
        bytes
    }

    fn document(run: &Run) -> Document {
        describe_run(&RunAnalysis::new(run), true, &[])
    }

    fn exported(format: &str) -> Document {
        serde_json::from_slice(&written(format, &fixtures::run())).unwrap()
    }

    #[test]
    fn round_trip_keeps_the_whole_run() {
        assert_eq!(exported("json-samples").into_run(), Ok(fixtures::run()));
    }

    /// An import must derive the caveats from the samples and facts. The caveats in the file are only for people who
    /// read the file.
    #[test]
    fn caveats_are_recomputed_and_not_read_from_the_file() {
        let mut run = fixtures::doubtful_run();
        run.records.retain(|record| record.case.workload == "kem");
        run.header.plan = run.records.iter().map(|record| record.case.clone()).collect();
        let mut edited = document(&run);
        let caveats = edited.results["kem"][0].caveats.clone();
        assert!(caveats.contains_key("defect") && caveats.contains_key("encoding"));
        edited.results["kem"][0].caveats.clear();
        let imported = edited.into_run().unwrap();
        assert!(imported == run, "the imported run must equal the exported one");
        assert_eq!(document(&imported).results["kem"][0].caveats, caveats);
    }

    #[test]
    fn round_trip_keeps_starts() {
        let mut run = fixtures::run();
        run.records[0].samples.visits.iter_mut().for_each(|visit| visit.start = 2);
        let bytes = written("json-samples", &run);
        let document: Document = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(document.into_run(), Ok(run));
    }

    #[test]
    fn rejects_documents_that_are_not_runs() {
        let id = "kem/ML-KEM-768/encapsulate@liboqs";
        assert_eq!(exported("json").into_run(), Err(ImportError::NoSamples(id.to_owned())));
        let mut document = exported("json-samples");
        document.results["kem"][0].provider = "other".to_owned();
        let other = "kem/ML-KEM-768/encapsulate@other";
        assert_eq!(document.into_run(), Err(ImportError::Id(id.to_owned(), other.to_owned())));
        for wrong in ["", "last", "-x", "a b", "a/b", "\u{1b}[2Ja", "é", &"a".repeat(65)] {
            let mut document = exported("json-samples");
            document.run.id = wrong.to_owned();
            let error = document.into_run().unwrap_err();
            assert_eq!(error, ImportError::RunId(wrong.to_owned()));
            assert!(!error.to_string().contains('\u{1b}'));
        }
        let mut document = exported("json-samples");
        document.schema = "pqlab/9".to_owned();
        assert_eq!(document.into_run(), Err(ImportError::Schema("pqlab/9".to_owned())));
    }
}
