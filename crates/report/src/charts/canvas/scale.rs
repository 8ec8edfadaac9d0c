//! Scales, which map values to coordinates, and the ticks of their axes.

/// Mapping from values to coordinates on one axis.
#[derive(Clone, Copy)]
pub(in crate::charts) struct Scale {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) start: f64,
    pub(super) end: f64,
    log: bool,
}

/// Largest value on a scale. The smallest value is its reciprocal. These limits are needed because an imported run can
/// contain absurd values, such as a tick of 1e300 ns.
const LARGEST: f64 = 1e60;

impl Scale {
    /// Creates a logarithmic scale that covers the values above zero. `start` and `end` are the coordinates of its
    /// ends.
    pub(in crate::charts) fn log(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Scale {
        let drawn = values.filter(|value| *value > 0.0 && value.is_finite());
        let (mut from, mut to) = extent(drawn.map(|value| value.clamp(1.0 / LARGEST, LARGEST)));
        if from >= to || !from.is_finite() {
            (from, to) = if from.is_finite() { (from / 2.0, from * 2.0) } else { (1.0, 10.0) };
        }
        // Leave room at both ends. Span at least a factor of two, so that small differences look small.
        let room = (to / from).powf(0.04).max(1.02);
        (from, to) = (from / room, to * room);
        if to / from < 2.0 {
            let middle = (from * to).sqrt();
            (from, to) = (middle / 2.0_f64.sqrt(), middle * 2.0_f64.sqrt());
        }
        Scale { from, to, start, end, log: true }
    }

    /// Creates a linear scale from zero to the largest value. `start` and `end` are the coordinates of its ends.
    pub(in crate::charts) fn linear(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Scale {
        let (_, to) = extent(values);
        let to = if to.is_finite() && to > 1.0 / LARGEST { to.min(LARGEST) * 1.05 } else { 1.0 };
        Scale { from: 0.0, to, start, end, log: false }
    }

    /// Creates a linear scale between two values. `start` and `end` are the coordinates of its ends.
    pub(in crate::charts) fn between(from: f64, to: f64, start: f64, end: f64) -> Scale {
        let [from, to] = [from, to].map(|value| value.clamp(-LARGEST, LARGEST));
        // If two numbers differ only in their last digits, no ticks are representable between them.
        let apart = to - from > 1e-9 * from.abs().max(1.0 / LARGEST);
        let to = if apart { to } else { from + from.abs().max(1.0) };
        Scale { from, to, start, end, log: false }
    }

    pub(in crate::charts) fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.from, self.to);
        let share = if self.log {
            (value / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        self.start + share * (self.end - self.start)
    }

    /// Returns round values for the ticks of an axis. There are at most `most` ticks, or one more on a linear scale.
    pub(in crate::charts) fn ticks(&self, most: usize) -> Vec<f64> {
        if !self.log {
            let rough = (self.to - self.from) / most.max(1) as f64;
            let power = 10_f64.powf(rough.log10().floor());
            let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
            let step = step.unwrap_or(10.0 * power);
            let first = (self.from / step).ceil() as i64;
            return (first..).map(|index| index as f64 * step).take_while(|tick| *tick <= self.to).collect();
        }
        let decades =
            (self.from.log10().floor() as i32..=self.to.log10().ceil() as i32).map(|power| 10_f64.powi(power));
        let decades: Vec<f64> = decades.collect();
        let finest = [1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0];
        let fine: [&[f64]; 5] =
            [&finest, &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0], &[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
        for factors in fine {
            let all = decades.iter().flat_map(|decade| factors.iter().map(move |factor| factor * decade));
            let ticks: Vec<f64> = all.filter(|tick| *tick >= self.from && *tick <= self.to).collect();
            if ticks.len() <= most && self.apart(&ticks) {
                return ticks;
            }
        }
        let all: Vec<f64> = decades.into_iter().filter(|tick| *tick >= self.from && *tick <= self.to).collect();
        let stride = all.len().div_ceil(most.max(1)).max(1);
        all.into_iter().step_by(stride).collect()
    }

    /// Returns whether labels of about eight characters at these values would not overlap.
    fn apart(&self, places: &[f64]) -> bool {
        let least = if self.start < self.end { 56.0 } else { 18.0 };
        places.windows(2).all(|pair| (self.at(pair[1]) - self.at(pair[0])).abs() >= least)
    }
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_scale() {
        let scale = Scale::log([180.0, 120_000.0].into_iter(), 0.0, 600.0);
        let ticks = scale.ticks(8);
        assert_eq!(ticks, [300.0, 1e3, 3e3, 1e4, 3e4, 1e5]);
        assert!(ticks.iter().all(|tick| (0.0..=600.0).contains(&scale.at(*tick))));
        let scale = Scale::linear([0.0, 9.5].into_iter(), 100.0, 0.0);
        assert_eq!(scale.ticks(5), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(scale.at(0.0), 100.0);
        // A scale with no value or a single value must also have ticks.
        assert!(!Scale::log(std::iter::empty(), 0.0, 1.0).ticks(5).is_empty());
        assert!(!Scale::log([7.0].into_iter(), 0.0, 1.0).ticks(5).is_empty());
        // Labels of ticks must not touch on a narrow range.
        assert_eq!(Scale::log([18.0, 30.0].into_iter(), 0.0, 600.0).ticks(8), [18.0, 20.0, 25.0, 30.0]);
    }

    /// Scales must be finite and have few ticks, even if an imported run contains arbitrary tick lengths.
    #[test]
    fn scales_over_extreme_numbers_are_finite() {
        let ends = [f64::MAX, 1e300, 1.0, 1e-300, f64::MIN_POSITIVE, 5e-324, 0.0, -1.0, f64::INFINITY, f64::NAN];
        for (one, other) in ends.into_iter().flat_map(|one| ends.map(|other| (one, other))) {
            let (from, to) = (one.min(other), one.max(other));
            let between = (from.is_finite() && to.is_finite()).then(|| Scale::between(from, to, 0.0, 600.0));
            let over = || [one, other].into_iter();
            let scales = [Scale::log(over(), 0.0, 600.0), Scale::linear(over(), 100.0, 0.0)];
            for scale in scales.into_iter().chain(between) {
                let ticks = scale.ticks(8);
                let drawn = ticks.iter().all(|tick| tick.is_finite() && scale.at(*tick).is_finite());
                assert!(drawn && ticks.len() < 100, "{one} and {other}: {ticks:?}");
            }
        }
    }
}
