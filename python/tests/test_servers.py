"""Servers that run in the background until they are stopped."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

import pqlab


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:
        text: str = answer.read().decode()
        return text


def test_pages_are_served_until_the_end_of_the_block(run: pqlab.Run) -> None:
    with pqlab.serve(port=0, block=False) as pages:
        assert pages.url == f"http://127.0.0.1:{pages.port}/" and pages.url in repr(pages)
        assert run.id in fetched(pages.url)
        assert "<h2>Findings</h2>" in fetched(f"{pages.url}runs/{run.id}")
        with pytest.raises(pqlab.InvalidArgument, match="cannot listen"):
            pqlab.serve(port=pages.port, block=False)
    with pytest.raises(OSError):
        fetched(pages.url)
    pages.stop()


def test_pages_are_served_only_under_allowed_names(run: pqlab.Run) -> None:
    assert run.id
    with pqlab.serve(port=0, allow_hosts=["bench.example"], block=False) as pages:

        def status_for(host: str) -> int:
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", pages.port, timeout=60)) as connection:
                connection.request("GET", "/state", headers={"Host": host})
                with connection.getresponse() as answer:
                    return answer.status

        assert [status_for("bench.example:80"), status_for("127.0.0.1"), status_for("evil.example")] == [200, 200, 421]


def test_a_server_needs_a_database_and_an_address(tmp_path: Path) -> None:
    with pytest.raises(pqlab.StoreError):
        pqlab.serve(port=0, database=tmp_path / "nothing.db", block=False)
    with pytest.raises(pqlab.InvalidArgument, match="invalid address"):
        pqlab.serve(host="no such host", port=0, block=False)
    with pytest.raises(pqlab.InvalidArgument, match="port"):
        pqlab.serve(port=65536, block=False)


def test_another_thread_stops_a_waiting_server(run: pqlab.Run) -> None:
    assert run.id
    pages = pqlab.serve(port=0, block=False)
    waiting = threading.Thread(target=pages.wait)
    waiting.start()
    pages.stop()
    waiting.join(timeout=30)
    assert not waiting.is_alive()


def test_ctrl_c_stops_a_server(run: pqlab.Run) -> None:
    assert run.id
    script = "import pqlab; pqlab.serve(port=0); print('ended')"
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", script], text=True, **streams) as serving:  # type: ignore[call-overload]
        assert serving.stderr.readline().startswith("http://127.0.0.1:")
        os.kill(serving.pid, signal.SIGINT)
        output, _ = serving.communicate(timeout=30)
        assert output == "ended\n" and serving.returncode == 0


@pytest.mark.parametrize("handshake", ["ntor", "kem-only", "hybrid"])
def test_a_relay_and_its_client_agree(handshake: str, tmp_path: Path) -> None:
    keys = tmp_path / "relay.json"
    with pqlab.ntor_relay(provider="rustcrypto", keys=keys, block=False) as relay:
        done = pqlab.ntor_client(relay.address, handshake=handshake, provider="rustcrypto", count=3, keys=keys)
        assert done["handshakes"] == 3 == relay.handshakes and relay.refused == 0
        assert done["authenticated"] is (handshake != "kem-only") and done["key_bytes"] > 0
        assert bytes.fromhex(done["identity"]) == relay.identity
        given = {"identity": relay.identity, "onion_key": relay.onion_key}
        assert pqlab.ntor_client(relay.address, handshake="ntor", provider="rustcrypto", **given)["authenticated"]  # type: ignore[arg-type]
        assert not pqlab.ntor_client(relay.address, provider="rustcrypto")["authenticated"]
        assert done["handshake"] in {answer["request"] for answer in relay.answers}
    with pytest.raises(pqlab.InvalidArgument, match="cannot connect"):
        pqlab.ntor_client(relay.address, provider="rustcrypto")


def test_rejects_invalid_relay_arguments(tmp_path: Path) -> None:
    with pytest.raises(pqlab.UnknownName):
        pqlab.ntor_relay(provider="nothing", block=False)
    with pytest.raises(pqlab.UnknownName):
        pqlab.ntor_client("127.0.0.1:9", handshake="nothing")
    for arguments in ({"count": 0}, {"timeout": 0.0}, {"identity": b""}, {"identity": b"", "onion_key": b""}):
        with pytest.raises(pqlab.InvalidArgument):
            pqlab.ntor_client("127.0.0.1:9", **arguments)
    with pytest.raises(pqlab.InvalidArgument):
        pqlab.ntor_relay(keys=tmp_path / "no" / "folder", block=False)
