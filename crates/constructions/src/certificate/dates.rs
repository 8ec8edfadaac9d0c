//! Explains dates in certificates that the parser rejects.

use crate::keys::DecodeError;
use crate::keys::asn1::{CONTEXT_0, GENERALIZED_TIME, SEQUENCE, UTC_TIME, element, elements};

/// First year that pqlab supports.
const FIRST_YEAR: u32 = 1970;

/// Returns the error for the first unsupported or malformed date in a certificate. Returns `None` if both dates are
/// supported, or if `der` is not a certificate.
pub(super) fn explain(der: &[u8]) -> Option<DecodeError> {
    let (SEQUENCE, certificate, _) = element(der)? else { return None };
    let (SEQUENCE, tbs, _) = element(certificate)? else { return None };
    let parts = elements(tbs, 5);
    // The version may be missing. Serial number, signature algorithm and issuer come before the dates.
    let place = if parts.first()?.0 == CONTEXT_0 { 4 } else { 3 };
    let (SEQUENCE, validity) = *parts.get(place)? else { return None };
    let dates = elements(validity, 2);
    let fault = |(name, (tag, time)): (&str, &(u8, &[u8]))| {
        fault(*tag, time).map(|fault| DecodeError::Date(format!("{name:?} {fault}")))
    };
    ["valid from", "valid until"].into_iter().zip(&dates).find_map(fault)
}

/// Returns a predicate that describes why a date is not supported.
fn fault(tag: u8, bytes: &[u8]) -> Option<String> {
    let years = match tag {
        UTC_TIME => 2,
        GENERALIZED_TIME => 4,
        _ => return Some("is not a date".to_owned()),
    };
    let text = String::from_utf8_lossy(bytes);
    let wrong = |problem: &str| Some(format!("is {text:?}, which {problem}"));
    if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,Z".contains(&byte)) {
        return wrong("is malformed");
    }
    if text.contains(['+', '-']) {
        return wrong("has an offset from UTC; RFC 5280 requires UTC (Z)");
    }
    let Some(digits) = text.strip_suffix('Z') else {
        return wrong("has no time zone; RFC 5280 requires UTC (Z)");
    };
    if digits.contains(['.', ',']) {
        return wrong("has fractions of a second, which RFC 5280 forbids");
    }
    match digits.len().checked_sub(years) {
        Some(10) if !digits.contains('Z') => {}
        Some(8) => return wrong("has no seconds, which RFC 5280 requires"),
        _ => return wrong("is malformed"),
    }
    let number = |start: usize, end: usize| digits[start..end].parse::<u32>().unwrap_or_default();
    let year = match (tag, number(0, years)) {
        // RFC 5280, section 4.1.2.5.1.
        (UTC_TIME, short @ 50..) => 1900 + short,
        (UTC_TIME, short) => 2000 + short,
        (_, year) => year,
    };
    let [month, day, hour, minute, second] = [0, 2, 4, 6, 8].map(|place| number(years + place, years + place + 2));
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    if !(1..=days).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return wrong("does not exist");
    }
    (year < FIRST_YEAR).then(|| {
        let date = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC");
        format!("is {date}; pqlab supports dates from {FIRST_YEAR} on")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_unsupported_and_malformed_dates() {
        for (tag, time, wanted) in [
            (UTC_TIME, "500101000000Z", "1950-01-01 00:00:00 UTC; pqlab supports dates from 1970 on"),
            (UTC_TIME, "691231235959Z", "1969-12-31 23:59:59 UTC"),
            (GENERALIZED_TIME, "18000101000000Z", "1800-01-01"),
            (GENERALIZED_TIME, "00000101000000Z", "0000-01-01"),
            (UTC_TIME, "260101000000+0100", "offset"),
            (UTC_TIME, "2601010000Z", "no seconds"),
            (GENERALIZED_TIME, "20260101000000", "no time zone"),
            (GENERALIZED_TIME, "20260101000000.5Z", "fractions"),
            (UTC_TIME, "260230000000Z", "does not exist"),
            (UTC_TIME, "260101240000Z", "does not exist"),
            (UTC_TIME, "26010100000\u{663}Z", "malformed"),
            (UTC_TIME, "", "no time zone"),
            (UTC_TIME, "Z", "malformed"),
            (UTC_TIME, "2601010000ZZZ", "malformed"),
            (0x04, "260101000000Z", "not a date"),
        ] {
            let found = fault(tag, time.as_bytes()).unwrap();
            assert!(found.contains(wanted), "{time}: {found}");
        }
        for (tag, time) in
            [(UTC_TIME, "700101000000Z"), (UTC_TIME, "280229000000Z"), (GENERALIZED_TIME, "99991231235959Z")]
        {
            assert_eq!(fault(tag, time.as_bytes()), None, "{time}");
        }
    }
}
