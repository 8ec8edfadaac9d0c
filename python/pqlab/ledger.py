"""Ledger transactions (TXv2), and block files that contain any number of transactions."""

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
"""Callback that receives the number of transactions done and the total."""


@dataclass(frozen=True)
class Transaction:
    """A decoded transaction, not yet verified. Use :func:`verify` to verify it."""

    chain_id: int
    """Chain that the transaction is for."""
    nonce: int
    """Sequence number among the sender's transactions."""
    to: bytes
    """Address of the receiver, 32 bytes."""
    amount: int
    """Amount in the ledger's smallest unit."""
    fee: int
    """Fee that the sender pays, in the same unit as the amount."""
    scheme: str
    """Signature algorithm."""
    sender: bytes
    """Public key of the sender."""
    signature: bytes
    """Signature of the sender."""
    encoded: bytes
    """The whole encoded transaction."""

    @classmethod
    def decode(cls, data: Buffer) -> Transaction:
        """Decodes a transaction. Trailing bytes are an error.

        :raises pqlab.InvalidArgument: ``data`` is not a transaction.
        """
        encoded = bytes(memoryview(data))
        return cls(*_pqlab.ledger_decode(encoded), encoded)

    @property
    def public_key(self) -> PublicKey:
        """Public key of the sender as an object."""
        return PublicKey.from_bytes(self.scheme, self.sender)


@dataclass(frozen=True)
class Rejected:
    """A rejected transaction in a block."""

    index: int
    """Position in the block, from 0."""
    kind: str
    """Short name of the fault, which is also a key in ``BlockReport.kinds``."""
    reason: str
    """Reason for the rejection, in a sentence."""


@dataclass(frozen=True)
class Generated:
    """A generated block."""

    transactions: int
    """Number of transactions."""
    invalid: int
    """Number of invalid transactions."""
    bytes: int
    """Length of the file in bytes."""
    provider: str
    """Id of the provider that signed the transactions."""
    reproducible: bool
    """Whether the same seed gives the same file."""


@dataclass(frozen=True)
class Phases:
    """Time of each verification phase in ns, summed over all threads."""

    reading: int
    """Time to read the block, on one thread."""
    decoding: int
    """Time to decode transactions and compute digests."""
    verifying: int
    """Time to verify signatures."""
    threads_waited: int
    """Time that verifying threads waited for transactions. If this is large, reading is the bottleneck."""
    reading_waited: int
    """Time that the reading thread waited for buffer space. If this is large, verifying is the bottleneck."""


@dataclass(frozen=True)
class BlockReport:
    """Result of verifying a block."""

    format: str
    """``block`` or ``parquet``."""
    transactions: int
    """Number of transactions read."""
    bytes: int
    """Total length of the transactions in bytes."""
    rejected: int
    """Number of rejected transactions."""
    kinds: dict[str, int]
    """Number of rejected transactions by kind of fault."""
    rejections: tuple[Rejected, ...]
    """The rejected transactions, at most the first 1,000."""
    elapsed_ns: int
    """Elapsed time for reading, decoding and verifying in ns."""
    threads: int
    """Number of verifying threads."""
    batch: int | None
    """Number of transactions in a batch. ``None`` if no provider verifies in batches."""
    providers: dict[str, str]
    """Provider that verified each scheme."""
    versions: dict[str, str]
    """Version of each provider in ``providers`` and ``batch_providers``."""
    batch_providers: tuple[str, ...]
    """Providers that can verify in batches."""
    phases: Phases
    """Time of each phase."""

    @property
    def transactions_per_second(self) -> float:
        """Transactions verified per second."""
        return self.transactions * 1e9 / max(self.elapsed_ns, 1)


class Verifiers(TypedDict):
    """Fields of :class:`BlockReport` that name the verifiers."""

    providers: dict[str, str]
    versions: dict[str, str]
    batch_providers: tuple[str, ...]


