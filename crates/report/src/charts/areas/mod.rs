//! Charts that are specific to one area.

pub(super) mod hash;
pub(super) mod hybrid;
pub(super) mod ledger;
pub(super) mod ntor;
pub(super) mod protocols;
pub(super) mod quic;
pub(super) mod signature;
pub(super) mod tls;

/// Returns the name of an area for titles, such as `Key encapsulation` for `kem`. Returns the area unchanged if it has
/// no other name.
pub(super) fn subject(area: &str) -> &str {
    match area {
        "kem" => "Key encapsulation",
        "signature" => "Signatures",
        "hash" => "Hash functions",
        "hybrid" => "Hybrids",
        "certificate" => "Certificates",
        "token" => "Signed tokens",
        "cms" => "Signed images",
        "hpke" => "HPKE",
        "ntor" => "Circuit handshakes",
        "tls" => "TLS 1.3",
        "ssh" => "SSH",
        "mtc" => "Merkle Tree Certificates",
        "quic" => "QUIC",
        "ledger" => "Ledger transactions",
        "scaling" => "Scaling over cores",
        "memory" => "Suite memory",
        "residue" => "Leftover register state",
        "function" => "Functions",
        other => other,
    }
}

/// Returns whether the cases of an area come in pairs that must be compared within one library. A chart of the fastest
/// library for each case would compare different libraries.
pub(super) fn has_pairs(area: &str) -> bool {
    area == "residue"
}

/// Returns the plural noun for an operation, such as `server handshakes`, to label the axis of a throughput chart.
pub(super) fn repeated(area: &str, operation: &str) -> String {
    match (area, operation) {
        ("tls" | "ssh" | "quic", "server" | "client") => format!("{operation} handshakes"),
        ("tls" | "ssh" | "quic" | "ntor" | "hybrid", "handshake") => "handshakes".to_owned(),
        ("tls" | "ssh" | "quic", "connect") => "connections".to_owned(),
        _ => format!("{operation} operations"),
    }
}
