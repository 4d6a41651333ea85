"""Rollups that cover a period, and steps of the reader's clock."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from outcomes.core.moments import Step, spans
from outcomes.figures.domain.rollups import DAY, HOUR, MINUTE, QUARTER, Run, joined, runs

minutes = st.integers(29_000_000, 29_010_000)
moments = st.integers(0, 3 * 365 * DAY * 60).map(
    lambda seconds: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)
zones = st.sampled_from(
    ["UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Havana"]
).map(ZoneInfo)


@given(minutes, minutes, st.sampled_from([MINUTE, QUARTER, HOUR, DAY]))
def test_rollups_cover_each_minute_of_a_period_once(one, other, coarsest):
    first, end = sorted([one, other])
    parts = runs(first, end, coarsest)
    covered = [
        minute
        for run in parts
        for start in run.starts()
        for minute in range(start, start + run.step)
    ]
    assert covered == list(range(first, end))
    assert all(
        run.step <= coarsest and start % run.step == 0 for run in parts for start in run.starts()
    )


@given(minutes, minutes)
def test_the_number_of_rollups_read_is_bounded_by_the_next_coarser_step(one, other):
    first, end = sorted([one, other])
    parts = {step: sum(len(run.starts()) for run in runs(first, end) if run.step == step)
             for step in (MINUTE, QUARTER, HOUR)}  # fmt: skip
    assert parts[MINUTE] <= 28
    assert parts[QUARTER] <= 6
    assert parts[HOUR] <= 46


def test_a_period_without_an_end_is_read_from_daily_rollups():
    assert runs(None, None) == [Run(DAY, None, None)]
    assert runs(1_430, None) == [Run(MINUTE, 1_430, 1_440), Run(DAY, 1_440, None)]


def test_adjacent_runs_of_one_step_are_joined():
    apart = [Run(HOUR, 60, 120), Run(QUARTER, 120, 135), Run(HOUR, 0, 60)]
    assert joined(apart) == [Run(QUARTER, 120, 135), Run(HOUR, 0, 120)]


@given(moments, moments, zones)
def test_steps_cover_the_period_without_gaps(one, other, zone):
    since, until = sorted([one, other])
    parts = spans(since, until, Step.DAY, zone)
    assert all(earlier.end == later.start for earlier, later in pairwise(parts))
    assert (parts[0].start, parts[-1].end) == (since, until) if parts else since == until
    for span in parts[1:]:
        local = span.start.astimezone(zone)
        before = (span.start - timedelta(microseconds=1)).astimezone(zone)
        assert local.date() == before.date() + timedelta(days=1)


@given(
    moments, st.integers(0, 90_000), zones, st.sampled_from([Step.MINUTE, Step.QUARTER, Step.HOUR])
)
def test_steps_shorter_than_a_day_start_on_the_clock(since, seconds, zone, step):
    until = since + timedelta(seconds=seconds)
    parts = spans(since, until, step, zone)
    assert sum((span.end - span.start for span in parts), timedelta()) == until - since
    for span in parts[1:]:
        assert span.start.second == span.start.microsecond == 0
        assert span.end - span.start <= timedelta(seconds=step)
