//! What is built over primitives: hybrid KEMs, hybrid signatures and certificates, circuit handshakes, ledger
//! transactions. Nothing here knows a cryptographic library: every construction is handed its primitives.

pub mod ntor;
