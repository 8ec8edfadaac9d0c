//! Builds plans from suites and filters.

use crate::patterns::{matches, nearest};
use crate::planning::suite;
use crate::{LabError, ProtocolOverrides, Select, Suite, Thing};
use pqlab_record::{Case, FLOOR, Fastest, Form, Protocol, ProtocolKind, RunHeader};
use pqlab_workloads::fastest::{self, FASTEST, Question};
use pqlab_workloads::{
    CaseOptions, MESSAGE_SETS_MISSING, NULL, Registry, Workload, lacks_message_set, networks_are_available,
    waits_for_kernel,
};
use std::collections::HashSet;
use wildmatch::WildMatch;

/// Filters from the command line. Patterns have the same syntax as in [`Select`].
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// Patterns for case ids. A case must match one of them.
    pub ids: Vec<String>,
    /// Patterns for providers.
    pub providers: Vec<String>,
    /// Patterns for algorithms.
    pub algorithms: Vec<String>,
    /// Transport of handshakes, such as `tcp`. Selects only cases with this transport. If `options` describe a network
    /// link, this selects only cases over networks.
    pub over: Option<String>,
    /// Parameters of the cases, which replace the suites' parameters.
    pub options: CaseOptions,
}

/// Cases to measure, and the measurement settings.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Names of the suites, joined by a plus sign.
    pub suite: String,
    /// The cases.
    pub cases: Vec<Case>,
    /// The measurement settings.
    pub protocol: Protocol,
}

/// Plan before any trial. It contains every library that trials might choose as `fastest`.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) plan: Plan,
    /// Choices of `fastest` libraries that trials must make. If empty, the plan is final.
    pub(crate) questions: Vec<Question>,
    /// Number of loads (cases with many concurrent tasks) that the plan leaves out, because the number of samples is
    /// fixed.
    pub(crate) loads_left_out: usize,
}

/// Description of loads that a plan leaves out, for messages to the user.
pub(crate) const LOADS_LEFT_OUT: &str = "loads with many concurrent tasks, which a run with a fixed number of samples \
                                         leaves out; to measure them, set a number of tasks or use a filter that \
                                         matches only loads";

impl Plan {
    /// Plans the cases that suites and filters select from the registry. The libraries in `found`, chosen by trials,
    /// replace `fastest`.
    ///
    /// # Errors
    /// [`LabError::Unknown`] for a name without a match, [`LabError::Invalid`] for a value that cannot be measured, and
    /// [`LabError::NothingSelected`] if no case matches.
    pub(crate) fn new(
        registry: &Registry,
        suites: &[Suite],
        filters: &Filters,
        overrides: &ProtocolOverrides,
        found: &[Fastest],
    ) -> Result<Plan, LabError> {
        let Draft { mut plan, .. } = Plan::select(registry, suites, filters, overrides, Some(found))?;
        plan.protocol.fastest = found.to_vec();
        Ok(plan)
    }

    /// Like [`new`](Self::new), but before any trial. The draft contains every pair of libraries that trials might
    /// choose as `fastest`, and the questions that the trials must answer.
    ///
    /// # Errors
    /// Same as [`new`](Self::new).
    pub(crate) fn draft(
        registry: &Registry,
        suites: &[Suite],
        filters: &Filters,
        overrides: &ProtocolOverrides,
    ) -> Result<Draft, LabError> {
        Plan::select(registry, suites, filters, overrides, None)
    }

