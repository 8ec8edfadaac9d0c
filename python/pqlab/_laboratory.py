"""Measurement, verification, and listings of what can be measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any, Unpack

from pqlab import _pqlab
from pqlab._errors import InvalidArgument
from pqlab._functions import Benchmark, served
from pqlab._progress import Shown
from pqlab._request import Asked, Options, Path, asked_for, file_name, request, select_arguments
from pqlab._runs import Run, stopped_runs
from pqlab._serve import Server

def run(
    *what: str,
    algorithms: Iterable[str] = (),
    providers: Iterable[str] = (),
    filters: Iterable[str] = (),
    over: str | None = None,
    quick: bool = False,
    rigorous: bool = False,
    protocol: str | None = None,
    precision: float | None = None,
    max_time: float | None = None,
    processes: int | None = None,
    iterations: int | None = None,
    warmup: int | None = None,
    trim: float | None = None,
    batch: int | None = None,
    counter: str | None = None,
    affinity: Iterable[int] | None = None,
    seed: int | None = None,
    libraries: Iterable[str] = (),
    workers: Iterable[str] = (),
    functions: Iterable[Callable[..., Any]] = (),
    label: str = "python",
    allow_foreign: bool = False,
    database: Path | None = None,
    progress: bool = True,
    **options: Unpack[Options],
) -> Run:
    """Measures cases in worker processes and returns the run.

    Ctrl-C stops the run after the current visit. Finished cases are kept, and :func:`resume` continues with the
    others.

    :param what: Suites, areas, algorithms, providers or suite files, by name (default the suite ``standard``).
    :param algorithms: Patterns of algorithms. Only matching cases are measured (default all).
    :param providers: Patterns of providers. Only matching cases are measured (default all).
    :param filters: Patterns of case ids. Only matching cases are measured (default all).
    :param over: ``tcp`` to measure only handshakes over sockets, of circuits or of TLS (default all cases).
    :param quick: Rough answer with wider intervals, in a quarter of the time (default false).
    :param rigorous: Careful answer with narrower intervals and more processes, in ten times the time (default false).
    :param protocol: Measuring rules, ``adaptive`` or ``reference`` (default the suite's).
    :param precision: Target half-width of the median's 95% interval as a fraction of the median (default 0.01, or the
        suite's).
    :param max_time: Maximum time for a case in seconds (default 1.5, or the suite's).
    :param processes: Worker processes that measure each case (default 8, or the suite's).
    :param iterations: Samples of a case, in place of the adaptive rules (default none).
    :param warmup: Operations that each process discards first (default 100).
    :param trim: Percentage of the samples left out at each tail (default 0).
    :param batch: Operations in a sample (default calibrated).
    :param counter: ``wall``, ``tsc``, ``cycles`` or ``instructions`` (default core cycles if the machine shows them,
        else TSC ticks, else the wall clock).
    :param affinity: Cores to pin the workers to, in turn (default the last one allowed).
    :param seed: Seed of the order and of the inputs (default drawn, and kept with the run).
    :param libraries: Shared libraries to measure as providers. Each is
        ``[LABEL=]KIND:PATH`` with the kind ``liboqs``, ``openssl`` or ``nist``.
    :param workers: Programs in other languages to measure as providers. Each is ``[LABEL=]NAME-or-PATH``.
    :param functions: Python functions to measure in the same rounds, whatever the filters say, see :func:`measure`.
    :param label: Provider id of the functions (default ``python``).
    :param allow_foreign: Whether to load libraries and start workers that suite files name (default false).
    :param database: File that keeps the run (default the one of the command line).
        ``":memory:"`` keeps the run only in memory.
    :param progress: Whether to show a progress bar (default true).
    :param options: Parameters of the cases, the fields of :class:`Options`.
    :return: The run with its samples.
    :raises pqlab.InvalidArgument: An argument cannot be used.
    :raises pqlab.UnknownName: A name or a pattern matches nothing.
    :raises pqlab.LibraryError: A library cannot be loaded, or a worker process cannot be used.
    :raises pqlab.StoreError: The database cannot be read or written.
    :raises pqlab.Interrupted: Ctrl-C was pressed. The exception carries the partial run.
    """
    how = select_arguments(locals())
    with _served(functions, label) as behind:
        asked = asked_for(what, how, "pqlab.run", behind)
        return _measured(progress, lambda shown: _pqlab.measure(asked, file_name(database), shown))


class Measuring(Asked, total=False):
    """Arguments that :func:`measure` passes to :func:`run`, which describes them."""

    label: str
    database: Path | None
    progress: bool


def measure(
    *functions: Callable[..., Any],
    name: str | None = None,
    setup: Callable[[], object] | None = None,
    verify: Callable[..., object] | None = None,
    inputs: int | None = None,
    library: str | None = None,
    beside: Iterable[str] = (),
    **how: Unpack[Measuring],
) -> Run:
    """Measures Python functions with the harness that measures everything else.

    >>> run = pqlab.measure(lambda: key.sign(b"message"), name="sign", verify=lambda signature: len(signature) == 256)
    >>> run = pqlab.measure(mine, theirs, beside=["hash"], algorithms=["SHA3-256"], quick=True)

    Functions run in dedicated processes, which are forked from this interpreter. They find the objects that they
    refer to, but threads are not copied. The garbage collector is off while functions are timed. The case
    ``floor/null/null`` times the same loop with a function that does nothing. Its time, the cost of a call, is part
    of every figure.

    :param functions: The functions. If there are several, :func:`benchmark` sets the name, setup and so on of each.
    :param name: Name of the case (default the function's own).
    :param setup: Function that prepares the arguments of one call. It returns a tuple of them, or the only one.
    :param verify: Function that checks an answer outside the timed region, called as ``verify(answer, *arguments)``.
        It raises or returns ``False`` if the answer is wrong, which fails the case. Without it the case is named
        ``call[answers=unchecked]``.
    :param inputs: Sets of arguments in each process (default 16 with ``setup``, else 1). Calls use them in turn, so a
        function must not change them.
    :param library: Name and version of the measured code (default the function's package).
    :param beside: Suites, areas, algorithms or providers to measure in the same rounds (default none).
    :param how: Other arguments of :func:`run`. Filters apply only to the cases of ``beside``.
    :return: The run with its samples.
    :raises pqlab.InvalidArgument: An argument cannot be used.
    """
    options = {"name": name, "setup": setup, "verify": verify, "inputs": inputs, "library": library}
    chosen = {what: value for what, value in options.items() if value is not None}
    if not functions:
        raise InvalidArgument("functions: none given")
    if chosen:
        first, *others = functions
        if others or isinstance(first, Benchmark):
            given = ", ".join(chosen)
            raise InvalidArgument(f"{given}: only for a single plain function", "make the others with pqlab.benchmark")
        functions = (Benchmark(first, name=name, setup=setup, verify=verify, inputs=inputs, library=library),)
    if isinstance(beside, str):
        raise InvalidArgument(f"beside: {beside!r} is not a list of names", f"write beside=[{beside!r}]")
    return run(*beside, functions=functions, **how)


@contextmanager
def _served(
    functions: Iterable[Callable[..., Any]], label: str
) -> Generator[dict[str, object] | None]:
    """Serves functions behind a socket and yields their description for a request."""
    offered = served(functions)
    if not offered:
        yield None
        return
    with Server(offered) as server:
        yield {"label": label, "socket": server.path, "names": [function.name for function in offered]}


def resume(
    reference: str | None = None,
    *,
    elsewhere: bool = False,
    libraries: Iterable[str] = (),
    workers: Iterable[str] = (),
    functions: Iterable[Callable[..., Any]] = (),
    label: str = "python",
    allow_foreign: bool = False,
    database: Path | None = None,
    progress: bool = True,
) -> Run:
    """Resumes an interrupted run and returns it.

    :param reference: Id, unique prefix or name of the run, ``last`` or ``last~1`` (default the latest incomplete
        run).
    :param elsewhere: Whether to resume on another machine or with another build (default false).
    :param libraries: The shared libraries of the run, given again as in :func:`run`.
    :param workers: The workers of the run, given again as in :func:`run`.
    :param functions: The Python functions of the run, given again as in :func:`run`.
    :param label: Provider id of the functions (default ``python``).
    :param allow_foreign: Whether to load the libraries and start the workers that the run names, which runs their
        code, instead of naming them again (default false).
    :param database: File that keeps the run (default the one of the command line).
    :param progress: Whether to show a progress bar (default true).
    :return: The run with its samples.
    :raises pqlab.UnknownName: No interrupted run matches.
    :raises pqlab.InvalidArgument: The run began on another machine or build, or names libraries that are not given.
    :raises pqlab.Interrupted: Ctrl-C was pressed. The exception carries the partial run.
    """
    with _served(functions, label) as behind:
        asked = request(libraries=libraries, workers=workers, functions=behind, allow_foreign=allow_foreign)
        return _measured(
            progress, lambda shown: _pqlab.resume(asked, file_name(database), reference, elsewhere, shown)
        )


def cases(
    *what: str,
    algorithms: Iterable[str] = (),
    providers: Iterable[str] = (),
    filters: Iterable[str] = (),
    libraries: Iterable[str] = (),
    workers: Iterable[str] = (),
    allow_foreign: bool = False,
    **options: Unpack[Options],
) -> list[str]:
    """Returns the ids of the cases that :func:`run` would measure.

    :param what: Suites, areas, algorithms, providers or suite files, by name (default everything that can be
        measured).
    :param algorithms: Patterns of algorithms (default all).
    :param providers: Patterns of providers (default all).
    :param filters: Patterns of case ids (default all).
    :param libraries: Shared libraries, as in :func:`run`.
    :param workers: Programs in other languages, as in :func:`run`.
    :param allow_foreign: Whether to load libraries and start workers that suite files name (default false).
    :param options: Parameters of the cases, the fields of :class:`Options`.
    :raises pqlab.UnknownName: A name or a pattern matches nothing.
    """
    asked = asked_for(what, select_arguments(locals()), "pqlab.cases")
    found: list[str] = json.loads(_pqlab.cases(asked))
    return found


def plan(*what: str, database: Path | None = None, **how: Unpack[Asked]) -> dict[str, Any]:
    """Returns what :func:`run` would measure with the same arguments, and for how long. Measures nothing.

    :param what: Suites, areas, algorithms, providers or suite files, by name (default the suite ``standard``).
    :param database: File whose runs tell how long cases take (default the one of the command line).
    :param how: Other arguments of :func:`run`.
    :return: ``["cases"]``, the ids; ``["measured"]``, about how many of them remain once trials have chosen the
        ``fastest`` libraries; ``["seconds"]``, the estimated time; ``["unknown"]``, the number of cases that were
        never measured here and may take longer; ``["notes"]``, remarks on the request.
    :raises pqlab.UnknownName: A name or a pattern matches nothing.
    """
    asked = asked_for(what, how, "pqlab.plan")
    found: dict[str, Any] = json.loads(_pqlab.outline(asked, file_name(database)))
    return found


def algorithms(*, libraries: Iterable[str] = (), workers: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Returns every algorithm of every provider, with lengths in bytes. Libraries and workers are as in
    :func:`run`."""
    return _catalogue("algorithms", libraries, workers)


def providers(*, libraries: Iterable[str] = (), workers: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Returns every provider with its version, its build options and the algorithms it lacks.

    Libraries and workers are as in :func:`run`.
    """
    return _catalogue("providers", libraries, workers)


def suites() -> list[dict[str, Any]]:
    """Returns the built-in suites, with the question that each one answers."""
    return _catalogue("suites", (), ())


def exporters() -> list[dict[str, Any]]:
    """Returns the formats of :meth:`pqlab.Run.export`, with a description of each."""
    return _catalogue("exporters", (), ())


def library(spec: str) -> dict[str, Any]:
    """Returns the version of a shared library (``[LABEL=]KIND:PATH``), and its algorithms with lengths in bytes.

    :raises pqlab.LibraryError: The library cannot be loaded.
    """
    found: dict[str, Any] = json.loads(_pqlab.library(request(libraries=[spec])))
    return found


def worker(spec: str) -> dict[str, Any]:
    """Returns the version of a worker (``[LABEL=]NAME-or-PATH``), and its algorithms with lengths in bytes.

    :raises pqlab.LibraryError: The worker cannot be started.
    """
    found: dict[str, Any] = json.loads(_pqlab.library(request(workers=[spec])))
    return found


def counters() -> list[dict[str, Any]]:
    """Returns the counters, and whether this machine has them."""
    return _catalogue("counters", (), ())


def doctor() -> dict[str, Any]:
    """Returns a description of this machine, and in ``["advice"]`` what disturbs measurements here and how to fix it.

    The result is the document of ``pqlab doctor --json``.
    """
    found: dict[str, Any] = json.loads(_pqlab.doctor(request()))
    return found


def verify(
    *,
    algorithms: Iterable[str] = (),
    providers: Iterable[str] = (),
    interoperability: bool = True,
    long: bool = False,
    accumulated: int | None = None,
    libraries: Iterable[str] = (),
    workers: Iterable[str] = (),
    progress: bool = True,
) -> dict[str, Any]:
    """Checks answers by known answers, published vectors, and every provider against every other.

    :param algorithms: Patterns of algorithms (default all).
    :param providers: Patterns of providers (default all). They are still paired with all others.
    :param interoperability: Whether to check every provider against every other (default true).
    :param long: Whether to check the long accumulated vectors too (default false).
    :param accumulated: Check accumulated vectors up to this published number of answers, which may take hours. If the
        call is stopped, the same call continues.
    :param libraries: Shared libraries, as in :func:`run`.
    :param workers: Programs in other languages, as in :func:`run`.
    :param progress: Whether to show a progress bar (default true).
    :return: The document of ``pqlab verify --format json``. ``["totals"]["failed"]`` is 0 if all answers are right.
    :raises pqlab.InvalidArgument: Nobody has published that number of answers, or ``long`` is set too.
    :raises pqlab.UnknownName: A name or a pattern matches nothing.
    """
    asked = request(algorithms=algorithms, providers=providers, libraries=libraries, workers=workers)
    shown = Shown("parts") if progress else None
    try:
        found: dict[str, Any] = json.loads(_pqlab.verify(asked, interoperability, long, accumulated, shown))
    finally:
        if shown is not None:
            shown.close()
    return found


def inspect(
    algorithm: str,
    *,
    providers: Iterable[str] = (),
    seed: int = 1,
    libraries: Iterable[str] = (),
    workers: Iterable[str] = (),
) -> list[dict[str, Any]]:
    """Shows and checks the keys and signatures or ciphertexts of an algorithm.

    :param algorithm: Name of the algorithm.
    :param providers: Patterns of providers (default all).
    :param seed: Seed of keys and messages, below 2^64 (default 1).
    :param libraries: Shared libraries, as in :func:`run`.
    :param workers: Programs in other languages, as in :func:`run`.
    :return: For each provider the lengths, the bytes in hexadecimal, and the checks.
    :raises pqlab.UnknownName: No provider has the algorithm.
    """
    asked = request(providers=providers, libraries=libraries, workers=workers)
    if not 0 <= seed < 2**64:
        raise InvalidArgument(f"seed: {seed} is not a number from 0 to 2^64 - 1")
    found: list[dict[str, Any]] = json.loads(_pqlab.inspect(asked, algorithm, seed))
    return found


def _measured(progress: bool, measure: Callable[[Shown | None], _pqlab.Measured]) -> Run:
    """Measures with an optional progress bar. An exception for Ctrl-C carries the partial run."""
    shown = Shown("cases") if progress else None
    try:
        with stopped_runs():
            return Run(measure(shown))
    finally:
        if shown is not None:
            shown.close()


def _catalogue(what: str, libraries: Iterable[str], workers: Iterable[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(_pqlab.catalogue(request(libraries=libraries, workers=workers), what))
    return found
