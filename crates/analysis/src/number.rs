//! Formats numbers for people. A number with an interval gets as many significant digits as the interval supports, at
//! most four. Other numbers get three digits; rates and counts get four. Thousands are separated, and units match the
//! magnitude.

use pqlab_stats::Interval;

/// Placeholder for a missing number.
pub const NONE: &str = "-";

/// Formats a number with three significant digits, without exponent and with separated thousands: `0.0123`, `1.23`,
/// `96.2`, `1,230`.
pub fn significant(value: f64) -> String {
    digits(value, 3)
}

/// Like [`significant`], but with `digits` digits.
pub fn digits(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let digits = digits.max(1);
    // Round before choosing the decimals: 9.996 becomes 10.0.
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

/// Maximum number of significant digits of a figure with an interval.
const MOST: usize = 4;
/// Maximum number of significant digits of a time or ratio that is printed without its interval.
const MOST_ALONE: usize = 3;
/// Half-width of the interval, in percent, above which a figure is marked as approximate.
const APPROXIMATE_PCT: f64 = 10.0;
/// Sign that marks an approximate figure.
const SIGN: &str = "≈";
/// Explanation of the sign `≈` before a figure.
pub const APPROXIMATE: &str = "approximate figure: its 95% interval is wider than ±10%";

/// Returns the number of significant digits that an interval supports, by the rule of the Particle Data Group ("Review
/// of Particle Physics", section 5.3 of the introduction). The estimate is shown down to the second digit of the
/// half-width if the half-width's first three digits are at most 354, otherwise down to the first digit.
fn known_digits(estimate: f64, half_width: f64, most: usize) -> usize {
    if !(estimate.is_finite() && half_width.is_finite() && half_width > 0.0 && estimate != 0.0) {
        return most;
    }
    let exponent = half_width.log10().floor();
    let finer = half_width / 10_f64.powf(exponent) < 3.545;
    let last = exponent as i32 - i32::from(finer);
    let digits = estimate.abs().log10().floor() as i32 - last + 1;
    digits.clamp(1, most as i32) as usize
}

fn digits_of(interval: &Interval, most: usize) -> usize {
    known_digits(interval.estimate, (interval.high - interval.estimate).max(interval.estimate - interval.low), most)
}

/// Returns the number of digits for a time or ratio that is printed without the ends of its interval. This is at most
/// three, unless rounding to three digits would move the estimate out of the interval.
fn digits_alone(interval: &Interval) -> usize {
    let known = digits_of(interval, MOST);
    let half = (interval.high - interval.estimate).max(interval.estimate - interval.low);
    let last = 10_f64.powi(interval.estimate.abs().log10().floor() as i32 + 1 - MOST_ALONE as i32);
    if half > 0.0 && half < last / 2.0 { known } else { known.min(MOST_ALONE) }
}

fn sign_of(half_width_pct: f64) -> &'static str {
    if half_width_pct > APPROXIMATE_PCT { SIGN } else { "" }
}

/// Returns whether to mark a figure as approximate.
pub fn is_approximate(interval: &Interval) -> bool {
    interval.half_width_pct() > APPROXIMATE_PCT
}

/// Formats a time with the digits that its interval supports: `31.2 µs`, `≈31 µs`.
pub fn known_time(interval: &Interval) -> String {
    let (number, unit) = known_duration(interval);
    format!("{number} {unit}")
}

/// Like [`known_time`], but returns number and unit separately.
pub fn known_duration(interval: &Interval) -> (String, &'static str) {
    let (number, unit) = rescaled(interval.estimate, MOST_ALONE, digits_alone(interval));
    (format!("{}{number}", sign_of(interval.half_width_pct())), unit)
}

/// Formats a ratio with the digits that its interval supports: `1.32×`.
pub fn known_factor(interval: &Interval) -> String {
    format!("{}{}×", sign_of(interval.half_width_pct()), digits(interval.estimate, digits_alone(interval)))
}

/// Formats a count with the digits that its interval supports: `28,080`.
pub fn known_count(interval: &Interval) -> String {
    format!("{}{}", sign_of(interval.half_width_pct()), count_digits(interval.estimate, digits_of(interval, MOST)))
}

/// Formats a rate with the digits that its interval supports: `79,800`.
pub fn known_rate(interval: &Interval) -> String {
    let known = digits_of(interval, MOST);
    format!("{}{}", sign_of(interval.half_width_pct()), digits(interval.estimate, known))
}

