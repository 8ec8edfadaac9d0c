//! Lists of runs.

use super::page::{Around, document};
use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use pqlab_analysis::text::neutral;
use pqlab_record::RunSummary;

/// What stands for itself in the path of an address beside letters and digits.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// The list of runs that is served, each with the address of its page.
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

/// The head of a page that shows no single run.
pub(super) fn top(heading: &str) -> Markup {
    html! { header.top { p.brand { "pqlab" } h1 { (heading) } button #theme type="button" aria-label="Switch between light and dark" { "Theme" } } }
}

/// Of an empty store.
pub(super) fn none() -> Markup {
    html! { p { "No runs yet: " code { "pqlab run" } " makes one." } }
}

/// A run in a list.
pub(super) struct Row<'r> {
    pub(super) run: &'r RunSummary,
    /// Where its page is.
    pub(super) address: String,
    /// Further cells, one for each further heading.
    pub(super) more: Vec<Markup>,
}

/// A table of runs, with further columns.
pub(super) fn table<'r>(headings: &[&str], rows: impl Iterator<Item = Row<'r>>) -> Markup {
    html! {
        div.scroll { table.plain {
            thead { tr {
                th scope="col" { "Run" } th scope="col" { "Suite" } th scope="col" { "Began" } th scope="col" { "Host" }
                th.num scope="col" { "Cases" } th.num scope="col" { "Failed" } th scope="col" { "State" }
                @for heading in headings { th scope="col" { (heading) } }
            } }
            tbody { @for Row { run, address, more } in rows { tr {
                th scope="row" { a href=(address) { (neutral(&run.id)) } }
                td { (neutral(&run.suite)) } td { (neutral(&run.started_at)) } td { (neutral(run.host.as_deref().unwrap_or("-"))) }
                td.num { (run.finished) " of " (run.planned) } td.num { (run.failed) }
                td {
                    @if run.complete { "complete" } @else { "not complete" }
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
    fn runs_are_listed_with_addresses_that_cannot_lead_elsewhere() {
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
