use crate::DONE;
use crate::args::StatsArgs;
use crate::output::{self, Terminal};
use crate::table::table;
use pqlab_lab::SeriesReport;
use pqlab_lab::analysis::number::{digits, percent};
use pqlab_lab::analysis::series::{LoadCurve, SeriesComparison, SeriesRequest, SeriesSummary};
use pqlab_lab::report::{LatexCell, LatexSide, LatexTable, latex_table};
use pqlab_lab::stats::Interval;
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
    let report = SeriesReport::of(file, other, arguments.column.as_deref(), &request)?;
    if arguments.json {
        output::json(&format!("{}\n", serde_json::to_string_pretty(&report.to_json())?))?;
    } else {
        let of = |shown: &Shown| if arguments.latex { shown.latex() } else { shown.text(terminal.width) };
        output::data(&tables(&report, &request).iter().map(of).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(DONE)
}

/// A table, however it is shown.
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

fn tables(report: &SeriesReport, request: &SeriesRequest) -> Vec<Shown> {
    match report {
        SeriesReport::Series(summaries) => vec![centre(summaries, request), spread(summaries, request)],
        SeriesReport::Throughput(curve) => curve.iter().map(throughput).collect(),
        SeriesReport::Compared { first, second, comparisons } => {
            let both: Vec<SeriesSummary> = first.iter().chain(second).cloned().collect();
            vec![centre(&both, request), compared(comparisons, request)]
        }
    }
}

/// Five digits: what a figure of somebody else's is worth is not known here.
fn figure(value: f64) -> String {
    if value == 0.0 { "0".into() } else { digits(value, 5) }
}

fn within(low: f64, high: f64) -> String {
    format!("[{}, {}]", figure(low), figure(high))
}

fn interval(of: Option<&Interval>) -> String {
    of.map_or_else(|| "-".into(), |of| within(of.low, of.high))
}

fn named(summary: &SeriesSummary) -> String {
    if summary.unit.is_empty() { summary.name.clone() } else { format!("{} ({})", summary.name, summary.unit) }
}

fn level(request: &SeriesRequest) -> String {
    format!("{}%", 100.0 * request.confidence)
}

fn centre(summaries: &[SeriesSummary], request: &SeriesRequest) -> Shown {
    let row = |summary: &SeriesSummary| {
        let of = &summary.description;
        let median = summary.median.map_or_else(|| "-".into(), |interval| within(interval.low, interval.high));
        let spread = of.cov_pct.map_or_else(|| "-".into(), percent);
        let spread = if summary.stability.unstable { format!("{spread} unstable") } else { spread };
        let mean = interval(summary.mean.as_ref());
        vec![named(summary), of.n.to_string(), figure(of.mean), mean, figure(of.median), median, spread]
    };
    Shown {
        caption: "Mean and median".into(),
        heads: vec!["series", "n", "mean", "interval", "median", "interval", "CoV"],
        rows: summaries.iter().map(row).collect(),
        notes: vec![format!(
            "{} intervals: of the mean Student's, of the median the percentile bootstrap of {} resamples; both take the \
             samples for independent",
            level(request),
            request.resamples
        )],
    }
}

fn spread(summaries: &[SeriesSummary], request: &SeriesRequest) -> Shown {
    let row = |summary: &SeriesSummary| {
        let of = &summary.description;
        let figures = [of.min, of.p5, of.p25, of.p75, of.p95, of.p99, of.max, of.iqm, of.mad];
        let normal = summary.normality.map_or_else(|| "-".into(), |test| format!("{:.3}", test.p_value));
        let deviation = of.stdev.map_or_else(|| "-".into(), figure);
        let figures = figures.map(figure).into_iter().chain([deviation, normal]);
        [named(summary)].into_iter().chain(figures).collect()
    };
    Shown {
        caption: "Spread".into(),
        heads: vec!["series", "min", "p5", "p25", "p75", "p95", "p99", "max", "IQM", "MAD", "stdev", "normal p"],
        rows: summaries.iter().map(row).collect(),
        notes: vec![format!(
            "IQM: interquartile mean; MAD: median absolute deviation; normal p: of the Jarque-Bera test; unstable: a coefficient \
             of variation above {}",
            percent(request.stability_limit_pct)
        )],
    }
}

fn compared(comparisons: &[SeriesComparison], request: &SeriesRequest) -> Shown {
    let row = |of: &SeriesComparison| {
        let name = if of.first == of.second { of.first.clone() } else { format!("{}, {}", of.first, of.second) };
        let overhead =
            |interval: &Interval| format!("{:+.2}% [{:+.2}, {:+.2}]", interval.estimate, interval.low, interval.high);
        let mut row = vec![name, of.overhead_pct.as_ref().map_or_else(|| "-".into(), overhead)];
        match of.welch {
            Some(test) => row.extend([
                format!("{:.3}", test.t),
                format!("{:.1}", test.degrees_of_freedom),
                if test.p_value < 1e-4 { format!("{:.1e}", test.p_value) } else { format!("{:.4}", test.p_value) },
                if test.significant { "yes".into() } else { "no".into() },
            ]),
            None => row.extend(["-", "-", "-", "no spread"].map(str::to_owned)),
        }
        row.push(of.cohens_d.map_or_else(|| "-".into(), |effect| format!("{effect:.2}")));
        row
    };
    Shown {
        caption: "The second against the first".into(),
        heads: vec!["series", "overhead", "t", "df", "p", "differ", "Cohen's d"],
        rows: comparisons.iter().map(row).collect(),
        notes: vec![format!(
            "overhead: of the second mean over the first, with its {} interval; t is positive where the first mean is larger, d \
             where the second is; no correction for the number of series",
            level(request)
        )],
    }
}

fn throughput(of: &LoadCurve) -> Shown {
    let row = |(index, (point, rate)): (usize, (&pqlab_lab::stats::ThroughputPoint, &Option<Interval>))| {
        vec![
            point.concurrency.to_string(),
            figure(point.operations_per_second),
            interval(rate.as_ref()),
            format!("{:.2}", point.speedup),
            percent(100.0 * point.efficiency),
            percent(point.loss_from_peak_pct),
            percent(point.loss_from_smallest_pct),
            if index == of.curve.peak { "peak".into() } else { String::new() },
        ]
    };
    Shown {
        caption: "Throughput".into(),
        heads: vec!["concurrency", "op/s", "interval", "speed-up", "efficiency", "loss to peak", "to smallest", ""],
        rows: of.curve.points.iter().zip(&of.rates).enumerate().map(row).collect(),
        notes: vec!["interval: Student's of the rate over repetitions of a level, where there are several".into()],
    }
}
