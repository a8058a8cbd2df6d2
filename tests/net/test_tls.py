"""TLS over the guard: certificates are checked for the name, though the socket goes to an address."""

from __future__ import annotations

import datetime
import ssl
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pegboard.errors import UnreachableError
from pegboard.net.client import HttpClient
from pegboard.net.egress import EgressPolicy
from tests.net.loopback import Exchange, serving
from tests.net.scripted import Names

pytestmark = pytest.mark.anyio

POLICY = EgressPolicy.allowing(private_hosts={"api.example": ["127.0.0.0/8"], "other.example": ["127.0.0.0/8"]})
NAMES = {"api.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]}


@dataclass
class Certified:
    """A server's context and what a client trusts. Lives as long as the module's tests."""

    server: ssl.SSLContext
    authority: str
    asked_for: list[str | None]

    def trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cadata=self.authority)


@pytest.fixture
def certified(tmp_path: Path) -> Certified:
    """A certificate for api.example that signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "api.example")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("api.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = tmp_path / "server.pem"
    file.write_bytes(private + pem)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)
    context.set_alpn_protocols(["h2", "http/1.1"])
    found = Certified(context, pem.decode(), [])
    context.sni_callback = lambda _, server_name, __: found.asked_for.append(server_name)
    return found


async def answering(exchange: Exchange) -> None:
    chosen = exchange.writer.get_extra_info("ssl_object").selected_alpn_protocol()
    await exchange.reply(f"{exchange.header('host')} over {chosen}".encode())


async def test_the_name_is_asked_for_and_checked_and_http_2_is_not_spoken(certified: Certified) -> None:
    async with (
        serving(answering, tls=certified.server) as server,
        HttpClient(tls=certified.trusting(), resolver=Names(dict(NAMES))) as http,
    ):
        url = server.url(host="api.example", scheme="https")
        for _ in range(2):
            got = await http.request("GET", url, policy=POLICY)
            assert got.body == f"api.example:{server.port} over http/1.1".encode()
    assert certified.asked_for == ["api.example"]
    assert server.connections == 1


async def test_a_certificate_for_another_name_is_no_connection(certified: Certified) -> None:
    async with (
        serving(answering, tls=certified.server) as server,
        HttpClient(tls=certified.trusting(), resolver=Names(dict(NAMES))) as http,
    ):
        with pytest.raises(UnreachableError) as caught:
            await http.request("GET", server.url(host="other.example", scheme="https"), policy=POLICY)
    assert "other.example" in caught.value.detail
    assert "certificate" not in str(caught.value)
    assert server.exchanges == []


async def test_a_certificate_that_nobody_vouches_for_is_no_connection(certified: Certified) -> None:
    async with serving(answering, tls=certified.server) as server, HttpClient(resolver=Names(dict(NAMES))) as http:
        with pytest.raises(UnreachableError):
            await http.request("GET", server.url(host="api.example", scheme="https"), policy=POLICY)
    assert server.exchanges == []
