//! Gain of a handshake from precomputation. Precomputed work is moved, not saved: a client generates ephemeral keys
//! while it waits for nothing, a relay prepares its onion key when it starts.

use super::{HandshakeFigures, Timing};
use crate::comparison::{Measured, ratio};
use pqlab_stats::Interval;

/// A step without precomputation, and with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// Median time in ns if the step computes everything.
    pub without_ns: f64,
    /// Median time in ns if the step only does the remaining work.
    pub with_ns: f64,
    /// Ratio of the time without precomputation to the time with it, with its interval.
    pub ratio: Interval,
}

/// Gains of one handshake over one pair of providers; `None` for what was not measured or does not exist.
#[derive(Clone, Debug, PartialEq)]
pub struct Precomputation {
    /// The handshake's name.
    pub algorithm: String,
    /// The provider, or both.
    pub provider: String,
    /// The client's first step, with precomputed ephemeral keys.
    pub create: Option<Gain>,
    /// Both steps of the client together: the effect of precomputed keys on the whole handshake.
    pub client: Option<Gain>,
    /// The relay's step with a prepared onion key, compared with loading it from bytes each time.
    pub reply: Option<Gain>,
}

/// Computes the gains of each of these handshakes, without those that have none.
pub fn precomputations(handshakes: &[HandshakeFigures<'_>]) -> Vec<Precomputation> {
    handshakes.iter().filter_map(HandshakeFigures::precomputation).collect()
}

impl HandshakeFigures<'_> {
    /// Its gains from precomputation; `None` if none was measured.
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

/// Gain for the sums of some steps; `None` if one of them was not measured.
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
        let run = RunAnalysis::of(&run);
        let all = precomputations(&handshakes(&run));
        assert_eq!(all.len(), 1, "the other handshake has no precomputation");
        let [create, client, reply] = [&all[0].create, &all[0].client, &all[0].reply].map(|gain| gain.unwrap());
        let close = |left: f64, right: f64| assert!((left / right - 1.0).abs() < 0.02, "{left} is not {right}");
        // 30 µs without, 2 µs with; the second step takes 60 µs. 66 µs if the key is loaded, 60 µs if not.
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
    fn steps_with_precomputation_are_not_taken_for_the_step_itself() {
        let run = ntor_ahead_run();
        let run = RunAnalysis::of(&run);
        let classical = handshakes(&run).into_iter().find(HandshakeFigures::classical).unwrap();
        let medians = classical.steps.each_ref().map(|step| step.as_ref().unwrap().median.estimate);
        for (median, microseconds) in medians.into_iter().zip([30.0, 60.0, 60.0]) {
            assert!((median / 1e3 - microseconds).abs() < 1.0, "{median} ns, not {microseconds} µs");
        }
    }
}
