//! Finds out why the processes of a case differ, for `pqlab doctor --placement`: measures the case in processes that
//! differ in one respect at a time.

use crate::{Collected, LabError, Laboratory, Plan, Progress, RunRequest};
use pqlab_analysis::estimates::{PLACEMENT_SIGNIFICANCE, ProcessLevels};
use pqlab_harness::layout::{Layout, Layouts};
use pqlab_record::{Case, MemoryPart, Offsets, Protocol, State, Unit};
use pqlab_stats::{benjamini_hochberg, grouped, mean, standard_deviation};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Number of processes without a difference: layout and inputs are the same in all of them.
const ALIKE: u32 = 8;
/// Number of levels of each factor, besides the level of the processes without a difference.
const LEVELS: u16 = 5;
/// Number of processes for each of these levels.
const REPEATS: u16 = 2;
/// Distance in bytes between the levels of an offset. A multiple of 16 but not of 64, so that the levels also differ in
/// their position within a cache line.
const STEP: u16 = 688;
/// Distance in bytes between the offsets at a level. A multiple of 64, so that they have the same position within a
/// cache line. Different offsets cover more of a page than equal ones would.
const APART: u16 = 320;
/// Time for the visits to the case, in seconds. Starting the processes takes a few more.
const VISITS_S: f64 = 20.0;
/// Target precision in percent. So fine that most cases use all of their time.
const PRECISION_PCT: f64 = 0.1;
/// Standard deviation between processes below which they hardly differ, in percent.
const HARDLY_PCT: f64 = 0.5;

/// Property in which processes differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacementFactor {
    /// Keys and messages.
    Inputs,
    /// Offset of a part of memory.
    Offset(MemoryPart),
}

impl PlacementFactor {
    const ALL: [PlacementFactor; 4] = [
        PlacementFactor::Inputs,
        PlacementFactor::Offset(MemoryPart::Stack),
        PlacementFactor::Offset(MemoryPart::Heap),
        PlacementFactor::Offset(MemoryPart::Keys),
    ];

    /// Returns the keyword used in files.
    pub fn name(self) -> &'static str {
        match self {
            PlacementFactor::Inputs => "inputs",
            PlacementFactor::Offset(part) => part.name(),
        }
    }

    /// Returns the value of the factor for a process: an offset in bytes, or the number of the inputs. All values are 0
    /// at level 0.
    fn value(self, level: u16, repeat: u16) -> u16 {
        match self {
            PlacementFactor::Inputs => level,
            PlacementFactor::Offset(_) => level * STEP + repeat * APART,
        }
    }

    /// Returns the layout of a process, for a value of this factor.
    fn layout(self, value: u16) -> Layout {
        let (mut offsets, mut inputs) = (Offsets::default(), 0);
        match self {
            PlacementFactor::Inputs => inputs = u32::from(value),
            PlacementFactor::Offset(MemoryPart::Stack) => offsets.stack = value,
            PlacementFactor::Offset(MemoryPart::Heap) => offsets.heap = value,
            PlacementFactor::Offset(MemoryPart::Keys) => offsets.keys = value,
        }
        Layout { offsets, inputs }
    }
}

/// Effect of a factor on the figures of the processes.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorEffect {
    /// The factor.
    pub factor: PlacementFactor,
    /// Share of the variance that the factor explains, from 0 to 1. Only its own processes and those without a
    /// difference count.
    pub share: f64,
    /// p-value of a permutation test, corrected for the number of factors.
    pub p: f64,
    /// Mean figure of the processes for each value of the factor: an offset in bytes, or the number of the inputs.
    pub means: Vec<(u16, f64)>,
}

impl FactorEffect {
    /// Returns whether the factor explains a significant share.
    pub fn is_significant(&self) -> bool {
        self.p <= PLACEMENT_SIGNIFICANCE
    }
}

/// Range of figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelRange {
    /// Number of processes.
    pub processes: usize,
    /// Smallest figure.
    pub low: f64,
    /// Largest figure.
    pub high: f64,
    /// Standard deviation in percent of the mean.
    pub deviation_pct: f64,
}

impl LevelRange {
    fn new(values: &[f64]) -> Option<LevelRange> {
        let deviation_pct = 100.0 * standard_deviation(values)? / mean(values)?;
        let (low, high) = values.iter().fold((f64::MAX, 0.0), |(low, high), value| (value.min(low), value.max(high)));
        Some(LevelRange { processes: values.len(), low, high, deviation_pct })
    }
}

