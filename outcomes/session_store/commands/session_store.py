"""Writes to the SDKs' session store. Each is one statement, so that no count is lost or doubled."""

from datetime import UTC, datetime
from typing import Any, NoReturn

from django.db import transaction
from django.urls import reverse

from governance import findings
from governance.core.errors import Conflict, Forbidden, InvalidInput, NotFound
from governance.core.texts import code
from governance.people.auth import Access
from outcomes.database.statements import write_row
from outcomes.models import StoredValue
from outcomes.record.codec import digest_of
from outcomes.session_store.domain import (
    LARGEST_NUMBER,
    NO_SUCH_KEY,
    as_counter,
    as_integer,
    as_number,
    is_protected,
    session_of,
    text_of,
)
from outcomes.session_store.queries import digest_of_key
from outcomes.stored.queries import session_named
from outcomes.web.addresses import session_url

LOWERED = "lowered counter"  # kind of the alert
SHOWN = 300  # characters of a key in an alert
LONGEST_NAME = 128  # characters of an agent's name in an alert

_INSERT = """
    INSERT INTO outcomes_storedvalue
        (environment_id, digest, key, session, number, text, used_on)
    VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (environment_id, digest) DO """
COUNT_UP = f"""{_INSERT} UPDATE SET
        number = outcomes_storedvalue.number + excluded.number, used_on = excluded.used_on
    WHERE outcomes_storedvalue.number + excluded.number
        BETWEEN -{LARGEST_NUMBER} AND {LARGEST_NUMBER}
    RETURNING number"""
_PUT = f"""{_INSERT} UPDATE SET
        number = excluded.number, text = excluded.text, used_on = excluded.used_on
    RETURNING 1"""
_RAISE = f"""{_INSERT} UPDATE SET
        number = excluded.number, used_on = excluded.used_on
    WHERE outcomes_storedvalue.number <= excluded.number
    RETURNING 1"""
_BEGIN = f"""{_INSERT} NOTHING RETURNING 1"""
_REMOVE = """
    DELETE FROM outcomes_storedvalue WHERE environment_id = %s AND digest = %s RETURNING 1"""


def count_up(key: str, amount: float, *, access: Access, agent: str = "") -> float:
    """Add to a counter, which starts at zero, and return its value."""
    amount = as_counter(amount)
    if is_protected(key) and (isinstance(amount, float) or amount < 1):
        if amount < 0:
            _note_lowering(key, f"tried to count it up by {amount}", access, agent)
        raise InvalidInput(
            "This counter can only be raised by as_counter amounts from 1.", code="protected"
        )
    if isinstance(amount, int) and abs(amount) <= LARGEST_NUMBER:
        counted = write_row(COUNT_UP, row_of(key, amount, None, access))
        if counted is not None:
            return int(counted[0])
    return _count_in_python(key, amount, access)


def put_value(key: str, value: str, *, access: Access, agent: str = "") -> None:
    number = as_integer(value)
    if not is_protected(key):
        text = value.encode() if number is None else None
        write_row(_PUT, row_of(key, number, text, access))
        return
    if number is None:
        raise InvalidInput(
            "The value of this counter must be the text of an integer.", code="protected"
        )
    if number < 0 or write_row(_RAISE, row_of(key, number, None, access)) is None:
        _refuse_lowering(key, f"tried to set it back to {number}", access, agent)


def remove_value(key: str, *, access: Access, agent: str = "") -> None:
    place = [access.environment_id, digest_of_key(key)]
    if is_protected(key):
        if StoredValue.objects.filter(pk=tuple(place)).exists():
            _refuse_lowering(key, "tried to remove it", access, agent)
    elif write_row(_REMOVE, place) is not None:
        return
    raise NotFound(NO_SUCH_KEY)


def _count_in_python(key: str, amount: float, access: Access) -> float:
    """Fallback for floats and for large numbers, which only custom keys of an agent may have."""
    with transaction.atomic():
        write_row(_BEGIN, row_of(key, 0, None, access))
        place = (access.environment_id, digest_of_key(key))
        stored = StoredValue.objects.select_for_update().get(pk=place)
        before = stored.number if stored.text is None else as_number(bytes(stored.text).decode())
        if before is None:
            raise Conflict("The value of this key is not a number.", code="not_a_number")
        counted = as_counter(before + amount)
        if abs(counted) > LARGEST_NUMBER:
            raise InvalidInput(
                f"The largest counter value is {LARGEST_NUMBER}.", code="out_of_range"
            )
        put_value(key, text_of(counted), access=access)
    return counted


def row_of(key: str, number: int | None, text: bytes | None, access: Access) -> list[Any]:
    session = session_of(key)
    return [
        access.environment_id,
        digest_of_key(key),
        key,
        None if session is None else digest_of(session),
        number,
        text,
        datetime.now(UTC).date().isoformat(),
    ]


def _refuse_lowering(key: str, did: str, access: Access, agent: str) -> NoReturn:
    _note_lowering(key, did, access, agent)
    raise Forbidden(
        "An agent may raise this counter, but not lower or delete it.", code="protected"
    )


def _note_lowering(key: str, did: str, access: Access, agent: str) -> None:
    who = code(agent) if agent else "An agent"
    findings.open_finding(
        access.project_id,
        LOWERED,
        subject_of(access.environment, key),
        title=f"{who} tried to lower the protected counter {code(key)}",
        severity="error",
        why=(
            f"{access.environment}. It {did}, with the key {access.actor.label}. Limits hold only"
            " while counters go up. Check what this agent runs, and reset the session if that was"
            " intended."
        ),
        link=_link(key, access),
        environment=access.environment,
        agent=agent,
    )


def subject_of(environment: str, key: str) -> str:
    return f"{environment}: {key[:SHOWN]}"


def _link(key: str, access: Access) -> str:
    """URL of the session if it has calls, else of the keys page."""
    session = session_of(key)
    if session is not None and session_named(access.project_id, session, access.environment):
        return session_url(access.project_slug, session, access.environment)
    return reverse("governance:keys", args=[access.project_slug])
