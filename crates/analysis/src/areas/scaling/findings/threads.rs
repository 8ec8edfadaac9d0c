//! Finding on the gain from several threads.

use crate::areas::scaling::{ScalingFigures, scaling};
use crate::case::CaseAnalysis;
use crate::group::distinct;
use crate::number::factor;
use crate::recommendation::Recommendation;
use crate::run::RunAnalysis;
use pqlab_record::NULL;
use pqlab_stats::{Interval, Sorted};

/// Name of the recommendation.
pub(crate) const USE_CASE: &str = "Several threads";

/// Summarizes the gain from several threads over one thread: the median over all operations, and the smallest gain.
/// Uses the largest number of threads at which each thread had its own processor. Does not report the largest gain,
/// because the largest of many gains is inflated by chance.
pub(crate) fn threads(analysis: &RunAnalysis<'_>) -> Option<Recommendation> {
    let all = scaling(analysis);
    let several = all.iter().filter(|one| one.threads > 1 && !one.oversubscribed && !beyond_ideal(one));
    let sound = |id: &str| {
        let row = analysis.cases().iter().find(|row| row.case().id() == id);
        row.is_some_and(CaseAnalysis::ranked)
    };
    let gained = several.filter(|one| sound(&one.id)).filter_map(|one| Some((one, one.speed_up?)));
    let gained: Vec<(&ScalingFigures, Interval)> = gained.collect();
    let threads = gained.iter().map(|(one, _)| one.threads).max()?;
    let mut gained: Vec<_> = gained.into_iter().filter(|(one, _)| one.threads == threads).collect();
    gained.sort_by(|one, other| one.1.estimate.total_cmp(&other.1.estimate));
    let gains = Sorted::new(gained.iter().map(|(_, gain)| gain.estimate).collect())?;
    let (least, gain) = gained.first()?;
    let providers = distinct(gained.iter().map(|(one, _)| one.provider.clone())).len();
    let counted = |count: usize, what: &str| if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") };
    let libraries = if providers == 1 { "1 library".to_owned() } else { format!("{providers} libraries") };
    let quartiles = (factor(gains.quantile(0.25)), factor(gains.quantile(0.75)));
    Some(Recommendation {
        use_case: USE_CASE,
        algorithm: counted(gained.len(), "operation"),
        provider: libraries,
        figure: factor(gains.median()),
        interval: format!("quartiles {} to {}", quartiles.0, quartiles.1),
        rate: None,
        cases: gained.iter().map(|(one, _)| one.id.clone()).collect(),
        what: format!("throughput of {threads} threads relative to one thread, median over operations"),
        why: format!(
            "smallest gain: {} by {}, {} ({} to {}).",
            least.name,
            least.provider,
            factor(gain.estimate),
            factor(gain.low),
            factor(gain.high)
        ),
        cautions: Vec::new(),
        tied: Vec::new(),
    })
}

/// Returns whether the interval of the speed-up lies above the number of threads. If so, the single-thread measurement
/// must have been disturbed.
fn beyond_ideal(one: &ScalingFigures) -> bool {
    one.efficiency.is_some_and(|efficiency| efficiency.low > 1.0)
}

/// Lists impossible speed-ups (those above the number of threads), one per line.
pub(crate) fn impossible(analysis: &RunAnalysis<'_>) -> Vec<String> {
    let gains = scaling(analysis).into_iter().filter(|one| beyond_ideal(one) && one.provider != NULL);
    let gain = |one: ScalingFigures| {
        let gain = one.speed_up.map_or(String::new(), |gain| factor(gain.estimate));
        format!("{} {} on {} threads: {gain}", one.name, one.provider, one.threads)
    };
    gains.map(gain).collect()
}
