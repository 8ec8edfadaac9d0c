use crate::args::ScenarioArgs;
use crate::output::BadInput;
use pqlab_lab::analysis::ntor::RelayScenario;

/// What the tables of circuit handshakes ask about, as the command line says it.
pub(crate) fn of(arguments: &ScenarioArgs) -> Result<RelayScenario, BadInput> {
    let positive = |name: &str, value: f64| {
        if value.is_finite() && value > 0.0 { Ok(value) } else { Err(BadInput(format!("{name} must be above zero"))) }
    };
    Ok(RelayScenario {
        circuits_per_second: positive("--circuits-per-second", arguments.circuits_per_second)?,
        links: arguments.link.iter().map(|text| speed(text)).collect::<Result<_, _>>()?,
        rtt_ms: if arguments.rtt == 0.0 { 0.0 } else { positive("--rtt", arguments.rtt)? },
    })
}

/// Bits a second: `10M`, `2.5G`, `56k`, `1000000`.
fn speed(text: &str) -> Result<f64, BadInput> {
    let bad = || BadInput(format!("{text:?} is no speed of a link: write 100M for 100 million bits a second, or 10G"));
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
    fn speeds_have_units() {
        for (text, expected) in [("10M", 10e6), ("2.5G", 2.5e9), ("56k", 56e3), ("9600", 9600.0)] {
            assert_eq!(speed(text).ok(), Some(expected));
        }
        for text in ["", "M", "-1M", "fast", "NaN", "10T"] {
            assert!(speed(text).is_err(), "{text}");
        }
    }
}
