"""The scope in a URL: range, environment and agent, and how pages describe it."""

from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outcomes.core.moments import Step, spans, zone_named
from outcomes.core.scope import ALL, BEGINNING, LONGEST, RANGES, Scope, scope_from

NOW = datetime(2026, 11, 18, 15, 23, 41, 5, tzinfo=UTC)
UNTIL = datetime(2026, 11, 18, 15, 24, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)
DASH = "\N{EN DASH}"
MOMENTS = st.datetimes(datetime(2001, 1, 1), datetime(2026, 8, 1)).map(  # noqa: DTZ001 - given its zone below
    lambda at: at.replace(second=0, microsecond=0, tzinfo=UTC)
)


def edges_between(since: datetime, until: datetime, step: Step, zone: tzinfo) -> list[datetime]:
    steps = spans(since, until, step, zone)
    assert all(one.end == other.start for one, other in pairwise(steps))
    return [*(step.start for step in steps), steps[-1].end]


ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/Havana", "Australia/Lord_Howe"]
).map(ZoneInfo)


def scope(*, zone: tzinfo = UTC, is_list: bool = False, usual: str = "", **query: Any) -> Scope:
    return scope_from(
        {name.rstrip("_"): text for name, text in query.items()},
        now=NOW,
        zone=zone,
        is_list=is_list,
        usual=usual,
    )


@pytest.mark.parametrize("name", RANGES)
def test_a_range_consists_of_full_minutes_and_includes_the_current_one(name):
    chosen = scope(range=name)
    assert chosen.until == UNTIL
    assert chosen.length == RANGES[name][0]
    assert chosen.previous.until == chosen.since
    assert chosen.previous.length == chosen.length


def test_without_a_range_every_page_covers_a_day():
    assert scope().range == "24h"
    assert scope(range="12 parsecs").range == "24h"
    assert scope(is_list=True).range == "24h"
    assert scope(range=ALL, is_list=True).bounds == (None, None)


def test_without_a_range_a_page_uses_the_last_range_the_person_chose():
    assert scope(usual="7d").range == "7d"
    assert scope(usual="7d", range="1h").range == "1h"
    assert scope(usual="7d", is_list=True).range == "7d"
    assert scope(usual=ALL, is_list=True).range == ALL
    assert scope(usual=ALL).range == "24h"
    assert scope(usual="12 parsecs").range == "24h"


def test_a_list_accepts_a_range_like_any_page():
    assert scope(range="7d", is_list=True).range == "7d"


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ({"from_": "2026-11-02T09:00Z", "to": "2026-11-03T09:00Z"}, (2, 9), (3, 9)),
        ({"from_": "2026-11-02T09:00:59+01:00", "to": "2026-11-03T09:00"}, (2, 8), (3, 9)),
        ({"from_": "2026-11-02T09:00Z", "to": "", "range": "1h"}, (2, 9), None),
        ({"to": "2026-11-03T09:00Z"}, (2, 9), (3, 9)),
    ],
)
def test_chosen_times_are_used_as_given(query, since, until):
    chosen = scope(**query)
    assert (chosen.since.day, chosen.since.hour, chosen.since.minute) == (*since, 0)
    assert (chosen.until.day, chosen.until.hour) == until if until else chosen.until == UNTIL
    assert not chosen.range


