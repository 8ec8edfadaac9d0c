//! Numbers as people read them: three significant digits, separated thousands, a unit that fits.

use pqlab_stats::Interval;

/// What stands where there is no number.
pub const NONE: &str = "-";

/// Three significant digits without exponent, thousands separated: `0.0123`, `1.23`, `96.2`, `1,230`.
pub fn significant(value: f64) -> String {
    digits(value, 3)
}

/// As [`significant`], with another number of digits.
pub fn digits(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let digits = digits.max(1);
    // Rounding first: 9.996 has the magnitude of 10.
    let scientific = format!("{:.*e}", digits - 1, value);
    let (rounded, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let decimals = digits as i32 - 1 - exponent;
    if decimals > 0 {
        return format!("{:.*}", decimals as usize, value);
    }
    let mut whole: String = rounded.chars().filter(|character| *character != '.').collect();
    whole.extend(std::iter::repeat_n('0', decimals.unsigned_abs() as usize));
    separate(&whole)
}

/// A whole number with thousands separated: `96,154`.
pub fn grouped(value: u64) -> String {
    separate(&value.to_string())
}

/// A rate: whole and with thousands separated from 100 on, three significant digits below.
pub fn rate(value: f64) -> String {
    if value.is_finite() && value >= 99.95 { separate(&format!("{value:.0}")) } else { significant(value) }
}

/// A time as number and unit, `ns`, `µs`, `ms` or `s`, with three significant digits.
pub fn duration(nanoseconds: f64) -> (String, &'static str) {
    duration_digits(nanoseconds, 3)
}

/// As [`duration`], with another number of digits.
pub fn duration_digits(nanoseconds: f64, wanted: usize) -> (String, &'static str) {
    let mut scaled = nanoseconds;
    let mut unit = "ns";
    for larger in ["µs", "ms", "s"] {
        // What would round to 1,000 belongs to the next unit.
        if scaled.abs() < 1000.0 - 0.5 * 10_f64.powi(3 - wanted as i32) {
            break;
        }
        scaled /= 1000.0;
        unit = larger;
    }
    (digits(scaled, wanted), unit)
}

/// A time with its unit and three significant digits: `31.2 µs`.
pub fn time(nanoseconds: f64) -> String {
    let (number, unit) = duration(nanoseconds);
    format!("{number} {unit}")
}

/// A time with the half-width of its interval: `31.2 µs ±0.4%`.
pub fn time_within(of: &Interval) -> String {
    format!("{} ±{}", time(of.estimate), percent(of.half_width_pct()))
}

/// Both ends of a time's interval in ns, in four digits: `10.31 to 10.52 µs`.
pub fn time_range(of: &Interval) -> String {
    let ((low, small), (high, unit)) = (duration_digits(of.low, 4), duration_digits(of.high, 4));
    if small == unit { format!("{low} to {high} {unit}") } else { format!("{low} {small} to {high} {unit}") }
}

/// A share in percent with one decimal; `<0.1` for what rounds to nothing and is not, whole from 1,000 on.
pub fn percent(value: f64) -> String {
    match value {
        value if !value.is_finite() => NONE.to_owned(),
        value if value > 0.0 && value < 0.05 => "<0.1%".to_owned(),
        value if value >= 1000.0 => format!("{}%", separate(&format!("{value:.0}"))),
        value => format!("{value:.1}%"),
    }
}

/// A count in four digits: `28,080`, and from a million on `1.234 M`.
pub fn count(value: f64) -> String {
    match value {
        value if value >= 999.95e9 => format!("{} T", digits(value / 1e12, 4)),
        value if value >= 999.95e6 => format!("{} G", digits(value / 1e9, 4)),
        value if value >= 999.95e3 => format!("{} M", digits(value / 1e6, 4)),
        value => digits(value, 4),
    }
}

/// A ratio: `1.32×`.
pub fn factor(value: f64) -> String {
    format!("{}×", significant(value))
}

/// A ratio with the half-width of its interval: `1.32× ±0.4%`.
pub fn factor_within(ratio: &Interval) -> String {
    format!("{} ±{}", factor(ratio.estimate), percent(ratio.half_width_pct()))
}

/// Both ends of a ratio's interval: `1.31× to 1.33×`.
pub fn factor_range(ratio: &Interval) -> String {
    let end = |value: f64| format!("{}×", digits(value, 4));
    format!("{} to {}", end(ratio.low), end(ratio.high))
}

/// An amount of data a second, in decimal units: `320 MB/s`.
pub fn throughput(bytes_per_second: f64) -> String {
    let (scaled, unit) = match bytes_per_second {
        bytes if bytes >= 999.5e6 => (bytes / 1e9, "GB/s"),
        bytes if bytes >= 999.5e3 => (bytes / 1e6, "MB/s"),
        bytes => (bytes / 1e3, "kB/s"),
    };
    format!("{} {unit}", significant(scaled))
}

/// A frequency: `2.10 GHz`.
pub fn frequency(hertz: f64) -> String {
    let (scaled, unit) = match hertz {
        hertz if hertz >= 999.5e6 => (hertz / 1e9, "GHz"),
        hertz if hertz >= 999.5e3 => (hertz / 1e6, "MHz"),
        hertz => (hertz / 1e3, "kHz"),
    };
    format!("{} {unit}", significant(scaled))
}

/// An amount of memory in binary units: `16.0 GiB`.
pub fn memory(bytes: u64) -> String {
    let mut scaled = bytes as f64;
    let mut unit = "B";
    for larger in ["KiB", "MiB", "GiB", "TiB"] {
        if scaled < 1023.5 {
            break;
        }
        scaled /= 1024.0;
        unit = larger;
    }
    format!("{} {unit}", if unit == "B" { grouped(bytes) } else { significant(scaled) })
}

/// Separates the thousands of a whole number in decimal.
fn separate(whole: &str) -> String {
    let (sign, figures) = match whole.strip_prefix('-') {
        Some(figures) => ("-", figures),
        None => ("", whole),
    };
    let mut out = sign.to_owned();
    for (index, figure) in figures.chars().enumerate() {
        if index > 0 && (figures.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(figure);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        let cases = [
            (0.0, "0.00"),
            (0.012_345, "0.0123"),
            (1.0, "1.00"),
            (9.996, "10.0"),
            (10.44, "10.4"),
            (99.96, "100"),
            (999.4, "999"),
            (999.6, "1,000"),
            (12_345.0, "12,300"),
            (-4.567, "-4.57"),
            (1_234_567.0, "1,230,000"),
            (f64::NAN, "-"),
        ];
        for (value, text) in cases {
            assert_eq!(significant(value), text);
        }
        assert_eq!(digits(10.444, 4), "10.44");
    }

    #[test]
    fn times_take_the_unit_that_fits() {
        let cases = [
            (0.27, ("0.270", "ns")),
            (999.4, ("999", "ns")),
            (999.6, ("1.00", "µs")),
            (10_400.0, ("10.4", "µs")),
            (2_487_800.0, ("2.49", "ms")),
            (3.2e9, ("3.20", "s")),
            (5e12, ("5,000", "s")),
        ];
        for (nanoseconds, (text, unit)) in cases {
            assert_eq!(duration(nanoseconds), (text.to_owned(), unit));
        }
        assert_eq!(duration_digits(999.6, 4), ("999.6".to_owned(), "ns"));
        assert_eq!(duration_digits(999.96, 4), ("1.000".to_owned(), "µs"));
    }

    #[test]
    fn rates_are_whole_unless_they_are_small() {
        assert_eq!(rate(96_153.8), "96,154");
        assert_eq!(rate(1_234_567.0), "1,234,567");
        assert_eq!(rate(99.97), "100");
        assert_eq!(rate(52.04), "52.0");
        assert_eq!(rate(0.5), "0.500");
        assert_eq!(rate(f64::INFINITY), "-");
    }

    #[test]
    fn shares_frequencies_and_amounts() {
        assert_eq!(percent(0.62), "0.6%");
        assert_eq!(percent(0.01), "<0.1%");
        assert_eq!(percent(0.0), "0.0%");
        assert_eq!(percent(1234.4), "1,234%");
        assert_eq!(percent(f64::INFINITY), "-");
        assert_eq!(factor(1.316), "1.32×");
        assert_eq!(throughput(3.199e8), "320 MB/s");
        assert_eq!(throughput(1.23e9), "1.23 GB/s");
        assert_eq!(throughput(4.5e4), "45.0 kB/s");
        assert_eq!(frequency(2.1e9), "2.10 GHz");
        assert_eq!(frequency(19.2e6), "19.2 MHz");
        assert_eq!(memory(16 << 30), "16.0 GiB");
        assert_eq!(memory(48 << 10), "48.0 KiB");
        assert_eq!(memory(12), "12 B");
        assert_eq!(grouped(1234), "1,234");
        assert_eq!(grouped(999), "999");
    }
}
