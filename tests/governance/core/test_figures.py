"""Formatting of figures, times and durations on pages."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.core.figures import (
    duration,
    exact_time,
    interval,
    percent,
    short_time,
    size,
    thousands,
)

NOW = datetime(2026, 11, 18, 3, 12, 38, tzinfo=UTC)


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (0, "< 1 ms"),
        (0.4, "< 1 ms"),
        (88, "88 ms"),
        (999.7, "1.0 s"),
        (1_400, "1.4 s"),
        (9_960, "10 s"),
        (59_700, "1 min"),
        (1_665_000, "27 min 45 s"),
        (3_599_800, "1 h"),
        (7_500_000, "2 h 5 min"),
        (90_000_000, "1 d 1 h"),
        (timedelta(seconds=22), "22 s"),
    ],
)
def test_a_duration_has_two_units_at_most(milliseconds, words):
    assert duration(milliseconds) == words


def test_an_unmeasured_value_is_a_dash_not_a_zero():
    assert duration(None) == thousands(None) == percent(None) == size(None) == "\N{EN DASH}"


def test_a_percentage_has_a_space_and_one_decimal():
    assert percent(0.972) == "97.2 %"
    assert percent(0.49, 0) == "49 %"


def test_a_percentage_rounds_to_0_or_100_only_if_exact():
    assert percent(99_999 / 100_000) == "99.9 %"
    assert percent(1 / 100_000) == "0.1 %"
    assert percent(1.0) == "100.0 %"
    assert percent(0.0) == "0.0 %"


def test_thousands_have_a_comma_and_negative_numbers_a_minus_sign():
    assert thousands(19_529) == "19,529"
    assert thousands(-1_200) == "\N{MINUS SIGN}1,200"


@pytest.mark.parametrize(
    ("octets", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_900_000, "1.9 MB"),
        (212_000, "212 kB"),
        (6_000_000_000_000, "6,000 GB"),
    ],
)
def test_a_size_uses_the_shortest_unit(octets, words):
    assert size(octets) == words


def test_the_interval_is_wider_for_5_of_5_than_for_1000_of_1000():
    low, high = interval(5, 5)
    assert (round(low, 3), high) == (0.566, 1.0)
    assert interval(1_000, 1_000)[0] > 0.99


@given(st.integers(1, 10_000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_interval_contains_the_rate(counts):
    successes, of = counts
    low, high = interval(successes, of)
    assert 0 <= low <= successes / of + 1e-12
    assert successes / of - 1e-12 <= high <= 1


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (datetime(2026, 11, 18, 3, 8, 52, tzinfo=UTC), "03:08:52"),
        (datetime(2026, 11, 16, 9, 14, tzinfo=UTC), "Mon 09:14"),
        (datetime(2026, 11, 6, 16, 40, tzinfo=UTC), "6 Nov 16:40"),
        (datetime(2025, 11, 6, 16, 40, tzinfo=UTC), "6 Nov 2025"),
        (datetime(2026, 11, 19, 0, 1, tzinfo=UTC), "19 Nov 00:01"),
    ],
)
def test_a_short_time_has_more_detail_the_more_recent_it_is(moment, words):
    assert short_time(moment, NOW) == words


def test_an_exact_time_has_its_utc_offset():
    west = timezone(-timedelta(hours=3, minutes=30))
    assert exact_time(NOW) == "2026-11-18 03:12:38 +00:00"
    assert exact_time(NOW.astimezone(west)) == "2026-11-17 23:42:38 \N{MINUS SIGN}03:30"
