"""End and duration of a loop."""

from datetime import UTC, datetime, timedelta

from outcomes.denials.domain import STILL, Loop

LAST = datetime(2026, 11, 18, 9, tzinfo=UTC)
LOOP = Loop(
    session_id="s-1",
    environment="production",
    agent="bot",
    tool="shell",
    rule="no-deleting",
    reason="contract",
    times=4,
    first_at=LAST - timedelta(minutes=2),
    last_at=LAST,
    call_id="c-4",
)


def test_a_loop_ends_after_a_quiet_period():
    assert LOOP.goes_on(LAST + STILL / 2)
    assert not LOOP.goes_on(LAST + STILL)


def test_the_duration_of_a_loop_is_from_its_first_to_its_last_call():
    assert LOOP.lasted == timedelta(minutes=2)
