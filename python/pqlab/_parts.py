"""Distribution of parts of a job to the nodes of a cluster. If a process or node dies, its part starts again."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable
from typing import Any

from pqlab._errors import InvalidArgument, LibraryError, StoreError
from pqlab._ray import ray_module

AHEAD = 2
"""Submitted parts per part in progress, so that no node waits for the next."""
TRIES = 100
"""Maximum number of starts of a part, in case every process dies on it."""

Part = tuple[int, int]
"""First transaction, and the one after the last."""
Answer = tuple[str, str, Any]
"""Outcome of a part (``done``, ``other`` for another build, or ``failed``), its node, and the result or the
reason."""


def this_node() -> str:
    """Returns the id of this process's node. Does not start Ray."""
    ray = ray_module()
    return str(ray.get_runtime_context().get_node_id()) if ray.is_initialized() else "none"


class Hands:
    """Calls a function with a job and its parts in processes of a cluster. Each process reserves ``threads`` CPUs."""

    def __init__(self, ray: Any, work: Callable[[Any, Part], Answer], job: Any, threads: int) -> None:
        self.ray, self.job, self.threads = ray, job, threads
        self.task = ray.remote(max_retries=0, num_cpus=threads, scheduling_strategy="SPREAD")(work)
        self.tries: Counter[Part] = Counter()
        """Number of starts of each part."""
        self.nodes: set[str] = set()
        """Nodes that have answered."""
        if self.workers() == 0:
            raise InvalidArgument(f"no node of the cluster has {threads} processors", "ask for fewer threads")

    def workers(self) -> int:
        """Returns the number of parts that can run at the same time now."""
        return sum(int(node["Resources"].get("CPU", 0)) // self.threads for node in self.ray.nodes() if node["Alive"])

    def begun_again(self) -> int:
        """Returns the number of restarts of a part because its process or node died."""
        return sum(tries - 1 for tries in self.tries.values())

    def ready(self, nothing: Part) -> None:
        """Starts the processes with an empty part and reports what is wrong with them."""
        for ref in [self.task.remote(self.job, nothing) for _ in range(self.workers())]:
            try:
                word, _, what = self.ray.get(ref)
            except self.ray.exceptions.RayTaskError as error:
                raise LibraryError(f"a node cannot run this build of pqlab: {_last(error)}") from None
            except self.ray.exceptions.RayError:
                # It died. Other processes do its parts, or it starts again.
                continue
            _refuse(word, what)

    def each(self, parts: Iterable[Part]) -> Generator[tuple[Part, Any]]:
        """Yields the results of parts, in order of completion."""
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
        """Yields the results of parts, in the order of the parts. A limited number waits in the cluster's memory."""
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
                raise LibraryError("lost the cluster") from None
            if self.tries[part] >= TRIES:
                where = f"transactions {part[0]} to {part[1]}"
                raise LibraryError(f"{where}: their process died {TRIES} times: {str(error).strip().splitlines()[0]}") from None
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
