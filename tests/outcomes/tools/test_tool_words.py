"""Headlines of the tool pages."""

from datetime import UTC, datetime

import pytest
from django.utils.html import strip_tags

from outcomes.core.scope import scope_from
from outcomes.figures.domain.figures import Figures
from outcomes.figures.domain.standouts import Fall, Judged
from outcomes.figures.queries.doubt import NO_DOUBT, Doubt, Suspected
from outcomes.tools.domain.tools import Compared
from outcomes.tools.words.tool import tool_second_sentence, tool_sentence, tools_sentence

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
DAY = scope_from({}, now=NOON, zone=UTC)


def figures(good=0, bad=0, *, missed=0, denied=0, open_=0, unknown=0, unchecked=0) -> Figures:
    result = Figures()
    for became, number in (
        (("execution_result", "success", ""), good),
        (("execution_result", "unknown", ""), unknown),
        (("denied", "", "contract"), denied),
        (("", "", ""), open_),
    ):
        result.add(became, number)
    result.add(("execution_result", "failure", ""), bad, missed)
    result.add(("execution_result", "success", ""), unchecked, unchecked=True)
    return result


def tools(*named: tuple[str, Figures, Figures]) -> list[Compared]:
    return [Compared(*each) for each in named]


def fall(tool: str, now: int, before: int) -> Fall:
    return Fall(tool, Judged(now, 100), Judged(before, 100))


GOOD, BAD, NONE = figures(100), figures(80, 20), figures()
BLIND = figures(unchecked=24)


def suspected(*tools: str, is_all=True) -> Doubt:
    return Doubt([Suspected(tool, "bot", "production", NOON) for tool in tools], is_all=is_all)


@pytest.mark.parametrize(
    ("rows", "fallen", "doubt", "words"),
    [
        (tools(), [], NO_DOUBT, "No tool calls in the last 24 hours"),
        (tools(("a", figures(denied=1), NONE)), [], NO_DOUBT, "1 tool, 1 call without a verdict"),
        (tools(("a", BAD, NONE)), [], NO_DOUBT, "1 tool. 80.0 % of 100 calls succeeded"),
        (
            tools(("a", BLIND, NONE)),
            [],
            NO_DOUBT,
            "24 calls reported success. None sent an output, so none was checked.",
        ),
        (
            tools(("a", GOOD, GOOD), ("b", GOOD, GOOD)),
            [],
            NO_DOUBT,
            "2 tools, no significant drop vs the previous 24 hours",
        ),
        (
            tools(("a", BAD, GOOD), ("c", GOOD, GOOD)),
            [fall("a", 80, 98)],
            NO_DOUBT,
            "a success down to 80.0 % from 98.0 %",
        ),
        (
            tools(*[(name, BAD, GOOD) for name in "abcde"]),
            [fall(name, 80, 98) for name in "abc"],
            suspected("d"),
            "a success down to 80.0 % from 98.0 %, 2 other tools fell too, 1 output in doubt",
        ),
        (
            tools(("a", GOOD, GOOD), ("b", GOOD, GOOD)),
            [],
            suspected("b", "b"),
            "b: 2 of 100 outputs look like failures, and no check covers them",
        ),
        (
            tools(("a", GOOD, GOOD), ("b", GOOD, GOOD)),
            [],
            suspected("a", "b", "b"),
            "3 outputs of 2 tools look like failures, and no check covers them",
        ),
    ],
)
def test_the_list_headline_states_a_drop_or_outputs_in_doubt(rows, fallen, doubt, words):
    assert strip_tags(tools_sentence(rows, fallen, doubt, DAY)) == words
    assert len(words) <= 90


@pytest.mark.parametrize(
    ("now", "before", "doubt", "words"),
    [
        (NONE, GOOD, NO_DOUBT, "t was not called in the last 24 hours"),
        (figures(denied=2), NONE, NO_DOUBT, "t: 2 calls denied, none ran"),
        (figures(open_=1), NONE, NO_DOUBT, "t: 1 call still running"),
        (figures(unknown=2, denied=1), NONE, NO_DOUBT, "t: 3 calls without a verdict"),
        (figures(1), NONE, NO_DOUBT, "t: 1 call succeeded"),
        (figures(41), GOOD, NO_DOUBT, "t: All 41 calls succeeded"),
        (figures(99, 1), GOOD, NO_DOUBT, "t: 99.0 % of 100 calls succeeded"),
        (BAD, GOOD, NO_DOUBT, "t success down to 80.0 % from 100.0 %"),
        (GOOD, BAD, NO_DOUBT, "t success up to 100.0 % from 80.0 %"),
        (
            BLIND,
            GOOD,
            NO_DOUBT,
            "t: 24 calls reported success. None sent an output, so none was checked.",
        ),
        (
            figures(3, unchecked=1),
            NONE,
            NO_DOUBT,
            "t: 100.0 % of 4 calls reported success, 1 of them not checked",
        ),
        (
            GOOD,
            GOOD,
            suspected("t"),
            "t: 1 of 100 outputs looks like a failure, and no check covers it",
        ),
        (
            GOOD,
            GOOD,
            suspected("t", "t", is_all=False),
            "t: at least 2 of 100 outputs look like failures, and no check covers them",
        ),
    ],
)
def test_the_tool_headline_claims_no_more_than_was_checked(now, before, doubt, words):
    assert strip_tags(tool_sentence("t", now, before, DAY, doubt)) == words


@pytest.mark.parametrize(
    ("now", "doubt", "words"),
    [
        (figures(5), NO_DOUBT, ""),
        (figures(5, 3, missed=2), NO_DOUBT, "Agents missed 2 of 3 failures."),
        (figures(5, 1, missed=1), suspected("t"), "All from bot. Agents missed 1 of 1 failure."),
    ],
)
def test_the_second_sentence_names_the_agent_and_the_missed_failures(now, doubt, words):
    assert strip_tags(tool_second_sentence(now, doubt)) == words
