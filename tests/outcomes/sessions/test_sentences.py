"""The sentences of pages: calm, single and plural, and each part that may be missing."""

import re
from typing import Any

import pytest

from governance.contracts.domain.limit_use import LimitJudgement, LimitUse
from governance.core.session_limits import (
    MaxAttempts,
    MaxExecutions,
    MaxExecutionsOfTool,
)
from outcomes.sessions.domain.overview import Results
from outcomes.sessions.views.limits import limit_bars
from outcomes.sessions.words.sentences import (
    SessionSummary,
    noticed_words,
    second_sentence,
    session_sentence,
    sessions_sentence,
)
from outcomes.web.sentences import ordinal


def plain(sentence: str) -> str:
    return re.sub(r"</?code>", "`", str(sentence))


def a_use(limit=None, *, judgement=LimitJudgement.PREMATURE, stopped_at=51, **fields) -> LimitUse:
    stated: dict[str, Any] = {
        "limit": limit or MaxExecutions(50, rule_ids=("session-limits",)),
        "used": {"executions": 50, "reported": 48, "classified": 43},
        "reached_at": {"executions": 50, "reported": None, "classified": None},
        "checked": True,
    }
    return LimitUse(judgement=judgement, stopped_at=stopped_at, **stated | fields)


def a_summary(state: str = "ended", **fields) -> SessionSummary:
    stated: dict[str, Any] = {
        "calls": 1,
        "results": Results(1, 1, 0, 0),
        "denied": 0,
        "open": 0,
        "missed": 0,
        "limits": [],
    }
    return SessionSummary(state=state, **stated | fields)


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ((0, 0, 0, 0), "No session yet."),
        ((1, 1, 0, 0), "One session, still running."),
        ((1, 0, 0, 0), "One session, ended."),
        ((1, 0, 1, 1), "One session, stopped by a limit, too early."),
        ((9, 0, 0, 0), "9 sessions. None are running; none were stopped by a limit."),
        ((9, 1, 1, 0), "9 sessions. One is running; one was stopped by a limit."),
        ((1, 0, 0, 0, 1), "One session, waiting for an approval."),
        (
            (9, 1, 1, 0, 2),
            "9 sessions. One is running; two wait for an approval; one was stopped by a limit.",
        ),
        ((9, 1, 1, 1), "9 sessions. One is running; one was stopped by a limit, too early."),
        (
            (9, 2, 3, 3),
            "9 sessions. Two are running; three were stopped by a limit, all of them too early.",
        ),
        (
            (1412, 7, 19, 11),
            "1,412 sessions. Seven are running; "
            "19 were stopped by a limit, eleven of them too early.",
        ),
    ],
)
def test_the_list_says_how_many_run_and_how_many_were_stopped(counts, sentence):
    total, running, stopped, premature, *waiting = counts
    said = sessions_sentence(
        total=total, running=running, waiting=sum(waiting), stopped=stopped, premature=premature
    )
    assert said == sentence


@pytest.mark.parametrize(
    ("results", "why"),
    [
        (Results(50, 43, 7, 0), "7 of those 50 were failures"),
        (Results(50, 43, 1, 6), "1 of those 50 was a failure and 6 unknown"),
        (Results(50, 43, 5, 2), "5 of those 50 were failures and 2 unknown"),
        (Results(50, 43, 0, 7), "7 of those 50 are unknown"),
        (None, "7 of those 50 were failures"),
    ],
)
def test_a_stop_that_came_too_early_says_what_was_counted_and_how_far_it_would_have_gone(
    results, why
):
    session = a_summary("stopped", calls=53, before_stop=results, denied=3, limits=[a_use()])
    assert plain(session_sentence(session)) == (
        f"Stopped by `session-limits` at call 51, after 50 executions; {why}; "
        "counting successes it would have gone on to call 57."
    )


