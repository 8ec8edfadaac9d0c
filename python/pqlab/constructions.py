"""KEMs, signatures, keys and hashes from any library that pqlab contains.

Functions accept bytes or buffers of bytes and return ``bytes``. The default provider is the first one that offers the
algorithm. A hybrid can combine two providers: ``provider="aws-lc+liboqs"`` takes the classical half from ``aws-lc`` and
the post-quantum half from ``liboqs``.
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
    """A hybrid KEM that combines X25519 and ML-KEM-768.

    The algorithms are ``X-Wing``, ``MLKEM768-X25519-SHA3-256`` (composite), ``X25519MLKEM768`` (TLS) and
    ``X25519+ML-KEM-768`` (reference form).
    """

    def __new__(cls, algorithm: str = "X-Wing", provider: str | None = None) -> Self:
        """Returns the hybrid KEM with this name.

        :param algorithm: Name of the algorithm (default ``X-Wing``).
        :param provider: Provider id, or two ids joined by a plus, the classical one first (default is the first
            provider that offers the algorithm).
        :raises pqlab.InvalidArgument: The algorithm is not a hybrid KEM.
        :raises pqlab.UnknownName: No provider offers the algorithm.
        """
        scheme = super().__new__(cls, algorithm, provider)
        if not scheme.is_hybrid:
            raise InvalidArgument(f"algorithm: {algorithm} is not a hybrid KEM", "use pqlab.KEM")
        return scheme


class HybridSign(Sign):
    """A hybrid signature scheme that combines Ed25519 and ML-DSA-65.

    The algorithms are ``MLDSA65-Ed25519-SHA512`` (composite) and ``Ed25519+ML-DSA-65`` (reference form).
    """

    def __new__(cls, algorithm: str = "MLDSA65-Ed25519-SHA512", provider: str | None = None) -> Self:
        """Returns the hybrid signature scheme with this name.

        :param algorithm: Name of the algorithm (default ``MLDSA65-Ed25519-SHA512``).
        :param provider: Provider id, or two ids joined by a plus, the classical one first (default is the first
            provider that offers the algorithm).
        :raises pqlab.InvalidArgument: The algorithm is not a hybrid signature scheme.
        :raises pqlab.UnknownName: No provider offers the algorithm.
        """
        scheme = super().__new__(cls, algorithm, provider)
        if not scheme.is_hybrid:
            raise InvalidArgument(f"algorithm: {algorithm} is not a hybrid signature scheme", "use pqlab.Sign")
        return scheme


def kem(algorithm: str, provider: str | None = None) -> KEM:
    """Returns the KEM with this name, plain or hybrid.

    X25519 is also available as a KEM, whose ciphertext is an ephemeral public key.

    :raises pqlab.UnknownName: No provider offers the algorithm.
    """
    return KEM(algorithm, provider)


def signature(algorithm: str, provider: str | None = None) -> Sign:
    """Returns the signature scheme with this name, plain or hybrid.

    :raises pqlab.UnknownName: No provider offers the algorithm.
    """
    return Sign(algorithm, provider)


def hash_rows(algorithm: str, matrix: object, length: int | None = None, provider: str | None = None) -> memoryview:
    """Hashes each row of a byte matrix, eight rows at a time.

    :param algorithm: Name of the hash function or extendable-output function.
    :param matrix: Two-dimensional buffer of bytes, such as a NumPy array of ``uint8``.
    :param length: Length of a digest in bytes. Required for SHAKE (default is the fixed length of the hash function).
    :param provider: Provider id (default is the first provider that offers the algorithm).
    :return: A matrix with one digest per row. ``numpy.asarray`` reads the matrix without copying.
    :raises pqlab.UnknownName: No provider offers this algorithm for eight rows at a time.
    :raises pqlab.InvalidArgument: The matrix or the length is invalid.
    """
    digests, length = _pqlab.hash_rows(algorithm, matrix, length, provider)
    if not digests:
        return memoryview(digests)
    return memoryview(digests).cast("B", (len(digests) // length, length))
