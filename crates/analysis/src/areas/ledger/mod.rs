//! Figures from several ledger cases: schemes side by side, and blocks from small to large.

pub(super) mod findings;
pub(super) mod tables;

use crate::case::CaseAnalysis;
use crate::caveats::Caveats;
use crate::group::grouped;
use crate::rate::rate;
use crate::run::RunAnalysis;
use pqlab_record::{Case, Form, Parameter};
use pqlab_stats::Interval;

/// Name of the ledger area.
pub const AREA: &str = "ledger";

/// Prefix of schemes whose transactions use the reference system's format.
pub const REFERENCE_FORM: &str = "TXv1-";

/// Parameters that grow with the size of a block.
const SIZE: [&str; 2] = [Parameter::TRANSACTIONS, Parameter::SENDERS];

/// Returns the number of transactions that one operation of a case verifies, or `None` if it verifies none.
pub fn transactions_verified(case: &Case) -> Option<u64> {
    match case.operation.as_str() {
        _ if case.workload != AREA => None,
        "verify" => Some(1),
        "verify-block" => case.transactions().filter(|transactions| *transactions > 0),
        _ => None,
    }
}

/// Cost of verifying a transaction with one scheme, provider and key form.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeRow {
    /// The scheme. The prefix `TXv1-` marks the reference system's transaction format.
    pub algorithm: String,
    /// Id of the provider.
    pub provider: String,
    /// Whether keys are prepared or encoded in the transactions.
    pub form: Option<Form>,
    /// The measured operation (verification of one transaction or of a block) with its parameters:
    /// `verify-block[tx=100,senders=1]`.
    pub what: String,
    /// Time per transaction in ns, with its interval.
    pub verify_ns: Interval,
    /// Transactions per second, with the interval.
    pub per_second: Option<Interval>,
    /// Length of a transaction in bytes; the maximum if lengths vary.
    pub bytes: Option<u64>,
    /// Whether the scheme is post-quantum: it has a NIST security category.
    pub quantum_safe: bool,
    /// Caveats of the figure.
    pub caveats: Caveats,
}

/// Compares schemes. There is one row for each scheme, provider and key form. Each row shows the verification of the
/// block whose size is closest to 100 transactions. A single transaction counts as a block of 1. Prefers compute-only
/// cases, and excludes cases with invalid transactions or several threads. Sorts the rows by time.
pub fn comparison(analysis: &RunAnalysis<'_>) -> Vec<SchemeRow> {
    let mut best: Vec<(Rank, &CaseAnalysis<'_>, Interval)> = Vec::new();
    for one in analysis.area(AREA) {
        let case = one.case();
        let (Some(rank), Some(median)) = (rank(case), one.median()) else { continue };
        let key = |case: &Case| (case.algorithm.clone(), case.provider.clone(), case.form);
        match best.iter_mut().find(|(_, other, _)| key(other.case()) == key(case)) {
            Some(best_so_far) if best_so_far.0 <= rank => {}
            Some(best_so_far) => *best_so_far = (rank, one, median),
            None => best.push((rank, one, median)),
        }
    }
    let mut rows: Vec<SchemeRow> = best.iter().map(|(_, one, median)| row(one, *median)).collect();
    rows.sort_by(|one, other| one.verify_ns.estimate.total_cmp(&other.verify_ns.estimate));
    rows
}

/// Verification of blocks of one scheme by one provider. The blocks differ only in size.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingRow<'a> {
    /// Name of the signature scheme.
    pub algorithm: String,
    /// Id of the provider.
    pub provider: String,
    /// Whether keys are prepared or encoded in the transactions.
    pub form: Option<Form>,
    /// All parameters except the size of the block: `regime=compute,batch=100`.
    pub parameters: String,
    /// One of the measured cases. The other cases have different block sizes and are otherwise the same.
    pub case: &'a Case,
    /// The blocks, smallest first.
    pub blocks: Vec<Block>,
}

/// Verification of one block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Number of transactions in the block.
    pub transactions: u64,
    /// Time of the whole block in ns.
    pub time_ns: Interval,
    /// Transactions per second, with the interval.
    pub per_second: Option<Interval>,
    /// Caveats of the figure.
    pub caveats: Caveats,
}

