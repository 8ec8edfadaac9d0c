"""What calls ask for, as the compiled module takes it."""

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
    at_once: Iterable[int]
    """Signatures that are verified at once, singly or by transactions."""
    senders: Iterable[str | int]
    """Different senders of a block, or signers of a batch: ``all``, ``one``, a number, or a percentage such as ``10%``."""
    invalid_pct: float
    """Percentage of bad transactions in a block."""
    signatures: Iterable[str]
    """Signatures of TLS certificates."""
    chains: Iterable[int]
    """Intermediate certificates of a TLS server's chain."""
    modes: Iterable[str]
    """Kinds of TLS handshakes: ``full``, ``client-auth``, ``psk-dhe``, ``psk``."""
    networks: Iterable[str]
    """Links that TLS connections are made over, such as ``mobile``: nothing else is measured then."""
    rtt_ms: float
    """Round trip of that link in ms."""
    rate_mbit: float
    """Rate of that link in each direction, in Mbit/s."""
    loss_pct: float
    """Percentage of packets that the link loses in each direction."""
    mtu: int
    """Longest packet of that link, in bytes."""
    handshakes: int
    """Connections of a case over that link, whatever their spread."""


class Rules(TypedDict, total=False):
    """How it is measured; whatever is left out is left to the suites."""

    quick: bool
    """A rough answer: wider intervals, a quarter of the time."""
    rigorous: bool
    """A careful answer: narrower intervals, more processes, ten times the time."""
    protocol: str | None
    """``adaptive`` or ``reference``."""
    precision: float | None
    """The wanted half-width of the median's 95% interval as a share of it: 0.01 for 1%."""
    max_time: float | None
    """Most seconds for each case."""
    processes: int | None
    """Worker processes: the unit of repetition."""
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
    """Of what, and how it is measured."""

    algorithms: Iterable[str]
    """Patterns of algorithms."""
    providers: Iterable[str]
    """Patterns of providers."""
    filters: Iterable[str]
    """Patterns of ids."""
    seed: int | None
    """Of the order and of the inputs."""


class Loaded(Selected, total=False):
    """The same, with code that is not linked in."""

    libraries: Iterable[str]
    """Shared libraries, ``[LABEL=]KIND:PATH``."""
    workers: Iterable[str]
    """Programs in other languages, ``[LABEL=]NAME-or-PATH``."""
    allow_foreign: bool
    """Whether also what files of suites and stored runs name may be loaded and started."""


class Asked(Loaded, Options, total=False):
    """Everything that :func:`pqlab.run` takes of the cases and of how they are measured."""

    over: str | None
    """Only handshakes exchanged over this, of circuits or of TLS: ``tcp``."""


# How the compiled module calls what has another name here.
_NAMES = {
    "pool_threads": "workers",
    "protocol": "kind",
    "precision": "precision_pct",
    "max_time": "max_time_s",
    "trim": "trim_pct",
}
# What the compiled module takes as rules, as fields of the request itself, and as options.
_RULES = (Rules.__optional_keys__ - {"quick", "rigorous", "affinity"}) | {"handshakes"}
_FIELDS = Asked.__optional_keys__ - Options.__optional_keys__ - _RULES


def select_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Selects what :class:`Asked` names from the local variables of a call, whose further options are in ``options``."""
    named = {name: value for name, value in arguments.items() if name in Asked.__optional_keys__}
    return {**named, **arguments["options"]}


def asked_for(
    what: Iterable[str], how: Mapping[str, Any], call: str, functions: Mapping[str, object] | None = None
) -> str:
    """A request for the compiled module of what :class:`Asked`, or a part of it, says; and of functions behind a socket."""
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
    """A request for the compiled module, which knows every field and refuses values that it cannot use."""
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
    """Options as the compiled module calls them."""
    known = sorted(Options.__optional_keys__)
    chosen: dict[str, object] = {}
    for name, value in options.items():
        if name not in known:
            raise InvalidArgument(f"unknown argument {name!r}", f"the options are {', '.join(known)}")
        chosen[_NAMES.get(name, name)] = plain(value)
    return chosen


def plain(value: object) -> object:
    """A list where a field takes several values."""
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
        return value
    values: Iterable[object] = value  # pyright: ignore[reportUnknownVariableType]
    return list(values)


def share(name: str, value: object) -> float:
    """A share as a percentage."""
    try:
        if isinstance(value, (int, float)) and math.isfinite(value):
            return 100.0 * value
    except OverflowError:
        pass
    raise InvalidArgument(f"{name}: {value!r} is not a number")


def file_name(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)
