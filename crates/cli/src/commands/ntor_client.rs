use crate::args::ClientArgs;
use crate::output::{self, BadInput};
use crate::{DONE, FAILED};
use pqlab_lab::analysis::number::grouped;
use pqlab_lab::{ClientError, RelayKeys, circuit_handshake, relay_address, relay_client};
use std::time::Duration;

pub(crate) fn run(arguments: &ClientArgs) -> anyhow::Result<u8> {
    let handshake = circuit_handshake(&arguments.handshake)?;
    let known = match &arguments.keys {
        Some(path) => Some(RelayKeys::read(path)?.descriptor()),
        None => arguments.given(),
    };
    let address = relay_address(&arguments.address)?;
    let limit = Duration::from_secs_f64(arguments.timeout);
    let provider = &arguments.provider;
    let mut client = match relay_client(handshake, provider, address, known, limit) {
        Ok(client) => client,
        Err(ClientError::Provider(fault)) => {
            return Err(BadInput(format!(
                "{provider:?} cannot perform handshakes: {fault}; see `pqlab list providers`"
            ))
            .into());
        }
        Err(ClientError::Unreachable(error)) => {
            let message =
                format!("no relay answers at {address}: {error}; is `pqlab ntor-relay --listen {address}` running?");
            return Err(BadInput(message).into());
        }
        Err(error) => return Ok(failed(&format!("{address}: cannot get the relay's keys: {error}"))),
    };
    if known.is_none() {
        output::talk(&format!(
            "note: {address} claims identity {} and onion key {}; \
             check them with --keys, or --identity and --onion-key",
            hex::encode(client.relay().identity),
            hex::encode(client.relay().onion_key)
        ));
    }
    let mut length = 0;
    for done in 0..arguments.count {
        match client.handshake() {
            Ok(keys) => length = keys.len(),
            Err(error) => {
                return Ok(failed(&format!(
                    "{address}: handshake {} failed ({} with {provider}): {error}",
                    grouped(done + 1),
                    handshake.name()
                )));
            }
        }
    }
    let [sent, received] = client.lengths();
    let all = |length: usize| grouped(arguments.count * length as u64);
    output::data(&format!(
        "{}: completed {} with {address}, sent {} bytes, received {} ({sent} and {received} per handshake)\n\
         both ends derived the same {length} bytes of keys: every answer had a valid authenticator\n{}",
        handshake.name(),
        match arguments.count {
            1 => "1 handshake".to_owned(),
            count => format!("{} handshakes", grouped(count)),
        },
        all(sent),
        all(received),
        match (client.authenticates(), known.is_some()) {
            (true, true) => "the relay has the private key for the given onion key",
            (true, false) => "the relay has the private key for the onion key that it claims",
            (false, _) => "the relay is not authenticated: this handshake uses no long-term secret",
        }
    ))?;
    Ok(DONE)
}

fn failed(text: &str) -> u8 {
    output::complain(text);
    FAILED
}
