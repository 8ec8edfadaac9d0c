//! Heat map of operations and providers, coloured by time relative to the fastest.

use super::canvas::{Anchor, Canvas, TextStyle, label, width_of};
use super::intervals::usual;
use super::{Chart, slug};
use pqlab_analysis::caveats::Caveat;
use pqlab_analysis::comparison::Standing;
use pqlab_analysis::number::{NONE, known_time};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped};

const MOST: usize = 40;
const TILE: (f64, f64) = (92.0, 24.0);
const NAMES: f64 = 34.0;
/// Colour of tiles for cases that are not ranked.
const UNRANKED: &str = "#e4e4e4";

/// Colours from the fastest to the slowest: one hue with decreasing lightness.
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
    lines.retain(|(_, rows)| rows.len() > 1);
    let all = lines.len();
    lines.truncate(MOST);
    let shown = lines.iter().flat_map(|(_, rows)| rows);
    let columns: Vec<&str> = distinct(shown.map(|row| row.case().provider.as_str()));
    // A single column compares nothing, and more than twelve columns do not fit on a page.
    if columns.len() < 2 || columns.len() > 12 {
        return None;
    }
    let gutter = lines.iter().map(|(name, _)| width_of(&label(name), 12.0)).fold(80.0, f64::max).min(330.0) + 12.0;
    let width = (gutter + columns.len() as f64 * TILE.0).max(420.0);
    let top = 36.0 + NAMES;
    let mut canvas = Canvas::new(width, top + lines.len() as f64 * TILE.1 + 10.0);
    let title = format!("{area}: time relative to the fastest library");
    canvas.head(&title, &[]);
    for (place, name) in columns.iter().enumerate() {
        // Names of pairs are long, so each half gets its own line.
        let x = gutter + (place as f64 + 0.5) * TILE.0;
        let parts: Vec<String> = name.split_inclusive(['+', ':']).map(short).collect();
        for (line, part) in parts.iter().enumerate() {
            let y = top - 8.0 - (parts.len() - 1 - line) as f64 * 14.0;
            canvas.text(x, y, TextStyle::Faint, Anchor::Middle, part);
        }
    }
    for (line, (name, rows)) in lines.iter().enumerate() {
        let y = top + line as f64 * TILE.1;
        canvas.text(gutter - 10.0, y + 16.0, TextStyle::Label, Anchor::End, &label(name));
        for row in rows {
            let (Some(median), Some(place)) =
                (row.time(), columns.iter().position(|column| *column == row.case().provider))
            else {
                continue;
            };
            let (text, ratio) = standing(analysis, row);
            let shade = SHADES.into_iter().find(|(limit, ..)| ratio.is_some_and(|ratio| ratio <= *limit));
            let (_, fill, light) = shade.unwrap_or((0.0, UNRANKED, false));
            let x = gutter + place as f64 * TILE.0;
            let about = format!("{name} {}: {}, {text}", row.case().provider, known_time(&median));
            canvas.tile((x + 1.0, y + 1.0), (TILE.0 - 2.0, TILE.1 - 2.0), fill, &about);
            canvas.text_on(x + TILE.0 / 2.0, y + 16.0, light, &text);
        }
    }
    let more = if all > lines.len() { format!(" The table lists {} more.", all - lines.len()) } else { String::new() };
    let about = format!(
        "Time relative to the fastest for each of {} algorithms and operations and each of {} libraries, with the \
         half-width \
         of the 95% interval, in core cycles if both cases have them. Tiles without a ratio are not ranked; cases \
         without a tile were not measured.{more}",
        lines.len(),
        columns.len()
    );
    Some(canvas.finish(&format!("heat-{}", slug(area)), &title, about))
}

/// Returns the text of a tile, and the ratio to the lowest figure, which determines the shade. The ratio is `None` if
/// the case is not ranked.
fn standing(analysis: &RunAnalysis<'_>, row: &CaseAnalysis<'_>) -> (String, Option<f64>) {
    match analysis.standing(row) {
        Some(standing @ (Standing::Slower(ratio) | Standing::Open(ratio))) => (standing.text(), Some(ratio.estimate)),
        Some(standing) => (standing.text(), Some(1.0)),
        None => {
            let why = [Caveat::Shared, Caveat::Defect].into_iter().find(|caveat| row.caveats.has(*caveat));
            (why.map_or(NONE, Caveat::word).to_owned(), None)
        }
    }
}

fn short(part: &str) -> String {
    if part.chars().count() > 13 { part.chars().take(12).chain(['…']).collect() } else { part.to_owned() }
}
