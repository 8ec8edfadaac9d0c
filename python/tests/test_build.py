"""Tests of the build backend: interpreters, missing requirements, and contents of a source archive."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import pqlab_build
import pytest


def test_refuses_unsupported_interpreters(monkeypatch: pytest.MonkeyPatch) -> None:
    pqlab_build.check_interpreter()
    original = sysconfig.get_config_var
    with monkeypatch.context() as patch:
        patch.setattr(sysconfig, "get_config_var", lambda name: 1 if name == "Py_GIL_DISABLED" else original(name))
        with pytest.raises(pqlab_build.Refused, match="free-threaded Python is not supported"):
            pqlab_build.check_interpreter()
    with monkeypatch.context() as patch:
        patch.setattr(platform, "python_implementation", lambda: "PyPy")
        with pytest.raises(pqlab_build.Refused, match="PyPy is not supported"):
            pqlab_build.build_wheel("nowhere")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux is checked")
def test_names_missing_requirements_before_it_builds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pqlab_build.check_requirements()
    for name in ("cargo", "rustc"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho {name} 1.0.0\n", encoding="utf-8")
        program.chmod(0o755)
    # The folder of cargo comes first in the path of the check.
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    with pytest.raises(pqlab_build.Refused, match="missing for building .*Rust .* or newer: install them first"):
        pqlab_build.build_wheel("nowhere")


def test_source_archive_holds_tracked_files_and_needs_no_git(tmp_path: Path) -> None:
    if not (pqlab_build.ROOT / ".git").exists():
        pytest.skip("needs a git checkout")
    archives = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        archives.append(tmp_path / name / pqlab_build.build_sdist(str(tmp_path / name)))
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with tarfile.open(archives[0]) as archive:
        names = {member.name for member in archive.getmembers()}
    # Extract with tar, because tarfile in the first releases of Python 3.11 does not support filters.
    subprocess.run(["tar", "-xf", archives[0]], cwd=tmp_path, check=True)
    tracked = pqlab_build.git("ls-files", "-z").split("\0")
    assert names == {f"pqlab-{pqlab_build.version()}/{name}" for name in [*filter(None, tracked), "PKG-INFO"]}
    root = tmp_path / f"pqlab-{pqlab_build.version()}"
    assert (root / "PKG-INFO").read_text(encoding="utf-8") == pqlab_build.metadata()
    assert (root / "scripts" / "setup").stat().st_mode & 0o111
    # Run the build backend from the archive, without git in the path.
    (tmp_path / "bin").mkdir()
    code = "import pqlab_build; print(pqlab_build.prepare_metadata_for_build_wheel('.')); pqlab_build.build_sdist('.')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(root / "python" / "build"), "PATH": str(tmp_path / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == f"pqlab-{pqlab_build.version()}.dist-info" and "a wheel needs neither" in done.stderr
    written = (tmp_path / done.stdout.strip() / "METADATA").read_text(encoding="utf-8")
    assert written == pqlab_build.metadata()
    shutil.rmtree(root)
