"""Fixtures: a database for the tests, and a short run that many tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import pqlab


@pytest.fixture(scope="session", autouse=True)
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Sets PQLAB_DB to a temporary database."""
    path = tmp_path_factory.mktemp("database") / "pqlab.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PQLAB_DB", str(path))
        yield path


@pytest.fixture(scope="session")
def run(database: Path) -> pqlab.Run:
    return pqlab.run(
        "kem",
        algorithms=["ML-KEM-768", "X25519"],
        providers=["rustcrypto"],
        filters=["kem/*/encapsulate[]@*"],
        processes=2,
        max_time=0.2,
        patience=0,
        seed=7,
        progress=False,
    )
