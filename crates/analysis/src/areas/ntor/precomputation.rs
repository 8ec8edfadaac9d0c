//! Speed-up of a handshake's steps by precomputation. Precomputation does not save work, but moves it to an earlier
//! time. A client generates ephemeral keys while idle, and a relay prepares its onion key at startup.

use super::{HandshakeFigures, Timing};
use crate::comparison::{Measured, ratio};
use pqlab_stats::Interval;

/// Time of a step without and with precomputation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// Median time in ns of the complete step.
    pub without_ns: f64,
    /// Median time in ns of the work that remains after precomputation.
    pub with_ns: f64,
    /// Ratio of the time without precomputation to the time with it, with its interval.
    pub ratio: Interval,
}

/// Gains of one handshake with one pair of providers. A gain is `None` if it was not measured, or if the handshake does
/// not allow this precomputation.
#[derive(Clone, Debug, PartialEq)]
pub struct Precomputation {
    /// The handshake's name.
    pub algorithm: String,
    /// Name of the provider, or of both providers joined by `+`.
    pub provider: String,
    /// Gain of the client's first step from precomputed ephemeral keys.
    pub create: Option<Gain>,
    /// Gain of both client steps together from precomputed ephemeral keys.
    pub client: Option<Gain>,
    /// Gain of the relay's step from a prepared onion key, compared with loading the key from bytes each time.
    pub reply: Option<Gain>,
}

/// Computes the gains of `handshakes`. Handshakes without a measured gain are left out.
pub fn precomputations(handshakes: &[HandshakeFigures<'_>]) -> Vec<Precomputation> {
    handshakes.iter().filter_map(HandshakeFigures::precomputation).collect()
}

impl HandshakeFigures<'_> {
    /// Returns the gains from precomputation, or `None` if none was measured.
    pub fn precomputation(&self) -> Option<Precomputation> {
        let [create, reply, finish] = self.steps.each_ref().map(Option::as_ref);
        let (ahead, encoded) = (self.keys_ahead.as_ref(), self.key_loaded.as_ref());
        let found = Precomputation {
            algorithm: self.algorithm.clone(),
            provider: self.provider.clone(),
            create: gain(&[create], &[ahead]),
            client: gain(&[create, finish], &[ahead, finish]),
            reply: gain(&[encoded], &[reply]),
        };
        [&found.create, &found.reply].iter().any(|gain| gain.is_some()).then_some(found)
    }
}

/// Computes the gain for the sum of several steps. Returns `None` if a step was not measured or took no time.
fn gain(without: &[Option<&Timing<'_>>], with: &[Option<&Timing<'_>>]) -> Option<Gain> {
    let (without, with) = (all(without)?, all(with)?);
    let median = |steps: &[&Timing<'_>]| steps.iter().map(|step| step.median.estimate).sum();
    let criteria = with.first()?.criteria;
    Some(Gain {
        without_ns: median(&without),
        with_ns: median(&with),
        ratio: ratio(&measured(&with), &measured(&without), criteria).ratio?.ratio,
    })
}

fn all<'s, 'a>(steps: &[Option<&'s Timing<'a>>]) -> Option<Vec<&'s Timing<'a>>> {
    steps.iter().copied().collect()
}

fn measured<'a>(steps: &[&Timing<'a>]) -> Vec<&'a Measured<'a>> {
    steps.iter().map(|step| step.measured).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::handshakes;
    use super::*;
    use crate::fixtures::ntor_ahead_run;
    use crate::run::RunAnalysis;

    #[test]
    fn a_gain_is_the_ratio_of_a_step_without_and_with_precomputation() {
        let run = ntor_ahead_run();
        let run = RunAnalysis::new(&run);
        let all = precomputations(&handshakes(&run));
        assert_eq!(all.len(), 1, "a handshake without precomputation must be left out");
        let [create, client, reply] = [&all[0].create, &all[0].client, &all[0].reply].map(|gain| gain.unwrap());
        let close = |left: f64, right: f64| assert!((left / right - 1.0).abs() < 0.02, "{left} is not {right}");
        // The client's first step takes 30 µs without precomputation and 2 µs with it; the second step takes 60 µs. The
        // relay's step takes 66 µs if it loads the key and 60 µs if not.
        close(create.ratio.estimate, 15.0);
        close(client.ratio.estimate, 90.0 / 62.0);
        close(reply.ratio.estimate, 1.1);
        close(create.without_ns, 30e3);
        close(client.with_ns, 62e3);
        for gain in [create, client, reply] {
            assert!(gain.ratio.low <= gain.ratio.estimate && gain.ratio.estimate <= gain.ratio.high);
        }
    }

    #[test]
    fn cases_with_precomputation_do_not_measure_the_plain_step() {
        let run = ntor_ahead_run();
        let run = RunAnalysis::new(&run);
        let classical = handshakes(&run).into_iter().find(HandshakeFigures::classical).unwrap();
        let medians = classical.steps.each_ref().map(|step| step.as_ref().unwrap().median.estimate);
        for (median, microseconds) in medians.into_iter().zip([30.0, 60.0, 60.0]) {
            assert!((median / 1e3 - microseconds).abs() < 1.0, "{median} ns, not {microseconds} µs");
        }
    }
}
