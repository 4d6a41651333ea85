"""Repeats of a session, counted call by call, match the session overview."""

import json
from datetime import UTC, datetime, timedelta
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from outcomes.record.brief_call import BriefCall
from outcomes.sessions.domain.overview import overview_of
from outcomes.sessions.domain.repeats import DENIED_CALLS, REMEMBERED, Repeats, RequestedCall

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
NUMBERS = count(1)
ERRORS = ("failure", "timeout")

requested_calls = st.builds(
    RequestedCall,
    id=st.builds(lambda: next(NUMBERS)),
    at=st.just(NOON),
    turn=st.sampled_from(["", "t-1", "t-2"]),
    tool=st.sampled_from([1, 2]),
    kind=st.sampled_from(["", "denied", "execution_result", "failure", "timeout"]),
    arguments=st.sampled_from([None, b"a" * 16, b"b" * 16]),
    idempotent=st.booleans(),
    blocks_tool=st.booleans(),
).map(lambda call: call._replace(blocks_tool=call.blocks_tool and call.kind in ERRORS))


def denied(arguments: bytes, second: int) -> RequestedCall:
    at = NOON + timedelta(seconds=second)
    return RequestedCall(1_000 + second, at, "", 1, "denied", arguments, False, False)  # noqa: FBT003 - the columns in their order


def read(calls) -> Repeats:
    repeats = Repeats()
    for call in calls:
        repeats.advance(call)
    return repeats


def brief(call: RequestedCall) -> BriefCall:
    return BriefCall(
        call.id, "c", call.at, call.turn, call.kind, "", "", "", str(call.tool), "", "", None,
        call.idempotent, call.blocks_tool, call.arguments, "", None, None,
    )  # fmt: skip


@given(st.lists(requested_calls, max_size=30))
def test_the_stored_waste_count_equals_the_session_overview(calls):
    assert read(calls).waste == overview_of([brief(call) for call in calls]).wasted


@given(st.lists(requested_calls, max_size=30), st.data())
def test_a_stored_state_continues_as_if_uninterrupted(calls, data):
    border = data.draw(st.integers(0, len(calls)))
    stored = json.loads(json.dumps(read(calls[:border]).state()))
    repeats = Repeats.resumed(stored)
    for call in calls[border:]:
        repeats.advance(call)
    at_once = read(calls)
    assert repeats.state() == at_once.state()
    assert repeats.longest_loop() == at_once.longest_loop()


def test_the_longest_loop_is_the_most_denied_call_and_the_last_among_equals():
    one, other = b"a" * 16, b"b" * 16
    denials = [denied(one, 0), denied(other, 1), denied(one, 2), denied(other, 3)]
    loop = read(denials).longest_loop()
    assert loop is not None
    assert (loop.times, loop.call) == (2, 1_003)
    assert (loop.first_at, loop.last_at) == (NOON + timedelta(seconds=1), denials[3].at)
    longer = read([*denials, denied(one, 4)]).longest_loop()
    assert longer is not None
    assert (longer.times, longer.first_at) == (3, NOON)
    assert read([denied(one, 0), denied(other, 1)]).longest_loop() is None


def test_the_state_of_very_long_sessions_is_bounded():
    many = [denied(number.to_bytes(16, "big"), number) for number in range(REMEMBERED + 50)]
    loop = [denied(b"x" * 16, 5_000 + number) for number in range(2)]
    repeats = read([*many[:20], *loop, *many[20:]])
    assert len(repeats.state()["denied"]) == DENIED_CALLS
    assert repeats.longest_loop() is not None
    forgotten, remembered = many[0], many[-1]
    for call, wasted in ((forgotten, 1), (remembered, 2)):
        repeats.advance(call)
        assert repeats.waste == wasted
