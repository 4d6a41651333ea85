"""Match approval requests to calls: a request doesn't name its call, but the call's events say that
an approval was requested."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from governance.core.json_value import Json
from governance.core.masks.marks import MARK_BEGINS

# Allows for differences between the clocks of agents and console.
WITHIN: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """Approval request, as the console received it."""

    key: int
    environment: int
    agent: str
    tool: str
    session: str  # empty: unknown, so any fits
    at: datetime
    arguments: Mapping[str, Json]  # without masked or truncated ones


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalEvent:
    """Event by which a call requested approval."""

    call: int
    environment: int
    agent: str
    tool: str
    session: str
    at: datetime
    arguments: Mapping[str, Json]


def pair_requests(
    requests: Iterable[ApprovalRequest], events: Iterable[ApprovalEvent]
) -> dict[int, ApprovalEvent]:
    """Match each request to the nearest event in time of the same agent, tool and session whose
    known arguments are equal. An event matches at most one request."""
    by_kind: dict[tuple[int, str, str], list[ApprovalEvent]] = defaultdict(list)
    for event in events:
        by_kind[event.environment, event.agent, event.tool].append(event)
    fits = []
    for request in requests:
        for event in by_kind[request.environment, request.agent, request.tool]:
            apart = abs(event.at - request.at)
            fits_session = request.session in ("", event.session)
            if fits_session and apart <= WITHIN and not _differ(request.arguments, event.arguments):
                fits.append((apart, request.at, request.key, event.at, event))
    pairs: dict[int, ApprovalEvent] = {}
    paired_events: set[int] = set()
    for *_, key, _, event in sorted(fits, key=lambda fit: fit[:4]):
        if key not in pairs and id(event) not in paired_events:
            pairs[key] = event
            paired_events.add(id(event))
    return pairs


def _differ(requested: Mapping[str, Json], reported: Mapping[str, Json]) -> bool:
    return any(reported[name] != value for name, value in requested.items() if name in reported)


def is_as_sent(value: Json) -> bool:
    """Whether the argument is what the tool received: SDKs mask secrets and truncate long texts,
    and the console may mask values before storing them."""
    match value:
        case str() if MARK_BEGINS in value:
            return False
        case str():
            return "[REDACTED]" not in value and not (len(value) == 1_000 and value[-3:] == "...")
        case list():
            return all(map(is_as_sent, value))
        case dict():
            return all(map(is_as_sent, value.values()))
        case _:
            return True
