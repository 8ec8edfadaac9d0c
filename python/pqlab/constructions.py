"""KEMs, signatures, keys and hashes, over any library that pqlab contains.

Bytes and buffers of bytes go in, ``bytes`` come out. Where no provider is named, the first of those that offer the algorithm is
taken; of two halves each may have its own: ``provider="aws-lc+liboqs"``.
"""

from __future__ import annotations

from typing import Self

from pqlab import _pqlab
from pqlab._errors import InvalidArgument
from pqlab._pqlab import KEM, KeyPair, PublicKey, SecretKey, Sign, hash, xof

__all__ = [
    "KEM",
    "HybridKEM",
    "HybridSign",
    "KeyPair",
    "PublicKey",
    "SecretKey",
    "Sign",
    "hash",
    "hash_rows",
    "kem",
    "signature",
    "xof",
]


class HybridKEM(KEM):
    """A KEM of X25519 and ML-KEM-768: ``X-Wing``, ``MLKEM768-X25519-SHA3-256`` (composite), ``X25519MLKEM768`` (TLS), or the
    reference form ``X25519+ML-KEM-768``."""

    def __new__(cls, algorithm: str = "X-Wing", provider: str | None = None) -> Self:
        """The KEM of that name; another name is refused. Two libraries have a plus between them: ``aws-lc+liboqs``."""
        made = super().__new__(cls, algorithm, provider)
        if not made.is_hybrid:
            raise InvalidArgument(f"algorithm: {algorithm} is not a hybrid KEM", "use pqlab.KEM")
        return made


class HybridSign(Sign):
    """A signature scheme of Ed25519 and ML-DSA-65: the composite ``MLDSA65-Ed25519-SHA512``, or the reference form
    ``Ed25519+ML-DSA-65``."""

    def __new__(cls, algorithm: str = "MLDSA65-Ed25519-SHA512", provider: str | None = None) -> Self:
        """The scheme of that name; another name is refused. Two libraries have a plus between them: ``aws-lc+liboqs``."""
        made = super().__new__(cls, algorithm, provider)
        if not made.is_hybrid:
            raise InvalidArgument(f"algorithm: {algorithm} is not a hybrid signature", "use pqlab.Sign")
        return made


def kem(algorithm: str, provider: str | None = None) -> KEM:
    """The KEM of that name, plain or hybrid; X25519 is one whose ciphertext is an ephemeral key."""
    return KEM(algorithm, provider)


def signature(algorithm: str, provider: str | None = None) -> Sign:
    """The signature scheme of that name, plain or hybrid."""
    return Sign(algorithm, provider)


def hash_rows(algorithm: str, matrix: object, length: int | None = None, provider: str | None = None) -> memoryview:
    """The digest of each row of a matrix of bytes (``uint8`` of NumPy, say), eight rows at once.

    ``length`` is that of an output of SHAKE, in bytes. The answer has a row for each: ``numpy.asarray`` takes it without copying.
    """
    digests, length = _pqlab.hash_rows(algorithm, matrix, length, provider)
    if not digests:
        return memoryview(digests)
    return memoryview(digests).cast("B", (len(digests) // length, length))
