use crate::{Sorted, median};

/// The least distance of two modes, as a part of the value.
const LEAST_GAP: f64 = 0.03;

/// By how much the gap between two modes exceeds the standard deviation within either.
const GAP_OVER_DEVIATION: f64 = 5.0;

/// The same of fewer than [`MANY_PROCESSES`]: two or three numbers often lie close together by chance.
const GAP_OVER_DEVIATION_OF_FEW: f64 = 9.0;

/// From so many processes on the smaller factor will do.
const MANY_PROCESSES: usize = 8;

/// Fewest processes of which modes are told.
const FEWEST_PROCESSES: usize = 5;

/// Fewest processes of a mode.
const FEWEST_OF_A_MODE: usize = 2;

/// A group of processes that agree with one another and not with the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// The median of its processes' medians.
    pub median: f64,
    /// Its processes.
    pub processes: usize,
}

/// The two levels on which the processes of a case settle, such as where a buffer's alignment or the placement of a page
/// decides once for the life of a process; the lower one first. They are told apart where the sorted logarithms of the
/// processes' medians have one gap that is at least 3% wide and at least five times as wide as the standard deviation of the
/// processes on either side of it, nine times where there are fewer than eight processes. Each side has at least two of at
/// least five processes.
///
/// `None` where there is no such gap, and where a median is not positive and finite. By simulation fewer than one in a hundred
/// sets of normal medians shows one (`crates/stats/tests/marks.rs`).
pub fn modes(process_medians: &[f64]) -> Option<[Mode; 2]> {
    if process_medians.len() < FEWEST_PROCESSES {
        return None;
    }
    let sorted = Sorted::new(process_medians.iter().map(|median| median.ln()).collect())?;
    let values = sorted.as_slice();
    let gap = |at: &usize| values[*at] - values[at - 1];
    let at = (1..values.len()).max_by(|one, other| gap(one).total_cmp(&gap(other)))?;
    let (low, high) = values.split_at(at);
    let deviation = |side: &[f64]| crate::standard_deviation(side).unwrap_or(0.0);
    let factor = if values.len() < MANY_PROCESSES { GAP_OVER_DEVIATION_OF_FEW } else { GAP_OVER_DEVIATION };
    let apart = gap(&at) >= LEAST_GAP.max(factor * deviation(low).max(deviation(high)));
    if !apart || low.len().min(high.len()) < FEWEST_OF_A_MODE {
        return None;
    }
    let mode = |side: &[f64]| Some(Mode { median: median(side)?.exp(), processes: side.len() });
    Some([mode(low)?, mode(high)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_processes_on_one_level_and_three_on_another_are_two_modes() {
        let medians = [15.2, 31.9, 15.21, 15.19, 32.0, 15.2, 31.8, 15.22];
        let [low, high] = modes(&medians).unwrap();
        assert_eq!((low.processes, high.processes), (5, 3));
        assert!((low.median - 15.2).abs() < 1e-9 && (high.median - 31.9).abs() < 1e-9, "{low:?} {high:?}");
    }

    #[test]
    fn what_is_near_single_few_or_spread_is_no_mode() {
        // A gap of 2.9% and one of 3.1%.
        assert_eq!(modes(&[1.0, 1.0, 1.0, 1.029, 1.029]), None);
        assert!(modes(&[1.0, 1.0, 1.0, 1.031, 1.031]).is_some());
        // One process by itself is an outlier.
        assert_eq!(modes(&[1.0, 1.0, 1.0, 1.0, 2.0]), None);
        assert_eq!(modes(&[1.0, 1.0, 2.0, 2.0]), None);
        assert_eq!(modes(&[1.0, 1.03, 1.06, 1.12, 1.15, 1.18]), None);
        assert_eq!(modes(&[1.0, 1.0, 1.0, 0.0, 0.0]), None);
        assert_eq!(modes(&[1.0, 1.0, f64::NAN, 2.0, 2.0]), None);
    }
}
