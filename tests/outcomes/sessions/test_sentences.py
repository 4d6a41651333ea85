"""Headlines and second sentences: singular, plural, and with each optional part."""

import re
from typing import Any

import pytest

from governance.contracts.domain.limit_use import LimitJudgement, LimitUse
from governance.core.session_limits import (
    MaxAttempts,
    MaxExecutions,
    MaxExecutionsOfTool,
)
from outcomes.sessions.domain.overview import RepeatedDenial, Results
from outcomes.sessions.views.cause import limit_bars
from outcomes.sessions.words.causes import NamedFailure, noticed_words
from outcomes.sessions.words.sentences import (
    SessionSummary,
    second_sentence,
    session_sentence,
    sessions_sentence,
    state_sentence,
)
from tests.outcomes.sessions.briefs import NOON


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


def a_loop(**fields) -> RepeatedDenial:
    stated: dict[str, Any] = {
        "tool": "shell",
        "rule": "no-deleting",
        "reason": "contract",
        "message": "Use the clean target.",
        "times": 48,
        "first": 3,
        "last": 53,
        "first_at": NOON,
        "last_at": NOON,
        "call": 1,
        "call_id": "c-1",
        "is_stuck": True,
    }
    return RepeatedDenial(**stated | fields)


def a_failure(**fields) -> NamedFailure:
    stated: dict[str, Any] = {
        "tool": "send",
        "error": "SMTP 451",
        "calls": 5,
        "missed": 0,
        "call_id": "c-1",
    }
    return NamedFailure(**stated | fields)


def a_summary(state: str = "ended", **fields) -> SessionSummary:
    stated: dict[str, Any] = {
        "name": "s-1",
        "calls": 1,
        "results": Results(1, 1, 0, 0),
        "checked": 1,
        "denied": 0,
        "open": 0,
        "missed": 0,
        "limits": [],
    }
    return SessionSummary(state=state, **stated | fields)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((0, 0, 0, 0), "No sessions yet"),
        ((1, 1, 0, 0), "1 session, none hit a limit · 1 running"),
        ((1, 0, 1, 1), "1 of 1 session hit a limit early"),
        ((9, 0, 0, 0), "9 sessions, none hit a limit"),
        ((9, 1, 1, 0), "1 of 9 sessions hit a limit · 1 running"),
        ((9, 1, 1, 0, 2), "1 of 9 sessions hit a limit · 2 waiting for approval · 1 running"),
        ((1412, 7, 19, 11), "11 of 1,412 sessions hit a limit early · 7 running"),
    ],
)
def test_the_list_headline_starts_with_limits_that_were_hit(counts, words):
    total, running, stopped, premature, *waiting = counts
    shown = sessions_sentence(
        total=total, running=running, waiting=sum(waiting), stopped=stopped, premature=premature
    )
    assert shown == words


@pytest.mark.parametrize(
    ("state", "number", "words"),
    [
        ("stopped", 2, "2 sessions hit a limit, 1 early"),
        ("running", 1, "1 running session"),
        ("ended", 1_633, "1,633 ended sessions"),
        ("waiting", 1, "1 session waiting for approval"),
    ],
)
def test_the_headline_of_the_list_follows_the_chosen_state(state, number, words):
    assert state_sentence(state, number, premature=1) == words


@pytest.mark.parametrize(
    ("results", "why"),
    [
        (Results(50, 43, 7, 0), "7 of 50 counted calls failed"),
        (Results(50, 43, 1, 6), "1 of 50 counted calls failed"),
        (Results(50, 43, 0, 7), "7 of 50 counted calls had no verdict"),
        (Results(43, 43, 0, 0), "43 of 50 calls counted"),
        (None, "7 of 50 counted calls failed"),
    ],
)
def test_a_limit_hit_early_states_by_how_many_calls_and_why(results, why):
    session = a_summary("stopped", calls=53, before_stop=results, denied=3, limits=[a_use()])
    assert plain(session_sentence(session)) == f"`s-1` hit `session-limits` 7 calls early: {why}"


