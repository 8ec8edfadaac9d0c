//! Probes the core between samples: measures its clock rate, and detects whether another load shares it. The probes
//! divide a visit into chunks, so the clock rate is known for each sample. A short load spoils only its chunk, not the
//! whole visit.

use crate::clock::monotonic_ns;
use crate::gate::{Gate, Probe};
use pqlab_record::Chunk;

/// Throughput loss, in percent, above which a chunk counts as shared with another load. Visits have the same limit.
pub(crate) const MOST_NARROWED_PCT: f64 = 5.0;

/// Minimum time between two probes, in ns. A probe runs only after a complete sample, and takes about a fiftieth of
/// this time.
const BETWEEN_LOOKS_NS: u64 = 1_500_000;

/// The same after a probe has found a load on the core. A load that comes and goes then spoils short chunks only.
const BETWEEN_CLOSE_LOOKS_NS: u64 = 200_000;

/// Maximum time of a [patient](crate::wire::VisitRequest::patient) visit, as a multiple of its budget. A load that
/// halves the speed takes more than half of the samples of a longer visit, so the visit would not count.
pub(crate) const MOST_PATIENCE: u64 = 3;

/// Minimum number of samples in unshared chunks. If a visit has fewer, its shared chunks are not excluded.
const LEAST_LEFT: u32 = 10;

/// Chunk of a visit, with the results of the probes before and after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) chunk: Chunk,
    /// Throughput loss in percent, from the worse of the two probes. `None` if a probe could not measure it.
    narrowed_pct: Option<f64>,
    /// Length of the chunk in ns.
    ns: u64,
}

/// Probes of the current visit, and the chunks so far.
pub(crate) struct Probes {
    last: Probe,
    begun: u64,
    since: u64,
    samples: u32,
    /// Whether a probe found a load on the core.
    met_load: bool,
    /// Time in ns of the chunks that no load shared.
    unshared_ns: u64,
    seen: Vec<Seen>,
}

impl Probes {
    /// Begins a visit. `first` is the probe before the first sample.
    pub(crate) fn begin(first: Probe) -> Probes {
        let now = monotonic_ns();
        Probes {
            last: first,
            begun: now,
            since: now,
            samples: 0,
            met_load: is_shared(first.narrowed_pct),
            unshared_ns: 0,
            seen: Vec::with_capacity(16),
        }
    }

    /// Counts a sample. Probes the core if enough time has passed since the last probe: at least 1.5 ms, or 0.2 ms if a
    /// probe of this visit has found a load.
    pub(crate) fn sample(&mut self, gate: &mut Gate) {
        self.samples += 1;
        let now = monotonic_ns();
        let between_ns = if self.met_load { BETWEEN_CLOSE_LOOKS_NS } else { BETWEEN_LOOKS_NS };
        if now - self.since >= between_ns {
            let look = gate.glance();
            self.cut(look, now);
        }
    }

    /// Returns the time in ns that counts towards the visit's budget: all of it, or for a patient visit the unshared
    /// time, but at least a third of all.
    pub(crate) fn spent_ns(&self, is_patient: bool) -> u64 {
        let all = monotonic_ns() - self.begun;
        if is_patient { self.unshared_ns.max(all / MOST_PATIENCE) } else { all }
    }

    fn cut(&mut self, look: Probe, now: u64) {
        let narrowed_pct = match (self.last.narrowed_pct, look.narrowed_pct) {
            (Some(before), Some(after)) => Some(before.max(after)),
            _ => None,
        };
        let (shared, ns) = (is_shared(narrowed_pct), now - self.since);
        self.met_load |= shared;
        self.unshared_ns += if shared { 0 } else { ns };
        let clock_hz = f64::midpoint(self.last.clock_hz, look.clock_hz);
        let chunk = Chunk { samples: self.samples, clock_hz, shared };
        self.seen.push(Seen { chunk, narrowed_pct, ns });
        (self.last, self.since, self.samples) = (look, monotonic_ns(), 0);
    }

    /// Ends the visit and returns its chunks. `last` is the probe after the last sample.
    pub(crate) fn end(mut self, last: Probe) -> Vec<Seen> {
        if self.samples > 0 {
            let now = monotonic_ns();
            self.cut(last, now);
        }
        let left: u32 = self.seen.iter().filter(|seen| !seen.chunk.shared).map(|seen| seen.chunk.samples).sum();
        let all: u32 = self.seen.iter().map(|seen| seen.chunk.samples).sum();
        if left < LEAST_LEFT.min(all) {
            // Too few samples would remain, so exclude none. `narrowed_pct` then covers all chunks of the visit.
            self.seen.iter_mut().for_each(|seen| seen.chunk.shared = false);
        }
        self.seen
    }
}

