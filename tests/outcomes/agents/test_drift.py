"""Alerts about agents that run another contract version than they should, after a grace period."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from governance.alerts.commands import dismiss
from governance.alerts.queries import open_alerts, resolved_alerts
from governance.core.actor import CONSOLE, person
from governance.core.roles import Role
from governance.delivery import news
from governance.delivery.commands import stops
from governance.delivery.commands.assignments import assign
from governance.delivery.commands.stops import lift
from governance.delivery.domain import STOPPED_HASHES
from governance.delivery.news import Connected
from governance.models import Assignment, BundleVersion, Deployment, Stop
from governance.texts.dialect import Dialect
from outcomes.agents.commands import drift
from outcomes.agents.commands.drift import find_drift
from outcomes.models import AgentSeen
from tests import builders
from tests.governance.serving import TEXT, deployed
from tests.outcomes.pages import an_item

OPERATOR = person(0, "operator@example.test", Role.OPERATOR)
LONG = timedelta(minutes=20)


@pytest.fixture
def connect(project, monkeypatch) -> Callable[..., None]:
    held: list[Connected] = []
    monkeypatch.setattr(news, "connected", lambda _: sorted(held))

    def hold(agent: str, version: BundleVersion, *, ago: timedelta = timedelta(0)) -> None:
        held[:] = [each for each in held if each.agent != agent]
        since = datetime.now(UTC) - ago
        held.append(Connected(agent, "production", "", version.revision_hash, since.timestamp()))

    return hold


def changed() -> str:
    return TEXT.replace("id: a", "id: a2", 1)


def call(agent, version: BundleVersion | str, name: str = "bot", *, ago: timedelta = timedelta(0)):
    revision = version if isinstance(version, str) else version.revision_hash
    at = (datetime.now(UTC) - ago).isoformat()
    agent.post(an_item(agent_id=name, policy_version=revision, timestamp=at))


def earlier(model: type, by: timedelta = LONG) -> None:
    for row in model.objects.all():  # type: ignore[attr-defined]  # a model of ours
        type(row).objects.filter(pk=row.pk).update(created_at=row.created_at - by)


def drift_alerts(project) -> list[tuple[str, str]]:
    find_drift()
    return sorted((each.kind, each.subject) for each in open_alerts(project))


BEHIND = [("agent_behind_contract", "bot in production")]
FOREIGN = [("agent_runs_foreign_bundle", "bot in production")]


@pytest.fixture
def behind(project, agent, connect) -> BundleVersion:
    """The previous version, under which an agent calls long after the next was deployed."""
    old = deployed(project)
    deployed(project, changed())
    earlier(Deployment)
    call(agent, old)
    return old


def test_an_outdated_agent_opens_an_alert_that_resolves_when_it_is_up_to_date(
    project, agent, behind
):
    assert drift_alerts(project) == BEHIND == drift_alerts(project)
    (finding,) = open_alerts(project)
    assert finding.title == "`bot` is outdated: it runs `d v1`"
    assert "It runs d v1, v2 is deployed." in finding.why
    assert finding.link == f"/p/{project.slug}/agents/bot/"
    assert finding.environment == "production"
    call(agent, BundleVersion.objects.get(number=2))
    assert drift_alerts(project) == []
    assert len(resolved_alerts(project)) == 1


def test_a_recent_deployment_opens_no_drift_alert_yet(project, agent, connect):
    old = deployed(project)
    call(agent, old)
    deployed(project, changed())
    assert drift_alerts(project) == []


def test_an_agent_with_no_calls_since_the_deployment_opens_no_alert(project, agent, connect):
    old = deployed(project)
    call(agent, old, ago=timedelta(minutes=15))
    deployed(project, changed())
    earlier(Deployment)
    assert drift_alerts(project) == []


def test_an_agent_not_seen_for_a_day_opens_no_alert(project, agent, connect):
    old = deployed(project)
    deployed(project, changed())
    earlier(Deployment, timedelta(days=3))
    call(agent, old, ago=timedelta(days=2))
    assert drift_alerts(project) == []


def test_an_alert_is_resolved_when_its_agent_is_no_longer_seen(project, behind):
    assert drift_alerts(project) == BEHIND
    AgentSeen.objects.update(at=timezone.now() - timedelta(days=2))
    assert drift_alerts(project) == []


def test_an_outdated_agent_stays_outdated_when_another_version_is_deployed(project, agent, behind):
    assert drift_alerts(project) == BEHIND
    deployed(project, changed().replace("a2", "a3"))
    assert drift_alerts(project) == BEHIND
    assert resolved_alerts(project) == []


def test_an_agent_connected_with_the_old_version_is_outdated(project, connect):
    old = deployed(project)
    deployed(project, changed())
    connect("bot", old)
    assert drift_alerts(project) == []
    earlier(Deployment)
    assert drift_alerts(project) == BEHIND


def test_an_agent_that_received_the_new_version_but_calls_under_the_old_is_outdated(
    project, agent, behind, connect
):
    new = BundleVersion.objects.get(number=2)
    connect("bot", new, ago=timedelta(minutes=5))
    assert drift_alerts(project) == []
    connect("bot", new, ago=timedelta(minutes=15))
    assert drift_alerts(project) == BEHIND
    assert "It was sent d v2, but its calls still run under d v1." in (open_alerts(project)[0].why)


@pytest.fixture
def foreign(project, agent, connect) -> BundleVersion:
    deployed(project)
    other = deployed(project, name="other")
    assign(project, env="production", agent="b*", bundle_name="d", by=CONSOLE)
    call(agent, other)
    return other


def test_a_contract_other_than_the_assigned_one_opens_an_alert_after_a_grace_period(
    project, foreign
):
    assert drift_alerts(project) == []
    earlier(Assignment)
    assert drift_alerts(project) == FOREIGN
    assert "It runs other v1 and is assigned d." in open_alerts(project)[0].why
    assign(project, env="production", agent="b*", bundle_name="other", by=CONSOLE)
    assert drift_alerts(project) == []


def test_an_unknown_contract_opens_an_alert_at_once(project, agent, connect):
    deployed(project)
    call(agent, "ab" * 32)
    assert drift_alerts(project) == [("agent_runs_unknown_contract", "bot in production")]
    assert "the contract abababababab" in open_alerts(project)[0].why


@pytest.mark.parametrize("revision", ["", STOPPED_HASHES[Dialect.NEW]], ids=["none", "a stop"])
def test_calls_without_a_contract_or_under_a_lifted_stop_open_no_alert(
    project, agent, connect, revision
):
    deployed(project)
    call(agent, revision)
    assert drift_alerts(project) == []


def test_an_unconfirmed_stop_opens_an_alert(project, agent, connect):
    version = deployed(project)
    stop, _ = stops.stop(project, env="production", agent="bot", by=CONSOLE)
    call(agent, version)
    assert drift_alerts(project) == []
    earlier(Stop)
    assert drift_alerts(project) == [("agent_has_not_taken_stop", "bot in production")]
    call(agent, STOPPED_HASHES[Dialect.NEW])
    assert drift_alerts(project) == []
    lift(stop, by=CONSOLE)


def test_the_alert_states_that_calls_continued_after_the_stop_was_sent(project, agent, monkeypatch):
    version = deployed(project)
    stops.stop(project, env="production", agent="bot", by=CONSOLE)
    sent = Connected("bot", "production", "", STOPPED_HASHES[Dialect.NEW], 0.0)
    monkeypatch.setattr(news, "connected", lambda _: [sent])
    earlier(Stop, timedelta(minutes=1))
    assert drift_alerts(project) == []
    call(agent, version)
    assert drift_alerts(project) == [("agent_has_not_taken_stop", "bot in production")]
    (finding,) = open_alerts(project)
    assert "The stop was sent, but its calls still run under" in finding.why


def test_many_drifting_agents_are_combined_in_one_alert_with_their_count(
    project, agent, behind, monkeypatch
):
    monkeypatch.setattr(drift, "MANY", 2)
    for name in ("bot-1", "bot-2"):
        call(agent, behind, name)
    assert drift_alerts(project) == [("agent_behind_contract", "more than 2 agents in production")]
    (finding,) = open_alerts(project)
    assert finding.title == "3 agents are outdated in `production`"
    assert finding.why.startswith("First: `bot`. It runs d v1,")
    assert finding.link == f"/p/{project.slug}/agents/?environment=production&state=drifting"
    call(agent, BundleVersion.objects.get(number=2))
    assert drift_alerts(project) == [(BEHIND[0][0], f"bot-{n} in production") for n in (1, 2)]


def test_a_dismissed_drift_alert_reopens_only_after_it_was_resolved(project, agent, behind):
    drift_alerts(project)
    dismiss(open_alerts(project)[0], by=OPERATOR)
    call(agent, behind)
    assert drift_alerts(project) == []
    call(agent, BundleVersion.objects.get(number=2))
    assert drift_alerts(project) == []
    call(agent, behind)
    assert drift_alerts(project) == BEHIND


def test_drift_of_a_large_fleet_takes_few_queries(
    project, agent, behind, django_assert_max_num_queries
):
    at = timezone.now().isoformat()
    agent.post(
        *[
            an_item(agent_id=f"bot-{n}", policy_version=behind.revision_hash, timestamp=at)
            for n in range(60)
        ]
    )
    builders.a_project()  # a project without environments has no agents
    with django_assert_max_num_queries(12):
        find_drift()
    assert len(drift_alerts(project)) == 1
