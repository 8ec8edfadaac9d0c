//! Recognizes and converts units of samples.

use std::sync::LazyLock;

/// Kind of a simple unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Base {
    Time,
    Size,
    Cycles,
    Instructions,
    Operations,
}

use Base::{Cycles, Instructions, Operations, Size, Time};

/// Quantity that a unit measures: a simple unit's kind or, for a rate, the kinds of its numerator and denominator.
/// Units can be converted only to units of the same quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Quantity(Base, Option<Base>);

/// Names of each simple unit (display name first), its kind, and its size relative to other units of this kind.
const UNITS: [(&[&str], Base, f64); 26] = [
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
    (&["cycles", "cycle", "clk", "ticks", "clock cycles", "cpu cycles"], Cycles, 1.0),
    (&["kcycles", "kcycle", "kilocycles"], Cycles, 1e3),
    (&["Mcycles", "Mcycle", "mcycles", "mcycle", "megacycles"], Cycles, 1e6),
    (&["Gcycles", "Gcycle", "gcycles", "gcycle", "gigacycles"], Cycles, 1e9),
    (&["instructions", "instruction", "instrs", "insns"], Instructions, 1.0),
    // The following units occur only in rates.
    (&["byte", "B"], Size, 1.0),
    (&["bit", "bits", "b"], Size, 0.125),
    (&["kbit", "Kbit", "kbits", "kb", "Kb"], Size, 125.0),
    (&["Mbit", "Mbits", "Mb"], Size, 125_000.0),
    (&["Gbit", "Gbits", "Gb"], Size, 125_000_000.0),
    (&OPERATIONS, Operations, 1.0),
    (&["kop", "kops"], Operations, 1e3),
    (&["Mop", "Mops"], Operations, 1e6),
];

/// Number of units that need no other unit to form a rate.
const SIMPLE: usize = 18;

/// Words for one operation, in rates such as `op/s` and `ns/op`.
const OPERATIONS: [&str; 55] = [
    "op",
    "ops",
    "operation",
    "operations",
    "iter",
    "iters",
    "iteration",
    "iterations",
    "call",
    "calls",
    "1",
    "req",
    "reqs",
    "request",
    "requests",
    "query",
    "queries",
    "tx",
    "transaction",
    "transactions",
    "handshake",
    "handshakes",
    "connection",
    "connections",
    "keygen",
    "keygens",
    "key",
    "keys",
    "sign",
    "signs",
    "signature",
    "signatures",
    "verify",
    "verifies",
    "verification",
    "verifications",
    "encap",
    "encaps",
    "encapsulation",
    "encapsulations",
    "decap",
    "decaps",
    "decapsulation",
    "decapsulations",
    "enc",
    "dec",
    "hash",
    "hashes",
    "invocation",
    "invocations",
    "frame",
    "frames",
    "event",
    "sig",
    "sigs",
];

/// Words for an operation that occur only in units: allocs/op.
const PLAIN_OPERATIONS: [&str; 5] = ["op", "operation", "iter", "iteration", "call"];

/// Abbreviations of rates.
const ABBREVIATIONS: [(&str, &str); 9] = [
    ("rps", "op/s"),
    ("tps", "op/s"),
    ("qps", "op/s"),
    ("cpb", "cycles/byte"),
    ("ipc", "instructions/cycle"),
    ("MBps", "MB/s"),
    ("GBps", "GB/s"),
    ("Mbps", "Mbit/s"),
    ("Gbps", "Gbit/s"),
];

/// Words that separate the numerator of a rate from its denominator.
const PER: [&str; 5] = ["/", " per ", "_per_", "-per-", "Per"];

/// Prefixes that scale the unit before them: `cycles_k`.
const PREFIXES: [&str; 5] = ["k", "K", "m", "M", "G"];

/// Signs of a multiplication.
const TIMES: [char; 2] = ['*', '×'];

/// Security levels in the names of parameter sets of SLH-DSA, after which `s` means `small`.
const SECURITY_LEVELS: [&str; 3] = ["128", "192", "256"];

