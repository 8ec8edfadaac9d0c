"""The index that ``scripts/results`` makes of the records of several machines."""

from __future__ import annotations

import csv
import gzip
import importlib.machinery
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "results"


def row(case: str, cycles: float, disturbed: bool = False, ranked: bool = True) -> dict[str, object]:
    """Returns a row of results.csv with an interval of ±1%. Fields of the mean are wrong, because the case has a median."""
    median = {"core_cycles": cycles, "core_cycles_low": cycles / 1.01, "core_cycles_high": cycles * 1.01}
    mean = {"mean_core_cycles": 1, "mean_core_cycles_low": 1, "mean_core_cycles_high": 1}
    marks = {"disturbed": str(disturbed).lower(), "ranked": str(ranked).lower()}
    return {"id": case, "status": "ok", "workload": "kem", "statistic": "median", **median, **mean, **marks}


def write(records: Path, kind: str, suites: dict[str, list[dict[str, object]]]) -> None:
    """Writes the record of a machine."""
    for suite, rows in suites.items():
        (records / kind / suite).mkdir(parents=True)
        with gzip.open(records / kind / suite / "results.csv.gz", "wt", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    times = {"started_at": "2026-11-26T18:00:00Z", "finished_at": "2026-11-26T18:10:00Z"}
    runs = [{"suite": suite, "machine": f"machine {kind}", "commit": "0123456789ab", **times} for suite in suites]
    (records / kind / "runs.json").write_text(json.dumps(runs), encoding="utf-8")


def results(option: str, records: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), option, "--out", str(records)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def index(records: Path) -> str:
    done = results("--index", records)
    assert done.returncode == 0, done.stderr
    return (records / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Records of two machines. The second one measured only the suite kem."""
    keygen, encapsulate, decapsulate = (f"kem/ML-KEM-768/{name}" for name in ("keygen", "encapsulate", "decapsulate"))
    write(
        tmp_path,
        "amd-zen-4",
        {
            "standard": [row(f"{keygen}@liboqs", 999)],
            "kem": [
                row(f"{keygen}@aws-lc", 100),
                row(f"{keygen}@liboqs", 90),
                row(f"{keygen}@mine", 10, ranked=False),
                row(f"{encapsulate}@aws-lc", 100),
                row(f"{encapsulate}@liboqs", 150),
                row(f"{encapsulate}@openssl", 96),
                row(f"{decapsulate}@aws-lc", 100),
                row(f"{decapsulate}@openssl", 200),
            ],
        },
    )
    write(
        tmp_path,
        "amd-zen-3",
        {
            "kem": [
                row(f"{keygen}@aws-lc", 200),
                row(f"{keygen}@liboqs", 190),
                row(f"{keygen}@mine", 20, ranked=False),
                row(f"{encapsulate}@aws-lc", 200),
                row(f"{encapsulate}@liboqs", 600),
                row(f"{encapsulate}@openssl", 208),
                row(f"{decapsulate}@aws-lc", 200),
                row(f"{decapsulate}@openssl", 400, disturbed=True),
            ]
        },
    )
    return tmp_path


def section(page: str, heading: str) -> list[str]:
    """Returns the rows of a table."""
    text = page.partition(f"### {heading}\n")[2].partition("\n###")[0]
    return [line for line in text.splitlines() if line.startswith("| ML-KEM")]


def test_sorts_ratios_into_those_that_hold_and_those_that_do_not(records: Path) -> None:
    page = index(records)
    assert "**1 of 3 ratios hold (33%).** In 1, the faster library depends on\nthe machine. Another 1 ratios" in page
    assert section(page, "Ratios that hold") == [
        "| ML-KEM-768 keygen | liboqs / aws-lc | 0.950 ±1.4% | 0.900 ±1.4% | 1.06 ±2.0% |"
    ]
    assert section(page, "Ratios that depend on the machine") == [
        "| ML-KEM-768 encapsulate | liboqs / aws-lc | 3.00 ±1.4% | 1.50 ±1.4% | 2.00 ±2.0% |",
        "| ML-KEM-768 encapsulate | openssl / aws-lc | 1.04 ±1.4% | 0.960 ±1.4% | 1.08 ±2.0%, order changes |",
    ]
    assert section(page, "Ratios with a figure on one machine") == [
        "| ML-KEM-768 decapsulate | openssl / aws-lc |  | 2.00 ±1.4% |"
    ]
    assert "mine" not in page, "figures that are not ranked must be left out"


def test_lists_the_machines_with_their_suites(records: Path) -> None:
    page = index(records)
    assert "| [amd-zen-3](amd-zen-3/README.md) | machine amd-zen-3 | kem | 2026-11-26 | `0123456789ab` |" in page
    assert "| standard, kem |" in page


def test_a_single_machine_has_no_verdicts(tmp_path: Path) -> None:
    write(tmp_path, "amd-zen-4", {"kem": [row(f"kem/X25519/keygen@{name}", 5) for name in ("aws-lc", "openssl")]})
    page = index(tmp_path)
    assert "No ratio has figures on two machines yet." in page and "Ratios that hold" not in page
    assert "| X25519 keygen | openssl / aws-lc | 1.00 ±1.4% |" in page


def test_check_finds_an_old_index_and_large_records(records: Path) -> None:
    index(records)
    assert results("--check", records).returncode == 0
    (records / "amd-zen-3" / "kem" / "large").write_bytes(bytes(6_500_001))
    large = results("--check", records)
    assert large.returncode == 1 and "more than the limit of 6,500,000" in large.stderr
    (records / "README.md").write_text("old\n", encoding="utf-8")
    old = results("--check", records)
    assert old.returncode == 1 and "is out of date" in old.stderr


@pytest.mark.parametrize(
    ("model", "numbers", "hidden", "kind"),
    [
        ("AMD EPYC", {"family": 25, "model": 17, "stepping": 1}, [], "amd-zen-4"),
        ("AMD EPYC 7763 64-Core Processor", {"family": 25, "model": 1, "stepping": 1}, [], "amd-zen-3"),
        ("AMD EPYC", {"family": 25, "model": 17, "stepping": 1}, ["avx512"], "amd-zen-4-without-avx512"),
        ("Intel(R) Xeon(R) Platinum 8488C", {"family": 6, "model": 143, "stepping": 8}, [], "intel-golden-cove"),
        ("New CPU", {"family": 99, "model": 2, "stepping": 0}, [], "new-cpu-family-99-model-2"),
        ("Neoverse-N1", None, [], "neoverse-n1"),
    ],
)
def test_the_kind_of_a_machine_names_its_core(
    model: str, numbers: dict[str, int] | None, hidden: list[str], kind: str
) -> None:
    loader = importlib.machinery.SourceFileLoader("results", str(SCRIPT))
    spec = importlib.util.spec_from_loader("results", loader)
    assert spec is not None
    script = importlib.util.module_from_spec(spec)
    loader.exec_module(script)
    cpu = {"model": model, "hidden_features": hidden, **({"numbers": numbers} if numbers else {})}
    assert script.kind_of(cpu) == kind


def test_the_published_index_is_up_to_date() -> None:
    done = results("--check", ROOT / "docs" / "results")
    assert done.returncode == 0, done.stderr
