//! Data for the page's script: details of each case, embedded in the page as JSON.

use crate::command::command;
use indexmap::{IndexMap, IndexSet};
use pqlab_analysis::caveats::Caveat;
use pqlab_analysis::comparison::Standing;
use pqlab_analysis::history::Past;
use pqlab_analysis::number::{digits, rate_within};
use pqlab_analysis::text::neutral;
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::Statistic;
use pqlab_record::document::ExtraEntry;
use pqlab_stats::Interval;
use serde::Serialize;

/// Details of all cases in the order of the run, and the runs that the trend shows.
#[derive(Serialize)]
pub(super) struct Data {
    cases: Vec<Details>,
    runs: Vec<String>,
    /// Distinct remarks. [`Details::k`] contains indices into this list, because many cases share the same remarks.
    texts: IndexSet<String>,
}

#[derive(Serialize)]
struct Details {
    /// Id of the case.
    i: String,
    /// Command that repeats the case.
    c: String,
    /// Reason why the case failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<String>,
    /// Median and both ends of its interval, in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    m: Option<[f64; 3]>,
    /// Whether the case is compared by its mean, not its median.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    u: bool,
    /// Mean and both ends of its interval, in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<[f64; 3]>,
    /// Expected number of attempts; time in ns of the first attempt; time in ns of each further attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<[f64; 3]>,
    /// Rate with the half-width of its interval, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    o: Option<String>,
    /// Number of samples, number of processes, operations per sample, number of excluded samples.
    n: [u64; 4],
    /// Medians of the processes in ns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    p: Vec<f64>,
    /// Histogram: lower limit of the first bar in ns, width of a bar in ns, number of samples beyond the last bar, and
    /// the counts of the bars.
    #[serde(skip_serializing_if = "Option::is_none")]
    h: Option<(f64, f64, u64, Vec<u64>)>,
    /// Times of single operations in ns: minimum, 5th, 25th, 75th, 95th and 99th percentile, maximum, mean, standard
    /// deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<[Option<f64>; 9]>,
    /// Counter ticks of one operation, and their unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<(f64, &'static str)>,
    /// Core cycles of one operation (median or mean, like the time) with both ends of their interval, and their source.
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<([f64; 3], &'static str)>,
    /// Lengths of keys, ciphertexts and signatures in bytes, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    s: Vec<(&'static str, u64)>,
    /// Standing among the providers: `fastest`, `tied`, `1.24× ±0.4%`.
    #[serde(skip_serializing_if = "Option::is_none")]
    f: Option<String>,
    /// Caveats and other remarks, as indices into [`Data::texts`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    k: Vec<usize>,
    /// Statistics of values that the workload recorded, by name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    x: IndexMap<String, ExtraEntry>,
    /// Median or mean in ns in each run of the trend, with both ends of its interval. Null if a run does not contain
    /// the case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    r: Vec<Option<[f64; 3]>>,
}

impl Data {
    pub(super) fn new(analysis: &RunAnalysis<'_>, past: &[Past]) -> Data {
        let past: Vec<&Past> = past.iter().filter(|past| past.same_machine(analysis.run)).collect();
        let mut texts = IndexSet::new();
        let cases = analysis.cases().iter().map(|row| details(analysis, row, &past, &mut texts)).collect();
        Data {
            cases,
            texts,
            runs: past.iter().map(|past| neutral(&format!("{} {}", past.started_at, past.id))).collect(),
        }
    }

