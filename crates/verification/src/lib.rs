//! Verifies that libraries compute the right answers: checks known answers, published vectors and Wycheproof, and
//! compares every library with every other.
//!
//! All checks call the traits of `pqlab-primitives`, with any list of providers. Each applicable vector in a file
//! passes, fails, shows a known defect, or is unsupported with a reason. None is skipped silently. [`NOT_APPLICABLE`]
//! lists the vectors that are left out as a whole, with the reasons.
//!
//! Vectors and comparisons with other libraries detect wrong answers, but neither timing leaks nor a generator that
//! returns the same random bytes twice.

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
