"""The Start page: steps are completed by what the console has received, with code ready to run."""

import html
import re

import pytest
from django.urls import reverse

from edictum_site.first_hour.snippets import connect_snippets
from edictum_site.first_start import FIRST_KEY
from governance.audit_log import verify
from governance.core.actor import CONSOLE
from governance.core.deployment_requests import Required
from governance.models import ApiKey, AuditEntry
from governance.people.commands.keys import make_key
from governance.people.commands.requirements import require
from outcomes.demo.queries.first_hour import LIMIT
from outcomes.settling.settle import settle_inbox
from outcomes.suggestions.commands.scans import request_scan
from outcomes.suggestions.queries import open_suggestions
from tests import builders
from tests.governance.deploying import live, saved
from tests.governance.naming import a_check, bound
from tests.items import an_event, an_outcome
from tests.outcomes.posting import Agent
from tests.outcomes.waiting_jobs import run_waiting_looks

BY_SCRIPT = {"HX-Request": "true"}


@pytest.fixture
def page(project, admin_client):
    def text():
        return admin_client.get(f"/p/{project.slug}/start/").text

    return text


@pytest.fixture
def agent(project):
    return Agent(builders.bearing(builders.a_key(project, "agent")[0]))


def done(text):
    match = re.search(r"(\d) of 4 steps done", text)
    assert match
    assert len(re.findall("step-done", text)) == int(match[1])
    return int(match[1])


def headline(text):
    (sentence,) = re.findall(r'<h1 id="sentence">(.*?)</h1>', text)
    return html.unescape(sentence.strip())


def test_a_new_project_has_no_completed_steps(page):
    text = page()
    assert done(text) == 0
    assert headline(text) == "No calls yet: connect an agent in about 2 minutes"
    assert "Waiting for the first call" in text
    assert "Create demo project" in text


def test_the_printed_key_is_named_by_its_prefix_and_completed_once_used(project, page):
    text, key = make_key(project, name=FIRST_KEY, env="production", scopes=["agent"], by=CONSOLE)
    shown = page()
    assert "Use the key printed in the terminal." in shown
    assert key.hint in shown
    assert text not in shown
    assert done(shown) == 0
    Agent(builders.bearing(text)).post()
    assert done(page()) == 1


def test_a_created_key_appears_once_in_the_sample_code(project, admin_client):
    start = f"/p/{project.slug}/start/"
    answer = admin_client.post(f"{start}key/", {"environment": "staging"})
    assert (answer.status_code, answer["Location"]) == (302, start)
    shown = admin_client.get(start)
    (key,) = set(re.findall(r"edk_staging_[A-Za-z0-9]{32,}", shown.text))
    assert shown.text.count(key) == 5  # by itself, and in the code for 4 languages
    assert shown.text.count('name="connect"') == 4  # the tabs remain
    assert "no-store" in shown["Cache-Control"]
    assert ApiKey.objects.get(project=project).scopes == ["agent"]
    assert done(shown.text) == 1
    assert key not in admin_client.get(start).text


def test_a_key_of_another_project_is_not_displayed(project, admin_client):
    text = builders.a_key(builders.a_project(), "agent")[0]
    admin_client.cookies["shown_once"] = text
    assert text not in admin_client.get(f"/p/{project.slug}/start/").text


def test_an_invalid_environment_is_rejected_with_a_reason(project, admin_client):
    answer = admin_client.post(f"/p/{project.slug}/start/key/", {"environment": "no way"})
    assert answer.status_code == 422
    assert not ApiKey.objects.filter(project=project).exists()


def test_the_connect_step_counts_calls_and_outputs(page, agent):
    agent.post(an_outcome(output={"ok": True}), an_outcome(output=None), an_outcome())
    text = page()
    assert "3 calls received, 2 with an output" in text
    assert headline(text) == "3 calls received: none ran under a contract"


def test_calls_without_outputs_get_code_that_reports_outputs(page, agent):
    agent.post_events(an_event(), an_event())
    text = page()
    assert "2 calls received, none with an output." in text
    assert "console.guard_options()" in html.unescape(text).partition('id="step-3"')[0]
    assert "No call sent an output, so nothing can be checked." in text
    assert headline(text) == ("2 calls received: none with an output, none ran under a contract")