/// Result of [`Laboratory::placement`].
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementReport {
    /// Id of the case.
    pub case: String,
    /// Unit of the figures.
    pub unit: Unit,
    /// Figures of all processes.
    pub all: LevelRange,
    /// Figures of the processes with the same layout and inputs. The kernel still chooses the addresses of their pages
    /// and the physical memory.
    pub alike: LevelRange,
    /// Effect of each factor.
    pub factors: Vec<FactorEffect>,
    /// Whether other programs disturbed the measurement.
    pub disturbed: bool,
}

impl PlacementReport {
    /// Returns whether the processes hardly differ, so that there is nothing to explain.
    pub fn is_steady(&self) -> bool {
        self.all.deviation_pct < HARDLY_PCT
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> Value {
        let range = |range: &LevelRange| {
            json!({"processes": range.processes, "low": range.low, "high": range.high,
                "deviation_pct": range.deviation_pct})
        };
        let factors = self.factors.iter().map(|effect| {
            let means = effect.means.iter().map(|(value, mean)| json!({"value": value, "mean": mean}));
            json!({"factor": effect.factor.name(), "explained_pct": 100.0 * effect.share, "p": effect.p,
                "significant": effect.is_significant(), "means": means.collect::<Vec<_>>()})
        });
        let unit = if self.unit == Unit::CoreCycles { "cycles" } else { "ns" };
        json!({"case": self.case, "unit": unit, "all": range(&self.all), "alike": range(&self.alike),
            "factors": factors.collect::<Vec<_>>(), "disturbed": self.disturbed})
    }
}

/// What distinguishes a process: a factor, its level, and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Setting {
    factor: PlacementFactor,
    /// Level of the factor; 0 for a process without a difference.
    level: u16,
    value: u16,
}

/// Returns the settings of all processes, by number of the process.
fn settings() -> Vec<Setting> {
    let alike = (0..ALIKE).map(|_| Setting { factor: PlacementFactor::Inputs, level: 0, value: 0 });
    let levels = PlacementFactor::ALL.iter().flat_map(|factor| (1..=LEVELS).map(|level| (*factor, level)));
    let repeated = levels.flat_map(|(factor, level)| {
        (0..REPEATS).map(move |repeat| Setting { factor, level, value: factor.value(level, repeat) })
    });
    alike.chain(repeated).collect()
}

/// Computes the effects of the factors from the figures of the processes.
fn effects(figures: &[(Setting, f64)]) -> Vec<FactorEffect> {
    let effect = |factor: PlacementFactor| {
        let own: Vec<&(Setting, f64)> =
            figures.iter().filter(|(setting, _)| setting.level == 0 || setting.factor == factor).collect();
        let levels: Vec<(f64, u64)> = own.iter().map(|(setting, figure)| (*figure, u64::from(setting.level))).collect();
        let found = grouped(&levels)?;
        let mut by_value: BTreeMap<u16, Vec<f64>> = BTreeMap::new();
        own.iter().for_each(|(setting, figure)| by_value.entry(setting.value).or_default().push(*figure));
        let means = by_value.into_iter().filter_map(|(value, figures)| Some((value, mean(&figures)?))).collect();
        Some(FactorEffect { factor, share: found.share, p: found.p, means })
    };
    let mut effects: Vec<FactorEffect> = PlacementFactor::ALL.into_iter().filter_map(effect).collect();
    let adjusted = benjamini_hochberg(&effects.iter().map(|effect| effect.p).collect::<Vec<f64>>());
    effects.iter_mut().zip(adjusted).for_each(|(effect, p)| effect.p = p);
    effects
}

