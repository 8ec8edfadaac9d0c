#!/usr/bin/env python3
"""Checks that workers follow the protocol in docs/workers.md, and reports deviations.

    check.py [--quick] PROGRAM [ARGUMENT...]
    check.py --together PROGRAM [ARGUMENT...] -- PROGRAM [ARGUMENT...] [-- ...]

The first form checks everything that a worker lists, with round trips, forgeries, repeated coins and visits. It also
checks that the worker rejects invalid input, including garbage. The second form checks that workers interoperate: each
worker decapsulates ciphertexts from the other workers, and verifies their signatures. Exits with code 1 if something is
wrong. Needs only Python 3.9.
"""

import hashlib
import os
import select
import struct
import subprocess
import sys
import time

MOST_BYTES = 16 << 20
KINDS = {
    "kem": ["keygen", "encapsulate", "decapsulate"],
    "signature": ["keygen", "sign", "verify"],
    "hash": ["digest"],
    "function": ["call"],
}
# Lengths in bytes of the public key, the ciphertext or the longest signature, and the seed for key generation.
KEMS = {"ML-KEM-512": (800, 768, 64), "ML-KEM-768": (1184, 1088, 64), "ML-KEM-1024": (1568, 1568, 64),
        "HQC-1-2026-02": (2241, 4433, 32), "HQC-3-2026-02": (4514, 8978, 32), "HQC-5-2026-02": (7237, 14421, 32),
        "X25519": (32, 32, 32)}  # fmt: skip
# Lengths in bytes of the coins for encapsulation, if they are not 32.
COINS = {"HQC-3-2026-02": 40, "HQC-5-2026-02": 48}
SIGNATURES = {
    "ML-DSA-44": (1312, 2420, 32),
    "ML-DSA-65": (1952, 3309, 32),
    "ML-DSA-87": (2592, 4627, 32),
    "Ed25519": (32, 64, 32),
    "ECDSA-P-256": (65, 64, 32),
    "ECDSA-P-384": (97, 96, 48),
    "LMS-SHA256-H5-W4": (56, 2348, 48),
    "LMS-SHA256-H5-W8": (56, 1292, 48),
    "LMS-SHA256-H10-W4": (56, 2508, 48),
    "LMS-SHA256-H10-W8": (56, 1452, 48),
}
# Beginnings of the names of schemes whose private keys are used up. Workers sign with them in calls, but not in visits.
STATEFUL = ("LMS-", "XMSS-")
for name, lengths in {"128s": (32, 7856, 48), "128f": (32, 17088, 48), "192s": (48, 16224, 72), "192f": (48, 35664, 72),
                      "256s": (64, 29792, 96), "256f": (64, 49856, 96)}.items():  # fmt: skip
    SIGNATURES["SLH-DSA-SHA2-" + name] = SIGNATURES["SLH-DSA-SHAKE-" + name] = lengths
HASHES = {"SHA3-224": "sha3_224", "SHA3-256": "sha3_256", "SHA3-384": "sha3_384", "SHA3-512": "sha3_512",
          "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512"}  # fmt: skip


class Wrong(Exception):
    """The worker deviates from the protocol."""


def encode(*fields):
    fields = [field.encode() if isinstance(field, str) else field for field in fields]
    body = b"".join(struct.pack(">I", len(field)) + field for field in fields)
    return struct.pack(">I", len(body)) + body


