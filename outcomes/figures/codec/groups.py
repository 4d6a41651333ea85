"""Groups of call rows, and packed changes of group counts."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final

import msgspec

from governance.checks.domain import DEFAULT
from governance.core.masking import masked_text
from outcomes.core.groups import DENIED, FAILURE, LONGEST
from outcomes.figures.domain.groups import DETAILED, Grouping, grouping, normalised
from outcomes.record.codec.rows import CallRow
from outcomes.record.codec.text import as_text

_SEEN: Final = 600  # characters of a value: more than tell groups apart

# Minute, of, tool, agent and group; and how many calls, and sessions that begin and end with one.
GroupCounts = tuple[int, int, int, int, int, int, int, int]

CounterKey = tuple[int, int, int, int]  # of, tool, agent and group
GroupMinutes = defaultdict[int, defaultdict[CounterKey, list[int]]]

_encode: Final = msgspec.msgpack.Encoder().encode
_counts: Final = msgspec.msgpack.Decoder(list[GroupCounts])


def has_group(row: CallRow) -> bool:
    return row.verdict == FAILURE or row.kind == DENIED


def grouping_of(row: CallRow) -> Grouping | None:
    if not has_group(row):
        return None
    by_agent = row.decided_by == "agent"  # then no check found this failure
    return grouping(
        kind=row.kind,
        verdict=row.verdict,
        tool=row.tool,
        agent=row.agent,
        reason=row.reason,
        detail=row.detail,
        rule=row.rule,
        check="" if by_agent else row.check_name,
        check_rule="" if by_agent else row.check_rule,
        check_words=_check_words(row),
    )


def shown_text_of(row: CallRow) -> str:
    """Display text of a group that begins with this call, without the call's secrets. The normal
    form alone would separate them, not remove them."""
    text = row.detail if row.kind == DENIED else _check_words(row)
    if not text and row.kind in DETAILED:
        text = row.detail
    return normalised(masked_text(text, is_cut=len(text) >= LONGEST)[0])


def _check_words(row: CallRow) -> str:
    if row.decided_by == "agent":
        return ""
    saw, says = _text_in(row.check_value), row.verdict_reason
    # The built-in check gives no reason but that of its rule.
    return saw or says if row.check_name == DEFAULT.name else says or saw


def digest_of_group(group: Grouping) -> bytes:
    return sha256(_encode(group)).digest()[:16]


def pack_groups(counts: Iterable[GroupCounts]) -> bytes | None:
    """None where nothing changed."""
    rows = [row for row in counts if any(row[5:])]
    return _encode(rows) if rows else None


def unpack_groups(packed: bytes | memoryview | None) -> list[GroupCounts]:
    return _counts.decode(packed) if packed else []


def no_group_minutes() -> GroupMinutes:
    return defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))


def add_group_change(minutes: GroupMinutes, packed: bytes | memoryview | None) -> set[int]:
    """Minutes that the change is about."""
    rows = unpack_groups(packed)
    for minute, of, tool, agent, group, calls, begun, ended in rows:
        sums = minutes[minute][of, tool, agent, group]
        sums[0] += calls
        sums[1] += begun
        sums[2] += ended
    return {row[0] for row in rows}


def pack_group_minute(minute: int, groups: Mapping[CounterKey, Sequence[int]]) -> bytes | None:
    return pack_groups((minute, *of, *sums) for of, sums in groups.items())  # type: ignore[misc]  # one, four and three


def _text_in(value: str) -> str:
    """Text that a check saw, as far as it is stored; empty for other values."""
    if not value.startswith('"'):
        return ""
    short = value[1:_SEEN]
    is_complete = short.endswith('"') and len(value) <= _SEEN
    try:
        text = json.loads(f'"{short[:-1] if is_complete else short}"')
    except ValueError:  # cut within a character that is written as several
        text = short
    return as_text(str(text))
