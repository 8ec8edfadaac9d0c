"""Runs: their figures, samples, pictures and comparisons; and the databases in which they are kept."""

from __future__ import annotations

import importlib
import io
import json
import os
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pqlab import _pqlab
from pqlab._errors import Error, Interrupted, InvalidArgument, UnknownName
from pqlab._html import page
from pqlab._progress import note

if TYPE_CHECKING:
    from pathlib import Path as _File

    import numpy as np
    import numpy.typing as npt
    import pandas
    import polars

Path = str | os.PathLike[str]


class Run:
    """A run with its samples. Figures are computed when they are asked for, and kept."""

    def __init__(self, measured: _pqlab.Measured) -> None:
        self._measured = measured

    @property
    def id(self) -> str:
        """Its name in the database."""
        return self._measured.id

    @property
    def complete(self) -> bool:
        """Whether every case of its plan is finished."""
        return self._measured.complete

    @property
    def cases(self) -> list[str]:
        """The ids of its finished cases."""
        return self._measured.cases

    @cached_property
    def document(self) -> dict[str, Any]:
        """Environment, rules, results and tables, as ``pqlab export --format json`` writes them: ``docs/formats.md``."""
        found: dict[str, Any] = json.loads(self._measured.document())
        return found

    @property
    def results(self) -> list[dict[str, Any]]:
        """The figures of every case, area by area."""
        areas: dict[str, list[dict[str, Any]]] = self.document["results"]
        return [result for results in areas.values() for result in results]

    @property
    def environment(self) -> dict[str, Any]:
        """The machine, its system, this build and its libraries."""
        found: dict[str, Any] = self.document["environment"]
        return found

    @property
    def tables(self) -> dict[str, dict[str, Any]]:
        """The tables of several cases, by name: columns, rows, and notes that belong to them."""
        found: dict[str, dict[str, Any]] = self.document["tables"]
        return found

    @cached_property
    def findings(self) -> dict[str, Any]:
        """What the run says: ``answers`` (sentences), ``recommendations``, ``costs`` and ``caveats``."""
        found: dict[str, Any] = json.loads(self._measured.findings())
        return found

    @cached_property
    def _charts(self) -> dict[str, tuple[str, str, str]]:
        return {name: rest for name, *rest in self._measured.charts()}  # type: ignore[misc]

    @property
    def charts(self) -> list[str]:
        """The names of its pictures."""
        return list(self._charts)

    def chart(self, name: str) -> str:
        """A picture as SVG. ``latency`` means ``latency-kem`` where there is no other of that beginning."""
        _, _, svg = self._charts[self._chart_name(name)]
        return svg

    def _chart_name(self, name: str) -> str:
        if name in self._charts:
            return name
        near = [known for known in self._charts if known.startswith(f"{name}-") and not known.endswith("-floor")]
        if len(near) == 1:
            return near[0]
        there = ", ".join(near or self._charts) or "none"
        raise UnknownName(f"run {self.id} has no picture {name!r}; available: {there}")

    def samples(self, case: str) -> npt.NDArray[np.float64]:
        """The wall time of one operation in ns, for each sample that counts, in the order in which they were taken.

        The array is a view of memory that the run's samples were put into once; it cannot be written.
        """
        numpy: Any = _needed("numpy", "Run.samples")
        array: npt.NDArray[np.float64] = numpy.asarray(self.sample_buffer(case))
        return array

    def sample_buffer(self, case: str) -> memoryview:
        """The same without NumPy."""
        return memoryview(self._measured.samples(case))

    def to_polars(self) -> polars.DataFrame:
        """The figures as a table, one row a case: the columns of ``pqlab export --format csv``."""
        library: Any = _needed("polars", "Run.to_polars")
        frame: polars.DataFrame = library.read_csv(io.BytesIO(self.export("csv")), infer_schema_length=None)
        return frame

    def to_pandas(self) -> pandas.DataFrame:
        """Likewise for pandas."""
        library: Any = _needed("pandas", "Run.to_pandas")
        frame: pandas.DataFrame = library.read_csv(io.BytesIO(self.export("csv")))
        return frame

    def export(
        self,
        format: str,
        *,
        table: str | None = None,
        digits: int | None = None,
        provider: str | None = None,
        names: str = "ids",
    ) -> bytes:
        """The run in an export format: ``docs/formats.md``. What should be known of it goes to the logger ``pqlab``.

        ``table`` is one table of several cases alone (``csv``, ``json``, ``latex``, ``markdown``), ``digits`` the decimals of a format
        that rounds, ``provider`` whose figures a format holds that has those of one, ``names`` what the formats of Google
        Benchmark call their rows: ``ids`` or ``reference``.
        """
        exported, notes = self._measured.export(format, table, digits, provider, names)
        for text in notes:
            note(text)
        return exported

    def show(self, case: str | None = None, *, width: int = 120) -> str:
        """The run as ``pqlab show`` prints it in so many columns; or the cases that match a pattern in full, with histograms."""
        if width < 1:
            raise InvalidArgument(f"width: must be at least 1, not {width}")
        return self._measured.show(case, width)

    def assuming(
        self,
        *,
        job: Mapping[str, int] | None = None,
        circuits_per_second: float = 1000.0,
        links: Iterable[str] = ("10M", "100M", "10G"),
        rtt: float = 50.0,
    ) -> Run:
        """The same run under other assumptions: its tables, exports and reports answer for them.

        ``job`` is how often each operation is done for which one library is chosen, such as ``{"sign": 1, "verify": 100}``; what is
        left out is what both sides of a TLS 1.3 handshake do. Of circuit handshakes: new circuits a second at the relay, speeds of
        links in bits a second, such as ``10M``, and the round-trip time in ms.
        """
        return Run(self._measured.assuming(weights(job), (circuits_per_second, _names("links", links), rtt)))

    def save(self, path: Path) -> None:
        """Writes the run with all samples to a file, which :func:`pqlab.load` reads."""
        self._measured.save(path)

    def report(self, folder: Path) -> _File:
        """Writes the report (a page, pictures, tables) into a folder and gives the path of the page."""
        from pathlib import Path as File

        return File(self._measured.report(folder))

    def compare(
        self, other: Run, *, margin: float | None = None, metric: str = "auto", database: Path | None = None
    ) -> dict[str, Any]:
        """What changed from this run to the other: the verdicts of ``pqlab compare --json``.

        ``margin`` is the percentage below which a change counts as none, ``metric`` ``auto``, ``time`` or ``cycles``. The
        database knows by what runs of the machine are judged.
        """
        path = None if database is None else os.fspath(database)
        found: dict[str, Any] = json.loads(self._measured.compare(other._measured, margin, metric, path))
        return found

    def compare_cases(
        self, first: str, second: str, *, margin: float | None = None, metric: str = "auto"
    ) -> dict[str, Any]:
        """Cases of this run against others of it: the second pattern against the first, where their stars stand for the same.

        >>> run.compare_cases("*@liboqs", "*@aws-lc")
        """
        found: dict[str, Any] = json.loads(self._measured.compare_cases(first, second, margin, metric))
        return found

    def __repr__(self) -> str:
        state = "complete" if self.complete else "stopped"
        return f"<pqlab.Run {self.id}: {len(self.cases)} cases, {state}>"

    def _repr_html_(self) -> str:
        charts = [chart for name, chart in self._charts.items() if name.startswith("latency-")]
        return page(repr(self), self.findings["answers"], self.results, self.tables, charts)


