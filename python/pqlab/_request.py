"""Requests for the compiled module."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from pqlab._errors import InvalidArgument
from pqlab._worker import program

Path = str | os.PathLike[str]


class Options(TypedDict, total=False):
    """Parameters of the cases. The suites supply whatever is missing."""

    lengths: Iterable[int]
    """Message lengths in bytes."""
    output_lengths: Iterable[int]
    """Output lengths of extendable-output functions in bytes (default 32, or the suite's)."""
    states: Iterable[str]
    """States of caches and process: ``warm``, ``evicted``, ``first-call`` (default ``warm``, or the suite's)."""
    variants: Iterable[str]
    """Variants of signing: ``plain``, ``deterministic``, ``prehash``, ``messages``, ``sizes`` (default ``plain``, or
    the suite's)."""
    coins: Iterable[str]
    """Sources of randomness: ``internal`` is the library's own generator, ``exact`` are given bytes (default
    ``internal``, or the suite's)."""
    keys: Iterable[str | int]
    """Numbers of keys that an operation uses in turn, or ``pool`` for up to 16 (default ``pool``, or the suite's)."""
    threads: Iterable[int]
    """Numbers of threads that work at once (default 1, 2, 4, ... and all cores)."""
    tasks: Iterable[int]
    """Numbers of tasks that are submitted at once to a thread pool (default 100, 500, 1000 and 5000)."""
    pool_threads: int
    """Threads of that pool (default all cores)."""
    classical: str
    """Library of a hybrid's classical half, or ``fastest`` (default each one)."""
    post_quantum: str
    """Library of a hybrid's post-quantum half, or ``fastest`` (default each one)."""
    blocks: Iterable[int]
    """Transactions in a ledger block (default 1, 100, 1000, 10000 and 100000, or the suite's)."""
    at_once: Iterable[int]
    """Signatures in a batch (default 8, 32 and 100; for transactions 100; or the suite's)."""
    senders: Iterable[str | int]
    """Different senders of a block, or signers of a batch: ``all``, ``one``, a number, or a percentage such as
    ``10%``."""
    invalid_pct: float
    """Percentage of invalid transactions in a block."""
    signatures: Iterable[str]
    """Signature algorithms of TLS certificates (default each one, or the suite's)."""
    chains: Iterable[int]
    """Intermediate certificates in a TLS server's chain (default 1, or the suite's)."""
    modes: Iterable[str]
    """Kinds of TLS handshakes: ``full``, ``client-auth``, ``psk-dhe``, ``psk`` (default ``full``, or the suite's)."""
    networks: Iterable[str]
    """Emulated links for TLS connections, such as ``mobile``. Only connections over them are measured."""
    rtt_ms: float
    """Round-trip time of the link in ms (default the network's; 0 without one)."""
    rate_mbit: float
    """Rate of the link in each direction, in Mbit/s (default the network's; unlimited without one)."""
    loss_pct: float
    """Percentage of packets that the link loses in each direction (default the network's; 0 without one)."""
    mtu: int
    """Maximum packet size of the link in bytes (default 1500)."""
    handshakes: int
    """Connections of a case over the link, whatever their spread (default 200)."""


class Rules(TypedDict, total=False):
    """Measuring rules. The suites supply whatever is missing."""

    quick: bool
    """Rough answer: wider intervals, a quarter of the time."""
    rigorous: bool
    """Careful answer: narrower intervals, more processes, ten times the time."""
    protocol: str | None
    """``adaptive`` or ``reference``."""
    precision: float | None
    """Target half-width of the median's 95% interval as a fraction of the median: 0.01 for 1%."""
    max_time: float | None
    """Maximum time for a case in seconds."""
    processes: int | None
    """Worker processes that measure each case, the unit of repetition."""
    iterations: int | None
    """Samples of a case, in place of the adaptive rules."""
    warmup: int | None
    """Operations that each process discards first."""
    trim: float | None
    """Percentage of the samples left out at each tail."""
    batch: int | None
    """Operations in a sample."""
    counter: str | None
    """``wall``, ``tsc``, ``cycles`` or ``instructions``."""
    affinity: Iterable[int] | None
    """Cores to pin the workers to, in turn."""


class Selected(Rules, total=False):
    """Selection of cases, and measuring rules."""

    algorithms: Iterable[str]
    """Patterns of algorithms."""
    providers: Iterable[str]
    """Patterns of providers."""
    filters: Iterable[str]
    """Patterns of case ids."""
    seed: int | None
    """Seed of the order and of the inputs."""


class Loaded(Selected, total=False):
    """Selection and rules, with libraries and workers that are not built in."""

    libraries: Iterable[str]
    """Shared libraries, ``[LABEL=]KIND:PATH``."""
    workers: Iterable[str]
    """Programs in other languages, ``[LABEL=]NAME-or-PATH``."""
    allow_foreign: bool
    """Whether to load the libraries and start the workers that suite files and stored runs name."""


class Asked(Loaded, Options, total=False):
    """All arguments of :func:`pqlab.run` that select cases or set measuring rules."""

    over: str | None
    """``tcp`` to measure only handshakes over sockets, of circuits or of TLS."""


# Names of the compiled module for arguments that have another name here.
_NAMES = {
    "pool_threads": "workers",
    "protocol": "kind",
    "precision": "precision_pct",
    "max_time": "max_time_s",
    "trim": "trim_pct",
}
# Arguments that the compiled module takes as rules, and as fields of the request itself. All others are options.
_RULES = (Rules.__optional_keys__ - {"quick", "rigorous", "affinity"}) | {"handshakes"}
_FIELDS = Asked.__optional_keys__ - Options.__optional_keys__ - _RULES


def select_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments in :class:`Asked` from the local variables of a call. Further ones are in ``options``."""
    named = {name: value for name, value in arguments.items() if name in Asked.__optional_keys__}
    return {**named, **arguments["options"]}


def asked_for(
    what: Iterable[str], how: Mapping[str, Any], call: str, functions: Mapping[str, object] | None = None
) -> str:
    """Returns a request for the arguments ``how``, fields of :class:`Asked`, and for functions behind a socket."""
    command = f"{call}({', '.join(map(repr, what))})"
    fields: dict[str, Any] = {"what": what, "command": command, "functions": functions}
    rules: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for name, value in how.items():
        if name in _FIELDS:
            fields[name] = plain(value)
        elif name in _RULES:
            if value is not None:
                rules[_NAMES.get(name, name)] = share(name, value) if name == "precision" else value
        else:
            options[name] = value
    return request(protocol=rules, options=chosen(options), **fields)


def request(**fields: Any) -> str:
    """Returns a request as JSON text. The compiled module rejects unknown fields and invalid values."""
    lists = ("what", "algorithms", "providers", "filters", "libraries", "workers")
    for name in lists:
        value = fields.get(name, ())
        if isinstance(value, (str, bytes)):
            raise InvalidArgument(f"{name}: {value!r} is not a list of names", f"write {name}=[{value!r}]")
        try:
            fields[name] = list(value)
        except TypeError:
            raise InvalidArgument(f"{name}: {value!r} is not a list of names") from None
    try:
        return json.dumps({"program": program(), **fields}, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"an argument has a value that cannot be used: {error}") from None


def chosen(options: Mapping[str, Any]) -> dict[str, object]:
    """Returns options by the names of the compiled module."""
    names = sorted(Options.__optional_keys__)
    chosen: dict[str, object] = {}
    for name, value in options.items():
        if name not in names:
            raise InvalidArgument(f"unknown argument {name!r}", f"the options are {', '.join(names)}")
        chosen[_NAMES.get(name, name)] = plain(value)
    return chosen


def plain(value: object) -> object:
    """Converts an iterable that is not text into a list."""
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
        return value
    values: Iterable[object] = value  # pyright: ignore[reportUnknownVariableType]
    return list(values)


def share(name: str, value: object) -> float:
    """Converts a fraction into a percentage."""
    try:
        if isinstance(value, (int, float)) and math.isfinite(value):
            return 100.0 * value
    except OverflowError:
        pass
    raise InvalidArgument(f"{name}: {value!r} is not a number")


def file_name(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)
