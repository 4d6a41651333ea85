"""Headlines of the denials pages."""

from datetime import UTC, datetime

from django.utils.html import strip_tags

from outcomes.core.scope import scope_from
from outcomes.denials.domain import Loop
from outcomes.denials.queries.denial_sums import Denials
from outcomes.denials.queries.denials import Loops
from outcomes.denials.words import (
    denials_second_sentence,
    denials_sentence,
    most_words,
    rule_sentence,
)

NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
DAY = scope_from({}, now=NOW, zone=UTC)


def denied_so(calls=0, before=0, steps=()):
    return Denials(calls=calls, before=before, steps=list(steps))


STUCK = Loop(
    session_id="deploy-night",
    environment="staging",
    agent="deploy-bot",
    tool="shell",
    rule="no-deleting",
    reason="contract",
    times=48,
    first_at=NOW,
    last_at=NOW,
    call_id="c",
)


def sentence(denied=0, before=0, calls=100, calls_before=100, loops=(0, 0)):
    number, going = loops
    result = Loops([STUCK] if number else [], number, going, before=0)
    request = DAY, denied_so(denied, before), calls, calls_before, result
    return strip_tags(denials_sentence(*request)), denials_second_sentence(*request)


def test_the_headline_compares_denials_with_the_previous_period():
    compared = "816 of 19,529 calls denied, vs 585 in the previous 24 hours"
    assert sentence(816, 585, 19_529) == (compared, "")
    assert sentence(1, 0, 1, calls_before=0) == ("1 of 1 call denied", "")


def test_the_headline_states_that_there_were_no_denials_or_no_calls():
    assert sentence() == ("No denials in the last 24 hours", "")
    assert sentence(before=7)[0] == "No denials in the last 24 hours, vs 7 in the previous 24 hours"
    assert sentence(calls=0)[0] == "No calls in the last 24 hours"


def test_an_ongoing_loop_is_the_headline_with_its_cause():
    stuck = "deploy-night is stuck: shell denied 48 times by no-deleting"
    counts = "50 of 100 calls denied, vs 1 in the previous 24 hours"
    assert sentence(50, 1, loops=(1, 1)) == (stuck, counts)
    assert sentence(50, 1, loops=(3, 2)) == (stuck, f"{counts} · 3 loops, 2 still going")
    assert sentence(50, 1, loops=(2, 0)) == (counts, "2 loops, 0 still going")


def test_the_rule_headline_counts_its_denials():
    sentence = rule_sentence(DAY, "no-<rm>", denied_so(2, 3), 10)
    assert sentence == (
        "<code>no-&lt;rm&gt;</code> denied 2 of 10 calls, vs 3 in the previous 24 hours"
    )
    nothing = rule_sentence(DAY, "no-<rm>", denied_so(0, 3), 10)
    assert nothing.endswith("denied no calls, vs 3 in the previous 24 hours")


def test_the_chart_caption_states_the_peak():
    assert most_words(denied_so(9, 0, [3, 1, 5]), "hour") == "peak 5 per hour"
    assert most_words(denied_so(0, 0, [0, 0]), "hour") == ""
