//! The `pqlab-misbehaving` program: `pqlab` with additional providers and, if requested, a simulated machine. Only
//! tests run it.

use std::process::ExitCode;

fn main() -> ExitCode {
    pqlab_misbehaving::pretend();
    pqlab::main_with(pqlab_misbehaving::providers)
}
