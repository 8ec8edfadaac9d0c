//! Two machines side by side: their environments, and each case on both with the speed-up.

use crate::findings::{interval, time};
use crate::history::{Past, same_machine};
use crate::number::{factor, factor_range, grouped};
use crate::sheet::Sheet;
use crate::terminal::{environment_line, neutral};
use maud::{Markup, html};

/// Most cases that are shown side by side.
const MOST: usize = 400;

/// The newest run of each other machine against this one; nothing where there is none.
pub(super) fn machines(sheet: &Sheet<'_>, past: &[Past]) -> Markup {
    let mut others: Vec<&Past> = Vec::new();
    // From the newest: the first of a machine is what it can do now.
    for past in past.iter().rev().filter(|past| !past.same_machine(sheet.run)) {
        if others.iter().all(|other| !same_machine(&other.environment, &past.environment)) {
            others.push(past);
        }
    }
    html! {
        @if !others.is_empty() {
            section #machines {
                h2 { "Machine against machine" }
                p.lead { "Different machines, measured at different times: the speed-up is of the whole set-up, not of the library alone, and in time." }
                @for other in others { (against(sheet, other)) }
            }
        }
    }
}

fn against(sheet: &Sheet<'_>, other: &Past) -> Markup {
    let both: Vec<_> = sheet
        .rows
        .iter()
        .filter(|row| row.case().workload != "floor")
        .filter_map(|row| {
            let here = row.median()?;
            let there = *other.medians.get(&row.case().lasting_id())?;
            Some((row, here, there, row.time_over(other)?))
        })
        .collect();
    let host = |name: &Option<String>| neutral(name.as_deref().unwrap_or("unnamed host"));
    html! {
        h3 { (host(&sheet.run.header.environment.host.name)) " against " (host(&other.environment.host.name)) }
        dl.facts {
            dt { "ENV-1, this run" } dd { (neutral(&sheet.run.header.id)) ": " (environment_line(&sheet.run.header.environment)) }
            dt { "ENV-2" } dd { (neutral(&other.id)) ": " (environment_line(&other.environment)) }
        }
        @if both.is_empty() { p { "No case was measured on both." } } @else {
            div.scroll { table.plain {
                thead { tr {
                    th scope="col" { "Case" } th scope="col" { "Provider" }
                    th.num scope="col" { "ENV-1" } th.num scope="col" { "Interval" }
                    th.num scope="col" { "ENV-2" } th.num scope="col" { "Interval" }
                    th.num scope="col" { "Speed-up of ENV-1" } th.num scope="col" { "95% interval" }
                } }
                tbody { @for (row, here, there, ratio) in both.iter().take(MOST) { tr {
                    td { (row.job()) } td { (neutral(&row.case().provider)) }
                    td.num { (time(here.estimate)) } td.num { (interval(here)) }
                    td.num { (time(there.estimate)) } td.num { (interval(there)) }
                    td.num { strong { (factor(ratio.estimate)) } } td.num { (factor_range(ratio)) }
                } } }
            } }
            @if both.len() > MOST { p { "and " (grouped((both.len() - MOST) as u64)) " more: `pqlab compare` shows all." } }
        }
    }
}
