//! Durations as text.

/// Formats a duration in the most suitable unit, such as `5 minutes`.
pub(crate) fn duration_text(seconds: f64) -> String {
    match seconds {
        0.0..120.0 => format!("{} s", seconds.ceil()),
        120.0..7200.0 => format!("{:.0} minutes", seconds / 60.0),
        7200.0..172_800.0 => format!("{:.1} hours", seconds / 3600.0),
        _ => format!("{:.1} days", seconds / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_shown_in_suitable_units() {
        let texts = [0.2, 59.0, 300.0, 9000.0, 400_000.0].map(duration_text);
        assert_eq!(texts, ["1 s", "59 s", "5 minutes", "2.5 hours", "4.6 days"]);
    }
}
