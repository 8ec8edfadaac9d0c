"""Shared code of all figures: tasks, rows, folders, and processes."""

import dataclasses
import os
import pathlib
import random
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PASSED, FAILED, UNFINISHED, NOT_RUN = "passed", "failed", "unfinished", "not run"
# Maximum number of faults per row in the record, and maximum length of a fault in characters.
FAULTS, LONGEST = 3, 300
# Seconds that a process may take to end when asked to, and seconds that a short command may take.
PATIENCE, MOMENT = 10, 300


class Unfit(Exception):
    """Raised if a figure or a part of it cannot be measured here. The message names what is missing."""


class Broken(Exception):
    """Raised if a step fails that must succeed. The message is the fault."""


@dataclasses.dataclass(frozen=True)
class Figure:
    """Description of a figure on the page, independent of its results."""

    name: str
    # What the figure shows, in a few words.
    title: str
    # How the figure is measured, and what it does not cover: a few sentences each.
    how: str
    limits: str
    forms: tuple = ("short", "long")


@dataclasses.dataclass
class Row:
    """Result of a figure, or of a part of it."""

    part: str
    count: int
    # Unit of the count, such as `kills`.
    unit: str
    # Further results by name: numbers or strings.
    found: dict
    outcome: str
    # The first faults, or the reason why the figure was not measured.
    why: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Task:
    """Request to measure a figure."""

    program: pathlib.Path
    long: bool
    seed: int
    # Folder for the figure's files. Empty at first, and removed at the end if the figure passed.
    folder: pathlib.Path
    # Count that replaces the default, for trying out the script.
    given: int | None = None
    # For `fuzz`: time limit in minutes, and the only targets to run.
    minutes: float | None = None
    targets: tuple = ()

    def count(self, short, long):
        """Returns the count for the requested form."""
        return self.given or (long if self.long else short)

    def chance(self, *words):
        """Returns a random generator seeded with these words, so that results do not depend on the order of threads."""
        return random.Random("/".join(map(str, (self.seed, *words))))


def judged(part, count, unit, found, faults):
    """Returns a row, which passes if there are no faults."""
    why = [fault[:LONGEST] for fault in faults[:FAULTS]]
    return Row(part, count, unit, found, FAILED if faults else PASSED, why)


def not_run(part, reason):
    return Row(part, 0, "", {}, NOT_RUN, [str(reason)[:LONGEST]])


def say(text):
    print(f"reliability: {text}", file=sys.stderr, flush=True)


def cache():
    return pathlib.Path(os.environ.get("PQLAB_CACHE") or pathlib.Path.home() / ".cache" / "pqlab").absolute()


def target_folder():
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or cache() / "target").absolute()


def output_of(*words):
    """Returns a command's output without the final newline. Empty if the command fails or does not exist."""
    try:
        ended = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    except OSError:
        return ""
    return "" if ended.returncode else ended.stdout.strip()


def last_line(text):
    """Returns the last line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "(no output)"


# Started processes, some of which may still be running.
STARTED = []
STOPPED = threading.Event()


def start(words, **options):
    """Starts a process that is killed when this script ends."""
    if STOPPED.is_set():
        raise Broken("stopped")
    process = subprocess.Popen(words, **options)
    STARTED[:] = [other for other in STARTED if other.poll() is None]
    STARTED.append(process)
    return process


def end_all():
    """Kills all started processes."""
    for process in list(STARTED):
        if process.poll() is None:
            process.kill()
            process.wait()
    STARTED.clear()


def stop(*_signal):
    """Kills all started processes and prevents new ones. Threads that wait for a process then return."""
    STOPPED.set()
    end_all()
    raise KeyboardInterrupt


def _stat(pid):
    """Returns the state, parent and start time of a process, or `None` if the process does not exist."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return fields[0], int(fields[1]), fields[19]


def children(pid):
    """Returns the id and start time of each child process."""
    found = []
    for name in os.listdir("/proc"):
        stat = _stat(name) if name.isdigit() else None
        if stat and stat[1] == pid:
            found.append((int(name), stat[2]))
    return found


def alive(process):
    """Whether a process from `children` is still running. Compares start times, because ids are reused."""
    pid, began = process
    stat = _stat(pid)
    return stat is not None and stat[2] == began and stat[0] not in "ZX"


@dataclasses.dataclass(frozen=True)
class Size:
    """Size of a process: resident MiB, threads, open files."""

    resident: float
    threads: int
    files: int


def size(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    fields = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    return Size(int(fields["VmRSS"][0]) / 1024, int(fields["Threads"][0]), len(os.listdir(f"/proc/{pid}/fd")))
