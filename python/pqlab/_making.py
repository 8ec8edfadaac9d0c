"""Blocks that are made by a cluster: nodes sign parts, which become the file that one machine makes."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pqlab import _pqlab
from pqlab._errors import Error
from pqlab._objects import is_object, upload
from pqlab._parts import AHEAD, Answer, Hands, Part, this_node
from pqlab._ray import build, connected, difference
from pqlab.ledger import Generated

PART = 32 * 2**20
"""Bytes of a part, about: a second of one thread's work or so. Twice as many as are worked on wait to be written."""

MEMORY = 4 * 2**30
"""Most bytes that are asked for to keep parts in."""

Watcher = Callable[[int, int], object]
"""Is called with the number of transactions that are written, and of all."""


@dataclass(frozen=True)
class Made(Generated):
    """A block that a cluster made."""

    nodes: int
    """Nodes that signed."""
    parts: int
    """In how many parts."""
    begun_again: int
    """How often a part was begun again because its process, or its node, died."""
    elapsed_ns: int
    """Signing and writing, from the first part on."""
    start_ns: int
    """What it took to start Ray, or to connect, and to ready every node: not part of ``elapsed_ns``."""


@dataclass(frozen=True)
class Making:
    """What all parts of a block have in common."""

    wanted: dict[str, Any]
    build: dict[str, str] = field(default_factory=build)

    def make(self, part: Part) -> Answer:
        """On a node: makes a part."""
        node = this_node()
        if other := difference(self.build, build()):
            return "other", node, f"node {node[:8]} has another build of pqlab: {other}"
        try:
            return "done", node, _pqlab.ledger_generate_part(self.wanted, part)
        except Error as error:
            return "failed", node, f"transactions {part[0]} to {part[1]}, node {node[:8]}: {error}"


def generate_block(
    path: str | os.PathLike[str],
    count: int,
    scheme: str = "ML-DSA-65",
    *,
    address: str | None = None,
    senders: int | None = None,
    invalid: int = 0,
    chain_id: int = 1,
    seed: int = 1,
    format: str = "block",
    form: str = "txv2",
    provider: str | None = None,
    threads: int = 1,
    progress: Watcher | None = None,
) -> Made:
    """Makes a file of signed transactions by all nodes of the Ray cluster at ``address``, or of one that is started on this machine: the
    file that :func:`pqlab.ledger.generate_block` makes, to the byte where a seed repeats it. ``path`` may be the address of an object in
    a store (``s3://bucket/block.tx``).

    ``threads`` are those of a part: as many processors are taken for it. This machine puts the parts together and writes them.
    """
    name = os.fspath(path)
    with tempfile.TemporaryDirectory(prefix="pqlab-block-") as folder:
        there = Path(folder) / "block" if is_object(name) else Path(name).absolute()
        wanted: dict[str, Any] = {
            "path": str(there),
            "format": format,
            "form": form,
            "scheme": scheme,
            "count": count,
            "senders": senders,
            "invalid": invalid,
            "chain_id": chain_id,
            "seed": seed,
            "provider": provider,
            "threads": threads,
        }
        made = _make(wanted, address, progress)
        if is_object(name):
            upload(there, name)
        return made


def _make(wanted: dict[str, Any], address: str | None, progress: Watcher | None) -> Made:
    began = time.monotonic_ns()
    # What is wrong with the request is said before anything is started.
    assembly = _pqlab.LedgerAssembly(wanted)
    count: int = wanted["count"]
    size = max(1, PART // len(_pqlab.ledger_generate_part(wanted, (0, 1))))
    parts = [(first, min(first + size, count)) for first in range(0, count, size)]
    # For a Ray that is started here: what waits to be written, twice over; more than that Ray puts on the disk.
    memory = min(2 * AHEAD * (os.cpu_count() or 1) * PART, MEMORY)
    with connected(address, memory=memory) as ray:
        hands = Hands(ray, Making.make, Making(wanted), wanted["threads"])
        hands.ready((0, 0))
        start = time.monotonic_ns()
        for _, part in hands.in_order(parts):
            done = assembly.add(part)
            if progress:
                progress(done, count)
        transactions, invalid, written, provider, reproducible = assembly.finish()
        return Made(
            transactions=transactions,
            invalid=invalid,
            bytes=written,
            provider=provider,
            reproducible=reproducible,
            nodes=len(hands.nodes),
            parts=len(parts),
            begun_again=hands.begun_again(),
            elapsed_ns=time.monotonic_ns() - start,
            start_ns=start - began,
        )
