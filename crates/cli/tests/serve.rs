//! Tests the server with odd requests and many clients. The tests use plain sockets, because an HTTP library would not
//! send such requests.

#![allow(clippy::unwrap_used)]

mod common;

use common::Pqlab;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(pqlab: &Pqlab) -> Server {
        Server::listening(pqlab, "127.0.0.1:0", &[])
    }

    fn listening(pqlab: &Pqlab, listen: &str, more: &[&str]) -> Server {
        let mut command = pqlab.command(&[&["serve", "--listen", listen][..], more].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').replace("0.0.0.0", "127.0.0.1");
        Server { child, address }
    }

    /// Sends bytes and reads until the server closes the connection.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // The server may close the connection before it has received everything.
        stream.write_all(bytes).ok();
        stream.shutdown(Shutdown::Write).ok();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).as_bytes())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}

fn measured() -> (Pqlab, String) {
    let pqlab = Pqlab::new();
    pqlab.expect(0, &["run", "smoke", "--seed", "1", "--max-time", "0.02", "--no-progress", "-q"]);
    let runs: serde_json::Value = serde_json::from_str(&pqlab.expect(0, &["runs", "--json"])).unwrap();
    let id = runs[0]["id"].as_str().unwrap().to_owned();
    (pqlab, id)
}

#[test]
fn odd_requests_get_an_error_and_no_data() {
    let (pqlab, id) = measured();
    let server = Server::start(&pqlab);
    let good = server.get(&format!("/runs/{id}"));
    assert_eq!(status(&good), 200);
    for header in [
        "content-security-policy: default-src 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "x-frame-options: DENY",
        "cache-control: no-store",
    ] {
        assert!(good.contains(header), "{header} is missing in {}", &good[..1500.min(good.len())]);
    }
    assert!(good.contains("<h2>Findings</h2>"));
    assert!(server.get("/").contains(&id) && server.get("/state").contains(&id));

    let paths = [
        "/../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/runs/../../etc/passwd",
        "/runs/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/runs/",
        "/runs/%00",
        "/runs/%",
        "/runs/%ff",
        "/runs/last",
        "/pqlab.db",
        "//etc/passwd",
        "/runs/x' OR '1'='1",
        "/state/",
        "/index.html",
        "/runs/<script>",
        "http://elsewhere/",
        "*",
        "/%0d%0aSet-Cookie:%20x=1",
        "\\..\\..\\windows",
        "/runs/%25",
    ];
    let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "X"];
    let long = "x".repeat(30_000);
    let headers = [
        String::new(),
        "Host: evil.example\r\n".to_owned(),
        "Range: bytes=0-10\r\n".to_owned(),
        "Content-Length: 99999999999\r\n".to_owned(),
        "Transfer-Encoding: chunked\r\n".to_owned(),
        format!("X-Long: {long}\r\n"),
        "Content-Length: 5\r\nContent-Length: 6\r\n".to_owned(),
        "\u{0}bad: x\r\n".to_owned(),
    ];
    let mut sent = 0;
    let mut answered = 0;
    while sent < 1000 {
        let path = paths[sent % paths.len()];
        let method = methods[(sent / paths.len()) % methods.len()];
        let header = &headers[(sent / 7) % headers.len()];
        let host = if header.starts_with("Host") { String::new() } else { format!("Host: {}\r\n", server.address) };
        let version = ["HTTP/1.1", "HTTP/1.0", "HTTP/9.9", "x"][(sent / 97) % 4];
        let answer =
            server.send(format!("{method} {path} {version}\r\n{host}{header}Connection: close\r\n\r\nbody").as_bytes());
        sent += 1;
        answered += usize::from(!answer.is_empty());
        assert!(answer.is_empty() || (400..600).contains(&status(&answer)), "{method} {path}: {answer}");
        assert!(!answer.contains("root:") && !answer.contains("SQLite format") && !answer.contains("Set-Cookie"));
    }
    assert!(answered > 500, "only {answered} of {sent} requests were answered");
    for noise in [&b""[..], b"\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", &[0; 5000], b"GET"] {
        server.send(noise);
    }
    assert_eq!(status(&server.get(&format!("/runs/{id}"))), 200);
}

#[test]
fn a_hundred_clients_at_once_all_get_the_page() {
    let (pqlab, id) = measured();
    let server = Server::start(&pqlab);
    // Silent clients must not delay the others.
    let silent: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    let path = format!("/runs/{id}");
    let pages: Vec<String> = thread::scope(|scope| {
        let clients: Vec<_> = (0..100).map(|_| scope.spawn(|| server.get(&path))).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    for page in &pages {
        assert_eq!(status(page), 200);
        assert!(page.ends_with("</html>") && page.len() == pages[0].len());
    }
    drop(silent);
}

#[test]
fn foreign_host_names_are_refused_on_every_address() {
    let (pqlab, _) = measured();
    // Through DNS rebinding, a page from another site can make a browser on the network send
    // requests to the server.
    for listen in ["127.0.0.1:0", "0.0.0.0:0"] {
        let server = Server::listening(&pqlab, listen, &["--allow-host", "bench.example"]);
        for (host, code) in [
            ("evil.example", 421),
            ("evil.example:8000", 421),
            ("127.0.0.1.evil.example", 421),
            ("localhost:1", 200),
            ("127.0.0.1", 200),
            ("[::1]:8000", 200),
            ("Bench.example:80", 200),
        ] {
            let answer =
                server.send(format!("GET /state HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes());
            assert_eq!(status(&answer), code, "{host} of {listen}");
        }
    }
    for odd in ["http://bench.example", "bench.example:80", "bench.example/", "", "a..b", "*"] {
        let refused = pqlab.expect(2, &["serve", "--allow-host", odd]);
        assert!(refused.is_empty(), "{odd}");
    }
}
