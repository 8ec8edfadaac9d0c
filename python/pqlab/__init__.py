"""pqlab: a laboratory for post-quantum cryptography.

>>> import pqlab
>>> run = pqlab.run("kem", algorithms=["ML-KEM-768"], precision=0.01)
>>> run.findings["answers"]
>>> run.chart("latency")
"""

from __future__ import annotations

from pqlab import ledger, stats
from pqlab._errors import (
    Error,
    Interrupted,
    InvalidArgument,
    LibraryError,
    StoreError,
    UnknownName,
    VerificationFailed,
)
from pqlab._functions import Benchmark, benchmark
from pqlab._laboratory import (
    Measuring,
    Options,
    algorithms,
    cases,
    counters,
    doctor,
    inspect,
    measure,
    providers,
    resume,
    run,
    suites,
    verify,
)
from pqlab._pqlab import Ntor, NtorClient, NtorRelay, __version__
from pqlab._runs import Database, Run, load
from pqlab._runs import open_database as open
from pqlab.certificates import HybridCertificate
from pqlab.constructions import (
    KEM,
    HybridKEM,
    HybridSign,
    KeyPair,
    PublicKey,
    SecretKey,
    Sign,
    hash,
    hash_rows,
    kem,
    signature,
    xof,
)

__all__ = [
    "KEM",
    "Benchmark",
    "Database",
    "Error",
    "HybridCertificate",
    "HybridKEM",
    "HybridSign",
    "Interrupted",
    "InvalidArgument",
    "KeyPair",
    "LibraryError",
    "Measuring",
    "Ntor",
    "NtorClient",
    "NtorRelay",
    "Options",
    "PublicKey",
    "Run",
    "SecretKey",
    "Sign",
    "StoreError",
    "UnknownName",
    "VerificationFailed",
    "__version__",
    "algorithms",
    "benchmark",
    "cases",
    "counters",
    "doctor",
    "hash",
    "hash_rows",
    "inspect",
    "kem",
    "ledger",
    "load",
    "measure",
    "open",
    "providers",
    "resume",
    "run",
    "signature",
    "stats",
    "suites",
    "verify",
    "xof",
]
