"""One library against another, and a run against one that is kept by a name."""

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
    """Two libraries in one run."""

    run: Run
    """The run that has both."""
    comparison: dict[str, Any]
    """The document of ``pqlab compare-libraries --json``: ``["cases"]`` with a ``["verdict"]`` each, on the second against the first."""
    markdown: str
    """A table for a comment on a pull request."""


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

    Each is ``[LABEL=]KIND:PATH`` (``liboqs``, ``openssl`` or ``nist``) or a provider. ``what`` are suites, areas or algorithms; with
    none the KEMs and signatures that both have are compared. ``margin`` is the percentage within which differences are equivalent,
    2 where none is given; ``metric`` is ``auto``, ``time`` or ``cycles``. ``how`` is what :func:`pqlab.run` takes.
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
    """What a run against its baseline came to."""

    run: Run
    """What was measured to be checked."""
    word: str
    """``PASS``, ``FAIL`` or ``UNDECIDED``."""
    cases: dict[str, str]
    """The same of each case."""
    sentence: str
    """The word, and the cases that make it."""
    comparison: dict[str, Any]
    """The run against the baseline, as ``pqlab run --baseline --json`` has it."""
    confirmations: tuple[dict[str, Any], ...]
    """Likewise of what was measured again, in runs of its own."""


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
    """Measures the cases of a stored run once more. Is any slower by more than ``fail_slower`` percent?

    What is not certain is measured again with fresh processes, at most twice. A baseline of another machine is judged only if
    ``elsewhere`` is true; otherwise the word is ``UNDECIDED``. ``how`` is what :func:`pqlab.run` takes.
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
