//! What more threads were worth.

use super::Recommendation;
use crate::case::CaseAnalysis;
use crate::number::{factor, percent, rate};
use crate::run::RunAnalysis;
use crate::scaling::{ScalingEntry, scaling};
use pqlab_stats::DEFAULT_MARGIN_PCT;

/// What the most threads that had a processor each were worth: the largest of such gains, which are not compared with one
/// another.
pub(super) fn threads(analysis: &RunAnalysis<'_>) -> Option<Recommendation> {
    let all = scaling(analysis);
    let several = all.iter().filter(|one| one.threads > 1 && !one.oversubscribed && one.provider != "null");
    let sound = |id: &str| {
        let row = analysis.cases().iter().find(|row| row.case().id() == id);
        row.is_some_and(CaseAnalysis::ranked)
    };
    let gained = several.filter(|one| sound(&one.id)).filter_map(|one| Some((one, one.speed_up?)));
    let gained = gained.filter(|(one, gain)| gain.low > 1.0 && !beyond_ideal(one));
    let (best, gain) = gained.max_by(|(one, gain), (other, others)| {
        (one.threads, gain.estimate).partial_cmp(&(other.threads, others.estimate)).unwrap_or(std::cmp::Ordering::Equal)
    })?;
    Some(Recommendation {
        use_case: "Several threads",
        algorithm: best.name.clone(),
        provider: best.provider.clone(),
        figure: factor(gain.estimate),
        interval: format!("{} to {}", factor(gain.low), factor(gain.high)),
        rate: None,
        what: format!("the throughput of one thread, on {} threads: the largest gain that was seen", best.threads),
        why: format!(
            "{} a second all together; {} of the ideal.",
            rate(best.ops_per_s),
            percent(100.0 * gain.estimate / best.threads as f64)
        ),
        tied: Vec::new(),
    })
}

/// Whether threads seem to be worth more than there are of them, by more than passes for equal: then it is the figure of the
/// single thread that something disturbed.
fn beyond_ideal(one: &ScalingEntry) -> bool {
    one.efficiency.is_some_and(|efficiency| efficiency.estimate > 1.0 + DEFAULT_MARGIN_PCT / 100.0)
}

/// Gains that there cannot be, a line each.
pub(super) fn impossible(analysis: &RunAnalysis<'_>) -> Vec<String> {
    let gains = scaling(analysis).into_iter().filter(|one| beyond_ideal(one) && one.provider != "null");
    let gain = |one: ScalingEntry| {
        let gain = one.speed_up.map_or(String::new(), |gain| factor(gain.estimate));
        format!("{} {} on {} threads: {gain}", one.name, one.provider, one.threads)
    };
    gains.map(gain).collect()
}
