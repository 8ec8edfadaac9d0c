"""Stops runs with signals: no case may fail because of a pause."""

import contextlib
import json
import os
import signal
import threading
import time

from reliable.common import PATIENCE, Figure, children, judged, say
from reliable.kill import RUN
from reliable.program import Pqlab, Session

FIGURE = Figure(
    name="stop",
    title="Stopped runs: no case fails because of a pause",
    how="SIGSTOP stops `pqlab run` and all its workers at a random moment, and SIGCONT continues them after 1 to 200 s "
    "(1 to 10 s in the short form). The time limit for a request to a worker is 120 s. The run must exit with code 0 "
    "and measure every case in its plan.",
    limits="Signals stop processes, not machines: paused virtual machines and containers are not tested. Up to twenty "
    "runs are stopped at the same time.",
)

AT_A_TIME = 20


def stopped_once(task, number, ends, longest):
    """Stops a run once. Returns the length of the pause in seconds (0 if the run had already ended), and the faults."""
    chance = task.chance("stop", str(number))
    pqlab = Pqlab(task.program, task.folder / f"run-{number}")
    session = Session(pqlab, *RUN)
    session.begun.wait(PATIENCE)
    time.sleep(chance.uniform(0, ends))
    seconds = chance.uniform(1, longest)
    processes = [session.process.pid, *(worker[0] for worker in children(session.process.pid))]
    hit = session.process.poll() is None
    for process in processes:
        sent(process, signal.SIGSTOP)
    time.sleep(seconds)
    for process in processes:
        sent(process, signal.SIGCONT)
    code = session.end()
    failed = [result for result in results(pqlab) if result["status"] != "ok"]
    faults = [f"stopped for {seconds:.0f} s: {result['id']}: {result['error']}" for result in failed]
    if code != 0 and not faults:
        faults = [f"stopped for {seconds:.0f} s: the run exited with code {code}: {session.said()}"]
    return seconds if hit else 0.0, faults


def results(pqlab):
    areas = json.loads(pqlab.read("export", "last", "--format", "json"))["results"].values()
    return [result for area in areas for result in area]


def sent(process, number):
    """Sends a signal to a process, if the process still exists."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


def measure(task):
    stops, longest = task.count(20, 200), 200 if task.long else 10
    began = time.monotonic()
    session = Session(Pqlab(task.program, task.folder / "whole"), *RUN)
    session.begun.wait(PATIENCE)
    begins = time.monotonic() - began
    session.end()
    ends = time.monotonic() - began - begins
    seconds, faults, numbers, lock = [], [], iter(range(10 * stops)), threading.Lock()

    def go_on():
        while True:
            with lock:
                number = next(numbers, None)
                if number is None or len(seconds) >= stops:
                    return
            one, wrong = stopped_once(task, number, ends, longest)
            with lock:
                seconds.extend([one] if one else [])
                faults.extend(wrong)
                if one and len(seconds) % AT_A_TIME == 0:
                    say(f"stop: {len(seconds)} of {stops} stops, {len(faults)} false failures")

    threads = [threading.Thread(target=go_on, daemon=True) for _ in range(min(AT_A_TIME, stops))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    long_ones = sum(one > 120 for one in seconds)
    found = {"false failures": len(faults), "longest in s": round(max(seconds, default=0)), "longer than the limit of 120 s": long_ones}
    return [judged("", len(seconds), "stops", found, faults)]
