//! Lists of runs.

use super::page::{Around, document};
use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use pqlab_analysis::text::neutral;
use pqlab_record::RunSummary;

/// Characters that are not percent-encoded in a path, in addition to letters and digits.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// Writes the server's page with the list of runs and links to their pages.
pub fn runs_page(runs: &[RunSummary]) -> String {
    let address = |run: &RunSummary| format!("/runs/{}", utf8_percent_encode(&run.id, PATH));
    let body = html! {
        (top("Runs"))
        main { section {
            @if runs.is_empty() { (none()) } @else {
                (table(&[], runs.iter().map(|run| Row { run, address: address(run), more: Vec::new() })))
            }
        } }
    };
    let around = Around { live: Some("/state"), ..Around::default() };
    document("pqlab: runs", &around, body).into_string()
}

/// Writes the header of a page that shows several runs.
pub(super) fn top(heading: &str) -> Markup {
    html! { header.top { div.bar { p.brand { "pqlab" } (theme_button()) } h1 { (heading) } } }
}

/// Writes the button that switches between the system's theme, the light theme and the dark theme. The script changes
/// the button's text to the name of the chosen theme.
pub(super) fn theme_button() -> Markup {
    html! {
        button #theme type="button" aria-label="Theme: system" title="Theme: system, light or dark" {
            svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" {
                circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.6" {}
                path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" {}
            }
            " " span { "System" }
        }
    }
}

/// Writes the text that replaces the list of runs if the store is empty.
pub(super) fn none() -> Markup {
    html! { p { "No runs yet: " code { "pqlab run" } " creates one." } }
}

/// A run in a list.
pub(super) struct Row<'r> {
    pub(super) run: &'r RunSummary,
    /// Address of the run's page.
    pub(super) address: String,
    /// Additional cells, one for each additional column.
    pub(super) more: Vec<Markup>,
}

/// Writes a table of runs. `headings` are the headings of additional columns.
pub(super) fn table<'r>(headings: &[&str], rows: impl Iterator<Item = Row<'r>>) -> Markup {
    html! {
        div.scroll { table.plain {
            thead { tr {
                th scope="col" { "Run" } th scope="col" { "Suite" } th scope="col" { "Started" } th scope="col" { "Host" }
                th.num scope="col" { "Cases" } th.num scope="col" { "Failed" } th scope="col" { "State" }
                @for heading in headings { th scope="col" { (heading) } }
            } }
            tbody { @for Row { run, address, more } in rows { tr {
                th scope="row" { a href=(address) { (neutral(&run.id)) } }
                td { (neutral(&run.suite)) } td { (neutral(&run.started_at)) } td { (neutral(run.host.as_deref().unwrap_or("-"))) }
                td.num { (run.finished) " of " (run.planned) } td.num { (run.failed) }
                td {
                    @if run.complete { "complete" } @else { "incomplete" }
                    @if !run.names.is_empty() { ", " (neutral(&run.names.join(", "))) }
                    @if let Some(note) = &run.note { br; span.soft { (neutral(note)) } }
                }
                @for cell in more { td { (cell) } }
            } } }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_runs_stay_within_the_site() {
        let run = RunSummary {
            id: "../x\"<b>".into(),
            suite: "<i>".into(),
            command: "pqlab run".into(),
            started_at: "now".into(),
            finished_at: None,
            complete: false,
            imported: false,
            planned: 2,
            finished: 1,
            failed: 0,
            contended: 0,
            host: None,
            names: vec!["<b>".into()],
            note: Some("<i>".into()),
        };
        let text = runs_page(&[run]);
        assert!(text.contains("href=\"/runs/..%2Fx%22%3Cb%3E\"") && !text.contains("<i>") && !text.contains("<b>"));
        assert!(runs_page(&[]).contains("No runs yet"));
    }
}
