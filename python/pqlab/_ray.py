"""What everything on a cluster has in common: Ray, which is there or is started here, and that all of its nodes have the same build."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from pqlab import _pqlab
from pqlab._errors import LibraryError

INSTALL = "pip install 'pqlab[cluster]'"
"""What brings Ray."""


def ray_module() -> Any:
    """Ray.

    Raises :class:`LibraryError` where it is not installed.
    """
    # Before it is imported: it reads its settings then. Nothing is reported to anybody.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise LibraryError("Ray is not installed", INSTALL) from None
    return ray


@contextmanager
def connected(address: str | None, cpus: int | None = None) -> Generator[Any]:
    """Ray of the cluster at an address (``auto``: the one of this machine), or started here: on loopback, with a token that only this
    process and its children know. Whoever has connected already stays so."""
    if address in (None, "local"):
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        if os.environ["RAY_AUTH_MODE"] == "token":
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    ray = ray_module()
    if ray.is_initialized():
        yield ray
        return
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "namespace": "pqlab"}
    try:
        if address in (None, "local"):
            # Next to nothing goes through its store of objects, for which it would take a third of the memory.
            room = 100 * 2**20
            own = {"include_dashboard": False, "object_store_memory": room, "_node_ip_address": "127.0.0.1"}
            ray.init(address="local", num_cpus=cpus, **own, **quiet)
        else:
            ray.init(address=address, **quiet)
    except Exception as error:
        where = "on this machine" if address in (None, "local") else f"at {address}"
        raise LibraryError(f"no Ray {where}: {str(error).strip().splitlines()[0]}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


@cache
def build() -> dict[str, str]:
    """What tells this build from others."""
    native = Path(str(_pqlab.__file__)).read_bytes()
    return {"version": _pqlab.__version__, "native module": hashlib.sha256(native).hexdigest()[:16]}


def difference(here: dict[str, str], there: dict[str, str]) -> str:
    """In what two builds differ; nothing where they are the same."""
    return ", ".join(f"{what} {there.get(what)}, not {value}" for what, value in here.items() if there.get(what) != value)


def unshared_memory() -> int:
    """Bytes of memory that this process shares with nobody (its USS); 0 where the system does not say."""
    try:
        lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_"))
