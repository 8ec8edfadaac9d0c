use crate::DONE;
use crate::args::{StatsArgs, StatsFormat};
use crate::output::{self, Terminal};
use crate::table::table;
use pqlab_lab::analysis::number::{digits, percent};
use pqlab_lab::analysis::series::{LoadCurve, SeriesComparison, SeriesRequest, SeriesSummary};
use pqlab_lab::report::{LatexCell, LatexSide, LatexTable, latex_table};
use pqlab_lab::stats::Interval;
use pqlab_lab::{SeriesFigures, SeriesReport};
use std::path::PathBuf;

pub(crate) fn run(arguments: &StatsArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    let request = SeriesRequest {
        confidence: arguments.confidence / 100.0,
        resamples: arguments.resamples as usize,
        seed: arguments.seed,
        stability_limit_pct: arguments.limit,
    };
    let [file, others @ ..] = &arguments.files[..] else { unreachable!("one or two files") };
    let other = others.first().map(PathBuf::as_path);
    let report = SeriesReport::new(file, other, arguments.column.as_deref(), &request)?;
    let format = arguments.format();
    if format == StatsFormat::Json {
        output::json(&format!("{}\n", serde_json::to_string_pretty(&report.to_json())?))?;
    } else {
        let print =
            |shown: &Shown| if format == StatsFormat::Latex { shown.latex() } else { shown.text(terminal.width) };
        let tables = tables(&report.figures, &request);
        let mut shown: Vec<String> = tables.iter().map(print).collect();
        shown.extend(notes(&report.notes, format));
        output::data(&shown.join("\n"))?;
    }
    Ok(DONE)
}

