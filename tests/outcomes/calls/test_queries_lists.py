"""Keyset pagination: no row twice or skipped, even if timestamps are equal."""

import pytest

from governance.core.roles import Role
from outcomes.calls.queries.lists import PLACE_IN_SESSION, calls_of_session, number_of, numbers_of
from outcomes.models import Call, Session
from outcomes.sessions.queries.page import session_page
from outcomes.web.paging import place_of
from tests import builders
from tests.outcomes.pages import Pages, a_denied_item, an_item

AT = "2026-11-01T10:00:00Z"


def all_pages(session: Session) -> list[int]:
    seen: list[int] = []
    before = None
    while True:
        page = calls_of_session(session, before=before)
        seen += [row.pk for row in page.rows]
        if not page.older:
            return seen
        before = place_of(page.rows[-1], PLACE_IN_SESSION)


def test_calls_with_the_same_timestamp_are_listed_once_in_index_order(agent):
    agent.post(*(an_item(timestamp=AT, call_index=n % 7) for n in range(230)))
    session = Session.objects.get()
    seen = all_pages(session)
    assert len(seen) == len(set(seen)) == 230
    indexes = dict(Call.objects.values_list("pk", "call_index"))
    assert [indexes[pk] for pk in seen] == sorted(indexes.values(), reverse=True)


def test_paging_forward_and_back_returns_to_the_same_page(agent):
    agent.post(*(an_item(timestamp=AT) for _ in range(250)))
    session = Session.objects.get()
    first = calls_of_session(session)
    second = calls_of_session(session, before=place_of(first.rows[-1], PLACE_IN_SESSION))
    back = calls_of_session(session, after=place_of(second.rows[0], PLACE_IN_SESSION))
    assert [row.pk for row in back.rows] == [row.pk for row in first.rows]
    assert not back.newer


def test_a_call_number_is_its_position_among_all_calls_whatever_the_filter(agent):
    agent.post(an_item(timestamp=AT), a_denied_item(timestamp=AT), an_item(timestamp=AT))
    session = Session.objects.get()
    denied = calls_of_session(session, show="denied").rows
    assert list(numbers_of(session, denied).values()) == [2]
    assert number_of(session, denied[0]) == 2
    assert numbers_of(session, []) == {}


def test_the_newest_calls_of_a_long_session_are_read_with_their_original_numbers(agent):
    agent.post(*(an_item(turn_id=f"t-{n // 5}") for n in range(25)))
    page = session_page(Session.objects.get(), at_once=10)
    assert not page.is_complete
    assert page.overview.calls == 10
    assert [(turn.first, turn.last) for turn in page.overview.turns] == [(16, 20), (21, 25)]
    assert page.report.counts["attempts"] == 25


def test_silent_failures_of_a_long_session_are_all_counted(agent):
    agent.post(
        *(an_item(output="Error: no") for _ in range(7)),
        *(an_item(output="Error: no", tool_success=None) for _ in range(3)),
        an_item(type="timeout", tool_success=None),
        *(an_item() for _ in range(10)),
    )
    page = session_page(Session.objects.get(), at_once=10)
    assert (page.overview.missed, page.overview.unsaid, page.session.failures) == (7, 3, 11)


@pytest.mark.parametrize(
    ("stop", "successes", "stopped"),
    [(False, 2, ""), (True, 1, "premature"), (True, 2, "right")],
)
def test_a_session_stores_whether_its_limit_was_hit_early_or_late(
    project, agent, stop, successes, stopped
):
    builders.deployed(builders.a_version(project, max_tool_calls=2))
    outputs = [{"ok": True}] * successes + ["Error: no"] * (2 - successes)
    agent.post(*(an_item(output=output) for output in outputs))
    if stop:
        agent.post(a_denied_item(reason="limit"))
    assert Session.objects.get().stopped == stopped


def test_a_stop_without_a_known_limit_is_not_classified(agent):
    agent.post(an_item(), a_denied_item(reason="limit"))
    assert Session.objects.get().stopped == "unjudged"


def test_counts_and_lists_include_only_their_own_project(agent, pages):
    agent.post(an_item(), an_item(None))
    other = builders.a_member(builders.a_project(), Role.VIEWER)
    theirs = Pages(builders.signed_in(other.user), other.project.slug)
    assert "No sessions yet" in theirs.text("sessions/")
    assert theirs.rows("calls/", session="none") == []
    assert "Calls without a session ID" not in theirs.text("sessions/")


# One column that each page does read.
LISTS = {
    "/v1/outcomes": "last_at",
    "/p/{slug}/calls/": "call_id",
    "/p/{slug}/calls/?format=csv": "last_at",
    "/p/{slug}/sessions/": "last_at",
    "/p/{slug}/live/sessions/": "last_at",
}


@pytest.mark.parametrize(("path", "column"), LISTS.items())
def test_lists_do_not_load_large_columns(
    project, agent, path, column, django_assert_max_num_queries
):
    agent.post(*(an_item() for _ in range(3)), a_denied_item())
    viewer = builders.signed_in(builders.a_member(project, Role.VIEWER).user)
    with django_assert_max_num_queries(15) as queries:
        answer = viewer.get(path.format(slug=project.slug))
        assert (answer.status_code, bool(answer.getvalue())) == (200, True)
    statements = " ".join(query["sql"] for query in queries.captured_queries)
    assert column in statements
    assert not [
        name for name in ("tally", "document", "session_rules") if f'"{name}"' in statements
    ]
