"""The sentences of the pages about denials: calm, single and plural."""

from datetime import UTC, datetime

import pytest

from outcomes.core.scope import scope_from
from outcomes.denials.queries.denial_sums import Denials
from outcomes.denials.queries.denials import Loops
from outcomes.denials.words import denials_sentence, most_words, rule_sentence

NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
DAY = scope_from({}, now=NOW, zone=UTC)


def denied_so(calls=0, before=0, steps=()):
    return Denials(calls=calls, before=before, steps=list(steps))


def said(denied=0, before=0, calls=100, calls_before=100, loops=(0, 0)):
    number, going = loops
    found = Loops([], number, going, before=0)
    return denials_sentence(DAY, denied_so(denied, before), calls, calls_before, found)


def test_it_says_how_many_and_how_that_was_before():
    assert (
        said(816, 585, 19_529)
        == "816 of 19,529 calls were denied, 231 more than in the 24 hours before."
    )
    assert said(1, 3, 1) == "1 of 1 call was denied, 2 fewer than in the 24 hours before."
    assert said(4, 4) == "4 of 100 calls were denied, as many as in the 24 hours before."
    assert said(4, 0, calls_before=0) == "4 of 100 calls were denied."


def test_it_says_that_nothing_was_denied_or_called():
    calm = "Nothing was denied in the last 24 hours"
    assert said() == f"{calm}: each of 100 calls went through."
    assert (
        said(before=7, calls=1) == f"{calm}, 7 in the 24 hours before: the one call went through."
    )
    assert said(calls=0) == "No agent called a tool in the last 24 hours."


@pytest.mark.parametrize(
    ("loops", "words"),
    [
        ((1, 1), "One loop is still going."),
        ((3, 2), "Two loops are still going."),
        ((1, 0), "One loop, no longer going."),
        ((2, 0), "Two loops, none of them still going."),
        ((0, 0), "before."),
    ],
)
def test_loops_that_go_on_are_told_first(loops, words):
    assert said(50, 1, loops=loops).endswith(words)


def test_a_rule_says_what_it_denied():
    sentence = rule_sentence(DAY, "no-<rm>", denied_so(2, 3), 10)
    assert sentence == (
        "<code>no-&lt;rm&gt;</code> denied 2 of 10 calls in the last 24 hours, "
        "1 fewer than in the 24 hours before."
    )
    nothing = rule_sentence(DAY, "no-<rm>", denied_so(0, 3), 10)
    assert "denied nothing in the last 24 hours; 3 in the 24 hours before." in nothing


def test_a_chart_says_when_most_was_denied():
    assert most_words(denied_so(9, 0, [3, 1, 5]), "hour") == "5 in the last hour, the most of all"
    assert most_words(denied_so(9, 0, [5, 1, 3]), "hour") == "at most 5 in an hour"
    assert most_words(denied_so(5, 0, [5, 0, 0]), "day") == "at most 5 in a day"
    assert most_words(denied_so(0, 0, [0, 0]), "hour") == ""
