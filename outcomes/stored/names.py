"""Row ids by name. Agents, tools, sessions and principals get a row when first seen.

Rows are inserted in sorted order, so that two workers never deadlock.
"""

import time
from collections.abc import Iterable
from typing import Any, Final

from django.db import transaction
from django.db.models import Model, Q

from outcomes.database import bulk
from outcomes.record.codec import digest_of

Name = tuple[int, str]  # id of the project or environment, and the name in it

REMEMBERED = 50_000
REMEMBERED_FOR: Final = 60.0  # seconds; an erasure waits longer before it deletes a name
_remembered: dict[type[Model], dict[Name, int]] = {}
_forgets_at = 0.0


def ids_of(model: type[Model], scope: str, names: Iterable[Name], **extra: Any) -> dict[Name, int]:
    """Row id of each name, creating missing rows. Names are unique within the `scope` field.

    `extra` maps further columns of a new row to functions of its scope and name.
    """
    _forget_in_time()
    remembered = _remembered.setdefault(model, {})
    unique = set(names)
    ids = {name: remembered[name] for name in unique if name in remembered}
    missing = sorted(unique - ids.keys())
    if not missing:
        return ids
    made = dict(_stored(model, scope, missing))
    absent = [name for name in missing if name not in made]
    if absent:
        label = "session_id" if scope == "environment" else "name"
        rows = [
            (place, digest_of(name), name, *(value(place, name) for value in extra.values()))
            for place, name in absent
        ]
        bulk.insert_missing(model, (scope, "digest", label, *extra), rows)
        made |= dict(_stored(model, scope, absent))
    # Cached only after the commit: rolling back a claim also rolls back its names.
    transaction.on_commit(lambda: _remember(remembered, made))
    return ids | made


def forget() -> None:
    """Clear the cache. Call this after deleting rows elsewhere, such as a session."""
    _remembered.clear()


def _forget_in_time() -> None:
    global _forgets_at
    if (now := time.monotonic()) > _forgets_at:
        _remembered.clear()
        _forgets_at = now + REMEMBERED_FOR


def _stored(model: type[Model], scope: str, names: list[Name]) -> Iterable[tuple[Name, int]]:
    by_place: dict[int, dict[bytes, str]] = {}
    for place, name in names:
        by_place.setdefault(place, {})[digest_of(name)] = name
    for place, digests in by_place.items():
        keys = list(digests)
        for start in range(0, len(keys), 500):
            rows = model._default_manager.filter(
                Q(**{scope: place, "digest__in": keys[start : start + 500]})
            ).values_list("digest", "id")
            for digest, row_id in rows:
                yield (place, digests[bytes(digest)]), row_id


def _remember(remembered: dict[Name, int], made: dict[Name, int]) -> None:
    if len(remembered) + len(made) > REMEMBERED:
        remembered.clear()
    remembered.update(made)
