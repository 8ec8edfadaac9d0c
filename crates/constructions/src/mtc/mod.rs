//! Issuing of Merkle Tree Certificates (draft-ietf-plants-merkle-tree-certs-07).
//!
//! A CA appends a batch of entries to its [`Log`]. Two subtrees cover the batch. A standalone certificate contains
//! signatures of the CA and of other cosigners over the hash of the subtree. A landmark-relative certificate contains
//! none: clients receive the hash of the subtree in advance. Both contain a proof that the subtree contains the entry.

mod cosign;
mod entry;
mod log;
mod tree;

pub use cosign::{Cosigner, TrustAnchorId, cosign};
pub use entry::{Entry, Proof, Subject};
pub use log::{Issued, Log};
pub use tree::{Digest, HASH, Subtree, Tree, leaf_hash};

/// Number of the CA's log. Logs are numbered from 1, and pqlab uses only the first one.
pub const LOG: u16 = 1;
