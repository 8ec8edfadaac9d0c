//! Transport for connections: TCP over loopback, or over a link with given conditions.

use crate::CaseOptions;
use pqlab_network::{Conditions, Profile};
use pqlab_record::{Case, Parameter, UnknownWord};
use std::str::FromStr;
use std::time::Duration;

/// Name and value of the case parameter for the transport.
const OVER: (&str, &str) = ("over", "tcp");
/// Case parameter that names a link's conditions.
const NETWORK: &str = "network";
// Case parameters that override individual conditions of the link, each with its unit.
const ROUND_TRIP: (&str, &str) = ("rtt", "ms");
const RATE: (&str, &str) = ("rate", "Mbit");
const LOSS: (&str, &str) = ("loss", "%");
const MTU: (&str, &str) = ("mtu", "");

/// Number of round trips per connection, for time estimates. Includes the round trips that set up the link.
const ROUND_TRIPS: f64 = 5.0;
/// Usual time between the starts of two connections in seconds, for time estimates.
const USUALLY_APART_S: f64 = 0.015;

/// Usual time for a connection over a simulated link in seconds, for time estimates.
const USUALLY_SIMULATED_S: f64 = 0.003;

/// A link without delay, rate limit or losses.
const NOTHING: Conditions = Conditions { round_trip: Duration::ZERO, rate: None, loss: 0.0, mtu: 1500 };

/// Named conditions of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TlsNetwork(pub Profile);

impl FromStr for TlsNetwork {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<TlsNetwork, UnknownWord> {
        let all = Conditions::PROFILES.map(TlsNetwork);
        UnknownWord::find("network", word, &all, |network| network.0.name)
    }
}