def test_denied_calls_are_not_reported_as_missing_outputs(page, agent):
    agent.post(an_outcome(type="denied", reason="duplicate"))
    assert "1 call received, none executed" in page()


def test_the_first_call_under_a_contract_completes_the_contract_step(project, page, agent):
    agent.post(an_outcome(output={"ok": True}))
    version = saved(project, name="billing")
    text = page()
    assert "isn't deployed to production yet" in html.unescape(text)
    assert "Deploy billing v1 to production" in " ".join(text.split())
    live(version)
    text = html.unescape(page())
    assert 'bundle_name="billing"' in text
    assert "/clients/edictum_site_client-" in text.partition('id="contract-code"')[2]
    assert "Waiting for the first call under billing v1" in text
    assert "0 of 1 calls so far" in text
    assert done(text) == 2
    agent.post_events(an_event(policy_version=version.revision_hash))
    text = page()
    assert done(text) == 3
    assert headline(text) == "2 calls received: 1 under a contract, none checked by your checks"
    assert "1 of 2 calls under a contract" in text
    assert "newest: <code>billing v1</code>" in text


def test_a_template_can_be_saved_and_deployed_from_the_start_page(project, page, admin_client):
    make_key(project, name=FIRST_KEY, env="staging", scopes=["agent"], by=CONSOLE)
    assert "Deploy template to staging" in " ".join(page().split())
    here = reverse("first_hour:start", args=[project.slug])
    deploy = reverse("first_hour:deploy_first", args=[project.slug])
    assert admin_client.post(deploy, {"template": "file-agent"})["Location"] == here
    text = page()
    assert "file-agent v1 is deployed to staging." in text
    assert "Waiting for the first call under file-agent v1" in text
    assert "Deploy template" not in text


def test_a_blocked_deployment_is_explained_on_the_start_page(project, page, admin_client):
    required = Required(second_person=True)
    require(project, env="production", required=required, by=CONSOLE)
    deploy = reverse("first_hour:deploy_first", args=[project.slug])
    admin_client.post(deploy, {"template": "file-agent"})
    assert "need approval by a second person" in page()
    assert "Deploy file-agent v1 to production" in " ".join(page().split())


def test_suggestion_steps_return_to_the_start_page(project, page, admin_client, agent):
    agent.post(*[an_outcome(output={"ok": False, "error": "no"}) for _ in range(4)])
    request_scan(project.pk)
    run_waiting_looks()
    (suggested,) = open_suggestions(project.pk)
    assert "/live/suggestion/?tool=" in page()
    place = [project.slug, suggested.tool_id, suggested.check_name, suggested.rule]
    address = reverse("outcomes:suggestion", args=place)
    stepped = admin_client.post(address, {"act": "draft", "back": "start"})
    assert stepped["Location"] == reverse("first_hour:start", args=[project.slug]) + "#suggestion"
    other = admin_client.post(address, {"act": "save", "back": "https://example.test/"})
    assert other["Location"] == address


def test_the_first_call_decided_by_a_check_completes_the_check_step(project, page, agent):
    a_check(project)
    agent.post(an_outcome(output={"ok": False}, tool_name="crm_lookup"))
    assert "hasn't checked any calls yet" in page()
    assert done(page()) == 2
    bound(project, "crm_lookup mine")
    agent.post(an_outcome(output={"ok": False}, tool_name="crm_lookup"))
    text = page()
    assert done(text) == 3
    assert "1 of 2 executed calls checked by your checks" in text


def test_a_suggestion_appears_in_the_last_step_and_in_the_headline(project, page, agent):
    outputs = [{"ok": number % 3 != 0, "account": "A-1"} for number in range(12)]
    agent.post(*(an_outcome(output=each, tool_name="crm_lookup") for each in outputs))
    assert "12 outputs received, not scanned for failure patterns yet." in page()
    request_scan(project.pk)
    run_waiting_looks()
    text = page()
    assert headline(text) == ("12 calls received: 4 look like failures, none ran under a contract")
    step = text.partition('id="step-4"')[2]
    assert "4 of 12 outputs of <code>crm_lookup</code> look like failures." in step
    suggestion = open_suggestions(project.pk)[0]
    place = [project.slug, suggestion.tool_id, suggestion.check_name, suggestion.rule]
    assert reverse("outcomes:suggestion", args=place) in step


