//! Sections of the page: findings, areas with their charts and tables, environment.

use super::cards::cards;
use super::cases::{cases, notes};
use super::cite::cite;
use super::figures::{copy_table, gallery};
use super::top;
use crate::charts::Chart;
use maud::{Markup, html};
use pqlab_analysis::answer::remarks;
use pqlab_analysis::environment::core_lines;
use pqlab_analysis::findings::{Cost, CostSide, Findings, Recommendation, RunCaveat, unit_words};
use pqlab_analysis::languages::Language;
use pqlab_analysis::number::{self, NONE, factor, factor_and_range, frequency};
use pqlab_analysis::standardization::not_standards_in;
use pqlab_analysis::tables::{Holds, Table};
use pqlab_analysis::text::neutral;
use pqlab_analysis::{RunAnalysis, grouped};
use pqlab_record::Environment;

/// Writes the findings. The cards come first, so that the first screen shows a number even on a phone. If the first card
/// is not about the suite's own area, the statements come first instead, because they answer the suite's question.
pub(super) fn findings(analysis: &RunAnalysis<'_>, found: &Findings) -> Markup {
    let remarks = remarks(analysis, found);
    let list = |id: Option<&str>| {
        html! { ul.remarks id=[id] { @for line in &remarks { li { (sentence(&neutral(line))) } } } }
    };
    let own = analysis.areas().first().map(|area| format!("{area}/"));
    let is_own =
        |one: &Recommendation| own.as_ref().is_none_or(|own| one.cases.first().is_some_and(|id| id.starts_with(own)));
    let first = found.recommendations.first().is_some_and(|one| !is_own(one)) && !found.statements.is_empty();
    html! {
        section #findings {
            h2 { "Findings" }
            @if found.recommendations.is_empty() || first {
                (list(Some("answer")))
                (cards(analysis, &found.recommendations, None))
            } @else {
                (cards(analysis, &found.recommendations, Some("answer")))
                @if !remarks.is_empty() { (list(None)) }
            }
            (top::strip(analysis))
            @if !found.costs.is_empty() { (costs(&found.costs)) }
            (caveats(&found.caveats))
            @if let Some(line) = not_standards_in(analysis) { p { (sentence(&line)) } }
        }
    }
}

/// Writes a sentence such as `Key exchange: ...`, with the part before the colon in bold.
fn sentence(line: &str) -> Markup {
    match line.split_once(": ") {
        Some((about, says)) => html! { strong { (about) ":" } " " (says) },
        None => html! { (line) },
    }
}

