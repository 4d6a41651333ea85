"""Ticks of time axes at round times of the reader's clock, including clock changes."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcomes.charts.axes import share_at, time_ticks
from tests.outcomes.charts.drawn import moderately

# Whole, half and quarter hours; clocks that change at night, at midnight, and by half an hour.
ZONES = [
    ZoneInfo(name)
    for name in (
        "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu",
        "Australia/Lord_Howe", "America/Santiago", "Africa/Cairo", "Pacific/Apia",
    )
]  # fmt: skip
BERLIN = ZoneInfo("Europe/Berlin")
# From 2001 to 2049.
MOMENTS = st.integers(980_000_000, 2_520_000_000).map(lambda s: datetime.fromtimestamp(s, UTC))
SPANS = st.timedeltas(timedelta(seconds=5), timedelta(days=4_000))


def at(text, zone=BERLIN):
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def words(first, last, at_most=8):
    return [tick.words for tick in time_ticks(first, last, BERLIN, at_most)]


@moderately
@given(MOMENTS, SPANS, st.sampled_from(ZONES), st.integers(2, 10))
def test_ticks_are_few_sorted_and_within_range(first, span, zone, at_most):
    ticks = time_ticks(first, first + span, zone, at_most)
    moments = [tick.at for tick in ticks]
    assert len(moments) <= at_most
    assert moments == sorted(set(moments))
    assert all(first <= moment <= first + span for moment in moments)


@moderately
@given(MOMENTS, SPANS, st.sampled_from(ZONES))
def test_an_axis_of_any_length_has_a_tick(first, span, zone):
    assert time_ticks(first, first + span, zone, 8)


@moderately
@given(
    MOMENTS,
    st.sampled_from(ZONES),
    st.sampled_from([timedelta(hours=6), timedelta(days=2, hours=3)]),
)
def test_ticks_of_a_few_days_are_at_full_minutes_and_hours(first, zone, span):
    ticks = [tick.at.astimezone(zone) for tick in time_ticks(first, first + span, zone, 8)]
    least = 30 if span < timedelta(days=1) else 360
    assert all(tick.second == tick.microsecond == 0 for tick in ticks)
    assert all((60 * tick.hour + tick.minute) % least == 0 for tick in ticks)


@moderately
@given(MOMENTS, st.sampled_from(ZONES), st.integers(9, 60))
def test_ticks_over_weeks_are_at_the_start_of_a_day(first, zone, days):
    for tick in time_ticks(first, first + timedelta(days=days), zone, 8):
        just_before = (tick.at - timedelta(seconds=1)).astimezone(zone)
        assert just_before.date() < tick.at.astimezone(zone).date()


@moderately
@given(MOMENTS, st.sampled_from(ZONES), st.integers(200, 4_000))
def test_ticks_over_months_are_at_the_first_of_the_month(first, zone, days):
    for tick in time_ticks(first, first + timedelta(days=days), zone, 8):
        assert tick.at.astimezone(zone).day == 1


def test_a_day_is_labeled_at_its_start():
    assert words(at("2026-11-17T05:00"), at("2026-11-18T05:00"), 4) == [
        "Tue 06:00", "12:00", "18:00", "Wed 00:00",
    ]  # fmt: skip


def test_ticks_over_more_than_a_week_are_labeled_with_a_date():
    assert words(at("2026-11-01T00:00"), at("2026-11-15T00:00"), 4) == ["2 Nov", "9 Nov"]
    assert words(at("2026-01-15T00:00"), at("2026-04-15T00:00"), 3) == [
        "Feb 2026", "Mar 2026", "Apr 2026",
    ]  # fmt: skip


def test_ticks_follow_the_local_clock_across_a_skipped_hour():
    spring = time_ticks(at("2026-03-29T00:00"), at("2026-03-29T12:00"), BERLIN, 5)
    assert [tick.words for tick in spring] == ["Sun 00:00", "03:00", "06:00", "09:00", "12:00"]
    assert spring[1].at - spring[0].at == timedelta(hours=2)


def test_a_repeated_hour_is_labeled_twice():
    ticks = time_ticks(at("2026-10-25T01:00"), at("2026-10-25T04:00"), BERLIN, 5)
    assert [tick.words for tick in ticks] == ["Sun 01:00", "02:00", "02:00", "03:00", "04:00"]


@pytest.mark.parametrize(("moment", "share"), [(-1, 0), (0, 0), (30, 0.25), (90, 0.75), (500, 1)])
def test_a_moment_is_placed_proportionally_within_its_step(moment, share):
    edges = [at("2026-11-18T00:00") + timedelta(minutes=60 * place) for place in range(3)]
    assert share_at(edges[0] + timedelta(minutes=moment), edges) == pytest.approx(share)
