"""Sources of blocks: local files, and objects in stores (``s3://``, ``gs://``, ``az://``, ``https://``, ``file://``).

Parts of an object are fetched as byte ranges, with the store client obstore. ``pip install 'pqlab[cluster]'`` installs
obstore.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, cast

from pqlab import _pqlab
from pqlab._errors import LibraryError, StoreError

INSTALL = "pip install 'pqlab[cluster]'"
"""Command that installs obstore."""
ENDS = 32
"""Number of bytes at each end of a block that are needed to locate the footer."""
LONGEST_FOOTER = 1 << 30
"""Maximum length of a footer in bytes. A block that claims a longer footer is damaged."""
PIECE = 8 << 20
"""Approximate number of bytes in each piece of a part. Only one piece is in memory at a time."""

Facts = tuple[str, str, int, int, int | None]
"""Properties of a block: format, form, number of transactions, bytes, and stride. If a part begins at a multiple of the
stride, readers find it without a scan."""


class Local:
    """A block in a local file, which must exist under the same name on every node."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tag: str | None = None

    def facts(self) -> Facts:
        """Returns the properties of the block."""
        return _pqlab.ledger_block_facts(self.name)

    @contextmanager
    def part(self, part: tuple[int, int]) -> Generator[tuple[str, int]]:
        """Yields the name of a file, and the time in ns to fetch the part.

        The part has the same offset in the file as in the block.
        """
        yield self.name, 0


class Object:
    """A block in a store. Its header and footer are kept in memory."""

    def __init__(self, url: str) -> None:
        self.name = url
        folder, _, self.path = url.rpartition("/")
        self.module, self.store = _store(folder)
        with self.reached():
            entry = self.module.head(self.store, self.path)
            self.size, self.tag = int(entry["size"]), entry["e_tag"]
            head = self.read(0, min(ENDS, self.size))
            tail = self.read(max(0, self.size - ENDS), self.size)
            footer = min(_pqlab.ledger_footer_length(head, tail), self.size)
            if footer > LONGEST_FOOTER:
                raise StoreError(f"{url} is damaged: its footer claims to have {footer} bytes")
            self.said: Facts | None = None
            self.pieces = [(0, head), (self.size - footer, self.read(self.size - footer, self.size))]

    @contextmanager
    def reached(self) -> Generator[None]:
        """Converts errors from the store into exceptions with one-line messages."""
        try:
            yield
        except (self.module.exceptions.BaseError, OSError) as error:
            raise StoreError(f"{self.name}: {_line(error)}") from None

    def read(self, start: int, end: int) -> bytes:
        """Returns a byte range of the object. Fails if the object has changed since it was opened."""
        return b"".join(self.stream(start, end))

    def stream(self, start: int, end: int) -> Generator[bytes]:
        """Yields a byte range of the object in pieces."""
        if start >= end:
            return
        options: dict[str, Any] = {"range": (start, end)}
        if self.tag is not None:
            options["if_match"] = self.tag
        left = end - start
        for piece in self.module.get(self.store, self.path, options=options).stream(min_chunk_size=PIECE):
            left -= len(piece)
            yield bytes(piece)
        if left != 0:
            raise StoreError(f"{self.name}: received only {end - start - left} of {end - start} bytes")

    @contextmanager
    def _outline(self) -> Generator[tuple[str, int]]:
        """Yields the name and descriptor of a sparse file. The file is as long as the object, but contains only the
        object's two ends."""
        with tempfile.NamedTemporaryFile(prefix="pqlab-part-") as file, self.reached():
            os.truncate(file.fileno(), self.size)
            for place, piece in self.pieces:
                _write(file.fileno(), piece, place)
            yield file.name, file.fileno()

    def facts(self) -> Facts:
        """Returns the properties of the block."""
        if self.said is None:
            with self._outline() as (path, _):
                self.said = _pqlab.ledger_block_facts(path)
        return self.said

    @contextmanager
    def part(self, part: tuple[int, int]) -> Generator[tuple[str, int]]:
        """Yields the name of a file, and the time in ns to fetch the part.

        The part has the same offset in the file as in the block.
        """
        with self._outline() as (path, descriptor):
            began = time.monotonic_ns()
            place, end = _pqlab.ledger_bytes_of_part(path, part)
            for piece in self.stream(place, end):
                _write(descriptor, piece, place)
                place += len(piece)
            yield path, time.monotonic_ns() - began


def digest_of_part(path: str, part: tuple[int, int]) -> str:
    """Returns the SHA-256 digest of a part of a block, in hexadecimal."""
    return _digest(path, [_pqlab.ledger_bytes_of_part(path, part)])


def digest_of_frame(path: str, transactions: int) -> str:
    """Returns the SHA-256 digest of a block's header and footer, in hexadecimal."""
    first, end = _pqlab.ledger_bytes_of_part(path, (0, transactions))
    return _digest(path, [(0, first), (end, os.path.getsize(path))])


def _digest(path: str, ranges: list[tuple[int, int]]) -> str:
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        for place, end in ranges:
            file.seek(place)
            while place < end:
                piece = file.read(min(PIECE, end - place))
                if not piece:
                    raise StoreError(f"{path}: the file ends after {place} of {end} bytes")
                digest.update(piece)
                place += len(piece)
    return digest.hexdigest()


def source(name: str) -> Local | Object:
    """Opens the block with this name."""
    return Object(name) if is_object(name) else Local(name)


@cache
def known(name: str, tag: str | None) -> Local | Object:
    """Opens the block with this name, once per process. Fails if the tag has changed."""
    found = source(name)
    if found.tag != tag:
        raise StoreError(f"{name} has changed since verification began")
    return found


def is_object(name: str) -> bool:
    """Returns whether the name is the address of an object."""
    return "://" in name


def upload(path: Path, url: str) -> None:
    """Writes a file to a store."""
    folder, _, name = url.rpartition("/")
    module, store = _store(folder)
    try:
        module.put(store, name, path)
    except (module.exceptions.BaseError, OSError) as error:
        raise StoreError(f"{url}: {_line(error)}") from None


def _store(folder: str) -> tuple[Any, Any]:
    try:
        import obstore
        import obstore.exceptions  # pyright: ignore[reportUnusedImport]
        import obstore.store
    except ImportError:
        raise LibraryError("obstore, the client for object stores, is not installed", INSTALL) from None
    module, opened = cast("Any", obstore), cast("Any", obstore.store).from_url
    # If a store is unreachable, fail within about a minute. Allow unencrypted addresses, because they are safe on some
    # networks.
    patient = {"max_retries": 4, "retry_timeout": timedelta(seconds=60)}
    try:
        store = opened(folder, client_options={"connect_timeout": "10s", "allow_http": True}, retry_config=patient)
    except TypeError:
        # obstore's store for local files accepts neither argument.
        store = opened(folder)
    except module.exceptions.BaseError as error:
        raise StoreError(f"{folder}: {_line(error)}") from None
    return module, store


def _write(descriptor: int, piece: bytes, place: int) -> None:
    view = memoryview(piece)
    while view:
        written = os.pwrite(descriptor, view, place)
        view, place = view[written:], place + written


def _line(error: Exception) -> str:
    """Returns the first line of an error message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].strip()