/// Returns series of blocks that differ only in size. Each series has at least two sizes.
pub fn scaling<'a>(analysis: &RunAnalysis<'a>) -> Vec<ScalingRow<'a>> {
    let verified: Vec<&CaseAnalysis<'a>> = analysis
        .area(AREA)
        .filter(|case| case.case().operation == "verify-block" && transactions_verified(case.case()).is_some())
        .filter(|case| case.median().is_some())
        .collect();
    let alike = grouped(verified.into_iter(), |case| case.case().clone().without(&SIZE).id());
    let series = alike.into_iter().flat_map(|(_, cases)| {
        let most = cases.iter().filter_map(|case| case.case().senders()).max().unwrap_or(1);
        grouped(cases.into_iter(), move |case| fixed_senders(case.case(), most))
    });
    let rows = series.map(|(senders, cases)| scaling_row(senders, &cases));
    rows.filter(|row| row.blocks.len() > 1).collect()
}

fn scaling_row<'a>(senders: Option<u64>, cases: &[&CaseAnalysis<'a>]) -> ScalingRow<'a> {
    let case = &cases[0].record.case;
    let mut parameters: Vec<String> = senders.map(|senders| format!("senders={senders}")).into_iter().collect();
    parameters.extend(case.clone().without(&SIZE).parameters.iter().map(Parameter::to_string));
    let block = |case: &&CaseAnalysis<'a>| {
        let transactions = transactions_verified(case.case())?;
        let per_second = rate(case, transactions as f64);
        Some(Block { transactions, time_ns: case.median()?, per_second, caveats: case.caveats.clone() })
    };
    let mut blocks: Vec<Block> = cases.iter().filter_map(block).collect();
    blocks.sort_by_key(|block| block.transactions);
    ScalingRow {
        algorithm: case.algorithm.clone(),
        provider: case.provider.clone(),
        form: case.form,
        parameters: parameters.join(","),
        case,
        blocks,
    }
}

/// Returns the number of senders of a block, or `None` if this number grows with the block. It grows if every
/// transaction has its own sender until the pool of senders is exhausted. `most` is the size of the pool: the largest
/// number of senders in similar blocks.
fn fixed_senders(case: &Case, most: u64) -> Option<u64> {
    let grows = |senders: &u64| most > 1 && *senders == most.min(case.transactions().unwrap_or(1));
    case.senders().filter(|senders| !grows(senders))
}

/// Rank of a case as a representative of its scheme; smaller is better. The fields are the distance from 100
/// transactions, the regime, the key form, and the number of senders (more senders rank first).
pub type Rank = (u64, u8, u8, u64);

/// Returns the rank of a case in the comparison. Returns `None` if it verifies no transactions, includes invalid ones
/// or uses several threads.
pub fn rank(case: &Case) -> Option<Rank> {
    let transactions = transactions_verified(case)?;
    let simple = case.threads().unwrap_or(1) == 1 && !case.has_invalid_transaction();
    let regime = match case.regime() {
        Some("compute") | None => 0,
        Some("ram") => 1,
        _ => 2,
    };
    let form = u8::from(case.form == Some(Form::Prepared));
    let one = case.senders().map_or(0, |senders| u64::MAX - senders);
    simple.then_some((transactions.abs_diff(100), regime, form, one))
}

