//! Columns that describe cases, with the types and units of the columns. Every format with columns uses this table.

use pqlab_record::document::{ParameterValue, ResultEntry};
use pqlab_record::{CyclesSource, Form, Status};

/// A column that describes cases.
pub(super) struct Column {
    /// Name in files.
    pub(super) name: &'static str,
    /// Unit of the numbers; empty if they have none.
    pub(super) unit: &'static str,
    /// Type of the column, with the function that returns the value for a case.
    pub(super) value: Value,
}

/// Type of a column, with the function that returns the value for a case. The function returns `None` if the column
/// does not apply to the case.
#[derive(Clone, Copy)]
pub(super) enum Value {
    Text(fn(&ResultEntry) -> Option<String>),
    Whole(fn(&ResultEntry) -> Option<u64>),
    Real(fn(&ResultEntry) -> Option<f64>),
    Truth(fn(&ResultEntry) -> Option<bool>),
}

impl Column {
    /// Returns the value for a case as text, or an empty string if the column does not apply. Writes each number as the
    /// shortest decimal that parses back to the same value.
    pub(super) fn text(&self, row: &ResultEntry) -> String {
        match self.value {
            Value::Text(get) => get(row),
            Value::Whole(get) => get(row).map(|value| value.to_string()),
            Value::Real(get) => get(row).map(|value| value.to_string()),
            Value::Truth(get) => get(row).map(|value| value.to_string()),
        }
        .unwrap_or_default()
    }
}

const fn text(name: &'static str, value: fn(&ResultEntry) -> Option<String>) -> Column {
    Column { name, unit: "", value: Value::Text(value) }
}

const fn whole(name: &'static str, unit: &'static str, value: fn(&ResultEntry) -> Option<u64>) -> Column {
    Column { name, unit, value: Value::Whole(value) }
}

const fn real(name: &'static str, unit: &'static str, value: fn(&ResultEntry) -> Option<f64>) -> Column {
    Column { name, unit, value: Value::Real(value) }
}

const fn truth(name: &'static str, value: fn(&ResultEntry) -> Option<bool>) -> Column {
    Column { name, unit: "", value: Value::Truth(value) }
}

