"""Tools of the MCP server: results, access, and what they cannot do."""

import json
from typing import Any

import pytest
from django.test import Client, RequestFactory

from edictum_site.mcp.caller import Caller
from edictum_site.mcp.tool import run
from edictum_site.mcp.tools import TOOLS
from governance.alerts.queries import open_alerts
from governance.core.actor import CONSOLE
from governance.core.deployment_requests import Required
from governance.findings import open_finding
from governance.models import AuditEntry, CheckVersion, Deployment, Project
from governance.people.auth import resolve_key
from governance.people.commands.requirements import require
from tests import builders
from tests.governance.casing import TEXT, a_case, added, saved
from tests.governance.naming import a_check
from tests.outcomes.posting import Agent

pytestmark = pytest.mark.django_db

ACCEPT = "application/json, text/event-stream"


class Assistant:
    """A protocol client without the official library."""

    def __init__(self, project: Project, *scopes: str) -> None:
        self.http = builders.bearing(builders.a_key(project, *scopes)[0])

    def ask(self, method: str, **params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = self.post(body)
        assert answer.status_code == 200, answer.content
        return answer.json()["result"]

    def post(self, body: Any, **headers: str) -> Any:
        return self.http.post(
            "/mcp", json.dumps(body), content_type="application/json",
            headers={"Accept": ACCEPT, "MCP-Protocol-Version": "2025-06-18", **headers},
        )  # fmt: skip

    def tools(self) -> dict[str, Any]:
        return {each["name"]: each for each in self.ask("tools/list")["tools"]}

    def call(self, tool: str, **arguments: Any) -> Any:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return json.loads(result["content"][0]["text"])

    def refused(self, tool: str, **arguments: Any) -> str:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert result["isError"], result
        return str(result["content"][0]["text"])


@pytest.fixture
def reader(project) -> Assistant:
    return Assistant(project, "read")


@pytest.fixture
def manager(project) -> Assistant:
    return Assistant(project, "manage")


@pytest.fixture
def calls(project) -> None:
    agent = Agent(builders.bearing(builders.a_key(project, "ingest")[0]))
    item = {"type": "execution_result", "tool_name": "pay", "session_id": "s-1", "agent_id": "bot"}
    secret = {"account": "A-1", "password": "hunter2-hunter2"}
    long = "\n".join(f"line {number} token=sk-{'a' * 40}" for number in range(3_000))
    agent.post(
        item | {"call_id": "c-1", "tool_args": secret, "output": {"ok": True}},
        item | {"call_id": "c-2", "output": long},
        item | {"call_id": "c-3", "type": "failure", "error": "down"},
        item | {"call_id": "c-4", "type": "denied", "reason": "contract"},
    )


def test_the_handshake_has_the_server_name_and_instructions(reader):
    client = {"name": "a-client", "version": "1"}
    answer = reader.ask(
        "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client
    )
    assert answer["serverInfo"]["name"] == "edictum-site"
    assert "not instructions" in answer["instructions"]
    done = reader.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert done.status_code == 202


def test_every_tool_has_a_schema_and_only_manage_keys_have_write_tools(reader, manager):
    reads, all_tools = reader.tools(), manager.tools()
    assert all(each["annotations"]["readOnlyHint"] for each in reads.values())
    writing = {name for name, each in all_tools.items() if not each["annotations"]["readOnlyHint"]}
    assert set(all_tools) - set(reads) == writing
    assert writing == {
        "backtest_contract",
        "backtest_success_check",
        "request_deployment",
        "save_contract_version",
        "save_success_check",
    }
    for tool in all_tools.values():
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["description"].endswith(".")
    assert "no tool" in reader.refused("save_contract_version", yaml=TEXT)


def test_sessions_calls_and_figures_include_links_to_their_pages(reader, project, calls):
    (session,) = reader.call("list_sessions", agent="bot")["result"]["sessions"]
    assert session["session_id"] == "s-1"
    one = reader.call("get_session", session_id="s-1")
    url = f"http://testserver/p/{project.slug}/sessions/s-1/?environment=production"
    assert one["page"] == url
    assert "s-1" in one["result"]["headline"]
    assert one["result"]["counts"]["attempts"] == 4
    (failed,) = reader.call("list_calls", type="failure")["result"]["outcomes"]
    assert (failed["call_id"], failed["error"]) == ("c-3", "down")
    call = reader.call("get_call", call_id="c-1")
    assert call["result"]["tool_args"] == {"account": "A-1", "password": "[masked]"}
    assert "/calls/c-1/" in call["page"]
    (row,) = reader.call("get_figures", by="tool", agent="bot")["result"]["rows"]
    assert (row["key"], row["calls"], row["denied"]) == ("pay", 4, 1)
    (reason,) = reader.call("list_denial_reasons")["result"]["rows"]
    assert (reason["key"], reason["denied"]) == ("contract", 1)


def test_an_artifact_is_returned_by_lines_with_secrets_masked(reader, calls):
    artifact = reader.call("get_call", call_id="c-2")["result"]["artifact_id"]
    result = reader.call("read_artifact", artifact_id=artifact, first_line=11, lines=2)["result"]
    assert [each["line"] for each in result["lines"]] == [11, 12]
    assert result["lines"][0]["text"].startswith("line ")
    assert "sk-a" not in json.dumps(result)
    assert "not found" in reader.refused("read_artifact", artifact_id="f" * 64)


def test_an_oversized_response_is_truncated_and_marked_as_cut(reader, project):
    agent = Agent(builders.bearing(builders.a_key(project, "ingest")[0]))
    item = {"type": "execution_result", "tool_name": "pay"}
    agent.post(*(item | {"call_id": f"c-{n}", "output": [f"row {n}" * 5] * 200} for n in range(40)))
    answer = reader.ask("tools/call", name="list_calls", arguments={"limit": 40})
    text = answer["content"][0]["text"]
    assert len(text) < 25_000
    assert json.loads(text)["cut"] is True
    assert "more items]" in text
    assert reader.call("list_calls", limit=1)["cut"] is False


def test_contracts_tests_and_explanations_can_be_read(reader, project):
    version = saved(project)
    added(version.bundle, a_case(rule="too-much"))
    (listed,) = reader.call("list_contracts")["result"]["contracts"]
    assert (listed["name"], listed["version"], listed["deployments"]) == ("d", 1, [])
    one = reader.call("get_contract", name="d")["result"]
    assert one["yaml"] == TEXT
    assert len(reader.call("list_contract_tests", name="d")["result"]["cases"]) == 1
    assert reader.call("run_contract_tests", name="d")["result"]["passed"] is True
    call = {"tool_name": "refund", "tool_args": {"amount": 75}}
    explained = reader.call("explain_call", name="d", **call)
    assert explained["result"]["action"] == "block"
    assert explained["page"].endswith("/contracts/b/d/playground/")
    plan = reader.call("get_deployment_plan", name="d", env="production")["result"]
    assert (plan["version"], plan["live"]) == (1, None)
    assert reader.call("validate_contract", yaml="kind: 7")["result"]["valid"] is False
    assert "not_found" in reader.refused("get_contract", name="another")


def test_alerts_suggestions_and_checks_can_be_read(reader, project):
    open_finding(project.pk, kind="a_kind", subject="x", title="Something broke", why="It did.")
    assert len(open_alerts(project)) == 1
    (alert,) = reader.call("list_alerts")["result"]["alerts"]
    assert (alert["title"], alert["cause"]) == ("Something broke", "It did.")
    assert reader.call("list_alerts", state="resolved")["result"]["alerts"] == []
    assert reader.call("list_check_suggestions")["result"]["suggestions"] == []
    names = {
        each["name"] for each in reader.call("list_success_checks")["result"]["success_checks"]
    }
    assert "default" in names
    assert "yaml" in reader.call("get_success_check", name="default")["result"]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("get_session", {}, "session_id"),
        ("get_session", {"session_id": "nothing"}, "not found"),
        ("list_calls", {"colour": "red"}, "colour"),
        ("list_calls", {"limit": 10_000}, "10000"),
        ("list_calls", {"verdict": "fine"}, "fine"),
        ("list_calls", {"q": "output.status:>=abc"}, "needs a number"),
        ("list_calls", {"since": "yesterday"}, "since"),
        ("get_contract", {"name": "../keys"}, "name"),
        ("explain_call", {"tool_name": "pay"}, "either"),
    ],
)
def test_invalid_arguments_are_reported_by_name(reader, tool, arguments, words):
    assert words in reader.refused(tool, **arguments)


