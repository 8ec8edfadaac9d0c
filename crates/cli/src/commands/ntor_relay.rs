use crate::DONE;
use crate::args::RelayArgs;
use crate::output::{self, BadInput};
use anyhow::Context;
use pqlab_lab::Relay;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::net::TcpListener;
use std::sync::Arc;

/// The identity that the relay states.
const IDENTITY: [u8; 20] = *b"pqlab's own relay...";

pub(crate) fn run(arguments: &RelayArgs) -> anyhow::Result<u8> {
    let relay = pqlab_lab::relay(&arguments.provider, IDENTITY).map_err(|error| {
        BadInput(format!("no relay of {:?}: {error}: see `pqlab list providers`", arguments.provider))
    })?;
    let listener = TcpListener::bind(arguments.listen)
        .map_err(|error| BadInput(format!("cannot listen at {}: {error}", arguments.listen)))?;
    let address = listener.local_addr()?;
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot listen to signals")?;
    let stopping = Arc::clone(&relay);
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            stopping.stop(address);
        }
    });
    output::data(&format!("listening at {address}\n"))?;
    if !address.ip().is_loopback() {
        output::talk("note: others can reach this address; the relay is an instrument and authenticates nobody");
    }
    serve(&relay, &listener)
}

fn serve(relay: &Arc<Relay>, listener: &TcpListener) -> anyhow::Result<u8> {
    relay.serve(listener).context("the listening socket failed")?;
    let served = relay.served();
    output::talk(&format!("{} handshakes answered, {} connections refused", served.handshakes, served.refused));
    Ok(DONE)
}
