"""Verification of blocks on a cluster. Ray hands out parts of a file, nodes verify the parts, and results are merged.

The merged result is the same as on one machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from pqlab import _pqlab
from pqlab._errors import Error, InvalidArgument, LibraryError, StoreError
from pqlab._objects import digest_of_frame, digest_of_part, is_object, known, source
from pqlab._parts import Answer, Hands, Part, this_node
from pqlab._ray import build, connected, difference, unshared_memory
from pqlab.ledger import BlockReport, Phases, Rejected, by_whom

PART = 65_536
"""Approximate number of transactions in a part, a second or more of work for one thread."""
LISTED = 100_000
"""Maximum number of rejected transactions to list, as in ``pqlab ledger verify`` on one machine."""
JOURNAL = "pqlab-ledger-parts/2"

ANOTHER = "name another journal, or delete this one"
"""Remedy for a journal that does not match the verification."""

Watcher = Callable[[int, int], object]
"""Callback that receives the number of transactions verified and the total."""
Found = tuple[Any, ...]
"""Fields of the native module's result for a part, followed by the digest of the part (``None`` without a journal) and
the unshared memory of the process in bytes."""


def _sha256(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


@dataclass(frozen=True)
class ClusterReport(BlockReport):
    """Result of verifying a block on a cluster. Lists at most the first 100,000 rejected transactions."""

    nodes: int
    """Number of nodes that verified parts."""
    parts: int
    """Number of parts."""
    resumed: int
    """Number of parts that were already in the journal."""
    begun_again: int
    """Number of restarts of parts whose process or node died."""
    start_ns: int
    """Time in ns to start or reach Ray and to prepare every node, not included in ``elapsed_ns``."""
    unshared_memory: int
    """Peak unshared memory of any worker process, in bytes."""


@dataclass(frozen=True)
class Job:
    """Request that all parts of a block share."""

    path: str
    tag: str | None
    """ETag that identifies the version of an object in a store. ``None`` for a file."""
    facts: tuple[str, str, int, int, int | None]
    chain_id: int
    form: str
    threads: int
    provider: str | None
    keep_keys: bool
    batch: int | None
    build: dict[str, str] = field(default_factory=build)
    frame: str | None = None
    """Digest of the header and footer of a file. Empty for an object, which has a tag instead. ``None`` without a
    journal."""

    def verify(self, part: Part) -> Answer:
        """Verifies a part. Runs on a node."""
        node = this_node()
        other = difference(self.build, build())
        if other:
            return "other", node, f"node {node[:8]} has a different build of pqlab: {other}"
        try:
            at = known(self.path, self.tag)
            if at.facts() != self.facts:
                return "failed", node, f"{self.path}: node {node[:8]} has a different file with this name"
            with at.part(part) as (path, fetched):
                # Compute the digest before verifying. If the file changes in between, the digest does not match later,
                # and the journal is rejected.
                digest = None if self.frame is None else digest_of_part(path, part)
                found = _pqlab.ledger_verify_block(
                    path, self.chain_id, self.form, self.threads, self.provider, self.keep_keys, self.batch, part, None
                )
        except (Error, OSError) as error:
            return "failed", node, f"transactions {part[0]} to {part[1]}, node {node[:8]}: {error}"
        # The time to fetch the part is included in the reading time.
        reading, *others = found[10]
        return "done", node, (*found[:10], (reading + fetched, *others), digest, unshared_memory())


def part_size(transactions: int, stride: int, workers: int) -> int:
    """Returns the number of transactions in a part.

    The size is about :data:`PART` and gives each worker the same number of parts. It is a multiple of ``stride``, so
    that the index locates each part.
    """
    rounds = max(1, round(transactions / PART / workers))
    return max(stride, -(-transactions // (rounds * workers * stride)) * stride)


class Journal:
    """File with the results of finished parts, from which a verification resumes.

    Each line is the SHA-256 of a JSON text in hexadecimal, a space, and the JSON text.
    """

    def __init__(self, path: Path, job: Job) -> None:
        self.path = path
        self.head = {"schema": JOURNAL, **asdict(job), "facts": list(job.facts)}
        self.done: dict[Part, Found] = {}
        self.size = 0
        """Number of transactions in a part, or 0 if no part is stored yet."""
        try:
            # A last line without a line feed is incomplete, and is dropped.
            lines = path.read_bytes().split(b"\n")[:-1] if path.is_file() else []
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}") from None
        rows = [self._row(line) for line in lines]
        if rows and rows[0] != self.head:
            raise InvalidArgument(f"{path} is the journal of a different verification", ANOTHER)
        for row in rows[1:]:
            try:
                self.done[(int(row["part"][0]), int(row["part"][1]))] = tuple(row["found"])
                self.size = int(row["size"])
            except (KeyError, IndexError, TypeError, ValueError):
                raise self._none() from None
        try:
            # Unbuffered, so that closing the file does not repeat a failed write.
            self._file = path.open("r+b" if rows else "wb", buffering=0)
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}") from None
        try:
            if rows:
                self._file.truncate(sum(len(line) + 1 for line in lines))
                self._file.seek(0, os.SEEK_END)
            else:
                self._write(self.head)
        except (OSError, StoreError) as error:
            self._file.close()
            raise error if isinstance(error, StoreError) else StoreError(f"{path}: {error.strerror}") from None

    def check(self, name: str) -> None:
        """Raises :class:`InvalidArgument` if a part of the block has changed since its result was stored."""
        for part, found in self.done.items():
            if digest_of_part(name, part) != found[11]:
                raise InvalidArgument(
                    f"transactions {part[0]} to {part[1]} of {name} have changed since {self.path} was written", ANOTHER
                )

    def _none(self) -> StoreError:
        reason = f"{self.path} is damaged or is not a verification journal"
        return StoreError(reason, "name another file, or delete this one")

    def _row(self, line: bytes) -> dict[str, Any]:
        digest, _, text = line.partition(b" ")
        try:
            row = json.loads(text) if digest == _sha256(text) else None
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise self._none()
        return cast("dict[str, Any]", row)

    def _write(self, row: dict[str, Any]) -> None:
        try:
            text = json.dumps(row).encode()
            left = memoryview(_sha256(text) + b" " + text + b"\n")
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from None

    def add(self, part: Part, found: Found) -> None:
        """Stores the result of a part. When this method returns, the result is on disk."""
        self._write({"part": part, "size": self.size, "found": found})

    def close(self) -> None:
        self._file.close()


def verify_block(
    path: str | os.PathLike[str],
    chain_id: int = 1,
    *,
    address: str | None = None,
    form: str = "txv2",
    threads: int = 1,
    provider: str | None = None,
    keep_keys: bool = False,
    batch: int | None = None,
    journal: str | os.PathLike[str] | None = None,
    progress: Watcher | None = None,
) -> ClusterReport:
    """Verifies a block file on all nodes of a Ray cluster, with the same result as :func:`pqlab.ledger.verify_block`.

    Every node must have the same build of pqlab.

    :param path: The block file, which must exist under the same name on every node, or the address of an object in a
        store, such as ``s3://bucket/block.tx``. Nodes fetch only the parts of an object that they verify.
    :param chain_id: Chain that the transactions must be for (default 1).
    :param address: Address of the cluster, or ``auto`` for the cluster of this machine (default a new local cluster).
    :param form: Transaction form to accept, ``txv2`` or ``txv1`` (default ``txv2``).
    :param threads: Threads per part, which is also the number of CPUs that each part reserves (default 1).
    :param provider: Provider to verify with (default for each transaction is the first one that offers its algorithm).
    :param keep_keys: Whether to keep up to 256 prepared keys, which saves time if senders repeat (default false).
    :param batch: Transactions to verify in one batch, if the provider supports batches, such as ``mldsa-batch``
        (default 100).
    :param journal: File for the results of finished parts (default none). After an interruption, repeat the call with
        the same journal to resume.
    :param progress: Callback that receives the number of transactions verified and the total (default none).
    :return: The result, with at most the first 100,000 rejected transactions.
    :raises pqlab.InvalidArgument: An argument is invalid, or the journal does not match the block.
    :raises pqlab.LibraryError: Ray is not installed or not reachable, or a node has a different build of pqlab.
    :raises pqlab.StoreError: The file, the object or the journal cannot be read or written.
    """
    began = time.monotonic_ns()
    name = os.fspath(path) if is_object(os.fspath(path)) else str(Path(path).absolute())
    at = source(name)
    facts = at.facts()
    if facts[4] is None:
        reason = f"{name} has no index, so its parts cannot be located"
        raise InvalidArgument(reason, "generate the block again, or verify it without a cluster")
    if threads < 1:
        raise InvalidArgument(f"threads: must be at least 1, not {threads}")
    frame = None
    if journal is not None:
        if is_object(name) and at.tag is None:
            reason = f"the store sends no ETag for {name}, so a journal cannot detect changes to the object"
            raise InvalidArgument(reason, "verify the object without a journal")
        frame = "" if is_object(name) else digest_of_frame(name, facts[2])
    job = Job(name, at.tag, facts, chain_id, form, threads, provider, keep_keys, batch, frame=frame)
    # Report an invalid request before anything starts.
    with at.part((0, 0)) as (there, _):
        _pqlab.ledger_verify_block(there, chain_id, form, threads, provider, keep_keys, batch, (0, 0), None)
    kept = Journal(Path(journal), job) if journal is not None else None
    try:
        if kept is not None and not is_object(name):
            kept.check(name)
        with connected(address) as ray:
            return _Run(ray, job, kept, progress).verify(began)
    finally:
        if kept is not None:
            kept.close()


class _Run:
    """A verification in progress."""

    def __init__(self, ray: Any, job: Job, journal: Journal | None, progress: Watcher | None) -> None:
        self.job, self.journal, self.progress = job, journal, progress
        self.hands = Hands(ray, Job.verify, job, job.threads)
        self.done: dict[Part, Found] = dict(journal.done) if journal else {}

    def verify(self, began: int) -> ClusterReport:
        transactions, stride = self.job.facts[2], self.job.facts[4]
        resumed = len(self.done)
        size = part_size(transactions, stride or 1, self.hands.workers())
        if self.journal:
            # The parts must be the same as those in the journal.
            size = self.journal.size = self.journal.size or size
        # An empty block consists of one empty part.
        parts = [(first, min(first + size, transactions)) for first in range(0, max(1, transactions), size)]
        if not set(self.done) <= set(parts):
            raise StoreError("the journal contains parts of different verifications", "delete it")
        self.hands.ready((0, 0))
        start = time.monotonic_ns()
        self.go([part for part in parts if part not in self.done])
        return self.report(parts, resumed, start - began, time.monotonic_ns() - start)

    def go(self, parts: list[Part]) -> None:
        verified = sum(end - first for first, end in self.done)
        self.tell(verified)
        try:
            for part, found in self.hands.each(parts):
                self.done[part] = tuple(found)
                if self.journal:
                    self.journal.add(part, self.done[part])
                verified += part[1] - part[0]
                self.tell(verified)
        except LibraryError as error:
            kept = "repeat the call to resume from the journal" if self.journal else None
            raise LibraryError(f"{error.reason} (after {verified} verified transactions)", kept or error.remedy) from None

    def tell(self, verified: int) -> None:
        if self.progress:
            self.progress(verified, self.job.facts[2])

    def report(self, parts: list[Part], resumed: int, start: int, elapsed: int) -> ClusterReport:
        kinds: Counter[str] = Counter()
        rejections: list[Rejected] = []
        phases = [0] * 5
        found = [self.done[part] for part in parts]
        form, batch, verifiers = found[0][0], found[0][8], found[0][9]
        for _, _, _, _, of_kind, rows, _, _, _, _, spent, _, _ in found:
            kinds.update(dict(of_kind))
            rejections.extend(Rejected(*row) for row in rows[: LISTED - len(rejections)])
            phases = [sum(both) for both in zip(phases, spent, strict=True)]
        if sum(one[1] for one in found) != self.job.facts[2]:
            verified, total = sum(one[1] for one in found), self.job.facts[2]
            raise StoreError(f"{self.job.path}: only {verified} of {total} transactions were verified")
        return ClusterReport(
            format=form,
            transactions=sum(one[1] for one in found),
            bytes=sum(one[2] for one in found),
            rejected=sum(one[3] for one in found),
            kinds=dict(sorted(kinds.items())),
            rejections=tuple(rejections),
            elapsed_ns=elapsed,
            threads=self.job.threads * max(1, self.hands.workers()),
            batch=batch,
            **by_whom(verifiers),
            phases=Phases(*phases),
            nodes=len(self.hands.nodes),
            parts=len(parts),
            resumed=resumed,
            begun_again=self.hands.begun_again(),
            start_ns=start,
            unshared_memory=max(one[-1] for one in found),
        )
