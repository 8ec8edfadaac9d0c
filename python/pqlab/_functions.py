"""Python functions that are measured like library operations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import update_wrapper
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Generic, ParamSpec, TypeVar, overload

from pqlab._errors import InvalidArgument
from pqlab._serve import MOST_SETS, Served

P = ParamSpec("P")
R = TypeVar("R")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*", re.ASCII)
# Default number of argument sets for a function with a setup.
_INPUTS = 16


class Benchmark(Generic[P, R]):
    """A function to measure, with its setup and verification. Calling a benchmark calls the function.

    The constructor takes the same arguments as :func:`measure`, for one function.

    :raises pqlab.InvalidArgument: An argument is invalid.
    """

    function: Callable[P, R]
    """The function to measure."""
    name: str
    """Name of the case."""
    setup: Callable[[], object] | None
    """Function that prepares the arguments of one call."""
    verify: Callable[..., object] | None
    """Function that checks a return value."""
    inputs: int
    """Number of argument sets to prepare in each process."""
    library: str
    """Name and version of the measured code."""

    def __init__(
        self,
        function: Callable[P, R],
        *,
        name: str | None = None,
        setup: Callable[[], object] | None = None,
        verify: Callable[..., object] | None = None,
        inputs: int | None = None,
        library: str | None = None,
    ) -> None:
        given: object = function
        if not callable(given):
            raise InvalidArgument(f"function: {function!r} is not callable")
        for what, called in (("setup", setup), ("verify", verify)):
            if called is not None and not callable(called):
                raise InvalidArgument(f"{what}: {called!r} is not callable")
        self.function = function
        self.name = _named(function, name)
        self.setup = setup
        self.verify = verify
        self.inputs = _inputs(inputs, setup)
        self.library = " ".join((library or _library(function)).split()) or "functions"
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<pqlab.Benchmark {self.name}>"

    def served(self) -> Served:
        """Converts this benchmark into the form that a worker serves."""
        return Served(self.name, self.function, self.setup, self.verify, self.inputs, self.library)


@overload
def benchmark(function: Callable[P, R], /) -> Benchmark[P, R]: ...


@overload
def benchmark(
    *,
    name: str | None = None,
    setup: Callable[[], object] | None = None,
    verify: Callable[..., object] | None = None,
    inputs: int | None = None,
    library: str | None = None,
) -> Callable[[Callable[P, R]], Benchmark[P, R]]: ...


def benchmark(function: Callable[..., Any] | None = None, /, **how: Any) -> Any:
    """Decorator that turns a function into a :class:`Benchmark`, which can be called like the function.

    >>> @pqlab.benchmark(setup=lambda: os.urandom(1024), verify=lambda digest, message: len(digest) == 32)
    ... def digest(message):
    ...     return hashlib.sha3_256(message).digest()
    >>> pqlab.measure(digest, beside=["hash"], algorithms=["SHA3-256"])

    :param function: The function, if the decorator is used without arguments.
    :param name: Name of the case (default is the name of the function).
    :param setup: Function that prepares the arguments of one call, as for :func:`measure`.
    :param verify: Function that checks a return value, as for :func:`measure`.
    :param inputs: Number of argument sets in each process (default 16 with ``setup``, else 1).
    :param library: Name and version of the measured code (default is the package of the function).
    :return: The benchmark, or a decorator that creates one.
    :raises pqlab.InvalidArgument: An argument is invalid.
    """

    def decorate(function: Callable[..., Any]) -> Benchmark[..., Any]:
        return Benchmark(function, **how)

    return decorate if function is None else decorate(function)


def served(functions: object) -> list[Served]:
    """Converts functions into the form that a worker serves. Rejects duplicate names."""
    found: list[Served] = []
    if not isinstance(functions, Iterable):
        raise InvalidArgument(f"functions: {functions!r} is not a list of functions")
    function: Any
    for function in functions:  # pyright: ignore[reportUnknownVariableType]
        one: Served = function.served() if isinstance(function, Benchmark) else Benchmark(function).served()  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        if any(other.name == one.name for other in found):
            raise InvalidArgument(f"functions: two are named {one.name!r}", "rename one function with name=")
        found.append(one)
    return found


def _named(function: object, name: str | None) -> str:
    found = getattr(function, "__name__", type(function).__name__) if name is None else name
    if isinstance(found, str) and _NAME.fullmatch(found) and found != "null":
        return found
    reason = f"name: {found!r} is not allowed: use letters, digits, '.', '_', '+' and '-', and not 'null'"
    raise InvalidArgument(reason, "set it with name=")


def _inputs(inputs: int | None, setup: object) -> int:
    if inputs is None:
        return _INPUTS if setup else 1
    if isinstance(inputs, bool) or not isinstance(inputs, int) or not 1 <= inputs <= MOST_SETS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidArgument(f"inputs: {inputs!r} is not a number from 1 to {MOST_SETS}")
    if inputs > 1 and setup is None:
        raise InvalidArgument(f"inputs: {inputs} sets of arguments need a setup function", "pass setup=")
    return inputs


def _library(function: object) -> str:
    """Returns the name of the function's package, with the version if known."""
    package = str(getattr(function, "__module__", None) or type(function).__module__).partition(".")[0]
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package
