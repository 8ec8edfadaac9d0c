"""A hundred clients at the same time: every answer must be correct, and memory must not grow."""

import contextlib
import hashlib
import threading
import time

from reliable import web
from reliable.common import Figure, judged, say
from reliable.program import Pqlab, Service

FIGURE = Figure(
    name="clients",
    title="A hundred clients at the same time: correct answers, flat memory",
    how="A hundred clients read pages of ten runs from `pqlab serve` at the same time. They cut off one answer in "
    "five, half of those with a reset. All other answers must be complete, and identical each time, because the store "
    "does not change. Another hundred clients use `pqlab ntor-relay`. Ten of them are `pqlab ntor-client`, which "
    "checks that both sides derive the same keys. The others request the descriptor, send their own keys and check the "
    "length of the answers, or disconnect early. Memory is flat if the maximum resident memory in the last quarter of "
    "the time is at most 10% plus 16 MiB above the maximum in the second quarter.",
    limits="Clients and service share the machine, so the test does not show how many answers per second are possible. "
    "It does not detect leaks below the allowed growth.",
)

CLIENTS, RUNS = 100, 10
# Number of runs whose pages are requested most often. Requests for the other runs make `serve` evict cached pages.
FAVOURED = 6
# Number of relay clients that are `pqlab ntor-client` processes, and number of handshakes per process.
PROGRAMS, HANDSHAKES = 10, 100
MORE, MORE_MIB = 0.1, 16
A_RUN = ("run", "hash", "--provider", "rustcrypto", "--filter", "hash/SHA3-2*/digest*", "--processes", "2", "--max-time", "0.02", "--no-progress", "-q")
# Length in bytes of the relay's answer to a classical ntor request, including the two length bytes.
ANSWER = 66


class Memory:
    """Resident memory of a service over time, in MiB."""

    def __init__(self, service):
        self.service = service
        self.looks = []

    def look(self):
        self.looks.append(self.service.size().resident)

    def verdict(self):
        """Returns the maximum memory in the second and in the last quarter, and the faults."""
        quarter = max(1, len(self.looks) // 4)
        second, last = max(self.looks[quarter : 2 * quarter] or self.looks), max(self.looks[-quarter:])
        grown = last > second * (1 + MORE) + MORE_MIB
        found = {"MiB in the second quarter": round(second), "MiB in the last quarter": round(last)}
        fault = f"resident memory grew from {second:.0f} MiB in the second quarter to {last:.0f} MiB in the last"
        return found, [fault] * grown


def cut(address, sent, chance):
    """Sends a request and disconnects in the middle of the response."""
    with web.connect(address, 120) as connection:
        connection.sendall(sent)
        with contextlib.suppress(ConnectionError):
            connection.recv(chance.randint(1, 20_000))
        if chance.random() < 0.5:
            web.reset_at_close(connection)


def on_pages(task, seconds):
    pqlab = Pqlab(task.program, task.folder / "serve")
    for seed in range(RUNS):
        pqlab.read(*A_RUN, "--seed", str(seed))
    runs = [f"/runs/{run['id']}" for run in pqlab.runs()]
    paths, weights = ["/", "/state", *runs], [10, 10] + [10] * FAVOURED + [1] * (RUNS - FAVOURED)
    team, seen, lock = web.Team(), {}, threading.Lock()
    with Service(pqlab, "serve", "--listen", "127.0.0.1:0") as service:

        def step(index, turn):
            chance = task.chance("clients", "serve", index, turn)
            path = chance.choices(paths, weights)[0]
            if chance.random() < 0.2:
                cut(service.address, web.request(service.name, path), chance)
                team.count("cut")
                return
            page = web.get(service.address, path, limit=300)
            if page.status != 200 or page.body is None:
                team.fault(f"{path}: status {page.status}, {'incomplete' if page.body is None else 'complete'}")
                return
            digest = hashlib.sha256(page.body).digest()
            with lock:
                first = seen.setdefault(path, digest)
            if digest != first:
                team.fault(f"{path}: the page differs from an earlier answer")
            team.count("right")

        memory = Memory(service)
        team.add(CLIENTS, step)
        team.work(seconds, memory.look, min(1.0, seconds / 40))
        found, faults = memory.verdict()
    found = {"answers": team.counted("right"), "cut": team.counted("cut"), "seconds": round(seconds), **found}
    return judged("serve", CLIENTS, "clients", found, team.faults + faults + ["no client got an answer"] * (not team.counted("right")))


def on_relay(task, seconds):
    pqlab = Pqlab(task.program, task.folder / "relay")
    keys = str(pqlab.folder / "relay.json")
    team = web.Team()
    with Service(pqlab, "ntor-relay", "--keys", keys) as service:
        with web.connect(service.address, 60) as connection:
            connection.sendall(b"\xff\0\0\0")
            descriptor = exactly(connection, 54)

        def program(index, turn):
            handshake = ("ntor", "kem-only", "hybrid")[(index + turn) % 3]
            words = ("--keys", keys, "--handshake", handshake, "--count", str(HANDSHAKES), "--timeout", "60")
            pqlab.read("ntor-client", service.name, *words)
            team.count("checked", HANDSHAKES)

        def step(index, turn):
            chance = task.chance("clients", "relay", index, turn)
            own = b"\0\x02\0\x54" + descriptor[2:] + chance.randbytes(32)
            if chance.random() < 0.2:
                cut(service.address, own[: chance.randint(1, len(own))] if chance.random() < 0.5 else own, chance)
                team.count("cut")
                return
            with web.connect(service.address, 60) as connection:
                for _ in range(chance.randint(1, 20)):
                    connection.sendall(b"\xff\0\0\0")
                    if exactly(connection, 54) != descriptor:
                        team.fault("the descriptor has changed")
                    connection.sendall(own)
                    if exactly(connection, ANSWER)[:2] != b"\0\x40":
                        team.fault("an answer has the wrong length")
                    team.count("right", 2)
            # A client's port stays reserved for a minute after a connection ends, so faster clients would run out of
            # ports.
            time.sleep(0.3)

        memory = Memory(service)
        team.add(PROGRAMS, program)
        team.add(CLIENTS - PROGRAMS, step)
        team.work(seconds, memory.look, min(1.0, seconds / 40))
        found, faults = memory.verdict()
    checked, right = team.counted("checked"), team.counted("right")
    found = {"answers": right, "handshakes checked": checked, "cut": team.counted("cut"), "seconds": round(seconds), **found}
    return judged("ntor-relay", CLIENTS, "clients", found, team.faults + faults + ["no client got an answer"] * (not right or not checked))


def exactly(connection, length):
    """Reads exactly `length` bytes. Raises `ConnectionError` if the connection ends earlier."""
    got = b""
    while len(got) < length:
        part = connection.recv(length - len(got))
        if not part:
            raise ConnectionError(f"received only {len(got)} of {length} bytes")
        got += part
    return got


def measure(task):
    seconds, rows = task.count(20, 600), []
    for part in (on_pages, on_relay):
        rows.append(part(task, seconds))
        say(f"clients: {rows[-1].part}: {rows[-1].outcome}")
    return rows
