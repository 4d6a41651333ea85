"""Session overview: turns, waste, denials and durations."""

from outcomes.sessions.domain.overview import overview_of
from outcomes.sessions.domain.repeats import WasteKind
from tests.outcomes.sessions.briefs import a_brief

SAME = b"the same asked"


def test_a_repeat_after_success_is_waste_including_its_time():
    calls = [a_brief(arguments=SAME), a_brief(arguments=SAME, elapsed_ms=7.0)]
    (line,) = overview_of(calls).waste
    assert (line.kind, line.ran, line.calls) == (WasteKind.REPEATED_AFTER_SUCCESS, True, 1)
    assert (line.elapsed_ms, line.tools) == (7.0, [("query", 1)])


def test_calls_without_reported_arguments_are_not_repeats():
    assert overview_of([a_brief(), a_brief()]).waste == []


def test_a_repeated_denial_is_waste_without_time():
    calls = [a_brief("denied", arguments=SAME) for _ in range(3)]
    (line,) = overview_of(calls).waste
    assert (line.kind, line.ran, line.calls) == (WasteKind.DENIED_REPEATED, False, 2)
    assert line.elapsed_ms == 0


def test_a_non_retryable_failure_blocks_its_tool_until_the_turn_ends():
    calls = [
        a_brief("failure", verdict="failure", blocks_tool=True, tool="pay"),
        a_brief("denied", reason="blocked", tool="pay"),
        a_brief("execution_result", tool="pay", turn_id="t-2"),
    ]
    first, second = overview_of(calls).turns
    assert [(blocked.tool, blocked.calls_after) for blocked in first.blocked] == [("pay", 1)]
    assert second.blocked == []


def test_a_retryable_failure_does_not_block_its_tool():
    calls = [a_brief("failure", verdict="failure"), a_brief("timeout", verdict="failure")]
    (turn,) = overview_of(calls).turns
    assert turn.blocked == []


def test_interleaved_turns_have_the_numbers_of_their_calls():
    calls = [a_brief(turn_id=turn) for turn in ("a", "b", "a", "b", "b")]
    lines = overview_of(calls).turns
    assert [(line.turn_id, line.first, line.last, line.calls) for line in lines] == [
        ("a", 1, 3, 2),
        ("b", 2, 5, 3),
    ]


def test_calls_without_a_turn_id_have_no_turn_but_their_repeated_denials_count():
    calls = [a_brief("denied", arguments=SAME, turn_id="") for _ in range(2)]
    overview = overview_of(calls)
    assert overview.turns == []
    assert overview.wasted == 1


def test_waste_without_a_turn_id_is_counted_in_the_previous_turn():
    repeats = [a_brief("denied", arguments=SAME, turn_id="") for _ in range(3)]
    overview = overview_of([a_brief(turn_id="a"), *repeats, a_brief(turn_id="b")])
    assert [(turn.denied, turn.wasted) for turn in overview.turns] == [(3, 2), (0, 0)]
    assert overview.wasted == 2


def test_open_calls_are_neither_executed_nor_failed():
    overview = overview_of([a_brief("")])
    assert overview.results.ran == 0
    assert overview.turns[0].results.ran == 0


def test_a_failure_reported_as_success_was_missed_by_the_agent():
    calls = [
        a_brief(verdict="failure", reported="success"),
        a_brief(verdict="failure", reported="failure"),
        a_brief(verdict="success", reported="failure"),
    ]
    assert overview_of(calls).missed == 1


def test_an_unreported_failure_is_silent():
    calls = [
        a_brief(verdict="failure"),
        a_brief("artifact_reference", verdict="failure"),
        a_brief("timeout", verdict="failure"),
        a_brief("failure", verdict="failure"),
        a_brief(verdict="failure", reported="failure"),
    ]
    overview = overview_of(calls)
    assert (overview.unsaid, overview.missed) == (2, 0)


def test_denials_are_grouped_by_reason_with_rules_and_the_newest_message():
    calls = [
        a_brief("denied", reason="limit", detail="first words", rule="cap"),
        a_brief("denied", reason="limit", detail="last words", rule="cap"),
        a_brief("denied", reason="pre_hook", tool="deploy"),
    ]
    limit, hook = overview_of(calls).denials
    assert (limit.reason, limit.calls, limit.details, limit.names) == (
        "limit",
        2,
        "last words",
        ["cap"],
    )
    assert (hook.reason, hook.details, hook.names) == ("pre_hook", "", ["deploy"])


def test_only_measured_durations_are_summed():
    calls = [a_brief(elapsed_ms=None), a_brief(elapsed_ms=0.0), a_brief("timeout", elapsed_ms=30.0)]
    overview = overview_of(calls)
    assert (overview.measured, overview.elapsed_ms) == (2, 30.0)
    assert (overview.timeouts, overview.timeouts_ms) == (1, 30.0)


def test_the_newest_calls_of_a_long_session_have_their_numbers_in_the_session():
    overview = overview_of([a_brief(), a_brief("artifact_reference")], first=41)
    assert overview.turns[0].first == 41
    assert [number for number, _ in overview.artifacts] == [42]
