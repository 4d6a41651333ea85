"""Items as agents send them: valid by default, override what matters. Plain values, no Django."""

import itertools
from typing import Any

_number = itertools.count(1)


def an_outcome(call_id: str = "", **fields: Any) -> dict[str, Any]:
    """Item of `POST outcomes`: a call that ran, unless another type is given."""
    item = {
        "type": "execution_result",
        "call_id": call_id or f"call-{next(_number)}",
        "tool_name": "http_get",
    }
    return item | fields


def an_event(action: str = "call_executed", call_id: str = "", **fields: Any) -> dict[str, Any]:
    """Event in the flat format of the newest SDKs."""
    event = {
        "schema_version": "0.3.0",
        "call_id": call_id or f"call-{next(_number)}",
        "agent_id": "billing-bot",
        "tool_name": "http_get",
        "tool_args": {"url": "https://example.test"},
        "side_effect": "read",
        "environment": "production",
        "principal": None,
        "action": action,
        "decision_source": None,
        "decision_name": None,
        "reason": None,
        "mode": "enforce",
        "policy_version": None,
        "timestamp": "2026-11-18T06:00:00.000000+00:00",
        "run_id": "session-1",
        "call_index": 0,
        "duration_ms": 0,
    }
    return event | fields
