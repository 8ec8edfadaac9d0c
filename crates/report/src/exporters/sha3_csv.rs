//! SHA-3 and SHAKE in the layout of existing SHA-3 benchmarks: one row per function, one column per message length.
//! Cells contain the median in core cycles per byte, counted or estimated. If cycles are estimated, the counted ticks
//! follow in separate columns. If cases lack cycles or have cycles from different sources, all cells contain counter
//! ticks per byte instead.

use super::{ExportError, ExportOptions, Exporter, Format};
use indexmap::IndexMap;
use pqlab_analysis::caveats::Caveat;
use pqlab_analysis::text::neutral;
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::{Case, Counters, CyclesSource, Metric};
use std::collections::BTreeSet;
use std::io::Write;

/// Figures of one provider. The columns `function` and `dst_len` (output length in bytes) come first, then one column
/// for each message length in bytes.
///
/// - If the figures are estimated cycles, the counted ticks per byte follow in columns such as `64_ticks`.
/// - If a figure has a caveat other than `batch`, `clock` and `spread`, the last column is `caveats`. The column lists
///   all caveats of the row. Each caveat follows the message lengths that it applies to: `64 1024: defect: ...`.
/// - The notes on standard error state the unit.
pub(super) struct Sha3Csv {
    /// Number of decimals.
    digits: usize,
    /// Provider to write, by id or library name. Required if several providers have digests.
    provider: Option<String>,
}

/// Algorithms, each with its name in the table and the length of its digest in bytes; `None` for an XOF.
const FUNCTIONS: [(&str, &str, Option<u64>); 6] = [
    ("SHA3-224", "sha3_224", Some(28)),
    ("SHA3-256", "sha3_256", Some(32)),
    ("SHA3-384", "sha3_384", Some(48)),
    ("SHA3-512", "sha3_512", Some(64)),
    ("SHAKE128", "shake128", None),
    ("SHAKE256", "shake256", None),
];
/// Default output length of an XOF in bytes.
const XOF_OUTPUT: u64 = 32;

/// Unit of the figures, per byte of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Cycles,
    Ticks,
}

impl Sha3Csv {
    pub(super) fn new(options: &ExportOptions) -> Sha3Csv {
        Sha3Csv { digits: options.digits.unwrap_or(1), provider: options.provider.clone() }
    }

    /// Returns the provider to write, or `None` if there are no digests. Fails if the requested provider has no
    /// digests, or if several providers have digests and the user did not request one of them.
    fn choose<'a>(&self, cases: impl Iterator<Item = &'a Case>) -> Result<Option<&'a str>, ExportError> {
        let mut found: Vec<&Case> = Vec::new();
        for case in cases.filter(|case| is_digest(case)) {
            if !found.iter().any(|known| known.provider == case.provider) {
                found.push(case);
            }
        }
        let names = found.iter().map(|case| case.provider.as_str()).collect::<Vec<_>>().join(", ");
        if let Some(wanted) = &self.provider {
            found.retain(|case| case.provider == *wanted || case.library() == wanted);
            if found.is_empty() && !names.is_empty() {
                let text = format!("no SHA-3 digests by {wanted:?}; providers with SHA-3 digests: {names}");
                return Err(ExportError::Choice(text));
            }
        }
        match found.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(&one.provider)),
            _ => {
                let names = found.iter().map(|case| case.provider.as_str()).collect::<Vec<_>>().join(", ");
                let what = "sha3-csv holds the digests of a single provider; choose one with --provider:";
                Err(ExportError::Choice(format!("{what} {names}")))
            }
        }
    }

    fn digests<'r, 'a>(&self, analysis: &'r RunAnalysis<'a>) -> Result<Vec<&'r CaseAnalysis<'a>>, ExportError> {
        let chosen = self.choose(analysis.cases().iter().map(CaseAnalysis::case))?;
        let is_chosen = |row: &&CaseAnalysis<'_>| is_digest(row.case()) && Some(row.case().provider.as_str()) == chosen;
        Ok(analysis.cases().iter().filter(is_chosen).collect())
    }

    fn cell(&self, case: &CaseAnalysis<'_>, unit: Unit) -> Result<String, ExportError> {
        let Some(estimates) = &case.estimates else { return Ok(String::new()) };
        let bytes = case.case().facts.bytes;
        if unit == Unit::Cycles {
            let per_byte = estimates.cycles_per_byte(bytes);
            return Ok(per_byte.map(|cycles| format!("{cycles:.*}", self.digits)).unwrap_or_default());
        }
        if !matches!(estimates.metric, Metric::Cycles | Metric::Tsc) {
            let counted = estimates.metric.name();
            let remedy = "measure with --counter cycles or --counter tsc";
            return Err(ExportError::Choice(format!(
                "sha3-csv needs cycles or ticks, but the run counted {counted}; {remedy}"
            )));
        }
        let per_byte = estimates.ticks_per_byte(bytes);
        Ok(per_byte.map(|ticks| format!("{ticks:.*}", self.digits)).unwrap_or_default())
    }
}

