"""A cluster verifies and generates blocks with the same result as one machine, even if processes die."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import pqlab
from pqlab import cluster, ledger
from pqlab._command import render
from pqlab._objects import digest_of_frame
from pqlab._verifying import PART, Job, Journal, part_size

FIRE = Path(__file__).with_name("cluster_under_fire.py")


def block(folder: Path, count: int, **options: Any) -> Path:
    path = folder / "block.tx"
    ledger.generate_block(path, count, "Ed25519", senders=20, invalid=count // 100, **options)
    return path


def command(*words: object) -> subprocess.CompletedProcess[str]:
    arguments = [str(Path(sys.executable).with_name("pqlab")), "ledger", "verify", *map(str, words)]
    environment = {**os.environ, "PQLAB_PYTHON": sys.executable}
    return subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False, env=environment)


@pytest.mark.parametrize("transactions", [0, 1, 1023, 1024, 70_000, 1_000_000, 100_000_000])
@pytest.mark.parametrize("workers", [1, 2, 3, 64])
def test_parts_match_the_index_and_divide_evenly(transactions: int, workers: int) -> None:
    size = part_size(transactions, 1024, workers)
    assert size % 1024 == 0
    parts = -(-transactions // size)
    if transactions >= 10_000_000:
        assert PART / 2 < size < 2 * PART
        # No worker idles for long at the end.
        assert -(-parts // workers) * workers - parts < workers / 4 + 2


def test_journal_keeps_whole_lines_of_one_verification(tmp_path: Path) -> None:
    path = block(tmp_path, 2000)
    job = Job(str(path), None, pqlab._pqlab.ledger_block_facts(str(path)), 1, "txv2", 1, None, False, None)
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
    with pytest.raises(pqlab.InvalidArgument, match="different verification"):
        Journal(name, Job(job.path, None, job.facts, 2, "txv2", 1, None, False, None))
    # /dev/full behaves like a full disk.
    with pytest.raises(pqlab.StoreError, match="No space left"):
        Journal(Path("/dev/full"), job)
    head = name.read_bytes().partition(b"\n")[0]
    for wrong in [b"garbage", b"\xff\xfe", b"[1]", head + b'\n{"part": 1}', head + b'\n{"part": [0, "x"], "found": [], "size": 1}']:
        (tmp_path / "other").write_bytes(wrong + b"\n")
        with pytest.raises(pqlab.StoreError, match="not a verification journal"):
            Journal(tmp_path / "other", job)


@pytest.mark.parametrize("format", ["block", "parquet"])
def test_one_bit_flipped_in_a_block_or_its_journal_is_found(tmp_path: Path, format: str) -> None:
    path, name = block(tmp_path, 3000, format=format), tmp_path / "journal"
    job = Job(
        str(path), None, pqlab._pqlab.ledger_block_facts(str(path)), 1, "txv2", 1, None, False, None, frame=digest_of_frame(str(path), 3000)
    )
    journal = Journal(name, job)
    for part in [(0, 1024), (1024, 2048), (2048, 3000)]:
        status, _, found = job.verify(part)
        assert status == "done"
        journal.add(part, found)
    journal.close()

    def refused() -> bool:
        try:
            facts, frame = pqlab._pqlab.ledger_block_facts(str(path)), digest_of_frame(str(path), 3000)
            again = Journal(name, replace(job, facts=facts, frame=frame))
            again.close()
            again.check(str(path))
        except pqlab.Error:
            return True
        return len(again.done) < 3

    assert not refused()
    chance = random.Random(int(os.environ.get("PQLAB_FLIPS_SEED", "1")))
    for file in [path, name]:
        good = file.read_bytes()
        for _ in range(int(os.environ.get("PQLAB_FLIPS", "50"))):
            bad = bytearray(good)
            bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
            file.write_bytes(bad)
            place = next(at for at, (a, b) in enumerate(zip(good, bad, strict=True)) if a != b)
            assert refused(), f"{file}: the change to byte {place} was not detected"
        file.write_bytes(good)


def test_a_node_with_another_build_or_file_is_refused(tmp_path: Path) -> None:
    path = block(tmp_path, 2000)
    facts = pqlab._pqlab.ledger_block_facts(str(path))
    other = Job(str(path), None, facts, 1, "txv2", 1, None, False, None, build={"version": "0.0.0"})
    assert other.verify((0, 10))[0] == "other"


def test_reports_invalid_arguments_before_anything_starts(tmp_path: Path) -> None:
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


def test_private_ray_listens_on_loopback_and_requires_its_token() -> None:
    pytest.importorskip("ray")
    done = subprocess.run([sys.executable, "-c", STRANGERS], capture_output=True, text=True, timeout=400, check=False)
    assert done.stdout.splitlines() == ["['127.0.0.1'] 127.0.0.1", "0", "1", "1", "[]"], done.stderr[-2000:]


def test_command_agrees_with_one_machine_and_resumes_from_a_journal(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    path, journal = block(tmp_path, 20_000), tmp_path / "journal"
    alone = ledger.verify_block(path)
    arguments = [path, "--cluster", "local", "--json", "--journal", journal]
    first = command(*arguments)
    assert first.returncode == 1, first.stderr
    found = json.loads(first.stdout)
    rejections = [(one.index, one.kind, one.reason) for one in alone.rejections]
    assert [(one["index"], one["kind"], one["reason"]) for one in found["rejections"]] == rejections
    assert (found["transactions"], found["rejected_by_kind"]) == (20_000, alone.kinds)
    # Apart from the `cluster` entry, the JSON output has the same fields as without a cluster.
    words = [str(Path(sys.executable).with_name("pqlab")), "ledger", "verify", str(path), "--json"]
    program = subprocess.run(words, capture_output=True, text=True, check=False)
    same = json.loads(program.stdout)
    assert {*found} == {*same, "cluster"} and {*found["phases"]} == {*same["phases"]}
    measured = {"seconds", "transactions_per_s", "bytes_per_s", "phases", "threads", "file"}
    assert {name: found[name] for name in same if name not in measured} == {
        name: value for name, value in same.items() if name not in measured
    }
    # Cut off the last line of the journal, as an interruption would.
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-1]) + lines[-1][:10])
    second = json.loads(command(*arguments).stdout)
    assert second["cluster"]["parts_of_the_journal"] == len(lines) - 2
    assert second["rejections"] == found["rejections"]
    # The error message names the damaged part of the file.
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2 : len(damaged) // 2 + 200] = bytes([255]) * 200
    path.write_bytes(damaged)
    refused = command(path, "--cluster", "local")
    assert refused.returncode == 2 and len(refused.stderr.splitlines()) == 1, refused.stderr
    assert "transactions" in refused.stderr


def test_a_cluster_says_what_the_program_says(tmp_path: Path) -> None:
    path = block(tmp_path, 3000)
    alone = ledger.verify_block(path)
    own = {field.name: getattr(alone, field.name) for field in fields(alone)}
    report = cluster.ClusterReport(**own, nodes=2, parts=3, resumed=1, begun_again=0, start_ns=10**9, unshared_memory=2**20)
    words = [str(Path(sys.executable).with_name("pqlab")), "ledger", "verify", str(path)]
    program = subprocess.run(words, capture_output=True, text=True, check=False).stdout.splitlines()
    said = render(SimpleNamespace(file=str(path), form="txv2", chain_id=1, json=False), report).splitlines()
    assert said[0] == program[0] == f"{path}: 2,970 of 3,000 transactions accepted, 30 rejected"
    assert said[-20:] == program[-20:]
    assert "3 parts (from the journal: 1; restarts: 0); start-up took 1.00 s; at most 1.00 MiB of private memory per process" in said


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
    path = block(tmp_path, 60_000)
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


def test_command_makes_the_same_block_as_the_program(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    options = ["--count", "3000", "--scheme", "Ed25519", "--senders", "7", "--invalid", "1", "--format", "parquet", "--seed", "9"]
    program = str(Path(sys.executable).with_name("pqlab"))
    for name, more in [("alone", []), ("made", ["--cluster", "local"])]:
        words = [program, "ledger", "generate", *options, *more, "--out", str(tmp_path / name)]
        environment = {**os.environ, "PQLAB_PYTHON": sys.executable}
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        assert re.search("3,000 (Ed25519 )?transactions", done.stdout) and "(30 invalid)" in done.stdout
    assert (tmp_path / "made").read_bytes() == (tmp_path / "alone").read_bytes()


def test_refuses_parts_for_keys_without_a_seed(tmp_path: Path) -> None:
    path = tmp_path / "block"
    with pytest.raises(pqlab.InvalidArgument, match="different senders"):
        cluster.generate_block(path, 10, "Falcon-512", provider="liboqs", senders=2)
    with pytest.raises(pqlab.InvalidArgument, match="at least 1"):
        cluster.generate_block(path, 0)
    assert not list(tmp_path.iterdir())


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
