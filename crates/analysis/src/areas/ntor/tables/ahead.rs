//! What is computed before a handshake, what onionskins from a queue share, and how much memory a step takes.

use super::{AREA, row, table};
use crate::areas::memory::{self, PEAKS};
use crate::areas::ntor::{Gain, HandshakeFigures, Latency, RelayScenario, precomputations, queues};
use crate::caveats::Caveats;
use crate::number::{factor_within, memory as amount, rate};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};
use pqlab_record::State;

pub(super) fn precomputation(all: &[HandshakeFigures<'_>]) -> Table {
    let mut made = table("ntor-precomputation", "Circuit handshakes: what is gained by what was computed before")
        .names("what", "computed before")
        .figures("without", "step without", "µs", 0)
        .figures("with", "with", "µs", 0)
        .figures("gain", "gain", "", 0);
    for of in precomputations(all) {
        let same =
            |figures: &&HandshakeFigures<'_>| figures.algorithm == of.algorithm && figures.provider == of.provider;
        let Some(figures) = all.iter().find(same) else { continue };
        let told = [
            ("the client's ephemeral keys, its first step", of.create),
            ("the client's ephemeral keys, both its steps", of.client),
            ("the relay's onion key, its step", of.reply),
        ];
        for (what, gain) in told {
            let Some(Gain { without_ns, with_ns, ratio }) = gain else { continue };
            let gained = Cell::factor(ratio.estimate).within(factor_within(&ratio), &ratio, 1.0);
            let cells = [Cell::text(what), Cell::time(without_ns), Cell::time(with_ns), gained];
            row(&mut made, figures, &figures.caveats, cells);
        }
    }
    made.note("such work is moved, not saved: it is done while nobody waits for it")
}

pub(super) fn queue(analysis: &RunAnalysis<'_>, scenario: &RelayScenario) -> Table {
    let heading = format!("at {}/s", rate(scenario.circuits_per_second));
    let mut made = table("ntor-queue", "Circuit handshakes: onionskins that a relay answers so many at a time")
        .names("caches", "caches")
        .figures("length", "onionskins", "", 0)
        .figures("rate", "answers", "1/s", 0)
        .figures("gain", "against one", "", 0)
        .figures("first", "first answered", "µs", 1)
        .figures("last", "last answered", "µs", 2)
        .figures("latency_mean", &format!("mean latency {heading}"), "µs", 3)
        .figures("latency_first", &format!("of who came first {heading}"), "µs", 4);
    let caveats = |of: &crate::areas::ntor::QueueFigures<'_>| of.whole.caveats.clone();
    for of in queues(analysis) {
        let latency = of.latency(scenario.circuits_per_second);
        let at = |figure: fn(&Latency) -> f64| Cell::of(latency.as_ref().map(figure), Cell::time);
        let cells = [
            Cell::text(&of.algorithm),
            Cell::text(&of.provider),
            Cell::text(if of.state == State::Warm { "warm" } else { "evicted" }),
            Cell::whole(of.length),
            Cell::of(of.replies_per_second(), |rate| Cell::rate_within(&rate)),
            Cell::of(of.gain, |gain| Cell::factor_within(&gain)),
            Cell::of(of.first_ns, Cell::time),
            Cell::time(of.whole.median.estimate),
            at(|of| of.mean_ns),
            at(|of| of.first_ns),
        ];
        made.row([&caveats(&of)], cells);
    }
    made.note("answers of a queue share the prepared onion key and what is in the caches: nothing is computed for several at once")
        .note("latency: from arrival until the answer, where onionskins come evenly and the relay waits until its queue is full")
}

pub(super) fn memory(analysis: &RunAnalysis<'_>) -> Table {
    let mut made = Table::new(
        "ntor-memory",
        memory::AREA,
        "Circuit handshakes: memory of a step, beyond what was taken when it began",
    )
    .names("handshake", "handshake")
    .names("provider", "provider")
    .names("step", "step")
    .figures("stack", "peak stack", "B", 0)
    .figures("heap", "peak heap", "B", 0);
    let circuits = |algorithm: &str| ["ntor-", "kem-only-", "hs-ntor"].iter().any(|start| algorithm.starts_with(start));
    for of in analysis.area(memory::AREA).filter(|of| circuits(&of.case().algorithm)) {
        let (case, Some(estimates)) = (of.case(), &of.estimates) else { continue };
        let peak = |name: &str| {
            let most = estimates.extra(name).map(|of| of.max);
            Cell::of(most, |bytes| Cell::number(amount(bytes as u64), bytes))
        };
        let [stack, heap] = PEAKS.map(peak);
        let names = [&case.algorithm, &case.provider, &case.operation].map(Cell::text);
        // The times beside them are few and for orientation: what is uncertain of them is not of the peaks.
        made.row([&Caveats::default()], names.into_iter().chain([stack, heap]));
    }
    made.note(format!("the most of all calls; of area {AREA} the times"))
}
