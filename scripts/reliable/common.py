"""Tasks and rows of figures, folders, and the processes that figures start."""

import dataclasses
import os
import pathlib
import random
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PASSED, FAILED, UNFINISHED, NOT_RUN = "passed", "failed", "unfinished", "not run"
# Faults per row that the record keeps, and the greatest length of each in characters.
FAULTS, LONGEST = 3, 300
# Seconds for a process to end when told to, and for the program to do something short.
PATIENCE, MOMENT = 10, 300


class Unfit(Exception):
    """A figure, or a part of it, cannot be measured here; the text names what is missing."""


class Broken(Exception):
    """Something failed that must not; the text is the fault."""


@dataclasses.dataclass(frozen=True)
class Figure:
    """Description of a figure on the page, independent of its results."""

    name: str
    # What is counted, in a few words.
    title: str
    # How it is measured, and its limits: a sentence or two each.
    how: str
    limits: str
    forms: tuple = ("short", "long")


@dataclasses.dataclass
class Row:
    """Result of a figure, or of a part of it."""

    part: str
    count: int
    # Unit of the count: `kills`.
    unit: str
    # Further results by name: numbers or words.
    found: dict
    outcome: str
    # The first faults, or why it was not run.
    why: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Task:
    """Request for a figure."""

    program: pathlib.Path
    long: bool
    seed: int
    # Folder of the figure, empty at first, and removed afterwards unless it failed.
    folder: pathlib.Path
    # Replaces the default count, for trying the script.
    given: int | None = None
    # For `fuzz`: time limit in minutes, and the only targets to run.
    minutes: float | None = None
    targets: tuple = ()

    def count(self, short, long):
        """Returns the count in this form."""
        return self.given or (long if self.long else short)

    def chance(self, *words):
        """Returns a random generator for these words, so that threads do not change what is drawn."""
        return random.Random("/".join(map(str, (self.seed, *words))))


def judged(part, count, unit, found, faults):
    """Returns a row that passes if there are no faults."""
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
    """Returns a command's output without its end of line; empty if it fails or does not exist."""
    try:
        ended = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    except OSError:
        return ""
    return "" if ended.returncode else ended.stdout.strip()


def last_line(text):
    """Returns the last line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "(no output)"


# Processes that were started and may still run.
STARTED = []
STOPPED = threading.Event()


def start(words, **options):
    """Starts a process that ends with this script."""
    if STOPPED.is_set():
        raise Broken("stopped")
    process = subprocess.Popen(words, **options)
    STARTED[:] = [other for other in STARTED if other.poll() is None]
    STARTED.append(process)
    return process


def end_all():
    """Kills every started process that is still running."""
    for process in list(STARTED):
        if process.poll() is None:
            process.kill()
            process.wait()
    STARTED.clear()


def stop(*_signal):
    """Kills every started process and starts no more, so that threads waiting for one end."""
    STOPPED.set()
    end_all()
    raise KeyboardInterrupt


def _stat(pid):
    """Returns state, parent and start time of a process; `None` if it does not exist."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return fields[0], int(fields[1]), fields[19]


def children(pid):
    """Returns the child processes, each as its id and start time."""
    found = []
    for name in os.listdir("/proc"):
        stat = _stat(name) if name.isdigit() else None
        if stat and stat[1] == pid:
            found.append((int(name), stat[2]))
    return found


def alive(process):
    """Whether a process from `children` still runs. Its id may belong to another process by now."""
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
