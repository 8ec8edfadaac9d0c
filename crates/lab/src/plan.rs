//! From suites and filters to a plan.

use crate::{LabError, ProtocolOverrides, Select, Suite, Thing};
use pqlab_record::{Case, Fastest, Form, Protocol, ProtocolKind, RunHeader};
use pqlab_workloads::fastest::{self, FASTEST, Question};
use pqlab_workloads::{CaseOptions, NULL, Registry, Workload};
use std::collections::HashSet;
use wildmatch::WildMatch;

/// What a command line narrows a plan down to. Patterns as in [`Select`].
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// Patterns of case ids, any of which must match.
    pub ids: Vec<String>,
    /// Providers.
    pub providers: Vec<String>,
    /// Algorithms.
    pub algorithms: Vec<String>,
    /// What handshakes are exchanged over: `tcp`. Nothing else is measured then.
    pub over: Option<String>,
    /// What is chosen of the cases' parameters, in place of the suites' own.
    pub options: CaseOptions,
}

/// What is measured, in which order of blocks, and how hard.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The suites' names, joined by a plus.
    pub suite: String,
    /// The cases.
    pub cases: Vec<Case>,
    /// The rules.
    pub protocol: Protocol,
}

impl Plan {
    /// Selects the cases of suites and filters from everything that the registry offers; `fastest` stands for what was found.
    ///
    /// # Errors
    /// [`LabError::Unknown`] for a name that matches nothing, [`LabError::Invalid`] for a value that cannot be measured, and
    /// [`LabError::NothingSelected`] if nothing is left.
    pub(crate) fn new(
        registry: &Registry,
        suites: &[Suite],
        filters: &Filters,
        overrides: &ProtocolOverrides,
        found: &[Fastest],
    ) -> Result<Plan, LabError> {
        let (mut plan, _) = Plan::made(registry, suites, filters, overrides, Some(found))?;
        plan.protocol.fastest = found.to_vec();
        Ok(plan)
    }

    /// As [`new`](Self::new) before anything was found: with every pair of libraries for which `fastest` may stand, and what
    /// has to be measured to know which it is. Where nothing has, it is the plan.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn draft(
        registry: &Registry,
        suites: &[Suite],
        filters: &Filters,
        overrides: &ProtocolOverrides,
    ) -> Result<(Plan, Vec<Question>), LabError> {
        Plan::made(registry, suites, filters, overrides, None)
    }

    fn made(
        registry: &Registry,
        suites: &[Suite],
        filters: &Filters,
        overrides: &ProtocolOverrides,
        found: Option<&[Fastest]>,
    ) -> Result<(Plan, Vec<Question>), LabError> {
        let halves = registry.providers().iter().flat_map(|provider| [provider.id(), provider.library.clone()]);
        let halves: Vec<String> = halves.chain([FASTEST.to_owned()]).collect();
        let selected = suites.iter().filter(|suite| !suite.builtin).flat_map(|suite| &suite.select);
        let selected = selected.flat_map(|select| [&select.options.classical, &select.options.post_quantum]).flatten();
        for half in filters.options.classical.iter().chain(&filters.options.post_quantum).chain(selected) {
            check_patterns(Thing::Provider, std::slice::from_ref(half), halves.iter().map(String::as_str))?;
        }
        let cores = overrides.affinity.as_ref().map(Vec::len);
        let all = registry.cases(&options(&Select::default(), filters, cores, None)?);
        check_patterns(Thing::Provider, &filters.providers, all.iter().map(|case| case.provider.as_str()))?;
        check_patterns(Thing::Algorithm, &filters.algorithms, all.iter().map(|case| case.algorithm.as_str()))?;

        let mut protocol = Protocol::default();
        let mut cases: Vec<Case> = Vec::new();
        let mut questions = Vec::new();
        let mut seen = HashSet::new();
        let floor = Select { workload: "floor".into(), null: true, ..Select::default() };
        let selections = suites.iter().flat_map(|suite| suite.select.iter().map(move |select| (suite, select)));
        for suite in suites {
            suite.protocol.apply(&mut protocol);
        }
        overrides.check()?;
        overrides.apply(&mut protocol);
        let of = |selection: &Select, builtin: bool| {
            let workload = named_workload(registry, &selection.workload)?;
            let options = options(selection, filters, cores, found)?;
            let cases = select(registry, workload, selection, filters, &options, builtin)?;
            Ok::<_, LabError>((workload, options, cases))
        };
        let (.., floor) = of(&floor, true)?;
        cases.extend(floor.into_iter().filter(|case| seen.insert(case.id())));
        let fixed = protocol.kind != ProtocolKind::Adaptive && filters.ids.is_empty();
        for (suite, selection) in selections.filter(|(_, selection)| !(fixed && selection.adaptive_only)) {
            let (workload, options, mut selected) = of(selection, suite.builtin)?;
            selected.retain(|case| filters.take(case));
            if found.is_none() {
                fastest::merge(&mut questions, workload.questions(&selected, registry.providers(), &options));
            }
            cases.extend(selected.into_iter().filter(|case| seen.insert(case.id())));
        }
        if cases.iter().all(|case| case.workload == "floor") {
            return Err(LabError::NothingSelected);
        }
        let suite = suites.iter().map(|suite| suite.name.as_str()).collect::<Vec<_>>().join("+");
        Ok((Plan { suite, cases, protocol }, questions))
    }
}

