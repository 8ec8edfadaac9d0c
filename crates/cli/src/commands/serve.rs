use crate::args::ServeArgs;
use crate::{DONE, output};
use anyhow::Context;
use pqlab_server::Server;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;

/// Serves until Ctrl-C.
pub(crate) fn run(arguments: &ServeArgs) -> anyhow::Result<u8> {
    let server = Server::start(arguments.listen, arguments.database.path()?, arguments.allow_host.clone())?;
    let mut signals = Signals::new([SIGINT]).context("cannot handle signals")?;
    output::data(&server.url())?;
    if !server.address().ip().is_loopback() {
        output::talk("note: anyone who can reach this address can read every run in the database");
        if arguments.allow_host.is_empty() {
            output::talk("note: browsers must use an IP address; to allow a host name, pass it with --allow-host");
        }
    }
    signals.forever().next();
    Ok(DONE)
}