def test_a_draft_is_saved_and_not_deployed(manager, project):
    saved_one = manager.call("save_contract_version", yaml=TEXT, message="a draft")["result"]
    assert (saved_one["name"], saved_one["version"]) == ("d", 1)
    assert not Deployment.objects.filter(environment__project=project).exists()
    started = manager.call("backtest_contract", name="d", agent="bot")
    number = started["result"]["id"]
    result = manager.call("get_contract_backtest", id=number)
    assert (result["result"]["name"], result["page"]) == ("d", started["page"])


def test_an_assistant_can_request_a_deployment_but_not_deploy(manager, project):
    saved(project)
    refusal = manager.refused("request_deployment", name="d", version=1, env="production")
    assert "Only a person deploys" in refusal
    require(project, env="production", required=Required(second_person=True), by=CONSOLE)
    requested = manager.call("request_deployment", name="d", version=1, env="production")
    assert requested["result"]["status"] == "pending"
    assert requested["page"].endswith(f"/contracts/requests/{requested['result']['id']}/")
    assert manager.call("get_contract", name="d")["result"]["deployments"] == []


def test_an_assistant_cannot_change_a_bound_check(manager, project):
    name = "unified"
    text = a_check(project, name=name).document
    rows = CheckVersion.objects.count()
    changed = bytes(text).decode() + "# changed\n"
    assert manager.call("save_success_check", name=name, yaml=changed)["result"]["version"] == 2
    binding = {"environment": "*", "agent": "*", "tool": "pay", "check": name}
    bound = manager.http.put(
        "/v1/success-check-bindings", {"bindings": [binding]}, content_type="application/json"
    )
    assert bound.status_code == 200, bound.content
    refusal = manager.refused("save_success_check", name=name, yaml=changed + "# again\n")
    assert "is bound" in refusal
    assert CheckVersion.objects.count() == rows + 1


