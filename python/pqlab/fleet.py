"""Measures a suite on every node of a Ray cluster, and stores one run per node in one database.

A machine measures only one run at a time, so nodes that share a machine take turns. ``pip install 'pqlab[cluster]'``
installs Ray.
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
"""Maximum number of times to start or resume the run of a node."""
PAUSE = 3.0
"""Seconds to wait before restarting a run that died, because Ray takes a while to notice that a node is gone."""
PATIENCE = 600.0
"""Seconds to wait for a missing node to return, if no other node can replace it."""

Watcher = Callable[[str], object]
"""Callback that receives a sentence about each event."""


@dataclass
class Node:
    """A node of the cluster, and its result."""

    name: str
    """Network address, and the beginning of the Ray node id."""
    address: str
    """Network address."""
    machine: str
    """Boot id of the kernel. Nodes with the same boot id share a machine and take turns."""
    kind: str
    """Processor, number of CPUs, and memory."""
    cpus: int
    """Number of CPUs that Ray assigns to the node. The run reserves all of them."""
    labels: Mapping[str, str]
    """Ray labels of the node."""
    runs: list[str] = field(default_factory=list)
    """Ids of the node's runs. There are several if another machine of the same kind took over."""
    complete: bool = False
    """Whether the node's runs contain every planned case."""
    died: int = 0
    """Number of times that the node's run died."""
    reason: str = ""
    """Reason why the node is not complete. Empty if it is complete."""


@dataclass(frozen=True)
class Fleet:
    """Result of :func:`run`."""

    nodes: tuple[Node, ...]
    """Nodes, sorted by name."""
    shared: bool
    """Whether nodes share a machine. If so, do not compare their figures."""
    database: str
    """Database file with all runs."""

    @property
    def complete(self) -> bool:
        """Whether every node is complete."""
        return all(node.complete for node in self.nodes)

    def runs(self) -> list[Run]:
        """Loads the runs of all nodes, in the order of the nodes."""
        store = pqlab.open(self.database)
        return [store.run(identity) for node in self.nodes for identity in node.runs]

    def page(self, folder: Path, *, prices: Mapping[str, float] | None = None) -> File:
        """Writes the page of :func:`pqlab.fleet.machines`, which compares machines, and returns its path."""
        return machines(self.runs(), folder, prices=prices, shared=self.shared)


@dataclass(frozen=True)
class _Job:
    """Request for one node."""

    what: tuple[str, ...]
    how: dict[str, Any]
    build: dict[str, str]
    store: bytes | None = None
    """Content of the database with the run to resume."""
    missing: tuple[str, ...] | None = None
    """Ids of the cases to measure in a new run, if another machine has already measured the other cases."""


