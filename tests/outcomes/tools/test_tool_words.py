"""The sentences that the pages of tools open with: the calm, the single and the plural ones."""

from datetime import UTC, datetime

import pytest
from django.utils.html import strip_tags

from outcomes.core.scope import scope_from
from outcomes.figures.domain.figures import Figures
from outcomes.figures.domain.standouts import Fall, Judged
from outcomes.tools.domain.tools import Compared
from outcomes.tools.words.tool import tool_second_sentence, tool_sentence, tools_sentence

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
DAY = scope_from({}, now=NOON, zone=UTC)
ELSEWHERE = scope_from({"environment": "staging", "agent": "bot"}, now=NOON, zone=UTC)


def figures(good=0, bad=0, *, missed=0, denied=0, open_=0, unknown=0) -> Figures:
    found = Figures()
    for became, number in (
        (("execution_result", "success", ""), good),
        (("execution_result", "unknown", ""), unknown),
        (("denied", "", "contract"), denied),
        (("", "", ""), open_),
    ):
        found.add(became, number)
    found.add(("execution_result", "failure", ""), bad, missed)
    return found


def tools(*named: tuple[str, Figures, Figures]) -> list[Compared]:
    return [Compared(*each) for each in named]


def fall(tool: str, now: int, before: int) -> Fall:
    return Fall(tool, Judged(now, 100), Judged(before, 100))


GOOD, BAD, NONE = figures(100), figures(80, 20), figures()


@pytest.mark.parametrize(
    ("rows", "fallen", "said"),
    [
        (tools(), [], "No tool was called in the last 24 hours."),
        (tools(("a", figures(denied=1), NONE)), [], "One tool. No call has a verdict."),
        (tools(("a", BAD, NONE)), [], "One tool. 80.0 % of 100 calls succeeded."),
        (
            tools(("a", GOOD, GOOD)),
            [],
            "One tool. It does not succeed noticeably less than in the 24 hours before.",
        ),
        (
            tools(("a", GOOD, GOOD), ("b", GOOD, GOOD)),
            [],
            "2 tools. None succeeds noticeably less than in the 24 hours before.",
        ),
        (tools(("a", BAD, GOOD)), [fall("a", 80, 98)], "One tool. a lost 18.0 points."),
        (
            tools(("a", BAD, GOOD), ("b", BAD, GOOD), ("c", GOOD, GOOD)),
            [fall("a", 80, 98), fall("b", 80, 90)],
            "3 tools. a lost 18.0 points and b 10.0; the other holds.",
        ),
        (
            tools(*[(name, BAD, GOOD) for name in "abcde"]),
            [fall(name, 80, 98) for name in "abc"],
            "5 tools. a lost 18.0 points, and two others lost as well; the others hold.",
        ),
    ],
)
def test_the_list_opens_with_what_fell(rows, fallen, said):
    assert strip_tags(tools_sentence(rows, fallen, DAY)) == said


def test_the_sentence_names_the_agent_and_the_environment():
    said = strip_tags(tools_sentence(tools(("a", GOOD, NONE)), [], ELSEWHERE))
    assert said == "One tool by bot in staging. 100.0 % of 100 calls succeeded."


@pytest.mark.parametrize(
    ("now", "before", "said"),
    [
        (NONE, GOOD, "t was not called in the last 24 hours."),
        (figures(denied=2), NONE, "t was denied each time."),
        (figures(denied=1), NONE, "t was denied."),
        (figures(open_=2), NONE, "t has no result yet."),
        (figures(unknown=1), NONE, "t was called once, and that has no verdict."),
        (figures(unknown=2, denied=1), NONE, "t was called 3 times; no call has a verdict."),
        (figures(1), NONE, "t succeeded in its one call."),
        (figures(41), GOOD, "t succeeded in all its 41 calls, as before."),
        (
            figures(99, 1),
            GOOD,
            "t succeeded in 99.0 % of 100 calls; before it was 100.0 %, which may be chance.",
        ),
        (BAD, GOOD, "t succeeded in 80.0 % of 100 calls; before it was 100.0 %."),
        (GOOD, BAD, "t succeeded in all its 100 calls, more than the 80.0 % before."),
    ],
)
def test_the_page_of_a_tool_opens_with_how_it_does(now, before, said):
    assert strip_tags(tool_sentence("t", now, before, DAY)) == said


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (figures(5), ""),
        (figures(5, 3), ""),
        (figures(5, 3, missed=2), "Agents took 2 of its 3 failures for successes."),
        (figures(5, 3, missed=3), "Agents took all its 3 failures for successes."),
        (figures(5, 1, missed=1), "Its agent took its one failure for a success."),
    ],
)
def test_what_agents_missed_is_said(now, said):
    assert tool_second_sentence(now) == said
