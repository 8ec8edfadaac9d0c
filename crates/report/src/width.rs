use unicode_width::UnicodeWidthStr;

/// Returns the number of columns that a text takes on a terminal. In pictures, this is the approximate width in narrow
/// characters.
pub(crate) fn display_width(text: &str) -> usize {
    text.width()
}
