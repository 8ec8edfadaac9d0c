use crate::estimates::Estimates;
use crate::number::factor;

/// How a case stands among those that do the same with other providers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Standing {
    /// Its interval lies below all others.
    Fastest,
    /// It has the lowest median or an interval that overlaps the one of the lowest: the data do not tell them apart.
    AmongFastest,
    /// Its time over that of the lowest median.
    Slower(f64),
}

impl Standing {
    /// In a few characters: `fastest`, `tied`, `1.69×`.
    pub(super) fn short(self) -> String {
        match self {
            Standing::Fastest => "fastest".to_owned(),
            Standing::AmongFastest => "tied".to_owned(),
            Standing::Slower(ratio) => factor(ratio),
        }
    }

    /// Whether it is the fastest or cannot be told from it.
    pub(super) fn leads(self) -> bool {
        !matches!(self, Standing::Slower(_))
    }
}

/// The standing of each, in core cycles where all have them, else in time; `None` for one without figures, for one whose figures
/// count all visits, which takes part in no ranking, and for all where fewer than two are left.
pub(super) fn standings(all: &[Option<&Estimates>]) -> Vec<Option<Standing>> {
    let ranked = || all.iter().flatten().filter(|one| !one.contended);
    let in_cycles = ranked().all(|one| one.cycles.is_some());
    let figure = |one: &Estimates| match &one.cycles {
        Some(cycles) if in_cycles => cycles.median,
        _ => one.median_ns,
    };
    let lowest = ranked().map(|one| figure(one)).min_by(|one, other| one.estimate.total_cmp(&other.estimate));
    let Some(lowest) = lowest.filter(|_| ranked().count() > 1) else { return vec![None; all.len()] };
    let level = ranked().filter(|one| figure(one).overlaps(&lowest)).count();
    let standing = |one: &Estimates| match figure(one).overlaps(&lowest) {
        true if level == 1 => Standing::Fastest,
        true => Standing::AmongFastest,
        false => Standing::Slower(figure(one).estimate / lowest.estimate),
    };
    all.iter().map(|one| one.filter(|one| !one.contended).map(standing)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimates::estimate;
    use crate::fixtures;
    use pqlab_record::Protocol;

    fn estimates(microseconds: f64) -> Estimates {
        estimate(&fixtures::record("liboqs", microseconds), &Protocol::default()).unwrap()
    }

    #[test]
    fn the_fastest_leads_only_where_the_data_tell_it_apart() {
        let (fast, level, slow) = (estimates(10.0), estimates(10.01), estimates(15.0));
        let found = standings(&[Some(&slow), None, Some(&fast)]);
        assert_eq!((found[1], found[2]), (None, Some(Standing::Fastest)));
        assert_eq!(found[0].unwrap().short(), "1.50×");
        let found = standings(&[Some(&level), Some(&fast), Some(&slow)]);
        assert_eq!(found[..2], [Some(Standing::AmongFastest); 2]);
        assert!(found[1].unwrap().leads() && !found[2].unwrap().leads());
    }

    #[test]
    fn what_counts_all_visits_takes_part_in_no_ranking_and_cycles_decide() {
        let (fast, other, slow) = (estimates(10.0), estimates(10.3), estimates(15.0));
        // Times within the clock's spread, cycles well apart.
        assert!(fast.median_ns.overlaps(&other.median_ns));
        assert_eq!(standings(&[Some(&fast), Some(&other)])[0], Some(Standing::Fastest));
        let shared = Estimates { contended: true, ..fast };
        assert_eq!(standings(&[Some(&shared), Some(&other), Some(&slow)])[..2], [None, Some(Standing::Fastest)]);
    }

    #[test]
    fn one_alone_is_not_the_fastest() {
        assert_eq!(standings(&[Some(&estimates(10.0)), None]), [None, None]);
        assert_eq!(standings(&[]), []);
    }
}
