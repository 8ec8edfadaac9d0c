//! Queues of onionskins that a relay answers together: the gain in throughput, and the waiting time of the first
//! onionskin.

use super::{AREA, Timing, timing};
use crate::run::RunAnalysis;
use pqlab_record::State;
use pqlab_stats::Interval;

/// Figures for a relay that answers a queue of onionskins one after the other, in one thread.
#[derive(Clone, Debug)]
pub struct QueueFigures<'a> {
    /// The handshake's name.
    pub algorithm: String,
    /// Name of the provider, or of both providers joined by `+`.
    pub provider: String,
    /// Whether the caches were warm from the previous queue or were evicted before each queue.
    pub state: State,
    /// Number of onionskins in the queue.
    pub length: u64,
    /// Time until the last onionskin is answered.
    pub whole: Timing<'a>,
    /// Median time in ns until the first onionskin is answered; `None` if it was not recorded.
    pub first_ns: Option<f64>,
    /// Time in ns until an onionskin is answered: the mean over the onionskins of a queue, then the median over the
    /// queues. `None` if it was not recorded.
    pub mean_ns: Option<f64>,
    /// Speed-up per reply, with its interval. This is the time of a reply in a queue of one, in the same state, divided
    /// by the time per reply in this queue. Replies in a queue share the prepared onion key and the cache contents, but
    /// no computation. `None` for a queue of one, or if a queue of one was not measured.
    pub gain: Option<Interval>,
}

/// Time from the arrival of an onionskin until it is answered, in ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// Latency of the first onionskin, which waits for the others to arrive.
    pub first_ns: f64,
    /// Latency of the last onionskin, which waits only for the replies to the others.
    pub last_ns: f64,
    /// Mean latency of all onionskins.
    pub mean_ns: f64,
}

impl QueueFigures<'_> {
    /// Returns the handshakes per second that one core answers, with the interval.
    pub fn replies_per_second(&self) -> Option<Interval> {
        let queues = self.whole.per_second?;
        let each = |rate: f64| self.length as f64 * rate;
        Some(Interval { estimate: each(queues.estimate), low: each(queues.low), high: each(queues.high), ..queues })
    }

    /// Computes latencies from measured figures. Assumes that onionskins arrive evenly at `onionskins_per_second`, and
    /// that the relay starts to answer when the queue is full. Returns `None` if onionskins arrive faster than the
    /// relay answers, or if the times of single replies were not recorded.
    pub fn latency(&self, onionskins_per_second: f64) -> Option<Latency> {
        let others_ns = (self.length as f64 - 1.0) / onionskins_per_second * 1e9;
        let sustained = self.replies_per_second().is_some_and(|rate| rate.estimate >= onionskins_per_second);
        Some(Latency {
            first_ns: others_ns + self.first_ns?,
            last_ns: self.whole.median.estimate,
            mean_ns: others_ns / 2.0 + self.mean_ns?,
        })
        .filter(|_| sustained)
    }
}

/// Returns the queues in a run, grouped by handshake, pair of providers and state. Groups are in the order of the run's
/// records; within a group, the shortest queue comes first.
pub fn queues<'a>(analysis: &'a RunAnalysis<'_>) -> Vec<QueueFigures<'a>> {
    let mut found: Vec<QueueFigures<'a>> = Vec::new();
    for one in analysis.area(AREA).filter(|one| one.case().operation == "replies") {
        let case = one.case();
        let (Some(length), Some(whole)) = (case.number("queue"), timing(one, analysis.criteria())) else { continue };
        let noted = |name| one.estimates.as_ref().and_then(|estimates| estimates.extra(name)).map(|noted| noted.median);
        let figures = QueueFigures {
            algorithm: case.algorithm.clone(),
            provider: case.provider.clone(),
            state: case.state(),
            length,
            whole,
            first_ns: noted("first_answered_ns"),
            mean_ns: noted("mean_answered_ns"),
            gain: None,
        };
        let after = found.iter().rposition(|other| same(other, &figures) && other.length <= length);
        let before = found.iter().position(|other| same(other, &figures));
        found.insert(after.map_or(before.unwrap_or(found.len()), |place| place + 1), figures);
    }
    let gains: Vec<Option<Interval>> = found.iter().map(|figures| gain(&found, figures)).collect();
    for (figures, gain) in found.iter_mut().zip(gains) {
        figures.gain = gain;
    }
    found
}

fn same(one: &QueueFigures<'_>, other: &QueueFigures<'_>) -> bool {
    (&one.algorithm, &one.provider, one.state) == (&other.algorithm, &other.provider, other.state)
}

fn gain(all: &[QueueFigures<'_>], queue: &QueueFigures<'_>) -> Option<Interval> {
    let alone = all.iter().find(|other| same(other, queue) && other.length == 1 && queue.length > 1)?;
    let over = alone.whole.over(&queue.whole)?;
    let each = |times: f64| times * queue.length as f64;
    Some(Interval { estimate: each(over.estimate), low: each(over.low), high: each(over.high), ..over })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fixtures::ntor_ahead_run;

    #[test]
    fn a_queue_gains_from_sharing_and_costs_waiting_time() {
        let run = ntor_ahead_run();
        let run = RunAnalysis::new(&run);
        let all = queues(&run);
        let lengths: Vec<(State, u64)> = all.iter().map(|queue| (queue.state, queue.length)).collect();
        assert_eq!(lengths, [(State::Warm, 1), (State::Warm, 4), (State::Evicted, 1), (State::Evicted, 4)]);
        let close = |left: f64, right: f64| assert!((left / right - 1.0).abs() < 0.02, "{left} is not {right}");
        // With warm caches, each reply takes 60 µs. With evicted caches, one reply takes 100 µs, and four take 280 µs.
        assert!(all[0].gain.is_none() && all[2].gain.is_none());
        close(all[1].gain.unwrap().estimate, 1.0);
        close(all[3].gain.unwrap().estimate, 400.0 / 280.0);
        close(all[3].replies_per_second().unwrap().estimate, 4.0 / 280e-6);
        // At 1,000 onionskins per second, the first waits 3 ms, because the other three arrive a
        // millisecond apart.
        let latency = all[3].latency(1000.0).unwrap();
        close(latency.first_ns, 3e6 + 100e3);
        close(latency.last_ns, 280e3);
        close(latency.mean_ns, 1.5e6 + 190e3);
        assert!(
            all[3].latency(20_000.0).is_none(),
            "the latency must be undefined for a load beyond the relay's capacity"
        );
        assert!(queues(&RunAnalysis::new(&crate::fixtures::run())).is_empty());
    }
}
