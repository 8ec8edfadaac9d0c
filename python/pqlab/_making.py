"""Generation of blocks by a cluster: nodes sign parts, and the parts become the same file that one machine makes."""

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
"""Approximate size of a part in bytes, about a second of one thread's work. Up to twice as many parts as are in
progress wait to be written."""

MEMORY = 4 * 2**30
"""Maximum memory in bytes to request for parts."""

Watcher = Callable[[int, int], object]
"""Function that is called with the number of transactions written and the total."""


@dataclass(frozen=True)
class Made(Generated):
    """A block that a cluster generated."""

    nodes: int
    """Number of nodes that signed."""
    parts: int
    """Number of parts."""
    begun_again: int
    """Number of restarts of a part because its process or node died."""
    elapsed_ns: int
    """Time of signing and writing in ns, from the first part on."""
    start_ns: int
    """Time in ns to start or reach Ray and to prepare every node, not part of ``elapsed_ns``."""


@dataclass(frozen=True)
class Making:
    """Request that all parts of a block share."""

    wanted: dict[str, Any]
    build: dict[str, str] = field(default_factory=build)

    def make(self, part: Part) -> Answer:
        """Makes a part, on a node."""
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
    """Makes a block file of signed transactions on all nodes of a Ray cluster.

    This machine assembles and writes the parts. The file is the one that :func:`pqlab.ledger.generate_block` makes,
    byte for byte if the seed makes it reproducible.

    :param path: The file, or the address of an object in a store, such as
        ``s3://bucket/block.tx``.
    :param count: Number of transactions.
    :param scheme: Signature algorithm (default ``ML-DSA-65``).
    :param address: Address of the cluster, ``auto`` for the one of this machine (default one that is started here).
    :param senders: Number of different senders (default one for each transaction).
    :param invalid: Number of invalid transactions (default 0).
    :param chain_id: Chain that the transactions are for (default 1).
    :param seed: Seed of keys, fields and signatures, and of which transactions are invalid (default 1).
    :param format: ``block`` or ``parquet`` (default ``block``).
    :param form: Form of the transactions, ``txv2`` or ``txv1`` (default ``txv2``).
    :param provider: Provider that signs (default the first one that has the algorithm).
    :param threads: Threads of each part, which reserves as many processors (default 1).
    :param progress: Function that is called with the number of transactions written and the total (default none).
    :return: The block's properties, and what the cluster did.
    :raises pqlab.InvalidArgument: An argument cannot be used.
    :raises pqlab.LibraryError: Ray is not installed or not reachable, or a node has another build of pqlab.
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
    # Reports an invalid request before anything starts.
    assembly = _pqlab.LedgerAssembly(wanted)
    count: int = wanted["count"]
    size = max(1, PART // len(_pqlab.ledger_generate_part(wanted, (0, 1))))
    parts = [(first, min(first + size, count)) for first in range(0, count, size)]
    # For a Ray that starts here: twice the size of the parts that wait to be written. Ray spills anything above to disk.
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
