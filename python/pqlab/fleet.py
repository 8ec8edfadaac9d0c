"""A suite on every node of a Ray cluster: one run per node, alone on its machine, and all runs in one database.

``pip install 'pqlab[cluster]'`` installs Ray.
"""

from __future__ import annotations

import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path as File
from typing import Any, Unpack

import pqlab
from pqlab._errors import Error, InvalidArgument, LibraryError
from pqlab._machines import Machine, machines
from pqlab._ray import build, connected, difference
from pqlab._request import Asked, Path, plain
from pqlab._runs import Run

__all__ = ["Fleet", "Machine", "Node", "machines", "run"]

LOOK = 5.0
"""Seconds between two checks for finished cases of a run."""
TRIES = 5
"""Maximum number of starts of a node's run, resumptions included."""
PAUSE = 3.0
"""Seconds to wait before a run that died starts again. Ray does not notice at once that a node is gone."""
PATIENCE = 600.0
"""Seconds to wait for a node that is gone, if no other can replace it."""

Watcher = Callable[[str], object]
"""Function that is called with a sentence on each event."""


@dataclass
class Node:
    """A node of the cluster, and its result."""

    name: str
    """Network address, and the beginning of the id in Ray."""
    address: str
    """Network address."""
    machine: str
    """Boot id of the kernel. Nodes with the same id share a machine and take turns."""
    kind: str
    """Processor, number of CPUs, and memory."""
    cpus: int
    """Number of CPUs in Ray. The run reserves all of them."""
    labels: Mapping[str, str]
    """Labels in Ray."""
    runs: list[str] = field(default_factory=list)
    """Ids of its runs: one, plus one for each time that another machine of its kind had to continue."""
    complete: bool = False
    """Whether these runs contain every planned case."""
    died: int = 0
    """Number of times that the run died."""
    reason: str = ""
    """Reason if the node is not complete."""


@dataclass(frozen=True)
class Fleet:
    """Result of a suite on a cluster."""

    nodes: tuple[Node, ...]
    """Nodes in the order of their names."""
    shared: bool
    """Whether nodes share a machine. Then their figures must not be compared."""
    database: str
    """File that keeps all runs."""

    @property
    def complete(self) -> bool:
        """Whether every node is complete."""
        return all(node.complete for node in self.nodes)

    def runs(self) -> list[Run]:
        """Loads the runs, node by node."""
        store = pqlab.open(self.database)
        return [store.run(identity) for node in self.nodes for identity in node.runs]

    def page(self, folder: Path, *, prices: Mapping[str, float] | None = None) -> File:
        """Writes the page by machine, as :func:`pqlab.fleet.machines` does, and returns its path."""
        return machines(self.runs(), folder, prices=prices, shared=self.shared)


@dataclass(frozen=True)
class _Job:
    """Job of a node."""

    what: tuple[str, ...]
    how: dict[str, Any]
    build: dict[str, str]
    store: bytes | None = None
    """Database with the run to resume."""
    missing: tuple[str, ...] | None = None
    """Ids of the cases to measure in a new run, if another machine measured the others."""


