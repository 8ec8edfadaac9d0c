"""Clusters of several sizes are measured, and larger ones extrapolated."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pqlab
from pqlab import cluster


def test_scaling_is_measured() -> None:
    pytest.importorskip("ray")
    program = str(Path(sys.executable).with_name("pqlab"))
    options = ["--scheme", "Ed25519", "--count", "2048", "--repetitions", "1", "--machines", "1,12", "--json"]
    environment = {**os.environ, "PQLAB_PYTHON": sys.executable}
    words = [program, "ledger", "scaling", *options]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert [(row["how"], row["nodes"], row["transactions"]) for row in found["measured"]] == [
        ("plain", 1, 2048),
        ("strong", 1, 2048),
        ("strong", 2, 2048),
        ("weak", 2, 4096),
    ]
    assert found["core_us"] > 0 and found["part_us"] > 0 and found["handing_us"] > 0 and 100 < found["bytes"] < 300
    assert [row["nodes"] for row in found["estimated"]["rows"]] == [1, 12]
    assert len(done.stderr.splitlines()) >= 6


def test_scaling_is_extrapolated() -> None:
    scaling = cluster.Scaling("X", (), 5512.0, 50.0, 0.0, 1000.0)
    one, many, every = scaling.estimates(100_000_000, [1, 100, 100_000], 16, 1.25e9)
    assert one.verifying == pytest.approx(312.5) and one.reading == pytest.approx(440.96) and one.limit == "reading"
    assert many.verifying == pytest.approx(3.125) and many.seconds == many.reading == pytest.approx(4.4096)
    # Here, the fixed cost of a part equals the cost of 10,000 transactions, and a part contains about 60,000
    # transactions.
    costly = cluster.Scaling("X", (), 5512.0, 50.0, 500_000.0, 1000.0)
    assert costly.estimates(100_000_000, [1], 16, 1.25e9)[0].verifying == pytest.approx(312.5 * 7 / 6, rel=0.03)
    # No part is smaller than the stride of the index.
    assert every.handing == pytest.approx(97_657 * 0.001) and every.limit == "handing"
    assert "| 100,000 | 1,600,000 |" in cluster.scaling_table([every], 16)
    measured = cluster.Scaling("X", tuple(cluster.Measurement(how, 2, 4096, (4.0, 1.0, 2.0)) for how in ["plain", "weak"]), 1.0, 1.0, 1.0, 1.0)
    assert "| weak | 2 | 4,096 | 2.00 (1.00 to 4.00) | 2,048 | 50% |" in measured.markdown()
    for wrong in [(0, [1], 1, 1.0), (1, [], 1, 1.0), (1, [1], 0, 1.0), (1, [1], 1, 0.0), (1, [0], 1, 1.0)]:
        with pytest.raises(pqlab.InvalidArgument):
            scaling.estimates(*wrong)
