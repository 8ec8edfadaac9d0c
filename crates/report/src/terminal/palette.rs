use anstyle::{AnsiColor, Style};
use std::sync::LazyLock;

/// Role of a text, shown by its color. Words or signs always convey the role as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextStyle {
    /// Heading, or most important figure.
    Strong,
    /// Secondary information.
    Faint,
    /// Fastest, or free of problems.
    Good,
    /// Needs attention.
    Warning,
    /// Failure.
    Bad,
}

/// Setting that turns colors on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Whether to add escape sequences for color.
    pub colour: bool,
}

impl Palette {
    /// Palette without color.
    pub const PLAIN: Palette = Palette { colour: false };

    /// Colors a text if the palette has color.
    pub fn paint(self, role: TextStyle, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let style = style(role);
        format!("{style}{text}{style:#}")
    }

    /// Returns all escape sequences that [`paint`](Self::paint) can write.
    pub(super) fn sequences() -> &'static [String] {
        static SEQUENCES: LazyLock<Vec<String>> = LazyLock::new(|| {
            let roles = [TextStyle::Strong, TextStyle::Faint, TextStyle::Good, TextStyle::Warning, TextStyle::Bad];
            let whole = roles.into_iter().map(style).map(|style| format!("{style}{style:#}"));
            // A style may consist of several escape sequences.
            whole.flat_map(|whole| whole.split_inclusive('m').map(str::to_owned).collect::<Vec<_>>()).collect()
        });
        &SEQUENCES
    }
}

fn style(role: TextStyle) -> Style {
    match role {
        TextStyle::Strong => Style::new().bold(),
        TextStyle::Faint => Style::new().dimmed(),
        TextStyle::Good => AnsiColor::Green.on_default(),
        TextStyle::Warning => AnsiColor::Yellow.on_default(),
        TextStyle::Bad => AnsiColor::Red.on_default().bold(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) const COLOUR: Palette = Palette { colour: true };

    /// Removes escape sequences for color.
    pub(crate) fn stripped(text: &str) -> String {
        let mut parts = text.split("\u{1b}[");
        let first = parts.next().unwrap().to_owned();
        parts.fold(first, |out, part| out + part.split_once('m').unwrap().1)
    }

    #[test]
    fn texts_without_colour_are_unchanged() {
        assert_eq!(Palette::PLAIN.paint(TextStyle::Bad, "FAILED"), "FAILED");
        let painted = COLOUR.paint(TextStyle::Bad, "FAILED");
        assert!(painted.starts_with("\u{1b}[") && painted.ends_with("\u{1b}[0m"));
        assert_eq!(stripped(&painted), "FAILED");
        assert_eq!(COLOUR.paint(TextStyle::Good, ""), "");
    }
}