/// Formats a rate with the half-width of its interval: `79,800 ±0.4%`.
pub fn rate_within(interval: &Interval) -> String {
    format!("{} ±{}", known_rate(interval), percent(interval.half_width_pct()))
}

/// Rounds an estimate and the ends of its interval to the same decimal place: the last place that the interval
/// supports. The printed estimate then lies between the printed ends.
fn rounded_alike(interval: &Interval) -> [String; 3] {
    let known = digits_of(interval, MOST) as i32;
    let magnitude = |value: f64| if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let decimals = known - 1 - magnitude(interval.estimate);
    [interval.estimate, interval.low, interval.high].map(|value| {
        if !value.is_finite() {
            return NONE.to_owned();
        }
        if decimals > 0 {
            return format!("{value:.*}", decimals as usize);
        }
        let place = 10_f64.powi(-decimals);
        separate(&format!("{:.0}", (value / place).round() * place))
    })
}

/// Formats a time in ns and the ends of its interval with the same unit and the same number of decimals: `("31.2 µs",
/// "31.0 to 31.4 µs")`.
pub fn time_and_range(interval: &Interval) -> (String, String) {
    let (_, unit) = duration(interval.estimate);
    let divisor = divisor(unit);
    let scaled = Interval {
        estimate: interval.estimate / divisor,
        low: interval.low / divisor,
        high: interval.high / divisor,
        ..*interval
    };
    let [estimate, low, high] = rounded_alike(&scaled);
    (format!("{}{estimate} {unit}", sign_of(interval.half_width_pct())), format!("{low} to {high} {unit}"))
}

/// Formats a ratio and the ends of its interval with the same number of decimals: `("1.404×", "1.402× to 1.406×")`.
pub fn factor_and_range(interval: &Interval) -> (String, String) {
    let [estimate, low, high] = rounded_alike(interval);
    (format!("{}{estimate}×", sign_of(interval.half_width_pct())), format!("{low}× to {high}×"))
}

/// Formats a whole number with separated thousands: `96,154`.
pub fn grouped(value: u64) -> String {
    separate(&value.to_string())
}

/// Formats a rate. Rates of 1,000 or more get four significant digits and thousands separators (`94,340`); smaller
/// rates get three digits.
pub fn rate(value: f64) -> String {
    if value.is_finite() && value >= 999.5 { digits(value, MOST) } else { significant(value) }
}

/// Formats a time as a number with three significant digits and its unit (`ns`, `µs`, `ms` or `s`).
pub fn duration(nanoseconds: f64) -> (String, &'static str) {
    duration_digits(nanoseconds, 3)
}

/// Like [`duration`], but with `wanted` digits.
pub fn duration_digits(nanoseconds: f64, wanted: usize) -> (String, &'static str) {
    let mut scaled = nanoseconds;
    let mut unit = "ns";
    for larger in ["µs", "ms", "s"] {
        // A value that rounds to 1,000 gets the next unit.
        if scaled.abs() < 1000.0 - 0.5 * 10_f64.powi(3 - wanted as i32) {
            break;
        }
        scaled /= 1000.0;
        unit = larger;
    }
    (digits(scaled, wanted), unit)
}

/// Like [`duration_digits`], but chooses the unit for `wanted` digits and prints `known` digits.
fn rescaled(nanoseconds: f64, wanted: usize, known: usize) -> (String, &'static str) {
    let (_, unit) = duration_digits(nanoseconds, wanted);
    (digits(nanoseconds / divisor(unit), known), unit)
}

/// Returns the number of nanoseconds in a unit of time.
fn divisor(unit: &str) -> f64 {
    match unit {
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => 1.0,
    }
}

/// Formats a time with its unit and three significant digits: `31.2 µs`.
pub fn time(nanoseconds: f64) -> String {
    let (number, unit) = duration(nanoseconds);
    format!("{number} {unit}")
}

/// Formats a time with the half-width of its interval: `31.2 µs ±0.4%`.
pub fn time_within(interval: &Interval) -> String {
    format!("{} ±{}", known_time(interval), percent(interval.half_width_pct()))
}

/// Formats both ends of a time's interval in ns: `10.3 to 10.5 µs`.
pub fn time_range(interval: &Interval) -> String {
    time_and_range(interval).1
}

