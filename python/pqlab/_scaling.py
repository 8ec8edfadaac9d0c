"""How the verification of a block grows: measured on nodes of one machine, and carried on by arithmetic to machines that are not here."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pqlab import _pqlab, ledger
from pqlab._errors import InvalidArgument
from pqlab._parts import Answer, Hands, Part, this_node
from pqlab._ray import connected, started
from pqlab._verifying import PART, ClusterReport, Job, part_size, verify_block

PARTS = 40
"""Parts without transactions that tell what one takes of a core."""
ROUNDS = 400
"""Calls that do nothing, which tell what it takes to hand one out."""

Watcher = Callable[[str], object]
"""Is told in a sentence what is measured."""


@dataclass(frozen=True)
class Measurement:
    """One measurement."""

    how: str
    """``plain``: without a cluster; ``strong``: the same block whatever the nodes; ``weak``: as much more of it as nodes."""
    nodes: int
    """Nodes, each of one CPU; all are of this machine."""
    transactions: int
    """How many were verified."""
    seconds: tuple[float, ...]
    """From the first part to the last, round by round."""

    @property
    def median(self) -> float:
        """The median of the rounds, in s."""
        return median(self.seconds)

    @property
    def rate(self) -> float:
        """Transactions a second, by the median."""
        return self.transactions / self.median


@dataclass(frozen=True)
class Estimate:
    """What arithmetic makes of a measurement for machines that are not here: seconds, each as if nothing else were a limit."""

    nodes: int
    """How many there are."""
    verifying: float
    """Decoding and verifying, on all cores, with what each part costs by itself."""
    reading: float
    """Bringing the bytes to the nodes."""
    handing: float
    """Handing out parts, one after the other, which one process does."""

    @property
    def seconds(self) -> float:
        """The limit, and the last parts, which nobody shares."""
        return max(self.verifying, self.reading, self.handing)

    @property
    def limit(self) -> str:
        """Which it is."""
        return max(("verifying", "reading", "handing"), key=lambda name: float(getattr(self, name)))


@dataclass(frozen=True)
class Scaling:
    """How a verification grows."""

    scheme: str
    """How the transactions are signed."""
    rows: tuple[Measurement, ...]
    """What was measured; first without a cluster."""
    size: float
    """Bytes of a transaction in a block."""
    core_us: float
    """What one transaction takes of one core of this machine, in µs: decoding and verifying."""
    part_us: float
    """What a part takes of one core beside its transactions, in µs: libraries are checked, threads started."""
    handing_us: float
    """What handing out a part takes of the one process that does it, in µs."""

    def estimates(self, transactions: int, nodes: Sequence[int], cores: int, bandwidth: float) -> list[Estimate]:
        """So many transactions on so many nodes of so many cores, to each of which ``bandwidth`` bytes come in a second."""
        if transactions < 1 or cores < 1 or not bandwidth > 0 or not nodes or min(nodes) < 1:
            raise InvalidArgument("transactions, nodes, cores and bandwidth must be above zero")
        found: list[Estimate] = []
        for count in nodes:
            parts = -(-transactions // part_size(transactions, 1024, count * cores))
            found.append(
                Estimate(
                    count,
                    (transactions * self.core_us + parts * self.part_us) / 1e6 / (count * cores),
                    transactions * self.size / (count * bandwidth),
                    parts * self.handing_us / 1e6,
                )
            )
        return found

    def document(self) -> dict[str, Any]:
        """For programs."""
        rows = [{**asdict(row), "median_s": row.median, "per_s": row.rate} for row in self.rows]
        return {"scheme": self.scheme, "bytes": self.size, "core_us": self.core_us, "part_us": self.part_us, "handing_us": self.handing_us, "measured": rows}

    def markdown(self) -> str:
        """The table of what was measured."""
        lines = ["| | nodes | transactions | seconds | transactions/s | share of plain, per CPU |", "|---|---:|---:|---:|---:|---:|"]
        plain = self.rows[0]
        for row in self.rows:
            share = row.rate / (plain.rate * row.nodes)
            spread = f"{row.median:.2f} ({min(row.seconds):.2f} to {max(row.seconds):.2f})"
            lines.append(f"| {row.how} | {row.nodes} | {row.transactions:,} | {spread} | {row.rate:,.0f} | {share:.0%} |")
        return "\n".join(lines) + "\n"


def median(values: Sequence[float]) -> float:
    """The middle one, or the mean of the two."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def scaling_table(estimates: Sequence[Estimate], cores: int) -> str:
    """The table of what arithmetic says."""
    lines = [
        "| nodes | cores | verifying, s | reading, s | handing out, s | about, s | limit |",
        "|---:|---:|---:|---:|---:|---:|---|",
    ]
    for one in estimates:
        cells = (one.verifying, one.reading, one.handing, one.seconds)
        figures = " | ".join(f"{cell:,.3g}" if cell < 100 else f"{cell:,.0f}" for cell in cells)
        lines.append(f"| {one.nodes:,} | {one.nodes * cores:,} | {figures} | {one.limit.replace('handing', 'handing out')} |")
    return "\n".join(lines) + "\n"


