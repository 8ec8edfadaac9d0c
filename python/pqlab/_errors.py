"""What goes wrong, by how it is answered. Every message says what and where, and what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pqlab._runs import Run


class Error(Exception):
    """What pqlab raises. ``str()`` is the whole message."""

    reason: str
    """What is wrong, and where."""
    remedy: str
    """What can be done about it; empty where the reason says it all."""

    def __init__(self, reason: str = "", remedy: str = "") -> None:
        super().__init__(reason, remedy)
        self.reason = reason
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.reason}: {self.remedy}" if self.remedy else self.reason


class InvalidArgument(Error, ValueError):
    """An argument has a value that cannot be used."""


class UnknownName(Error, LookupError):
    """A name, a pattern or a reference stands for nothing."""


class VerificationFailed(Error):
    """A signature, a tag or a certificate does not verify."""


class LibraryError(Error):
    """A library failed, gave a wrong answer, or cannot be loaded; or a worker process cannot be worked with."""


class StoreError(Error):
    """A database or another file cannot be read or written."""


class Interrupted(Error, KeyboardInterrupt):
    """Ctrl-C. Of a run, what was finished before is kept."""

    run: Run | None = None
    """The run that was stopped, with its finished cases; ``pqlab.resume(error.run.id)`` goes on with it."""
