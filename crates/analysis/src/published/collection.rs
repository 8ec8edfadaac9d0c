//! The collection of published figures: `published/sources.json` and `published/figures.csv` in this crate.

use pqlab_record::{CaseId, Cpu, Form, Parameter};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// Kind of processor core. Its code runs at about the same number of cycles on every CPU with such cores.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// Name of the microarchitecture: `Zen 3`.
    pub name: String,
    /// Family of the x86 processors with this core, from CPUID; `None` for other architectures.
    #[serde(default)]
    pub family: Option<u32>,
    /// Ranges of models in the family, first and last model included.
    #[serde(default)]
    pub models: Vec<[u32; 2]>,
}

/// CPU that published figures were measured on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedCpu {
    /// Short name, used by series.
    pub id: String,
    /// Name of the CPU or machine.
    pub name: String,
    /// Name of its [`Core`].
    pub core: String,
    /// Vendor.
    pub vendor: String,
    /// Rate of the time-stamp counter in MHz; `None` if unknown.
    #[serde(default)]
    pub tsc_mhz: Option<f64>,
    /// Core clock during the measurement in MHz; `None` if unknown.
    #[serde(default)]
    pub core_mhz: Option<f64>,
    /// Origin of the clock rates.
    #[serde(default)]
    pub note: Option<String>,
}

/// Publication.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSource {
    /// Short name, used by series.
    pub id: String,
    /// Title.
    pub title: String,
    /// Address.
    pub url: String,
    /// Date of the publication: `2025-05-05`, `2022-10` or `2026`.
    pub date: String,
    /// Date on which the figures were read: `2026-11-28`.
    pub looked_at: String,
}

/// Unit of published figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum PublishedUnit {
    /// Nanoseconds per operation.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// Operations per second.
    #[serde(rename = "per second")]
    PerSecond,
    /// Ticks of the time-stamp counter per operation. Many tools call them cycles.
    #[serde(rename = "tsc")]
    TscTicks,
    /// Core cycles per operation.
    #[serde(rename = "cycles")]
    CoreCycles,
}

/// Statistic of published figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum PublishedStatistic {
    /// Mean of single operations.
    #[serde(rename = "mean")]
    Mean,
    /// Median of single operations.
    #[serde(rename = "median")]
    Median,
    /// Mean of the middle half of single operations.
    #[serde(rename = "interquartile mean")]
    InterquartileMean,
    /// Median of the means of batches.
    #[serde(rename = "median of batches")]
    MedianOfBatches,
}

/// Statement about some figures of a series, which explains a difference.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedCaveat {
    /// Prefixes of the names of the algorithms.
    pub algorithms: Vec<String>,
    /// Names of the operations; empty for all.
    #[serde(default)]
    pub operations: Vec<String>,
    /// The statement.
    pub says: String,
    /// Whether an experiment found the statement to explain the difference.
    #[serde(default)]
    pub tested: bool,
    /// Upper limit in percent for the differences that it explains; `None` if it explains differences of any size.
    #[serde(default)]
    pub at_most_pct: Option<f64>,
    /// Whether it only explains why a run is slower.
    #[serde(default)]
    pub slower_only: bool,
    /// Whether it only explains why a run is faster.
    #[serde(default)]
    pub faster_only: bool,
}

