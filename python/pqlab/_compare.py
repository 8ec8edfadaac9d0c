"""Comparison of two libraries, and of a new run with a stored baseline."""

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
    """The document of ``pqlab compare-libraries --json``. Each of ``["cases"]`` has a ``["verdict"]`` on the second
    library against the first."""
    markdown: str
    """Table for a comment on a pull request."""


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
    """Measures the same cases from two libraries, in the same rounds, and compares the second with the first.

    :param first: Library to compare with, a provider id or
        ``[LABEL=]KIND:PATH`` with the kind ``liboqs``, ``openssl`` or ``nist``.
    :param second: Library to judge, in the same form.
    :param what: Suites, areas or algorithms (default the KEMs and signatures that both libraries have).
    :param margin: Percentage within which differences count as equivalent (default 2).
    :param metric: Unit of the comparison, ``auto``, ``time`` or ``cycles`` (default ``auto``, cycles if both have
        them).
    :param database: File that keeps the run (default the one of the command line).
    :param progress: Whether to show a progress bar (default true).
    :param how: Other arguments of :func:`pqlab.run`, except ``providers``.
    :return: The run, the comparison and a Markdown table.
    :raises pqlab.InvalidArgument: An argument cannot be used, or both sides are the same.
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
    """The word for each case, by id."""
    sentence: str
    """The word, and the cases that decide it."""
    comparison: dict[str, Any]
    """Comparison of the run with the baseline, as in ``pqlab run --baseline --json``."""
    confirmations: tuple[dict[str, Any], ...]
    """Comparisons of the cases that were measured again, in further runs."""


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
    """Measures the cases of a stored run again and reports whether any is slower.

    Cases without a certain result are measured again with fresh processes, at most twice.

    :param baseline: Id, unique prefix or name of the stored run, ``last`` or ``last~1``.
    :param fail_slower: A case fails if it is slower by more than this percentage (default 5).
    :param elsewhere: Whether to judge a baseline from another machine (default false, the result is ``UNDECIDED``).
    :param metric: Unit of the comparison, ``auto``, ``time`` or ``cycles`` (default ``auto``, cycles if both have
        them).
    :param database: File that keeps the runs (default the one of the command line).
    :param progress: Whether to show a progress bar (default true).
    :param how: Other arguments of :func:`pqlab.run`.
    :return: The result, with the new run.
    :raises pqlab.InvalidArgument: An argument cannot be used.
    :raises pqlab.UnknownName: There is no such run.
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
