"""Counts of changed verdicts are the same whether counted at once or in parts."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.core.verdict import Verdict
from outcomes.reclassification.domain.flips import (
    NAMES,
    OTHERS,
    SAMPLES,
    CallSummary,
    Flip,
    Flips,
    VerdictChange,
    flip_of,
)

SUCCESS, FAILURE, UNKNOWN = Verdict.SUCCESS, Verdict.FAILURE, Verdict.UNKNOWN
AT = datetime(2026, 11, 18, tzinfo=UTC)


def call(number: int = 0, tool: str = "t") -> CallSummary:
    return CallSummary(f"c-{number}", "production", "s", tool, "bot", AT)


@pytest.mark.parametrize(
    ("before", "after", "flip"),
    [
        (SUCCESS, SUCCESS, Flip.UNCHANGED),
        (SUCCESS, FAILURE, Flip.NEWLY_FAILED),
        (FAILURE, SUCCESS, Flip.NEWLY_SUCCEEDED),
        (UNKNOWN, FAILURE, Flip.OTHERWISE),
        (UNKNOWN, SUCCESS, Flip.OTHERWISE),
        (SUCCESS, UNKNOWN, Flip.OTHERWISE),
        (UNKNOWN, UNKNOWN, Flip.UNCHANGED),
    ],
)
def test_a_flip_is_classified_by_direction(before, after, flip):
    assert flip_of(before, after) == flip


verdicts = st.sampled_from(list(Verdict))
change = st.builds(
    VerdictChange,
    verdicts,
    verdicts,
    check=st.sampled_from(["", "http"]),
    rule=st.sampled_from(["a", "b"]),
    not_checked=st.sampled_from(["", "gone"]),
)
calls = st.lists(st.tuples(st.sampled_from(["x", "y"]), change), max_size=30)


@given(calls, st.integers(0, 30))
def test_parts_add_up_to_the_total(all_calls, border):
    complete, first, second = Flips(), Flips(), Flips()
    for number, (tool, answer) in enumerate(all_calls):
        complete.add(call(number, tool), answer)
        (first if number < border else second).add(call(number, tool), answer)
    merged = Flips.from_json(first.as_json())
    merged.merge(second.as_json())
    assert merged.calls == complete.calls == len(all_calls)
    answer, expected = merged.as_json(), complete.as_json()
    del answer["samples"], expected["samples"]
    assert answer == expected
    for row in merged.by_tool.values():
        before = sum(row[f"before_{verdict}"] for verdict in Verdict)
        assert before == sum(row[f"after_{verdict}"] for verdict in Verdict)
        assert before == sum(row[flip] for flip in Flip)


def test_the_size_of_the_result_is_bounded():
    flips = Flips()
    for number in range(NAMES + 50):
        flips.add(
            call(number, f"tool-{number}"), VerdictChange(SUCCESS, FAILURE, "c", f"r-{number}")
        )
    assert len(flips.by_tool) == len(flips.by_rule) == NAMES + 1
    assert flips.by_tool[OTHERS][Flip.NEWLY_FAILED] == 50
    assert len(flips.samples[Flip.NEWLY_FAILED]) == SAMPLES


def test_samples_prefer_calls_with_different_rules():
    flips = Flips()
    for number in range(100):
        flips.add(call(number), VerdictChange(SUCCESS, FAILURE, "c", "often"))
    flips.add(call(100), VerdictChange(SUCCESS, FAILURE, "c", "rare"))
    rules = [each["rule"] for each in flips.samples[Flip.NEWLY_FAILED]]
    assert rules == ["often"] * 3 + ["rare"]
