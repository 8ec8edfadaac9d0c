//! The parts of the page: findings, areas with their tables and pictures, environment.

use crate::charts::Chart;
use maud::{Markup, PreEscaped, html};
use pqlab_analysis::answer::answer;
use pqlab_analysis::caveats::{Caveat, Caveats};
use pqlab_analysis::estimates::{ESTIMATED_CYCLES, PLUS_MINUS};
use pqlab_analysis::findings::{Cost, Findings, Recommendation, RunCaveat};
use pqlab_analysis::number::{NONE, digits, factor, factor_range, frequency, grouped, percent, rate, time, time_range};
use pqlab_analysis::tables::{Holds, Table};
use pqlab_analysis::text::neutral;
use pqlab_analysis::trust::{Publishable, publishable};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::{Environment, Form, Run};

/// A table with more rows is laid out when it comes into view: thousands of rows take a browser seconds.
const LONG: usize = 100;

/// What was found, in short and then in full.
pub(super) fn findings(analysis: &RunAnalysis<'_>, found: &Findings) -> Markup {
    let believed = publishable(analysis);
    html! {
        section #findings {
            h2 { "What was found" }
            div #answer { @for line in answer(analysis, found) { p { (neutral(&line)) } } }
            @if !found.recommendations.is_empty() {
                p.lead { "The fastest library for each job, at NIST category 3 or more where there is one, and why. Where the data do not tell several apart, all are named." }
                div.cards { @for one in &found.recommendations { (card(one, &believed)) } }
            }
            @if !found.costs.is_empty() { (costs(&found.costs)) }
            (caveats(&found.caveats))
        }
    }
}

fn card(recommended: &Recommendation, believed: &Publishable) -> Markup {
    html! {
        article.card {
            h3 { (recommended.use_case) }
            p.pick {
                strong { (neutral(&recommended.algorithm)) } " by " strong.whole { (neutral(&recommended.provider)) }
                @for other in &recommended.tied { ", " (neutral(other)) }
            }
            p.figure { span.big { (recommended.figure) } @if recommended.interval != "exact" { span.range { (recommended.interval) } } }
            p.what { (recommended.what) }
            @if !believed.so { p.what { span.flag { (believed.text) } } }
            p.why { @if !recommended.tied.is_empty() { span.flag { "tie" } " " } (neutral(&recommended.why)) }
        }
    }
}

