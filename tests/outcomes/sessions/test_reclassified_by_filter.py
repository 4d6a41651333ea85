"""Reclassifying only the calls that match a filter, such as one session or verdict."""

import json

import pytest
from django.urls import reverse

from governance.core.actor import CONSOLE
from governance.core.roles import Role
from outcomes.models import Rejudging, Session
from outcomes.sessions.commands.removal import remove_session
from tests import builders
from tests.outcomes.reclassification.test_rejudging import NOT_OK, OK, ran, unified
from tests.outcomes.rejudging import CHECK
from tests.outcomes.waiting_jobs import run_waiting_parts, run_waiting_removals
from tests.recount import differences

HERE = "/v1/reclassifications"


@pytest.fixture
def client(project):
    return builders.bearing(builders.a_key(project, "manage")[0])


@pytest.fixture
def calls(project, agent):
    """Six calls with and without a session, posted before a check is bound to them."""
    agent.post(
        ran(NOT_OK, call_id="mine"),
        ran(NOT_OK, 1, call_id="mine-too", tool_success=True),
        ran(OK, 2, call_id="mine-ok"),
        ran(NOT_OK, call_id="theirs", session_id="t"),
        ran(NOT_OK, call_id="alone", session_id=None),
        ran("Error: x", call_id="text", session_id="t"),
    )
    unified(project, "*")
    return agent


def reclassified(client, **body):
    response = client.post(HERE, json.dumps(body), content_type="application/json")
    assert response.status_code == 202, response.content
    run_waiting_parts()
    return client.get(f"{HERE}/{response.json()['id']}").json()


def judged_by_unified(agent):
    return {call["call_id"] for call in agent.outcomes() if call["check"] == "unified"}


def test_only_the_calls_of_one_session_are_reclassified(calls, client):
    answer = reclassified(client, session="s")
    assert (answer["status"], answer["calls"], answer["newly_failed"]) == ("done", 3, 2)
    assert answer["filters"] == {"session": "s"}
    assert answer["progress"] == 1
    assert judged_by_unified(calls) == {"mine", "mine-too", "mine-ok"}
    assert calls.session("s")["counts"]["failures"] == 2
    assert calls.session("t")["counts"]["failures"] == 1
    assert differences() == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"verdict": "failure"}, {"text"}),
        ({"verdict": "success", "session": "t"}, {"theirs"}),
        ({"type": "execution_result", "tool": "http_*", "session": "t"}, {"theirs", "text"}),
        ({"type": "denied"}, set()),
        ({"reason": "duplicate"}, set()),
        ({"q": "mine-"}, {"mine-too", "mine-ok"}),
        ({"disagreement": True}, set()),
        ({"disagreement": False, "q": "alone"}, {"alone"}),
        ({"contract": "billing"}, set()),
        ({"session": "no such"}, set()),
    ],
)
def test_every_filter_of_the_call_list_can_select_calls_to_reclassify(
    calls, client, filters, expected
):
    answer = reclassified(client, **filters)
    assert answer["status"] == "done"
    assert judged_by_unified(calls) == expected
    assert differences() == []


def test_a_contract_version_can_select_calls_to_reclassify(project, calls, client):
    version = builders.a_version(project, name="billing", max_tool_calls=9)
    calls.post(ran(NOT_OK, call_id="governed", policy_version=version.revision_hash))
    answer = reclassified(client, contract="billing", version=version.number)
    assert answer["filters"] == {"contract": "billing", "version": version.number}
    assert answer["judged"] == 1


def test_the_impact_of_a_check_can_be_previewed_for_one_session(calls, client):
    here = "/v1/success-checks/backtests"
    body = {"yaml": CHECK, "scope": "all", "session": "t"}
    started = client.post(here, json.dumps(body), content_type="application/json")
    run_waiting_parts()
    answer = client.get(f"{here}/{started.json()['id']}").json()
    assert (answer["calls"], answer["filters"]) == (2, {"session": "t"})


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"version": 1}, "contract"),
        ({"contract": "billing", "version": True}, "version"),
        ({"verdict": "perhaps"}, "verdict"),
        ({"type": "success"}, "type"),
        ({"session": "a\0b"}, "session"),
        ({"sessions": "s"}, "sessions"),
    ],
)
def test_an_invalid_filter_is_rejected_with_its_path(client, body, place):
    response = client.post(HERE, json.dumps(body), content_type="application/json")
    assert response.status_code == 422
    assert place in json.dumps(response.json()["errors"])
    assert not Rejudging.objects.exists()


def test_the_session_page_links_to_its_reclassification(project, calls, client_as):
    editor = client_as(Role.EDITOR)
    page = editor.get(reverse("outcomes:session", args=[project.slug, "s"]))
    assert "Reclassify this session</a>" in page.text
    form = editor.get(page.context["reclassify_url"])
    assert 'name="session" value="s"' in form.text
    assert '<option value="" selected>All time</option>' in form.text
    fields = {"session": "s", "environment": "production", "days": ""}
    result = editor.post(reverse("outcomes:reclassifications", args=[project.slug]), fields)
    run_waiting_parts()
    shown = editor.get(result.url)
    assert "session <code>s</code>" in shown.text
    assert judged_by_unified(calls) == {"mine", "mine-too", "mine-ok"}
    again = editor.get(shown.context["again_url"])
    assert 'name="session" value="s"' in again.text


def test_a_viewer_cannot_reclassify_a_session(project, calls, client_as):
    page = client_as(Role.VIEWER).get(reverse("outcomes:session", args=[project.slug, "s"]))
    assert "Reclassify" not in page.text


def test_a_reclassification_with_filters_the_form_lacks_cannot_be_run_again(
    project, calls, client, client_as
):
    answer = reclassified(client, verdict="failure", disagreement=False)
    here = reverse("outcomes:reclassification", args=[project.slug, answer["id"]])
    page = client_as(Role.EDITOR).get(here)
    assert "verdict <code>failure</code>, without a disagreement" in page.text
    assert "Run again" not in page.text
    assert "Back to your drafts" not in page.text


def test_an_impossible_session_id_is_rejected_in_the_form(project, client_as):
    here = reverse("outcomes:reclassifications", args=[project.slug])
    response = client_as(Role.EDITOR).post(here, {"session": "a\0b", "days": ""})
    assert response.status_code == 422
    assert "An id of at most 1,024 characters." in response.text


def test_deleting_a_session_removes_the_reclassifications_that_name_it(project, calls, client):
    here = reclassified(client, session="s")["id"]
    others = [reclassified(client, session="t")["id"], reclassified(client, q="mine")["id"]]
    answer = Session.objects.get(session_id="s")
    remove_session(answer, typed="s", by=CONSOLE)
    assert run_waiting_removals() == 1
    assert client.get(f"{HERE}/{here}").status_code == 404
    assert set(Rejudging.objects.values_list("pk", flat=True)) == set(others)
