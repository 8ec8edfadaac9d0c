use super::*;
use crate::Registry;
use crate::testing::{SEED, prepared, sample};
use pqlab_harness::TrialSource;
use pqlab_primitives::{Error, LaneHash, Result};
use pqlab_providers::providers;

fn options(lengths: &[u64], outputs: Option<&[u64]>) -> CaseOptions {
    CaseOptions {
        lengths: Some(lengths.to_vec()),
        output_lengths: outputs.map(<[u64]>::to_vec),
        ..CaseOptions::default()
    }
}

#[test]
fn every_case_runs_and_verifies_at_odd_lengths_and_batches() {
    let registry = Registry::new(providers());
    let cases = HashWorkload.cases(registry.providers(), &options(&[0, 1, 137, 2500], Some(&[1, 32, 500])));
    assert!(cases.len() > 40);
    for case in cases {
        let mut trial = registry.prepare(&case, SEED).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
        for batch in [1, 3, 40] {
            sample(trial.as_mut(), batch).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
        }
    }
}

#[test]
fn ids_name_only_unusual_output_lengths() {
    let ids = |options: &CaseOptions| -> Vec<String> {
        HashWorkload
            .cases(&providers(), options)
            .iter()
            .map(Case::id)
            .filter(|id| id.ends_with("@rustcrypto"))
            .collect()
    };
    let usual = ids(&options(&[64], None));
    for id in ["hash/SHA3-256/digest[len=64]", "hash/SHAKE128/digest[len=64]", "hash/SHAKE128/absorb[len=64]"] {
        assert!(usual.contains(&format!("{id}@rustcrypto")), "{id} is not in {usual:?}");
    }
    assert!(usual.contains(&"hash/SHAKE256/squeeze[out=16384]@rustcrypto".to_owned()), "{usual:?}");
    let unusual = ids(&options(&[64], Some(&[32, 200])));
    for id in ["SHAKE128/digest[len=64]", "SHAKE128/digest[len=64,out=200]", "SHAKE128/squeeze[out=200]"] {
        assert!(unusual.contains(&format!("hash/{id}@rustcrypto")), "{id} is not in {unusual:?}");
    }
    assert!(!unusual.iter().any(|id| id.contains("SHA3-256") && id.contains("out=")), "{unusual:?}");
}

#[test]
fn lanes_share_a_block_with_single_messages_and_count_all_bytes() {
    let cases = HashWorkload.cases(&providers(), &options(&[1024], None));
    let find = |operation: &str| {
        cases.iter().find(|case| case.provider == NULL && case.operation == operation).expect("missing case")
    };
    let (one, four, eight) = (find("digest"), find("digest-x4"), find("digest-x8"));
    assert_eq!((one.facts.bytes, four.facts.bytes, eight.facts.bytes), (Some(1024), Some(4096), Some(8192)));
    assert!(one.block == four.block && one.block == eight.block);
}

/// SHA3-256 in four lanes, computed by another library. `wrong` selects a lane that returns a wrong digest.
struct Four {
    single: Function,
    wrong: Option<usize>,
}

impl LaneHash for Four {
    fn algorithm(&self) -> &str {
        "SHA3-256"
    }

    fn lanes(&self) -> usize {
        4
    }

    fn digest(&self, messages: &[&[u8]], outs: &mut [&mut [u8]]) -> Result<()> {
        Error::check_length("messages", 4, messages.len())?;
        for (lane, (message, out)) in messages.iter().zip(outs).enumerate() {
            out.copy_from_slice(&self.single.digest(message, 32)?);
            out[31] ^= u8::from(self.wrong == Some(lane));
        }
        Ok(())
    }
}

#[test]
fn detects_a_wrong_digest_in_any_lane() {
    let all = providers();
    for wrong in [None, Some(0), Some(3)] {
        let rustcrypto = all.iter().find(|provider| provider.library == "rustcrypto").expect("unknown library");
        let single = Function::find(rustcrypto, "SHA3-256").expect("rustcrypto must offer SHA3-256");
        let mut provider = Provider::new("four", rustcrypto.build_info.clone());
        provider.lane_hashes = vec![Arc::new(Four { single, wrong })];
        let mut with = all.clone();
        with.push(Arc::new(provider));
        let cases = HashWorkload.cases(&with, &options(&[64], None));
        let case = cases.iter().find(|case| case.provider == "four").expect("the case must exist");
        assert_eq!(case.id(), "hash/SHA3-256/digest-x4[len=64]@four");
        let mut trial = prepared(&HashWorkload, case, &with);
        let outcome = sample(trial.as_mut(), 3);
        match wrong {
            None => drop(outcome.unwrap()),
            Some(lane) => {
                let Err(Fault::WrongAnswer(why)) = outcome else { panic!("lane {lane} must fail") };
                assert!(why.contains(&format!("lane {lane}")), "{why}");
            }
        }
    }
}

#[test]
fn refuses_a_batch_that_squeezes_too_much() {
    let all = providers();
    let cases = HashWorkload.cases(&all, &options(&[64], Some(&[1 << 20])));
    let squeezes = |case: &&Case| case.operation == "squeeze" && case.provider == "rustcrypto";
    let case = cases.iter().find(squeezes).expect("the case must exist");
    let mut trial = prepared(&HashWorkload, case, &all);
    assert!(matches!(trial.setup(65), Err(Fault::Unsupported(_))));
    sample(trial.as_mut(), 2).unwrap();
}
