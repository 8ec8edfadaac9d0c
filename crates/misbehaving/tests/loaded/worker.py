"""Worker for tests of `pqlab verify`. The first argument names the bug that the worker has, or is `none`."""

import functools
import hashlib
import os
import struct
import sys

BUG = sys.argv[1]


def sha3(message):
    """Computes SHA3-256. Some bugs make the digest wrong for messages of some lengths."""
    wrong = {
        "padding": len(message) % 136 == 135,
        "middle": 300 <= len(message) <= 900,
        "long": len(message) > 10_000,
        "longest": len(message) > 65_535,
    }
    found = bytearray(hashlib.sha3_256(message).digest())
    found[0] ^= wrong.get(BUG, False)
    return bytes(found)


@functools.lru_cache(maxsize=64)
def doublings(scheme, point):
    """Returns the multiples of a point by powers of two below 2^256. Most vectors share their key with others."""
    multiples = [point]
    while len(multiples) < 256:
        multiples.append(scheme.add(multiples[-1], multiples[-1]))
    return multiples


def power(scheme, neutral, point, scalar):
    result = neutral
    for place, multiple in enumerate(doublings(scheme, point)):
        if scalar >> place & 1:
            result = scheme.add(result, multiple)
    return result


class Ed25519:
    """Ed25519 (RFC 8032, section 5.1). Points are (X, Y, Z, T)."""

    OFFER = "signature Ed25519 encodings=seed coins=keygen"
    P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
    D = -121665 * pow(121666, -1, P) % P
    NEUTRAL = (0, 1, 1, 0)

    def add(self, one, other):
        p = self.P
        a, b = (one[1] - one[0]) * (other[1] - other[0]) % p, (one[1] + one[0]) * (other[1] + other[0]) % p
        c, d = 2 * one[3] * other[3] * self.D % p, 2 * one[2] * other[2] % p
        e, f, g, h = b - a, d - c, d + c, b + a
        return e * f % p, g * h % p, f * g % p, e * h % p

    def decode(self, encoded):
        p, y = self.P, int.from_bytes(encoded, "little")
        y, sign = y & (1 << 255) - 1, y >> 255
        square = (y * y - 1) * pow(self.D * y * y + 1, -1, p) % p if y < p else None
        if square is None or (square == 0 and sign):
            raise ValueError("no point")
        x = pow(square, (p + 3) // 8, p)
        if x * x % p != square:
            x = x * pow(2, (p - 1) // 4, p) % p
        if x * x % p != square:
            raise ValueError("no point")
        x = p - x if x & 1 != sign else x
        return x, y, 1, x * y % p

    def encode(self, point):
        inverse = pow(point[2], -1, self.P)
        x, y = point[0] * inverse % self.P, point[1] * inverse % self.P
        return (y | (x & 1) << 255).to_bytes(32, "little")

    @functools.cached_property
    def base(self):
        return self.decode((4 * pow(5, -1, self.P) % self.P).to_bytes(32, "little"))

    def times(self, scalar, point=None):
        return power(self, self.NEUTRAL, point or self.base, scalar)

    def hash(self, *parts):
        return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % self.L

    def expanded(self, seed):
        digest = hashlib.sha512(seed).digest()
        return int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254, digest[32:]

    def keygen(self, seed=b""):
        seed = seed or os.urandom(32)
        return self.encode(self.times(self.expanded(seed)[0])), seed

    def sign(self, seed, message):
        secret, prefix = self.expanded(seed)
        nonce = self.hash(prefix) if BUG == "nonce" else self.hash(prefix, message)
        commitment = self.encode(self.times(nonce))
        challenge = self.hash(commitment, self.keygen(seed)[0], message)
        return commitment + ((nonce + challenge * secret) % self.L).to_bytes(32, "little")

    def verify(self, public, message, signature):
        key, response = self.decode(public), int.from_bytes(signature[32:], "little")
        if len(signature) != 64 or response >= self.L:
            return False
        challenge = self.hash(signature[:32], public, message)
        negative = (self.P - key[0], key[1], 1, self.P - key[3])
        found = self.add(self.times(response), self.times(challenge, negative))
        return self.encode(found) == signature[:32]


class Ecdsa:
    """ECDSA over P-256 (FIPS 186-5). Points are Jacobian, with Z = 0 for the neutral one."""

    OFFER = "signature ECDSA-P-256 encodings=scalar hedged=yes"
    P = 2**256 - 2**224 + 2**192 + 2**96 - 1
    N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
    G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
         0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5, 1)  # fmt: skip
    NONCE = int.from_bytes(os.urandom(32), "big") % N

    def add(self, one, other):
        p, (x1, y1, z1), (x2, y2, z2) = self.P, one, other
        if not z1 or not z2:
            return one if z1 else other
        u1, u2 = x1 * z2 * z2 % p, x2 * z1 * z1 % p
        s1, s2 = y1 * z2**3 % p, y2 * z1**3 % p
        if u1 != u2:
            h, r = u2 - u1, s2 - s1
            x = (r * r - h**3 - 2 * u1 * h * h) % p
            return x, (r * (u1 * h * h - x) - s1 * h**3) % p, h * z1 * z2 % p
        if s1 != s2 or not y1:
            return 1, 1, 0
        s, m = 4 * x1 * y1 * y1 % p, 3 * (x1 - z1 * z1) * (x1 + z1 * z1) % p
        x = (m * m - 2 * s) % p
        return x, (m * (s - x) - 8 * y1**4) % p, 2 * y1 * z1 % p

    def times(self, scalar, point):
        return power(self, (1, 1, 0), point, scalar)

    def affine(self, point):
        inverse = pow(point[2], -1, self.P)
        return point[0] * inverse**2 % self.P, point[1] * inverse**3 % self.P

    def random(self):
        return int.from_bytes(os.urandom(40), "big") % (self.N - 1) + 1

    def digest(self, message):
        return int.from_bytes(hashlib.sha256(message).digest(), "big")

    def keygen(self, _=b""):
        secret = self.random()
        public = b"".join(value.to_bytes(32, "big") for value in self.affine(self.times(secret, self.G)))
        return b"\4" + public, secret.to_bytes(32, "big")

    def sign(self, secret, message):
        nonce = self.NONCE if BUG == "nonce" else self.random()
        r = self.affine(self.times(nonce, self.G))[0] % self.N
        s = pow(nonce, -1, self.N) * (self.digest(message) + r * int.from_bytes(secret, "big")) % self.N
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def verify(self, public, message, signature):
        x, y = int.from_bytes(public[1:33], "big"), int.from_bytes(public[33:], "big")
        if len(public) != 65 or public[0] != 4 or max(x, y) >= self.P or (y * y - x**3 + 3 * x - self.B) % self.P:
            raise ValueError("no point")
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        if len(signature) != 64 or not 0 < r < self.N or not 0 < s < self.N:
            return False
        inverse = pow(s, -1, self.N)
        u, v = self.digest(message) * inverse % self.N, r * inverse % self.N
        found = self.add(self.times(u, self.G), self.times(v, (x, y, 1)))
        return found[2] != 0 and self.affine(found)[0] % self.N == r


SCHEMES = {b"Ed25519": Ed25519(), b"ECDSA-P-256": Ecdsa()}


def answer(operation, algorithm, given):
    if operation == b"digest":
        return [sha3(given[0])]
    scheme = SCHEMES[algorithm]
    if operation == b"keygen":
        return scheme.keygen(*given)
    if operation == b"sign":
        return [scheme.sign(given[1], given[2])]
    return [b"1" if scheme.verify(*given[:3]) else b"0"]


def send(*fields):
    fields = [field.encode() if isinstance(field, str) else field for field in fields]
    body = b"".join(struct.pack(">I", len(field)) + field for field in fields)
    sys.stdout.buffer.write(struct.pack(">I", len(body)) + body)
    sys.stdout.buffer.flush()


def received():
    head = sys.stdin.buffer.read(4)
    if len(head) < 4:
        sys.exit(0)
    body, fields = sys.stdin.buffer.read(struct.unpack(">I", head)[0]), []
    while body:
        end = 4 + struct.unpack(">I", body[:4])[0]
        fields.append(body[4:end])
        body = body[end:]
    return fields


while True:
    verb, *given = received()
    if verb == b"hello":
        send("ok", "1", "python", "3", "for tests only", "os.urandom")
    elif verb == b"list":
        send("ok", "hash SHA3-256", *(scheme.OFFER for scheme in SCHEMES.values()))
    elif verb == b"call":
        try:
            send("ok", *answer(given[0], given[1], given[2:]))
        except ValueError as error:
            send("error", str(error))
    elif verb == b"goodbye":
        send("ok")
        sys.exit(0)
    else:
        send("unsupported", "not timed")
