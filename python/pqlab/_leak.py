"""Whether the time of an operation depends on its secret."""

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
    """Tests whether times depend on secrets. ``cases`` are operations or single tests, ``*`` standing for any text.

    Of each test ``samples`` are taken, half of them of each class of inputs, fewer where ``max_time`` (in seconds, for a test) allows
    no more. ``effect`` is the difference in ns that matters, ``planted`` the delay in ns that a test must find to be worth anything.
    Everything is tested ``repeat`` times, each time with another seed. With ``taint`` nothing is timed: each operation runs once
    under valgrind, which reports each branch and each address that depends on the secret.

    The answer is the document of ``pqlab leak --json``: of each of ``["tests"]`` its ``["verdict"]`` is ``leak``,
    ``public-dependent``, ``none``, ``inconclusive``, ``void``, ``unsupported`` or ``failed``, and its ``["limits"]`` what that does not
    say; or that of ``pqlab leak --taint --json``, with ``["findings"]`` of each.
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
    """The tests that there are of these operations, or of all: ``["case"]``, and what its ``["classes"]`` are."""
    asked = request(what=cases or ("*",), libraries=libraries)
    found: list[dict[str, Any]] = json.loads(_pqlab.leak_tests(asked))
    return found