@pytest.mark.parametrize(
    "query",
    [
        {"from_": "2026-11-03T09:00Z", "to": "2026-11-02T09:00Z"},
        {"from_": "nonsense", "to": "9"},
        {"from_": "2027-01-01T00:00Z"},
        {"to": "1999-01-01T00:00Z"},
        {"to": "0001-01-01T00:00Z"},
        {"from_": "0001-01-01T00:00:00+14:00", "to": "0001-01-02T00:00:00+14:00"},
    ],
)
def test_invalid_times_are_ignored(query):
    assert scope(**query).range == "24h"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"from_": "2026-11-02T09:00Z"}, ""),
        ({"from_": "", "to": "", "range": "1h"}, ""),
        (
            {"from_": "2026-11-03T09:00Z", "to": "2026-11-02T09:00Z"},
            "The end must be after the start. Showing: Last 24 hours.",
        ),
        ({"to": "soon", "range": "7d"}, "“soon” isn't a valid date. Showing: Last 7 days."),
        (
            {"to": "soon", "usual": ALL, "is_list": True},
            "“soon” isn't a valid date. Showing: All time.",
        ),
        ({"range": "bogus"}, "“bogus” isn't a valid range. Showing: Last 24 hours."),
        ({"range": "bogus", "usual": "7d"}, "“bogus” isn't a valid range. Showing: Last 7 days."),
        ({"from_": "then", "to": "2026-11-02T09:00Z"}, "“then” isn't a valid date."),
        (
            {"from_": "2026-01-01T00:00Z"},
            "Showing the last 90 days of that range (maximum).",
        ),
        ({"from_": "2026-01-01T00:00Z", "is_list": True}, ""),
    ],
)
def test_an_unavailable_range_says_so(query, message):
    assert scope(**query).amiss == message


def test_a_page_covers_at_most_ninety_days_and_a_list_all_time():
    assert scope(from_="2020-01-01T00:00Z").length == LONGEST
    assert scope(from_="2020-01-01T00:00Z", is_list=True).since.year == 2020
    before = scope(to="2026-11-02T09:00Z", is_list=True)
    assert before.since == BEGINNING
    assert before.bounds == (None, datetime(2026, 11, 2, 9, tzinfo=UTC))


@given(MOMENTS, st.integers(1, 90 * 24 * 60), st.booleans())
def test_a_scope_round_trips_through_the_url(since, minutes, is_list):
    until = since + timedelta(minutes=minutes)
    chosen = Scope(since=since, until=until, environment="staging", agent="a&b")
    assert scope_from(chosen.query(), now=NOW, zone=UTC, is_list=is_list) == chosen


def test_a_scope_does_not_extend_far_into_the_future():
    chosen = scope(from_="2026-11-01T00:00Z", to="9999-12-31T23:59Z")
    assert chosen.until < NOW + timedelta(days=3)


@pytest.mark.parametrize("query", [{"range": "live"}, {"range": "90d"}, {"agent": "bot"}])
def test_a_named_range_round_trips_through_the_url(query):
    chosen = scope(**query)
    assert scope_from(chosen.query(), now=NOW, zone=UTC) == chosen
    assert chosen.query()["range"] == chosen.range


@pytest.mark.parametrize(
    ("query", "words", "inside"),
    [
        ({"range": "24h"}, "Last 24 hours", "in the last 24 hours"),
        ({"range": "1h"}, "Last hour", "in the last hour"),
        ({"range": "live"}, "Live, 15 minutes", "in the last 15 minutes"),
        (
            {"from_": "2026-11-02T08:00Z", "to": "2026-11-03T08:00Z"},
            f"2 Nov 09:00 {DASH} 3 Nov 09:00",
            f"from 2 Nov 09:00 {DASH} 3 Nov 09:00",
        ),
        (
            {"from_": "2025-12-31T08:00Z", "to": "2026-01-02T08:00Z"},
            f"31 Dec 2025 09:00 {DASH} 2 Jan 09:00",
            f"from 31 Dec 2025 09:00 {DASH} 2 Jan 09:00",
        ),
        ({"from_": "2026-11-02T08:00Z"}, "Since 2 Nov 09:00", "since 2 Nov 09:00"),
    ],
)
def test_times_are_in_the_readers_time_zone(query, words, inside):
    chosen = scope(zone=BERLIN, **query)
    assert (chosen.words, chosen.in_words) == (words, inside)


