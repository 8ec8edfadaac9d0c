//! Tests the report page in headless Chromium through chromedriver, both from disk and from `pqlab serve`.
//!
//! - Tables can be sorted, filtered and copied, and their rows are grouped. Chart marks show their figures in a
//!   tooltip.
//! - Every case can be opened and has an address. A search covers all areas. The theme can be switched.
//! - The first screen contains the answer, and nothing is cut off on a phone.
//! - The console stays empty, and the page requests nothing from other addresses.
//!
//! The test saves screenshots in the target folder.

#![allow(clippy::unwrap_used)]

#[path = "common/browser.rs"]
mod browser;
mod common;

use browser::{CHROMIUM, Process, chromium, driver, text_of};
use common::Pqlab;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, Locator};
use pqlab_testing::require;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// chromedriver command that reads the browser log of this type, such as `browser`.
#[derive(Debug)]
struct Log(&'static str);

impl WebDriverCompatibleCommand for Log {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(json!({ "type": self.0 }).to_string()))
    }
}

/// chromedriver command that runs a DevTools command with these parameters.
#[derive(Debug)]
struct Browser(&'static str, Value);

impl WebDriverCompatibleCommand for Browser {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(json!({ "cmd": self.0, "params": self.1 }).to_string()))
    }
}

/// Sets the size of the viewport in pixels. Resizing the window does not suffice, because a window cannot be as narrow
/// as a phone.
async fn screen(client: &Client, width: u32, height: u32) {
    let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    client.issue_cmd(Browser("Emulation.setDeviceMetricsOverride", size)).await.unwrap();
    let found = text_of(client, "return [innerWidth, innerHeight];").await;
    assert_eq!(found, json!([width, height]));
}

/// Emulates a system with the given color scheme, `light` or `dark`.
async fn scheme(client: &Client, name: &str) {
    let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": name }] });
    client.issue_cmd(Browser("Emulation.setEmulatedMedia", features)).await.unwrap();
}

async fn picture(client: &Client, name: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.png")), client.screenshot().await.unwrap()).unwrap();
}

/// Runs a script and deserializes the result into the expected type.
macro_rules! list {
    ($client:expr, $script:expr) => {
        serde_json::from_value(text_of($client, $script).await).unwrap()
    };
}

const MEDIANS: &str = "return [...document.querySelectorAll('#area-kem tr.case:not([hidden]):not(.failed)')]\
    .map(row => Number(row.cells[2].dataset.v));";
const JOBS: &str =
    "return [...document.querySelectorAll('#area-kem tr.case:not([hidden])')].map(row => row.cells[0].textContent);";
/// Script that returns the visible rows of the table from top to bottom. Rows are job names, or provider names with an
/// indent.
const SEEN: &str = "return [...document.querySelectorAll('#area-kem table.cases tbody tr')].filter(row => row.checkVisibility())\
    .map(row => row.matches('.group') ? row.textContent : '  ' + row.cells[1].textContent);";
/// Script that returns five strings for each row: the group name, the job, the shown factor, and the factor and the id
/// from the page's data.
const GROUPED: &str = "let group = null; const cases = JSON.parse(document.getElementById('data').textContent).cases;\
    return [...document.querySelectorAll('#area-kem table.cases tbody tr')].flatMap(row => {\
      if (row.matches('.group')) { group = row.textContent; return []; }\
      const of = cases[row.querySelector('.open').dataset.case];\
      return [[group, row.cells[0].textContent, row.matches('.failed') ? '' : row.cells[4].textContent, of.f || '', of.i]];\
    });";

