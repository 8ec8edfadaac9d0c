//! Table of an area's cases, grouped by operation as on the terminal.

use super::legend;
use maud::{Markup, html};
use pqlab_analysis::caveats::{Caveat, Caveats};
use pqlab_analysis::comparison::{NotRanked, Standing};
use pqlab_analysis::number::{NONE, digits, known_rate, known_time, percent, time, time_range};
use pqlab_analysis::text::neutral;
use pqlab_analysis::{CaseAnalysis, Group, RunAnalysis};
use pqlab_record::Form;
use pqlab_stats::Interval;

/// Number of rows above which the browser lays out a table only when it scrolls into view. Laying out thousands of rows
/// at once would take seconds.
const LONG: usize = 100;

/// Headings of the columns. The first column is visible only while the table is sorted by a column, because the rows
/// are then not grouped by operation. On narrow screens, a row takes several lines, and the stylesheet repeats the
/// headings of figures.
const HEADINGS: [&str; 11] =
    ["Operation", "Library", "Time", "±", "Relative to fastest", "Interval", "Cycles", "p95", "CoV", "op/s", "Notes"];
/// Index range of the columns with figures.
const FIGURES: std::ops::Range<usize> = 2..10;

/// Writes the table of an area's cases.
pub(super) fn cases(analysis: &RunAnalysis<'_>, area: &str) -> Markup {
    let side = |place: usize| FIGURES.contains(&place).then_some("num");
    let job = |place: usize| (place == 0).then_some("job");
    html! {
        div.scroll.long[analysis.area(area).count() > LONG] {
            table.cases.grouped.brief {
                caption.hidden { "Cases of " (neutral(area)) ": select a heading to sort, again to reverse the order, a third time to restore it; select a library for details" }
                thead { tr {
                    @for (place, heading) in HEADINGS.iter().enumerate() {
                        th class=[side(place).or(job(place))] scope="col" aria-sort="none" {
                            button title=[legend::says(heading)] { (heading) }
                        }
                    }
                } }
                tbody {
                    @for group in analysis.groups(area) {
                        tr.group { th colspan=(HEADINGS.len()) scope="rowgroup" { (group.job) @if by_mean(&group) { " " span.soft { "mean" } } } }
                        @for row in by_speed(&group) { (case(row, analysis.standing(row))) }
                    }
                }
            }
        }
    }
}

/// Returns the cases of a group, fastest first. Cases without a figure come last.
fn by_speed<'r, 'a>(group: &Group<'r, 'a>) -> Vec<&'r CaseAnalysis<'a>> {
    let time = |row: &CaseAnalysis<'_>| row.time().map_or(f64::INFINITY, |time| time.estimate);
    let mut cases = group.cases.clone();
    cases.sort_by(|one, other| time(one).total_cmp(&time(other)));
    cases
}

/// Returns whether the times of a group are means, because its operation retries a random number of times.
fn by_mean(group: &Group<'_, '_>) -> bool {
    group.cases.iter().any(|row| row.case().repeats_by_chance())
}

fn case(row: &CaseAnalysis<'_>, standing: Option<Standing>) -> Markup {
    let case = row.case();
    let form = match case.form {
        Some(Form::Encoded) => "encoded",
        Some(Form::Prepared) => "prepared",
        None => "",
    };
    // Leave the operation empty. The script copies it from the heading above, which keeps large
    // pages small.
    let names = html! { td.job {} td { button.open data-case=(row.place) { (neutral(&case.provider)) } } };
    let Some(estimates) = &row.estimates else {
        return html! {
            tr.case.failed data-form=(form) {
                (names)
                td colspan=(FIGURES.len()) { span.flag.bad { "failed" } " " (neutral(row.record.error.as_deref().unwrap_or(NONE))) }
                td.notes {}
            }
        };
    };
    let headline = estimates.headline_ns();
    let width = estimates.half_width_pct();
    let figure = |shown: Option<(f64, String)>| match shown {
        Some((value, text)) => html! { td.num data-v=(sortable(value)) { (text) } },
        None => html! { td.num { (NONE) } },
    };
    let varied = |(what, pct)| (pct, if what == "CoV" { percent(pct) } else { format!("{what} {}", percent(pct)) });
    let per_second = |(rate, unit): (Interval, &str)| (rate.estimate, rate_text(&rate, unit));
    html! {
        tr.case data-form=(form) {
            (names)
            td.num data-v=(sortable(headline.estimate)) { strong { (known_time(&headline)) } }
            (figure(Some((width, percent(width)))))
            @match standing {
                Some(standing) => td.num.leads[standing.leads()] data-v=(sortable(over_lowest(standing))) { (standing.text()) },
                None => td.num { @if row.not_ranked() == Some(NotRanked::OwnCode) { (NotRanked::OwnCode.sentence()) } },
            }
            (figure(Some((headline.low, time_range(&headline)))))
            (figure(estimates.cycles.zip(estimates.cycles_text()).map(|(cycles, text)| (cycles.headline().estimate, text))))
            (figure(estimates.percentile(0.95).map(|value| (value, time(value)))))
            (figure(estimates.variation().map(varied)))
            (figure(row.rate().map(per_second)))
            td.notes { (notes(&row.caveats)) }
        }
    }
}

