//! Widths of texts, and line breaking.

use super::PRINT;
use crate::width::display_width;
use pqlab_analysis::text::neutral;

/// Approximate width of a character at font size 1. Characters in the fonts that browsers are likely to use are at most
/// this wide.
const CHARACTER: f64 = 0.62;
/// Maximum length of a label in characters. Longer labels, which come only from imported files, are truncated.
const LABEL: usize = 160;
/// Characters after which a line may end.
const BREAKS: [char; 6] = [' ', ',', '+', ']', '·', '['];
/// Maximum number of lines in a paragraph of small print. Further lines are omitted.
const MOST_PRINT: usize = 12;
/// Width of small print relative to the width that [`CHARACTER`] predicts. Small print is narrower, because it is
/// mostly lower case. It may also extend into the margin.
const NARROW: f64 = 0.92;

/// Returns the approximate width of a text at a font size, in SVG units.
pub(in crate::charts) fn width_of(text: &str, size: f64) -> f64 {
    display_width(text) as f64 * CHARACTER * size
}

/// Escapes a text and truncates it to the maximum length of a label.
pub(in crate::charts) fn label(text: &str) -> String {
    cut(&neutral(text), LABEL)
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Breaks a label into lines of at most `width` at a font size. Also breaks words that are longer than a line.
pub(in crate::charts) fn lines_of(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in label(text).split_inclusive(BREAKS) {
        let fits = |line: &str, more: &str| width_of(line, size) + width_of(more.trim_end(), size) <= width;
        if lines.last().is_some_and(|line| !line.is_empty() && !fits(line, word)) {
            lines.push(String::new());
        }
        for character in word.chars() {
            if lines.last().is_some_and(|line| !line.is_empty() && !fits(line, &character.to_string())) {
                lines.push(String::new());
            }
            lines.last_mut().expect("there is always a line").push(character);
        }
    }
    lines.iter().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Breaks small print into lines of at most `width`. Truncates words that are longer than a line.
pub(super) fn wrapped(text: &str, width: f64) -> Vec<String> {
    let width = width / NARROW;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let word = cut(word, (width / (PRINT * CHARACTER)) as usize);
        match lines.last_mut() {
            Some(line) if width_of(line, PRINT) + width_of(&word, PRINT) + PRINT * CHARACTER <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines.truncate(MOST_PRINT);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_broken_and_not_cut() {
        let name = "X25519MLKEM768 server[auth=ML-DSA-65,chain=2,mode=psk-dhe] · rustls+openssl";
        let lines = lines_of(name, 11.0, 200.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| width_of(line, 11.0) <= 200.0), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), name.replace(' ', ""));
        assert_eq!(lines_of("aws-lc", 11.0, 200.0), ["aws-lc"]);
        assert_eq!(label(&"x".repeat(200)).chars().count(), LABEL);
    }
}
