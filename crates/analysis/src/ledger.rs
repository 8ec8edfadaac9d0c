//! What the cases of the ledger say together: schemes side by side, and blocks from small to large.

use crate::case::CaseAnalysis;
use crate::caveats::Caveats;
use crate::run::RunAnalysis;
use pqlab_record::{Case, Form, Parameter};
use pqlab_stats::Interval;

/// The workload's name.
pub const AREA: &str = "ledger";

/// What stands before the scheme's name where transactions have the reference's form.
pub const REFERENCE_FORM: &str = "TXv1-";

/// Transactions that one operation of a case verifies; `None` for a case that verifies none.
pub fn transactions_verified(case: &Case) -> Option<u64> {
    match case.operation.as_str() {
        _ if case.workload != AREA => None,
        "verify" => Some(1),
        "verify-block" => case.number("tx").filter(|transactions| *transactions > 0),
        _ => None,
    }
}

/// A scheme of one provider: what verifying a transaction costs.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeRow {
    /// The scheme; `TXv1-` before it for the reference's form.
    pub algorithm: String,
    /// The provider.
    pub provider: String,
    /// What was measured: one transaction or a block, its regime, and its form.
    pub what: String,
    /// Time for a transaction in ns, with its interval.
    pub verify_ns: Interval,
    /// Transactions a second.
    pub per_second: f64,
    /// Bytes of a transaction, the longest where the length varies.
    pub bytes: Option<u64>,
    /// Whether no quantum computer is known to break it: it has a NIST category.
    pub quantum_safe: bool,
    /// What must be known of the figure.
    pub caveats: Caveats,
}

/// The comparison of schemes: of each scheme and provider the verification of a block of 100 (else of the block nearest to
/// it, else of one transaction), computing only where that was measured, with keys from the transactions; without bad
/// transactions, over one thread. Sorted from the fastest on.
pub fn comparison(analysis: &RunAnalysis<'_>) -> Vec<SchemeRow> {
    let mut best: Vec<(Rank, &CaseAnalysis<'_>, Interval)> = Vec::new();
    for of in analysis.area(AREA) {
        let case = of.case();
        let (Some(rank), Some(median)) = (rank(case), of.median()) else { continue };
        let same = |other: &Case| other.algorithm == case.algorithm && other.provider == case.provider;
        match best.iter_mut().find(|(_, other, _)| same(other.case())) {
            Some(known) if known.0 <= rank => {}
            Some(known) => *known = (rank, of, median),
            None => best.push((rank, of, median)),
        }
    }
    let mut rows: Vec<SchemeRow> = best.iter().map(|(_, of, median)| row(of, *median)).collect();
    rows.sort_by(|one, other| one.verify_ns.estimate.total_cmp(&other.verify_ns.estimate));
    rows
}

/// How a scheme's verification behaves from small blocks to large ones.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingRow {
    /// What the row shares with others but not the block's size.
    pub series: String,
    /// The blocks, from the smallest on.
    pub blocks: Vec<Block>,
}

/// A block that was verified.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Transactions in it.
    pub transactions: u64,
    /// Time of the whole block in ns.
    pub time_ns: Interval,
    /// What must be known of the figure.
    pub caveats: Caveats,
}

/// The scaling table: every series of blocks of more than one size that differ in nothing else.
pub fn scaling(analysis: &RunAnalysis<'_>) -> Vec<ScalingRow> {
    let mut rows: Vec<ScalingRow> = Vec::new();
    for of in analysis.area(AREA).filter(|of| of.case().operation == "verify-block") {
        let (Some(transactions), Some(median)) = (transactions_verified(of.case()), of.median()) else { continue };
        let block = Block { transactions, time_ns: median, caveats: of.caveats.clone() };
        let series = series(of.case());
        match rows.iter_mut().find(|row| row.series == series) {
            Some(row) => row.blocks.push(block),
            None => rows.push(ScalingRow { series, blocks: vec![block] }),
        }
    }
    rows.retain_mut(|row| {
        row.blocks.sort_by_key(|block| block.transactions);
        row.blocks.dedup_by_key(|block| block.transactions);
        row.blocks.len() > 1
    });
    rows
}

/// What makes one case a better row of the comparison than another: the smaller.
pub type Rank = (u64, u8, u8, u64);

