"""Changed verdicts within a long session give the same counts as if they had always been so."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from governance.core.session_limits import limits_of
from governance.core.verdict import Verdict
from outcomes.record.classification import effective
from outcomes.record.session_step import Step
from outcomes.sessions.domain.long_session import LongSession
from outcomes.sessions.domain.session import SessionTally

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
LIMITS = limits_of(
    [
        {
            "id": "cap",
            "limits": {
                "max_attempts": 4,
                "max_tool_calls": 3,
                "max_calls_per_tool": {"query": 2, "mail": 1},
            },
        }
    ],
    assume_sdk=True,
)
verdicts = st.sampled_from([None, *Verdict])


@st.composite
def steps(draw: st.DrawFn) -> Step:
    kind = draw(st.sampled_from(["execution_result", "timeout", "denied", ""]))
    tool, reason = draw(st.sampled_from(["query", "mail"])), "limit" * (kind == "denied")
    step = Step(kind=kind, tool=tool, reason=reason, from_sdk=draw(st.booleans()))
    return step if kind in ("denied", "") else judged(step, draw(verdicts), draw(verdicts))


def judged(step: Step, classified: Verdict | None, reported: Verdict | None) -> Step:
    verdict, _ = effective("execution_result", classified, reported, is_bound=True, own_check=False)
    return Step(
        kind=step.kind,
        tool=step.tool,
        verdict=verdict,
        reported=reported,
        checked=classified is not None,
        from_sdk=step.from_sdk,
    )


def place(number):
    return NOON + timedelta(seconds=number // 3), number % 3, 0


def tallied(session):
    tally = SessionTally(LIMITS)
    for step in session:
        tally.advance(step)
    return tally


@given(st.lists(steps(), min_size=1, max_size=40), st.data())
def test_corrected_counts_equal_a_recount_of_all_calls(session, data):
    tally, long = tallied(session), LongSession(LIMITS)
    for number, step in enumerate(session):
        long.append(place(number), step)
    for _ in range(3):
        changed = []
        for number in data.draw(st.sets(st.integers(0, len(session) - 1), max_size=8)):
            before = session[number]
            if before.verdict is not None:
                session[number] = judged(before, data.draw(verdicts), before.reported)
                changed.append((before, session[number]))
                long.reclassify(place(number), session[number])
        long.correct(tally, changed)
        assert tally.state() == tallied(session).state()


@given(st.lists(steps(), min_size=1, max_size=40), st.data())
def test_a_session_truncated_and_replayed_with_other_calls_is_counted_correctly(session, data):
    long = LongSession(LIMITS)
    for number, step in enumerate(session):
        long.append(place(number), step)
    cut = data.draw(st.integers(0, len(session)))
    long.cut(place(cut))
    assert (len(long), long.last) == (cut, place(cut - 1) if cut else None)
    session[cut:] = data.draw(st.lists(steps(), max_size=10))
    for number, step in enumerate(session[cut:], cut):
        long.append(place(number), step)
    tally = tallied(session)
    before = tally.state()
    long.correct(tally, [])
    assert tally.state() == before
