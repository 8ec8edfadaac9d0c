use super::columns::{Cell, lines};
use super::palette::{Palette, TextStyle};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::ntor::tables::{Holds, Table, tables};

/// The tables of circuit handshakes: lengths, steps, parts, what they cost a relay and its links, and the exchange over
/// sockets; a narrow terminal is spared some columns. Empty for a run without handshakes.
pub fn ntor_tables(analysis: &RunAnalysis<'_>, scenario: &RelayScenario, width: usize, palette: Palette) -> String {
    let mut out = String::new();
    for table in tables(analysis, scenario) {
        out.push_str(&format!("\n{}\n", palette.paint(TextStyle::Strong, &table.title)));
        for line in lines(&rows(&table), width, palette) {
            out.push_str(&format!("{line}\n"));
        }
        if let Some(note) = table.note {
            out.push_str(&format!("{}\n", palette.paint(TextStyle::Faint, note)));
        }
    }
    out
}

fn rows(table: &Table) -> Vec<Vec<Cell>> {
    let cell = |column: usize, text: &str| {
        let text = if column == 0 { format!("  {text}") } else { text.to_owned() };
        let cell = match table.columns[column].1 {
            Holds::Figures => Cell::right(&text),
            Holds::Text => Cell::left(&text),
            Holds::Prose => Cell::left(&text).cuttable(),
        };
        cell.spare(spare(table.name, column))
    };
    let heads = table.columns.iter().enumerate();
    let heads = heads.map(|(column, (heading, _))| cell(column, heading).role(TextStyle::Faint)).collect();
    let rows = table.rows.iter().map(|row| row.iter().enumerate().map(|(column, text)| cell(column, text)).collect());
    std::iter::once(heads).chain(rows).collect()
}

/// The rank by which a table's column is left out where the terminal is narrow.
fn spare(table: &str, column: usize) -> u8 {
    let ranks: &[u8] = match table {
        "lengths" => &[0, 0, 0, 0, 1, 2, 3],
        "steps" => &[0, 0, 0, 5, 3, 0, 0, 4, 7, 6, 2],
        "shares" => &[0, 0, 1],
        "relay" => &[0, 0, 0, 2, 4, 5],
        "exchange" => &[0, 0, 0, 0, 2, 0, 1],
        "overhead" => &[0, 0, 2, 1],
        // From the last to the second figure, however many there are.
        "cores" | "links" => return u8::try_from(column.saturating_sub(2)).unwrap_or(u8::MAX),
        _ => &[],
    };
    ranks.get(column).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::Run;

    fn shown(run: &Run, width: usize) -> String {
        ntor_tables(&RunAnalysis::of(run), &RelayScenario::default(), width, Palette::PLAIN)
    }

    #[test]
    fn every_table_has_its_rows() {
        let text = shown(&fixtures::ntor_run(), 200);
        for words in [
            "Lengths in bytes",
            "Share of each step",
            "Parts of the handshake",
            "2 cores (measured)",
            "64 cores (extrapolated)",
            "at 1,000 circuits a second",
            "round trip of 50",
            "Against classical ntor",
            "does NOT authenticate the relay",
            "Literature",
            "1,620",
            "10.9",
        ] {
            assert!(text.contains(words), "{words} is missing in\n{text}");
        }
        assert!(!text.contains("loopback"), "nothing was exchanged");
        let narrow = shown(&fixtures::ntor_run(), 80);
        let tables: Vec<&str> = narrow.lines().filter(|line| line.starts_with("  ")).collect();
        assert!(tables.len() > 20 && tables.iter().all(|line| line.chars().count() <= 80), "{narrow}");
        assert_eq!(shown(&fixtures::run(), 200), "");
    }
}
