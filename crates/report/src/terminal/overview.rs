use super::columns::{Cell, lines};
use super::palette::{Palette, TextStyle};
use pqlab_analysis::estimates::Estimates;
use pqlab_analysis::number::{NONE, digits, grouped, rate};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::{Case, Form, Parameter, State};

/// Under this name the workload `signature` keeps the length in bytes of each signature.
const SIGNATURE_BYTES: &str = "signature_bytes";
/// The order of the reference's table; what it does not know comes after.
const ORDER: [&str; 11] = [
    "Falcon-512",
    "Falcon-1024",
    "ML-DSA-44",
    "ML-DSA-65",
    "SLH-DSA-SHA2-128f",
    "ECDSA-secp256k1",
    "Ed25519",
    "ML-KEM-512",
    "ML-KEM-768",
    "ML-KEM-1024",
    "X25519",
];

/// The tables of the suites `signatures` and `kems`: a row for each algorithm and provider with its rates, NIST category and
/// lengths. `None` for a run of other suites.
pub fn overview(analysis: &RunAnalysis<'_>, width: usize, palette: Palette) -> Option<String> {
    let tables: Vec<String> = analysis
        .run
        .header
        .suite
        .split('+')
        .filter_map(|suite| match suite {
            "signatures" => Some(Table { workload: "signature", operations: ["keygen", "sign", "verify"] }),
            "kems" => Some(Table { workload: "kem", operations: ["keygen", "encapsulate", "decapsulate"] }),
            _ => None,
        })
        .map(|table| table.show(analysis, width, palette))
        .collect();
    (!tables.is_empty()).then(|| {
        let note = "rates are operations a second of a loop: 1 over the mean";
        tables.join("\n") + &palette.paint(TextStyle::Faint, note) + "\n"
    })
}

struct Table {
    workload: &'static str,
    operations: [&'static str; 3],
}

/// What is known of an algorithm of a provider.
struct Row<'a> {
    case: &'a Case,
    /// Operations a second, by operation.
    rates: [Option<f64>; 3],
    mean_signature: Option<f64>,
}

impl Table {
    fn show(&self, analysis: &RunAnalysis<'_>, width: usize, palette: Palette) -> String {
        let mut rows: Vec<Row<'_>> = Vec::new();
        for of in analysis.area(self.workload).filter(|of| usual(of.case())) {
            self.add(&mut rows, of);
        }
        let mut names: Vec<&str> = ORDER.to_vec();
        for row in &rows {
            if !names.contains(&row.case.algorithm.as_str()) {
                names.push(&row.case.algorithm);
            }
        }
        rows.sort_by_key(|row| names.iter().position(|name| *name == row.case.algorithm));
        let signature = self.workload == "signature";
        let mut heading = vec!["  Algorithm".to_owned(), "Provider".to_owned(), "NIST level".to_owned()];
        heading.extend(self.operations.iter().map(|operation| per_second(operation)));
        heading.extend(["Public key (B)", "Secret key (B)"].map(str::to_owned));
        heading.push(if signature { "Signature (B)" } else { "Ciphertext (B)" }.to_owned());
        let cell = |(column, text): (usize, &String)| {
            let cell = if column < 2 { Cell::left(text) } else { Cell::right(text) };
            cell.role(TextStyle::Faint)
        };
        let mut table = vec![heading.iter().enumerate().map(cell).collect::<Vec<_>>()];
        table.extend(rows.iter().map(|row| row.cells(signature)));
        lines(&table, width, palette).iter().map(|line| format!("{line}\n")).collect()
    }

    fn add<'a>(&self, rows: &mut Vec<Row<'a>>, of: &CaseAnalysis<'a>) {
        let (case, estimates) = (of.case(), of.estimates.as_ref());
        let same = |row: &Row<'_>| row.case.algorithm == case.algorithm && row.case.provider == case.provider;
        let index = rows.iter().position(same).unwrap_or_else(|| {
            rows.push(Row { case, rates: [None; 3], mean_signature: None });
            rows.len() - 1
        });
        let row = &mut rows[index];
        if let Some(operation) = self.operations.iter().position(|operation| *operation == case.operation) {
            row.rates[operation] = estimates.and_then(Estimates::operations_per_second);
        }
        if let Some(lengths) = estimates.and_then(|of| of.extra(SIGNATURE_BYTES)) {
            row.mean_signature = Some(lengths.mean);
        }
    }
}

