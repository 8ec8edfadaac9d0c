"""For any argument, a call returns a result or raises a documented exception. No call panics or crashes the
interpreter.

``PQLAB_PYTHON_EXAMPLES`` sets the number of examples per entry point. ``PQLAB_PYTHON_LEAKS`` sets the number of calls
in the memory tests.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pqlab
from pqlab import HybridCertificate, _pqlab, ledger, stats

EXAMPLES = int(os.environ.get("PQLAB_PYTHON_EXAMPLES", "25"))
CALLS = int(os.environ.get("PQLAB_PYTHON_LEAKS", "0"))

KEM = pqlab.HybridKEM()
PAIR = KEM.generate_keypair()
CIPHERTEXT, _ = KEM.encapsulate(PAIR.public)
SCHEME = pqlab.HybridSign()
SIGNER = SCHEME.generate_keypair()
SIGNATURE = SCHEME.sign(b"message", SIGNER.secret)
ED25519 = pqlab.Sign("Ed25519")
OWNER = ED25519.generate_keypair()
CERTIFICATE = HybridCertificate.build("CN=Root", OWNER.public, OWNER.secret, authority=True)
NTOR = pqlab.Ntor("ntor")
RELAY = NTOR.relay(bytes(20))
TRANSACTION = ledger.sign(OWNER.secret, chain_id=1, nonce=1, to=bytes(32), amount=1)

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=40),
    st.binary(max_size=80),
    st.binary(max_size=80).map(bytearray),
    st.binary(max_size=80).map(lambda data: memoryview(data)),
    st.lists(st.one_of(st.floats(), st.integers(), st.text(max_size=3), st.none()), max_size=6),
    st.dictionaries(st.text(max_size=3), st.floats(), max_size=3),
    st.sampled_from([PAIR, PAIR.public, PAIR.secret, SIGNER.public, SIGNER.secret, CERTIFICATE, object(), ..., KEM]),
    st.sampled_from([bytes(20), bytes(32), bytes(1120), bytes(1216), CIPHERTEXT, SIGNATURE, TRANSACTION.encoded]),
    st.sampled_from(["X-Wing", "ML-DSA-65", "SHA3-256", "SHAKE128", "aws-lc", "aws-lc+liboqs", "null", "*", "hybrid", "\0", "\ud800"]),
)
SAMPLES = st.lists(st.floats(), max_size=20)


def changed(valid: bytes) -> st.SearchStrategy[bytes]:
    """Returns variants of valid data with changed, removed or added bytes."""

    def change(what: tuple[int, int, int]) -> bytes:
        place, bits, cut = what
        out = bytearray(valid)
        out[place] ^= bits
        return bytes(out[:-cut] if cut > 0 else out + bytes(-cut))

    return st.tuples(st.integers(0, len(valid) - 1), st.integers(0, 255), st.integers(-2, 40)).map(change)


def benchmark(function: object, name: object, setup: object, verify: object, inputs: object) -> object:
    how = {"name": name, "setup": setup, "verify": verify, "inputs": inputs}
    wrapped: object = pqlab.Benchmark(function, **how)  # type: ignore[arg-type]
    return wrapped


def received(data: bytes) -> list[object]:
    """Decodes bytes as a worker does."""
    reader, writer = os.pipe()
    try:
        os.write(writer, data)
        os.close(writer)
        return list(iter(lambda: _pqlab.receive_message(reader), None))
    finally:
        os.close(reader)


def sent(verb: str, fields: list[bytes]) -> None:
    with open(os.devnull, "wb") as nowhere:
        _pqlab.send_message(nowhere.fileno(), verb, fields)


Call = Callable[..., object]
ENTRIES: dict[str, tuple[Call, int]] = {
    "KEM": (pqlab.KEM, 2),
    "HybridKEM": (pqlab.HybridKEM, 2),
    "Sign": (pqlab.Sign, 2),
    "HybridSign": (pqlab.HybridSign, 2),
    "kem.public_key": (KEM.public_key, 1),
    "kem.secret_key": (KEM.secret_key, 2),
    "kem.keypair_from_seed": (KEM.keypair_from_seed, 1),
    "kem.encapsulate": (KEM.encapsulate, 2),
    "kem.decapsulate": (KEM.decapsulate, 2),
    "sign.sign": (SCHEME.sign, 4),
    "sign.verify": (SCHEME.verify, 4),
    "sign.public_key": (SCHEME.public_key, 1),
    "sign.secret_key": (SCHEME.secret_key, 2),
    "sign.keypair_from_seed": (SCHEME.keypair_from_seed, 1),
    "PublicKey.from_bytes": (pqlab.PublicKey.from_bytes, 3),
    "PublicKey.from_pem": (pqlab.PublicKey.from_pem, 2),
    "PublicKey.from_der": (pqlab.PublicKey.from_der, 2),
    "SecretKey.from_bytes": (pqlab.SecretKey.from_bytes, 4),
    "SecretKey.from_pem": (pqlab.SecretKey.from_pem, 2),
    "SecretKey.from_der": (pqlab.SecretKey.from_der, 2),
    "hash": (pqlab.hash, 3),
    "xof": (lambda name, data, length: pqlab.xof(name, data, min(length, 5000) if type(length) is int else length), 3),
    "hash_rows": (lambda name, data: pqlab.hash_rows(name, data), 2),
    "certificate.from_pem": (HybridCertificate.from_pem, 1),
    "certificate.from_der": (HybridCertificate.from_der, 1),
    "certificate.build": (lambda name, key, secret: HybridCertificate.build(name, key, secret), 3),
    "certificate.verify_cosig": (HybridCertificate.verify_cosig, 2),
    "certificate.cosign": (CERTIFICATE.cosign, 1),
    "Ntor": (pqlab.Ntor, 2),
    "ntor.relay": (NTOR.relay, 2),
    "ntor.client": (NTOR.client, 2),
    "ntor.respond": (RELAY.respond, 2),
    "ntor.finish": (lambda reply: NTOR.client(RELAY.identity, RELAY.onion_key).finish(reply), 1),
    "ledger.decode": (ledger.Transaction.decode, 1),
    "ledger.verify": (ledger.verify, 3),
    "ledger.sign": (lambda chain, nonce, to: ledger.sign(OWNER.secret, chain_id=chain, nonce=nonce, to=to, amount=1), 3),
    "stats.bootstrap_ci": (lambda samples, share: stats.bootstrap_ci(samples, share, 20), 2),
    "stats.welch_t_test": (stats.welch_t_test, 3),
    "stats.cohens_d": (stats.cohens_d, 2),
    "stats.throughput_curve": (stats.throughput_curve, 1),
    "stats.describe_samples": (stats.describe_samples, 1),
    "benchmark": (benchmark, 5),
    "send_message": (sent, 2),
}
FEW = settings(max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES <= 25, suppress_health_check=list(HealthCheck))


def attempt(call: Call, arguments: list[object]) -> None:
    try:
        call(*arguments)
    except pqlab.Error as error:
        assert str(error) and "internal error in pqlab" not in str(error), repr(error)
    except (TypeError, UnicodeEncodeError):
        pass


@pytest.mark.parametrize("name", ENTRIES)
def test_any_argument_gives_a_result_or_a_known_exception(name: str) -> None:
    call, most = ENTRIES[name]

    @FEW
    @given(st.lists(ANYTHING, max_size=most))
    def tried(arguments: list[object]) -> None:
        attempt(call, arguments)

    tried()


NEARLY: dict[str, tuple[Call, bytes]] = {
    "receive_message": (received, b"\0\0\0\x0e\0\0\0\5hello\0\0\0\x01" + b"1"),
    "PublicKey.from_der": (pqlab.PublicKey.from_der, PAIR.public.to_der()),
    "SecretKey.from_der": (pqlab.SecretKey.from_der, PAIR.secret.to_der()),
    "decapsulate": (lambda data: KEM.decapsulate(PAIR.secret, data), CIPHERTEXT),
    "verify": (lambda data: SCHEME.verify(b"message", data, SIGNER.public), SIGNATURE),
    "certificate": (lambda data: HybridCertificate.from_der(data).verify(CERTIFICATE), CERTIFICATE.to_der()),
    "respond": (RELAY.respond, NTOR.client(RELAY.identity, RELAY.onion_key).onionskin),
    "ledger": (lambda data: ledger.verify(data, 1), TRANSACTION.encoded),
}


@pytest.mark.parametrize("name", NEARLY)
def test_damaged_input_gives_a_result_or_a_known_exception(name: str) -> None:
    call, valid = NEARLY[name]

    @FEW
    @given(changed(valid))
    def tried(data: bytes) -> None:
        attempt(call, [data])

    tried()


@FEW
@given(SAMPLES, SAMPLES)
def test_any_samples_give_a_result_or_a_known_exception(first: list[float], second: list[float]) -> None:
    calls: list[Call] = [stats.welch_t_test, stats.cohens_d]
    for call in calls:
        attempt(call, [first, second])
    attempt(stats.describe_samples, [first])
    attempt(lambda samples: stats.bootstrap_ci(samples, n_resamples=10), [first])


def resident() -> int:
    """Returns the resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


