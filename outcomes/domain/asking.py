"""Which call stands behind a request for leave: the request does not say, its event does."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from governance.domain.json_value import Json

# Agents have clocks of their own.
WITHIN: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request for leave, as the console was asked."""

    key: int
    environment: int
    agent: str
    tool: str
    session: str  # empty: not told, so any fits
    at: datetime
    arguments: Mapping[str, str]  # as JSON; those that were masked or cut are left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The event of a call that says: asked."""

    call: int
    environment: int
    agent: str
    tool: str
    session: str
    at: datetime
    arguments: Mapping[str, str]


def pair(asks: Iterable[Ask], asked: Iterable[Asked]) -> dict[int, Asked]:
    """To each request its event: of the same agent, tool and session the one whose arguments do
    not differ, then the nearest in time. No event answers for two."""
    by_kind: dict[tuple[int, str, str], list[Asked]] = defaultdict(list)
    for event in asked:
        by_kind[event.environment, event.agent, event.tool].append(event)
    fits = []
    for ask in asks:
        for event in by_kind[ask.environment, ask.agent, ask.tool]:
            apart = abs(event.at - ask.at)
            if ask.session in ("", event.session) and apart <= WITHIN:
                differs = _differ(ask.arguments, event.arguments)
                fits.append((differs, apart, ask.at, ask.key, event.at, event))
    found: dict[int, Asked] = {}
    taken: set[int] = set()
    for *_, key, _, event in sorted(fits, key=lambda fit: fit[:5]):
        if key not in found and id(event) not in taken:
            found[key] = event
            taken.add(id(event))
    return found


def _differ(asked: Mapping[str, str], told: Mapping[str, str]) -> bool:
    return any(told[name] != text for name, text in asked.items() if name in told)


def is_as_sent(value: Json) -> bool:
    """Whether the SDK left this argument alone: it blanks secrets and cuts long texts."""
    match value:
        case str():
            return "[REDACTED]" not in value and not (len(value) == 1_000 and value[-3:] == "...")
        case list():
            return all(map(is_as_sent, value))
        case dict():
            return all(map(is_as_sent, value.values()))
        case _:
            return True
