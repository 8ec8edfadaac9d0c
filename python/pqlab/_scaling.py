"""Measures how block verification scales with nodes on one machine, and extrapolates to larger clusters."""

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
"""Number of empty parts for measuring the fixed cost of a part."""
ROUNDS = 400
"""Number of empty calls for measuring the cost of handing out a part."""

Watcher = Callable[[str], object]
"""Callback that receives a sentence about the current measurement."""


@dataclass(frozen=True)
class Measurement:
    """Measurement with a given number of nodes."""

    how: str
    """``plain`` (no cluster), ``strong`` (the same block for any number of nodes) or ``weak`` (the block grows with the
    number of nodes)."""
    nodes: int
    """Number of nodes with one CPU each, all on this machine."""
    transactions: int
    """Number of verified transactions."""
    seconds: tuple[float, ...]
    """Elapsed time of each round in seconds, from the first part to the last."""

    @property
    def median(self) -> float:
        """Median of the rounds in seconds."""
        return median(self.seconds)

    @property
    def rate(self) -> float:
        """Transactions per second, from the median."""
        return self.transactions / self.median


@dataclass(frozen=True)
class Estimate:
    """Extrapolation of a measurement to a cluster. Each of the three times is in seconds, and assumes that nothing else
    limits the cluster."""

    nodes: int
    """Number of nodes."""
    verifying: float
    """Time to decode and verify on all cores, including the fixed cost of each part."""
    reading: float
    """Time to transfer the bytes to the nodes."""
    handing: float
    """Time that one process needs to hand out all parts, one after the other."""

    @property
    def seconds(self) -> float:
        """Estimated time in seconds, the largest of the three times."""
        return max(self.verifying, self.reading, self.handing)

    @property
    def limit(self) -> str:
        """Name of the largest of the three times: ``verifying``, ``reading`` or ``handing``."""
        return max(("verifying", "reading", "handing"), key=lambda name: float(getattr(self, name)))


@dataclass(frozen=True)
class Scaling:
    """Result of :func:`measure_scaling`."""

    scheme: str
    """Signature algorithm of the transactions."""
    rows: tuple[Measurement, ...]
    """Measurements. The first one is without a cluster."""
    size: float
    """Size of a transaction in a block, in bytes."""
    core_us: float
    """Time that one core of this machine needs to decode and verify a transaction, in µs."""
    part_us: float
    """Fixed time that one core needs for each part, to check libraries and start threads, in µs."""
    handing_us: float
    """Time that the coordinating process needs to hand out a part, in µs."""

    def estimates(self, transactions: int, nodes: Sequence[int], cores: int, bandwidth: float) -> list[Estimate]:
        """Extrapolates the measurement to other clusters.

        :param transactions: Number of transactions in the block.
        :param nodes: Node counts, one for each estimate.
        :param cores: Number of cores per node.
        :param bandwidth: Network bandwidth per node in bytes per second.
        :raises pqlab.InvalidArgument: A number is not positive.
        """
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
        """Returns the result as a dictionary that can be written as JSON."""
        rows = [{**asdict(row), "median_s": row.median, "per_s": row.rate} for row in self.rows]
        return {"scheme": self.scheme, "bytes": self.size, "core_us": self.core_us, "part_us": self.part_us, "handing_us": self.handing_us, "measured": rows}

    def markdown(self) -> str:
        """Returns the measurements as a Markdown table."""
        lines = [
            "| | nodes | transactions | seconds | transactions/s | per CPU, relative to plain |",
            "|---|---:|---:|---:|---:|---:|",
        ]
        plain = self.rows[0]
        for row in self.rows:
            relative = row.rate / (plain.rate * row.nodes)
            spread = f"{row.median:.2f} ({min(row.seconds):.2f} to {max(row.seconds):.2f})"
            lines.append(f"| {row.how} | {row.nodes} | {row.transactions:,} | {spread} | {row.rate:,.0f} | {relative:.0%} |")
        return "\n".join(lines) + "\n"


def median(values: Sequence[float]) -> float:
    """Returns the middle value, or the mean of the two middle values."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def scaling_table(estimates: Sequence[Estimate], cores: int) -> str:
    """Returns estimates as a Markdown table. ``cores`` is the number of cores per node."""
    lines = [
        "| nodes | cores | verifying, s | reading, s | handing out, s | estimate, s | limit |",
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
    """Starts a cluster on this machine, and measures how block verification scales with the number of nodes.

    Each node uses one CPU. Measurements with and without a cluster alternate. If there are more nodes than cores, the
    nodes share the cores, and the result shows the overhead of the cluster rather than its speed.

    :param scheme: Signature algorithm (default ``ML-DSA-65``).
    :param count: Number of transactions in the block, at least 1,024 (default 262,144). For weak scaling, the number of
        transactions per node.
    :param nodes: Numbers of nodes to measure (default 1 and 2).
    :param repetitions: Number of rounds (default 3).
    :param provider: Provider to sign and verify with (default is the first one that offers the algorithm).
    :param progress: Callback that receives a sentence about the current measurement (default none).
    :return: The measurements, and the costs from which :meth:`Scaling.estimates` extrapolates.
    :raises pqlab.InvalidArgument: A number is too small.
    :raises pqlab.LibraryError: Ray is not installed or cannot be started.
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
    """Does nothing. Runs on a node."""
    return "done", this_node(), part


def _clustered(path: str, nodes: int, provider: str | None) -> tuple[ClusterReport, float, float]:
    """Verifies a block on a cluster of ``nodes`` nodes.

    Returns the report, the fixed time that a core needs for a part, and the time to hand out a part, both in seconds.
    """
    with started(nodes) as address, connected(address) as ray:
        report = verify_block(path, address=address, provider=provider)
        job = Job(path, None, _pqlab.ledger_block_facts(path), 1, "txv2", 1, provider, False, None)
        # All nodes work on empty parts at the same time, so the time per part is multiplied by the number of nodes.
        part = _spent(Hands(ray, Job.verify, job, 1), PARTS) * nodes
        return report, part, _spent(Hands(ray, _idle, None, 1), ROUNDS)


def _spent(hands: Hands, rounds: int) -> float:
    hands.ready((0, 0))
    began = time.monotonic()
    for _ in hands.each([(0, 0)] * rounds):
        pass
    return (time.monotonic() - began) / rounds
