"""Splitting a period into counted days and uncounted ranges that cover each moment once."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from outcomes.core.moments import day_of
from outcomes.sessions.domain.days import covered, start_of

HOUR = timedelta(hours=1)
days = st.sets(st.integers(0, 12))
hours = st.none() | st.integers(-30, 24 * 14).map(lambda hour: start_of(0) + hour * HOUR)


def test_days_are_utc_days():
    assert day_of(datetime(1970, 1, 2, 23, 59, tzinfo=UTC)) == 1
    assert day_of(datetime(1969, 12, 31, 23, tzinfo=UTC)) == -1
    assert start_of(1) == datetime(1970, 1, 2, tzinfo=UTC)


def test_an_uncounted_day_is_read_from_its_sessions():
    since, until = start_of(3), start_of(4)
    assert covered(since, until, [], {3}).uncounted == [(since, until)]


@given(hours, hours, days, days)
def test_every_moment_of_a_period_is_covered_exactly_once(since, until, counted, changed):
    counted_days = covered(since, until, counted, changed)
    for hour in range(-30, 24 * 14):
        moment = start_of(0) + hour * HOUR
        is_within = (since is None or since <= moment) and (until is None or moment < until)
        day = day_of(moment)
        looked_at = sum(
            (start is None or start <= moment) and (end is None or moment < end)
            for start, end in counted_days.uncounted
        )
        # Up to the newest counted day, a day that is neither counted nor changed has no sessions.
        is_empty = bool(counted) and day <= max(counted) and day not in counted | changed
        times = looked_at + (day in counted_days.days)
        assert times == is_within or (is_empty and times <= is_within)