/// Last words of column names before a unit in brackets, in lower case.
const MEASURES: [&str; 14] = [
    "time", "times", "latency", "duration", "elapsed", "runtime", "walltime", "cputime", "wall", "t", "cost", "zeit",
    "dauer", "temps",
];

/// Display names of all rates: the unit at index `n` in [`UNITS`] per unit at index `d` is at `n * UNITS.len() + d`.
static RATES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let singular = |name: &'static str, base: Base| match base {
        Cycles | Instructions => name.trim_end_matches('s'),
        _ => name,
    };
    let all = UNITS.iter().flat_map(|(names, _, _)| {
        UNITS.iter().map(move |(per, base, _)| format!("{}/{}", names[0], singular(per[0], *base)))
    });
    all.collect()
});

/// A unit whose name was understood.
#[derive(Clone, Copy)]
struct Unit {
    /// Index in [`UNITS`].
    above: usize,
    /// Index in [`UNITS`] of a rate's denominator.
    below: Option<usize>,
}

impl Unit {
    fn name(self) -> &'static str {
        match self.below {
            Some(below) => &RATES[self.above * UNITS.len() + below],
            None => UNITS[self.above].0[0],
        }
    }

    fn quantity(self) -> Quantity {
        Quantity(UNITS[self.above].1, self.below.map(|below| UNITS[below].1))
    }

    /// Returns the sizes of the numerator and of the denominator.
    fn sizes(self) -> (f64, f64) {
        (UNITS[self.above].2, self.below.map_or(1.0, |below| UNITS[below].2))
    }
}

fn simple(name: &str) -> Option<usize> {
    let exact = UNITS.iter().position(|(names, _, _)| names.contains(&name));
    exact.or_else(|| {
        let lower = name.to_lowercase();
        // In sizes, the case of letters matters.
        UNITS.iter().position(|(names, base, _)| *base != Size && names.contains(&lower.as_str()))
    })
}

/// Splits a rate into numerator and denominator.
fn split_rate(name: &str) -> Option<(&str, &str)> {
    let (left, right) = PER.iter().find_map(|per| {
        let (left, right) = name.rsplit_once(per)?;
        // nsPerOp
        let sound = *per != "Per" || right.starts_with(char::is_uppercase);
        sound.then_some((left.trim(), right.trim()))
    })?;
    (!left.is_empty() && !right.is_empty()).then_some((left, right))
}

fn find(name: &str) -> Option<Unit> {
    if let Some(above) = simple(name) {
        return Some(Unit { above, below: None });
    }
    if let Some((_, rate)) = ABBREVIATIONS.iter().find(|(short, _)| *short == name) {
        return find(rate);
    }
    let (above, below) = split_rate(name)?;
    let (above, below) = (simple(above)?, simple(below)?);
    match (UNITS[above].1, UNITS[below].1) {
        (one, other) if one == other => None,
        (_, Operations) if UNITS[below].2 == 1.0 => Some(Unit { above, below: None }),
        // ns/kop
        (_, Operations) => None,
        _ => Some(Unit { above, below: Some(below) }),
    }
}

/// Returns the display name of a unit. Ignores a suffix that means `per operation`, such as `/op`. Returns `None` if
/// the unit is unknown.
pub(super) fn canonical(name: &str) -> Option<&'static str> {
    let name = name.trim();
    let rate = || split_rate(name).is_some();
    find(name).filter(|unit| unit.below.is_some() || unit.above < SIMPLE || rate()).map(Unit::name)
}

/// Returns the quantity that a unit measures, or `None` if the unit is unknown.
pub(super) fn quantity(unit: &str) -> Option<Quantity> {
    find(unit).map(Unit::quantity)
}

/// Returns whether a unit measures performance: it is known, and it is not a unit of size.
pub(super) fn is_performance(unit: &str) -> bool {
    quantity(unit).is_some_and(|found| found != Quantity(Size, None))
}

