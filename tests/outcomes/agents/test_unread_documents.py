"""Alert about an agent that fetches its contract but never reports an event."""

from datetime import timedelta

import pytest
from django.db.models import F

from governance.alerts.commands import dismiss
from governance.alerts.queries import open_alerts, resolved_alerts
from governance.core.actor import CONSOLE
from governance.delivery.queries.fetches import fetches_with_finding
from governance.findings import open_finding
from governance.models import Fetches
from outcomes.agents.commands.unread_documents import find_unread_documents
from tests import builders
from tests.governance.serving import an_agent, deployed
from tests.outcomes.posting import Agent


@pytest.fixture
def fetch(project):
    """Fetch the contract as an agent under the old URL prefix, some minutes ago."""
    deployed(project)
    client = an_agent(project)

    def fetch(times: int, *, ago: timedelta = timedelta(minutes=2), apart: int = 10) -> None:
        for _ in range(times):
            assert client.get("/api/v1/bundles/d/current").status_code == 200
        Fetches.objects.update(
            last_at=F("last_at") - ago,
            second_last_at=F("second_last_at") - ago - timedelta(seconds=apart),
            third_last_at=F("third_last_at") - ago - timedelta(seconds=2 * apart),
        )

    return fetch


def alerts(project):
    find_unread_documents()
    return [(each.kind, each.subject) for each in open_alerts(project)]


UNREAD = [("document_not_read", "bot in production")]


def test_three_fetches_without_an_event_open_an_alert(project, fetch):
    fetch(2)
    assert alerts(project) == []
    fetch(1)
    assert alerts(project) == UNREAD == alerts(project)
    (finding,) = open_alerts(project)
    assert "contract format `new`" in finding.why
    assert finding.link == f"/p/{project.slug}/settings/keys/"


def test_an_agent_that_has_reported_opens_no_alert(project, fetch):
    Agent(builders.bearing(builders.a_key(project)[0])).post(builders.an_outcome(agent_id="bot"))
    fetch(3)
    assert alerts(project) == []


def test_reports_of_another_agent_or_environment_do_not_prevent_the_alert(project, fetch):
    fetch(3)
    for agent, env in (("another", "production"), ("bot", "staging")):
        key = builders.a_key(project, env=env)[0]
        Agent(builders.bearing(key)).post(builders.an_outcome(agent_id=agent))
    assert alerts(project) == UNREAD


def test_the_alert_is_resolved_once_the_agent_reports(project, fetch):
    fetch(3)
    assert alerts(project) == UNREAD
    Agent(builders.bearing(builders.a_key(project)[0])).post(builders.an_outcome(agent_id="bot"))
    assert alerts(project) == []
    assert len(resolved_alerts(project)) == 1


@pytest.mark.parametrize(
    "when", [{"ago": timedelta(0)}, {"ago": timedelta(hours=2)}, {"apart": 3_600}], ids=str
)
def test_recent_old_or_scattered_fetches_raise_no_alert(project, fetch, when):
    fetch(3, **when)
    assert alerts(project) == []


def test_the_alert_is_resolved_when_the_fetches_are_no_longer_stored(project, fetch):
    fetch(3)
    assert alerts(project) == UNREAD
    Fetches.objects.update(last_at=F("last_at") - timedelta(days=2))
    assert alerts(project) == UNREAD
    Fetches.objects.all().delete()
    assert alerts(project) == []


def test_a_dismissed_alert_is_not_reopened_while_it_continues(project, fetch):
    fetch(3)
    alerts(project)
    dismiss(open_alerts(project)[0], by=CONSOLE)
    fetch(1, ago=timedelta(minutes=1))
    assert alerts(project) == []


def test_the_number_of_queries_does_not_depend_on_the_number_of_agents(
    project, fetch, django_assert_num_queries
):
    fetch(1)
    (row,) = Fetches.objects.all()
    for number in range(9):
        open_finding(project.pk, "document_not_read", f"bot-{number} in production", why="w")
        Fetches.objects.create(
            environment=row.environment, key=row.key, agent=f"bot-{number}", last_at=row.last_at
        )
    with django_assert_num_queries(2):
        assert len(fetches_with_finding()) == 9
