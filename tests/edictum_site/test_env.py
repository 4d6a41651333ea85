"""Environment variables: valid values are parsed, invalid ones are rejected by name."""

import re

import pytest

from edictum_site.env import (
    OF_OBJECT_STORES,
    SettingInvalid,
    broker_url,
    env_artifacts,
    env_bound,
    env_hosts,
    env_level,
    env_networks,
    env_origins,
    env_proxies,
    env_secret_files,
    env_url,
)

NAME = "EDICTUM_SITE_TRIED"


def test_a_log_level_is_case_insensitive_and_optional(monkeypatch):
    assert env_level(NAME) == "INFO"
    monkeypatch.setenv(NAME, "debug")
    assert env_level(NAME) == "DEBUG"
    monkeypatch.setenv(NAME, "loud")
    with pytest.raises(SettingInvalid, match=f"{NAME} must be one of DEBUG, INFO"):
        env_level(NAME)


def test_origins_are_comma_separated_and_have_a_scheme(monkeypatch):
    assert env_origins(NAME) == []
    monkeypatch.setenv(NAME, "https://a.example, http://b.example:8000,")
    assert env_origins(NAME) == ["https://a.example", "http://b.example:8000"]
    monkeypatch.setenv(NAME, "https://a.example,b.example")
    with pytest.raises(SettingInvalid, match="EDICTUM_SITE_TRIED must begin with https"):
        env_origins(NAME)


@pytest.mark.parametrize(
    ("written", "read"),
    [("", ""), ("*", "*"), ("10.0.0.7, fd00::/8,127.0.0.1", "10.0.0.7,fd00::/8,127.0.0.1")],
)
def test_proxies_are_addresses_and_networks_or_all(monkeypatch, written, read):
    monkeypatch.setenv(NAME, written)
    assert env_proxies(NAME) == read


@pytest.mark.parametrize("written", ["nonsense", "10.0.0.7;10.0.0.8", "10.0.0.7/8", "10.0.0.7,*"])
def test_an_invalid_proxy_is_rejected(monkeypatch, written):
    monkeypatch.setenv(NAME, written)
    with pytest.raises(SettingInvalid, match=f"{NAME} must name addresses or networks"):
        env_proxies(NAME)


def test_networks_are_written_in_cidr_form(monkeypatch):
    monkeypatch.setenv(NAME, "10.0.0.0/8, fd00::/8")
    assert env_networks(NAME) == ["10.0.0.0/8", "fd00::/8"]
    monkeypatch.setenv(NAME, "10.0.0.0/8, siem.example")
    with pytest.raises(SettingInvalid, match=r"not 'siem\.example'"):
        env_networks(NAME)


@pytest.mark.parametrize(
    "url", ["", "redis://here:6379/0", "rediss://:secret@here", "unix:///run/my%20redis.sock"]
)
def test_valid_broker_urls_are_accepted(monkeypatch, url):
    monkeypatch.setenv("REDIS_URL", url)
    assert broker_url() == url


@pytest.mark.parametrize("url", ["here:6379", "amqp://here", "redis://here:many"])
def test_an_invalid_broker_url_is_rejected(monkeypatch, url):
    monkeypatch.setenv("REDIS_URL", url)
    with pytest.raises(SettingInvalid, match="REDIS_URL "):
        broker_url()


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("", ""),
        ("https://console.example/", "https://console.example"),
        ("http://[fd00::1]:8000", "http://[fd00::1]:8000"),
    ],
)
def test_the_console_address_has_a_scheme_and_a_host(monkeypatch, written, read):
    monkeypatch.setenv(NAME, written)
    assert env_url(NAME) == read


@pytest.mark.parametrize(
    "written",
    ["console.example", "ftp://here", "https://", "https://a.example/site", "https://u@a.example"],
)
def test_an_invalid_console_address_is_rejected(monkeypatch, written):
    monkeypatch.setenv(NAME, written)
    with pytest.raises(SettingInvalid, match=f"{NAME} must be a scheme and a host"):
        env_url(NAME)


@pytest.mark.parametrize(
    ("written", "url", "listening", "also"),
    [
        ("", "", "", []),
        ("", "https://console.example:8443", "", ["console.example"]),
        ("", "http://[fd00::1]", "0.0.0.0", ["[fd00::1]"]),  # noqa: S104 - compared only
        (
            "b.example, .c.example",
            "https://a.example",
            "",
            ["a.example", "b.example", ".c.example"],
        ),
        ("*", "", "", ["*"]),
        ("", "", "10.0.0.7", ["10.0.0.7"]),
    ],
)
def test_only_listed_hosts_and_localhost_are_allowed(monkeypatch, written, url, listening, also):
    monkeypatch.setenv(NAME, written)
    monkeypatch.setenv("HOST", listening)
    assert env_hosts(NAME, url) == ["localhost", "127.0.0.1", "[::1]", *also]


def test_a_limit_is_an_integer_and_0_disables_it(monkeypatch):
    assert env_bound(NAME, 7) == 7
    monkeypatch.setenv(NAME, "0")
    assert env_bound(NAME, 7) == 0
    for written in ("-1", "2 GiB"):
        monkeypatch.setenv(NAME, written)
        with pytest.raises(SettingInvalid, match=f"{NAME} must be"):
            env_bound(NAME, 7)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("ftp://bucket", "must begin with one of file://, s3://, gs://, az://"),
        ("bucket", "must begin with one of"),
        ("s3://", "must name a bucket, such as s3://bucket/prefix"),
        ("file://srv/artifacts", "must name an absolute folder"),
        ("s3://me:secret@bucket", "must not contain credentials"),
        ("s3://bucket?acl=public", "has the unknown option 'acl'; known: endpoint and region"),
        ("gs://bucket?region=eu", "has the unknown option 'region'; known: none"),
    ],
)
def test_an_invalid_artifact_store_address_is_rejected(monkeypatch, address, reason):
    monkeypatch.setenv("EDICTUM_SITE_ARTIFACTS", address)
    with pytest.raises(SettingInvalid, match=f"^EDICTUM_SITE_ARTIFACTS {re.escape(reason)}") as why:
        env_artifacts()
    assert "secret" not in str(why.value)


@pytest.mark.parametrize("address", ["", "file:///srv/a", "s3://b", "gs://b/prefix", "az://b"])
def test_a_valid_artifact_store_address_is_accepted(monkeypatch, address):
    monkeypatch.setenv("EDICTUM_SITE_ARTIFACTS", address)
    assert env_artifacts() == address


def test_credentials_of_an_object_store_can_be_read_from_files(monkeypatch, tmp_path):
    (tmp_path / "secret").write_text("from a file\n")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY_FILE", str(tmp_path / "secret"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "read by the library itself")
    assert env_secret_files(OF_OBJECT_STORES) == {"AWS_SECRET_ACCESS_KEY": "from a file"}
