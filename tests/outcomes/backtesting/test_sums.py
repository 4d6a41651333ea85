"""The figures of a backtest add up, and their size is bounded."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.core.session_limits import MaxExecutions
from outcomes.backtesting.domain.comparison import LET_THROUGH, Answer, Decision, Recorded, Ruling
from outcomes.backtesting.domain.limit_sums import LimitSums
from outcomes.backtesting.domain.session_replay import Result, SessionReplay
from outcomes.backtesting.domain.sums import NAMES, SAMPLES, SESSIONS, CallSummary, Span, Sums
from outcomes.core.moments import micros_of, moment_of
from outcomes.record.session_step import Step
from outcomes.recorded_calls.domain import Change

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

BEGINNING = datetime(2026, 11, 1, tzinfo=UTC)
SPAN = Span(micros_of(BEGINNING), micros_of(BEGINNING + timedelta(days=1)))
DENIES = Ruling(Decision.DENIED, ("a",))


def a_call(number=0, *, tool="t", at=BEGINNING):
    return CallSummary(f"c-{number}", "production", "s", tool, "bot", micros_of(at), number)


def added(*changes, sums=None):
    sums = sums or Sums(SPAN)
    for number, change in enumerate(changes):
        at = BEGINNING + timedelta(minutes=number)
        sums.add(a_call(number, at=at), LET_THROUGH, Result(change, DENIES), drifted=False)
    return sums


def summed(rows, change=None):
    return sum(count for row in rows for name, count in row.items()
               if name != "at" and change in (None, name))  # fmt: skip


@UNTIMED
@given(st.lists(st.sampled_from(Change)))
def test_every_table_adds_up_to_the_number_of_calls(changes):
    sums = added(*changes)
    value = sums.as_json()
    assert sums.calls == len(changes) == sum(sums.counts.values())
    assert summed(value["by_tool"].values()) == summed(value["by_agent"].values())
    assert summed(value["by_tool"].values()) == summed(value["over_time"]) == len(changes)
    assert summed(value["by_rule"].values()) == len(changes) - changes.count(Change.UNCHANGED)


@UNTIMED
@given(st.lists(st.integers(0, 86_399)))
def test_an_unchanged_call_is_counted_the_same_with_and_without_comparison(seconds):
    compared, left = Sums(SPAN), Sums(SPAN)
    unchanged = Result(Change.UNCHANGED, Ruling(Decision.ALLOWED))
    for second in seconds:
        at = BEGINNING + timedelta(seconds=second)
        compared.add(a_call(at=at), LET_THROUGH, unchanged, drifted=False)
        left.leave("t", "bot", micros_of(at))
    assert left.as_json() == compared.as_json()


@UNTIMED
@given(st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - the zone is given beside them
def test_a_timestamp_round_trips_through_microseconds(at):
    assert moment_of(micros_of(at)) == at


def test_a_newly_allowed_call_is_counted_under_the_rule_that_denied_it():
    sums = Sums(SPAN)
    was = Recorded(Decision.DENIED, "old")
    sums.add(a_call(), was, Result(Change.NEWLY_ALLOWED, Ruling(Decision.ALLOWED)), drifted=False)
    assert sums.by_rule["old"]["newly_allowed"] == 1


def test_names_beyond_the_limit_are_combined_as_others():
    sums = Sums(SPAN)
    for number in range(NAMES + 20):
        sums.add(a_call(tool=f"t-{number}"), LET_THROUGH, Result(Change.UNCHANGED, DENIES),
                 drifted=False)  # fmt: skip
    assert len(sums.by_tool) == NAMES + 1
    assert sums.by_tool["(others)"]["unchanged"] == 20


def test_the_samples_of_each_change_are_bounded():
    sums = added(*[Change.NEWLY_DENIED] * 50, Change.NEWLY_ASKING, Change.UNCHANGED)
    assert len(sums.samples["newly_denied"]) == SAMPLES
    assert sums.samples["newly_asking"][0]["rule"] == "a"
    assert "unchanged" not in sums.samples


def test_the_sessions_with_the_most_changes_are_stored():
    sums = Sums(SPAN)
    for number in range(3 * SESSIONS):
        sums.end_session("production", f"s-{number}", {"newly_denied": number, "unchanged": 5})
    stored = sums.as_json()["by_session"]
    assert len(stored) == SESSIONS
    assert f"production/s-{3 * SESSIONS - 1}" in stored
    assert sums.sessions_changed == 3 * SESSIONS - 1


def test_a_drifting_call_is_counted_in_addition_to_its_change():
    sums = Sums(SPAN)
    sums.add(
        a_call(), LET_THROUGH, Result(Change.UNCHANGED, Ruling(Decision.ALLOWED)), drifted=True
    )
    assert (sums.drift, sums.calls) == (1, 1)
    assert len(sums.samples["drift"]) == 1


def test_each_limit_counts_sessions_stopped_as_recorded_and_under_each_count():
    limits = (MaxExecutions(1, rule_ids=("limits",)),)
    sums, replay = LimitSums(limits), SessionReplay(limits)
    stopped = Recorded(Decision.DENIED, "limits", by_limit=True)
    for step, recorded in [
        (Step(kind="execution_result", tool="t"), LET_THROUGH),
        (Step(kind="denied", tool="t", reason="limit", rule="limits"), stopped),
    ]:
        sums.see(recorded, replay.replay(step, recorded, Answer()))
    sums.end_session(replay)
    result = sums.as_json()
    assert result["stopped_sessions"] == 1
    assert result["limits"][0]["rule"] == "limits"
    assert result["limits"][0]["sessions"] == {
        "recorded": 1, "executions": 1, "reported": 0, "classified": 0,
    }  # fmt: skip


RAN = (Step(kind="execution_result", tool="t"), LET_THROUGH)
STOPPED = (
    Step(kind="denied", tool="t", reason="limit", rule="limits"),
    Recorded(Decision.DENIED, "limits", by_limit=True),
)


@pytest.mark.parametrize(
    ("calls", "earlier", "newly", "later"),
    [
        ([RAN] * 2 + [STOPPED], 0, 0, 0),
        ([RAN] * 3 + [STOPPED], 1, 0, 0),
        ([RAN] * 3, 0, 1, 0),
        ([RAN, STOPPED], 0, 0, 1),
        ([RAN] * 2, 0, 0, 0),
    ],
    ids=["the same", "earlier", "newly", "later", "no limit"],
)
def test_sessions_are_counted_by_whether_the_limit_is_hit_earlier_newly_or_later(
    calls, earlier, newly, later
):
    limits = (MaxExecutions(2, rule_ids=("limits",)),)
    sums, replay = LimitSums(limits), SessionReplay(limits)
    for step, recorded in calls:
        sums.see(recorded, replay.replay(step, recorded, Answer()))
    sums.end_session(replay)
    result = sums.as_json()
    names = ("earlier_sessions", "newly_stopped_sessions", "later_sessions")
    assert [result[name] for name in names] == [earlier, newly, later]
