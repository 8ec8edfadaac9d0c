//! Parses numbers in the notations that people and spreadsheets use.

/// A number in a cell of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// A number without a decimal comma, such as `12.5` or, with thousands separators, `1'234.5`.
    Point(f64),
    /// A number with a decimal comma, or with points as thousands separators, such as `1.234,5` or `1.234.567`.
    Comma(f64),
    /// One to three digits, a comma and three digits, such as `1,234`. The comma can be a decimal comma or a thousands
    /// separator. The stored value treats it as a decimal comma.
    Ambiguous(f64),
}

/// Thousands separators that have no other meaning.
const GAPS: [char; 7] = ['\'', '_', ' ', '\u{a0}', '\u{2009}', '\u{202f}', '’'];

/// Lower-case words for a missing or non-finite number.
const MISSING: [&str; 9] = ["nan", "inf", "infinity", "n/a", "na", "null", "none", "-", ""];

/// Returns whether a cell is empty or contains a word for a missing or non-finite number.
pub(super) fn is_missing(cell: &str) -> bool {
    let word = cell.trim().trim_start_matches(['+', '-']).to_lowercase();
    MISSING.contains(&word.as_str())
}

/// Parses a cell. Returns `None` if it is not a finite number.
pub(super) fn parse(cell: &str) -> Option<Number> {
    let cell = cell.trim();
    if !cell.chars().any(|letter| letter.is_ascii_digit()) {
        return None;
    }
    let finite = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    if let Some(number) = finite(cell) {
        return Some(Number::Point(number));
    }
    if let Some(gap) = GAPS.iter().find(|gap| cell.contains(**gap)) {
        let (whole, rest) = cell.split_at(cell.find(['.', ',']).unwrap_or(cell.len()));
        return match (grouped(whole, *gap) && !rest.contains(*gap), rest.strip_prefix(',')) {
            (false, _) => None,
            (true, None) => finite(&cell.replace(*gap, "")).map(Number::Point),
            (true, Some(_)) => finite(&cell.replace(*gap, "").replacen(',', ".", 1)).map(Number::Comma),
        };
    }
    match (cell.find(','), cell.find('.')) {
        // 1,234.5 and 1,234,567
        (Some(comma), Some(point)) if comma < point => {
            grouped(&cell[..point], ',').then(|| finite(&cell.replace(',', "")).map(Number::Point))?
        }
        // 1.234,5
        (Some(comma), Some(_)) => {
            let sound = grouped(&cell[..comma], '.') && !cell[comma + 1..].contains(['.', ',']);
            sound.then(|| finite(&cell.replace('.', "").replacen(',', ".", 1)).map(Number::Comma))?
        }
        (Some(_), None) if cell.matches(',').count() > 1 => {
            grouped(cell, ',').then(|| finite(&cell.replace(',', "")).map(Number::Point))?
        }
        (Some(comma), None) => {
            let number = finite(&cell.replacen(',', ".", 1))?;
            let (whole, decimals) = (cell[..comma].trim_start_matches(['+', '-']), &cell[comma + 1..]);
            let thousands = decimals.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0');
            Some(if thousands { Number::Ambiguous(number) } else { Number::Comma(number) })
        }
        (None, Some(_)) if cell.matches('.').count() > 1 => {
            grouped(cell, '.').then(|| finite(&cell.replace('.', "")).map(Number::Comma))?
        }
        _ => None,
    }
}

/// Returns whether `text` is a whole number in groups of three digits; the first group has one to three digits.
fn grouped(text: &str, gap: char) -> bool {
    let mut groups = text.trim_start_matches(['+', '-']).split(gap);
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && digits(first))
        && groups.all(|group| group.len() == 3 && digits(group))
}

#[cfg(test)]
mod tests {
    use super::Number::{Ambiguous, Comma, Point};
    use super::*;

    #[test]
    fn reads_numbers_as_people_write_them() {
        for (cell, number) in [
            ("12.5", Some(Point(12.5))),
            (" -1e3 ", Some(Point(-1000.0))),
            ("12,5", Some(Comma(12.5))),
            ("0,125", Some(Comma(0.125))),
            ("1,234", Some(Ambiguous(1.234))),
            ("1234,567", Some(Comma(1234.567))),
            ("1,234.5", Some(Point(1234.5))),
            ("1.234,5", Some(Comma(1234.5))),
            ("1,234,567", Some(Point(1_234_567.0))),
            ("1.234.567", Some(Comma(1_234_567.0))),
            ("1'234.5", Some(Point(1234.5))),
            ("1_234", Some(Point(1234.0))),
            ("1 234,5", Some(Comma(1234.5))),
            ("1\u{202f}234,5", Some(Comma(1234.5))),
            ("12 34", None),
            ("1 234.5 1", None),
            ("234.5 1", None),
            ("1,23,4", None),
            ("12,34.5", None),
            ("1.2.3", None),
            ("NaN", None),
            ("inf", None),
            ("1e999", None),
            ("", None),
            ("12 ms", None),
            ("µ1", None),
        ] {
            assert_eq!(parse(cell), number, "{cell:?}");
        }
        assert!(["NaN", "-inf", "n/a", "", " - ", "NULL"].into_iter().all(is_missing));
        assert!(!is_missing("name") && !is_missing("1"));
    }
}
