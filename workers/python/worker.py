"""A worker for pqlab in Python. Uses the public API of the `cryptography` package.

docs/workers.md describes the protocol. An operation parses its inputs once. It returns the timed function, and a
function that converts the result to bytes. `call` runs the timed function once, `visit` runs it in a loop.
"""

import os
import platform
import struct
import sys
from itertools import repeat
from time import perf_counter_ns

import cryptography
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ed25519, mldsa, mlkem, x25519

MOST_BYTES, MOST_FIELDS, MOST_SETS = 16 << 20, 1 << 16, 4096


class Unsupported(Exception):
    """Raised if the worker does not support a request."""


class Invalid(Exception):
    """Raised if the fields of a request are invalid."""


class Garbage(Exception):
    """Raised if the input is not a message."""


def inputs(given, least, most, encoding=None):
    if not least <= len(given) <= most:
        raise Invalid("wrong number of fields")
    if encoding and given[0] != encoding:
        raise Unsupported("only " + encoding.decode() + " keys are supported")


def raw(key):
    return key.public_bytes_raw() if hasattr(key, "public_bytes_raw") else key.private_bytes_raw()


def keygen(private, from_seed):
    def ready(given):
        inputs(given, 0, 1)
        seed = bytes(given[0]) if given else b""
        run = (lambda: from_seed(seed)) if seed else private.generate
        return run, lambda key: [raw(key.public_key()), raw(key)]

    return ready


def kem(private, public):
    def encapsulate(given):
        inputs(given, 1, 2)
        if len(given) > 1 and given[1]:
            raise Unsupported("coins are not supported")
        return public.from_public_bytes(given[0]).encapsulate, lambda sent: [sent[1], sent[0]]

    def decapsulate(given):
        inputs(given, 3, 3, b"seed")
        key, ciphertext = private.from_seed_bytes(given[1]), given[2]
        return lambda: key.decapsulate(ciphertext), lambda secret: [secret]

    generate = keygen(private, private.from_seed_bytes)
    return {b"keygen": generate, b"encapsulate": encapsulate, b"decapsulate": decapsulate}


def signature(private, public, from_seed, contexts):
    def context(given):
        found = given[3] if len(given) > 3 else b""
        if found and not contexts:
            raise Unsupported("contexts are not supported")
        return [found] if found else []

    def sign(given):
        inputs(given, 3, 4, b"seed")
        key, message, rest = from_seed(given[1]), given[2], context(given)
        run = (lambda: key.sign(message, *rest)) if rest else (lambda: key.sign(message))
        return run, lambda signature: [signature]

    def verify(given):
        inputs(given, 3, 4)
        key, (message, signature), rest = public.from_public_bytes(given[0]), given[1:3], context(given)

        def run():
            try:
                key.verify(signature, message, *rest)
                return b"1"
            except InvalidSignature:
                return b"0"

        return run, lambda valid: [valid]

    return {b"keygen": keygen(private, from_seed), b"sign": sign, b"verify": verify}


def diffie_hellman(private, public):
    def encapsulate(given):
        inputs(given, 1, 2)
        peer, coins = public.from_public_bytes(given[0]), bytes(given[1]) if len(given) > 1 else b""

        def run():
            key = private.from_private_bytes(coins) if coins else private.generate()
            return [raw(key.public_key()), key.exchange(peer)]

        return run, lambda sent: sent

    def decapsulate(given):
        inputs(given, 3, 3, b"scalar")
        key, ciphertext = private.from_private_bytes(given[1]), given[2]
        return lambda: key.exchange(public.from_public_bytes(ciphertext)), lambda secret: [secret]

    generate = keygen(private, private.from_private_bytes)
    return {b"keygen": generate, b"encapsulate": encapsulate, b"decapsulate": decapsulate}


def digest(algorithm):
    def ready(given):
        inputs(given, 1, 1)
        message = given[0]

        def run():
            state = hashes.Hash(algorithm())
            state.update(message)
            return state.finalize()

        return run, lambda digest: [digest]

    return {b"digest": ready}


def null(given):
    inputs(given, 0, 0)
    return lambda: None, lambda _: []


