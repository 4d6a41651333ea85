"""Items round-trip through the stored format, and call columns match the model."""

from datetime import UTC, datetime

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from outcomes.models import Call
from outcomes.record import codec
from outcomes.record.codec import CALL_COLUMNS
from outcomes.record.event import Posted
from outcomes.record.outcome import ToolArtifactReference, ToolExecutionResult
from outcomes.record.wire import Sender, check_item, read_item
from tests.builders import an_outcome

SENDER = Sender("production", "", "", datetime(2026, 11, 18, tzinfo=UTC))
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(value=json_values, arguments=json_values)
def test_any_json_value_round_trips_unchanged(value, arguments):
    raw = msgspec.json.encode(an_outcome("c", output=value, tool_args=arguments))
    assert check_item(0, raw, "outcomes", SENDER) == ()
    (stored,) = codec.unpack_batch(codec.pack_batch([raw]))
    assert stored == raw
    event = codec.unpack_event(codec.pack_item(stored), "outcomes", SENDER, 7)
    assert event == read_item(raw, "outcomes", SENDER, 7)
    assert isinstance(event.report, Posted)
    assert isinstance(event.report.outcome, ToolExecutionResult)
    assert event.report.outcome.output == value
    assert event.tool_args == arguments


@given(text=st.text(min_size=1, max_size=20), times=st.integers(700, 4_000))
def test_a_large_output_is_offloaded_and_all_other_fields_are_unchanged(text, times):
    item = an_outcome("c", output=text * times, tool_args={"q": text}, timestamp="2026-11-18")
    raw = msgspec.json.encode(item)
    event = read_item(raw, "outcomes", SENDER, 7)
    offloaded = codec.offload(event, raw)
    if offloaded is None:
        assert len(msgspec.json.encode(text * times).decode()) <= 12_000
        return
    referring, packed, content, media_type = offloaded
    assert (content.decode(), media_type) == (text * times, "text/plain")
    again = codec.unpack_event(packed, "outcomes", SENDER, 7)
    assert again == referring
    assert (again.digest, again.tie, again.tool_args) == (event.digest, event.tie, {"q": text})
    assert isinstance(again.report, Posted)
    assert isinstance(again.report.outcome, ToolArtifactReference)


def test_items_of_a_batch_are_unpacked_separately():
    raws = [b'{"a": "],["}', b"[1, 2]", b'"\\u0000"', b"null"]
    assert codec.unpack_batch(codec.pack_batch(raws)) == raws


def test_call_columns_match_the_model_fields():
    fields = {field.name for field in Call._meta.get_fields() if field.concrete}
    assert set(CALL_COLUMNS) == fields
