"""X.509 certificates with post-quantum and hybrid signatures.

The keys determine the form of a certificate:

- An Ed25519 key with an alternative ML-DSA key gives a certificate with an alternative signature (X.509, clause 9.8).
- A ``MLDSA65-Ed25519-SHA512`` key gives a composite certificate.
- An ML-DSA key gives a pure post-quantum certificate (RFC 9881).
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
    """A parsed certificate. Two certificates are equal if their bytes are equal."""

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
        """Builds and signs a certificate.

        Pass both alternative keys or neither.

        :param subject: Distinguished name of the subject (RFC 4514), such as ``CN=Root,O=Example``.
        :param public_key: Public key of the subject.
        :param secret_key: Secret key of the issuer. For a self-signed certificate, secret key of the subject.
        :param alternative_public_key: Alternative public key of the subject (default none).
        :param alternative_secret_key: Alternative secret key of the issuer (default none).
        :param issuer: Certificate of the issuer (default none, which makes the certificate self-signed).
        :param not_before: Start of validity, with a time zone (default now).
        :param not_after: End of validity, with a time zone (default 365 days after the start).
        :param dns_names: DNS names of the subject (default none).
        :param authority: Whether the subject may issue certificates (default false).
        :param path_length: Maximum number of authorities below this one in a chain (default unlimited).
        :param serial_number: Positive serial number (default random).
        :return: The certificate.
        :raises pqlab.InvalidArgument: An argument is invalid, or a secret key does not belong to the issuer.
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
        """Parses a PEM certificate.

        :raises pqlab.InvalidArgument: ``pem`` is not a certificate.
        """
        return cls(Certificate.from_pem(pem))

    @classmethod
    def from_der(cls, der: Buffer) -> HybridCertificate:
        """Parses a DER certificate.

        :raises pqlab.InvalidArgument: ``der`` is not a certificate, or contains trailing bytes.
        """
        return cls(Certificate.from_der(der))

    def to_pem(self) -> str:
        """Returns the certificate as PEM."""
        return self._certificate.to_pem()

    def to_der(self) -> bytes:
        """Returns the original DER bytes."""
        return self._certificate.to_der()

    @property
    def subject(self) -> str:
        """Distinguished name of the subject (RFC 4514)."""
        return self._certificate.subject

    @property
    def issuer(self) -> str:
        """Distinguished name of the issuer (RFC 4514)."""
        return self._certificate.issuer

    @property
    def serial_number(self) -> int:
        """Serial number, a positive integer of at most 20 bytes."""
        return int.from_bytes(self._certificate.serial_bytes, "big")

    @property
    def not_before(self) -> datetime:
        """Start of the validity period."""
        return datetime.fromtimestamp(self._certificate.validity[0], UTC)

    @property
    def not_after(self) -> datetime:
        """End of the validity period."""
        return datetime.fromtimestamp(self._certificate.validity[1], UTC)

    @property
    def signature_algorithm(self) -> str:
        """Signature algorithm. For a certificate that also has an alternative signature, the classical algorithm."""
        return self._certificate.signature_algorithm

    @property
    def has_alternative_signature(self) -> bool:
        """Whether the certificate contains an alternative signature (2.5.29.74)."""
        return self._certificate.has_alternative_signature

    @property
    def public_key(self) -> PublicKey:
        """Public key of the subject. For a certificate that also has an alternative key, the classical key."""
        return self._certificate.public_key

    @property
    def alternative_public_key(self) -> PublicKey | None:
        """Alternative public key of the subject, if any (2.5.29.72)."""
        return self._certificate.alternative_public_key

    def verify(self, issuer: HybridCertificate, provider: str | None = None) -> int:
        """Verifies every signature with the issuer's keys and returns the number of signatures.

        Does not check names, validity or constraints. Use :meth:`verify_chain` to check those.

        :raises pqlab.VerificationFailed: A signature is not valid.
        """
        return self._certificate.verify(issuer._certificate, provider)

    @staticmethod
    def verify_chain(
        chain: Sequence[HybridCertificate],
        root: HybridCertificate,
        at: datetime | None = None,
        provider: str | None = None,
    ) -> None:
        """Verifies the signatures, names, validity and constraints of a chain of certificates.

        Does not check policies, name constraints or revocation.

        :param chain: The certificates, leaf first. Each one must be signed by the next.
        :param root: The trusted root, which must have signed the last certificate.
        :param at: Time at which the certificates must be valid, with a time zone (default now).
        :param provider: Provider to verify with (default for each signature is the first one that offers its
            algorithm).
        :raises pqlab.VerificationFailed: A signature is not valid, or the chain breaks a rule.
        """
        moment = _seconds(datetime.now(UTC) if at is None else at, "at")
        _pqlab.verify_certificate_chain([one._certificate for one in chain], root._certificate, moment, provider)

    def cosign(self, secret_key: SecretKey) -> bytes:
        """Signs the certificate with ML-DSA-65. Returns the certificate and the detached signature as a CBOR array.

        An earlier system defined this form. The certificate does not refer to the detached signature, so verifiers
        cannot detect that the signature was removed.

        :raises pqlab.InvalidArgument: The key is not an ML-DSA-65 key.
        """
        return _pqlab.cosign(self._certificate, secret_key)

    @classmethod
    def verify_cosig(cls, bundle: Buffer, public_key: PublicKey) -> HybridCertificate:
        """Verifies the detached signature of a bundle from :meth:`cosign` and returns the certificate.

        Does not verify the certificate itself.

        :raises pqlab.VerificationFailed: The signature is not valid.
        :raises pqlab.InvalidArgument: The bundle cannot be decoded, or the key is not an ML-DSA-65 key.
        """
        return cls(_pqlab.verify_cosig(bundle, public_key))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HybridCertificate) and self._certificate == other._certificate

    def __hash__(self) -> int:
        return hash(self._certificate)

    def __repr__(self) -> str:
        return f"<Hybrid{repr(self._certificate)[1:]}"

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return HybridCertificate.from_der, (self.to_der(),)
