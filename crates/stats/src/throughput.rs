/// Measurement at one concurrency level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Number of threads, or of tasks in flight; at least one.
    pub concurrency: u64,
    /// Completed operations.
    pub operations: u64,
    /// Total elapsed time in seconds.
    pub seconds: f64,
}

/// Throughput at one concurrency level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThroughputPoint {
    /// Number of threads, or of tasks in flight.
    pub concurrency: u64,
    /// Operations per second.
    pub operations_per_second: f64,
    /// Rate relative to the rate at the smallest concurrency.
    pub speedup: f64,
    /// Speedup divided by the increase in concurrency. 1 means perfect scaling.
    pub efficiency: f64,
    /// Difference between the peak rate and this rate, as a percentage of the peak rate.
    pub loss_from_peak_pct: f64,
    /// Loss compared with the rate at the smallest concurrency, as a percentage of that rate. Negative for a gain.
    pub loss_from_smallest_pct: f64,
}

/// Throughput as a function of concurrency.
#[derive(Clone, Debug, PartialEq)]
pub struct ThroughputCurve {
    /// Points in ascending order of concurrency.
    pub points: Vec<ThroughputPoint>,
    /// Index of the point with the highest rate. If several points have this rate, the index of the one with the
    /// smallest concurrency.
    pub peak: usize,
}

impl ThroughputCurve {
    /// Returns the point with the highest rate.
    pub fn peak(&self) -> &ThroughputPoint {
        &self.points[self.peak]
    }
}

/// Computes the curve from loads in any order. Returns `None` if there are no loads, or if a load has no concurrency,
/// no operations, or a time that is not positive and finite.
pub fn throughput_curve(loads: &[Load]) -> Option<ThroughputCurve> {
    let sound =
        |load: &Load| load.concurrency > 0 && load.operations > 0 && load.seconds > 0.0 && load.seconds.is_finite();
    if loads.is_empty() || !loads.iter().all(sound) {
        return None;
    }
    let mut loads = loads.to_vec();
    loads.sort_by_key(|load| load.concurrency);
    let rate = |load: &Load| load.operations as f64 / load.seconds;
    let (smallest, base) = (loads[0].concurrency as f64, rate(&loads[0]));
    let highest = loads.iter().map(rate).fold(0.0, f64::max);
    let point = |load: &Load| {
        let speedup = rate(load) / base;
        ThroughputPoint {
            concurrency: load.concurrency,
            operations_per_second: rate(load),
            speedup,
            efficiency: speedup / (load.concurrency as f64 / smallest),
            loss_from_peak_pct: 100.0 * (1.0 - rate(load) / highest),
            loss_from_smallest_pct: 100.0 * (1.0 - speedup),
        }
    };
    let points: Vec<ThroughputPoint> = loads.iter().map(point).collect();
    let peak = loads.iter().position(|load| rate(load) == highest)?;
    Some(ThroughputCurve { points, peak })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_peak_efficiency_and_losses() {
        let load = |concurrency, operations| Load { concurrency, operations, seconds: 2.0 };
        let curve = throughput_curve(&[load(4, 3000), load(1, 1000), load(2, 1900), load(8, 2400)]).unwrap();
        let concurrency: Vec<u64> = curve.points.iter().map(|point| point.concurrency).collect();
        assert_eq!((concurrency, curve.peak().concurrency), (vec![1, 2, 4, 8], 4));
        assert_eq!(curve.points[1].operations_per_second, 950.0);
        assert_eq!((curve.points[1].speedup, curve.points[1].efficiency), (1.9, 0.95));
        assert!((curve.points[3].loss_from_peak_pct - 20.0).abs() < 1e-12);
        assert!((curve.points[3].loss_from_smallest_pct + 140.0).abs() < 1e-12);
        assert_eq!(curve.peak().loss_from_peak_pct, 0.0);
    }

    #[test]
    fn rejects_empty_loads() {
        let load = Load { concurrency: 1, operations: 10, seconds: 1.0 };
        assert_eq!(throughput_curve(&[]), None);
        for wrong in [Load { concurrency: 0, ..load }, Load { operations: 0, ..load }, Load { seconds: 0.0, ..load }] {
            assert_eq!(throughput_curve(&[load, wrong]), None);
        }
    }
}
