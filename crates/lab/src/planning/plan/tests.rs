//! Tests which cases suites, filters and protocols select.

use super::*;
use pqlab_analysis::tls::{Configuration, primitives};
use pqlab_record::CoinSource;
use pqlab_workloads::Keys;

/// Plans a suite without trials: the last candidate of each question replaces `fastest`.
fn plan_of(suite: &str, filters: &Filters, overrides: &ProtocolOverrides) -> Plan {
    let registry = Registry::new(pqlab_providers::providers());
    let suites = [Suite::find(suite).unwrap()];
    let Draft { questions, .. } = Plan::draft(&registry, &suites, filters, overrides).unwrap();
    let answer = |question: &Question| Fastest {
        construction: question.construction.clone(),
        asked: question.asked.clone(),
        operations: question.operations(),
        provider: question.candidates.last().unwrap().clone(),
        ns: 1.0,
        runner_up: None,
        candidates: question.candidates.len() as u64,
        among: question.candidates.clone(),
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
    let name = || Some(FASTEST.to_owned());
    CaseOptions { classical: name(), post_quantum: name(), ..unchosen() }
}

/// Returns the number of different algorithms, providers and numbers of tasks among the load cases.
fn loads(cases: &[Case]) -> [usize; 3] {
    let loads: Vec<&Case> = cases.iter().filter(|case| case.operation == "handshake-load").collect();
    let count = |key: &dyn Fn(&Case) -> String| loads.iter().map(|case| key(case)).collect::<HashSet<_>>().len();
    let tasks = |case: &Case| case.tasks().map(|tasks| tasks.to_string()).unwrap_or_default();
    [count(&|case| case.algorithm.clone()), count(&|case| case.provider.clone()), count(&tasks)]
}

#[test]
fn the_suite_hybrid_loads_two_constructions_of_the_fastest_unless_another_is_named() {
    let usual = planned("hybrid", &Filters::default());
    assert_eq!(loads(&usual), [2, 1, 4]);
    assert!(usual.iter().any(|case| case.operation == "handshake"));
    assert_eq!(loads(&planned("hybrid", &filter(&["*handshake-load*"]))), [2, 1, 4]);
    let other = planned("hybrid", &filter(&["hybrid/X25519MLKEM768/handshake-load*"]));
    assert_eq!(loads(&other), [1, 1, 4]);
    assert!(other.iter().all(|case| case.algorithm != "X-Wing"));
    let named = planned("hybrid", &filter(&["*handshake-load*@rustcrypto"]));
    assert_eq!(loads(&named), [2, 1, 4]);
    assert!(named.iter().all(|case| case.provider == "rustcrypto" || case.is_overhead()));
    let rustcrypto = || Some("rustcrypto".to_owned());
    let halves =
        with(CaseOptions { classical: rustcrypto(), post_quantum: rustcrypto(), tasks: Some(vec![7]), ..unchosen() });
    let of_halves = planned("hybrid", &halves);
    assert_eq!(loads(&of_halves), [2, 1, 1]);
    assert!(of_halves.iter().all(|case| case.provider == "rustcrypto" || case.is_overhead()));
}

#[test]
fn with_a_fixed_number_of_samples_loads_are_measured_only_on_request() {
    let fixed = ProtocolOverrides { kind: Some(ProtocolKind::Reference), ..ProtocolOverrides::default() };
    let number = |filters: &Filters, suite: &str, name: &str| {
        let cases = plan_of(suite, filters, &fixed).cases;
        cases.iter().filter(|case| case.number(name).is_some()).count()
    };
    for suite in ["hybrid", "ntor"] {
        let all = plan_of(suite, &Filters::default(), &fixed).cases;
        let several = |case: &&Case| case.tasks().or(case.threads()).is_some();
        assert_eq!(all.iter().filter(several).count(), 0);
        assert!(all.iter().any(|case| case.operation == "handshake"));
    }
    for (suite, filters) in [
        ("hybrid", filter(&["*/X-Wing/handshake-load*"])),
        ("hybrid", with(CaseOptions { tasks: Some(vec![7]), ..unchosen() })),
        ("ntor", filter(&["*/ntor-v1/*tasks=100,*"])),
        ("scaling", filter(&["*ML-KEM-768/handshake-load*"])),
    ] {
        assert!(number(&filters, suite, "tasks") > 0, "{suite}: {filters:?}");
    }
    // Filters that do not ask for loads must not select loads.
    for (suite, filters) in [
        ("scaling", Filters::default()),
        ("scaling", Filters { algorithms: vec!["ML-KEM-768".into()], ..Filters::default() }),
        ("hybrid", filter(&["*X-Wing*"])),
        ("ntor", filter(&["*ntor-v1*"])),
    ] {
        assert_eq!(number(&filters, suite, "tasks"), 0, "{suite}: {filters:?}");
        assert!(plan_of(suite, &filters, &fixed).cases.len() > 1, "{suite}");
    }
    assert!(number(&Filters::default(), "scaling", "threads") > 0);
    let threads = with(CaseOptions { threads: Some(vec![2]), ..unchosen() });
    assert!(number(&threads, "ntor", "threads") > 0 && number(&threads, "ntor", "tasks") == 0);
}

#[test]
fn the_reference_protocol_uses_the_suites_number_of_samples() {
    let reference = ProtocolOverrides { kind: Some(ProtocolKind::Reference), ..ProtocolOverrides::default() };
    let iterations = |suite: &str, overrides: &ProtocolOverrides| {
        let rustcrypto = Filters { providers: vec!["rustcrypto".into()], ..Filters::default() };
        plan_of(suite, &rustcrypto, overrides).protocol.iterations
    };
    assert_eq!((iterations("sha3", &reference), iterations("kem", &reference)), (Some(2000), Some(1000)));
    assert_eq!(iterations("sha3", &ProtocolOverrides::default()), None);
    assert_eq!(iterations("sha3", &ProtocolOverrides { iterations: Some(7), ..reference.clone() }), Some(7));
    let registry = Registry::new(pqlab_providers::providers());
    let both = ["sha3", "kem"].map(|suite| Suite::find(suite).unwrap());
    let Draft { plan, .. } = Plan::draft(&registry, &both, &filter(&["*SHA3-256*"]), &reference).unwrap();
    assert_eq!(plan.protocol.iterations, Some(1000), "a run must have only one number of samples");
}

#[test]
fn rejects_suites_with_different_numbers_of_samples() {
    let registry = Registry::new(pqlab_providers::providers());
    let suites = ["scaling", "memory"].map(|name| Suite::find(name).unwrap());
    let draft = |overrides: &ProtocolOverrides| Plan::draft(&registry, &suites, &Filters::default(), overrides);
    let error = draft(&ProtocolOverrides::default()).unwrap_err().to_string();
    let reason = "scaling measures until the target precision is reached, but memory takes 40 samples per case: \
                  measure them in two runs, or set --iterations";
    assert!(error.ends_with(reason), "{error}");
    assert!(draft(&ProtocolOverrides { iterations: Some(100), ..ProtocolOverrides::default() }).is_ok());
}

#[test]
fn custom_suites_request_loads_by_naming_them() {
    let registry = Registry::new(pqlab_providers::providers());
    let fixed = ProtocolOverrides { kind: Some(ProtocolKind::Reference), ..ProtocolOverrides::default() };
    for (selection, wanted) in [
        ("workload = \"scaling\"\nalgorithms = [\"X25519\"]\noperations = [\"*-load\"]", true),
        ("workload = \"scaling\"\nalgorithms = [\"X25519\"]\ntasks = [100]", true),
        ("workload = \"scaling\"\nalgorithms = [\"X25519\"]", false),
    ] {
        let suite = Suite::parse(&format!("name = \"x\"\nabout = \"\"\n[[select]]\n{selection}"), "x").unwrap();
        let Draft { plan, .. } = Plan::draft(&registry, &[suite], &Filters::default(), &fixed).unwrap();
        assert_eq!(plan.cases.iter().any(is_load), wanted, "{selection}");
    }
}

#[test]
fn the_suite_ntor_has_the_three_handshakes_on_threads_and_under_load() {
    let usual = planned("ntor", &with(CaseOptions { threads: Some(vec![1, 2]), ..unchosen() }));
    let [algorithms, providers, tasks] = loads(&usual);
    assert!(algorithms == 3 && (1..=3).contains(&providers) && tasks == 2, "{:?}", loads(&usual));
    let several: Vec<&Case> = usual.iter().filter(|case| case.threads().is_some()).collect();
    assert_eq!(several.len(), 3 * 2 * 2, "{several:?}");
    for case in several {
        let alone = |operation: &str| {
            usual
                .iter()
                .any(|one| one.parameters.is_empty() && one.operation == operation && one.provider == case.provider)
        };
        assert!(["create", "reply", "finish", "handshake"].into_iter().all(alone), "{}", case.id());
    }
    let filtered = planned("ntor", &filter(&["*[threads=*"]));
    let real = filtered.iter().filter(|case| !case.is_overhead());
    let algorithms: HashSet<&str> = real.map(|case| case.algorithm.as_str()).collect();
    assert_eq!(algorithms.len(), 3, "{algorithms:?}");
}

#[test]
fn the_suite_standard_has_only_the_usual_kind_of_work() {
    let cases = planned("standard", &Filters::default());
    // The overhead of combining a hybrid's halves is measurable only with caller-supplied randomness.
    let usual = |case: &&Case| case.workload != "hybrid";
    assert!(cases.iter().filter(usual).all(|case| case.kind().to_string().is_empty() && case.keys().is_none()));
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
fn a_pattern_without_an_encoding_matches_every_encoding() {
    let any = "kem/ML-KEM-768/decapsulate[encoded]@rustcrypto";
    let ids = |cases: &[Case]| cases.iter().map(Case::id).filter(|id| id.starts_with("kem")).collect::<Vec<_>>();
    let [seed, expanded] =
        ["seed", "expanded"].map(|key| format!("kem/ML-KEM-768/decapsulate[encoded,key={key}]@rustcrypto"));
    let cases = planned("kem", &filter(&[any]));
    assert_eq!(ids(&cases), [seed.clone(), expanded]);
    assert_eq!(ids(&planned("kem", &filter(&[&seed]))), std::slice::from_ref(&seed));
    let header = RunHeader {
        id: "before".into(),
        suite: "kem".into(),
        command: String::new(),
        seed: 1,
        started_at: String::new(),
        environment: Default::default(),
        protocol: Protocol::default(),
        plan: cases.into_iter().filter(|case| case.id() == seed).collect(),
    };
    for pattern in [any, &seed] {
        let again = Plan::again(&header, &filter(&[pattern]), &ProtocolOverrides::default()).unwrap();
        assert_eq!(ids(&again.cases), std::slice::from_ref(&seed));
    }
}

#[test]
fn an_exclamation_mark_excludes_a_parameter() {
    let registry = Registry::new(pqlab_providers::providers());
    let cases = registry.cases(&CaseOptions { threads: Some(vec![2]), ..CaseOptions::default() });
    let find = |id: &str| cases.iter().find(|case| case.id() == id).unwrap();
    let several = find("ntor/ntor-v1/reply[threads=2]@rustcrypto");
    let alone = find("ntor/ntor-v1/reply@rustcrypto");
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
    let Draft { questions, .. } = Plan::draft(&registry, &suites, &filters, &overrides).unwrap();
    let names: Vec<&str> = questions.iter().map(|question| question.construction.as_str()).collect();
    assert_eq!(names, ["MLDSA65-Ed25519-SHA512"]);
    assert_eq!(questions[0].operations(), ["cycle"]);
}

#[test]
fn filters_narrow_down_what_fastest_is_chosen_from() {
    let registry = Registry::new(pqlab_providers::providers());
    let suites = [Suite::find("hybrid").unwrap()];
    let filters = Filters { options: fastest_halves(), ..filter(&["hybrid/X-Wing/*@rustcrypto*"]) };
    let Draft { questions, .. } = Plan::draft(&registry, &suites, &filters, &ProtocolOverrides::default()).unwrap();
    assert_eq!(questions.len(), 1);
    assert!(questions[0].candidates.len() > 1, "{:?}", questions[0].candidates);
    assert!(questions[0].candidates.iter().all(|pair| pair.starts_with("rustcrypto")));
}

#[test]
fn the_suite_tls_measures_a_selection_and_options_request_the_rest() {
    let usual = planned("tls", &Filters::default());
    let of_tls = |cases: &[Case]| cases.iter().filter(|case| case.workload == "tls").map(Case::id).collect::<Vec<_>>();
    let ids = of_tls(&usual);
    assert!((100..=200).contains(&ids.len()), "{} cases", ids.len());
    for part in ["handshake", "client", "server"] {
        assert!(ids.contains(&format!("tls/X25519MLKEM768/{part}[auth=ML-DSA-65,chain=1]@openssl")), "{part}");
    }
    let filters = Filters {
        algorithms: vec!["MLKEM768".into()],
        options: CaseOptions {
            signatures: vec!["ML-DSA-87".parse().unwrap()],
            chains: Some(vec![3]),
            modes: vec!["psk-dhe".parse().unwrap()],
            ..unchosen()
        },
        ..Filters::default()
    };
    let ids = of_tls(&planned("tls", &filters));
    assert!(ids.contains(&"tls/MLKEM768/server[auth=ML-DSA-87,chain=3,mode=psk-dhe]@rustls".to_owned()), "{ids:?}");
    assert!(ids.iter().all(|id| id.contains("[auth=ML-DSA-87,chain=3,mode=psk-dhe")), "{ids:?}");
}

#[test]
fn a_requested_link_excludes_other_cases() {
    let options = CaseOptions { rtt_ms: Some(100.0), ..unchosen() };
    let plan = planned("tls", &Filters { options, ..Filters::default() });
    let ids: Vec<String> = plan.iter().filter(|case| !case.is_overhead()).map(Case::id).collect();
    assert!((10..=20).contains(&ids.len()), "{}", ids.len());
    assert!(ids.iter().all(|id| id.contains("/connect[") && id.contains(",over=tcp,rtt=100ms]@")), "{ids:?}");
    assert!(planned("tls", &Filters::default()).iter().all(|case| !case.waits_for_network()));
}

#[test]
fn the_suite_tls_has_the_primitives_of_its_handshakes() {
    let all = planned("tls", &Filters::default());
    assert!(all.len() <= 200, "{}", all.len());
    let whole = || all.iter().filter(|case| case.operation == "handshake" && case.transport().is_none());
    // No library offers the classical halves of the SecP groups as separate KEMs.
    let known = |case: &&Case| !case.algorithm.starts_with("SecP");
    assert!(whole().filter(known).count() > 30);
    for case in whole().filter(known) {
        let configuration = Configuration::from_case(case).unwrap();
        for primitive in primitives(&configuration).unwrap() {
            assert!(all.iter().any(|case| primitive.is(case)), "{}: {primitive:?}", case.id());
        }
    }
}

/// Returns the ids of the cases in a suite's draft; `None` if nothing is selected.
fn drafted(
    registry: &Registry,
    suite: &Suite,
    filters: &Filters,
    overrides: &ProtocolOverrides,
) -> Option<HashSet<String>> {
    let draft = Plan::draft(registry, std::slice::from_ref(suite), filters, overrides).ok()?;
    Some(draft.plan.cases.iter().map(Case::id).collect())
}

#[test]
fn a_filter_that_matches_what_a_suite_measures_only_narrows_it() {
    let fixed = ProtocolOverrides { kind: Some(ProtocolKind::Reference), ..ProtocolOverrides::default() };
    let one_auth = CaseOptions { signatures: vec!["ML-DSA-65".parse().unwrap()], ..unchosen() };
    let ways =
        [(unchosen(), ProtocolOverrides::default()), (one_auth, ProtocolOverrides::default()), (unchosen(), fixed)];
    let registry = Registry::new(pqlab_providers::providers());
    for suite in crate::builtin_suites().unwrap() {
        // Only the `tls` suite contains handshakes, which the `signatures` option restricts.
        let ways = ways.iter().filter(|(options, _)| options.signatures.is_empty() || suite.name == "tls");
        for (options, overrides) in ways {
            let all = drafted(&registry, &suite, &with(options.clone()), overrides).unwrap();
            // Filter by parts of the suite's ids, and by parts that many ids share.
            let mut patterns: HashSet<String> =
                ["*", "*@*", "*,chain=1,over=*", "*load*", "*verify*", "*threads=*"].map(str::to_owned).into();
            for id in all.iter().filter(|id| !id.starts_with("floor/")) {
                let parts: Vec<&str> = id.split(['/', '[', '@']).collect();
                patterns.extend([format!("*/{}/*", parts[1]), format!("*/{}*", parts[2])]);
            }
            for pattern in patterns {
                let real = |id: &&String| !id.starts_with("floor/") && !id.ends_with("@null");
                let kept = all.iter().filter(real).filter(|id| matches(&pattern, id)).count();
                let filters = Filters { options: options.clone(), ..filter(&[&pattern]) };
                let Some(narrowed) = drafted(&registry, &suite, &filters, overrides) else { continue };
                let added: Vec<&String> = narrowed.difference(&all).collect();
                assert!(kept == 0 || added.is_empty(), "{} --filter {pattern} adds {added:?}", suite.name);
            }
        }
    }
}

#[test]
fn null_cases_stay_with_the_selected_operations() {
    let tasks = CaseOptions { tasks: Some(vec![100]), workers: Some(4), lengths: Some(vec![256]), ..unchosen() };
    let by_id = Filters { options: tasks, ..filter(&["scaling/Falcon-512/verify-load*"]) };
    let by_algorithm = Filters { algorithms: vec!["Falcon-512".into()], ..Filters::default() };
    for (filters, operation) in [(by_id, "verify-load"), (by_algorithm, "verify")] {
        let cases = planned("scaling", &filters);
        let operations: HashSet<&str> =
            cases.iter().filter(|case| !case.is_overhead()).map(|case| case.operation.as_str()).collect();
        let null: Vec<&Case> =
            cases.iter().filter(|case| case.workload == "scaling" && case.provider == NULL).collect();
        assert!(null.iter().any(|case| case.operation == operation), "{operation}: {null:?}");
        let selected = |case: &Case| case.provider != NULL && case.workload == "scaling";
        assert!(cases.iter().filter(|case| selected(case)).all(|case| case.algorithm == "Falcon-512"));
        assert!(null.iter().all(|case| operations.contains(case.operation.as_str())));
        let header = RunHeader {
            id: "before".into(),
            suite: "scaling".into(),
            command: String::new(),
            seed: 1,
            started_at: String::new(),
            environment: Default::default(),
            protocol: Protocol::default(),
            plan: cases.clone(),
        };
        let again = Plan::again(&header, &filters, &ProtocolOverrides::default()).unwrap();
        assert_eq!(again.cases.len(), cases.len(), "measuring the run again must select the same cases");
    }
}
