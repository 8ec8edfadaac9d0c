use crate::{CaseOptions, Workload, answers, find, remote, workloads};
use pqlab_harness::{Fault, Seed, Trial, TrialSource};
use pqlab_primitives::Provider;
use pqlab_record::Case;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// All workloads and the available providers. Lists cases and prepares them.
pub struct Registry {
    providers: Vec<Arc<Provider>>,
    workloads: Vec<Box<dyn Workload>>,
    /// Results of known-answer checks by provider and algorithm. Each check runs only once per process.
    checked: Mutex<HashMap<(String, String), Result<(), Fault>>>,
    /// Ids of providers that cannot be called, each with the reason.
    failed: Vec<(String, String)>,
}

impl Registry {
    /// Creates the registry of all workloads for these providers.
    pub fn new(providers: Vec<Arc<Provider>>) -> Registry {
        Registry { providers, workloads: workloads(), checked: Mutex::default(), failed: Vec::new() }
    }

    /// Marks providers as unusable. `failed` lists their ids with reasons. Cases of these providers fail with the given
    /// reason.
    pub fn without(self, failed: Vec<(String, String)>) -> Registry {
        Registry { failed, ..self }
    }

    /// Returns the providers.
    pub fn providers(&self) -> &[Arc<Provider>] {
        &self.providers
    }

    /// Returns the workloads.
    pub fn workloads(&self) -> &[Box<dyn Workload>] {
        &self.workloads
    }

    /// Returns every case of every workload.
    pub fn cases(&self, options: &CaseOptions) -> Vec<Case> {
        self.workloads.iter().flat_map(|workload| self.cases_of(workload.as_ref(), options)).collect()
    }

    /// Returns every case of a workload. A provider in another process has only the cases that can be timed there.
    pub fn cases_of(&self, workload: &dyn Workload, options: &CaseOptions) -> Vec<Case> {
        let mut cases = workload.cases(&self.providers, options);
        cases.retain(|case| !remote::is_remote(&self.providers, case) || remote::offers(case));
        cases
    }

    fn workload(&self, case: &Case) -> Result<&dyn Workload, Fault> {
        let failed = self.failed.iter().find(|(id, _)| case.provider.split('+').any(|part| part == id));
        if let Some((id, reason)) = failed {
            return Err(Fault::Library(format!("{id} was not opened: {reason}")));
        }
        let workload = self.workloads.iter().find(|workload| workload.id() == case.workload);
        let missing = || Fault::Unsupported(format!("this build does not contain the workload {}", case.workload));
        workload.map(Box::as_ref).ok_or_else(missing)
    }

    fn check(&self, provider: &Provider, algorithm: &str) -> Result<(), Fault> {
        let key = (provider.id(), algorithm.to_owned());
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked.entry(key).or_insert_with(|| answers::check(provider, &self.providers, algorithm)).clone()
    }
}

impl TrialSource for Registry {
    fn prepare(&self, case: &Case, seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let workload = self.workload(case)?;
        for (provider, algorithm) in workload.primitives(case) {
            self.check(find(&self.providers, &provider)?, &algorithm)?;
        }
        workload.prepare(case, &self.providers, seed)
    }

    fn prepare_first_call(&self, case: &Case, seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        self.workload(case)?.prepare(case, &self.providers, seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Keys, Variant};
    use pqlab_record::{CoinSource, Form};
    use std::collections::HashSet;

    /// Returns every possible case, with every variant, source of randomness and number of keys.
    fn everything() -> Vec<Case> {
        let options = CaseOptions {
            variants: Variant::ALL.to_vec(),
            coins: CoinSource::ALL.to_vec(),
            keys: vec![Keys::Pool, Keys::Number(1)],
            ..CaseOptions::default()
        };
        Registry::new(pqlab_providers::providers()).cases(&options)
    }

    #[test]
    fn every_pair_of_cases_in_a_block_has_the_same_encoding_and_coins() {
        let cases = everything();
        let ids: HashSet<String> = cases.iter().map(Case::id).collect();
        assert_eq!(ids.len(), cases.len(), "no two cases may share an id");
        let mut blocks: HashMap<&str, Vec<&Case>> = HashMap::new();
        for case in &cases {
            blocks.entry(&case.block).or_default().push(case);
        }
        let mut pairs = 0;
        for (block, cases) in &blocks {
            for (at, one) in cases.iter().enumerate() {
                for other in &cases[at + 1..] {
                    let same = one.key() == other.key() && one.comparable(other);
                    assert!(same, "{} and {} in block {block}", one.id(), other.id());
                    pairs += 1;
                }
            }
        }
        assert!(pairs > 10_000, "{pairs} pairs");
        // The registry must contain cases of every kind, otherwise the check above proves nothing.
        let kinds: HashSet<String> = cases.iter().map(|case| case.kind().to_string()).collect();
        for kind in
            ["", "encoded", "encoded,key=seed", "encoded,key=expanded", "key=both", "coins=exact", "deterministic"]
        {
            assert!(kinds.contains(kind), "{kind:?} is not among {kinds:?}");
        }
    }

    #[test]
    fn cases_of_an_unusable_provider_report_the_reason() {
        let failed = vec![("rustcrypto".to_owned(), "it is gone".to_owned())];
        let registry = Registry::new(pqlab_providers::providers()).without(failed);
        let cases = registry.cases(&CaseOptions::default());
        let seed = Seed { run: 1, process: 0 };
        let outcome_of = |provider: &str| {
            let case = cases.iter().find(|case| case.provider == provider && case.workload == "kem").unwrap();
            (registry.prepare(case, seed).err(), registry.prepare_first_call(case, seed).err())
        };
        let why = Some(Fault::Library("rustcrypto was not opened: it is gone".into()));
        assert_eq!(outcome_of("rustcrypto"), (why.clone(), why));
        assert_eq!(outcome_of("libcrux:portable"), (None, None));
    }

    #[test]
    fn ids_name_the_encoding_of_every_encoded_private_key() {
        let mut named = 0;
        for case in everything() {
            let encoded = match (case.workload.as_str(), case.operation.as_str()) {
                ("kem", "keygen" | "decapsulate") | ("signature", "keygen" | "sign") => {
                    case.form == Some(Form::Encoded)
                }
                ("certificate", "encode-private" | "decode-private") => true,
                _ => false,
            };
            assert!(!encoded || case.key().is_some(), "{}", case.id());
            named += usize::from(encoded);
        }
        assert!(named > 0, "at least one case must have an encoded private key");
    }

    #[test]
    fn conversions_of_keys_name_no_library() {
        let conversions = ["encode-public", "decode-public", "encode-private", "decode-private"];
        for case in everything().iter().filter(|case| conversions.contains(&case.operation.as_str())) {
            assert_eq!(case.provider, "pqlab", "{}", case.id());
        }
    }
}
