//! A headless Chromium, driven through chromedriver.

use fantoccini::{Client, ClientBuilder};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Ended when the test is.
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn found(names: &[&str]) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|path| path.is_file())
}

/// The driver and a session; `None`, and a word about it, where there is no browser.
pub(crate) async fn driver(folder: &Path) -> Option<(Process, Client)> {
    let (Some(chromedriver), Some(chromium)) =
        (found(&["chromedriver"]), found(&["chromium", "chromium-browser", "google-chrome"]))
    else {
        println!("skipped: no chromium and chromedriver on the path (Debian: chromium, chromium-driver)");
        return None;
    };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let started =
        Command::new(chromedriver).arg(format!("--port={port}")).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let driver = Process(started.unwrap());
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let options = json!({
        "binary": chromium,
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
            return Some((driver, client));
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("chromedriver does not answer");
}

/// What a script returns.
pub(crate) async fn text_of(client: &Client, script: &str) -> Value {
    client.execute(script, Vec::new()).await.unwrap()
}
