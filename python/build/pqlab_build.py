"""Build backend (PEP 517). Builds the package, its compiled module and the `pqlab` program in one cargo invocation.

Needs only cargo and Python's standard library. Reuses existing build outputs in CARGO_TARGET_DIR. If PQLAB_AUDITABLE=1
is set, cargo-auditable embeds the list of crates in the module and the program, for tools such as `cargo audit bin`.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MODULE = "pqlab/_pqlab.abi3.so"
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT"]
# Shared libraries that every glibc system provides (PEP 600). A file that needs other libraries gets no manylinux tag.
EVERYWHERE = re.compile(r"(libc|libm|libpthread|libdl|librt|libgcc_s|ld-linux[\w-]*)\.so\.\d+")
# Earliest date that a zip file can store.
EPOCH = (1980, 1, 1, 0, 0, 0)


class Refused(SystemExit):
    """Raised if the wheel or the source archive cannot be built here."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"pqlab: {reason}")


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    return []


def get_requires_for_build_sdist(config_settings: dict[str, Any] | None = None) -> list[str]:
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    check_interpreter()
    folder = f"pqlab-{version()}.dist-info"
    target = Path(metadata_directory, folder)
    target.mkdir(parents=True, exist_ok=True)
    (target / "METADATA").write_text(metadata(), encoding="utf-8")
    return folder


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    check_interpreter()
    with tempfile.TemporaryDirectory() as scratch:
        module, program = [stripped(file, Path(scratch)) for file in built()]
        tag = f"cp311-abi3-{platform_tag([module, program])}"
        name = f"pqlab-{version()}-{tag}.whl"
        files = dict(package())
        files[MODULE] = module.read_bytes()
        files[f"pqlab-{version()}.data/scripts/pqlab"] = program.read_bytes()
    information = f"pqlab-{version()}.dist-info"
    files[f"{information}/METADATA"] = metadata().encode()
    files[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: pqlab {version()}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    for licence in LICENCES:
        files[f"{information}/licenses/{licence}"] = (ROOT / licence).read_bytes()
    files[f"{information}/RECORD"] = record(files, f"{information}/RECORD")
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            runs = "/scripts/" in path or path == MODULE
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """Packs the tracked files from the working tree. The archive of an unmodified checkout is reproducible.

    A wheel can be built from the archive without git.
    """
    names = [name for name in git("ls-files", "-z").split("\0") if name]
    moment = int(git("log", "-1", "--format=%ct"))
    base = f"pqlab-{version()}"

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = moment
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
        return entry

    content = metadata().encode()
    information = plain(tarfile.TarInfo(f"{base}/PKG-INFO"))
    information.size = len(content)
    with (
        open(Path(sdist_directory, f"{base}.tar.gz"), "wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=moment) as packed,
        tarfile.open(mode="w", fileobj=packed, format=tarfile.PAX_FORMAT) as archive,
    ):
        for name in names:
            archive.add(ROOT / name, f"{base}/{name}", recursive=False, filter=plain)
        archive.addfile(information, io.BytesIO(content))
    return f"{base}.tar.gz"


def git(*arguments: str) -> str:
    """Runs git in this repository, even if another user owns the files, and returns the output."""
    command = ["git", "-c", "safe.directory=*", *arguments]
    try:
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Refused("a source archive needs git and a git checkout; a wheel needs neither") from error
    return done.stdout


def check_interpreter() -> None:
    """Rejects unsupported interpreters. The wheel supports CPython 3.11 and later, except for free-threaded builds."""
    if platform.python_implementation() != "CPython":
        raise Refused(f"{platform.python_implementation()} is not supported: use CPython 3.11 or later")
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise Refused("free-threaded Python is not supported: use the standard build of CPython 3.11 or later")


def check_requirements() -> None:
    """Rejects a Linux system that lacks requirements, because the build would fail only after several minutes."""
    if sys.platform != "linux":
        return
    done = subprocess.run(["bash", ROOT / "scripts" / "setup", "check"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(f"{done.stderr.strip().removeprefix('setup: ')}: install them first, or use a prebuilt wheel")


def version() -> str:
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    return str(manifest["workspace"]["package"]["version"])


def metadata() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in LICENCES),
        *(f"Classifier: {name}" for name in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
    ]
    for extra, needed in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {name} ; extra == "{extra}"' for name in needed]
    lines.append("Description-Content-Type: text/markdown")
    readme = Path(ROOT, project["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "", readme])


def package() -> Iterator[tuple[str, bytes]]:
    """Yields the path and content of each source file of the package."""
    folder = ROOT / "python"
    for path in sorted((folder / "pqlab").rglob("*")):
        if path.suffix in {".py", ".pyi", ".typed"} or path.name == "py.typed":
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def built() -> tuple[Path, Path]:
    """Builds the module and the program together, because they reject each other if their builds differ."""
    if shutil.which("cargo") is None:
        raise Refused("cargo is missing: install Rust from https://rustup.rs, or use a prebuilt wheel")
    check_requirements()
    auditable = ["auditable"] if os.environ.get("PQLAB_AUDITABLE") == "1" else []
    command = ["cargo", *auditable, "build", "--release", "--locked", "-p", "pqlab", "-p", "pqlab-python"]
    command += ["--message-format", "json-render-diagnostics"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Refused("cargo failed (its errors are above)")
    module = program = None
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] != "compiler-artifact":
            continue
        if message["target"]["name"] == "_pqlab":
            module = Path(next(name for name in message["filenames"] if not name.endswith((".d", ".dSYM"))))
        elif message["target"]["name"] == "pqlab" and message.get("executable"):
            program = Path(message["executable"])
    if module is None or program is None:
        raise Refused("cargo did not report the built module or program")
    return module, program


def stripped(file: Path, folder: Path) -> Path:
    """Copies a file into a folder, and removes debug information if `strip` is available."""
    copy = folder / file.name
    shutil.copy(file, copy)
    if sys.platform == "linux" and shutil.which("strip"):
        subprocess.run(["strip", "--strip-debug", copy], check=True)
    return copy


def platform_tag(files: list[Path]) -> str:
    """Returns the manylinux tag for the oldest glibc that these files can use, or the system's tag if unknown."""
    system: str = re.sub(r"[.-]", "_", sysconfig.get_platform())
    if sys.platform != "linux" or not shutil.which("readelf"):
        return system
    newest = (0, 0)
    for file in files:
        listing = subprocess.run(
            ["readelf", "--wide", "--dynamic", "--version-info", file],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
        ).stdout
        needed = re.findall(r"\(NEEDED\)\s+Shared library: \[(.+?)\]", listing)
        if not all(EVERYWHERE.fullmatch(name) for name in needed):
            return system
        versions = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", listing)
        newest = max([newest, *((int(major), int(minor)) for major, minor in versions)])
    if newest == (0, 0):
        return system
    return f"manylinux_{newest[0]}_{max(newest[1], 17)}_{platform.machine()}"


def record(files: dict[str, bytes], own: str) -> bytes:
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}")
    return "\n".join([*lines, f"{own},,", ""]).encode()
