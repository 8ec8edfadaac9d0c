"""The same suite on every node of a Ray cluster: the plain runner, one run a node, nothing beside it there, all runs in one store.
``pip install 'pqlab[cluster]'`` brings Ray."""

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
"""Seconds between two looks at what a run has finished."""
TRIES = 5
"""How often a node's run is begun, or gone on with, before it is given up."""
PAUSE = 3.0
"""Seconds after a death before its run is begun again: Ray does not know at once that a node is gone."""
PATIENCE = 600.0
"""Seconds for which a node that is gone is waited for, where no other can take its place."""

Watcher = Callable[[str], object]
"""Is told in a sentence what happens."""


@dataclass
class Node:
    """A node of the cluster, and what came of it."""

    name: str
    """What Ray calls it: address, and the first letters of its id."""
    address: str
    """Its address in the network."""
    machine: str
    """The boot of the kernel that it runs on: nodes with the same share a machine, and take turns."""
    kind: str
    """Processor, number of CPUs, and memory."""
    cpus: int
    """As Ray counts them; the run takes all."""
    labels: Mapping[str, str]
    """Its labels in Ray."""
    runs: list[str] = field(default_factory=list)
    """Ids of its runs: one, and a further one for each that another machine of its kind had to go on with."""
    complete: bool = False
    """Whether every case of the plan has its record in one of them."""
    died: int = 0
    """How often its run ended without its doing."""
    reason: str = ""
    """Why it is not complete."""


@dataclass(frozen=True)
class Fleet:
    """What came of a suite on a cluster."""

    nodes: tuple[Node, ...]
    """Its nodes, in the order of their names."""
    shared: bool
    """Whether nodes share a machine: their figures say nothing of each other."""
    database: str
    """The file in which all runs are kept."""

    @property
    def complete(self) -> bool:
        """Whether every node is."""
        return all(node.complete for node in self.nodes)

    def runs(self) -> list[Run]:
        """The runs, node by node."""
        store = pqlab.open(self.database)
        return [store.run(identity) for node in self.nodes for identity in node.runs]

    def page(self, folder: Path, *, prices: Mapping[str, float] | None = None) -> File:
        """The page by machine: :func:`pqlab.fleet.machines`."""
        return machines(self.runs(), folder, prices=prices, shared=self.shared)


@dataclass(frozen=True)
class _Job:
    """What a node is told."""

    what: tuple[str, ...]
    how: dict[str, Any]
    build: dict[str, str]
    store: bytes | None = None
    """A database with the run that is to be gone on with."""
    missing: tuple[str, ...] | None = None
    """Ids of the cases that are to be measured in a run of their own, where another machine began."""


