"""A suite on every node of a cluster: each has a complete run, whatever dies meanwhile; and the page by machine."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pqlab
from pqlab import fleet

FIRE = Path(__file__).with_name("fleet_under_fire.py")


def under_fire(folder: Path, *words: str) -> dict[str, Any]:
    arguments = [sys.executable, str(FIRE), str(folder), *words]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_each_of_three_nodes_has_a_complete_run_though_one_dies_in_the_middle(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    found = under_fire(tmp_path, "3", "kill")
    assert [node["complete"] for node in found["nodes"]] == [True] * 3, found["said"]
    assert sorted(run for node in found["nodes"] for run in node["runs"]) == sorted(found["stored"])
    assert len(found["stored"]) == 3 and sum(node["died"] for node in found["nodes"]) == 1
    # Each has every case once, and what was finished before is gone on with.
    plan = sorted(pqlab.cases("kem", providers=["aws-lc", "liboqs"]))
    assert found["cases"] == [plan] * 3
    assert any(": continues on " in text for text in found["said"])
    # One after the other: a run begins when no other is under way.
    under_way: set[str] = set()
    for text in found["said"]:
        name, _, what = text.partition(": ")
        if what.startswith(("measures on", "continues on")):
            assert not under_way
            under_way.add(name)
        elif "are stored" in what or "dead" in what:
            under_way.discard(name)
    assert found["shared"] and "their figures are not compared" in found["page"]


def test_what_cannot_be_is_said_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(pqlab.UnknownName):
        fleet.run("kemm", database=tmp_path / "db")
    with pytest.raises(pqlab.InvalidArgument, match="on every node"):
        fleet.run("kem", libraries=["liboqs:/none.so"], database=tmp_path / "db")
    with pytest.raises(pqlab.InvalidArgument, match="no run"):
        fleet.machines([], tmp_path)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    run = pqlab.run("hash", algorithms=["SHA3-256"], quick=True, progress=False, database=folder / "db")
    run.save(folder / "run.json")
    return folder / "run.json"


def elsewhere(measured: Path, name: str, model: str, slower: dict[str, float]) -> pqlab.Run:
    """The run as if of another machine, on which some libraries are slower so many times."""
    document = json.loads(measured.read_text())
    other = copy.deepcopy(document)
    text = json.dumps(other)
    assert slower == {} or "ticks" in text
    path = measured.with_name(f"{name}.json")
    environment = other["run"]["header"]["environment"]
    environment["host"]["name"], environment["cpu"]["model"] = name, model
    other["run"]["header"]["id"] = f"{other['run']['header']['id'][:-6]}{name[:6]:0<6}"
    path.write_text(json.dumps(other))
    return pqlab.load(path)
