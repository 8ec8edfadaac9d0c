//! JSON form of a comparison.

use super::{Comparison, unit_name};
use pqlab_record::Unit;
use pqlab_stats::VERDICT_SIGNIFICANCE;
use serde_json::{Value, json};

impl Comparison {
    /// Converts the comparison to JSON. Times are in µs, as in the run schema. `ratio` compares figures in the unit
    /// that the case's `metric` names. Fields that do not apply are null.
    pub fn to_json(&self) -> Value {
        let cases: Vec<Value> = self
            .cases
            .iter()
            .map(|case| {
                let us = |ns: Option<f64>| ns.map(|ns| ns / 1000.0);
                let means = case.means.as_ref().map_or(Value::Null, |means| means.to_json());
                json!({
                    "first": case.first,
                    "second": case.second,
                    "first_median_us": us(case.first_ns),
                    "second_median_us": us(case.second_ns),
                    "metric": unit_name(case.unit),
                    "first_core_cycles": case.first_cycles,
                    "second_core_cycles": case.second_cycles,
                    "paired": case.paired,
                    "ratio": case.ratio.map(|ratio| ratio.ratio.estimate),
                    "ratio_ci": case.ratio.map(|ratio| [ratio.ratio.low, ratio.ratio.high]),
                    "time_ratio": case.time_ratio.map(|ratio| ratio.ratio.estimate),
                    "time_ratio_ci": case.time_ratio.map(|ratio| [ratio.ratio.low, ratio.ratio.high]),
                    "p_value": case.ratio.map(|ratio| ratio.p_value),
                    "adjusted_p_value": case.judgement.adjusted_p,
                    "welch": means["welch"],
                    "cohens_d": means["cohens_d"],
                    "overhead_pct": means["overhead_pct"],
                    "overhead_ci_pct": means["overhead_ci_pct"],
                    "verdict": case.judgement.verdict.name(),
                    "doubtful": case.doubtful,
                    "broken": case.broken,
                    "notes": case.notes,
                })
            })
            .collect();
        let differences: Vec<Value> = self
            .differences
            .iter()
            .map(|it| json!({"what": it.what, "first": it.first, "second": it.second}))
            .collect();
        json!({
            "different_machines": self.machines,
            "first_run": self.first_run,
            "second_run": self.second_run,
            "differences": differences,
            "margin_pct": self.criteria.margin_pct,
            "margin_source": self.criteria.margin_source,
            "metric": self.criteria.judged.name(),
            "run_spread_pct": self.criteria.runs(Unit::Nanoseconds).pct,
            "run_spread_cycles_pct": self.criteria.runs(Unit::CoreCycles).pct,
            "run_spread_source": self.criteria.runs_source,
            "correction": self.corrected.then_some("benjamini-hochberg"),
            "significance": VERDICT_SIGNIFICANCE,
            "cases": cases,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "other_encodings": self.other_encodings,
        })
    }
}
