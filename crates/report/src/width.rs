use unicode_width::UnicodeWidthStr;

/// Columns that a text takes on a terminal; in a picture, how many times the width of a narrow character it takes, about.
pub(crate) fn display_width(text: &str) -> usize {
    text.width()
}
