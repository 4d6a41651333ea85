"""Backtests over HTTP, as a CI pipeline uses them."""

import json

import pytest

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.deployments import requirements
from tests import builders
from tests.governance.contracts.documents import document, pre
from tests.outcomes.backtests import backtested
from tests.outcomes.waiting_jobs import run_waiting_backtests

RULES = document(pre("{args.command: {contains: rm}}", rule_id="no-rm"))
HERE = "/v1/contracts/backtests"


@pytest.fixture
def client(project):
    return builders.bearing(builders.a_key(project, "manage")[0])


def started(client, **body):
    return client.post(HERE, json.dumps(body), content_type="application/json")


def ran(agent, *commands_run, **fields):
    agent.post(
        *(
            builders.an_outcome(tool_name="shell", tool_args={"command": each}, **fields)
            for each in commands_run
        )
    )


def test_a_backtest_of_a_posted_contract_is_started_and_its_result_is_stored(agent, client):
    ran(agent, "ls", "rm -r", session_id="s-1")
    response = started(client, yaml=RULES, env="production", tool="sh*", agent=["*"])
    assert response.status_code == 202
    here = f"{HERE}/{response.json()['id']}"
    waiting = client.get(here).json()
    assert (waiting["status"], waiting["progress"], waiting["calls"]) == ("queued", 0.0, 0)
    run_waiting_backtests()
    body = client.get(here).json()
    assert (body["status"], body["progress"], body["calls"]) == ("done", 1.0, 2)
    assert (body["newly_denied"], body["unchanged"]) == (1, 1)
    assert body["by_rule"]["no-rm"]["newly_denied"] == 1
    assert body["by_session"]["production/s-1"]["newly_denied"] == 1
    assert body["samples"]["newly_denied"][0]["session_id"] == "s-1"
    assert sum(piece["newly_denied"] for piece in body["over_time"]) == 1


def test_a_backtest_without_a_version_uses_the_newest(project, client):
    for rules in (RULES, RULES.replace("rm", "sh")):
        save_version(project, document=rules, by=CONSOLE)
    newest = client.get(f"{HERE}/{started(client, name='d').json()['id']}").json()
    first = client.get(f"{HERE}/{started(client, name='d', version='1').json()['id']}").json()
    assert (newest["name"], newest["version"], first["version"]) == ("d", 2, 1)


def test_a_backtest_can_be_cancelled(client):
    here = f"{HERE}/{started(client, yaml=RULES).json()['id']}"
    assert client.delete(here).json()["status"] == "cancelled"
    assert client.get(here).json()["status"] == "cancelled"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"yaml": RULES, "name": "d"},
        {"yaml": RULES, "version": 1},
        {"yaml": "kind: Nothing"},
        {"yaml": RULES, "env": "nowhere"},
        {"yaml": RULES, "since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"},
        {"yaml": RULES, "more": 1},
        {"yaml": RULES, "tool": ["a\0"]},
    ],
)
def test_an_invalid_request_is_rejected(client, body):
    assert started(client, **body).status_code == 422


def test_an_unknown_backtest_is_404(project, client):
    assert started(client, name="nothing").status_code == 404
    save_version(project, document=RULES, by=CONSOLE)
    assert started(client, name="d", version=9).status_code == 404
    assert client.get(f"{HERE}/999999").status_code == 404
    assert client.delete(f"{HERE}/999999").status_code == 404


def test_a_backtest_of_another_project_is_404(client):
    here = f"{HERE}/{started(client, yaml=RULES).json()['id']}"
    stranger = builders.bearing(builders.a_key(builders.a_project(), "manage")[0])
    assert stranger.get(here).status_code == 404
    assert stranger.delete(here).status_code == 404


def test_a_contract_named_backtests_can_be_read_by_its_name(project, client):
    named = RULES.replace("name: d", "name: backtests")
    save_version(project, document=named, by=CONSOLE)
    assert client.get("/v1/contracts/backtests").json()["name"] == "backtests"


def test_deployments_use_the_newest_backtest_of_exactly_these_bytes(project, agent):
    ran(agent, "rm", "ls")
    version, _ = save_version(project, document=RULES, by=CONSOLE)
    assert requirements.newest_evidence(version, "production") is None
    backtested(project, RULES, tools=["shell"])
    assert requirements.newest_evidence(version, "production") is None
    backtested(project, RULES + "\n")
    assert requirements.newest_evidence(version, "production") is None
    backtest = backtested(project, RULES, environment="production")
    evidence = requirements.newest_evidence(version, "production")
    assert evidence is not None
    assert (evidence.number, evidence.calls, evidence.newly_denied) == (backtest.pk, 2, 1)
    assert requirements.newest_evidence(version, "staging") is None
