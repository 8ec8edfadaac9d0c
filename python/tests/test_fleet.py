"""A fleet completes every node's run even if a node dies, and the machine page compares the runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pqlab
from pqlab import fleet
from pqlab._machines import columns, faster

FIRE = Path(__file__).with_name("fleet_under_fire.py")


def under_fire(folder: Path, *words: str) -> dict[str, Any]:
    arguments = [sys.executable, str(FIRE), str(folder), *words]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_every_node_completes_its_run_if_one_dies(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    found = under_fire(tmp_path, "3", "kill")
    assert [node["complete"] for node in found["nodes"]] == [True] * 3, found["said"]
    assert sorted(run for node in found["nodes"] for run in node["runs"]) == sorted(found["stored"])
    # On a busy machine, Ray may also lose nodes that the test does not kill.
    assert len(found["stored"]) == 3 and any(node["died"] for node in found["nodes"])
    # Each run contains every case once, and the interrupted run was resumed.
    plan = sorted(pqlab.cases("kem", algorithms=["ML-KEM-768"], providers=["aws-lc", "liboqs"]))
    finished = [[case for case in cases if not case.startswith("floor/")] for cases in found["cases"]]
    assert finished == [plan] * 3
    assert any(": continues on " in text for text in found["said"])
    # Runs take turns: a run begins only if no other run is in progress. All messages but the number of finished cases
    # end a run; Ray has several for a lost one.
    under_way: set[str] = set()
    for text in found["said"]:
        name, _, what = text.partition(": ")
        if what.startswith(("measures on", "continues on")):
            assert not under_way, found["said"]
            under_way.add(name)
        elif not what.startswith("finished cases: "):
            under_way.discard(name)
    assert found["shared"] and "their figures are not compared" in found["page"]


def test_reports_invalid_arguments_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(pqlab.UnknownName):
        fleet.run("kemm", database=tmp_path / "db")
    with pytest.raises(pqlab.InvalidArgument, match="cannot copy these files to its nodes"):
        fleet.run("kem", libraries=["liboqs:/none.so"], database=tmp_path / "db")
    pytest.importorskip("ray")
    for nowhere in ["127.0.0.1:1", "127.0.0.1:99999", "127.0.0.1:x"]:
        with pytest.raises(pqlab.LibraryError, match="cannot reach Ray at"):
            fleet.run("kem", address=nowhere, database=tmp_path / "db")
    with pytest.raises(pqlab.InvalidArgument, match="no run"):
        fleet.machines([], tmp_path)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    run = pqlab.run("hash", algorithms=["SHA3-256"], quick=True, patience=0, progress=False, database=folder / "db")
    run.save(folder / "run.json")
    return folder / "run.json"


def elsewhere(measured: Path, name: str) -> pqlab.Run:
    """Returns the run as if a machine with another name had measured it."""
    document = json.loads(measured.read_text(encoding="utf-8"))
    here = document["run"]["id"]
    document["environment"]["host"]["name"] = name
    path = measured.with_name(f"{name}.json")
    path.write_text(json.dumps(document).replace(here, f"{here[:-6]}aaaaaa"), encoding="utf-8")
    return pqlab.load(path)


def test_the_page_by_machine_has_columns_ratios_ranks_and_prices(measured: Path, tmp_path: Path) -> None:
    first, second = pqlab.load(measured), elsewhere(measured, "elsewhere")
    there = columns([second, first])
    assert {machine.name.partition(":")[0] for machine in there} == {"elsewhere", first.environment["host"]["name"]}
    assert [machine.runs[0].id for machine in there] == sorted([first.id, second.id])
    page = fleet.machines([first, second], tmp_path / "page", prices={"*CPUs*": 0.5}).read_text(encoding="utf-8")
    assert "elsewhere" in page and "Compared with the first" in page and "Operations per dollar" in page
    # With the same samples, no machine is faster, and no library changes rank.
    markdown = (tmp_path / "page" / "machines.md").read_text(encoding="utf-8")
    ratios = markdown.partition("## Compared with the first")[2].partition("## Changes in rank")[0]
    # Overhead cases measure the harness and are not compared.
    compared = [case for case in first.cases if not case.startswith("floor/")]
    assert ratios.count("| 1.000 [") == len(compared), ratios
    assert "None." in markdown.partition("## Changes in rank")[2].partition("## Operations per dollar")[0]
    case = first.cases[0]
    speed = next(result["ops_per_s"] for result in first.results if result["id"] == case)
    assert f"| {case} | {speed * 3600 / 0.5:.3g} |" in markdown
    rows = (tmp_path / "page" / "machines.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 2 * len(first.cases)
    for prices in [{"*": 0.0}, {"*": -1.0}, {"none": 1.0}]:
        with pytest.raises(pqlab.InvalidArgument, match="price"):
            fleet.machines([first], tmp_path, prices=prices)


def test_ranks_change_only_if_intervals_do_not_overlap() -> None:
    def result(low: float, high: float) -> dict[str, Any]:
        return {"median_ci_us": [low, high]}

    assert faster(result(1, 2), result(3, 4)) == -1
    assert faster(result(3, 4), result(1, 2)) == 1
    assert faster(result(1, 3), result(2, 4)) == 0
    assert faster(None, result(2, 4)) == 0
