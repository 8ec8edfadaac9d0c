"""X.509 certificates with post-quantum and hybrid signatures.

The form follows from the keys: an Ed25519 key with an alternative one of ML-DSA makes the alternative form (X.509, clause 9.8), a
key of ``MLDSA65-Ed25519-SHA512`` a composite certificate, one of ML-DSA a pure one (RFC 9881).
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pqlab import _pqlab
from pqlab._errors import InvalidArgument
from pqlab._pqlab import Certificate, PublicKey, SecretKey

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["HybridCertificate"]

_VALID_FOR = timedelta(days=365)
_SERIAL_BYTES = 16


def _seconds(moment: datetime, name: str) -> int:
    if moment.tzinfo is None:
        raise InvalidArgument(f"{name}: {moment} has no time zone", "set one, such as datetime.UTC")
    return int(moment.timestamp())


class HybridCertificate:
    """A certificate, parsed. Equal where its bytes are."""

    __slots__ = ("_certificate",)

    def __init__(self, certificate: Certificate) -> None:
        self._certificate = certificate

    @classmethod
    def build(
        cls,
        subject: str,
        public_key: PublicKey,
        secret_key: SecretKey,
        *,
        alternative_public_key: PublicKey | None = None,
        alternative_secret_key: SecretKey | None = None,
        issuer: HybridCertificate | None = None,
        not_before: datetime | None = None,
        not_after: datetime | None = None,
        dns_names: Iterable[str] = (),
        authority: bool = False,
        path_length: int | None = None,
        serial_number: int | None = None,
    ) -> HybridCertificate:
        """Builds and signs a certificate of ``public_key`` for the subject (RFC 4514: ``CN=Root,O=Example``).

        ``secret_key`` is the issuer's; without an issuer the certificate is self-signed, and it is the subject's own. A subject has an
        alternative key exactly where the issuer signs with one. It is valid from now on for a year unless told otherwise, and its
        serial number is drawn.
        """
        begin = datetime.now(UTC) if not_before is None else not_before
        end = begin + _VALID_FOR if not_after is None else not_after
        if serial_number is None:
            serial = (secrets.randbits(8 * _SERIAL_BYTES - 1) | 1).to_bytes(_SERIAL_BYTES, "big")
        elif serial_number <= 0:
            raise InvalidArgument(f"serial_number: {serial_number} is not positive")
        else:
            serial = serial_number.to_bytes(serial_number.bit_length() // 8 + 1, "big")
        wanted = {
            "subject": subject,
            "dns_names": list(dns_names),
            "not_before": _seconds(begin, "not_before"),
            "not_after": _seconds(end, "not_after"),
            "authority": authority,
            "path_length": path_length,
            "serial_number": serial,
        }
        keys = {
            "public_key": public_key,
            "alternative_public_key": alternative_public_key,
            "secret_key": secret_key,
            "alternative_secret_key": alternative_secret_key,
        }
        return cls(_pqlab.build_certificate(wanted, keys, None if issuer is None else issuer._certificate))

    @classmethod
    def from_pem(cls, pem: str) -> HybridCertificate:
        """The certificate of PEM."""
        return cls(Certificate.from_pem(pem))

    @classmethod
    def from_der(cls, der: Buffer) -> HybridCertificate:
        """The certificate of DER, with nothing after it."""
        return cls(Certificate.from_der(der))

    def to_pem(self) -> str:
        """PEM."""
        return self._certificate.to_pem()

    def to_der(self) -> bytes:
        """The bytes as they came."""
        return self._certificate.to_der()

    @property
    def subject(self) -> str:
        """Distinguished name (RFC 4514)."""
        return self._certificate.subject

    @property
    def issuer(self) -> str:
        """Distinguished name (RFC 4514)."""
        return self._certificate.issuer

    @property
    def serial_number(self) -> int:
        """Positive, at most 20 bytes."""
        return int.from_bytes(self._certificate.serial_bytes, "big")

    @property
    def not_before(self) -> datetime:
        """From when it is valid."""
        return datetime.fromtimestamp(self._certificate.validity[0], UTC)

    @property
    def not_after(self) -> datetime:
        """Until when it is valid."""
        return datetime.fromtimestamp(self._certificate.validity[1], UTC)

    @property
    def signature_algorithm(self) -> str:
        """The algorithm of the signature, in the alternative form that of the classical one."""
        return self._certificate.signature_algorithm

    @property
    def has_alternative_signature(self) -> bool:
        """Whether there is a second signature inside (2.5.29.74)."""
        return self._certificate.has_alternative_signature

    @property
    def public_key(self) -> PublicKey:
        """The key of the subject, in the alternative form the classical one."""
        return self._certificate.public_key

    @property
    def alternative_public_key(self) -> PublicKey | None:
        """The alternative key of the subject, where there is one (2.5.29.72)."""
        return self._certificate.alternative_public_key

    def verify(self, issuer: HybridCertificate, provider: str | None = None) -> int:
        """Verifies every signature with the keys of the issuer, and gives their number. Raises :class:`pqlab.VerificationFailed`.

        Names, validity and constraints are :meth:`verify_chain`'s.
        """
        return self._certificate.verify(issuer._certificate, provider)

    @staticmethod
    def verify_chain(
        chain: Sequence[HybridCertificate],
        root: HybridCertificate,
        at: datetime | None = None,
        provider: str | None = None,
    ) -> None:
        """Verifies a chain, the leaf first and each signed by the next, up to a trusted root: signatures, names, validity at a moment
        (now), constraints. Policies, name constraints and revocation are not looked at. Raises :class:`pqlab.VerificationFailed`."""
        moment = _seconds(datetime.now(UTC) if at is None else at, "at")
        _pqlab.verify_certificate_chain([one._certificate for one in chain], root._certificate, moment, provider)

    def cosign(self, secret_key: SecretKey) -> bytes:
        """The reference form: a detached signature of ML-DSA-65 over the certificate, with it in a CBOR array. Nothing in the
        certificate says that there is one: whoever drops it is not found out."""
        return _pqlab.cosign(self._certificate, secret_key)

    @classmethod
    def verify_cosig(cls, bundle: Buffer, public_key: PublicKey) -> HybridCertificate:
        """Verifies the signature of such an array, and gives the certificate, of which nothing is verified."""
        return cls(_pqlab.verify_cosig(bundle, public_key))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HybridCertificate) and self._certificate == other._certificate

    def __hash__(self) -> int:
        return hash(self._certificate)

    def __repr__(self) -> str:
        return f"<Hybrid{repr(self._certificate)[1:]}"

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return HybridCertificate.from_der, (self.to_der(),)
