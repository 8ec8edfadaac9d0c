"""Runs with their figures, samples, charts and comparisons, and the databases that store runs."""

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
    """A run with its samples. Figures are computed on first use and then cached."""

    def __init__(self, measured: _pqlab.Measured) -> None:
        self._measured = measured

    @property
    def id(self) -> str:
        """Id of the run, unique in the database."""
        return self._measured.id

    @property
    def complete(self) -> bool:
        """Whether every planned case is finished."""
        return self._measured.complete

    @property
    def cases(self) -> list[str]:
        """Ids of the finished cases."""
        return self._measured.cases

    @cached_property
    def document(self) -> dict[str, Any]:
        """Environment, rules, results and tables, the same as the output of ``pqlab export --format json`` (see
        ``docs/formats.md``)."""
        found: dict[str, Any] = json.loads(self._measured.document())
        return found

    @property
    def results(self) -> list[dict[str, Any]]:
        """Figures of every case, area by area."""
        areas: dict[str, list[dict[str, Any]]] = self.document["results"]
        return [result for results in areas.values() for result in results]

    @property
    def environment(self) -> dict[str, Any]:
        """Machine, operating system, build and libraries."""
        found: dict[str, Any] = self.document["environment"]
        return found

    @property
    def tables(self) -> dict[str, dict[str, Any]]:
        """Tables that combine several cases, keyed by name. Each table contains columns, rows and notes."""
        found: dict[str, dict[str, Any]] = self.document["tables"]
        return found

    @cached_property
    def findings(self) -> dict[str, Any]:
        """Findings of the run: ``answers`` (sentences), ``recommendations``, ``costs`` and ``caveats``."""
        found: dict[str, Any] = json.loads(self._measured.findings())
        return found

    @cached_property
    def _charts(self) -> dict[str, tuple[str, str, str]]:
        return {name: rest for name, *rest in self._measured.charts()}  # type: ignore[misc]

    @property
    def charts(self) -> list[str]:
        """Names of the charts."""
        return list(self._charts)

    def chart(self, name: str) -> str:
        """Returns a chart as SVG.

        :param name: Name of the chart. ``latency`` also finds ``latency-kem`` if no other name begins with
            ``latency-``.
        :raises pqlab.UnknownName: No chart has this name, or several names match.
        """
        _, _, svg = self._charts[self._chart_name(name)]
        return svg

    def _chart_name(self, name: str) -> str:
        if name in self._charts:
            return name
        near = [chart for chart in self._charts if chart.startswith(f"{name}-") and not chart.endswith("-floor")]
        if len(near) == 1:
            return near[0]
        there = ", ".join(near or self._charts) or "none"
        raise UnknownName(f"run {self.id} has no chart {name!r}; available: {there}")

    def samples(self, case: str) -> npt.NDArray[np.float64]:
        """Returns the samples of a case in the order of measurement, each as wall time per operation in ns.

        Excludes the samples that the figures exclude, such as disturbed samples. The array is a read-only view of the
        samples. Requires NumPy.

        :raises pqlab.UnknownName: The run does not contain the case.
        """
        numpy: Any = _needed("numpy", "Run.samples")
        array: npt.NDArray[np.float64] = numpy.asarray(self.sample_buffer(case))
        return array

    def sample_buffer(self, case: str) -> memoryview:
        """Returns the same samples as :meth:`samples`, without NumPy."""
        return memoryview(self._measured.samples(case))

    def to_polars(self) -> polars.DataFrame:
        """Returns the figures as a Polars data frame with one row per case and the columns of
        ``pqlab export --format csv``."""
        library: Any = _needed("polars", "Run.to_polars")
        frame: polars.DataFrame = library.read_csv(io.BytesIO(self.export("csv")), infer_schema_length=None)
        return frame

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the figures as a pandas data frame with one row per case and the columns of
        ``pqlab export --format csv``."""
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
        """Returns the run in an export format (see ``docs/formats.md``). Notes go to the logger ``pqlab``.

        :param format: Name of the format. :func:`pqlab.exporters` lists all formats.
        :param table: Name of the table to export, for the formats ``csv``, ``json``, ``latex`` and ``markdown``
            (default is the whole run).
        :param digits: Number of decimals, for formats that round (default 1).
        :param provider: Provider to export, for formats that contain a single provider (default none).
        :param names: Row names in Google Benchmark formats, ``ids`` or ``reference`` (default ``ids``).
        :raises pqlab.InvalidArgument: The format is unknown, or does not support the other arguments.
        """
        exported, notes = self._measured.export(format, table, digits, provider, names)
        for text in notes:
            note(text)
        return exported

    def show(self, case: str | None = None, *, wide: bool = False, width: int = 120) -> str:
        """Returns the text that ``pqlab show`` prints.

        :param case: Pattern of the cases to show with full details (default none, a summary of the whole run).
        :param wide: Whether to also show intervals, means, rates, samples and processes (default false). Ignored if
            ``case`` is set.
        :param width: Width of the text in columns (default 120).
        :raises pqlab.UnknownName: No case matches.
        """
        if width < 1:
            raise InvalidArgument(f"width: must be at least 1, not {width}")
        return self._measured.show(case, wide, width)

    def assuming(
        self,
        *,
        job: Mapping[str, int] | None = None,
        circuits_per_second: float = 1000.0,
        links: Iterable[str] = ("10M", "100M", "10G"),
        rtt: float = 50.0,
    ) -> Run:
        """Returns the same run with other assumptions for its tables, exports and reports.

        :param job: Number of times that the job performs each operation, such as
            ``{"sign": 1, "verify": 100}`` (default both sides of a TLS 1.3 handshake). The recommended library
            depends on the job.
        :param circuits_per_second: New circuits per second at a relay (default 1000).
        :param links: Link speeds in bits per second, with a unit (default ``10M``, ``100M`` and ``10G``).
        :param rtt: Round-trip time in ms (default 50).
        :raises pqlab.InvalidArgument: An argument is invalid.
        """
        return Run(self._measured.assuming(weights(job), (circuits_per_second, _names("links", links), rtt)))

    def save(self, path: Path) -> None:
        """Writes the run with all samples to a file. :func:`pqlab.load` reads such files.

        :raises pqlab.StoreError: The file cannot be written.
        """
        self._measured.save(path)

    def report(self, folder: Path) -> _File:
        """Writes the report (an HTML page, charts and tables) into a folder and returns the path of the page.

        :raises pqlab.StoreError: A file cannot be written.
        """
        from pathlib import Path as File

        return File(self._measured.report(folder))

    def compare(
        self, other: Run, *, margin: float | None = None, metric: str = "auto", database: Path | None = None
    ) -> dict[str, Any]:
        """Compares another run with this one.

        :param other: The new run.
        :param margin: Differences up to this percentage are equivalent (default from the noise of the machine if the
            database contains it, else 2).
        :param metric: Unit of the comparison, ``auto``, ``time`` or ``cycles`` (default ``auto``, which means cycles if
            both runs counted them).
        :param database: Database file with the noise of the machine (default is the command line's database).
        :return: Output of ``pqlab compare --json`` as a dictionary, with a verdict for each case.
        :raises pqlab.InvalidArgument: An argument is invalid.
        """
        path = None if database is None else os.fspath(database)
        found: dict[str, Any] = json.loads(self._measured.compare(other._measured, margin, metric, path))
        return found

    def compare_cases(
        self, first: str, second: str, *, margin: float | None = None, metric: str = "auto"
    ) -> dict[str, Any]:
        """Compares pairs of cases from this run.

        >>> run.compare_cases("*@liboqs", "*@aws-lc")

        Two cases form a pair if the stars in both patterns match the same text.

        :param first: Pattern for the baseline cases.
        :param second: Pattern for the cases to compare with the baseline.
        :param margin: Differences up to this percentage are equivalent (default 2).
        :param metric: Unit of the comparison, ``auto``, ``time`` or ``cycles`` (default ``auto``, which means cycles if
            the run counted them).
        :return: Output of ``pqlab compare --json`` as a dictionary, with a verdict for each pair.
        :raises pqlab.UnknownName: A pattern matches nothing.
        """
        found: dict[str, Any] = json.loads(self._measured.compare_cases(first, second, margin, metric))
        return found

    def compare_published(self, *, all_cpus: bool = False) -> dict[str, Any]:
        """Compares this run with figures that others published for the same kind of CPU core.

        :param all_cpus: Whether to also list figures for other CPUs in ``["other_cpus"]`` (default no).
        :return: Output of ``pqlab compare --published --json`` as a dictionary. Each entry of ``["pairs"]`` contains
            the ``["ratio"]`` of this run's figure to the published one, and possible ``["reasons"]`` for a difference.
        """
        found: dict[str, Any] = json.loads(self._measured.compare_published(all_cpus))
        return found

    def __repr__(self) -> str:
        state = "complete" if self.complete else "stopped"
        return f"<pqlab.Run {self.id}: {len(self.cases)} cases, {state}>"

    def _repr_html_(self) -> str:
        charts = [chart for name, chart in self._charts.items() if name.startswith("latency-")]
        return page(repr(self), self.findings["answers"], self.results, self.tables, charts)


class Database:
    """A database file, which stores runs."""

    path: str
    """Path of the file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def runs(self) -> list[dict[str, Any]]:
        """Returns the stored runs, newest first."""
        found: list[dict[str, Any]] = json.loads(_pqlab.stored_runs(self.path))
        return found

    def run(self, reference: str = "last") -> Run:
        """Loads a stored run.

        :param reference: Id, unique id prefix or name of the run, or ``last``, or ``last~1`` for the run before the
            last (default ``last``).
        :raises pqlab.UnknownName: The run does not exist.
        """
        return Run(_pqlab.stored_run(self.path, reference))

    def add(self, *runs: Run | Path) -> list[str]:
        """Stores runs that were measured elsewhere. Reads all files before it stores the first run.

        :param runs: Runs, or files that contain a run.
        :return: The ids of the runs that were not stored before.
        :raises pqlab.StoreError: A file does not contain a run, or the database cannot be written.
        """
        read = [run if isinstance(run, Run) else load(run) for run in runs]
        return [run.id for run in read if _pqlab.import_run(self.path, run._measured)]  # pyright: ignore[reportPrivateUsage]

    def delete(self, *references: str, force: bool = False) -> list[str]:
        """Deletes runs with their samples. If one run cannot be deleted, no run is deleted.

        :param references: Ids, unique id prefixes or names of the runs, or ``last`` or ``last~1``.
        :param force: Whether to delete even runs that have a name (default false).
        :return: The ids of the deleted runs.
        :raises pqlab.UnknownName: A run does not exist.
        :raises pqlab.InvalidArgument: A run has a name, and ``force`` is false.
        """
        return _pqlab.delete_runs(self.path, list(references), force)

    def note(self, reference: str, text: str) -> None:
        """Attaches a note to a run, in place of any earlier note."""
        _pqlab.note_run(self.path, reference, text)

    def name(self, reference: str, name: str, *, force: bool = False) -> None:
        """Gives a run a name, for example to use it as the baseline of later comparisons.

        :param reference: Id, unique id prefix or name of the run, or ``last`` or ``last~1``.
        :param name: The new name.
        :param force: Whether to take the name from another run (default false).
        :raises pqlab.InvalidArgument: The name is not valid, or belongs to another run.
        :raises pqlab.UnknownName: The run does not exist.
        """
        _pqlab.name_run(self.path, reference, name, force)

    def names(self) -> dict[str, str]:
        """Returns the ids of the runs that have a name, keyed by the name."""
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
        """Compares two stored runs, or cases of one run.

        :param first: Baseline run, or a pattern for the baseline cases. With ``since``, the run to compare with its
            baseline (default is the latest run).
        :param second: Run to compare with the baseline, or a pattern for the cases to compare with the baseline cases.
        :param run: Run to take the cases from, if ``first`` and ``second`` are patterns (default is the latest run).
        :param since: Minimum age difference. The baseline is the newest complete run of the same suite and host that
            is at least this much older.
        :param margin: Differences up to this percentage are equivalent, as for :meth:`Run.compare`.
        :param metric: Unit of the comparison, as for :meth:`Run.compare` (default ``auto``).
        :return: Output of ``pqlab compare --json`` as a dictionary, with a verdict for each case.
        :raises pqlab.UnknownName: A run does not exist, or a pattern matches nothing.
        :raises pqlab.InvalidArgument: The arguments cannot be combined.
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
        """Writes a report on several runs into a folder and returns the path of the HTML page.

        The report shows the newest run in detail. The other runs appear as its history.

        :param folder: Output folder, which is created if missing.
        :param references: Ids, unique id prefixes or names of the runs (default is the latest 20 runs).
        :param merge: Whether to merge the runs into one (default false). Without references, merges the newest complete
            run of each suite that was measured on this machine with this build.
        :param job: Number of times that the job performs each operation, as for :meth:`Run.assuming`.
        :param circuits_per_second: New circuits per second at a relay, as for :meth:`Run.assuming` (default 1000).
        :param links: Link speeds, as for :meth:`Run.assuming` (default ``10M``, ``100M`` and ``10G``).
        :param rtt: Round-trip time in ms (default 50).
        :raises pqlab.UnknownName: A run does not exist.
        :raises pqlab.StoreError: A file cannot be written.
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
        """Writes all runs as a static site into a folder and returns the path of the start page.

        The site contains a page for each run, and a page for each machine with its history. ``latest.html`` links to
        the newest complete run. ``feed.xml`` is an Atom feed of cases that got slower between consecutive complete runs
        of the same suite on the same machine.

        :param folder: Output folder, which is created if missing.
        :param base_url: URL of the published site, for absolute links in the feed (default relative links).
        :param job: Number of times that the job performs each operation, as for :meth:`Run.assuming`.
        :param circuits_per_second: New circuits per second at a relay, as for :meth:`Run.assuming` (default 1000).
        :param links: Link speeds, as for :meth:`Run.assuming` (default ``10M``, ``100M`` and ``10G``).
        :param rtt: Round-trip time in ms (default 50).
        :raises pqlab.InvalidArgument: An argument is invalid.
        :raises pqlab.StoreError: A file cannot be written.
        """
        from pathlib import Path as File

        scenario = (circuits_per_second, _names("links", links), rtt)
        return File(_pqlab.site_stored(self.path, folder, base_url, weights(job), scenario))

    def __repr__(self) -> str:
        return f"<pqlab.Database {self.path}>"


def open_database(path: Path | None = None) -> Database:
    """Returns the database in a file. The file need not exist yet.

    :param path: Path of the file (default is the command line's database).
    """
    return Database(_pqlab.database_path(None if path is None else os.fspath(path)))


def load(path: Path) -> Run:
    """Loads a run from a file that :meth:`Run.save` or ``pqlab export --format json-samples`` wrote.

    :raises pqlab.StoreError: The file cannot be read, or does not contain a run.
    """
    return Run(_pqlab.load(path))


def load_all(*paths: Path) -> list[Run]:
    """Loads one run from each file, as :func:`load` does."""
    return [load(path) for path in paths]


@contextmanager
def stopped_runs() -> Generator[None]:
    """Converts the run that an exception carries, if any, from the compiled module's type to :class:`Run`."""
    try:
        yield
    except Interrupted as stopped:
        compiled: Any = stopped.run
        stopped.run = None if compiled is None else Run(compiled)
        raise


def weights(job: Mapping[str, int] | None) -> str | None:
    """Formats a job for the compiled module."""
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
