"""Measuring, verifying, and what there is to measure."""

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
    """Measures suites, areas, algorithms or providers, by their names; with none the suite ``standard``.

    ``algorithms``, ``providers`` and ``filters`` (patterns of ids) leave only what they match. ``precision`` is the wanted
    half-width of the median's 95% interval as a share of it: 0.01 for 1%. ``max_time`` is in seconds for each case, ``trim`` in
    percent at each tail. ``protocol`` is ``adaptive`` or ``reference``, ``counter`` ``wall``, ``tsc``, ``cycles`` or
    ``instructions``. ``libraries`` are ``[LABEL=]KIND:PATH``, ``workers`` ``[LABEL=]NAME-or-PATH``. ``functions`` are measured
    too, whatever the filters leave of the rest, as those of the provider ``label``: see :func:`measure`. ``database`` is the file
    in which the run is kept, ``":memory:"`` for none; left out it is that of the command line. ``options`` are fields of
    :class:`Options`.

    Ctrl-C stops after the visit in hand and raises :class:`pqlab.Interrupted`: what is finished is kept.
    """
    how = select_arguments(locals())
    with _served(functions, label) as behind:
        asked = asked_for(what, how, "pqlab.run", behind)
        return _measured(progress, lambda shown: _pqlab.measure(asked, file_name(database), shown))


class Measuring(Asked, total=False):
    """What :func:`measure` hands to :func:`run`, where it is said what each is."""

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
    """Measures functions through the harness that measures everything else, in the same rounds as what is named in ``beside``.

    >>> run = pqlab.measure(lambda: key.sign(b"message"), name="sign", verify=lambda signature: len(signature) == 256)
    >>> run = pqlab.measure(mine, theirs, beside=["hash"], algorithms=["SHA3-256"], quick=True)

    ``setup()`` readies the arguments of one call: a tuple of them, or the only one. It is called ``inputs`` times in each process
    (16 where nothing is said), and calls take these in turn, again and again: a function must not change them.
    ``verify(answer, *arguments)`` checks an answer outside of the time: it raises or gives ``False`` where the answer is wrong,
    which fails the case. Without it the case is called ``call[answers=unchecked]``. ``name`` is by default the function's own,
    ``library`` (what is called, with its version) its package. Several functions are :func:`benchmark` s, or take none of this.

    Processes that do nothing else are forked from this interpreter, so that functions find what they refer to; threads are not
    copied. In them the garbage collector is off while functions are timed. The case ``floor/null/null`` is the loop with a
    function that does nothing: the cost of the call itself, which is a part of every figure.
    ``how`` is what :func:`run` takes; filters concern what is measured beside.
    """
    own = {"name": name, "setup": setup, "verify": verify, "inputs": inputs, "library": library}
    said = {what: value for what, value in own.items() if value is not None}
    if not functions:
        raise InvalidArgument("functions: none given")
    if said:
        first, *others = functions
        if others or isinstance(first, Benchmark):
            given = ", ".join(said)
            raise InvalidArgument(f"{given}: only for a single plain function", "make the others with pqlab.benchmark")
        functions = (Benchmark(first, name=name, setup=setup, verify=verify, inputs=inputs, library=library),)
    if isinstance(beside, str):
        raise InvalidArgument(f"beside: {beside!r} is not a list of names", f"write beside=[{beside!r}]")
    return run(*beside, functions=functions, **how)


@contextmanager
def _served(
    functions: Iterable[Callable[..., Any]], label: str
) -> Generator[dict[str, object] | None]:
    """Functions behind a socket, as a request has them."""
    own = served(functions)
    if not own:
        yield None
        return
    with Server(own) as server:
        yield {"label": label, "socket": server.path, "names": [function.name for function in own]}


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
    """Goes on with a run that was stopped: the latest, where none is named.

    Where machine or build are others than those with which it began, only if ``elsewhere`` is true. The libraries, workers and
    functions of the run are named again; with ``allow_foreign`` the libraries and workers of the run, whose code runs then, need not be.
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
    """The ids of the cases that :func:`run` would measure; with no words those of everything that can be measured."""
    asked = asked_for(what, select_arguments(locals()), "pqlab.cases")
    found: list[str] = json.loads(_pqlab.cases(asked))
    return found


def plan(*what: str, database: Path | None = None, **how: Unpack[Asked]) -> dict[str, Any]:
    """What :func:`run` would measure with the same arguments, and how long that takes: nothing is measured.

    ``["cases"]`` are the ids, ``["measured"]`` about how many of them are measured once trials have chosen the ``fastest`` libraries,
    ``["seconds"]`` about how long they take, ``["unknown"]`` how many cases were never measured here: these may take longer. What earlier
    runs took is looked up in the database.
    """
    asked = asked_for(what, how, "pqlab.plan")
    found: dict[str, Any] = json.loads(_pqlab.outline(asked, file_name(database)))
    return found


def algorithms(*, libraries: Iterable[str] = (), workers: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Every algorithm of every provider, with lengths in bytes."""
    return _catalogue("algorithms", libraries, workers)


def providers(*, libraries: Iterable[str] = (), workers: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Every provider: its version, how it was built, what it does not offer."""
    return _catalogue("providers", libraries, workers)


def suites() -> list[dict[str, Any]]:
    """The suites that come along, with what each answers."""
    return _catalogue("suites", (), ())


def exporters() -> list[dict[str, Any]]:
    """The formats of :meth:`pqlab.Run.export`, with what each holds."""
    return _catalogue("exporters", (), ())


def library(spec: str) -> dict[str, Any]:
    """What is in a shared library, ``[LABEL=]KIND:PATH``: its version, and its algorithms with lengths in bytes."""
    found: dict[str, Any] = json.loads(_pqlab.library(request(libraries=[spec])))
    return found


def worker(spec: str) -> dict[str, Any]:
    """What a program in another language offers, ``[LABEL=]NAME-or-PATH``: likewise."""
    found: dict[str, Any] = json.loads(_pqlab.library(request(workers=[spec])))
    return found


def counters() -> list[dict[str, Any]]:
    """What can be counted on this machine."""
    return _catalogue("counters", (), ())


def doctor() -> dict[str, Any]:
    """What of this machine disturbs measuring, and what to do about it: ``["advice"]``, beside its description.

    The answer is the document of ``pqlab doctor --json``.
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
    """Are the answers right? Known answers, published vectors, every provider against every other.

    ``long`` asks for the long accumulated vectors too, ``accumulated`` for those up to a published number of answers, which may take
    hours; stopped, the same call goes on where it was. The answer is the document of ``pqlab verify --format json``: ``["totals"]["failed"]`` is 0 where all are.
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
    """Lengths, bytes in hexadecimal, and checks of one algorithm's keys and signatures or ciphertexts, by provider."""
    asked = request(providers=providers, libraries=libraries, workers=workers)
    if not 0 <= seed < 2**64:
        raise InvalidArgument(f"seed: {seed} is not a number from 0 to 2^64 - 1")
    found: list[dict[str, Any]] = json.loads(_pqlab.inspect(asked, algorithm, seed))
    return found


def _measured(progress: bool, measure: Callable[[Shown | None], _pqlab.Measured]) -> Run:
    """The run, with a bar where it is wanted. A run that is stopped goes with the exception."""
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