fn is_shared(narrowed_pct: Option<f64>) -> bool {
    narrowed_pct.is_some_and(|pct| pct > MOST_NARROWED_PCT)
}

/// Returns the largest throughput loss, in percent, of the chunks that are not excluded as shared. Returns `None` if
/// all chunks are excluded, or if the loss of a remaining chunk is unknown.
pub(crate) fn narrowed_pct(chunks: &[Seen]) -> Option<f64> {
    let staying = chunks.iter().filter(|seen| !seen.chunk.shared);
    staying.map(|seen| seen.narrowed_pct).collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
}

/// Returns the mean clock rate in Hz, weighted by the length of the chunks. `None` if there are no chunks.
pub(crate) fn clock_hz(chunks: &[Seen]) -> Option<f64> {
    let ns: f64 = chunks.iter().map(|seen| seen.ns as f64).sum();
    (ns > 0.0).then(|| chunks.iter().map(|seen| seen.chunk.clock_hz * seen.ns as f64).sum::<f64>() / ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(clock_hz: f64, narrowed: f64) -> Probe {
        Probe { clock_hz, narrowed_pct: Some(narrowed) }
    }

    /// Builds the chunks of a visit with `samples` samples between two probes. `narrowed` contains the throughput loss
    /// that each probe measures, in percent.
    fn seen(narrowed: &[f64], samples: u32) -> Vec<Seen> {
        let mut probes = Probes::begin(look(3e9, narrowed[0]));
        for (index, pct) in narrowed[1..].iter().enumerate() {
            probes.samples = samples;
            let now = probes.since + 1_000_000;
            let last = index + 2 == narrowed.len();
            if last {
                return probes.end(look(4e9, *pct));
            }
            probes.cut(look(3e9, *pct), now);
        }
        unreachable!("the last probe ends the visit")
    }

    #[test]
    fn leaves_out_shared_chunks_and_keeps_the_rest() {
        let chunks = seen(&[0.5, 0.0, 30.0, 0.0, 1.0], 20);
        let shared: Vec<bool> = chunks.iter().map(|seen| seen.chunk.shared).collect();
        assert_eq!(shared, [false, true, true, false]);
        assert_eq!(narrowed_pct(&chunks), Some(1.0));
    }

    #[test]
    fn marks_the_whole_visit_shared_if_too_few_samples_remain() {
        let chunks = seen(&[0.0, 0.0, 30.0, 30.0], 5);
        assert!(chunks.iter().all(|seen| !seen.chunk.shared));
        assert_eq!(narrowed_pct(&chunks), Some(30.0));
        // A visit may consist of one long operation.
        assert_eq!(narrowed_pct(&seen(&[0.0, 30.0], 1)), Some(30.0));
        assert_eq!(narrowed_pct(&seen(&[0.0, 0.0], 1)), Some(0.0));
    }

    #[test]
    fn a_load_makes_the_following_chunks_short() {
        let mut probes = Probes::begin(look(3e9, 0.0));
        assert!(!probes.met_load);
        probes.cut(look(3e9, 30.0), probes.since + 1_000_000);
        assert!(probes.met_load);
        probes.cut(look(3e9, 0.0), probes.since + 200_000);
        assert!(probes.met_load, "the load may come again");
        assert!(Probes::begin(look(3e9, 30.0)).met_load);
    }

    #[test]
    fn a_patient_visit_spends_only_its_unshared_time() {
        let mut probes = Probes::begin(look(3e9, 0.0));
        probes.begun -= 1_000_000_000;
        probes.cut(look(3e9, 0.0), probes.since + 500_000_000);
        probes.cut(look(3e9, 30.0), probes.since + 300_000_000);
        assert_eq!(probes.spent_ns(true), 500_000_000);
        assert!(probes.spent_ns(false) >= 1_000_000_000);
        probes.begun -= 2_000_000_000;
        assert!(probes.spent_ns(true) >= 1_000_000_000, "a third of the time counts in any case");
    }

    #[test]
    fn the_clock_of_a_chunk_is_the_mean_of_its_probes() {
        let chunks = seen(&[0.0, 0.0, 0.0], 20);
        assert_eq!(chunks.iter().map(|seen| seen.chunk.clock_hz).collect::<Vec<_>>(), [3e9, 3.5e9]);
        assert!(clock_hz(&chunks).is_some_and(|hz| (3e9..=3.5e9).contains(&hz)));
        assert_eq!((clock_hz(&[]), narrowed_pct(&[])), (None, None));
    }
}