LEAKS: dict[str, Call] = {
    "handshake": lambda: KEM.decapsulate(PAIR.secret, KEM.encapsulate(PAIR.public)[0]),
    "key pairs": KEM.generate_keypair,
    "key from bytes": lambda: KEM.public_key(PAIR.public.public_bytes()),
    "rejected key": lambda: attempt(KEM.public_key, [b"short"]),
    "signature": lambda: ED25519.sign(bytearray(b"message"), OWNER.secret),
    "rejected signature": lambda: attempt(ED25519.verify, [b"message", bytes(64), OWNER.public]),
    "unknown algorithm": lambda: attempt(pqlab.KEM, ["nothing"]),
    "circuit handshake": lambda: RELAY.respond(NTOR.client(RELAY.identity, RELAY.onion_key).onionskin),
    "certificate": lambda: HybridCertificate.from_der(CERTIFICATE.to_der()).public_key,
    "transaction": lambda: ledger.Transaction.decode(TRANSACTION.encoded),
    "hash": lambda: pqlab.hash("SHA3-256", memoryview(b"message")),
    "statistics": lambda: stats.describe_samples([1.0, 2.0, 4.0]),
}


@pytest.mark.skipif(not CALLS, reason="needs PQLAB_PYTHON_LEAKS, the number of calls")
@pytest.mark.parametrize("name", LEAKS)
def test_calls_do_not_leak_memory(name: str) -> None:
    call = LEAKS[name]
    for _ in range(CALLS // 10):
        call()
    before = resident()
    for _ in range(CALLS):
        call()
    # Detects a leak of 32 bytes per call.
    assert resident() - before < max(2 << 20, 32 * CALLS)
