"""Builds the documentation of the package: an API reference, and the executed notebooks from `docs`.

    python python/docs/pqlab_docs.py FOLDER

Fails on warnings and on public names without a docstring. The types of compiled classes come from `_pqlab.pyi`.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbclient
import nbconvert
import nbformat
import pdoc
import pdoc.doc
import pdoc.render
from traitlets.config import Config

import pqlab
from pqlab import _pqlab

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))
# Time limit for each notebook cell in seconds.
CELL = 600
REFERENCE = re.compile(r":(?:class|func|meth|mod|attr):`([\w.]+)`")


def compiled_stub() -> str:
    """Returns the part of `_pqlab.pyi` that the package re-exports. pdoc looks up types in the re-exporting module."""
    tree = ast.parse(Path(pqlab.__file__).with_name("_pqlab.pyi").read_text(encoding="utf-8"))
    offered = {name for name in pqlab.__all__ if getattr(pqlab, name) is getattr(_pqlab, name, None)}

    # pdoc recognizes constructors only by the name `__init__`.
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__new__":
            node.name = "__init__"

    def wanted(nodes: list[ast.stmt]) -> Iterator[ast.stmt]:
        for index, node in enumerate(nodes):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                yield node
            elif isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in offered:
                yield node
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in offered:
                yield node
                # A string after a variable is its docstring.
                yield from (text for text in nodes[index + 1 : index + 2] if isinstance(text, ast.Expr))

    # Annotations can refer to classes that are defined later.
    later = ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
    return ast.unparse(ast.fix_missing_locations(ast.Module([later, *wanted(tree.body)], [])))


@contextmanager
def documented() -> Iterator[pdoc.doc.Module]:
    """Yields the pdoc model of the package, with types for the compiled names."""
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("error")
        # Before Python 3.12, pdoc cannot locate the inherited fields of a TypedDict.
        warnings.filterwarnings("ignore", message=r"Cannot determine where pqlab\.Measuring\.")
        stub = Path(scratch, "pqlab-stubs", "__init__.pyi")
        stub.parent.mkdir()
        stub.write_text(compiled_stub(), encoding="utf-8")
        sys.path.insert(0, scratch)
        try:
            package = pdoc.doc.Module.from_name("pqlab")
            put_in_order(package, stub)
            yield package
        finally:
            sys.path.remove(scratch)


def put_in_order(package: pdoc.doc.Module, stub: Path) -> None:
    """Sorts the members of compiled classes as in the stub, because PyO3 does not keep their order."""
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        shown = package.members.get(node.name) if isinstance(node, ast.ClassDef) else None
        if isinstance(node, ast.ClassDef) and isinstance(shown, pdoc.doc.Class):
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.name in shown.members:
                    shown.members[part.name] = shown.members.pop(part.name)


def public(namespace: pdoc.doc.Namespace[Any]) -> Iterator[pdoc.doc.Doc[Any]]:
    """Yields the public names in a module or a class, recursively."""
    members = [*namespace.own_members, *(namespace.submodules if isinstance(namespace, pdoc.doc.Module) else ())]
    for member in members:
        if member.name.startswith("_") and member.name not in getattr(namespace.obj, "__all__", ()):
            continue
        yield member
        if isinstance(member, pdoc.doc.Namespace):
            yield from public(member)


def faults(package: pdoc.doc.Module) -> list[str]:
    """Lists public names without a docstring, functions with an unknown signature, and broken references."""
    found: list[str] = []
    # `run` and `Options` already document the arguments in `Measuring`.
    described = {*inspect.signature(pqlab.run).parameters, *pqlab.Options.__annotations__}
    for one in [package, *public(package)]:
        if not one.docstring.strip() and not (one.qualname.startswith("Measuring.") and one.name in described):
            found.append(f"{one.fullname} has no docstring")
        if isinstance(one, pdoc.doc.Function) and "unknown" in one.signature.parameters:
            found.append(f"{one.fullname} has no known signature")
        found += [f"{one.fullname} refers to {name}" for name in REFERENCE.findall(one.docstring) if not known(one, name)]
    return found


def known(doc: pdoc.doc.Doc[Any], name: str) -> bool:
    """Returns whether a docstring reference resolves, relative to the documented class, the module or the package."""
    for start in (doc.qualname.rpartition(".")[0], doc.qualname, ""):
        place: Any = sys.modules[doc.modulename]
        path = [*filter(None, start.split(".")), *name.split(".")]
        if resolves(place, path):
            return True
    first, *rest = name.split(".")
    return first == "pqlab" and resolves(pqlab, rest)


def resolves(place: Any, path: list[str]) -> bool:
    for part in path:
        if not hasattr(place, part):
            return False
        place = getattr(place, part)
    return True


def write_page(folder: Path) -> Path:
    """Writes the API reference: a page for the package and a page for each submodule."""
    # Fields are `:param NAME:`, `:return:` and `:raises ERROR:`. pdoc takes everything up to the last colon on the
    # first line as the name, so the text on that line must not contain a colon.
    pdoc.render.configure(docformat="restructuredtext", show_source=False, footer_text=f"pqlab {pqlab.__version__}")
    with documented() as package:
        wrong = faults(package)
        if wrong:
            raise SystemExit("\n".join(["pqlab: incomplete docstrings:", *wrong]))
        pdoc.pdoc("pqlab", output_directory=folder)
    return folder / "pqlab.html"


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Runs a notebook from top to bottom in a folder, with a separate database. Fails if a cell fails."""
    notebook: nbformat.NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    settings = {"PQLAB_DB": str(folder / "pqlab.db"), "IPYTHONDIR": str(folder / "ipython")}
    # Search for kernels only in this environment, because other folders can contain a kernel with the same name.
    # Connect to the kernel through Unix sockets in the temporary folder instead of TCP ports.
    kernel = Config(
        KernelSpecManager={"kernel_dirs": [str(Path(sys.prefix, "share", "jupyter", "kernels"))]},
        KernelManager={"transport": "ipc", "connection_file": str(folder / "kernel.json")},
    )
    client = nbclient.NotebookClient(
        notebook, kernel_name="python3", timeout=CELL, config=kernel, resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env={**os.environ, **settings})
    return notebook


def page_of(notebook: nbformat.NotebookNode, title: str) -> str:
    """Converts an executed notebook into an HTML page that loads nothing from the network."""
    elsewhere = ["mathjax_url", "require_js_url", "jquery_url", "mermaid_js_url", "mermaid_layout_elk_js_url"]
    exporter = nbconvert.HTMLExporter(**dict.fromkeys(elsewhere, ""))  # type: ignore[no-untyped-call]
    html, _ = exporter.from_notebook_node(notebook, resources={"metadata": {"name": title}})
    return str(html)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
    folder.mkdir(parents=True, exist_ok=True)
    written = [write_page(folder)]
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as scratch:
            html = page_of(executed(path, Path(scratch)), path.stem)
        written.append(folder / f"{path.stem}.html")
        written[-1].write_text(html, encoding="utf-8")
    print(*written, sep="\n")


if __name__ == "__main__":
    main()