def by_whom(verifiers: tuple[Iterable[Iterable[str]], Iterable[Iterable[str]], Iterable[str]]) -> Verifiers:
    """Converts the verifiers from a result of the native module."""
    providers, versions, batch_providers = verifiers
    named = {scheme: provider for scheme, provider in providers}
    return {"providers": named, "versions": {id: version for id, version in versions}, "batch_providers": tuple(batch_providers)}


def schemes() -> list[str]:
    """Returns the signature algorithms that transactions can use."""
    return _pqlab.ledger_schemes()


def sign(secret_key: SecretKey, *, chain_id: int, nonce: int, to: Buffer, amount: int, fee: int = 0) -> Transaction:
    """Signs a transaction.

    :param secret_key: Secret key of the sender.
    :param chain_id: Chain that the transaction is for, below 2^32.
    :param nonce: Sequence number among the sender's transactions, below 2^64.
    :param to: Address of the receiver, 32 bytes.
    :param amount: Amount in the ledger's smallest unit.
    :param fee: Fee that the sender pays, in the same unit as the amount (default 0).
    :return: The signed transaction.
    :raises pqlab.InvalidArgument: A number is out of range, or the address has the wrong length.
    :raises pqlab.UnknownName: Transactions do not support the algorithm of the key.
    """
    return Transaction.decode(_pqlab.ledger_sign((chain_id, nonce, to, amount, fee), secret_key))


def verify(transaction: Transaction | Buffer, chain_id: int, provider: str | None = None) -> None:
    """Verifies the chain, key and signature of a transaction.

    :param transaction: The transaction, decoded or encoded.
    :param chain_id: Chain that the transaction must be for.
    :param provider: Provider to verify with (default is the first one that offers the algorithm).
    :raises pqlab.VerificationFailed: The transaction is for a different chain, or its signature is not valid.
    :raises pqlab.InvalidArgument: The bytes are not a transaction.
    """
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
    """Generates a block file of signed transactions. A regular file appears under its name only when complete.

    :param path: Output file, pipe or device.
    :param count: Number of transactions.
    :param scheme: Signature algorithm, from :func:`schemes` (default ``ML-DSA-65``).
    :param senders: Number of different senders (default one for each transaction).
    :param invalid: Number of invalid transactions (default 0).
    :param chain_id: Chain that the transactions are for (default 1).
    :param seed: Seed for keys, fields, signatures and the choice of invalid transactions (default 1).
    :param format: ``block`` or ``parquet`` (default ``block``).
    :param form: Form of the transactions, ``txv2`` or ``txv1`` (default ``txv2``). ``txv1`` comes from an
        earlier system and supports only ML-DSA-65.
    :param provider: Provider to sign with (default is the first one that offers the algorithm).
    :param threads: Number of signing threads (default one per core).
    :param progress: Callback that receives the number of transactions generated and the total (default none).
    :return: Properties of the block.
    :raises pqlab.InvalidArgument: An argument is invalid.
    :raises pqlab.UnknownName: The scheme or the provider is unknown.
    :raises pqlab.StoreError: The file cannot be written.
    """
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
    """Verifies a block file of any size in bounded memory. Ctrl-C stops it.

    :param path: The block file, in either format.
    :param chain_id: Chain that the transactions must be for (default 1).
    :param form: Transaction form to accept, ``txv2`` or ``txv1`` (default ``txv2``).
    :param threads: Number of verifying threads, in addition to a thread that reads (default one per core).
    :param provider: Provider to verify with (default for each transaction is the first one that offers its algorithm).
    :param keep_keys: Whether to keep up to 256 prepared keys, which saves time if senders repeat (default false).
    :param batch: Transactions to verify in one batch, if the provider supports batches, such as ``mldsa-batch``
        (default 100).
    :param progress: Callback that receives the number of transactions verified and the total (default none).
    :return: The result, with at most the first 1,000 rejected transactions.
    :raises pqlab.InvalidArgument: An argument is invalid, or the transactions have the other form.
    :raises pqlab.StoreError: The file cannot be read, or is not a block.
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
