use super::palette::{Palette, TextStyle};
use super::text::{left, right};
use crate::width::display_width;
use pqlab_analysis::CaseAnalysis;
use pqlab_analysis::estimates::Estimates;
use pqlab_analysis::number::{NONE, duration, known_duration, known_rate, percent, significant};
use pqlab_analysis::text::neutral;
use pqlab_record::{Case, Record, Status};

/// Widths of the name and provider of a case, in columns of the terminal. All lines of a run use the same widths, so
/// that the lines are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineWidths {
    name: usize,
    provider: usize,
}

/// Text in place of the figures of a failed case.
pub(super) const FAILED: &str = "FAILED";
/// Text in place of the figures of a case that was not timed.
pub(super) const NO_SAMPLES: &str = "no samples";

/// Maximum widths. A longer name shifts only its own line, and does not widen the columns of all other lines.
const WIDEST: LineWidths = LineWidths { name: 44, provider: 20 };

impl Default for LineWidths {
    fn default() -> LineWidths {
        LineWidths { name: 26, provider: 9 }
    }
}

impl LineWidths {
    /// Returns widths that fit the names and providers of the cases.
    pub fn new<'a>(cases: impl IntoIterator<Item = &'a Case>) -> LineWidths {
        cases.into_iter().fold(LineWidths::default(), |widths, case| LineWidths {
            name: widths.name.max(display_width(&neutral(&case.name())).min(WIDEST.name)),
            provider: widths.provider.max(display_width(&neutral(&case.provider)).min(WIDEST.provider)),
        })
    }
}

/// Formats a finished case in one line.
pub fn case_line(case: &CaseAnalysis<'_>, widths: LineWidths, palette: Palette) -> String {
    let name = left(&neutral(&case.case().name()), widths.name);
    let provider = left(&neutral(&case.case().provider), widths.provider);
    let figures = match &case.estimates {
        Some(estimates) => figures(case, estimates, palette),
        None => failure(case.record, palette),
    };
    format!("{name}  {provider}  {figures}")
}

/// Returns the text that explains why a case has no figures.
pub(super) fn failure(record: &Record, palette: Palette) -> String {
    match record.status {
        Status::Ok => NO_SAMPLES.to_owned(),
        Status::Failed => {
            let reason = record.error.as_deref().unwrap_or("no reason was recorded");
            format!("{}  {}", palette.paint(TextStyle::Bad, FAILED), neutral(reason))
        }
    }
}

fn figures(case: &CaseAnalysis<'_>, estimates: &Estimates, palette: Palette) -> String {
    let headline = in_columns(known_duration(&estimates.headline_ns()));
    let width = left(&format!("±{}", percent(estimates.half_width_pct())), 8);
    let p95 = time(estimates.percentile(0.95));
    let (what, varied) = estimates.variation().map_or(("CoV", None), |(what, pct)| (what, Some(pct)));
    let variation = varied.map_or(NONE.to_owned(), percent);
    let unsteady = if varied < Some(3.0) { "" } else { " ~" };
    let used = what.len() + 1 + display_width(&variation) + display_width(unsteady);
    let fill = " ".repeat(12_usize.saturating_sub(used));
    let (rate, unit) = case.rate().map_or((NONE.to_owned(), "op/s"), |(rate, unit)| (known_rate(&rate), unit));
    let rate = right(&rate, 6);
    let statistic = left(&format!("{}=", estimates.statistic.name()), "median=".len());
    let headline = palette.paint(TextStyle::Strong, &headline);
    let per_byte = estimates.ticks_per_byte(case.bytes());
    let per_byte = per_byte.map(|ticks| format!("  {} {}/B", significant(ticks), estimates.metric.unit()));
    let per_byte = per_byte.unwrap_or_default();
    let words = case.caveats.note_words();
    let words = if words.is_empty() { words } else { format!("  {}", palette.paint(TextStyle::Warning, &words)) };
    format!(
        "{statistic}{headline} {width}p95={p95}   {what}={variation}{unsteady}{fill} {rate} {unit}{per_byte}{words}"
    )
}

/// Formats a time in nine columns.
fn time(nanoseconds: Option<f64>) -> String {
    in_columns(nanoseconds.map_or((NONE.to_owned(), ""), duration))
}

fn in_columns((number, unit): (String, &str)) -> String {
    format!("{} {}", right(&number, 6), left(unit, 2))
}

#[cfg(test)]
mod tests {
    use super::super::palette::tests::{COLOUR, stripped};
    use super::*;
    use crate::fixtures;
    use pqlab_analysis::caveats::Caveats;
    use pqlab_analysis::estimates::Imprecision;
    use pqlab_record::ProtocolKind;

    const DOCUMENTED: &str =
        "ML-KEM-768 encapsulate      liboqs     median=  10.4 µs ±0.6%   p95=  11.2 µs   CoV=3.1% ~   96,000 op/s";