impl Plan {
    /// The cases of a run that was measured before, by the same rules but for what is overridden.
    ///
    /// # Errors
    /// [`LabError::NoCaseOfRun`] if nothing is left, [`LabError::Invalid`] for a value that cannot be measured with.
    pub fn again(header: &RunHeader, filters: &Filters, overrides: &ProtocolOverrides) -> Result<Plan, LabError> {
        overrides.check()?;
        let mut protocol = header.protocol.clone();
        overrides.apply(&mut protocol);
        // A run of before is measured again by the names of today.
        let taken = |case: &Case| case.workload == "floor" || filters.take(case);
        let cases: Vec<Case> = header.plan.iter().map(Case::today).filter(taken).collect();
        if cases.iter().all(|case| case.workload == "floor") {
            return Err(LabError::NoCaseOfRun { run: header.id.clone(), pattern: None });
        }
        Ok(Plan { suite: header.suite.clone(), cases, protocol })
    }
}

impl Filters {
    /// Whether libraries are named in any way.
    fn name_libraries(&self) -> bool {
        self.options.classical.is_some()
            || self.options.post_quantum.is_some()
            || !self.providers.is_empty()
            || self.ids.iter().any(|id| id.contains('@'))
    }

    fn take(&self, case: &Case) -> bool {
        (self.ids.is_empty() || self.ids.iter().any(|pattern| names(pattern, case)))
            && (matches_any(&self.providers, &case.provider) || matches_any(&self.providers, case.library()))
            && matches_any(&self.algorithms, &case.algorithm)
    }
}

fn named_workload<'a>(registry: &'a Registry, name: &str) -> Result<&'a dyn Workload, LabError> {
    let workloads = registry.workloads();
    let found = workloads.iter().find(|workload| workload.id() == name).map(Box::as_ref);
    found.ok_or_else(|| {
        let names: Vec<&str> = workloads.iter().map(|workload| workload.id()).collect();
        LabError::unknown_of_few(Thing::Workload, name, &names)
    })
}

fn select(
    registry: &Registry,
    workload: &dyn Workload,
    select: &Select,
    filters: &Filters,
    options: &CaseOptions,
    builtin: bool,
) -> Result<Vec<Case>, LabError> {
    let mut cases = workload.cases(registry.providers(), options);
    if !builtin {
        check_patterns(Thing::Algorithm, &select.algorithms, cases.iter().map(|case| case.algorithm.as_str()))?;
        check_patterns(Thing::Operation, &select.operations, cases.iter().map(|case| case.operation.as_str()))?;
        let providers = cases.iter().flat_map(|case| [case.provider.as_str(), case.library()]);
        check_patterns(Thing::Provider, &select.providers, providers)?;
        check_patterns(Thing::Form, &select.forms, ["prepared", "encoded"].into_iter())?;
    }
    let unfiltered = filters.ids.is_empty();
    let algorithms: &[String] =
        if unfiltered && filters.algorithms.is_empty() { &select.usual_algorithms } else { &[] };
    let operations: &[String] = if unfiltered { &select.usual_operations } else { &[] };
    let asked_for_null = filters.providers.iter().any(|pattern| pattern == NULL);
    cases.retain(|case| {
        let form = match case.form {
            Some(Form::Prepared) => "prepared",
            Some(Form::Encoded) => "encoded",
            None => "",
        };
        (select.null || asked_for_null || case.provider != NULL)
            && select.parameters.iter().all(|pattern| has_parameter(case, pattern))
            && filters.over.as_deref().is_none_or(|over| case.workload == "floor" || case.word("over") == Some(over))
            && matches_any(&select.algorithms, &case.algorithm)
            && (case.provider == NULL || matches_any(algorithms, &case.algorithm))
            && matches_any(operations, &case.operation)
            && matches_any(&select.operations, &case.operation)
            && (matches_any(&select.providers, &case.provider) || matches_any(&select.providers, case.library()))
            && (form.is_empty() || matches_any(&select.forms, form))
    });
    // What nothing is called for has no first call; the floor is that of all states.
    let states = &options.states;
    if !states.is_empty() && select.workload != "floor" {
        cases = cases.iter().flat_map(|case| states.iter().map(|&state| case.clone().in_state(state))).collect();
    }
    Ok(cases)
}

