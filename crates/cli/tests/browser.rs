//! The page in a browser: headless Chromium, driven through chromedriver. From disk and from `pqlab serve`: tables sort and
//! filter, a case opens, the theme switches, the console stays silent and no request leaves the page. Screenshots go to the
//! target folder.

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

/// chromedriver's way to read the logs of the browser.
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

async fn picture(client: &Client, name: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.png")), client.screenshot().await.unwrap()).unwrap();
}

const FIRST_MEDIANS: &str = "return [...document.querySelectorAll('#area-kem table.cases tbody tr:not([hidden]):not(.failed)')]\
    .map(row => Number(row.cells[2].dataset.v));";

async fn use_the_page(client: &Client, name: &str) {
    // Sorts by the median, both ways.
    let head = client.find(Locator::Css("#area-kem table.cases thead th:nth-child(3) button")).await.unwrap();
    for descending in [false, true] {
        head.click().await.unwrap();
        let medians: Vec<f64> = serde_json::from_value(text_of(client, FIRST_MEDIANS).await).unwrap();
        let mut sorted = medians.clone();
        sorted.sort_by(f64::total_cmp);
        if descending {
            sorted.reverse();
        }
        assert!(medians.len() > 3 && medians == sorted, "{medians:?}");
    }
    // Filters by words; what is left has them all.
    let field = client.find(Locator::Css("#area-kem .filter-text")).await.unwrap();
    field.send_keys("768 decaps").await.unwrap();
    let script = "return [...document.querySelectorAll('#area-kem table.cases tbody tr:not([hidden])')].map(row => row.cells[0].textContent);";
    let names: Vec<String> = serde_json::from_value(text_of(client, script).await).unwrap();
    assert!(!names.is_empty() && names.iter().all(|name| name.starts_with("ML-KEM-768 decapsulate")), "{names:?}");
    let count = client.find(Locator::Css("#area-kem .count")).await.unwrap().text().await.unwrap();
    assert!(count.starts_with(&format!("{} of ", names.len())), "{count}");
    // Opens a case, by keyboard as by mouse.
    let open = "#area-kem table.cases tbody tr:not([hidden]) .open";
    text_of(client, &format!("document.querySelector({open:?}).focus(); return null;")).await;
    client.find(Locator::Css(open)).await.unwrap().send_keys("\u{e007}").await.unwrap();
    let title = client.find(Locator::Css("#case-title")).await.unwrap().text().await.unwrap();
    assert!(title.starts_with("kem/ML-KEM-768/decapsulate"), "{title}");
    let body = client.find(Locator::Css("#case-body")).await.unwrap().text().await.unwrap();
    for part in ["95% interval", "Median of each process", "Measure it again", "pqlab run kem --filter", "Processor"] {
        assert!(body.contains(part), "{part} is missing in {body}");
    }
    assert!(
        text_of(client, "return document.querySelectorAll('#case-body svg rect').length;").await.as_u64().unwrap() > 1
    );
    picture(client, &format!("{name}-case")).await;
    client.find(Locator::Css("dialog .close")).await.unwrap().click().await.unwrap();
    assert_eq!(text_of(client, "return document.getElementById('case').open;").await, false);
    field.clear().await.unwrap();
    // Switches the theme, and back.
    let paper = "return getComputedStyle(document.body).backgroundColor;";
    let before = text_of(client, paper).await;
    let theme = client.find(Locator::Css("#theme")).await.unwrap();
    text_of(client, "scrollTo({top: 0, behavior: 'instant'}); return null;").await;
    theme.click().await.unwrap();
    assert_ne!(text_of(client, paper).await, before);
    picture(client, &format!("{name}-dark")).await;
    theme.click().await.unwrap();
    assert_eq!(text_of(client, paper).await, before);
    // Pictures of the whole page, wide and narrow; nothing makes the page itself wider than the screen.
    for (width, what) in [(1280, "desktop"), (390, "phone")] {
        client.set_window_size(width, 1000).await.unwrap();
        let sizes = text_of(
            client,
            "return [document.documentElement.scrollWidth, innerWidth, document.documentElement.scrollHeight];",
        )
        .await;
        assert!(sizes[0].as_u64() <= sizes[1].as_u64(), "{what}: {sizes}");
        let height = sizes[2].as_u64().unwrap().min(16_000) as u32;
        client.set_window_size(width, height).await.unwrap();
        picture(client, &format!("{name}-{what}")).await;
    }
    client.set_window_size(1280, 1000).await.unwrap();
}

/// Errors on the console, and addresses that were asked for outside of what is allowed.
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
            // The browser's own first tab is none of the page's doing.
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
