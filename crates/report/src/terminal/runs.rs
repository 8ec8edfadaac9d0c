use super::columns::{Cell, lines, total_width};
use super::palette::{Palette, TextStyle};
use super::text::below;
use pqlab_analysis::number::{NONE, grouped};
use pqlab_record::RunSummary;

/// Formats a table of runs in the given order. If the table is too wide, the host moves below each run. If the table is
/// still too wide, the suite moves there as well.
pub fn runs_table(runs: &[RunSummary], width: usize, palette: Palette) -> String {
    if runs.is_empty() {
        return "no runs yet\n".to_owned();
    }
    let layouts = [0, 1, 2].map(|moved| rows(runs, moved, width));
    let fits = |rows: &&Vec<Vec<Cell>>| total_width(rows) <= width;
    let rows = layouts.iter().find(fits).unwrap_or(&layouts[2]);
    lines(rows, width, palette).join("\n") + "\n"
}

/// Returns the rows of the table. `moved` is the number of columns that move below each run: the host first, then the
/// suite.
fn rows(runs: &[RunSummary], moved: usize, width: usize) -> Vec<Vec<Cell>> {
    let heading = |text: &str| Cell::left(text).role(TextStyle::Strong);
    let in_row = |below: usize, cell: Cell| if moved >= below { Cell::default() } else { cell };
    let cases = Cell::right("cases").role(TextStyle::Strong);
    let mut rows = vec![vec![
        heading("run"),
        in_row(2, heading("suite")),
        heading("started (UTC)"),
        cases,
        in_row(1, heading("host")),
        heading("state"),
        heading(if runs.iter().any(|run| !run.names.is_empty()) { "name" } else { "" }),
    ]];
    for run in runs {
        let (state, role) = match (run.complete, run.failed) {
            (true, 0) => ("complete".to_owned(), TextStyle::Good),
            (true, failed) => (format!("complete, {} failed", grouped(failed as u64)), TextStyle::Bad),
            (false, 0) => ("incomplete".to_owned(), TextStyle::Warning),
            (false, failed) => (format!("incomplete, {} failed", grouped(failed as u64)), TextStyle::Bad),
        };
        let host = run.host.as_deref().unwrap_or(NONE);
        rows.push(vec![
            Cell::left(&run.id),
            in_row(2, Cell::left(&run.suite)),
            Cell::left(&minute(&run.started_at)),
            Cell::right(&format!("{}/{}", grouped(run.finished as u64), grouped(run.planned as u64))),
            in_row(1, Cell::left(host)),
            Cell::left(&state).role(role),
            Cell::left(&run.names.join(", ")),
        ]);
        rows.extend(run.note.iter().map(|note| vec![Cell::left(&format!("    {note}")).role(TextStyle::Faint)]));
        let parts = [format!("host {host}"), format!("suite {}", run.suite)];
        let lines = below(&parts[..moved].join(" · "), width);
        rows.extend(lines.iter().filter(|_| moved > 0).map(|line| vec![Cell::left(line).role(TextStyle::Faint)]));
    }
    rows
}

/// Shortens an RFC 3339 timestamp to minutes: `2026-11-21 18:58`.
fn minute(timestamp: &str) -> String {
    timestamp.chars().take(16).map(|character| if character == 'T' { ' ' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::palette::tests::{COLOUR, stripped};
    use super::*;
    use crate::width::display_width;

    fn run(id: &str, failed: usize, complete: bool) -> RunSummary {
        RunSummary {
            id: id.to_owned(),
            suite: "standard".to_owned(),
            started_at: "2026-11-21T18:58:00Z".to_owned(),
            command: "pqlab run".to_owned(),
            finished_at: None,
            planned: 1200,
            finished: 1198,
            failed,
            contended: 0,
            host: Some("bench\u{7}-1".to_owned()),
            complete,
            imported: false,
            names: Vec::new(),
            note: None,
        }
    }

    #[test]
    fn names_and_notes_follow_their_runs() {
        let mut named = run("20261121T185800-k3f9", 0, true);
        (named.names, named.note) = (vec!["release-1.0".to_owned()], Some("before\u{7} the new\nkernel".to_owned()));
        let text = runs_table(&[named, run("20261122T000000-aaaa", 0, true)], 200, Palette::PLAIN);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("state     name") && lines[1].ends_with("complete  release-1.0"), "{text}");
        assert_eq!(lines[2], r"    before\u{7} the new\nkernel");
        assert!(lines[3].ends_with("complete"), "{text}");
    }

    #[test]
    fn runs_are_listed_with_their_state() {
        let runs = [run("20261121T185800-k3f9", 0, true), run("20261122T000000-aaaa", 12, false)];
        let text = runs_table(&runs, 120, Palette::PLAIN);
        let wanted = r"run                   suite     started (UTC)           cases  host          state
20261121T185800-k3f9  standard  2026-11-21 18:58  1,198/1,200  bench\u{7}-1  complete
20261122T000000-aaaa  standard  2026-11-21 18:58  1,198/1,200  bench\u{7}-1  incomplete, 12 failed
";
        assert_eq!(text, wanted);
        assert_eq!(stripped(&runs_table(&runs, 120, COLOUR)), text);
        for width in [95, 75] {
            let narrow = runs_table(&runs, width, Palette::PLAIN);
            assert!(narrow.lines().all(|line| display_width(line) <= width), "{narrow}");
            assert!(!narrow.contains('…') && narrow.matches("host bench").count() == 2, "{narrow}");
            assert_eq!(narrow.matches(" · suite standard").count(), if width == 75 { 2 } else { 0 }, "{narrow}");
        }
        assert_eq!(runs_table(&[], 80, Palette::PLAIN), "no runs yet\n");
    }
}
