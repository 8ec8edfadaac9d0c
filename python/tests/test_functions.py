"""Python functions, measured by the harness."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

import pytest

import pqlab
from pqlab._serve import Server

QUICK = {"processes": 2, "max_time": 0.1, "progress": False}


def busy(ns: int) -> None:
    until = time.monotonic_ns() + ns
    while time.monotonic_ns() < until:
        pass


def measured(*functions: object, **how: object) -> pqlab.Run:
    return pqlab.measure(*functions, database=":memory:", **{**QUICK, **how})  # type: ignore[arg-type]


def errors(run: pqlab.Run) -> dict[str, str]:
    return {result["algorithm"]: result.get("error") or "" for result in run.results}


def test_functions_are_measured_with_library_cases() -> None:
    message = os.urandom(1024)

    def digest() -> bytes:
        return hashlib.sha3_256(message).digest()

    run = measured(
        digest, verify=lambda found: found == hashlib.sha3_256(message).digest(),
        beside=["hash"], algorithms=["SHA3-256"], providers=["rustcrypto"], lengths=[1024], seed=3,
    )  # fmt: skip
    ids = set(run.cases)
    assert {"function/digest/call@python", "floor/null/null@python"} <= ids
    assert "hash/SHA3-256/digest[len=1024]@rustcrypto" in ids
    assert all(case.startswith(("hash/SHA3-256/", "function/", "floor/")) for case in ids)
    results = {result["id"]: result for result in run.results}
    figures = results["function/digest/call@python"]
    low, high = figures["median_ci_us"]
    assert figures["status"] == "ok" and 0 < low <= figures["median_us"] <= high
    assert results["floor/null/null@python"]["status"] == "ok"
    builds = {build["id"]: build for build in run.environment["providers"]}
    assert builds["python"]["language"] == "python"


def test_a_failed_fork_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "fork", fails)
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(pqlab.LibraryError, match="cannot fork a process"), Server([]):
        pass
    assert set(os.listdir("/proc/self/fd")) == before
    assert list(tmp_path.iterdir()) == []


def test_a_busy_wait_takes_at_least_its_time() -> None:
    run = measured(lambda: busy(200_000), name="busy")
    (case,) = [case for case in run.cases if case.startswith("function/")]
    assert case == "function/busy/call[answers=unchecked]@python"
    # The function waits for 200,000 ns, so no sample can be shorter, even on a busy machine.
    assert min(run.sample_buffer(case)) >= 200_000


def test_arguments_are_prepared_and_answers_checked() -> None:
    @pqlab.benchmark(setup=lambda: (os.urandom(16), 3), verify=lambda found, data, n: found == data * n, inputs=5)
    def times(data: bytes, n: int) -> bytes:
        return data * n

    @pqlab.benchmark(setup=lambda: b"x", verify=lambda found, data: found == data + b"!")
    def wrong(data: bytes) -> bytes:
        return data

    def never(found: object) -> None:
        raise LookupError(f"not\nthis {found}")

    raised = pqlab.benchmark(name="raised", verify=never)(lambda: 7)
    assert times(b"ab", 2) == b"abab" and wrong(b"y") == b"y"
    found = errors(measured(times, wrong, raised))
    assert found["times"] == ""
    assert "verify(wrong(...)) is False" in found["wrong"]
    assert "verify raised LookupError: not this 7" in found["raised"]


def test_a_failing_function_becomes_a_failed_row() -> None:
    def raises() -> None:
        raise ValueError("no good")

    def leaves() -> None:
        sys.exit(3)

    def dies() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def exits() -> None:
        os._exit(4)

    def prints() -> int:
        print("this must not reach the protocol")
        return 1

    found = errors(measured(raises, leaves, dies, exits, pqlab.benchmark(verify=lambda one: one == 1)(prints)))
    assert "ValueError: no good" in found["raises"]
    assert "SystemExit: 3" in found["leaves"]
    assert "the program ended: signal 9" in found["dies"]
    assert "the program ended: it exited with code 4" in found["exits"]
    assert found["prints"] == ""


def test_functions_find_the_state_of_the_interpreter(tmp_path: Path) -> None:
    file = (tmp_path / "numbers").open("w+")
    state = {"calls": 0}
    lock = threading.Lock()

    def writes() -> int:
        with lock:
            state["calls"] += 1
        return file.write("1")

    measured(writes, verify=lambda written: written == 1)
    assert state["calls"] == 0, "functions must not change the state of the calling process"
    file.close()


def test_a_run_with_functions_can_be_resumed(tmp_path: Path) -> None:
    database = str(tmp_path / "pqlab.db")
    script = f"""
        import os, signal, pqlab
        parent = os.getpid()
        @pqlab.benchmark(library="mine")
        def stops():
            try:
                os.close(os.open({str(tmp_path / "once")!r}, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            os.kill(parent, signal.SIGINT)
        second = pqlab.benchmark(name="second", library="mine")(lambda: None)
        try:
            pqlab.measure(second, stops, database={database!r}, processes=2, max_time=0.5, progress=False)
        except pqlab.Interrupted as stopped:
            print("stopped", stopped.run.complete)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120)
    assert done.stdout == "stopped False\n", done.stderr
    second = pqlab.benchmark(name="second", library="mine")(lambda: None)
    stops = pqlab.benchmark(name="stops", library="mine")(lambda: None)
    run = pqlab.resume(functions=[second, stops], database=database, progress=False)
    assert run.complete
    names = {result["algorithm"] for result in run.results if result["status"] == "ok"}
    assert {"second", "stops"} <= names


def test_a_server_leaves_nothing_behind() -> None:
    with Server([pqlab.benchmark(name="f")(lambda: None).served()]) as server:
        path = Path(server.path)
        assert path.is_socket() and path.parent.stat().st_mode & 0o777 == 0o700
    assert not path.parent.exists()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, 0)