/// Formats a percentage with one decimal. Positive values that round to zero become `<0.1%`; values of 1,000 or more
/// have no decimals.
pub fn percent(value: f64) -> String {
    match value {
        value if !value.is_finite() => NONE.to_owned(),
        value if value > 0.0 && value < 0.05 => "<0.1%".to_owned(),
        value if value >= 1000.0 => format!("{}%", separate(&format!("{value:.0}"))),
        value => format!("{value:.1}%"),
    }
}

/// Formats a count with four digits: `28,080`, or `1.234 M` for a million or more.
pub fn count(value: f64) -> String {
    count_digits(value, MOST)
}

fn count_digits(value: f64, wanted: usize) -> String {
    match value {
        value if value >= 999.95e9 => format!("{} T", digits(value / 1e12, wanted)),
        value if value >= 999.95e6 => format!("{} G", digits(value / 1e9, wanted)),
        value if value >= 999.95e3 => format!("{} M", digits(value / 1e6, wanted)),
        value => digits(value, wanted),
    }
}

/// Formats a ratio: `1.32×`.
pub fn factor(value: f64) -> String {
    format!("{}×", significant(value))
}

/// Formats a ratio with the half-width of its interval: `1.32× ±0.4%`.
pub fn factor_within(ratio: &Interval) -> String {
    format!("{} ±{}", known_factor(ratio), percent(ratio.half_width_pct()))
}

/// Formats the half-width of an interval, measured to the farther end, in the estimate's unit.
pub(crate) fn plus_minus(interval: &Interval, decimals: usize) -> String {
    format!("±{:.decimals$}", (interval.high - interval.estimate).max(interval.estimate - interval.low))
}

/// Returns the number of decimals for a figure: one, or more if the interval supports more.
pub(crate) fn decimals_of(interval: &Interval) -> usize {
    let half = (interval.high - interval.estimate).max(interval.estimate - interval.low);
    if half > 0.0 && half < 0.05 { (-half.log10().floor()).clamp(1.0, 4.0) as usize } else { 1 }
}

/// Formats a difference in percent with its interval: `+1.3% ±0.2`. An interval of zero width is not shown.
pub fn difference(interval: &Interval) -> String {
    let decimals = decimals_of(interval);
    let estimate = format!("{:+.decimals$}%", interval.estimate);
    if interval.low == interval.high { estimate } else { format!("{estimate} {}", plus_minus(interval, decimals)) }
}

/// Formats both ends of a ratio's interval: `1.31× to 1.33×`.
pub fn factor_range(ratio: &Interval) -> String {
    factor_and_range(ratio).1
}

/// Returns the divisor and the unit that fit a rate in bytes per second.
fn throughput_unit(bytes_per_second: f64) -> (f64, &'static str) {
    match bytes_per_second {
        bytes if bytes >= 999.5e6 => (1e9, "GB/s"),
        bytes if bytes >= 999.5e3 => (1e6, "MB/s"),
        _ => (1e3, "kB/s"),
    }
}

/// Formats a rate in bytes per second, in decimal units: `320 MB/s`.
pub fn throughput(bytes_per_second: f64) -> String {
    let (divisor, unit) = throughput_unit(bytes_per_second);
    format!("{} {unit}", significant(bytes_per_second / divisor))
}

/// Like [`throughput`], with the digits that the interval supports: `320 MB/s`.
pub fn throughput_within(bytes_per_second: &Interval) -> String {
    let known = digits_of(bytes_per_second, MOST);
    let (divisor, unit) = throughput_unit(bytes_per_second.estimate);
    format!(
        "{}{} {unit}",
        sign_of(bytes_per_second.half_width_pct()),
        digits(bytes_per_second.estimate / divisor, known)
    )
}

/// Formats a frequency: `2.10 GHz`.
pub fn frequency(hertz: f64) -> String {
    let (scaled, unit) = match hertz {
        hertz if hertz >= 999.5e6 => (hertz / 1e9, "GHz"),
        hertz if hertz >= 999.5e3 => (hertz / 1e6, "MHz"),
        hertz => (hertz / 1e3, "kHz"),
    };
    format!("{} {unit}", significant(scaled))
}

/// Formats an amount of memory in binary units: `16.0 GiB`.
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

