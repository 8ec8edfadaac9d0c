"""Worker that computes digests. For tests of error handling, its first argument can name a fault to simulate."""

import hashlib
import os
import struct
import sys
import time

MODE = sys.argv[1]


def read(count):
    data = sys.stdin.buffer.read(count)
    if len(data) < count:
        sys.exit(0)
    return data


def raw(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(*fields):
    fields = [field.encode() if isinstance(field, str) else field for field in fields]
    body = b"".join(struct.pack(">I", len(field)) + field for field in fields)
    raw(struct.pack(">I", len(body)) + body)


def received():
    body, fields = read(struct.unpack(">I", read(4))[0]), []
    while body:
        end = 4 + struct.unpack(">I", body[:4])[0]
        fields.append(body[4:end])
        body = body[end:]
    return fields


def go_wrong(verb):
    """Simulates the fault that `MODE` names for a verb, such as `VERB-hangs`, before or instead of the answer."""
    if MODE == verb + "-hangs":
        time.sleep(100)
    elif MODE == verb + "-crashes":
        sys.stderr.write("some words\nthe last words\n")
        sys.stderr.flush()
        os._exit(7)
    elif MODE == verb + "-garbage":
        raw(b"Segmentation fault\n")
    elif MODE == verb + "-long":
        raw(b"\xff" * 8)
    elif MODE == verb + "-half":
        raw(b"\0\0\0\x10\0")
        os._exit(0)
    elif MODE == verb + "-shouts":
        send("LOUD")
    elif MODE == verb + "-silent":
        send("error")


def digest(message):
    return hashlib.sha3_256(message).digest()


def exchange(scalar, point):
    """Computes X25519 (RFC 7748, section 5)."""
    p = 2**255 - 19
    k = int.from_bytes(scalar, "little") & ~7 & ~(1 << 255) | 1 << 254
    u = int.from_bytes(point, "little") & ~(1 << 255)
    a, b, c, d, swapped = 1, 0, u, 1, 0
    for bit in reversed(range(255)):
        if k >> bit & 1 != swapped:
            a, b, c, d, swapped = c, d, a, b, 1 - swapped
        aa, bb = (a + b) ** 2 % p, (a - b) ** 2 % p
        e = aa - bb
        da, cb = (c - d) * (a + b), (c + d) * (a - b)
        c, d = (da + cb) ** 2 % p, u * (da - cb) ** 2 % p
        a, b = aa * bb % p, e * (aa + 121665 * e) % p
    if swapped:
        a, b = c, d
    return (a * pow(b, p - 2, p) % p).to_bytes(32, "little")


def kem(operation, _algorithm, *given):
    """Answers a call to X25519 as a KEM, if `MODE` is `exchange`."""
    base = bytes([9]) + bytes(31)
    if operation == b"keygen":
        secret = given[0] or os.urandom(32)
        return send("ok", exchange(secret, base), secret)
    if operation == b"encapsulate":
        secret = given[1] or os.urandom(32)
        found = [exchange(secret, base), exchange(secret, given[0])]
    else:
        assert given[0] == b"scalar"
        found = [exchange(given[1], given[2])]
    return send("ok", *found) if any(found[-1]) else send("error", "the secret is all zero")


def call(message):
    if MODE == "lacks":
        send("unsupported", "not today")
    elif MODE == "refuses":
        send("error", "not this message")
    else:
        send("ok", digest(message)[: 31 if MODE == "short" else 32])


class Case:
    def __init__(self, operation, name, count, inputs):
        self.timed = operation != b"null"
        self.name = name
        self.sets = inputs or [b""] * count
        self.first = self.touched = 0

    def visit(self, first, count):
        begun = time.perf_counter_ns()
        for at in range(count):
            digest(self.sets[(first + at) % len(self.sets)])
        took = time.perf_counter_ns() - begun
        self.first, self.touched = first, min(count, len(self.sets))
        lies = {"less": took // 3, "more": took * 9 + 10**9, "visit-words": "soon"}
        send("ok", str(lies.get(MODE, took)))

    def answers(self):
        fields = []
        for at in range(self.touched - (MODE == "few")):
            at = (self.first + at) % len(self.sets)
            fields.append(str(len(self.sets) if MODE == "answers-other" else at))
            if MODE == "functions" and self.timed:
                fields.append(FUNCTIONS[self.name][1])
            elif self.timed:
                wrong = b"!" if MODE == "wrong" else b""
                fields.append(bytes(32) if MODE == "zero" else digest(self.sets[at] + wrong))
        send("ok", *fields)


# Functions, each with the attribute that offers it and the verdict on its answers.
FUNCTIONS = {
    b"right": ("inputs=3", "right"),
    b"unchecked": ("verified=no", "unchecked"),
    b"wrong": ("inputs=2", "it is too long"),
    b"silent": ("inputs=1", "unchecked"),
}
cases = {}
while True:
    request = received()
    verb = request[0].decode()
    go_wrong(verb)
    if verb == "hello":
        send("ok", "2" if MODE == "version" else "1", "python", "3", "another" if MODE == "other" else "hashlib", "none")
    elif verb == "list":
        more = {
            "twice": "hash SHA3-256",
            "dance": "dance",
            "agrees": "key-agreement X25519",
            "name": "function a/b",
            "inputs": "function f inputs=0",
        }
        if MODE == "exchange":
            send("ok", "kem X25519 encodings=scalar coins=keygen,operation")
        elif MODE == "functions":
            send("ok", *(f"function {name.decode()} {attribute}" for name, (attribute, _) in FUNCTIONS.items()))
        else:
            send("ok", "hash SHA3-256", "hash NO-SUCH", *([more[MODE]] if MODE in more else []))
    elif verb == "call":
        kem(*request[1:]) if MODE == "exchange" else call(request[3])
    elif verb == "prepare":
        cases[request[1]] = Case(request[2], request[3], int(request[4]), request[5:])
        send("ok")
    elif verb == "visit":
        cases[request[1]].visit(int(request[2]), int(request[3]))
    elif verb == "answers":
        cases[request[1]].answers()
    elif verb == "release":
        del cases[request[1]]
        send("ok")
    elif verb == "goodbye":
        send("ok")
        sys.exit(0)
    else:
        send("unsupported", "what?")
