"""Serves Python functions on a socket, with the protocol from ``docs/workers.md``.

A supervisor process, forked from this interpreter, forks a process for each connection. Functions are therefore timed
in dedicated processes, but keep the state of the interpreter, including closures and open files.
"""

from __future__ import annotations

import gc
import os
import platform
import select
import shutil
import signal
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from itertools import repeat
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Self

from pqlab import _pqlab
from pqlab._errors import Error, InvalidArgument, LibraryError

MOST_SETS = 4096


class Served:
    """A function to serve, with the functions that prepare its arguments and check its return values."""

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        setup: Callable[[], object] | None,
        verify: Callable[..., object] | None,
        inputs: int,
        library: str,
    ) -> None:
        self.name = name
        self.function = function
        self.setup = setup
        self.verify = verify
        self.inputs = inputs
        self.library = library

    def offer(self) -> str:
        """Returns the line for this function in a worker's list of operations."""
        return f"function {self.name} inputs={self.inputs}" + ("" if self.verify else " verified=no")

    def arguments(self) -> tuple[Any, ...]:
        """Prepares the arguments of one call."""
        given: Any = self.setup() if self.setup else ()
        return given if isinstance(given, tuple) else (given,)  # pyright: ignore[reportUnknownVariableType]

    def judged(self, answer: object, arguments: tuple[Any, ...]) -> str:
        """Checks a return value. Returns ``right``, ``unchecked``, or the reason why it is wrong."""
        if self.verify is None:
            return "unchecked"
        try:
            wrong = self.verify(answer, *arguments) is False
        except Exception as error:
            return _line(f"verify raised {type(error).__name__}: {error}")
        return f"verify({self.name}(...)) is False" if wrong else "right"


class Server:
    """Context manager that serves functions until the context ends."""

    def __init__(self, functions: Sequence[Served]) -> None:
        self._functions = functions
        self._folder = ""
        self._process = 0
        self._lifeline = -1

    @property
    def path(self) -> str:
        """Path of the socket."""
        return os.path.join(self._folder, "functions")

    def __enter__(self) -> Self:
        with ExitStack() as undo:
            # Only this user can access the folder.
            self._folder = tempfile.mkdtemp(prefix="pqlab-")
            undo.callback(shutil.rmtree, self._folder, ignore_errors=True)
            listener = undo.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            try:
                listener.bind(self.path)
                listener.listen(64)
            except OSError as error:
                remedy = "set TMPDIR to another folder"
                raise LibraryError(f"{self.path}: cannot create a socket: {error}", remedy) from None
            here, self._lifeline = os.pipe()
            undo.callback(os.close, here)
            undo.callback(os.close, self._lifeline)
            with warnings.catch_warnings():
                # Python warns because fork does not copy threads. The child only serves functions and needs no other
                # thread.
                warnings.simplefilter("ignore", DeprecationWarning)
                try:
                    self._process = os.fork()
                except OSError as error:
                    raise LibraryError(f"cannot fork a process: {error}") from None
            if self._process == 0:
                os.close(self._lifeline)
                _never_return(lambda: _Supervisor(self._functions, listener, here).run())
            undo.pop_all()
        listener.close()
        os.close(here)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Closing this end of the pipe makes the supervisor kill its children and exit.
        os.close(self._lifeline)
        os.waitpid(self._process, 0)
        shutil.rmtree(self._folder, ignore_errors=True)


def _never_return(act: Callable[[], None]) -> None:
    """Runs ``act`` and exits, so that the forked process never runs code that belongs to its parent."""
    code = 1
    try:
        act()
        code = 0
    except BaseException as error:
        print(f"pqlab: {type(error).__name__}: {error}", file=sys.__stderr__)
    finally:
        os._exit(code)


class _Supervisor:
    """Forks a process for each connection, and kills the process when the connection closes."""

    def __init__(self, functions: Sequence[Served], listener: socket.socket, lifeline: int) -> None:
        self._functions = functions
        self._listener = listener
        self._lifeline = lifeline
        self._poll = select.poll()
        # Process id and connection, by pidfd.
        self._processes: dict[int, tuple[int, socket.socket]] = {}
        # Process id, by the descriptor of the connection.
        self._connections: dict[int, int] = {}

    def run(self) -> None:
        # A terminal sends Ctrl-C to all processes. Ignore it here: the measuring process closes the connections when it
        # stops.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        # Output of a function must not mix with the protocol or appear in a notebook.
        os.dup2(2, 1)
        sys.stdout = sys.stderr = open(2, "w", closefd=False)
        gc.collect()
        gc.freeze()
        self._poll.register(self._lifeline, select.POLLIN)
        self._poll.register(self._listener, select.POLLIN)
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._lifeline:
                    for process, _ in self._processes.values():
                        os.kill(process, signal.SIGKILL)
                    return
                if descriptor == self._listener.fileno():
                    self._accept()
                elif descriptor in self._connections:
                    self._poll.unregister(descriptor)
                    os.kill(self._connections.pop(descriptor), signal.SIGKILL)
                elif descriptor in self._processes:
                    self._ended(descriptor)

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        process = os.fork()
        if process == 0:
            self._listener.close()
            os.close(self._lifeline)
            for descriptor, (_, other) in self._processes.items():
                os.close(descriptor)
                other.close()
            _never_return(lambda: self._serve(connection.fileno()))
        handle = os.pidfd_open(process)
        self._processes[handle] = (process, connection)
        self._connections[connection.fileno()] = process
        self._poll.register(handle, select.POLLIN)
        self._poll.register(connection, select.POLLRDHUP)

    def _serve(self, descriptor: int) -> None:
        _pqlab.send_message(descriptor, "process", [b"%d" % os.getpid()])
        serve(self._functions, descriptor, descriptor)

    def _ended(self, handle: int) -> None:
        """Reports why a process ended, if its connection is still open."""
        process, connection = self._processes.pop(handle)
        self._poll.unregister(handle)
        os.close(handle)
        _, status = os.waitpid(process, 0)
        if self._connections.pop(connection.fileno(), None) is not None:
            self._poll.unregister(connection)
            try:
                _pqlab.send_message(connection.fileno(), "ended", [_status(status).encode()])
            except Error:
                pass
        connection.close()


