"""Values of the SDKs' session store: by key for agents, by session for people."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from outcomes.database import HAS_ARRAYS
from outcomes.database.statements import Query, Row, Statement, read_row, run_query
from outcomes.models import Session, StoredValue
from outcomes.record.codec import digest_of
from outcomes.session_store.domain import is_counter

_ONE = "SELECT number, text FROM outcomes_storedvalue WHERE environment_id = %s AND digest = %s"
_SELECT = "SELECT environment_id, digest, number, text FROM outcomes_storedvalue WHERE "
_EACH = _SELECT + "environment_id = %s AND digest = %s"
_MANY = _SELECT + "environment_id = ANY(%s::bigint[]) AND digest = ANY(%s::bytea[])"
FEW = 8  # keys selected without an array, which takes psycopg as long to send as the query takes


TOOL = "tool:"
WITHOUT_TOOL = ("attempts", "execs", "consec_fail")


@dataclass(frozen=True, slots=True)
class Lookup:
    """Keys of one request by an agent."""

    environment_id: int | None
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counter:
    name: str  # suffix of its key after the session
    value: str
    digest: bytes

    @property
    def tool(self) -> str:
        return self.name.removeprefix(TOOL) if self.name.startswith(TOOL) else ""


def digest_of_key(key: str) -> bytes:
    return sha256(key.encode()).digest()


def stored_value(environment_id: int | None, key: str) -> str | None:
    row = read_row(_ONE, [environment_id, digest_of_key(key)])
    return None if row is None else _text(*row)


def stored_values(environment_id: int | None, keys: Iterable[str]) -> dict[str, str]:
    """Values of the keys that exist."""
    (values,) = run_query(read_values([Lookup(environment_id, tuple(keys))]))
    return values


def read_values(lookups: Sequence[Lookup]) -> Query[list[dict[str, str]]]:
    """Query for the existing values of each lookup."""
    places = [
        {key: (lookup.environment_id, digest_of_key(key)) for key in lookup.keys}
        for lookup in lookups
    ]

    def read(rows: list[Row]) -> list[dict[str, str]]:
        values = {(row[0], bytes(row[1])): _text(row[2], row[3]) for row in rows}
        return [
            {key: values[place] for key, place in own.items() if place in values} for own in places
        ]

    return Query(_selecting({place for own in places for place in own.values()}), read)


def _selecting(places: Collection[tuple[int | None, bytes]]) -> Statement:
    environments = {environment for environment, _ in places}
    digests = [digest for _, digest in places]
    if len(environments) == 1 and len(places) <= FEW:
        return Statement(_few(len(places)), [[*environments, *digests]])
    if not HAS_ARRAYS:
        return Statement(_EACH, list(places))
    # With several environments it selects too much: each digest in each environment.
    return Statement(_MANY, [[list(environments), digests]])


@cache
def _few(number: int) -> str:
    return f"{_SELECT}environment_id = %s AND digest IN ({', '.join(['%s'] * number)})"


def counters_of(session: Session) -> list[Counter]:
    """Counters of a session: totals first, then by tool."""
    rows = StoredValue.objects.filter(
        environment=session.environment_id, session=digest_of(session.session_id)
    )
    beginning = len(f"s:{session.session_id}:")
    counters = [
        Counter(row.key[beginning:], _text(row.number, row.text), bytes(row.digest))
        for row in rows
        if is_counter(row.key)
    ]
    return sorted(counters, key=_place)


def _place(counter: Counter) -> tuple[int, str]:
    return (
        WITHOUT_TOOL.index(counter.name) if counter.name in WITHOUT_TOOL else len(WITHOUT_TOOL)
    ), counter.tool


def _text(number: int | None, text: bytes | memoryview | None) -> str:
    return str(number) if text is None else bytes(text).decode()
