"""Comparison of two libraries, and comparison of a new run with a stored baseline."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Unpack

from pqlab import _pqlab
from pqlab._errors import InvalidArgument
from pqlab._progress import bar
from pqlab._request import Loaded, Path, asked_for, file_name
from pqlab._runs import Run, stopped_runs


@dataclass(frozen=True)
class ComparedLibraries:
    """Result of :func:`pqlab.compare_libraries`."""

    run: Run
    """The run that measured both libraries."""
    comparison: dict[str, Any]
    """Output of ``pqlab compare-libraries --json`` as a dictionary. Each entry of ``["cases"]`` contains a
    ``["verdict"]``, which says how the second library compares with the first."""
    markdown: str
    """Markdown table for a comment on a pull request."""


def compare_libraries(
    first: str,
    second: str,
    *what: str,
    margin: float | None = None,
    metric: str = "auto",
    database: Path | None = None,
    progress: bool = True,
    **how: Unpack[Loaded],
) -> ComparedLibraries:
    """Measures the same cases with two libraries, in the same rounds, and compares the second library with the first.

    :param first: Baseline library, either a provider id or
        ``[LABEL=]KIND:PATH``, where the kind is ``liboqs``, ``openssl`` or ``nist``.
    :param second: Library to compare with the baseline, in the same form.
    :param what: Suites, areas or algorithms (default all KEMs and signatures that both libraries offer).
    :param margin: Differences up to this percentage are equivalent (default 2).
    :param metric: Unit of the comparison, ``auto``, ``time`` or ``cycles`` (default ``auto``, which means cycles if the
        run counted them).
    :param database: Database file for the run (default is the command line's database).
    :param progress: Whether to show a progress bar (default true).
    :param how: Other arguments, as for :func:`pqlab.run`, except ``providers``.
    :return: The run, the comparison and a Markdown table.
    :raises pqlab.InvalidArgument: An argument is invalid, or both libraries are the same.
    :raises pqlab.UnknownName: A library or a name is unknown.
    :raises pqlab.Interrupted: Ctrl-C was pressed. The exception carries the partial run.
    """
    if "providers" in how:
        raise InvalidArgument("providers: not allowed, because the compared libraries are the providers")
    asked = asked_for(what, how, "pqlab.compare_libraries")
    with bar(progress, "cases") as shown, stopped_runs():
        found = _pqlab.compare_libraries(asked, (first, second), margin, metric, file_name(database), shown)
    measured, comparison, markdown = found
    return ComparedLibraries(Run(measured), json.loads(comparison), markdown)


@dataclass(frozen=True)
class Check:
    """Result of :func:`pqlab.check`."""

    run: Run
    """The new run."""
    word: str
    """``PASS``, ``FAIL`` or ``UNDECIDED``."""
    cases: dict[str, str]
    """``PASS``, ``FAIL`` or ``UNDECIDED`` for each case, by case id."""
    sentence: str
    """Overall result in a sentence, with the cases that decided it."""
    comparison: dict[str, Any]
    """Comparison of the run with the baseline, as in ``pqlab gate --format events``."""
    confirmations: tuple[dict[str, Any], ...]
    """Comparisons from the repeated runs, which measure only cases that did not pass."""


def check(
    baseline: str,
    *,
    fail_slower: float = 5.0,
    elsewhere: bool = False,
    metric: str = "auto",
    database: Path | None = None,
    progress: bool = True,
    **how: Unpack[Loaded],
) -> Check:
    """Measures the cases of a stored run again and reports whether any case got slower.

    Cases that do not pass are measured again in fresh processes, at most twice.

    :param baseline: Id, unique id prefix or name of the stored run, or ``last`` or ``last~1``.
    :param fail_slower: A case fails if it is slower by more than this percentage (default 5).
    :param elsewhere: Whether to accept a baseline from another machine (default false: such a baseline gives
        ``UNDECIDED``).
    :param metric: Unit of the comparison, ``auto``, ``time`` or ``cycles`` (default ``auto``, which means cycles if
        both runs counted them).
    :param database: Database file for the runs (default is the command line's database).
    :param progress: Whether to show a progress bar (default true).
    :param how: Other arguments, as for :func:`pqlab.run`.
    :return: The result, with the new run.
    :raises pqlab.InvalidArgument: An argument is invalid.
    :raises pqlab.UnknownName: The run does not exist.
    :raises pqlab.Interrupted: Ctrl-C was pressed. The exception carries the partial run.
    """
    asked = asked_for((), how, "pqlab.check")
    with bar(progress, "cases") as shown, stopped_runs():
        measured, document = _pqlab.check_run(asked, baseline, fail_slower, elsewhere, metric, file_name(database), shown)
    found: dict[str, Any] = json.loads(document)
    return Check(
        run=Run(measured),
        word=found["word"],
        cases=found["cases"],
        sentence=found["line"],
        comparison=found["comparison"],
        confirmations=tuple(found["confirmations"]),
    )
