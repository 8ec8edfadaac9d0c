//! What a handshake gains where something of it was computed before. Such work is moved, not saved: a client's ephemeral keys
//! are made while it waits for nothing, a relay's onion key is prepared when it starts.

use super::{HandshakeFigures, Timing};
use crate::comparison::{Measured, ratio};
use pqlab_stats::Interval;

/// A step without what was computed before it, and with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// Median time in ns where everything is computed in the step.
    pub without_ns: f64,
    /// Median time in ns of what is left to the step.
    pub with_ns: f64,
    /// How many times as long it takes without, with its interval.
    pub ratio: Interval,
}

/// What was measured of one handshake over one pair of providers; `None` for what was not, and for what it does not have.
#[derive(Clone, Debug, PartialEq)]
pub struct Precomputation {
    /// The handshake's name.
    pub algorithm: String,
    /// The provider, or two.
    pub provider: String,
    /// The client's first step, with ephemeral keys made ahead.
    pub create: Option<Gain>,
    /// Both steps of the client together: what keys made ahead take off the whole handshake for it.
    pub client: Option<Gain>,
    /// The relay's step with its onion key prepared, against loading it from bytes each time.
    pub reply: Option<Gain>,
}

/// What is known of each of these handshakes, those left out of which nothing is.
pub fn precomputations(handshakes: &[HandshakeFigures<'_>]) -> Vec<Precomputation> {
    handshakes.iter().filter_map(HandshakeFigures::precomputation).collect()
}

impl HandshakeFigures<'_> {
    /// What it gains from what was computed before; `None` where nothing of that was measured.
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

/// Of the sums of some steps; `None` where one of them was not measured.
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
    fn a_gain_is_the_ratio_of_a_step_without_and_with_what_was_computed_before() {
        let run = ntor_ahead_run();
        let run = RunAnalysis::of(&run);
        let all = precomputations(&handshakes(&run));
        assert_eq!(all.len(), 1, "of the other handshake nothing was computed ahead");
        let [create, client, reply] = [&all[0].create, &all[0].client, &all[0].reply].map(|gain| gain.unwrap());
        let close = |left: f64, right: f64| assert!((left / right - 1.0).abs() < 0.02, "{left} is not {right}");
        // 30 µs without, 2 µs with; the second step takes 60 µs. 66 µs where the key is loaded, 60 where it is not.
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
    fn what_was_computed_ahead_is_not_taken_for_the_step_itself() {
        let run = ntor_ahead_run();
        let run = RunAnalysis::of(&run);
        let classical = handshakes(&run).into_iter().find(HandshakeFigures::classical).unwrap();
        let medians = classical.steps.each_ref().map(|step| step.as_ref().unwrap().median.estimate);
        for (median, microseconds) in medians.into_iter().zip([30.0, 60.0, 60.0]) {
            assert!((median / 1e3 - microseconds).abs() < 1.0, "{median} ns, not {microseconds} µs");
        }
    }
}
