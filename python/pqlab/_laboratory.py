"""Measuring, verifying, and what there is to measure."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any, TypedDict, Unpack

from pqlab import _pqlab
from pqlab._errors import Interrupted, InvalidArgument
from pqlab._functions import Benchmark, served
from pqlab._progress import Shown
from pqlab._runs import Run
from pqlab._serve import Server
from pqlab._worker import program

Path = str | os.PathLike[str]


class Options(TypedDict, total=False):
    """What is chosen of the cases' parameters; whatever is left out is left to the suites."""

    lengths: Iterable[int]
    """Lengths of messages, in bytes."""
    output_lengths: Iterable[int]
    """Lengths of what extendable-output functions put out, in bytes."""
    states: Iterable[str]
    """``warm``, ``evicted``, ``first-call``."""
    variants: Iterable[str]
    """Of signing: ``plain``, ``deterministic``, ``prehash``, ``messages``, ``sizes``."""
    coins: Iterable[str]
    """``internal`` or ``exact``."""
    keys: Iterable[str | int]
    """How many keys an operation takes in turn: a number, or ``pool``."""
    threads: Iterable[int]
    """Numbers of threads that work at once."""
    tasks: Iterable[int]
    """Numbers of tasks that are submitted at once to a pool of threads."""
    pool_threads: int
    """Threads of that pool."""
    classical: str
    """The library of a hybrid's classical half, or ``fastest``."""
    post_quantum: str
    """The library of a hybrid's post-quantum half, or ``fastest``."""
    blocks: Iterable[int]
    """Transactions in a block of the ledger."""
    senders: Iterable[str | int]
    """Different senders of a block: ``all``, ``one``, a number, or a percentage such as ``10%``."""
    invalid_pct: float
    """Percentage of bad transactions in a block."""


# How the compiled module calls what has another name here.
_OPTIONS = {"pool_threads": "workers"}


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
    rules = {
        "kind": protocol,
        "precision_pct": None if precision is None else _share("precision", precision),
        "max_time_s": max_time,
        "processes": processes,
        "iterations": iterations,
        "warmup": warmup,
        "trim_pct": trim,
        "batch": batch,
        "counter": counter,
    }
    with _served(functions, label) as behind:
        request = _request(
            what=what,
            algorithms=algorithms,
            providers=providers,
            filters=filters,
            over=over,
            options=_chosen(options),
            protocol={name: value for name, value in rules.items() if value is not None},
            quick=quick,
            rigorous=rigorous,
            affinity=None if affinity is None else list(affinity),
            seed=seed,
            libraries=libraries,
            workers=workers,
            functions=behind,
            allow_foreign=allow_foreign,
            command=f"pqlab.run({', '.join(map(repr, what))})",
        )
        return _measured(progress, lambda shown: _pqlab.measure(request, _database(database), shown))


class Measuring(Options, total=False):
    """What :func:`measure` hands to :func:`run`, where it is said what each is."""

    algorithms: Iterable[str]
    providers: Iterable[str]
    filters: Iterable[str]
    over: str | None
    quick: bool
    rigorous: bool
    protocol: str | None
    precision: float | None
    max_time: float | None
    processes: int | None
    iterations: int | None
    warmup: int | None
    trim: float | None
    batch: int | None
    counter: str | None
    affinity: Iterable[int] | None
    seed: int | None
    libraries: Iterable[str]
    workers: Iterable[str]
    label: str
    allow_foreign: bool
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
        raise InvalidArgument("functions: there is none")
    if said:
        first, *others = functions
        if others or isinstance(first, Benchmark):
            given = ", ".join(said)
            raise InvalidArgument(f"{given}: for one plain function", "make the others with pqlab.benchmark")
        functions = (Benchmark(first, name=name, setup=setup, verify=verify, inputs=inputs, library=library),)
    if isinstance(beside, str):
        raise InvalidArgument(f"beside: {beside!r} is no list of names", f"write beside=[{beside!r}]")
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
    database: Path | None = None,
    progress: bool = True,
) -> Run:
    """Goes on with a run that was stopped: the latest, where none is named.

    Where machine or build are others than those with which it began, only if ``elsewhere`` is true. The libraries, workers and
    functions of the run are named again.
    """
    with _served(functions, label) as behind:
        request = _request(libraries=libraries, workers=workers, functions=behind)
        return _measured(
            progress, lambda shown: _pqlab.resume(request, _database(database), reference, elsewhere, shown)
        )