/// Table of statistics, to print as text or LaTeX.
struct Shown {
    caption: String,
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Shown {
    fn text(&self, width: usize) -> String {
        let notes: String = self.notes.iter().map(|note| format!("{note}\n")).collect();
        format!("{}\n{}\n{notes}", self.caption, table(&self.heads, self.rows.clone(), width))
    }

    fn latex(&self) -> String {
        let side = |index| if index == 0 { LatexSide::Broken { width_pct: 20 } } else { LatexSide::Right };
        let columns: Vec<_> = self.heads.iter().enumerate().map(|(index, head)| (*head, side(index))).collect();
        let cells = |row: &Vec<String>| row.iter().cloned().map(LatexCell::Text).collect();
        latex_table(&LatexTable {
            caption: &self.caption,
            label: &format!("tab:{}", self.caption.to_lowercase()),
            columns: &columns,
            rows: &self.rows.iter().map(cells).collect::<Vec<_>>(),
            notes: &self.notes,
        })
    }
}

/// Maximum number of notes to print as text.
const MOST_NOTES: usize = 30;

/// Formats notes on files and series, one per line. For LaTeX, the lines are comments.
fn notes(notes: &[String], format: StatsFormat) -> Option<String> {
    let (start, note) = if format == StatsFormat::Latex { ("% ", "") } else { ("", "note: ") };
    let line = |text: &String| format!("{start}{note}{}\n", text.replace(['\n', '\r'], " "));
    let mut out: String = notes.iter().take(MOST_NOTES).map(line).collect();
    if notes.len() > MOST_NOTES {
        let more = notes.len() - MOST_NOTES;
        let plural = if more == 1 { "" } else { "s" };
        out.push_str(&format!("{start}{note}{more} more note{plural}; --format json lists all\n"));
    }
    (!notes.is_empty()).then_some(out)
}

fn tables(figures: &SeriesFigures, request: &SeriesRequest) -> Vec<Shown> {
    match figures {
        SeriesFigures::Series(summaries) => vec![centre(summaries, request), spread(summaries, request)],
        SeriesFigures::Throughput(curve) => curve.iter().map(throughput).collect(),
        SeriesFigures::Compared { first, second, comparisons, .. } => {
            let both: Vec<SeriesSummary> = first.iter().chain(second).cloned().collect();
            vec![centre(&both, request), compared(comparisons, request)]
        }
    }
}

/// Formats a figure with five significant digits, because the precision of the user's samples is unknown.
fn figure(value: f64) -> String {
    if value == 0.0 { "0".into() } else { digits(value, 5) }
}

fn within(low: f64, high: f64) -> String {
    format!("[{}, {}]", figure(low), figure(high))
}

fn interval(interval: Option<&Interval>) -> String {
    interval.map_or_else(|| "-".into(), |interval| within(interval.low, interval.high))
}

fn named(summary: &SeriesSummary) -> String {
    // A name such as `time_ms` or `latency (us)` already contains the unit.
    let contained = summary.name.trim_end_matches([')', ']']).strip_suffix(summary.unit.as_str());
    if summary.unit.is_empty() || contained.is_some_and(|rest| !rest.ends_with(char::is_alphanumeric)) {
        summary.name.clone()
    } else {
        format!("{} ({})", summary.name, summary.unit)
    }
}

fn level(request: &SeriesRequest) -> String {
    format!("{}%", 100.0 * request.confidence)
}

fn centre(summaries: &[SeriesSummary], request: &SeriesRequest) -> Shown {
    let row = |summary: &SeriesSummary| {
        let values = &summary.description;
        let median = summary.median.map_or_else(|| "-".into(), |interval| within(interval.low, interval.high));
        let spread = values.cov_pct.map_or_else(|| "-".into(), percent);
        let spread = if summary.stability.unstable { format!("{spread} unstable") } else { spread };
        let mean = interval(summary.mean.as_ref());
        vec![named(summary), values.n.to_string(), figure(values.mean), mean, figure(values.median), median, spread]
    };
    Shown {
        caption: "Mean and median".into(),
        heads: vec!["series", "n", "mean", "interval", "median", "interval", "CoV"],
        rows: summaries.iter().map(row).collect(),
        notes: vec![format!(
            "{} intervals: Student's t for the mean, percentile bootstrap with {} resamples for the median; \
             both assume independent samples",
            level(request),
            request.resamples
        )],
    }
}

fn spread(summaries: &[SeriesSummary], request: &SeriesRequest) -> Shown {
    let row = |summary: &SeriesSummary| {
        let values = &summary.description;
        let quantiles = [values.min, values.p5, values.p25, values.p75, values.p95, values.p99, values.max];
        let normal = summary.normality.map_or_else(|| "-".into(), |test| format!("{:.3}", test.p_value));
        let deviation = values.stdev.map_or_else(|| "-".into(), figure);
        let figures = quantiles.into_iter().chain([values.iqm, values.mad]).map(figure).chain([deviation, normal]);
        [named(summary)].into_iter().chain(figures).collect()
    };
    Shown {
        caption: "Spread".into(),
        heads: vec!["series", "min", "p5", "p25", "p75", "p95", "p99", "max", "IQM", "MAD", "stdev", "normal p"],
        rows: summaries.iter().map(row).collect(),
        notes: vec![format!(
            "IQM: interquartile mean; MAD: median absolute deviation; normal p: p-value of the Jarque-Bera test; \
             unstable: coefficient of variation above {}",
            percent(request.stability_limit_pct)
        )],
    }
}

fn compared(comparisons: &[SeriesComparison], request: &SeriesRequest) -> Shown {
    let row = |pair: &SeriesComparison| {
        let name =
            if pair.first == pair.second { pair.first.clone() } else { format!("{}, {}", pair.first, pair.second) };
        let overhead = |estimate: f64, low: f64, high: f64| format!("{estimate:+.2}% [{low:+.2}, {high:+.2}]");
        let none = || "-".to_owned();
        let means = pair.overhead_pct.as_ref();
        let medians = pair.median_overhead_pct.as_ref();
        let mut row = vec![
            name,
            means.map_or_else(none, |found| overhead(found.estimate, found.low, found.high)),
            medians.map_or_else(none, |found| overhead(found.estimate, found.low, found.high)),
        ];
        match pair.welch {
            Some(test) => row.extend([
                format!("{:.3}", test.t),
                format!("{:.1}", test.degrees_of_freedom),
                if test.p_value < 1e-4 { format!("{:.1e}", test.p_value) } else { format!("{:.4}", test.p_value) },
                match (test.significant, pair.within_step) {
                    (true, true) => "within step".into(),
                    (true, false) => "yes".into(),
                    (false, _) => "no".into(),
                },
            ]),
            None if pair.single => row.extend(["-", "-", "-", "one sample"].map(str::to_owned)),
            None => row.extend(["-", "-", "-", "no spread"].map(str::to_owned)),
        }
        row.push(pair.cohens_d.map_or_else(|| "-".into(), |effect| format!("{effect:.2}")));
        row
    };
    Shown {
        caption: "Second file compared with the first".into(),
        heads: vec!["series", "means", "medians", "t", "df", "p", "differ", "Cohen's d"],
        rows: comparisons.iter().map(row).collect(),
        notes: vec![format!(
            "means, medians: increase from the first file to the second, with its {} interval; \
             differ: Welch's test of the means; \
             t is positive if the first mean is larger, d is positive if the second mean is larger; \
             no correction for the number of series",
            level(request)
        )],
    }
}

fn throughput(load: &LoadCurve) -> Shown {
    let row = |(index, (point, rate)): (usize, (&pqlab_lab::stats::ThroughputPoint, &Option<Interval>))| {
        vec![
            point.concurrency.to_string(),
            figure(point.operations_per_second),
            interval(rate.as_ref()),
            format!("{:.2}", point.speedup),
            percent(100.0 * point.efficiency),
            percent(point.loss_from_peak_pct),
            percent(point.loss_from_smallest_pct),
            if index == load.curve.peak { "peak".into() } else { String::new() },
        ]
    };
    Shown {
        caption: "Throughput".into(),
        heads: vec!["concurrency", "op/s", "interval", "speed-up", "efficiency", "loss from peak", "from smallest", ""],
        rows: load.curve.points.iter().zip(&load.rates).enumerate().map(row).collect(),
        notes: vec!["interval: Student's t for the rate, if a concurrency level has several repetitions".into()],
    }
}