class Worker:
    def __init__(self, command):
        self.command = command
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        self.handle = 0

    def read(self, size, deadline):
        found = b""
        while len(found) < size:
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Wrong("no answer in time")
            part = os.read(self.process.stdout.fileno(), size - len(found))
            if not part:
                raise Wrong("the worker ended: " + self.last_words())
            found += part
        return found

    def last_words(self):
        lines = self.process.stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "no message"

    def ask(self, *fields, limit=60):
        try:
            self.process.stdin.write(encode(*fields))
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Wrong("the worker ended: " + self.last_words()) from None
        deadline = time.monotonic() + limit
        (size,) = struct.unpack(">I", self.read(4, deadline))
        if not 0 < size <= MOST_BYTES:
            raise Wrong(f"invalid answer length: {size} bytes")
        body, found = self.read(size, deadline), []
        while body:
            (length,) = struct.unpack(">I", body[:4]) if len(body) >= 4 else (size,)
            if length > len(body) - 4:
                raise Wrong("the fields of an answer do not match its length")
            found.append(body[4 : 4 + length])
            body = body[4 + length :]
        if found[0] not in (b"ok", b"unsupported", b"error"):
            raise Wrong(f"an answer begins with {found[0]!r}, not with ok, unsupported or error")
        if found[0] != b"ok" and (len(found) != 2 or not found[1].strip() or b"\n" in found[1]):
            raise Wrong(f"the answer {found[0].decode()} must contain one line with the reason")
        return found[0].decode(), found[1:]

    def ok(self, *fields, limit=60):
        verb, found = self.ask(*fields, limit=limit)
        if verb != "ok":
            shown = " ".join(f if isinstance(f, str) else f"<{len(f)} bytes>" for f in fields)
            raise Wrong(f"{shown[:120]}: {verb}: {found[0].decode(errors='replace')}")
        return found

    def call(self, operation, algorithm, *inputs):
        return self.ok("call", operation, algorithm, *inputs)

    def refuses(self, *fields, by=("error",)):
        verb, _ = self.ask(*fields)
        shown = f"{fields[0]} {fields[1] if len(fields) > 1 else ''}"
        expect(verb in by, f"{shown}: expected {' or '.join(by)}, not {verb}")

    def greet(self):
        later = self.ok("hello", "2", limit=10)
        expect(later[:1] == [b"1"], "the answer to hello with a later version must contain the worker's version")
        fields = [field.decode() for field in self.ok("hello", "1", limit=10)]
        expect(len(fields) == 5 and fields[0] == "1" and all(fields), f"invalid answer to hello: {fields}")
        return fields[1:]

    def offers(self):
        return dict(offer(text.decode()) for text in self.ok("list"))

    def prepare(self, operation, algorithm, sets):
        self.handle += 1
        fields = [field for inputs in sets for field in inputs]
        self.ok("prepare", str(self.handle), operation, algorithm, str(len(sets)), *fields)
        return str(self.handle)

    def visit(self, handle, first, n):
        started = time.monotonic_ns()
        (reported,) = self.ok("visit", handle, str(first), str(n))
        measured = time.monotonic_ns() - started
        reported = int(reported)
        expect(reported <= measured, f"the worker reports {reported} ns for a visit that took {measured} ns")
        return reported, measured

    def answers(self, handle, width):
        fields, found = self.ok("answers", handle), {}
        expect(len(fields) % (width + 1) == 0, "answers: wrong number of fields")
        for at in range(0, len(fields), width + 1):
            expect(fields[at] not in found, "answers: a set is listed twice")
            found[fields[at]] = fields[at + 1 : at + width + 1]
        return {int(number): outputs for number, outputs in found.items()}

    def end(self):
        self.ok("goodbye")
        expect(self.process.wait(10) == 0, "goodbye: the exit code must be 0")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def expect(true, what):
    if not true:
        raise Wrong(what)


def offer(text):
    kind, algorithm, *attributes = text.split(" ")
    expect(kind in KINDS and algorithm, f"invalid offer: {text}")
    parsed = dict(attribute.split("=", 1) for attribute in attributes)
    known = {"inputs", "verified"} if kind == "function" else {"encodings", "coins", "context", "hedged"}
    expect(set(parsed) <= known, f"unknown attributes: {text}")
    return (kind, algorithm), {
        "encodings": parsed.get("encodings", "expanded").split(","),
        "coins": parsed.get("coins", "").split(","),
        "context": parsed.get("context") == "yes",
        "hedged": parsed.get("hedged") == "yes",
        "inputs": int(parsed.get("inputs", "1")),
        "verified": parsed.get("verified", "yes") == "yes",
    }


