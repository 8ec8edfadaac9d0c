//! The page of a run, and the frame of all pages.

use super::data::Data;
use super::legend::legend;
use super::machines::machines;
use super::{figures, sections, top};
use crate::charts::{self, Chart};
use crate::site::FEED_TITLE;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::findings::findings;
use pqlab_analysis::history::{Past, other_machines};
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::tables::tables;
use sha2::{Digest, Sha256};

pub(super) const STYLE: &str = include_str!("assets/style.css");
const SCRIPT: &str = include_str!("assets/page.js");

/// Input for the page of a run.
pub struct Page<'p> {
    /// The run that the page shows.
    pub analysis: &'p RunAnalysis<'p>,
    /// Other runs, oldest first. The trend uses runs on the same machine; the comparison of machines uses runs on other
    /// machines.
    pub past: &'p [Past],
    /// Assumptions for the tables of circuit handshakes.
    pub scenario: &'p RelayScenario,
    /// Links to the rest of the site that contains the page.
    pub around: Around<'p>,
}

/// Links from a page to the rest of its site. The default has no links, for a standalone page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around<'p> {
    /// Address of the list of all runs.
    pub home: Option<&'p str>,
    /// Address that the page polls to detect changes of the store.
    pub live: Option<&'p str>,
    /// Address of the feed of regressions.
    pub feed: Option<&'p str>,
}

/// Writes the page of a run. Returns the HTML, and the pictures in it.
pub fn page(input: &Page<'_>) -> (String, Vec<Chart>) {
    let analysis = input.analysis;
    let areas: Vec<(&str, Vec<Chart>)> =
        analysis.areas().into_iter().map(|area| (area, charts::of_area(analysis, area))).collect();
    let named = charts::named(analysis);
    let trend: Vec<Chart> = charts::trend(analysis, input.past, "trend").into_iter().collect();
    let found = findings(analysis);
    let tables = tables(analysis, input.scenario);
    let data = Data::new(analysis, input.past);
    let title = format!("pqlab: {}", top::title(analysis));
    let names: Vec<&str> = areas.iter().map(|(area, _)| *area).collect();
    let mut more = Vec::new();
    if !trend.is_empty() {
        more.push(("trend", "Trend"));
    }
    if !other_machines(analysis.run, input.past).is_empty() {
        more.push(("machines", "Machines"));
    }
    more.extend([("reading", "How to read this page"), ("environment", "Environment")]);
    let body = html! {
        (top::header(input))
        (top::navigation(&names, &more))
        main {
            (sections::findings(analysis, &found))
            @if !named.is_empty() {
                section #pictures { h2 { "At a glance" } (figures::gallery(&named)) }
            }
            @for (area, charts) in &areas { (sections::area(analysis, &tables, area, charts)) }
            @if !trend.is_empty() { section #trend { h2 { "Trend" } (figures::figures(&trend)) } }
            (machines(analysis, input.past))
            section #reading { h2 { "How to read this page" } (legend()) }
            (sections::environment(analysis))
        }
        dialog #case aria-labelledby="case-title" {
            form method="dialog" {
                a #case-link href="#" title="Link to this case: select to copy" { "Link" }
                button.close autofocus { "Close" }
            }
            h2 #case-title {}
            div #case-body {}
        }
        dialog #text aria-labelledby="text-title" {
            form method="dialog" { button.close { "Close" } }
            h2 #text-title {}
            textarea readonly aria-labelledby="text-title" {}
        }
        div #tip role="status" hidden {}
        script type="application/json" id="data" { (PreEscaped(data.embedded())) }
    };
    let markup = document(&title, &input.around, body);
    let pictures = named.into_iter().chain(areas.into_iter().flat_map(|(_, charts)| charts)).chain(trend).collect();
    (markup.into_string(), pictures)
}

/// Returns the page's content security policy. It allows the page's own script and styles and, if `live` is set,
/// requests to the page's own server.
pub fn policy(live: bool) -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    let connect = if live { "'self'" } else { "'none'" };
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src {connect}; img-src data:; base-uri 'none'; \
         form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    )
}

