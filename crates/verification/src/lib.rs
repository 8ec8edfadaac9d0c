//! Verifies answers: known answers, published vectors, Wycheproof, and every library against every other.
//!
//! Everything runs through the traits of `pqlab-primitives`, with any list of providers. Each applicable vector of a
//! file ends as passed, failed, or unsupported with a reason; none is left out silently. [`NOT_APPLICABLE`] lists what
//! does not apply as a whole, and why.
//!
//! Vectors and comparisons with other libraries detect wrong answers. They do not detect timing leaks, or a generator
//! that draws the same coins twice.

mod accumulated;
mod checks;
mod defects;
mod edge_cases;
mod interop;
pub mod known_answers;
mod line;
mod locate;
mod not_applicable;
mod packed;
mod page;
pub mod read;
mod render;
mod suites;
mod tally;
mod thousands;
mod vectors;
mod verify;
mod wycheproof;

pub use accumulated::{
    ACCUMULATED_SUITE, Accumulation, Answers, Clock, Told, pace, published_answers, published_digest,
};
pub use defects::{KNOWN_DEFECTS, KnownDefect};
pub use edge_cases::{EDGE_CASES, EDGE_CASES_OF, EdgeCases, EdgeClass, edge_cases};
pub use interop::{INTEROPERABILITY, INTEROPERABILITY_IN_BATCHES, interop};
pub use line::{Line, Reason, Totals};
pub use locate::{cache, fetched_vectors, vectors_root};
pub use not_applicable::{NOT_APPLICABLE, NotApplicable};
pub use page::{page, sum};
pub use render::{json, matrix, table};
pub use vectors::Vectors;
pub use verify::{Select, everything, suites_of, verify, verify_known_answers};