def test_start_is_not_in_the_navigation_once_hidden_or_complete(project, admin_client, page):
    start, overview = f"/p/{project.slug}/start/", f"/p/{project.slug}/overview/"
    entry = 'title="Start"'
    assert entry in admin_client.get(overview).text
    assert admin_client.post(f"{start}hide/")["Location"] == overview
    assert entry not in admin_client.get(overview).text
    assert "Hide Start" not in page()
    other = builders.signed_in(builders.a_member(project).user)
    assert entry in other.get(overview).text
    a_check(project)
    bound(project, "crm_lookup mine")
    assert entry in other.get(overview).text
    live(saved(project))
    assert entry not in other.get(overview).text


def test_a_scan_can_be_started_from_the_page(project, admin_client, agent):
    agent.post(an_outcome(output={"ok": False}))
    scan = f"/p/{project.slug}/start/scan/"
    assert admin_client.post(scan, headers=BY_SCRIPT).status_code == 204
    assert admin_client.post(scan)["Location"] == f"/p/{project.slug}/start/"
    run_waiting_looks()
    assert "1 looks like a failure" in admin_client.get(f"/p/{project.slug}/start/").text


def test_outputs_without_failure_patterns_have_their_scan_time(project, page, agent):
    agent.post(an_outcome(output={"ok": True}))
    request_scan(project.pk)
    run_waiting_looks()
    assert "1 output received, no known failure pattern at <time" in page()


def test_the_live_route_returns_only_changed_parts(project, admin_client, agent):
    text = admin_client.get(f"/p/{project.slug}/start/").text
    (part,) = re.findall(r'hx-get="([^"]+/live/start/[^"]+)"', text)
    assert admin_client.get(part).status_code == 204
    agent.post(an_outcome(output="x"))
    answer = admin_client.get(part).text
    assert "1 call received, 1 with an output" in answer
    places = set(re.findall(r'id="([a-z0-9-]+)" hx-swap-oob', answer))
    assert {"sentence", "steps-done", "connect-state", "step-2", "latest-calls"} <= places
    assert not {"step-4", "contract-code"} & places
    (after,) = re.findall(r'hx-get="([^"]+/live/start/[^"]+)"', answer)
    assert admin_client.get(after).status_code == 204


def test_counts_are_capped(page, agent):
    agent.post(*(an_outcome(output=1) for _ in range(LIMIT + 1)))
    assert "1,000+ calls received, 1,000 with an output" in page()


def test_a_test_call_is_processed_like_any_other_and_is_audited(project, admin_client):
    address = f"/p/{project.slug}/start/test-outcome/"
    assert admin_client.post(address, {"environment": "nowhere"}).status_code == 422
    builders.an_environment(project)
    page = f"/p/{project.slug}/start/"
    assert admin_client.post(address, {"environment": "production"})["Location"] == page
    by_script = admin_client.post(address, {"environment": "production"}, headers=BY_SCRIPT)
    assert by_script.status_code == 204
    while settle_inbox():
        pass
    assert "2 calls received, 2 with an output" in admin_client.get(page).text
    entries = AuditEntry.objects.filter(project=project, action="test outcome sent")
    assert entries.count() == 2
    assert verify(project) is None


@pytest.mark.parametrize("place", range(4))
def test_sample_code_has_every_value_filled_in(place):
    url, client = "http://127.0.0.1:1", "http://127.0.0.1:1/clients/c.whl"
    snippet = connect_snippets(url, key="edk_x_1", client=client)[place]
    assert "edk_x_1" in snippet.code
    assert url in snippet.code
    assert "{{" not in snippet.code
    assert "allow_insecure" not in snippet.code


def test_python_code_for_plain_http_to_a_remote_host_allows_it_explicitly():
    url = "http://console.example:8000"
    assert "allow_insecure=True" in connect_snippets(url, key="edk_x_1", client="c")[0].code


def test_sample_code_uses_an_agent_that_the_key_allows(project, admin_client):
    key = builders.a_key(project, "agent", agent="billing-*")[0]
    page = html.unescape(admin_client.get(f"/p/{project.slug}/start/").text)
    assert page.count('"billing-1"') >= 4
    assert "my-agent" not in page
    body = page.partition(" -d '")[2].partition("'")[0]
    answer = builders.bearing(key).post("/v1/outcomes", body, content_type="application/json")
    assert answer.json()["accepted"] == 1
