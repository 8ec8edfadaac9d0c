"""Distributes the parts of a job to the nodes of a cluster. Restarts a part if its process or node dies."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable
from typing import Any

from pqlab._errors import InvalidArgument, LibraryError, StoreError
from pqlab._ray import ray_module

AHEAD = 2
"""Number of parts to submit per worker, so that no node waits for its next part."""
TRIES = 100
"""Maximum number of attempts to run a part whose process keeps dying."""

Part = tuple[int, int]
"""Index of the first transaction, and index after the last transaction."""
Answer = tuple[str, str, Any]
"""Outcome of a part (``done``, ``other`` if the node has a different build, or ``failed``), id of the node, and the
result or the reason."""


def this_node() -> str:
    """Returns the id of the node that runs this process. Does not start Ray."""
    ray = ray_module()
    return str(ray.get_runtime_context().get_node_id()) if ray.is_initialized() else "none"


class Hands:
    """Runs a function on each part of a job, in worker processes that reserve ``threads`` CPUs each."""

    def __init__(self, ray: Any, work: Callable[[Any, Part], Answer], job: Any, threads: int) -> None:
        self.ray, self.job, self.threads = ray, job, threads
        self.task = ray.remote(max_retries=0, num_cpus=threads, scheduling_strategy="SPREAD")(work)
        self.tries: Counter[Part] = Counter()
        """Number of times that each part was started."""
        self.nodes: set[str] = set()
        """Ids of the nodes that returned a result."""
        if self.workers() == 0:
            raise InvalidArgument(f"no node of the cluster has {threads} CPUs", "use fewer threads")

    def workers(self) -> int:
        """Returns the number of parts that can currently run at the same time."""
        return sum(int(node["Resources"].get("CPU", 0)) // self.threads for node in self.ray.nodes() if node["Alive"])

    def begun_again(self) -> int:
        """Returns the number of restarts of parts whose process or node died."""
        return sum(tries - 1 for tries in self.tries.values())

    def ready(self, nothing: Part) -> None:
        """Starts the worker processes with an empty part. Raises an exception if a worker cannot run the job."""
        for ref in [self.task.remote(self.job, nothing) for _ in range(self.workers())]:
            try:
                word, _, what = self.ray.get(ref)
            except self.ray.exceptions.RayTaskError as error:
                raise LibraryError(f"a node cannot run this build of pqlab: {_last(error)}") from None
            except self.ray.exceptions.RayError:
                # The process died. Other processes do its work, or Ray starts it again.
                continue
            _refuse(word, what)

    def each(self, parts: Iterable[Part]) -> Generator[tuple[Part, Any]]:
        """Yields parts with their results, in the order of completion."""
        waiting, running = deque(parts), dict[Any, Part]()
        limit, looked = AHEAD * self.workers(), time.monotonic()
        while waiting or running:
            if time.monotonic() - looked > 1:
                # Nodes may have joined or left.
                limit, looked = max(AHEAD, AHEAD * self.workers()), time.monotonic()
            while waiting and len(running) < limit:
                part = waiting.popleft()
                running[self._begin(part)] = part
            ended, _ = self.ray.wait(list(running), num_returns=1, timeout=1)
            for ref in ended:
                part = running.pop(ref)
                answer = self._result(ref, part)
                if answer is None:
                    waiting.appendleft(part)
                else:
                    yield part, answer

    def in_order(self, parts: Iterable[Part]) -> Generator[tuple[Part, Any]]:
        """Yields parts with their results, in the order of ``parts``. Limits the number of results that wait in
        memory."""
        waiting, begun = deque(parts), deque[tuple[Part, Any]]()
        while waiting or begun:
            limit = max(AHEAD, AHEAD * self.workers())
            while waiting and len(begun) < limit:
                part = waiting.popleft()
                begun.append((part, self._begin(part)))
            part, ref = begun.popleft()
            while not self.ray.wait([ref], timeout=1)[0]:
                pass
            answer = self._result(ref, part)
            if answer is None:
                begun.appendleft((part, self._begin(part)))
            else:
                yield part, answer

    def _begin(self, part: Part) -> Any:
        self.tries[part] += 1
        return self.task.remote(self.job, part)

    def _result(self, ref: Any, part: Part) -> Any:
        """Returns the result of a part, or ``None`` if its process died."""
        try:
            word, node, what = self.ray.get(ref)
        except self.ray.exceptions.RayTaskError as error:
            raise LibraryError(f"transactions {part[0]} to {part[1]}: {_last(error)}") from None
        except self.ray.exceptions.RayError as error:
            if not self._there():
                raise LibraryError("lost the connection to the cluster") from None
            if self.tries[part] >= TRIES:
                what = f"transactions {part[0]} to {part[1]}: the process died {TRIES} times"
                raise LibraryError(f"{what}: {str(error).strip().splitlines()[0]}") from None
            return None
        _refuse(word, what)
        self.nodes.add(node)
        return what

    def _there(self) -> bool:
        """Returns whether the cluster still exists."""
        try:
            return self.workers() > 0
        except (self.ray.exceptions.RayError, RuntimeError):
            return False


def _refuse(word: str, what: Any) -> None:
    if word != "done":
        raise LibraryError(str(what)) if word == "other" else StoreError(str(what))


def _last(error: Exception) -> str:
    return str(error).strip().splitlines()[-1]
