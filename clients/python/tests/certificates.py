from __future__ import annotations

import ipaddress
from datetime import datetime, timedelta, timezone

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """A certificate authority that issues certificates for 127.0.0.1."""

    def __init__(self, name: str) -> None:
        self._name = _name(name)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = self._sign(self._name, self._key, is_authority=True)

    def issue(self, name: str) -> tuple[bytes, bytes]:
        """Returns a certificate and its private key in PEM."""
        key = ec.generate_private_key(ec.SECP256R1())
        pem = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return self._sign(_name(name), key, is_authority=False), pem

    def _sign(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, is_authority: bool) -> bytes:
        now = datetime.now(timezone.utc)
        names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
        )
        if not is_authority:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
