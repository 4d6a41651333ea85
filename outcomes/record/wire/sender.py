"""Sender of a request, and rules that hold for every item."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Literal

import msgspec

from governance.matching.globs import glob_matches
from outcomes.record.event import UNKNOWN_AGENT
from outcomes.record.wire.refusals import ItemRefused

Source = Literal["outcomes", "events"]

MAX_DEPTH = 100
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
_AHEAD = timedelta(hours=24)
_NUL = b"\\u0000"
_any = msgspec.json.Decoder()


@dataclass(frozen=True, slots=True)
class Sender:
    environment: str
    agent: str  # of the header; an item's own comes first
    agents: str  # a glob that the key is bound to; empty: any
    received_at: datetime

    def agent_of(self, item_agent: str | None) -> str:
        return item_agent or self.agent or UNKNOWN_AGENT

    def own(self, digest: bytes, agent: str) -> bytes:
        """The digest of an event, such that the same item from a key bound to others is no repeat
        of it: whoever sent it first would take the place of the other."""
        return sha256(digest + agent.encode()).digest() if self.agents else digest


def read_time(text: str | None, sender: Sender) -> datetime:
    """A time as an item gives it, in UTC; without one, the time of the post."""
    if text is None:
        return sender.received_at
    try:
        at = datetime.fromisoformat(text)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ItemRefused(
            "invalid_time", f"timestamp: {text[:64]!r} is not an ISO 8601 time."
        ) from None
    if at < _EARLIEST or at > sender.received_at + _AHEAD:
        raise ItemRefused(
            "time_out_of_range",
            f"timestamp: {text[:64]!r} is before 2000 or more than 24 hours ahead.",
        )
    return at


def refuse_foreign_agent(item_agent: str | None, sender: Sender) -> None:
    """A key bound to some agents speaks for them only, so each item has to say which it is."""
    if not sender.agents:
        return
    if not item_agent and not sender.agent:
        raise ItemRefused(
            "agent_required",
            f"agent_id: this key is bound to {sender.agents!r}. Name the agent in the item or"
            " in the header X-Edictum-Agent-Id.",
        )
    if item_agent and not glob_matches(sender.agents, item_agent):
        raise ItemRefused("foreign_agent", f"agent_id: this key is bound to {sender.agents!r}.")


def refuse_nul(raw: bytes, item: Any, identifiers: tuple[str, ...]) -> None:
    """NUL is data in a value and refused in a name: names are compared and indexed as text."""
    if _NUL not in raw:
        return
    for name in identifiers:
        value = getattr(item, name)
        if isinstance(value, str) and "\0" in value:
            raise ItemRefused("nul_in_identifier", f"{name}: NUL is not allowed in a name.")


def refuse_depth(raw: bytes) -> None:
    # As many brackets as levels are needed: counting them settles all usual items at once.
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return
    # The whole item, unknown keys too: they are kept and shown with the rest.
    level: list[Any] = [_any.decode(raw)]
    for _ in range(MAX_DEPTH):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return
    raise ItemRefused("too_deep", f"The item is nested more than {MAX_DEPTH} levels deep.")


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from (inner for inner in value.values() if isinstance(inner, dict | list))
    elif isinstance(value, list):
        yield from (inner for inner in value if isinstance(inner, dict | list))