/// Returns the parameters of each requested link, without the transport.
pub(crate) fn links(options: &CaseOptions) -> Vec<Vec<Parameter>> {
    let own = |(name, unit): (&str, &str), value: Option<f64>| {
        value.map(|value| Parameter::Word(name.into(), format!("{value}{unit}")))
    };
    let own: Vec<Parameter> = [
        own(ROUND_TRIP, options.rtt_ms),
        own(RATE, options.rate_mbit),
        own(LOSS, options.loss_pct),
        own(MTU, options.mtu.map(|mtu| mtu as f64)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if options.networks.is_empty() {
        return if own.is_empty() { Vec::new() } else { vec![own] };
    }
    let named = options.networks.iter().map(|network| {
        let name = Parameter::Word(NETWORK.into(), network.0.name.into());
        [vec![name], own.clone()].concat()
    });
    named.collect()
}

/// Returns the parameter sets for connections: one for loopback, and one for each requested link.
pub(crate) fn all(options: &CaseOptions) -> Vec<Vec<Parameter>> {
    let tcp = Parameter::Word(OVER.0.into(), OVER.1.into());
    let loopback = vec![tcp.clone()];
    let over_links = links(options).into_iter().map(|link| [vec![tcp.clone()], link].concat());
    [loopback].into_iter().chain(over_links).collect()
}

/// Estimates the time in seconds that a case over a link takes, with a total of `connections` connections in
/// `processes` processes. `None` for cases without a link.
pub fn link_seconds(case: &Case, connections: u64, processes: u32) -> Option<f64> {
    let conditions = conditions(case).ok()??;
    if !waits_for_kernel(case) {
        return Some(connections as f64 * USUALLY_SIMULATED_S);
    }
    let waves = connections.div_ceil(super::connect::LINK_WAVE).max(processes.into());
    let waiting = waves as f64 * ROUND_TRIPS * conditions.round_trip.as_secs_f64();
    Some(waiting + connections as f64 * USUALLY_APART_S)
}

/// Returns whether the case uses an emulated network of the kernel, which needs privileges.
pub fn waits_for_kernel(case: &Case) -> bool {
    case.waits_for_network() && case.transport() == Some(OVER.1)
}

/// Returns the conditions that a case names. `None` over loopback.
///
/// # Errors
/// A description of the invalid condition.
pub(crate) fn conditions(case: &Case) -> Result<Option<Conditions>, String> {
    if !case.waits_for_network() {
        return Ok(None);
    }
    let base = match case.word(NETWORK) {
        Some(name) => Conditions::named(name).ok_or_else(|| format!("unknown network {name}"))?.conditions,
        None => NOTHING,
    };
    let own = |(name, unit): (&str, &str)| match case.word(name) {
        Some(word) => {
            let number = word.strip_suffix(unit).and_then(|number| number.parse::<f64>().ok());
            number.map(Some).ok_or_else(|| format!("invalid link condition {name}={word}; expected <number>{unit}"))
        }
        None => Ok(None),
    };
    let (round_trip, rate, loss, mtu) = (own(ROUND_TRIP)?, own(RATE)?, own(LOSS)?, own(MTU)?);
    let duration = |ms: f64| Duration::try_from_secs_f64(ms / 1e3).map_err(|error| error.to_string());
    let conditions = Conditions {
        round_trip: round_trip.map_or(Ok(base.round_trip), duration)?,
        rate: rate.map(|rate| (rate * 1e6) as u64).or(base.rate),
        loss: loss.map_or(base.loss, |loss| loss / 100.0),
        mtu: mtu.map_or(base.mtu, |mtu| mtu as u16),
    };
    conditions.check().map_err(|error| error.to_string())?;
    Ok(Some(conditions))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pqlab_record::Facts;

    fn case(parameters: Vec<Parameter>) -> Case {
        Case {
            workload: "tls".into(),
            algorithm: "X25519".into(),
            operation: "connect".into(),
            provider: "rustls".into(),
            form: None,
            parameters,
            block: "tls/network".into(),
            facts: Facts::default(),
        }
    }

    fn parameter_texts(options: &CaseOptions) -> Vec<String> {
        let words =
            |parameters: Vec<Parameter>| parameters.iter().map(Parameter::to_string).collect::<Vec<_>>().join(",");
        all(options).into_iter().map(words).collect()
    }

    #[test]
    fn case_ids_name_all_conditions_of_the_link() {
        let named = |word: &str| word.parse::<TlsNetwork>().unwrap();
        let options = CaseOptions { rtt_ms: Some(100.0), loss_pct: Some(0.5), ..CaseOptions::default() };
        assert_eq!(parameter_texts(&CaseOptions::default()), ["over=tcp"]);
        assert_eq!(parameter_texts(&options), ["over=tcp", "over=tcp,rtt=100ms,loss=0.5%"]);
        let both = CaseOptions { networks: vec![named("mobile"), named("satellite")], ..options.clone() };
        assert_eq!(
            parameter_texts(&both)[1..],
            ["over=tcp,network=mobile,rtt=100ms,loss=0.5%", "over=tcp,network=satellite,rtt=100ms,loss=0.5%"]
        );
        let found = |options: &CaseOptions, at: usize| conditions(&case(all(options)[at].clone())).unwrap();
        assert_eq!(found(&options, 0), None);
        let asked = Conditions { round_trip: Duration::from_millis(100), loss: 0.005, ..NOTHING };
        assert_eq!(found(&options, 1), Some(asked));
        assert_eq!(found(&both, 1), Some(Conditions { rate: Some(20_000_000), ..asked }));
        assert!("moon".parse::<TlsNetwork>().is_err());
    }

    #[test]
    fn reports_invalid_link_conditions() {
        for (name, word) in
            [("network", "moon"), ("rtt", "1s"), ("rtt", "-1ms"), ("rate", "0Mbit"), ("mtu", "10"), ("loss", "NaN%")]
        {
            let wrong = case(vec![Parameter::Word(name.into(), word.into())]);
            assert!(conditions(&wrong).is_err(), "{name}={word}");
        }
    }
}