/// Formats a rate. Appends its unit unless it is `op/s`, the unit of the column.
fn rate_text(rate: &Interval, unit: &str) -> String {
    if unit == "op/s" { known_rate(rate) } else { format!("{} {unit}", known_rate(rate)) }
}

/// Returns the sort key for the column of ratios to the fastest case. Leading cases come first.
fn over_lowest(standing: Standing) -> f64 {
    standing.ratio().map_or(1.0, |ratio| ratio.estimate)
}

/// Writes the notes of a row: its caveats, as abbreviations with explanations.
pub(super) fn notes(caveats: &Caveats) -> Markup {
    html! {
        @for (note, says) in caveats.notes() {
            abbr title=(format!("{}: {}", note.legend(), neutral(says))) {
                (note.word()) @if note == Caveat::Imprecise { ": " (says) }
            } " "
        }
    }
}

/// Formats a number for the script, with five digits, which are enough for sorting.
fn sortable(value: f64) -> String {
    if value.is_finite() { digits(value, 5).replace(',', "") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::templates::page::STYLE;

    /// Returns the texts of a row's cells; empty for headings.
    fn texts(row: &str) -> Vec<String> {
        let bare = |cell: &str| {
            let inside = cell.split_once('>').map_or("", |(_, inside)| inside);
            inside.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect::<String>()
        };
        row.split("<td").skip(1).map(bare).collect()
    }

    #[test]
    fn rows_are_grouped_by_operation_with_their_ratios() {
        let mut run = fixtures::run();
        // Insert another operation between two cases of one operation, because plans may be sorted
        // by provider.
        let mut between = run.records[0].clone();
        between.case.operation = "keygen".to_owned();
        run.records.insert(1, between);
        let analysis = RunAnalysis::new(&run);
        let text = cases(&analysis, "kem").into_string();
        let body = text.split_once("<tbody>").unwrap().1;
        let rows: Vec<&str> = body.split("<tr ").skip(1).collect();
        let shown: Vec<String> = rows
            .iter()
            .map(|row| match texts(row) {
                heading if heading.is_empty() => {
                    row.split_once("rowgroup\">").unwrap().1.split('<').next().unwrap().to_owned()
                }
                cells if row.contains("failed") => format!("{}: failed", cells[1]),
                cells => format!("{}: {}", cells[1], cells[4]),
            })
            .collect();
        let wanted = [
            "ML-KEM-768 encapsulate",
            "liboqs: fastest",
            "aws-lc: 1.24× ±0.9%",
            "openssl: failed",
            "ML-KEM-768 keygen",
            "liboqs: ",
        ];
        assert_eq!(shown, wanted);
        assert!(rows[1].contains("num leads\" data-v=\"1.0000\"") && rows[2].contains("data-v=\"1.24"), "{text}");
        // A button refers to a case by its index in the plan.
        let opens = |row: &str| row.split_once("data-case=\"").unwrap().1.split('"').next().unwrap().to_owned();
        assert_eq!([1, 2, 3, 5].map(|place| opens(rows[place])), ["0", "2", "3", "1"]);
    }

    #[test]
    fn rows_of_several_lines_label_their_figures() {
        // All figures except time and ratio need a label.
        let labelled = FIGURES.filter(|place| !["Time", "Relative to fastest"].contains(&HEADINGS[*place]));
        for place in labelled {
            let label = format!("td:nth-child({})::before {{ content: \"{}", place + 1, HEADINGS[place]);
            assert!(STYLE.contains(&label), "{label:?} is missing");
        }
    }
}