def _about() -> dict[str, Any]:
    """Describes the machine and the build, on a node."""
    environment = pqlab.doctor()["environment"]
    cpu = environment["cpu"]
    memory = round(environment["host"]["memory"]["total"] / 2**30)
    try:
        boot = File("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = str(environment["host"]["name"])
    return {"machine": boot, "kind": f"{cpu['model']}, {cpu['cores']} CPUs, {memory} GiB", "build": build()}


def _measure(job: _Job) -> Generator[tuple[str, Any]]:
    """Measures, on a node. Yields the database whenever cases have finished, and at the end a word with the
    reason."""
    if other := difference(job.build, build()):
        yield "other", other
        return
    with tempfile.TemporaryDirectory(prefix="pqlab-fleet-") as folder:
        path = File(folder) / "fleet.db"
        if job.store is not None:
            path.write_bytes(job.store)
        ended: list[tuple[str, str]] = []

        def measure() -> None:
            try:
                ended.append(("done" if _run(job, path).complete else "stopped", ""))
            # Every exception is reported to the caller.
            except BaseException as error:
                word = "changed" if isinstance(error, Error) and "conditions have changed" in error.reason else "failed"
                ended.append((word, str(error) or type(error).__name__))

        thread = threading.Thread(target=measure, name="pqlab-fleet")
        thread.start()
        known = -1
        while thread.is_alive():
            thread.join(LOOK)
            finished = _finished(path)
            if finished > known and finished > 0 and thread.is_alive():
                known = finished
                yield "store", (_snapshot(path), finished)
        if path.exists():
            yield "store", (_snapshot(path), _finished(path))
        yield ended[0]


def _run(job: _Job, path: File) -> Run:
    if job.store is not None:
        return pqlab.resume(database=path, progress=False)
    how = dict(job.how)
    if job.missing is not None:
        how["filters"] = job.missing
    return pqlab.run(*job.what, **how, database=path, progress=False)


def _finished(path: File) -> int:
    """Returns the number of cases in a database, without writing to it or waiting for it."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0)) as store:
            return int(store.execute("SELECT count(*) FROM cases").fetchone()[0])
    except sqlite3.Error:
        return 0


def _snapshot(path: File) -> bytes:
    """Returns a copy of a database at this moment."""
    with closing(sqlite3.connect(path)) as store:
        return store.serialize()


def run(
    *what: str,
    address: str | None = None,
    labels: Mapping[str, str] | None = None,
    database: Path | None = None,
    progress: Watcher | None = None,
    **how: Unpack[Asked],
) -> Fleet:
    """Measures a suite on every node of a Ray cluster.

    Each node has one run, which reserves all of its CPUs. Nodes that share a machine take turns. Finished cases are
    copied to this machine every few seconds.

    If a node dies, its run resumes when the node is back, or on another node of the same machine. On another machine
    of the same kind, a new run measures the missing cases, and its note names the first run.

    :param what: Suites, areas or algorithms (default the suite ``standard``).
    :param address: Address of the cluster, ``auto`` for the one of this machine (default one that is started here).
    :param labels: Labels that nodes must have to be measured (default all nodes).
    :param database: File that keeps the runs (default the one of the command line).
    :param progress: Function that is called with a sentence on each event (default none).
    :param how: Other arguments of :func:`pqlab.run`, except ``libraries`` and ``workers``.
    :return: The nodes and their runs.
    :raises pqlab.InvalidArgument: An argument cannot be used, or no node matches.
    :raises pqlab.UnknownName: A name or a pattern matches nothing.
    :raises pqlab.LibraryError: Ray is not installed or not reachable, or a node has another build of pqlab.
    """
    if how.get("libraries") or how.get("workers"):
        raise InvalidArgument("libraries, workers: the files must be on every node", "measure on each node separately")
    store = pqlab.open(database)
    # Reports an invalid request before anything starts.
    plan = pqlab.plan(*what, database=database, **how)
    if not plan["cases"]:
        raise InvalidArgument("no case is left to measure")
    settled = {name: plain(value) for name, value in how.items()}
    with connected(address) as ray:
        fleet = _Fleet(ray, store, _Job(tuple(what), settled, build()), dict(labels or {}), progress, tuple(plan["cases"]))
        return fleet.measure()


@dataclass
class _Turn:
    """A node's run, in progress or waiting."""

    node: Node
    identity: str
    """Id in Ray of the node that the run is on."""
    snapshot: bytes | None = None
    earlier: tuple[str, ...] = ()
    """Ids of cases in earlier, stored runs of the node."""
    stream: Any = None
    since: float = 0.0
    """Time since which the run has had no node; 0 if it has one."""
    tries: int = 0


class _Fleet:
    """A suite in progress on a cluster."""

    def __init__(
        self, ray: Any, store: pqlab.Database, job: _Job, labels: dict[str, str], tell: Watcher | None, cases: tuple[str, ...]
    ) -> None:
        self.ray, self.store, self.job, self.labels, self.tell, self.cases = ray, store, job, labels, tell, cases
        # Nodes by their id in Ray.
        self.known: dict[str, Node] = {}
        self.looked = -PATIENCE

    def say(self, text: str) -> None:
        if self.tell:
            self.tell(text)

    def on(self, identity: str, function: Any, **options: Any) -> Any:
        """Returns a function that runs on this node only."""
        at = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(identity, soft=False)
        return self.ray.remote(max_retries=0, scheduling_strategy=at, **options)(function)

    def look(self, busy: set[str]) -> list[str]:
        """Returns the ids of the available nodes with the requested labels, and asks new ones for their description.

        Skips new nodes of busy machines.
        """
        self.looked = time.monotonic()
        there: list[str] = []
        # A machine that measures must not be disturbed.
        left = {node.address for node in self.known.values() if node.machine in busy}
        asked: dict[str, Any] = {}
        for node in self.ray.nodes():
            labels, cpus = dict(node.get("Labels") or {}), int(node["Resources"].get("CPU", 0))
            if not node["Alive"] or cpus < 1 or any(labels.get(name) != value for name, value in self.labels.items()):
                continue
            identity = str(node["NodeID"])
            if identity not in self.known and node["NodeManagerAddress"] in left:
                continue
            there.append(identity)
            if identity not in self.known:
                asked[identity] = (self.on(identity, _about, num_cpus=0).remote(), node, labels, cpus)
        for identity, (ref, node, labels, cpus) in asked.items():
            name = f"{node['NodeManagerAddress']}-{identity[:8]}"
            try:
                about = self.ray.get(ref, timeout=120)
            except self.ray.exceptions.RayTaskError as error:
                raise LibraryError(f"node {name} cannot run pqlab: {str(error).strip().splitlines()[-1]}") from None
            except self.ray.exceptions.RayError:
                there.remove(identity)
                continue
            if other := difference(self.job.build, about["build"]):
                raise LibraryError(f"node {name} has another build of pqlab: {other}", "install the same one on every node")
            self.known[identity] = Node(name, str(node["NodeManagerAddress"]), about["machine"], about["kind"], cpus, labels)
        return there

    def measure(self) -> Fleet:
        there = self.look(set())
        if not there:
            asked = ", ".join(f"{name}={value}" for name, value in self.labels.items())
            raise InvalidArgument(f"no node of the cluster has {asked or 'a CPU'}")
        turns = [_Turn(self.known[identity], identity) for identity in sorted(there, key=lambda one: self.known[one].name)]
        every = [turn.node for turn in turns]
        shared = len({node.machine for node in every}) < len(every)
        for node in every:
            self.say(f"{node.name}: {node.kind}")
        if shared:
            self.say("nodes share a machine: they take turns, and their figures cannot be compared")
        while turns:
            self.begin(turns)
            for turn in [turn for turn in turns if turn.stream is not None]:
                if self.follow(turn):
                    turns.remove(turn)
            time.sleep(0.2)
        every.sort(key=lambda node: node.name)
        return Fleet(tuple(every), shared, self.store.path)

    def begin(self, turns: list[_Turn]) -> None:
        """Starts waiting runs on available nodes of idle machines."""
        waiting = [turn for turn in turns if turn.stream is None and not 0 < time.monotonic() - turn.since < PAUSE]
        busy = {self.known[turn.identity].machine for turn in turns if turn.stream is not None}
        # Only idle machines matter, so a new node is described by the time it is needed.
        if not waiting or time.monotonic() - self.looked < 1:
            return
        there = self.look(busy)
        for turn in waiting:
            identity = turn.identity if turn.identity in there else self.instead(turn, there, busy)
            if identity is None:
                turn.since = turn.since or time.monotonic()
                if time.monotonic() - turn.since > PATIENCE and not busy:
                    turn.node.reason = f"no node of its kind was available for {PATIENCE:.0f} s"
                    self.keep(turn)
                    turns.remove(turn)
                continue
            machine = self.known[identity].machine
            if machine in busy:
                continue
            busy.add(machine)
            turn.identity, turn.since, turn.tries = identity, 0.0, turn.tries + 1
            turn.stream = self.task(turn)

    def instead(self, turn: _Turn, there: list[str], busy: set[str]) -> str | None:
        """Returns a replacement for a node that is gone: one of the same machine, else an idle one of the same
        kind."""
        same = [identity for identity in there if self.known[identity].machine == turn.node.machine]
        kind = [
            identity
            for identity in there
            if self.known[identity].kind == turn.node.kind and self.known[identity].machine not in busy
        ]
        return next(iter([*same, *kind]), None)

    def task(self, turn: _Turn) -> Any:
        node = self.known[turn.identity]
        job = self.job
        if turn.snapshot is not None and node.machine != turn.node.machine:
            # On another machine, a new run measures the missing cases.
            self.keep(turn)
        if turn.earlier:
            missing = tuple(case for case in self.cases if case not in turn.earlier)
            job = _Job(job.what, job.how, job.build, missing=missing)
        elif turn.snapshot is not None:
            job = _Job(job.what, job.how, job.build, store=turn.snapshot)
        self.say(f"{turn.node.name}: {'continues' if turn.snapshot or turn.earlier else 'measures'} on {node.name}")
        return self.on(turn.identity, _measure, num_cpus=node.cpus, num_returns="streaming").remote(job)

    def follow(self, turn: _Turn) -> bool:
        """Receives what a node has sent. Returns whether its run has ended."""
        while True:
            ready, _ = self.ray.wait([turn.stream], timeout=0, fetch_local=False)
            if not ready:
                return False
            try:
                word, what = self.ray.get(next(turn.stream))
            except StopIteration:
                # The stream ends with a word. Without one it was cut off.
                return self.again(turn, "its process ended")
            except self.ray.exceptions.TaskUnschedulableError:
                # The node was already gone, so nothing has started.
                turn.tries -= 1
                turn.stream, turn.since = None, time.monotonic()
                self.say(f"{turn.node.name}: its node is gone, and nothing was started there")
                return False
            except self.ray.exceptions.RayTaskError as error:
                return self.again(turn, str(error).strip().splitlines()[-1])
            except self.ray.exceptions.RayError as error:
                return self.again(turn, str(error).strip().splitlines()[0].partition(". ")[0])
            if word == "store":
                turn.snapshot, finished = what
                self.say(f"{turn.node.name}: {finished} cases are finished")
                continue
            if word == "changed" and turn.snapshot is not None:
                self.keep(turn)
                return self.again(turn, what)
            if word != "done":
                turn.node.reason = what or "it was stopped"
                self.say(f"{turn.node.name}: {turn.node.reason}")
            turn.node.complete = word == "done"
            self.keep(turn)
            return True

    def again(self, turn: _Turn, why: str) -> bool:
        """Handles the death of a run. Returns whether it is given up."""
        turn.stream = None
        turn.node.died += 1
        self.say(f"{turn.node.name}: {why}")
        if turn.tries >= TRIES:
            turn.node.reason = f"its run died {turn.tries} times: {why}"
            self.keep(turn)
            return True
        turn.since = time.monotonic()
        return False

    def keep(self, turn: _Turn) -> None:
        """Stores the cases that a node has measured."""
        if turn.snapshot is None:
            return
        with tempfile.TemporaryDirectory(prefix="pqlab-fleet-") as folder:
            path = File(folder) / "fleet.db"
            path.write_bytes(turn.snapshot)
            measured = pqlab.open(path).run()
            self.store.add(measured)
            if turn.node.runs:
                self.store.note(measured.id, f"continues {turn.node.runs[-1]}, started by another machine of its kind")
            turn.node.runs.append(measured.id)
            turn.earlier = (*turn.earlier, *measured.cases)
        turn.snapshot = None
        self.say(f"{turn.node.name}: {len(measured.cases)} cases are stored as run {measured.id}")