/// Whether one of the case's parameters matches, or, with an exclamation mark, none; a case without any is not what
/// parameters narrow down.
fn has_parameter(case: &Case, pattern: &str) -> bool {
    let any = |pattern: &str| case.parameters.iter().any(|parameter| matches(pattern, &parameter.to_string()));
    match pattern.strip_prefix('!') {
        Some(unwanted) => !any(unwanted),
        None => case.parameters.is_empty() || any(pattern),
    }
}

/// What a selection and a command line choose of the cases' parameters; the command line has the last word.
fn options(
    select: &Select,
    filters: &Filters,
    cores: Option<usize>,
    found: Option<&[Fastest]>,
) -> Result<CaseOptions, LabError> {
    let mut own = select.options.clone();
    if filters.name_libraries() {
        (own.classical, own.post_quantum) = (None, None);
    }
    let options = CaseOptions { cores, fastest: found.map(<[Fastest]>::to_vec), ..filters.options.clone().or(own) };
    options.check().map_err(|error| LabError::invalid(error.field, error.to_string()))?;
    Ok(options)
}

/// Whether a text matches a pattern, in which `*` stands for any text and `?` for any character.
pub fn matches(pattern: &str, text: &str) -> bool {
    WildMatch::new(pattern).matches(text)
}

/// Whether a pattern matches a case's id. One that says no encoding of the private key, as ids of before did not, takes each.
fn names(pattern: &str, case: &Case) -> bool {
    matches(pattern, &case.id()) || (!pattern.contains("key=") && matches(pattern, &case.id_without_key()))
}

/// Whether any pattern matches; no patterns match everything.
fn matches_any(patterns: &[String], text: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, text))
}

