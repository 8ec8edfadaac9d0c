//! `pqlab`, the program.

use std::process::ExitCode;

fn main() -> ExitCode {
    pqlab::main()
}