/// Returns whether a unit measures a time or a number of cycles.
pub(super) fn is_time(unit: &str) -> bool {
    quantity(unit).is_some_and(|Quantity(above, below)| matches!(above, Time | Cycles) && below.is_none())
}

/// Returns whether a unit measures operations per time.
pub(super) fn is_rate_of_operations(unit: &str) -> bool {
    quantity(unit) == Some(Quantity(Operations, Some(Time)))
}

/// Unit that the name of a column states.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stated {
    /// No unit.
    Nothing,
    /// Display name of a known unit.
    Known(&'static str),
    /// Text in the place of a unit that is not understood.
    Unknown(String),
}

/// Returns the unit in the name of a column: `ns`, `time_ms`, `timeNs`, `latency (us)`, `real [s]`, `ns_per_operation`,
/// `MB/s`. Returns `None` if there is no unit, or if it is unknown.
pub(super) fn in_name(name: &str) -> Option<&'static str> {
    match stated(name) {
        Stated::Known(unit) => Some(unit),
        Stated::Nothing | Stated::Unknown(_) => None,
    }
}

/// Returns the unit that the name of a column states. Minutes count only in brackets, because `min` usually means the
/// minimum.
pub(super) fn stated(name: &str) -> Stated {
    locate(name).0
}

/// Returns the name of a column without its unit.
pub(super) fn without(name: &str) -> String {
    locate(name).1
}

/// Returns whether two names of columns differ only in their units, which measure the same quantity: `enc_us`, `enc_ns`.
pub(super) fn differ_only_in_unit(one: &str, other: &str) -> bool {
    let [Some(first), Some(second)] = [one, other].map(in_name) else { return false };
    one != other && quantity(first) == quantity(second) && without(one) == without(other)
}

/// Returns whether the name of a column contains a word for a measured time, such as `latency`.
pub(super) fn is_measure(name: &str) -> bool {
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| MEASURES.contains(&word.to_lowercase().as_str()))
}