def test_list_scopes_describe_all_time_and_open_ranges():
    assert scope(range=ALL, is_list=True).words == "All time"
    before = scope(is_list=True, zone=BERLIN, to="2026-11-02T08:00Z")
    assert (before.words, before.in_words) == ("Until 2 Nov 09:00", "until 2 Nov 09:00")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("24h", "the previous 24 hours"),
        ("1h", "the previous hour"),
        ("live", "the previous 15 minutes"),
    ],
)
def test_the_previous_period_has_a_label(name, words):
    assert scope(range=name).before_words == words


LORD_HOWE = ZoneInfo("Australia/Lord_Howe")


@given(MOMENTS, st.integers(1, 20_000), st.sampled_from(Step), ZONES)
@example(datetime(2016, 9, 30, 22, tzinfo=UTC), 205, Step.HOUR, LORD_HOWE)
@example(datetime(2016, 9, 30, 22, tzinfo=UTC), 400, Step.HOUR, LORD_HOWE)
@example(datetime(2016, 4, 2, 12, 7, tzinfo=UTC), 205, Step.HOUR, LORD_HOWE)
def test_steps_are_contiguous_and_cover_the_range(since, minutes, step, zone):
    until = since + timedelta(minutes=minutes if step is Step.MINUTE else minutes * 5)
    until = min(until, since + timedelta(days=2)) if step is Step.MINUTE else until
    edges = edges_between(since, until, step, zone)
    assert (edges[0], edges[-1]) == (since, until)
    assert all(begin < end for begin, end in pairwise(edges))
    inner = [edge.astimezone(zone) for edge in edges[1:-1]]
    if step is Step.DAY:
        days = [edge.date() for edge in inner]
        before = [(edge - timedelta(minutes=1)).astimezone(UTC) for edge in edges[1:-1]]
        assert all(at.astimezone(zone).date() < day for at, day in zip(before, days, strict=True))
    elif step is not Step.MINUTE:
        assert all(edge.minute % (15 if step is Step.QUARTER else 60) == 0 for edge in inner)


def test_an_hour_with_a_half_hour_clock_change_is_longer():
    spring = edges_between(
        datetime(2016, 10, 1, 13, 30, tzinfo=UTC),
        datetime(2016, 10, 1, 17, tzinfo=UTC),
        Step.HOUR,
        LORD_HOWE,
    )
    assert [after - before for before, after in pairwise(spring)] == [HOUR, HOUR * 1.5, HOUR]
    assert [edge.astimezone(LORD_HOWE).hour for edge in spring] == [0, 1, 3, 4]


def test_the_length_of_a_day_follows_clock_changes():
    since, until = datetime(2026, 10, 23, 22, tzinfo=UTC), datetime(2026, 10, 26, 23, tzinfo=UTC)
    edges = edges_between(since, until, Step.DAY, BERLIN)
    assert [after - before for before, after in pairwise(edges)] == [
        24 * HOUR,
        25 * HOUR,
        24 * HOUR,
    ]
    spring = edges_between(
        datetime(2026, 3, 28, 23, tzinfo=UTC),
        datetime(2026, 3, 29, 22, tzinfo=UTC),
        Step.DAY,
        BERLIN,
    )
    assert [after - before for before, after in pairwise(spring)] == [23 * HOUR]


def test_a_day_without_a_midnight_starts_at_its_first_moment():
    havana = ZoneInfo("America/Havana")
    edges = edges_between(
        datetime(2026, 3, 7, 12, tzinfo=UTC), datetime(2026, 3, 9, 12, tzinfo=UTC), Step.DAY, havana
    )
    assert [f"{edge.astimezone(havana):%d %H:%M}" for edge in edges[1:-1]] == [
        "08 01:00",
        "09 00:00",
    ]


@pytest.mark.parametrize(
    "name",
    ["", "Mars/Olympus", "../../etc/passwd", "/etc/localtime", "Europe", "x" * 65, "\0", "Ü"],
)
def test_an_unknown_time_zone_is_utc(name):
    assert zone_named(name) is UTC


def test_a_time_zone_is_resolved_by_name():
    assert zone_named("Asia/Kathmandu").utcoffset(NOW) == timedelta(hours=5, minutes=45)
