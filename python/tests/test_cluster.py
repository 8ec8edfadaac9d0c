"""Blocks verified by a cluster: what one machine says, whatever dies meanwhile."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pqlab
from pqlab import cluster, ledger
from pqlab.cluster import Job, Journal, part_size

FIRE = Path(__file__).with_name("cluster_under_fire.py")


def block(folder: Path, count: int, **options: Any) -> Path:
    path = folder / "block.tx"
    ledger.generate_block(path, count, "Ed25519", senders=20, invalid=count // 100, **options)
    return path


def command(*words: object) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-m", "pqlab._command", "verify", *map(str, words)]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("transactions", [0, 1, 1023, 1024, 70_000, 1_000_000, 100_000_000])
@pytest.mark.parametrize("workers", [1, 2, 3, 64])
def test_parts_begin_where_the_index_says_and_are_as_many_for_each(transactions: int, workers: int) -> None:
    size = part_size(transactions, 1024, workers)
    assert size % 1024 == 0
    parts = -(-transactions // size)
    if transactions >= 10_000_000:
        assert cluster.PART / 2 < size < 2 * cluster.PART
        # None waits long for the last ones.
        assert -(-parts // workers) * workers - parts < workers / 4 + 2


def test_a_journal_keeps_whole_lines_of_the_same_verification(tmp_path: Path) -> None:
    path = block(tmp_path, 2000)
    job = Job(str(path), pqlab._pqlab.ledger_block_facts(str(path)), 1, "txv2", 1, None, False, None)
    name = tmp_path / "journal"
    journal = Journal(name, job)
    journal.size = 1024
    journal.add((0, 1024), ("a", 1))
    journal.close()
    with name.open("a") as file:
        file.write('{"part": [1024, 20')
    again = Journal(name, job)
    assert again.done == {(0, 1024): ("a", 1)} and again.size == 1024
    again.add((1024, 2000), ("b", 2))
    again.close()
    third = Journal(name, job)
    assert sorted(third.done) == [(0, 1024), (1024, 2000)]
    third.close()
    with pytest.raises(pqlab.InvalidArgument, match="another verification"):
        Journal(name, Job(job.path, job.facts, 2, "txv2", 1, None, False, None))
    (tmp_path / "other").write_text("garbage\n")
    with pytest.raises(pqlab.StoreError, match="no journal"):
        Journal(tmp_path / "other", job)


def test_a_node_with_another_build_or_file_is_refused(tmp_path: Path) -> None:
    path = block(tmp_path, 2000)
    facts = pqlab._pqlab.ledger_block_facts(str(path))
    other = Job(str(path), facts, 1, "txv2", 1, None, False, None, build={"version": "0.0.0"})
    assert other.verify((0, 10))[0] == "other"


def test_what_cannot_be_is_said_before_anything_starts(tmp_path: Path) -> None:
    path = block(tmp_path, 100)
    for options in [{"chain_id": -1}, {"threads": 0}, {"form": "txv3"}, {"batch": 5}]:
        with pytest.raises(pqlab.InvalidArgument):
            cluster.verify_block(path, **options)  # type: ignore[arg-type]
    with pytest.raises(pqlab.StoreError):
        cluster.verify_block(tmp_path / "none")


STRANGERS = """
import os, subprocess, sys
from pqlab._ray import connected

with connected(None) as ray:
    at = ray.get_runtime_context().gcs_address
    print([node["NodeManagerAddress"] for node in ray.nodes()], at.split(":")[0])
    known = dict(os.environ)
    strange = {name: value for name, value in known.items() if not name.startswith("RAY_AUTH")}
    for variables in [known, strange, {**known, "RAY_AUTH_TOKEN": "0" * 64}]:
        words = f"import ray; ray.init(address='{at}', log_to_driver=False); print(len(ray.nodes()))"
        print(subprocess.run([sys.executable, "-c", words], env=variables, capture_output=True, timeout=100).returncode)
print([name for name in os.environ if name.startswith("RAY_AUTH")])
"""


def test_what_is_started_here_listens_on_loopback_to_who_has_the_token() -> None:
    pytest.importorskip("ray")
    done = subprocess.run([sys.executable, "-c", STRANGERS], capture_output=True, text=True, timeout=400, check=False)
    assert done.stdout.splitlines() == ["['127.0.0.1'] 127.0.0.1", "0", "1", "1", "[]"], done.stderr[-2000:]


def test_the_command_says_what_one_machine_says_and_goes_on_with_a_journal(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    path, journal = block(tmp_path, 20_000), tmp_path / "journal"
    alone = ledger.verify_block(path)
    asked = [path, "--cluster", "local", "--json", "--journal", journal]
    first = command(*asked)
    assert first.returncode == 1, first.stderr
    found = json.loads(first.stdout)
    rejections = [(one.index, one.kind, one.reason) for one in alone.rejections]
    assert [(one["index"], one["kind"], one["reason"]) for one in found["rejections"]] == rejections
    assert (found["transactions"], found["rejected_by_kind"]) == (20_000, alone.kinds)
    # Beside what the cluster did it is the document of the program.
    words = [str(Path(sys.executable).with_name("pqlab")), "ledger", "verify", str(path), "--json"]
    program = subprocess.run(words, capture_output=True, text=True, check=False)
    same = json.loads(program.stdout)
    assert {*found} == {*same, "cluster"} and {*found["phases"]} == {*same["phases"]}
    measured = {"seconds", "transactions_per_s", "bytes_per_s", "phases", "threads", "file"}
    assert {name: found[name] for name in same if name not in measured} == {
        name: value for name, value in same.items() if name not in measured
    }
    # Without the last part, as after the end of whoever began.
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-1]) + lines[-1][:10])
    second = json.loads(command(*asked).stdout)
    assert second["cluster"]["parts_of_the_journal"] == len(lines) - 2
    assert second["rejections"] == found["rejections"]
    # A part of the file that is damaged is named.
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2 : len(damaged) // 2 + 200] = bytes([255]) * 200
    path.write_bytes(damaged)
    refused = command(path, "--cluster", "local")
    assert refused.returncode == 2 and len(refused.stderr.splitlines()) == 1, refused.stderr
    assert "transactions" in refused.stderr


def test_every_transaction_is_judged_once_whatever_dies(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    path = block(tmp_path, 60_000)
    alone = ledger.verify_block(path)
    arguments = [sys.executable, str(FIRE), str(path), "3", "4"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["transactions"] == 60_000 and found["kinds"] == alone.kinds
    assert found["rejections"] == [[one.index, one.kind, one.reason] for one in alone.rejections]
