"""Tests of scripts/agreement: the output of the speed programs, the statistics, and the suites. Nothing is measured."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "agreement"

SPEED_KEM = """\
Configuration info
==================
Compiler:         gcc (12.2.0)
OQS version:      0.13.0 (major: 0, minor: 13, patch: 0)

Speed test
==========
Started at 2026-11-28 21:00:00
Operation                            | Iterations | Total time (s) | Time (us): mean | pop. stdev | CPU cycles: mean          | pop. stdev
------------------------------------ | ----------:| --------------:| ---------------:| ----------:| -------------------------:| ----------:
ML-KEM-768                           |            |                |                 |            |                           |
keygen                               |     271013 |          3.000 |          11.070 |      1.203 |                     30123 |       2800
encaps                               |     241546 |          3.000 |          12.420 |      1.310 |                     33800 |       2911
decaps                               |     200000 |          3.000 |          15.000 |      1.420 |                     40820 |       3011
Ended at 2026-11-28 21:00:09
"""

SPEED_SIG = """\
ML-DSA-65                            |            |                |                 |            |                           |
keypair                              |      60000 |          3.000 |          50.000 |      1.203 |                    136100 |       2800
sign                                 |      20000 |          3.000 |         150.000 |     80.310 |                    408300 |     218600
verify                               |      62500 |          3.000 |          48.000 |      1.420 |                    130600 |       3011
"""

OPENSSL = """\
version: 4.0.3
built on: Sat Nov 28 21:00:00 2026 UTC
options: bn(64,64)
compiler: gcc -fPIC -pthread -m64 -Wa,--noexecstack -Wall -O3
CPUINFO: OPENSSL_ia32cap=0xfffa3203078bffff
                              sign    verify    sign/s verify/s
 253 bits EC (Ed25519)   0.0000s   0.0001s  25000.0  10000.0
                               keygen    encaps    decaps keygens/s  encaps/s  decaps/s
                 ML-KEM-768 0.000032s 0.000020s 0.000025s   31250.0   50000.0   40000.0
                               keygen     signs    verify keygens/s    sign/s  verify/s
                  ML-DSA-65 0.000160s 0.001000s 0.000200s    6250.0    1000.0    5000.0