def cases(
    *what: str,
    algorithms: Iterable[str] = (),
    providers: Iterable[str] = (),
    filters: Iterable[str] = (),
    libraries: Iterable[str] = (),
    workers: Iterable[str] = (),
    **options: Unpack[Options],
) -> list[str]:
    """The ids of the cases that :func:`run` would measure; with no words those of everything that can be measured."""
    request = _request(
        what=what,
        algorithms=algorithms,
        providers=providers,
        filters=filters,
        options=_chosen(options),
        libraries=libraries,
        workers=workers,
    )
    found: list[str] = json.loads(_pqlab.cases(request))
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


def counters() -> list[dict[str, Any]]:
    """What can be counted on this machine."""
    return _catalogue("counters", (), ())


def doctor() -> dict[str, Any]:
    """What of this machine disturbs measuring, and what to do about it: ``["advice"]``, beside its description.

    The answer is the document of ``pqlab doctor --json``.
    """
    found: dict[str, Any] = json.loads(_pqlab.doctor(_request()))
    return found


def verify(
    *,
    algorithms: Iterable[str] = (),
    providers: Iterable[str] = (),
    interoperability: bool = True,
    long: bool = False,
    libraries: Iterable[str] = (),
    workers: Iterable[str] = (),
    progress: bool = True,
) -> dict[str, Any]:
    """Are the answers right? Known answers, published vectors, every provider against every other.

    The answer is the document of ``pqlab verify --format json``: ``["totals"]["failed"]`` is 0 where all are.
    """
    request = _request(algorithms=algorithms, providers=providers, libraries=libraries, workers=workers)
    shown = Shown("parts") if progress else None
    try:
        found: dict[str, Any] = json.loads(_pqlab.verify(request, interoperability, long, shown))
    finally:
        if shown is not None:
            shown.close()
    return found


def inspect(
    algorithm: str,
    *,
    providers: Iterable[str] = (),
    seed: int = 0,
    libraries: Iterable[str] = (),
    workers: Iterable[str] = (),
) -> list[dict[str, Any]]:
    """Lengths, bytes in hexadecimal, and checks of one algorithm's keys and signatures or ciphertexts, by provider."""
    request = _request(providers=providers, libraries=libraries, workers=workers)
    if not 0 <= seed < 2**64:
        raise InvalidArgument(f"seed: {seed} is no number from 0 to 2^64 - 1")
    found: list[dict[str, Any]] = json.loads(_pqlab.inspect(request, algorithm, seed))
    return found


def _measured(progress: bool, measure: Callable[[Shown | None], _pqlab.Measured]) -> Run:
    """The run, with a bar where it is wanted. A run that is stopped goes with the exception."""
    shown = Shown("cases") if progress else None
    try:
        return Run(measure(shown))
    except Interrupted as stopped:
        # The compiled module knows no class of the package.
        compiled: Any = stopped.run
        stopped.run = None if compiled is None else Run(compiled)
        raise
    finally:
        if shown is not None:
            shown.close()


def _catalogue(what: str, libraries: Iterable[str], workers: Iterable[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(_pqlab.catalogue(_request(libraries=libraries, workers=workers), what))
    return found


def _request(**fields: Any) -> str:
    """A request for the compiled module, which knows every field and refuses values that it cannot use."""
    lists = ("what", "algorithms", "providers", "filters", "libraries", "workers")
    for name in lists:
        value = fields.get(name, ())
        if isinstance(value, (str, bytes)):
            raise InvalidArgument(f"{name}: {value!r} is no list of names", f"write {name}=[{value!r}]")
        try:
            fields[name] = list(value)
        except TypeError:
            raise InvalidArgument(f"{name}: {value!r} is no list of names") from None
    try:
        return json.dumps({"program": program(), **fields}, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"an argument has a value that cannot be used: {error}") from None


def _chosen(options: Options) -> dict[str, object]:
    """Options as the compiled module calls them."""
    known = sorted(Options.__optional_keys__)
    chosen: dict[str, object] = {}
    for name, value in options.items():
        if name not in known:
            raise InvalidArgument(f"there is no argument {name!r}", f"the options are {', '.join(known)}")
        chosen[_OPTIONS.get(name, name)] = _plain(value)
    return chosen


def _plain(value: object) -> object:
    """A list where a field takes several values."""
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
        return value
    values: Iterable[object] = value  # pyright: ignore[reportUnknownVariableType]
    return list(values)


def _share(name: str, value: object) -> float:
    """A share as a percentage."""
    try:
        if isinstance(value, (int, float)) and math.isfinite(value):
            return 100.0 * value
    except OverflowError:
        pass
    raise InvalidArgument(f"{name}: {value!r} is no number")


def _database(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)
