//! A whole store as a static site: the same pages as files, that any host can serve and a browser opens from the disk.

use pqlab_lab::analysis::libraries::JobWeights;
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::report::site::{
    BaseUrl, FEED, INDEX, LATEST, SuiteOnMachine, feed, index_page, latest_page, machine_file, machine_page, run_file,
    run_page,
};
use pqlab_lab::store::Store;
use pqlab_lab::{LabError, timeline};
use std::collections::HashMap;

/// What a site is made for.
#[derive(Clone, Debug, Default)]
pub struct SiteRequest {
    /// Where it will be found; without, the feed has addresses relative to itself.
    pub base: Option<BaseUrl>,
    /// For which job one library is chosen.
    pub job: JobWeights,
    /// What tables of circuit handshakes ask about.
    pub scenario: RelayScenario,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteSummary {
    /// Runs, each with a page.
    pub runs: usize,
    /// Machines, likewise.
    pub machines: usize,
    /// Cases that got worse from one run to the next.
    pub regressions: usize,
    /// Files in all.
    pub files: usize,
}

/// Makes the files one after the other and hands each to `put`: its path below the folder, with slashes between the parts, and
/// what it holds. The same store gives the same bytes.
///
/// # Errors
/// What the store says, what is wrong with a run, and what `put` does.
pub fn write<E: From<LabError>>(
    store: &Store,
    asked: &SiteRequest,
    mut put: impl FnMut(&str, &[u8]) -> Result<(), E>,
) -> Result<SiteSummary, E> {
    let mut suites: HashMap<usize, Vec<SuiteOnMachine>> = HashMap::new();
    let mut files = 0;
    let mut written = |name: &str, text: String| {
        files += 1;
        put(name, text.as_bytes())
    };
    let made = timeline(store, |at| {
        let analysis = at.analysis.with_job(asked.job);
        if at.newest {
            let here = suites.entry(at.run.machine).or_default();
            here.push(SuiteOnMachine::of(&analysis, at.own_past, here.len()));
        }
        written(&run_file(&at.run.summary.id), run_page(&analysis, at.past, &asked.scenario))
    })?;
    for (place, machine) in made.machines.iter().enumerate() {
        // They came from the oldest to the newest.
        let suites: Vec<SuiteOnMachine> = suites.remove(&place).unwrap_or_default().into_iter().rev().collect();
        written(&machine_file(machine), machine_page(&made, place, &suites))?;
    }
    written(FEED, feed(&made, asked.base.as_ref()))?;
    written(LATEST, latest_page(&made))?;
    // The first page comes last: what it leads to is there.
    written(INDEX, index_page(&made))?;
    let changes = made.runs.iter().filter_map(|run| run.changes.as_ref());
    Ok(SiteSummary {
        runs: made.runs.len(),
        machines: made.machines.len(),
        regressions: changes.map(|changes| changes.regressions.len()).sum(),
        files,
    })
}
