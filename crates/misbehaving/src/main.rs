//! `pqlab-misbehaving`: the same program as `pqlab`, with one more provider and, where it is told so, on another machine.
//! Only tests start it.

use std::process::ExitCode;

fn main() -> ExitCode {
    pqlab_misbehaving::pretend();
    pqlab::main_with(pqlab_misbehaving::providers)
}