/// Checks that rows are grouped by job and show their factors. Then sorts and filters the table.
async fn use_a_table(client: &Client) {
    let rows: Vec<[String; 5]> = list!(client, GROUPED);
    assert!(rows.len() > 3, "{rows:?}");
    for [group, job, factor, standing, id] in &rows {
        assert_eq!(group, job);
        assert_eq!(factor, standing);
        assert!(id.starts_with(&format!("kem/{}", job.replacen(' ', "/", 1))), "{id} below {job}");
    }
    let listed: Vec<String> = list!(client, SEEN);
    let jobs = listed.iter().filter(|row| !row.starts_with(' ')).count();
    assert!(jobs > 1 && listed.len() == rows.len() + jobs, "{listed:?}");
    // Sort by the median in both directions. The third click restores the original order.
    let head = client.find(Locator::Css("#area-kem table.cases thead th:nth-child(3) button")).await.unwrap();
    for descending in [false, true] {
        head.click().await.unwrap();
        let medians: Vec<f64> = list!(client, MEDIANS);
        let mut sorted = medians.clone();
        sorted.sort_by(f64::total_cmp);
        if descending {
            sorted.reverse();
        }
        assert!(medians.len() > 3 && medians == sorted, "{medians:?}");
        let seen: Vec<String> = list!(client, SEEN);
        assert!(seen.len() == rows.len() && seen.iter().all(|row| row.starts_with(' ')), "{seen:?}");
    }
    head.click().await.unwrap();
    let again: Vec<String> = list!(client, SEEN);
    assert_eq!(again, listed);
    // Filter by words. The remaining rows must contain all the words, and jobs without rows must disappear.
    let field = client.find(Locator::Css("#area-kem .filter-text")).await.unwrap();
    field.send_keys("768 decaps").await.unwrap();
    let left: Vec<String> = list!(client, JOBS);
    assert!(!left.is_empty() && left.iter().all(|job| job.starts_with("ML-KEM-768 decapsulate")), "{left:?}");
    let seen: Vec<String> = list!(client, SEEN);
    let named: Vec<&String> = seen.iter().filter(|row| !row.starts_with(' ')).collect();
    assert!(!named.is_empty() && named.iter().all(|job| left.contains(job)), "{seen:?}");
    let count = client.find(Locator::Css("#area-kem .count")).await.unwrap().text().await.unwrap();
    assert!(count.starts_with(&format!("{} of ", left.len())), "{count}");
}

const ADDRESS: &str = "return decodeURIComponent(location.hash);";
const IS_OPEN: &str = "return document.getElementById('case').open;";

