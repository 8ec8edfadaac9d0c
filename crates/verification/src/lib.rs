//! Verifies that libraries compute correct answers: checks known answers, published vectors and Wycheproof, and
//! compares every library with every other.
//!
//! All checks use the traits of `pqlab-primitives`, and accept any list of providers. Each applicable vector in a file
//! passes, fails, shows a known defect, or is unsupported with a reason. None is skipped silently. [`NOT_APPLICABLE`]
//! lists published vectors that no suite covers, with the reasons.
//!
//! `run_time` generates inputs that no published vectors contain, and inspects the secrets in keys and signatures. This
//! crate does not detect timing leaks or predictable random generators (see docs/explanation/what-verify-proves.md).

mod accumulated;
mod checks;
mod defects;
mod edge_cases;
pub mod falcon;
mod given;
mod interop;
pub mod known_answers;
mod line;
mod locate;
pub mod ml_dsa;
pub mod ml_kem;
mod not_applicable;
mod packed;
mod page;
pub mod read;
mod releases;
mod render;
mod run_time;
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
pub use line::{Compared, Line, Reason, Totals};
pub use locate::{cache, fetched_vectors, vectors_root};
pub use not_applicable::{NOT_APPLICABLE, NotApplicable};
pub use page::{NotCompared, not_compared, page, sum};
pub use releases::acvp_releases;
pub use render::{json, matrix, table};
pub use tally::finished_checks;
pub use vectors::Vectors;
pub use verify::{Select, everything, suites_of, verify, verify_known_answers};