def test_a_tool_limit_names_the_tool():
    limit = MaxExecutionsOfTool("pay", 1, rule_ids=("cap",))
    use = a_use(limit, reached_at={"executions": 9, "reported": 9, "classified": None},
                stopped_at=12)  # fmt: skip
    session = a_summary("stopped", before_stop=Results(1, 0, 1, 0), limits=[use])
    assert plain(session_sentence(session)) == (
        "`s-1` hit `cap` for `pay` 1 call early: 1 of 1 counted call failed"
    )


LATE = {"executions": 50, "reported": 50, "classified": 48}


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (a_use(judgement=LimitJudgement.RIGHT), "`session-limits` at call 50, as intended"),
        (
            a_use(judgement=LimitJudgement.DELAYED, reached_at=LATE),
            "`session-limits` 2 calls late: success 50 was call 48",
        ),
        (
            a_use(judgement=None, checked=False),
            "`session-limits` at call 50: no counted call was checked",
        ),
        (
            a_use(
                MaxAttempts(20, rule_ids=("attempts",)),
                judgement=None,
                used={"attempts": 21},
                reached_at={"attempts": 20},
                stopped_at=20,
            ),
            "`attempts` at call 20: denied calls count too",
        ),
        (
            a_use(MaxExecutions(200, assumed=True), judgement=LimitJudgement.RIGHT),
            "the SDK default of 200 at call 50, as intended",
        ),
    ],
)
def test_every_way_to_hit_a_limit_has_its_own_headline(use, words):
    assert plain(session_sentence(a_summary("stopped", calls=60, limits=[use]))) == (
        f"`s-1` hit {words}"
    )


def test_an_unknown_limit_is_called_unknown():
    assert plain(session_sentence(a_summary("stopped", calls=2))) == (
        "`s-1` hit an unknown limit after 2 calls"
    )


@pytest.mark.parametrize(
    ("state", "rule", "words"),
    [
        ("running", "no-deleting", "is stuck: `shell` denied 48 times by `no-deleting`"),
        ("ended", "no-deleting", "got stuck: `shell` denied 48 times by `no-deleting`"),
        ("ended", "", "got stuck: `shell` denied 48 times: contract"),
    ],
)
def test_a_denial_loop_names_tool_count_and_rule(state, rule, words):
    session = a_summary(state, calls=53, denied=48, loop=a_loop(rule=rule))
    assert plain(session_sentence(session)) == f"`s-1` {words}"


@pytest.mark.parametrize(
    ("failures", "words"),
    [
        ([a_failure(calls=1)], "`send` failed once: SMTP 451"),
        ([a_failure()], "`send` failed 5 times: SMTP 451"),
        ([a_failure(missed=5)], "`send` failed silently 5 times: SMTP 451"),
        ([a_failure(error="timed out", is_timeout=True)], "`send` timed out 5 times"),
        (
            [a_failure(error="deadline 30 s", is_timeout=True)],
            "`send` timed out 5 times: deadline 30 s",
        ),
        (
            [a_failure(), a_failure(tool="pay", calls=2)],
            "7 of 20 calls failed, most by `send`: SMTP 451",
        ),
        ([], "7 of 20 calls failed"),
    ],
)
def test_failures_are_named_by_tool_and_error(failures, words):
    session = a_summary(calls=22, results=Results(20, 13, 7, 0), failures=failures)
    assert plain(session_sentence(session)) == f"`s-1`: {words}"


@pytest.mark.parametrize(
    ("session", "words"),
    [
        ({"denied": 4, "calls": 4, "results": Results()}, ": 4 of 4 calls denied"),
        (
            {"denied": 1, "calls": 9, "denied_by": "no-pay"},
            ": 1 of 9 calls denied by `no-pay`",
        ),
        ({"state": "running"}, " is running: 1 call so far, verified as success"),
        ({"calls": 31, "results": Results(31, 31), "checked": 31},
         " ended: 31 calls, all verified as success"),
        ({"calls": 24, "results": Results(24, 24), "checked": 0},
         " ended: 24 calls, all reported as success, none checked"),
        ({"checked": 0}, " ended: 1 call, reported as success, not checked"),
        ({"calls": 24, "results": Results(24, 24), "checked": 10},
         " ended: 24 calls, no failures, 10 of 24 checked"),
        ({"calls": 3, "results": Results(3, 2, 0, 1)}, " ended: 3 calls, 1 without a verdict"),
        ({"state": "running", "results": Results(), "open": 1},
         " is running: 1 call so far, no result yet"),
        ({"state": "waiting", "calls": 12}, " is waiting for approval: 12 calls so far"),
    ],
)  # fmt: skip
def test_a_headline_never_claims_more_success_than_was_checked(session, words):
    assert plain(session_sentence(a_summary(**session))) == f"`s-1`{words}"


