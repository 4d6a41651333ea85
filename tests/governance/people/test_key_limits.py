"""Networks and per-minute limits of a key, and keys sent as data."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from governance import broker
from governance.core.actor import CONSOLE
from governance.core.errors import InvalidInput
from governance.models import Finding
from governance.people.auth import limits as key_limits
from governance.people.commands.keys import KeyLimits, limit_key
from governance.people.domain import hint_of, is_within, network_of, new_key, without_keys
from outcomes.models import Batch, RejectedItem
from outcomes.record import codec
from tests import builders
from tests.embedded_redis import running_redis
from tests.items import an_outcome


@pytest.fixture
def counted(settings, monkeypatch, tmp_path) -> Iterator[None]:
    """Rate limits enabled, in a minute with 20 seconds left."""
    monkeypatch.setattr(broker, "_silent_until", 0.0)
    monkeypatch.setattr(key_limits, "_clock", lambda: 1_800_000_040.0)
    with running_redis(tmp_path) as settings.REDIS_URL:
        yield


def limited(project, **limits: Any) -> Client:
    text, key = builders.a_key(project, "agent")
    limit_key(key, KeyLimits(**limits), by=CONSOLE)
    return builders.bearing(text)


def post(client: Client, items: int, **headers: Any):
    body = {"outcomes": [an_outcome() for _ in range(items)]}
    return client.post("/v1/outcomes", body, content_type="application/json", **headers)


@pytest.mark.parametrize(
    ("address", "networks", "within"),
    [
        ("10.1.2.3", [], True),
        ("10.1.2.3", ["10.0.0.0/8"], True),
        ("11.1.2.3", ["10.0.0.0/8", "192.0.2.7/32"], False),
        ("192.0.2.7", ["10.0.0.0/8", "192.0.2.7/32"], True),
        ("::ffff:10.1.2.3", ["10.0.0.0/8"], True),
        ("2001:db8::1", ["2001:db8::/32"], True),
        ("2001:db8::1", ["10.0.0.0/8"], False),
        ("", ["10.0.0.0/8"], False),
        ("unix", ["0.0.0.0/0"], False),
    ],
)
def test_an_address_is_within_its_networks(address, networks, within):
    assert is_within(address, networks) is within


def test_a_network_is_written_in_cidr_form():
    assert network_of(" 10.1.2.3/8 ") == "10.0.0.0/8"
    assert network_of("192.0.2.7") == "192.0.2.7/32"
    with pytest.raises(ValueError, match="33"):
        network_of("10.0.0.0/33")


def test_a_key_works_only_from_its_networks(project):
    client = limited(project, networks=["10.0.0.0/8"])
    assert post(client, 1, REMOTE_ADDR="10.9.9.9").status_code == 202
    refused = post(client, 1, REMOTE_ADDR="192.0.2.7")
    assert (refused.status_code, refused.json()["code"]) == (403, "network")
    assert "192.0.2.7" in refused.json()["detail"]
    assert Batch.objects.count() == 1


def test_an_invalid_network_names_its_field(project):
    with pytest.raises(InvalidInput, match="CIDR") as error:
        limited(project, networks=["office"])
    assert error.value.errors[0].path == "networks"


@pytest.mark.parametrize("limit", [0, -1, 10**9])
def test_a_limit_is_positive_and_bounded(project, limit):
    with pytest.raises(InvalidInput):
        limited(project, items_per_minute=limit)


@pytest.mark.usefixtures("counted")
def test_requests_over_the_limit_are_429_with_retry_after(project):
    client = limited(project, requests_per_minute=2)
    first, second, third = (post(client, 1) for _ in range(3))
    assert [first.status_code, second.status_code, third.status_code] == [202, 202, 429]
    assert first["RateLimit-Limit"] == "2"
    assert [first["RateLimit-Remaining"], second["RateLimit-Remaining"]] == ["1", "0"]
    assert first["RateLimit-Reset"] == third["Retry-After"] == "20"
    assert third.json()["code"] == "rate_limited"
    assert Batch.objects.count() == 2


@pytest.mark.usefixtures("counted")
def test_a_post_over_the_item_limit_is_rejected_completely_and_not_counted(project):
    client = limited(project, items_per_minute=10)
    assert post(client, 6).status_code == 202
    refused = post(client, 5)
    assert (refused.status_code, refused["Retry-After"]) == (429, "20")
    fitting = post(client, 4)
    assert fitting.status_code == 202
    assert fitting["RateLimit-Remaining-Items"] == "0"


@pytest.mark.usefixtures("counted")
def test_a_post_larger_than_the_item_limit_is_429_with_advice(project):
    refused = post(limited(project, items_per_minute=10), 11)
    assert refused.status_code == 429
    assert "Send smaller posts" in refused.json()["detail"]


@pytest.mark.usefixtures("counted")
def test_the_limit_resets_each_minute(project, monkeypatch):
    client = limited(project, requests_per_minute=1)
    assert post(client, 1).status_code == 202
    assert post(client, 1).status_code == 429
    monkeypatch.setattr(key_limits, "_clock", lambda: 1_800_000_061.0)
    assert post(client, 1).status_code == 202


@pytest.mark.usefixtures("counted")
def test_session_store_requests_are_not_rate_limited(project):
    client = limited(project, requests_per_minute=1)
    for expected in (1, 2, 3):
        answer = client.post(
            "/v1/sessions/s:s-1:attempts/increment", {}, content_type="application/json"
        )
        assert answer.json()["value"] == expected


def test_without_redis_no_limit_applies(project, settings, monkeypatch, tmp_path):
    monkeypatch.setattr(broker, "_silent_until", 0.0)
    settings.REDIS_URL = f"unix://{tmp_path / 'none'}"
    client = limited(project, requests_per_minute=1)
    assert [post(client, 1).status_code for _ in range(3)] == [202] * 3


def test_limits_and_rotation_are_available_over_the_api(project):
    manager = builders.bearing(builders.a_key(project, "manage")[0])
    _, key = builders.a_key(project, "agent")
    limits = {"networks": ["10.1.1.1/8"], "requests_per_minute": 600, "items_per_minute": None}
    changed = manager.put(f"/v1/keys/{key.pk}/limits", limits, content_type="application/json")
    assert changed.status_code == 200
    assert changed.json()["networks"] == ["10.0.0.0/8"]
    assert changed.json()["requests_per_minute"] == 600
    rotated = manager.post(f"/v1/keys/{key.pk}/rotations", {}, content_type="application/json")
    assert rotated.status_code == 201
    assert rotated.json()["key"].startswith("edk_production_")
    assert rotated.json()["previous_until"]
    ended = manager.delete(f"/v1/keys/{key.pk}/previous-value")
    assert ended.json()["previous_until"] < rotated.json()["previous_until"]


def test_a_key_in_a_text_is_replaced_by_its_hint():
    key = new_key("dev_eu")
    content, keys = without_keys(f'{{"a": "use {key}, {key}"}}'.encode())
    assert keys == [key]
    assert content.decode() == f'{{"a": "use {hint_of(key)}, {hint_of(key)}"}}'
    assert without_keys(content) == (content, [])


def test_a_key_sent_as_data_is_masked_and_reported(project):
    leaked, row = builders.a_key(project, "agent")
    text, _ = builders.a_key(project, "agent")
    outcome = an_outcome(output={"env": f"KEY={leaked}"}, error=leaked)
    answer = builders.bearing(text).post(
        "/v1/outcomes", {"outcomes": [outcome, leaked]}, content_type="application/json"
    )
    assert answer.json()["accepted"] == 1
    stored = b"".join(codec.unpack_batch(bytes(Batch.objects.get().body)))
    assert leaked.encode() not in stored
    assert hint_of(leaked).encode() in stored
    finding = Finding.objects.get(kind="key_sent_as_data")
    assert finding.severity == "error"
    assert finding.link.endswith(f"/keys/{row.pk}/rotate/")
    assert row.name in finding.why
    assert leaked not in f"{finding.title}{finding.why}{finding.subject}"
    assert leaked.encode() not in bytes(RejectedItem.objects.get().excerpt)


def test_a_key_of_another_project_is_masked_without_naming_it(project):
    foreign, row = builders.a_key(builders.a_project("other"), "agent")
    text, _ = builders.a_key(project, "agent")
    post_client = builders.bearing(text)
    body = {"outcomes": [an_outcome(output=foreign)]}
    post_client.post("/v1/outcomes", body, content_type="application/json")
    finding = Finding.objects.get(kind="key_sent_as_data")
    assert finding.severity == "warning"
    assert row.name not in finding.why
