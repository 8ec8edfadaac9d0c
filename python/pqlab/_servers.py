"""Servers on background threads: one for report pages, and a relay for circuit handshakes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path as File
from types import TracebackType
from typing import Any, Self

from pqlab import _pqlab
from pqlab._errors import InvalidArgument
from pqlab._progress import note
from pqlab._request import Path, file_name


class _Handle:
    """A server that runs until it is stopped or until a ``with`` block ends."""

    def __init__(self, server: _pqlab.PageServer | _pqlab.RelayServer) -> None:
        self._server = server

    def stop(self) -> None:
        """Stops the server. Further calls do nothing."""
        self._server.stop()

    def wait(self) -> None:
        """Waits until another thread or Ctrl-C stops the server."""
        self._stay(None)

    def _stay(self, text: str | None) -> None:
        try:
            if text is not None:
                print(text, file=sys.stderr, flush=True)
            self._server.wait()
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class Pages(_Handle):
    """A running server for the report pages of a database. :func:`pqlab.serve` returns it."""

    def __init__(self, server: _pqlab.PageServer) -> None:
        super().__init__(server)
        self.url = server.url
        """URL of the start page."""
        self.port = server.port
        """Port of the server."""

    def __repr__(self) -> str:
        return f"<pqlab.Pages {self.url}>"


class Relay(_Handle):
    """A running relay that answers circuit handshakes over TCP. :func:`pqlab.ntor_relay` returns it.

    This relay is a tool for measurements, not a Tor relay. It does not authenticate clients.
    """

    def __init__(self, server: _pqlab.RelayServer) -> None:
        super().__init__(server)
        self._relay = server
        self.address = server.address
        """Address and port of the relay."""
        self.identity = server.identity
        """Identity of the relay, 20 bytes."""
        self.onion_key = server.onion_key
        """Public X25519 onion key of the relay, 32 bytes."""

    @property
    def answers(self) -> list[dict[str, Any]]:
        """Types of request that the relay answers. Each entry contains the type on the wire, and the parts of the
        request and of the answer with lengths in bytes."""
        found: list[dict[str, Any]] = json.loads(self._relay.answers())
        return found

    @property
    def handshakes(self) -> int:
        """Number of handshakes that the relay has answered so far."""
        return self._relay.served()[0]

    @property
    def refused(self) -> int:
        """Number of connections that the relay closed because a request was invalid or too slow."""
        return self._relay.served()[1]

    def save_keys(self, file: Path) -> None:
        """Writes the identity and the onion key to a file, for :func:`pqlab.ntor_client` or
        ``pqlab ntor-client --keys``."""
        File(os.fspath(file)).write_text(self._relay.keys(), encoding="utf-8")

    def __repr__(self) -> str:
        return f"<pqlab.Relay {self.address}>"


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    allow_hosts: Sequence[str] = (),
    database: Path | None = None,
    block: bool = True,
) -> Pages:
    """Serves the report pages of a database over HTTP. The page of a run updates while the run is measured.

    >>> with pqlab.serve(port=0, block=False) as pages:
    ...     print(pages.url)

    Anyone who can reach the server can read every run.

    :param host: Address to listen on (default ``127.0.0.1``, only this machine).
    :param port: Port to listen on (default 8000). 0 selects a free port.
    :param allow_hosts: Host names to accept in requests, in addition to IP addresses and ``localhost`` (default none).
    :param database: Database file with the runs (default is the command line's database).
    :param block: Whether to print the URL and serve until Ctrl-C (default true). Otherwise, the server runs in the
        background until :meth:`Pages.stop` is called or a ``with`` block ends.
    :return: The server.
    :raises pqlab.InvalidArgument: The server cannot listen on this address.
    :raises pqlab.StoreError: The database cannot be read.
    """
    server = _pqlab.serve(_listen(host, port), file_name(database), list(allow_hosts))
    if server.open:
        note(f"anyone who can reach {server.url} can read every run in the database")
    pages = Pages(server)
    if block:
        pages._stay(pages.url)  # pyright: ignore[reportPrivateUsage]
    return pages


def ntor_relay(
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    provider: str = "aws-lc",
    keys: Path | None = None,
    block: bool = True,
) -> Relay:
    """Starts a relay that answers circuit handshakes over TCP: classical ntor, KEM-only, and authenticated hybrid.

    :param host: Address to listen on (default ``127.0.0.1``, only this machine).
    :param port: Port to listen on (default 0, which selects a free port).
    :param provider: Provider id (default ``aws-lc``). ``aws-lc+liboqs`` takes X25519 and hashes from ``aws-lc`` and
        ML-KEM from ``liboqs``.
    :param keys: File to write the identity and the onion key to (default none).
    :param block: Whether to print the address and run until Ctrl-C (default true). Otherwise, the relay runs in the
        background until :meth:`Relay.stop` is called or a ``with`` block ends.
    :return: The relay.
    :raises pqlab.UnknownName: The provider is unknown, or does not offer an algorithm.
    :raises pqlab.InvalidArgument: The relay cannot listen on this address, or the file cannot be written.
    """
    relay = Relay(_pqlab.ntor_relay(_listen(host, port), provider))
    if keys is not None:
        try:
            relay.save_keys(keys)
        except OSError as error:
            relay.stop()
            raise InvalidArgument(f"keys: {error}") from None
    if block:
        relay._stay(f"listening at {relay.address}")  # pyright: ignore[reportPrivateUsage]
    return relay


def ntor_client(
    address: str,
    *,
    handshake: str = "hybrid",
    provider: str = "aws-lc",
    count: int = 1,
    keys: Path | None = None,
    identity: bytes | None = None,
    onion_key: bytes | None = None,
    timeout: float = 10.0,
) -> dict[str, Any]:
    """Performs circuit handshakes with a relay over one connection, and checks that both sides derive the same keys.

    Pass either ``keys``, or ``identity`` and ``onion_key``. Otherwise, the client asks the relay for its identity and
    onion key without authenticating them, and ``["authenticated"]`` is false.

    :param address: Address and port of the relay.
    :param handshake: ``ntor``, ``kem-only``, ``hybrid`` or a full name (default ``hybrid``).
    :param provider: Provider id (default ``aws-lc``). ``aws-lc+liboqs`` takes X25519 and hashes from ``aws-lc`` and
        ML-KEM from ``liboqs``.
    :param count: Number of handshakes, from 1 to 1,000,000 (default 1).
    :param keys: File that the relay wrote, with its identity and onion key (default none).
    :param identity: Identity of the relay, 20 bytes (default none).
    :param onion_key: Public onion key of the relay, 32 bytes (default none).
    :param timeout: Time limit for the connection and for each answer, in seconds (default 10).
    :return: The handshake, the relay, and the lengths of messages and keys in bytes.
    :raises pqlab.InvalidArgument: An argument is invalid, or the relay cannot be reached.
    :raises pqlab.UnknownName: The handshake or the provider is unknown.
    :raises pqlab.VerificationFailed: A handshake failed.
    """
    if (identity is None) != (onion_key is None):
        raise InvalidArgument("identity and onion_key: pass both or neither")
    given = None if identity is None or onion_key is None else (bytes(identity), bytes(onion_key))
    found: dict[str, Any] = json.loads(
        _pqlab.ntor_client(address, handshake, provider, count, keys, given, timeout)
    )
    return found


def _listen(host: str, port: int) -> str:
    if not 0 <= port < 1 << 16:
        raise InvalidArgument(f"port: must be from 0 to 65535, not {port}")
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
