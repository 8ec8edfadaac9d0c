use crate::args::ServeArgs;
use crate::{DONE, output};
use anyhow::Context;
use pqlab_server::Server;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;

/// Serves until it is interrupted.
pub(crate) fn run(arguments: &ServeArgs) -> anyhow::Result<u8> {
    let server = Server::start(arguments.listen, arguments.database.path()?, arguments.allow_host.clone())?;
    let mut signals = Signals::new([SIGINT]).context("cannot handle signals")?;
    output::data(&server.url())?;
    if !server.address().ip().is_loopback() {
        output::talk("whoever reaches this address can read every run in the database");
        if arguments.allow_host.is_empty() {
            output::talk("browsers are answered that ask for an IP address; for a name, give it with --allow-host");
        }
    }
    signals.forever().next();
    Ok(DONE)
}
