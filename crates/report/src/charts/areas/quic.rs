//! Chart of QUIC handshakes: the computing time of client and server.

use crate::charts::Chart;
use crate::charts::areas::subject;
use crate::charts::ratios::doubt;
use crate::charts::stack::{Bar, MOST, any_approximate, stacked};
use pqlab_analysis::quic::{AREA, Handshake, handshakes};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};

const PARTS: [&str; 2] = ["client", "server"];
const NOTE: &str = "Each bar names the datagrams of the first flight of client and server, and whether the amplification \
                    limit holds back the server.";

/// Names a handshake: `X25519MLKEM768, ML-DSA-65: 2 + 6 datagrams, held back`.
fn name(handshake: &Handshake<'_, '_>) -> String {
    let configuration = &handshake.configuration;
    let name = format!("{}, {}", configuration.exchange, configuration.authentication);
    let chain =
        if configuration.intermediates == 1 { "" } else { &format!(", chain of {}", configuration.intermediates) };
    let flights = handshake.exchange().map_or_else(String::new, |exchange| {
        let held_back = if exchange.is_limited { ", held back" } else { "" };
        format!(": {} + {} datagrams{held_back}", exchange.client_flight, exchange.server_flight)
    });
    format!("{name}{chain}{flights}")
}

fn bar(handshake: &Handshake<'_, '_>) -> Option<Bar> {
    let cases = [handshake.whole?, handshake.client?, handshake.server?];
    let figures = cases.map(CaseAnalysis::time);
    let mean = |case: &CaseAnalysis<'_>| Some(case.estimates.as_ref()?.samples_ns.mean);
    Some(Bar {
        name: name(handshake),
        provider: handshake.configuration.provider.to_owned(),
        algorithm: handshake.configuration.exchange.to_owned(),
        parts: vec![mean(cases[1])?, mean(cases[2])?],
        whole: figures[0],
        approximate: any_approximate(&figures),
        doubt: cases.iter().find_map(|case| doubt(case)),
        faster: Vec::new(),
        tied: Vec::new(),
    })
}

/// Draws the mean computing time of client and server for each handshake that was also measured on each side.
pub(crate) fn sides(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    if area != AREA {
        return None;
    }
    let bars = handshakes(analysis).iter().filter_map(bar).collect();
    let title = format!("{}: computing time of a handshake on each side", subject(area));
    stacked(analysis, "quic-sides", &title, &PARTS, bars, MOST, [NOTE, ""])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::charts::texts;
    use crate::fixtures;

    #[test]
    fn bars_name_datagrams_of_the_first_flights() {
        let run = fixtures::quic_run();
        let analysis = RunAnalysis::new(&run);
        let chart = sides(&analysis, AREA).unwrap();
        assert!(texts(&chart).contains("X25519, ECDSA-P-256: 1 + 3 datagrams"), "{}", texts(&chart));
        let names: Vec<String> = handshakes(&analysis).iter().map(name).collect();
        assert_eq!(names[2], "X25519MLKEM768, ML-DSA-65: 2 + 6 datagrams, held back");
        assert_eq!(sides(&analysis, "tls"), None);
    }
}