/// How good a row of the comparison a case is; `None` for one that verifies no transactions, or bad ones, or over threads.
pub fn rank(case: &Case) -> Option<Rank> {
    let transactions = transactions_verified(case)?;
    let simple = case.number("threads").unwrap_or(1) == 1 && case.word("invalid").is_none();
    let regime = match case.word("regime") {
        Some("compute") | None => 0,
        Some("ram") => 1,
        _ => 2,
    };
    let form = u8::from(case.form == Some(Form::Prepared));
    let one = case.number("senders").map_or(0, |senders| u64::MAX - senders);
    simple.then_some((transactions.abs_diff(100), regime, form, one))
}

fn row(of: &CaseAnalysis<'_>, median: Interval) -> SchemeRow {
    let case = of.case();
    let transactions = transactions_verified(case).unwrap_or(1) as f64;
    let verify_ns = Interval {
        estimate: median.estimate / transactions,
        low: median.low / transactions,
        high: median.high / transactions,
        ..median
    };
    SchemeRow {
        algorithm: case.algorithm.clone(),
        provider: case.provider.clone(),
        what: case.name().split_once(' ').map(|(_, what)| what.to_owned()).unwrap_or_default(),
        verify_ns,
        per_second: if verify_ns.estimate > 0.0 { 1e9 / verify_ns.estimate } else { 0.0 },
        bytes: case.facts.bytes.map(|bytes| bytes / transactions as u64),
        quantum_safe: case.facts.category.is_some(),
        caveats: of.caveats.clone(),
    }
}

/// Everything but the size of the block and the number of senders, which grows with it.
fn series(case: &Case) -> String {
    let varies =
        |parameter: &&Parameter| !matches!(parameter, Parameter::Number(name, _) if name == "tx" || name == "senders");
    let one_sender = case.number("senders") == Some(1) && case.number("tx") != Some(1);
    let mut words: Vec<String> = case.parameters.iter().filter(varies).map(Parameter::to_string).collect();
    if one_sender {
        words.push("senders=1".into());
    }
    if case.form == Some(Form::Encoded) {
        words.insert(0, "encoded".into());
    }
    format!("{} {} @{}", case.algorithm, words.join(","), case.provider)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::{Record, Run};

    fn run(records: Vec<Record>) -> Run {
        Run { records, ..fixtures::run() }
    }

    #[test]
    fn schemes_are_compared_by_the_typical_block() {
        let mut classical = fixtures::ledger_block("Ed25519", "rustcrypto", 100, 4_000.0);
        classical.case.facts.category = None;
        let run = run(vec![
            fixtures::ledger_block("ML-DSA-65", "aws-lc", 1_000, 60_000.0),
            fixtures::ledger_block("ML-DSA-65", "aws-lc", 100, 5_000.0),
            classical,
        ]);
        let rows = comparison(&RunAnalysis::of(&run));
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].algorithm.as_str(), rows[0].quantum_safe), ("Ed25519", false));
        assert!(rows[1].quantum_safe && (rows[1].verify_ns.estimate / 50_000.0 - 1.0).abs() < 0.02);
        assert!((rows[1].per_second / 20_000.0 - 1.0).abs() < 0.02);
        assert_eq!(rows[1].bytes, Some(5327));
        assert!(rows[1].what.contains("tx=100,"));
    }

    #[test]
    fn series_grow_from_small_to_large() {
        let block =
            |transactions, microseconds| fixtures::ledger_block("ML-DSA-65", "aws-lc", transactions, microseconds);
        let mut other = block(1_000, 70_000.0);
        other.case.provider = "openssl".into();
        let run = run(vec![block(1_000, 60_000.0), block(1, 50.0), other, block(100, 5_000.0)]);
        let rows = scaling(&RunAnalysis::of(&run));
        assert_eq!(rows.len(), 1, "one size is no series: {rows:?}");
        let sizes: Vec<u64> = rows[0].blocks.iter().map(|block| block.transactions).collect();
        assert_eq!(sizes, [1, 100, 1_000]);
        assert!(rows[0].series.starts_with("ML-DSA-65 encoded,regime=compute @aws-lc"));
    }

    #[test]
    fn other_areas_verify_no_transactions() {
        let run = fixtures::run();
        let analysis = RunAnalysis::of(&run);
        assert_eq!(run.records.iter().find_map(|record| transactions_verified(&record.case)), None);
        assert!(comparison(&analysis).is_empty() && scaling(&analysis).is_empty());
    }
}
