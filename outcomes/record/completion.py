"""Completion: fields that a call's strongest event lacks come from the others, strongest first."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, TypeVar

from outcomes.record.event import UNKNOWN_AGENT, Event
from outcomes.record.one_event import elapsed_of, outcome_of
from outcomes.record.outcome import (
    NOT_REPORTED,
    REPORTED_AS_FAILED,
    Outcome,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)

T = TypeVar("T")

_ADDED = (
    "session_id",
    "turn_id",
    "tool_args",
    "principal",
    "rule",
    "call_index",
    "parent_call_id",
    "parent_session_id",
    "side_effect",
    "idempotent",
    "policy_version",
    "bundle_name",
    "reported_environment",
    "metadata",
)


_values = attrgetter(*_ADDED)


def completed(winner: Event, others: Sequence[Event]) -> Event:
    added: dict[str, Any] = {}
    # Plain loops: this runs for every call that an SDK reports, and a generator costs more than it.
    lacking = [name for name, value in zip(_ADDED, _values(winner), strict=True) if value is None]
    for event in others:
        for name in lacking:
            value = getattr(event, name)
            if value is not None:
                added.setdefault(name, value)
    if winner.agent_id == UNKNOWN_AGENT:
        named = (event.agent_id for event in others if event.agent_id != UNKNOWN_AGENT)
        added["agent_id"] = next(named, UNKNOWN_AGENT)
    return replace(winner, **added) if added else winner


# What each type may lack, and how the lack of it reads. The type itself is never completed.
_LACKING: dict[type[Outcome], dict[str, object]] = {
    ToolExecutionResult: {"output": NOT_REPORTED},
    ToolTimeout: {"deadline_s": None},
    ToolFailure: {"error": REPORTED_AS_FAILED},
    ToolDenied: {"details": ""},
    ToolArtifactReference: {"summary": "", "size_bytes": 0},
}


def completed_outcome(outcome: Outcome, others: Sequence[Event]) -> Outcome:
    added: dict[str, Any] = {}
    similar = [other for event in others if _is_same_kind(other := outcome_of(event), outcome)]
    for name, lack in _LACKING[type(outcome)].items():
        if getattr(outcome, name) == lack:
            values = (getattr(other, name) for other in similar)
            known = [value for value in values if value != lack]
            added.update({name: known[0]} if known else {})
    if not isinstance(outcome, ToolDenied | ToolArtifactReference) and outcome.elapsed_ms is None:
        added["elapsed_ms"] = first_elapsed(others)
    return replace(outcome, **added) if added else outcome


def first_elapsed(events: Iterable[Event]) -> float | None:
    return _first(elapsed_of(event) for event in events)


def _is_same_kind(other: Outcome | None, outcome: Outcome) -> bool:
    match outcome, other:
        case ToolDenied(reason=one), ToolDenied(reason=two):
            return one == two
        case ToolArtifactReference(artifact_id=one), ToolArtifactReference(artifact_id=two):
            return one == two
        case _:
            return type(other) is type(outcome)


def _first(values: Iterable[T | None]) -> T | None:
    return next((value for value in values if value is not None), None)
