use unicode_width::UnicodeWidthStr;

/// Returns the number of terminal columns that a text takes. In pictures, this is the approximate width in narrow
/// characters.
pub(crate) fn display_width(text: &str) -> usize {
    text.width()
}
