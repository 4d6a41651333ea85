"""Encoding of group and rollup counts as bytes."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final

import msgspec

from governance.checks.domain import DEFAULT
from governance.core.masking import masked_beginning, masked_text
from outcomes.core.durations import Pile, pack
from outcomes.core.groups import DENIED, FAILURE, LONGEST
from outcomes.figures.domain.figures import Became
from outcomes.figures.domain.groups import DETAILED, Grouping, grouping, normalised
from outcomes.figures.domain.sums import Minutes, Pair, Sums
from outcomes.record.codec.items import as_text
from outcomes.record.codec.rows import CallRow

# Stored codes are positions in these tuples, so append new values at the end.
_KINDS: Final = ("", "execution_result", "timeout", "failure", "denied", "artifact_reference")
_VERDICTS: Final = ("", "success", "failure", "unknown")
_WORDS: Final = [(kind, verdict) for verdict in _VERDICTS for kind in _KINDS]
_CODES: Final = {words: code for code, words in enumerate(_WORDS)}
_UNCHECKED: Final = len(_WORDS)  # added to the code of calls that ran without being checked

# Minute, tool and agent, followed by the named columns.
Counts = tuple[int, int, int, int, str, int, int]  # code, reason, calls, disagreements
Took = tuple[int, int, int, int, int]  # bucket, calls
Counted = tuple[int, str, int, int]  # the columns of Counts, for one rollup

_encode: Final = msgspec.msgpack.Encoder().encode
_counts: Final = msgspec.msgpack.Decoder(list[Counts])
_took: Final = msgspec.msgpack.Decoder(list[Took])
_counted: Final = msgspec.msgpack.Decoder(list[Counted])


def code_of(kind: str, verdict: str, *, unchecked: bool = False) -> int:
    return _CODES[kind, verdict] + (_UNCHECKED if unchecked else 0)


def codes_of(verdict: str) -> frozenset[int]:
    codes = [code for (_, code_verdict), code in _CODES.items() if code_verdict == verdict]
    return frozenset([*codes, *(code + _UNCHECKED for code in codes)])


def is_unchecked(code: int) -> bool:
    return code >= _UNCHECKED


@lru_cache(maxsize=4_096)  # a page asks for the same few codes tens of thousands of times
def became(code: int, reason: str) -> Became:
    kind, verdict = _WORDS[code % _UNCHECKED]
    return kind, verdict, reason


def pack_change(counts: Iterable[Counts], took: Iterable[Took]) -> tuple[bytes, bytes]:
    return (
        _encode([row for row in counts if row[5] or row[6]]),
        _encode([row for row in took if row[4]]),
    )


def unpack_counts(packed: bytes) -> list[Counts]:
    return _counts.decode(packed)


def unpack_took(packed: bytes) -> list[Took]:
    return _took.decode(packed)


def add_change(minutes: Minutes, counts: bytes, took: bytes) -> None:
    for minute, tool, agent, code, reason, calls, disagreements in _counts.decode(counts):
        sums = minutes[minute][tool, agent].counts[code, reason]
        sums[0] += calls
        sums[1] += disagreements
    for minute, tool, agent, bucket, calls in _took.decode(took):
        minutes[minute][tool, agent].took[bucket] += calls


def pack_minute(minute: int, pairs: Mapping[Pair, Sums]) -> tuple[bytes, bytes]:
    counts: list[Counts] = []
    took: list[Took] = []
    for (tool, agent), sums in pairs.items():
        for (code, reason), (calls, disagreements) in sums.counts.items():
            counts.append((minute, tool, agent, code, reason, calls, disagreements))
        for bucket, calls in sums.took.items():
            took.append((minute, tool, agent, bucket, calls))
    return pack_change(counts, took)


def unpack_counted(packed: bytes) -> list[Counted]:
    return _counted.decode(packed)


def added(sums: Sums, counts: bytes, durations: bytes) -> tuple[bytes, bytes]:
    """Packed counts and durations of a rollup, with these sums added."""
    counts_by_key = {key: list(numbers) for key, numbers in sums.counts.items()}
    for code, reason, calls, disagreements in _counted.decode(counts) if counts else ():
        numbers = counts_by_key.setdefault((code, reason), [0, 0])
        numbers[0] += calls
        numbers[1] += disagreements
    pile = Pile()
    pile.add(durations)
    buckets = pile.buckets()
    for bucket, calls in sums.took.items():
        buckets[bucket] += calls
    rows = [(*key, *numbers) for key, numbers in sorted(counts_by_key.items()) if any(numbers)]
    return _encode(rows), pack(buckets)


_SEEN: Final = 600  # characters of a value: more than groups need to be distinguished

# Minute, of, tool, agent and group; then calls, sessions whose first such call falls in this
# minute, and sessions whose last one does.
GroupCounts = tuple[int, int, int, int, int, int, int, int]

CounterKey = tuple[int, int, int, int]  # of, tool, agent and group
GroupMinutes = defaultdict[int, defaultdict[CounterKey, list[int]]]

_group_counts: Final = msgspec.msgpack.Decoder(list[GroupCounts])


def has_group(row: CallRow) -> bool:
    return row.verdict == FAILURE or row.kind == DENIED


def grouping_of(row: CallRow) -> Grouping | None:
    if not has_group(row):
        return None
    # Secrets never separate groups, whether they are masked when stored or when shown.
    by_agent = row.decided_by == "agent"  # no check found this failure
    return grouping(
        kind=row.kind,
        verdict=row.verdict,
        tool=row.tool,
        agent=row.agent,
        reason=row.reason,
        detail=masked_beginning(row.detail),
        rule=row.rule,
        check="" if by_agent else row.check_name,
        check_rule="" if by_agent else row.check_rule,
        check_words=masked_beginning(_check_words(row)),
    )


def shown_text_of(row: CallRow) -> str:
    """Display text of a group whose first call is this one, with secrets masked: normalizing
    the text doesn't remove them."""
    text = row.detail if row.kind == DENIED else _check_words(row)
    if not text and row.kind in DETAILED:
        text = row.detail
    return normalised(masked_text(text, is_cut=len(text) >= LONGEST)[0])


def _check_words(row: CallRow) -> str:
    if row.decided_by == "agent":
        return ""
    saw, says = _text_in(row.check_value), row.verdict_reason
    # The built-in check's only reason is its rule's, so the output's text says more.
    return saw or says if row.check_name == DEFAULT.name else says or saw


def digest_of_group(group: Grouping) -> bytes:
    return sha256(_encode(group)).digest()[:16]


def pack_groups(counts: Iterable[GroupCounts]) -> bytes | None:
    """Packed changes, or None if nothing changed."""
    rows = [row for row in counts if any(row[5:])]
    return _encode(rows) if rows else None


def unpack_groups(packed: bytes | memoryview | None) -> list[GroupCounts]:
    return _group_counts.decode(packed) if packed else []


def no_group_minutes() -> GroupMinutes:
    return defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))


def add_group_change(minutes: GroupMinutes, packed: bytes | memoryview | None) -> set[int]:
    """Add a packed change to the sums and return the minutes it affects."""
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
    """Stored beginning of the text that a check read; empty for values other than text."""
    if not value.startswith('"'):
        return ""
    short = value[1:_SEEN]
    is_complete = short.endswith('"') and len(value) <= _SEEN
    try:
        text = json.loads(f'"{short[:-1] if is_complete else short}"')
    except ValueError:  # cut within an escape sequence
        text = short
    return as_text(str(text))