/// All columns, in the order of the file. New columns must be added at the end.
pub(super) const COLUMNS: [Column; 92] = [
    text("id", |row| Some(row.id.clone())),
    text("name", |row| Some(row.name.clone())),
    text("workload", |row| Some(row.workload.clone())),
    text("algorithm", |row| Some(row.algorithm.clone())),
    text("operation", |row| Some(row.operation.clone())),
    text("provider", |row| Some(row.provider.clone())),
    text("backend", |row| row.backend.clone()),
    text("encoding", |row| row.encoding.map(form)),
    text("parameters", |row| Some(parameters(row))),
    whole("category", "", |row| row.category.map(u64::from)),
    text("status", |row| Some(if row.status == Status::Ok { "ok" } else { "failed" }.to_owned())),
    text("error", |row| row.error.clone()),
    truth("verified", |row| Some(row.verified)),
    truth("contended", |row| Some(row.contended)),
    truth("precision_reached", |row| Some(row.precision_reached)),
    whole("batch", "operations", |row| row.batch),
    whole("n", "samples", |row| Some(row.n as u64)),
    whole("processes", "processes", |row| Some(row.processes as u64)),
    real("median_us", "µs", |row| row.median_us),
    real("median_low_us", "µs", |row| row.median_ci_us.map(|interval| interval[0])),
    real("median_high_us", "µs", |row| row.median_ci_us.map(|interval| interval[1])),
    real("half_width_pct", "%", |row| row.half_width_pct),
    text("interval_method", |row| row.interval_method.clone()),
    real("mean_us", "µs", |row| row.mean_us),
    real("stdev_us", "µs", |row| row.stdev_us),
    real("cov_pct", "%", |row| row.cov_pct),
    real("min_us", "µs", |row| row.min_us),
    real("p5_us", "µs", |row| row.p5_us),
    real("p25_us", "µs", |row| row.p25_us),
    real("p75_us", "µs", |row| row.p75_us),
    real("p95_us", "µs", |row| row.p95_us),
    real("p99_us", "µs", |row| row.p99_us),
    real("max_us", "µs", |row| row.max_us),
    real("iqm_us", "µs", |row| row.iqm_us),
    real("ops_per_s", "op/s", |row| row.ops_per_s),
    text("counter", |row| row.counter.map(|counter| counter.name().to_owned())),
    real("ticks", "counter ticks", |row| row.ticks),
    real("ticks_per_byte", "counter ticks per byte", |row| row.ticks_per_byte),
    real("cycles", "core cycles", |row| row.cycles),
    real("cycles_per_byte", "core cycles per byte", |row| row.cycles_per_byte),
    real("instructions", "instructions", |row| row.instructions),
    whole("bytes", "B", |row| row.bytes),
    whole("public_key", "B", |row| row.sizes.public_key),
    whole("secret_key", "B", |row| row.sizes.secret_key),
    whole("ciphertext", "B", |row| row.sizes.ciphertext),
    whole("shared_secret", "B", |row| row.sizes.shared_secret),
    whole("signature", "B", |row| row.sizes.signature),
    text("finished_at", |row| Some(row.finished_at.clone())),
    real("jarque_bera", "", |row| row.jarque_bera),
    real("jarque_bera_p", "", |row| row.jarque_bera_p),
    real("bytes_per_s", "B/s", |row| row.bytes_per_s),
    real("core_cycles", "core cycles", |row| row.core_cycles),
    real("core_cycles_low", "core cycles", |row| row.core_cycles_ci.map(|interval| interval[0])),
    real("core_cycles_high", "core cycles", |row| row.core_cycles_ci.map(|interval| interval[1])),
    text("core_cycles_source", |row| row.core_cycles_source.map(CyclesSource::name).map(str::to_owned)),
    real("shared_pct", "%", |row| row.shared_pct),
    truth("drifting", |row| Some(row.drifting)),
    text("defect", |row| row.defect.clone()),
    text("imprecise", |row| row.imprecise.as_ref().map(|words| words.join(","))),
    text("residue", residue),
    text("key", |row| row.key.clone()),
    text("caveats", |row| Some(caveats(row))),
    text("run", |row| Some(row.run.clone())),
    real("robust_cov_pct", "%", |row| row.robust_cov_pct),
    text("library_kind", |row| row.library.as_ref().map(|library| library.kind.clone())),
    text("library_label", |row| row.library.as_ref().map(|library| library.label.clone())),
    text("language", |row| row.language.clone()),
    text("statistic", |row| row.statistic.clone()),
    real("mean_low_us", "µs", |row| row.mean_ci_us.map(|interval| interval[0])),
    real("mean_high_us", "µs", |row| row.mean_ci_us.map(|interval| interval[1])),
    real("ops_per_s_low", "op/s", |row| row.ops_per_s_ci.map(|interval| interval[0])),
    real("ops_per_s_high", "op/s", |row| row.ops_per_s_ci.map(|interval| interval[1])),
    real("mean_core_cycles", "core cycles", |row| row.mean_core_cycles),
    real("mean_core_cycles_low", "core cycles", |row| row.mean_core_cycles_ci.map(|interval| interval[0])),
    real("mean_core_cycles_high", "core cycles", |row| row.mean_core_cycles_ci.map(|interval| interval[1])),
    truth("ranked", |row| Some(row.ranked)),
    text("not_ranked_because", |row| row.not_ranked_because.clone()),
    text("precision", |row| row.quality.as_ref().map(|quality| quality.precision.clone())),
    truth("disturbed", |row| row.quality.as_ref().map(|quality| quality.disturbed)),
    text("run_spread", |row| row.quality.as_ref().map(|quality| quality.run_spread.clone())),
    real("expected_attempts", "attempts", |row| Some(row.attempts.as_ref()?.expected)),
    real("first_attempt_cycles", "core cycles", |row| row.attempts.as_ref()?.first_cycles),
    real("each_attempt_cycles", "core cycles", |row| row.attempts.as_ref()?.each_cycles),
    real("at_expected_us", "µs", |row| Some(row.attempts.as_ref()?.at_expected_us)),
    real("at_expected_low_us", "µs", |row| Some(row.attempts.as_ref()?.at_expected_ci_us[0])),
    real("at_expected_high_us", "µs", |row| Some(row.attempts.as_ref()?.at_expected_ci_us[1])),
    real("at_expected_cycles", "core cycles", |row| row.attempts.as_ref()?.at_expected_cycles),
    real("at_expected_cycles_low", "core cycles", |row| Some(row.attempts.as_ref()?.at_expected_cycles_ci?[0])),
    real("at_expected_cycles_high", "core cycles", |row| Some(row.attempts.as_ref()?.at_expected_cycles_ci?[1])),
    real("at_expected_ops_per_s", "op/s", |row| row.attempts.as_ref()?.ops_per_s),
    real("at_expected_ops_per_s_low", "op/s", |row| Some(row.attempts.as_ref()?.ops_per_s_ci?[0])),
    real("at_expected_ops_per_s_high", "op/s", |row| Some(row.attempts.as_ref()?.ops_per_s_ci?[1])),
];

