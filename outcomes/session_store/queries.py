"""What the SDKs' session store holds: by key for agents, by session for people."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from outcomes.models import Session, StoredValue
from outcomes.models.statements import ON_POSTGRESQL, Statement, Steps, carry_out, read_row
from outcomes.record.codec import digest_of
from outcomes.session_store.domain import is_counter

_ONE = "SELECT number, text FROM outcomes_storedvalue WHERE environment_id = %s AND digest = %s"
_EACH = _ONE.replace("SELECT", "SELECT digest,")
_AMONG = _EACH.replace("digest = %s", "digest = ANY(%s)")


TOOL = "tool:"
WHOLE = ("attempts", "execs", "consec_fail")


@dataclass(frozen=True, slots=True)
class Look:
    """What one request of an agent asks for."""

    environment_id: int | None
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counter:
    name: str  # as its key has it, after the session
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
    """Those of these keys that are there."""
    return carry_out(_finding(environment_id, keys))


def looking_up(wanted: Sequence[Look]) -> Steps[list[dict[str, str]]]:
    """For each of these, those of its keys that are there."""
    if len(wanted) == 1:  # as most are
        return [(yield from _finding(wanted[0].environment_id, wanted[0].keys))]
    asked: dict[int | None, set[str]] = {}
    for look in wanted:
        asked.setdefault(look.environment_id, set()).update(look.keys)
    found = {}
    for environment, keys in asked.items():
        found[environment] = yield from _finding(environment, keys)
    return [_among(found[look.environment_id], look.keys) for look in wanted]


def _finding(environment_id: int | None, keys: Iterable[str]) -> Steps[dict[str, str]]:
    by_digest = {digest_of_key(key): key for key in keys}
    # One key is found without an array in two thirds of the time; SQLite knows no arrays.
    if ON_POSTGRESQL and len(by_digest) != 1:
        rows = yield Statement(_AMONG, [[environment_id, list(by_digest)]])
    else:
        rows = yield Statement(_EACH, [[environment_id, digest] for digest in by_digest])
    return {by_digest[bytes(digest)]: _text(number, text) for digest, number, text in rows}


def _among(found: dict[str, str], keys: Iterable[str]) -> dict[str, str]:
    return {key: found[key] for key in keys if key in found}


def counters_of(session: Session) -> list[Counter]:
    """What an agent has counted in this session, whole counts first, then tool by tool."""
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
    return (WHOLE.index(counter.name) if counter.name in WHOLE else len(WHOLE)), counter.tool


def _text(number: int | None, text: bytes | memoryview | None) -> str:
    return str(number) if text is None else bytes(text).decode()
