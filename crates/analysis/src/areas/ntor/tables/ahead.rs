//! Tables of precomputation, queues of onionskins, and the memory use of each step.

use super::{AREA, row, table};
use crate::areas::memory::{self, PEAKS};
use crate::areas::ntor::{Gain, HandshakeFigures, Latency, RelayScenario, precomputations, queues};
use crate::caveats::Caveats;
use crate::number::{factor_within, memory as amount, rate};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};
use pqlab_record::State;

pub(super) fn precomputation(all: &[HandshakeFigures<'_>]) -> Table {
    let mut rows = table("ntor-precomputation", "Circuit handshakes: gain from precomputation")
        .names("what", "precomputed")
        .figures("without", "without", "µs", 0)
        .figures("with", "with", "µs", 0)
        .figures("gain", "gain", "", 0);
    for found in precomputations(all) {
        let same = |figures: &&HandshakeFigures<'_>| {
            figures.algorithm == found.algorithm && figures.provider == found.provider
        };
        let Some(figures) = all.iter().find(same) else { continue };
        let gains = [
            ("client's ephemeral keys: first step", found.create),
            ("client's ephemeral keys: both steps", found.client),
            ("relay's onion key: relay's step", found.reply),
        ];
        for (what, gain) in gains {
            let Some(Gain { without_ns, with_ns, ratio }) = gain else { continue };
            let gained = Cell::factor(ratio.estimate).within(factor_within(&ratio), &ratio, 1.0);
            let cells = [Cell::text(what), Cell::time(without_ns), Cell::time(with_ns), gained];
            row(&mut rows, figures, &figures.caveats, cells);
        }
    }
    rows.note("precomputation saves no work: it moves the work to idle time")
}

pub(super) fn queue(analysis: &RunAnalysis<'_>, scenario: &RelayScenario) -> Table {
    let heading = format!("at {}/s", rate(scenario.circuits_per_second));
    let mut rows = table("ntor-queue", "Circuit handshakes: relay that answers a queue of onionskins")
        .names("caches", "caches")
        .figures("length", "onionskins", "", 0)
        .figures("rate", "replies", "1/s", 0)
        .figures("gain", "vs one", "", 0)
        .figures("first", "first answered", "µs", 1)
        .figures("last", "last answered", "µs", 2)
        .figures("latency_mean", &format!("mean latency {heading}"), "µs", 3)
        .figures("latency_first", &format!("latency of the first {heading}"), "µs", 4);
    let caveats = |queue: &crate::areas::ntor::QueueFigures<'_>| queue.whole.caveats.clone();
    for queue in queues(analysis) {
        let latency = queue.latency(scenario.circuits_per_second);
        let at = |figure: fn(&Latency) -> f64| Cell::optional(latency.as_ref().map(figure), Cell::time);
        let cells = [
            Cell::text(&queue.algorithm),
            Cell::text(&queue.provider),
            Cell::text(if queue.state == State::Warm { "warm" } else { "evicted" }),
            Cell::whole(queue.length),
            Cell::optional(queue.replies_per_second(), |rate| Cell::rate_within(&rate)),
            Cell::optional(queue.gain, |gain| Cell::factor_within(&gain)),
            Cell::optional(queue.first_ns, Cell::time),
            Cell::time(queue.whole.median.estimate),
            at(|latency| latency.mean_ns),
            at(|latency| latency.first_ns),
        ];
        rows.row([&caveats(&queue)], cells);
    }
    rows.note("replies in a queue share the onion key and the cache contents, but no computation")
        .note("latency: from arrival until the reply, if onionskins arrive evenly and the relay waits for a full queue")
}

pub(super) fn memory(analysis: &RunAnalysis<'_>) -> Table {
    let mut rows = Table::new("ntor-memory", memory::AREA, "Circuit handshakes: additional memory per step")
        .names("handshake", "handshake")
        .names("provider", "provider")
        .names("step", "step")
        .figures("stack", "peak stack", "B", 0)
        .figures("heap", "peak heap", "B", 0);
    let circuits = |algorithm: &str| ["ntor-", "kem-only-", "hs-ntor"].iter().any(|start| algorithm.starts_with(start));
    for one in analysis.area(memory::AREA).filter(|one| circuits(&one.case().algorithm)) {
        let (case, Some(estimates)) = (one.case(), &one.estimates) else { continue };
        let peak = |name: &str| {
            let most = estimates.extra(name).map(|peaks| peaks.max);
            Cell::optional(most, |bytes| Cell::number(amount(bytes as u64), bytes))
        };
        let [stack, heap] = PEAKS.map(peak);
        let names = [&case.algorithm, &case.provider, &case.operation].map(Cell::text);
        // Leave out caveats about times, because memory cases time only a few calls and the table shows only peaks.
        rows.row([&Caveats::default()], names.into_iter().chain([stack, heap]));
    }
    rows.note(format!("maximum over all calls; for times, see the {AREA} area"))
}
