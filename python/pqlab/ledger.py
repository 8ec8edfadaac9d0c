"""Ledger transactions (TXv2): signing and verifying one, and files of any number."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from pqlab import _pqlab
from pqlab._pqlab import PublicKey, SecretKey

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "BlockReport",
    "Generated",
    "Phases",
    "Rejected",
    "Transaction",
    "generate_block",
    "schemes",
    "sign",
    "verify",
    "verify_block",
]

Watcher = Callable[[int, int], object]
"""Is called with the number of transactions that are done, and of all."""


@dataclass(frozen=True)
class Transaction:
    """A transaction in its encoding, and what it says. Its signature is not looked at: :func:`verify` does that."""

    chain_id: int
    """The chain that it is made for."""
    nonce: int
    """Its number among its sender's."""
    to: bytes
    """The receiver's address, 32 bytes."""
    amount: int
    """What is sent, in the ledger's smallest unit."""
    fee: int
    """What the sender pays for it, in the same unit."""
    scheme: str
    """The algorithm of the signature."""
    sender: bytes
    """The sender's public key."""
    signature: bytes
    """The sender's signature."""
    encoded: bytes
    """All of it."""

    @classmethod
    def decode(cls, data: Buffer) -> Transaction:
        """Reads a transaction, which must fill ``data`` from beginning to end."""
        encoded = bytes(memoryview(data))
        return cls(*_pqlab.ledger_decode(encoded), encoded)

    @property
    def public_key(self) -> PublicKey:
        """The sender's key."""
        return PublicKey.from_bytes(self.scheme, self.sender)


@dataclass(frozen=True)
class Rejected:
    """A transaction of a block that was not taken."""

    index: int
    """Its position, from 0."""
    kind: str
    """In a word, what is wrong with it."""
    reason: str
    """In a sentence."""


@dataclass(frozen=True)
class Generated:
    """A block that was made."""

    transactions: int
    """How many it has."""
    invalid: int
    """Bad ones among them."""
    bytes: int
    """Length of the file."""
    provider: str
    """Who signed."""
    reproducible: bool
    """Whether the same seed gives the same file."""


@dataclass(frozen=True)
class Phases:
    """On what a verification's time went, in ns, summed over threads."""

    reading: int
    """Reading, which one thread does."""
    decoding: int
    """Decoding, and computing digests."""
    verifying: int
    """Verifying signatures."""
    threads_waited: int
    """What verifying threads waited for transactions: where it is much, reading is the limit."""
    reading_waited: int
    """What the reading thread waited for room: where it is much, verifying is the limit."""


@dataclass(frozen=True)
class BlockReport:
    """How the verification of a block ended."""

    format: str
    """``block`` or ``parquet``."""
    transactions: int
    """How many were read."""
    bytes: int
    """Their length."""
    rejected: int
    """How many were not taken."""
    kinds: dict[str, int]
    """How many were rejected for what."""
    rejections: tuple[Rejected, ...]
    """The first thousand of them."""
    elapsed_ns: int
    """Reading, decoding and verifying, in ns."""
    threads: int
    """How many threads verified."""
    batch: int | None
    """How many transactions they verified at once, where a provider could."""
    providers: dict[str, str]
    """The provider of each scheme."""
    versions: dict[str, str]
    """The version of each provider that verified or could verify in batches."""
    batch_providers: tuple[str, ...]
    """The providers that can verify in batches."""
    phases: Phases
    """On what the time went."""

    @property
    def transactions_per_second(self) -> float:
        """Transactions verified a second."""
        return self.transactions * 1e9 / max(self.elapsed_ns, 1)


class Verifiers(TypedDict):
    """The fields of :class:`BlockReport` that name who verified."""

    providers: dict[str, str]
    versions: dict[str, str]
    batch_providers: tuple[str, ...]


def by_whom(verifiers: tuple[Iterable[Iterable[str]], Iterable[Iterable[str]], Iterable[str]]) -> Verifiers:
    """Names the verifiers in a result of the native module."""
    providers, versions, batch_providers = verifiers
    named = {scheme: provider for scheme, provider in providers}
    return {"providers": named, "versions": {id: version for id, version in versions}, "batch_providers": tuple(batch_providers)}


def schemes() -> list[str]:
    """The algorithms that a transaction may be signed with."""
    return _pqlab.ledger_schemes()


def sign(secret_key: SecretKey, *, chain_id: int, nonce: int, to: Buffer, amount: int, fee: int = 0) -> Transaction:
    """A transaction of the holder of the key, signed."""
    return Transaction.decode(_pqlab.ledger_sign((chain_id, nonce, to, amount, fee), secret_key))


def verify(transaction: Transaction | Buffer, chain_id: int, provider: str | None = None) -> None:
    """Verifies a transaction as the verifier of a chain: chain, key, signature. Raises :class:`pqlab.VerificationFailed`."""
    encoded = transaction.encoded if isinstance(transaction, Transaction) else transaction
    _pqlab.ledger_verify(encoded, chain_id, provider)


def generate_block(
    path: str | os.PathLike[str],
    count: int,
    scheme: str = "ML-DSA-65",
    *,
    senders: int | None = None,
    invalid: int = 0,
    chain_id: int = 1,
    seed: int = 1,
    format: str = "block",
    form: str = "txv2",
    provider: str | None = None,
    threads: int | None = None,
    progress: Watcher | None = None,
) -> Generated:
    """Makes a file of signed transactions, by as many senders unless told otherwise, ``invalid`` of them bad. A regular file appears
    under its name when it is whole. ``format`` is ``block`` or ``parquet``, ``form`` ``txv2`` or ``txv1``, the reference's, which is
    signed with ML-DSA-65 alone."""
    wanted = {
        "path": os.fspath(path),
        "format": format,
        "form": form,
        "scheme": scheme,
        "count": count,
        "senders": senders,
        "invalid": invalid,
        "chain_id": chain_id,
        "seed": seed,
        "provider": provider,
        "threads": threads,
    }
    return Generated(*_pqlab.ledger_generate(wanted, progress))


def verify_block(
    path: str | os.PathLike[str],
    chain_id: int = 1,
    *,
    form: str = "txv2",
    threads: int | None = None,
    provider: str | None = None,
    keep_keys: bool = False,
    batch: int | None = None,
    progress: Watcher | None = None,
) -> BlockReport:
    """Verifies a file of transactions, of any size, in bounded memory. Ctrl-C stops it.

    ``form`` is the form that is taken, ``txv2`` or ``txv1``; ``keep_keys`` keeps up to 256 prepared keys, which pays where senders return;
    ``batch`` transactions are verified at once by a ``provider`` that can, such as ``mldsa-batch``: 100 unless told otherwise.
    """
    found = _pqlab.ledger_verify_block(os.fspath(path), chain_id, form, threads, provider, keep_keys, batch, None, progress)
    form, transactions, size, rejected, kinds, rejections, elapsed, used, at_once, verifiers, phases = found
    return BlockReport(
        format=form,
        transactions=transactions,
        bytes=size,
        rejected=rejected,
        kinds=dict(kinds),
        rejections=tuple(Rejected(*row) for row in rejections),
        elapsed_ns=elapsed,
        threads=used,
        batch=at_once,
        **by_whom(verifiers),
        phases=Phases(*phases),
    )
