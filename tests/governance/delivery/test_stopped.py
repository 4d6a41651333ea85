"""The block-all document: it denies every call, in both formats."""

from hashlib import sha256

import pytest
import yaml

from governance.delivery.domain import STOPPED, STOPPED_HASHES, is_stopped_by
from governance.evaluation.engine import Engine, ToolCall
from governance.texts.dialect import Dialect
from tests.governance.dialects import to_old


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize(
    "call",
    [
        ToolCall(tool_name="fetch", tool_args={}),
        ToolCall(tool_name="mcp:a.b", tool_args={"x": 1}, principal={"role": "admin"}),
    ],
    ids=lambda call: call.tool_name,
)
def test_the_block_all_document_denies_every_call_without_warnings(engine: Engine, dialect, call):
    read = engine.validate(STOPPED[dialect])
    assert (read.valid, read.warnings, read.dialect) == (True, (), dialect)
    evaluation = engine.evaluate_call(STOPPED[dialect], call)
    assert (evaluation.decision, evaluation.action) == ("block", "block")


def test_the_block_all_document_is_equivalent_in_both_formats():
    old, new = (yaml.safe_load(STOPPED[dialect]) for dialect in (Dialect.OLD, Dialect.NEW))
    assert to_old(new) == old
    assert old["kind"] == "ContractBundle"


def test_events_of_a_stopped_agent_are_identified_by_hash():
    for dialect in Dialect:
        assert STOPPED_HASHES[dialect] == sha256(STOPPED[dialect]).hexdigest()
        assert is_stopped_by(STOPPED_HASHES[dialect].upper())
    assert not is_stopped_by("0" * 64)
    assert not is_stopped_by(None)


def test_the_block_all_document_has_fixed_hashes():
    # Agents stopped by an earlier release are identified by these hashes.
    assert STOPPED_HASHES[Dialect.NEW][:12] == "838e10e3d3fa"
    assert STOPPED_HASHES[Dialect.OLD][:12] == "d057ab76d9d9"