fn row(one: &CaseAnalysis<'_>, median: Interval) -> SchemeRow {
    let case = one.case();
    let transactions = transactions_verified(case).unwrap_or(1) as f64;
    let verify_ns = Interval {
        estimate: median.estimate / transactions,
        low: median.low / transactions,
        high: median.high / transactions,
        ..median
    };
    let parameters: Vec<String> = case.parameters.iter().map(Parameter::to_string).collect();
    let brackets = if parameters.is_empty() { String::new() } else { format!("[{}]", parameters.join(",")) };
    SchemeRow {
        algorithm: case.algorithm.clone(),
        provider: case.provider.clone(),
        form: case.form,
        what: format!("{}{brackets}", case.operation),
        verify_ns,
        per_second: rate(one, transactions),
        bytes: case.facts.bytes.map(|bytes| bytes / transactions as u64),
        quantum_safe: case.facts.category.is_some(),
        caveats: one.caveats.clone(),
    }
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
        let rows = comparison(&RunAnalysis::new(&run));
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].algorithm.as_str(), rows[0].quantum_safe), ("Ed25519", false));
        assert!(rows[1].quantum_safe && (rows[1].verify_ns.estimate / 50_000.0 - 1.0).abs() < 0.02);
        assert!((rows[1].per_second.unwrap().estimate / 20_000.0 - 1.0).abs() < 0.02);
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
        let rows = scaling(&RunAnalysis::new(&run));
        assert_eq!(rows.len(), 1, "a series must have several sizes: {rows:?}");
        let sizes: Vec<u64> = rows[0].blocks.iter().map(|block| block.transactions).collect();
        assert_eq!(sizes, [1, 100, 1_000]);
        let row = &rows[0];
        assert_eq!((row.algorithm.as_str(), row.provider.as_str()), ("ML-DSA-65", "aws-lc"));
        assert_eq!((row.form, row.parameters.as_str()), (Some(Form::Encoded), "regime=compute"));
    }

    /// Returns a block with prepared keys.
    fn prepared(transactions: u64, senders: u64, microseconds: f64) -> Record {
        let mut record = fixtures::ledger_block("ML-DSA-65", "aws-lc", transactions, microseconds);
        record.case.form = Some(Form::Prepared);
        record.case.parameters[1] = Parameter::Number("senders".into(), senders);
        record
    }

    #[test]
    fn both_forms_of_keys_have_a_row() {
        let run = run(vec![
            fixtures::ledger_block("ML-DSA-65", "aws-lc", 100, 5_000.0),
            prepared(100, 100, 3_000.0),
            fixtures::ledger_block("ML-DSA-44", "aws-lc", 100, 4_000.0),
        ]);
        let rows = comparison(&RunAnalysis::new(&run));
        let found: Vec<(&str, Option<Form>)> = rows.iter().map(|row| (row.algorithm.as_str(), row.form)).collect();
        assert_eq!(
            found,
            [
                ("ML-DSA-65", Some(Form::Prepared)),
                ("ML-DSA-44", Some(Form::Encoded)),
                ("ML-DSA-65", Some(Form::Encoded))
            ]
        );
    }

    #[test]
    fn forms_and_senders_make_separate_series() {
        let run = run(vec![
            prepared(100, 100, 700.0),
            fixtures::ledger_block("ML-DSA-65", "aws-lc", 100, 4_000.0),
            fixtures::ledger_block("ML-DSA-65", "aws-lc", 1_000, 40_000.0),
            prepared(1_000, 100, 7_000.0),
            prepared(10_000, 100, 70_000.0),
            prepared(100, 1, 600.0),
            prepared(1_000, 1, 6_000.0),
        ]);
        let rows = scaling(&RunAnalysis::new(&run));
        let named: Vec<(Option<Form>, &str, Vec<u64>)> = rows
            .iter()
            .map(|row| (row.form, row.parameters.as_str(), row.blocks.iter().map(|block| block.transactions).collect()))
            .collect();
        assert_eq!(
            named,
            [
                // The pool has only 100 senders, so larger blocks with 100 senders belong to the
                // same series.
                (Some(Form::Prepared), "regime=compute", vec![100, 1_000, 10_000]),
                (Some(Form::Prepared), "senders=1,regime=compute", vec![100, 1_000]),
                (Some(Form::Encoded), "regime=compute", vec![100, 1_000]),
            ]
        );
    }

    #[test]
    fn other_areas_verify_no_transactions() {
        let run = fixtures::run();
        let analysis = RunAnalysis::new(&run);
        assert_eq!(run.records.iter().find_map(|record| transactions_verified(&record.case)), None);
        assert!(comparison(&analysis).is_empty() && scaling(&analysis).is_empty());
    }
}