/// Formats `2026-11-21T19:00:00Z` as `2026-11-21 19:00 UTC`.
pub(super) fn moment(time: &str) -> String {
    match (time.get(..10), time.get(10..11), time.get(11..16), time.ends_with('Z')) {
        (Some(day), Some("T"), Some(minute), true) => format!("{day} {minute} UTC"),
        _ => time.to_owned(),
    }
}

pub(super) fn document(title: &str, around: &Around<'_>, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy(around.live.is_some()));
                meta name="referrer" content="no-referrer";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                @if let Some(feed) = around.feed { link rel="alternate" type="application/atom+xml" title=(FEED_TITLE) href=(feed); }
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body data-live=[around.live] {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn shown(run: &pqlab_record::Run, past: &[Past], live: Option<&str>) -> String {
        let (analysis, around) = (RunAnalysis::new(run), Around { live, ..Around::default() });
        page(&Page { analysis: &analysis, past, scenario: &RelayScenario::default(), around }).0
    }

    #[test]
    fn pages_are_self_contained_and_start_with_findings() {
        let run = fixtures::run();
        let text = shown(&run, &[], None);
        assert!(text.starts_with("<!DOCTYPE html>"));
        for outside in ["http://", "https://", "src=", "@import", "url("] {
            let found = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!found.contains(outside), "{outside}");
        }
        let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}"));
        let answer = place("id=\"answer\"");
        assert!(place("<h2>Findings</h2>") < answer && answer < place("class=\"card\""));
        assert!(answer < place("Measurement overhead") && answer < place("id=\"area-kem\""));
        assert!(text.contains("connect-src &#39;none&#39;") || text.contains("connect-src 'none'"));
        for record in run.records.iter().filter(|record| !record.case.is_overhead()) {
            assert!(text.contains(&format!("scope=\"rowgroup\">{}</th>", record.case.name())));
        }
        assert!(text.contains("decapsulation gave a different secret"));
        assert!(!text.contains(" style=\""), "the page must have no inline styles, which the policy forbids");
    }

    #[test]
    fn hostile_names_stay_text() {
        let mut run = fixtures::run();
        let wild = "</script><script>alert(1)</script>\" onclick=\"alert(2)' & % _ ".to_owned() + &"漢字".repeat(500);
        run.records[0].case.algorithm = wild.clone();
        run.records[1].case.provider = wild.clone();
        run.records[2].error = Some(wild.clone());
        run.records[3].case.workload = wild.clone();
        run.header.suite = wild.clone();
        run.header.command = wild.clone();
        run.header.environment.host.name = Some(wild.clone());
        run.header.environment.cpu.model = wild;
        let past = [Past::new(&fixtures::run())];
        let text = shown(&run, &past, Some("/state"));
        assert_eq!(text.matches("<script").count(), 2);
        assert_eq!(text.matches("</script>").count(), 2);
        // The embedded data escapes quotes with a backslash, and attributes escape them as HTML
        // entities.
        assert!(!text.replace("\\\"", "").contains("\" onclick="));
    }

    #[test]
    fn pages_name_algorithms_that_are_not_standards() {
        let mut run = fixtures::run();
        assert!(!shown(&run, &[], None).contains("Not standards"));
        run.records[0].case.algorithm = "Kyber768".to_owned();
        let text = shown(&run, &[], None);
        assert!(text.contains("<p><strong>Not standards (") && text.contains(" Kyber768 (superseded by FIPS 203)</p>"));
    }

    #[test]
    fn pages_compare_other_machines_and_show_the_trend_of_earlier_runs() {
        let run = fixtures::run();
        let (mut earlier, mut elsewhere) = (fixtures::run(), fixtures::run());
        earlier.records[0].samples = fixtures::samples(12.0, 1);
        elsewhere.header.environment.host.name = Some("other".to_owned());
        elsewhere.records[0].samples = fixtures::samples(20.8, 1);
        let text = shown(&run, &[Past::new(&earlier), Past::new(&elsewhere)], None);
        assert!(text.contains("bench-1 against other") && text.contains("2.00×"), "machines must be compared");
        assert!(text.contains("Trend: the cases that changed most"));
        assert!(!shown(&run, &[], None).contains("Comparison of machines"));
    }
}
