"""Headlines of backtests: worst change first, then the doubt, in at most 90 characters."""

import pytest

from outcomes.backtesting.words import LONGEST, changed_sentence, limits_sentence, sentence
from outcomes.models import Backtest
from outcomes.recorded_calls.queries import ChangedFilter


def a_result(*, limits=None, **counts):
    counts = {"unchanged": 10, **counts}
    result = {"session_limits": limits or {}}
    return Backtest(status=Backtest.Status.DONE, result=result, **counts)


def limits(earlier=0, newly=0, later=0):
    names = ("earlier_sessions", "newly_stopped_sessions", "later_sessions")
    return dict(zip(names, (earlier, newly, later), strict=True))


@pytest.mark.parametrize(
    ("backtest", "headline"),
    [
        (
            a_result(newly_denied=2, undetermined=32, limits=limits(earlier=2)),
            "2 sessions would hit the limit earlier, 32 later calls could not be evaluated",
        ),
        (
            a_result(newly_denied=1, undetermined=1, limits=limits(newly=1)),
            "1 session would newly hit the limit, 1 later call could not be evaluated",
        ),
        (a_result(newly_denied=2), "2 of 12 calls would be newly denied"),
        (
            a_result(newly_denied=3, limits=limits(earlier=1)),
            "2 of 13 calls would be newly denied, 1 session would hit the limit earlier",
        ),
        (
            a_result(newly_allowed=4, limits=limits(later=2)),
            "2 sessions would hit the limit later or never, 4 calls would be newly allowed",
        ),
        (a_result(), "No change for 10 calls"),
        (a_result(unchanged=0), "No calls to replay"),
        (Backtest(status=Backtest.Status.QUEUED), "Backtest queued"),
        (Backtest(status=Backtest.Status.FAILED), "This backtest failed"),
    ],
)
def test_a_headline_names_the_worst_change_and_the_doubt(backtest, headline):
    assert sentence(backtest) == headline


def test_a_headline_with_large_numbers_fits_the_limit():
    backtest = a_result(
        unchanged=10**7,
        newly_denied=10**6,
        newly_allowed=10**6,
        newly_asking=10**6,
        changed=10**6,
        undetermined=10**6,
        limits=limits(earlier=10**5, newly=10**5, later=10**5),
    )
    assert sentence(backtest).startswith("800,000 of 15,000,000 calls would be newly denied")
    assert len(sentence(backtest)) <= LONGEST


def test_the_headline_of_changed_calls_names_their_change_and_group():
    assert changed_sentence(5, ChangedFilter(change="newly_denied", tool="shell")) == (
        "Newly denied: 5 calls of the tool `shell`"
    )
    assert changed_sentence(1, ChangedFilter()) == "Changed: 1 call"


def test_limits_of_an_older_result_are_stated_as_recorded():
    counted = {"sessions": 68, "stopped_sessions": 2}
    assert limits_sentence(counted) == "2 of 68 sessions hit a limit as recorded."
    assert limits_sentence(counted | limits(earlier=2)).endswith(
        "2 earlier, 0 newly, 0 later or never."
    )