/// Returns the unit in the name of a column, and the name without the unit.
fn locate(name: &str) -> (Stated, String) {
    let name = name.trim();
    if let Some(unit) = canonical(name).filter(|unit| *unit != "min") {
        return (Stated::Known(unit), String::new());
    }
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some((before, rest)) = name.rsplit_once(open)
            && let Some(inside) = rest.strip_suffix(close)
        {
            let (attached, before, inside) = (!before.ends_with(' '), before.trim_end(), inside.trim());
            let measure = || MEASURES.contains(&last_word(before).1.to_lowercase().as_str());
            // cycle(s)
            let is_plural = attached && inside == "s" && before.len() > 2 && !before.eq_ignore_ascii_case("min");
            if is_plural && let Some(unit) = canonical(&format!("{before}s")) {
                return (Stated::Known(unit), String::new());
            }
            return match canonical(inside) {
                // The minimum of times in a unit.
                Some("min") if matches!(locate(before).0, Stated::Known(_)) => {
                    let (unit, rest) = locate(before);
                    (unit, format!("{rest} ({inside})"))
                }
                Some(unit) => (Stated::Known(unit), before.to_owned()),
                None if inside.contains('=') => (Stated::Nothing, name.to_owned()),
                // ns (per 1000 ops)
                None if inside.starts_with("per ") => locate(&format!("{before} {inside}")),
                None if inside.split(' ').any(|word| is_factor(word) || PREFIXES.contains(&word))
                    && canonical(last_word(before).1).is_some() =>
                {
                    let (head, unit) = last_word(before);
                    (Stated::Unknown(format!("{unit} ({inside})")), head.to_owned())
                }
                None if resembles_unit(inside) || measure() => (Stated::Unknown(inside.to_owned()), before.to_owned()),
                None => {
                    let (unit, rest) = locate(before);
                    (unit, format!("{rest}{}", &name[before.len()..]))
                }
            };
        }
    }
    if let Some((left, right)) = split_rate(name) {
        let (head, word) = last_word(left);
        let rate = format!("{word}/{right}");
        if let Some(unit) = canonical(&rate) {
            return (Stated::Known(unit), head.to_owned());
        }
        let measure = MEASURES.contains(&word.to_lowercase().as_str());
        let unit = canonical(right).filter(|unit| quantity(unit) == Some(Quantity(Time, None)) && *unit != "min");
        // Physicists write t/ns for a time in ns.
        if let Some(unit) =
            unit.filter(|unit| name.contains('/') && simple(word).is_none() && (*unit != "s" || measure))
        {
            return (Stated::Known(unit), left.to_owned());
        }
        let per_word = !name.contains('/') && simple(right).is_some();
        let operation = simple(right).is_some_and(|below| UNITS[below].1 == Operations);
        // latency per call, time/op
        if operation && simple(word).is_none() && (measure || per_word) {
            return (Stated::Nothing, name.to_owned());
        }
        let size = simple(right).is_some_and(|below| below < SIMPLE && matches!(UNITS[below].1, Size | Cycles));
        let above = simple(word).is_some_and(|above| UNITS[above].1 != Operations);
        if above || per_word || unit.is_some() || size || right == "B" || PLAIN_OPERATIONS.contains(&right) {
            return (Stated::Unknown(rate), head.to_owned());
        }
    }
    let (head, last) = last_word(name);
    if let Some((scaled, rest)) = scaled(head, last) {
        return (Stated::Unknown(scaled), rest.to_owned());
    }
    // timeNs
    let capital = last.char_indices().rfind(|(place, letter)| *place > 0 && letter.is_uppercase());
    let ending =
        capital.map(|(place, _)| last.split_at(place)).filter(|(start, _)| start.ends_with(char::is_lowercase));
    let found = canonical(last).map(|unit| (unit, head.to_owned()));
    let found = found.or_else(|| {
        let (start, ending) = ending?;
        let before = &name[..name.len() - last.len()];
        Some((canonical(ending)?, format!("{before}{start}")))
    });
    match found.filter(|(unit, _)| *unit != "min") {
        Some(("s", _)) if ends_with_parameter_set(head) => (Stated::Nothing, name.to_owned()),
        Some(_) if is_factor(last_word(head).1) || is_multiple(head) => {
            let (head, factor) = last_word(head);
            (Stated::Unknown(format!("{factor} {last}")), head.to_owned())
        }
        Some((unit, rest)) => (Stated::Known(unit), rest),
        None => (Stated::Nothing, name.to_owned()),
    }
}

/// Returns the scaled unit at the end of a name, given its last word and the text before it: `cycles x1000`,
/// `cycles_k`, `time_10ns`. Also returns the rest of the name. pqlab does not guess whether the samples are already
/// multiplied.
fn scaled<'a>(head: &'a str, last: &'a str) -> Option<(String, &'a str)> {
    let (before, unit) = last_word(head);
    // cycles x1000
    if (is_factor(last) || PREFIXES.contains(&last)) && canonical(unit).is_some() {
        return Some((format!("{unit} {last}"), before));
    }
    // ns*10, ns x 10
    let (rest, factor) = last.rsplit_once(TIMES).unwrap_or(("", last));
    let product = match (rest, unit) {
        ("", "x" | "×" | "*") => Some(last_word(before)),
        ("", _) => None,
        (unit, _) => Some((head, unit)),
    };
    if let Some((before, unit)) = product.filter(|(_, unit)| is_whole(factor) && canonical(unit).is_some()) {
        return Some((format!("{unit} x {factor}"), before));
    }
    // time_10ns
    let start = last.trim_start_matches(|letter: char| letter == 'x' || TIMES.contains(&letter));
    let unit = start.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = &start[..start.len() - unit.len()];
    let known = canonical(unit).filter(|unit| is_time(unit) && *unit != "min")?;
    let is_parameter_set = known == "s" && SECURITY_LEVELS.contains(&number);
    (!number.is_empty() && !is_parameter_set).then(|| (format!("{number} {unit}"), head))
}

