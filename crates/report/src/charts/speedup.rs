//! Forest plot of speed-ups: the throughput of several threads relative to one thread. Drawn in place of curves if each
//! curve would have only two points.

use super::areas::subject;
use super::canvas::{Anchor, Canvas, LegendEntry, Quantity, Scale, TextStyle, label, width_of};
use super::look::Looks;
use super::provenance::named;
use super::{Chart, ratios, slug};
use pqlab_analysis::number::known_rate;
use pqlab_analysis::scaling::{ScalingFigures, scaling};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped};
use std::collections::HashMap;

const WIDTH: f64 = 760.0;
const LINE: f64 = 19.0;
/// Maximum number of lines in a picture.
const MOST: usize = 48;
/// Minimum width of the column with the speed-up, in SVG units.
const RATIO: f64 = 84.0;
/// Width of the column with the rate, in SVG units.
const RATE: f64 = 96.0;

/// Draws the speed-ups of an area. Returns `None` if the run contains none, or if it contains more than one number of
/// threads above one.
pub(super) fn speedups(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let rows: HashMap<String, &CaseAnalysis<'_>> =
        analysis.area(area).filter(|row| !row.case().is_null()).map(|row| (row.case().id(), row)).collect();
    let mut figures = scaling(analysis);
    figures.retain(|one| one.threads > 1 && one.speed_up.is_some() && rows.contains_key(&one.id));
    let [threads] = distinct(figures.iter().map(|one| one.threads))[..] else { return None };
    let speed_up = |one: &ScalingFigures| one.speed_up.map_or(0.0, |ratio| ratio.estimate);
    let mut groups = grouped(figures.iter(), |one| one.name.clone());
    groups.iter_mut().for_each(|(_, all)| all.sort_by(|one, other| speed_up(other).total_cmp(&speed_up(one))));
    let (total, mut drawn) = (groups.len(), 0);
    groups.retain(|(_, all)| {
        drawn += all.len() + 1;
        drawn <= MOST
    });
    let lines = || groups.iter().flat_map(|(_, all)| all);
    let name = |one: &ScalingFigures| {
        let row = rows[&one.id];
        named(analysis, &label(&one.provider), &row.case().algorithm, ratios::doubt(row))
    };
    let looks = Looks::new(analysis);
    let widest = lines().map(|one| width_of(&name(one), 12.0)).fold(80.0, f64::max);
    let texts = lines().filter_map(|one| Some(ratios::ratio_text(&one.speed_up?)));
    let column = texts.map(|text| width_of(&text, 12.0) + 10.0).fold(RATIO, f64::max);
    let (gutter, right) = (widest.min(330.0) + 14.0, WIDTH - column - RATE - 10.0);
    let title = format!("{}: throughput of {threads} threads relative to one thread", subject(area));
    let mut canvas = Canvas::new(WIDTH);
    let legend = [(LegendEntry::Ideal, format!("ideal: {threads}×"))];
    let top = canvas.head(&title, &legend) + 18.0;
    let bottom = top + (lines().count() + groups.len()) as f64 * LINE + 4.0;
    canvas.ends_at(bottom + 36.0);
    let bounds = lines().filter_map(|one| one.speed_up).flat_map(|ratio| [ratio.low, ratio.high]);
    let [low, high] = bounds.fold([1.0, threads as f64], |[low, high], bound| [bound.min(low), bound.max(high)]);
    let room = 0.04 * (high - low);
    let across = Scale::between(low - room, high + room, gutter, right);
    canvas.axis_across(&across, Quantity::Factor, top - 6.0, bottom);
    let axis = "throughput relative to one thread";
    canvas.text((gutter + right) / 2.0, bottom + 31.0, TextStyle::Faint, Anchor::Middle, axis);
    for (x, head) in [(right + column, "speed-up"), (WIDTH, "operations/s")] {
        canvas.text(x, top - 8.0, TextStyle::Faint, Anchor::End, head);
    }
    canvas.base((across.at(1.0), top - 6.0), (across.at(1.0), bottom));
    canvas.ideal(&[(across.at(threads as f64), top - 6.0), (across.at(threads as f64), bottom)]);
    let (mut y, mut listed) = (top + LINE / 2.0, Vec::new());
    for (what, all) in &groups {
        canvas.text(0.0, y + 4.0, TextStyle::Strong, Anchor::Start, &label(what));
        y += LINE;
        for one in all {
            let (row, Some(ratio)) = (rows[&one.id], one.speed_up) else { continue };
            let (doubt, text) = (ratios::doubt(row), ratios::ratio_text(&ratio));
            let style = if doubt.is_some() { TextStyle::Faint } else { TextStyle::Label };
            let about = format!("{what} {}: {text}", name(one));
            canvas.rule((gutter, y), (right, y));
            canvas.text(gutter - 10.0, y + 4.0, style, Anchor::End, &name(one));
            canvas.interval_across(y, &across, ratio.low, ratio.high);
            canvas.mark(looks.of_provider(&one.provider).doubted(doubt), across.at(ratio.estimate), y, &about);
            canvas.text(right + column, y + 4.0, style, Anchor::End, &text);
            canvas.text(WIDTH, y + 4.0, TextStyle::Faint, Anchor::End, &known_rate(&one.rate));
            canvas.shows_figure(&one.provider, &row.case().algorithm, doubt);
            listed.push(about);
            y += LINE;
        }
    }
    canvas.note("Ratios of mean times. Whiskers: 95% interval of the ratio, paired by rounds.");
    canvas.note("Rates cover all threads.");
    let is_above = |one: &&&ScalingFigures| one.speed_up.is_some_and(|ratio| ratio.low > threads as f64);
    let above = lines().filter(is_above).map(|one| format!("{} by {}", one.name, one.provider));
    let above: Vec<String> = above.collect();
    if !above.is_empty() {
        canvas.note(format!(
            "Whole interval above {threads}×: {}. More threads alone cannot explain this: something else slowed the \
             case with one thread, such as another program or its placement in memory.",
            above.join(", ")
        ));
    }
    let more =
        if total > groups.len() { format!("The table lists {} more.", total - groups.len()) } else { String::new() };
    canvas.note(more.clone());
    let about = format!(
        "Throughput of {threads} threads relative to one thread, with 95% intervals. {}. {more}",
        listed.join("; ")
    );
    Some(canvas.finish(analysis, &format!("threads-{}", slug(area)), &title, about.trim_end().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn two_numbers_of_threads_are_drawn_as_speed_ups() {
        let mut run = fixtures::scaling_run();
        run.records.retain(|record| record.case.threads() != Some(4));
        let chart = speedups(&RunAnalysis::new(&run), "scaling").unwrap();
        assert_eq!(
            (chart.name.as_str(), chart.about.matches("aws-lc: 1.90× ±").count()),
            ("threads-scaling", 1),
            "{}",
            chart.about
        );
        assert!(chart.title.ends_with("throughput of 2 threads relative to one thread"), "{}", chart.title);
        // Curves show more numbers of threads.
        assert_eq!(speedups(&RunAnalysis::new(&fixtures::scaling_run()), "scaling"), None);
    }
}
