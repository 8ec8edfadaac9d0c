"""Leak tests of the built-in targets. One target leaks on purpose."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import pqlab


def test_leak_tests_can_be_selected() -> None:
    every = pqlab.leak_tests()
    some = pqlab.leak_tests("compare/*")
    assert 0 < len(some) < len(every)
    assert {"case", "classes", "operation", "role"} == set(some[0])
    with pytest.raises(pqlab.UnknownName, match="leak_tests"):
        pqlab.leak_tests("nothing/at/all")


def test_a_leak_test_has_a_verdict_and_figures() -> None:
    case = pqlab.leak_tests("compare/naive/*")[0]["case"]
    found = pqlab.leak(case, samples=4000, repeat=2, max_time=20, progress=False)
    assert found["schema"] == "pqlab-leak/1"
    assert [test["case"] for test in found["tests"]] == [case, case]
    assert all(test["figures"]["samples"] == 4000 for test in found["tests"])


def test_rejects_a_call_without_cases() -> None:
    with pytest.raises(pqlab.InvalidArgument, match="leak_tests"):
        pqlab.leak(progress=False)


@pytest.mark.parametrize(
    ("argument", "value"), [("samples", 10), ("effect", 0.0), ("planted", -1.0), ("max_time", 0.0), ("repeat", 0)]
)
def test_rejects_invalid_parameters(argument: str, value: float) -> None:
    with pytest.raises(pqlab.InvalidArgument, match=argument):
        pqlab.leak("compare/*", progress=False, **{argument: value})  # type: ignore[arg-type]


def test_ctrl_c_is_noticed_between_events() -> None:
    script = textwrap.dedent(
        """
        import pqlab
        print("begins", flush=True)
        try:
            pqlab.leak("compare/*", samples=10**9, max_time=3600, progress=False)
        except pqlab.Interrupted as stopped:
            print(stopped)
        """
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begins\n"
        time.sleep(2.0)
        os.kill(running.pid, signal.SIGINT)
        output, _ = running.communicate(timeout=60)
        assert output == "stopped: nothing was stored\n"
        assert running.returncode == 0