/// Returns whether a text is a whole number.
fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits a name before its last word. The separator belongs to neither part.
fn last_word(name: &str) -> (&str, &str) {
    name.rsplit_once(['_', '-', ' ', '/', '.', ',']).unwrap_or(("", name))
}

/// Returns whether text in brackets may be a unit. A number and a size, such as `64 bytes`, are a parameter.
fn resembles_unit(text: &str) -> bool {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let numbered = text.starts_with(|letter: char| letter.is_ascii_digit()) && !text.contains('^');
    split_rate(text).is_some() && words.clone().any(|word| simple(word).is_some())
        || words.any(|word| simple(word).is_some_and(|found| found < SIMPLE && (UNITS[found].1 != Size || !numbered)))
}

/// Returns whether a word multiplies the unit after it, such as `x1000` or `10^3`.
fn is_factor(word: &str) -> bool {
    let lower = word.to_lowercase();
    ["thousand", "thousands", "million", "millions", "kilo", "mega", "1e3", "1e6", "1e9"].contains(&lower.as_str())
        || lower.strip_prefix(['x', '×', '*']).is_some_and(is_whole)
        || lower.split_once('^').is_some_and(|(base, exponent)| is_whole(base) && is_whole(exponent))
}

/// Returns whether the text before a unit ends with a multiple of this unit: `latency in 100`, `time_10`.
fn is_multiple(head: &str) -> bool {
    let (before, number) = last_word(head);
    let word = last_word(before).1.to_lowercase();
    let is_power_of_ten = number.len() > 1 && number.starts_with('1') && number[1..].bytes().all(|byte| byte == b'0');
    is_whole(number) && (word == "in" || is_power_of_ten && (before.is_empty() || MEASURES.contains(&word.as_str())))
}

/// Returns whether a name ends with the security level of SLH-DSA or SPHINCS+, after which `s` means `small`.
fn ends_with_parameter_set(name: &str) -> bool {
    let lower = name.to_lowercase();
    SECURITY_LEVELS.contains(&last_word(&lower).1)
        && ["sphincs", "slh", "sha2", "shake", "haraka"].iter().any(|family| lower.contains(family))
}

