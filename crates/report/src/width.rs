use unicode_width::UnicodeWidthStr;

/// Returns the width of a text in columns of a terminal. Pictures use this number as an approximate width, in narrow
/// characters.
pub(crate) fn display_width(text: &str) -> usize {
    text.width()
}
