//! Tests static sites generated from synthetic runs: links resolve, the feed is valid Atom, regressions are found, and
//! names are escaped.

#![allow(clippy::unwrap_used)]

use percent_encoding::percent_decode_str;
use pqlab_fixtures::{HOSTILE, sound_run};
use pqlab_lab::LabError;
use pqlab_lab::record::{Record, Run};
use pqlab_lab::store::Store;
use pqlab_server::site::{SiteRequest, SiteSummary, write};
use roxmltree::{Document, Node};
use std::collections::{BTreeMap, BTreeSet};

const ATOM: &str = "http://www.w3.org/2005/Atom";

type Files = BTreeMap<String, String>;

fn run(id: &str, day: u32) -> Run {
    let mut run = sound_run();
    run.header.id = id.to_owned();
    run.header.started_at = format!("2026-11-{day:02}T18:58:00Z");
    run.finished_at = Some(format!("2026-11-{day:02}T19:00:00Z"));
    run
}

fn slow(record: &mut Record, factor: f64) {
    for visit in &mut record.samples.visits {
        let readings = visit.ticks.iter_mut().chain(&mut visit.wall_ns);
        readings.for_each(|reading| *reading = (*reading as f64 * factor).round() as u64);
    }
}

/// Returns two runs of a machine (the second with a slower case), an interrupted run, and two runs of the same suite on
/// another machine. The runs on the other machine are much slower and have hostile names.
fn runs() -> Vec<Run> {
    let (first, mut second, mut wild, mut stopped) =
        (run("first", 1), run("second", 2), run("../wild\"<b>", 3), run("stopped", 4));
    slow(&mut second.records[0], 1.2);
    wild.header.suite = HOSTILE.to_owned();
    wild.header.environment.host.name = Some(HOSTILE.to_owned());
    wild.header.environment.cpu.model = HOSTILE.to_owned();
    for (place, record) in wild.records.iter_mut().enumerate() {
        record.case.provider = format!("{HOSTILE}{place}");
        slow(record, 2.0);
    }
    wild.header.plan = wild.records.iter().map(|record| record.case.clone()).collect();
    let mut wilder = wild.clone();
    wilder.header.id = HOSTILE.to_owned();
    wilder.header.started_at = "2026-11-05T18:58:00Z".to_owned();
    wilder.finished_at = Some("no time at all".to_owned());
    wilder.records.iter_mut().for_each(|record| slow(record, 1.5));
    (stopped.complete, stopped.finished_at) = (false, None);
    stopped.records.truncate(1);
    slow(&mut stopped.records[0], 3.0);
    vec![first, second, wild, stopped, wilder]
}

fn site(runs: &[Run], base: Option<&str>) -> (Files, SiteSummary) {
    let mut store = Store::in_memory().unwrap();
    runs.iter().for_each(|run| _ = store.import_run(run).unwrap());
    let request = SiteRequest { base: base.map(|base| base.parse().unwrap()), ..SiteRequest::default() };
    let mut files = Files::new();
    let summary = write(&store, &request, |name, content| {
        let text = String::from_utf8(content.to_vec()).unwrap();
        assert!(files.insert(name.to_owned(), text).is_none(), "{name} was written twice");
        Ok::<(), LabError>(())
    });
    let summary = summary.unwrap();
    assert_eq!(summary.files, files.len());
    (files, summary)
}

/// Returns the target of a link: a file of the site, and a fragment in that file.
fn target(from: &str, link: &str) -> (String, String) {
    let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => assert!(parts.pop().is_some(), "{from}: {link} leads out of the folder"),
            part => parts.push(part),
        }
    }
    (parts.join("/"), percent_decode_str(fragment).decode_utf8().unwrap().into_owned())
}

/// Returns the ids of the cases in a page's data. The page's script shows the case that the URL fragment names.
fn cases(page: &str) -> BTreeSet<String> {
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let ids = data.split("{\"i\":").skip(1).map(|rest| {
        let mut texts = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        texts.next().unwrap().unwrap()
    });
    ids.collect()
}

