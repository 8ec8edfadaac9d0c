//! Recognizes and converts units of samples.

/// Quantity that a unit measures. Units can be converted only to units of the same quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    Time,
    Size,
    Rate,
    Cycles,
}

use Quantity::{Cycles, Rate, Size, Time};

/// Names of each unit (display name first), the quantity that it measures, and its size relative to the smallest unit
/// of that quantity.
const UNITS: [(&[&str], Quantity, f64); 16] = [
    (&["ps", "picosecond", "picoseconds"], Time, 1.0),
    (&["ns", "nsec", "nsecs", "nanos", "nanosecond", "nanoseconds"], Time, 1e3),
    (&["us", "µs", "μs", "usec", "usecs", "micros", "microsecond", "microseconds"], Time, 1e6),
    (&["ms", "msec", "msecs", "millis", "millisecond", "milliseconds"], Time, 1e9),
    (&["s", "sec", "secs", "second", "seconds"], Time, 1e12),
    (&["min", "mins", "minute", "minutes"], Time, 6e13),
    (&["byte", "bytes"], Size, 1.0),
    (&["kB", "KB", "kilobyte", "kilobytes"], Size, 1e3),
    (&["KiB", "kibibyte", "kibibytes"], Size, 1024.0),
    (&["MB", "megabyte", "megabytes"], Size, 1e6),
    (&["MiB", "mebibyte", "mebibytes"], Size, 1_048_576.0),
    (&["GB", "gigabyte", "gigabytes"], Size, 1e9),
    (&["GiB", "gibibyte", "gibibytes"], Size, 1_073_741_824.0),
    (&["op/s", "ops/s", "ops/sec", "1/s", "req/s", "rps"], Rate, 1.0),
    (&["op/ms", "ops/ms"], Rate, 1e3),
    (&["cycles", "cycle", "clk", "ticks"], Cycles, 1.0),
];

fn find(name: &str) -> Option<(&'static str, Quantity, f64)> {
    let exact = UNITS.iter().find(|(names, _, _)| names.contains(&name));
    let found = exact.or_else(|| {
        let lower = name.to_lowercase();
        // In sizes, the case of letters matters.
        UNITS.iter().find(|(names, quantity, _)| *quantity != Size && names.contains(&lower.as_str()))
    });
    found.map(|(names, quantity, size)| (names[0], *quantity, *size))
}

/// Returns the display name of a unit. Ignores a suffix that means `per operation`, such as `/op`. Returns `None` if
/// the unit is unknown.
pub(super) fn canonical(name: &str) -> Option<&'static str> {
    let name = name.trim();
    let per = ["/op", "/iter", "/iteration", "/call", " per operation", " per op"];
    let bare = per.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    find(bare).map(|(name, _, _)| name)
}

/// Returns the quantity that a unit measures, or `None` if the unit is unknown.
pub(super) fn quantity(unit: &str) -> Option<Quantity> {
    find(unit).map(|(_, quantity, _)| quantity)
}

/// Returns the unit in the name of a column: `ns`, `time_ms`, `timeNs`, `latency (us)`, `real [s]`, `ns_per_operation`.
/// Minutes count only in brackets, because `min` usually means the minimum.
pub(super) fn in_name(name: &str) -> Option<&'static str> {
    let name = name.trim();
    if let Some(unit) = canonical(name).filter(|unit| *unit != "min") {
        return Some(unit);
    }
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some((_, rest)) = name.rsplit_once(open)
            && let Some(inside) = rest.strip_suffix(close)
        {
            return canonical(inside);
        }
    }
    let name = ["_per_operation", "_per_op", "_per_call", "/op"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name);
    let last = name.rsplit_once(['_', '-', ' ', '/', '.', ',']).map_or(name, |(_, last)| last);
    // timeNs
    let capital = last.char_indices().rfind(|(place, letter)| *place > 0 && letter.is_uppercase());
    let ending =
        capital.filter(|(place, _)| last[..*place].ends_with(char::is_lowercase)).map(|(place, _)| &last[place..]);
    canonical(last).or_else(|| canonical(ending?)).filter(|unit| *unit != "min")
}

/// Converts a value from one unit to another. Returns `None` if the units differ and either is unknown, if they measure
/// different quantities, or if the result is not finite.
pub(super) fn convert(value: f64, from: &str, to: &str) -> Option<f64> {
    if from == to {
        return Some(value);
    }
    let ((_, quantity, size), (_, other, target)) = (find(from)?, find(to)?);
    (quantity == other).then(|| value * size / target).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_units_of_one_quantity_only() {
        assert_eq!(convert(1.49, "us", "ns"), Some(1490.0));
        assert_eq!(convert(0.002, "s", "us"), Some(2000.0));
        assert_eq!(convert(2.0, "KiB", "byte"), Some(2048.0));
        assert_eq!(convert(1.0, "s", "byte"), None);
        assert_eq!(convert(1.0, "s", "furlong"), None);
        assert_eq!(convert(1.0, "furlong", "furlong"), Some(1.0));
        assert_eq!(convert(1e300, "s", "ps"), None);
    }

    #[test]
    fn finds_units_in_the_names_of_columns() {
        for (name, unit) in [
            ("ns", Some("ns")),
            ("zeit_ms", Some("ms")),
            ("Latency (µs)", Some("us")),
            ("real [s]", Some("s")),
            ("ns/op", Some("ns")),
            ("ns_per_operation", Some("ns")),
            ("timeNs", Some("ns")),
            ("durationMicros", Some("us")),
            ("elapsed_timeMs", Some("ms")),
            ("cpuCycles", Some("cycles")),
            ("msgLen", None),
            ("time in seconds", Some("s")),
            ("min", None),
            ("ops", None),
            ("rank", None),
            ("KiB", Some("KiB")),
            ("time (furlongs)", None),
        ] {
            assert_eq!(in_name(name), unit, "{name}");
        }
        assert_eq!(canonical("NS/op"), Some("ns"));
        assert_eq!(canonical("second"), Some("s"));
    }
}
