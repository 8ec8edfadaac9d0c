//! How a [`Document`] that kept its samples becomes a run again.

use super::{Document, EnvironmentEntry, HarnessEntry, ParameterValue, ResultEntry};
use pqlab_record::{
    Case, Counters, Environment, Facts, Parameter, Protocol, Record, Run, RunHeader, SCHEMA, Samples, Status,
};

/// The longest id of a run, in characters; ours have 23.
const ID_LENGTH: usize = 64;

/// Why a document is not a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It says that it is something else.
    #[error("schema is `{0}`, not `{SCHEMA}`")]
    Schema(String),
    /// Names of runs stand in command lines, addresses and file names.
    #[error(
        "{0:?} is no id of a run: an id is 1 to {ID_LENGTH} letters, digits, dots, dashes and underscores, not beginning with `last` or a dash"
    )]
    RunId(String),
    /// Figures cannot be computed anew without samples.
    #[error("`{0}` comes without its samples: export the run as json-samples")]
    NoSamples(String),
    /// What names a case contradicts its fields.
    #[error("`{0}` is not the id of its row, which says `{1}`")]
    Id(String, String),
}

impl Document {
    /// The run that was exported. Its plan is what has a record: a document does not name the cases that were not run.
    ///
    /// # Errors
    /// See [`ImportError`]. Samples are taken as they are; figures in the document are not.
    pub fn into_run(self) -> Result<Run, ImportError> {
        if self.schema != SCHEMA {
            return Err(ImportError::Schema(self.schema));
        }
        if !is_run_id(&self.run.id) {
            return Err(ImportError::RunId(self.run.id));
        }
        let rows = self.results.into_values().flatten();
        let records = rows.map(record).collect::<Result<Vec<Record>, ImportError>>()?;
        Ok(Run {
            header: RunHeader {
                id: self.run.id,
                suite: self.run.suite,
                command: self.run.command,
                seed: self.run.seed,
                started_at: self.run.started_at,
                environment: environment(self.environment),
                protocol: protocol(self.harness),
                plan: records.iter().map(|record| record.case.clone()).collect(),
            },
            records,
            complete: self.run.complete,
            finished_at: self.run.finished_at,
        })
    }
}

fn is_run_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=ID_LENGTH).contains(&id.len()) && id.bytes().all(plain) && !id.starts_with("last") && !id.starts_with('-')
}

fn record(row: ResultEntry) -> Result<Record, ImportError> {
    let samples = match (row.samples, row.status) {
        (Some(samples), _) => samples,
        (None, Status::Failed) => Samples::none(),
        (None, Status::Ok) => return Err(ImportError::NoSamples(row.id)),
    };
    let parameters = row.parameters.into_iter().map(|(name, value)| match value {
        ParameterValue::Flag(_) => Parameter::Flag(name),
        ParameterValue::Number(number) => Parameter::Number(name, number),
        ParameterValue::Word(word) => Parameter::Word(name, word),
    });
    let case = Case {
        workload: row.workload,
        algorithm: row.algorithm,
        operation: row.operation,
        provider: row.provider,
        form: row.encoding,
        parameters: parameters.collect(),
        block: row.block,
        facts: Facts {
            sizes: row.sizes,
            bytes: row.bytes,
            category: row.category,
            defect: row.defect,
            generator: row.generator,
        },
    };
    if case.id() != row.id {
        return Err(ImportError::Id(row.id, case.id()));
    }
    Ok(Record {
        case,
        status: row.status,
        error: row.error,
        verified: row.verified,
        precision_reached: row.precision_reached,
        samples,
        finished_at: row.finished_at,
    })
}