fn links(page: &str) -> Vec<String> {
    let whole = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
    whole.filter(|link| !link.starts_with('#') && link != "data:,").collect()
}

#[test]
fn every_link_resolves_to_a_file_of_the_site() {
    let (files, summary) = site(&runs(), None);
    assert_eq!((summary.runs, summary.machines), (5, 2));
    assert!(files.contains_key("runs/first.html") && files.contains_key("runs/stopped.html"));
    let mut followed = 0;
    for (name, page) in files.iter().filter(|(name, _)| name.ends_with(".html")) {
        for link in links(page) {
            let (file, case) = target(name, &link);
            let found = files.get(&file).unwrap_or_else(|| panic!("{name}: broken link {link}"));
            assert!(case.is_empty() || cases(found).contains(&case), "{name}: {link} names an unknown case");
            followed += 1;
        }
        assert!(name == "index.html" || page.contains("index.html") || name == "latest.html", "{name} is a dead end");
    }
    assert!(followed > 30, "only {followed} links");
    let every_page = files.keys().filter(|name| name.contains('/')).collect::<Vec<_>>();
    let first: BTreeSet<String> = links(&files["index.html"]).iter().map(|link| target("index.html", link).0).collect();
    assert!(every_page.iter().all(|page| first.contains(*page)), "the index must link to {every_page:?}: {first:?}");
    // The latest page must redirect to the newest complete run.
    let refreshed = files["latest.html"].split_once("0; url=").unwrap().1.split('"').next().unwrap();
    assert!(refreshed.starts_with("runs/a-b-c") && files.contains_key(refreshed), "{refreshed}");
}

#[test]
fn escapes_names_and_confines_paths() {
    let (files, _) = site(&runs(), None);
    for (name, page) in &files {
        assert!(!name.contains("..") && !name.starts_with('/') && name.is_ascii(), "{name}");
        assert!(!page.contains("<script>alert") && !page.contains("<b>"), "{name}");
        let page_of_run = name.starts_with("runs/");
        let scripts = page.matches("<script").count();
        assert_eq!(scripts, if page_of_run { 2 } else { usize::from(name.ends_with(".html")) }, "{name}");
        assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'), "{name}");
    }
}

#[test]
fn same_store_gives_the_same_bytes() {
    assert_eq!(site(&runs(), None).0, site(&runs(), None).0);
}

fn child<'a>(of: Node<'a, 'a>, name: &'a str) -> Vec<Node<'a, 'a>> {
    of.children().filter(|node| node.has_tag_name((ATOM, name))).collect()
}

fn only<'a>(of: Node<'a, 'a>, name: &'a str) -> &'a str {
    let found = child(of, name);
    assert_eq!(found.len(), 1, "{name}");
    found[0].text().unwrap_or_default()
}

fn link<'a>(of: Node<'a, 'a>, relation: &str) -> &'a str {
    let found: Vec<_> = child(of, "link").into_iter().filter(|link| link.attribute("rel") == Some(relation)).collect();
    assert_eq!(found.len(), 1, "{relation}");
    found[0].attribute("href").unwrap()
}

/// Checks that a feed conforms to RFC 4287. Returns the entries in the order of the feed.
fn entries<'a>(feed: &'a Document<'a>) -> Vec<Node<'a, 'a>> {
    let root = feed.root_element();
    assert!(root.has_tag_name((ATOM, "feed")));
    let entries = child(root, "entry");
    let mut ids = BTreeSet::new();
    for node in std::iter::once(root).chain(entries.iter().copied()) {
        let id = only(node, "id");
        assert!(id.starts_with("urn:uuid:") && id.len() == 45 && ids.insert(id), "{id}");
        let updated = only(node, "updated");
        assert!(updated.len() == 20 && updated.starts_with("20") && updated.ends_with('Z'), "{updated}");
        assert!(!only(node, "title").is_empty());
    }
    assert_eq!(child(root, "author").len(), 1, "the feed must name one author");
    entries
}

