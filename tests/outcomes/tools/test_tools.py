"""Tools compared with the previous period, and their sort orders."""

import pytest

from outcomes.figures.domain.figures import Figures
from outcomes.tools.domain.tools import ORDERS, Compared, in_order


def figures(good: int = 0, bad: int = 0, *, denied: int = 0, took: int = 0) -> Figures:
    result = Figures()
    result.add(("execution_result", "success", ""), good)
    result.add(("execution_result", "failure", ""), bad)
    result.add(("denied", "", "contract"), denied)
    if took:
        result.durations[took] = good + bad
    return result


def compared(name: str, now: Figures, before: Figures | None = None) -> Compared:
    return Compared(name, now, before or Figures())


def names(rows, column, **how):
    return [row.name for row in in_order(rows, ORDERS[column], **how)]


ROWS = [
    compared("sure", figures(900, 100, took=300), figures(950, 50)),
    compared("few", figures(4, 1, took=500), figures(5, 0)),
    compared("good", figures(500), figures(400, 100)),
    compared("refused", figures(denied=7)),
]


def test_the_worst_tool_by_confidence_bound_is_first():
    # The true rate behind 4 of 5 may well be higher than that behind 90 of 100.
    assert names(ROWS, "success") == ["sure", "few", "good", "refused"]


@pytest.mark.parametrize("column", list(ORDERS))
def test_tools_without_a_value_are_last_in_either_direction(column):
    key = ORDERS[column].key
    unknown = {row.name for row in ROWS if key(row) is None}
    for turned in (False, True):
        result = names(ROWS, column, turned=turned)
        assert set(result[len(result) - len(unknown) :]) == unknown
    known = len(ROWS) - len(unknown)
    values = [key(row) for row in in_order(ROWS, ORDERS[column])[:known]]
    assert values == sorted(values, reverse=not ORDERS[column].least_first)


def test_ties_are_sorted_by_name_in_either_direction():
    rows = [compared(name, figures(1)) for name in "cab"]
    assert names(rows, "calls") == names(rows, "calls", turned=True) == ["a", "b", "c"]


def test_the_change_is_the_difference_of_the_rounded_rates():
    assert compared("t", figures(811, 189), figures(991, 9)).change == -18.0
    assert compared("t", figures(1), figures(denied=1)).change is None


def test_timeouts_are_not_counted_as_ran_and_failed():
    result = figures(3, 2)
    result.add(("timeout", "failure", ""), 5)
    result.add(("artifact_reference", "failure", ""), 1)
    assert (result.ran_and_failed, result.failures) == (3, 8)