impl Laboratory {
    /// Finds out why the processes of a case differ. Measures the case in 48 processes: 8 with the same layout and
    /// inputs, and 10 for each of four factors, which differ from these in that factor alone. The kernel chooses
    /// addresses at random in all of them. Takes about half a minute. Stores nothing.
    ///
    /// Returns `None` if `stop` is set in the meantime.
    ///
    /// # Errors
    /// [`LabError::Case`] if the case cannot be measured, [`LabError::Invalid`] if several threads, another process or
    /// a new process for each call does the work.
    pub fn placement(
        &self,
        case: &Case,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Option<PlacementReport>, LabError> {
        let unsuitable = |reason: &str| LabError::invalid("placement", format!("{}: {reason}", case.id()));
        if case.state() == State::FirstCall {
            return Err(unsuitable(
                "every call has its own process, so the layout of a process has no effect on others",
            ));
        }
        let settings = settings();
        let layouts = settings.iter().map(|setting| setting.factor.layout(setting.value)).collect();
        let protocol = Protocol {
            processes: settings.len() as u32,
            precision_pct: PRECISION_PCT,
            max_time_s: VISITS_S,
            // A second chance would give the processes new numbers.
            patience_s: Some(0.0),
            ..Protocol::default()
        };
        let plan = Plan { suite: "placement".into(), cases: vec![case.clone()], protocol };
        let request = RunRequest { seed: None, command: "pqlab doctor --placement".into() };
        let mut collected = Collected::default();
        let ended = self.run_with_layouts(&mut collected, plan, &request, Layouts::Listed(layouts), progress, stop)?;
        if !ended.complete {
            return Ok(None);
        }
        let run = collected.into_run().ok_or(LabError::NoRuns)?;
        let failed = |reason: Option<String>| LabError::Case {
            case: case.id(),
            reason: reason.unwrap_or_else(|| "no samples".into()),
        };
        let record = run.records.first().ok_or_else(|| failed(None))?;
        let levels = ProcessLevels::new(record).ok_or_else(|| failed(record.error.clone()))?;
        if levels.processes.iter().all(|level| level.offsets.is_none()) {
            return Err(unsuitable("several threads or another process do the work, and their layout is not planned"));
        }
        let figures: Vec<(Setting, f64)> = levels
            .processes
            .iter()
            .filter_map(|level| Some((*settings.get(level.worker.process as usize)?, level.value)))
            .collect();
        let values = |only_alike: bool| {
            let chosen = figures.iter().filter(|(setting, _)| !only_alike || setting.level == 0);
            LevelRange::new(&chosen.map(|(_, value)| *value).collect::<Vec<f64>>()).ok_or_else(|| failed(None))
        };
        Ok(Some(PlacementReport {
            case: case.id(),
            unit: levels.unit,
            all: values(false)?,
            alike: values(true)?,
            factors: effects(&figures),
            disturbed: record.samples.contended(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the figures of simulated processes. `effect` returns the cycles that a setting adds.
    fn figures(seed: u64, effect: impl Fn(Setting) -> f64) -> Vec<(Setting, f64)> {
        // Knuth's linear congruential generator: "The Art of Computer Programming", volume 2, section 3.3.4.
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1_u64 << 31) as f64
        };
        settings().into_iter().map(|setting| (setting, 120_000.0 + 500.0 * random() + effect(setting))).collect()
    }

    #[test]
    fn factors_differ_from_the_first_processes_in_one_respect() {
        let settings = settings();
        assert_eq!(settings.len(), 48);
        let base = PlacementFactor::Inputs.layout(0);
        for Setting { factor, level, value } in settings {
            let Layout { offsets, inputs } = factor.layout(value);
            let parts = offsets.parts().map(|(_, offset)| u32::from(offset));
            let changed = parts.iter().chain([&inputs]).filter(|value| **value != 0).count();
            assert_eq!(changed, usize::from(level != 0), "{factor:?} {level}");
            assert!(parts.iter().all(|offset| offset % 16 == 0 && *offset < 4096));
            assert_eq!(factor.layout(0), base);
        }
    }

    #[test]
    fn finds_the_factor_that_matters() {
        let stack = PlacementFactor::Offset(MemoryPart::Stack);
        let slow = |setting: Setting| if setting.factor == stack && setting.level % 2 == 1 { 20_000.0 } else { 0.0 };
        let found = (0..40).filter(|seed| {
            let significant = effects(&figures(*seed, slow)).into_iter().filter(FactorEffect::is_significant);
            let significant: Vec<PlacementFactor> = significant.map(|effect| effect.factor).collect();
            significant.contains(&stack)
        });
        assert!(found.count() >= 38);
        let effects = effects(&figures(1, slow));
        let effect = effects.iter().find(|effect| effect.factor == stack).unwrap();
        assert!(effect.share > 0.9 && effect.means.len() == 11, "{effect:?}");
        let (at, mean) = effect.means[1];
        assert!(at == STEP && (mean - 140_250.0).abs() < 600.0, "{effect:?}");
    }

    #[test]
    fn rarely_finds_a_factor_if_none_matters() {
        let found = (0..200).filter(|seed| effects(&figures(*seed, |_| 0.0)).iter().any(FactorEffect::is_significant));
        let found = found.count();
        assert!(found <= 16, "{found} of 200, but 5% are 10");
    }
}