/// Converts a value from one unit to another. Returns `None` if the units differ and either is unknown, if they measure
/// different quantities, or if the result is not finite.
pub(super) fn convert(value: f64, from: &str, to: &str) -> Option<f64> {
    if from == to {
        return Some(value);
    }
    let (from, to) = (find(from)?, find(to)?);
    let ((above, below), (other_above, other_below)) = (from.sizes(), to.sizes());
    let converted = value * (above * other_below) / (other_above * below);
    (from.quantity() == to.quantity() && converted.is_finite()).then_some(converted)
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
        assert_eq!(convert(2.0, "MB/s", "kB/s"), Some(2000.0));
        assert_eq!(convert(8.0, "Mbit/s", "MB/s"), Some(1.0));
        assert_eq!(convert(2.0, "op/ms", "op/s"), Some(2000.0));
        assert_eq!(convert(3.0, "us/KiB", "ns/byte"), Some(3000.0 / 1024.0));
        assert_eq!(convert(48.0, "kcycles", "cycles"), Some(48_000.0));
        for (one, other) in
            [("MB/s", "s"), ("cycles/byte", "ns/byte"), ("cycles/byte", "KiB"), ("MB/s", "op/s"), ("s", "op/s")]
        {
            assert_eq!(convert(1.0, one, other), None, "{one} {other}");
        }
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
            ("nsPerOp", Some("ns")),
            ("us_per_sign", Some("us")),
            ("t/ns", Some("ns")),
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
            ("sphincs_128_s", None),
            ("shake-192-s", None),
            ("aes_128_s", Some("s")),
            ("t (kcycles)", Some("kcycles")),
            ("enc_ns (min)", Some("ns")),
            ("cycle(s)", Some("cycles")),
            ("min (s)", Some("s")),
            ("enc_768_ns", Some("ns")),
            ("enc_1000_us", Some("us")),
            ("ns/op", Some("ns")),
            ("ns/kop", None),
            ("time(s)", Some("s")),
        ] {
            assert_eq!(in_name(name), unit, "{name}");
        }
        assert_eq!(canonical("NS/op"), Some("ns"));
        assert_eq!(canonical("second"), Some("s"));
        assert_eq!(canonical("ops"), None);
    }

    #[test]
    fn reads_rates_whole() {
        for (name, unit) in [
            ("MB/s", "MB/s"),
            ("bytes/s", "byte/s"),
            ("throughput (MiB/s)", "MiB/s"),
            ("enc MB/s", "MB/s"),
            ("cycles/byte", "cycles/byte"),
            ("cycles per byte", "cycles/byte"),
            ("cost_cycles_per_byte", "cycles/byte"),
            ("cpb", "cycles/byte"),
            ("ns/byte", "ns/byte"),
            ("us/KiB", "us/KiB"),
            ("instructions/cycle", "instructions/cycle"),
            ("bytes per cycle", "byte/cycle"),
            ("req/s", "op/s"),
            ("signs per second", "op/s"),
            ("opsPerSec", "op/s"),
            ("bytes_per_second", "byte/s"),
            ("cycles/B", "cycles/byte"),
            ("Mops/s", "Mop/s"),
            ("sign/s", "op/s"),
            ("ops/sec", "op/s"),
            ("Mbit/s", "Mbit/s"),
        ] {
            assert_eq!(stated(name), Stated::Known(unit), "{name}");
        }
    }

    #[test]
    fn reports_text_in_the_place_of_a_unit() {
        for (name, text) in [
            ("ns/100 ops", "ns/100 ops"),
            ("time (10^3 ns)", "10^3 ns"),
            ("time (x1000 cycles)", "x1000 cycles"),
            ("time x1000 cycles", "x1000 cycles"),
            ("time (fortnights)", "fortnights"),
            ("ns (per 1000 ops)", "ns/1000 ops"),
            ("cycles (thousands)", "cycles (thousands)"),
            ("cycles x1000", "cycles x1000"),
            ("latency in 100 ns", "100 ns"),
            ("allocs/op", "allocs/op"),
            ("J/s", "J/s"),
            ("ms/round", "ms/round"),
            ("time per byte", "time/byte"),
            ("c/B", "c/B"),
            ("items_per_second", "items/second"),
            ("time_10ns", "10 ns"),
            ("10ns", "10 ns"),
            ("100 ns", "100 ns"),
            ("time_10_ns", "10 ns"),
            ("latency x100us", "100 us"),
            ("cycles_k", "cycles k"),
            ("cycles (k)", "cycles (k)"),
            ("ns_M", "ns M"),
            ("enc_ns*10", "ns x 10"),
            ("ns x 10", "ns x 10"),
        ] {
            assert_eq!(stated(name), Stated::Unknown(text.to_owned()), "{name}");
        }
        for name in [
            "sha3/openssl",
            "kem [threads=1]",
            "hash (64 bytes)",
            "enc (new)",
            "a/b",
            "enc/dec",
            "kem/1",
            "latency per call",
            "time/op",
            "ML-KEM-768",
            "SLH-DSA-SHA2-128s",
            "256s",
            "hash_64bytes",
            "10",
            "x",
            "k",
        ] {
            assert_eq!(stated(name), Stated::Nothing, "{name}");
        }
    }

    #[test]
    fn removes_units_from_names() {
        for (name, rest) in [
            ("time (us)", "time"),
            ("enc_ns", "enc"),
            ("timeNs", "time"),
            ("ns", ""),
            ("enc MB/s", "enc"),
            ("enc_ns (cold)", "enc (cold)"),
            ("before", "before"),
        ] {
            assert_eq!(without(name), rest, "{name}");
        }
    }
}
