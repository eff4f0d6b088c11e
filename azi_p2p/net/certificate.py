"""TLS settings of a peer: a certificate that lives as long as the process, and no authority behind it.

TLS gives secrecy, integrity and one value that names this meeting: the hash of the listener's certificate. Who the
other side is comes from the signed hello (`azi_p2p.net.hello`), never from the certificate.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import ssl
import tempfile

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.x509.oid import NameOID

LIFETIME = datetime.timedelta(days=3650)
"""Nobody checks it: laptops at a LAN party have clocks that are years off."""


class Certificate:
    """A fresh self-signed Ed25519 certificate. `digest`: SHA-256 of its DER bytes; `listener`: for incoming links."""

    def __init__(self) -> None:
        key = Ed25519PrivateKey.generate()
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "azi")])
        now = datetime.datetime.now(datetime.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - LIFETIME)
            .not_valid_after(now + LIFETIME)
            .sign(key, None)
        )
        self.digest = certificate_digest(certificate.public_bytes(serialization.Encoding.DER))
        self.listener = _listener_context(key, certificate)


def certificate_digest(der: bytes) -> bytes:
    """What names a certificate in the hello: SHA-256 (32 bytes) over its DER bytes."""
    return hashlib.sha256(der).digest()


def dialer_context() -> ssl.SSLContext:
    """TLS settings for outgoing links: TLS 1.3, any certificate (the hello checks who holds it)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _listener_context(key: Ed25519PrivateKey, certificate: x509.Certificate) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    # Tickets would let a session be taken up again without the certificate that the hello names.
    context.num_tickets = 0
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + certificate.public_bytes(serialization.Encoding.PEM)
    # The ssl module reads keys from files only. mkstemp makes the file readable by its owner alone.
    handle, path = tempfile.mkstemp(prefix="azi-", suffix=".pem")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
        context.load_cert_chain(path)
    finally:
        os.unlink(path)
    return context