def offered():
    """Yields the text and operations of each offer that this version of the package and its OpenSSL support."""
    classes = [
        ("kem ML-KEM-768 encodings=seed coins=keygen", mlkem, "MLKEM768"),
        ("kem ML-KEM-1024 encodings=seed coins=keygen", mlkem, "MLKEM1024"),
        ("signature ML-DSA-44 encodings=seed coins=keygen context=yes hedged=yes", mldsa, "MLDSA44"),
        ("signature ML-DSA-65 encodings=seed coins=keygen context=yes hedged=yes", mldsa, "MLDSA65"),
        ("signature ML-DSA-87 encodings=seed coins=keygen context=yes hedged=yes", mldsa, "MLDSA87"),
        ("signature Ed25519 encodings=seed coins=keygen", ed25519, "Ed25519"),
    ]
    for text, module, name in classes:
        private, public = getattr(module, name + "PrivateKey", None), getattr(module, name + "PublicKey", None)
        try:
            private.generate()
        except (AttributeError, UnsupportedAlgorithm):
            continue
        if module is mlkem:
            yield text, kem(private, public)
        else:
            from_seed = private.from_seed_bytes if module is mldsa else private.from_private_bytes
            yield text, signature(private, public, from_seed, module is mldsa)
    exchange = diffie_hellman(x25519.X25519PrivateKey, x25519.X25519PublicKey)
    yield "kem X25519 encodings=scalar coins=keygen,operation", exchange
    for name in ("SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "SHA-256", "SHA-512"):
        spelled = name.replace("SHA-", "SHA") if name.startswith("SHA-") else name.replace("-", "_")
        yield "hash " + name, digest(getattr(hashes, spelled))


OFFERS = dict(offered())
ALGORITHMS = {text.split(" ")[1].encode(): operations for text, operations in OFFERS.items()}
ALGORITHMS[b"null"] = {b"null": null}
cases = {}


def number(field):
    if not field.isdigit() or len(field) > 19 or (len(field) > 1 and field[:1] == b"0") or int(field) >= 1 << 63:
        raise Invalid("invalid number")
    return int(field)


def find(operation, algorithm):
    try:
        return ALGORITHMS[algorithm][operation]
    except KeyError:
        raise Unsupported("not offered") from None


class Case:
    def __init__(self, operations):
        self.runs = [run for run, _ in operations]
        self.outputs = [outputs for _, outputs in operations]
        self.results = [None] * len(operations)
        self.first = self.touched = 0

    def visit(self, first, n):
        runs, results, count = self.runs, self.results, len(self.runs)
        at = first = first % count
        begun = perf_counter_ns()
        for _ in repeat(None, n):
            results[at] = runs[at]()
            at += 1
            if at == count:
                at = 0
        elapsed = perf_counter_ns() - begun
        self.first, self.touched = first, min(n, count)
        return elapsed

    def answers(self):
        for turn in range(self.touched):
            at = (self.first + turn) % len(self.runs)
            yield b"%d" % at
            yield from self.outputs[at](self.results[at])


def prepare(given):
    if len(given) < 4:
        raise Invalid("wrong number of fields")
    handle, count, sets = number(given[0]), number(given[3]), given[4:]
    if not 1 <= count <= MOST_SETS or len(sets) % count or handle in cases:
        raise Invalid("invalid number of sets, or the handle is already in use")
    ready, each = find(given[1], given[2]), len(sets) // count
    cases[handle] = Case([ready(sets[at * each : (at + 1) * each]) for at in range(count)])
    return []


def answer(verb, given):
    lengths = {b"hello": 1, b"list": 0, b"visit": 3, b"answers": 1, b"release": 1, b"goodbye": 0}
    if verb in lengths and len(given) != lengths[verb] or verb == b"call" and len(given) < 2:
        raise Invalid("wrong number of fields")
    if verb == b"hello":
        if number(given[0]) < 1:
            raise Invalid("the version must be at least 1")
        libraries = f"cryptography {cryptography.__version__}, {backend.openssl_version_text()}"
        runtime = f"{platform.python_implementation()} {platform.python_version()}"
        return ["1", "python", runtime, libraries, "OpenSSL's generator"]
    if verb == b"list":
        return OFFERS
    if verb == b"call":
        run, outputs = find(given[0], given[1])(given[2:])
        return outputs(run())
    if verb == b"prepare":
        return prepare(given)
    if verb == b"goodbye":
        return []
    if verb not in lengths:
        raise Unsupported("unknown request")
    case = cases.get(number(given[0]))
    if case is None:
        raise Invalid("unknown handle")
    if verb == b"visit":
        first, n = number(given[1]), number(given[2])
        if not 1 <= n <= 1 << 32:
            raise Invalid("invalid number of operations")
        return [str(case.visit(first, n))]
    if verb == b"answers":
        return case.answers()
    del cases[number(given[0])]
    return []


def read(size):
    """Reads `size` bytes, or fewer if the input ends."""
    return sys.stdin.buffer.read(size)


def receive():
    head = read(4)
    if not head:
        return None
    size = struct.unpack(">I", head)[0] if len(head) == 4 else 0
    if not 0 < size <= MOST_BYTES:
        raise Garbage("invalid message length")
    body, fields, at = read(size), [], 0
    if len(body) < size:
        raise Garbage("the input ends inside a message")
    while at < size:
        end = at + 4 + (struct.unpack_from(">I", body, at)[0] if size - at >= 4 else size)
        if end > size or len(fields) == MOST_FIELDS:
            raise Garbage("the fields do not match the message length")
        fields.append(body[at + 4 : end])
        at = end
    if not fields[0] or fields[0].strip(b"abcdefghijklmnopqrstuvwxyz-"):
        raise Garbage("the message contains no valid verb")
    return fields


def send(output, verb, fields):
    fields = [field.encode() if isinstance(field, str) else field for field in (verb, *fields)]
    body = b"".join(struct.pack(">I", len(field)) + field for field in fields)
    message = memoryview(struct.pack(">I", len(body)) + body)
    while message:
        message = message[os.write(output, message) :]


def serve():
    # Redirect standard output, so that text printed by a library does not mix with answers.
    output = os.dup(1)
    os.dup2(2, 1)
    while (message := receive()) is not None:
        verb, given = message[0], message[1:]
        try:
            found = "ok", list(answer(verb, given))
        except (Unsupported, UnsupportedAlgorithm) as lacks:
            found = "unsupported", [str(lacks).replace("\n", " ")]
        except Exception as error:  # Libraries can raise any exception.
            found = "error", [f"{type(error).__name__}: {error}".replace("\n", " ")]
        send(output, *found)
        if verb == b"goodbye" and found[0] == "ok":
            return


if __name__ == "__main__":
    try:
        serve()
    except Garbage as error:
        sys.exit(f"pqlab worker in Python: {error}")
