use crate::DONE;
use crate::args::RelayArgs;
use crate::output::{self, BadInput};
use crate::table::table;
use anyhow::Context;
use pqlab_lab::{Answered, FRAMES, RELAY_IDENTITY, Relay, RelayDescriptor, RelayKeys};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::net::TcpListener;
use std::sync::Arc;

pub(crate) fn run(arguments: &RelayArgs) -> anyhow::Result<u8> {
    let relay = pqlab_lab::relay(&arguments.provider, RELAY_IDENTITY).map_err(|error| {
        BadInput(format!("{:?} cannot answer handshakes: {error}; see `pqlab list providers`", arguments.provider))
    })?;
    let listener = TcpListener::bind(arguments.listen)
        .map_err(|error| BadInput(format!("cannot listen on {}: {error}", arguments.listen)))?;
    let address = listener.local_addr()?;
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot handle signals")?;
    let stopping = Arc::clone(&relay);
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            stopping.stop(address);
        }
    });
    if let Some(path) = &arguments.keys {
        let text = RelayKeys::new(address, relay.descriptor()).to_json();
        output::write_file(path, &output::destination(path)?, |file| Ok(file.write_all(text.as_bytes())?))?;
    }
    // Write everything at once: a reader that needs only the first line may close the pipe after
    // it.
    output::data(&format!("listening at {address}\n{}", introduction(&relay)))?;
    if !address.ip().is_loopback() {
        output::talk(
            "note: other machines can reach this address; the relay is a test tool and does not authenticate clients",
        );
    }
    serve(&relay, &listener)
}

/// Returns the text that the relay prints at the start: its identity and keys, and the requests that it answers.
fn introduction(relay: &Relay) -> String {
    let RelayDescriptor { identity, onion_key } = relay.descriptor();
    let row = |kind: Answered| {
        let keys = if kind.keys == 0 { String::new() } else { kind.keys.to_string() };
        let [request, answer] = [kind.request, kind.answer].map(|length| length.to_string());
        let number = format!("{:04x}", kind.number);
        vec![kind.name, number, request, kind.request_parts.into(), answer, kind.answer_parts.into(), keys]
    };
    let heads = ["request", "HTYPE", "HLEN", "HDATA", "HLEN of the answer", "HDATA of the answer", "keys"];
    let rows = relay.answers().into_iter().map(row).collect();
    format!(
        "identity   {}  (ID, {} bytes)\nonion key  {}  (X25519, {} bytes; not for KEM-only handshakes)\n\n{}\n{}\n\
         lengths in bytes; X and Y: X25519 keys (32); EK and CT: ML-KEM key and ciphertext; AUTH: authenticator (32)\n\
         `pqlab ntor-client` speaks this protocol\n",
        hex::encode(identity),
        identity.len(),
        hex::encode(onion_key),
        onion_key.len(),
        FRAMES,
        table(&heads, rows, usize::MAX),
    )
}

fn serve(relay: &Arc<Relay>, listener: &TcpListener) -> anyhow::Result<u8> {
    relay.serve(listener).context("the listening socket failed")?;
    let served = relay.served();
    output::talk(&format!("handshakes answered: {}; connections refused: {}", served.handshakes, served.refused));
    Ok(DONE)
}
