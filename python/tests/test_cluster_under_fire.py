"""A cluster verifies and generates blocks with the same result as one machine, even if processes die."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pqlab import ledger

FIRE = Path(__file__).with_name("cluster_under_fire.py")


def under_fire(what: str, path: Path, *words: str) -> dict[str, Any]:
    arguments = [sys.executable, str(FIRE), what, str(path), *words]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert found["killed"]
    return found


@pytest.mark.parametrize(("what", "kills"), [("verify", "4"), ("everything", "8")])
def test_every_transaction_is_judged_once_if_processes_die(what: str, kills: str, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    path = tmp_path / "block.tx"
    ledger.generate_block(path, 60_000, "Ed25519", senders=20, invalid=600)
    alone = ledger.verify_block(path)
    found = under_fire(what, path, "3", kills)
    assert found["transactions"] == 60_000 and found["kinds"] == alone.kinds
    assert found["rejections"] == [[one.index, one.kind, one.reason] for one in alone.rejections]


def test_cluster_makes_the_same_block_if_processes_die(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    ledger.generate_block(tmp_path / "alone", 30_000, "Ed25519", senders=20, invalid=300)
    found = under_fire("make", tmp_path / "block", "2", "3")
    assert found["parts"] > 5
    assert (tmp_path / "block").read_bytes() == (tmp_path / "alone").read_bytes()
