"""Hostile clients: the services must keep running, answer well-behaved clients, and not grow."""

import concurrent.futures
import contextlib
import re
import socket
import time

from reliable import web
from reliable.common import PASSED, Broken, Figure, Row, judged, last_line, say
from reliable.program import Pqlab, Service

FIGURE = Figure(
    name="hostile",
    title="Hostile connections: the services keep running",
    how="Connections to `pqlab serve` and to `pqlab ntor-relay` send random bytes, parts of requests, oversized "
    "requests, single bytes with pauses, or sequences of requests with garbage in between. Others send wrong methods or "
    "types, path traversals in many spellings, or messages with the right length but wrong content, or end with a "
    "reset. Halfway through, more silent connections are open at the same time than the service accepts. No answer may "
    "have a 5xx status, contain a file from the machine or break the protocol, and no client may be left waiting. "
    "Afterwards, pages and handshakes must work. The service may have grown by at most 25% plus 32 MiB of memory, "
    "2 threads and 4 open files.",
    limits="The clients run on the same machine, sixteen at a time. The test does not cover floods that saturate the "
    "network or use up all ports.",
)

# Number of hostile clients at a time, not counting the crowd, and seconds within which the service
# must answer or close the connection.
AT_ONCE, LIMIT = 16, 60
# Seconds to wait until a service has freed what clients used. Longer than its time limits for idle clients.
SETTLE = 150
MORE_RESIDENT, MORE_MIB, MORE_THREADS, MORE_FILES = 0.25, 32, 2, 4
# Number of connections in the crowd. The services accept fewer at the same time: 512 for `serve`, 256 for the relay.
CROWD = {"serve": 700, "ntor-relay": 400}
# Lengths in bytes of the relay's answers, and of requests by handshake type (HTYPE).
ANSWERS = {52, 64, 800, 832, 1120, 1152, 1600, 1632}
REQUESTS = {0x0002: 84, 0xFF01: 820, 0xFF02: 1204, 0xFF03: 1588, 0xFF11: 884, 0xFF12: 1268, 0xFF13: 1652}

METHODS = ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "X", "PRI", "\x00", "GET" * 999)
PATHS = (
    "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/runs/../../etc/passwd", "/runs/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/runs/%252e%252e%252fetc%252fpasswd", "/runs/..\\..\\etc\\passwd", "/runs/%c0%ae%c0%ae/etc/passwd", "//etc/passwd", "/pqlab.db",
    "/runs/%00", "/runs/%", "/runs/%ff", "/runs/x' OR '1'='1", "/%0d%0aSet-Cookie:%20x=1", "http://elsewhere/", "*", "/runs/" + "a" * 9000,
)
HEADS = (
    "Host: evil.example\r\n", "Content-Length: 99999999999\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
    "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked, identity\r\nContent-Length: 3\r\n", "Range: bytes=0-10\r\n",
    "Upgrade: h2c\r\nConnection: Upgrade\r\n", "\x00bad: x\r\n", "Expect: 100-continue\r\n", " folded: x\r\n",
)


def drip(connection, sent, chance):
    """Sends a byte at a time, for at most a second."""
    for byte in sent[:50]:
        connection.sendall(bytes([byte]))
        time.sleep(chance.uniform(0, 0.04))


def attack_page(kind, connection, host, chance):
    """Sends one kind of attack to `serve`."""
    good = web.request(host, "/state")
    if kind == "half":
        connection.sendall(good[: chance.randrange(1, len(good))])
    elif kind == "huge":
        connection.sendall(web.request(host, "/", more=f"X-Long: {'a' * chance.randint(10_000, 400_000)}\r\n"))
    elif kind == "slow":
        drip(connection, good, chance)
    elif kind == "row":
        # Keep the connection open, so that the service reads the following bytes as the next request.
        kept = good.replace(b"Connection: close\r\n", b"")
        connection.sendall(kept * chance.randint(1, 50) + chance.randbytes(chance.randint(1, 500)) + good)
    elif kind == "wrong":
        connection.sendall(web.request(host, chance.choice(("/", "/state")), chance.choice(METHODS), chance.choice(("", *HEADS))))
    elif kind == "climb":
        connection.sendall(web.request(host, chance.choice(PATHS), more=chance.choice(("", *HEADS))))


