"""Masking of secrets in items and reports before they are stored."""

from typing import Any, Final

import msgspec

from governance.core.json_value import Json
from governance.core.masks.stored import Counts, StoredMasking
from outcomes.record.wire.refusals import EXCERPT

# Agents and pages look up calls by these, so digits in them are not treated as card numbers.
_NAMES: Final = (
    "call_id tool_name agent_id session_id run_id turn_id artifact_id decision_name bundle_name"
    " side_effect parent_call_id parent_session_id"
)
_IDENTIFIERS: Final = frozenset(_NAMES.split())
_PLAIN: Final = frozenset(["type", "action", "mode", "timestamp", "policy_version"])
_PAYLOAD: Final = "payload"  # in older SDKs: fields of the item, one level deeper
_any = msgspec.json.Decoder()


def mask_item(raw: bytes, masking: StoredMasking, counts: Counts) -> bytes:
    """Item with secrets masked. If it is not JSON, its masked beginning, to be rejected later."""
    try:
        item = _any.decode(raw)
        if isinstance(item, dict):
            item = _mask_fields(item, masking, counts)
        else:
            item = masking.value(item, counts)
        # Always re-encoded: of duplicate keys, only the last was decoded and masked.
        return msgspec.json.encode(item)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
        return mask_excerpt(raw, masking, counts)


def mask_report(body: bytes, masking: StoredMasking, counts: Counts) -> bytes:
    return msgspec.json.encode(masking.value(_any.decode(body), counts))


def mask_excerpt(raw: bytes, masking: StoredMasking, counts: Counts) -> bytes:
    text = raw.decode("utf-8", "replace")
    is_cut = len(raw) >= EXCERPT
    return masking.text(text, counts, is_cut=is_cut).encode()


def _mask_fields(item: dict[str, Any], masking: StoredMasking, counts: Counts) -> dict[str, Json]:
    payload = item.get(_PAYLOAD)
    if isinstance(payload, dict):
        item = {name: value for name, value in item.items() if name != _PAYLOAD}
    masked, inner = masking.fields(item, identifiers=_IDENTIFIERS, plain=_PLAIN)
    counts.update(inner)
    if isinstance(payload, dict):
        masked[_PAYLOAD] = _mask_fields(payload, masking, counts)
    return masked
