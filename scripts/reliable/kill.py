"""Kills runs at random moments: no finished case may be lost or stored twice, and the run must resume."""

import dataclasses
import json
import os
import shutil
import signal
import time

from reliable.common import PATIENCE, Broken, Figure, alive, children, judged, say
from reliable.program import ENDED, Pqlab, Session, integrity

FIGURE = Figure(
    name="kill",
    title="Killed runs: no finished case lost or stored twice",
    how="The test kills `pqlab run` (`kill -9`) at a random moment between its start and its end. It kills the "
    "coordinator alone, the coordinator with all its workers, or one worker, so that its case fails. It then resumes "
    "the run with `--resume`, and kills it again, until the run is complete. Every case that the output reported as finished must be in the "
    "export exactly once. Every run must have the same plan, and `runs` must never count fewer cases than were "
    "reported. No worker may outlive its coordinator, and SQLite's `integrity_check` must report `ok`.",
    limits="Only processes die, not the machine: the effects of a power failure depend on the disk and on `fsync`. The "
    "cases are short hashes from one library, so most kills happen while pqlab starts, stores or ends, when data could "
    "be lost.",
)

# Ten cases in about a second.
RUN = ("hash", "--provider", "rustcrypto", "--filter", "hash/SHA3-2*/digest*", "--processes", "2", "--max-time", "0.02", "--patience", "0s", "--seed", "7")
# Number of kills before switching to a new database. This limits the size of a database, and lets
# some kills hit a run that is creating its database.
A_DATABASE = 50
COORDINATOR, ALL, WORKER = "coordinator", "all", "worker"
# One kill in five hits a worker.
WAYS = (COORDINATOR, COORDINATOR, ALL, ALL, WORKER)


@dataclasses.dataclass
class Whole:
    """An uninterrupted run: seconds until the run begins, seconds until it ends, and its cases."""

    begins: float
    ends: float
    cases: list


@dataclasses.dataclass
class Tally:
    """Results so far."""

    kills: dict = dataclasses.field(default_factory=lambda: dict.fromkeys((COORDINATOR, ALL, WORKER), 0))
    # Sessions that ended before they could be killed.
    missed: int = 0
    runs: int = 0
    cases: int = 0
    lost: int = 0
    duplicated: int = 0
    outlived: int = 0
    # Databases that were killed before their tables existed.
    unborn: int = 0
    faults: list = dataclasses.field(default_factory=list)


