"""Session counts by day equal a count of every session, including late calls and removals."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from governance.core.actor import CONSOLE
from governance.core.roles import Role
from outcomes.core.moments import day_of
from outcomes.models import Session, SessionDay, SessionDayChange
from outcomes.sessions.commands.days import count_days
from outcomes.sessions.commands.removal import remove_session
from outcomes.sessions.domain.facets import Chosen, facets_of
from outcomes.sessions.queries.groups import counted_groups, session_groups
from outcomes.sessions.queries.list import SessionFilter
from outcomes.sessions.queries.page import Asking, asking_sessions
from tests import builders
from tests.outcomes.pages import a_denied_item, an_item
from tests.outcomes.rejudging import reclassified
from tests.outcomes.waiting_jobs import run_waiting_removals
from tests.recount import differences

HOUR = timedelta(hours=1)


def now():
    return datetime.now(UTC)


def ago(hours):
    return (now() - hours * HOUR).isoformat()


def counted():
    while count_days(timezone.now()):
        pass


@pytest.fixture
def few(monkeypatch):
    """Treat more than this many sessions as too many to count one by one."""

    def set_to(number=3):
        monkeypatch.setattr("outcomes.sessions.queries.groups.EXACT_UP_TO", number)
        monkeypatch.setattr("outcomes.sessions.views.sessions.EXACT_UP_TO", number)

    return set_to


def facets(project, since=None, until=None, **chosen):
    moment = timezone.now()
    filters = SessionFilter(since=since, until=until, chosen=Chosen(**chosen))
    groups = session_groups(project.pk, filters, moment, asking_sessions(project.pk, moment))
    assert groups.is_exact
    return facets_of(groups.groups, filters.chosen), groups.are_many


def some_traffic(agent, seed, number=40):
    chance = random.Random(seed)  # noqa: S311 - the same each time
    for _ in range(number):
        session = f"s-{chance.randrange(30)}"
        more = {"timestamp": ago(chance.uniform(0.1, 24 * 9)), "agent_id": chance.choice("abc")}
        if chance.random() < 0.5:
            agent.post(a_denied_item(session, chance.choice(["limit", "contract"]), **more))
        else:
            agent.post(an_item(session, output=chance.choice(["fine", "Error: no"]), **more))


@pytest.mark.slow
def test_day_counts_equal_a_count_of_every_session(project, agent, few):
    times = [(None, None)]
    times += [(now() - hours * HOUR, None) for hours in (24 * 4, 24 * 5 + 7)]
    times += [(now() - 24 * 7 * HOUR, now() - hours * HOUR) for hours in (5, 24 * 2 + 3)]
    some_traffic(agent, "first")
    for seed in ("second", "third"):
        counted()
        right = [facets(project, *time)[0] for time in times]
        few(0)
        assert [facets(project, *time) for time in times] == [(counts, True) for counts in right]
        few(100_000)
        some_traffic(agent, seed, 15)  # late calls in days that are already counted
        right = [facets(project, *time)[0] for time in times]
        few(0)
        assert [facets(project, *time)[0] for time in times] == right
        few(100_000)
    assert SessionDayChange.objects.exists()
    counted()
    assert not SessionDayChange.objects.exists()
    assert differences() == []


def test_reclassification_and_removal_change_the_day(project, agent, few):
    agent.post(
        *(an_item(f"s-{n}", timestamp=ago(24 * 4 + n)) for n in range(5)),
        an_item("s-0", timestamp=ago(24 * 4), output={"is_error": True}, tool_success=None),
    )
    counted()
    before = SessionDay.objects.count()
    assert before
    few(0)
    assert facets(project)[0].shown == 5
    gone = Session.objects.get(project=project, session_id="s-3")
    remove_session(gone, typed="s-3", by=CONSOLE)
    assert facets(project)[0].shown == 4
    run_waiting_removals()
    assert facets(project)[0].shown == 4
    counted()
    assert facets(project)[0].shown == 4
    reclassified(project)
    assert differences() == []


def test_the_page_counts_all_sessions_of_a_large_project(
    project, pages, agent, few, django_assert_max_num_queries
):
    agent.post(
        *(an_item(f"s-{n}", timestamp=ago(24 * 3 + n)) for n in range(6)),
        a_denied_item("s-7", reason="limit", timestamp=ago(24 * 3)),
        an_item("s-8"),
    )
    counted()
    few(4)
    with django_assert_max_num_queries(12):
        text = pages.text("sessions/", sort="lasted", range="7d")
    assert "1 of 8 sessions hit a limit · 1 running" in text
    assert "Of the newest" not in text
    assert "Counted among" not in text
    assert "sort=lasted" not in pages.get("sessions/", range="7d").content.decode()
    assert "8 of 8, newest first" in text
    assert pages.rows("sessions/", state="stopped", range="7d") != []
    assert "1 of 1, newest first" in pages.text("sessions/", state="stopped", range="7d")


def test_only_days_that_can_no_longer_change_unnoticed_are_counted(project, agent):
    agent.post(*(an_item(f"s-{hours}", timestamp=ago(hours)) for hours in (0, 24, 48, 72)))
    counted()
    today = (now() - datetime(1970, 1, 1, tzinfo=UTC)).days
    days = list(SessionDay.objects.order_by("day").values_list("day", "sessions"))
    assert days == [(today - 3, 1), (today - 2, 1)]
    assert not SessionDayChange.objects.exists()
    # Changes before today are recorded, and dropped if their day is not counted yet.
    agent.post(an_item("s-late", timestamp=ago(24)), an_item("s-later", timestamp=ago(48)))
    assert set(SessionDayChange.objects.values_list("day", flat=True)) == {today - 1, today - 2}
    counted()
    assert not SessionDayChange.objects.exists()
    assert SessionDay.objects.get(day=today - 2).sessions == 2


def test_a_change_during_the_count_is_counted_next_time(project, agent, monkeypatch):
    agent.post(an_item("s-1", timestamp=ago(72)))
    counted()
    agent.post(an_item("s-2", timestamp=ago(72)))

    def meanwhile(*arguments):
        groups = counted_groups(*arguments)
        SessionDayChange.objects.create(project=project, day=day_of(arguments[1]))
        return groups

    monkeypatch.setattr("outcomes.sessions.commands.days.counted_groups", meanwhile)
    count_days(timezone.now())
    assert SessionDayChange.objects.count() == 1


def test_a_project_without_sessions_has_no_day_counts(project):
    builders.a_member(project, Role.VIEWER)
    assert count_days(timezone.now()) == 0
    assert facets(project)[0].shown == 0
    assert not Asking()
