"""Measuring runs, and reading their results."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars
import pytest

import pqlab
from pqlab import _progress

CASES = ["kem/ML-KEM-768/encapsulate@rustcrypto", "kem/X25519/encapsulate@rustcrypto"]


def test_a_run_has_the_requested_cases(run: pqlab.Run) -> None:
    assert run.complete
    assert [case for case in run.cases if not case.startswith("floor/")] == CASES
    results = {result["id"]: result for result in run.results}
    for case in CASES:
        assert results[case]["status"] == "ok"
        low, high = results[case]["median_ci_us"]
        assert 0 < low <= results[case]["median_us"] <= high
    assert run.document["run"]["seed"] == 7
    assert run.document["run"]["command"] == "pqlab.run('kem')"
    assert run.environment["build"]["rustc"]
    assert run.id in repr(run)


def test_samples_are_read_in_place(run: pqlab.Run) -> None:
    view = run.sample_buffer(CASES[0])
    assert view.format == "d" and view.readonly and view.ndim == 1 and view.contiguous
    array = run.samples(CASES[0])
    assert array.dtype == np.float64 and len(array) == len(view) > 0
    assert not array.flags.owndata and not array.flags.writeable
    result = next(result for result in run.results if result["id"] == CASES[0])
    assert result["n"] == len(array)
    assert array.min() / 1000 == pytest.approx(result["min_us"])
    assert array.max() / 1000 == pytest.approx(result["max_us"])
    with pytest.raises(ValueError):
        array[0] = 0.0


def test_samples_exclude_disturbed_visits_as_figures_do(run: pqlab.Run, tmp_path: Path) -> None:
    document = json.loads(run.export("json-samples"))
    result = next(result for area in document["results"].values() for result in area if result["id"] == CASES[0])
    visits = result["samples"]["visits"]
    for visit in visits:
        visit["disturbances"] = []
        for chunk in visit["conditions"]["chunks"]:
            chunk["shared"] = False
    # Adds three clean visits and a disturbed one. With enough clean visits, the disturbed visit is left out.
    last = visits[-1]
    visits += [json.loads(json.dumps({**last, "round": last["round"] + more})) for more in range(1, 5)]
    visits[-1]["disturbances"] = [{"Steal": {"pct": 50.0}}]
    file = tmp_path / "disturbed.json"
    file.write_text(json.dumps(document))
    disturbed = pqlab.load(file)
    figures = next(result for result in disturbed.results if result["id"] == CASES[0])
    kept = sum(len(visit["ticks"]) for visit in visits[:-1])
    assert figures["n"] == len(disturbed.samples(CASES[0])) == kept


def test_samples_outlive_their_run(database: Path, run: pqlab.Run) -> None:
    array = pqlab.open().run(run.id).samples(CASES[0]) if database.exists() else None
    assert array is None or float(array.sum()) > 0


def test_frames_have_a_row_for_each_case(run: pqlab.Run) -> None:
    frame = run.to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame.height == len(run.cases) and set(CASES) <= set(frame["id"])
    assert list(run.to_pandas().columns) == frame.columns


def test_a_run_has_findings_tables_and_pictures(run: pqlab.Run) -> None:
    assert run.findings["answers"] and set(run.findings) == {"answers", "recommendations", "costs", "caveats"}
    assert all(table["columns"] and table["rows"] for table in run.tables.values())
    svg = run.chart("latency")
    assert svg == run.chart("latency-kem")
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    with pytest.raises(pqlab.UnknownName, match="no chart 'nothing'"):
        run.chart("nothing")
    html = run._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "<svg" in html and CASES[0] in html and "<script" not in html


def test_a_file_gives_the_same_run(run: pqlab.Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    run.save(path)
    loaded = pqlab.load(path)
    assert loaded.results == run.results
    assert (loaded.samples(CASES[1]) == run.samples(CASES[1])).all()
    json.loads(run.export("json"))
    other = pqlab.open(tmp_path / "other.db")
    other.add(loaded)
    assert [entry["id"] for entry in other.runs()] == [run.id]
    other.name(run.id, "release")
    other.note("release", "a note")
    assert other.run("release").id == run.id
    with pytest.raises(pqlab.InvalidArgument, match="is named release.*force=True"):
        other.delete(run.id)
    assert other.delete(run.id, force=True) == [run.id]
    assert other.runs() == []


def test_stored_runs_are_found(run: pqlab.Run) -> None:
    stored = pqlab.open()
    assert run.id in [entry["id"] for entry in stored.runs()]
    assert stored.run(run.id).results == run.results
    with pytest.raises(pqlab.UnknownName) as raised:
        stored.run("nothing")
    assert "pqlab.open().runs() lists all runs" in str(raised.value)


def test_a_run_against_itself_has_not_changed(run: pqlab.Run) -> None:
    compared = run.compare(run)
    verdicts = {case["verdict"] for case in compared["cases"]}
    assert verdicts and not verdicts & {"faster", "slower"}
    with pytest.raises(pqlab.InvalidArgument, match="margin"):
        run.compare(run, margin=float("nan"))
    with pytest.raises(pqlab.InvalidArgument, match="metric"):
        run.compare(run, metric="miles")


def test_a_report_is_a_folder(run: pqlab.Run, tmp_path: Path) -> None:
    index = run.report(tmp_path / "report")
    assert index == tmp_path / "report" / "index.html" and "<html" in index.read_text()


def test_a_run_can_stay_in_memory() -> None:
    kept = {entry["id"] for entry in pqlab.open().runs()} if Path(pqlab.open().path).exists() else set()
    run = pqlab.run(
        filters=["hash/SHA3-256/*rustcrypto"],
        algorithms=["SHA3-256"],
        lengths=[32],
        quick=True,
        max_time=0.05,
        processes=1,
        database=":memory:",
        progress=False,
    )
    assert run.complete and any("[len=32]" in case for case in run.cases)
    assert run.id not in kept


def test_catalogues_list_what_can_be_measured() -> None:
    assert {"kem", "standard"} <= {suite["name"] for suite in pqlab.suites()}
    assert "ML-KEM-768" in {entry["algorithm"] for entry in pqlab.algorithms()}
    assert "rustcrypto" in {entry["id"] for entry in pqlab.providers()}
    assert "wall" in {entry["name"] for entry in pqlab.counters()}
    assert pqlab.cases("kem", filters=["*X25519/encapsulate[]@rustcrypto"]) == CASES[1:]


def test_doctor_describes_the_machine() -> None:
    found = pqlab.doctor()
    assert found["environment"]["cpu"]["cores"] >= 1
    assert {advice["severity"] for advice in found["advice"]} <= {"ok", "note", "warning"}


def test_answers_are_verified_and_inspected() -> None:
    found = pqlab.verify(algorithms=["X25519"], providers=["rustcrypto"], interoperability=False, progress=False)
    assert found["totals"]["failed"] == 0 and found["totals"]["passed"] > 0
    looked = pqlab.inspect("ML-KEM-768", providers=["rustcrypto"], seed=3)
    assert looked == pqlab.inspect("ML-KEM-768", providers=["rustcrypto"], seed=3)
    assert all(check["passed"] is not False for check in looked[0]["checks"])


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (pqlab.UnknownName, lambda: pqlab.run("ML-KEM-769", progress=False)),
        (pqlab.UnknownName, lambda: pqlab.run("kem", algorithms=["nothing"], progress=False)),
        (pqlab.InvalidArgument, lambda: pqlab.run("kem", processes=-1, progress=False)),
        (pqlab.InvalidArgument, lambda: pqlab.run("kem", precision=float("nan"), progress=False)),
        (pqlab.InvalidArgument, lambda: pqlab.run("kem", max_time=0, progress=False)),
        (pqlab.InvalidArgument, lambda: pqlab.run("kem", seed=-1, progress=False)),
        (pqlab.InvalidArgument, lambda: pqlab.run("kem", seed=2**64, progress=False)),
        (pqlab.InvalidArgument, lambda: pqlab.run("kem", algorithms="ML-KEM-768", progress=False)),
        (pqlab.InvalidArgument, lambda: pqlab.run("kem", lengths=["long"], progress=False)),  # type: ignore[list-item]
        (pqlab.InvalidArgument, lambda: pqlab.run("kem", nothing=1, progress=False)),  # type: ignore[call-arg]
        (pqlab.InvalidArgument, lambda: pqlab.run("kem", quick=True, rigorous=True, progress=False)),
        (pqlab.InvalidArgument, lambda: pqlab.run("kem", libraries=["nonsense"], progress=False)),
        (pqlab.LibraryError, lambda: pqlab.run("kem", libraries=["liboqs:/nowhere/liboqs.so"], progress=False)),
        (pqlab.InvalidArgument, lambda: pqlab.inspect("ML-KEM-768", seed=-1)),
        (pqlab.UnknownName, lambda: pqlab.inspect("nothing")),
        (pqlab.StoreError, lambda: pqlab.load("/nowhere/run.json")),
        (pqlab.StoreError, lambda: pqlab.load(__file__)),
        (pqlab.StoreError, lambda: pqlab.open("/nowhere/pqlab.db").runs()),
        (pqlab.StoreError, lambda: pqlab.open(__file__).runs()),
    ],
)
def test_rejects_invalid_arguments(kind: type[pqlab.Error], call: object) -> None:
    assert callable(call)
    with pytest.raises(kind) as raised:
        call()
    assert isinstance(raised.value, pqlab.Error)
    assert raised.value.reason and "\n" not in raised.value.reason


def test_exceptions_derive_from_those_of_python() -> None:
    assert issubclass(pqlab.InvalidArgument, ValueError)
    assert issubclass(pqlab.UnknownName, LookupError)
    assert issubclass(pqlab.Interrupted, KeyboardInterrupt)
    again = pickle.loads(pickle.dumps(pqlab.StoreError("what", "how")))
    assert str(again) == "what: how" and type(again) is pqlab.StoreError


def test_a_worker_of_another_build_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in (tmp_path / "nothing", Path("/bin/true")):
        monkeypatch.setenv("PQLAB_WORKER", str(program))
        with pytest.raises(pqlab.LibraryError):
            pqlab.run("kem", algorithms=["X25519"], providers=["rustcrypto"], progress=False)


def test_other_threads_run_meanwhile(run: pqlab.Run) -> None:
    ended = threading.Event()
    steps = 0

    def count() -> None:
        nonlocal steps
        while not ended.is_set():
            steps += 1

    thread = threading.Thread(target=count)
    thread.start()
    run.compare(run)
    ended.set()
    thread.join()
    assert steps > 0


def test_ctrl_c_keeps_finished_cases(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import os, signal

        before = signal.getsignal(signal.SIGINT)

        import pqlab, pqlab._progress

        class Shown(pqlab._progress.Shown):
            def finished(self, case, error):
                os.kill(os.getpid(), signal.SIGINT)

        pqlab._laboratory.Shown = Shown
        try:
            algorithms = ["ML-KEM-512", "ML-KEM-1024", "X25519"]
            # With patience, disturbed cases finish only after all others.
            quickly = {"quick": True, "processes": 1, "patience": 0}
            pqlab.run("kem", algorithms=algorithms, providers=["rustcrypto"], **quickly)
        except KeyboardInterrupt as stopped:
            assert isinstance(stopped, pqlab.Interrupted), stopped
            assert stopped.run.cases and not stopped.run.complete
            assert pqlab.open().run(stopped.run.id).cases == stopped.run.cases
            print(stopped)
        assert signal.getsignal(signal.SIGINT) is before
        """
    )
    environment = {**os.environ, "PQLAB_DB": str(tmp_path / "pqlab.db")}
    ran = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "pqlab.resume() continues the run" in ran.stdout


def test_the_command_is_installed() -> None:
    from pqlab import _worker

    output = subprocess.run([_worker.program(), "--version"], capture_output=True, text=True, check=True).stdout
    assert pqlab.__version__ in output


def test_without_tqdm_a_terminal_shows_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown = _progress.Shown("cases")
    shown.begin("run", 3)
    shown.working("kem/X25519/keygen@openssl", 1.5)
    shown.close()
    output = capsys.readouterr().err
    assert output.startswith("\r1.5/3 cases  kem/X25519/keygen@openssl") and output.endswith("\n")