fn check_patterns<'a>(
    what: Thing,
    patterns: &[String],
    known: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), LabError> {
    for pattern in patterns {
        let matcher = WildMatch::new(pattern);
        if !known.clone().any(|name| matcher.matches(name) || matcher.matches(name.split(':').next().unwrap_or(name))) {
            return Err(LabError::unknown(what, pattern, known));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::CoinSource;
    use pqlab_workloads::Keys;

    /// A plan in which `fastest` stands for the last candidate of each question.
    fn plan_of(suite: &str, filters: &Filters, overrides: &ProtocolOverrides) -> Plan {
        let registry = Registry::new(pqlab_providers::providers());
        let suites = [Suite::find(suite).unwrap()];
        let (_, questions) = Plan::draft(&registry, &suites, filters, overrides).unwrap();
        let answer = |question: &Question| Fastest {
            construction: question.construction.clone(),
            asked: question.asked.clone(),
            operations: question.operations(),
            provider: question.candidates.last().unwrap().clone(),
            ns: 1.0,
            runner_up: None,
            candidates: question.candidates.len() as u64,
            failed: Vec::new(),
        };
        let found: Vec<Fastest> = questions.iter().map(answer).collect();
        Plan::new(&registry, &suites, filters, overrides, &found).unwrap()
    }

    fn planned(suite: &str, filters: &Filters) -> Vec<Case> {
        plan_of(suite, filters, &ProtocolOverrides::default()).cases
    }

    fn filter(ids: &[&str]) -> Filters {
        Filters { ids: ids.iter().map(|&id| id.to_owned()).collect(), ..Filters::default() }
    }

    fn unchosen() -> CaseOptions {
        CaseOptions::default()
    }

    fn with(options: CaseOptions) -> Filters {
        Filters { options, ..Filters::default() }
    }

    fn fastest_halves() -> CaseOptions {
        let asked = || Some(FASTEST.to_owned());
        CaseOptions { classical: asked(), post_quantum: asked(), ..unchosen() }
    }

    /// What is under load: different algorithms, providers and numbers of tasks.
    fn loads(cases: &[Case]) -> [usize; 3] {
        let loads: Vec<&Case> = cases.iter().filter(|case| case.operation == "handshake-load").collect();
        let count = |of: &dyn Fn(&Case) -> String| loads.iter().map(|case| of(case)).collect::<HashSet<_>>().len();
        let tasks = |case: &Case| case.number("tasks").map(|tasks| tasks.to_string()).unwrap_or_default();
        [count(&|case| case.algorithm.clone()), count(&|case| case.provider.clone()), count(&tasks)]
    }

    #[test]
    fn the_suite_hybrid_loads_one_construction_of_the_fastest_and_flags_widen_it() {
        let usual = planned("hybrid", &Filters::default());
        assert_eq!(loads(&usual), [1, 1, 4]);
        assert!(usual.iter().any(|case| case.operation == "handshake"));
        let all = planned("hybrid", &filter(&["*handshake-load*"]));
        // The mock has no second half.
        assert!(matches!(loads(&all), [5, 1 | 2, 4]), "{:?}", loads(&all));
        let named = planned("hybrid", &filter(&["*handshake-load*@rustcrypto"]));
        assert_eq!(loads(&named), [5, 1, 4]);
        assert!(named.iter().all(|case| case.provider == "rustcrypto" || case.workload == "floor"));
        let rustcrypto = || Some("rustcrypto".to_owned());
        let halves = with(CaseOptions {
            classical: rustcrypto(),
            post_quantum: rustcrypto(),
            tasks: Some(vec![7]),
            ..unchosen()
        });
        let of_halves = planned("hybrid", &halves);
        assert_eq!(loads(&of_halves), [1, 1, 1]);
        assert!(of_halves.iter().all(|case| case.provider == "rustcrypto" || case.workload == "floor"));
    }

    #[test]
    fn under_a_fixed_number_of_samples_loads_are_measured_only_if_asked_for() {
        let fixed = ProtocolOverrides { kind: Some(ProtocolKind::Reference), ..ProtocolOverrides::default() };
        for (suite, some) in [("hybrid", "*/X-Wing/handshake-load*"), ("ntor", "*/ntor-v1/handshake-load*")] {
            let all = plan_of(suite, &Filters::default(), &fixed).cases;
            let several = |case: &&Case| case.number("tasks").or(case.number("threads")).is_some();
            assert_eq!(all.iter().filter(several).count(), 0);
            assert!(all.iter().any(|case| case.operation == "handshake"));
            let asked = plan_of(suite, &filter(&[some]), &fixed).cases;
            assert!(asked.iter().filter(several).count() > 0, "{suite}");
        }
    }

    #[test]
    fn the_suite_ntor_has_the_three_handshakes_on_threads_and_under_load() {
        let usual = planned("ntor", &with(CaseOptions { threads: Some(vec![1, 2]), ..unchosen() }));
        let [algorithms, providers, tasks] = loads(&usual);
        assert!(algorithms == 3 && (1..=3).contains(&providers) && tasks == 2, "{:?}", loads(&usual));
        let several: Vec<&Case> = usual.iter().filter(|case| case.number("threads").is_some()).collect();
        assert_eq!(several.len(), 3 * 2 * 2, "{several:?}");
        for case in several {
            let alone = |operation: &str| {
                usual
                    .iter()
                    .any(|one| one.parameters.is_empty() && one.operation == operation && one.provider == case.provider)
            };
            assert!(["create", "reply", "finish", "handshake"].into_iter().all(alone), "{}", case.id());
        }
        let widened = planned("ntor", &filter(&["*[threads=*"]));
        let algorithms: HashSet<&str> = widened.iter().map(|case| case.algorithm.as_str()).collect();
        assert!(algorithms.len() >= 7, "{algorithms:?}");
    }

    #[test]
    fn the_suite_standard_has_the_usual_kind_of_work_alone() {
        let cases = planned("standard", &Filters::default());
        assert!(cases.iter().all(|case| case.kind().to_string().is_empty() && case.keys().is_none()));
        let kinds = |suite| -> HashSet<String> {
            let cases = planned(suite, &Filters { algorithms: vec!["ML-*".into()], ..Filters::default() });
            cases.iter().map(|case| format!("{} {:?}", case.kind(), case.keys())).collect()
        };
        for suite in ["kem", "signature"] {
            let kinds = kinds(suite);
            for kind in ["encoded,key=seed None", "encoded,key=expanded None", "coins=exact None", " Some(1)"] {
                assert!(kinds.contains(kind), "{suite}: {kind} is not among {kinds:?}");
            }
        }
        let given = with(CaseOptions { coins: vec![CoinSource::Exact], keys: vec![Keys::Number(2)], ..unchosen() });
        let given = planned("kem", &given);
        let ids: Vec<String> = given.iter().map(Case::id).collect();
        assert!(ids.contains(&"kem/ML-KEM-512/encapsulate[coins=exact,keys=2]@rustcrypto".to_owned()), "{ids:?}");
    }

    #[test]
    fn an_id_of_before_takes_each_encoding_and_a_run_of_before_is_measured_again_by_todays_names() {
        let old = "kem/ML-KEM-768/decapsulate[encoded]@rustcrypto";
        let ids = |cases: &[Case]| cases.iter().map(Case::id).filter(|id| id.starts_with("kem")).collect::<Vec<_>>();
        let [seed, expanded] =
            ["seed", "expanded"].map(|key| format!("kem/ML-KEM-768/decapsulate[encoded,key={key}]@rustcrypto"));
        let cases = planned("kem", &filter(&[old]));
        assert_eq!(ids(&cases), [seed.clone(), expanded]);
        assert_eq!(ids(&planned("kem", &filter(&[&seed]))), std::slice::from_ref(&seed));
        let mut before = cases.into_iter().find(|case| case.id() == seed).unwrap();
        before.parameters.clear();
        let header = RunHeader {
            id: "before".into(),
            suite: "kem".into(),
            command: String::new(),
            seed: 1,
            started_at: String::new(),
            environment: Default::default(),
            protocol: Protocol::default(),
            plan: vec![before],
        };
        for asked in [old, &seed] {
            let again = Plan::again(&header, &filter(&[asked]), &ProtocolOverrides::default()).unwrap();
            assert_eq!(ids(&again.cases), std::slice::from_ref(&seed));
        }
    }

    #[test]
    fn an_unwanted_parameter_is_marked_by_an_exclamation_mark() {
        let registry = Registry::new(pqlab_providers::providers());
        let cases = registry.cases(&CaseOptions { threads: Some(vec![2]), ..CaseOptions::default() });
        let of = |id: &str| cases.iter().find(|case| case.id() == id).unwrap();
        let several = of("ntor/ntor-v1/reply[threads=2]@rustcrypto");
        let alone = of("ntor/ntor-v1/reply@rustcrypto");
        assert!(has_parameter(several, "threads=*") && !has_parameter(several, "!threads=*"));
        assert!(has_parameter(alone, "threads=*") && has_parameter(alone, "!threads=*"));
        assert!(!has_parameter(several, "tasks=*") && has_parameter(several, "!tasks=*"));
    }

    #[test]
    fn halves_that_a_suite_names_must_exist() {
        let suite = "name = \"x\"\nabout = \"\"\nselect = [{workload = \"hybrid\", classical = \"nobody\"}]";
        let suite = Suite::parse(suite, "x.toml").unwrap();
        let registry = Registry::new(pqlab_providers::providers());
        let plan = Plan::draft(&registry, &[suite], &Filters::default(), &ProtocolOverrides::default());
        assert!(plan.map(drop).unwrap_err().to_string().contains("nobody"));
    }

    #[test]
    fn one_question_has_one_answer_in_all_areas_of_a_plan() {
        let registry = Registry::new(pqlab_providers::providers());
        let suites = ["hybrid", "certificate"].map(|suite| Suite::find(suite).unwrap());
        let filters = Filters { options: fastest_halves(), ..filter(&["*composite*", "*MLDSA65-Ed25519*"]) };
        let overrides = ProtocolOverrides::default();
        let (_, questions) = Plan::draft(&registry, &suites, &filters, &overrides).unwrap();
        let names: Vec<&str> = questions.iter().map(|question| question.construction.as_str()).collect();
        assert_eq!(names, ["MLDSA65-Ed25519-SHA512"]);
        assert_eq!(questions[0].operations(), ["cycle"]);
    }

    #[test]
    fn filters_narrow_down_what_fastest_is_chosen_from() {
        let registry = Registry::new(pqlab_providers::providers());
        let suites = [Suite::find("hybrid").unwrap()];
        let filters = Filters { options: fastest_halves(), ..filter(&["hybrid/X-Wing/*@rustcrypto*"]) };
        let (_, questions) = Plan::draft(&registry, &suites, &filters, &ProtocolOverrides::default()).unwrap();
        assert_eq!(questions.len(), 1);
        assert!(questions[0].candidates.len() > 1, "{:?}", questions[0].candidates);
        assert!(questions[0].candidates.iter().all(|pair| pair.starts_with("rustcrypto")));
    }
}
