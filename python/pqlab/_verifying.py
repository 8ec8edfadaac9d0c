"""Blocks of transactions verified by a cluster: Ray hands out parts of a file, each node verifies them natively, and the results are
put together as one machine puts them together."""

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
"""Transactions of a part, about: a second and more of one thread's work."""
LISTED = 100_000
"""Rejected transactions that are listed, as on one machine."""
JOURNAL = "pqlab-ledger-parts/2"

ANOTHER = "name another journal, or delete this one"
"""Remedy if a journal does not match the verification."""

Watcher = Callable[[int, int], object]
"""Is called with the number of transactions that are verified, and of all."""
Found = tuple[Any, ...]
"""Result of the native module for a part, the digest of the part (``None`` without a journal), and the unshared memory of the process in
bytes."""


def _sha256(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


@dataclass(frozen=True)
class ClusterReport(BlockReport):
    """How the verification of a block by a cluster ended. Its rejections are the first hundred thousand."""

    nodes: int
    """Nodes that verified."""
    parts: int
    """In how many parts."""
    resumed: int
    """How many of them were there already, from the journal."""
    begun_again: int
    """How often a part was begun again because its process, or its node, died."""
    start_ns: int
    """What it took to start Ray, or to connect, and to ready every node: not part of ``elapsed_ns``."""
    unshared_memory: int
    """The most memory that a worker process had to itself, in bytes."""


@dataclass(frozen=True)
class Job:
    """What all parts of a block have in common."""

    path: str
    tag: str | None
    """By which a store tells an object from what has its name later."""
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
        """On a node: verifies a part."""
        node = this_node()
        other = difference(self.build, build())
        if other:
            return "other", node, f"node {node[:8]} has another build of pqlab: {other}"
        try:
            at = known(self.path, self.tag)
            if at.facts() != self.facts:
                return "failed", node, f"{self.path}: node {node[:8]} has another file under this name"
            with at.part(part) as (path, fetched):
                # Before the verification: if the file changes in between, the digest no longer matches and the journal is refused.
                digest = None if self.frame is None else digest_of_part(path, part)
                found = _pqlab.ledger_verify_block(
                    path, self.chain_id, self.form, self.threads, self.provider, self.keep_keys, self.batch, part, None
                )
        except (Error, OSError) as error:
            return "failed", node, f"transactions {part[0]} to {part[1]}, node {node[:8]}: {error}"
        # What was fetched was read.
        reading, *others = found[10]
        return "done", node, (*found[:10], (reading + fetched, *others), digest, unshared_memory())


def part_size(transactions: int, stride: int, workers: int) -> int:
    """Transactions of a part: about :data:`PART`, so that each worker has as many parts, and each begins where the index says that one
    is."""
    rounds = max(1, round(transactions / PART / workers))
    return max(stride, -(-transactions // (rounds * workers * stride)) * stride)


class Journal:
    """Results of parts in a file, to resume from. Each line is the SHA-256 of a JSON text, a space and that text."""

    def __init__(self, path: Path, job: Job) -> None:
        self.path = path
        said = {**asdict(job), "facts": list(job.facts)}
        self.head = {"schema": JOURNAL, **said}
        self.done: dict[Part, Found] = {}
        self.size = 0
        """Transactions of a part; 0 where there is none yet."""
        try:
            # What is behind the last end of a line was cut off.
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
            # Without a buffer: what could not be written is not tried again when it is closed.
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
        """Keeps a part's result; it is on the disk when this returns."""
        self._write({"part": part, "size": self.size, "found": found})

    def close(self) -> None:
        """Ends it."""
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
    """Verifies a file of transactions by all nodes of the Ray cluster at ``address``, or of one that is started on this machine. Every
    node must have the file under the same name, and the same build of pqlab. ``path`` may be the address of an object in a store
    (``s3://bucket/block.tx``): nodes fetch the parts that they verify.

    ``threads`` are those of a part: as many processors are taken for it. ``journal`` is a file that keeps the results of parts: the same
    call goes on with it where one ended before, for whatever reason. The rest is as for :func:`pqlab.ledger.verify_block`.
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
    # What is wrong with the request is said before anything is started.
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
    """A verification under way."""

    def __init__(self, ray: Any, job: Job, journal: Journal | None, progress: Watcher | None) -> None:
        self.job, self.journal, self.progress = job, journal, progress
        self.hands = Hands(ray, Job.verify, job, job.threads)
        self.done: dict[Part, Found] = dict(journal.done) if journal else {}

    def verify(self, began: int) -> ClusterReport:
        transactions, stride = self.job.facts[2], self.job.facts[4]
        resumed = len(self.done)
        size = part_size(transactions, stride or 1, self.hands.workers())
        if self.journal:
            # Parts are cut as they were.
            size = self.journal.size = self.journal.size or size
        # One without transactions is a part too.
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