/// Waits until a script returns the wanted value.
async fn until(client: &Client, script: &str, wanted: Value) {
    for _ in 0..50 {
        if text_of(client, script).await == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(text_of(client, script).await, wanted, "{script}");
}

/// Checks the addresses of cases. An address opens its case, and Back closes it. Closing the case clears the address.
/// Unknown addresses do nothing.
async fn follow_addresses(client: &Client) {
    let page = client.current_url().await.unwrap();
    let script = "return JSON.parse(document.getElementById('data').textContent).cases.map(of => of.i)\
        .filter(id => id.startsWith('signature'));";
    let ids: Vec<String> = list!(client, script);
    let id = ids.iter().find(|id| id.contains('[')).unwrap_or(&ids[0]);
    for fragment in [Some(id.as_str()), Some("kem/no/such@case"), Some("%zz@"), None] {
        let mut address = page.clone();
        address.set_fragment(fragment);
        // Start from another page, so that the browser loads the page instead of only changing the fragment.
        client.goto("data:text/html,elsewhere").await.unwrap();
        client.goto(address.as_str()).await.unwrap();
        let opens = fragment == Some(id);
        assert_eq!(text_of(client, IS_OPEN).await, opens, "{fragment:?}");
        if opens {
            assert_eq!(client.find(Locator::Css("#case-title")).await.unwrap().text().await.unwrap(), *id);
            let held = text_of(client, "return decodeURIComponent(document.getElementById('case-link').href);").await;
            assert!(held.as_str().unwrap().ends_with(&format!("#{id}")), "{held}");
            client.find(Locator::Css("dialog .close")).await.unwrap().click().await.unwrap();
            until(client, ADDRESS, json!("")).await;
            assert_eq!(text_of(client, IS_OPEN).await, false);
        }
    }
    let open = "document.querySelector('#area-kem .open').click(); return decodeURIComponent(location.hash);";
    for back in [true, false] {
        let before = text_of(client, "return history.length;").await;
        let hash = text_of(client, open).await;
        assert!(hash.as_str().unwrap().starts_with("#kem/ML-KEM"), "{hash}");
        assert_eq!(text_of(client, IS_OPEN).await, true);
        match back {
            true => client.back().await.unwrap(),
            false => client.find(Locator::Css("dialog .close")).await.unwrap().click().await.unwrap(),
        }
        until(client, IS_OPEN, json!(false)).await;
        until(client, ADDRESS, json!("")).await;
        let after = text_of(client, "return history.length;").await;
        assert!(
            after.as_u64() <= before.as_u64().map(|length| length + 1),
            "opening and closing a case must add at most one history entry"
        );
    }
}

/// Script that returns the elements that extend beyond the screen and are not in a scrolling container.
const CUT_OFF: &str = "return [...document.querySelectorAll('body *')].filter(one => one.checkVisibility() && !one.closest('.hidden'))\
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)\
    .filter(one => !one.parentElement.closest('nav.wide, figure.wide, .scroll.wide'))\
    .map(one => one.outerHTML.slice(0, 120));";
/// Script that returns the top, height and bottom of the element `PART`, and the height of the screen.
const PLACE: &str = "scrollTo({top: 0, behavior: 'instant'});\
    const box = document.querySelector('PART').getBoundingClientRect();\
    return [box.top, box.height, box.bottom, innerHeight];";

/// Checks the first screen in both themes. The screen must contain the answer, and nothing may be cut off. On a phone,
/// only the first line of the answer must be visible, because the answer for a run on a busy machine is longer.
async fn look_at_screens(client: &Client, name: &str) {
    for (width, height, what, part) in [(1280, 800, "desktop", "#answer"), (390, 844, "phone", "#answer > *")] {
        screen(client, width, height).await;
        for theme in ["light", "dark"] {
            scheme(client, theme).await;
            let answer: Vec<f64> = list!(client, &PLACE.replace("PART", part));
            assert!(answer[0] > 0.0 && answer[1] > 20.0 && answer[2] <= answer[3], "{what}, {theme}: {answer:?}");
            picture(client, &format!("{name}-{what}-{theme}")).await;
        }
        scheme(client, "light").await;
        let sizes: Vec<u64> = list!(
            client,
            "return [document.scrollingElement.scrollWidth, innerWidth, document.scrollingElement.scrollHeight];"
        );
        assert!(sizes[0] <= sizes[1], "{what}: {sizes:?}");
        // Make the screen as tall as the page, so that the browser lays out the whole page.
        screen(client, width, sizes[2].min(16_000) as u32).await;
        until(client, CUT_OFF, json!([])).await;
        picture(client, &format!("{name}-{what}")).await;
    }
    // On the phone, every figure of a case must be visible and have a label if the reader asks for all columns.
    let columns =
        "for (const button of document.querySelectorAll('.columns[aria-pressed=false]')) button.click(); return null;";
    text_of(client, columns).await;
    let hidden = "return [...document.querySelectorAll('tr.case td:not(.job)')].filter(cell => cell.textContent.trim() && !cell.checkVisibility())\
        .map(cell => cell.textContent);";
    assert_eq!(text_of(client, hidden).await, json!([]));
    let labels = "return [...document.querySelector('#area-kem tr.case:not(.failed)').cells].slice(5, 10)\
        .map(cell => getComputedStyle(cell, '::before').content);";
    let labels: Vec<String> = list!(client, labels);
    assert_eq!(labels, ["\"Interval \"", "\"Cycles \"", "\"p95 \"", "\"CoV \"", "\"op/s \""]);
    client.issue_cmd(Browser("Emulation.clearDeviceMetricsOverride", json!({}))).await.unwrap();
}

async fn use_the_page(client: &Client, name: &str) {
    use_a_table(client).await;
    // Open a case with the keyboard.
    let open = "#area-kem tr.case:not([hidden]) .open";
    text_of(client, &format!("document.querySelector({open:?}).focus(); return null;")).await;
    client.find(Locator::Css(open)).await.unwrap().send_keys("\u{e007}").await.unwrap();
    let title = client.find(Locator::Css("#case-title")).await.unwrap().text().await.unwrap();
    assert!(title.starts_with("kem/ML-KEM-768/decapsulate"), "{title}");
    let body = client.find(Locator::Css("#case-body")).await.unwrap().text().await.unwrap();
    for part in ["95% interval", "Process medians", "Reproduce this case", "pqlab run kem --filter", "Processor"] {
        assert!(body.contains(part), "{part} is missing in {body}");
    }
    assert!(
        text_of(client, "return document.querySelectorAll('#case-body svg rect').length;").await.as_u64().unwrap() > 1
    );
    picture(client, &format!("{name}-case")).await;
    client.find(Locator::Css("dialog .close")).await.unwrap().click().await.unwrap();
    until(client, IS_OPEN, json!(false)).await;
    until(client, ADDRESS, json!("")).await;
    // Clear the field by script: the driver's command sends no input event.
    let field = "const field = document.querySelector('#area-kem .filter-text'); field.value = '';\
        field.dispatchEvent(new Event('input')); return document.querySelector('#area-kem .count').textContent;";
    let count = text_of(client, field).await;
    assert!(!count.as_str().unwrap().contains(" of "), "{count}");
    // Switch to the other theme and back.
    let paper = "return getComputedStyle(document.body).backgroundColor;";
    let before = text_of(client, paper).await;
    let theme = client.find(Locator::Css("#theme")).await.unwrap();
    text_of(client, "scrollTo({top: 0, behavior: 'instant'}); return null;").await;
    theme.click().await.unwrap();
    assert_ne!(text_of(client, paper).await, before);
    picture(client, &format!("{name}-dark")).await;
    theme.click().await.unwrap();
    assert_eq!(text_of(client, paper).await, before);
    assert_eq!(theme.text().await.unwrap(), "Light");
    theme.click().await.unwrap();
    assert_eq!((text_of(client, paper).await, theme.text().await.unwrap()), (before, "System".to_owned()));
    use_the_tools(client).await;
    look_at_screens(client, name).await;
    follow_addresses(client).await;
}

/// Script that returns the ids of the areas that are shown.
const AREAS: &str =
    "return [...document.querySelectorAll('.area')].filter(area => area.checkVisibility()).map(area => area.id);";

/// Searches all areas, copies a table, and checks the tooltip of a chart mark.
async fn use_the_tools(client: &Client) {
    let all: Vec<String> = list!(client, AREAS);
    let search = |words: &str| {
        format!(
            "const field = document.getElementById('search'); field.value = {words:?}; field.dispatchEvent(new Event('input'));\
             return document.getElementById('found').textContent;"
        )
    };
    let found = text_of(client, &search("ml-kem-768 decapsulate")).await;
    assert!(found.as_str().unwrap().ends_with(" cases match") && !found.as_str().unwrap().starts_with("0 "), "{found}");
    let left: Vec<String> = list!(client, AREAS);
    assert!(left.contains(&"area-kem".to_owned()) && left.len() < all.len(), "{left:?} of {all:?}");
    let seen: Vec<String> = list!(client, JOBS);
    assert!(!seen.is_empty() && seen.iter().all(|job| job.starts_with("ML-KEM-768 decapsulate")), "{seen:?}");
    // Without a clipboard, a dialog shows the text.
    let copied = |format: &str| {
        format!(
            "Object.defineProperty(navigator, 'clipboard', {{ value: undefined, configurable: true }});\
             document.querySelector('#area-kem .tools [data-copy={format}]').click();\
             const text = document.querySelector('#text textarea').value; document.getElementById('text').close(); return text;"
        )
    };
    let csv = text_of(client, &copied("csv")).await;
    let lines: Vec<&str> = csv.as_str().unwrap().lines().collect();
    assert!(lines[0].starts_with("Operation,Library,Time,") && lines.len() == seen.len() + 1, "{csv}");
    let latex = text_of(client, &copied("latex")).await;
    let latex = latex.as_str().unwrap();
    assert!(
        latex.contains("\\toprule") && latex.contains("ML-KEM-768 decapsulate &") && !latex.contains('±'),
        "{latex}"
    );
    let markdown = text_of(client, &copied("markdown")).await;
    assert!(markdown.as_str().unwrap().starts_with("| Operation | Library |"), "{markdown}");
    assert_eq!(text_of(client, &search("")).await, "");
    assert_eq!(text_of(client, AREAS).await, json!(all));
    let point = "const mark = [...document.querySelectorAll('#area-kem figure svg path')].find(one => one.querySelector('title'));\
        mark.scrollIntoView({ block: 'center', behavior: 'instant' }); const box = mark.getBoundingClientRect();\
        mark.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: box.x, clientY: box.y }));\
        const tip = document.getElementById('tip'); return [tip.hidden, tip.textContent === mark.querySelector('title').textContent];";
    assert_eq!(text_of(client, point).await, json!([false, true]));
    text_of(client, "document.dispatchEvent(new PointerEvent('pointermove')); return null;").await;
}

/// Returns the messages on the console, and the requests to addresses that are not in `allowed`.
async fn complaints(client: &Client, allowed: &str) -> Vec<String> {
    let entries = client.issue_cmd(Log("browser")).await.unwrap();
    let console = entries.as_array().unwrap().iter().map(|entry| entry["message"].to_string());
    let mut wrong: Vec<String> = console.collect();
    let events = client.issue_cmd(Log("performance")).await.unwrap();
    for event in events.as_array().unwrap() {
        let event: Value = serde_json::from_str(event["message"].as_str().unwrap()).unwrap();
        let message = &event["message"];
        if message["method"] == "Network.requestWillBeSent" {
            let address = message["params"]["request"]["url"].as_str().unwrap_or_default().to_owned();
            // Requests for `chrome:` come from the browser's start page, not from our page.
            let ours = [allowed, "data:", "chrome:"];
            if !ours.iter().any(|beginning| address.starts_with(beginning)) {
                wrong.push(address);
            }
        }
    }
    wrong
}

#[test]
fn the_page_works_in_a_browser_from_disk_and_from_the_server() {
    let chromium = require!(chromium(), CHROMIUM);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let (driver, client) = driver(chromium, folder.path()).await;
        let pqlab = Pqlab::new();
        pqlab.expect(0, &["run", "smoke", "--seed", "1", "--no-progress", "-q"]);
        let out = pqlab.path("out");
        let page = pqlab.expect(0, &["report", "--out", out.to_str().unwrap()]);
        let page = format!("file://{}", page.trim());
        client.goto(&page).await.unwrap();
        use_the_page(&client, "disk").await;
        assert_eq!(complaints(&client, &page).await, Vec::<String>::new());

        let mut command = pqlab.command(&["serve", "--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let server = Process(child);
        let address = line.trim().to_owned();
        client.goto(&address).await.unwrap();
        client.find(Locator::Css("tbody a")).await.unwrap().click().await.unwrap();
        use_the_page(&client, "serve").await;
        assert_eq!(complaints(&client, &address).await, Vec::<String>::new());
        client.close().await.unwrap();
        drop((server, driver));
    });
}
