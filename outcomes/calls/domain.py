"""Which call stands behind a request for leave: the request does not say, its event does."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from governance.core.json_value import Json

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
    arguments: Mapping[str, Json]  # those that were masked or cut are left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The event of a call that says: asked."""

    call: int
    environment: int
    agent: str
    tool: str
    session: str
    at: datetime
    arguments: Mapping[str, Json]


def pair(asks: Iterable[Ask], asked: Iterable[Asked]) -> dict[int, Asked]:
    """To each request its event: of the same agent, tool and session, with no argument that
    differs, the nearest in time. No event answers for two; rather none than another's."""
    by_kind: dict[tuple[int, str, str], list[Asked]] = defaultdict(list)
    for event in asked:
        by_kind[event.environment, event.agent, event.tool].append(event)
    fits = []
    for ask in asks:
        for event in by_kind[ask.environment, ask.agent, ask.tool]:
            apart = abs(event.at - ask.at)
            fits_session = ask.session in ("", event.session)
            if fits_session and apart <= WITHIN and not _differ(ask.arguments, event.arguments):
                fits.append((apart, ask.at, ask.key, event.at, event))
    found: dict[int, Asked] = {}
    taken: set[int] = set()
    for *_, key, _, event in sorted(fits, key=lambda fit: fit[:4]):
        if key not in found and id(event) not in taken:
            found[key] = event
            taken.add(id(event))
    return found


def _differ(asked: Mapping[str, Json], told: Mapping[str, Json]) -> bool:
    return any(told[name] != value for name, value in asked.items() if name in told)


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
