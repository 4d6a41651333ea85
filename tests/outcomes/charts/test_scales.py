"""Ticks of value axes: they cover the values in even, round steps."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcomes.charts.series import (
    Scale,
    Unit,
    count_ticks,
    duration_ticks,
    rate_ticks,
    scale_of,
)
from tests.outcomes.charts.drawn import moderately

MOST = st.floats(0, 1e12) | st.integers(0, 10**12)
AT_MOST = st.integers(2, 9)
DAY = 86_400_000


def steps_of(ticks):
    return {round(after - before, 6) for before, after in pairwise(ticks)}


@moderately
@given(MOST, AT_MOST)
def test_count_ticks_cover_the_range_in_few_even_steps(most, at_most):
    ticks = count_ticks(most, at_most)
    assert ticks[0] == 0
    assert ticks[-1] >= most
    assert 2 <= len(ticks) <= at_most
    assert len(steps_of(ticks)) == 1


@moderately
@given(MOST, AT_MOST)
def test_a_step_of_counts_is_1_2_or_5_times_a_power_of_ten(most, at_most):
    (step,) = steps_of(count_ticks(most, at_most))
    assert str(int(step)).rstrip("0") in ("1", "2", "5")


@moderately
@given(MOST, AT_MOST)
def test_count_ticks_use_the_finest_possible_step(most, at_most):
    (step,) = steps_of(count_ticks(most, at_most))
    finer = [int(step) // by for by in (2, 5) if step % by == 0]
    for each in finer:
        assert -int(-most // each) >= at_most or str(each).rstrip("0") not in ("1", "2", "5")


@moderately
@given(st.floats(0, 1e13), AT_MOST)
def test_duration_ticks_cover_the_range_in_few_even_steps(most, at_most):
    ticks = duration_ticks(most, at_most)
    assert ticks[0] == 0
    assert ticks[-1] >= most
    assert 2 <= len(ticks) <= at_most
    (step,) = steps_of(ticks)
    divides = any(unit % step == 0 or step % unit == 0 for unit in (1_000, 60_000, 3_600_000))
    assert divides or step % DAY == 0


@moderately
@given(st.floats(0, 1))
def test_rate_ticks_end_at_100_percent_and_start_below_the_lowest_value(lowest):
    ticks = rate_ticks(lowest)
    assert ticks[0] <= lowest
    assert ticks[-1] == 1
    assert len(ticks) <= 3
    assert len(steps_of(ticks)) == 1


@moderately
@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=20), st.sampled_from(Unit))
def test_a_scale_covers_every_value_and_preserves_their_order(values, unit):
    values = [value / 1e9 if unit is Unit.RATE else value for value in values]
    scale = scale_of(unit, values)
    places = [scale.along(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(0 <= place <= 1 for place in places)
    assert scale.ticks[0] <= min(values)
    assert max(values) <= scale.ticks[-1]


def test_values_beyond_a_scale_are_clamped_to_its_edge():
    assert [Scale((0, 10)).along(value) for value in (-5, 5, 50)] == [0, 0.5, 1]


@pytest.mark.parametrize(
    ("unit", "value", "words"),
    [
        (Unit.COUNT, 1_500, "1,500"),
        (Unit.RATE, 0.95, "95 %"),
        (Unit.DURATION, 2_000, "2 s"),
        (Unit.DURATION, 90_000, "1 min 30 s"),
        (Unit.DURATION, 0, "0"),
    ],
)
def test_a_tick_has_no_redundant_digits(unit, value, words):
    assert unit.say_tick(value) == words


def test_an_unknown_value_is_labeled_with_a_dash():
    assert {unit.say(None) for unit in Unit} == {"\N{EN DASH}"}