impl Exporter for Sha3Csv {
    fn format(&self) -> Format {
        Format {
            name: "sha3-csv",
            describe: "SHA-3 and SHAKE by one provider, in cycles or ticks per byte, one column per message length",
            extension: "csv",
        }
    }

    fn check(&self, plan: &[Case]) -> Result<(), ExportError> {
        match self.choose(plan.iter())? {
            Some(_) => Ok(()),
            None => Err(ExportError::Choice("sha3-csv needs SHA-3 digests, but there are none".to_owned())),
        }
    }

    fn notes(&self, analysis: &RunAnalysis<'_>) -> Vec<String> {
        let Ok(digests) = self.digests(analysis) else { return Vec::new() };
        let header = &analysis.run.header;
        let counters = &header.environment.counters;
        let source = source(&digests);
        let ticks = source.is_none() && counters.primary == "tsc";
        let per_second = if ticks { counters.ticks_per_second } else { counters.core_clock_estimate_hz };
        let unit = if ticks { "ticks" } else { "cycles" };
        let trials = header.protocol.iterations.unwrap_or_else(|| {
            let counts = digests.iter().filter_map(|of| of.estimates.as_ref());
            counts.map(|estimates| estimates.n as u64).min().unwrap_or(0)
        });
        let outputs = digests.iter().filter(|of| fixed_digest(of.case()).is_none());
        let mut notes = vec![
            format!(
                "info: cpucycles: version=pqlab-{} implementation={} persecond={:.0} (written by pqlab: libcpucycles is not used)",
                header.environment.build.version,
                implementation(&header.environment.cpu.architecture, counters),
                per_second.unwrap_or(0.0)
            ),
            format!(
                "info: backend={} num_trials={trials} src_lens={} dst_lens={}",
                digests.first().map_or("none", |of| of.case().provider.as_str()),
                joined(&lengths(&digests)),
                joined(&outputs.map(|of| output(of.case())).collect()),
            ),
            format!(
                "info: counter={} unit={unit}{}",
                counters.primary,
                source.map(|source| format!(" source={}", source.name())).unwrap_or_default()
            ),
        ];
        if with_ticks(&digests) {
            let per_second = counters.ticks_per_second.unwrap_or(0.0);
            notes.push(format!("info: columns ending in _ticks: unit=ticks source=counter persecond={per_second:.0}"));
        }
        let failed = digests.iter().filter_map(|of| Some((of.case().id(), of.record.error.as_ref()?)));
        notes.extend(failed.map(|(id, error)| format!("info: failed={id} reason={error}")));
        // Escape the notes, because they go to a terminal and may contain names from an imported
        // file.
        notes.iter().map(|note| neutral(note)).collect()
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        let digests = self.digests(analysis)?;
        let unit = if source(&digests).is_some() { Unit::Cycles } else { Unit::Ticks };
        let with_ticks = with_ticks(&digests);
        let lengths = lengths(&digests);
        let mut writer = csv::Writer::from_writer(out);
        let mut heading = vec!["function".to_owned(), "dst_len".to_owned()];
        heading.extend(lengths.iter().map(u64::to_string));
        heading.extend(lengths.iter().filter(|_| with_ticks).map(|length| format!("{length}_ticks")));
        let marked = |of: &&CaseAnalysis<'_>| {
            of.caveats.iter().any(|(caveat, _)| !matches!(caveat, Caveat::Batch | Caveat::Clock | Caveat::Spread))
        };
        let with_caveats = digests.iter().any(marked);
        heading.extend(with_caveats.then(|| "caveats".to_owned()));
        writer.write_record(&heading)?;
        for (algorithm, name, _) in FUNCTIONS {
            let of_function: Vec<&CaseAnalysis<'_>> =
                digests.iter().copied().filter(|of| of.case().algorithm == algorithm).collect();
            let outputs: BTreeSet<u64> = of_function.iter().map(|of| output(of.case())).collect();
            for bytes in outputs {
                let (mut row, mut ticks) = (vec![name.to_owned(), bytes.to_string()], Vec::new());
                let mut caveats: IndexMap<String, Vec<String>> = IndexMap::new();
                for length in &lengths {
                    let mut found = of_function.iter().filter(|of| output(of.case()) == bytes);
                    let found = found.find(|of| of.case().message_length() == Some(*length));
                    let cell = |unit| found.map_or_else(|| Ok(String::new()), |of| self.cell(of, unit));
                    row.push(cell(unit)?);
                    if with_ticks {
                        ticks.push(cell(Unit::Ticks)?);
                    }
                    let Some(of) = found else { continue };
                    of.caveats.lines().for_each(|line| caveats.entry(line).or_default().push(length.to_string()));
                }
                row.append(&mut ticks);
                let texts = caveats.into_iter().map(|(line, lengths)| format!("{}: {line}", lengths.join(" ")));
                row.extend(with_caveats.then(|| texts.collect::<Vec<_>>().join("; ")));
                writer.write_record(&row)?;
            }
        }
        writer.flush()?;
        Ok(())
    }
}

