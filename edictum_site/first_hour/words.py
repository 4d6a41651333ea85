"""Sentences of Start, built from counts."""

from governance.core.figures import counted, without_marks
from outcomes.demo.queries.first_hour import Received
from outcomes.models import Suggestion


def calls_words(got: Received) -> str:
    """Number of calls: 24 calls, or 100+ calls"""
    return f"{got.calls:,}+ calls" if got.is_more else counted(got.calls, "call")


def received_words(got: Received) -> str:
    """Calls and outputs in words: 24 calls received, 24 with an output"""
    if not got.executed:
        return f"{calls_words(got)} received, none executed"
    outputs = "none" if not got.outputs else f"{got.outputs:,}"
    return f"{calls_words(got)} received, {outputs} with an output"


def headline(got: Received, *, suspected: int) -> str:
    """Headline: 24 calls received: 8 look like failures, none ran under a contract"""
    if not got.calls:
        return "No calls yet: connect an agent in about 2 minutes"
    facts = []
    if got.nothing_checkable:
        facts.append("none with an output")
    if suspected:
        verb = "looks like a failure" if suspected == 1 else "look like failures"
        facts.append(f"{suspected:,} {verb}")
    if not got.under_contract:
        facts.append("none ran under a contract")
    if not facts:
        checked = f"{got.checked:,}" if got.checked else "none"
        facts.append(f"{got.under_contract:,} under a contract")
        facts.append(f"{checked} checked by your checks")
    return f"{calls_words(got)} received: {', '.join(facts)}"


def done_words(done: int, steps: int) -> str:
    return f"{done} of {steps} steps done. Steps complete automatically."


def suspected_words(suggestion: Suggestion) -> str:
    """Suggestion in words: 8 of 24 outputs of `crm_lookup` look like failures."""
    verb = "looks like a failure" if suggestion.results == 1 else "look like failures"
    outputs = f"{suggestion.results:,} of {counted(suggestion.of, 'output')}"
    return f"{outputs} of `{without_marks(suggestion.tool.name)}` {verb}."
