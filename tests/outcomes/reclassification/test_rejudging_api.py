"""Impact previews and reclassifications over HTTP, as a CI pipeline uses them."""

import json

import pytest

from tests import builders
from tests.outcomes.reclassification.test_rejudging import NOT_OK, OK, ran, unified
from tests.outcomes.rejudging import CHECK
from tests.outcomes.waiting_jobs import run_waiting_parts

BACKTESTS, RECLASSIFICATIONS = "/v1/success-checks/backtests", "/api/v1/reclassifications"

EARLY, LATE = "2026-11-18T11:00:00Z", "2026-11-18T12:00:00Z"


@pytest.fixture
def client(project):
    return builders.bearing(builders.a_key(project, "manage")[0])


def started(client, here, **body):
    return client.post(here, json.dumps(body), content_type="application/json")


def test_an_impact_preview_is_started_and_stored(agent, client):
    agent.post(ran(NOT_OK, call_id="c-1"), ran(OK, 1))
    response = started(client, BACKTESTS, yaml=CHECK, tool="*", env="production")
    assert response.status_code == 202
    here = f"{BACKTESTS}/{response.json()['id']}"
    waiting = client.get(here).json()
    assert (waiting["status"], waiting["progress"], waiting["calls"]) == ("queued", 0.0, 0)
    run_waiting_parts()
    body = client.get(here).json()
    assert (body["status"], body["progress"], body["calls"]) == ("done", 1.0, 2)
    assert (body["newly_failed"], body["newly_succeeded"], body["unchanged"]) == (1, 0, 1)
    assert (body["name"], body["scope"], body["judged"]) == ("unified", "all", 2)
    (sample,) = body["samples"]["newly_failed"]
    assert (sample["call_id"], sample["at"]) == ("c-1", "2026-11-18T12:00:00Z")
    assert body["session_limits"]["sessions"] == 1


def test_a_reclassification_is_started_and_reported(project, agent, client):
    agent.post(ran(NOT_OK), ran(OK, 1))
    unified(project, "*")
    here = f"{RECLASSIFICATIONS}/{started(client, RECLASSIFICATIONS).json()['id']}"
    run_waiting_parts()
    body = client.get(here).json()
    assert (body["status"], body["newly_failed"], body["unchanged"]) == ("done", 1, 1)
    assert agent.session("s")["counts"]["failures"] == 1


@pytest.mark.parametrize("here", [BACKTESTS, RECLASSIFICATIONS])
def test_a_preview_or_a_reclassification_can_be_cancelled(project, agent, client, here):
    agent.post(ran(NOT_OK))
    body = {"yaml": CHECK} if here == BACKTESTS else {}
    here = f"{here}/{started(client, here, **body).json()['id']}"
    assert client.delete(here).json()["status"] == "cancelled"
    assert client.get(here).json()["status"] == "cancelled"
    assert run_waiting_parts() == 0
    assert agent.session("s")["counts"]["successes"] == 1


def test_a_reclassification_is_not_available_as_an_impact_preview(client):
    number = started(client, RECLASSIFICATIONS).json()["id"]
    assert client.get(f"{BACKTESTS}/{number}").status_code == 404
    assert client.delete(f"{BACKTESTS}/{number}").status_code == 404


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({}, "yaml"),
        ({"yaml": CHECK, "scope": "some"}, "scope"),
        ({"yaml": CHECK, "more": 1}, "more"),
        ({"yaml": CHECK, "env": "nowhere"}, "env"),
        ({"yaml": CHECK.replace("equals", "equal")}, "equal"),
        (
            {"yaml": CHECK, "since": "2026-11-18T12:00:00Z", "until": "2026-11-18T11:00:00Z"},
            "since",
        ),
    ],
)
def test_an_invalid_request_names_the_field(client, body, answer):
    response = started(client, BACKTESTS, **body)
    assert response.status_code == 422
    assert answer in json.dumps(response.json()["errors"])
