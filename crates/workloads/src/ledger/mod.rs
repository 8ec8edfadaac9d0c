//! Workload `ledger`: encodes, decodes, signs and verifies transactions, one by one and in blocks.
//!
//! All cases compute transaction digests with the same provider's SHA-256 (see [`digest`]), so that only the signatures
//! differ. A block of more than `POOL` transactions repeats transactions. The parameter `senders` is the number of
//! different senders in a block. `batch` is the number of transactions verified together, if the library supports
//! batches.

mod block;
mod fixture;
mod implementation;
mod single;

pub use implementation::{Implementation, batch_verifier, batch_verifiers, implementation, implementations};

use crate::pairs::Pair;
use crate::signature::signer;
use crate::{CaseOptions, NULL, Workload, missing};
use block::BlockTrial;
use fixture::{Fixture, POOL, Parties};
use pqlab_constructions::ledger::{Form as TransactionForm, Scheme, reference};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Hash, Provider};
use pqlab_record::{Case, Facts, Form, Parameter, Sizes, UnknownWord};
use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

/// Default block sizes, in transactions.
const BLOCKS: [u64; 5] = [1, 100, 1_000, 10_000, 100_000];
/// Default number of transactions per batch, if the library supports batches.
const BATCH: u64 = 100;
/// Parameter for the number of transactions per batch.
const AT_ONCE: &str = "batch";
/// Block size, in transactions, that is measured both with one sender and with many senders by default.
const TYPICAL: u64 = 100;
/// Prefix for algorithms in the transaction format of an earlier system ([`TransactionForm::TxV1`]).
const REFERENCE: &str = "TXv1-";
/// Providers for the digest, in order of preference.
const DIGESTS: [&str; 3] = ["aws-lc", "openssl", "rustcrypto"];

/// Number of different senders in a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Senders {
    /// One sender per transaction.
    All,
    /// The given number of senders.
    Number(u64),
    /// Number of senders as a percentage of the number of transactions, but at least one sender.
    Percent(f64),
}

impl Senders {
    /// Returns the number of senders for a block, at most `most`.
    pub(crate) fn count(self, transactions: u64, most: u64) -> u64 {
        let wanted = match self {
            Senders::All => transactions,
            Senders::Number(number) => number,
            Senders::Percent(percent) => (transactions as f64 * percent / 100.0).round() as u64,
        };
        wanted.clamp(1, transactions.min(most).max(1))
    }
}

impl FromStr for Senders {
    type Err = UnknownWord;

    /// Parses `all`, `one`, a number, or a percentage.
    fn from_str(word: &str) -> Result<Senders, UnknownWord> {
        let senders = match word {
            "all" => Some(Senders::All),
            "one" => Some(Senders::Number(1)),
            word => match word.strip_suffix('%') {
                Some(share) => share.parse().ok().filter(|share| *share > 0.0 && *share <= 100.0).map(Senders::Percent),
                None => word.parse().ok().filter(|number| *number > 0).map(Senders::Number),
            },
        };
        let known = "all, one, a number, a percentage".to_owned();
        senders.ok_or_else(|| UnknownWord { what: "number of senders", word: word.to_owned(), known })
    }
}

/// Returns the SHA-256 implementation that computes all transaction digests. Prefers AWS-LC, then OpenSSL, then
/// RustCrypto, then any other provider.
pub fn digest(providers: &[Arc<Provider>]) -> Option<Arc<dyn Hash>> {
    let sha256_of = |id: &str| providers.iter().find(|provider| provider.id() == id)?.hash("SHA-256");
    let first = DIGESTS.into_iter().find_map(sha256_of);
    first.or_else(|| providers.iter().filter(|it| it.library != NULL).find_map(|it| it.hash("SHA-256"))).cloned()
}

/// Fixtures by provider, algorithm, and whether transactions are verified in batches.
type Fixtures = HashMap<(String, String, bool), Arc<Mutex<Fixture>>>;

#[derive(Default)]
pub(crate) struct LedgerWorkload {
    /// Keys and transactions of this process. All cases of a provider and algorithm share them, because generating keys
    /// is expensive.
    fixtures: Mutex<Fixtures>,
}