    /// Returns the line of a case with the documented figures, after applying `change`.
    fn line(record: &Record, change: impl FnOnce(&mut Estimates), palette: Palette) -> String {
        let header = fixtures::run().header;
        let mut case = CaseAnalysis::new(&header, record);
        case.estimates.iter_mut().for_each(documented);
        case.estimates.as_mut().map(change);
        case.caveats = Caveats::new(&record.case, case.estimates.as_ref());
        case_line(&case, LineWidths::default(), palette)
    }

    fn plain(change: impl FnOnce(&mut Estimates)) -> String {
        line(&fixtures::record("liboqs", 10.4), change, Palette::PLAIN)
    }

    /// Sets the figures of the documented line.
    fn documented(estimates: &mut Estimates) {
        estimates.median_ns.estimate = 10_400.0;
        (estimates.median_ns.low, estimates.median_ns.high) = (10_338.0, 10_463.0);
        estimates.samples_ns.p95 = 11_200.0;
        estimates.samples_ns.cov_pct = Some(3.1);
        (estimates.samples_ns.p25, estimates.samples_ns.p75) = (10_200.0, 10_600.0);
    }

    #[test]
    fn lines_have_the_documented_form() {
        assert_eq!(plain(|_| {}), DOCUMENTED);
    }

    #[test]
    fn lines_end_in_the_words_of_their_notes() {
        let noted = plain(|estimates| {
            estimates.contended = true;
            estimates.imprecise = vec![Imprecision::Spread];
        });
        assert_eq!(noted, format!("{DOCUMENTED}  disturbed, imprecise"));
        for (variation, wanted) in [(2.99, "3.0%  "), (3.0, "3.0% ~"), (5.01, "5.0% ~")] {
            let varied = plain(|estimates| estimates.samples_ns.cov_pct = Some(variation));
            assert_eq!(varied, DOCUMENTED.replace("3.1% ~", wanted));
        }
        let outlier = plain(|estimates| estimates.samples_ns.cov_pct = Some(84.0));
        assert_eq!(outlier, DOCUMENTED.replace("CoV=3.1% ~ ", "rCoV=2.9%  "));
        let of_reference = plain(|estimates| {
            estimates.rules = ProtocolKind::Reference;
            estimates.samples_ns.cov_pct = Some(84.0);
        });
        assert_eq!(of_reference, DOCUMENTED.replace("CoV=3.1% ~ ", "CoV=84.0% ~"));
    }

    #[test]
    fn batches_have_no_p95_and_no_variation() {
        let wanted = DOCUMENTED.replace("  11.2 µs", "     -   ").replace("3.1% ~", "-     ");
        assert_eq!(plain(|estimates| estimates.batch = 16), wanted);
    }

    #[test]
    fn failed_cases_give_the_reason() {
        let record = fixtures::failed("wrong secret\nafter \u{1b}[2J");
        let found = line(&record, |_| {}, Palette::PLAIN);
        assert_eq!(found, r"ML-KEM-768 encapsulate      openssl    FAILED  wrong secret\nafter \u{1b}[2J");
    }

    #[test]
    fn cases_without_samples_have_not_failed() {
        let mut record = fixtures::record("liboqs", 10.4);
        record.samples.visits.clear();
        let found = line(&record, |_| {}, Palette::PLAIN);
        assert_eq!(found, "ML-KEM-768 encapsulate      liboqs     no samples");
    }

    #[test]
    fn colour_adds_nothing_to_read() {
        let imprecise = |estimates: &mut Estimates| estimates.imprecise = vec![Imprecision::Spread];
        for record in [fixtures::record("liboqs", 10.4), fixtures::failed("no")] {
            let coloured = line(&record, imprecise, COLOUR);
            assert!(coloured.contains('\u{1b}'));
            assert_eq!(stripped(&coloured), line(&record, imprecise, Palette::PLAIN));
        }
    }

    #[test]
    fn lines_of_a_run_are_aligned() {
        let run = fixtures::run();
        let widths = LineWidths::new(&run.header.plan);
        let cases = run.records.iter().map(|record| CaseAnalysis::new(&run.header, record));
        let lines = cases.map(|case| case_line(&case, widths, Palette::PLAIN));
        let starts = lines.filter_map(|line| line.find("median=").map(|start| display_width(&line[..start])));
        let mut starts: Vec<usize> = starts.collect();
        starts.sort_unstable();
        // All lines are aligned, except the one whose name exceeds the maximum width.
        assert!(starts.len() > 3 && starts[..starts.len() - 1].iter().all(|start| *start == starts[0]));
        assert_eq!(LineWidths::new([]), LineWidths::default());
    }

    #[test]
    fn hostile_names_stay_on_their_line() {
        let mut record = fixtures::record("liboqs", 10.4);
        record.case.algorithm = fixtures::HOSTILE.to_owned();
        assert!(!line(&record, |_| {}, Palette::PLAIN).contains(|character: char| character.is_control()));
    }
}
