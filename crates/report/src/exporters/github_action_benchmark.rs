//! Format `customSmallerIsBetter` of the GitHub action `benchmark-action/github-action-benchmark`.

use super::{ExportError, Exporter, Format, finish_json, without_floor};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use serde::Serialize;
use std::io::Write;

/// Median or mean in ns of every case with a figure. `range` is the half-width of the 95% interval. `extra` contains
/// one line per caveat, which the action's charts show next to the point. Failed cases and overhead cases have no
/// entry.
pub(super) struct GithubActionBenchmark;

#[derive(Serialize)]
struct Entry {
    name: String,
    unit: &'static str,
    value: f64,
    range: String,
    extra: String,
}

impl Exporter for GithubActionBenchmark {
    fn format(&self) -> Format {
        Format {
            name: "github-action-benchmark",
            describe: "JSON for the GitHub action github-action-benchmark (tool customSmallerIsBetter)",
            extension: "json",
        }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        let entry = |case: &CaseAnalysis<'_>| {
            let estimates = case.estimates.as_ref()?;
            let headline = estimates.headline_ns();
            let count =
                format!("{} of {} samples, {} processes", estimates.statistic.name(), estimates.n, estimates.processes);
            let extra: Vec<String> = std::iter::once(count).chain(case.caveats.lines()).collect();
            Some(Entry {
                name: case.case().id(),
                unit: "ns",
                value: headline.estimate,
                range: format!("± {:.4}", (headline.high - headline.low) / 2.0),
                extra: extra.join("\n"),
            })
        };
        finish_json(&without_floor(analysis).filter_map(entry).collect::<Vec<_>>(), out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;

    #[test]
    fn entries_have_the_fields_that_the_action_requires() {
        let bytes = written(&GithubActionBenchmark, &fixtures::run());
        let all: Vec<serde_json::Value> = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(all.len(), 5);
        for entry in all {
            assert!(entry["name"].is_string() && entry["unit"] == "ns" && entry["value"].as_f64().unwrap() > 0.0);
            assert!(entry["range"].as_str().unwrap().starts_with("± "));
        }
    }
}
