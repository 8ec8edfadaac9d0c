"""Test program: kills processes of a cluster on this machine while the cluster generates or verifies a block.

Usage: ``python cluster_under_fire.py WHAT FILE NODES KILLS``. Prints the result as JSON. WHAT is one of:

- ``make``: generates the block, and kills worker processes
- ``verify``: verifies the block, and kills worker processes and one node
- ``everything``: verifies the block with a journal, and kills and restarts worker processes, nodes, the head node and
  the process that hands out the parts
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

PAUSE = 0.3
"""Seconds between two kills."""
PATIENCE = 120
"""Seconds to wait for an answer without kills. Ray can hang while it connects to a node that has just died."""
SMALL = 4096
"""Number of transactions per part, small so that there are many parts."""


def workers() -> list[int]:
    """Returns the ids of this program's Ray processes that work on a part. Other tests may have clusters too."""
    parents: dict[int, int] = {}
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # The name of the program, in brackets, may contain spaces.
            parents[int(entry.name)] = int((entry / "stat").read_bytes().rpartition(b")")[2].split()[1])
            title = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        # Skip Ray's agents, which are not workers. Killing an agent would kill its node.
        if title.startswith(b"ray::") and b"Agent" not in title:
            found.append(int(entry.name))

    def descends(process: int) -> bool:
        while process in parents and process != os.getpid():
            process = parents[process]
        return process == os.getpid()

    return [process for process in found if descends(process)]


def kill_one(draw: random.Random) -> bool:
    """Kills a random worker process, and returns whether there was one."""
    there = workers()
    try:
        if there:
            os.kill(draw.choice(there), signal.SIGKILL)
        return bool(there)
    except ProcessLookupError:
        return False


class Nodes:
    """A cluster of several nodes on this machine."""

    def __init__(self, nodes: int) -> None:
        from ray.cluster_utils import Cluster

        self.one: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 160 * 2**20}
        self.cluster: Any = Cluster(initialize_head=True, head_node_args=self.one)
        self.others = [self.cluster.add_node(**self.one) for _ in range(nodes - 1)]
        self.cluster.wait_for_nodes()
        self.address = str(self.cluster.address)

    def lose(self, again: bool) -> None:
        """Removes a node other than the head. If ``again`` is set, adds a new node."""
        if self.others:
            self.cluster.remove_node(self.others.pop(0), allow_graceful=False)
            if again:
                self.others.append(self.cluster.add_node(**self.one))


def beside(what: str, path: str, nodes: int, kills: int) -> dict[str, Any]:
    """Generates or verifies a block, while another thread kills processes."""
    from pqlab import _making, _verifying, cluster

    machines, draw = Nodes(nodes), random.Random(1)
    killed = 0
    stop, begun = threading.Event(), threading.Event()

    def fire() -> None:
        nonlocal killed
        begun.wait()
        while killed < kills and not stop.is_set():
            killed += kill_one(draw)
            if what == "verify" and killed == max(1, kills // 2):
                machines.lose(again=False)
            time.sleep(PAUSE)

    thread = threading.Thread(target=fire, daemon=True)
    thread.start()
    _verifying.PART = SMALL
    _making.PART = 2**20
    answer: dict[str, Any]
    if what == "make":
        made = cluster.generate_block(
            path, 30_000, "Ed25519", senders=20, invalid=300, address=machines.address, progress=lambda *_: begun.set()
        )
        answer = {"begun_again": made.begun_again, "parts": made.parts}
    else:
        report = cluster.verify_block(path, address=machines.address, progress=lambda *_: begun.set())
        answer = {
            "transactions": report.transactions,
            "kinds": report.kinds,
            "rejections": [[one.index, one.kind, one.reason] for one in report.rejections],
            "begun_again": report.begun_again,
            "parts": report.parts,
            "nodes": report.nodes,
            "unshared_memory": report.unshared_memory,
            "seconds": report.elapsed_ns / 1e9,
        }
    stop.set()
    thread.join()
    return {**answer, "killed": killed}


DRIVER = "import sys; from pqlab import _verifying; from pqlab._command import main; _verifying.PART = {}; sys.exit(main(*sys.argv[1:]))"

ASKED: dict[str, Any] = {
    "chain_id": 1,
    "form": "txv2",
    "threads": 1,
    "provider": None,
    "batch": None,
    "keep_keys": False,
    "json": True,
    "progress": False,
}
"""Request that the program sends by default, with ``--json``."""


def everything(path: str, nodes: int, kills: int) -> dict[str, Any]:
    """Kills and restarts all kinds of processes until the block is verified."""
    draw = random.Random(1)
    killed: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        journal = str(Path(folder) / "journal")
        machines: Nodes | None = None
        driver: subprocess.Popen[str] | None = None
        last_kill = time.monotonic()
        while True:
            machines = machines or Nodes(nodes)
            if driver is None:
                asked = {**ASKED, "file": path, "cluster": machines.address, "journal": journal}
                words = [sys.executable, "-c", DRIVER.format(SMALL), "verify", json.dumps(asked)]
                driver = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                out, err = driver.communicate(timeout=PAUSE)
            except subprocess.TimeoutExpired:
                if time.monotonic() - last_kill > PATIENCE:
                    driver.kill()
                    killed["driver that waited for a node"] += 1
                    last_kill = time.monotonic()
                elif killed.total() < kills:
                    before = killed.total()
                    target = draw.choices(["worker", "node", "driver", "head"], [88, 6, 4, 2])[0]
                    if target == "worker" and kill_one(draw):
                        killed["worker"] += 1
                    elif target == "node":
                        machines.lose(again=True)
                        killed["node"] += 1
                    # Do not kill a driver without workers, because it has only just started.
                    elif target == "driver" and workers():
                        driver.kill()
                        killed["driver"] += 1
                    elif target == "head" and workers():
                        machines.cluster.remove_node(machines.cluster.head_node, allow_graceful=False)
                        killed["head"] += 1
                        try:
                            driver.communicate(timeout=PATIENCE)
                        except subprocess.TimeoutExpired:
                            driver.kill()
                            killed["driver that waited for the head"] += 1
                        machines.cluster.shutdown()
                        machines, driver = None, None
                    if killed.total() > before:
                        last_kill = time.monotonic()
                continue
            driver = None
            # No output means that the driver was killed or lost its cluster. The next iteration
            # starts a new driver.
            if out:
                found: dict[str, Any] = json.loads(out)
                break
            print(err.strip(), file=sys.stderr)
        return {
            "transactions": found["transactions"],
            "kinds": found["rejected_by_kind"],
            "rejections": [[one["index"], one["kind"], one["reason"]] for one in found["rejections"]],
            "cluster": found["cluster"],
            "killed": dict(killed),
        }


def main(what: str, path: str, nodes: int, kills: int) -> None:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    print(json.dumps(everything(path, nodes, kills) if what == "everything" else beside(what, path, nodes, kills)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
