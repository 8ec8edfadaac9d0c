"""Connects to an existing Ray cluster or starts one, and compares the builds of pqlab on the nodes."""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, cast

from pqlab import _pqlab
from pqlab._errors import LibraryError

INSTALL = "pip install 'pqlab[cluster]'"
"""Command that installs Ray."""


def ray_module() -> Any:
    """Imports Ray.

    :raises LibraryError: Ray is not installed.
    """
    # Ray reads these settings when it is imported. The first setting turns off usage reports.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise LibraryError("Ray is not installed", INSTALL) from None
    return ray


@contextmanager
def connected(address: str | None, cpus: int | None = None, memory: int = 100 * 2**20) -> Generator[Any]:
    """Yields the Ray module, connected to a cluster.

    ``address`` is the address of an existing cluster, or ``auto`` for the cluster of this machine. Without an address,
    starts a private Ray on this machine. A private Ray listens on loopback, requires a token that only this process and
    its children know, and reserves ``memory`` bytes for results. If this process is already connected, that connection
    is used and stays open.
    """
    local = address in (None, "local")
    with _settings(_alone() if local else {}):
        ray = ray_module()
        if ray.is_initialized():
            yield ray
            return
        if address is not None and not local:
            _reach(_of_this_machine() if address == "auto" else address)
        quiet = {"log_to_driver": False, "logging_level": "ERROR", "namespace": "pqlab"}
        # By default, Ray reserves a third of the memory for its object store.
        own = {"num_cpus": cpus, "include_dashboard": False, "object_store_memory": memory} if local else {}
        try:
            ray.init(address="local" if local else address, **own, **quiet)
        except Exception as error:
            what = "start Ray on this machine" if local else f"reach Ray at {address}"
            raise LibraryError(f"cannot {what}: {str(error).strip().splitlines()[0]}") from error
        try:
            heard = {str(node["NodeManagerAddress"]) for node in ray.nodes()}
            if local and heard != {"127.0.0.1"}:
                raise LibraryError(
                    f"Ray would listen on {', '.join(heard)} instead of 127.0.0.1",
                    "import pqlab.cluster before ray, or start Ray yourself",
                )
            yield ray
        finally:
            ray.shutdown()


@contextmanager
def started(nodes: int, memory: int = 80 * 2**20) -> Generator[str]:
    """Starts a cluster of ``nodes`` nodes with one CPU each on this machine, and yields the address of the cluster.

    The cluster is private, like a Ray that :func:`connected` starts.
    """
    with _settings(_alone()):
        ray_module()
        from ray.cluster_utils import Cluster

        node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": memory}
        try:
            cluster = cast("Any", Cluster)(initialize_head=True, head_node_args={**node, "include_dashboard": False})
        except Exception as error:
            reason = str(error).strip().splitlines()[0]
            remedy = "if you import Ray, import pqlab.cluster first"
            raise LibraryError(f"cannot start Ray on this machine: {reason}", remedy) from error
        try:
            for _ in range(nodes - 1):
                cluster.add_node(**node)
            cluster.wait_for_nodes()
            yield str(cluster.address)
        finally:
            cluster.shutdown()


def _of_this_machine() -> str:
    """Returns the address that ``auto`` selects, or an empty string if Ray has not recorded an address."""
    written = Path(os.environ.get("RAY_TMPDIR", "/tmp")) / "ray" / "ray_current_cluster"
    try:
        return os.environ.get("RAY_ADDRESS") or written.read_text().strip()
    except OSError:
        return ""


def _reach(address: str) -> None:
    """Fails if nothing listens at the address. Ray itself would retry for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, ValueError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        remedy = "start Ray with `ray start --head`, or omit the address"
        raise LibraryError(f"cannot reach Ray at {address}: {reason}", remedy) from None


def _alone() -> dict[str, str]:
    """Returns the environment variables for a private Ray.

    Despite its name, the first variable makes Ray listen on loopback. Ray reads this variable when it is imported.
    """
    token = os.environ.get("RAY_AUTH_TOKEN") or _token()
    return {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token}


@cache
def _token() -> str:
    """Returns the same token for every Ray that this process starts, because Ray reads the token only once."""
    return secrets.token_hex(32)


@contextmanager
def _settings(wanted: dict[str, str]) -> Generator[None]:
    """Sets environment variables, and restores them at the end."""
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@cache
def build() -> dict[str, str]:
    """Returns the version and the digest of the native module, which together identify this build."""
    native = Path(str(_pqlab.__file__)).read_bytes()
    return {"version": _pqlab.__version__, "native module": hashlib.sha256(native).hexdigest()[:16]}


def difference(here: dict[str, str], there: dict[str, str]) -> str:
    """Describes how two builds differ. Returns an empty string if the builds are the same."""
    return ", ".join(f"{what} {there.get(what)}, not {value}" for what, value in here.items() if there.get(what) != value)


def unshared_memory() -> int:
    """Returns the unshared memory of this process in bytes (USS), or 0 if the system does not report it."""
    try:
        lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_"))