    fn select(
        registry: &Registry,
        suites: &[Suite],
        filters: &Filters,
        overrides: &ProtocolOverrides,
        found: Option<&[Fastest]>,
    ) -> Result<Draft, LabError> {
        let halves = registry.providers().iter().flat_map(|provider| [provider.id(), provider.library.clone()]);
        let halves: Vec<String> = halves.chain([FASTEST.to_owned()]).collect();
        let selected = suites.iter().filter(|suite| !suite.builtin).flat_map(|suite| &suite.select);
        let selected = selected.flat_map(|select| [&select.options.classical, &select.options.post_quantum]).flatten();
        for half in filters.options.classical.iter().chain(&filters.options.post_quantum).chain(selected) {
            check_patterns(Thing::Provider, std::slice::from_ref(half), halves.iter().map(String::as_str))?;
        }
        let cores = overrides.affinity.as_ref().map(Vec::len);
        check_names_in(registry, suites, filters, &options(&Select::default(), filters, cores, None)?)?;

        let mut protocol = Protocol::default();
        let mut cases: Vec<Case> = Vec::new();
        let mut questions = Vec::new();
        let mut seen = HashSet::new();
        let floor = Select { workload: FLOOR.into(), null: true, ..Select::default() };
        for suite in suites {
            suite.protocol.apply(&mut protocol);
        }
        overrides.check()?;
        if overrides.iterations.is_none() && overrides.kind.is_none() {
            check_sample_rules(suites)?;
        }
        let reference_iterations = overrides.reference_iterations.or_else(|| suite::reference_iterations(suites));
        ProtocolOverrides { reference_iterations, ..overrides.clone() }.apply(&mut protocol);
        let offer = |selection: &Select, builtin: bool| {
            let workload = named_workload(registry, &selection.workload)?;
            let options = options(selection, filters, cores, found)?;
            let cases = select(registry, workload, selection, filters, &options, builtin)?;
            Ok::<_, LabError>((workload, options, cases))
        };
        let (.., floor) = offer(&floor, true)?;
        cases.extend(floor.into_iter().filter(|case| seen.insert(case.id())));
        let fixed = protocol.kind != ProtocolKind::Adaptive;
        let spared = implicit_loads(&protocol, suites, filters);
        let mut loads_left_out = 0;
        for suite in suites {
            let mut offers = Vec::new();
            let mut selections = Vec::new();
            for selection in &suite.select {
                let (workload, options, offered) = offer(selection, suite.builtin)?;
                let apart = fixed && selection.adaptive_only;
                let reach = |case: &Case| {
                    let load = is_load(case);
                    if spared && load || apart && !filters.name_numbers(case) {
                        Reach::Everything
                    } else {
                        Reach::new(case, selection)
                    }
                };
                let of_selection = offers.len()..offers.len() + offered.len();
                offers.extend(offered.into_iter().map(|case| (reach(&case), case)));
                selections.push((workload, options, of_selection));
            }
            let chosen = filters.choose(&offers);
            let left_out = |(at, (_, case)): &(usize, &(Reach, Case))| {
                spared && is_load(case) && !chosen.contains(at) && filters.take(case)
            };
            loads_left_out += offers.iter().enumerate().filter(left_out).count();
            for (workload, options, of_selection) in selections {
                let selected = of_selection.filter(|at| chosen.contains(at)).map(|at| offers[at].1.clone());
                let selected: Vec<Case> = selected.collect();
                if found.is_none() {
                    fastest::merge(&mut questions, workload.questions(&selected, registry.providers(), &options));
                }
                cases.extend(selected.into_iter().filter(|case| seen.insert(case.id())));
            }
        }
        // Drop overhead cases of workers that have no other case in the plan.
        let measured: HashSet<&str> =
            cases.iter().filter(|case| !case.is_overhead()).map(|case| case.provider.as_str()).collect();
        let idle = |case: &Case| case.provider != NULL && !measured.contains(case.provider.as_str());
        let idle: HashSet<String> = cases.iter().filter(|case| idle(case)).map(Case::id).collect();
        let wanted = suites.iter().any(|suite| suite.select.iter().any(|select| select.workload == FLOOR));
        cases.retain(|case| wanted || !idle.contains(&case.id()));
        if !wanted && cases.iter().all(Case::is_overhead) {
            return Err(match loads_left_out {
                0 => LabError::NothingSelected { with: Vec::new(), near: Vec::new() },
                _ => LabError::invalid("tasks", format!("no case is selected except {LOADS_LEFT_OUT}")),
            });
        }
        let suite = suites.iter().map(|suite| suite.name.as_str()).collect::<Vec<_>>().join("+");
        Ok(Draft { plan: Plan { suite, cases, protocol }, questions, loads_left_out })
    }
}

/// Rejects suites with different rules for the number of samples, because a run has only one such rule.
fn check_sample_rules(suites: &[Suite]) -> Result<(), LabError> {
    let Some(first) = suites.first() else { return Ok(()) };
    let differs = |suite: &&Suite| suite.protocol.iterations != first.protocol.iterations;
    let Some(other) = suites.iter().find(differs) else { return Ok(()) };
    let rule = |suite: &Suite| match suite.protocol.iterations {
        Some(iterations) => format!("{} takes {iterations} samples per case", suite.name),
        None => format!("{} measures until the target precision is reached", suite.name),
    };
    let reason = format!("{}, but {}: measure them in two runs, or set --iterations", rule(first), rule(other));
    Err(LabError::invalid("suite", reason))
}

