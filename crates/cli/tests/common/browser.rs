//! Controls headless Chromium through chromedriver.

use fantoccini::{Client, ClientBuilder};
use pqlab_testing::{Need, program};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Process that is killed when dropped.
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Paths of chromedriver and Chromium.
pub(crate) struct Chromium {
    driver: PathBuf,
    browser: PathBuf,
}

/// Requirement of tests that call [`chromium`].
pub(crate) const CHROMIUM: Need = Need::Installed("chromium and chromedriver (Debian: chromium, chromium-driver)");

/// Returns the browser and its driver if both are in `PATH`.
pub(crate) fn chromium() -> Option<Chromium> {
    let browser = ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(program)?;
    Some(Chromium { driver: program("chromedriver")?, browser })
}

/// Starts the driver and a browser session. The browser profile is stored in `folder`.
pub(crate) async fn driver(chromium: Chromium, folder: &Path) -> (Process, Client) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let started =
        Command::new(chromium.driver).arg(format!("--port={port}")).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let driver = Process(started.unwrap());
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let options = json!({
        "binary": chromium.browser,
        "args": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb", "--force-prefers-reduced-motion",
            "--window-size=1280,1000", profile],
    });
    let mut capabilities = serde_json::Map::new();
    capabilities.insert("goog:chromeOptions".to_owned(), options);
    capabilities.insert("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL", "performance": "ALL" }));
    for _ in 0..100 {
        let mut builder = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new());
        if let Ok(client) =
            builder.capabilities(capabilities.clone()).connect(&format!("http://127.0.0.1:{port}")).await
        {
            return (driver, client);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("chromedriver did not answer within 20 s");
}

/// Runs a script in the browser and returns the result.
pub(crate) async fn text_of(client: &Client, script: &str) -> Value {
    client.execute(script, Vec::new()).await.unwrap()
}
