"""pqlab: a laboratory for post-quantum cryptography.

>>> import pqlab
>>> run = pqlab.run("kem", algorithms=["ML-KEM-768"], precision=0.01)
>>> run.findings["answers"]
>>> run.chart("latency")
"""

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
from pqlab._laboratory import (
    Options,
    algorithms,
    cases,
    counters,
    doctor,
    inspect,
    providers,
    resume,
    run,
    suites,
    verify,
)
from pqlab._pqlab import __version__
from pqlab._runs import Database, Run, load
from pqlab._runs import open_database as open

__all__ = [
    "Database",
    "Error",
    "Interrupted",
    "InvalidArgument",
    "LibraryError",
    "Options",
    "Run",
    "StoreError",
    "UnknownName",
    "VerificationFailed",
    "__version__",
    "algorithms",
    "cases",
    "counters",
    "doctor",
    "inspect",
    "load",
    "open",
    "providers",
    "resume",
    "run",
    "suites",
    "verify",
]
