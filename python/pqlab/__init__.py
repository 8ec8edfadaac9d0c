"""pqlab: a laboratory for post-quantum cryptography."""

from __future__ import annotations

from pqlab._errors import (
    Error,
    Interrupted,
    InvalidArgument,
    LibraryError,
    StoreError,
    UnknownName,
    VerificationFailed,
)
from pqlab._pqlab import __version__

__all__ = [
    "Error",
    "Interrupted",
    "InvalidArgument",
    "LibraryError",
    "StoreError",
    "UnknownName",
    "VerificationFailed",
    "__version__",
]