impl Plan {
    /// Plans the cases of an earlier run that match the filters, under the rules of that run. `overrides` replace some
    /// of the rules.
    ///
    /// # Errors
    /// [`LabError::NoCaseOfRun`] if no case matches, [`LabError::Invalid`] for an invalid value.
    pub fn again(header: &RunHeader, filters: &Filters, overrides: &ProtocolOverrides) -> Result<Plan, LabError> {
        overrides.check()?;
        let mut protocol = header.protocol.clone();
        overrides.apply(&mut protocol);
        let floors: HashSet<String> = header.plan.iter().filter(|case| filters.take(case)).map(overhead_key).collect();
        let overhead = |case: &Case| case.provider == NULL && floors.contains(&overhead_key(case));
        let taken = |case: &&Case| case.is_overhead() || filters.take(case) || overhead(case);
        let cases: Vec<Case> = header.plan.iter().filter(taken).cloned().collect();
        if cases.iter().all(Case::is_overhead) {
            let ids: Vec<String> = header.plan.iter().map(Case::id).collect();
            let near =
                filters.ids.iter().flat_map(|pattern| nearest(pattern, ids.iter().map(String::as_str))).collect();
            return Err(LabError::NoCaseOfRun { run: header.id.clone(), pattern: None, near });
        }
        Ok(Plan { suite: header.suite.clone(), cases, protocol })
    }
}

impl Filters {
    /// Returns whether the filters name a library. A pattern that matches every library does not name one.
    fn name_libraries(&self) -> bool {
        let names_one = |id: &String| id.rsplit_once('@').is_some_and(|(_, provider)| provider != "*");
        self.options.classical.is_some()
            || self.options.post_quantum.is_some()
            || !self.providers.is_empty()
            || self.ids.iter().any(names_one)
    }

    /// Returns a note for each pattern that selects none of the planned cases, although another pattern of its kind does.
    pub(crate) fn idle(&self, cases: &[Case]) -> Vec<String> {
        let planned = || cases.iter().filter(|case| !case.is_overhead());
        let mut notes = Vec::new();
        let mut add = |pattern: &String, is_used: bool| {
            if !is_used {
                notes.push(format!("no selected case matches {pattern}"));
            }
        };
        for pattern in &self.algorithms {
            add(pattern, planned().any(|case| matches(pattern, &case.algorithm)));
        }
        for pattern in &self.providers {
            let is_named = |case: &Case| matches(pattern, &case.provider) || matches(pattern, case.library());
            add(pattern, planned().any(is_named));
        }
        for pattern in &self.ids {
            add(pattern, planned().any(|case| names(pattern, case)));
        }
        notes
    }

    /// Returns whether the options set the number of tasks or threads of this case.
    fn name_numbers(&self, case: &Case) -> bool {
        is_load(case) && self.options.tasks.is_some() || case.threads().is_some() && self.options.threads.is_some()
    }

    /// Returns whether the filters select a case.
    pub(crate) fn take(&self, case: &Case) -> bool {
        (self.ids.is_empty() || self.ids.iter().any(|pattern| names(pattern, case)))
            && self.take_provider(case)
            && matches_any(&self.algorithms, &case.algorithm)
    }

    fn take_provider(&self, case: &Case) -> bool {
        matches_any(&self.providers, &case.provider) || matches_any(&self.providers, case.library())
    }

    /// Selects the cases to measure from `offers`, which lists all cases that a suite can measure. Returns positions in
    /// `offers`. Normally, filters select from the cases that the suite measures by default. A pattern that matches
    /// none of these selects from the other cases.
    fn choose(&self, offers: &[(Reach, Case)]) -> HashSet<usize> {
        let every = ["*".to_owned()];
        let or_every = |patterns: &'_ [String]| if patterns.is_empty() { every.to_vec() } else { patterns.to_vec() };
        let (ids, algorithms) = (or_every(&self.ids), or_every(&self.algorithms));
        let named = !self.ids.is_empty() || !self.algorithms.is_empty();
        let mut chosen = HashSet::new();
        for (id, algorithm) in ids.iter().flat_map(|id| algorithms.iter().map(move |algorithm| (id, algorithm))) {
            let matching = |(_, (_, case)): &(usize, &(Reach, Case))| {
                self.take_provider(case) && matches(algorithm, &case.algorithm) && names(id, case)
            };
            let matching: Vec<(usize, &(Reach, Case))> = offers.iter().enumerate().filter(matching).collect();
            let real = matching.iter().filter(|(_, (_, case))| case.provider != NULL);
            let nearest = real.map(|(_, (reach, _))| *reach).min();
            let nearest = nearest.or_else(|| matching.iter().map(|(_, (reach, _))| *reach).min());
            let reached = nearest.filter(|_| named).unwrap_or(Reach::Usual);
            chosen.extend(matching.iter().filter(|(_, (reach, _))| *reach == reached).map(|(at, _)| *at));
        }
        let floors: HashSet<String> = chosen.iter().map(|&at| overhead_key(&offers[at].1)).collect();
        let overhead = |case: &Case| case.provider == NULL && floors.contains(&overhead_key(case));
        chosen.extend((0..offers.len()).filter(|&at| overhead(&offers[at].1)));
        chosen
    }
}