/// Returns the source of the core cycles, if all cases with figures have cycles from the same source. Returns `None`
/// otherwise, because cells in cycles would have different units.
fn source(digests: &[&CaseAnalysis<'_>]) -> Option<CyclesSource> {
    let mut found = digests.iter().filter_map(|of| of.estimates.as_ref());
    let first = found.next()?.cycles?.source;
    found.all(|estimates| estimates.cycles.is_some_and(|cycles| cycles.source == first)).then_some(first)
}

/// Returns whether the table also contains ticks, which requires estimated cycles and a counter with a constant rate.
fn with_ticks(digests: &[&CaseAnalysis<'_>]) -> bool {
    let mut found = digests.iter().filter_map(|of| of.estimates.as_ref());
    source(digests) == Some(CyclesSource::Estimated) && found.all(|estimates| estimates.metric == Metric::Tsc)
}

fn is_digest(case: &Case) -> bool {
    let is_listed = FUNCTIONS.iter().any(|(algorithm, ..)| case.algorithm == *algorithm);
    is_listed && case.workload == "hash" && case.operation == "digest"
}

fn fixed_digest(case: &Case) -> Option<u64> {
    FUNCTIONS.iter().find(|(algorithm, ..)| case.algorithm == *algorithm).and_then(|(.., digest)| *digest)
}

fn output(case: &Case) -> u64 {
    fixed_digest(case).or_else(|| case.output_length()).unwrap_or(XOF_OUTPUT)
}

fn lengths(digests: &[&CaseAnalysis<'_>]) -> BTreeSet<u64> {
    digests.iter().filter_map(|of| of.case().message_length()).collect()
}

fn joined(numbers: &BTreeSet<u64>) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// Returns the name of the counter in libcpucycles: `pmc` counts core cycles, `tsc` and `vct` run at a constant rate.
fn implementation(architecture: &str, counters: &Counters) -> String {
    let machine = match architecture {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    match (counters.primary.as_str(), machine) {
        ("cycles", _) => format!("{machine}-pmc"),
        ("tsc", "arm64") => "arm64-vct".to_owned(),
        (primary, _) => format!("{machine}-{primary}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;
    use pqlab_record::{Parameter, Record, Run};

    fn notes(run: &Run) -> Vec<String> {
        exporter(None, None).notes(&RunAnalysis::new(run))
    }

    /// Returns a run in which each provider has two functions with two message lengths. One function is an XOF with two
    /// output lengths. Some cases are not SHA-3 digests.
    fn run(providers: &[&str]) -> Run {
        let mut run = fixtures::run();
        let digest = run.records.iter().find(|record| record.case.operation == "digest").unwrap().clone();
        let mut records = Vec::new();
        for provider in providers {
            for (algorithm, length, output, operation) in [
                ("SHAKE128", 1024, Some(64), "digest"),
                ("SHAKE128", 64, None, "digest"),
                ("SHA3-256", 1024, None, "digest"),
                ("SHA3-256", 64, None, "digest"),
                ("SHA3-256", 64, None, "digest-x4"),
                ("SHA-256", 64, None, "digest"),
            ] {
                let mut record = digest.clone();
                record.case.provider = (*provider).to_owned();
                record.case.algorithm = algorithm.to_owned();
                record.case.operation = operation.to_owned();
                record.case.parameters = vec![Parameter::Number("len".into(), length)];
                record.case.parameters.extend(output.map(|output| Parameter::Number("out".into(), output)));
                record.case.facts.bytes = Some(length);
                records.push(record);
            }
        }
        run.records = records;
        run
    }

    fn exporter(digits: Option<usize>, provider: Option<&str>) -> Sha3Csv {
        Sha3Csv::new(&ExportOptions { digits, provider: provider.map(str::to_owned), ..ExportOptions::default() })
    }

    fn exported(exporter: &Sha3Csv, run: &Run) -> String {
        String::from_utf8(written(exporter, run)).unwrap()
    }

    #[test]
    fn functions_are_rows_and_lengths_columns() {
        let mut run = run(&["openssl"]);
        for samples in run.records.iter_mut().map(|record| &mut record.samples) {
            // Use counted cycles and batch 1, because other metrics and batches cause caveats.
            (samples.metric, samples.ns_per_tick, samples.batch) = (Metric::Cycles, None, 1);
            samples.visits.iter_mut().for_each(|visit| {
                visit.ticks.iter_mut().for_each(|ticks| *ticks = *ticks * 9 / 112);
                visit.wall_ns = visit.ticks.clone();
            });
        }
        run.header.protocol.precision_pct = 100.0;
        let wanted = "function,dst_len,64,1024\nsha3_256,32,8.4,0.5\nshake128,32,8.4,\nshake128,64,,0.5\n";
        assert_eq!(exported(&exporter(None, None), &run), wanted);
        assert!(exported(&exporter(Some(2), None), &run).contains("\nsha3_256,32,8.44,0.53\n"));
        assert!(exported(&exporter(Some(0), None), &run).contains("\nsha3_256,32,8,1\n"));
    }

    #[test]
    fn caveats_name_their_lengths() {
        let mut run = run(&["openssl"]);
        run.records[2].case.facts.defect = Some("forgets, the padding".to_owned());
        let bytes = exported(&exporter(None, None), &run);
        let rows: Vec<csv::StringRecord> =
            csv::Reader::from_reader(bytes.as_bytes()).records().map(Result::unwrap).collect();
        let wanted = "64 1024: batch: each sample is the mean of 16 operations, so there are no percentiles; 64 1024: clock: core cycles are \
                      estimated from the time and the core clock, ticks have a constant rate and are not core cycles; \
                      64 1024: spread: assumed spread between runs: 1.5% in time, 0.15% in core cycles; \
                      1024: defect: forgets, the padding";
        assert_eq!(&rows[0][6], wanted);
        assert!(rows[1][6].starts_with("64: batch: ") && rows[2][6].starts_with("1024: batch: "), "{bytes}");
    }

    #[test]
    fn notes_have_the_expected_keys() {
        let notes = notes(&run(&["cryptogams:avx512"]));
        assert_eq!(
            notes,
            [
                "info: cpucycles: version=pqlab-0.1.0 implementation=amd64-tsc persecond=2700000000 \
                 (written by pqlab: libcpucycles is not used)",
                "info: backend=cryptogams:avx512 num_trials=640 src_lens=64,1024 dst_lens=32,64",
                "info: counter=tsc unit=cycles source=estimated",
                "info: columns ending in _ticks: unit=ticks source=counter persecond=2100000000",
            ]
        );
    }

    #[test]
    fn without_the_core_clock_figures_are_ticks() {
        let mut run = run(&["openssl"]);
        run.records[0].samples.visits.iter_mut().for_each(|visit| visit.clock_hz = 0.0);
        assert!(exported(&exporter(None, None), &run).contains("sha3_256,32,6.6,0.4\n"));
        let notes = notes(&run);
        assert!(notes[0].contains(" persecond=2100000000 ") && notes[2] == "info: counter=tsc unit=ticks", "{notes:?}");
        let heading = exported(&exporter(None, None), &run);
        assert!(heading.starts_with("function,dst_len,64,1024") && !heading.contains("_ticks"), "{heading}");
    }

    #[test]
    fn counted_ticks_follow_estimated_cycles() {
        let mut run = run(&["openssl"]);
        run.records[0].case.facts.defect = Some("marked".to_owned());
        let text = exported(&exporter(None, None), &run);
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let heading = "function,dst_len,64,1024,64_ticks,1024_ticks,caveats".split(',').collect::<Vec<_>>();
        assert_eq!(rows.headers().unwrap(), heading);
        let row = rows.records().next().unwrap().unwrap();
        let figures: Vec<&str> = row.iter().take(6).collect();
        // The core clock is 2.7 GHz, and the counter runs at 2.1 GHz.
        assert_eq!(figures, ["sha3_256", "32", "8.4", "0.5", "6.6", "0.4"]);
    }

    #[test]
    fn several_providers_need_a_choice() {
        let run = run(&["openssl", "libcrux:avx2", "libcrux:portable"]);
        let refusal = |provider| match exporter(None, provider).export(&RunAnalysis::new(&run), &mut Vec::new()) {
            Err(ExportError::Choice(words)) => words,
            other => panic!("{other:?}"),
        };
        assert!(refusal(None).ends_with("--provider: openssl, libcrux:avx2, libcrux:portable"));
        assert!(refusal(Some("libcrux")).ends_with("--provider: libcrux:avx2, libcrux:portable"));
        assert!(refusal(Some("liboqs")).contains("\"liboqs\""));
        for chosen in ["openssl", "libcrux:avx2"] {
            assert!(exported(&exporter(None, Some(chosen)), &run).contains("sha3_256,32,8.4"));
        }
        let plan: Vec<Case> = run.records.iter().map(|record| record.case.clone()).collect();
        assert!(exporter(None, None).check(&plan).is_err());
        assert!(exporter(None, None).check(&plan[..6]).is_ok());
        assert!(exporter(None, None).check(&plan[4..6]).is_err(), "lanes and SHA-2 must not be part of this table");
    }

    #[test]
    fn failed_cases_have_an_empty_cell_and_a_note() {
        let mut run = run(&["openssl"]);
        let case = run.records[3].case.clone();
        run.records[3] = Record::failed(case, "wrong answer: digest".into(), String::new());
        assert!(exported(&exporter(None, None), &run).contains("sha3_256,32,,0.5,,0.4"));
        let notes = notes(&run);
        let wanted = "info: failed=hash/SHA3-256/digest[len=64]@openssl reason=wrong answer: digest";
        assert_eq!(notes.last().unwrap(), wanted);
    }

    #[test]
    fn counters_are_named_and_nanoseconds_are_rejected() {
        let mut run = run(&["openssl"]);
        run.header.environment.counters.primary = "cycles".to_owned();
        let notes = notes(&run);
        assert!(notes[0].contains(" implementation=amd64-pmc persecond=2700000000 "), "{notes:?}");
        assert_eq!(notes[2], "info: counter=cycles unit=cycles source=estimated");
        for record in &mut run.records {
            record.samples.metric = Metric::Wall;
            record.samples.visits.iter_mut().for_each(|visit| visit.clock_hz = 0.0);
        }
        let refused = exporter(None, None).export(&RunAnalysis::new(&run), &mut Vec::new());
        assert!(matches!(refused, Err(ExportError::Choice(words)) if words.contains("counted wall")));
        assert_eq!(implementation("aarch64", &Counters { primary: "tsc".into(), ..counters() }), "arm64-vct");
    }

    fn counters() -> Counters {
        fixtures::run().header.environment.counters
    }
}
