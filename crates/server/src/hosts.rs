//! Under which names the server is asked. A foreign page could otherwise have a browser read the store, under a name of its own that
//! it lets point here (DNS rebinding): whoever may reach the server reads it with that browser's reach.

use hyper::header::HeaderValue;
use std::net::IpAddr;

/// The names that are answered to, beside IP addresses and `localhost`, which nobody can let point elsewhere.
pub(super) struct Hosts(Vec<String>);

impl Hosts {
    pub(super) fn new(names: Vec<String>) -> Hosts {
        Hosts(names)
    }

    /// Whether a request names us. One without a name (HTTP/1.0) does: no browser sends that.
    pub(super) fn are_meant(&self, line: Option<&str>, header: Option<&HeaderValue>) -> bool {
        // A request line may name a host too, and then it is the one that counts (RFC 9112, section 3.2.2).
        match (line, header.map(HeaderValue::to_str)) {
            (Some(host), _) | (None, Some(Ok(host))) => self.is_ours(host),
            (None, Some(Err(_))) => false,
            (None, None) => true,
        }
    }

    /// `host` may have a port, and of an IPv6 address has brackets.
    fn is_ours(&self, host: &str) -> bool {
        if let Some((address, _)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            return address.parse::<IpAddr>().is_ok();
        }
        let name = host.split(':').next().unwrap_or(host);
        name.parse::<IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || self.0.iter().any(|ours| ours.trim_end_matches('.').eq_ignore_ascii_case(name.trim_end_matches('.')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_and_our_names_are_ours() {
        let hosts = Hosts::new(vec!["bench.example".into()]);
        for ours in [
            "127.0.0.1",
            "10.0.0.7:8000",
            "[::1]",
            "[2001:db8::1]:80",
            "localhost",
            "LOCALHOST:1",
            "Bench.example.",
            "bench.example:80",
        ] {
            assert!(hosts.is_ours(ours), "{ours}");
        }
        for other in [
            "",
            "evil.example",
            "127.0.0.1.evil.example",
            "a.bench.example",
            "localhost.evil.example",
            "[evil]",
            "[::1",
            ":80",
        ] {
            assert!(!hosts.is_ours(other), "{other}");
        }
    }

    #[test]
    fn the_request_line_counts_before_the_header() {
        let hosts = Hosts::new(Vec::new());
        let (ours, other) = (HeaderValue::from_static("127.0.0.1"), HeaderValue::from_static("evil.example"));
        assert!(hosts.are_meant(None, None));
        assert!(hosts.are_meant(Some("127.0.0.1"), Some(&other)));
        assert!(!hosts.are_meant(Some("evil.example"), Some(&ours)));
        assert!(!hosts.are_meant(None, Some(&other)));
        assert!(HeaderValue::from_bytes(b"\xff").is_ok_and(|odd| !hosts.are_meant(None, Some(&odd))));
    }
}