fn environment(entry: EnvironmentEntry) -> Environment {
    let counters = entry.counters;
    Environment {
        host: entry.host,
        cpu: entry.cpu,
        os: entry.os,
        build: entry.build,
        providers: entry.providers,
        counters: Counters {
            primary: counters.primary,
            ticks_per_second: counters.ticks_per_second,
            core_clock_estimate_hz: counters.core_clock_estimate_hz,
            resolution_ns: counters.resolution_ns.unwrap_or(f64::NAN),
            overhead_ns: counters.overhead_ns.unwrap_or(f64::NAN),
            unavailable: counters.unavailable.into_iter().map(|entry| (entry.counter, entry.reason)).collect(),
        },
    }
}

fn protocol(entry: HarnessEntry) -> Protocol {
    Protocol {
        kind: entry.protocol,
        processes: entry.processes,
        warmup: entry.warmup,
        iterations: entry.iterations,
        handshakes: entry.handshakes.unwrap_or(Protocol::default().handshakes),
        trim_pct: entry.outlier_trim_pct,
        batch: entry.batch,
        precision_pct: entry.precision_pct,
        max_time_s: entry.max_time_s,
        visit_s: entry.visit_s,
        counter: entry.counter,
        affinity: entry.affinity,
        run_spreads: entry.run_spreads,
        fastest: entry.fastest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exporters::exporter;
    use crate::fixtures;
    use pqlab_analysis::RunAnalysis;

    fn written(format: &str, run: &Run) -> Vec<u8> {
        let mut bytes = Vec::new();
        exporter(format).unwrap().export(&RunAnalysis::of(run), &mut bytes).unwrap();
        bytes
    }

    fn document(run: &Run) -> Document {
        Document::of(&RunAnalysis::of(run), true, &[])
    }

    fn exported(format: &str) -> Document {
        serde_json::from_slice(&written(format, &fixtures::run())).unwrap()
    }

    #[test]
    fn a_run_comes_back_whole() {
        assert_eq!(exported("json-samples").into_run(), Ok(fixtures::run()));
    }

    /// Caveats follow from samples and facts: what a file says of them is for its readers alone.
    #[test]
    fn caveats_come_back_and_are_not_taken_from_the_file() {
        let mut run = fixtures::doubtful_run();
        run.records.retain(|record| record.case.workload == "kem");
        run.header.plan = run.records.iter().map(|record| record.case.clone()).collect();
        let mut edited = document(&run);
        let caveats = edited.results["kem"][0].caveats.clone();
        assert!(caveats.contains_key("defect") && caveats.contains_key("encoding"));
        edited.results["kem"][0].caveats.clear();
        let back = edited.into_run().unwrap();
        assert!(back == run, "another run came back");
        assert_eq!(document(&back).results["kem"][0].caveats, caveats);
    }

    #[test]
    fn starts_come_back() {
        let mut run = fixtures::run();
        run.records[0].samples.visits.iter_mut().for_each(|visit| visit.start = 2);
        let bytes = written("json-samples", &run);
        let document: Document = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(document.into_run(), Ok(run));
    }

    #[test]
    fn what_cannot_be_a_run_is_refused() {
        let id = "kem/ML-KEM-768/encapsulate@liboqs";
        assert_eq!(exported("json").into_run(), Err(ImportError::NoSamples(id.to_owned())));
        let mut document = exported("json-samples");
        document.results["kem"][0].provider = "other".to_owned();
        let other = "kem/ML-KEM-768/encapsulate@other";
        assert_eq!(document.into_run(), Err(ImportError::Id(id.to_owned(), other.to_owned())));
        for wrong in ["", "last", "-x", "a b", "a/b", "\u{1b}[2Ja", "é", &"a".repeat(65)] {
            let mut document = exported("json-samples");
            document.run.id = wrong.to_owned();
            let refused = document.into_run().unwrap_err();
            assert_eq!(refused, ImportError::RunId(wrong.to_owned()));
            assert!(!refused.to_string().contains('\u{1b}'));
        }
        let mut document = exported("json-samples");
        document.schema = "pqlab/9".to_owned();
        assert_eq!(document.into_run(), Err(ImportError::Schema("pqlab/9".to_owned())));
    }
}
