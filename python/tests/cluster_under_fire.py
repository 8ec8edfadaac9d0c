"""A program of the tests: verifies a block by a cluster of several nodes on this machine while its processes, and one of its nodes, are
killed, and prints what came of it as JSON. ``python cluster_under_fire.py FILE NODES KILLS``."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path


def workers() -> list[int]:
    """Processes of Ray that are at work on a part, of this user."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            title = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            # Its agents are not workers: without them a node is dead.
            if title.startswith(b"ray::") and b"Agent" not in title and entry.stat().st_uid == os.getuid():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def main(path: str, nodes: int, kills: int) -> None:
    """Verifies, kills, and prints."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    from pqlab import cluster

    machines = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 80 * 2**20})
    others = [machines.add_node(num_cpus=1, object_store_memory=80 * 2**20) for _ in range(nodes - 1)]
    machines.wait_for_nodes()
    killed = 0
    stop = threading.Event()
    begun = threading.Event()

    def fire() -> None:
        nonlocal killed
        draw = random.Random(1)
        begun.wait()
        while killed < kills and not stop.is_set():
            there = workers()
            if there:
                try:
                    os.kill(draw.choice(there), signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
            if killed == max(1, kills // 2) and others:
                machines.remove_node(others.pop(), allow_graceful=False)
            time.sleep(0.3)

    thread = threading.Thread(target=fire, daemon=True)
    thread.start()
    cluster.PART = 4096
    report = cluster.verify_block(path, address=machines.address, progress=lambda *_: begun.set())
    stop.set()
    thread.join()
    answer = {
        "transactions": report.transactions,
        "kinds": report.kinds,
        "rejections": [[one.index, one.kind, one.reason] for one in report.rejections],
        "killed": killed,
        "begun_again": report.begun_again,
        "parts": report.parts,
        "nodes": report.nodes,
        "unshared_memory": report.unshared_memory,
        "seconds": report.elapsed_ns / 1e9,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