def test_a_headline_has_at_most_90_characters():
    loop = a_loop(tool="a-tool-with-a-rather-long-name-of-its-own", rule="a-rule-" * 12)
    session = a_summary(name="s" * 64, calls=53, denied=48, loop=loop)
    words = re.sub(r"<[^>]+>", "", session_sentence(session))
    assert words.startswith("This session got stuck: a-tool-with-a-rather-lo… denied 48 times by ")
    assert len(words) <= 90
    failed = a_failure(error="the upstream service did not answer " * 5)
    session = a_summary(calls=9, results=Results(9, 4, 5, 0), failures=[failed])
    words = re.sub(r"<[^>]+>", "", session_sentence(session))
    assert len(words) == 90
    assert words.endswith("…")


def test_the_second_sentence_has_the_top_error_and_the_failures_the_agent_missed():
    assert second_sentence(a_summary(calls=9)) == ""
    missed = a_summary(calls=9, results=Results(9, 6, 3, 0), missed=2)
    assert second_sentence(missed) == "The agent missed 2 of 3 failures."
    all_missed = a_summary(calls=9, results=Results(9, 6, 3, 0), missed=3)
    assert second_sentence(all_missed) == "The agent missed all of them."
    several = a_summary(results=Results(9, 2, 7, 0), failures=[a_failure(), a_failure(calls=2)])
    assert second_sentence(several) == "5 had this error."


def test_the_second_sentence_of_a_limit_has_the_top_error_and_the_denied_calls():
    session = a_summary(
        "stopped", calls=53, denied=3, denied_by_limit=3, limits=[a_use()], failures=[a_failure()]
    )
    assert re.sub("<[^>]+>", "", second_sentence(session)) == (
        "send failed 5 times with SMTP 451. 3 calls after the limit were denied."
    )
    unchecked = a_summary("stopped", limits=[a_use(judgement=None, checked=False)])
    assert second_sentence(unchecked) == (
        "No counted call was checked, so it may have been early or late."
    )


def test_the_bars_of_a_limit_share_a_scale_and_state_whether_it_was_hit_early():
    (bar,) = limit_bars([a_use()])
    assert bar["scale"] == 50
    assert [(row["style"], row["count"]) for row in bar["rows"]] == [
        ("executions", 50),
        ("reported", 48),
        ("classified", 43),
    ]
    assert (bar["ruling"], bar["state"]) == ("Hit early", "hit at call 50")
    assert bar["says"] == "Executions reached 50 at call 50. By successes, 7 calls were left."


def test_a_limit_without_checked_calls_says_so():
    (bar,) = limit_bars([a_use(judgement=None, checked=False, stopped_at=None)])
    assert (bar["ruling"], bar["state"]) == ("Not checked", "reached")


def test_a_limit_on_attempts_has_one_row_and_its_off_by_one_note():
    use = a_use(
        MaxAttempts(200),
        judgement=None,
        stopped_at=None,
        used={"attempts": 120},
        reached_at={"attempts": None},
    )
    (bar,) = limit_bars([use])
    assert [row["style"] for row in bar["rows"]] == ["attempts"]
    assert bar["quirk"] == "The agent allows 199, not 200."


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
        (5, 0, 0, "5 noticed by the agent"),
        (5, 0, 5, "5 not reported"),
        (5, 2, 0, "3 noticed by the agent, 2 missed"),
        (1_005, 2, 1_003, "2 missed, 1,003 not reported"),
    ],
)
def test_the_sentence_on_failures_states_whether_agent_or_check_noticed_them(
    failures, missed, unsaid, words
):
    assert noticed_words(failures, missed=missed, unsaid=unsaid) == words
