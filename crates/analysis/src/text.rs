//! Texts from outside (names, reasons, hosts) made harmless for whatever shows them.

/// The text with everything escaped that would steer a terminal: control characters, and those that are invisible or turn
/// the direction of writing.
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

/// Marks and embeddings of direction, zero-width characters, separators of lines and paragraphs.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::HOSTILE;

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(neutral("ML-KEM-768 [len=64]"), "ML-KEM-768 [len=64]");
        assert_eq!(neutral("a\nb\tc\u{1b}[31m\u{7f}\u{9b}"), r"a\nb\tc\u{1b}[31m\u{7f}\u{9b}");
        assert_eq!(neutral(HOSTILE), r#"a,b"c"\r\nd<script>alert('x')</script>\u{1b}[31mé漢字\u{202e}"#);
    }
}
