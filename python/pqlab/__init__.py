"""pqlab: a laboratory for post-quantum cryptography."""

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
from pqlab._pqlab import Ntor, NtorClient, NtorRelay, __version__
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
    "Error",
    "HybridCertificate",
    "HybridKEM",
    "HybridSign",
    "Interrupted",
    "InvalidArgument",
    "KeyPair",
    "LibraryError",
    "Ntor",
    "NtorClient",
    "NtorRelay",
    "PublicKey",
    "SecretKey",
    "Sign",
    "StoreError",
    "UnknownName",
    "VerificationFailed",
    "__version__",
    "hash",
    "hash_rows",
    "kem",
    "ledger",
    "signature",
    "stats",
    "xof",
]
