//! Pages of a static site: the list of all runs, the redirect to the newest run, and the pages of machines. Another
//! module writes the pages of runs.

use super::figures::figures;
use super::page::{Around, document, moment};
use super::runs::{Row, none, table, theme_button, top};
use crate::charts::{Chart, trend};
use crate::site::{fragment, machine_file, run_file};
use maud::{Markup, html};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::environment::environment_line;
use pqlab_analysis::history::Past;
use pqlab_analysis::number::{NONE, grouped, known_time};
use pqlab_analysis::text::neutral;
use pqlab_analysis::timeline::{Changes, Timeline, TimelineRun};
use pqlab_record::Environment;
use std::collections::BTreeSet;

/// Maximum number of regressions on the first page. The feed lists more.
const REGRESSIONS: usize = 40;
/// Maximum number of runs in a machine's table of medians.
const SIDE_BY_SIDE: usize = 8;
/// Maximum number of cases in a machine's table of medians.
const CASES: usize = 400;

const AT_THE_TOP: Around<'static> = Around { home: None, live: None, feed: Some("feed.xml") };
const BELOW: Around<'static> = Around { home: Some("../index.html"), live: None, feed: Some("../feed.xml") };
const SINCE: &str = "Changes since the previous run";

/// A suite on a machine, with its newest run and earlier runs.
pub struct SuiteOnMachine {
    suite: String,
    trend: Option<Chart>,
    /// Runs, newest first.
    runs: Vec<Past>,
}

impl SuiteOnMachine {
    /// Creates the entry from the newest complete run, `analysis`. `past` contains earlier complete runs of the same
    /// suite on the same machine, oldest first. `place` is a number that is unique on the page.
    pub fn new(analysis: &RunAnalysis<'_>, past: &[Past], place: usize) -> SuiteOnMachine {
        let runs = std::iter::once(Past::new(analysis.run)).chain(past.iter().rev().cloned());
        SuiteOnMachine {
            suite: analysis.run.header.suite.clone(),
            trend: trend(analysis, past, &format!("trend-{place}")),
            runs: runs.take(SIDE_BY_SIDE).collect(),
        }
    }
}

/// Writes the first page: newest run, machines, regressions, and all runs.
pub fn index_page(timeline: &Timeline) -> String {
    let newest = timeline.runs.iter().find(|run| run.summary.complete);
    let body = html! {
        (top("Post-quantum cryptography benchmarks"))
        main {
            @if timeline.runs.is_empty() { section { (none()) } } @else {
                section {
                    @if let Some(run) = newest {
                        p.lead {
                            "Latest run: " a href=(run_file(&run.summary.id)) { "suite " (neutral(&run.summary.suite)) ", " (moment(&run.moment)) } ". "
                            a href="feed.xml" { "Feed of regressions" } "."
                        }
                    }
                }
                section #machines { h2 { "Machines" } (machines(timeline)) }
                section #regressions { h2 { "Regressions" } (regressions(timeline)) }
                section #runs { h2 { "Runs" } (runs(timeline.runs.iter(), "")) }
            }
        }
    };
    document("pqlab: runs", &AT_THE_TOP, body).into_string()
}

/// Writes a page that redirects to the newest complete run. If there is no complete run, the page redirects to the
/// first page.
pub fn latest_page(timeline: &Timeline) -> String {
    let newest = timeline.runs.iter().find(|run| run.summary.complete);
    let target = newest.map_or_else(|| "index.html".to_owned(), |run| run_file(&run.summary.id));
    let body = html! {
        meta http-equiv="refresh" content=(format!("0; url={target}"));
        (top("Latest run"))
        main { section { p { a href=(target) { "Go to the latest run" } } } }
    };
    document("pqlab: latest run", &AT_THE_TOP, body).into_string()
}

/// Writes a machine's page: the trend of each suite, and all runs. `place` is the machine's index in the timeline.
pub fn machine_page(timeline: &Timeline, place: usize, suites: &[SuiteOnMachine]) -> String {
    let machine = timeline.machines.get(place);
    let name = machine.map_or_else(String::new, host);
    let body = html! {
        header.top {
            div.bar { p.brand { "pqlab · " a href="../index.html" { "all runs" } } (theme_button()) }
            h1 { (name) }
            @if let Some(machine) = machine { p.sub { (environment_line(machine)) } }
        }
        main {
            @for suite in suites { section {
                h2 { "Suite " (neutral(&suite.suite)) }
                @if let Some(trend) = &suite.trend { (figures(std::slice::from_ref(trend))) }
                (medians(suite))
            } }
            section #runs { h2 { "Runs" } (runs(timeline.runs.iter().filter(|run| run.machine == place), "../")) }
        }
    };
    document(&format!("pqlab: {name}"), &BELOW, body).into_string()
}