/// Part of a suite to which a case belongs. A filter selects from the first of these parts that contains a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// Cases that the suite measures by default.
    Usual,
    /// Cases with an algorithm that the suite leaves out by default.
    OtherAlgorithm,
    /// Cases with an operation that the suite leaves out by default, and cases that the protocol leaves out, such as
    /// loads.
    Everything,
}

impl Reach {
    fn new(case: &Case, select: &Select) -> Reach {
        if !matches_any(&select.usual_operations, &case.operation) {
            Reach::Everything
        } else if case.provider != NULL && !matches_any(&select.usual_algorithms, &case.algorithm) {
            Reach::OtherAlgorithm
        } else {
            Reach::Usual
        }
    }
}

/// Returns a key that is equal for a case and for the `null` case that measures its overhead.
fn overhead_key(case: &Case) -> String {
    let parameters: Vec<String> = case.parameters.iter().map(ToString::to_string).collect();
    format!("{}/{}/{:?}[{}]", case.workload, case.operation, case.form, parameters.join(","))
}

/// Returns whether the case is a load, which runs many tasks concurrently.
fn is_load(case: &Case) -> bool {
    case.tasks().is_some()
}

/// Returns whether to leave out loads that the user has not requested. With a fixed number of samples, a run measures
/// loads only on request, because a thousand samples of 5,000 tasks take an hour per case. Users request loads by
/// setting a number of tasks, or with a custom suite that names them. A filter that matches only loads always selects
/// them.
fn implicit_loads(protocol: &Protocol, suites: &[Suite], filters: &Filters) -> bool {
    let of_suite = |suite: &Suite| {
        let says = |pattern: &String| pattern.contains("load") || pattern.contains("tasks=");
        let says = |select: &Select| select.options.tasks.is_some() || select.operations.iter().any(says);
        !suite.builtin && suite.select.iter().any(says)
    };
    let wanted = filters.options.tasks.is_some() || suites.iter().any(of_suite);
    protocol.kind != ProtocolKind::Adaptive && !wanted
}

/// Removes cases that cannot run on this machine, and reports them through `note`.
pub(crate) fn remove_unavailable(cases: &mut Vec<Case>, note: &mut dyn FnMut(&str)) -> Result<(), LabError> {
    without_networks(cases, note)?;
    let lacking = cases.iter().filter(|case| lacks_message_set(case)).count();
    if lacking == 0 {
        return Ok(());
    }
    cases.retain(|case| !lacks_message_set(case));
    if cases.iter().all(Case::is_overhead) {
        return Err(LabError::invalid("variants", MESSAGE_SETS_MISSING));
    }
    note(&format!("not measured: cases that sign published messages ({lacking}), because {MESSAGE_SETS_MISSING}"));
    Ok(())
}

