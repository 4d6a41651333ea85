"""Downloads of the tables that are sections of a page, with the same rows as on the page."""

import csv
import html
import io
import json
import re

import pytest
from django.urls import reverse

from governance.checks.queries.checks import Origin, ours
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.delivery.commands.signing import rotate_signing_key
from governance.people.commands.keys import revoke_key
from governance.people.commands.people import invite
from outcomes.sessions.commands.saved_views import save_view
from tests import builders
from tests.governance.casing import a_case, added
from tests.governance.contracts.documents import document, pre
from tests.governance.deploying import a_request, live, saved
from tests.outcomes.backtests import backtested
from tests.outcomes.pages import a_denied_item, an_item
from tests.outcomes.rejudging import reclassified, tried
from tests.outcomes.silent_failures import a_suggestion

SESSION = (
    "{id: limits, type: session, limits: {max_tool_calls: 3}, then: {action: block, message: m}}"
)
RULES = document(pre("{args.command: {contains: rm}}", rule_id="no-rm"), SESSION)
LINK = re.compile(r'href="([^"]*[?;]format=(?:csv|json)[^"]*)" download')
SECTION = re.compile(r"<section.*?</section>", re.S)
ROW = re.compile(r"<tr(?! class=\"(?:sum|more))[^>]*>\s*<td(?! class=\"quiet-text\" colspan)")


@pytest.fixture
def client(client_as):
    client = client_as(Role.ADMIN)
    client.get("/")
    return client


def rows_at(client, address):
    answer = client.get(address)
    body = b"".join(answer.streaming_content).decode()
    if "format=csv" in address:
        return list(csv.DictReader(io.StringIO(body, newline="")))
    (rows,) = json.loads(body).values()
    return rows


def tables_of(client, address):
    """Rows of each table in the Export menu of a page, by table name."""
    page, path = client.get(address).content.decode(), address.partition("?")[0]
    offered = [html.unescape(url) for url in LINK.findall(page)]
    tables: dict[str, list[dict[str, str]]] = {}
    for url in sorted(each for each in offered if each.partition("?")[0] == path):
        name, rows = url.partition("table=")[2].partition("&")[0], rows_at(client, url)
        assert len(tables.setdefault(name, rows)) == len(rows), url
    longest = max(map(len, tables.values()), default=0)
    for card in SECTION.findall(page):
        assert len(ROW.findall(card)) <= longest, card
    return {name: rows for name, rows in tables.items() if rows}


def at(project, name, *args, **query):
    address = reverse(name, args=[project.slug, *args])
    return address + ("?" + "&".join(f"{key}={value}" for key, value in query.items()))


def test_settings_tables_can_be_downloaded(project, client):
    builders.a_key(project, "agent")
    invite(project, email="invited@example.test", role=Role.VIEWER, by=CONSOLE)
    for _ in range(2):  # the first rotation creates a key, the second retires it
        rotate_signing_key(project, by=CONSOLE)
    tables = tables_of(client, at(project, "governance:members"))
    assert [row["role"] for row in tables["members"]] == ["admin"]
    assert tables["invitations"][0]["email"] == "invited@example.test"
    (row,) = tables_of(client, at(project, "governance:environments"))["environments"]
    assert (row["environment"], row["second_person"]) == ("production", "false")
    assert tables_of(client, at(project, "governance:signing_key"))["retired-signing-keys"]


def test_ended_keys_can_be_downloaded_even_without_active_ones(project, client):
    _, key = builders.a_key(project, "agent")
    revoke_key(key, by=CONSOLE)
    tables = tables_of(client, at(project, "governance:keys"))
    assert [row["id"] for row in tables["ended-keys"]] == [str(key.pk)]
    _, another = builders.a_key(project, "agent")
    tables = tables_of(client, at(project, "governance:keys"))
    assert [row["id"] for row in tables["ended-keys"]] == [str(key.pk)]
    assert [row["id"] for row in tables[""]] == [str(another.pk), str(key.pk)]


def test_the_built_in_checks_offered_for_a_new_check_can_be_downloaded(project, client):
    rows = tables_of(client, at(project, "governance:new_check"))["shipped"]
    assert [row["name"] for row in rows] == [
        check.name for check in ours() if check.origin is Origin.SHIPPED
    ]


def test_bindings_and_uncovered_tools_can_be_downloaded(project, client, agent):
    agent.post(an_item(), an_item(), an_item(tool_name="fetch"))
    here = at(project, "outcomes:bindings_preview")
    tables = tables_of(client, here)
    (last,) = tables["lines"]
    assert (last["tool"], last["check"], last["calls"]) == ("*", "default", "3")
    assert [(row["tool_name"], row["calls"]) for row in tables["uncovered-tools"]] == [
        ("query", "2"),
        ("fetch", "1"),
    ]


