"""How far the figures of this machine can be trusted: tests of the measuring itself."""

from __future__ import annotations

import json
from typing import Any, Unpack

from pqlab import _pqlab
from pqlab._progress import bar
from pqlab._request import Path, Rules, Selected, asked_for, file_name


def measure_noise(
    case: str = "kem/ML-KEM-768/decapsulate@*",
    *,
    comparisons: int = 20,
    database: Path | None = None,
    progress: bool = True,
    **how: Unpack[Rules],
) -> dict[str, Any]:
    """Compares a case (of a pattern, the first that matches) with itself, and keeps for later verdicts what this says of the machine.

    Each of ``comparisons`` (at least 5) takes two runs. The answer is the document of ``pqlab doctor --aa --json``: how many verdicts
    were false, by how many percent whole runs differ, and the margin of later verdicts.
    """
    asked = asked_for((), how, "pqlab.measure_noise")
    with bar(progress, "runs") as shown:
        found: dict[str, Any] = json.loads(
            _pqlab.measure_noise(asked, case, comparisons, file_name(database), shown)
        )
    return found


def measure_independence(
    *suites: str, repetitions: int = 2, progress: bool = True, **how: Unpack[Selected]
) -> dict[str, Any]:
    """Measures suites (``standard`` where none is named) whole and each of their cases alone: does company change any?

    Everything is measured ``repetitions`` times. The answer is the document of ``pqlab doctor --independence --json``:
    ``["holds"]`` is false where a case remains changed after the correction for their number.
    """
    asked = asked_for(suites, how, "pqlab.measure_independence")
    with bar(progress, "cases") as shown:
        found: dict[str, Any] = json.loads(_pqlab.measure_independence(asked, repetitions, shown))
    return found


def measure_between(
    *suites: str, runs: int = 16, pause: float = 20.0, progress: bool = True, **how: Unpack[Selected]
) -> dict[str, Any]:
    """Measures suites ``runs`` times (at least 3), ``pause`` seconds apart: do the intervals of one run contain what others find?

    The answer is the document of ``pqlab doctor --between --json``: ``["time"]["coverage_pct"]`` is to be about 95.
    """
    asked = asked_for(suites, how, "pqlab.measure_between")
    with bar(progress, "cases") as shown:
        found: dict[str, Any] = json.loads(_pqlab.measure_between(asked, runs, pause, shown))
    return found
