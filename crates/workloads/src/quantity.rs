//! Numbers with units, as users type them.

/// Parses a percentage such as `1%`, `0.5%` or `5`.
///
/// # Errors
/// A message for the user, if `text` is not a finite number.
pub fn percent(text: &str) -> Result<f64, String> {
    quantity(text, &[("%", 1.0), ("", 1.0)]).ok_or_else(|| "expected a percentage, such as 1% or 0.5%".to_owned())
}

/// Parses a duration such as `1.5s`, `50ms` or `2min` into seconds. A number without a unit is in seconds.
///
/// # Errors
/// A message for the user, if `text` is not a duration.
pub fn seconds(text: &str) -> Result<f64, String> {
    let units = [
        ("ms", 1e-3),
        ("us", 1e-6),
        ("\u{b5}s", 1e-6),
        ("ns", 1e-9),
        ("min", 60.0),
        ("h", 3600.0),
        ("s", 1.0),
        ("", 1.0),
    ];
    quantity(text, &units).ok_or_else(|| "expected a duration, such as 1.5s or 50ms".to_owned())
}

/// Parses a duration such as `50ms` or `0.1s` into milliseconds. A number without a unit is in milliseconds.
///
/// # Errors
/// A message for the user, if `text` is not a duration.
pub fn milliseconds(text: &str) -> Result<f64, String> {
    let units = [("ms", 1.0), ("us", 1e-3), ("\u{b5}s", 1e-3), ("s", 1e3), ("", 1.0)];
    quantity(text, &units).ok_or_else(|| "expected a duration, such as 50ms or 0.1s".to_owned())
}

/// Parses a bandwidth such as `100Mbit` or `1Gbit` into Mbit/s. A number without a unit is in Mbit/s.
///
/// # Errors
/// A message for the user, if `text` is not a bandwidth.
pub fn megabits(text: &str) -> Result<f64, String> {
    let text = text.strip_suffix("/s").unwrap_or(text);
    let units = [("kbit", 1e-3), ("Mbit", 1.0), ("Gbit", 1e3), ("", 1.0)];
    quantity(text, &units).ok_or_else(|| "expected a bandwidth, such as 100Mbit or 1Gbit".to_owned())
}

/// Parses a number with one of the units, and multiplies it by the unit's factor. Tries the units in order.
fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (number, factor) = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    let number = number.trim_end().parse::<f64>().ok().filter(|number| number.is_finite())?;
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_with_and_without_units() {
        assert_eq!((percent("1%"), percent("0.5"), percent("-1")), (Ok(1.0), Ok(0.5), Ok(-1.0)));
        assert_eq!(
            (seconds("1.5s"), seconds("50ms"), seconds("2 min"), seconds("3")),
            (Ok(1.5), Ok(0.05), Ok(120.0), Ok(3.0))
        );
        assert_eq!((milliseconds("50ms"), milliseconds("0.1s"), milliseconds("20")), (Ok(50.0), Ok(100.0), Ok(20.0)));
        assert_eq!((megabits("100Mbit"), megabits("1Gbit/s"), megabits("10")), (Ok(100.0), Ok(1000.0), Ok(10.0)));
    }

    #[test]
    fn rejects_other_units_and_text() {
        assert!(["", "%", "1s", "nan%", "one"].iter().all(|text| percent(text).is_err()));
        assert!(["", "s", "1 day", "infs", "50Mbit"].iter().all(|text| seconds(text).is_err()));
        assert!(["5min", "ms", "1%"].iter().all(|text| milliseconds(text).is_err()));
        assert!(["100MB", "100M", "Mbit"].iter().all(|text| megabits(text).is_err()));
    }
}
