use super::palette::Palette;
use crate::width::display_width;
use pqlab_analysis::text::neutral;

/// Escapes control characters in output that is ready to print, like [`neutral`]. Keeps line feeds, tabs, and the color
/// sequences that [`Palette::paint`] writes.
pub fn steady(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let colour = Palette::sequences().iter().find(|sequence| rest.starts_with(sequence.as_str()));
        let (part, after) = rest.split_at(colour.map_or(character.len_utf8(), String::len));
        if colour.is_some() || matches!(character, '\n' | '\t') {
            out.push_str(part);
        } else {
            out.push_str(&neutral(part));
        }
        rest = after;
    }
    out
}

/// Pads a text with spaces at its end.
pub(super) fn left(text: &str, width: usize) -> String {
    format!("{text}{}", spaces(width, text))
}

/// Pads a text with spaces at its start.
pub(super) fn right(text: &str, width: usize) -> String {
    format!("{}{text}", spaces(width, text))
}

/// Breaks a text between words into lines of at most `width` columns. A longer word gets a line to itself.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if display_width(line) + 1 + display_width(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Breaks a text between words into lines of at most `width` columns. Keeps the indentation of the first line, and
/// indents the other lines by `indent` columns.
pub fn hanging(text: &str, indent: usize, width: usize) -> String {
    let first = text.len() - text.trim_start().len();
    let mut words = text.trim_start().split(' ');
    let mut line = " ".repeat(first) + words.next().unwrap_or_default();
    let mut lines = Vec::new();
    for word in words {
        if display_width(&line) + 1 + display_width(word) > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        } else {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.join("\n")
}

/// Indentation of lines below a row, in columns.
const INDENT: usize = 6;

/// Escapes a text ([`neutral`]), and breaks it into indented lines that belong below a row of a table.
pub(super) fn below(text: &str, width: usize) -> Vec<String> {
    let lines = wrapped(&neutral(text), width.saturating_sub(INDENT));
    lines.iter().map(|line| format!("{}{line}", " ".repeat(INDENT))).collect()
}

fn spaces(width: usize, text: &str) -> String {
    " ".repeat(width.saturating_sub(display_width(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::TextStyle;

    #[test]
    fn hanging_lines_keep_their_columns() {
        assert_eq!(hanging("  tsc   yes  two readings", 6, 80), "  tsc   yes  two readings");
        assert_eq!(hanging("  tsc   yes  two readings", 6, 18), "  tsc   yes  two\n      readings");
        assert_eq!(hanging("a word-that-is-too-long b", 2, 8), "a\n  word-that-is-too-long\n  b");
    }

    #[test]
    fn steady_keeps_line_breaks_and_palette_colours_only() {
        let painted = Palette { colour: true }.paint(TextStyle::Bad, "FAILED");
        assert_eq!(steady(&format!("a\tb\n{painted}\n")), format!("a\tb\n{painted}\n"));
        assert_eq!(steady("\u{1b}[2J\u{1b}[8mx\u{1b}]0;title\u{7}\r"), r"\u{1b}[2J\u{1b}[8mx\u{1b}]0;title\u{7}\r");
        assert_eq!(steady("\u{9b}2J\u{202e}\u{2066}é\u{7f}"), r"\u{9b}2J\u{202e}\u{2066}é\u{7f}");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("漢字漢字漢字 a", 4), ["漢字漢字漢字", "a"]);
        assert!(wrapped(" ", 4).is_empty());
    }

    #[test]
    fn padding_counts_columns() {
        assert_eq!(display_width("µ±漢字"), 6);
        assert_eq!(left("漢字", 6), "漢字  ");
        assert_eq!(right("µs", 4), "  µs");
        assert_eq!(left("longer", 3), "longer");
    }
}
