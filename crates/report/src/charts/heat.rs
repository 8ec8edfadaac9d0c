//! Heat map of operations and providers, colored by time relative to the fastest.

use super::areas::subject;
use super::canvas::{Anchor, Canvas, TextStyle, lines_of, width_of};
use super::intervals::usual;
use super::provenance::{ELSEWHERE, named};
use super::ratios::{ESTIMATED, doubt, is_estimated};
use super::{Chart, slug};
use pqlab_analysis::comparison::Standing;
use pqlab_analysis::number::known_time;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped};

const MOST: usize = 40;
const TILE: (f64, f64) = (92.0, 24.0);
/// Distance between the lines of a column's name, in SVG units.
const NAME_LINE: f64 = 14.0;
/// Maximum width of the names of operations, in SVG units.
const NAMES: f64 = 330.0;
/// Color of tiles for cases that are not ranked.
pub(super) const UNRANKED: &str = "#e4e4e4";
/// Width of one shade in the color key, in SVG units.
const KEY: f64 = 66.0;
/// Text in place of a tile for a case that was not measured.
const MISSING: &str = "–";
/// Text of a tile for a ranked case that no other ranked case is compared with.
const ALONE: &str = "no rival";
/// Text in place of a tile for a case that failed.
const FAILED: &str = "failed";

/// Shades of tiles from the fastest to the slowest, in one hue with decreasing lightness. Each entry has the maximum
/// ratio to the fastest, the color, and whether text on this color is light.
const SHADES: [(f64, &str, bool); 6] = [
    (1.1, "#d9eef2", false),
    (1.5, "#a9d5de", false),
    (2.5, "#6fb3c4", false),
    (5.0, "#3a8ba3", true),
    (15.0, "#1c6480", true),
    (f64::INFINITY, "#123f57", true),
];