def flipped(data, at=0):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def kem(worker, algorithm, attributes):
    encoding = attributes["encodings"][0]
    ek, dk = worker.call("keygen", algorithm, "")
    ct, ss = worker.call("encapsulate", algorithm, ek, "")
    lengths = KEMS.get(algorithm)
    if lengths:
        expect((len(ek), len(ct), len(ss)) == (*lengths[:2], 32), f"nonstandard lengths: {len(ek)}, {len(ct)}, {len(ss)}")
        # Private keys that are seeds or scalars have the length of the seed for key generation.
        if encoding != "expanded":
            expect(len(dk) == lengths[2], f"wrong private key length: {len(dk)} bytes")
        elif algorithm.startswith("ML-KEM"):
            expect(len(dk) == 2 * len(ek) + 32, f"wrong private key length: {len(dk)} bytes")
    expect(worker.call("decapsulate", algorithm, encoding, dk, ct) == [ss], "decapsulation must give the same secret")
    expect(worker.call("keygen", algorithm, "")[0] != ek, "two generated keys must differ")
    expect(worker.call("encapsulate", algorithm, ek, "")[0] != ct, "two ciphertexts must differ")
    if algorithm != "X25519":
        rejected = [worker.call("decapsulate", algorithm, encoding, dk, flipped(ct)) for _ in range(2)]
        expect(rejected[0] == rejected[1] != [ss], "implicit rejection must give the same secret each time, and not the shared secret")
        if algorithm.startswith("ML-KEM"):
            worker.refuses("call", "encapsulate", algorithm, b"\xff" * len(ek), "")
    else:
        # A point of small order, for which the shared secret is all zero.
        worker.refuses("call", "encapsulate", algorithm, bytes(len(ek)), "")
        worker.refuses("call", "decapsulate", algorithm, encoding, dk, bytes(len(ct)))
        if "keygen" in attributes["coins"]:
            expect(worker.call("keygen", algorithm, dk) == [ek, dk], "the scalar used as a seed must give the same key")
    for length in (0, len(ct) - 1, len(ct) + 1):
        worker.refuses("call", "decapsulate", algorithm, encoding, dk, (ct + ct)[:length])
        worker.refuses("call", "encapsulate", algorithm, (ek + ek)[: length - len(ct) + len(ek)], "")
    worker.refuses("call", "decapsulate", algorithm, encoding, dk[:-1], ct)
    seeded(worker, algorithm, attributes, lengths and lengths[2])
    coins = bytes(range(COINS.get(algorithm, 32)))
    if "operation" in attributes["coins"]:
        twice = [worker.call("encapsulate", algorithm, ek, coins) for _ in range(2)]
        expect(twice[0] == twice[1], "the same coins must give the same ciphertext")
    else:
        worker.refuses("call", "encapsulate", algorithm, ek, coins, by=("unsupported",))
    timed(worker, "keygen", algorithm, [[]] * 3, 2)
    sent = timed(worker, "encapsulate", algorithm, [[ek]] * 3, 2)
    for ct, ss in sent.values():
        expect(worker.call("decapsulate", algorithm, encoding, dk, ct) == [ss], "a visit's ciphertext must decapsulate")
    received = timed(worker, "decapsulate", algorithm, [[encoding, dk, ct] for ct, _ in sent.values()], 1)
    secrets = [ss for _, ss in sent.values()]
    expect([out[0] for out in received.values()] == secrets, "decapsulation in a visit must give the same secret")


def seeded(worker, algorithm, attributes, length):
    seed = bytes(range(7, 7 + (length or 32)))
    if "keygen" in attributes["coins"]:
        twice = [worker.call("keygen", algorithm, seed) for _ in range(2)]
        expect(twice[0] == twice[1], "the same seed must give the same key")
        worker.refuses("call", "keygen", algorithm, seed[:-1])
    else:
        worker.refuses("call", "keygen", algorithm, seed, by=("unsupported",))


