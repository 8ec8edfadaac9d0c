"""Certificates, circuit handshakes and the ledger."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

import pqlab
from pqlab import HybridCertificate, ledger

TODAY = datetime(2027, 1, 15, tzinfo=UTC)


class Party(NamedTuple):
    """Owner of the keys in a certificate, with alternative keys if any."""

    keys: pqlab.KeyPair
    alternative: pqlab.KeyPair | None


def party(algorithm: str, alternative: str | None = None) -> Party:
    return Party(
        pqlab.Sign(algorithm).generate_keypair(),
        pqlab.Sign(alternative).generate_keypair() if alternative else None,
    )


def certify(
    subject: str, whom: Party, by: Party | None = None, issuer: HybridCertificate | None = None, authority: bool = False
) -> HybridCertificate:
    by = by or whom
    return HybridCertificate.build(
        subject,
        whom.keys.public,
        by.keys.secret,
        alternative_public_key=whom.alternative.public if whom.alternative else None,
        alternative_secret_key=by.alternative.secret if by.alternative else None,
        issuer=issuer,
        not_before=TODAY - timedelta(days=1),
        not_after=TODAY + timedelta(days=1),
        dns_names=["a.example"],
        authority=authority,
    )


FORMS = [("Ed25519", "ML-DSA-65"), ("MLDSA65-Ed25519-SHA512", None), ("ML-DSA-44", None), ("Ed25519", None)]


@pytest.mark.parametrize(("algorithm", "alternative"), FORMS)
def test_a_chain_verifies(algorithm: str, alternative: str | None) -> None:
    root, middle, leaf = (party(algorithm, alternative) for _ in range(3))
    # This name contains an escaped character and a character outside ASCII.
    first = certify("CN=Root\\, the first,O=Übung", root, authority=True)
    second = certify("CN=Middle", middle, root, first, authority=True)
    third = certify("CN=leaf.example", leaf, middle, second)
    HybridCertificate.verify_chain([third, second], first, at=TODAY)
    assert third.verify(second) == second.verify(first) == (2 if alternative else 1)
    assert second.issuer == first.subject and third.public_key == leaf.keys.public
    assert third.has_alternative_signature == (alternative is not None)
    assert third.alternative_public_key == (leaf.alternative.public if leaf.alternative else None)
    assert third.not_before == TODAY - timedelta(days=1) and third.serial_number > 0
    for again in [
        HybridCertificate.from_pem(third.to_pem()),
        HybridCertificate.from_der(third.to_der()),
        pickle.loads(pickle.dumps(third)),
    ]:
        assert again == third and hash(again) == hash(third)
    refused: list[Callable[[], object]] = [
        lambda: third.verify(first),
        lambda: HybridCertificate.verify_chain([third], first, at=TODAY),
        lambda: HybridCertificate.verify_chain([], first, at=TODAY),
        lambda: HybridCertificate.verify_chain([third, second], first, at=TODAY + timedelta(days=2)),
        lambda: HybridCertificate.verify_chain([second, third], first, at=TODAY),
    ]
    for call in refused:
        with pytest.raises(pqlab.VerificationFailed):
            call()


def test_every_changed_bit_of_a_signature_is_found() -> None:
    root = party("Ed25519", "ML-DSA-65")
    der = certify("CN=Root", root, authority=True).to_der()
    for place in range(len(der) - 64, len(der), 7):
        changed = bytearray(der)
        changed[place] ^= 1
        certificate = HybridCertificate.from_der(changed)
        with pytest.raises(pqlab.VerificationFailed):
            certificate.verify(certificate)


def test_refuses_to_build_invalid_certificates() -> None:
    root, other = party("Ed25519", "ML-DSA-65"), party("Ed25519", "ML-DSA-65")
    issuer = certify("CN=Root", root, authority=True)
    wrong: list[Callable[[], object]] = [
        lambda: certify("CN=leaf", other, other, issuer),
        lambda: certify("CN=leaf", Party(other.keys, None), Party(root.keys, None), issuer),
        lambda: certify("CN=leaf", other, Party(root.keys, None), issuer),
        lambda: certify("not a name", root),
        lambda: certify("CN=leaf", Party(pqlab.Sign("Falcon-512").generate_keypair(), None)),
        lambda: certify("CN=leaf", Party(pqlab.KEM().generate_keypair(), None)),
        lambda: HybridCertificate.build("CN=a", root.keys.public, root.keys.secret, serial_number=0),
        lambda: HybridCertificate.build("CN=a", root.keys.public, root.keys.secret, serial_number=1 << 200),
        lambda: HybridCertificate.build("CN=a", root.keys.public, root.keys.secret, not_before=datetime(2027, 1, 1)),
        lambda: HybridCertificate.build("CN=a", root.keys.public, root.keys.secret, dns_names=["ü.example"]),
        lambda: HybridCertificate.build("CN=a", root.keys.public, root.keys.secret, path_length=-1, authority=True),
        lambda: HybridCertificate.from_pem("-----BEGIN CERTIFICATE-----"),
        lambda: HybridCertificate.from_der(issuer.to_der() + b"\0"),
    ]
    for call in wrong:
        with pytest.raises(pqlab.InvalidArgument):
            call()


def test_a_detached_signature_verifies() -> None:
    root = party("Ed25519")
    certificate = certify("CN=Root", root)
    keys = pqlab.Sign("ML-DSA-65").generate_keypair()
    bundle = certificate.cosign(keys.secret)
    assert HybridCertificate.verify_cosig(bundle, keys.public) == certificate
    with pytest.raises(pqlab.VerificationFailed):
        HybridCertificate.verify_cosig(bundle, pqlab.Sign("ML-DSA-65").generate_keypair().public)
    with pytest.raises(pqlab.InvalidArgument):
        HybridCertificate.verify_cosig(bundle[:-1], keys.public)
    with pytest.raises(pqlab.InvalidArgument):
        certificate.cosign(root.keys.secret)


@pytest.mark.parametrize(
    ("name", "onionskin", "reply", "keys"),
    [("ntor", 84, 64, 72), ("kem-only-mlkem512", 820, 800, 80), ("ntor-x25519-mlkem512", 884, 832, 72)],
)
def test_a_handshake_gives_both_sides_the_same_keys(name: str, onionskin: int, reply: int, keys: int) -> None:
    protocol = pqlab.Ntor(name)
    assert (protocol.onionskin_length, protocol.reply_length, protocol.keys_length) == (onionskin, reply, keys)
    assert protocol.authenticates_relay == (not name.startswith("kem-only"))
    relay = protocol.relay(bytes(range(20)))
    client = protocol.client(relay.identity, relay.onion_key)
    answer, theirs = relay.respond(client.onionskin)
    assert (len(client.onionskin), len(answer), len(theirs)) == (onionskin, reply, keys)
    assert client.finish(answer) == theirs
    with pytest.raises(pqlab.InvalidArgument, match="once"):
        client.finish(answer)
    changed = bytearray(answer)
    changed[-1] ^= 1
    client = protocol.client(relay.identity, relay.onion_key)
    answer, _ = relay.respond(client.onionskin)
    with pytest.raises(pqlab.VerificationFailed):
        client.finish(changed)
    with pytest.raises(pqlab.VerificationFailed):
        protocol.relay(bytes(20)).respond(client.onionskin)
    with pytest.raises(pqlab.InvalidArgument):
        relay.respond(client.onionskin[1:])


def test_a_relay_without_the_onion_key_cannot_answer() -> None:
    for name, authenticated in [("ntor", True), ("hybrid", True), ("kem-only", False)]:
        protocol = pqlab.Ntor(name)
        relay, impostor = protocol.relay(bytes(20)), protocol.relay(bytes(20))
        client = protocol.client(relay.identity, relay.onion_key)
        if authenticated:
            with pytest.raises(pqlab.VerificationFailed):
                impostor.respond(client.onionskin)
        else:
            answer, keys = impostor.respond(client.onionskin)
            assert client.finish(answer) == keys


def test_handshakes_reject_invalid_arguments() -> None:
    protocol = pqlab.Ntor("hybrid")
    relay = protocol.relay(bytes(20), onion_key=b"\x01" * 32)
    assert relay.onion_key == protocol.relay(bytes(20), onion_key=b"\x01" * 32).onion_key
    client = protocol.client(relay.identity, relay.onion_key)
    answer, keys = relay.respond(client.onionskin, length=200)
    assert len(keys) == 200 and client.finish(answer, length=200) == keys
    calls: list[tuple[Callable[[], object], type[pqlab.Error]]] = [
        (lambda: pqlab.Ntor("ntor-v9"), pqlab.UnknownName),
        (lambda: pqlab.Ntor("hybrid", provider="null"), pqlab.UnknownName),
        (lambda: protocol.relay(bytes(19)), pqlab.InvalidArgument),
        (lambda: protocol.relay(bytes(20), onion_key=b""), pqlab.InvalidArgument),
        (lambda: protocol.client(bytes(20), bytes(31)), pqlab.InvalidArgument),
        (lambda: relay.respond(b"", length=9000), pqlab.InvalidArgument),
        (lambda: relay.respond(b"", length=-1), pqlab.InvalidArgument),
    ]
    for call, kind in calls:
        with pytest.raises(kind):
            call()


@pytest.mark.parametrize("scheme", ledger.schemes())
def test_a_transaction_is_accepted_only_on_its_chain(scheme: str) -> None:
    keys = pqlab.signature(scheme).generate_keypair()
    signed = ledger.sign(keys.secret, chain_id=7, nonce=2**64 - 1, to=bytes(range(32)), amount=5, fee=1)
    assert (signed.chain_id, signed.nonce, signed.amount, signed.fee, signed.scheme) == (7, 2**64 - 1, 5, 1, scheme)
    assert signed.public_key == keys.public and signed.to == bytes(range(32))
    assert ledger.Transaction.decode(signed.encoded) == signed
    ledger.verify(signed, 7)
    ledger.verify(bytearray(signed.encoded), 7)
    with pytest.raises(pqlab.VerificationFailed, match="chain"):
        ledger.verify(signed, 8)
    changed = bytearray(signed.encoded)
    changed[10] ^= 1
    with pytest.raises(pqlab.VerificationFailed, match="signature"):
        ledger.verify(changed, 7)
    for malformed in [b"", signed.encoded[:-1], signed.encoded + b"\0", b"\1" + signed.encoded[1:]]:
        with pytest.raises(pqlab.InvalidArgument):
            ledger.Transaction.decode(malformed)


@pytest.mark.parametrize("form", ["block", "parquet"])
def test_a_block_is_made_and_verified(tmp_path: Path, form: str) -> None:
    path, seen = tmp_path / "block", list[tuple[int, int]]()
    made = ledger.generate_block(
        path, 300, "Ed25519", senders=10, invalid=5, chain_id=3, seed=9, format=form, progress=lambda *at: seen.append(at)
    )
    assert (made.transactions, made.invalid, made.reproducible) == (300, 5, True)
    assert seen[-1] == (300, 300)
    seen.clear()
    report = ledger.verify_block(path, 3, threads=2, keep_keys=True, progress=lambda *at: seen.append(at))
    assert (report.format, report.transactions, report.rejected) == (form, 300, 5)
    assert sum(report.kinds.values()) == 5 == len(report.rejections) and seen[-1] == (300, 300)
    assert report.providers["Ed25519"] and report.transactions_per_second > 0 and report.batch is None
    assert ledger.verify_block(path, 4).rejected == 300
    again = tmp_path / "again"
    ledger.generate_block(again, 300, "Ed25519", senders=10, invalid=5, chain_id=3, seed=9, format=form)
    assert again.read_bytes() == path.read_bytes()


def test_a_block_is_verified_in_batches(tmp_path: Path) -> None:
    ledger.generate_block(tmp_path / "block", 60, "ML-DSA-44", invalid=5)
    alone = ledger.verify_block(tmp_path / "block", threads=1)
    for batch in [None, 7, 10_000]:
        report = ledger.verify_block(tmp_path / "block", threads=1, provider="mldsa-batch:portable", batch=batch)
        assert report.providers["ML-DSA-44"] == "mldsa-batch:portable" and report.batch == (batch or 100)
        assert report.rejections == alone.rejections and report.transactions == 60
    for provider, batch in [("mldsa-batch", 0), ("mldsa-batch", 10_001), ("aws-lc", 5), (None, 5)]:
        with pytest.raises(pqlab.InvalidArgument, match="batch"):
            ledger.verify_block(tmp_path / "block", provider=provider, batch=batch)


def test_an_exception_in_a_watcher_stops_the_work(tmp_path: Path) -> None:
    def watch(_done: int, _all: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ledger.generate_block(tmp_path / "a", 2000, "Ed25519", progress=watch)
    assert not (tmp_path / "a").exists()
    ledger.generate_block(tmp_path / "b", 2000, "Ed25519", senders=1)
    with pytest.raises(RuntimeError, match="enough"):
        ledger.verify_block(tmp_path / "b", progress=watch)


def test_ledger_rejects_invalid_arguments(tmp_path: Path) -> None:
    keys = pqlab.Sign("Ed25519").generate_keypair()
    (tmp_path / "garbage").write_bytes(b"garbage")

    def signed(**changed: object) -> Callable[[], object]:
        fields = {"chain_id": 1, "nonce": 1, "to": bytes(32), "amount": 1, **changed}
        return lambda: ledger.sign(keys.secret, **fields)  # type: ignore[arg-type, unused-ignore]

    calls: list[tuple[Callable[[], object], type[pqlab.Error]]] = [
        (signed(chain_id=2**32), pqlab.InvalidArgument),
        (signed(nonce=-1), pqlab.InvalidArgument),
        (signed(to=bytes(31)), pqlab.InvalidArgument),
        (lambda: ledger.generate_block(tmp_path / "x", 0), pqlab.InvalidArgument),
        (lambda: ledger.generate_block(tmp_path / "x", 10, senders=11), pqlab.InvalidArgument),
        (lambda: ledger.generate_block(tmp_path / "x", 10, format="csv"), pqlab.InvalidArgument),
        (lambda: ledger.generate_block(tmp_path / "x", 10, threads=0), pqlab.InvalidArgument),
        (lambda: ledger.generate_block(tmp_path / "x", 10, "ROT-13"), pqlab.UnknownName),
        (lambda: ledger.generate_block(tmp_path / "no" / "x", 10), pqlab.StoreError),
        (lambda: ledger.verify_block(tmp_path / "none"), pqlab.StoreError),
        (lambda: ledger.verify_block(tmp_path / "garbage"), pqlab.StoreError),
        (lambda: ledger.verify_block(tmp_path), pqlab.StoreError),
        (lambda: ledger.sign(pqlab.Sign("ML-DSA-44").generate_keypair().secret, **{}), TypeError),  # type: ignore[arg-type, list-item, call-arg, unused-ignore]
    ]
    for call, kind in calls:
        with pytest.raises(kind):
            call()
