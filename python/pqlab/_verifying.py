"""Verification of blocks by a cluster: Ray hands out parts of a file, nodes verify them, and the results are merged.

The result is the same as on one machine.
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
"""Approximate number of transactions in a part, a second or more of one thread's work."""
LISTED = 100_000
"""Maximum number of listed rejected transactions, as in the command line on one machine."""
JOURNAL = "pqlab-ledger-parts/2"

ANOTHER = "name another journal, or delete this one"
"""Remedy if a journal does not match the verification."""

Watcher = Callable[[int, int], object]
"""Function that is called with the number of transactions verified and the total."""
Found = tuple[Any, ...]
"""Result of the native module for a part, digest of the part (``None`` without a journal), unshared memory in
bytes."""


def _sha256(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


@dataclass(frozen=True)
class ClusterReport(BlockReport):
    """Result of the verification of a block by a cluster. It lists the first hundred thousand rejections."""

    nodes: int
    """Number of nodes that verified."""
    parts: int
    """Number of parts."""
    resumed: int
    """Number of parts whose results came from the journal."""
    begun_again: int
    """Number of restarts of a part because its process or node died."""
    start_ns: int
    """Time in ns to start or reach Ray and to prepare every node, not part of ``elapsed_ns``."""
    unshared_memory: int
    """Maximum memory of one worker process alone, in bytes."""


@dataclass(frozen=True)
class Job:
    """Request that all parts of a block share."""

    path: str
    tag: str | None
    """Version of an object in a store (ETag)."""
    facts: tuple[str, str, int, int, int | None]
    chain_id: int
    form: str
    threads: int
    provider: str | None
    keep_keys: bool
    batch: int | None
    build: dict[str, str] = field(default_factory=build)
    frame: str | None = None
    """Digest of the file's header and footer, or empty for an object, which has a tag. ``None`` without a journal."""

    def verify(self, part: Part) -> Answer:
        """Verifies a part, on a node."""
        node = this_node()
        other = difference(self.build, build())
        if other:
            return "other", node, f"node {node[:8]} has another build of pqlab: {other}"
        try:
            at = known(self.path, self.tag)
            if at.facts() != self.facts:
                return "failed", node, f"{self.path}: node {node[:8]} has another file under this name"
            with at.part(part) as (path, fetched):
                # Before the verification: if the file changes in between, the digest no longer matches, and the journal
                # is refused.
                digest = None if self.frame is None else digest_of_part(path, part)
                found = _pqlab.ledger_verify_block(
                    path, self.chain_id, self.form, self.threads, self.provider, self.keep_keys, self.batch, part, None
                )
        except (Error, OSError) as error:
            return "failed", node, f"transactions {part[0]} to {part[1]}, node {node[:8]}: {error}"
        # Fetching counts as reading.
        reading, *others = found[10]
        return "done", node, (*found[:10], (reading + fetched, *others), digest, unshared_memory())


def part_size(transactions: int, stride: int, workers: int) -> int:
    """Returns the number of transactions in a part.

    It is about :data:`PART`, gives each worker the same number of parts, and is a multiple of ``stride``, so that the
    index locates each part.
    """
    rounds = max(1, round(transactions / PART / workers))
    return max(stride, -(-transactions // (rounds * workers * stride)) * stride)


class Journal:
    """Results of parts in a file, for resuming. Each line is the SHA-256 of a JSON text, a space, and that text."""

    def __init__(self, path: Path, job: Job) -> None:
        self.path = path
        said = {**asdict(job), "facts": list(job.facts)}
        self.head = {"schema": JOURNAL, **said}
        self.done: dict[Part, Found] = {}
        self.size = 0
        """Transactions of a part; 0 if there is none yet."""
        try:
            # A last line without an end was cut off.
            lines = path.read_bytes().split(b"\n")[:-1] if path.is_file() else []
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}") from None
        rows = [self._row(line) for line in lines]
        if rows and rows[0] != self.head:
            raise InvalidArgument(f"{path} is the journal of another verification", ANOTHER)
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
        """Raises :class:`InvalidArgument` if a part of the file has changed since its result was written."""
        for part, found in self.done.items():
            if digest_of_part(name, part) != found[11]:
                raise InvalidArgument(
                    f"transactions {part[0]} to {part[1]} of {name} have changed since {self.path} was written", ANOTHER
                )

    def _none(self) -> StoreError:
        return StoreError(f"{self.path} is damaged or not a journal of a verification", "name another file, or delete it")

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
        """Stores the result of a part. It is on disk when this returns."""
        self._write({"part": part, "size": self.size, "found": found})

    def close(self) -> None:
        """Closes the file."""
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

    :param path: The block file, which every node has under the same name, or the address of an object in a store,
        such as ``s3://bucket/block.tx``. Nodes fetch the parts of an object that they verify.
    :param chain_id: Chain that the transactions must be for (default 1).
    :param address: Address of the cluster, ``auto`` for the one of this machine (default one that is started here).
    :param form: Accepted form of transactions, ``txv2`` or ``txv1`` (default ``txv2``).
    :param threads: Threads of each part, which reserves as many processors (default 1).
    :param provider: Provider that verifies (default the first one that has each algorithm).
    :param keep_keys: Whether to keep up to 256 prepared keys, which saves time if senders recur (default false).
    :param batch: Transactions to verify at once, if the provider can, such as ``mldsa-batch`` (default 100).
    :param journal: File that keeps the results of parts (default none). After an interruption the same call resumes
        from it.
    :param progress: Function that is called with the number of transactions verified and the total (default none).
    :return: The result, with the first hundred thousand rejected transactions.
    :raises pqlab.InvalidArgument: An argument cannot be used, or the journal does not match the block.
    :raises pqlab.LibraryError: Ray is not installed or not reachable, or a node has another build of pqlab.
    :raises pqlab.StoreError: The file, the object or the journal cannot be read or written.
    """
    began = time.monotonic_ns()
    name = os.fspath(path) if is_object(os.fspath(path)) else str(Path(path).absolute())
    at = source(name)
    facts = at.facts()
    if facts[4] is None:
        raise InvalidArgument(f"{name} has no index, so its parts cannot be located", "make it again, or verify it without a cluster")
    if threads < 1:
        raise InvalidArgument(f"threads is {threads}", "use at least one")
    frame = None
    if journal is not None:
        if is_object(name) and at.tag is None:
            raise InvalidArgument(
                f"the store gives no tag (ETag) for {name}, so a journal cannot tell whether it has changed", "verify it without a journal"
            )
        frame = "" if is_object(name) else digest_of_frame(name, facts[2])
    job = Job(name, at.tag, facts, chain_id, form, threads, provider, keep_keys, batch, frame=frame)
    # Reports an invalid request before anything starts.
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
            # The parts must be those of the journal.
            size = self.journal.size = self.journal.size or size
        # An empty block has one empty part.
        parts = [(first, min(first + size, transactions)) for first in range(0, max(1, transactions), size)]
        if not set(self.done) <= set(parts):
            raise StoreError("the parts of the journal do not belong to one verification", "delete it")
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
            kept = "repeat the call to continue with the journal" if self.journal else None
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
            raise StoreError(f"{self.job.path}: {sum(one[1] for one in found)} of {self.job.facts[2]} transactions were verified")
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