def test_a_limit_that_successes_reached_later_says_at_which_call():
    use = a_use(reached_at={"executions": 50, "reported": 50, "classified": 70}, stopped_at=51)
    session = a_summary("stopped", before_stop=Results(50, 43, 7, 0), limits=[use])
    assert plain(session_sentence(session)).endswith(
        "counting successes it was reached at call 70 only."
    )


@pytest.mark.parametrize(
    ("results", "why"),
    [
        (Results(1, 0, 1, 0), "it was a failure"),
        (Results(1, 0, 0, 1), "whether it succeeded is unknown"),
    ],
)
def test_a_limit_of_one_execution_of_a_tool_names_its_tool(results, why):
    limit = MaxExecutionsOfTool("pay", 1, rule_ids=("cap",))
    use = a_use(limit, reached_at={"executions": 9, "reported": 9, "classified": None},
                stopped_at=12)  # fmt: skip
    session = a_summary("stopped", before_stop=results, limits=[use])
    assert plain(session_sentence(session)) == (
        f"Stopped by `cap` at call 12, after 1 execution of `pay`; {why}; "
        "counting successes it would have gone on to call 12."
    )


@pytest.mark.parametrize(
    ("use", "sentence"),
    [
        (
            a_use(judgement=LimitJudgement.RIGHT),
            "Stopped by `session-limits` at call 51, after 50 executions. That was as intended.",
        ),
        (
            a_use(
                judgement=LimitJudgement.DELAYED,
                reached_at={"executions": 50, "reported": 50, "classified": 50},
            ),
            "Stopped by `session-limits` at call 51, after 50 executions. "
            "That was too late: the 50th success was call 50 already.",
        ),
        (
            a_use(judgement=None, checked=False),
            "Stopped by `session-limits` at call 51, after 50 executions. "
            "Whether that was right is not known: no call was checked.",
        ),
        (
            a_use(
                MaxAttempts(20, rule_ids=("attempts",)),
                judgement=None,
                used={"attempts": 21},
                reached_at={"attempts": 20},
                stopped_at=20,
            ),
            "Stopped by `attempts` at call 20, its 20th attempt. "
            "Every attempt counts, whether it ran or was denied.",
        ),
        (
            a_use(
                MaxExecutions(200, assumed=True),
                judgement=LimitJudgement.RIGHT,
                reached_at={"executions": None, "reported": None, "classified": None},
            ),
            "Stopped by the SDK's own limit of 200 at call 51, after 50 executions. "
            "That was as intended.",
        ),
    ],
)
def test_every_way_to_be_stopped_has_its_sentence(use, sentence):
    assert plain(session_sentence(a_summary("stopped", calls=60, limits=[use]))) == sentence


@pytest.mark.parametrize(
    ("session", "sentence"),
    [
        (a_summary("running"), "Running, one call so far: it succeeded."),
        (a_summary(), "Ended after one call: it succeeded."),
        (a_summary(results=Results(1, 0, 1, 0)), "Ended after one call: it failed."),
        (
            a_summary(results=Results(1, 0, 1, 0), missed=1),
            "Ended after one call: it failed, which the agent missed.",
        ),
        (
            a_summary(results=Results(1, 0, 0, 1)),
            "Ended after one call: whether it succeeded is unknown.",
        ),
        (a_summary(results=Results(), denied=1), "Ended after one call: it was denied."),
        (
            a_summary("running", results=Results(), open=1),
            "Running, one call so far: it has no result yet.",
        ),
        (
            a_summary(calls=31, results=Results(31, 31, 0, 0)),
            "Ended after 31 calls: all 31 executions succeeded.",
        ),
        (
            a_summary(calls=2, results=Results(2, 2, 0, 0)),
            "Ended after 2 calls: both executions succeeded.",
        ),
        (
            a_summary(calls=4, results=Results(), denied=4),
            "Ended after 4 calls: all of them were denied.",
        ),
        (
            a_summary("running", calls=34, results=Results(30, 27, 2, 1), denied=3, open=1),
            "Running, 34 calls so far: 2 of 30 executions failed, 1 is unknown, "
            "3 were denied, 1 without a result yet.",
        ),
        (
            a_summary(calls=3, results=Results(2, 1, 0, 1), denied=1),
            "Ended after 3 calls: 1 of 2 executions succeeded, 1 is unknown, 1 was denied.",
        ),
        (
            a_summary("stopped", calls=2, results=Results(1, 1, 0, 0), denied=1),
            "Stopped by a limit after 2 calls: the one execution succeeded, 1 was denied.",
        ),
    ],
)
def test_a_session_that_no_known_limit_stopped_says_how_it_went(session, sentence):
    assert session_sentence(session) == sentence


