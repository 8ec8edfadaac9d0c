//! Atom feed of regressions (RFC 4287), written and escaped by the template engine.

use super::{BaseUrl, FEED, FEED_TITLE, INDEX, hashed, run_file};
use maud::{PreEscaped, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use pqlab_analysis::text::neutral;
use pqlab_analysis::timeline::{Changes, Regressed, Timeline, TimelineRun};

/// Maximum number of entries. The number is limited because readers download the entire feed each time.
const MOST: usize = 500;
/// Time of the last change in a feed without runs.
const NEVER: &str = "1970-01-01T00:00:00Z";

/// Writes the feed. It lists the newest 500 cases that became slower or failed between two consecutive complete runs of
/// the same suite on the same machine. Without a base URL, links are relative to the feed.
pub fn feed(timeline: &Timeline, base: Option<&BaseUrl>) -> String {
    let address = |file: &str| base.map_or_else(|| file.to_owned(), |base| base.join(file));
    let updated = timeline.runs.iter().map(|run| run.moment.as_str()).max().unwrap_or(NEVER);
    let entries = timeline.runs.iter().filter_map(|run| Some((run, run.changes.as_ref()?)));
    let entries = entries.flat_map(|(run, changes)| changes.regressions.iter().map(move |case| (run, changes, case)));
    // A feed's id must never change, so derive it from the URL, or from the oldest run if the URL
    // is unknown.
    let oldest = timeline.runs.last().map_or("", |run| &run.summary.id);
    let site = base.map_or_else(|| uuid(&["feed", oldest]), |base| uuid(&["feed at", &base.to_string()]));
    let markup = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"))
        feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en" {
            id { (site) }
            title { (FEED_TITLE) }
            updated { (updated) }
            author { name { "pqlab" } }
            link rel="self" type="application/atom+xml" href=(address(FEED)) {}
            link rel="alternate" type="text/html" href=(address(INDEX)) {}
            @for (run, changes, case) in entries.take(MOST) {
                entry {
                    id { (uuid(&["regression", &changes.earlier, &run.summary.id, &case.case])) }
                    title { (neutral(&case.case)) ": " (case.words()) }
                    updated { (run.moment) }
                    link rel="alternate" type="text/html" href=(format!("{}#{}", address(&run_file(&run.summary.id)), fragment(&case.case))) {}
                    summary { (summary(timeline, run, changes, case)) }
                }
            }
        }
    };
    markup.into_string()
}

/// Returns the URL fragment for a case: the id as shown on the page, percent-encoded.
pub(crate) fn fragment(case: &str) -> String {
    utf8_percent_encode(&neutral(case), NON_ALPHANUMERIC).to_string()
}

fn summary(timeline: &Timeline, run: &TimelineRun, changes: &Changes, case: &Regressed) -> String {
    let host = timeline.machines.get(run.machine).and_then(|machine| machine.host.name.as_deref());
    let parts = [
        Some(format!("Run {} against run {}", run.summary.id, changes.earlier)),
        Some(format!("suite {}, {}", run.summary.suite, host.unwrap_or("unnamed host"))),
        case.medians(),
    ];
    let mut text = parts.into_iter().flatten().collect::<Vec<_>>().join("; ") + ".";
    for difference in &changes.differences {
        text += &format!(" {} differs: {} and {}.", difference.what, difference.first, difference.second);
    }
    if !case.notes.is_empty() {
        text += &format!(" {}.", case.notes.join("; "));
    }
    neutral(&text)
}

/// Returns a stable identifier for `texts`: a UUID of version 8 (RFC 9562) computed from their digest.
fn uuid(texts: &[&str]) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hashed(texts)[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("urn:uuid:{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
