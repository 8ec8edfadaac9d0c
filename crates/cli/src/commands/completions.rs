use crate::DONE;
use crate::args::command;
use clap_complete::Shell;

pub(crate) fn run(shell: Shell) -> anyhow::Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "pqlab", &mut script);
    crate::output::raw(&String::from_utf8_lossy(&script))?;
    Ok(DONE)
}
