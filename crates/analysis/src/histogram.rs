//! Histogram of sample times.

use pqlab_stats::Sorted;

/// Maximum distance of a bar from the upper quartile, in interquartile ranges. Samples farther above are counted but
/// get no bar, because a few stragglers would squeeze all other samples into one bar.
const FAR_OUT: f64 = 6.0;

/// Bars of equal width, and the number of samples above the last bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Start of the first bar, in ns.
    pub from: f64,
    /// Width of a bar in ns; zero if all times are equal.
    pub step: f64,
    /// Number of samples in each bar.
    pub counts: Vec<u64>,
    /// Number of samples above the last bar.
    pub beyond: u64,
}

impl Histogram {
    /// Distributes the times over at most `most` bars, fewer if there are few times.
    pub fn new(times: &Sorted, most: usize) -> Histogram {
        Histogram::with_bars(times, |inside, _| most.min((inside as f64).sqrt().ceil() as usize))
    }

    /// Distributes the times over bars that are no wider than `width`, unless that requires more than `most` bars.
    pub fn of_width(times: &Sorted, width: f64, most: usize) -> Histogram {
        Histogram::with_bars(times, |_, range| ((range / width).ceil() as usize).min(most))
    }

    /// Distributes the times over bars. `number` computes the number of bars from the number of times that get a bar,
    /// and from the range of these times in ns.
    fn with_bars(times: &Sorted, number: impl Fn(usize, f64) -> usize) -> Histogram {
        let (from, p25, p75) = (times.min(), times.quantile(0.25), times.quantile(0.75));
        let fence = p75 + FAR_OUT * (p75 - p25);
        // If the quartiles are equal, rounding can move the limit below all times.
        let inside = times.as_slice().partition_point(|time| *time <= fence).max(1);
        let to = times.as_slice()[inside - 1];
        let bars = if to > from { number(inside, to - from).max(2) } else { 1 };
        let step = (to - from) / bars as f64;
        let mut counts = vec![0_u64; bars];
        for time in &times.as_slice()[..inside] {
            let bar = if step > 0.0 { ((time - from) / step) as usize } else { 0 };
            counts[bar.min(bars - 1)] += 1;
        }
        Histogram { from, step, counts, beyond: (times.as_slice().len() - inside) as u64 }
    }

    /// Returns the start of a bar in ns. For the index after the last bar, returns the end of the last bar.
    pub fn limit(&self, bar: usize) -> f64 {
        self.from + self.step * bar as f64
    }
}
