"""Outbound requests: to public addresses, and to private ones only if allowed."""

import socket

import pytest

from governance.outbound import NotSent, post
from tests.governance.outbound.receiving import receiver


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104 - refused
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ],
)
def test_addresses_that_are_not_public_are_rejected(address, monkeypatch, settings):
    settings.OUTBOUND_NETWORKS = []
    resolving_to(monkeypatch, "93.184.215.14", address)
    with pytest.raises(NotSent, match="which is not public"):
        post("https://siem.example/", b"", {})


def resolving_to(monkeypatch, *addresses: str) -> list[str]:
    names: list[str] = []

    def getaddrinfo(host: str, port: int, **_: object) -> list[object]:
        names.append(host)
        return [(None, None, None, "", (each, port)) for each in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return names


@pytest.mark.parametrize(
    "url",
    [
        "ftp://siem.example/",
        "https://",
        "https://user:pass@siem.example/",
        "https://siem.example/a b",
        "https://siem.example:99999/",
        "https://sïem.example/",
        "file:///etc/passwd",
        "https://siem.example/\r\nHost: x",
    ],
)
def test_urls_other_than_https_are_rejected(url):
    with pytest.raises(NotSent):
        post(url, b"", {})


def test_plain_http_is_allowed_only_to_allowed_networks(monkeypatch, settings):
    settings.OUTBOUND_NETWORKS = []
    resolving_to(monkeypatch, "93.184.215.14")
    with pytest.raises(NotSent, match="Use https"):
        post("http://siem.example/", b"", {})


def test_a_host_is_resolved_once_and_the_checked_address_is_used(monkeypatch, settings):
    settings.OUTBOUND_NETWORKS = ["127.0.0.0/8"]
    with receiver() as at:
        names = resolving_to(monkeypatch, "127.0.0.1")
        opened: list[str] = []

        def connect(address: tuple[str, int], timeout: float) -> socket.socket:
            opened.append(address[0])
            connection = socket.socket()
            connection.settimeout(timeout)
            connection.connect(address)
            return connection

        monkeypatch.setattr(socket, "create_connection", connect)
        answer = post(f"http://siem.example:{at.port}/in?a=1", b"body", {"X-Test": "1"})
    assert (answer.status, names, opened) == (200, ["siem.example"], ["127.0.0.1"])
    ((path, headers, body),) = at.requests
    assert (path, body, headers["Host"]) == ("/in?a=1", b"body", f"siem.example:{at.port}")


def test_a_redirect_is_not_followed(settings):
    settings.OUTBOUND_NETWORKS = ["127.0.0.0/8"]
    with receiver(status=302) as at:
        assert post(at.url, b"", {}).status == 302
    assert len(at.requests) == 1


def test_an_unresponsive_address_is_reported(settings):
    settings.OUTBOUND_NETWORKS = ["127.0.0.0/8"]
    with receiver() as at:
        pass
    with pytest.raises(NotSent, match="did not answer"):
        post(at.url, b"", {})
