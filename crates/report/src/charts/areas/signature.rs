//! Chart of signature lengths, for algorithms whose signatures vary in length.

use crate::charts::Chart;
use crate::charts::canvas::{Anchor, Canvas, LABEL_LINE, LegendEntry, Quantity, Scale, TextStyle, lines_of};
use crate::charts::look::Looks;
use crate::charts::ratios::doubt;
use pqlab_analysis::number::{digits, grouped, significant};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_stats::{Description, describe_samples};
use std::collections::BTreeMap;

const WIDTH: f64 = 760.0;
/// Height of a panel's plot, in SVG units.
const BARS: f64 = 110.0;
/// Height of a panel with its heading and axis, in SVG units.
const PANEL: f64 = BARS + 82.0;
/// Name of the area.
const AREA: &str = "signature";
/// Name under which the workload records the length of each signature in bytes.
const LENGTHS: &str = "signature_bytes";

/// Draws the distribution of signature lengths, with a panel for each algorithm and library.
pub(crate) fn lengths(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let panels: Vec<Panel<'_, '_>> = analysis.area(AREA).filter_map(Panel::new).collect();
    if panels.is_empty() {
        return None;
    }
    let title = "Distribution of signature lengths in bytes";
    let mut canvas = Canvas::new(WIDTH);
    let top = canvas.head(title, &[(LegendEntry::Diamond, "mean".to_owned())]);
    canvas.ends_at(top + 8.0 + PANEL * panels.len() as f64);
    let looks = Looks::new(analysis);
    let (left, right) = (64.0, WIDTH - 16.0);
    for (place, panel) in panels.iter().enumerate() {
        let top = top + 42.0 + PANEL * place as f64;
        let bottom = top + BARS;
        let heading = lines_of(&panel.heading(), 12.0, right);
        for (line, text) in heading.iter().rev().enumerate() {
            let style = TextStyle::Label;
            canvas.text(0.0, top - 24.0 - LABEL_LINE * line as f64, style, Anchor::Start, text);
        }
        canvas.text(0.0, top - 9.0, TextStyle::Faint, Anchor::Start, "number of signatures");
        let axis = "signature length in bytes";
        canvas.text((left + right) / 2.0, bottom + 30.0, TextStyle::Faint, Anchor::Middle, axis);
        let (from, to) = (panel.seen.min - 1.0, panel.seen.max + 1.0);
        let across = Scale::between(from, to, left, right);
        let most = panel.counts.values().copied().max().unwrap_or(1) as f64;
        let up = Scale::linear([most].into_iter(), bottom, top);
        canvas.axis_up(&up, Quantity::Plain, left, right);
        // Label ticks with whole bytes and all digits. Other axes show three digits, but these
        // lengths differ only in the fourth.
        for tick in across.ticks(12).into_iter().filter(|tick| tick.fract() == 0.0) {
            let x = across.at(tick);
            canvas.rule((x, top), (x, bottom));
            canvas.text(x, bottom + 15.0, TextStyle::Faint, Anchor::Middle, &grouped(tick as u64));
        }
        let look = looks.of_provider(&panel.of.case().provider);
        let wide = (0.8 * (right - left) / (to - from)).max(1.0);
        for (length, count) in &panel.counts {
            let (x, y) = (across.at(*length as f64), up.at(*count as f64));
            let about = format!("{length} bytes: {count}");
            match doubt(panel.of) {
                Some(_) => canvas.hollow_bar(x - wide / 2.0, y, wide, bottom - y, &about),
                None => canvas.bar(look.colour, x - wide / 2.0, y, wide, bottom - y, &about),
            }
        }
        canvas.diamond(across.at(panel.seen.mean), bottom);
        canvas.shows_figure(&panel.of.case().provider, &panel.of.case().algorithm, doubt(panel.of));
    }
    let about: Vec<String> = panels.iter().map(Panel::heading).collect();
    canvas.note("Each bar shows how many signatures have this length. Lengths are exact, so there are no whiskers.");
    Some(canvas.finish(analysis, "signature_lengths", title, format!("{}. The diamond is the mean.", about.join("; "))))
}

/// Signature lengths in one case.
struct Panel<'r, 'a> {
    of: &'r CaseAnalysis<'a>,
    seen: Description,
    /// Number of signatures for each length in bytes.
    counts: BTreeMap<u64, u64>,
}

impl<'r, 'a> Panel<'r, 'a> {
    /// Collects the signature lengths of a case. Returns `None` if all lengths are equal, or if the operation is not
    /// `signature-size`. No other operation records lengths.
    fn new(of: &'r CaseAnalysis<'a>) -> Option<Panel<'r, 'a>> {
        if of.case().operation != "signature-size" {
            return None;
        }
        let lengths = of.noted(LENGTHS);
        let seen = describe_samples(&lengths)?;
        let mut counts = BTreeMap::new();
        for length in &lengths {
            *counts.entry(*length as u64).or_insert(0) += 1;
        }
        (counts.len() > 1).then_some(Panel { of, seen, counts })
    }

    fn heading(&self) -> String {
        let Description { n, mean, stdev, cov_pct, min, max, .. } = self.seen;
        let case = self.of.case();
        let provider = doubt(self.of).map_or(case.provider.clone(), |reason| format!("{} ({reason})", case.provider));
        let spread = stdev
            .zip(cov_pct)
            .map(|(stdev, cov)| format!(", standard deviation {}, CoV {}%", significant(stdev), significant(cov)));
        format!(
            "{} · {}: {} signatures of {min:.0} to {max:.0} bytes, mean {}{}",
            case.algorithm,
            provider,
            grouped(n as u64),
            digits(mean, 4),
            spread.unwrap_or_default()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn every_observed_length_has_a_bar() {
        let run = fixtures::references_run();
        let chart = lengths(&RunAnalysis::new(&run)).unwrap();
        for length in 650..=660 {
            assert!(chart.svg.contains(&format!("{length} bytes: ")), "{length}");
        }
        assert!(!chart.svg.contains("661 bytes"));
        let text = |text: &str| chart.svg.contains(&format!(">{text}<"));
        assert!(text("650") && text("655") || text("652") && text("654"), "{}", chart.svg);
        assert!(!chart.svg.contains("…"), "headings must not be truncated");
        assert!(
            chart.about.contains("640 signatures of 650 to 660 bytes, mean 655.0, standard deviation"),
            "{}",
            chart.about
        );
        assert!(chart.about.contains("CoV 0.4"), "{}", chart.about);
        assert_eq!(lengths(&RunAnalysis::new(&fixtures::run())), None);
    }
}
