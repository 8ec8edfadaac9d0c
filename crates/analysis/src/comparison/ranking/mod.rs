//! Which of several that do the same is the fastest, if the data tell.

use super::{Compared, ComparisonCriteria, ratio};
use crate::measured::{Measured, common_statistic};
use crate::number::factor_within;
use pqlab_record::Unit;
use pqlab_stats::{Interval, Verdict};
use std::collections::BTreeMap;

/// How one stands among those that do the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// All others are slower.
    Fastest,
    /// It has the lowest figure, or is not told apart from the one that has it, and none is faster.
    Tied,
    /// It has the lowest figure; not all others are told apart from it, and those that are not are slower than a third.
    Lowest,
    /// It is slower than the one with the lowest figure: its figure over that one's.
    Slower(Interval),
    /// It is not told apart from the one with the lowest figure, and slower than a third: its figure over the lowest.
    Open(Interval),
}

impl Standing {
    /// Whether it is the fastest, or cannot be told from it.
    pub fn leads(self) -> bool {
        matches!(self, Standing::Fastest | Standing::Tied | Standing::Lowest)
    }

    /// In a few characters: `fastest`, `tied`, `1.69× ±0.4%`.
    pub fn text(self) -> String {
        match self {
            Standing::Fastest => "fastest".to_owned(),
            Standing::Tied => "tied".to_owned(),
            Standing::Lowest => "lowest".to_owned(),
            Standing::Slower(ratio) | Standing::Open(ratio) => factor_within(&ratio),
        }
    }

    /// Its figure over the lowest one, with its interval; `None` for those that lead.
    pub fn ratio(self) -> Option<Interval> {
        match self {
            Standing::Slower(ratio) | Standing::Open(ratio) => Some(ratio),
            Standing::Fastest | Standing::Tied | Standing::Lowest => None,
        }
    }
}

/// How some stand that do the same.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// The one with the lowest figure of those that take part; `None` where none does.
    pub leader: Option<usize>,
    /// How each stands; `None` for those that take no part, and where fewer than two do.
    pub standings: Vec<Option<Standing>>,
}

impl Ranking {
    /// All that lead, the one with the lowest figure first.
    pub fn leaders(&self) -> Vec<usize> {
        let leads = |place: &usize| Some(*place) != self.leader && self.standings[*place].is_some_and(Standing::leads);
        self.leader.into_iter().chain((0..self.standings.len()).filter(leads)).collect()
    }

    /// Of those that take part and are not told apart from the leader all but the leader itself.
    pub fn not_told_apart(&self) -> Vec<usize> {
        let so = |place: &usize| {
            Some(*place) != self.leader && matches!(self.standings[*place], Some(Standing::Tied | Standing::Open(_)))
        };
        (0..self.standings.len()).filter(so).collect()
    }
}

/// Ranks some that do the same, each one case or several done one after the other; what has no case has no figure. By
/// [`ratio`], pair by pair.
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
    // Where some have cycles and others not, pairs are judged in different units: then the lowest figure may be beaten.
    for (_, leader) in &by_figure {
        let others: Vec<(usize, Compared)> =
            ranked.iter().filter(|place| *place != leader).map(|place| (*place, against(*leader, *place))).collect();
        if others.iter().any(|(_, found)| found.verdict() == Verdict::Faster) {
            continue;
        }
        let mut tied = false;
        for (place, found) in &others {
            let Some(of) = found.ratio.map(|ratio| ratio.ratio) else { continue };
            let standing = if found.verdict() == Verdict::Slower {
                Standing::Slower(of)
            } else if ranked
                .iter()
                .any(|third| third != leader && third != place && against(*third, *place).verdict() == Verdict::Slower)
            {
                Standing::Open(of)
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

/// How each case of a run stands among those that differ from it in the provider alone: that do the same operation of the same
/// algorithm with the same parameters. The encoding of a private key is one of them.
pub(crate) fn standings(cases: &[Option<&Measured<'_>>], criteria: &ComparisonCriteria) -> Vec<Option<Standing>> {
    let mut groups: BTreeMap<(&str, String), Vec<usize>> = BTreeMap::new();
    for (place, case) in cases.iter().enumerate() {
        let Some(case) = case else { continue };
        let of = &case.record().case;
        groups.entry((&of.workload, of.name())).or_default().push(place);
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
