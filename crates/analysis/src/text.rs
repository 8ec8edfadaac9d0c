//! Makes text from other sources (names, reasons, hosts) safe to display.

/// Escapes all characters that could control a terminal: control characters, invisible characters, and characters that
/// change the text direction.
pub fn neutral(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || is_invisible(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// Returns whether a character is a direction mark or embedding, a zero-width character, or a line or paragraph
/// separator.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::HOSTILE;

    #[test]
    fn neutral_text_cannot_control_a_terminal() {
        assert_eq!(neutral("ML-KEM-768 [len=64]"), "ML-KEM-768 [len=64]");
        assert_eq!(neutral("a\nb\tc\u{1b}[31m\u{7f}\u{9b}"), r"a\nb\tc\u{1b}[31m\u{7f}\u{9b}");
        assert_eq!(neutral(HOSTILE), r#"a,b"c"\r\nd<script>alert('x')</script>\u{1b}[31mé漢字\u{202e}"#);
    }
}
