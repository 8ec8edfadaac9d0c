//! Section that compares the run's machine with other machines: their environments, and the speed-up of each case.

use maud::{Markup, html};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::environment::environment_line;
use pqlab_analysis::history::{Past, other_machines};
use pqlab_analysis::number::{factor_range, grouped, known_factor, known_time, time_range};
use pqlab_analysis::text::neutral;

/// Maximum number of cases in a comparison of two machines.
const MOST: usize = 400;

/// Compares this run with the newest run of every other machine. Writes nothing if `past` contains only this machine.
pub(super) fn machines(analysis: &RunAnalysis<'_>, past: &[Past]) -> Markup {
    let others = other_machines(analysis.run, past);
    html! {
        @if !others.is_empty() {
            section #machines {
                h2 { "Comparison of machines" }
                p.lead { "The machines were measured at different times. The speed-up compares times and reflects the \
                          whole setup, not just the library." }
                @for other in others { (against(analysis, other)) }
            }
        }
    }
}

fn against(analysis: &RunAnalysis<'_>, other: &Past) -> Markup {
    let both: Vec<_> = analysis
        .cases()
        .iter()
        .filter(|row| !row.is_floor())
        .filter_map(|row| {
            let here = row.time()?;
            let there = *other.medians.get(&row.case().id())?;
            Some((row, here, there, row.time_over(other)?))
        })
        .collect();
    let host = |name: &Option<String>| neutral(name.as_deref().unwrap_or("unnamed host"));
    html! {
        h3 { (host(&analysis.run.header.environment.host.name)) " against " (host(&other.environment.host.name)) }
        dl.facts {
            dt { "ENV-1, this run" } dd { (neutral(&analysis.run.header.id)) ": " (environment_line(&analysis.run.header.environment)) }
            dt { "ENV-2" } dd { (neutral(&other.id)) ": " (environment_line(&other.environment)) }
        }
        @if both.is_empty() { p { "No case was measured on both machines." } } @else {
            div.scroll { table.plain {
                thead { tr {
                    th scope="col" { "Case" } th scope="col" { "Library" }
                    th.num scope="col" { "ENV-1" } th.num scope="col" { "Interval" }
                    th.num scope="col" { "ENV-2" } th.num scope="col" { "Interval" }
                    th.num scope="col" { "Speed-up of ENV-1" } th.num scope="col" { "95% interval" }
                } }
                tbody { @for (row, here, there, ratio) in both.iter().take(MOST) { tr {
                    td { (row.job()) } td { (neutral(&row.case().provider)) }
                    td.num { (known_time(here)) } td.num { (time_range(here)) }
                    td.num { (known_time(there)) } td.num { (time_range(there)) }
                    td.num { strong { (known_factor(ratio)) } } td.num { (factor_range(ratio)) }
                } } }
            } }
            @if both.len() > MOST { p { "and " (grouped((both.len() - MOST) as u64)) " more cases: `pqlab compare` \
                                                                                      lists all." } }
        }
    }
}