/// Inserts thousands separators into a whole decimal number.
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
    fn significant_keeps_three_digits() {
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
    fn rates_have_four_digits_unless_they_are_small() {
        assert_eq!(rate(96_153.8), "96,150");
        assert_eq!(rate(1_234_567.0), "1,235,000");
        assert_eq!(rate(99.97), "100");
        assert_eq!(rate(52.04), "52.0");
        assert_eq!(rate(0.5), "0.500");
        assert_eq!(rate(f64::INFINITY), "-");
    }

    #[test]
    fn only_digits_that_the_interval_supports_are_shown() {
        let interval = |estimate: f64, pct: f64| Interval {
            estimate,
            low: estimate * (1.0 - pct / 100.0),
            high: estimate * (1.0 + pct / 100.0),
            confidence: 0.95,
            method: pqlab_stats::IntervalMethod::CrossedT,
        };
        for (ns, pct, text) in [
            (10_412.0, 0.6, "10.4 µs"),
            (10_412.0, 0.1, "10.41 µs"),
            (78_123.0, 2.3, "78.1 µs"),
            (78_123.0, 9.0, "78 µs"),
            (92_345.0, 4.2, "92 µs"),
            (31_234.0, 14.0, "≈31 µs"),
            (31_234.0, 150.0, "≈30 µs"),
            (999_600.0, 30.0, "≈1.0 ms"),
            (999_600.0, 60.0, "≈1 ms"),
            (2.712, 0.0, "2.71 ns"),
        ] {
            assert_eq!(known_time(&interval(ns, pct)), text, "{ns} ±{pct}%");
        }
        assert_eq!(known_factor(&interval(3.284, 0.7)), "3.28×");
        assert_eq!(known_factor(&interval(3.284, 12.0)), "≈3.3×");
        assert_eq!(known_count(&interval(45_742.0, 0.3)), "45,740");
        assert_eq!(known_count(&interval(45_742.0, 1.2)), "45,700");
        assert_eq!(known_count(&interval(1_234_567.0, 0.9)), "1.235 M");
        assert_eq!(known_rate(&interval(79_783.0, 0.6)), "79,800");
        assert_eq!(known_rate(&interval(79_783.0, 0.2)), "79,780");
        assert_eq!(known_rate(&interval(52.04, 0.1)), "52.04");
        assert_eq!(known_rate(&interval(520.4, 20.0)), "≈520");
        assert_eq!(rate_within(&interval(520.4, 2.0)), "520 ±2.0%");
    }

    #[test]
    fn estimates_lie_between_the_ends_as_printed() {
        let interval = |estimate: f64, low: f64, high: f64| Interval {
            estimate,
            low,
            high,
            confidence: 0.95,
            method: pqlab_stats::IntervalMethod::CrossedT,
        };
        let pair = |found: (String, String)| (found.0, found.1);
        assert_eq!(
            pair(factor_and_range(&interval(1.404, 1.4021, 1.4059))),
            ("1.404×".into(), "1.402× to 1.406×".into())
        );
        assert_eq!(pair(factor_and_range(&interval(1.44, 0.9, 2.1))), ("≈1.4×".into(), "0.9× to 2.1×".into()));
        assert_eq!(pair(factor_and_range(&interval(29.4, 20.0, 41.0))), ("≈29×".into(), "20× to 41×".into()));
        assert_eq!(
            pair(time_and_range(&interval(41_040.0, 41_022.0, 41_061.0))),
            ("41.04 µs".into(), "41.02 to 41.06 µs".into())
        );
        assert_eq!(
            pair(time_and_range(&interval(1_000.2, 991.0, 1_009.0))),
            ("1.000 µs".into(), "0.991 to 1.009 µs".into())
        );
        assert_eq!(difference(&interval(1.32, 1.30, 1.34)), "+1.32% ±0.02");
        let number = |text: &str| text.trim_matches(['≈', '×']).replace(',', "").parse::<f64>().unwrap();
        for step in 1..4000 {
            let estimate = 0.37 * 1.004_f64.powi(step);
            let half = estimate * [0.0002, 0.003, 0.04, 0.3][step as usize % 4];
            let (figure, range) = factor_and_range(&interval(estimate, estimate - half, estimate + 1.3 * half));
            let (low, high) = range.split_once(" to ").unwrap();
            assert!(number(low) <= number(&figure) && number(&figure) <= number(high), "{figure} {range}");
        }
    }

    #[test]
    fn shares_frequencies_and_amounts_have_units() {
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
