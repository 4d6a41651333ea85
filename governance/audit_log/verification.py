"""Verify a log: its chain, and heads that were signed earlier."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import QuerySet

from governance.audit_log.chain import BEGINNING, chain_keys, hash_of
from governance.audit_log.heads import SignedHead, signed_heads
from governance.audit_log.removal import REMOVED
from governance.models import AuditEntry, Project, SigningKey


class Break(NamedTuple):
    """First broken entry of a log, with the reason."""

    number: int
    why: str


class _Chain(NamedTuple):
    """A chain, verified up to its end or to the first break."""

    first: int
    last: int
    hashes: dict[int, str]  # by entry number, where a head exists
    broken: Break | None


def verify(project: Project, against: Iterable[SignedHead] = ()) -> Break | None:
    """First altered or missing entry, or None. Heads in `against` are checked like stored ones."""
    heads = sorted((*signed_heads(project), *against), key=lambda head: head.number)
    heads = [head for head in heads if head.project_id == project.pk]
    if forged := _forged(project, heads):
        return forged
    chain = _followed(project, {head.number for head in heads})
    return _differing(chain, heads) or chain.broken


def _followed(project: Project, numbers: set[int]) -> _Chain:
    entries = AuditEntry.objects.filter(project=project).order_by("number")
    first = entries.first()
    if first is None:
        return _Chain(1, 0, {}, None)
    expected, previous = first.number, first.previous_hash
    hashes = {expected - 1: previous}
    keys = chain_keys(project.pk)
    if not _begins_well(entries, expected, previous):
        why = f"Entries 1 to {expected - 1} are missing, and no checkpoint of retention says so."
        return _Chain(expected, 0, {}, Break(1, why))
    for entry in entries.iterator():
        key, why = _key_of(entry, expected, previous, keys)
        if why:
            return _Chain(first.number, expected - 1, hashes, Break(expected, why))
        keys = keys[: key + 1]  # an older secret key is not valid after a newer one
        if expected in numbers:
            hashes[expected] = entry.hash
        expected, previous = expected + 1, entry.hash
    return _Chain(first.number, expected - 1, hashes, None)


def _key_of(entry: AuditEntry, expected: int, previous: str, keys: list[bytes]) -> tuple[int, str]:
    """Index of the key that chained this entry, and the reason if the chain breaks here."""
    if entry.number != expected:
        return 0, f"Entry {expected} is missing."
    if entry.previous_hash != previous:
        return 0, f"Entry {expected} does not follow the one before it."
    for place, key in enumerate(keys):
        if entry.hash == hash_of(entry, key):
            return place, ""
    return 0, f"Entry {expected} was altered, or written without this console's secret key."


def _begins_well(entries: QuerySet[AuditEntry], number: int, previous: str) -> bool:
    """Whether the log starts with entry 1, or a later entry records the removal up to here.

    A forged removal entry breaks the chain at its own number.
    """
    if number == 1:
        return previous == BEGINNING
    removals = entries.filter(action=REMOVED).values_list("details", flat=True)
    there = (number - 1, previous)
    return any((each.get("up_to"), each.get("hash")) == there for each in removals)


def _forged(project: Project, heads: list[SignedHead]) -> Break | None:
    keys = SigningKey.objects.filter(project=project)
    known = set(keys.values_list("public_key", flat=True))
    for head in heads:
        if not head.is_signed():
            return Break(head.number, f"The head at entry {head.number} has a wrong signature.")
        if head.public_key not in known:
            why = (
                f"The head at entry {head.number} was signed with a key that is not the project's."
            )
            return Break(head.number, why)
    return None


def _differing(chain: _Chain, heads: list[SignedHead]) -> Break | None:
    """First difference between the log and its signed heads, up to the first break of the chain."""
    good = chain.first - 1
    for head in heads:
        if head.number < chain.first - 1 or (chain.broken and head.number > chain.last):
            continue  # removed by retention, or after the break
        if head.number > chain.last:
            gone = f"Entries {chain.last + 1} to {head.number} are missing"
            return Break(chain.last + 1, f"{gone}: entry {head.number} was signed on {head.day}.")
        if chain.hashes[head.number] != head.hash:
            why = f"Entries {good + 1} to {head.number} are not those signed on {head.day}."
            return Break(good + 1, why)
        good = head.number
    return None
