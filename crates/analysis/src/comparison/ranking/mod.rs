//! Ranks rivals that do the same work. Rivals that do not differ measurably are tied.

use super::{Compared, ComparisonCriteria, ratio};
use crate::measured::{Measured, common_statistic};
use crate::number::factor_within;
use pqlab_record::Unit;
use pqlab_stats::{Interval, Verdict};
use std::collections::BTreeMap;

/// Standing of a rival among all rivals that do the same work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// All other rivals are slower.
    Fastest,
    /// No other rival is faster. This one has the lowest figure, or does not differ measurably from the rival with the
    /// lowest figure.
    Tied,
    /// This rival has the lowest figure. Some others do not differ measurably from it, but each of them is slower than
    /// a third rival.
    Lowest,
    /// The rival is slower than the leader. Contains the ratio of its figure to the leader's.
    Slower(Interval),
    /// The rival does not differ measurably from the leader but is slower than a third rival. Contains the ratio of its
    /// figure to the leader's.
    Open(Interval),
}

impl Standing {
    /// Returns whether no other rival is faster than this one.
    pub fn leads(self) -> bool {
        matches!(self, Standing::Fastest | Standing::Tied | Standing::Lowest)
    }

    /// Formats the standing in a few characters: `fastest`, `tied`, `1.69× ±0.4%`.
    pub fn text(self) -> String {
        match self {
            Standing::Fastest => "fastest".to_owned(),
            Standing::Tied => "tied".to_owned(),
            Standing::Lowest => "lowest".to_owned(),
            Standing::Slower(ratio) | Standing::Open(ratio) => factor_within(&ratio),
        }
    }

    /// Returns the ratio of the rival's figure to the leader's, with its interval, or `None` for leaders.
    pub fn ratio(self) -> Option<Interval> {
        match self {
            Standing::Slower(ratio) | Standing::Open(ratio) => Some(ratio),
            Standing::Fastest | Standing::Tied | Standing::Lowest => None,
        }
    }
}

/// Standings of rivals that do the same work.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// Index of the leader: the rival with the lowest figure among the ranked rivals that no other rival beats. `None`
    /// if every ranked rival is beaten, or if no rival is ranked.
    pub leader: Option<usize>,
    /// Standing of each rival; `None` if the rival is not ranked, or if fewer than two rivals are ranked.
    pub standings: Vec<Option<Standing>>,
}

impl Ranking {
    /// Returns the indices of all leaders, the one with the lowest figure first.
    pub fn leaders(&self) -> Vec<usize> {
        let leads = |place: &usize| Some(*place) != self.leader && self.standings[*place].is_some_and(Standing::leads);
        self.leader.into_iter().chain((0..self.standings.len()).filter(leads)).collect()
    }

    /// Returns the indices of all ranked rivals that do not differ measurably from the leader, without the leader
    /// itself.
    pub fn indistinguishable(&self) -> Vec<usize> {
        let ties_leader = |place: &usize| {
            Some(*place) != self.leader && matches!(self.standings[*place], Some(Standing::Tied | Standing::Open(_)))
        };
        (0..self.standings.len()).filter(ties_leader).collect()
    }
}

/// Ranks rivals that do the same work. A rival is one case, or several cases in sequence; a rival without cases is not
/// ranked. Rivals are compared pair by pair with [`ratio`].
pub fn ranking(rivals: &[Vec<&Measured<'_>>], criteria: &ComparisonCriteria) -> Ranking {
    let all = |place: usize| rivals[place].iter();
    let mut ranked: Vec<usize> =
        (0..rivals.len()).filter(|place| !rivals[*place].is_empty() && all(*place).all(|case| case.ranked())).collect();
    let statistic = common_statistic(&ranked.iter().map(|place| &rivals[*place][..]).collect::<Vec<_>>());
    let figure = |place: usize, unit: Unit| all(place).map(|case| case.headline(unit, statistic)).sum::<Option<f64>>();
    ranked.retain(|place| figure(*place, Unit::Nanoseconds).is_some());
    let in_cycles = ranked.iter().all(|place| figure(*place, Unit::CoreCycles).is_some());
    let unit = if in_cycles { Unit::CoreCycles } else { Unit::Nanoseconds };
    let mut by_figure: Vec<(f64, usize)> =
        ranked.iter().filter_map(|place| Some((figure(*place, unit)?, *place))).collect();
    by_figure.sort_by(|one, other| one.0.total_cmp(&other.0));
    let against = |one: usize, other: usize| ratio(&rivals[one], &rivals[other], criteria);
    let mut standings = vec![None; rivals.len()];
    // If only some rivals have core cycles, some pairs are compared in cycles and others in time.
    // The rival with the lowest figure can then lose a comparison, so try the rivals one after the
    // other as the leader.
    for (_, leader) in &by_figure {
        let others: Vec<(usize, Compared)> =
            ranked.iter().filter(|place| *place != leader).map(|place| (*place, against(*leader, *place))).collect();
        if others.iter().any(|(_, found)| found.verdict() == Verdict::Faster) {
            continue;
        }
        let mut tied = false;
        for (place, found) in &others {
            let Some(interval) = found.ratio.map(|ratio| ratio.ratio) else { continue };
            let standing = if found.verdict() == Verdict::Slower {
                Standing::Slower(interval)
            } else if ranked
                .iter()
                .any(|third| third != leader && third != place && against(*third, *place).verdict() == Verdict::Slower)
            {
                Standing::Open(interval)
            } else {
                tied = true;
                Standing::Tied
            };
            standings[*place] = Some(standing);
        }
        let beats_all = others.iter().all(|(_, found)| found.verdict() == Verdict::Slower);
        if !others.is_empty() {
            standings[*leader] = Some(match (beats_all, tied) {
                (true, _) => Standing::Fastest,
                (false, true) => Standing::Tied,
                (false, false) => Standing::Lowest,
            });
        }
        return Ranking { leader: Some(*leader), standings };
    }
    Ranking { leader: None, standings }
}

/// Returns the standing of each case among the cases that differ only in the provider: the same operation of the same
/// algorithm with the same parameters. The encoding of a private key is a parameter.
pub(crate) fn standings(cases: &[Option<&Measured<'_>>], criteria: &ComparisonCriteria) -> Vec<Option<Standing>> {
    let mut groups: BTreeMap<(&str, String), Vec<usize>> = BTreeMap::new();
    for (place, case) in cases.iter().enumerate() {
        let Some(case) = case else { continue };
        let common = &case.record().case;
        groups.entry((&common.workload, common.name())).or_default().push(place);
    }
    let mut found = vec![None; cases.len()];
    for places in groups.values() {
        let rivals: Vec<Vec<&Measured<'_>>> = places.iter().map(|place| cases[*place].into_iter().collect()).collect();
        for (place, standing) in places.iter().zip(ranking(&rivals, criteria).standings) {
            found[*place] = standing;
        }
    }
    found
}

#[cfg(test)]
mod tests;