"""


@pytest.fixture(scope="module")
def agreement() -> Any:
    # The script has no suffix, so `import` does not find it.
    module: Any = ModuleType("agreement")
    module.__file__ = str(SCRIPT)
    exec(compile(SCRIPT.read_text(encoding="utf-8"), SCRIPT, "exec"), module.__dict__)
    return module


def test_reads_the_tables_of_liboqs(agreement: Any) -> None:
    assert agreement.parse_liboqs(SPEED_KEM) == {
        ("ML-KEM-768", "keygen"): 11.07,
        ("ML-KEM-768", "encapsulate"): 12.42,
        ("ML-KEM-768", "decapsulate"): 15.0,
    }
    assert agreement.parse_liboqs(SPEED_SIG) == {
        ("ML-DSA-65", "keygen"): 50.0,
        ("ML-DSA-65", "sign"): 150.0,
        ("ML-DSA-65", "verify"): 48.0,
    }


def test_reads_the_tables_of_openssl(agreement: Any) -> None:
    assert agreement.parse_openssl(OPENSSL) == {
        ("Ed25519", "sign"): 40.0,
        ("Ed25519", "verify"): 100.0,
        ("ML-KEM-768", "keygen"): 32.0,
        ("ML-KEM-768", "encapsulate"): 20.0,
        ("ML-KEM-768", "decapsulate"): 25.0,
        ("ML-DSA-65", "keygen"): 160.0,
        ("ML-DSA-65", "sign"): 1000.0,
        ("ML-DSA-65", "verify"): 200.0,
    }


def test_ignores_other_output(agreement: Any) -> None:
    assert agreement.parse_liboqs("Usage: speed_kem <options> <alg>\n") == {}
    assert agreement.parse_openssl("speed: Unknown algorithm ML-KEM-768\n") == {}


def test_means_are_converted_to_the_same_clock(agreement: Any) -> None:
    # The clock changes from 2 to 4 GHz in the middle of a second. One sample was interrupted, and one line is cut off.
    took = {2: agreement.ADDITIONS // 2, 4: agreement.ADDITIONS // 4}
    lines = [f"{at * 10**8} {took[2 if at < 5 else 4]} {took[2 if at < 5 else 4] // 4}" for at in range(10)]
    samples = agreement.samples_of("\n".join([*lines, f"{10**8 + 1} 999999999 999", "123 456"]))
    assert len(samples) == 11
    assert samples[0] == pytest.approx((0, 2000.0, 4.0))
    assert agreement.clocks(samples, 0, 10**9, 2) == pytest.approx([2000.0, 4000.0])
    assert agreement.clocks([], 0, 10**9, 2) == [None, None]
    row = {"mean_us": 10.0, "mean_core_cycles": 30_000.0}
    # 20 µs at 2 GHz are 40,000 cycles.
    assert agreement.at_the_same_clock(agreement.Figure(20.0, 2000.0), row) == pytest.approx(40.0 / 3)
    assert agreement.at_the_same_clock(agreement.Figure(20.0, None), row) == 20.0
    assert agreement.at_the_same_clock(agreement.Figure(20.0, 2000.0), {**row, "mean_core_cycles": None}) == 20.0


def test_interval_is_students_over_the_logarithms(agreement: Any) -> None:
    found = agreement.summary([(10.0, 10.0), (10.2, 10.0), (10.0, 10.0), (10.2, 10.0)])
    center = math.log(1.02) / 2
    # The standard deviation is center * 2 / sqrt(3), and the mean of four rounds has half of it.
    half = 3.182 * center / math.sqrt(3)
    assert found.ratio == pytest.approx(math.sqrt(1.02))
    assert found.interval == pytest.approx((math.exp(center - half), math.exp(center + half)))
    assert (found.program, found.lowest, found.highest) == pytest.approx((10 * math.sqrt(1.02), 10.0, 10.2))
    assert found.pqlab == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("rounds", "agrees"),
    [
        ([(10.0, 10.0), (10.01, 10.0), (10.0, 10.01)], "yes"),
        ([(10.5, 10.0), (10.51, 10.0), (10.5, 10.01)], "no"),
        ([(9.5, 10.0), (9.51, 10.0), (9.5, 10.01)], "no"),
        ([(10.0, 10.0), (11.0, 10.0), (9.5, 10.0)], "undecided"),
        ([(10.0, 10.0)], "undecided"),
    ],
)
def test_agreement_needs_the_whole_interval(agreement: Any, rounds: list[tuple[float, float]], agrees: str) -> None:
    assert agreement.summary(rounds).agrees == agrees


def test_table_has_a_row_for_each_case(agreement: Any) -> None:
    lines = agreement.table({("speed_kem", "kem/ML-KEM-768/keygen@liboqs"): [(10.0, 8.0)]})
    assert lines[2:] == [
        "| `speed_kem` | `kem/ML-KEM-768/keygen@liboqs` | 10.00 | 10.00 to 10.00 | 8.00 | 1.250 |  | undecided |"
    ]
    assert {line.count("|") for line in lines} == {9}


def test_suites_select_one_library(agreement: Any) -> None:
    for tool in agreement.TOOLS:
        suite = tomllib.loads(agreement.suite(tool))
        assert " " not in suite["name"]
        assert all(selection["providers"] == [tool.library] for selection in suite["select"])


def test_an_added_liboqs_has_the_cases_of_the_linked_one(agreement: Any) -> None:
    added = agreement.of_added("liboqs-0.16.0")
    assert [tool.name for tool in added] == ["speed_kem", "speed_sig"]
    for tool, linked in zip(added, agreement.TOOLS):
        assert agreement.suite(tool) == agreement.suite(linked).replace('"liboqs"', '"liboqs-0.16.0"')


def test_both_sides_must_have_the_same_cases(agreement: Any) -> None:
    tool = agreement.TOOLS[0]
    row = {"id": "kem/ML-KEM-768/keygen@liboqs", "mean_us": 1.0}
    key, other = ("ML-KEM-768", "keygen"), ("ML-KEM-768", "encapsulate")
    assert list(agreement.matched(tool, {key: 2.0}, {key: row})) == [(row["id"], 2.0, row)]
    for figures, measured in (({key: 2.0, other: 3.0}, {key: row}), ({key: 2.0}, {key: row, other: row})):
        with pytest.raises(SystemExit):
            list(agreement.matched(tool, figures, measured))


def test_failed_and_ambiguous_cases_are_refused(agreement: Any) -> None:
    row = {"id": "a", "algorithm": "A", "operation": "sign", "provider": "p", "status": "ok", "error": None}
    document = {"results": {"signature": [row, {**row, "provider": "other"}]}}
    assert agreement.rows(document, "p") == {("A", "sign"): row}
    for bad in ({**row, "status": "failed", "error": "wrong answer"}, {**row, "id": "b"}):
        with pytest.raises(SystemExit):
            agreement.rows({"results": {"signature": [row, bad]}}, "p")


@pytest.mark.parametrize(
    ("runs", "undisturbed"),
    [
        ([[3.8] * 20], True),
        ([[3.8] * 20 + [2.0]], True),
        ([[3.8] * 10 + [2.0] * 10, [2.0] * 20, [3.8] * 20], True),
        ([[]], True),
        ([[3.8] * 10 + [2.0] * 10, [3.8] * 20 + [2.0] * 2, [2.0] * 20], False),
    ],
)
def test_repeats_disturbed_runs(
    agreement: Any, monkeypatch: pytest.MonkeyPatch, runs: list[list[float]], undisturbed: bool
) -> None:
    now = [0.0]
    monkeypatch.setattr(agreement.time, "monotonic", lambda: now[0])
    results = [agreement.Measured({}, str(at), 0.0, [agreement.Sample(0, 1.0, one) for one in run]) for at, run in enumerate(runs)]
    left = iter(results)

    def run(seconds: float) -> Any:
        now[0] += seconds
        return next(left)

    found, quiet = agreement.Core(0).run_undisturbed(run, agreement.PATIENCE / len(runs))
    assert quiet == undisturbed
    # The run that was disturbed least is the last one if it is undisturbed, and here otherwise the second.
    assert found == (results[-1] if undisturbed else results[1])
    assert next(left, None) is None