pub(super) fn providers(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let rows = usual(analysis, area);
    let mut lines = grouped(rows.iter().copied(), |row| row.job());
    let measured = lines.len();
    lines.retain(|(_, rows)| rows.len() > 1);
    let single = measured - lines.len();
    let operations = distinct(lines.iter().map(|(_, rows)| rows[0].case().operation.as_str()));
    let place = |rows: &[&CaseAnalysis<'_>]| operations.iter().position(|name| *name == rows[0].case().operation);
    let least = |rows: &[&CaseAnalysis<'_>]| {
        rows.iter().filter_map(|row| row.time()).map(|time| time.estimate).fold(f64::INFINITY, f64::min)
    };
    lines.sort_by(|(_, one), (_, other)| place(one).cmp(&place(other)).then(least(one).total_cmp(&least(other))));
    let all = lines.len();
    let cut = lines.split_off(all.min(MOST));
    let operation = |(_, rows): &(String, Vec<&CaseAnalysis<'_>>)| rows[0].case().operation.clone();
    let mut hidden = distinct(cut.iter().map(operation));
    hidden.retain(|name| lines.iter().all(|line| operation(line) != *name));
    let shown = lines.iter().flat_map(|(_, rows)| rows);
    let columns: Vec<&str> = distinct(shown.map(|row| row.case().provider.as_str()));
    // A single column compares nothing, and more than twelve columns do not fit on a page.
    if columns.len() < 2 || columns.len() > 12 {
        return None;
    }
    let names: Vec<Vec<String>> = lines.iter().map(|(name, _)| lines_of(name, 12.0, NAMES)).collect();
    let gutter = names.iter().flatten().map(|name| width_of(name, 12.0)).fold(80.0, f64::max) + 12.0;
    let width = (gutter + columns.len() as f64 * TILE.0).max(KEY * (SHADES.len() + 2) as f64);
    let mut canvas = Canvas::new(width);
    let title = format!("{}: time relative to the fastest library", subject(area));
    let head = canvas.head(&title, &[]);
    key(&mut canvas, head);
    // Names of pairs are long, so give each half its own line.
    let heads: Vec<Vec<String>> = columns
        .iter()
        .map(|name| name.split_inclusive(['+', ':']).flat_map(|part| lines_of(part, 11.0, TILE.0 - 4.0)).collect())
        .collect();
    let deepest = heads.iter().map(Vec::len).max().unwrap_or(1);
    let top = head + 34.0 + NAME_LINE * deepest as f64;
    canvas.ends_at(top + lines.len() as f64 * TILE.1 + 10.0);
    for (place, parts) in heads.iter().enumerate() {
        let x = gutter + (place as f64 + 0.5) * TILE.0;
        for (line, part) in parts.iter().enumerate() {
            let y = top - 8.0 - (parts.len() - 1 - line) as f64 * NAME_LINE;
            canvas.text(x, y, TextStyle::Faint, Anchor::Middle, part);
        }
    }
    let (mut missing, mut failed, mut alone) = (false, false, false);
    for (line, ((name, rows), names)) in lines.iter().zip(&names).enumerate() {
        let y = top + line as f64 * TILE.1;
        canvas.label(gutter - 10.0, y + TILE.1 / 2.0, TextStyle::Label, Anchor::End, names);
        for (place, column) in columns.iter().enumerate() {
            let x = gutter + place as f64 * TILE.0;
            let middle = (x + TILE.0 / 2.0, y + 16.0);
            let Some(row) = rows.iter().find(|row| row.case().provider == *column) else {
                let has_failed = |row: &CaseAnalysis<'_>| {
                    row.failed() && row.usual() && row.job() == *name && row.case().provider == *column
                };
                let found = analysis.area(area).any(has_failed);
                (failed, missing) = (failed || found, missing || !found);
                let text = if found { FAILED } else { MISSING };
                canvas.text(middle.0, middle.1, TextStyle::Faint, Anchor::Middle, text);
                continue;
            };
            let Some(median) = row.time() else { continue };
            let (text, ratio) = standing(analysis, row);
            alone |= text == ALONE;
            let shade = SHADES.into_iter().find(|(limit, ..)| ratio.is_some_and(|ratio| ratio <= *limit));
            let (_, fill, light) = shade.unwrap_or((0.0, UNRANKED, false));
            let about = format!("{name} {column}: {}, {text}", known_time(&median));
            canvas.tile((x + 1.0, y + 1.0), (TILE.0 - 2.0, TILE.1 - 2.0), fill, &about);
            canvas.text_on(middle.0, middle.1, light, &text);
            canvas.shows(row);
        }
    }
    let hidden = match hidden.is_empty() {
        true => String::new(),
        false => format!(", among them every {}", hidden.join(" and ")),
    };
    let more = match cut.len() {
        0 => String::new(),
        cut => format!(" The table lists {cut} more rows{hidden}."),
    };
    let has_cycles = |row: &&CaseAnalysis<'_>| row.estimates.as_ref().is_some_and(|it| it.cycles.is_some());
    let drawn = || lines.iter().flat_map(|(_, rows)| rows.iter().copied());
    let units = match (drawn().all(|row| has_cycles(&row)), drawn().any(|row| has_cycles(&row))) {
        (true, _) => "in core cycles",
        (_, false) => "in time",
        _ => "in core cycles, or in time if a case has no cycles",
    };
    let about = format!(
        "Time relative to the fastest ranked library for each of {} algorithms and operations and each of {} libraries, \
         with the half-width of the 95% interval, {units}. Tiles without a ratio are not ranked; cases without a tile failed or \
         were not measured.{more}",
        lines.len(),
        columns.len()
    );
    canvas.note(format!(
        "Ratio to the fastest ranked library with the half-width of its 95% interval, paired by rounds, {units}."
    ));
    if drawn().any(is_estimated) {
        canvas.note(ESTIMATED);
    }
    canvas.note(if alone { format!("{ALONE}: no other library is ranked.") } else { String::new() });
    canvas.note(if missing {
        format!("{MISSING}: not measured or not offered by the library.")
    } else {
        String::new()
    });
    canvas.note(if failed { format!("{FAILED}: the case failed.") } else { String::new() });
    if single > 0 {
        canvas.note(format!("Operations left out because only one library has a figure: {single}."));
    }
    canvas.note(more.trim_start());
    Some(canvas.finish(analysis, &format!("heat-{}", slug(area)), &title, about))
}

/// Draws the color key: each shade with its ratios.
fn key(canvas: &mut Canvas, top: f64) {
    let step = |canvas: &mut Canvas, place: usize, width: f64, fill: &str, light: bool, text: &str| {
        let x = place as f64 * KEY;
        canvas.tile((x, top), (width - 2.0, 18.0), fill, text);
        canvas.text_on(x + width / 2.0, top + 13.0, light, text);
    };
    let mut before = None;
    for (place, (limit, fill, light)) in SHADES.into_iter().enumerate() {
        let text = if limit.is_finite() { format!("≤ {limit}×") } else { format!("> {}×", before.unwrap_or(1.0)) };
        step(canvas, place, KEY, fill, light, &text);
        before = Some(limit);
    }
    step(canvas, SHADES.len(), 2.0 * KEY, UNRANKED, false, "not ranked: reason");
}

/// Returns the text of a tile, and the ratio of its figure to the lowest figure. The ratio determines the shade, and is
/// `None` if the case is not ranked.
fn standing(analysis: &RunAnalysis<'_>, row: &CaseAnalysis<'_>) -> (String, Option<f64>) {
    let sign = named(analysis, &row.case().provider, &row.case().algorithm, None).ends_with(ELSEWHERE);
    let signed = |text: String| if sign { format!("{text} {ELSEWHERE}") } else { text };
    match analysis.standing(row) {
        Some(standing @ (Standing::Slower(ratio) | Standing::Open(ratio))) => {
            (signed(standing.text()), Some(ratio.estimate))
        }
        Some(standing) => (signed(standing.text()), Some(1.0)),
        None => match doubt(row) {
            Some(reason) => (reason.trim_start_matches("pqlab's ").to_owned(), None),
            None => (ALONE.to_owned(), Some(1.0)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn colours_have_a_key_and_missing_tiles_a_reason() {
        let run = fixtures::libraries_run();
        let chart = providers(&RunAnalysis::new(&run), "signature").unwrap();
        assert!(chart.svg.contains("≤ 1.1×") && chart.svg.contains("not ranked: reason"), "{}", chart.svg);
        let text = crate::charts::texts(&chart);
        assert!(text.contains(" known defect ") && text.contains("Grey marks are not ranked: 1 of 14"), "{text}");
        let chart = providers(&RunAnalysis::new(&run), "kem").unwrap();
        assert!(chart.svg.contains(">failed<") && chart.svg.contains("failed: the case failed."), "{}", chart.svg);
    }
}