def test_the_worker_passes_the_checker_of_workers(tmp_path: Path) -> None:
    checker = Path(__file__).parents[2] / "workers" / "check.py"
    if not checker.exists():
        pytest.skip("needs workers/check.py from the repository")
    script = tmp_path / "worker"
    script.write_text(f"#!{sys.executable}\n" + textwrap.dedent("""
        import os, sys, pqlab
        from pqlab._serve import serve
        functions = [
            pqlab.benchmark(name="sum", setup=lambda: ([1, 2],), verify=lambda found, _: found == 3, inputs=4)(sum),
            pqlab.benchmark(name="plain")(lambda: None),
        ]
        outgoing = os.dup(1)
        os.dup2(2, 1)
        try:
            serve([function.served() for function in functions], 0, outgoing)
        except pqlab.Error as error:
            sys.exit(str(error))
    """))
    script.chmod(0o755)
    done = subprocess.run([sys.executable, str(checker), str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "function sum: right" in done.stdout and "function plain: right" in done.stdout


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: measured(lambda: None), "name: '<lambda>'"),
        (lambda: measured(3), "3 is not callable"),
        (lambda: measured(), "functions: none given"),
        (lambda: measured(print, setup=3), "setup: 3 is not callable"),
        (lambda: measured(print, verify="x"), "verify: 'x' is not callable"),
        (lambda: measured(print, inputs=0, setup=list), "inputs: 0"),
        (lambda: measured(print, inputs=True, setup=list), "inputs: True"),
        (lambda: measured(print, inputs=2), "need a setup function"),
        (lambda: measured(print, name="a b"), "name: 'a b'"),
        (lambda: measured(print, name="null"), "name: 'null'"),
        (lambda: measured(print, name=5), "name: 5"),
        (lambda: measured(print, print), "two are named 'print'"),
        (lambda: measured(print, len, name="x"), "name: allowed only with a single plain function"),
        (lambda: measured(print, beside="kem"), "beside: 'kem' is not a list"),
        (lambda: measured(print, label="liboqs"), "is the name of a provider"),
        (lambda: measured(print, label="a b"), "label"),
        (lambda: pqlab.run("kem", functions=3), "functions: 3"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_rejects_invalid_functions(call: object, says: str) -> None:
    with pytest.raises(pqlab.Error) as raised:
        call()  # type: ignore[operator]
    assert says in str(raised.value)
