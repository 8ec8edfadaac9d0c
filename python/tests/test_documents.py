"""Documentation: the examples run as shown, and every public name is documented."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pdoc.doc
import pqlab_docs as builder
import pytest

import pqlab

ROOT = Path(__file__).resolve().parents[2]
# Blocks with another tag, such as `python terminal`, are not run.
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_public_name_is_documented() -> None:
    with builder.documented() as package:
        assert builder.faults(package) == []
        names = {one.fullname for one in builder.public(package)}
    for module in (pqlab, pqlab.stats, pqlab.ledger):
        submodules = {"ledger", "stats"} & set(module.__all__)
        assert {f"{module.__name__}.{name}" for name in set(module.__all__) - submodules} <= names


def test_faults_are_found() -> None:
    spec = importlib.util.spec_from_loader("faulty", loader=None)
    assert spec is not None
    module: Any = importlib.util.module_from_spec(spec)
    exec('"""See :func:`nothing`, not :func:`bare`."""\ndef bare(): pass\n', module.__dict__)
    module.bare.__module__ = "faulty"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "faulty", module)
        found = builder.faults(pdoc.doc.Module(module))
    assert found == ["faulty refers to nothing", "faulty.bare has no docstring"]


def test_page_shows_compiled_classes(tmp_path: Path) -> None:
    page = builder.write_page(tmp_path).read_text(encoding="utf-8")
    words = " ".join(unescape(re.sub(r"<[^>]+>", "", page)).split())
    for shown in (
        "KEM(algorithm: str = 'ML-KEM-768', provider: str | None = None)",
        "Ntor(handshake: str = 'hybrid', provider: str | None = None)",
        "def public_bytes(self) -> bytes: Returns the wire encoding of the key.",
        "The public key.",
    ):
        assert shown in words
    assert {path.stem for path in (tmp_path / "pqlab").iterdir()} == {"cluster", "fleet", "ledger", "stats"}


@pytest.fixture
def small(run: pqlab.Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Returns a function that runs all code blocks of a document, in an empty folder and with a database of one run.

    The blocks measure the same cases as the document, but for less time.
    """

    def execute(name: str) -> None:
        monkeypatch.setenv("PQLAB_DB", str(tmp_path / "pqlab.db"))
        pqlab.open().add(run)
        for call in ("run", "measure"):
            monkeypatch.setattr(pqlab, call, partial(getattr(pqlab, call), max_time=0.02, processes=1, progress=False))
        monkeypatch.chdir(tmp_path)
        text = (ROOT / name).read_text(encoding="utf-8")
        found = list(BLOCK.finditer(text))
        assert found, f"{name} must contain Python blocks"
        names: dict[str, Any] = {"__name__": "__main__"}
        for block in found:
            # Pad with empty lines, so that errors show the line number in the document.
            lines = "\n" * text.count("\n", 0, block.start(1))
            exec(compile(lines + block[1], str(ROOT / name), "exec"), names)

    return execute


def test_the_example_of_the_readme_runs(small: Callable[[str], None], tmp_path: Path) -> None:
    small("README.md")
    assert pqlab.load(tmp_path / "run.json").complete


def test_the_examples_of_the_document_run(small: Callable[[str], None]) -> None:
    small("docs/python.md")


@pytest.mark.parametrize("path", builder.NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path: Path, tmp_path: Path) -> None:
    stored = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    assert all(cell.get("execution_count") is None and not cell.get("outputs") for cell in stored.cells)
    done = builder.executed(path, tmp_path)
    code = [cell for cell in done.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    shown = [output.data for output in outputs if "data" in output]
    pictures = [data["image/svg+xml"] for data in shown if "image/svg+xml" in data]
    assert pictures and all(ElementTree.fromstring(svg).tag.endswith("svg") for svg in pictures)
    printed = "".join(output.text for output in outputs if output.output_type == "stream")
    assert "\\toprule" in printed
    page = builder.page_of(done, path.stem)
    assert "<svg" in page and not re.search(r"""(?:src|href)=["']?https?:|import [^;\n]*["']https?:""", page)
