"""Comparisons of libraries, runs and cases, baselines, stored runs, and reports."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest

import pqlab

def worker() -> Path | None:
    cache = Path(os.environ.get("PQLAB_CACHE") or Path.home() / ".cache/pqlab")
    built = cache / "workers/python"
    return built if built.is_file() else None


def test_two_libraries_are_compared(tmp_path: Path) -> None:
    database = tmp_path / "pqlab.db"
    found = pqlab.compare_libraries(
        "rustcrypto",
        "aws-lc",
        "kem",
        algorithms=["X25519"],
        filters=["*/encapsulate[]@*"],
        processes=2,
        max_time=0.1,
        database=database,
        progress=False,
    )
    assert found.run.complete and {case.split("@")[1] for case in found.run.cases} >= {"rustcrypto", "aws-lc"}
    assert [case["verdict"] for case in found.comparison["cases"]]
    assert found.markdown.startswith("#") or "|" in found.markdown
    assert pqlab.open(database).run("last").id == found.run.id
    with pytest.raises(pqlab.InvalidArgument, match="both sides are aws-lc"):
        pqlab.compare_libraries("aws-lc", "aws-lc", progress=False)
    with pytest.raises(pqlab.UnknownName):
        pqlab.compare_libraries("aws-lc", "nothing", progress=False)
    with pytest.raises(pqlab.InvalidArgument, match="providers"):
        pqlab.compare_libraries("aws-lc", "rustcrypto", providers=["aws-lc"], progress=False)


def test_cases_of_one_run_are_compared(run: pqlab.Run) -> None:
    pairs = run.compare_cases("kem/ML-KEM-768/*", "kem/X25519/*")
    assert len(pairs["cases"]) == 1 and pairs["cases"][0]["verdict"] in {"faster", "slower", "inconclusive", "equivalent"}
    stored = pqlab.open()
    assert stored.compare("kem/ML-KEM-768/*", "kem/X25519/*", run=run.id)["cases"] == pairs["cases"]
    with pytest.raises(pqlab.UnknownName):
        run.compare_cases("kem/nothing/*", "kem/X25519/*")


def test_runs_are_compared_with_published_figures(run: pqlab.Run) -> None:
    found = run.compare_published(all_cpus=True)
    assert found["run"] == run.id and found["answer"].startswith("Answer: ")
    pairs = found["pairs"] + found["other_cpus"]
    assert pairs and all(pair["case"] in run.cases and pair["reasons"] for pair in pairs)
    assert {pair["source"] for pair in pairs} == {source["id"] for source in found["sources"]}
    assert run.compare_published()["other_cpus"] == []


def test_stored_runs_are_compared(run: pqlab.Run) -> None:
    stored = pqlab.open()
    assert {case["verdict"] for case in stored.compare(run.id, run.id)["cases"]} <= {"equivalent", "inconclusive"}
    with pytest.raises(pqlab.UnknownName):
        stored.compare(run.id, since=timedelta(days=3650))
    with pytest.raises(pqlab.InvalidArgument, match="since"):
        stored.compare(run.id, since=timedelta(0))
    with pytest.raises(pqlab.InvalidArgument, match="since"):
        stored.compare(run.id, run.id, since=timedelta(days=1))


def test_a_run_is_checked_against_a_baseline(run: pqlab.Run, tmp_path: Path) -> None:
    stored = pqlab.open(tmp_path / "kept.db")
    assert stored.add(run) == [run.id] and stored.add(run) == []
    stored.name(run.id, "release-1.0")
    assert stored.names() == {"release-1.0": run.id}
    checked = pqlab.check("release-1.0", fail_slower=900.0, database=stored.path, progress=False)
    assert checked.word in {"PASS", "FAIL", "UNDECIDED"} and checked.sentence.startswith(checked.word)
    assert set(checked.cases) <= set(run.cases) and set(checked.cases.values()) <= {"PASS", "FAIL", "UNDECIDED"}
    assert all("outcome" in case for case in checked.comparison["cases"])
    stored.name(checked.run.id, "release-1.1")
    with pytest.raises(pqlab.InvalidArgument, match="release-1.0 already belongs to run"):
        stored.name(checked.run.id, "release-1.0")
    stored.name(checked.run.id, "release-1.0", force=True)
    with pytest.raises(pqlab.UnknownName):
        pqlab.check("nothing", database=stored.path, progress=False)
    with pytest.raises(pqlab.InvalidArgument, match="fail_slower"):
        pqlab.check("release-1.0", fail_slower=-1.0, database=stored.path, progress=False)


def test_deletes_all_runs_or_none(run: pqlab.Run, tmp_path: Path) -> None:
    stored = pqlab.open(tmp_path / "some.db")
    stored.add(run)
    with pytest.raises(pqlab.UnknownName):
        stored.delete(run.id, "nothing")
    assert stored.delete("last", run.id) == [run.id] and stored.runs() == []


def test_files_are_read_before_anything_is_stored(run: pqlab.Run, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    run.save(good)
    bad.write_text("{}")
    stored = pqlab.open(tmp_path / "files.db")
    with pytest.raises(pqlab.StoreError, match=r"bad\.json: not a pqlab run"):
        stored.add(good, bad)
    assert not Path(stored.path).exists()
    assert stored.add(good, run) == [run.id]
    assert [loaded.id for loaded in pqlab.load_all(good, good)] == [run.id, run.id]


def test_report_covers_several_runs(run: pqlab.Run, tmp_path: Path) -> None:
    stored = pqlab.open()
    page = stored.report(tmp_path / "one", run.id, job={"sign": 1, "verify": 100}, links=["2M"], rtt=300.0)
    assert page == tmp_path / "one" / "index.html" and run.id in page.read_text()
    assert stored.report(tmp_path / "all").is_file()
    assert stored.report(tmp_path / "merged", run.id, merge=True).is_file()
    with pytest.raises(pqlab.InvalidArgument, match="invalid link speed"):
        stored.report(tmp_path / "none", run.id, links=["fast"])


def test_site_covers_all_runs(run: pqlab.Run, tmp_path: Path) -> None:
    stored = pqlab.open()
    first = stored.site(tmp_path / "site", base_url="https://host.example/bench")
    assert first == tmp_path / "site" / "index.html"
    assert f"runs/{run.id}.html" in first.read_text() and (tmp_path / "site" / "runs" / f"{run.id}.html").is_file()
    feed = ElementTree.parse(tmp_path / "site" / "feed.xml").getroot()
    assert feed.tag == "{http://www.w3.org/2005/Atom}feed"
    with pytest.raises(pqlab.InvalidArgument, match=r"base_url: .*invalid site URL"):
        stored.site(tmp_path / "none", base_url="here")


def test_a_run_accepts_other_assumptions(run: pqlab.Run) -> None:
    other = run.assuming(job={"sign": 1, "verify": 100}, rtt=1.0)
    assert other.id == run.id and other.results == run.results
    with pytest.raises(pqlab.InvalidArgument, match="job"):
        run.assuming(job={"fly": 1})
    with pytest.raises(pqlab.InvalidArgument, match="circuits"):
        run.assuming(circuits_per_second=0.0)


def test_a_run_is_shown_as_on_the_command_line(run: pqlab.Run) -> None:
    text = run.show()
    assert "ML-KEM-768" in text and run.id in text and "\x1b" not in text
    case = run.show("kem/X25519/encapsulate@*")
    assert "kem/X25519/encapsulate@rustcrypto" in case and "ML-KEM-768/encapsulate" not in case
    with pytest.raises(pqlab.UnknownName):
        run.show("kem/nothing/*")


def test_export_checks_its_options(run: pqlab.Run) -> None:
    formats = {entry["name"]: entry for entry in pqlab.exporters()}
    assert formats["csv"]["extension"] == "csv" and all(entry["about"] for entry in formats.values())
    assert run.export("google-benchmark-csv").splitlines()
    with pytest.raises(pqlab.InvalidArgument, match="none of the cases"):
        run.export("google-benchmark-csv", names="reference")
    with pytest.raises(pqlab.InvalidArgument, match="names"):
        run.export("csv", names="both")
    with pytest.raises(pqlab.InvalidArgument, match="a single table"):
        run.export("parquet", table="sizes")


def test_a_plan_measures_nothing() -> None:
    planned = pqlab.plan("kem", filters=["*X25519/encapsulate[]@rustcrypto"], quick=True)
    assert planned["cases"] == ["kem/X25519/encapsulate@rustcrypto"] and planned["seconds"] > 0
    assert planned["unknown"] == planned["measured"]
    fixed = pqlab.plan("kyber768", providers=["rustcrypto"], iterations=10)
    assert any("ML-KEM-768" in note for note in fixed["notes"])


@pytest.mark.skipif(worker() is None, reason="needs the Python worker, built by `make workers`")
def test_a_worker_in_another_language_is_a_provider() -> None:
    spec = f"py={worker()}"
    offered = pqlab.worker(spec)
    algorithm = next(entry["algorithm"] for entry in offered["algorithms"] if entry["kind"] == "hash")
    assert offered["label"] == "py" and offered["version"]
    assert "py" in {entry["id"] for entry in pqlab.providers(workers=[spec])}
    ids = pqlab.cases("hash", providers=["py"], algorithms=[algorithm], workers=[spec])
    assert ids
    run = pqlab.run(
        "hash",
        filters=[ids[0]],
        processes=1,
        max_time=0.2,
        workers=[spec],
        database=":memory:",
        progress=False,
    )
    assert ids[0] in run.cases and all(result["status"] == "ok" for result in run.results)
    looked = pqlab.verify(
        algorithms=[algorithm], providers=["py"], interoperability=False, workers=[spec], progress=False
    )
    assert looked["totals"]["failed"] == 0 and looked["totals"]["passed"] > 0


def test_statistics_read_files(tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text("[1.0, 1.1, 0.9, 1.0]")
    after.write_text("[2.0, 2.1, 1.9, 2.0]")
    (one,) = pqlab.stats.file_report(before)["series"]
    assert one["n"] == 4 and one["mean"] == pytest.approx(1.0)
    (compared,) = pqlab.stats.file_report(before, after, resamples=100)["comparisons"]
    assert compared["overhead_pct"] == pytest.approx(100.0)
    with pytest.raises(pqlab.StoreError):
        pqlab.stats.file_report(tmp_path / "nothing.csv")
    with pytest.raises(pqlab.InvalidArgument, match="confidence"):
        pqlab.stats.file_report(before, confidence=95.0)


def test_accumulated_answers_need_a_published_number() -> None:
    with pytest.raises(pqlab.InvalidArgument, match="no digest is published"):
        pqlab.verify(accumulated=12, progress=False)
    with pytest.raises(pqlab.InvalidArgument, match="either"):
        pqlab.verify(accumulated=100, long=True, progress=False)


def test_a_ledger_has_two_forms(tmp_path: Path) -> None:
    path = tmp_path / "reference.tx"
    pqlab.ledger.generate_block(path, 3, form="txv1", senders=1)
    assert pqlab.ledger.verify_block(path, form="txv1").rejected == 0
    with pytest.raises(pqlab.InvalidArgument, match="form"):
        pqlab.ledger.verify_block(path)
    with pytest.raises(pqlab.InvalidArgument, match="txv3"):
        pqlab.ledger.generate_block(path, 3, form="txv3")


def test_harness_can_be_tested(tmp_path: Path) -> None:
    case = "hash/SHA3-256/*@rustcrypto"
    noise = pqlab.measure_noise(
        case, comparisons=5, processes=3, max_time=0.02, database=tmp_path / "noise.db", progress=False
    )
    assert noise["comparisons"] >= 1 and noise["margin_pct"] > 0
    few = {"algorithms": ["X25519"], "providers": ["rustcrypto"], "filters": ["*/encapsulate[]@*"]}
    between = pqlab.measure_between("kem", runs=3, pause=0.0, progress=False, processes=3, max_time=0.02, **few)  # type: ignore[arg-type]
    assert between["runs"] == 3 and "coverage_pct" in between["time"]
    alone = pqlab.measure_independence("kem", repetitions=1, progress=False, processes=3, max_time=0.02, **few)  # type: ignore[arg-type]
    assert alone["holds"] in {True, False} and alone["summary"]["cases"] == 1
    with pytest.raises(pqlab.InvalidArgument, match="runs"):
        pqlab.measure_between("kem", runs=2, progress=False)
    with pytest.raises(pqlab.UnknownName):
        pqlab.measure_noise("kem/nothing/*", progress=False)