impl Row<'_> {
    fn cells(&self, signature: bool) -> Vec<Cell> {
        let known = |value: Option<String>| Cell::right(&value.unwrap_or_else(|| NONE.to_owned()));
        let facts = &self.case.facts;
        let sizes = &facts.sizes;
        let mut cells = vec![
            Cell::left(&format!("  {}", self.case.algorithm)),
            Cell::left(&self.case.provider),
            known(facts.category.map(|category| format!("L{category}"))),
        ];
        cells.extend(self.rates.iter().map(|value| known(value.map(rate))));
        cells.extend([sizes.public_key, sizes.secret_key].map(|length| known(length.map(grouped)).spare(2)));
        let last = if signature { sizes.signature } else { sizes.ciphertext };
        let mean = self.mean_signature;
        cells.push(known(last.map(|length| match mean {
            Some(mean) => format!("{} max / {} mean", grouped(length), digits(mean, 4)),
            None => grouped(length),
        })));
        cells
    }
}

/// Whether a case is the plain one: a prepared key, warm, no variant but the message's length.
fn usual(case: &Case) -> bool {
    let plain = |parameter: &Parameter| matches!(parameter, Parameter::Number(name, _) if name == "len");
    case.form == Some(Form::Prepared) && case.state() == State::Warm && case.parameters.iter().all(plain)
}

/// `Sign/s` of `sign`.
fn per_second(operation: &str) -> String {
    let mut letters = operation.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}/s", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::palette::tests::{COLOUR, stripped};
    use super::*;
    use crate::fixtures;
    use pqlab_record::{Record, Run, Sizes};

    fn shown(run: &Run, palette: Palette) -> Option<String> {
        overview(&RunAnalysis::of(run), 200, palette)
    }

    fn signed(algorithm: &str, operation: &str, microseconds: f64, lengths: &[f64]) -> Record {
        let mut record = fixtures::record("liboqs", microseconds);
        record.case.workload = "signature".into();
        record.case.algorithm = algorithm.into();
        record.case.operation = operation.into();
        record.case.facts.sizes =
            Sizes { public_key: Some(897), secret_key: Some(1281), signature: Some(752), ..Sizes::default() };
        record.samples.visits[0].extra = vec![(SIGNATURE_BYTES.into(), lengths.to_vec())];
        record
    }

    #[test]
    fn the_suites_of_the_reference_have_its_columns() {
        let mut run = fixtures::run();
        assert_eq!(shown(&run, Palette::PLAIN), None);
        run.header.suite = "signatures+kems".into();
        run.records.push(signed("RSA-2048", "verify", 20.0, &[]));
        run.records.push(signed("Falcon-512", "sign", 200.0, &[]));
        run.records.push(signed("Falcon-512", "signature-size", 200.0, &[654.0, 656.0]));
        let mut deterministic = signed("Falcon-512", "sign", 1.0, &[]);
        deterministic.case.parameters = vec![Parameter::Flag("deterministic".into())];
        run.records.push(deterministic);
        let text = shown(&run, Palette::PLAIN).unwrap();
        let rows: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(
            rows[0],
            [
                "Algorithm",
                "Provider",
                "NIST level",
                "Keygen/s",
                "Sign/s",
                "Verify/s",
                "Public key (B)",
                "Secret key (B)",
                "Signature (B)"
            ]
        );
        assert_eq!(rows[1][..4], ["Falcon-512", "liboqs", "L3", "-"]);
        assert_eq!(rows[1][5..], ["-", "897", "1,281", "752 max / 655.0 mean"]);
        let rate: f64 = rows[1][4].replace(',', "").parse().unwrap();
        assert!((rate / 5000.0 - 1.0).abs() < 0.02, "{rate}");
        assert_eq!(rows[2][..2], ["ML-DSA-65", "aws-lc"]);
        assert_eq!(rows[3][0], "RSA-2048");
        assert!(text.contains("Encapsulate/s") && text.contains("Ciphertext (B)"), "{text}");
        assert_eq!(stripped(&shown(&run, COLOUR).unwrap()), text);
    }
}
