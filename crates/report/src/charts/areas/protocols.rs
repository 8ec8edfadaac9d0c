//! Chart of TLS, SSH and QUIC over links: the time of the classical algorithms, and what others add.

use crate::charts::Chart;
use crate::charts::ratios::doubt;
use crate::charts::stack::{Bar, any_approximate, stacked};
use pqlab_analysis::protocols::{Setting, settings};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};

const PARTS: [&str; 2] = ["classical algorithms of the protocol", "additional time"];
const NOTE: &str = "Median times until the client has completed the handshake, in SSH until its login is accepted. TLS and \
                    SSH include TCP's own round trip. The table has the intervals.";
const TITLE: &str = "TLS, SSH and QUIC over the same links: waiting time of a client";
/// Maximum number of bars.
const MOST: usize = 40;

fn bar(setting: &Setting<'_, '_>) -> Option<Bar> {
    let cases = [setting.classical?, setting.connected];
    let figures = cases.map(CaseAnalysis::median);
    let [classical, connected] = [figures[0]?.estimate, figures[1]?.estimate];
    Some(Bar {
        name: format!("{} {}: {}", setting.protocol, setting.link, setting.algorithms()),
        provider: setting.connected.case().provider.clone(),
        algorithm: setting.connected.case().algorithm.clone(),
        parts: vec![classical.min(connected), (connected - classical).max(0.0)],
        whole: None,
        approximate: any_approximate(&figures),
        doubt: cases.iter().find_map(|case| doubt(case)),
        faster: Vec::new(),
        tied: Vec::new(),
    })
}

/// Draws the connections of several protocols over the same links. Belongs to the first of the protocols' areas.
pub(crate) fn waiting(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let all = settings(analysis);
    if all.first()?.connected.case().workload != area {
        return None;
    }
    stacked(analysis, "protocols", TITLE, &PARTS, all.iter().filter_map(bar).collect(), MOST, [NOTE, ""])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::charts::texts;
    use crate::fixtures;

    #[test]
    fn bars_show_each_setting_that_has_a_classical_one() {
        let run = fixtures::protocols_run();
        let analysis = RunAnalysis::new(&run);
        let bars: Vec<Bar> = settings(&analysis).iter().filter_map(bar).collect();
        assert_eq!(bars.len(), 6);
        assert_eq!(bars[0].name, "SSH rtt=100ms: mlkem768x25519-sha256, Ed25519");
        let [classical, more] = bars[0].parts[..] else { panic!() };
        assert!((classical / 600e6 - 1.0).abs() < 0.01 && (0.0..10e6).contains(&more), "{classical} {more}");
        let chart = waiting(&analysis, "ssh").unwrap();
        assert!(texts(&chart).contains("QUIC rtt=20ms loss=1%"), "{}", texts(&chart));
        assert_eq!(waiting(&analysis, "quic"), None);
    }
}
