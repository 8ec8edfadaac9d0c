"""Tests whether the time of an operation depends on a secret."""

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
    """Tests whether the time of operations depends on a secret.

    :param cases: Ids or patterns of operations or single tests, in which ``*`` matches any text.
    :param samples: Samples per test, half of them from each class of inputs (default 200,000). If ``max_time`` ends
        first, a test takes fewer samples.
    :param effect: Smallest difference in ns that matters (default 30).
    :param planted: Artificial delay in ns that a test must detect to be valid (default 50).
    :param max_time: Time limit for each test in seconds (default 60).
    :param seed: Seed for keys, inputs and their order (default 1).
    :param repeat: Number of times to run every test, with a different seed each time (default 1).
    :param taint: Instead of timing, run each operation once under valgrind and report branches and addresses that
        depend on the secret (default false).
    :param libraries: Shared libraries, as for :func:`pqlab.run`.
    :param progress: Whether to show a progress bar (default true).
    :return: Output of ``pqlab leak --json`` as a dictionary. Each entry of ``["tests"]`` contains a ``["verdict"]``
        (``leak``, ``public-dependent``, ``none``, ``inconclusive``, ``void``, ``unsupported`` or ``failed``) and
        ``["limits"]``, which lists what the verdict does not cover. With ``taint``, output of
        ``pqlab leak --taint --json``, in which each test contains ``["findings"]``.
    :raises pqlab.InvalidArgument: No case is named, or a number is out of range.
    :raises pqlab.UnknownName: A pattern matches nothing.
    :raises pqlab.Interrupted: Ctrl-C was pressed. No result is stored.
    """
    if not cases:
        raise InvalidArgument("cases: none given", 'pqlab.leak_tests() lists all tests, and "*" selects all')
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
    """Returns the available leak tests for the operations ``cases`` (default all operations).

    Each test contains its id in ``["case"]`` and its input classes in ``["classes"]``.

    :raises pqlab.UnknownName: A pattern matches nothing.
    """
    asked = request(what=cases or ("*",), libraries=libraries)
    found: list[dict[str, Any]] = json.loads(_pqlab.leak_tests(asked))
    return found