def judge_page(answer):
    """Checks an answer from `serve` and returns the faults."""
    statuses = [int(found) for found in re.findall(rb"(?m)^HTTP/1\.[01] (\d{3}) ", answer)]
    faults = [f"status {status}" for status in statuses if status >= 500]
    faults += ["not HTTP"] * bool(answer and not answer.startswith(b"HTTP/1."))
    return faults + ["a file from the machine"] * any(trace in answer for trace in (b"root:x:", b"SQLite format 3", b"\nSet-Cookie"))


def message(number, length, body):
    return number.to_bytes(2, "big") + length.to_bytes(2, "big") + body


def attack_relay(kind, connection, _host, chance):
    """Sends one kind of attack to `ntor-relay`."""
    number, length = chance.choice(list(REQUESTS.items()))
    descriptor, rubbish = message(0xFF00, 0, b""), message(number, length, chance.randbytes(length))
    if kind == "half":
        connection.sendall(rubbish[: chance.randrange(1, len(rubbish))])
    elif kind == "huge":
        connection.sendall(message(number, 0xFFFF, chance.randbytes(chance.randint(0, 0xFFFF))))
    elif kind == "slow":
        drip(connection, descriptor * 13, chance)
    elif kind == "row":
        connection.sendall(descriptor * chance.randint(1, 200) + chance.randbytes(chance.randint(1, 500)) + descriptor)
    elif kind == "wrong":
        connection.sendall(message(chance.randrange(0x10000), length, chance.randbytes(length)))
    elif kind == "climb":
        connection.sendall(rubbish)


def judge_relay(answer):
    """Checks the relay's answers and returns the faults. Every answer must have a known length, but a reset may cut the
    last one."""
    while len(answer) >= 2:
        length = int.from_bytes(answer[:2], "big")
        if length not in ANSWERS:
            return [f"an answer of {length} bytes"]
        answer = answer[2 + length :]
    return []


ATTACKS = {"serve": (attack_page, judge_page), "ntor-relay": (attack_relay, judge_relay)}
# Kinds of attacks, with their names on the page. `RELAY_KINDS` has the names that differ for the relay.
KINDS = {
    "noise": "random bytes", "half": "partial request", "huge": "oversized", "slow": "byte by byte", "row": "request sequence",
    "wrong": "wrong method", "climb": "path traversal", "reset": "reset",
}
RELAY_KINDS = {"wrong": "wrong type", "climb": "wrong content"}


def label(kind, service):
    """Returns the name of a kind of attack on the page."""
    return RELAY_KINDS.get(kind, KINDS[kind]) if service == "ntor-relay" else KINDS[kind]


def connection(service, name, index, chance):
    """Makes one hostile connection. Returns its kind and the faults."""
    kind = chance.choice(list(KINDS))
    attack, judge = ATTACKS[name]
    try:
        with web.connect(service.address, LIMIT) as stream:
            # The service may close the connection before everything is sent.
            with contextlib.suppress(ConnectionError):
                if kind == "noise":
                    stream.sendall(chance.randbytes(chance.randint(1, 5000)))
                elif kind == "reset":
                    attack(chance.choice(("half", "row")), stream, service.name, chance)
                    web.reset_at_close(stream)
                    return kind, []
                else:
                    attack(kind, stream, service.name, chance)
                stream.shutdown(socket.SHUT_WR)
            return kind, [f"connection {index}, {kind}: {fault}" for fault in judge(web.read_all(stream))]
    except TimeoutError:
        return kind, [f"connection {index}, {kind}: no answer and no close within {LIMIT} s"]
    except OSError as error:
        # The service reset the connection while this client was sending.
        return kind, [] if service.alive() else [f"connection {index}, {kind}: {error}, and the service has ended"]


