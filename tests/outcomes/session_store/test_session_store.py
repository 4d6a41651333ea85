"""The session store over HTTP: stored values, valid keys, and what agents cannot do."""

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.models import Finding
from outcomes.session_store.domain import LARGEST_NUMBER, LARGEST_VALUE, LONGEST_KEY
from tests import builders
from tests.examples import with_a_database

KEYS = [
    "s:a:attempts",
    "s:a:tool:read file",
    "s:büro/日本 🙂:consec_fail",
    "s:a:workflow:deploy:state",
    "with?question#hash&and%25percent",
    "line\nbreak",
    "/slash first",
    "ends with/increment",
    "batch",
    "increment",
    "é" * 10_000,
]


class Store:
    """The session store as one agent uses it."""

    def __init__(self, key: str, prefix: str = "/v1") -> None:
        self.client = builders.bearing(key)
        self.base = f"{prefix}/sessions"

    def ask(self, method, key, body=None, *, safe=""):
        text = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        path = f"{self.base}/{quote(key, safe=safe)}"
        response = self.client.generic(method, path, text or b"", content_type="application/json")
        assert response["Content-Type"] == "application/json"
        answer = response.json()
        assert isinstance(answer, dict)
        return response.status_code, answer

    def value(self, key):
        status, answer = self.ask("GET", key)
        return answer["value"] if status == 200 else status

    def put(self, key, value):
        return self.ask("PUT", key, {"value": value})[0]

    def delete(self, key):
        return self.ask("DELETE", key)[0]

    def increment(self, key, amount=1):
        status, answer = self.ask("POST", f"{key}/increment", {"amount": amount})
        return answer["value"] if status == 200 else status

    def batch(self, *keys):
        status, answer = self.ask("POST", "batch", {"keys": keys})
        assert status == 200, answer
        return answer["values"]


@pytest.fixture
def store(project):
    return Store(builders.a_key(project)[0])


@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_any_form_can_be_incremented_read_set_and_read_in_a_batch(store, key):
    assert store.value(key) == 404
    assert store.increment(key) == 1
    assert store.increment(key, 2) == 3
    assert store.value(key) == "3"
    assert store.put(key, "7") == 200
    assert store.batch(key, "absent") == {key: "7"}


@with_a_database(25)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_text_is_a_valid_key_and_value(store, text):
    key = f"free {text}"
    assert store.put(key, text) == 200
    assert store.value(key) == text
    assert store.batch(key) == {key: text}


def test_an_escaped_colon_equals_a_plain_one(store):
    store.ask("POST", "s:a:attempts/increment", {"amount": 1}, safe=":/")
    store.ask("POST", "s:a:attempts/increment", {"amount": 1}, safe="")
    assert store.value("s:a:attempts") == "2"


def test_both_url_prefixes_share_one_store(project):
    key = builders.a_key(project)[0]
    Store(key, "/v1").increment("s:a:attempts")
    assert Store(key, "/api/v1").increment("s:a:attempts") == 2


def test_keys_are_separated_by_project_and_environment(project):
    ours, staging = (
        Store(builders.a_key(project, env=env)[0]) for env in ("production", "staging")
    )
    theirs = Store(builders.a_key(builders.a_project())[0])
    assert ours.increment("s:a:attempts", 5) == 5
    assert staging.value("s:a:attempts") == theirs.value("s:a:attempts") == 404
    assert theirs.increment("s:a:attempts") == staging.increment("s:a:attempts") == 1


def test_two_keys_of_one_environment_share_their_counters(project):
    for expected in (1, 2):
        assert Store(builders.a_key(project)[0]).increment("s:a:attempts") == expected


def test_a_value_is_stored_unchanged(store):
    for value in ("", "007", "3.0", "-0", "+1", "NUL \0 inside", "ü" * 200_000):
        assert store.put("s:a:workflow:w:state", value) == 200
        assert store.value("s:a:workflow:w:state") == value


