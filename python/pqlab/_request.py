"""Requests for the compiled module."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from pqlab._errors import InvalidArgument
from pqlab._worker import program

Path = str | os.PathLike[str]


class Options(TypedDict, total=False):
    """Parameters of the cases. The suites supply defaults for missing parameters."""

    lengths: Iterable[int]
    """Message lengths in bytes."""
    output_lengths: Iterable[int]
    """Output lengths of extendable-output functions in bytes (default 32, or from the suite)."""
    states: Iterable[str]
    """States of caches and process: ``warm``, ``evicted`` (caches overwritten before each call) or ``first-call``
    (fresh process). The default is ``warm``, or from the suite."""
    variants: Iterable[str]
    """Signing variants: ``plain``, ``deterministic``, ``prehash``, ``messages`` (published message sets) or ``sizes``
    (signature sizes). The default is ``plain``, unless the suite sets another."""
    coins: Iterable[str]
    """Sources of randomness: ``internal`` (the library's generator) or ``exact`` (caller-supplied bytes). The default
    is ``internal``, or from the suite."""
    keys: Iterable[str | int]
    """Number of keys that an operation rotates through, or ``pool`` for up to 16 keys (default ``pool``, or from the
    suite)."""
    threads: Iterable[int]
    """Numbers of threads that work at the same time (default 1, 2, 4, ... and all cores)."""
    tasks: Iterable[int]
    """Numbers of tasks to submit to a thread pool at the same time (default 100, 500, 1000 and 5000)."""
    pool_threads: int
    """Number of threads in the pool for ``tasks`` (default all cores)."""
    classical: str
    """Library for the classical half of hybrids, or ``fastest`` (default every library)."""
    post_quantum: str
    """Library for the post-quantum half of hybrids, or ``fastest`` (default every library)."""
    blocks: Iterable[int]
    """Transactions per ledger block (default 1, 100, 1000, 10000 and 100000, or from the suite)."""
    at_once: Iterable[int]
    """Signatures or transactions to verify in one batch (default 8, 32 and 100 signatures, 100 transactions, or from
    the suite)."""
    senders: Iterable[str | int]
    """Different senders per block, or signers per batch: ``all``, ``one``, a number, or a percentage such as
    ``10%``."""
    invalid_pct: float
    """Percentage of invalid transactions per block."""
    signatures: Iterable[str]
    """Signature algorithms of TLS certificates (default every algorithm, or from the suite)."""
    chains: Iterable[int]
    """Number of intermediate certificates in a TLS server's chain (default 1, or from the suite)."""
    modes: Iterable[str]
    """TLS handshakes: ``full``, ``client-auth``, ``psk-dhe`` or ``psk`` (default ``full``, or from the suite)."""
    networks: Iterable[str]
    """Emulated networks, such as ``mobile``. If set, a run measures only TLS connections over these networks."""
    rtt_ms: float
    """Round-trip time of the link in ms (default from the network, else 0)."""
    rate_mbit: float
    """Bandwidth of the link in each direction, in Mbit/s (default from the network, else unlimited)."""
    loss_pct: float
    """Packet loss of the link in each direction, in percent (default from the network, else 0)."""
    mtu: int
    """Maximum packet size of the link in bytes (default 1500)."""
    handshakes: int
    """Number of connections per case over a network, regardless of the precision (default 200)."""


class Rules(TypedDict, total=False):
    """Measurement settings. The suites supply defaults for missing rules."""

    quick: bool
    """Whether to measure in a quarter of the time, with wider intervals."""
    rigorous: bool
    """Whether to measure for up to 10 s per case, with more processes and narrower intervals."""
    protocol: str | None
    """Measurement settings, ``adaptive`` or ``reference``."""
    precision: float | str | None
    """Target half-width of the median's 95% interval in percent, such as ``1`` or ``"1%"``."""
    max_time: float | None
    """Time limit for each case in seconds."""
    patience: float | None
    """Time limit in seconds for measuring disturbed cases again at the end of the run, or 0 to skip it."""
    processes: int | None
    """Number of worker processes that measure each case."""
    iterations: int | None
    """Fixed number of samples for each case, instead of the adaptive rules."""
    warmup: int | None
    """Number of operations to discard at the start of each process."""
    trim: float | None
    """Percentage of samples to drop at each tail."""
    batch: int | None
    """Operations per sample."""
    counter: str | None
    """Counter to read, ``wall``, ``tsc``, ``cycles`` or ``instructions``."""
    affinity: Iterable[int] | None
    """Cores to pin the workers to."""


class Selected(Rules, total=False):
    """Selection of cases, and measurement settings."""

    algorithms: Iterable[str]
    """Measure only algorithms that match one of these patterns."""
    providers: Iterable[str]
    """Measure only providers that match one of these patterns."""
    filters: Iterable[str]
    """Measure only cases whose id matches one of these patterns."""
    seed: int | None
    """Seed for the order of cases and for inputs."""


class Loaded(Selected, total=False):
    """Selection of cases and measurement settings, plus libraries and workers that are not built in."""

    libraries: Iterable[str]
    """Shared libraries to measure, each written as ``[LABEL=]KIND:PATH``."""
    workers: Iterable[str]
    """Programs in other languages to measure, each written as ``[LABEL=]NAME-or-PATH``."""
    allow_foreign: bool
    """Whether to load the libraries and start the workers that suite files and stored runs name."""


class Asked(Loaded, Options, total=False):
    """All arguments of :func:`pqlab.run` that select cases or set measurement settings."""

    over: str | None
    """``tcp`` to measure only circuit and TLS handshakes over TCP sockets."""


# Arguments that have a different name in the compiled module.
_NAMES = {
    "pool_threads": "workers",
    "protocol": "kind",
    "precision": "precision_pct",
    "max_time": "max_time_s",
    "patience": "patience_s",
    "trim": "trim_pct",
}
# Arguments that become rules of the request, and arguments that become its fields. All others are
# options.
_RULES = (Rules.__optional_keys__ - {"quick", "rigorous", "affinity"}) | {"handshakes"}
_FIELDS = Asked.__optional_keys__ - Options.__optional_keys__ - _RULES


def select_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Selects the fields of :class:`Asked` from the local variables of a call, and adds those in ``options``."""
    named = {name: value for name, value in arguments.items() if name in Asked.__optional_keys__}
    return {**named, **arguments["options"]}


def asked_for(
    what: Iterable[str], how: Mapping[str, Any], call: str, functions: Mapping[str, object] | None = None
) -> str:
    """Returns a request as JSON text. ``how`` contains fields of :class:`Asked`; ``functions`` describes functions that
    are served on a socket."""
    command = f"{call}({', '.join(map(repr, what))})"
    fields: dict[str, Any] = {"what": what, "command": command, "functions": functions}
    rules: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for name, value in how.items():
        if name in _FIELDS:
            fields[name] = plain(value)
        elif name in _RULES:
            if value is not None:
                rules[_NAMES.get(name, name)] = precision_pct(value) if name == "precision" else value
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
        raise InvalidArgument(f"an argument has an unsupported value: {error}") from None


def chosen(options: Mapping[str, Any]) -> dict[str, object]:
    """Returns options, keyed by their names in the compiled module."""
    names = sorted(Options.__optional_keys__)
    chosen: dict[str, object] = {}
    for name, value in options.items():
        if name not in names:
            raise InvalidArgument(f"unknown argument {name!r}", f"the options are {', '.join(names)}")
        chosen[_NAMES.get(name, name)] = plain(value)
    return chosen


def plain(value: object) -> object:
    """Converts an iterable into a list. Returns strings and other values unchanged."""
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
        return value
    values: Iterable[object] = value  # pyright: ignore[reportUnknownVariableType]
    return list(values)


# Values up to this one are read as fractions, because nobody asks for a precision of 0.05 percent.
_LARGEST_FRACTION = 0.05


def precision_pct(value: object) -> float:
    """Reads a precision in percent, such as ``1`` or ``"1%"``. Earlier versions took fractions, so a number up to 0.05
    is converted to percent, with a warning."""
    try:
        number = float(value.removesuffix("%")) if isinstance(value, str) else value
        if isinstance(number, (int, float)) and math.isfinite(number):
            if 0.0 < number <= _LARGEST_FRACTION and not isinstance(value, str):
                warnings.warn(f"precision is in percent now: write precision={100.0 * number:g}", FutureWarning, stacklevel=4)
                return 100.0 * number
            return number
    except (OverflowError, ValueError):
        pass
    raise InvalidArgument(f"precision: {value!r} is not a percentage")


def file_name(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)
