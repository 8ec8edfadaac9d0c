//! Pictures on the page, each with its text alternative and a download.

use crate::charts::Chart;
use maud::{Markup, PreEscaped, html};

/// Number of an area's pictures that are visible at first. Readers open the others on demand.
const OPEN: usize = 2;

/// Writes each picture in a frame that scrolls if the screen is too narrow.
pub(super) fn figures(charts: &[Chart]) -> Markup {
    html! { @for chart in charts { (figure(chart)) } }
}

/// Writes the first pictures. Puts the others into a collapsed element that readers can open.
pub(super) fn gallery(charts: &[Chart]) -> Markup {
    let (open, more) = charts.split_at(charts.len().min(OPEN));
    html! {
        (figures(open))
        @if !more.is_empty() {
            details.gallery {
                summary { (more.len()) @if more.len() == 1 { " more picture" } @else { " more pictures" } }
                (figures(more))
            }
        }
    }
}

fn figure(chart: &Chart) -> Markup {
    html! {
        div.picture {
            div.copy { button type="button" data-svg=(chart.name) aria-label=(format!("Download as SVG: {}", chart.title)) { "SVG" } }
            figure tabindex="0" aria-label=(chart.title) { (PreEscaped(&chart.svg)) }
            details.alt { summary { "Text description" } p { (chart.about) } }
        }
    }
}

/// Writes the buttons that copy the table below them.
pub(super) fn copy_table(what: &str) -> Markup {
    html! {
        div.copy role="group" aria-label=(format!("Copy the table {what}")) {
            span { "Copy" }
            @for (format, name) in [("latex", "LaTeX"), ("markdown", "Markdown"), ("csv", "CSV")] {
                button type="button" data-copy=(format) { (name) }
            }
        }
    }
}