def crowd(service, number):
    """Opens more silent connections than the service accepts at the same time."""
    web.more_files()
    with contextlib.ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(web.connect(service.address, LIMIT))
        time.sleep(1)


def settled(service, before):
    """Waits until the service has shrunk. Returns its size, and faults if it is still larger than allowed."""
    until = time.monotonic() + SETTLE
    while True:
        after, over = service.size(), []
        if after.files > before.files + MORE_FILES:
            over.append(f"{after.files} open files, {before.files} before")
        if after.threads > before.threads + MORE_THREADS:
            over.append(f"{after.threads} threads, {before.threads} before")
        if after.resident > before.resident * (1 + MORE_RESIDENT) + MORE_MIB:
            over.append(f"{after.resident:.0f} MiB resident, {before.resident:.0f} before")
        if not over or time.monotonic() > until:
            return after, over
        time.sleep(1)


def attacked(task, name, service, good):
    """Tests a service with hostile clients. Before and after the attacks, calls `good`, a well-behaved client that
    raises faults."""
    for _ in range(3):
        good()
    before, count = service.size(), task.count(500, 10_000)
    faults, kinds = [], dict.fromkeys(KINDS, 0)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        work = lambda index: connection(service, name, index, task.chance("hostile", name, index))
        for index, (kind, found) in enumerate(pool.map(work, range(count))):
            kinds[kind] += 1
            faults += found
            if index == count // 2:
                crowd(service, CROWD[name])
            if (index + 1) % 2000 == 0:
                say(f"hostile: {index + 1:,} of {count:,} connections to {name}, {len(faults)} faults")
    try:
        good()
        after, over = settled(service, before)
        good()
    except (Broken, OSError) as error:
        return judged(name, count, "connections", {label(kind, name): number for kind, number in kinds.items()}, [*faults, f"afterwards: {error}"])
    found = {
        **{label(kind, name): number for kind, number in kinds.items()}, "silent at the same time": CROWD[name], "MiB resident": f"{before.resident:.0f}, then {after.resident:.0f}",
        "threads": f"{before.threads}, then {after.threads}", "open files": f"{before.files}, then {after.files}",
    }
    errors = service.errors.read_text(errors="replace")
    return judged(name, count, "connections", found, faults + over + [f"a panic: {last_line(errors)}"] * ("panicked" in errors))


def on_pages(task) -> Row:
    pqlab = Pqlab(task.program, task.folder / "serve")
    pqlab.read("run", "smoke", "--seed", "1", "--no-progress", "-q", codes=(0, 1))
    run = pqlab.runs()[0]["id"]
    with Service(pqlab, "serve", "--listen", "127.0.0.1:0") as service:

        def good():
            for path in ("/", "/state", f"/runs/{run}"):
                page = web.get(service.address, path)
                if page.status != 200 or page.body is None:
                    raise Broken(f"{path}: status {page.status}")

        return attacked(task, "serve", service, good)


def on_relay(task) -> Row:
    pqlab = Pqlab(task.program, task.folder / "relay")
    keys = str(pqlab.folder / "relay.json")
    with Service(pqlab, "ntor-relay", "--keys", keys) as service:

        def good():
            for handshake in ("ntor", "kem-only", "hybrid"):
                pqlab.read("ntor-client", service.name, "--keys", keys, "--handshake", handshake, "--count", "3")

        return attacked(task, "ntor-relay", service, good)


def measure(task):
    rows = []
    for part in (on_pages, on_relay):
        rows.append(part(task))
        say(f"hostile: {rows[-1].part}: {rows[-1].outcome}" + ("" if rows[-1].outcome == PASSED else f": {rows[-1].why[0]}"))
    return rows