impl Workload for LedgerWorkload {
    fn id(&self) -> &'static str {
        "ledger"
    }

    fn describe(&self) -> &'static str {
        "signed transactions: encode, decode, sign, verify; blocks of transactions from memory and from disk"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let mut cases = Vec::new();
        for (form, scheme) in kinds() {
            for implementation in implementations(providers, scheme, options) {
                let category = implementation.scheme.info().parameters.category;
                let subject = Subject { provider: implementation.provider, category, form, scheme };
                cases.extend(["encode", "decode"].map(|operation| subject.case(operation, None, Vec::new())));
                cases.push(subject.case("sign", Some(Form::Prepared), Vec::new()));
                cases.extend(subject.verify());
                subject.blocks(options, None, &mut cases);
            }
            // A batch verifier needs transactions that some provider can sign.
            let verifiers = signer(providers, scheme.algorithm()).map(|_| batch_verifiers(providers, scheme));
            for (provider, verifier) in verifiers.unwrap_or_default() {
                let only_verifies = implementation(providers, scheme, &provider).is_none();
                let subject = Subject { provider, category: verifier.parameters().category, form, scheme };
                if only_verifies {
                    cases.extend(subject.verify());
                }
                let batches = options.at_once.clone().unwrap_or_else(|| vec![BATCH]);
                subject.blocks(options, Some(&batches), &mut cases);
            }
        }
        cases
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        let plain = || {
            let algorithm = case.algorithm.strip_prefix(REFERENCE).unwrap_or(&case.algorithm);
            vec![(case.provider.clone(), algorithm.to_owned())]
        };
        if case.algorithm != Scheme::Composite.algorithm() {
            return plain();
        }
        let Pair { classical, post_quantum } = Pair::new(case);
        vec![(classical, "Ed25519".to_owned()), (post_quantum, "ML-DSA-65".to_owned())]
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let (form, scheme) =
            kinds().find(|&(form, scheme)| name(form, scheme) == case.algorithm).ok_or_else(|| missing(case))?;
        let fixture = {
            let mut fixtures = self.fixtures.lock().unwrap_or_else(PoisonError::into_inner);
            let own = implementation(providers, scheme, &case.provider).map(|own| own.scheme);
            let together = own.is_none() || case.number(AT_ONCE).is_some();
            let key = (case.provider.clone(), case.algorithm.clone(), together);
            Arc::clone(match fixtures.entry(key) {
                std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::hash_map::Entry::Vacant(entry) => {
                    let batches = batch_verifier(providers, scheme, &case.provider).filter(|_| together);
                    if together && batches.is_none() {
                        return Err(missing(case));
                    }
                    let nobody = || Fault::Unsupported(format!("no library signs with {}", scheme.algorithm()));
                    let signer = own.or_else(|| signer(providers, scheme.algorithm()).cloned()).ok_or_else(nobody)?;
                    let no_digest = || Fault::Unsupported("no library offers SHA-256 for digests".into());
                    let sha256 = digest(providers).ok_or_else(no_digest)?;
                    let generator = crate::inputs::generator(case, seed);
                    let fixture = Fixture::new(form, scheme, Parties { signer, batches }, sha256, generator);
                    entry.insert(Arc::new(Mutex::new(fixture)))
                }
            })
        };
        let mut fixture = fixture.lock().unwrap_or_else(PoisonError::into_inner);
        match case.operation.as_str() {
            "encode" => single::encode(&mut fixture),
            "decode" => single::decode(&mut fixture),
            "sign" => single::sign(&mut fixture),
            "verify" => single::verify(&mut fixture, case.form == Some(Form::Prepared)),
            "verify-block" => BlockTrial::new(&mut fixture, case).map(|trial| Box::new(trial) as Box<dyn Trial>),
            _ => Err(missing(case)),
        }
    }
}

/// Returns every combination of a transaction format and a scheme that the format supports.
fn kinds() -> impl Iterator<Item = (TransactionForm, Scheme)> {
    let ours = Scheme::ALL.into_iter().map(|scheme| (TransactionForm::TxV2, scheme));
    ours.chain([(TransactionForm::TxV1, Scheme::MlDsa65)])
}

