//! Arguments of `pqlab report` and `pqlab serve`.

use super::{DatabaseArgs, JobArgs, ScenarioArgs};
use clap::Args;
use pqlab_lab::report::site::BaseUrl;
use std::path::PathBuf;

/// Write a report: a web page, charts and tables to publish.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab report --out report                     the latest run, with earlier runs as its history
  pqlab report last last~1 --out report         two runs: a trend, or a comparison of machines
  pqlab report --merge                          the newest run of each suite, in one report
  pqlab report --job sign=1,verify=100          best library for frequent verification
  pqlab report --link 20M,1G --rtt 80           the cost of circuit handshakes over these links
  xdg-open report/index.html                    a single self-contained file
  pqlab report --site public                    all runs as a site, with a feed of regressions
  pqlab report --site public --base-url https://host/bench/

Exit codes: 0 done; 2 no such run, or the folder cannot be written")]
pub(crate) struct ReportArgs {
    /// Runs: ids or unique prefixes, baseline names, `last` or `last~1`. The report shows the newest run, with the
    /// others as its history [default: the latest run and the 19 runs before it]
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,

    /// Merge the given runs, or by default the newest complete run of each suite from this machine and build.
    /// Figures for a job come from the newest of the runs that measured the most libraries for it
    #[arg(long)]
    pub(crate) merge: bool,

    /// Folder for the report; created if missing
    #[arg(short, long, value_name = "DIR", default_value = "pqlab-report")]
    pub(crate) out: PathBuf,

    /// Write all stored runs as a static site into this folder: a page per run and per machine, latest.html, and
    /// feed.xml (an Atom feed of regressions). Existing files are replaced, but pages of removed runs stay
    #[arg(long, value_name = "DIR", conflicts_with_all = ["runs", "merge", "out"])]
    pub(crate) site: Option<PathBuf>,

    /// Public address of the site, for absolute links in its feed
    #[arg(long, value_name = "URL", requires = "site")]
    pub(crate) base_url: Option<BaseUrl>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
}

/// Serve reports of all stored runs over HTTP.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab serve                                 then open http://127.0.0.1:8000/
  pqlab serve --listen 127.0.0.1:0            on a free port; prints the port
  pqlab serve --listen 0.0.0.0:8000 --allow-host bench.example

The pages are read-only. They also show a run in progress.

Exit codes: 0 ended by Ctrl-C; 2 no such database, or cannot listen on ADDR")]
pub(crate) struct ServeArgs {
    /// Address to listen on; port 0 picks a free port. Anyone who can reach this address can read all stored runs
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8000")]
    pub(crate) listen: std::net::SocketAddr,

    /// Host name of this server or its proxy, to accept in addition to localhost and IP addresses; other names are
    /// rejected to prevent DNS rebinding [repeatable]
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    pub(crate) allow_host: Vec<String>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// Parses a host name without scheme, port or path.
fn host_name(given: &str) -> Result<String, &'static str> {
    let labels = given.strip_suffix('.').unwrap_or(given).split('.');
    let good = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    match labels.into_iter().all(good) {
        true => Ok(given.to_owned()),
        false => Err("expected a host name such as bench.example without scheme, port or path; non-ASCII in xn-- form"),
    }
}
