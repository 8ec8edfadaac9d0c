"""Exceptions that pqlab raises. Every message names the problem, its place, and a remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pqlab._runs import Run


class Error(Exception):
    """Base class of all exceptions that pqlab raises. ``str()`` returns the reason and the remedy."""

    reason: str
    """Description of the problem, with its place."""
    remedy: str
    """How to fix the problem. Empty if the reason makes that obvious."""

    def __init__(self, reason: str = "", remedy: str = "") -> None:
        super().__init__(reason, remedy)
        self.reason = reason
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.reason}: {self.remedy}" if self.remedy else self.reason


class InvalidArgument(Error, ValueError):
    """An argument has an invalid value."""


class UnknownName(Error, LookupError):
    """A name, a pattern or a reference matches nothing."""


class VerificationFailed(Error):
    """A signature, a tag or a certificate is not valid."""


class LibraryError(Error):
    """A library failed, returned a wrong result or cannot be loaded, or a worker process cannot be used."""


class StoreError(Error):
    """A database or another file cannot be read or written."""


class Interrupted(Error, KeyboardInterrupt):
    """Ctrl-C stopped the call. If the call was measuring a run, its finished cases are stored."""

    run: Run | None = None
    """The interrupted run with its finished cases, which ``pqlab.resume(error.run.id)`` resumes. ``None`` if the call
    stores no run."""
