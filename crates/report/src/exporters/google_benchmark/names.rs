//! Row names of the reference ledger benchmark, which belongs to an earlier system.

use super::super::ExportError;
use pqlab_analysis::ledger::AREA;
use pqlab_record::{Case, Form, Protocol, ProtocolKind};

/// Transaction format in the reference ledger benchmark.
const REFERENCE_FORM: &str = "TXv1-ML-DSA-65";
/// Number of transactions in a block of the reference ledger benchmark. One sender signed all of these transactions.
/// The benchmark verifies them from memory, one after another.
const BLOCK: u64 = 100;

/// Returns the row name that the reference ledger benchmark has for the work of a case. Returns `None` if the benchmark
/// did not measure this work.
fn reference_name(case: &Case) -> Option<&'static str> {
    let one_thread = case.threads().unwrap_or(1) == 1 && !case.has_invalid_transaction();
    let reference = case.workload == AREA && case.algorithm == REFERENCE_FORM && one_thread;
    // The reference ledger benchmark parsed the key in each call and did not verify in batches.
    if !reference || case.form == Some(Form::Prepared) || case.batch_size().is_some() {
        return None;
    }
    match case.operation.as_str() {
        "verify-block" => {
            let block = case.transactions() == Some(BLOCK) && case.senders() == Some(1);
            (block && case.regime() == Some("compute")).then_some("BM_Verify100Transactions")
        }
        "verify" => Some("BM_VerifySingleTransaction"),
        "encode" => Some("BM_EncodeTransaction"),
        "decode" => Some("BM_DecodeTransaction"),
        _ => None,
    }
}

/// Returns the row name of the reference ledger benchmark for each case, in order. The name is `None` for work that the
/// benchmark did not measure. If several providers do the same work, appends the provider.
///
/// # Errors
/// [`ExportError::Choice`] if no case gets a name, or if two cases of one provider would get the same name.
pub(super) fn reference_names(
    cases: &[&Case],
    protocol: Option<&Protocol>,
) -> Result<Vec<Option<String>>, ExportError> {
    let all: Vec<Option<&str>> = cases.iter().map(|case| reference_name(case)).collect();
    if all.iter().all(Option::is_none) {
        let text = "none of the cases has a name in the reference ledger benchmark; measure the ledger-reference suite";
        return Err(ExportError::Choice(text.to_owned()));
    }
    let mut names = Vec::new();
    for (case, name) in cases.iter().zip(&all) {
        let Some(name) = *name else {
            names.push(None);
            continue;
        };
        let same: Vec<&&Case> =
            cases.iter().zip(&all).filter(|(_, other)| **other == Some(name)).map(|(case, _)| case).collect();
        let twice = same.iter().filter(|other| other.provider == case.provider).count() > 1;
        if twice {
            let ids: Vec<String> = same.iter().map(|case| case.id()).collect();
            return Err(ExportError::Choice(format!(
                "several cases would be named {name}: {}; filter out all but one",
                ids.join(", ")
            )));
        }
        let mut full_name = name.to_owned();
        if let (Some(iterations), "verify-block") = (protocol.and_then(iterations), case.operation.as_str()) {
            full_name.push_str(&format!("/iterations:{iterations}"));
        }
        if same.len() > 1 {
            full_name.push_str(&format!("/{}", case.provider));
        }
        names.push(Some(full_name));
    }
    Ok(names)
}

/// Returns the number of iterations in each repetition, or `None` if the number is not fixed. A repetition is a
/// process.
fn iterations(protocol: &Protocol) -> Option<u64> {
    let processes = u64::from(protocol.processes);
    let fixed = protocol.iterations.filter(|_| protocol.kind != ProtocolKind::Adaptive && processes > 0);
    fixed.filter(|iterations| iterations % processes == 0).map(|iterations| iterations / processes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::{Facts, Parameter};

    fn case(operation: &str, provider: &str, parameters: Vec<Parameter>) -> Case {
        Case {
            workload: "ledger".into(),
            algorithm: REFERENCE_FORM.into(),
            operation: operation.into(),
            provider: provider.into(),
            form: Some(Form::Encoded),
            parameters,
            block: String::new(),
            facts: Facts::default(),
        }
    }

    fn block(provider: &str, transactions: u64) -> Case {
        let number = |name: &str, value| Parameter::Number(name.into(), value);
        let regime = Parameter::Word("regime".into(), "compute".into());
        case("verify-block", provider, vec![number("tx", transactions), number("senders", 1), regime])
    }

    fn fixed(iterations: u64) -> Protocol {
        Protocol { kind: ProtocolKind::Fixed, processes: 3, iterations: Some(iterations), ..Protocol::default() }
    }

    fn names(cases: &[Case], protocol: &Protocol) -> Result<Vec<Option<String>>, String> {
        let cases: Vec<&Case> = cases.iter().collect();
        reference_names(&cases, Some(protocol)).map_err(|error| error.to_string())
    }

    #[test]
    fn only_work_of_the_reference_has_its_names() {
        let mut floor = case("nothing", "null", Vec::new());
        floor.workload = "floor".into();
        let mut other = case("verify", "liboqs", Vec::new());
        other.algorithm = "ML-DSA-65".into();
        let alone = |operation| case(operation, "liboqs", Vec::new());
        let cases = [
            floor,
            block("liboqs", 100),
            alone("verify"),
            alone("encode"),
            alone("decode"),
            block("liboqs", 1000),
            other,
        ];
        let some = |name: &str| Some(name.to_owned());
        let wanted = [
            None,
            some("BM_Verify100Transactions/iterations:10"),
            some("BM_VerifySingleTransaction"),
            some("BM_EncodeTransaction"),
            some("BM_DecodeTransaction"),
            None,
            None,
        ];
        assert_eq!(names(&cases, &fixed(30)).unwrap(), wanted);
        for protocol in [fixed(31), Protocol::default()] {
            let names = names(&cases, &protocol).unwrap();
            assert_eq!(names[1], some("BM_Verify100Transactions"), "the name must omit iterations that are not fixed");
        }
        assert!(names(&cases[5..], &fixed(30)).unwrap_err().contains("ledger-reference"));
    }

    #[test]
    fn names_are_unique() {
        let two = [block("liboqs", 100), block("aws-lc", 100)];
        let found: Vec<String> = names(&two, &fixed(30)).unwrap().into_iter().flatten().collect();
        assert_eq!(
            found,
            ["BM_Verify100Transactions/iterations:10/liboqs", "BM_Verify100Transactions/iterations:10/aws-lc"]
        );
        let [mut again, _] = two.clone();
        again.parameters.push(Parameter::Word("state".into(), "evicted".into()));
        let [first, second] = two;
        let refused = names(&[first, second, again], &fixed(30)).unwrap_err();
        assert!(refused.contains("filter out all but one") && refused.contains("evicted"), "{refused}");
    }
}