/// Joins all caveats of a case for one cell, like [`Caveats::text`](pqlab_analysis::caveats::Caveats::text).
fn caveats(row: &ResultEntry) -> String {
    row.caveats.iter().map(|(word, says)| format!("{word}: {says}")).collect::<Vec<_>>().join("; ")
}

fn form(form: Form) -> String {
    match form {
        Form::Prepared => "prepared",
        Form::Encoded => "encoded",
    }
    .to_owned()
}

/// Returns the names of the leftover register state, separated by commas. Returns the text `none` if the call leaves no
/// state behind, or `None` if this is unknown.
fn residue(row: &ResultEntry) -> Option<String> {
    let names = row.residue.as_ref()?.iter().map(|residue| residue.name()).collect::<Vec<_>>();
    Some(if names.is_empty() { "none".to_owned() } else { names.join(",") })
}

/// Formats the parameters of a case as in its id.
fn parameters(row: &ResultEntry) -> String {
    let shown = row.parameters.iter().map(|(name, value)| match value {
        ParameterValue::Flag(_) => name.clone(),
        ParameterValue::Number(number) => format!("{name}={number}"),
        ParameterValue::Word(word) => format!("{name}={word}"),
    });
    shown.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_analysis::caveats::Caveat;

    /// Returns the text of `docs/formats.md`, which must describe all columns and caveats.
    fn documented() -> String {
        std::fs::read_to_string("../../docs/formats.md").unwrap()
    }

    #[test]
    fn names_are_unique() {
        for (index, one) in COLUMNS.iter().enumerate() {
            assert!(COLUMNS[..index].iter().all(|other| other.name != one.name), "{}", one.name);
        }
    }

    #[test]
    fn every_column_is_documented_with_its_type_and_unit() {
        let documented = documented();
        let mut rows = documented.lines().filter(|line| line.starts_with("| `")).map(|line| {
            let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
            (cells[1], cells[2], cells[3])
        });
        for column in &COLUMNS {
            let kind = match column.value {
                Value::Text(_) => "text",
                Value::Whole(_) => "whole",
                Value::Real(_) => "real",
                Value::Truth(_) => "truth",
            };
            let found = rows.find(|(name, ..)| *name == column.name);
            assert_eq!(found, Some((column.name, kind, column.unit)), "columns must be documented in file order");
        }
    }

    #[test]
    fn every_caveat_table_and_format_is_documented() {
        let documented = documented();
        for caveat in Caveat::ALL {
            assert!(documented.contains(&format!("| `{}` | {}", caveat.word(), caveat.legend())), "{}", caveat.word());
        }
        for table in pqlab_analysis::tables::NAMES {
            assert!(documented.contains(&format!("`{table}`")), "{table}");
        }
        for exporter in super::super::exporters() {
            assert!(documented.contains(&format!("\n| `{}` ", exporter.name())), "{}", exporter.name());
        }
    }
}
