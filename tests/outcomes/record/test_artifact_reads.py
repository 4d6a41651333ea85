"""Detection of calls with which a model reads an artifact again."""

import pytest

from outcomes.record.arguments import artifact_read
from outcomes.record.outcome import Outcome
from tests.outcomes.record.values import (
    a_call,
    a_denial,
    a_failure,
    a_result,
    a_timeout,
    an_artifact,
)

OURS = "0123456789abcdef" * 4


def read_by(arguments: object, tool: str = "query", outcome: Outcome | None = None) -> str | None:
    return artifact_read(a_call(outcome or a_result(), tool_name=tool, tool_args=arguments))


@pytest.mark.parametrize("name", ["artifact_reference", "artifact_id"])
def test_an_artifact_id_argument_names_the_artifact_for_any_tool(name):
    assert read_by({"lines": "1-40", name: "kept-1"}) == "kept-1"


@pytest.mark.parametrize("tool", ["read_file", "files.read_file", "mcp__files__read_file"])
@pytest.mark.parametrize("path", [OURS, f"artifact://{OURS}", f"/artifacts/{OURS}/raw?lines=1-2"])
def test_an_artifact_name_is_recognized_in_read_arguments(tool, path):
    assert read_by({"lines": 4, "path": path}, tool) == OURS


@pytest.mark.parametrize(
    ("arguments", "tool"),
    [
        ({"path": OURS}, "write_file"),
        ({"path": OURS}, "thread_file"),
        ({"path": "src/main.py"}, "read_file"),
        ({"path": "a" + OURS}, "read_file"),
        ({"path": OURS.upper()}, "read_file"),
        ({"path": OURS + "/" * 2_000}, "read_file"),
        ({"artifact_id": ""}, "query"),
        ({"artifact_id": 7}, "query"),
        ({"artifact_id": "a\0b"}, "query"),
        ({"artifact_id": "a" * 2_000}, "query"),
        ([OURS], "read_file"),
        (None, "read_file"),
    ],
)
def test_other_arguments_do_not_name_an_artifact(arguments, tool):
    assert read_by(arguments, tool) is None


@pytest.mark.parametrize(
    ("outcome", "counts"),
    [
        (a_result("text"), True),
        (an_artifact("a-2"), True),
        (a_denial(), False),
        (a_failure(error="no such file"), False),
        (a_timeout(), False),
    ],
)
def test_only_a_call_that_returned_content_is_a_read(outcome, counts):
    assert (read_by({"artifact_id": "a-1"}, outcome=outcome) == "a-1") is counts


def test_an_open_call_is_not_a_read():
    assert artifact_read(a_call(None, tool_args={"artifact_id": "a-1"})) is None
