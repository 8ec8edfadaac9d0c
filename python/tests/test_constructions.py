"""Keys, KEMs, signatures and hashes: results, rejected input, and secrets that stay hidden."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import pqlab

HYBRID_KEMS = ["X-Wing", "MLKEM768-X25519-SHA3-256", "X25519MLKEM768", "X25519+ML-KEM-768"]
KEMS = ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024", "X25519"]
HYBRID_SIGNATURES = ["MLDSA65-Ed25519-SHA512", "Ed25519+ML-DSA-65"]
SIGNATURES = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87", "Ed25519", "Falcon-512", "SLH-DSA-SHA2-128f", "ECDSA-P-256", "RSA-2048"]
WITH_IDENTIFIER = ["X-Wing", "MLKEM768-X25519-SHA3-256", *KEMS, "MLDSA65-Ed25519-SHA512", "ML-DSA-44", "ML-DSA-65", "Ed25519"]


def pair_of(algorithm: str) -> pqlab.KeyPair:
    try:
        return pqlab.kem(algorithm).generate_keypair()
    except pqlab.UnknownName:
        return pqlab.signature(algorithm).generate_keypair()


@pytest.mark.parametrize("algorithm", [*HYBRID_KEMS, *KEMS])
def test_both_sides_share_a_secret(algorithm: str) -> None:
    kem = pqlab.kem(algorithm)
    pair = kem.generate_keypair()
    ciphertext, secret = kem.encapsulate(pair.public)
    assert (len(ciphertext), len(secret)) == (kem.ciphertext_length, kem.secret_length)
    assert kem.decapsulate(pair.secret, ciphertext) == secret
    buffers: list[bytearray | memoryview] = [bytearray(ciphertext), memoryview(ciphertext)]
    for buffer in buffers:
        assert kem.decapsulate(pair.secret, buffer) == secret
    array = np.frombuffer(ciphertext, dtype=np.uint8)
    assert kem.decapsulate(pair.secret, array) == secret  # type: ignore[arg-type, unused-ignore]
    public = kem.public_key(pair.public.public_bytes())
    again = kem.secret_key(pair.secret.secret_bytes())
    assert public == pair.public and again.public_key() == pair.public
    ciphertext, secret = kem.encapsulate(public)
    assert kem.decapsulate(again, ciphertext) == secret


@pytest.mark.parametrize("algorithm", [*HYBRID_KEMS, "ML-KEM-768"])
def test_libraries_interoperate(algorithm: str) -> None:
    ours, theirs = pqlab.kem(algorithm, provider="aws-lc"), pqlab.kem(algorithm, provider="rustcrypto")
    assert (ours.provider, theirs.provider) == ("aws-lc", "rustcrypto")
    pair = theirs.generate_keypair()
    ciphertext, secret = ours.encapsulate(pair.public)
    assert theirs.decapsulate(pair.secret, ciphertext) == secret == ours.decapsulate(pair.secret, ciphertext)


def test_hybrids_combine_halves_of_two_libraries() -> None:
    kem = pqlab.HybridKEM("X-Wing", provider="aws-lc+rustcrypto")
    assert kem.provider == "aws-lc+rustcrypto" and kem.is_hybrid
    pair = kem.generate_keypair()
    ciphertext, secret = pqlab.HybridKEM().encapsulate(pair.public)
    assert kem.decapsulate(pair.secret, ciphertext) == secret


def vectors(name: str) -> Path:
    root = os.environ.get("PQLAB_VECTORS") or str(Path(__file__).parents[3] / "shared" / "vectors")
    found = Path(root) / name
    if not found.exists():
        pytest.skip(f"no published vectors at {found}")
    return found


def test_x_wing_gives_the_published_answers() -> None:
    kem = pqlab.HybridKEM("X-Wing")
    for vector in json.loads(vectors("xwing/test-vectors.json").read_text()):
        given = {name: bytes.fromhex(value) for name, value in vector.items()}
        pair = kem.keypair_from_seed(given["seed"])
        assert pair.public.public_bytes() == given["pk"]
        assert kem.encapsulate(pair.public, coins=given["eseed"]) == (given["ct"], given["ss"])
        assert kem.decapsulate(pair.secret, given["ct"]) == given["ss"]


@pytest.mark.parametrize("algorithm", [*HYBRID_SIGNATURES, *SIGNATURES])
def test_a_signature_verifies_and_nothing_else_does(algorithm: str) -> None:
    scheme = pqlab.signature(algorithm)
    pair, other = scheme.generate_keypair(), scheme.generate_keypair()
    signature = scheme.sign(b"message", pair.secret)
    assert len(signature) <= scheme.signature_length
    scheme.verify(bytearray(b"message"), memoryview(signature), pair.public)
    changed = bytearray(signature)
    changed[-1] ^= 1
    for message, wrong, key in [
        (b"massage", signature, pair.public),
        (b"message", bytes(changed), pair.public),
        (b"message", signature, other.public),
        (b"message", b"", pair.public),
        # Not zero: a Falcon signature one byte shorter than the padded length becomes a valid, padded one.
        (b"message", signature + b"\xff", pair.public),
    ]:
        with pytest.raises(pqlab.VerificationFailed):
            scheme.verify(message, wrong, key)


def test_a_signature_covers_its_context() -> None:
    for algorithm in ["ML-DSA-65", "MLDSA65-Ed25519-SHA512"]:
        scheme = pqlab.signature(algorithm)
        pair = scheme.generate_keypair()
        signature = scheme.sign(b"message", pair.secret, context=b"mine")
        scheme.verify(b"message", signature, pair.public, context=b"mine")
        with pytest.raises(pqlab.VerificationFailed):
            scheme.verify(b"message", signature, pair.public)
        with pytest.raises(pqlab.InvalidArgument, match="context"):
            scheme.sign(b"message", pair.secret, context=bytes(256))
    scheme = pqlab.Sign("Ed25519")
    with pytest.raises(pqlab.InvalidArgument, match="context"):
        scheme.sign(b"message", scheme.generate_keypair().secret, context=b"mine")


def test_deterministic_signatures_are_the_same() -> None:
    scheme = pqlab.Sign("ML-DSA-65")
    pair = scheme.keypair_from_seed(bytes(32))
    assert pair.public == scheme.keypair_from_seed(bytes(32)).public
    first = scheme.sign(b"message", pair.secret, deterministic=True)
    assert first == scheme.sign(b"message", pair.secret, deterministic=True)
    assert scheme.is_hedged and first != scheme.sign(b"message", pair.secret)
    scheme.verify(b"message", first, pair.public)


@pytest.mark.parametrize("algorithm", WITH_IDENTIFIER)
def test_keys_survive_their_encodings(algorithm: str) -> None:
    pair = pair_of(algorithm)
    public, secret = pair.public, pair.secret
    assert pqlab.PublicKey.from_pem(public.to_pem()) == public
    assert pqlab.PublicKey.from_der(public.to_der()) == public
    assert pqlab.PublicKey.from_bytes(algorithm, public.public_bytes()) == public
    assert public.fingerprint() == hashlib.sha256(public.to_der()).hexdigest()
    for again in [
        pqlab.SecretKey.from_pem(secret.to_pem()),
        pqlab.SecretKey.from_der(secret.to_der()),
        pqlab.SecretKey.from_bytes(algorithm, secret.secret_bytes()),
        pqlab.SecretKey.from_bytes(algorithm, secret.secret_bytes(), encoding=secret.encodings[0]),
    ]:
        assert again.algorithm == algorithm and again.public_key() == public
        assert again.to_pem() == secret.to_pem()


def test_reference_forms_are_cbor() -> None:
    for algorithm in ["X25519+ML-KEM-768", "Ed25519+ML-DSA-65"]:
        pair = pair_of(algorithm)
        assert pair.public.to_cbor() == pair.public.public_bytes() and pair.public.to_cbor()[0] == 0x82
        assert pqlab.SecretKey.from_bytes(algorithm, pair.secret.to_cbor()).public_key() == pair.public
        with pytest.raises(pqlab.InvalidArgument, match="object identifier"):
            pair.public.to_pem()
    with pytest.raises(pqlab.InvalidArgument, match="CBOR"):
        pair_of("X-Wing").public.to_cbor()


def test_public_keys_are_values() -> None:
    kem = pqlab.HybridKEM()
    pair, other = kem.generate_keypair(), kem.generate_keypair()
    again = pqlab.kem("X-Wing", provider="rustcrypto").public_key(pair.public.public_bytes())
    assert again == pair.public and hash(again) == hash(pair.public) and len({again, pair.public, other.public}) == 2
    assert pair.public != other.public and pair.public != "X-Wing"
    assert pickle.loads(pickle.dumps(pair.public)) == pair.public == copy.deepcopy(pair.public)
    # Keys for two algorithms are not equal even if their bytes are equal.
    assert pqlab.kem("X25519MLKEM768").public_key(pair.public.public_bytes()) != pair.public


@pytest.mark.parametrize("algorithm", ["X-Wing", "ML-KEM-768", "MLDSA65-Ed25519-SHA512", "RSA-2048"])
def test_secret_keys_reveal_nothing(algorithm: str) -> None:
    pair = pair_of(algorithm)
    secret = pair.secret.secret_bytes()
    for shown in [repr(pair.secret), str(pair.secret), f"{pair.secret}", repr(pair), str(vars(type(pair.secret)))]:
        assert secret.hex()[:16] not in shown and repr(secret[:8])[2:-1] not in shown
    assert repr(pair.secret) == f"<SecretKey {algorithm}>"
    refused: list[Callable[[], object]] = [
        lambda: pickle.dumps(pair.secret),
        lambda: pickle.dumps(pair),
        lambda: pickle.dumps([pair.secret], protocol=2),
        lambda: copy.copy(pair.secret),
        lambda: copy.deepcopy(pair),
    ]
    for call in refused:
        with pytest.raises(pqlab.InvalidArgument, match="pickled"):
            call()
    with pytest.raises(TypeError):
        memoryview(pair.secret)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        pair.secret.note = 1  # type: ignore[attr-defined]


KEM = pqlab.HybridKEM()
PAIR = KEM.generate_keypair()
SCHEME = pqlab.HybridSign()
SIGNER = SCHEME.generate_keypair()


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: pqlab.HybridKEM("ML-KEM-768"), pqlab.InvalidArgument),
        (lambda: pqlab.HybridSign("Ed25519"), pqlab.InvalidArgument),
        (lambda: pqlab.kem("ML-KEM-786"), pqlab.UnknownName),
        (lambda: pqlab.kem("ML-DSA-65"), pqlab.UnknownName),
        (lambda: pqlab.kem("null"), pqlab.UnknownName),
        (lambda: pqlab.kem("X25519+mock"), pqlab.UnknownName),
        (lambda: pqlab.kem("ML-KEM-768", provider="nobody"), pqlab.UnknownName),
        (lambda: pqlab.signature("ML-DSA-65", provider="fn-dsa"), pqlab.UnknownName),
        (lambda: KEM.public_key(b""), pqlab.InvalidArgument),
        (lambda: KEM.encapsulate(KEM.public_key(b"\xff" * 1216)), pqlab.InvalidArgument),
        (lambda: KEM.secret_key(bytes(31)), pqlab.InvalidArgument),
        (lambda: KEM.secret_key(bytes(32), encoding="hex"), pqlab.InvalidArgument),
        (lambda: KEM.keypair_from_seed(bytes(33)), pqlab.InvalidArgument),
        (lambda: KEM.decapsulate(PAIR.secret, b""), pqlab.InvalidArgument),
        (lambda: KEM.decapsulate(PAIR.secret, bytes(1119)), pqlab.InvalidArgument),
        (lambda: KEM.encapsulate(PAIR.public, coins=bytes(63)), pqlab.InvalidArgument),
        (lambda: KEM.encapsulate(SIGNER.public), pqlab.InvalidArgument),
        (lambda: KEM.decapsulate(SIGNER.secret, bytes(1120)), pqlab.InvalidArgument),
        (lambda: SCHEME.sign(b"", PAIR.secret), pqlab.InvalidArgument),
        (lambda: SCHEME.verify(b"", b"", PAIR.public), pqlab.InvalidArgument),
        (lambda: SCHEME.public_key(bytes(3)), pqlab.InvalidArgument),
        (lambda: pqlab.Sign("RSA-2048").keypair_from_seed(b""), pqlab.InvalidArgument),
        (lambda: pqlab.PublicKey.from_pem("no PEM"), pqlab.InvalidArgument),
        (lambda: pqlab.PublicKey.from_der(b"\x30"), pqlab.InvalidArgument),
        (lambda: pqlab.SecretKey.from_pem(PAIR.public.to_pem()), pqlab.InvalidArgument),
        (lambda: pqlab.PublicKey.from_bytes("X-Wong", b""), pqlab.UnknownName),
        (lambda: pqlab.hash("SHA3-255", b""), pqlab.UnknownName),
        (lambda: pqlab.xof("SHA3-256", b"", 32), pqlab.UnknownName),
        (lambda: pqlab.xof("SHAKE128", b"", -1), pqlab.InvalidArgument),
        (lambda: pqlab.xof("SHAKE128", b"", 2**62), pqlab.InvalidArgument),
        (lambda: pqlab.xof("SHAKE128", b"", 2**80), pqlab.InvalidArgument),
        (lambda: pqlab.hash_rows("SHAKE128", np.zeros((2, 2), np.uint8)), pqlab.InvalidArgument),
        (lambda: pqlab.hash_rows("SHA3-256", np.zeros((2, 2), np.uint8), 31), pqlab.InvalidArgument),
        (lambda: pqlab.hash_rows("SHA3-256", b"12"), pqlab.InvalidArgument),
    ],
)
def test_invalid_arguments_raise_an_explained_exception(call: Callable[[], object], kind: type[pqlab.Error]) -> None:
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value)


def test_x_wing_accepts_every_ciphertext_of_its_length() -> None:
    # In an all-zero ciphertext, ML-KEM rejects its part implicitly, and the X25519 part is a point of low order.
    first, again = (KEM.decapsulate(PAIR.secret, bytes(1120)) for _ in range(2))
    assert len(first) == 32 and first == again


@pytest.mark.parametrize("data", ["text", None, 1, [1, 2], object(), np.zeros(3)])
def test_objects_without_bytes_raise_type_error(data: object) -> None:
    calls: list[Callable[[], object]] = [
        lambda: pqlab.hash("SHA3-256", data),  # type: ignore[arg-type]
        lambda: KEM.public_key(data),  # type: ignore[arg-type]
        lambda: KEM.decapsulate(PAIR.secret, data),  # type: ignore[arg-type]
        lambda: SCHEME.sign(data, SIGNER.secret),  # type: ignore[arg-type]
        lambda: pqlab.hash_rows("SHA3-256", data),
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("name", ["sha3_224", "sha3_256", "sha3_384", "sha3_512", "sha256", "sha512"])
def test_hashes_agree_with_hashlib(name: str) -> None:
    algorithm = name.upper().replace("_", "-") if "_" in name else f"SHA-{name[3:]}"
    for length in [0, 1, 135, 136, 137, 5000]:
        message = np.random.default_rng(length).bytes(length)
        assert pqlab.hash(algorithm, message) == hashlib.new(name, message).digest()


def test_xof_outputs_have_any_length() -> None:
    for length in [0, 1, 32, 168, 10_000]:
        assert pqlab.xof("SHAKE128", b"abc", length) == hashlib.shake_128(b"abc").digest(length)
        assert pqlab.xof("SHAKE256", b"abc", length, provider="openssl") == hashlib.shake_256(b"abc").digest(length)


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 64, 100])
def test_hash_rows_agrees_with_hashlib(rows: int) -> None:
    matrix = np.random.default_rng(rows).integers(0, 256, (rows, 300), dtype=np.uint8)
    for layout in [matrix, np.asfortranarray(matrix), np.repeat(matrix, 2, axis=1)[:, ::2]]:
        digests = np.asarray(pqlab.hash_rows("SHA3-256", layout))
        shake = np.asarray(pqlab.hash_rows("SHAKE256", layout, length=50))
        for row in range(rows):
            assert digests[row].tobytes() == hashlib.sha3_256(matrix[row].tobytes()).digest()
            assert shake[row].tobytes() == hashlib.shake_256(matrix[row].tobytes()).digest(50)


def test_objects_serve_several_threads() -> None:
    signature = SCHEME.sign(b"message", SIGNER.secret)

    def work(_: int) -> bool:
        ciphertext, secret = KEM.encapsulate(PAIR.public)
        SCHEME.verify(b"message", signature, SIGNER.public)
        return KEM.decapsulate(PAIR.secret, ciphertext) == secret

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(200)))
