"""pqlab, a laboratory that benchmarks post-quantum cryptography.

>>> import pqlab
>>> run = pqlab.run("kem", algorithms=["ML-KEM-768"], precision=1)
>>> run.findings["answers"]
>>> run.chart("latency")
"""

from __future__ import annotations

from pqlab import cluster, fleet, ledger, stats
from pqlab._compare import Check, ComparedLibraries, check, compare_libraries
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
    algorithms,
    cases,
    counters,
    doctor,
    exporters,
    inspect,
    inspect_file,
    inspect_files,
    library,
    measure,
    plan,
    providers,
    resume,
    run,
    suites,
    verify,
    worker,
)
from pqlab._leak import leak, leak_tests
from pqlab._machine import measure_between, measure_independence, measure_noise, measure_placement
from pqlab._pqlab import Ntor, NtorClient, NtorRelay, __version__
from pqlab._request import Options
from pqlab._runs import Database, Run, load, load_all
from pqlab._runs import open_database as open
from pqlab._servers import Pages, Relay, ntor_client, ntor_relay, serve
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
    "Check",
    "ComparedLibraries",
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
    "Pages",
    "PublicKey",
    "Relay",
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
    "check",
    "cluster",
    "compare_libraries",
    "counters",
    "doctor",
    "exporters",
    "fleet",
    "hash",
    "hash_rows",
    "inspect",
    "inspect_file",
    "inspect_files",
    "kem",
    "leak",
    "leak_tests",
    "ledger",
    "library",
    "load",
    "load_all",
    "measure",
    "measure_between",
    "measure_independence",
    "measure_noise",
    "measure_placement",
    "ntor_client",
    "ntor_relay",
    "open",
    "plan",
    "providers",
    "resume",
    "run",
    "serve",
    "signature",
    "stats",
    "suites",
    "verify",
    "worker",
    "xof",
]
