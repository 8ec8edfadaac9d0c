"""Blocks in object stores: parts are fetched as byte ranges, and errors of a store are reported in one line."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import pqlab
from pqlab import _objects, cluster, ledger

pytest.importorskip("obstore")


class Bucket(BaseHTTPRequestHandler):
    """Minimal S3 server: objects by path, with ranges, tags and signed uploads."""

    protocol_version = "HTTP/1.1"
    objects: dict[str, bytes]
    asked: list[str]
    """Requested ranges."""
    short = 0
    """Number of bytes to leave out at the end of each range."""

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing."""

    def answer(self, code: int, body: bytes, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Last-Modified", "Wed, 25 Nov 2026 00:00:00 GMT")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.headers.get("Authorization", "").startswith("AWS4-HMAC-SHA256 Credential=somebody/"):
            return self.answer(403, b"")
        self.objects[self.path] = body
        return self.answer(200, b"", ETag='"stored"')

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        body = self.objects.get(self.path)
        if body is None:
            return self.answer(404, b"")
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if self.headers.get("If-Match", tag) != tag:
            return self.answer(412, b"")
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if wanted is None:
            if self.command == "HEAD":
                self.send_response(200)
                self.send_header("ETag", tag)
                self.send_header("Last-Modified", "Wed, 25 Nov 2026 00:00:00 GMT")
                self.send_header("Content-Length", str(len(body)))
                return self.end_headers()
            return self.answer(200, body, ETag=tag)
        self.asked.append(wanted[0])
        start, end = int(wanted[1]), min(int(wanted[2]) + 1, len(body))
        return self.answer(206, body[start : end - self.short], ETag=tag, Content_Range=f"bytes {start}-{end - 1}/{len(body)}")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Generator[type[Bucket]]:
    class Own(Bucket):
        objects: dict[str, bytes] = {}
        asked: list[str] = []

    server = ThreadingHTTPServer(("127.0.0.1", 0), Own)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = {
        "AWS_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "here",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    _objects.known.cache_clear()
    yield Own
    server.shutdown()
    server.server_close()


def verified(path: str, part: tuple[int, int]) -> Any:
    found = pqlab._pqlab.ledger_verify_block(path, 1, "txv2", 1, None, False, None, part, None)
    return found[:6]


@pytest.mark.parametrize("format", ["block", "parquet"])
def test_parts_of_an_object_equal_those_of_the_file(bucket: type[Bucket], tmp_path: Path, format: str) -> None:
    path = tmp_path / "block"
    ledger.generate_block(path, 5000, "Ed25519", senders=5, invalid=50, format=format)
    _objects.upload(path, "s3://pile/blocks/one")
    assert bucket.objects["/pile/blocks/one"] == path.read_bytes()
    for name in ["s3://pile/blocks/one", f"file://{path}"]:
        found = _objects.source(name)
        assert found.facts() == _objects.Local(str(path)).facts()
        for part in [(0, 1024), (1024, 4096), (4096, 5000), (4000, 4001), (0, 0)]:
            with found.part(part) as (there, fetched):
                assert fetched >= 0 and verified(there, part) == verified(str(path), part)
    bucket.asked.clear()
    with _objects.known("s3://pile/blocks/one", _objects.source("s3://pile/blocks/one").tag).part((1024, 2048)) as (there, _):
        assert os.stat(there).st_blocks * 512 < path.stat().st_size / 2
    # The last request reads only the part.
    read = sum(int(end) - int(start) + 1 for start, end in (re.findall(r"\d+", one) for one in bucket.asked[-1:]))
    assert read < path.stat().st_size / 4


def test_store_errors_are_reported(bucket: type[Bucket], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(pqlab.StoreError, match="not found"):
        _objects.source("s3://pile/none")
    path = tmp_path / "block"
    ledger.generate_block(path, 3000, "Ed25519", senders=5)
    bucket.objects["/pile/one"] = path.read_bytes()
    found = _objects.source("s3://pile/one")
    monkeypatch.setattr(bucket, "short", 1)
    with pytest.raises(pqlab.StoreError), found.part((0, 1024)):
        pass
    monkeypatch.setattr(bucket, "short", 0)
    # The name now belongs to another object.
    bucket.objects["/pile/one"] = path.read_bytes()[:-1] + b"y"
    with pytest.raises(pqlab.StoreError), found.part((0, 1024)):
        pass
    with pytest.raises(pqlab.StoreError, match="has changed since verification began"):
        _objects.known("s3://pile/one", found.tag)
    bucket.objects["/pile/one"] = b"PAR1" + bytes(100) + (2**32 - 1).to_bytes(4, "little") + b"PAR1"
    with pytest.raises(pqlab.StoreError):
        _objects.source("s3://pile/one").facts()
    for garbage in [b"", b"x", b"pqlabtxs", b"PAR1PAR1"]:
        bucket.objects["/pile/one"] = garbage
        with pytest.raises(pqlab.StoreError):
            _objects.source("s3://pile/one").facts()
    with pytest.raises(pqlab.StoreError):
        _objects.source("gopher://pile/one")
    monkeypatch.setenv("AWS_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(pqlab.StoreError) as refused:
        cluster.verify_block("s3://pile/one")
    assert len(str(refused.value).splitlines()) == 1


FULL = """
import resource, sys
from pqlab import _objects
found = _objects.source(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    with found.part((0, 1024)):
        print("the file was written")
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "block"
    ledger.generate_block(path, 3000, "Ed25519", senders=5)
    words = [sys.executable, "-c", FULL, f"file://{path}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith("StoreError file://") and len(done.stdout.splitlines()) == 1, done.stdout + done.stderr


def test_a_cluster_makes_and_verifies_objects(bucket: type[Bucket], tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = [str(Path(sys.executable).with_name("pqlab")), "ledger"]
    environment = {**os.environ, "PQLAB_PYTHON": sys.executable}
    generate = ["generate", "--cluster=local", "--count=3000", "--scheme=Ed25519", "--senders=5", "--invalid=1", "--out=s3://pile/made"]
    done = subprocess.run([*words, *generate], capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    ledger.generate_block(tmp_path / "alone", 3000, "Ed25519", senders=5, invalid=30)
    assert bucket.objects["/pile/made"] == (tmp_path / "alone").read_bytes()
    verified = [*words, "verify", "--cluster=local", "s3://pile/made"]
    done = subprocess.run(verified, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 1, done.stderr
    assert "2,970 of 3,000 transactions accepted, 30 rejected" in done.stdout
