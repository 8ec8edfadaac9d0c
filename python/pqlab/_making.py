"""Generation of blocks on a cluster. The nodes sign parts of a block, and this machine assembles the file."""

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
"""Approximate size of a part in bytes, about a second of work for one thread."""

MEMORY = 4 * 2**30
"""Maximum memory in bytes to reserve for signed parts that wait to be written."""

Watcher = Callable[[int, int], object]
"""Callback that receives the number of transactions written and the total."""


@dataclass(frozen=True)
class Made(Generated):
    """A block that a cluster generated."""

    nodes: int
    """Number of nodes that signed parts."""
    parts: int
    """Number of parts."""
    begun_again: int
    """Number of restarts of parts whose process or node died."""
    elapsed_ns: int
    """Time in ns to sign and write all parts."""
    start_ns: int
    """Time in ns to start or reach Ray and to prepare every node, not included in ``elapsed_ns``."""


@dataclass(frozen=True)
class Making:
    """Request that all parts of a block share."""

    wanted: dict[str, Any]
    build: dict[str, str] = field(default_factory=build)

    def make(self, part: Part) -> Answer:
        """Generates a part. Runs on a node."""
        node = this_node()
        if other := difference(self.build, build()):
            return "other", node, f"node {node[:8]} has a different build of pqlab: {other}"
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
    """Generates a block file of signed transactions on all nodes of a Ray cluster.

    This machine assembles and writes the parts. If the block is reproducible, the file is identical to the file that
    :func:`pqlab.ledger.generate_block` writes with the same arguments.

    :param path: Output file, or the address of an object in a store, such as
        ``s3://bucket/block.tx``.
    :param count: Number of transactions.
    :param scheme: Signature algorithm (default ``ML-DSA-65``).
    :param address: Address of the cluster, or ``auto`` for the cluster of this machine (default a new local cluster).
    :param senders: Number of different senders (default one for each transaction).
    :param invalid: Number of invalid transactions (default 0).
    :param chain_id: Chain that the transactions are for (default 1).
    :param seed: Seed for keys, fields, signatures and the choice of invalid transactions (default 1).
    :param format: ``block`` or ``parquet`` (default ``block``).
    :param form: Form of the transactions, ``txv2`` or ``txv1`` (default ``txv2``).
    :param provider: Provider to sign with (default is the first one that offers the algorithm).
    :param threads: Threads per part, which is also the number of CPUs that each part reserves (default 1).
    :param progress: Callback that receives the number of transactions written and the total (default none).
    :return: Properties of the block, and statistics of the cluster.
    :raises pqlab.InvalidArgument: An argument is invalid.
    :raises pqlab.LibraryError: Ray is not installed or not reachable, or a node has a different build of pqlab.
    :raises pqlab.StoreError: The file or object cannot be written.
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
    # Report an invalid request before anything starts.
    assembly = _pqlab.LedgerAssembly(wanted)
    count: int = wanted["count"]
    size = max(1, PART // len(_pqlab.ledger_generate_part(wanted, (0, 1))))
    parts = [(first, min(first + size, count)) for first in range(0, count, size)]
    # In a private Ray, reserve twice the expected size of the parts that nodes are signing or that wait to be written.
    # Ray spills anything beyond that to disk.
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