def _about() -> dict[str, Any]:
    """On a node: what it is, and which build it has."""
    environment = pqlab.doctor()["environment"]
    cpu = environment["cpu"]
    memory = round(environment["host"]["memory"]["total"] / 2**30)
    try:
        boot = File("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = str(environment["host"]["name"])
    return {"machine": boot, "kind": f"{cpu['model']}, {cpu['cores']} CPUs, {memory} GiB", "build": build()}


def _measure(job: _Job) -> Generator[tuple[str, Any]]:
    """On a node: measures, and gives the database whenever a case was finished; in the end a word, and the reason."""
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
            # Whatever it is, the node that asked is told.
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
    """Cases that a database has; it is not written to, and not waited for."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0)) as store:
            return int(store.execute("SELECT count(*) FROM cases").fetchone()[0])
    except sqlite3.Error:
        return 0


def _snapshot(path: File) -> bytes:
    """A database as it is at this moment."""
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
    """Measures a suite, areas or algorithms on every node of the Ray cluster at ``address`` (``auto``: the one that this machine belongs
    to), or on a Ray that is started here; with ``labels`` only on nodes whose labels these are. ``how`` is what :func:`pqlab.run` takes.

    Each node has one run, for which all of its CPUs are taken. Nodes that share a machine take turns. What a run has finished comes over
    every few seconds. Where its node dies it goes on on that node when it is back, or on another of the same machine; on another machine
    of its kind what is missing is measured by a run of its own, whose note names the first. Runs are stored in ``database`` as they end.
    """
    if how.get("libraries") or how.get("workers"):
        raise InvalidArgument("libraries, workers: the files must be on every node", "measure on each node separately")
    store = pqlab.open(database)
    # What is wrong with the request is said before anything is started.
    plan = pqlab.plan(*what, database=database, **how)
    if not plan["cases"]:
        raise InvalidArgument("no case is left to measure")
    settled = {name: plain(value) for name, value in how.items()}
    with connected(address) as ray:
        fleet = _Fleet(ray, store, _Job(tuple(what), settled, build()), dict(labels or {}), progress, tuple(plan["cases"]))
        return fleet.measure()


@dataclass
class _Turn:
    """A node's run, under way or to come."""

    node: Node
    identity: str
    """The node's id in Ray on which it is."""
    snapshot: bytes | None = None
    earlier: tuple[str, ...] = ()
    """Ids of cases that an earlier run has, which is stored."""
    stream: Any = None
    since: float = 0.0
    """Since when there is no node for it."""
    tries: int = 0


class _Fleet:
    """A suite under way on a cluster."""

    def __init__(
        self, ray: Any, store: pqlab.Database, job: _Job, labels: dict[str, str], tell: Watcher | None, cases: tuple[str, ...]
    ) -> None:
        self.ray, self.store, self.job, self.labels, self.tell, self.cases = ray, store, job, labels, tell, cases
        # What is known of nodes by their id in Ray.
        self.known: dict[str, Node] = {}
        self.looked = -PATIENCE

    def say(self, text: str) -> None:
        if self.tell:
            self.tell(text)

    def on(self, identity: str, function: Any, **options: Any) -> Any:
        """A function on a node and on no other."""
        at = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(identity, soft=False)
        return self.ray.remote(max_retries=0, scheduling_strategy=at, **options)(function)

    def look(self, busy: set[str]) -> list[str]:
        """The ids of the nodes that are there and wanted, each of which is known afterwards; but for new ones of busy machines."""
        self.looked = time.monotonic()
        there: list[str] = []
        # Nothing is asked of a machine that measures.
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
        """Begins what can begin: on machines that measure nothing, on nodes that are there."""
        waiting = [turn for turn in turns if turn.stream is None and not 0 < time.monotonic() - turn.since < PAUSE]
        busy = {self.known[turn.identity].machine for turn in turns if turn.stream is not None}
        # Only machines that are idle are of interest, so that a new node is known by the time that it is wanted.
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
        """A node in place of one that is gone: of the same machine, else of the same kind and idle."""
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
            # Another machine: a run of its own for what is missing.
            self.keep(turn)
        if turn.earlier:
            missing = tuple(case for case in self.cases if case not in turn.earlier)
            job = _Job(job.what, job.how, job.build, missing=missing)
        elif turn.snapshot is not None:
            job = _Job(job.what, job.how, job.build, store=turn.snapshot)
        self.say(f"{turn.node.name}: {'continues' if turn.snapshot or turn.earlier else 'measures'} on {node.name}")
        return self.on(turn.identity, _measure, num_cpus=node.cpus, num_returns="streaming").remote(job)

    def follow(self, turn: _Turn) -> bool:
        """Takes what a node has sent; whether it is through with it."""
        while True:
            ready, _ = self.ray.wait([turn.stream], timeout=0, fetch_local=False)
            if not ready:
                return False
            try:
                word, what = self.ray.get(next(turn.stream))
            except StopIteration:
                # It ends with a word; without one it was cut off.
                return self.again(turn, "its process ended")
            except self.ray.exceptions.TaskUnschedulableError:
                # Its node was gone already: nothing began.
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
        """After a death: whether it is given up."""
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
        """Stores what a node has measured."""
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