def _about() -> dict[str, Any]:
    """Describes the machine and the build. Runs on a node."""
    environment = pqlab.doctor()["environment"]
    cpu = environment["cpu"]
    memory = round(environment["host"]["memory"]["total"] / 2**30)
    try:
        boot = File("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = str(environment["host"]["name"])
    return {"machine": boot, "kind": f"{cpu['model']}, {cpu['cores']} CPUs, {memory} GiB", "build": build()}


def _measure(job: _Job) -> Generator[tuple[str, Any]]:
    """Measures a job. Runs on a node. Yields a copy of the database whenever cases have finished, and at the end the
    outcome with its reason."""
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
            # Catch every exception, to report it to the caller.
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
    """Returns the number of finished cases in a database. Does not write to the database or wait for locks."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0)) as store:
            return int(store.execute("SELECT count(*) FROM cases").fetchone()[0])
    except sqlite3.Error:
        return 0


def _snapshot(path: File) -> bytes:
    """Returns the current content of a database."""
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

    If a node dies, its run resumes when the node is back, or on another node of the same machine. If only another
    machine of the same kind is available, a new run measures the missing cases there, with a note that names the first
    run.

    :param what: Suites, areas or algorithms (default is the ``standard`` suite).
    :param address: Address of the cluster, or ``auto`` for the cluster of this machine (default a new local cluster).
    :param labels: Measure only nodes with these Ray labels (default all nodes).
    :param database: Database file for the runs (default is the command line's database).
    :param progress: Callback that receives a sentence about each event (default none).
    :param how: Other arguments, as for :func:`pqlab.run`, except ``libraries`` and ``workers``.
    :return: The nodes and their runs.
    :raises pqlab.InvalidArgument: An argument is invalid, or no node matches.
    :raises pqlab.UnknownName: A name or a pattern matches nothing.
    :raises pqlab.LibraryError: Ray is not installed or not reachable, or a node has a different build of pqlab.
    """
    if how.get("libraries") or how.get("workers"):
        raise InvalidArgument("libraries, workers: a fleet run cannot copy these files to its nodes", "run pqlab on each node separately")
    store = pqlab.open(database)
    # Report an invalid request before anything starts.
    plan = pqlab.plan(*what, database=database, **how)
    if not plan["cases"]:
        raise InvalidArgument("no case is selected")
    settled = {name: plain(value) for name, value in how.items()}
    with connected(address) as ray:
        fleet = _Fleet(ray, store, _Job(tuple(what), settled, build()), dict(labels or {}), progress, tuple(plan["cases"]))
        return fleet.measure()


@dataclass
class _Turn:
    """A node's run, in progress or waiting."""

    node: Node
    identity: str
    """Ray id of the node that the run is on."""
    snapshot: bytes | None = None
    earlier: tuple[str, ...] = ()
    """Ids of the cases in the node's earlier runs, which are already stored."""
    stream: Any = None
    since: float = 0.0
    """Monotonic time at which the run lost its node, or 0 if it has a node."""
    tries: int = 0


class _Fleet:
    """Coordinates the runs on the nodes of a cluster."""

    def __init__(
        self, ray: Any, store: pqlab.Database, job: _Job, labels: dict[str, str], tell: Watcher | None, cases: tuple[str, ...]
    ) -> None:
        self.ray, self.store, self.job, self.labels, self.tell, self.cases = ray, store, job, labels, tell, cases
        # Known nodes, by Ray id.
        self.known: dict[str, Node] = {}
        self.looked = -PATIENCE

    def say(self, text: str) -> None:
        if self.tell:
            self.tell(text)

    def on(self, identity: str, function: Any, **options: Any) -> Any:
        """Returns a remote function that runs only on the node ``identity``."""
        at = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(identity, soft=False)
        return self.ray.remote(max_retries=0, scheduling_strategy=at, **options)(function)

    def look(self, busy: set[str]) -> list[str]:
        """Returns the ids of the available nodes with the requested labels, and gets a description from new nodes.

        Skips new nodes on busy machines.
        """
        self.looked = time.monotonic()
        there: list[str] = []
        # Describing a node would disturb measurements on the same machine.
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
                raise LibraryError(
                    f"node {name} has a different build of pqlab: {other}", "install the same build on every node"
                )
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
            self.say("some nodes share a machine and take turns, so do not compare their figures")
        while turns:
            self.begin(turns)
            for turn in [turn for turn in turns if turn.stream is not None]:
                if self.follow(turn):
                    turns.remove(turn)
            time.sleep(0.2)
        every.sort(key=lambda node: node.name)
        return Fleet(tuple(every), shared, self.store.path)

    def begin(self, turns: list[_Turn]) -> None:
        """Starts the runs that are waiting, on available nodes of idle machines."""
        waiting = [turn for turn in turns if turn.stream is None and not 0 < time.monotonic() - turn.since < PAUSE]
        busy = {self.known[turn.identity].machine for turn in turns if turn.stream is not None}
        # Look for nodes only if a run waits for one, and at most once a second.
        if not waiting or time.monotonic() - self.looked < 1:
            return
        there = self.look(busy)
        for turn in waiting:
            identity = turn.identity if turn.identity in there else self.instead(turn, there, busy)
            if identity is None:
                turn.since = turn.since or time.monotonic()
                if time.monotonic() - turn.since > PATIENCE and not busy:
                    turn.node.reason = f"no node of the same kind was available for {PATIENCE:.0f} s"
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
        """Returns a replacement for a missing node: a node on the same machine, else a node on an idle machine of the
        same kind."""
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
            # A run cannot continue on another machine. Store it, and measure the missing cases in a
            # new run.
            self.keep(turn)
        if turn.earlier:
            missing = tuple(case for case in self.cases if case not in turn.earlier)
            job = _Job(job.what, job.how, job.build, missing=missing)
        elif turn.snapshot is not None:
            job = _Job(job.what, job.how, job.build, store=turn.snapshot)
        self.say(f"{turn.node.name}: {'continues' if turn.snapshot or turn.earlier else 'measures'} on {node.name}")
        return self.on(turn.identity, _measure, num_cpus=node.cpus, num_returns="streaming").remote(job)

    def follow(self, turn: _Turn) -> bool:
        """Handles messages from a node. Returns whether the run has ended."""
        while True:
            ready, _ = self.ray.wait([turn.stream], timeout=0, fetch_local=False)
            if not ready:
                return False
            try:
                word, what = self.ray.get(next(turn.stream))
            except StopIteration:
                # The stream ended without an outcome, so it was cut off.
                return self.again(turn, "the run's process ended")
            except self.ray.exceptions.TaskUnschedulableError:
                # The node was already gone, so nothing was started and this attempt is not counted.
                turn.tries -= 1
                turn.stream, turn.since = None, time.monotonic()
                self.say(f"{turn.node.name}: the node disappeared before the run started")
                return False
            except self.ray.exceptions.RayTaskError as error:
                return self.again(turn, str(error).strip().splitlines()[-1])
            except self.ray.exceptions.RayError as error:
                return self.again(turn, str(error).strip().splitlines()[0].partition(". ")[0])
            if word == "store":
                turn.snapshot, finished = what
                self.say(f"{turn.node.name}: finished cases: {finished}")
                continue
            if word == "changed" and turn.snapshot is not None:
                self.keep(turn)
                return self.again(turn, what)
            if word != "done":
                turn.node.reason = what or "the run was stopped"
                self.say(f"{turn.node.name}: {turn.node.reason}")
            turn.node.complete = word == "done"
            self.keep(turn)
            return True

    def again(self, turn: _Turn, why: str) -> bool:
        """Handles the death of a run. Returns true if the run has died too often to be restarted."""
        turn.stream = None
        turn.node.died += 1
        self.say(f"{turn.node.name}: {why}")
        if turn.tries >= TRIES:
            turn.node.reason = f"the run died {turn.tries} times: {why}"
            self.keep(turn)
            return True
        turn.since = time.monotonic()
        return False

    def keep(self, turn: _Turn) -> None:
        """Stores the finished cases of a node as a run."""
        if turn.snapshot is None:
            return
        with tempfile.TemporaryDirectory(prefix="pqlab-fleet-") as folder:
            path = File(folder) / "fleet.db"
            path.write_bytes(turn.snapshot)
            measured = pqlab.open(path).run()
            self.store.add(measured)
            if turn.node.runs:
                first = turn.node.runs[-1]
                self.store.note(measured.id, f"continues {first}, which another machine of the same kind started")
            turn.node.runs.append(measured.id)
            turn.earlier = (*turn.earlier, *measured.cases)
        turn.snapshot = None
        self.say(f"{turn.node.name}: run {measured.id} is stored; finished cases: {len(measured.cases)}")
