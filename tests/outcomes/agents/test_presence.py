"""An agent that held a stream stays in the fleet after it disconnects, until it has not been seen
for ninety days."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from governance.delivery import news
from governance.delivery.news import Connected
from governance.models import AuditEntry
from outcomes.agents.commands.presence import (
    forget_connected,
    note_connected,
    remove_agents_long_gone,
)
from outcomes.models import AgentSeen
from tests import builders
from tests.outcomes.pages import an_item


@pytest.fixture
def held(monkeypatch) -> list[Connected]:
    """Agents with a stream, as the broker reports them."""
    listed: list[Connected] = []
    monkeypatch.setattr(news, "connected", lambda _: sorted(listed))
    forget_connected()
    return listed


@pytest.fixture
def connect(project, held) -> Callable[[str], None]:
    builders.an_environment(project, "production")
    return lambda agent: held.append(
        Connected(agent, "production", "", "", datetime.now(UTC).timestamp())
    )


def called(agent, name: str) -> None:
    agent.post(an_item(agent_id=name))


def test_an_agent_without_calls_stays_listed_after_its_stream_closes(project, pages, connect, held):
    connect("fresh")
    note_connected()
    held.clear()
    assert "1 of 1 agent without calls, 0 connected" in pages.text("agents/")
    assert "no calls yet" in pages.text("agents/")
    assert "fresh has no calls yet" in pages.text("agents/fresh/")


def test_the_last_connection_of_an_agent_without_calls_is_stored(project, pages, connect, held):
    connect("fresh")
    note_connected()
    long_ago = datetime.now(UTC) - timedelta(days=1)
    AgentSeen.objects.update(heard_at=long_ago)
    note_connected()
    assert AgentSeen.objects.get().heard_at == long_ago, "who stays is not written every time"
    held.clear()
    note_connected()
    (heard_at,) = AgentSeen.objects.values_list("heard_at", flat=True)
    assert heard_at is not None
    assert heard_at > long_ago


def test_nothing_is_stored_while_the_broker_does_not_respond(project, connect, monkeypatch):
    connect("fresh")
    monkeypatch.setattr(news, "connected", lambda _: None)
    note_connected()
    assert not AgentSeen.objects.exists()


def test_a_stream_does_not_change_the_last_call_time(project, agent, pages, connect):
    called(agent, "bot")
    called_at = AgentSeen.objects.get().at
    connect("bot")
    note_connected()
    agent_seen = AgentSeen.objects.get()
    assert agent_seen.at == called_at
    assert agent_seen.heard_at is not None


def test_an_agent_not_seen_for_ninety_days_is_removed_from_the_fleet(
    project, agent, pages, connect, held
):
    called(agent, "still-here")
    called(agent, "gone")
    connect("connected-for-long")
    connect("gone-unheard")
    note_connected()
    long_ago = datetime.now(UTC) - timedelta(days=91)
    AgentSeen.objects.filter(agent__name="gone").update(at=long_ago)
    AgentSeen.objects.filter(agent__name="connected-for-long").update(at=long_ago)
    AgentSeen.objects.filter(agent__name="gone-unheard").update(heard_at=long_ago)
    held.clear()
    assert remove_agents_long_gone() == 2
    assert remove_agents_long_gone() == 0
    left = set(AgentSeen.objects.values_list("agent__name", flat=True))
    assert left == {"still-here", "connected-for-long"}
    assert "gone not seen in the last 90 days" in pages.text("agents/gone/")
    entry = AuditEntry.objects.get(action="inactive agents removed")
    assert entry.details == {"production": 2}
