"""Parts of a work that are handed out to the nodes of a cluster: begun again where their process, or its node, dies."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable
from typing import Any

from pqlab._errors import InvalidArgument, LibraryError, StoreError
from pqlab._ray import ray_module

AHEAD = 2
"""Parts under way for each that is worked on, so that no node waits for the next."""
TRIES = 100
"""How often a part is begun: one on which every process dies is not begun forever."""

Part = tuple[int, int]
"""The first transaction, and the one behind the last."""
Answer = tuple[str, str, Any]
"""What becomes of a part, in a word (``done``, ``other``: another build, ``failed``), on which node, and the result or the reason."""


def this_node() -> str:
    """The node that this process is of; it must not start one by asking."""
    ray = ray_module()
    return str(ray.get_runtime_context().get_node_id()) if ray.is_initialized() else "none"


class Hands:
    """A function that is called with a job and parts of it, on processes of a cluster that take so many of its CPUs."""

    def __init__(self, ray: Any, work: Callable[[Any, Part], Answer], job: Any, threads: int) -> None:
        self.ray, self.job, self.threads = ray, job, threads
        self.task = ray.remote(max_retries=0, num_cpus=threads, scheduling_strategy="SPREAD")(work)
        self.tries: Counter[Part] = Counter()
        """How often each part was begun."""
        self.nodes: set[str] = set()
        """Who has answered."""
        if self.workers() == 0:
            raise InvalidArgument(f"no node of the cluster has {threads} processors", "ask for fewer threads")

    def workers(self) -> int:
        """Parts that can be worked on at the same time now."""
        return sum(int(node["Resources"].get("CPU", 0)) // self.threads for node in self.ray.nodes() if node["Alive"])

    def begun_again(self) -> int:
        """How often a part was begun again because its process, or its node, died."""
        return sum(tries - 1 for tries in self.tries.values())

    def ready(self, nothing: Part) -> None:
        """Starts the processes by a part without work, and has them say what is wrong with them."""
        for ref in [self.task.remote(self.job, nothing) for _ in range(self.workers())]:
            try:
                word, _, what = self.ray.get(ref)
            except self.ray.exceptions.RayTaskError as error:
                raise LibraryError(f"a node cannot run this build of pqlab: {_last(error)}") from None
            except self.ray.exceptions.RayError:
                # It died: its part of the work is done by others, or again.
                continue
            _refuse(word, what)

    def each(self, parts: Iterable[Part]) -> Generator[tuple[Part, Any]]:
        """The results of parts, in the order in which they come."""
        waiting, running = deque(parts), dict[Any, Part]()
        limit, looked = AHEAD * self.workers(), time.monotonic()
        while waiting or running:
            if time.monotonic() - looked > 1:
                # Nodes come and go.
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
        """The results of parts, in the order of the parts. Only so many are made ahead, and wait in the cluster's memory."""
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
        """The result of a part; None where its process died."""
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
        """Whether there is a cluster still."""
        try:
            return self.workers() > 0
        except (self.ray.exceptions.RayError, RuntimeError):
            return False


def _refuse(word: str, what: Any) -> None:
    if word != "done":
        raise LibraryError(str(what)) if word == "other" else StoreError(str(what))


def _last(error: Exception) -> str:
    return str(error).strip().splitlines()[-1]
