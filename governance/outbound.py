"""Outbound HTTP: the only client for requests to URLs that people enter.

A host name is resolved once, all its addresses are checked, and the connection uses one of them, so
DNS rebinding can't redirect it. Private addresses are rejected unless
`EDICTUM_SITE_OUTBOUND_NETWORKS` allows them. Redirects are not followed.
"""

import http.client
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from threading import Timer
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

TIMEOUT: Final = 10.0  # seconds without a response
LONGEST: Final = 30.0  # seconds per request in total
MOST_READ: Final = 16 * 1024  # bytes of a response
_NAT64: Final = IPv6Network("64:ff9b::/96")


class NotSent(Exception):
    """The request was rejected here or got no response; the message says why."""


class Answer(NamedTuple):
    status: int
    body: bytes


class Target(NamedTuple):
    """A URL with its checked addresses."""

    url: SplitResult
    host: str
    port: int
    addresses: tuple[str, ...]


def post(url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    target = resolved(url)
    connection = _Connection(target)
    watch = Timer(LONGEST, connection.abort)  # also limits a response that arrives byte by byte
    watch.daemon = True
    watch.start()
    try:
        path = target.url.path or "/"
        query = f"?{target.url.query}" if target.url.query else ""
        connection.request("POST", path + query, body=body, headers=dict(headers))
        answer = connection.getresponse()
        return Answer(answer.status, answer.read(MOST_READ))
    except (OSError, http.client.HTTPException) as error:
        raise NotSent(f"{target.host} did not answer: {error or type(error).__name__}") from None
    finally:
        watch.cancel()
        connection.close()


def resolved(url: str) -> Target:
    """Host, port and addresses of a URL. Raises NotSent if any of them is not allowed."""
    parts, host, port = _parts(url)
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NotSent(f"{host} has no address: {error}") from None
    addresses = tuple(dict.fromkeys(str(answer[4][0]) for answer in answers))
    for address in addresses:
        if not _is_allowed(address):
            raise NotSent(
                f"{host} has the address {address}, which is not public. The console's operator can"
                " allow its network in EDICTUM_SITE_OUTBOUND_NETWORKS."
            )
    if parts.scheme == "http" and not all(map(_is_in_allowed_network, addresses)):
        raise NotSent("Use https. Plain http is for allowed private networks.")
    return Target(parts, host, port, addresses)


def _parts(url: str) -> tuple[SplitResult, str, int]:
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise NotSent("The URL is malformed.") from None
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme not in ("https", "http") or not parts.hostname or not is_plain:
        raise NotSent("Use a URL such as https://siem.example/ingest.")
    if parts.username is not None or parts.password is not None:
        raise NotSent("The URL must not contain a user name or a password.")
    return parts, parts.hostname, port


def _is_allowed(address: str) -> bool:
    number = _plain(address)
    is_public = number.is_global and not number.is_multicast and not number.is_reserved
    return is_public or _is_in_allowed_network(address)


def _is_in_allowed_network(address: str) -> bool:
    number = _plain(address)
    networks = (ip_network(each) for each in settings.OUTBOUND_NETWORKS)
    return any(number.version == network.version and number in network for network in networks)


def _plain(address: str) -> IPv4Address | IPv6Address:
    """IPv4 address embedded in an IPv6 address, else the address itself."""
    number = ip_address(address.partition("%")[0])
    if isinstance(number, IPv4Address):
        return number
    if number in _NAT64:
        return IPv4Address(int(number) & 0xFFFFFFFF)
    return number.ipv4_mapped or number.sixtofour or (number.teredo or (None, number))[1]


class _Connection(http.client.HTTPConnection):
    """Connects only to checked addresses; the certificate must match the host name."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.host, target.port, timeout=TIMEOUT)
        self._target = target

    def connect(self) -> None:
        self.sock = self._connected()
        if self._target.url.scheme == "https":
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self._target.host)

    def abort(self) -> None:
        with suppress(OSError, AttributeError):  # not connected yet, or already closed
            self.sock.shutdown(socket.SHUT_RDWR)

    def _connected(self) -> socket.socket:
        *others, last = self._target.addresses
        for address in others:
            try:
                return socket.create_connection((address, self.port), TIMEOUT)
            except OSError:
                continue
        return socket.create_connection((last, self.port), TIMEOUT)