fn without_networks(cases: &mut Vec<Case>, note: &mut dyn FnMut(&str)) -> Result<(), LabError> {
    let over_networks = cases.iter().filter(|case| waits_for_kernel(case)).count();
    let Some(reason) = (over_networks > 0).then(networks_are_available).and_then(Result::err) else { return Ok(()) };
    cases.retain(|case| !waits_for_kernel(case));
    if cases.iter().all(Case::is_overhead) {
        return Err(LabError::invalid(
            "network",
            format!("{reason}; handshakes in memory and over the loopback interface need no network: `pqlab run tls`"),
        ));
    }
    note(&format!("not measured: cases over networks ({over_networks}): {reason}"));
    Ok(())
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
    let mut cases = registry.cases_of(workload, options);
    if !builtin {
        check_patterns(Thing::Algorithm, &select.algorithms, cases.iter().map(|case| case.algorithm.as_str()))?;
        check_patterns(Thing::Operation, &select.operations, cases.iter().map(|case| case.operation.as_str()))?;
        let providers = cases.iter().flat_map(|case| [case.provider.as_str(), case.library()]);
        check_patterns(Thing::Provider, &select.providers, providers)?;
        check_patterns(Thing::Form, &select.forms, ["prepared", "encoded"].into_iter())?;
    }
    let over_network = filters.options.ask_for_network();
    let asked_for_null = filters.providers.iter().any(|pattern| pattern == NULL);
    cases.retain(|case| {
        let form = match case.form {
            Some(Form::Prepared) => "prepared",
            Some(Form::Encoded) => "encoded",
            None => "",
        };
        (select.null || asked_for_null || case.provider != NULL)
            && select.parameters.iter().all(|pattern| has_parameter(case, pattern))
            && filters.over.as_deref().is_none_or(|over| case.is_overhead() || case.transport() == Some(over))
            && (!over_network || case.is_overhead() || case.waits_for_network())
            && matches_any(&select.algorithms, &case.algorithm)
            && matches_any(&select.operations, &case.operation)
            && (matches_any(&select.providers, &case.provider) || matches_any(&select.providers, case.library()))
            && (form.is_empty() || matches_any(&select.forms, form))
    });
    // Overhead cases call no library, so one case serves all states.
    let states = &options.states;
    if !states.is_empty() && select.workload != FLOOR {
        cases = cases.iter().flat_map(|case| states.iter().map(|&state| case.clone().in_state(state))).collect();
    }
    Ok(cases)
}

/// Returns whether a parameter of the case matches the pattern. If the pattern begins with an exclamation mark, returns
/// whether no parameter matches the rest. A case without parameters is never excluded.
fn has_parameter(case: &Case, pattern: &str) -> bool {
    let any = |pattern: &str| case.parameters.iter().any(|parameter| matches(pattern, &parameter.to_string()));
    match pattern.strip_prefix('!') {
        Some(unwanted) => !any(unwanted),
        None => case.parameters.is_empty() || any(pattern),
    }
}

/// Combines the parameters of a selection with those from the command line. The command line takes precedence.
fn options(
    select: &Select,
    filters: &Filters,
    cores: Option<usize>,
    found: Option<&[Fastest]>,
) -> Result<CaseOptions, LabError> {
    let mut base = select.options.clone();
    if filters.name_libraries() {
        (base.classical, base.post_quantum) = (None, None);
    }
    let options = CaseOptions { cores, fastest: found.map(<[Fastest]>::to_vec), ..filters.options.clone().or(base) };
    options.check().map_err(|error| LabError::invalid(error.field, error.to_string()))?;
    Ok(options)
}

/// Returns whether a pattern matches the id of a case. A pattern without a private-key encoding matches every encoding.
fn names(pattern: &str, case: &Case) -> bool {
    matches(pattern, &case.id()) || (!pattern.contains("key=") && matches(pattern, &case.id_without_key()))
}

/// Returns whether any pattern matches. Everything matches an empty list.
fn matches_any(patterns: &[String], text: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, text))
}

/// Checks that every provider pattern and algorithm pattern of the filters matches a case. Lists the cases of all
/// workloads only if those of the suites do not suffice, because that takes longer than the rest of the planning.
fn check_names_in(
    registry: &Registry,
    suites: &[Suite],
    filters: &Filters,
    options: &CaseOptions,
) -> Result<(), LabError> {
    if filters.providers.is_empty() && filters.algorithms.is_empty() {
        return Ok(());
    }
    let names: HashSet<&str> =
        suites.iter().flat_map(|suite| &suite.select).map(|select| select.workload.as_str()).collect();
    let workloads = registry.workloads().iter().filter(|workload| names.contains(workload.id()));
    let cases: Vec<Case> = workloads.flat_map(|workload| registry.cases_of(workload.as_ref(), options)).collect();
    check_names(filters, &cases).or_else(|_| check_names(filters, &registry.cases(options)))
}

/// Checks that every provider pattern and algorithm pattern of the filters matches a case.
pub(crate) fn check_names(filters: &Filters, all: &[Case]) -> Result<(), LabError> {
    check_patterns(Thing::Provider, &filters.providers, all.iter().map(|case| case.provider.as_str()))?;
    check_patterns(Thing::Algorithm, &filters.algorithms, all.iter().map(|case| case.algorithm.as_str()))
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
mod tests;
