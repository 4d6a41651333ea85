"""Stop pages: confirmation with counts, progress, and lifting a stop."""

from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from governance.alerts.queries import STOP_NOT_OBEYED
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.delivery import news
from governance.delivery.commands import stops
from governance.delivery.domain import STOPPED_HASHES
from governance.delivery.news import Connected
from governance.delivery.queries.stops import is_stopped
from governance.findings import open_finding
from governance.models import AuditEntry, Stop
from governance.texts.dialect import Dialect
from tests import builders
from tests.outcomes.pages import text_of

HASH = STOPPED_HASHES[Dialect.NEW]


@pytest.fixture
def operator(client_as: Callable[[Role], Client]) -> Client:
    return client_as(Role.OPERATOR)


@pytest.fixture
def connect(project, monkeypatch) -> Callable[..., None]:
    builders.an_environment(project)
    held: list[Connected] = []
    monkeypatch.setattr(news, "connected", lambda _: sorted(held))
    return lambda agent, revision="", env="production": held.append(
        Connected(agent, env, "", revision, 1_790_000_000.0)
    )


def asking(project, **query: str) -> str:
    return f"{reverse('governance:new_stop', args=[project.slug])}?{urlencode(query)}"


def test_stopping_an_environment_requires_confirmation_with_agent_counts(
    project, operator, connect
):
    connect("a")
    connect("a")
    connect("b")
    connect("c", env="staging")
    text = text_of(operator.get(asking(project, environment="production")))
    assert "Stop all agents in production?" in text
    assert "2 agents connected now." in text
    assert not Stop.objects.exists()


def test_the_page_of_an_environment_stop_names_the_environment(project, operator, connect):
    page = operator.post(asking(project, environment="production"))["Location"]
    text = text_of(operator.get(page))
    assert "Stop of all agents in production" in text
    assert "All agents in production: stopped, not connected" in text


@pytest.mark.parametrize(
    ("connected", "words"), [(True, "Connected now."), (False, "Not connected.")]
)
def test_stopping_an_agent_requires_confirmation(project, operator, connect, connected, words):
    if connected:
        connect("bot")
    text = text_of(operator.get(asking(project, environment="production", agent="bot")))
    assert "Stop bot in production?" in text
    assert words in text


def test_a_stop_takes_effect_immediately_and_is_audited(project, operator, connect):
    answer = operator.post(asking(project, environment="production", agent="bot"))
    stop = Stop.objects.get()
    assert answer["Location"] == reverse("governance:stop", args=[project.slug, stop.pk])
    assert is_stopped(stop.environment_id, "bot")
    assert AuditEntry.objects.latest("number").action == "agent stopped"
    assert "bot in production: stopped, not connected" in text_of(operator.get(answer["Location"]))


def test_stopping_again_redirects_to_the_existing_stop(project, operator, connect):
    where = asking(project, environment="production", agent="bot")
    first = operator.post(where)["Location"]
    assert operator.post(where)["Location"] == first
    assert operator.get(where)["Location"] == first
    assert Stop.objects.count() == 1


def test_the_page_lists_which_connected_agents_confirmed_the_stop(project, operator, connect):
    stop, _ = stops.stop(project, env="production", by=CONSOLE)
    connect("taken", HASH)
    connect("half", HASH)
    connect("half", "ab" * 32)
    connect("silent")
    connect("elsewhere", env="staging")
    page = operator.get(reverse("governance:stop", args=[project.slug, stop.pk]))
    text = text_of(page)
    assert "All agents in production: 1 of 3 connected confirmed the stop" in text
    assert "half not yet" in text
    assert "taken confirmed" in text
    assert "silent sent; applies on its next fetch" in text
    assert "elsewhere" not in text
    live = reverse("governance:stop_taking", args=[project.slug, stop.pk])
    assert operator.get(live, {"tag": page.context["tag"]}).status_code == 204
    connect("late")
    assert "1 of 4" in operator.get(live, {"tag": page.context["tag"]}).text