fn costs(costs: &[Cost]) -> Markup {
    let side = |(algorithm, provider, time): &(String, String, String)| {
        html! { td { (neutral(algorithm)) " " span.soft.whole { (neutral(provider)) } } td.num { (time) } }
    };
    html! {
        h3 #costs { "What post-quantum costs against classical" }
        p.lead {
            "The fastest library of each side, all of them where the data do not tell them apart: then the time is the lowest. \
             Factors are of core cycles where both sides have them, else of times, with their 95% intervals."
        }
        div.scroll {
            table.plain {
                thead { tr {
                    th scope="col" { "What" } th scope="col" { "Post-quantum" } th.num scope="col" { "Time" }
                    th scope="col" { "Classical" } th.num scope="col" { "Time" } th.num scope="col" { "Time, factor" }
                    th.num scope="col" { "95% interval" } th.num scope="col" { "Bytes" } th.num scope="col" { "Bytes, factor" }
                } }
                tbody {
                    @for cost in costs {
                        tr {
                            th scope="row" { (cost.what) }
                            (side(&cost.post_quantum)) (side(&cost.classical))
                            td.num { strong { (factor(cost.time.estimate)) } }
                            td.num { (factor_range(&cost.time)) @if !cost.told_apart { " " span.flag { "not told apart" } } }
                            @match cost.bytes {
                                Some((new, old)) if old > 0 => {
                                    td.num { (grouped(new)) " / " (grouped(old)) }
                                    td.num { (factor(new as f64 / old as f64)) }
                                }
                                _ => { td.num { (NONE) } td.num { (NONE) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn caveats(caveats: &[RunCaveat]) -> Markup {
    html! {
        h3 #doubts { "What is uncertain" }
        @if caveats.is_empty() {
            p { "Nothing: every case was measured and verified, none was contended, and every interval reached its precision." }
        }
        @for caveat in caveats {
            details.doubt {
                summary { strong { (grouped(caveat.count as u64)) } " " (caveat.what) }
                ul {
                    @for detail in &caveat.details { li { (neutral(detail)) } }
                    @if caveat.count > caveat.details.len() && !caveat.details.is_empty() {
                        li { "and " (caveat.count - caveat.details.len()) " more: in the tables below" }
                    }
                }
            }
        }
    }
}

/// An area: its pictures and its table.
pub(super) fn area(analysis: &RunAnalysis<'_>, made: &[Table], area: &str, charts: &[Chart]) -> Markup {
    let rows: Vec<(usize, &CaseAnalysis<'_>)> =
        analysis.cases().iter().enumerate().filter(|(_, row)| row.case().workload == area).collect();
    let mut providers: Vec<&str> = Vec::new();
    for (_, row) in &rows {
        if !providers.contains(&row.case().provider.as_str()) {
            providers.push(&row.case().provider);
        }
    }
    let id = format!("area-{}", crate::charts::slug(area));
    let field = |what: &str| format!("{id}-{what}");
    html! {
        section.area id=(id) {
            h2 { (neutral(area)) }
            (figures(charts))
            div.tools role="search" aria-label=(format!("Filter the cases of {}", neutral(area))) {
                label for=(field("text")) { "Filter" }
                input.filter-text type="search" id=(field("text")) placeholder="algorithm, operation, …" autocomplete="off";
                label for=(field("provider")) { "Provider" }
                select.filter-provider id=(field("provider")) {
                    option value="" { "all" }
                    @for provider in providers { option value=(neutral(provider)) { (neutral(provider)) } }
                }
                label for=(field("form")) { "Form" }
                select.filter-form id=(field("form")) {
                    option value="" { "all" } option value="prepared" { "prepared" } option value="encoded" { "encoded" }
                }
                span.count role="status" { (rows.len()) " cases" }
            }
            div.scroll.long[rows.len() > LONG] {
                table.cases {
                    caption.hidden { "Cases of " (neutral(area)) ": press a heading to sort, a name to see a case in full" }
                    thead { tr {
                        th scope="col" aria-sort="none" { button { "Case" } }
                        th scope="col" aria-sort="none" { button { "Provider" } }
                        th.num scope="col" aria-sort="none" { button { "Median" } }
                        th.num scope="col" aria-sort="none" { button { "±" } }
                        th.num scope="col" aria-sort="none" { button { "Interval" } }
                        th.num scope="col" aria-sort="none" { button { "Cycles" } }
                        th.num scope="col" aria-sort="none" { button { "p95" } }
                        th.num scope="col" aria-sort="none" { button { "CoV" } }
                        th.num scope="col" aria-sort="none" { button { "op/s" } }
                        th scope="col" aria-sort="none" { button { "Notes" } }
                    } }
                    tbody { @for (index, row) in rows { (case(index, row)) } }
                }
            }
            @for table in made.iter().filter(|table| table.area == area) { (several(table)) }
        }
    }
}

/// A table of several cases.
fn several(table: &Table) -> Markup {
    let side = |place: usize| (table.columns[place].holds == Holds::Figures).then_some("num");
    let shown = table.shown();
    let noted = table.rows.iter().any(|row| row.caveats.notes().next().is_some());
    html! {
        h3 id=(format!("table-{}", table.name)) { (neutral(&table.title)) }
        div.scroll { table.plain {
            thead { tr {
                @for place in &shown { th class=[side(*place)] scope="col" { (neutral(&table.columns[*place].heading)) } }
                @if noted { th scope="col" { "Notes" } }
            } }
            tbody { @for row in &table.rows { tr {
                @for place in &shown { td class=[side(*place)] { (neutral(&row.cells[*place].text)) } }
                @if noted { td.notes { (notes(&row.caveats)) } }
            } } }
        } }
        @for note in &table.notes { p.soft { (neutral(note)) } }
    }
}

/// The caveats that a row is marked with.
fn notes(caveats: &Caveats) -> Markup {
    html! {
        @for (note, says) in caveats.notes() {
            abbr title=(format!("{}: {}", note.legend(), neutral(says))) {
                (note.word()) @if note == Caveat::Imprecise { ": " (says) }
            } " "
        }
    }
}

/// Each in a frame of its own that scrolls where the screen is narrower than the picture can be read.
pub(super) fn figures(charts: &[Chart]) -> Markup {
    html! {
        @for chart in charts {
            figure tabindex="0" aria-label=(chart.title) {
                (PreEscaped(&chart.svg))
                details.alt { summary { "In words" } p { (chart.about) } }
            }
        }
    }
}

fn case(index: usize, row: &CaseAnalysis<'_>) -> Markup {
    let case = row.case();
    let form = match case.form {
        Some(Form::Encoded) => "encoded",
        Some(Form::Prepared) => "prepared",
        None => "",
    };
    let open = html! { button.open data-case=(index) { (row.job()) } };
    let Some(estimates) = &row.estimates else {
        return html! {
            tr.failed data-form=(form) {
                td { (open) } td { (neutral(&case.provider)) }
                td colspan="7" { span.flag.bad { "failed" } " " (neutral(row.record.error.as_deref().unwrap_or(NONE))) }
                td {}
            }
        };
    };
    let median = estimates.median_ns;
    let width = estimates.half_width_pct();
    let operations = estimates.operations();
    let figure = |value: Option<f64>| match value {
        Some(value) => html! { td.num data-v=(sortable(value)) { (time(value)) } },
        None => html! { td.num { (NONE) } },
    };
    let per_second = estimates.operations_per_second();
    html! {
        tr data-form=(form) {
            td { (open) }
            td { (neutral(&case.provider)) }
            td.num data-v=(sortable(median.estimate)) { strong { (time(median.estimate)) } }
            td.num data-v=(sortable(width)) { (percent(width)) }
            td.num data-v=(sortable(median.low)) { (time_range(&median)) }
            @match estimates.cycles.zip(estimates.cycles_text()) {
                Some((cycles, text)) => td.num data-v=(sortable(cycles.median.estimate)) { (text) },
                None => td.num { (NONE) },
            }
            (figure(estimates.percentile(0.95)))
            @match operations.and_then(|of| of.cov_pct) {
                Some(variation) => td.num data-v=(sortable(variation)) { (percent(variation)) },
                None => td.num { (NONE) },
            }
            @match per_second {
                Some(per_second) => td.num data-v=(sortable(per_second)) { (rate(per_second)) },
                None => td.num { (NONE) },
            }
            td.notes { (notes(&row.caveats)) }
        }
    }
}

/// A number that a script reads: five digits are enough to sort by.
fn sortable(value: f64) -> String {
    if value.is_finite() { digits(value, 5).replace(',', "") } else { String::new() }
}

/// What the marks mean.
pub(super) fn legend() -> Markup {
    html! {
        dl.legend {
            @for note in Caveat::ALL { dt { (note.word()) } dd { (note.legend()) } }
            dt { "±" } dd { (PLUS_MINUS) }
            dt { "≈" } dd { (ESTIMATED_CYCLES) }
        }
    }
}

/// How and on what it was measured.
pub(super) fn environment(run: &Run) -> Markup {
    let Environment { host, cpu, os, build, providers, counters } = &run.header.environment;
    let known = |value: &Option<String>| value.as_deref().map_or_else(|| "unknown".to_owned(), neutral);
    let said = |value: Option<bool>| match value {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    };
    html! {
        section #environment {
            h2 { "Environment" }
            dl.facts {
                dt { "Processor" } dd { (neutral(&cpu.model)) ", " (neutral(&cpu.architecture)) ", " (cpu.cores) " cores" }
                dt { "Features" } dd { (neutral(&cpu.features.join(" "))) }
                dt { "Virtualised" } dd { (said(cpu.virtualized)) @if let Some(container) = &host.container { ", in " (neutral(container)) } }
                dt { "Governor, turbo" } dd { (known(&cpu.governor)) ", " (said(cpu.turbo)) }
                dt { "System" } dd { (neutral(&os.name)) ", kernel " (neutral(&os.kernel)) }
                dt { "Build" } dd {
                    "pqlab " (neutral(&build.version)) ", " (neutral(&build.rustc)) " (" (neutral(&build.profile)) "), C compiler " (known(&build.cc))
                    ", commit " (known(&build.commit))
                }
                dt { "Counter" } dd {
                    (neutral(&counters.primary))
                    @if let Some(rate) = counters.ticks_per_second { " at " (frequency(rate)) }
                    @if let Some(rate) = counters.core_clock_estimate_hz { ", core clock about " (frequency(rate)) }
                }
                dt { "Command" } dd { code { (neutral(&run.header.command)) } }
                dt { "Run" } dd { (neutral(&run.header.id)) ", seed " (run.header.seed) }
            }
            h3 { "Libraries" }
            div.scroll { table.plain {
                thead { tr { th scope="col" { "Provider" } th scope="col" { "Version" } th scope="col" { "Build" } } }
                tbody { @for provider in providers {
                    tr { th scope="row" { (neutral(&provider.id)) } td { (neutral(&provider.version)) } td { (neutral(&provider.build)) } }
                } }
            } }
        }
    }
}