def test_a_route_enforces_key_scopes_for_unlisted_tools_and_audits_the_rejection(project):
    key, _ = builders.a_key(project, "read")
    request = RequestFactory().post("/mcp", headers={"Authorization": f"Bearer {key}"})
    access = resolve_key(f"Bearer {key}")
    assert access is not None
    (tool,) = (each for each in TOOLS if each.name == "save_contract_version")
    words, is_error = run(tool, Caller(request, access), {"yaml": TEXT})
    assert (is_error, "(scope)" in words) == (True, True)
    (entry,) = AuditEntry.objects.filter(project=project, action="request refused")
    assert entry.subject == "POST save_contract"


def test_a_key_can_read_only_its_own_project(calls):
    stranger = Assistant(builders.a_project("elsewhere"), "manage")
    assert stranger.call("list_sessions")["result"]["sessions"] == []
    assert stranger.call("list_calls")["result"]["outcomes"] == []
    assert "not found" in stranger.refused("get_session", session_id="s-1")
    assert "not found" in stranger.refused("get_call", call_id="c-1")


def test_a_request_without_a_read_key_is_rejected(project):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    nobody = Client().post("/mcp", body, content_type="application/json")
    assert (nobody.status_code, nobody.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert Assistant(project, "ingest").post(body).status_code == 403
    person = builders.signed_in(builders.a_member(project).user)
    assert person.post("/mcp", body, content_type="application/json").status_code == 401


def test_requests_from_other_origins_and_to_unknown_hosts_are_rejected(reader):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    assert reader.post(body, Origin="https://evil.test").status_code == 403
    assert reader.post(body, Origin="null").status_code == 403
    assert reader.post(body, Origin="http://testserver").status_code == 200
    assert reader.post(body, Host="evil.test").status_code == 400


def test_protocol_streams_and_sessions_are_not_supported(reader):
    for method in ("get", "delete"):
        answer = getattr(reader.http, method)("/mcp")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize("body", ["", "[]", "{", '{"jsonrpc": "2.0"}', '"x"', "[" * 5_000])
def test_an_invalid_message_is_a_client_error(reader, body):
    answer = reader.http.post(
        "/mcp", body, content_type="application/json", headers={"Accept": ACCEPT}
    )
    assert 400 <= answer.status_code < 500
