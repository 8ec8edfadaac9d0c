//! Table of signed firmware images.

use super::{AREA, CLASSICAL, Image, images};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

pub(crate) fn signed_images(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("cms-images", AREA, "Firmware images with detached CMS signatures")
        .names("algorithm", "algorithm")
        .names("provider", "provider")
        .figures("image", "image", "B", 0)
        .figures("verify", "verify", "µs", 0)
        .figures("sign", "sign", "µs", 0)
        .figures("bytes", "SignedData", "B", 0)
        .figures("hashing_pct", "hashing", "%", 1)
        .figures("time_vs_classical", "time vs classical", "", 2)
        .figures("bytes_vs_classical", "bytes vs classical", "", 3)
        .stacked(2);
    let all = images(analysis);
    for one in &all {
        let is_base = |other: &&Image<'_, '_>| {
            other.algorithm == CLASSICAL && (other.provider, other.length) == (one.provider, one.length)
        };
        let classical = all.iter().find(is_base).filter(|_| one.algorithm != CLASSICAL);
        let time = classical.and_then(|base| analysis.ratio(&[base.verify], &[one.verify])?.ratio);
        let bytes = classical.and_then(|base| Some(one.signed_data()? as f64 / base.signed_data()? as f64));
        let cells = [
            Cell::text(one.algorithm),
            Cell::text(one.provider),
            Cell::whole(one.length),
            Cell::optional(one.verify.time(), |ns| Cell::time_within(&ns)),
            Cell::optional(one.make.and_then(|make| make.time()), |ns| Cell::time_within(&ns)),
            Cell::optional(one.signed_data(), Cell::whole),
            Cell::optional(one.digest_pct(), Cell::percent),
            Cell::optional(time, |ratio| Cell::factor_within(&ratio.ratio)),
            Cell::optional(bytes, Cell::factor),
        ];
        let caveats = [Some(one.verify), one.make, one.digest].into_iter().flatten().map(|case| &case.caveats);
        table.row(caveats, cells);
    }
    table
        .note("verify: decoding the SignedData, the signature over its attributes, and the digest of the image; the public key is loaded")
        .note("SignedData: without the image and without certificates")
        .note("hashing: the time of the digest alone, divided by the time to verify")
        .note(format!("vs classical: divided by the figure of the same library with {CLASSICAL}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_row_compares_with_the_classical_algorithm_of_the_same_library() {
        let run = fixtures::cms_run();
        let table = signed_images(&RunAnalysis::new(&run));
        let text = |row: usize, column: &str| {
            let place = table.columns.iter().position(|other| other.name == column).expect("unknown column");
            table.rows[row].cells[place].text.as_str()
        };
        assert_eq!(table.rows.len(), 4);
        assert_eq!((text(1, "algorithm"), text(1, "image"), text(1, "bytes")), ("ML-DSA-65", "10,000,000", "3,535"));
        assert!(text(1, "verify").starts_with("15.0 ms"), "{}", text(1, "verify"));
        assert!(text(1, "time_vs_classical").starts_with("2.5"), "{}", text(1, "time_vs_classical"));
        assert_eq!((text(1, "hashing_pct"), text(1, "bytes_vs_classical")), ("99.6%", "15.0×"));
        // The run signs no image of 1 kB, and the classical algorithm is not compared with itself.
        assert_eq!((text(0, "sign"), text(3, "time_vs_classical")), ("-", "-"));
    }
}