#[test]
fn feed_lists_exactly_the_regressions_on_the_same_machine() {
    let runs = runs();
    let (files, summary) = site(&runs, None);
    let feed = Document::parse(&files["feed.xml"]).unwrap();
    let entries = entries(&feed);
    let measured = runs[4].records.iter().filter(|record| !record.case.is_overhead()).count();
    assert_eq!((entries.len(), summary.regressions), (measured + 1, measured + 1));
    let case = runs[1].records[0].case.id();
    let matching: Vec<&Node<'_, '_>> =
        entries.iter().filter(|entry| only(**entry, "title").starts_with(&format!("{case}: "))).collect();
    let [slower] = matching[..] else { panic!("{} entries of {case}", matching.len()) };
    assert!(only(*slower, "title").starts_with(&format!("{case}: +20.0% ±")), "{}", only(*slower, "title"));
    assert_eq!(only(*slower, "updated"), "2026-11-02T19:00:00Z");
    assert!(only(*slower, "summary").starts_with("Run second against run first; suite standard, bench-1; "));
    let (file, at) = target("feed.xml", link(*slower, "alternate"));
    assert_eq!((file.as_str(), at.as_str()), ("runs/second.html", case.as_str()));
    for entry in &entries {
        let (file, case) = target("feed.xml", link(*entry, "alternate"));
        assert!(cases(&files[&file]).contains(&case), "{file} has no {case:?}");
    }
    assert_eq!(link(feed.root_element(), "self"), "feed.xml");
    // Entries are sorted newest first. If the end time of a run is invalid, its entry contains the
    // start time.
    assert_eq!(only(entries[0], "updated"), "2026-11-05T18:58:00Z");
    assert_eq!(only(feed.root_element(), "updated"), "2026-11-05T18:58:00Z");
    for page in ["index.html", "runs/second.html"] {
        assert!(files[page].contains("application/atom+xml"), "{page} must link to the feed");
    }
    assert!(files["index.html"].contains("+20.0% ±"));
}

#[test]
fn entry_ids_are_stable_across_urls_and_later_runs() {
    let mut more = runs();
    let ids = |runs: &[Run], base: Option<&str>| -> BTreeSet<String> {
        let text = site(runs, base).0.remove("feed.xml").unwrap();
        let feed = Document::parse(&text).unwrap();
        entries(&feed).iter().map(|entry| only(*entry, "id").to_owned()).collect()
    };
    let before = ids(&more, None);
    assert_eq!(ids(&more, Some("https://host.example/bench")), before);
    more.push(run("later", 6));
    assert_eq!(ids(&more, None), before, "faster cases must not have entries");
    let text = site(&more, Some("https://host.example/bench")).0.remove("feed.xml").unwrap();
    let feed = Document::parse(&text).unwrap();
    let addresses = [link(feed.root_element(), "self"), link(feed.root_element(), "alternate")];
    assert_eq!(addresses, ["https://host.example/bench/feed.xml", "https://host.example/bench/index.html"]);
    assert!(entries(&feed).iter().all(|one| link(*one, "alternate").starts_with("https://host.example/bench/runs/")));
}

#[test]
fn failures_count_as_regressions() {
    let (first, mut second) = (run("first", 1), run("second", 2));
    let reason = "decapsulation gave a different secret".to_owned();
    second.records[0] = Record::failed(second.records[0].case.clone(), reason, "2026-11-02T18:59:00Z".into());
    let (files, summary) = site(&[first, second], None);
    assert_eq!(summary.regressions, 1);
    let feed = Document::parse(&files["feed.xml"]).unwrap();
    assert!(only(entries(&feed)[0], "title").ends_with(": fails"));
}

#[test]
fn empty_stores_have_a_site() {
    let (files, summary) = site(&[], None);
    assert_eq!((summary.runs, files.len()), (0, 3));
    assert!(files["index.html"].contains("No runs yet") && files["latest.html"].contains("0; url=index.html"));
    let feed = Document::parse(&files["feed.xml"]).unwrap();
    assert!(child(feed.root_element(), "entry").is_empty());
}
