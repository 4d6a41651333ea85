"""Assignment of calls to bindings by environment, agent and tool."""

from governance.checks.domain import Binding
from outcomes.check_editor.domain.quotas import Counted, SharedOut, names_agents, shared_out


def line(tool: str, *, env: str = "*", agent: str = "*") -> Binding:
    return Binding(env, agent, tool, "any")


def test_each_call_is_assigned_to_the_first_matching_binding():
    lines = [line("http_*", env="production"), line("http_get"), line("crm_*")]
    shares = shared_out(
        lines,
        [
            Counted("production", "http_get", 10),
            Counted("staging", "http_get", 5),
            Counted("staging", "http_put", 3),
            Counted("production", "crm_read", 2),
        ],
    )
    assert shares == SharedOut(lines=(10, 5, 2), last=3, uncovered=(("http_put", 3),))
    assert (shares.calls, shares.uncovered_calls) == (20, 3)


def test_a_tool_with_a_binding_in_any_environment_is_covered():
    shares = shared_out(
        [line("http_get", env="production")],
        [Counted("production", "http_get", 1), Counted("staging", "http_get", 9)],
    )
    assert (shares.last, shares.uncovered) == (9, ())


def test_calls_of_named_agents_are_subtracted_from_the_total():
    lines = [line("*", agent="bill-*"), line("search")]
    assert names_agents(lines) == ["bill-*"]
    shares = shared_out(
        lines,
        [Counted("production", "search", 100), Counted("production", "pay", 10)],
        [
            Counted("production", "search", 30, "bill-1"),
            Counted("production", "pay", 10, "bill-2"),
        ],
    )
    assert shares == SharedOut(lines=(40, 70), last=0, uncovered=())


def test_a_call_of_a_named_agent_falls_through_to_bindings_for_all_agents():
    lines = [line("pay", agent="bill-*"), line("search")]
    shares = shared_out(
        lines,
        [Counted("production", "search", 100)],
        [Counted("production", "search", 30, "bill-1")],
    )
    assert shares.lines == (0, 100)


def test_calls_recorded_between_the_two_counts_cause_no_negative_count():
    shares = shared_out(
        [line("*", agent="b")],
        [Counted("production", "search", 1)],
        [Counted("production", "search", 2, "b")],
    )
    assert (shares.lines, shares.last) == ((2,), 0)


def test_uncovered_tools_are_sorted_by_number_of_calls():
    calls = [Counted("p", "a", 1), Counted("p", "b", 7), Counted("q", "a", 9), Counted("p", "c", 7)]
    assert shared_out([], calls).uncovered == (("a", 10), ("b", 7), ("c", 7))


def test_without_calls_every_binding_has_zero_calls():
    assert shared_out([line("*")], []) == SharedOut(lines=(0,), last=0, uncovered=())
