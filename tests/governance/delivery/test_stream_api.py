"""The door to the stream: what agents ask for, as each SDK writes it, and who is refused how."""

import json
from typing import Any

import pytest

from governance.alerts.queries import open_alerts
from governance.delivery.api.stream import REQUEST
from governance.texts.dialect import Dialect
from tests import builders
from tests.governance.serving import an_agent


def asking(client, query=None, path="/v1/stream", **headers) -> tuple[Any, Any]:
    """The answer, and what the front would be told."""
    memory: dict[str, Any] = {}
    response = client.get(path, query, headers=headers, **{"edictum.memory": memory})
    return response, memory.get(REQUEST)


def test_python_names_its_bundle_its_revision_and_its_tags(project):
    query = {
        "env": "production",
        "bundle_name": "billing",
        "policy_version": "A" * 64,
        "tags": json.dumps({"team": "pay"}),
    }
    response, body = asking(an_agent(project), query)
    assert response.headers["X-Edictum-Stream"] == "1"
    assert (body.agent, body.bundle, body.revision) == ("bot", "billing", "a" * 64)
    assert (body.tags, body.watches, body.dialect) == ({"team": "pay"}, False, Dialect.NEW)
    assert body.place.project_id == project.pk


def test_who_names_no_bundle_wants_its_assignment_and_who_asks_nothing_watches(project):
    _, assigned = asking(an_agent(project), {"env": "production"})
    _, watching = asking(an_agent(project))
    assert (assigned.bundle, assigned.watches) == ("", False)
    assert (watching.bundle, watching.watches) == ("", True)


@pytest.mark.parametrize(
    ("path", "setting", "dialect"),
    [
        ("/v1/stream", "", Dialect.NEW),
        ("/api/v1/stream", "", Dialect.OLD),
        ("/api/v1/stream", "new", Dialect.NEW),
        ("/v1/stream", "old", Dialect.OLD),
    ],
)
def test_the_dialect_is_the_keys_or_else_the_prefixs(project, path, setting, dialect):
    assert asking(an_agent(project, dialect=setting), path=path)[1].dialect == dialect


def test_an_agent_without_a_name_is_unknown_and_what_nobody_knows_is_ignored(project):
    assert asking(an_agent(project, ""), {"shape": "round"})[1].agent == "unknown"


@pytest.mark.parametrize("path", ["/v1/stream", "/api/v1/stream"])
def test_refusals_are_json_and_no_stream(project, client, path):
    ingest = builders.bearing(builders.a_key(project, "ingest")[0])
    manage = builders.bearing(builders.a_key(project, "manage")[0])
    bound = an_agent(project, "", agent="bot-*")
    for status, code, response in (
        (401, "unauthenticated", client.get(path)),
        (401, "unauthenticated", builders.bearing("edk_production_" + "x" * 40).get(path)),
        (403, "scope", ingest.get(path)),
        (403, "scope", manage.get(path)),
        (403, "environment", an_agent(project).get(path, {"env": "staging"})),
        (403, "agent", bound.get(path, headers={"X-Edictum-Agent-Id": "other"})),
        (403, "agent", bound.get(path)),
        (422, "invalid", an_agent(project).get(path, {"tags": "[1]"})),
        (422, "invalid", an_agent(project).get(path, {"tags": '{"a": 1}'})),
        (422, "invalid", an_agent(project).get(path, {"tags": "[" * 90_000})),
        (422, "invalid", an_agent(project).get(path, {"bundle_name": "x" * 129})),
        (422, "invalid", an_agent(project).get(path, {"bundle_name": "a\0"})),
        (405, "method_not_allowed", an_agent(project).post(path)),
        (409, "no_stream", an_agent(project).head(path)),  # as who asks for all is answered
    ):
        assert response.status_code == status, response.text
        assert response.headers["Content-Type"] == "application/json"
        if response.request["REQUEST_METHOD"] != "HEAD":
            assert response.json()["code"] == code


def test_without_the_front_nobody_is_promised_a_stream(project):
    response = an_agent(project).get("/v1/stream")
    assert (response.status_code, response.json()["code"]) == (409, "no_stream")


def test_a_manage_key_that_holds_a_stream_needs_attention(project):
    asking(an_agent(project))
    assert open_alerts(project) == []
    text, key = builders.a_key(project, "agent", "manage")
    asking(builders.bearing(text, **{"X-Edictum-Agent-Id": "bot"}))
    (finding,) = open_alerts(project)
    assert finding.subject == f"{key.name} (key {key.pk})"
    assert finding.title == f"`bot` uses the manage key `{key.name}`"