fn name(form: TransactionForm, scheme: Scheme) -> String {
    match form {
        TransactionForm::TxV2 => scheme.algorithm().to_owned(),
        TransactionForm::TxV1 => format!("{REFERENCE}{}", scheme.algorithm()),
    }
}

/// Signature scheme of a provider in one transaction format, for creating its cases.
struct Subject {
    provider: String,
    category: Option<u8>,
    form: TransactionForm,
    scheme: Scheme,
}

impl Subject {
    fn case(&self, operation: &str, form: Option<Form>, parameters: Vec<Parameter>) -> Case {
        let length = match self.form {
            TransactionForm::TxV2 => self.scheme.transaction(),
            TransactionForm::TxV1 => reference::PLAIN,
        } as u64;
        let transactions = parameters.iter().find_map(|parameter| match parameter {
            Parameter::Number(name, number) if name == "tx" => Some(*number),
            _ => None,
        });
        let algorithm = name(self.form, self.scheme);
        let block = match transactions {
            None => format!("ledger/{operation}"),
            // A worker holds up to 1,000 transactions for each case of a case block. To save
            // memory, blocks larger than `TYPICAL` share a case block only within one scheme.
            Some(number) if number > TYPICAL => format!("ledger/{operation}/{number}/{}", self.scheme),
            Some(number) => format!("ledger/{operation}/{number}"),
        };
        let case = Case {
            workload: "ledger".into(),
            algorithm,
            operation: operation.into(),
            provider: self.provider.clone(),
            form,
            parameters,
            block: String::new(),
            facts: Facts {
                generator: None,
                defect: None,
                sizes: Sizes {
                    public_key: Some(self.scheme.public_key() as u64),
                    signature: Some(self.scheme.signature().1 as u64),
                    ..Sizes::default()
                },
                bytes: Some(length * transactions.unwrap_or(1)),
                category: self.category,
            },
        };
        case.in_block(&block)
    }

    fn verify(&self) -> [Case; 2] {
        [Form::Prepared, Form::Encoded].map(|form| self.case("verify", Some(form), Vec::new()))
    }

    /// Adds the cases for blocks. `at_once` lists the batch sizes, in transactions. If it is `None`, transactions are
    /// verified one by one. A batch is never larger than its block.
    fn blocks(&self, options: &CaseOptions, at_once: Option<&[u64]>, cases: &mut Vec<Case>) {
        let sizes = options.blocks.clone().unwrap_or_else(|| BLOCKS.to_vec());
        let threads = options.threads.clone().unwrap_or_else(|| vec![1]);
        for &transactions in &sizes {
            let most = Fixture::most_senders(self.scheme);
            let mut senders: Vec<u64> = match &options.senders[..] {
                [] if transactions == TYPICAL => vec![Senders::All.count(transactions, most), 1],
                [] => vec![Senders::All.count(transactions.min(POOL), most)],
                asked => asked.iter().map(|senders| senders.count(transactions.min(POOL), most)).collect(),
            };
            let mut known = HashSet::new();
            senders.retain(|senders| known.insert(*senders));
            let batches: Vec<Option<u64>> = match at_once {
                None => vec![None],
                Some(asked) => {
                    let fitting: Vec<_> =
                        asked.iter().filter(|batch| **batch <= transactions).copied().map(Some).collect();
                    if fitting.is_empty() { vec![Some(transactions)] } else { fitting }
                }
            };
            for senders in senders {
                for regime in ["compute", "ram", "disk"] {
                    for &batch in &batches {
                        for &threads in &threads {
                            let mut parameters = vec![
                                Parameter::Number("tx".into(), transactions),
                                Parameter::Number("senders".into(), senders),
                                Parameter::Word("regime".into(), regime.into()),
                            ];
                            parameters.extend(batch.map(|batch| Parameter::Number(AT_ONCE.into(), batch)));
                            if threads > 1 {
                                parameters.push(Parameter::Number("threads".into(), threads));
                            }
                            if let Some(percent) = options.invalid_pct.filter(|percent| *percent > 0.0) {
                                parameters.push(Parameter::Word("invalid".into(), format!("{percent}%")));
                            }
                            let case = |form| self.case("verify-block", Some(form), parameters.clone());
                            cases.extend([Form::Prepared, Form::Encoded].map(case));
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