fn costs(costs: &[Cost]) -> Markup {
    let side = |one: &CostSide| {
        html! { td { (neutral(&one.algorithm)) " " span.soft.whole { (neutral(&one.providers)) } } td.num { (one.time) } }
    };
    html! {
        h3 #costs { "Cost of post-quantum compared with classical algorithms" }
        (copy_table("of costs"))
        div.scroll {
            table.plain {
                thead { tr {
                    th scope="col" { "Task" } th scope="col" { "Post-quantum" } th.num scope="col" { "Time" }
                    th scope="col" { "Classical" } th.num scope="col" { "Time" } th.num scope="col" { "Ratio" }
                    th.num scope="col" { "95% interval" } th.num scope="col" { "Bytes" } th.num scope="col" { "Ratio of bytes" }
                } }
                tbody {
                    @for cost in costs {
                        @let (factor_text, range) = factor_and_range(&cost.factor);
                        tr {
                            th scope="row" { (cost.what) }
                            (side(&cost.post_quantum)) (side(&cost.classical))
                            td.num { strong { (factor_text) } " in " (unit_words(cost.unit)) }
                            td.num { (range) @if !cost.told_apart { " " span.flag { "no measurable difference" } } }
                            @match cost.bytes {
                                Some((new, old)) if old > 0 => {
                                    td.num { (number::grouped(new)) " / " (number::grouped(old)) }
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
        h3 #doubts { "Caveats" }
        @if caveats.is_empty() {
            p { "None: every case was measured undisturbed, was verified, and reached the target precision." }
        }
        @for caveat in caveats {
            details.doubt {
                summary { strong { (number::grouped(caveat.count as u64)) } " " (caveat.what) }
                ul {
                    @for detail in &caveat.details { li { (neutral(detail)) } }
                    @if let Some(more) = caveat.more() { li { (more) } }
                }
            }
        }
    }
}

/// Writes the section of an area, with its pictures and tables.
pub(super) fn area(analysis: &RunAnalysis<'_>, tables: &[Table], area: &str, charts: &[Chart]) -> Markup {
    let providers = grouped(analysis.area(area), |row| row.case().provider.as_str());
    let id = format!("area-{}", crate::charts::slug(area));
    let field = |what: &str| format!("{id}-{what}");
    html! {
        section.area id=(id) {
            h2 { (neutral(area)) (anchor(&id)) }
            (gallery(charts))
            div.tools role="search" aria-label=(format!("Filter the cases of {}", neutral(area))) {
                label for=(field("text")) { "Filter" }
                input.filter-text type="search" id=(field("text")) placeholder="algorithm, operation, …" autocomplete="off";
                label for=(field("provider")) { "Library" }
                select.filter-provider id=(field("provider")) {
                    option value="" { "all" }
                    @for (provider, _) in &providers { option value=(neutral(provider)) { (neutral(provider)) } }
                }
                label for=(field("form")) { "Key form" }
                select.filter-form id=(field("form")) {
                    option value="" { "all" } option value="prepared" { "prepared" } option value="encoded" { "encoded" }
                }
                button.columns type="button" aria-pressed="false" { "All columns" }
                span.count role="status" { (analysis.area(area).count()) " cases" }
                (copy_table(&format!("of the cases of {}", neutral(area))))
            }
            (cases(analysis, area))
            @for table in tables.iter().filter(|table| table.area == area) { (several(table)) }
        }
    }
}

/// Writes a link from a section to itself, so that readers can share its address.
fn anchor(id: &str) -> Markup {
    html! { " " a.anchor href=(format!("#{id}")) aria-label="Link to this section" { "#" } }
}

/// Writes a table of several cases.
fn several(table: &Table) -> Markup {
    let side = |place: usize| (table.columns[place].holds == Holds::Figures).then_some("num");
    let shown = table.shown();
    let noted = table.rows.iter().any(|row| row.caveats.notes().next().is_some());
    let id = format!("table-{}", table.name);
    html! {
        h3 id=(id) { (neutral(&table.title)) (anchor(&id)) }
        (copy_table(&neutral(&table.title)))
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

/// Writes the section with the environment of the run.
pub(super) fn environment(analysis: &RunAnalysis<'_>) -> Markup {
    let run = analysis.run;
    let Environment { host, cpu, os, build, counters, core, .. } = &run.header.environment;
    let text = |value: &Option<String>| value.as_deref().map_or_else(|| "unknown".to_owned(), neutral);
    let yes_no = |value: Option<bool>| match value {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    };
    html! {
        section #environment {
            h2 { "Environment" }
            dl.facts {
                dt { "Processor" } dd { (neutral(&cpu.model)) ", " (neutral(&cpu.architecture)) ", " (cpu.cores) " cores" }
                dt { "Features" } dd { (neutral(&cpu.features.join(" "))) @if !cpu.hidden_features.is_empty() { "; hidden: " (neutral(&cpu.hidden_features.join(", "))) } }
                dt { "Virtualised" } dd { (yes_no(cpu.virtualized)) @if let Some(container) = &host.container { ", in " (neutral(container)) } }
                dt { "Governor, turbo" } dd { (text(&cpu.governor)) ", " (yes_no(cpu.turbo)) }
                dt { "System" } dd { (neutral(&os.name)) ", kernel " (neutral(&os.kernel)) }
                dt { "Build" } dd {
                    "pqlab " (neutral(&build.version)) ", " (neutral(&build.rustc)) " (" (neutral(&build.profile)) "), C compiler " (text(&build.cc))
                    ", commit " (text(&build.commit))
                }
                dt { "Counter" } dd {
                    (neutral(&counters.primary))
                    @if let Some(rate) = counters.ticks_per_second { " at " (frequency(rate)) }
                    @if let Some(rate) = counters.core_clock_estimate_hz { ", core clock about " (frequency(rate)) }
                }
                @if let Some(core) = core {
                    dt { "Core" } dd { @for line in core_lines(core) { (neutral(&line)) br; } }
                }
                dt { "Command" } dd { code { (neutral(&run.header.command)) } }
                dt { "Run" } dd { (neutral(&run.header.id)) ", seed " (run.header.seed) }
            }
            (cite(analysis))
            h3 { "Libraries" }
            (copy_table("of libraries"))
            div.scroll { table.plain {
                thead { tr {
                    @for heading in ["Library", "Language", "Runtime", "Version", "Build"] { th scope="col" { (heading) } }
                } }
                tbody { @for provider in analysis.builds() { @let language = Language::find(&run.header.environment, &provider.id); tr {
                    th scope="row" { (neutral(&provider.id)) }
                    td { (neutral(language.name.as_deref().unwrap_or(NONE))) }
                    td { (neutral(language.runtime.as_deref().unwrap_or(NONE))) }
                    td { (neutral(&provider.version)) } td { (neutral(&provider.origin())) }
                } } }
            } }
        }
    }
}