def test_an_agent_that_continues_to_call_has_not_confirmed_the_stop(project, operator, connect):
    stop, _ = stops.stop(project, env="production", agent="bot", by=CONSOLE)
    connect("bot", HASH)
    where = reverse("governance:stop", args=[project.slug, stop.pk])
    assert "bot in production: stopped" in text_of(operator.get(where))
    open_finding(
        project.pk,
        STOP_NOT_OBEYED,
        "bot in production",
        why="It calls on.",
        environment="production",
    )
    text = text_of(operator.get(where))
    assert "bot in production: stop sent, not yet confirmed" in text
    assert "bot not yet" in text


def test_confirmations_are_unknown_while_the_broker_does_not_respond(
    project, operator, monkeypatch
):
    builders.an_environment(project)
    monkeypatch.setattr(news, "connected", lambda _: None)
    stop, _ = stops.stop(project, env="production", by=CONSOLE)
    where = reverse("governance:stop", args=[project.slug, stop.pk])
    assert "stop sent, connections unknown" in text_of(operator.get(where))
    assert "the broker does not respond" in text_of(
        operator.get(asking(project, environment="production", agent="b"))
    )


def test_a_lifted_stop_page_says_so_and_stops_polling(project, operator, connect):
    stop, _ = stops.stop(project, env="production", agent="bot", by=CONSOLE)
    lift = reverse("governance:lift_stop", args=[project.slug, stop.pk])
    assert "Lift the stop of bot in production?" in text_of(operator.get(lift))
    operator.post(lift)
    stop.refresh_from_db()
    assert stop.lifted_at is not None
    page = operator.get(reverse("governance:stop", args=[project.slug, stop.pk]))
    assert "bot in production: stop lifted" in text_of(page)
    assert "data-live hx-get" not in page.text
    assert "already" in text_of(operator.get(lift))


def test_lifting_an_agents_stop_warns_that_its_environment_stays_stopped(
    project, operator, connect
):
    stop, _ = stops.stop(project, env="production", agent="bot", by=CONSOLE)
    stops.stop(project, env="production", by=CONSOLE)
    lift = reverse("governance:lift_stop", args=[project.slug, stop.pk])
    assert "production stays stopped, including this agent" in text_of(operator.get(lift))


def test_the_stop_page_without_an_environment_lists_environments(project, operator):
    builders.an_environment(project, "staging")
    assert "Stop an environment" in text_of(operator.get(asking(project)))


@pytest.mark.parametrize(
    "query", [{"environment": "nowhere"}, {"environment": "production", "agent": "x" * 129}]
)
def test_stopping_an_unknown_environment_or_agent_is_404(project, operator, connect, query):
    assert operator.get(asking(project, **query)).status_code == 404
    assert operator.post(asking(project, **query)).status_code == 404
    assert not Stop.objects.exists()


def test_a_viewer_can_see_a_stop_but_neither_create_nor_lift_one(project, client_as, connect):
    stop, _ = stops.stop(project, env="production", by=CONSOLE)
    viewer = client_as(Role.VIEWER)
    text = text_of(viewer.get(reverse("governance:stop", args=[project.slug, stop.pk])))
    assert "You need the operator role to lift it." in text
    assert viewer.post(asking(project, environment="production")).status_code == 403
    lift = reverse("governance:lift_stop", args=[project.slug, stop.pk])
    assert viewer.post(lift).status_code == 403
    stop.refresh_from_db()
    assert stop.lifted_at is None


def test_a_stop_of_another_project_is_404(project, operator):
    other = builders.a_project()
    builders.an_environment(other)
    stop, _ = stops.stop(other, env="production", by=CONSOLE)
    for name in ("stop", "stop_taking", "lift_stop"):
        where = reverse(f"governance:{name}", args=[project.slug, stop.pk])
        assert operator.get(where).status_code == 404
