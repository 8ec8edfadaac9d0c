"""Tests of whether the time of an operation depends on its secret."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pqlab import _pqlab
from pqlab._errors import InvalidArgument
from pqlab._progress import bar
from pqlab._request import request


def leak(
    *cases: str,
    samples: int = 200_000,
    effect: float = 30.0,
    planted: float = 50.0,
    max_time: float = 60.0,
    seed: int = 1,
    repeat: int = 1,
    taint: bool = False,
    libraries: Iterable[str] = (),
    progress: bool = True,
) -> dict[str, Any]:
    """Tests whether the time of operations depends on their secrets.

    :param cases: Patterns of operations or of single tests, in which ``*`` matches any text.
    :param samples: Samples of each test, half of them for each class of inputs (default 200,000). A test takes fewer
        if ``max_time`` ends first.
    :param effect: Smallest difference in ns that matters (default 30).
    :param planted: Artificial delay in ns that each test must detect to be valid (default 50).
    :param max_time: Maximum time for a test in seconds (default 60).
    :param seed: Seed of keys, inputs and order (default 1).
    :param repeat: Number of repetitions of every test, each with another seed (default 1).
    :param taint: Time nothing. Instead run each operation once under valgrind, which reports each branch and each
        address that depends on the secret (default false).
    :param libraries: Shared libraries, as in :func:`pqlab.run`.
    :param progress: Whether to show a progress bar (default true).
    :return: The document of ``pqlab leak --json``. Each of ``["tests"]`` has a ``["verdict"]`` (``leak``,
        ``public-dependent``, ``none``, ``inconclusive``, ``void``, ``unsupported`` or ``failed``), and in
        ``["limits"]`` what the verdict does not cover. With ``taint`` the document of ``pqlab leak --taint --json``,
        in which each test has ``["findings"]``.
    :raises pqlab.InvalidArgument: No case is named, or a number is out of range.
    :raises pqlab.UnknownName: A pattern matches nothing.
    :raises pqlab.Interrupted: Ctrl-C was pressed. Nothing is kept.
    """
    if not cases:
        raise InvalidArgument("cases: none given", 'pqlab.leak_tests() lists them, "*" selects all')
    asked = {
        "samples": samples,
        "effect_ns": effect,
        "control_delay_ns": planted,
        "max_time_s": max_time,
        "seed": seed,
        "repeat": repeat,
        "taint": taint,
    }
    with bar(progress, "tests") as shown:
        found: dict[str, Any] = json.loads(
            _pqlab.leak(request(what=cases, libraries=libraries), json.dumps(asked, allow_nan=True), shown)
        )
    return found


def leak_tests(*cases: str, libraries: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Returns the leak tests of these operations (default all), each with its ``["case"]`` and ``["classes"]`` of
    inputs.

    :raises pqlab.UnknownName: A pattern matches nothing.
    """
    asked = request(what=cases or ("*",), libraries=libraries)
    found: list[dict[str, Any]] = json.loads(_pqlab.leak_tests(asked))
    return found
