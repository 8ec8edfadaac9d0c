//! Writes the report pages of a store as a static site. Any web server can serve the site, and browsers can open it
//! from disk.

use pqlab_lab::analysis::libraries::JobWeights;
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::report::site::{
    BaseUrl, FEED, INDEX, LATEST, SuiteOnMachine, feed, index_page, latest_page, machine_file, machine_page, run_file,
    run_page,
};
use pqlab_lab::store::Store;
use pqlab_lab::{LabError, timeline};
use std::collections::HashMap;

/// Options for a site.
#[derive(Clone, Debug, Default)]
pub struct SiteRequest {
    /// URL of the site, for the links in the feed. Without a URL, these links are relative.
    pub base: Option<BaseUrl>,
    /// Job for which the report recommends a single library: how often the job performs each KEM and signature
    /// operation.
    pub job: JobWeights,
    /// Relay scenario for the tables of circuit handshakes.
    pub scenario: RelayScenario,
}

/// Summary of the written files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteSummary {
    /// Number of runs, each with a page.
    pub runs: usize,
    /// Number of machines, each with a page.
    pub machines: usize,
    /// Number of cases that got worse from one run to the next.
    pub regressions: usize,
    /// Total number of files.
    pub files: usize,
}

/// Generates the files one by one, and passes the path and the content of each to `put`. Paths are relative to the
/// site's folder and separated by slashes. The same store always gives the same bytes.
///
/// # Errors
/// Errors from the store and from `put`, and an error if runs cannot be compared.
pub fn write<E: From<LabError>>(
    store: &Store,
    request: &SiteRequest,
    mut put: impl FnMut(&str, &[u8]) -> Result<(), E>,
) -> Result<SiteSummary, E> {
    let mut suites: HashMap<usize, Vec<SuiteOnMachine>> = HashMap::new();
    let mut files = 0;
    let mut written = |name: &str, text: String| {
        files += 1;
        put(name, text.as_bytes())
    };
    let history = timeline(store, |at| {
        let analysis = at.analysis.with_job(request.job);
        if at.newest {
            let here = suites.entry(at.run.machine).or_default();
            here.push(SuiteOnMachine::new(&analysis, at.own_past, here.len()));
        }
        written(&run_file(&at.run.summary.id), run_page(&analysis, at.past, &request.scenario))
    })?;
    for (place, machine) in history.machines.iter().enumerate() {
        // `suites` is sorted oldest first, but pages list suites newest first.
        let suites: Vec<SuiteOnMachine> = suites.remove(&place).unwrap_or_default().into_iter().rev().collect();
        written(&machine_file(machine), machine_page(&history, place, &suites))?;
    }
    written(FEED, feed(&history, request.base.as_ref()))?;
    written(LATEST, latest_page(&history))?;
    // Write the index last, so that its links never point to missing files.
    written(INDEX, index_page(&history))?;
    let changes = history.runs.iter().filter_map(|run| run.changes.as_ref());
    Ok(SiteSummary {
        runs: history.runs.len(),
        machines: history.machines.len(),
        regressions: changes.map(|changes| changes.regressions.len()).sum(),
        files,
    })
}
