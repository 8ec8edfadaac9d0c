use unicode_width::UnicodeWidthStr;

/// Returns the width of a text in columns of a terminal. Pictures use this number to estimate the width of a label.
pub(crate) fn display_width(text: &str) -> usize {
    text.width()
}
