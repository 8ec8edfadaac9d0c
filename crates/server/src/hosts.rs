//! Checks the host names in requests, to prevent DNS rebinding. Otherwise, a malicious page could point its own host
//! name at this server and read the store through a visitor's browser.

use hyper::header::HeaderValue;
use std::net::IpAddr;

/// Additional host names that this server accepts. It always accepts `localhost` and IP addresses, because an attacker
/// cannot redirect these.
pub(super) struct Hosts(Vec<String>);

impl Hosts {
    pub(super) fn new(names: Vec<String>) -> Hosts {
        Hosts(names)
    }

    /// Returns whether a request names this server. `line` is the host in the request line, and `header` is the `Host`
    /// header. Accepts requests without a host name (HTTP/1.0), which browsers do not send.
    pub(super) fn are_meant(&self, line: Option<&str>, header: Option<&HeaderValue>) -> bool {
        // A host in the request line takes precedence (RFC 9112, section 3.2.2).
        match (line, header.map(HeaderValue::to_str)) {
            (Some(host), _) | (None, Some(Ok(host))) => self.is_ours(host),
            (None, Some(Err(_))) => false,
            (None, None) => true,
        }
    }

    /// Returns whether a host name belongs to this server. `host` may include a port; an IPv6 address must be in
    /// brackets.
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
    fn accepts_only_addresses_and_given_names() {
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
    fn request_line_takes_precedence_over_the_header() {
        let hosts = Hosts::new(Vec::new());
        let (ours, other) = (HeaderValue::from_static("127.0.0.1"), HeaderValue::from_static("evil.example"));
        assert!(hosts.are_meant(None, None));
        assert!(hosts.are_meant(Some("127.0.0.1"), Some(&other)));
        assert!(!hosts.are_meant(Some("evil.example"), Some(&ours)));
        assert!(!hosts.are_meant(None, Some(&other)));
        assert!(HeaderValue::from_bytes(b"\xff").is_ok_and(|odd| !hosts.are_meant(None, Some(&odd))));
    }
}
