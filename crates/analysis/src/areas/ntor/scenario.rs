//! Assumptions behind the tables of circuit handshakes.

use std::fmt;

/// Assumptions about a relay and its links. The user chooses them; they are not measured.
#[derive(Clone, Debug, PartialEq)]
pub struct RelayScenario {
    /// New circuits per second at the relay.
    pub circuits_per_second: f64,
    /// Link speeds in bits per second.
    pub links: Vec<f64>,
    /// Round-trip time in ms.
    pub rtt_ms: f64,
}

impl Default for RelayScenario {
    fn default() -> RelayScenario {
        RelayScenario { circuits_per_second: 1000.0, links: vec![10e6, 100e6, 10e9], rtt_ms: 50.0 }
    }
}

/// Reason why a [`RelayScenario`] is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongScenario(String);

impl fmt::Display for WrongScenario {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for WrongScenario {}

impl RelayScenario {
    /// Creates a scenario from new circuits per second, link speeds with a unit (`10M`, `2.5G`, `56k` or plain bits per
    /// second), and the round-trip time in ms.
    ///
    /// # Errors
    /// Returns [`WrongScenario`], which names the invalid value.
    pub fn new(
        circuits_per_second: f64,
        links: &[impl AsRef<str>],
        rtt_ms: f64,
    ) -> Result<RelayScenario, WrongScenario> {
        let above_zero = |value: f64| value.is_finite() && value > 0.0;
        if !above_zero(circuits_per_second) {
            let message = format!("invalid rate of {circuits_per_second} circuits per second; it must be above 0");
            return Err(WrongScenario(message));
        }
        if rtt_ms != 0.0 && !above_zero(rtt_ms) {
            return Err(WrongScenario(format!("invalid round-trip time of {rtt_ms} ms; it must be 0 or above")));
        }
        let links = links.iter().map(|text| link_speed(text.as_ref())).collect::<Result<_, _>>()?;
        Ok(RelayScenario { circuits_per_second, links, rtt_ms })
    }
}

/// Parses bits per second: `10M`, `2.5G`, `56k`, `1000000`.
fn link_speed(text: &str) -> Result<f64, WrongScenario> {
    let bad = || {
        WrongScenario(format!(
            "invalid link speed {text:?}; expected bits per second, such as 100M (100 million) or 10G"
        ))
    };
    let (number, unit) = match text.char_indices().next_back() {
        Some((index, 'k' | 'K')) => (&text[..index], 1e3),
        Some((index, 'M')) => (&text[..index], 1e6),
        Some((index, 'G')) => (&text[..index], 1e9),
        _ => (text, 1.0),
    };
    let value: f64 = number.trim().parse().map_err(|_| bad())?;
    if value.is_finite() && value > 0.0 { Ok(value * unit) } else { Err(bad()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_link_speeds_with_units() {
        for (text, expected) in [("10M", 10e6), ("2.5G", 2.5e9), ("56k", 56e3), ("9600", 9600.0)] {
            assert_eq!(link_speed(text).ok(), Some(expected));
        }
        for text in ["", "M", "-1M", "fast", "NaN", "10T"] {
            assert!(link_speed(text).is_err(), "{text}");
        }
        assert_eq!(RelayScenario::new(1000.0, &["10M", "100M", "10G"], 50.0), Ok(RelayScenario::default()));
        assert!(RelayScenario::new(0.0, &["10M"], 0.0).is_err() && RelayScenario::new(1.0, &["10M"], -1.0).is_err());
        assert!(RelayScenario::new(1.0, &["10M"], 0.0).is_ok());
    }
}
