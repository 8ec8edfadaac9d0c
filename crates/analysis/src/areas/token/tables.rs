//! Table of signed tokens: their lengths, the containers that they fit in, and the time to make and verify a token with
//! the fastest library.

use super::AREA;
use crate::case::CaseAnalysis;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// Maximum total length, in bytes, of the name and value of a cookie that browsers accept (RFC 6265bis, section 5.6).
const COOKIE: u64 = 4096;
const COOKIE_NAME: u64 = "__Host-token".len() as u64;
/// Maximum length of a header line that servers accept by default, in bytes.
const HEADER: u64 = 8 << 10;
const HEADER_AROUND: u64 = "Authorization: Bearer \r\n".len() as u64;
/// Capacity of a QR code in bytes (ISO/IEC 18004; version 40, error correction level L).
const QR_BYTES: u64 = 2953;
/// Capacity of the same QR code in characters of its alphanumeric mode.
const QR_ALPHANUMERIC: u64 = 4296;

pub(crate) fn tokens(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("tokens", AREA, "Signed tokens: lengths, and what they fit in")
        .names("token", "token")
        .figures("nist_category", "NIST category", "", 4)
        .figures("payload", "payload", "B", 3)
        .figures("bytes", "token", "B", 0)
        .figures("text", "as text", "B", 2)
        .names("cookie", "cookie")
        .names("header", "header")
        .names("qr_code", "QR code")
        .figures("make", "make", "µs", 1)
        .names("make_by", "by")
        .figures("verify", "verify", "µs", 1)
        .names("verify_by", "by");
    let mut seen: Vec<(&str, Option<u64>)> = Vec::new();
    for token_case in analysis.area(AREA) {
        let (case, payload) = (token_case.case(), token_case.case().message_length());
        let Some(bytes) = case.facts.bytes else { continue };
        if seen.contains(&(&case.algorithm, payload)) {
            continue;
        }
        seen.push((&case.algorithm, payload));
        let [make, verify] = ["make", "verify"].map(|operation| fastest(analysis, &case.algorithm, payload, operation));
        let fits = Fits::new(bytes, case.algorithm.starts_with("JWS-"));
        let time = |one: Option<&CaseAnalysis<'_>>| {
            Cell::optional(one.and_then(CaseAnalysis::median), |ns| Cell::time_within(&ns))
        };
        let by = |case: Option<&CaseAnalysis<'_>>| Cell::text(case.map_or("", |case| &case.case().provider));
        let cells = [
            Cell::text(&case.algorithm),
            Cell::optional(case.facts.category, |category| Cell::number(format!("L{category}"), f64::from(category))),
            Cell::optional(payload, Cell::whole),
            Cell::whole(bytes),
            Cell::whole(fits.text),
            Cell::text(yes(fits.cookie)),
            Cell::text(yes(fits.header)),
            Cell::text(fits.qr_code),
            time(make),
            by(make),
            time(verify),
            by(verify),
        ];
        table.row([make, verify].into_iter().flatten().map(|case| &case.caveats), cells);
    }
    table
        .note("as text: length in a cookie or a header, encoded as base64url; a JWS is already text")
        .note("limits: 4,096 bytes for the name (__Host-token) and value of a cookie; 8 KiB for a header line, including Authorization: Bearer")
        .note(
            "QR code: version 40 with error correction L holds 2,953 bytes, or 4,296 alphanumeric characters (2,864 \
             bytes in Base45, RFC 9285); a JWS contains lower-case letters, so it is stored as bytes",
        )
        .note("make and verify: with the fastest library, which may be tied with others")
}

/// Returns the case with the lowest median time for an operation.
fn fastest<'r, 'a>(
    analysis: &'r RunAnalysis<'a>,
    algorithm: &str,
    payload: Option<u64>,
    operation: &str,
) -> Option<&'r CaseAnalysis<'a>> {
    let same = |one: &&CaseAnalysis<'_>| {
        let case = one.case();
        case.algorithm == algorithm && case.message_length() == payload && case.operation == operation && one.usual()
    };
    let time = |case: &CaseAnalysis<'_>| case.median().map(|median| median.estimate);
    let measured = analysis.area(AREA).filter(same).filter_map(|case| Some((case, time(case)?)));
    measured.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(case, _)| case)
}

/// Containers that a token fits into.
#[derive(Debug, PartialEq)]
struct Fits {
    /// Length of the token as text, in bytes.
    text: u64,
    cookie: bool,
    header: bool,
    qr_code: &'static str,
}

impl Fits {
    fn new(bytes: u64, is_text: bool) -> Fits {
        let text = if is_text { bytes } else { (4 * bytes).div_ceil(3) };
        // In Base45, two bytes take three characters, and a single remaining byte takes two.
        let base45 = 3 * (bytes / 2) + 2 * (bytes % 2);
        let qr_code = match bytes <= QR_BYTES {
            true if is_text || base45 <= QR_ALPHANUMERIC => "yes",
            true => "as bytes",
            false => "no",
        };
        Fits { text, cookie: COOKIE_NAME + text <= COOKIE, header: HEADER_AROUND + text <= HEADER, qr_code }
    }
}

fn yes(fits: bool) -> &'static str {
    if fits { "yes" } else { "no" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn tokens_fit_up_to_the_limit() {
        let fits = |bytes, is_text| {
            let fits = Fits::new(bytes, is_text);
            (fits.text, fits.cookie, fits.header, fits.qr_code)
        };
        assert_eq!(fits(2953, true), (2953, true, true, "yes"));
        assert_eq!(fits(2954, true), (2954, true, true, "no"));
        assert_eq!((fits(4084, true).1, fits(4085, true).1), (true, false));
        assert_eq!((fits(8168, true).2, fits(8169, true).2), (true, false));
        assert_eq!(fits(2864, false), (3819, true, true, "yes"));
        assert_eq!(fits(2865, false), (3820, true, true, "as bytes"));
        assert_eq!(fits(2954, false), (3939, true, true, "no"));
        assert_eq!((fits(3063, false).1, fits(3064, false).1), (true, false));
    }

    #[test]
    fn a_row_names_the_fastest_library_for_making_and_verifying() {
        let run = fixtures::references_run();
        let table = tokens(&RunAnalysis::new(&run));
        let text = |row: usize| -> Vec<&str> { table.rows[row].cells.iter().map(|cell| cell.text.as_str()).collect() };
        assert_eq!(table.rows.len(), 2);
        assert_eq!(&text(0)[..8], ["JWS-ML-DSA-44", "L1", "256", "3,666", "3,666", "yes", "yes", "no"]);
        assert_eq!((text(0)[9], text(0)[11]), ("aws-lc", "liboqs"));
        assert_eq!(&text(1)[3..8], ["2,726", "3,635", "yes", "yes", "yes"]);
    }
}
