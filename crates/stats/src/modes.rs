use crate::{Sorted, median};

/// Minimum relative distance between two modes, as a fraction.
const LEAST_GAP: f64 = 0.03;

/// Minimum gap between two modes, as a multiple of the larger standard deviation within a mode.
const GAP_OVER_DEVIATION: f64 = 5.0;

/// Same as [`GAP_OVER_DEVIATION`], for fewer than [`MANY_PROCESSES`] processes. Two or three values are often close by
/// chance.
const GAP_OVER_DEVIATION_OF_FEW: f64 = 9.0;

/// Minimum number of processes for using [`GAP_OVER_DEVIATION`].
const MANY_PROCESSES: usize = 8;

/// Minimum number of processes for detecting modes.
const FEWEST_PROCESSES: usize = 5;

/// Minimum number of processes in a mode.
const FEWEST_OF_A_MODE: usize = 2;

/// Group of processes with similar medians, apart from the medians of all other processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// Median of the processes' medians.
    pub median: f64,
    /// Number of processes.
    pub processes: usize,
}

/// Returns the two levels at which the processes of a case settle, lower level first. Such levels result from
/// properties that are fixed for the life of a process, such as the alignment of a buffer or the placement of a page.
/// Two levels are detected if the sorted logarithms of the processes' medians contain a gap of at least 3%. The gap
/// must also be at least five times the standard deviation of the processes on either side (nine times for fewer than
/// eight processes). At least five processes are required, with at least two on each side.
///
/// Returns `None` if these conditions are not met, or if a median is not positive and finite. In simulations, two
/// levels are detected in fewer than 1 in 100 sets of normal medians (`crates/stats/tests/marks.rs`).
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
    fn finds_two_modes() {
        let medians = [15.2, 31.9, 15.21, 15.19, 32.0, 15.2, 31.8, 15.22];
        let [low, high] = modes(&medians).unwrap();
        assert_eq!((low.processes, high.processes), (5, 3));
        assert!((low.median - 15.2).abs() < 1e-9 && (high.median - 31.9).abs() < 1e-9, "{low:?}, {high:?}");
    }

    #[test]
    fn rejects_narrow_gaps_outliers_and_small_or_spread_groups() {
        // The gaps are 2.9% and 3.1%.
        assert_eq!(modes(&[1.0, 1.0, 1.0, 1.029, 1.029]), None);
        assert!(modes(&[1.0, 1.0, 1.0, 1.031, 1.031]).is_some());
        // A single process is an outlier.
        assert_eq!(modes(&[1.0, 1.0, 1.0, 1.0, 2.0]), None);
        assert_eq!(modes(&[1.0, 1.0, 2.0, 2.0]), None);
        assert_eq!(modes(&[1.0, 1.03, 1.06, 1.12, 1.15, 1.18]), None);
        assert_eq!(modes(&[1.0, 1.0, 1.0, 0.0, 0.0]), None);
        assert_eq!(modes(&[1.0, 1.0, f64::NAN, 2.0, 2.0]), None);
    }
}