fn host(machine: &Environment) -> String {
    neutral(machine.host.name.as_deref().unwrap_or("unnamed host"))
}

fn machines(timeline: &Timeline) -> Markup {
    html! {
        div.scroll { table.plain {
            thead { tr { th scope="col" { "Machine" } th scope="col" { "Environment of the newest run" } th.num scope="col" { "Runs" } th scope="col" { "Newest run" } } }
            tbody { @for (place, machine) in timeline.machines.iter().enumerate() {
                @let here = || timeline.runs.iter().filter(|run| run.machine == place);
                tr {
                    th scope="row" { a href=(machine_file(machine)) { (host(machine)) } }
                    td { (environment_line(machine)) } td.num { (here().count()) }
                    td { @if let Some(run) = here().next() { a href=(run_file(&run.summary.id)) { (neutral(&run.summary.suite)) ", " (moment(&run.moment)) } } }
                }
            } }
        } }
    }
}

fn regressions(timeline: &Timeline) -> Markup {
    let all = timeline.runs.iter().filter_map(|run| Some((run, run.changes.as_ref()?)));
    let all: Vec<_> =
        all.flat_map(|(run, changes)| changes.regressions.iter().map(move |case| (run, changes, case))).collect();
    html! {
        p.lead { "Cases that became slower or started to fail between consecutive complete runs of the same suite on the same machine." }
        @if all.is_empty() { p { "None." } } @else {
            div.scroll { table.plain {
                thead { tr {
                    th scope="col" { "Case" } th scope="col" { "Change" } th scope="col" { "Medians" } th scope="col" { "Run" } th scope="col" { "Compared with" } th scope="col" { "Machine" }
                } }
                tbody { @for (run, changes, case) in all.iter().take(REGRESSIONS) { tr {
                    th scope="row" { a href=(format!("{}#{}", run_file(&run.summary.id), fragment(&case.case))) { (neutral(&case.case)) } }
                    td { span.flag.bad { (case.words()) } } td { (case.medians().as_deref().unwrap_or(NONE)) }
                    td { a href=(run_file(&run.summary.id)) { (moment(&run.moment)) } }
                    td { a href=(run_file(&changes.earlier)) { (neutral(&changes.earlier)) } }
                    td { @if let Some(machine) = timeline.machines.get(run.machine) { a href=(machine_file(machine)) { (host(machine)) } } }
                } } }
            } }
            @if all.len() > REGRESSIONS { p { "and " (grouped((all.len() - REGRESSIONS) as u64)) " older: see the feed." } }
        }
    }
}

/// Writes a table of runs with their changes since the previous run. `up` is the path from this page to the first page.
fn runs<'t>(runs: impl Iterator<Item = &'t TimelineRun>, up: &str) -> Markup {
    let row = |run: &'t TimelineRun| Row {
        run: &run.summary,
        address: format!("{up}{}", run_file(&run.summary.id)),
        more: vec![html! { @if let Some(changes) = &run.changes { (changed(changes, up)) } }],
    };
    table(&[SINCE], runs.map(row))
}

fn changed(changes: &Changes, up: &str) -> Markup {
    let (slower, broken) = (changes.slower(), changes.broken());
    html! {
        @if slower > 0 { span.flag.bad { (slower) " slower" } " " }
        @if broken > 0 { span.flag.bad { (broken) " fail" @if broken == 1 { "s" } } " " }
        @if changes.faster > 0 { (changes.faster) " faster " }
        @if changes.inconclusive > 0 { (changes.inconclusive) " inconclusive " }
        "of " (changes.compared) " cases, compared with " a href=(format!("{up}{}", run_file(&changes.earlier))) { "the previous run" }
        @if !changes.differences.is_empty() {
            br; span.soft { "changed: " (neutral(&changes.differences.iter().map(|one| one.what.as_str()).collect::<Vec<_>>().join(", "))) }
        }
    }
}

fn medians(suite: &SuiteOnMachine) -> Markup {
    let all = suite.runs.iter().flat_map(|run| run.medians.keys());
    let cases: BTreeSet<&String> = all.filter(|case| !case.starts_with("floor/")).collect();
    html! {
        div.scroll { table.plain {
            caption.hidden { "Medians, newest run first" }
            thead { tr {
                th scope="col" { "Case (median time)" }
                @for run in &suite.runs { th.num scope="col" { a href=(format!("../{}", run_file(&run.id))) { (neutral(&moment(&run.started_at))) } } }
            } }
            tbody { @for case in cases.iter().take(CASES) { tr {
                th scope="row" { (neutral(case)) }
                @for run in &suite.runs { td.num { @match run.medians.get(*case) { Some(median) => (known_time(median)), None => (NONE) } } }
            } } }
        } }
        @if cases.len() > CASES { p { "and " (grouped((cases.len() - CASES) as u64)) " more cases: see the pages of the runs." } }
    }
}
