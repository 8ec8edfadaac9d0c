"""KEMs, signatures, keys and hashes from any library that pqlab contains.

Functions take bytes or buffers of bytes and return ``bytes``. The default provider is the first one that has the
algorithm. The halves of a hybrid can come from two providers, as in ``provider="aws-lc+liboqs"``.
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
    """A hybrid KEM of X25519 and ML-KEM-768.

    The algorithms are ``X-Wing``, ``MLKEM768-X25519-SHA3-256`` (composite), ``X25519MLKEM768`` (TLS), and the
    reference form ``X25519+ML-KEM-768``.
    """

    def __new__(cls, algorithm: str = "X-Wing", provider: str | None = None) -> Self:
        """Returns the hybrid KEM with this name.

        Two providers are joined by a plus, the classical one first, as in ``aws-lc+liboqs``.

        :raises pqlab.InvalidArgument: The algorithm is not a hybrid KEM.
        :raises pqlab.UnknownName: No provider has the algorithm.
        """
        scheme = super().__new__(cls, algorithm, provider)
        if not scheme.is_hybrid:
            raise InvalidArgument(f"algorithm: {algorithm} is not a hybrid KEM", "use pqlab.KEM")
        return scheme


class HybridSign(Sign):
    """A hybrid signature scheme of Ed25519 and ML-DSA-65.

    The algorithms are ``MLDSA65-Ed25519-SHA512`` (composite) and the reference form ``Ed25519+ML-DSA-65``.
    """

    def __new__(cls, algorithm: str = "MLDSA65-Ed25519-SHA512", provider: str | None = None) -> Self:
        """Returns the hybrid signature scheme with this name.

        Two providers are joined by a plus, the classical one first, as in ``aws-lc+liboqs``.

        :raises pqlab.InvalidArgument: The algorithm is not a hybrid signature scheme.
        :raises pqlab.UnknownName: No provider has the algorithm.
        """
        scheme = super().__new__(cls, algorithm, provider)
        if not scheme.is_hybrid:
            raise InvalidArgument(f"algorithm: {algorithm} is not a hybrid signature", "use pqlab.Sign")
        return scheme


def kem(algorithm: str, provider: str | None = None) -> KEM:
    """Returns the KEM with this name, plain or hybrid. X25519 is a KEM whose ciphertext is an ephemeral public key.

    :raises pqlab.UnknownName: No provider has the algorithm.
    """
    return KEM(algorithm, provider)


def signature(algorithm: str, provider: str | None = None) -> Sign:
    """Returns the signature scheme with this name, plain or hybrid.

    :raises pqlab.UnknownName: No provider has the algorithm.
    """
    return Sign(algorithm, provider)


def hash_rows(algorithm: str, matrix: object, length: int | None = None, provider: str | None = None) -> memoryview:
    """Hashes each row of a matrix of bytes, eight rows at once.

    :param algorithm: Name of the hash function or extendable-output function.
    :param matrix: Buffer of bytes with two dimensions, such as a NumPy array of ``uint8``.
    :param length: Length of a digest in bytes, required for SHAKE (default the function's own).
    :param provider: Provider id (default the first provider that has the algorithm).
    :return: A matrix of digests with the same rows. ``numpy.asarray`` reads it without copying.
    :raises pqlab.UnknownName: No provider hashes eight rows at once with this algorithm.
    :raises pqlab.InvalidArgument: The matrix or the length cannot be used.
    """
    digests, length = _pqlab.hash_rows(algorithm, matrix, length, provider)
    if not digests:
        return memoryview(digests)
    return memoryview(digests).cast("B", (len(digests) // length, length))
