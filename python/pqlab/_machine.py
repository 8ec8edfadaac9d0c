"""Tests of the harness, which show how reliable measurements on this machine are."""

from __future__ import annotations

import json
from typing import Any, Unpack

from pqlab import _pqlab
from pqlab._progress import bar
from pqlab._request import Path, Rules, Selected, asked_for, file_name


def measure_noise(
    case: str = "kem/ML-KEM-768/decapsulate[]@*",
    *,
    comparisons: int = 20,
    database: Path | None = None,
    progress: bool = True,
    **how: Unpack[Rules],
) -> dict[str, Any]:
    """Compares a case with itself repeatedly to measure this machine's noise, and stores the result.

    Later comparisons use the stored noise for their verdicts.

    :param case: Id or pattern of the case (default ML-KEM-768 decapsulation). Only the first match is measured.
    :param comparisons: Number of comparisons, each of two runs, at least 5 (default 20).
    :param database: Database file for the result (default is the command line's database).
    :param progress: Whether to show a progress bar (default true).
    :param how: Measurement settings, as for :func:`pqlab.run`.
    :return: Output of ``pqlab calibrate --json`` as a dictionary. It contains the number of false verdicts, the
        difference between whole runs in percent, and the margin for later verdicts.
    :raises pqlab.UnknownName: No case matches.
    :raises pqlab.Interrupted: Ctrl-C was pressed. No result is stored.
    """
    asked = asked_for((), how, "pqlab.measure_noise")
    with bar(progress, "runs") as shown:
        found: dict[str, Any] = json.loads(
            _pqlab.measure_noise(asked, case, comparisons, file_name(database), shown)
        )
    return found


def measure_placement(case: str, *, progress: bool = True) -> dict[str, Any]:
    """Tests whether memory layout or inputs make the processes of a case differ. Takes about half a minute.

    :param case: Id or pattern of the case. Only the first match is measured.
    :param progress: Whether to show a progress bar (default true).
    :return: Output of ``pqlab doctor --placement CASE --json`` as a dictionary. ``["factors"]`` contains what each
        factor explains.
    :raises pqlab.UnknownName: No case matches.
    :raises pqlab.Interrupted: Ctrl-C was pressed.
    """
    asked = asked_for((), {}, "pqlab.measure_placement")
    with bar(progress, "runs") as shown:
        found: dict[str, Any] = json.loads(_pqlab.measure_placement(asked, case, shown))
    return found


def measure_independence(
    *suites: str, repetitions: int = 2, progress: bool = True, **how: Unpack[Selected]
) -> dict[str, Any]:
    """Tests whether cases influence each other, by measuring whole suites and then each case alone.

    :param suites: Suites, areas or suite files (default is the ``standard`` suite).
    :param repetitions: Number of times to measure everything (default 2).
    :param progress: Whether to show a progress bar (default true).
    :param how: Selection of cases and measurement settings, as for :func:`pqlab.run`.
    :return: Output of ``pqlab calibrate --independence --json`` as a dictionary. ``["holds"]`` is false if a case
        differs even after correction for the number of cases.
    :raises pqlab.Interrupted: Ctrl-C was pressed. No result is stored.
    """
    asked = asked_for(suites, how, "pqlab.measure_independence")
    with bar(progress, "cases") as shown:
        found: dict[str, Any] = json.loads(_pqlab.measure_independence(asked, repetitions, shown))
    return found


def measure_between(
    *suites: str, runs: int = 16, pause: float = 20.0, progress: bool = True, **how: Unpack[Selected]
) -> dict[str, Any]:
    """Tests whether the intervals of a run contain the figures of other runs, by measuring suites repeatedly.

    :param suites: Suites, areas or suite files (default is the ``standard`` suite).
    :param runs: Number of runs, at least 3 (default 16).
    :param pause: Pause between two runs in seconds (default 20).
    :param progress: Whether to show a progress bar (default true).
    :param how: Selection of cases and measurement settings, as for :func:`pqlab.run`.
    :return: Output of ``pqlab calibrate --between --json`` as a dictionary. ``["time"]["coverage_pct"]`` should be
        about 95.
    :raises pqlab.InvalidArgument: ``runs`` or ``pause`` is out of range.
    :raises pqlab.Interrupted: Ctrl-C was pressed. No result is stored.
    """
    asked = asked_for(suites, how, "pqlab.measure_between")
    with bar(progress, "cases") as shown:
        found: dict[str, Any] = json.loads(_pqlab.measure_between(asked, runs, pause, shown))
    return found
