"""Clients that use plain sockets, so that they can send bytes that no HTTP library would send."""

import contextlib
import dataclasses
import resource
import socket
import struct
import threading
import time

# Maximum number of faults to keep.
KEPT = 20


def connect(address, limit):
    """Opens a connection with a time limit in seconds for each step."""
    return socket.create_connection(address, timeout=limit)


def reset_at_close(connection):
    """Makes the socket send a reset when it is closed."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def read_all(connection):
    """Reads until the other side closes or resets the connection. Raises `TimeoutError` if it does neither."""
    parts = []
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def request(host, path, method="GET", more=""):
    return f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n".encode()


@dataclasses.dataclass(frozen=True)
class Page:
    """An HTTP answer: the status, and the body if the answer is complete."""

    status: int
    body: bytes | None


def parsed(answer):
    head, parted, body = answer.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    words = lines[0].split(b" ")
    if not parted or len(words) < 2 or not words[1].isdigit():
        return Page(0, None)
    lengths = [line.partition(b":")[2].strip() for line in lines if line.lower().startswith(b"content-length:")]
    whole = len(lengths) == 1 and lengths[0].isdigit() and int(lengths[0]) == len(body)
    return Page(int(words[1]), body if whole else None)


def get(address, path, limit=120):
    """Requests a page, as a browser would."""
    with connect(address, limit) as connection:
        connection.sendall(request(f"{address[0]}:{address[1]}", path))
        return parsed(read_all(connection))


def more_files():
    """Raises the limit of open files for this process."""
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 8192 if most == resource.RLIM_INFINITY else min(8192, most)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


class Team:
    """Threads that repeat their steps until the time is over. Collects faults and counts."""

    def __init__(self):
        self.stopping = threading.Event()
        self.faults = []
        self._lock = threading.Lock()
        self._counts = {}
        self._threads = []

    def fault(self, text):
        with self._lock:
            if len(self.faults) < KEPT:
                self.faults.append(text)

    def count(self, name, by=1):
        with self._lock:
            self._counts[name] = self._counts.get(name, 0) + by

    def counted(self, name):
        return self._counts.get(name, 0)

    def add(self, number, step):
        """Adds threads that call `step(index, turn)` repeatedly. Exceptions are recorded as faults."""

        def work(index):
            turn = 0
            while not self.stopping.is_set():
                try:
                    step(index, turn)
                except Exception as error:
                    self.fault(f"{type(error).__name__}: {error}")
                    # Pause, because the fault may persist for a while.
                    self.stopping.wait(0.1)
                turn += 1

        for index in range(number):
            self._threads.append(threading.Thread(target=work, args=(index,), daemon=True))

    def work(self, seconds, look=lambda: None, every=1.0):
        """Runs the threads for `seconds`, and calls `look` every `every` seconds."""
        for thread in self._threads:
            thread.start()
        until = time.monotonic() + seconds
        try:
            while time.monotonic() < until:
                time.sleep(min(every, max(0.0, until - time.monotonic())))
                look()
        finally:
            self.stopping.set()
            # Wait longer than a connection's time limit, after which a client gives up on a slow page.
            for thread in self._threads:
                thread.join(150)
        if left := sum(thread.is_alive() for thread in self._threads):
            self.fault(f"clients still waiting for an answer: {left}")
