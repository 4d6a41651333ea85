"""Headlines about checks: short for any names, and accurate when nothing was scanned."""

import pytest

from governance.checks.domain import Binding
from governance.checks.queries.checks import Origin
from governance.checks.words import check_sentence
from outcomes.models import Suggestion, Tool
from outcomes.suggestions.queries import Outputs
from outcomes.suggestions.words import headline

LONG = "a_tool_with_a_name_of_eighty_characters_" * 2
PERIOD = "in the last 24 hours"


def test_a_headline_about_a_long_name_has_at_most_90_characters():
    row = Suggestion(tool=Tool(name=LONG), results=1_999, of=2_000, saw=[])
    words = headline([row], 999, Outputs(9, 9), PERIOD, is_scanned=True)
    assert len(words.replace("`", "")) <= 90
    line = Binding("staging-" * 9, "bot-" * 20, LONG, "c")
    for origin in (Origin.OWN, Origin.SHIPPED):
        outcome = check_sentence("c" * 63, 1_234, origin=origin, lines=[line], includers=[])
        assert len(outcome.replace("`", "")) <= 90


@pytest.mark.parametrize(
    ("outputs", "is_scanned", "words"),
    [
        (Outputs(0, 0), True, "No calls to scan in the last 24 hours"),
        (Outputs(1, 0), True, "The only call sent no output in the last 24 hours"),
        (Outputs(24, 0), True, "None of 24 calls sent an output in the last 24 hours"),
        (Outputs(24, 18), False, "Not scanned yet: 18 of 24 calls sent an output"),
        (Outputs(24, 18), True, "No suggestions: 18 of 24 calls sent an output"),
    ],
)
def test_without_suggestions_the_headline_states_what_was_scanned(outputs, is_scanned, words):
    assert headline([], 0, outputs, PERIOD, is_scanned=is_scanned).startswith(words)
