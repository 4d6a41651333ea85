"""Outcome types of an agent's executor, and their equality with the console's types."""

import subprocess
import sys
from dataclasses import MISSING, FrozenInstanceError, fields
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import edictum_site_client
from edictum_site_client import outcomes as client
from outcomes.record import model_content
from outcomes.record import outcome as server
from tests.outcomes.record.values import json_values

SOURCE = Path(edictum_site_client.__file__).parents[1]

FIELDS: dict[type[Any], dict[str, Any]] = {
    client.ToolExecutionResult: {"output": MISSING, "elapsed_ms": MISSING, "was_coerced": False},
    client.ToolTimeout: {"deadline_s": MISSING, "elapsed_ms": MISSING, "retryable": True},
    client.ToolFailure: {"error": MISSING, "retryable": True, "elapsed_ms": 0},
    client.ToolDenied: {"reason": MISSING, "details": ""},
    client.ToolArtifactReference: {"artifact_id": MISSING, "summary": MISSING, "size_bytes": 0},
}

ids = st.text(min_size=1, max_size=8)
numbers = st.none() | st.integers(0, 10**6) | st.floats(0, 10**6)
generated = st.one_of(
    st.builds(client.ToolExecutionResult, ids, ids, json_values, numbers, st.booleans()),
    st.builds(client.ToolTimeout, ids, ids, numbers, numbers, st.booleans()),
    st.builds(client.ToolFailure, ids, ids, st.text(), st.booleans(), numbers),
    st.builds(client.ToolDenied, ids, ids, st.sampled_from(client.DENIAL_REASONS) | ids, st.text()),
    st.builds(client.ToolArtifactReference, ids, ids, ids, st.text(), st.integers(0, 10**9)),
)


def on_the_server(outcome: client.ToolOutcome) -> server.Outcome:
    kind = getattr(server, type(outcome).__name__)
    values = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    made: server.Outcome = kind(**values)
    return made


@pytest.mark.parametrize("kind", FIELDS, ids=lambda kind: kind.__name__)
def test_an_outcome_has_its_fields_in_their_order_with_their_defaults(kind):
    own = {"call_id": MISSING, "tool_name": MISSING} | FIELDS[kind]
    assert [(field.name, field.default) for field in fields(kind)] == list(own.items())


def test_the_union_is_closed_and_its_members_are_frozen():
    assert set(get_args(client.ToolOutcome)) == set(FIELDS)
    with pytest.raises(FrozenInstanceError):
        client.ToolDenied("c-1", "query", "blocked").reason = "duplicate"  # type: ignore[misc]  # frozen


def test_the_server_has_the_same_types_with_the_same_fields():
    theirs = {kind.__name__: kind for kind in get_args(server.Outcome)}
    assert set(theirs) == {kind.__name__ for kind in FIELDS}
    for kind in FIELDS:
        names = [field.name for field in fields(theirs[kind.__name__])]
        assert names == [field.name for field in fields(kind)]


def test_the_server_has_the_same_limits():
    assert client.TOOL_MESSAGE_MAX_CHARS == server.INLINE_LIMIT == 12_000
    assert client.SUMMARY_MAX_CHARS == server.SUMMARY_LIMIT == 200


@given(generated)
def test_the_model_reads_what_the_console_shows(outcome):
    shown = model_content.outcome_to_model_content(on_the_server(outcome))
    assert client.outcome_to_model_content(outcome) == shown


@given(generated)
def test_the_predicates_say_what_those_of_the_console_say(outcome):
    there = on_the_server(outcome)
    assert client.outcome_is_error(outcome) == server.outcome_is_error(there)
    assert client.outcome_is_retryable(outcome) == server.outcome_is_retryable(there)
    assert client.outcome_blocks_tool(outcome) == server.outcome_blocks_tool(there)


def test_an_executor_denies_for_six_reasons():
    assert sorted(client.DENIAL_REASONS) == (
        ["blocked", "deadline", "duplicate", "pre_hook", "validation", "write_denied"]
    )


MATCH = """
from edictum_site_client.outcomes import *

def words(outcome: ToolOutcome) -> str:
    match outcome:
        case ToolExecutionResult(call_id, tool_name, output, elapsed_ms, was_coerced):
            return "ran"
        case ToolTimeout(deadline_s=deadline):
            return f"timed out after {deadline}"
        case ToolFailure(_, _, error):
            return error
        case ToolDenied(reason=reason):
            return reason
"""
ARTIFACT = """\
        case ToolArtifactReference(artifact_id=artifact):
            return artifact
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "words"),
    [(MATCH + ARTIFACT, ""), (MATCH, "Missing return statement")],
    ids=["all five", "four of five"],
)
def test_mypy_proves_a_match_over_an_outcome_exhaustive(tmp_path, program, words):
    file = tmp_path / "program.py"
    file.write_text(program)
    options = ["--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}"]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(file)],
        env={"MYPYPATH": str(SOURCE)},
        capture_output=True,
        text=True,
    )
    assert (ran.returncode == 0) is (words == ""), ran.stdout + ran.stderr
    assert words in ran.stdout
