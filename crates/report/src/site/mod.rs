//! Files and addresses of a static site that shows the runs in a store. [`templates`](crate::templates) writes the
//! pages. All links are relative, so the folder can be moved anywhere.

mod feed;

use crate::charts::slug;
use crate::templates::{Around, Page, page};
use http::Uri;
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::history::Past;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_record::Environment;
use sha2::{Digest, Sha256};
use std::fmt::Display;
use std::str::FromStr;

pub use crate::templates::{SuiteOnMachine, index_page, latest_page, machine_page};
pub use feed::feed;
pub(crate) use feed::fragment;

/// File name of the first page, which lists all runs.
pub const INDEX: &str = "index.html";
/// File name of the page that redirects to the newest complete run.
pub const LATEST: &str = "latest.html";
/// File name of the feed of regressions.
pub const FEED: &str = "feed.xml";
/// Title of the feed.
pub(crate) const FEED_TITLE: &str = "pqlab: regressions";

/// Maximum length of a run id that is used as a file name.
const ID_LENGTH: usize = 64;

/// URL of the site's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(String);

impl FromStr for BaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<BaseUrl, String> {
        let error = || format!("invalid site URL: {text:?}; expected a URL such as https://host/folder/");
        let address: Uri = text.parse().map_err(|_| error())?;
        let has_host = matches!(address.scheme_str(), Some("http" | "https"))
            && address.host().is_some_and(|host| !host.is_empty());
        if !has_host || address.query().is_some() || text.contains(['#', '@', '"', '<', '>']) {
            return Err(error());
        }
        Ok(BaseUrl(text.trim_end_matches('/').to_owned()))
    }
}

impl BaseUrl {
    /// Returns the URL of a file of the site.
    fn join(&self, file: &str) -> String {
        format!("{}/{file}", self.0)
    }
}

impl Display for BaseUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/", self.0)
    }
}

/// Returns the path of a run's page. If the run's id contains characters that are special in file names or URLs, the
/// file name contains a digest of the id.
pub fn run_file(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    match (1..=ID_LENGTH).contains(&id.len()) && id.bytes().all(plain) {
        true => format!("runs/{id}.html"),
        false => format!("runs/{}-{}.html", slug(id), digest(&[id])),
    }
}

/// Returns the path of a machine's page. The path depends only on the host name, the processor model and the number of
/// cores. It therefore stays the same if anything else in the environment changes.
pub fn machine_file(machine: &Environment) -> String {
    let name = machine.host.name.as_deref();
    let identity = digest(&[name.unwrap_or_default(), &machine.cpu.model, &machine.cpu.cores.to_string()]);
    format!("machines/{}-{identity}.html", slug(name.unwrap_or("unnamed")))
}

/// Writes the page of a run as part of the site.
pub fn run_page(analysis: &RunAnalysis<'_>, past: &[Past], scenario: &RelayScenario) -> String {
    let around = Around { home: Some("../index.html"), live: None, feed: Some("../feed.xml") };
    page(&Page { analysis, past, scenario, around }).0
}

/// Returns twelve hexadecimal digits that identify `texts`.
fn digest(texts: &[&str]) -> String {
    hashed(texts)[..6].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the SHA-256 digest of `texts`. Length prefixes ensure that different lists are hashed differently.
fn hashed(texts: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_runs_and_machines_are_distinct_and_stay_in_their_folders() {
        assert_eq!(run_file("20261121T185800-k3f9"), "runs/20261121T185800-k3f9.html");
        let ids =
            ["../../etc/passwd", "..", ".", "", "a b", "a/b", "a%2fb", "<script>", "con\u{202e}", &"x".repeat(500)];
        let files: Vec<String> = ids.iter().map(|id| run_file(id)).collect();
        for (place, file) in files.iter().enumerate() {
            let name = file.strip_prefix("runs/").and_then(|file| file.strip_suffix(".html")).unwrap();
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{file}");
            assert!(name.len() < 100 && !files[..place].contains(file), "{file}");
        }
        let machine = |name: Option<&str>, model: &str| {
            let mut machine = Environment::default();
            (machine.host.name, machine.cpu.model) = (name.map(str::to_owned), model.to_owned());
            machine_file(&machine)
        };
        assert_eq!(machine(Some("a"), "b"), machine(Some("a"), "b"));
        assert_ne!(machine(Some("a"), "bc"), machine(Some("ab"), "c"));
        assert!(machine(None, "b").starts_with("machines/unnamed-"));
        assert!(!machine(Some("../../x"), "b").contains(".."));
    }

    #[test]
    fn accepts_only_base_urls_of_folders() {
        for (text, file) in [
            ("https://host.example", "https://host.example/feed.xml"),
            ("https://host.example/a%20b/", "https://host.example/a%20b/feed.xml"),
            ("http://[::1]:8000/x//", "http://[::1]:8000/x/feed.xml"),
        ] {
            assert_eq!(text.parse::<BaseUrl>().map(|base| base.join(FEED)).as_deref(), Ok(file));
        }
        for wrong in [
            "",
            "host.example",
            "https://host.example/a b/",
            "https:///folder/",
            "https://host.example/a\"b/",
            "file:///tmp",
            "javascript:alert(1)",
            "https://u:p@host.example/",
            "https://h.example/?a=b",
            "https://h.example/#a",
        ] {
            assert!(wrong.parse::<BaseUrl>().is_err(), "{wrong}");
        }
    }
}