    /// Returns the data as JSON that is safe inside a `script` element. The JSON does not contain `<`, which could end
    /// the element. It also does not contain the two separators that older script engines treat as line ends.
    pub(super) fn embedded(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_else(|_| "null".to_owned());
        json.replace('<', "\\u003c")
            .replace('>', "\\u003e")
            .replace('\u{2028}', "\\u2028")
            .replace('\u{2029}', "\\u2029")
    }
}

fn details(
    analysis: &RunAnalysis<'_>,
    row: &CaseAnalysis<'_>,
    past: &[&Past],
    texts: &mut IndexSet<String>,
) -> Details {
    let case = row.case();
    let id = case.id();
    let estimates = row.estimates.as_ref();
    let sizes = &case.facts.sizes;
    let lengths = [
        ("public key", sizes.public_key),
        ("secret key", sizes.secret_key),
        ("ciphertext", sizes.ciphertext),
        ("shared secret", sizes.shared_secret),
        ("signature", sizes.signature),
    ];
    // Explain only notes here; the legend of the page explains the other caveats.
    let text = |(caveat, says): (Caveat, &str)| match caveat.is_note() {
        true => neutral(&format!("{}: {says} ({})", caveat.word(), caveat.legend())),
        false => neutral(&format!("{}: {says}", caveat.word())),
    };
    // The first lines of the page already state that the spread between runs is assumed.
    let caveats = row.caveats.iter().filter(|(caveat, _)| *caveat != Caveat::Spread);
    let mut remarks: Vec<String> = caveats.map(text).collect();
    if row.disturbances.disturbed > 0 || row.disturbances.repeats > 0 {
        let disturbances = &row.disturbances;
        let kinds: Vec<String> = disturbances
            .kinds
            .iter()
            .map(|(_, visits, worst)| match visits {
                1 => format!("{worst} (1 visit)"),
                visits => format!("{worst} at worst ({visits} visits)"),
            })
            .collect();
        let separator = if kinds.is_empty() { "" } else { ": " };
        remarks.push(format!("{disturbances}{separator}{}", kinds.join("; ")));
    }
    if analysis.parts.len() > 1 {
        remarks.push(neutral(&format!("from run {}, started {}", row.header().id, row.header().started_at)));
    }
    if !row.record.verified && !row.failed() {
        remarks.push("answers not verified".to_owned());
    }
    Details {
        c: neutral(&command(row.header(), case)),
        e: row.record.error.as_deref().map(neutral),
        m: row.median().map(|median| [round(median.estimate), round(median.low), round(median.high)]),
        u: case.repeats_by_chance(),
        a: estimates
            .map(|of| of.time(Statistic::Mean))
            .map(|mean| [round(mean.estimate), round(mean.low), round(mean.high)]),
        b: estimates.and_then(|of| of.attempts).map(|attempts| {
            let [first, each] = attempts.ns_by_attempt().map(round);
            [attempts.read.comb.expected, first, each]
        }),
        o: row.rate().map(|(rate, unit)| format!("{} {unit}", rate_within(&rate))),
        n: estimates.map_or([0; 4], |of| [of.n as u64, of.processes as u64, of.batch, of.left_out as u64]),
        p: estimates
            .map(|of| of.process_medians_ns.iter().map(|(_, median)| round(*median)).collect())
            .unwrap_or_default(),
        h: row.histogram().map(|of| (round(of.from), round(of.step), of.beyond, of.counts)),
        q: estimates.and_then(|of| of.operations()).map(|of| {
            let quantile = |order| estimates.and_then(|estimates| estimates.percentile(order));
            let [p5, p25, p75, p95, p99] = [0.05, 0.25, 0.75, 0.95, 0.99].map(quantile);
            let ends = (Some(of.min), Some(of.max));
            [ends.0, p5, p25, p75, p95, p99, ends.1, Some(of.mean), of.stdev].map(|value| value.map(round))
        }),
        t: estimates.and_then(|of| Some((round(of.ticks?), of.metric.unit()))),
        y: estimates.and_then(|of| of.cycles).map(|cycles| {
            let Interval { estimate, low, high, .. } = cycles.headline();
            ([estimate, low, high].map(round), cycles.origin())
        }),
        s: lengths.into_iter().filter_map(|(name, length)| Some((name, length?))).collect(),
        f: analysis.standing(row).map(Standing::text),
        k: remarks.into_iter().map(|text| texts.insert_full(text).0).collect(),
        x: estimates.map(crate::document::extra).unwrap_or_default(),
        r: past.iter().map(|past| past.medians.get(&id).map(|of| [of.estimate, of.low, of.high].map(round))).collect(),
        i: neutral(&id),
    }
}

/// Rounds a number to five digits, which is finer than any interval and halves the size of the data.
fn round(value: f64) -> f64 {
    digits(value, 5).replace(',', "").parse().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn data_cannot_end_the_script_element() {
        let mut run = fixtures::run();
        run.records[0].case.algorithm = "</script><script>alert(1)</script>\u{2028}".to_owned();
        run.records[2].error = Some("<!-- </SCRIPT>".to_owned());
        let json = Data::new(&RunAnalysis::new(&run), &[]).embedded();
        assert!(!json.contains('<') && !json.contains('>') && !json.contains('\u{2028}'));
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(read["cases"][0]["i"].as_str().unwrap().contains("</script><script>"));
        assert_eq!(read["cases"].as_array().unwrap().len(), run.records.len());
    }

    #[test]
    fn details_have_core_cycles_and_every_caveat() {
        let run = fixtures::doubtful_run();
        let analysis = RunAnalysis::new(&run);
        let read: serde_json::Value = serde_json::from_str(&Data::new(&analysis, &[]).embedded()).unwrap();
        let case = &read["cases"][0];
        let cycles = analysis.cases()[0].estimates.as_ref().unwrap().cycles.unwrap();
        assert_eq!(case["y"][0][0].as_f64(), Some(round(cycles.median.estimate)));
        assert_eq!(case["y"][1], "estimated from the time and the core clock");
        let text = |place: &serde_json::Value| read["texts"][place.as_u64().unwrap() as usize].as_str().unwrap();
        let remarks: Vec<&str> = case["k"].as_array().unwrap().iter().map(text).collect();
        for (caveat, says) in analysis.cases()[0].caveats.iter().filter(|(caveat, _)| *caveat != Caveat::Spread) {
            let meaning = if caveat.is_note() { format!(" ({})", caveat.legend()) } else { String::new() };
            let wanted = format!("{}: {says}{meaning}", caveat.word());
            assert!(remarks.contains(&wanted.as_str()), "{wanted:?} is not among {remarks:?}");
        }
        let counted = fixtures::sound_run();
        let read: serde_json::Value =
            serde_json::from_str(&Data::new(&RunAnalysis::new(&counted), &[]).embedded()).unwrap();
        assert_eq!(read["cases"][0]["y"][1], "counted");
        assert!(read["cases"][0]["k"].is_null());
    }

    #[test]
    fn numbers_are_rounded_to_five_digits() {
        assert_eq!(round(10_412.345_678), 10_412.0);
        assert_eq!(round(0.002_712_345), 0.002_712_3);
        assert_eq!(round(1_234_567.0), 1_234_600.0);
        assert_eq!(round(0.0), 0.0);
    }
}