class Database:
    """A database, and the cases that runs with this database reported as finished."""

    def __init__(self, task, number, tally):
        self.pqlab = Pqlab(task.program, task.folder / f"database-{number}")
        self.tally = tally
        # Cases that were reported as finished, by run.
        self.said = {}
        # Whether the database was seen before its tables existed.
        self.unborn = False

    def runs(self):
        """Returns the runs, and checks that every run contains at least the cases that it reported."""
        if not self.pqlab.database.exists():
            return []
        ended = self.pqlab.run("runs", "--json")
        if ended.returncode:
            if self.said:
                raise Broken(f"`pqlab runs` exited with code {ended.returncode}: {ended.stderr}")
            self.unborn = True
            return []
        runs = json.loads(ended.stdout)
        counts = {run["id"]: run["finished"] for run in runs}
        for run, cases in self.said.items():
            # The counts leave out the measurement overhead.
            reported = sum(not case.startswith("floor/") for case in cases)
            if counts.get(run, 0) < reported:
                self.tally.faults.append(f"run {run} reported {reported} finished cases but contains {counts.get(run, 0)}")
        return runs

    def take(self, session):
        """Records the cases that a session reported."""
        if session.run is None:
            return
        said = self.said.setdefault(session.run, set())
        for case in session.cases:
            if case in said:
                self.tally.duplicated += 1
                self.tally.faults.append(f"{case} was finished twice in run {session.run}")
            said.add(case)
        if "panicked" in session.said():
            self.tally.faults.append(f"a panic: {session.said()}")

    def kill_once(self, chance, whole):
        """Starts or resumes a run and kills it. Returns whether the kill came before the run ended."""
        stopped = [run for run in self.runs() if not run["complete"]]
        session = Session(self.pqlab, *(["--resume"] if stopped else RUN))
        left = 1 - stopped[0]["finished"] / stopped[0]["planned"] if stopped else 1
        time.sleep(chance.uniform(0, whole.begins + (whole.ends - whole.begins) * left))
        way = chance.choice(WAYS)
        workers = children(session.process.pid)
        if way == WORKER and not workers:
            way = COORDINATOR
        hit = way == WORKER and kill(chance.choice(workers)[0])
        if way != WORKER:
            session.process.kill()
            for worker in workers if way == ALL else ():
                kill(worker[0])
        code = session.end()
        self.take(session)
        # If the session ended first, there was no kill.
        hit = hit or code == -signal.SIGKILL
        if hit:
            self.tally.kills[way] += 1
        elif code not in ENDED:
            raise Broken(f"an uninterrupted run exited with code {code}: {session.said()}")
        self.await_workers(workers)
        return hit

    def await_workers(self, workers):
        """Waits for workers to end. Workers must end with their coordinator, even if a library hangs."""
        until = time.monotonic() + PATIENCE
        while (left := [worker for worker in workers if alive(worker)]) and time.monotonic() < until:
            time.sleep(0.01)
        if left:
            self.tally.outlived += len(left)
            self.tally.faults.append(f"workers that outlived their coordinator by {PATIENCE} s: {len(left)}")

    def finish(self, *arguments):
        """Starts or resumes a run, and waits until it ends."""
        session = Session(self.pqlab, *arguments)
        code = session.end()
        self.take(session)
        if code not in ENDED:
            raise Broken(f"`run {' '.join(arguments)}` exited with code {code}: {session.said()}")

    def conclude(self, whole):
        """Resumes every run until it is complete, and checks the database and all runs."""
        if not self.runs():
            # All kills came before a run was stored.
            self.finish(*RUN)
        while [run for run in self.runs() if not run["complete"]]:
            self.finish("--resume")
        self.tally.unborn += self.unborn
        said = integrity(self.pqlab.database) if self.pqlab.database.exists() else "ok"
        if said != "ok":
            self.tally.faults.append(f"integrity_check: {said}")
        stored = {run["id"]: self.pqlab.results(run["id"]) for run in self.runs()}
        for run, cases in stored.items():
            self.tally.runs += 1
            self.tally.cases += len(cases)
            if len(set(cases)) < len(cases):
                self.tally.duplicated += len(cases) - len(set(cases))
                self.tally.faults.append(f"run {run} has duplicate cases")
            if sorted(set(cases)) != sorted(whole.cases):
                self.tally.faults.append(f"run {run} contains different cases than an uninterrupted run")
        for run, cases in self.said.items():
            if lost := cases - set(stored.get(run, [])):
                self.tally.lost += len(lost)
                self.tally.faults.append(f"lost in run {run}: {', '.join(sorted(lost))}")


def kill(pid):
    """Kills a process, and returns whether it existed."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def uninterrupted(task):
    """Measures how long an uninterrupted run takes on this machine."""
    pqlab = Pqlab(task.program, task.folder / "whole")
    began = time.monotonic()
    session = Session(pqlab, *RUN)
    session.begun.wait(PATIENCE)
    begins = time.monotonic() - began
    if session.end() != 0:
        raise Broken(f"an uninterrupted run exited with code {session.code}: {session.said()}")
    if session.run is None:
        raise Broken("an uninterrupted run does not report its id")
    return Whole(begins, time.monotonic() - began, pqlab.results(session.run))


def measure(task):
    kills, chance, tally = task.count(50, 1000), task.chance("kill"), Tally()
    whole = uninterrupted(task)
    say(f"kill: a run of {len(whole.cases)} cases takes {whole.ends:.1f} s uninterrupted")
    number = 0
    while (done := sum(tally.kills.values())) < kills:
        number += 1
        database = Database(task, number, tally)
        until = min(done + A_DATABASE, kills)
        while sum(tally.kills.values()) < until:
            if not database.kill_once(chance, whole):
                tally.missed += 1
        database.conclude(whole)
        if not tally.faults:
            shutil.rmtree(database.pqlab.folder)
        say(f"kill: {sum(tally.kills.values()):,} of {kills:,} kills, {tally.lost} cases lost, {tally.duplicated} duplicated")
    found = {
        "lost": tally.lost, "duplicated": tally.duplicated, "workers left": tally.outlived, "runs": tally.runs, "cases": tally.cases,
        "coordinator alone": tally.kills[COORDINATOR], "with all workers": tally.kills[ALL], "one worker": tally.kills[WORKER],
        "ended before the kill": tally.missed, "killed before tables existed": tally.unborn,
    }
    return [judged("", sum(tally.kills.values()), "kills", found, tally.faults)]
