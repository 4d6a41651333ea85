"""Contracts served to agents, under both prefixes and route names, and rejections."""

from base64 import b64decode
from hashlib import sha256

import pytest

from governance.alerts.queries import open_alerts
from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.delivery.commands import assignments
from governance.delivery.commands.stops import stop
from governance.deployments.commands.deployments import deploy
from governance.models import ApiKey, Fetches
from governance.people.commands.keys import revoke_key
from tests import builders
from tests.governance.serving import IN_OLD_WORDS, TEXT, an_agent, deployed


def assign(project, name, **rule):
    assignments.assign(project, bundle_name=name, env="production", by=CONSOLE, **rule)


@pytest.mark.parametrize("name", ["bundles", "rulesets"])
@pytest.mark.parametrize(("prefix", "text"), [("/v1", TEXT), ("/api/v1", IN_OLD_WORDS)])
def test_both_route_names_work_under_both_prefixes_and_the_prefix_sets_the_format(
    project, prefix, name, text
):
    deployed(project)
    answer = an_agent(project).get(f"{prefix}/{name}/d/current?env=production")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    body = answer.json()
    assert body["yaml"] == text
    assert b64decode(body["yaml_bytes"], validate=True) == text.encode()
    assert body["revision_hash"] == sha256(text.encode()).hexdigest()
    assert (body["name"], body["bundle_name"]) == ("d", "d")
    assert (body["version"], body["env"], body["stopped"]) == (1, "production", False)
    assert len(b64decode(body["signature"], validate=True)) == 64
    assert len(bytes.fromhex(body["public_key"])) == 32


@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
@pytest.mark.parametrize(("dialect", "text"), [("new", TEXT), ("old", IN_OLD_WORDS)])
def test_the_keys_format_overrides_the_prefix(project, prefix, dialect, text):
    deployed(project)
    agent = an_agent(project, dialect=dialect)
    assert agent.get(f"{prefix}/bundles/d/current").json()["yaml"] == text


def test_a_request_cannot_name_an_environment_other_than_its_keys(project):
    version = deployed(project)
    deploy(version, to="staging", by=CONSOLE)
    agent = an_agent(project, env="staging")
    assert agent.get("/v1/rulesets/d/current").json()["env"] == "staging"
    assert agent.get("/v1/rulesets/d/current?env=staging&sdk=9").status_code == 200
    refused = agent.get("/v1/rulesets/d/current?env=production")
    assert (refused.status_code, refused.json()["code"]) == (403, "environment")


@pytest.mark.parametrize("name", ["unknown", "D", "%00", "d%2Fd", "waiting", "elsewhere"])
def test_an_unknown_or_undeployed_contract_is_404_as_json(project, name):
    deployed(project)
    text = TEXT.replace("name: d", "name: waiting").encode()
    save_version(project, document=text, by=CONSOLE)
    deployed(builders.a_project(), name="elsewhere")
    answer = an_agent(project).get(f"/v1/rulesets/{name}/current")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_an_agent_outside_the_keys_glob_is_rejected(project):
    deployed(project)
    path = "/v1/rulesets/d/current"
    assert an_agent(project, "billing-1", agent="billing-*").get(path).status_code == 200
    assert an_agent(project, "search-1", agent="billing-*").get(path).status_code == 403
    assert an_agent(project, "", agent="billing-*").get(path).status_code == 403
    assert an_agent(project, "").get(path).status_code == 200


def test_an_assigned_only_key_cannot_fetch_unassigned_contracts(project):
    for name in ("base", "lax", "tagged"):
        deployed(project, name=name)
    agent = an_agent(project, assigned_only=True)
    path = "/v1/rulesets/{}/current"
    assert agent.get(path.format("base")).status_code == 404
    assign(project, "base")
    assign(project, "tagged", tags={"team": "a"})
    assign(project, "lax", agent="other-*")
    # The request does not contain tags, so any contract that some tags assign can be fetched.
    answers = {name: agent.get(path.format(name)).status_code for name in ("base", "tagged", "lax")}
    assert answers == {"base": 200, "tagged": 200, "lax": 404}
    assert an_agent(project).get(path.format("lax")).status_code == 200


def test_a_stopped_agent_receives_the_stop_whatever_its_key_allows(project):
    deployed(project)
    stop(project, env="production", agent="bot", by=CONSOLE)
    for agent in (an_agent(project), an_agent(project, assigned_only=True)):
        body = agent.get("/v1/rulesets/anything/current").json()
        assert (body["stopped"], body["name"]) == (True, "anything")


def test_a_fetch_takes_at_most_four_queries(project, django_assert_max_num_queries):
    deployed(project)
    agent = an_agent(project)
    agent.get("/v1/rulesets/d/current")  # caches the key for a second
    with django_assert_max_num_queries(4):
        agent.get("/v1/rulesets/d/current")


def test_a_manage_key_used_by_an_agent_opens_an_alert_until_it_is_revoked(project):
    deployed(project)
    agent = an_agent(project, "bot")
    agent.get("/v1/rulesets/d/current")
    assert open_alerts(project) == []
    text, key = builders.a_key(project, "agent", "manage")
    for _ in range(2):
        builders.bearing(text).get("/v1/rulesets/d/current")
    (finding,) = open_alerts(project)
    assert finding.kind == "manage_key_used_by_agent"
    assert key.name in finding.subject
    assert finding.link == f"/p/{project.slug}/settings/keys/"
    revoke_key(key, by=CONSOLE)
    assert open_alerts(project) == []


def test_only_fetches_that_may_use_the_wrong_format_are_recorded(project):
    deployed(project)
    an_agent(project).get("/v1/rulesets/d/current")
    an_agent(project, dialect="new").get("/api/v1/bundles/d/current")
    assert not Fetches.objects.exists()
    agent = an_agent(project)
    for _ in range(4):
        agent.get("/api/v1/bundles/d/current")
    row = Fetches.objects.get()
    assert (row.agent, row.key) == ("bot", ApiKey.objects.order_by("id").last())
    assert row.third_last_at is not None
    assert row.second_last_at is not None
    assert row.third_last_at < row.second_last_at < row.last_at
