"""Reports from tools around an agent: skill scans, and the rules that a gate enforces."""

from typing import Any

import msgspec

from outcomes.record.wire.posted import refuse_depth
from outcomes.record.wire.refusals import BodyRefused, ItemRefused

LARGEST = 1024 * 1024  # bytes of one report
_any = msgspec.json.Decoder()


def read_report(body: bytes) -> bytes:
    """Validated report, as it was sent."""
    if len(body) > LARGEST:
        raise BodyRefused(413, "too_large", "A report has at most 1 MiB.")
    try:
        report = _any.decode(body)
        refuse_depth(body)
    except ItemRefused as error:
        raise BodyRefused(422, error.code, error.detail) from None
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise BodyRefused(400, "not_json", "The report is not valid JSON.") from None
    if not isinstance(report, dict):
        raise BodyRefused(422, "wrong_shape", "A report is a JSON object.")
    return body


def agent_in(body: bytes) -> str:
    """Agent in a report, or empty if it has none or an invalid one."""
    agent = unpacked_report(body).get("agent_id")
    return agent if isinstance(agent, str) and len(agent) <= 128 and "\0" not in agent else ""


def unpacked_report(body: bytes) -> dict[str, Any]:
    report: dict[str, Any] = _any.decode(body)
    return report