class Database:
    """The file in which runs are kept."""

    path: str
    """The path of the file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def runs(self) -> list[dict[str, Any]]:
        """The stored runs, the newest first."""
        found: list[dict[str, Any]] = json.loads(_pqlab.stored_runs(self.path))
        return found

    def run(self, reference: str = "last") -> Run:
        """A run by its id, the beginning of it, a name, ``last``, or ``last~1`` for the one before."""
        return Run(_pqlab.stored_run(self.path, reference))

    def add(self, *runs: Run | Path) -> list[str]:
        """Stores runs that were measured elsewhere, and runs in files. All files are read before the first run is stored.

        The ids of those that were not there yet.
        """
        read = [run if isinstance(run, Run) else load(run) for run in runs]
        return [run.id for run in read if _pqlab.import_run(self.path, run._measured)]  # pyright: ignore[reportPrivateUsage]

    def delete(self, *references: str, force: bool = False) -> list[str]:
        """Deletes runs with their samples, all of them or none, and gives their ids. One that has a name only with ``force``."""
        return _pqlab.delete_runs(self.path, list(references), force)

    def note(self, reference: str, text: str) -> None:
        """Keeps a note with a run, in place of an earlier one."""
        _pqlab.note_run(self.path, reference, text)

    def name(self, reference: str, name: str, *, force: bool = False) -> None:
        """Gives a run a name, such as one to compare later runs with. One that another run has is passed on only with ``force``."""
        _pqlab.name_run(self.path, reference, name, force)

    def names(self) -> dict[str, str]:
        """The names that runs have, with their ids."""
        return {name: run["id"] for run in self.runs() for name in run["names"]}

    def compare(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        run: str | None = None,
        since: timedelta | None = None,
        margin: float | None = None,
        metric: str = "auto",
    ) -> dict[str, Any]:
        """Compares two stored runs, or cases of one by patterns: what ``pqlab compare --json`` prints.

        ``run`` is the run of which both are patterns, the latest where none is named. With ``since`` the run ``first``, or the latest,
        is compared with the newest complete one of the same suite and host that is older by so much. ``margin`` and ``metric`` are as
        in :meth:`Run.compare`.
        """
        seconds = None if since is None else since.total_seconds()
        if since is not None and (second is not None or run is not None):
            raise InvalidArgument("since: cannot be combined with second or run")
        found: dict[str, Any] = json.loads(
            _pqlab.compare_stored(self.path, first, second, run, seconds, margin, metric)
        )
        return found

    def report(
        self,
        folder: Path,
        *references: str,
        merge: bool = False,
        job: Mapping[str, int] | None = None,
        circuits_per_second: float = 1000.0,
        links: Iterable[str] = ("10M", "100M", "10G"),
        rtt: float = 50.0,
    ) -> _File:
        """Writes the report over several runs into a folder, and gives the path of its page.

        The newest run is shown, the others are its history; without references the latest and the 19 before it. With ``merge`` they are
        put into one, or without references the newest complete run of each suite of this machine and build. The other arguments
        are as in :meth:`Run.assuming`.
        """
        from pathlib import Path as File

        scenario = (circuits_per_second, _names("links", links), rtt)
        return File(_pqlab.report_stored(self.path, folder, list(references), merge, weights(job), scenario))

    def site(
        self,
        folder: Path,
        *,
        base_url: str | None = None,
        job: Mapping[str, int] | None = None,
        circuits_per_second: float = 1000.0,
        links: Iterable[str] = ("10M", "100M", "10G"),
        rtt: float = 50.0,
    ) -> _File:
        """Writes all runs as a static site into a folder, and gives the path of its first page.

        Each run has a page, each machine one with its history; ``latest.html`` leads to the newest complete run, and ``feed.xml`` is an
        Atom feed of the cases that got worse from a complete run to the next of the same suite on the same machine. Addresses are
        relative; with ``base_url``, where the site will be found, those of the feed are whole. The other arguments are as in
        :meth:`Run.assuming`.
        """
        from pathlib import Path as File

        scenario = (circuits_per_second, _names("links", links), rtt)
        return File(_pqlab.site_stored(self.path, folder, base_url, weights(job), scenario))

    def __repr__(self) -> str:
        return f"<pqlab.Database {self.path}>"


def open_database(path: Path | None = None) -> Database:
    """The database of a file; with none that of the command line. It need not be there before something is stored."""
    return Database(_pqlab.database_path(None if path is None else os.fspath(path)))


def load(path: Path) -> Run:
    """A run from a file that :meth:`Run.save` or ``pqlab export --format json-samples`` wrote."""
    return Run(_pqlab.load(path))


def load_all(*paths: Path) -> list[Run]:
    """The runs of several such files, each of which holds one."""
    return [load(path) for path in paths]


@contextmanager
def stopped_runs() -> Generator[None]:
    """Gives the run that an exception carries its class: the compiled module knows none of the package."""
    try:
        yield
    except Interrupted as stopped:
        compiled: Any = stopped.run
        stopped.run = None if compiled is None else Run(compiled)
        raise


def weights(job: Mapping[str, int] | None) -> str | None:
    """A job as the compiled module reads it."""
    if job is None:
        return None
    return ",".join(f"{operation}={times}" for operation, times in job.items())


def _names(what: str, values: Iterable[str]) -> list[str]:
    if isinstance(values, (str, bytes)):
        raise InvalidArgument(f"{what}: {values!r} is not a list", f"write {what}=[{values!r}]")
    return list(values)


def _needed(module: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise Error(f"{what} needs {module}, which is not installed", f"pip install {module}") from None
