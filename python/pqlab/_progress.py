"""Shows progress with a `tqdm` bar, or with one line on a terminal if `tqdm` is not installed. Notes go to the logger
`pqlab`."""

from __future__ import annotations

import importlib
import logging
import shutil
import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

_log = logging.getLogger("pqlab")


class Shown:
    """Receives progress events from the compiled module."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._bar: Any = None

    def begin(self, run: str, remaining: int) -> None:
        try:
            with warnings.catch_warnings():
                # tqdm warns if a notebook does not support widgets, and then prints a text bar.
                warnings.simplefilter("ignore")
                tqdm: Any = importlib.import_module("tqdm.auto").tqdm
        except ImportError:
            if sys.stderr.isatty():
                self._bar = _Line(remaining, self._unit)
            return
        layout = "{l_bar}{bar}| {n:.1f}/{total} {unit} [{elapsed}<{remaining}]{postfix}"
        self._bar = tqdm(total=remaining, desc=run or None, unit=self._unit, bar_format=layout)

    def working(self, case: str, done: float) -> None:
        if self._bar is not None and done > self._bar.n:
            self._bar.set_postfix_str(case, refresh=False)
            self._bar.update(done - self._bar.n)

    def finished(self, case: str, error: str | None) -> None:
        if error is not None:
            _log.warning("%s failed: %s", case, error)

    def note(self, text: str) -> None:
        _log.info("%s", text)

    def close(self) -> None:
        """Closes the bar and leaves it on the screen."""
        if self._bar is not None:
            self._bar.close()


class _Line:
    """Replacement for a `tqdm` bar, which prints one line on the terminal. Implements only the methods used here."""

    def __init__(self, total: int, unit: str) -> None:
        self.n = 0.0
        self._total = total
        self._unit = unit
        self._case = ""

    def set_postfix_str(self, case: str, refresh: bool) -> None:
        self._case = case

    def update(self, done: float) -> None:
        self.n += done
        text = f"{self.n:.1f}/{self._total} {self._unit}  {self._case}"
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r{text[:width]:<{width}}")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\n")


@contextmanager
def bar(wanted: bool, unit: str) -> Generator[Shown | None]:
    """Yields a progress bar if ``wanted`` is true, else ``None``. Closes the bar at the end."""
    shown = Shown(unit) if wanted else None
    try:
        yield shown
    finally:
        if shown is not None:
            shown.close()


def note(text: str) -> None:
    _log.info("%s", text)
