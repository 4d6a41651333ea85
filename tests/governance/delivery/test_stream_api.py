"""The stream endpoint: requests as each SDK sends them, and rejections."""

import json
from typing import Any

import pytest

from governance.alerts.queries import open_alerts
from governance.delivery.api.stream import REQUEST
from governance.texts.dialect import Dialect
from tests import builders
from tests.governance.serving import an_agent


def asking(client, query=None, path="/v1/stream", **headers) -> tuple[Any, Any]:
    """The response, and the request that it passes to the front."""
    memory: dict[str, Any] = {}
    response = client.get(path, query, headers=headers, **{"edictum.memory": memory})
    return response, memory.get(REQUEST)


def test_a_python_client_sends_its_contract_revision_and_tags(project):
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


def test_a_stream_without_a_contract_follows_assignments_and_without_a_query_watches(project):
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
def test_the_format_is_set_by_the_key_or_else_by_the_prefix(project, path, setting, dialect):
    assert asking(an_agent(project, dialect=setting), path=path)[1].dialect == dialect


def test_an_unnamed_agent_is_unknown_and_unknown_parameters_are_ignored(project):
    assert asking(an_agent(project, ""), {"shape": "round"})[1].agent == "unknown"


@pytest.mark.parametrize("path", ["/v1/stream", "/api/v1/stream"])
def test_rejected_stream_requests_return_json(project, client, path):
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
        (409, "no_stream", an_agent(project).head(path)),  # the same as a GET here
    ):
        assert response.status_code == status, response.text
        assert response.headers["Content-Type"] == "application/json"
        if response.request["REQUEST_METHOD"] != "HEAD":
            assert response.json()["code"] == code


def test_a_stream_request_without_the_front_process_is_409(project):
    response = an_agent(project).get("/v1/stream")
    assert (response.status_code, response.json()["code"]) == (409, "no_stream")


def test_a_manage_key_used_for_a_stream_opens_an_alert(project):
    asking(an_agent(project))
    assert open_alerts(project) == []
    text, key = builders.a_key(project, "agent", "manage")
    asking(builders.bearing(text, **{"X-Edictum-Agent-Id": "bot"}))
    (finding,) = open_alerts(project)
    assert finding.subject == f"{key.name} (key {key.pk})"
    assert finding.title == f"`bot` uses the manage key `{key.name}`"
