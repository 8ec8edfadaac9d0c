"""Servers on threads of their own, until they are stopped: the report's pages, and a relay that answers circuit handshakes."""

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
    """What is at work until it is stopped; as a context manager, to the end of the block."""

    def __init__(self, server: _pqlab.PageServer | _pqlab.RelayServer) -> None:
        self._server = server

    def stop(self) -> None:
        """Ends it; a second time nothing."""
        self._server.stop()

    def wait(self) -> None:
        """Waits until another thread stops it. Ctrl-C ends it too."""
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
    """The report's pages over a database, read-only."""

    def __init__(self, server: _pqlab.PageServer) -> None:
        super().__init__(server)
        self.url = server.url
        """Where a browser finds them."""
        self.port = server.port
        """The port at which they are."""

    def __repr__(self) -> str:
        return f"<pqlab.Pages {self.url}>"


class Relay(_Handle):
    """A relay that answers circuit handshakes over TCP. An instrument, not a relay of Tor: it authenticates nobody."""

    def __init__(self, server: _pqlab.RelayServer) -> None:
        super().__init__(server)
        self._relay = server
        self.address = server.address
        """Address and port."""
        self.identity = server.identity
        """20 bytes."""
        self.onion_key = server.onion_key
        """Its X25519 key, 32 bytes."""

    @property
    def answers(self) -> list[dict[str, Any]]:
        """Every request that it answers: its type on the wire, and what request and answer consist of, with lengths in bytes."""
        found: list[dict[str, Any]] = json.loads(self._relay.answers())
        return found

    @property
    def handshakes(self) -> int:
        """Handshakes answered so far."""
        return self._relay.served()[0]

    @property
    def refused(self) -> int:
        """Connections that were closed for what they sent, or how slowly."""
        return self._relay.served()[1]

    def save_keys(self, file: Path) -> None:
        """Writes identity and onion key to a file, for ``keys`` of :func:`pqlab.ntor_client` and of ``pqlab ntor-client``."""
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
    """Serves the report's pages over a whole database; a run that is going on is shown as it grows.

    Port 0 takes one that is free. It says where it listens and goes on until Ctrl-C; with ``block=False`` it serves beside what the
    program does until :meth:`Pages.stop`, or to the end of a ``with`` block. Whoever reaches the address reads every run.
    Browsers are answered that ask for an IP address, for ``localhost``, or for a name among ``allow_hosts``.

    >>> with pqlab.serve(port=0, block=False) as pages:
    ...     print(pages.url)
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
    """Answers circuit handshakes over TCP: classical ntor, KEM-only, authenticated hybrid.

    ``provider`` is one, or two with a plus between: of X25519 and hashes, and of ML-KEM. ``keys`` is a file to which identity and onion
    key are written. ``block`` is as in :func:`serve`.
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
    """Does circuit handshakes with a relay, one after the other on one connection, and checks that both ends have the same keys.

    ``keys`` is a file that the relay wrote; else identity (20 bytes) and onion key (32 bytes) are given, or the relay is asked who it
    is, and believed: then ``["authenticated"]`` is false. ``timeout`` is in seconds, for the connection and for each answer.
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
        raise InvalidArgument(f"port: {port} is not from 0 to 65535")
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