/// Figures from one source that share the library, the machine and the way of measuring.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Short name, used by figures.
    pub id: String,
    /// Id of the [`PublishedSource`].
    pub source: String,
    /// Id of the [`PublishedCpu`].
    pub cpu: String,
    /// Name of the library.
    pub library: String,
    /// Version of the library, or a commit or date.
    pub version: String,
    /// Code path, such as `avx2`; `None` if the library chose it.
    #[serde(default)]
    pub path: Option<String>,
    /// Unit of the figures.
    pub unit: PublishedUnit,
    /// Statistic of the figures.
    pub statistic: PublishedStatistic,
    /// Compiler and its flags; `None` if not stated.
    #[serde(default)]
    pub compiler: Option<String>,
    /// Form of the keys; `None` if not stated.
    #[serde(default)]
    pub form: Option<Form>,
    /// Encoding of the private key, if the operation loads or writes one.
    #[serde(default)]
    pub key: Option<String>,
    /// Whether the benchmark supplied the random bytes, so that the operation called no generator.
    #[serde(default)]
    pub supplied_randomness: bool,
    /// Length of the signed message in bytes; `None` if not stated.
    #[serde(default)]
    pub message_bytes: Option<u64>,
    /// Whether the source does not state the CPU.
    #[serde(default)]
    pub cpu_inferred: bool,
    /// Statements about some of the figures.
    #[serde(default)]
    pub caveats: Vec<PublishedCaveat>,
}

/// Published figure.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedFigure {
    /// Area of the operation.
    pub area: String,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Name of the operation.
    pub operation: String,
    /// Length of the message in bytes, if the figures of the series differ in it.
    pub length: Option<u64>,
    /// Value in the unit of its series.
    pub value: f64,
    series: usize,
}

/// All published figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    /// Kinds of cores.
    pub cores: Vec<Core>,
    /// CPUs.
    pub cpus: Vec<PublishedCpu>,
    /// Publications.
    pub sources: Vec<PublishedSource>,
    /// Series of figures.
    pub series: Vec<Series>,
    /// Figures, grouped by series.
    pub figures: Vec<PublishedFigure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sources {
    cores: Vec<Core>,
    cpus: Vec<PublishedCpu>,
    sources: Vec<PublishedSource>,
    series: Vec<Series>,
}

/// Returns the collection that is part of the program.
pub fn collection() -> &'static Collection {
    static ALL: OnceLock<Collection> = OnceLock::new();
    let read =
        || Collection::parse(include_str!("../../published/sources.json"), include_str!("../../published/figures.csv"));
    ALL.get_or_init(|| read().expect("the published figures must be valid"))
}

/// First line of `figures.csv`.
const HEADING: &str = "series,case,value";

impl Collection {
    /// Parses the sources (JSON) and the figures (CSV without quotes; columns `series`, `case` and `value`).
    ///
    /// # Errors
    /// A message with the line, if a name is unknown or occurs twice, if a value is not a positive number, or if two
    /// lines give the same figure.
    pub fn parse(sources: &str, figures: &str) -> Result<Collection, String> {
        let Sources { cores, cpus, sources, series } =
            serde_json::from_str(sources).map_err(|error| format!("sources.json: {error}"))?;
        let known_cores = names("core", cores.iter().map(|core| &core.name))?;
        let known_cpus = names("CPU", cpus.iter().map(|cpu| &cpu.id))?;
        let known_sources = names("source", sources.iter().map(|source| &source.id))?;
        let known_series = names("series", series.iter().map(|one| &one.id))?;
        for cpu in &cpus {
            find(&known_cores, "core", &cpu.core)?;
        }
        for one in &series {
            find(&known_cpus, "CPU", &one.cpu)?;
            find(&known_sources, "source", &one.source)?;
        }
        let figures = parse_figures(figures, &known_series)?;
        Ok(Collection { cores, cpus, sources, series, figures })
    }

    /// Returns the series of a figure.
    pub fn series_of(&self, figure: &PublishedFigure) -> &Series {
        &self.series[figure.series]
    }

    /// Returns the CPU of a series.
    pub fn cpu_of(&self, series: &Series) -> &PublishedCpu {
        self.cpus.iter().find(|cpu| cpu.id == series.cpu).expect("parsing checks the ids of CPUs")
    }

    /// Returns the source of a series.
    pub fn source_of(&self, series: &Series) -> &PublishedSource {
        self.sources.iter().find(|source| source.id == series.source).expect("parsing checks the ids of sources")
    }