def measure_scaling(
    scheme: str = "ML-DSA-65",
    count: int = 4 * PART,
    *,
    nodes: Sequence[int] = (1, 2),
    repetitions: int = 3,
    provider: str | None = None,
    progress: Watcher | None = None,
) -> Scaling:
    """Verifies a block of ``count`` transactions, and blocks as many times as large, on clusters of so many nodes of one CPU each that are
    started on this machine, in turns with the same without a cluster. Nodes beyond its cores share them: what is told then is what the
    cluster adds, no speed.
    """
    if count < 1024 or repetitions < 1 or not nodes or min(nodes) < 1:
        raise InvalidArgument("count must be at least 1,024, repetitions and nodes at least 1")
    tell: Watcher = progress or (lambda text: None)
    with tempfile.TemporaryDirectory(prefix="pqlab-scaling-") as folder:
        blocks: dict[int, str] = {}
        for times in sorted({1, *nodes}):
            blocks[times] = str(Path(folder) / f"{times}.tx")
            tell(f"signing {times * count:,} transactions")
            ledger.generate_block(blocks[times], times * count, scheme, senders=min(count, 100), provider=provider)
        ways = [("plain", 1), *(("strong", many) for many in nodes), *(("weak", many) for many in nodes if many > 1)]
        took: dict[tuple[str, int], list[float]] = {way: [] for way in ways}
        each: list[float] = []
        handing: list[float] = []
        core = size = 0.0
        for turn in range(repetitions):
            for how, many in ways:
                tell(f"{how}, {many} of {max(nodes)} nodes, round {turn + 1} of {repetitions}")
                path = blocks[many if how == "weak" else 1]
                if how == "plain":
                    report = ledger.verify_block(path, threads=1, provider=provider)
                    spent = report.phases.decoding + report.phases.verifying
                    core, size = spent / 1e3 / report.transactions, report.bytes / report.transactions + 4
                    took[how, many].append(report.elapsed_ns / 1e9)
                else:
                    report, part, handed = _clustered(path, many, provider)
                    each.append(part)
                    handing.append(handed)
                    took[how, many].append(report.elapsed_ns / 1e9)
    rows = [Measurement(how, many, count * (many if how == "weak" else 1), tuple(took[how, many])) for how, many in ways]
    return Scaling(scheme, tuple(rows), size, core, median(each) * 1e6, median(handing) * 1e6)


def _idle(_: Any, part: Part) -> Answer:
    """On a node: nothing."""
    return "done", this_node(), part


def _clustered(path: str, nodes: int, provider: str | None) -> tuple[ClusterReport, float, float]:
    """One verification by a cluster of so many nodes; what a part takes of a core beside its transactions, and what it takes to hand one
    out, in s."""
    with started(nodes) as address, connected(address) as ray:
        report = verify_block(path, address=address, provider=provider)
        job = Job(path, None, _pqlab.ledger_block_facts(path), 1, "txv2", 1, provider, False, None)
        # All nodes work at once on parts without transactions, and so do they on nothing.
        part = _spent(Hands(ray, Job.verify, job, 1), PARTS) * nodes
        return report, part, _spent(Hands(ray, _idle, None, 1), ROUNDS)


def _spent(hands: Hands, rounds: int) -> float:
    hands.ready((0, 0))
    began = time.monotonic()
    for _ in hands.each([(0, 0)] * rounds):
        pass
    return (time.monotonic() - began) / rounds
