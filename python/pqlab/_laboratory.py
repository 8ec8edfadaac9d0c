"""Functions that measure, verify, and list cases, algorithms and providers."""

from __future__ import annotations

import json
import os
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
    precision: float | str | None = None,
    max_time: float | None = None,
    patience: float | None = None,
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

    Ctrl-C stops the run after the current visit. Finished cases are stored, and :func:`resume` measures the remaining
    ones.

    :param what: Names of suites, areas, algorithms, providers or suite files (default is the ``standard`` suite).
    :param algorithms: Measure only algorithms that match one of these patterns (default all).
    :param providers: Measure only providers that match one of these patterns (default all).
    :param filters: Measure only cases whose id matches one of these patterns (default all).
    :param over: ``tcp`` to measure only circuit and TLS handshakes over TCP sockets (default all cases).
    :param quick: Whether to measure in a quarter of the time, with wider intervals (default false).
    :param rigorous: Whether to measure for up to 10 s per case, with more processes and narrower intervals (default
        false).
    :param protocol: Measurement settings, ``adaptive`` or ``reference`` (default from the suite).
    :param precision: Target half-width of the median's 95% interval in percent (default 1, or from the suite).
    :param max_time: Time limit for each case in seconds (default 1.5, or from the suite).
    :param patience: Time limit in seconds for measuring disturbed cases again at the end of the run, or 0 to measure no
        case again (default the run's time, at least 30).
    :param processes: Number of worker processes that measure each case (default 8, or from the suite).
    :param iterations: Fixed number of samples for each case, instead of the adaptive rules (default none).
    :param warmup: Number of operations to discard at the start of each process (default 100).
    :param trim: Percentage of samples to drop at each tail (default 0).
    :param batch: Operations per sample (default calibrated).
    :param counter: ``wall``, ``tsc``, ``cycles`` or ``instructions`` (default core cycles if available, else TSC ticks,
        else the wall clock).
    :param affinity: Cores to pin the workers to (default is the last allowed core).
    :param seed: Seed for the order of cases and for inputs (default random, stored with the run).
    :param libraries: Shared libraries to measure as providers, each written as
        ``[LABEL=]KIND:PATH``, where the kind is ``liboqs``, ``openssl`` or ``nist``.
    :param workers: Programs in other languages to measure as providers, each written as ``[LABEL=]NAME-or-PATH``.
    :param functions: Python functions to measure in the same rounds, regardless of the filters (see :func:`measure`).
    :param label: Provider id for the functions (default ``python``).
    :param allow_foreign: Whether to load the libraries and start the workers that suite files name (default false).
    :param database: Database file for the run (default is the command line's database).
        ``":memory:"`` keeps the run only in memory.
    :param progress: Whether to show a progress bar (default true).
    :param options: Parameters of the cases (see :class:`Options`).
    :return: The run with its samples.
    :raises pqlab.InvalidArgument: An argument is invalid.
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
    """Arguments that :func:`measure` passes to :func:`run`. See :func:`run` for their descriptions."""

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
    """Measures Python functions the same way as library operations.

    >>> run = pqlab.measure(lambda: key.sign(b"message"), name="sign", verify=lambda signature: len(signature) == 256)
    >>> run = pqlab.measure(mine, theirs, beside=["hash"], algorithms=["SHA3-256"], quick=True)

    Functions run in dedicated processes, which are forked from this interpreter. All existing objects are available in
    these processes, but the other threads of this interpreter are not. The garbage collector is off while functions are
    timed. The ``floor/null/null`` case times a function that does nothing, in the same loop. The result is the overhead
    of a call, which every figure includes.

    :param functions: The functions. For several functions, set the name, setup and so on of each with
        :func:`benchmark`.
    :param name: Name of the case (default is the name of the function).
    :param setup: Function that prepares the arguments of one call. Returns a tuple of arguments, or a single argument.
    :param verify: Function that checks a return value outside the timed region, called as
        ``verify(answer, *arguments)``. If ``verify`` raises an exception or returns ``False``, the case fails. Without
        ``verify``, the case is named ``call[answers=unchecked]``.
    :param inputs: Number of argument sets in each process (default 16 with ``setup``, else 1). Calls reuse the sets, so
        a function must not modify its arguments.
    :param library: Name and version of the measured code (default is the package of the function).
    :param beside: Suites, areas, algorithms or providers to measure in the same rounds (default none).
    :param how: Other arguments, as for :func:`run`. Filters apply only to the cases from ``beside``.
    :return: The run with its samples.
    :raises pqlab.InvalidArgument: An argument is invalid.
    """
    options = {"name": name, "setup": setup, "verify": verify, "inputs": inputs, "library": library}
    chosen = {what: value for what, value in options.items() if value is not None}
    if not functions:
        raise InvalidArgument("functions: none given")
    if chosen:
        first, *others = functions
        if others or isinstance(first, Benchmark):
            given = ", ".join(chosen)
            reason = f"{given}: allowed only with a single plain function"
            raise InvalidArgument(reason, "use pqlab.benchmark for each function")
        functions = (Benchmark(first, name=name, setup=setup, verify=verify, inputs=inputs, library=library),)
    if isinstance(beside, str):
        raise InvalidArgument(f"beside: {beside!r} is not a list of names", f"write beside=[{beside!r}]")
    return run(*beside, functions=functions, **how)


@contextmanager
def _served(
    functions: Iterable[Callable[..., Any]], label: str
) -> Generator[dict[str, object] | None]:
    """Serves functions on a socket, and yields their description for a request."""
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

    :param reference: Id, unique id prefix or name of the run, or ``last`` or ``last~1`` (default is the latest
        incomplete run).
    :param elsewhere: Whether to resume even if the machine or the build has changed (default false).
    :param libraries: Shared libraries, the same as in the call of :func:`run`.
    :param workers: Workers, the same as in the call of :func:`run`.
    :param functions: Python functions, the same as in the call of :func:`run`.
    :param label: Provider id for the functions (default ``python``).
    :param allow_foreign: Whether to load the libraries and start the workers that the stored run names, even if they
        are not passed here (default false). This runs their code.
    :param database: Database file with the run (default is the command line's database).
    :param progress: Whether to show a progress bar (default true).
    :return: The run with its samples.
    :raises pqlab.UnknownName: No interrupted run matches.
    :raises pqlab.InvalidArgument: The machine or the build has changed, or a library is missing.
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

    :param what: Names of suites, areas, algorithms, providers or suite files (default everything that can be measured).
    :param algorithms: Include only algorithms that match one of these patterns (default all).
    :param providers: Include only providers that match one of these patterns (default all).
    :param filters: Include only cases whose id matches one of these patterns (default all).
    :param libraries: Shared libraries, as for :func:`run`.
    :param workers: Programs in other languages, as for :func:`run`.
    :param allow_foreign: Whether to load the libraries and start the workers that suite files name (default false).
    :param options: Parameters of the cases (see :class:`Options`).
    :raises pqlab.UnknownName: A name or a pattern matches nothing.
    """
    asked = asked_for(what, select_arguments(locals()), "pqlab.cases")
    found: list[str] = json.loads(_pqlab.cases(asked))
    return found


def plan(*what: str, database: Path | None = None, **how: Unpack[Asked]) -> dict[str, Any]:
    """Plans a run without measuring. Returns the cases that :func:`run` would measure, and the estimated time.

    :param what: Names of suites, areas, algorithms, providers or suite files (default is the ``standard`` suite).
    :param database: Database file with the earlier runs that the estimate uses (default is the command line's
        database).
    :param how: Other arguments, as for :func:`run`.
    :return: A dictionary. ``["cases"]`` lists the case ids. ``["measured"]`` is the approximate number of cases that
        remain after trials have chosen the ``fastest`` libraries. ``["seconds"]`` is the estimated time.
        ``["unknown"]`` is the number of cases that were never measured here, which may take longer. ``["notes"]``
        contains remarks on the request.
    :raises pqlab.UnknownName: A name or a pattern matches nothing.
    """
    asked = asked_for(what, how, "pqlab.plan")
    found: dict[str, Any] = json.loads(_pqlab.outline(asked, file_name(database)))
    return found


def algorithms(*, libraries: Iterable[str] = (), workers: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Returns every algorithm of every provider, with lengths in bytes.

    ``libraries`` and ``workers`` add providers, as for :func:`run`.
    """
    return _catalogue("algorithms", libraries, workers)


def providers(*, libraries: Iterable[str] = (), workers: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Returns every provider with its version, its build options, and the algorithms that it does not offer.

    ``libraries`` and ``workers`` add providers, as for :func:`run`.
    """
    return _catalogue("providers", libraries, workers)


def suites() -> list[dict[str, Any]]:
    """Returns the built-in suites and the question that each suite answers."""
    return _catalogue("suites", (), ())


def exporters() -> list[dict[str, Any]]:
    """Returns the names and descriptions of the formats that :meth:`pqlab.Run.export` supports."""
    return _catalogue("exporters", (), ())


def library(spec: str) -> dict[str, Any]:
    """Describes a shared library, written as ``[LABEL=]KIND:PATH``.

    :return: The version, and the algorithms with lengths in bytes.

    :raises pqlab.LibraryError: The library cannot be loaded.
    """
    found: dict[str, Any] = json.loads(_pqlab.library(request(libraries=[spec])))
    return found


def worker(spec: str) -> dict[str, Any]:
    """Describes a worker, written as ``[LABEL=]NAME-or-PATH``.

    :return: The version, and the algorithms with lengths in bytes.

    :raises pqlab.LibraryError: The worker cannot be started.
    """
    found: dict[str, Any] = json.loads(_pqlab.library(request(workers=[spec])))
    return found


def counters() -> list[dict[str, Any]]:
    """Returns the counters, and whether this machine supports them."""
    return _catalogue("counters", (), ())


def doctor() -> dict[str, Any]:
    """Describes this machine and checks it for problems that disturb measurements.

    :return: Output of ``pqlab doctor --json`` as a dictionary. ``["advice"]`` lists the problems and how to fix them.
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
    """Checks the results of providers against known answers, published vectors, and all other providers.

    :param algorithms: Check only algorithms that match one of these patterns (default all).
    :param providers: Check only providers that match one of these patterns (default all). Each selected provider is
        still checked against all other providers.
    :param interoperability: Whether to check every provider against every other (default true).
    :param long: Whether to include the long accumulated vectors (default false).
    :param accumulated: Check accumulated vectors up to this number of answers (default none). A digest must be
        published for this number. The check may take hours. To resume after an interruption, repeat the call.
    :param libraries: Shared libraries, as for :func:`run`.
    :param workers: Programs in other languages, as for :func:`run`.
    :param progress: Whether to show a progress bar (default true).
    :return: Output of ``pqlab verify --format json`` as a dictionary. ``["totals"]["failed"]`` is 0 if all results are
        correct.
    :raises pqlab.InvalidArgument: No digest is published for this number of answers, or ``long`` is also set.
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
    :param providers: Inspect only providers that match one of these patterns (default all).
    :param seed: Seed for keys and messages, below 2^64 (default 1).
    :param libraries: Shared libraries, as for :func:`run`.
    :param workers: Programs in other languages, as for :func:`run`.
    :return: A dictionary for each provider, with the lengths, the bytes in hexadecimal, and the checks.
    :raises pqlab.UnknownName: No provider offers the algorithm.
    """
    asked = request(providers=providers, libraries=libraries, workers=workers)
    if not 0 <= seed < 2**64:
        raise InvalidArgument(f"seed: {seed} is not a number from 0 to 2^64 - 1")
    found: list[dict[str, Any]] = json.loads(_pqlab.inspect(asked, algorithm, seed))
    return found


def inspect_file(
    file: Path,
    *,
    providers: Iterable[str] = (),
    libraries: Iterable[str] = (),
    workers: Iterable[str] = (),
) -> dict[str, Any]:
    """Shows and checks a file with keys, certificates or tokens: PEM, DER, JWK, JWS or COSE.

    :param file: Path of the file.
    :param providers: Check only with providers that match one of these patterns (default all).
    :param libraries: Shared libraries, as for :func:`run`.
    :param workers: Programs in other languages, as for :func:`run`.
    :return: A dictionary with the parts of the file in ``blocks``, each with its facts and checks.
    :raises pqlab.StoreError: The file cannot be read, or contains nothing that pqlab recognizes.
    """
    return inspect_files([file], providers=providers, libraries=libraries, workers=workers)[0]


def inspect_files(
    files: Iterable[Path],
    *,
    providers: Iterable[str] = (),
    libraries: Iterable[str] = (),
    workers: Iterable[str] = (),
) -> list[dict[str, Any]]:
    """Shows and checks files with keys, certificates or tokens. Checks use the keys and certificates of all the files.

    :param files: Paths of the files, such as a certificate and the issuer's certificate, or a token and its key.
    :param providers: Check only with providers that match one of these patterns (default all).
    :param libraries: Shared libraries, as for :func:`run`.
    :param workers: Programs in other languages, as for :func:`run`.
    :return: A dictionary for each file, as from :func:`inspect_file`.
    :raises pqlab.StoreError: A file cannot be read, or contains nothing that pqlab recognizes.
    """
    asked = request(providers=providers, libraries=libraries, workers=workers)
    found: list[dict[str, Any]] = json.loads(_pqlab.inspect_files(asked, [os.fspath(file) for file in files]))
    return found


def _measured(progress: bool, measure: Callable[[Shown | None], _pqlab.Measured]) -> Run:
    """Calls ``measure`` with an optional progress bar. After Ctrl-C, the exception carries the partial run."""
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
