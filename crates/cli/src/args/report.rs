//! The arguments of `pqlab report` and `pqlab serve`.

use super::{DatabaseArgs, JobArgs, ScenarioArgs};
use clap::Args;
use pqlab_lab::report::site::BaseUrl;
use std::path::PathBuf;

/// Make the report: a page, pictures and tables to publish.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab report --out report                     the latest run, with those before it as its history
  pqlab report last last~1 --out report         these two: a trend, or machine against machine
  pqlab report --merge                          one report over the newest run of each suite
  pqlab report --job sign=1,verify=100          which one library, if signatures are verified often
  pqlab report --link 20M,1G --rtt 80           what circuit handshakes cost with such links
  xdg-open report/index.html                    one file that needs nothing else
  pqlab report --site public                    all runs, a feed of regressions: for a static host
  pqlab report --site public --base-url https://host/bench/

Exit codes: 0 done; 2 no such run, or the folder cannot be written")]
pub(crate) struct ReportArgs {
    /// Ids, unique beginnings of them, `last` or `last~1`; the newest is shown, the others are its history
    /// [default: the latest and the 19 before it]
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,

    /// Put the runs into one, or without runs the newest complete one of each suite of this machine and build: each job is of
    /// the run that has the most providers of it, and of several such of the newest. The page says which
    #[arg(long)]
    pub(crate) merge: bool,

    /// The folder, which comes into being if it is not there
    #[arg(long, value_name = "DIR", default_value = "pqlab-report")]
    pub(crate) out: PathBuf,

    /// Write the whole store as a static site into this folder instead: all runs with a page each, a page for each machine with
    /// its history, latest.html, and feed.xml, an Atom feed of the cases that got worse from a complete run to the next of the same
    /// suite on the same machine. Files are replaced; those of runs that are gone stay
    #[arg(long, value_name = "DIR", conflicts_with_all = ["runs", "merge", "out"])]
    pub(crate) site: Option<PathBuf>,

    /// Where the site will be found: its feed then has whole addresses
    #[arg(long, value_name = "URL", requires = "site")]
    pub(crate) base_url: Option<BaseUrl>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
}

/// Serve the report's pages over the whole store, read-only; a run that is going on is shown as it grows.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab serve                                 then open http://127.0.0.1:8000/
  pqlab serve --listen 127.0.0.1:0            on a free port, which it prints
  pqlab serve --listen 0.0.0.0:8000 --allow-host bench.example

Exit codes: 0 Ctrl-C ended it; 2 no such database, or it cannot listen there")]
pub(crate) struct ServeArgs {
    /// Where to listen; port 0 takes one that is free. Whoever reaches it reads the whole store
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8000")]
    pub(crate) listen: std::net::SocketAddr,

    /// A name under which a browser may ask, beside localhost and IP addresses: of this machine, or of a proxy before it. Others are
    /// refused, because a foreign page could let a name of its own point here and read along. May be repeated
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    pub(crate) allow_host: Vec<String>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// The name of a host, without scheme, port and path, none of which a browser's choice of a host has.
fn host_name(given: &str) -> Result<String, &'static str> {
    let labels = given.strip_suffix('.').unwrap_or(given).split('.');
    let good = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    match labels.into_iter().all(good) {
        true => Ok(given.to_owned()),
        false => Err(
            "give the name alone, as in bench.example: no scheme, port or path; other scripts in their ASCII form, xn--",
        ),
    }
}