def signature(worker, algorithm, attributes):
    encoding, message = attributes["encodings"][0], b"a message"
    vk, sk = worker.call("keygen", algorithm, "")
    (signed,) = worker.call("sign", algorithm, encoding, sk, message)
    lengths = SIGNATURES.get(algorithm)
    if lengths:
        expect((len(vk), len(signed)) == lengths[:2], f"nonstandard lengths: {len(vk)}, {len(signed)}")
        expect(encoding == "expanded" or len(sk) == lengths[2], f"wrong private key length: {len(sk)} bytes")
    verified = lambda *fields: worker.call("verify", algorithm, *fields) == [b"1"]
    refused = lambda *fields: worker.call("verify", algorithm, *fields) == [b"0"]
    expect(verified(vk, message, signed), "an honest signature must verify")
    expect(refused(vk, b"another", signed), "a signature must not verify for another message")
    expect(refused(vk, b"", signed), "a signature must not verify for the empty message")
    for at in {0, len(signed) // 2, len(signed) - 1}:
        expect(refused(vk, message, flipped(signed, at)), f"a signature with a flipped bit in byte {at} must not verify")
    for other in (b"", signed[:-1], signed + b"\0"):
        expect(refused(vk, message, other), f"a signature of {len(other)} bytes must not verify")
    other = worker.call("keygen", algorithm, "")[0]
    expect(refused(other, message, signed), "a signature must not verify with another key")
    again = worker.call("sign", algorithm, encoding, sk, message) == [signed]
    expect(again != attributes["hedged"], "hedged= must say whether two signatures of a message differ")
    (empty,) = worker.call("sign", algorithm, encoding, sk, b"")
    expect(verified(vk, b"", empty), "a signature of the empty message must verify")
    worker.refuses("call", "verify", algorithm, vk[:-1], message, signed)
    worker.refuses("call", "sign", algorithm, encoding, sk[:-1], message)
    if attributes["context"]:
        (bound,) = worker.call("sign", algorithm, encoding, sk, message, b"context")
        expect(verified(vk, message, bound, b"context"), "a signature with a context must verify")
        expect(refused(vk, message, bound), "a signature must not verify without its context")
        expect(verified(vk, message, signed, b""), "an empty context must be the same as no context")
    if "operation" in attributes["coins"]:
        twice = [worker.call("sign", algorithm, encoding, sk, message, b"", b"") for _ in range(2)]
        expect(twice[0] == twice[1], "empty coins must give the deterministic signature")
        expect(verified(vk, message, twice[0][0]), "a deterministic signature must verify")
    seeded(worker, algorithm, attributes, lengths and lengths[2])
    timed(worker, "keygen", algorithm, [[]] * 2, 2)
    messages = [b"one", b"two", b"three"]
    if algorithm.startswith(STATEFUL):
        worker.refuses("prepare", "1001", "sign", algorithm, "1", encoding, sk, message, by=("unsupported",))
        made = {number: worker.call("sign", algorithm, encoding, sk, text) for number, text in enumerate(messages)}
    else:
        made = timed(worker, "sign", algorithm, [[encoding, sk, text] for text in messages], 1)
    sets = [[vk, text, made[number][0]] for number, text in enumerate(messages)]
    sets.append([vk, b"four", made[0][0]])
    found = timed(worker, "verify", algorithm, sets, 1)
    verdicts = [found[number][0] for number in range(4)]
    expect(verdicts == [b"1"] * 3 + [b"0"], "verification in a visit must accept exactly the valid signatures")


def digest(worker, algorithm, _):
    messages = [b"", b"abc", bytes(200), bytes(100_000)]
    known = HASHES.get(algorithm)
    found = [worker.call("digest", algorithm, message)[0] for message in messages]
    if known:
        expect(found == [hashlib.new(known, message).digest() for message in messages], "a digest is wrong")
    made = timed(worker, "digest", algorithm, [[message] for message in messages], 1)
    expect([made[number][0] for number in range(4)] == found, "a visit must give the same digests as calls")


def function(worker, name, attributes):
    worker.refuses("call", "call", name, by=("unsupported",))
    expected = [b"right" if attributes["verified"] else b"unchecked"]
    for number, verdict in timed(worker, "call", name, [[]] * attributes["inputs"], 1).items():
        expect(verdict == expected, f"wrong verdict for set {number}: {b' '.join(verdict).decode()}")


def timed(worker, operation, algorithm, sets, width):
    """Prepares and visits a case, and checks the times. Returns the outputs of one operation on each set."""
    handle = worker.prepare(operation, algorithm, sets)
    count = len(sets)
    worker.refuses("prepare", handle, operation, algorithm, "1", *sets[0])
    worker.visit(handle, 0, 1)
    expect(list(worker.answers(handle, width)) == [0], "a visit of one operation must use one set")
    worker.visit(handle, count - 1, 1)
    expect(list(worker.answers(handle, width)) == [count - 1], "a visit must begin with input set number FIRST")
    # The reported time must agree with the time measured here in at least one of 30 visits. In the
    # others, another program may have used the core.
    for left in reversed(range(30)):
        reported, measured = worker.visit(handle, 5 * count, count)
        if measured - reported < max(0.05 * measured, 1e6):
            break
        expect(left, f"the worker reports {reported} ns for a visit that took {measured} ns")
    found = worker.answers(handle, width)
    expect(sorted(found) == list(range(count)), "a visit must use every set")
    worker.ok("release", handle)
    worker.refuses("visit", handle, "0", "1")
    return dict(sorted(found.items()))


def floor(worker):
    handle = worker.prepare("null", "null", [[]] * 16)
    n = 1000
    while True:
        reported, measured = worker.visit(handle, 0, n)
        if reported > 20_000_000 or n >= 1 << 30:
            break
        n *= 4
    runs, slack = [], 1e9
    # At least one of 60 visits must be quick. In the others, another program may have used the core.
    while len(runs) < 7 or (slack >= max(200_000, 0.05 * runs[0][1]) and len(runs) < 60):
        runs.append(worker.visit(handle, 0, n))
        slack = min(slack, runs[-1][1] - runs[-1][0])
    expect(sorted(worker.answers(handle, 0)) == list(range(16)), "null must use the 16 prepared sets")
    expect(slack < max(200_000, 0.05 * runs[0][1]), f"a visit of null takes {slack} ns in addition to its loop")
    return min(reported for reported, _ in runs) / n, slack / 1000


def strict(worker, command):
    worker.refuses("no-such-request", by=("unsupported",))
    worker.refuses("call", "keygen", "NO-SUCH", "", by=("unsupported",))
    worker.refuses("prepare", "999", "keygen", "NO-SUCH", "1", by=("unsupported",))
    for fields in (["hello"], ["hello", "x"], ["hello", "01"], ["call"], ["list", "x"], ["visit", "1"], ["release", "12345"],
                   ["answers", "12345"], ["visit", "12345", "0", "1"], ["prepare", "1000", "null", "null", "0"],
                   ["prepare", "1000", "null", "null", "-1"], ["prepare", "1000", "null", "null", "5000"],
                   ["prepare", "x", "null", "null", "1"]):  # fmt: skip
        worker.refuses(*fields)
    handle = worker.prepare("null", "null", [[]])
    for first, n in (("0", "0"), ("-1", "1"), ("0", "x"), ("0", "4294967297"), ("9223372036854775808", "1")):
        worker.refuses("visit", handle, first, n)
    hello = encode("hello", "1")
    for name, garbage in {
        "an empty body": bytes(4),
        "a body above the limit": b"\xff\xff\xff\xff",
        "a body just above the limit": struct.pack(">I", MOST_BYTES + 1),
        "a field beyond its body": b"\0\0\0\x05\0\0\0\x02o",
        "bytes after the last field": b"\0\0\0\x0b" + hello[4:13] + b"\0\0",
        "a verb in capitals": encode("HELLO", "1"),
        "an empty verb": encode("", "1"),
        "a truncated message": hello[:-1],
        "half a length": hello[:2],
        "text": b"hello 1\n",
        "too many fields": encode("hello", *[""] * (1 << 16)),
    }.items():
        with Worker(command) as other:
            try:
                out, _ = other.process.communicate(garbage, timeout=10)
            except subprocess.TimeoutExpired:
                raise Wrong(f"the worker must exit after {name}") from None
            expect(out == b"", f"the worker must not answer {name}")
            expect(other.process.returncode > 0, f"the worker must exit with an error after {name}")
    with Worker(command) as other:
        out, _ = other.process.communicate(hello, timeout=10)
        expect(out[4:10] == b"\0\0\0\x02ok", "the worker must answer hello even if the input ends after it")
        expect(other.process.returncode == 0, "the exit code must be 0 if the input ends after a message")


CHECKS = {"kem": kem, "signature": signature, "hash": digest, "function": function}


def check(command, quick):
    with Worker(command) as worker:
        language, runtime, libraries, generator = worker.greet()
        print(f"{language}: {runtime}; {libraries}; random numbers from {generator}")
        offers = worker.offers()
        expect(len(offers) > 0 or language == "c", "the worker must offer something")
        wrong = 0
        for (kind, algorithm), attributes in offers.items():
            if quick and algorithm.startswith("SLH-DSA"):
                continue
            try:
                CHECKS[kind](worker, algorithm, attributes)
                print(f"  {kind} {algorithm}: right")
            except Wrong as error:
                print(f"  {kind} {algorithm}: WRONG: {error}")
                wrong += 1
                if worker.process.poll() is not None:
                    raise
        strict(worker, command)
        print("  invalid requests are rejected")
        operation, slack = floor(worker)
        slow = " (more than 100 ns, which distorts short operations)" if operation > 100 else ""
        print(f"  null: {operation:.1f} ns per operation{slow}; a visit adds {slack:.0f} us")
        worker.end()
        return wrong


def together(commands):
    workers = [Worker(command) for command in commands]
    wrong = tried = 0
    try:
        known = []
        for worker in workers:
            name = worker.greet()[0]
            known.append((name, worker, worker.offers()))
        # Leave out functions, which are specific to a worker.
        kinds = {key: None for _, _, offers in known for key in offers if key[0] != "function"}
        for (kind, algorithm), _ in sorted(kinds.items()):
            able = [(name, worker, offers[kind, algorithm]) for name, worker, offers in known if (kind, algorithm) in offers]
            pairs = 0
            for name, worker, attributes in able:
                for other_name, other, _ in able:
                    try:
                        between(kind, algorithm, worker, attributes, other)
                        pairs += 1
                    except Wrong as error:
                        print(f"  {kind} {algorithm}, {name} and {other_name}: WRONG: {error}")
                        wrong += 1
            tried += pairs
            print(f"  {kind} {algorithm}, pairs that agree: {pairs} ({', '.join(name for name, _, _ in able)})")
        print(f"pairs that agree: {tried}; pairs that do not: {wrong}")
    finally:
        for worker in workers:
            worker.__exit__()
    return wrong


def between(kind, algorithm, worker, attributes, other):
    message = b"a message for somebody else"
    if kind == "hash":
        expect(worker.call("digest", algorithm, message) == other.call("digest", algorithm, message), "digests must be equal")
        return
    public, private = worker.call("keygen", algorithm, "")
    encoding = attributes["encodings"][0]
    if kind == "kem":
        ct, ss = other.call("encapsulate", algorithm, public, "")
        expect(worker.call("decapsulate", algorithm, encoding, private, ct) == [ss], "secrets must be equal")
    elif kind == "signature":
        (signed,) = worker.call("sign", algorithm, encoding, private, message)
        expect(other.call("verify", algorithm, public, message, signed) == [b"1"], "the signature must verify")
        forged = flipped(signed, len(signed) // 2)
        expect(other.call("verify", algorithm, public, message, forged) == [b"0"], "a forged signature must not verify")


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    try:
        if arguments[0] == "--together":
            commands = [[]]
            for argument in arguments[1:]:
                commands.append([]) if argument == "--" else commands[-1].append(argument)
            return 1 if together([command for command in commands if command]) else 0
        quick = arguments[0] == "--quick"
        return 1 if check(arguments[quick:], quick) else 0
    except (Wrong, ValueError) as error:
        print(f"WRONG: {error}")
        return 1
    except OSError as error:
        print(f"cannot start the worker: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