def test_tables_of_a_contract_can_be_downloaded(project, client):
    version = live(saved(project, "first"))
    added(version.bundle, a_case(), a_case("another", amount=80))
    a_request(saved(project, "second"))
    here = at(project, "governance:contract", version.bundle.name)
    tables = tables_of(client, here)
    assert [row["version"] for row in tables["versions"]] == ["2", "1"]
    assert [row["environment"] for row in tables["live"]] == ["production"]
    rows = tables_of(client, at(project, "governance:cases", version.bundle.name))["tests"]
    assert {row["name"]: row["passed"] for row in rows} == {
        "75 is denied": "true",
        "another": "true",
    }
    (request,) = tables_of(client, at(project, "governance:requests"))["waiting-requests"]
    assert (request["version"], request["status"]) == ("2", "pending")
    audit = tables_of(client, at(project, "governance:contract_audit", version.bundle.name))[""]
    assert (audit[-1]["action"], audit[-1]["subject"]) == ("contract saved", "d v1")


def test_tables_of_an_agent_and_a_tool_can_be_downloaded(project, client, agent):
    agent.post(an_item(), an_item(tool_name="fetch", output="Error: no"), a_denied_item())
    (rows,) = tables_of(client, at(project, "outcomes:agent_activity", of="bot")).values()
    assert {(row["tool_name"], row["calls"]) for row in rows} == {("query", "2"), ("fetch", "1")}
    shapes = tables_of(client, at(project, "outcomes:tool_results", of="query"))["shapes"]
    assert [row["results"] for row in shapes] == ["1"]
    tables = tables_of(client, at(project, "outcomes:overview"))
    assert tables["tools"][0]["tool_name"] == "fetch"


def test_tables_of_a_comparison_and_of_child_sessions_can_be_downloaded(project, client, agent):
    agent.post(
        an_item(),
        an_item("s-2", parent_session_id="s-1"),
        an_item("s-2", parent_session_id="s-1", tool_name="fetch"),
    )
    chosen_from = tables_of(client, at(project, "outcomes:compare_sessions", of="s-1"))
    assert [row["session_id"] for row in chosen_from["other-sessions"]] == ["s-2"]
    tables = tables_of(
        client, at(project, "outcomes:compare_sessions", of="s-1", **{"with": "s-2"})
    )
    assert [row["tool_name"] for row in tables["tools"]] == ["fetch", "query"]
    (child,) = tables_of(client, at(project, "outcomes:session", "s-1"))["children"]
    assert (child["session_id"], child["attempts"]) == ("s-2", "2")


def test_calls_referring_to_an_artifact_can_be_downloaded(project, client, agent):
    output = "x" * 12_000
    agent.post(an_item(output=output), an_item("s-2", output=output))
    name = rows_at(client, at(project, "outcomes:artifacts", format="csv"))[0]["artifact_id"]
    tables = tables_of(client, at(project, "outcomes:artifact", name))
    assert {row["session_id"] for row in tables["referring"]} == {"s-1", "s-2"}


def test_tables_of_a_backtest_can_be_downloaded(project, client, agent):
    agent.post(
        *(
            an_item(tool_name="shell", tool_args={"command": command}, call_id=f"c-{number}")
            for number, command in enumerate(["ls", "rm -r", "ls", "ls", "ls", "rm x"])
        )
    )
    backtest = backtested(project, RULES)
    page = tables_of(client, at(project, "outcomes:backtest", backtest.pk))
    assert {row["name"]: row["newly_denied"] for row in page["by-rule"]}["no-rm"] == "2"
    assert page["by-tool"][0]["name"] == "shell"
    assert page["by-agent"][0]["name"] == "bot"
    assert page["by-session"][0]["name"] == "production/s-1"
    assert "limits" in page
    assert {row["call_id"] for row in page["samples"]} >= {"c-1", "c-5"}
    calls = tables_of(client, at(project, "outcomes:calls_of_backtest", backtest.pk))
    assert {row["call_id"] for row in calls[""]} >= {"c-1", "c-5"}


def test_tables_of_an_impact_preview_and_of_reclassifications_can_be_downloaded(
    project, client, agent
):
    agent.post(an_item(output={"ok": False}), an_item(output={"ok": True}))
    tried_one = tried(project)
    page = tables_of(client, at(project, "outcomes:check_backtest", tried_one.pk))
    (row,) = page["by-tool"]
    assert (row["tool_name"], row["newly_failed"]) == ("query", "1")
    assert page["by-rule"][0]["newly_failed"] == "1"
    assert page["samples"][0]["tool"] == "query"
    reclassified(project)
    (run,) = tables_of(client, at(project, "outcomes:reclassifications"))["runs"]
    assert run["status"] == "done"


def test_suggestions_and_saved_views_can_be_downloaded(project, client):
    save_view(project.pk, "mine", "state=stopped", shared=True, by=CONSOLE)
    (view,) = tables_of(client, at(project, "outcomes:saved_views"))["views"]
    assert (view["name"], view["query"]) == ("mine", "state=stopped")
    assert a_suggestion(project)
    (row,) = rows_at(client, at(project, "outcomes:suggestions", format="csv"))
    assert row["rule"] == "not-ok"


def test_an_unknown_table_returns_the_page(project, client):
    answer = client.get(at(project, "governance:members", table="nothing", format="csv"))
    assert answer.headers["Content-Type"].startswith("text/html")
