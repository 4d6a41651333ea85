"""The start of a project: each step is ticked off by what is there."""

import html
import re

import pytest

from edictum_site.first_hour.snippets import LANGUAGES, snippet
from governance.audit_log import verify
from governance.models import ApiKey, AuditEntry
from outcomes.settling.settle import settle_inbox
from tests import builders
from tests.governance.deploying import saved
from tests.governance.naming import a_check
from tests.items import an_outcome
from tests.outcomes.posting import Agent

BY_SCRIPT = {"HX-Request": "true"}


def done(text):
    return len(re.findall(r"step-done", text))


def test_a_new_project_has_everything_before_it(project, admin_client):
    text = admin_client.get(f"/p/{project.slug}/start/").content.decode()
    assert done(text) == 0
    assert "Waiting for your first outcome" in text
    assert "Make a demo project" in text


def test_a_key_of_the_page_stands_in_its_lines_and_is_shown_once(project, admin_client):
    answer = admin_client.post(f"/p/{project.slug}/start/key/", {"environment": "staging"})
    text = answer.content.decode()
    key = re.search(r"edk_staging_[A-Za-z0-9]{32,}", text)
    assert key
    assert text.count(key.group()) == 1 + len(LANGUAGES)  # by itself, and in the lines of each
    assert "no-store" in answer["Cache-Control"]
    row = ApiKey.objects.get(project=project)
    assert row.scopes == ["agent"]
    assert key.group() not in admin_client.get(f"/p/{project.slug}/start/").content.decode()


def test_an_environment_that_cannot_be_is_refused_in_words(project, admin_client):
    answer = admin_client.post(f"/p/{project.slug}/start/key/", {"environment": "no way"})
    assert answer.status_code == 422
    assert not ApiKey.objects.filter(project=project).exists()


def test_steps_are_ticked_off_by_what_is_there(project, admin_client):
    page = f"/p/{project.slug}/start/"
    agent = Agent(builders.bearing(builders.a_key(project, "agent")[0]))
    assert done(admin_client.get(page).content.decode()) == 1
    agent.post(an_outcome("c-1", session_id="s-1", tool_name="hello"))
    text = admin_client.get(page).content.decode()
    assert done(text) == 2
    assert "Your first outcome is here" in text
    saved(project, "first")
    a_check(project)
    assert done(admin_client.get(page).content.decode()) == 4


def test_the_part_that_waits_answers_only_when_something_has_come(project, admin_client):
    agent = Agent(builders.bearing(builders.a_key(project, "agent")[0]))
    part = f"/p/{project.slug}/live/start/?tag=none"
    assert admin_client.get(part).status_code == 204
    agent.post(an_outcome("c-1", session_id="s-1"))
    text = admin_client.get(part).content.decode()
    assert "Your first outcome is here" in text
    assert "hx-get" not in text  # it asks no more


def test_a_test_outcome_comes_in_by_the_door_and_is_in_the_log(project, admin_client):
    address = f"/p/{project.slug}/start/test-outcome/"
    refused = admin_client.post(address, {"environment": "nowhere"})
    assert refused.status_code == 422
    builders.an_environment(project)
    page = f"/p/{project.slug}/start/"
    assert admin_client.post(address, {"environment": "production"})["Location"] == page
    quietly = admin_client.post(address, {"environment": "production"}, headers=BY_SCRIPT)
    assert quietly.status_code == 204
    while settle_inbox():
        pass
    text = admin_client.get(page).content.decode()
    assert "Outcomes arrive" in text
    assert "test-of-the-console" in text
    entries = AuditEntry.objects.filter(project=project, action="test outcome sent")
    assert entries.count() == 2
    assert verify(project) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_lines_keep_a_mark_where_a_value_belongs(language):
    lines = snippet(language, url="http://127.0.0.1:1", key="edk_x_1", env="x").text
    assert "edk_x_1" in lines
    assert "http://127.0.0.1:1" in lines
    assert "{{" not in lines


def test_the_lines_name_an_agent_that_the_key_is_for(project, admin_client):
    key = builders.a_key(project, "agent", agent="billing-*")[0]
    for language in LANGUAGES:
        answer = admin_client.get(f"/p/{project.slug}/start/?with={language}")
        page = html.unescape(answer.text)
        assert '"billing-1"' in page
        assert "my-agent" not in page
    lines = page.partition(" -d '")[2].partition("'")[0]
    answer = builders.bearing(key).post("/v1/outcomes", lines, content_type="application/json")
    assert answer.json()["accepted"] == 1