def test_what_the_agent_missed_is_said_beside():
    assert second_sentence(a_summary(calls=9)) == ""
    missed = a_summary(calls=9, results=Results(9, 6, 3, 0), missed=2)
    assert second_sentence(missed) == "The agent missed 2 of the 3 failures."
    all_missed = a_summary(calls=9, results=Results(9, 6, 3, 0), missed=3)
    assert second_sentence(all_missed) == "The agent missed all of them."


def test_a_stopped_session_says_where_it_stood_by_successes():
    session = a_summary("stopped", calls=53, denied=3, limits=[a_use()])
    assert (
        second_sentence(session) == "By successes it stood at 43 of 50. 3 calls of 53 were denied."
    )


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (111, "111th"),
        (1102, "1,102nd"),
    ],
)
def test_ordinals_are_written_as_they_are_spoken(number, word):
    assert ordinal(number) == word


def test_the_bars_of_a_limit_stand_on_one_scale_and_say_the_judgement():
    (bar,) = limit_bars([a_use()])
    assert bar["scale"] == 50
    assert [(row["style"], row["count"]) for row in bar["rows"]] == [
        ("executions", 50),
        ("reported", 48),
        ("classified", 43),
    ]
    assert (bar["ruling"], bar["state"]) == ("Too early", "stopped call 51")
    assert bar["says"] == "Reached at call 50 counting executions. Counting successes 7 were left."


def test_a_limit_whose_calls_nobody_checked_says_so():
    (bar,) = limit_bars([a_use(judgement=None, checked=False, stopped_at=None)])
    assert (bar["ruling"], bar["state"]) == ("Not checked", "reached")


def test_a_limit_on_attempts_has_one_row_and_its_quirk():
    use = a_use(
        MaxAttempts(200),
        judgement=None,
        stopped_at=None,
        used={"attempts": 120},
        reached_at={"attempts": None},
    )
    (bar,) = limit_bars([use])
    assert [row["style"] for row in bar["rows"]] == ["attempts"]
    assert bar["quirk"] == "The agent lets 199 pass, not 200."


def test_the_limit_that_stopped_the_agent_comes_first():
    other = a_use(
        MaxExecutionsOfTool("pay", 9),
        judgement=None,
        stopped_at=None,
        reached_at={"executions": None, "reported": None, "classified": None},
    )
    assumed = a_use(
        MaxAttempts(500, assumed=True),
        judgement=None,
        stopped_at=None,
        used={"attempts": 120},
        reached_at={"attempts": None},
    )
    names = [bar["name"] for bar in limit_bars([assumed, other, a_use()])]
    assert names == ["max_tool_calls", "pay", "max_attempts"]


@pytest.mark.parametrize(
    ("failures", "missed", "unsaid", "words"),
    [
        (0, 0, 0, "none"),
        (5, 0, 0, "the agent saw each of them"),
        (5, 0, 5, "the agent said nothing of them"),
        (5, 2, 0, "agent saw 3, missed 2"),
        (5, 0, 3, "agent saw 2, said nothing of 3"),
        (1_005, 2, 1_003, "agent saw 0, missed 2, said nothing of 1,003"),
    ],
)
def test_who_noticed_the_failures_of_a_session(failures, missed, unsaid, words):
    assert noticed_words(failures, missed=missed, unsaid=unsaid) == words
