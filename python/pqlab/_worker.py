"""Finds the program that measures: the `pqlab` command that is installed with this package."""

from __future__ import annotations

import os
import sysconfig
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from pqlab._errors import LibraryError


def program() -> str:
    """Returns the path of the program, which the ``PQLAB_WORKER`` environment variable overrides.

    A program from a different build is rejected when it starts.

    :raises LibraryError: The program cannot be found.
    """
    named = os.environ.get("PQLAB_WORKER")
    if named:
        return named
    for path in _candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    raise LibraryError(
        "the pqlab program is missing from this installation",
        "install the package again, or set PQLAB_WORKER to the path of the program",
    )


def _candidates() -> list[Path]:
    found: list[Path] = []
    try:
        files = distribution("pqlab").files or []
    except PackageNotFoundError:
        files = []
    found += [Path(str(file.locate())).resolve() for file in files if file.name == "pqlab"]
    found.append(Path(sysconfig.get_path("scripts"), "pqlab"))
    return found