def test_a_value_of_a_mebibyte_is_stored_and_a_larger_one_is_rejected(store):
    assert store.put("free", "x" * LARGEST_VALUE) == 200
    assert store.ask("PUT", "free", {"value": "ü" * (LARGEST_VALUE // 2 + 1)}) == (
        413,
        {"code": "too_large", "detail": "A value has at most 1,048,576 bytes.", "errors": []},
    )
    assert len(store.value("free")) == LARGEST_VALUE


def test_a_counter_set_to_zero_can_be_incremented(store):
    store.put("s:a:consec_fail", "0")
    assert store.increment("s:a:consec_fail") == 1


def test_an_unprotected_counter_can_be_decremented_and_fractional(store):
    assert store.increment("budget", 10) == 10
    assert store.increment("budget", -2.5) == 7.5
    assert store.value("budget") == "7.5"
    assert store.increment("budget", 0.5) == 8
    assert store.value("budget") == "8"
    assert store.increment("budget", 1.0) == 9
    assert store.value("budget") == "9"


def test_text_cannot_be_incremented(store):
    store.put("free", "words")
    assert store.increment("free") == 409
    assert store.value("free") == "words"


def test_a_counter_is_limited_to_integers_clients_can_read(store):
    assert store.put("s:a:attempts", str(LARGEST_NUMBER)) == 200
    assert store.increment("s:a:attempts") == 422
    assert store.increment("free", LARGEST_NUMBER + 1) == 422
    assert store.increment("free", 10**30) == 422
    assert store.value("s:a:attempts") == str(LARGEST_NUMBER)


@pytest.mark.parametrize("key", ["s:a:attempts", "s:a:execs", "s:a:tool:x"])
def test_an_agent_can_neither_lower_nor_remove_a_counter_that_limits_compare(store, project, key):
    assert store.increment(key, 5) == 5
    assert store.put(key, "4") == store.delete(key) == 403
    assert store.put(key, "-1") == 403
    assert store.put(key, "words") == 422
    for amount in (0, -1, 0.5):
        assert store.increment(key, amount) == 422
    assert store.value(key) == "5"
    assert store.put(key, "5") == store.put(key, "6") == 200
    assert store.value(key) == "6"
    finding = Finding.objects.get(project=project)
    assert key in finding.subject
    assert finding.environment == "production"


@pytest.mark.parametrize(("name", "agent"), [("bot", "`bot`"), ("", "An agent")])
def test_an_attempt_to_lower_a_counter_names_the_agent(store, project, name, agent):
    store.increment("s:a:execs")
    headers = {"X-Edictum-Agent-Id": name} if name else {}
    assert store.client.delete("/v1/sessions/s:a:execs", headers=headers).status_code == 403
    alert = Finding.objects.get(project=project)
    assert alert.title == f"{agent} tried to lower the protected counter `s:a:execs`"
    assert "It tried to remove it, with the key" in alert.why


def test_a_missing_key_cannot_be_removed(store):
    for key in ("s:a:attempts", "free"):
        assert store.delete(key) == 404
    assert not Finding.objects.exists()


def test_an_agent_can_remove_its_consecutive_failure_counter(store):
    assert store.increment("s:a:consec_fail") == 1
    assert store.delete("s:a:consec_fail") == 200
    assert store.value("s:a:consec_fail") == 404
    assert store.increment("s:a:consec_fail") == 1


@pytest.mark.parametrize(
    ("method", "key", "body", "status"),
    [
        ("PUT", "free", {"value": 3}, 422),
        ("PUT", "free", {}, 422),
        ("PUT", "free", b"", 400),
        ("PUT", "free", b'{"value": "\\ud800"}', 400),
        ("POST", "free/increment", {"amount": "1"}, 422),
        ("POST", "free/increment", {"amount": True}, 422),
        ("POST", "free/increment", b'{"amount": NaN}', 400),
        ("POST", "free/increment", b'{"amount": 1e999}', 422),
        ("POST", "batch", {"keys": "free"}, 422),
        ("POST", "batch", {"keys": ["k"] * 1_001}, 413),
        ("POST", "free", {}, 405),
        ("PATCH", "free", {}, 405),
        ("GET", "k" * (LONGEST_KEY + 1), None, 422),
        ("GET", "nul \0", None, 422),
    ],
)
def test_an_invalid_request_is_rejected_and_changes_nothing(store, method, key, body, status):
    assert store.put("free", "1") == 200
    answered, answer = store.ask(method, key, body)
    assert answered == status, answer
    assert set(answer) == {"code", "detail", "errors"}
    assert store.value("free") == "1"


def test_long_keys_that_differ_only_at_the_end_are_distinct(store):
    first, second = "s:a:tool:" + "x" * 10_000, "s:a:tool:" + "x" * 9_999 + "y"
    assert store.increment(first) == store.increment(second) == 1
    assert store.batch(first, second) == {first: "1", second: "1"}


def test_a_key_bound_to_other_agents_cannot_count_for_this_one(project):
    store = Store(builders.a_key(project, agent="billing-*")[0])
    store.client = builders.bearing(
        builders.a_key(project, agent="billing-*")[0], **{"X-Edictum-Agent-Id": "bot"}
    )
    assert store.increment("s:a:attempts") == 403


@pytest.mark.parametrize("key", ["s:a/b:attempts", "s:a\nb:attempts", "s:a\n:attempts\n:execs"])
def test_the_api_framework_responds_like_the_fast_path(store, project, settings, key):
    """The fast path normally handles these requests. Without it the API routes do."""
    settings.ROOT_URLCONF = "tests.outcomes.only_the_api"
    assert store.increment(key) == 1
    assert store.value(key) == "1"
    assert store.batch(key) == {key: "1"}
    assert store.put(key, "0") == store.delete(key) == 403
    assert store.put("free", "x") == store.delete("free") == 200