    /// Returns the kind of core of a run's CPU. Returns `None` if the collection does not know it.
    pub fn core_of(&self, cpu: &Cpu) -> Option<&Core> {
        let numbers = cpu.numbers?;
        let has_model = |core: &Core| core.models.iter().any(|[first, last]| (*first..=*last).contains(&numbers.model));
        self.cores.iter().find(|core| core.family == Some(numbers.family) && has_model(core))
    }
}

/// Returns the index of each name.
fn names<'a>(what: &str, all: impl Iterator<Item = &'a String>) -> Result<HashMap<&'a str, usize>, String> {
    let mut known = HashMap::new();
    for (place, name) in all.enumerate() {
        if known.insert(name.as_str(), place).is_some() {
            return Err(format!("sources.json: {what} \"{name}\" occurs twice"));
        }
    }
    Ok(known)
}

fn find(known: &HashMap<&str, usize>, what: &str, name: &str) -> Result<usize, String> {
    known.get(name).copied().ok_or_else(|| format!("sources.json: unknown {what} \"{name}\""))
}

fn parse_figures(text: &str, series: &HashMap<&str, usize>) -> Result<Vec<PublishedFigure>, String> {
    let mut lines = text.lines().zip(1..);
    if lines.next().map(|(line, _)| line) != Some(HEADING) {
        return Err(format!("figures.csv: line 1: expected \"{HEADING}\""));
    }
    let mut seen = HashSet::new();
    let figure = |(line, number): (&str, u32)| {
        let wrong = |what: String| format!("figures.csv: line {number}: {what}");
        let fields: Vec<&str> = line.split(',').collect();
        let [name, case, value] = fields[..] else {
            return Err(wrong(format!("expected 3 fields, found {}", fields.len())));
        };
        let series = *series.get(name).ok_or_else(|| wrong(format!("unknown series \"{name}\"")))?;
        if !seen.insert((series, case.to_owned())) {
            return Err(wrong(format!("{name} already has a figure for {case}")));
        }
        // A case id also names a provider, which the series does here.
        let id = format!("{case}@published").parse::<CaseId>().map_err(|error| wrong(error.to_string()))?;
        let value = value.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
        let value = value.ok_or_else(|| wrong("the value must be a number above zero".into()))?;
        let length = match &id.parameters[..] {
            [] => None,
            [Parameter::Number(name, length)] if name == Parameter::LENGTH => Some(*length),
            _ => return Err(wrong(format!("{case}: the only parameter of a figure is {}", Parameter::LENGTH))),
        };
        let CaseId { area, algorithm, operation, .. } = id;
        Ok(PublishedFigure { area, algorithm, operation, length, value, series })
    };
    lines.map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::CpuNumbers;

    #[test]
    fn the_collection_is_large_and_complete() {
        let all = collection();
        let used = |id: &dyn Fn(&Series) -> &String| all.series.iter().map(id).collect::<HashSet<_>>().len();
        assert!(all.figures.len() >= 400, "{}", all.figures.len());
        assert_eq!(used(&|one| &one.source), all.sources.len(), "a source without a series");
        assert_eq!(used(&|one| &one.cpu), all.cpus.len(), "a CPU without a series");
        assert!(all.sources.len() >= 12 && all.cpus.len() >= 8);
        for (place, one) in all.series.iter().enumerate() {
            assert!(all.figures.iter().any(|figure| figure.series == place), "{} has no figure", one.id);
            assert!(!one.library.is_empty() && !one.version.is_empty(), "{}", one.id);
        }
    }

    #[test]
    fn every_source_has_an_address_and_dates() {
        for source in &collection().sources {
            assert!(source.url.starts_with("https://") && source.title.len() > 8, "{source:?}");
            let parts: Vec<usize> = source.looked_at.split('-').map(str::len).collect();
            assert_eq!(parts, [4, 2, 2], "{source:?}");
            let parts: Vec<usize> = source.date.split('-').map(str::len).collect();
            assert!([4, 2, 2].starts_with(&parts), "{source:?}");
        }
    }

    #[test]
    fn clock_rates_are_plausible() {
        let all = collection();
        for cpu in &all.cpus {
            assert!(cpu.tsc_mhz.is_none_or(|rate| (1000.0..6000.0).contains(&rate)), "{cpu:?}");
            assert!(cpu.core_mhz.is_none_or(|rate| (1000.0..6000.0).contains(&rate)), "{cpu:?}");
        }
    }

    #[test]
    fn areas_and_operations_are_those_of_cases() {
        for figure in &collection().figures {
            let known = match figure.area.as_str() {
                "kem" => ["keygen", "encapsulate", "decapsulate"].as_slice(),
                "signature" => &["keygen", "sign", "verify"],
                "hash" => &["digest", "tag"],
                other => panic!("{other}"),
            };
            assert!(known.contains(&figure.operation.as_str()), "{figure:?}");
            assert_eq!(figure.area == "hash", figure.length.is_some() && figure.area != "signature", "{figure:?}");
        }
    }

    #[test]
    fn cores_are_found_by_family_and_model() {
        let core = |family, model| {
            let cpu = Cpu { numbers: Some(CpuNumbers { family, model, stepping: 1 }), ..Cpu::default() };
            collection().core_of(&cpu).map(|core| core.name.as_str())
        };
        assert_eq!(core(25, 1), Some("Zen 3"));
        assert_eq!(core(25, 0x61), Some("Zen 4"));
        assert_eq!(core(6, 0x8f), Some("Golden Cove"));
        assert_eq!(core(99, 1), None);
        assert_eq!(collection().core_of(&Cpu::default()), None);
    }

    const SOURCES: &str = r#"{"cores": [{"name": "Zen 3", "family": 25, "models": [[0, 15]]}],
        "cpus": [{"id": "c", "name": "C", "core": "Zen 3", "vendor": "AMD"}],
        "sources": [{"id": "s", "title": "T", "url": "https://x", "date": "2026", "looked_at": "2026-01-01"}],
        "series": [{"id": "a", "source": "s", "cpu": "c", "library": "l", "version": "1", "unit": "ns",
                    "statistic": "mean"}]}"#;

    #[test]
    fn rejects_wrong_lines_and_unknown_names() {
        let parse = |lines: &str| Collection::parse(SOURCES, &format!("{HEADING}\n{lines}"));
        assert_eq!(parse("a,kem/X/keygen,1.5\n").unwrap().figures.len(), 1);
        for (lines, error) in [
            ("b,kem/X/keygen,1", "line 2: unknown series \"b\""),
            ("a,kem/X/keygen,1\na,kem/X/keygen,2", "line 3: a already has a figure for kem/X/keygen"),
            ("a,kem/X/keygen", "line 2: expected 3 fields, found 2"),
            ("a,kem/X/keygen,0", "line 2: the value must be a number above zero"),
            ("a,kem/X/keygen,nan", "line 2: the value must be a number above zero"),
            ("a,hash/X/digest[out=8],1", "line 2: hash/X/digest[out=8]: the only parameter of a figure is len"),
            ("a,kem,1", "line 2: "),
        ] {
            let found = parse(lines).unwrap_err();
            assert!(found.starts_with(&format!("figures.csv: {error}")), "{found}");
        }
        let wrong = |from: &str, to: &str| Collection::parse(&SOURCES.replace(from, to), HEADING).unwrap_err();
        assert_eq!(wrong(r#""cpu": "c""#, r#""cpu": "d""#), "sources.json: unknown CPU \"d\"");
        assert_eq!(wrong(r#""source": "s""#, r#""source": "t""#), "sources.json: unknown source \"t\"");
        assert_eq!(wrong(r#""core": "Zen 3""#, r#""core": "Zen""#), "sources.json: unknown core \"Zen\"");
        assert!(wrong(r#""unit": "ns""#, r#""unit": "hours""#).starts_with("sources.json: unknown variant"));
        assert!(Collection::parse(SOURCES, "").unwrap_err().starts_with("figures.csv: line 1: expected"));
    }
}
