"""Test program: measures a suite on a cluster of several nodes on this machine, and prints the result as JSON.

Usage: ``python fleet_under_fire.py FOLDER NODES KILL``. If KILL is ``kill``, one node is killed in the middle of its
run, and replaced.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any


def main(folder: Path, nodes: int, kill: bool) -> None:
    """Measures the suite, kills a node if ``kill`` is set, and prints the result."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    import pqlab
    from pqlab import fleet

    fleet.LOOK = 0.2
    settings: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
    machines = Cluster(initialize_head=True, head_node_args=settings)
    others = [machines.add_node(**settings) for _ in range(nodes - 1)]
    machines.wait_for_nodes()
    said: list[str] = []
    victims = {other.node_id[:8]: other for other in others}
    killed: list[str] = []

    def fire(victim: str) -> None:
        machines.remove_node(victims[victim], allow_graceful=False)
        machines.add_node(**settings)

    def heard(text: str) -> None:
        said.append(text)
        name = text.partition(":")[0][-8:]
        # At this point some cases are finished and copied, and others are not.
        if kill and ": finished cases: " in text and name in victims and not killed:
            killed.append(name)
            threading.Thread(target=fire, args=(name,), daemon=True).start()

    found = fleet.run(
        "kem",
        algorithms=["ML-KEM-768"],
        providers=["aws-lc", "liboqs"],
        quick=True,
        patience=0,
        address=machines.address,
        database=folder / "fleet.db",
        progress=heard,
    )
    page = found.page(folder / "page")
    answer = {
        "nodes": [
            {"name": node.name, "runs": node.runs, "complete": node.complete, "died": node.died, "reason": node.reason}
            for node in found.nodes
        ],
        "shared": found.shared,
        "stored": [run["id"] for run in pqlab.open(folder / "fleet.db").runs()],
        "cases": [sorted(run.cases) for run in found.runs()],
        "page": page.read_text(encoding="utf-8"),
        "said": said,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "kill")
