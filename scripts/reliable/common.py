"""What a figure is asked for and hands back, where things are, and the processes that it starts."""

import dataclasses
import os
import pathlib
import random
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PASSED, FAILED, UNFINISHED, NOT_RUN = "passed", "failed", "unfinished", "not run"
# So many of the faults of a row are kept in the record; each is cut after so many characters.
FAULTS, LONGEST = 3, 300
# Seconds that a process has to end when it is told to, and that the program has for what takes a moment.
PATIENCE, MOMENT = 10, 300


class Unfit(Exception):
    """A figure, or a part of it, cannot be taken here; the text says for want of what."""


class Broken(Exception):
    """Something went wrong that must not; the text is the fault."""


@dataclasses.dataclass(frozen=True)
class Figure:
    """What the page says of a figure whatever it shows."""

    name: str
    # What is counted, in a few words.
    title: str
    # How it is taken, and what it does not say: a sentence or two each.
    how: str
    limits: str
    forms: tuple = ("short", "long")


@dataclasses.dataclass
class Row:
    """What was found of a figure, or of a part of it."""

    part: str
    count: int
    # Of what: `kills`.
    unit: str
    # By name numbers, or words.
    found: dict
    outcome: str
    # The first faults, or why it was not run.
    why: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Task:
    """A figure as it is asked for."""

    program: pathlib.Path
    long: bool
    seed: int
    # The figure's own, empty at first, and gone afterwards unless it failed.
    folder: pathlib.Path
    # In place of the usual count, to try the script.
    given: int | None = None
    # With `fuzz`: most minutes, and these targets alone.
    minutes: float | None = None
    targets: tuple = ()

    def count(self, short, long):
        """How many, in this form."""
        return self.given or (long if self.long else short)

    def chance(self, *words):
        """A generator of its own for whatever the words name, so that threads do not change what is drawn."""
        return random.Random("/".join(map(str, (self.seed, *words))))


def judged(part, count, unit, found, faults):
    """A row that passes where nothing is wrong."""
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
    """What a command prints, without its end of line; nothing where it fails or is not there."""
    try:
        ended = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    except OSError:
        return ""
    return "" if ended.returncode else ended.stdout.strip()


def last_line(text):
    """The last line that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "(it said nothing)"


# Those that were started and may be there yet.
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
    """Ends what was started and is there yet."""
    for process in list(STARTED):
        if process.poll() is None:
            process.kill()
            process.wait()
    STARTED.clear()


def stop(*_signal):
    """Ends what was started and starts nothing more: threads that wait for it come to their ends."""
    STOPPED.set()
    end_all()
    raise KeyboardInterrupt


def _stat(pid):
    """State, parent and moment of the start of a process; `None` where it is not there."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return fields[0], int(fields[1]), fields[19]


def children(pid):
    """The processes that this one has started, each as its id and the moment of its start."""
    found = []
    for name in os.listdir("/proc"):
        stat = _stat(name) if name.isdigit() else None
        if stat and stat[1] == pid:
            found.append((int(name), stat[2]))
    return found


def alive(process):
    """Whether a process of `children` is there yet: another one may have its id by now."""
    pid, began = process
    stat = _stat(pid)
    return stat is not None and stat[2] == began and stat[0] not in "ZX"


@dataclasses.dataclass(frozen=True)
class Size:
    """How large a process is: MiB that are resident, threads, open files."""

    resident: float
    threads: int
    files: int


def size(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    fields = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    return Size(int(fields["VmRSS"][0]) / 1024, int(fields["Threads"][0]), len(os.listdir(f"/proc/{pid}/fd")))