def _status(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"it exited with code {code}"
    return f"signal {-code} ({signal.strsignal(-code)})"


class _Case:
    """A function with its argument sets."""

    def __init__(self, served: Served | None, count: int) -> None:
        self.served = served
        self.function = served.function if served else _nothing
        self.arguments = [served.arguments() if served else () for _ in range(count)]
        self.answers: list[object] = [None] * count
        self.first = self.touched = 0

    def visit(self, first: int, n: int) -> int:
        """Calls the function ``n`` times and returns the elapsed time in ns."""
        function, arguments, answers, count = self.function, self.arguments, self.answers, len(self.arguments)
        self.touched = 0
        at = first = first % count
        begun = perf_counter_ns()
        for _ in repeat(None, n):
            answers[at] = function(*arguments[at])
            at += 1
            if at == count:
                at = 0
        elapsed = perf_counter_ns() - begun
        self.first, self.touched = first, min(n, count)
        return elapsed

    def judged(self) -> Iterable[bytes]:
        """Yields the index of each argument set in the last visit. For served functions, each index is followed by the
        verdict on the return value."""
        for turn in range(self.touched):
            at = (self.first + turn) % len(self.arguments)
            yield b"%d" % at
            if self.served:
                yield self.served.judged(self.answers[at], self.arguments[at]).encode()
            self.answers[at] = None
        self.touched = 0
        # Collect here, because the garbage collector is off while functions are timed.
        gc.collect()


def _nothing() -> None:
    """Does nothing. Timed to measure the overhead of a call."""


def serve(functions: Sequence[Served], incoming: int, outgoing: int) -> None:
    """Reads requests from one descriptor and writes answers to the other, until ``goodbye`` or end of stream."""
    gc.disable()
    worker = _Worker(functions)
    while (message := _pqlab.receive_message(incoming)) is not None:
        verb, given = message
        try:
            answer = "ok", worker.answer(verb, given)
        except _Unsupported as lacks:
            answer = "unsupported", [str(lacks).encode()]
        except BaseException as error:
            answer = "error", [_line(f"{type(error).__name__}: {error}").encode()]
        _pqlab.send_message(outgoing, *answer)
        if message == ("goodbye", []):
            return


class _Unsupported(Exception):
    """Raised if a request asks for something that this worker does not offer."""


class _Worker:
    """Answers the requests of one connection."""

    # Number of fields after each verb.
    FIELDS = {"hello": 1, "list": 0, "goodbye": 0, "prepare": 4, "visit": 3, "answers": 1, "release": 1}

    def __init__(self, functions: Sequence[Served]) -> None:
        self._functions = {function.name.encode(): function for function in functions}
        self._cases: dict[int, _Case] = {}

    def answer(self, verb: str, given: list[bytes]) -> list[bytes]:
        if verb not in self.FIELDS and not (verb == "call" and len(given) < 2):
            raise _Unsupported("unknown request")
        if verb == "prepare" and len(given) >= 3:
            self._served(given[1], given[2])
        if len(given) != self.FIELDS.get(verb):
            raise InvalidArgument("wrong number of fields")
        if verb == "hello":
            return self._hello(_number(given[0], 1, 2**63 - 1))
        if verb == "list":
            return [function.offer().encode() for function in self._functions.values()]
        if verb == "goodbye":
            return []
        handle = _number(given[0], 0, 2**63 - 1)
        if verb == "prepare":
            if handle in self._cases:
                raise InvalidArgument("the handle is already in use")
            self._cases[handle] = _Case(self._served(given[1], given[2]), _number(given[3], 1, MOST_SETS))
            gc.collect()
            return []
        case = self._cases.get(handle)
        if case is None:
            raise InvalidArgument("unknown handle")
        if verb == "visit":
            first, n = _number(given[1], 0, 2**63 - 1), _number(given[2], 1, 2**32)
            return [b"%d" % case.visit(first, n)]
        if verb == "answers":
            return list(case.judged())
        del self._cases[handle]
        return []

    def _hello(self, _: int) -> list[bytes]:
        runtime = f"{platform.python_implementation()} {platform.python_version()}"
        libraries = ", ".join(dict.fromkeys(function.library for function in self._functions.values()))
        return [text.encode() for text in ("1", "python", runtime, libraries, "their own")]

    def _served(self, operation: bytes, name: bytes) -> Served | None:
        """Returns the requested function, or ``None`` for the function that does nothing."""
        if (operation, name) == (b"null", b"null"):
            return None
        served = self._functions.get(name)
        if served is None or operation != b"call":
            raise _Unsupported("unknown function")
        return served


def _number(field: bytes, least: int, most: int) -> int:
    """Parses a number of the protocol."""
    if field.isdigit() and len(field) < 20 and (field == b"0" or field[:1] != b"0"):
        number = int(field)
        if least <= number <= most:
            return number
    raise InvalidArgument("invalid number")


def _line(text: str) -> str:
    """Converts text to one line of at most 300 characters."""
    return " ".join(text.split())[:300] or "no reason given"
