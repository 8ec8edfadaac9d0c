//! Top of a run's page: the title, a row of labels (chips) about quality, a strip about the environment, and the
//! navigation.

use super::page::{Page, moment};
use super::runs::theme_button;
use maud::{Markup, html};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::number::{frequency, time};
use pqlab_analysis::text::neutral;
use pqlab_analysis::trust::quality_sentence;
use pqlab_analysis::words::{FLOOR_MEANING, worker_floors};
use pqlab_record::Environment;

/// Words that mark a statement about quality as a warning.
const WARNS: [&str; 6] = ["imprecise", "disturbed", "assumed", "interrupted", "fixed number", "estimated"];
/// Words that mark a statement about quality as an error.
const FAILS: [&str; 3] = ["failed", "not verified", "defect"];

/// Returns the title: suite, machine and date.
pub(super) fn title(analysis: &RunAnalysis<'_>) -> String {
    let header = &analysis.run.header;
    let model = header.environment.cpu.model.trim();
    let machine = if model.is_empty() { "an unknown machine" } else { model };
    neutral(&format!("Suite {} on {machine}, {}", header.suite, date(analysis)))
}

/// Returns the time when the run finished, or the time when it started if the run is incomplete.
pub(super) fn when<'a>(analysis: &RunAnalysis<'a>) -> &'a str {
    analysis.run.finished_at.as_deref().unwrap_or(&analysis.run.header.started_at)
}

fn date<'a>(analysis: &RunAnalysis<'a>) -> &'a str {
    when(analysis).get(..10).unwrap_or_else(|| when(analysis))
}

/// Writes the header of a run's page.
pub(super) fn header(input: &Page<'_>) -> Markup {
    let analysis = input.analysis;
    let run = analysis.run;
    let failed = analysis.cases().iter().filter(|row| row.failed()).count();
    let (cases, planned) = run.progress();
    html! {
        header.top {
            div.bar {
                p.brand { "pqlab" @if let Some(home) = input.around.home { " · " a href=(home) { "all runs" } } }
                a.cite href="#cite" { "Cite this run" }
                (theme_button())
            }
            h1 { (title(analysis)) }
            p.sub {
                time datetime=(neutral(when(analysis))) { (neutral(&moment(when(analysis)))) }
                " · " (neutral(&analysis.areas().join(", "))) " · " (cases) " cases"
                @if failed > 0 { ", " (failed) " failed" }
                @if !run.complete { " · " span.flag { "incomplete" } " " (cases) " of " (planned) }
            }
            (chips(analysis))
        }
    }
}

/// Writes the quality of the run as a row of labels (chips).
fn chips(analysis: &RunAnalysis<'_>) -> Markup {
    let sentence = quality_sentence(analysis).unwrap_or_default();
    let text = sentence.strip_prefix("Quality: ").unwrap_or(&sentence).trim_end_matches('.').to_owned();
    let estimated =
        analysis.cases().iter().filter_map(|row| row.estimates.as_ref()).any(|it| it.cycles_are_estimated());
    let mut all: Vec<String> = text.split("; ").filter(|part| !part.is_empty()).map(str::to_owned).collect();
    if estimated {
        all.push("cycles estimated".to_owned());
    }
    let tone = |text: &str| match text {
        text if FAILS.iter().any(|word| text.contains(word)) => "chip bad",
        text if WARNS.iter().any(|word| text.contains(word)) => "chip warn",
        // `156 of 163 cases reached ±1%` is good only if it counts all cases.
        text => match text.split_once(" of ") {
            Some(("0", _)) => "chip warn",
            Some((reached, all)) if !all.starts_with(&format!("{reached} ")) => "chip",
            _ => "chip good",
        },
    };
    html! {
        @if !all.is_empty() {
            ul.chips aria-label="Quality" { @for text in &all { li class=(tone(text)) { (neutral(text)) } } }
        }
    }
}

/// Writes the navigation, with a search over all areas.
pub(super) fn navigation(areas: &[&str], sections: &[(&str, &str)]) -> Markup {
    html! {
        nav aria-label="Sections" {
            a href="#findings" { "Findings" }
            @for area in areas { a href=(format!("#area-{}", crate::charts::slug(area))) { (neutral(area)) } }
            @for (id, name) in sections { a href=(format!("#{id}")) { (name) } }
        }
        div.find role="search" {
            label for="search" { "Search all cases" }
            input #search type="search" placeholder="algorithm, operation, library, …" autocomplete="off";
            span #found role="status" {}
        }
    }
}

/// Writes a strip with the facts about the machine and build that affect figures. Highlights warnings.
pub(super) fn strip(analysis: &RunAnalysis<'_>) -> Markup {
    let Environment { cpu, os, build, counters, host, .. } = &analysis.run.header.environment;
    let hypervisor = cpu.virtualization.as_ref().and_then(|it| it.hypervisor.as_deref());
    let kernel = [os.name.as_str(), os.kernel.as_str()].join(", ");
    let compiler = build.rustc.strip_prefix("rustc ").unwrap_or(&build.rustc).split(' ').next().unwrap_or_default();
    html! {
        dl.strip {
            div { dt { "Processor" } dd { (neutral(&cpu.model)) ", " (cpu.cores) @if cpu.cores == 1 { " core" } @else { " cores" } } }
            @if cpu.virtualized == Some(true) {
                div.warn { dt { "Virtual machine" } dd { (neutral(hypervisor.unwrap_or("yes"))) @if let Some(container) = &host.container { ", " (neutral(container)) } } }
            }
            @if !cpu.hidden_features.is_empty() { div.warn { dt { "Hidden features" } dd { (neutral(&cpu.hidden_features.join(", "))) } } }
            @if let Some(governor) = &cpu.governor { div { dt { "Governor" } dd { (neutral(governor)) } } }
            @if let Some(turbo) = cpu.turbo { div { dt { "Turbo" } dd { @if turbo { "on" } @else { "off" } } } }
            div { dt { "System" } dd { (neutral(&kernel)) } }
            div { dt { "Build" } dd { "pqlab " (neutral(&build.version)) ", rustc " (neutral(compiler)) } }
            div { dt { "Counter" } dd {
                (neutral(&counters.primary))
                @if let Some(rate) = counters.ticks_per_second { " at " (frequency(rate)) }
                @if counters.primary == "tsc" { " (not core cycles)" }
            } }
            @if let Some(floor) = analysis.floor_ns() {
                div { dt { "Measurement overhead" } dd title=(FLOOR_MEANING) { (time(floor)) " per operation" } }
            }
            @if let Some(floors) = worker_floors(analysis) { div { dt { "Workers" } dd { (neutral(&floors)) } } }
        }
    }
}
