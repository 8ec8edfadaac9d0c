use super::Counter;
use crate::clock::monotonic_ns;
use pqlab_record::Metric;

/// The monotonic clock, in nanoseconds.
#[derive(Default)]
pub(super) struct Wall {
    begin: u64,
}

impl Counter for Wall {
    fn metric(&self) -> Metric {
        Metric::Wall
    }

    #[inline]
    fn start(&mut self) {
        self.begin = monotonic_ns();
    }

    #[inline]
    fn stop(&mut self) -> u64 {
        monotonic_ns() - self.begin
    }
}
