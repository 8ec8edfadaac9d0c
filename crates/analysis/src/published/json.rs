//! JSON form of a comparison with published figures.

use super::comparison::{PublishedComparison, PublishedPair};
use pqlab_record::Unit;
use serde_json::{Value, json};

impl PublishedComparison {
    /// Converts the comparison to JSON. `here` and `published` are in the `unit` of the pair: `ns` or `core cycles`.
    /// Fields that do not apply are null.
    pub fn to_json(&self) -> Value {
        let sources = self.sources();
        json!({
            "run": self.run,
            "cpu": self.cpu,
            "core": self.core,
            "tsc_hz": self.tsc_hz,
            "core_clock_hz": self.core_hz,
            "answer": self.answer(),
            "figures_for_this_core": self.published,
            "pairs": self.pairs.iter().map(|pair| entry(pair, true)).collect::<Vec<_>>(),
            "other_cpus": self.others.iter().map(|pair| entry(pair, false)).collect::<Vec<_>>(),
            "far_slower": self.far_slower(),
            "sources": sources
                .iter()
                .map(|source| json!({"id": source.id, "title": source.title, "url": source.url, "date": source.date,
                                     "looked_at": source.looked_at}))
                .collect::<Vec<_>>(),
        })
    }
}

fn entry(pair: &PublishedPair, is_judged: bool) -> Value {
    json!({
        "case": pair.case,
        "source": pair.source.id,
        "series": pair.series.id,
        "library": pair.series.library,
        "version": pair.series.version,
        "version_match": pair.version.name(),
        "cpu": pair.cpu.name,
        "core": pair.cpu.core,
        "unit": match pair.unit { Unit::Nanoseconds => "ns", Unit::CoreCycles => "core cycles" },
        "here": pair.here.estimate,
        "here_ci": [pair.here.low, pair.here.high],
        "published": pair.published,
        "ratio": pair.ratio(),
        "time_ratio": pair.time_ratio,
        "disturbed": pair.disturbed,
        "agreement": is_judged.then(|| pair.agreement().name()),
        "reasons": pair.reasons,
    })
}
