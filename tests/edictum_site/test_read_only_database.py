"""A read-only database, such as a standby after a failover: senders are asked to retry, and nothing
is stored twice or lost."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.urls import reverse

from governance.core.roles import Role
from governance.people import auth
from outcomes.models import Batch, StoredValue
from tests import builders
from tests.edictum_site.test_session_store_away import HERE, incremented
from tests.items import an_outcome
from tests.outcomes.posting import settle

pytestmark = pytest.mark.django_db(transaction=True)

POSTS = [
    ("/v1/outcomes", {"outcomes": [an_outcome("c")]}),
    ("/v1/events", {"events": [{"call_id": "c", "action": "call_executed", "tool_name": "t"}]}),
    ("/api/v1/audit/ingest", {"events": [{"call_id": "c", "action": "call_executed"}]}),
    (HERE, {"amount": 1}),
    ("/v1/approvals", {"tool_name": "t", "tool_args": {}, "message": "m"}),
    ("/v1/skill-scan", {"agent_id": "a", "findings": []}),
]


@contextmanager
def read_only() -> Iterator[None]:
    """Make every new session read-only. Sessions opened meanwhile stay read-only afterwards: the
    product has to close them."""
    connection.close()
    _switch("on")
    try:
        yield
    finally:
        _switch("off")


def _switch(value: str) -> None:
    if connection.vendor == "sqlite":
        connection.close()
        pragma = f"PRAGMA query_only = {value}"
        command = connection.settings_dict["OPTIONS"]["init_command"]
        original = command.partition(" PRAGMA query_only")[0]
        connection.settings_dict["OPTIONS"]["init_command"] = f"{original} {pragma};"
        return
    name = connection.ops.quote_name(str(connection.settings_dict["NAME"]))
    with connection.get_new_connection(connection.get_connection_params()) as other:
        other.autocommit = True
        other.execute("SET default_transaction_read_only = off")
        other.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")


@pytest.fixture
def key() -> str:
    return builders.a_key(builders.a_project(), "agent", "ingest", "manage")[0]


@pytest.mark.parametrize(("path", "body"), POSTS, ids=[path for path, _ in POSTS])
def test_a_post_to_a_read_only_database_gets_503_with_retry_after(
    key: str, path: str, body: object
):
    agent = builders.bearing(key)
    with read_only():
        refused = agent.post(path, body, content_type="application/json")
        assert (refused.status_code, refused.json()["code"]) == (503, "database_unavailable")
        assert refused.headers["Retry-After"] == "1"
    answer = agent.post(path, body, content_type="application/json")
    assert answer.status_code in {200, 201, 202}, answer.content


@pytest.mark.parametrize("times", [1, 3])
def test_an_increment_on_a_read_only_database_gets_503_with_retry_after(key: str, times: int):
    agent = builders.bearing(key)
    assert agent.post(HERE, '{"amount": 1}', content_type="application/json").status_code == 200
    with read_only():
        assert auth.resolve_key(f"Bearer {key}")
        refused = asyncio.run(incremented(key, times))
    for status, headers, body in refused:
        assert (status, body["code"]) == (503, "database_unavailable")
        assert headers[b"retry-after"] == b"1"
    assert StoredValue.objects.get().number == 1


def test_batches_do_not_fail_while_the_database_is_read_only(key: str):
    agent = builders.bearing(key)
    agent.post("/v1/outcomes", {"outcomes": [an_outcome("c")]}, content_type="application/json")
    with read_only():
        for _ in range(5):
            with pytest.raises(Exception, match=r"read-?only"):
                settle()
    batch = Batch.objects.get()
    assert (batch.tries, batch.set_aside_at, batch.error) == (0, None, "")
    settle()
    assert not Batch.objects.exists()


def test_pages_can_write_once_the_database_is_writable_again():
    project = builders.a_project()
    client = builders.signed_in(builders.a_member(project, Role.ADMIN).user)
    client.raise_request_exception = False
    form = {"name": "a key", "environment": "production", "scopes": ["read"]}
    address = reverse("governance:new_key", args=[project.slug])
    with read_only():
        assert client.post(address, form).status_code in {500, 503}
    assert client.post(address, form).status_code in {200, 302}
