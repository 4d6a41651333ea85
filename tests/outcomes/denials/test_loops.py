"""How long a loop goes on."""

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


def test_it_goes_on_until_it_has_been_quiet_for_a_while():
    assert LOOP.goes_on(LAST + STILL / 2)
    assert not LOOP.goes_on(LAST + STILL)


def test_it_cost_what_passed_from_its_first_to_its_last_call():
    assert LOOP.lasted == timedelta(minutes=2)
