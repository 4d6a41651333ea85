"""Packed sums of calls: of a change or a minute, and of one rollup."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

import msgspec

from outcomes.core.durations import Pile, pack
from outcomes.figures.domain.figures import Became
from outcomes.figures.domain.sums import Minutes, Pair, Sums

# Their places in these are what is stored: a new one comes last.
_KINDS: Final = ("", "execution_result", "timeout", "failure", "denied", "artifact_reference")
_VERDICTS: Final = ("", "success", "failure", "unknown")
_WORDS: Final = [(kind, verdict) for verdict in _VERDICTS for kind in _KINDS]
_CODES: Final = {words: code for code, words in enumerate(_WORDS)}
_UNCHECKED: Final = len(_WORDS)  # added to the code of calls that ran and that no check has seen

# Minute, tool and agent, and what is said of them there.
Counts = tuple[int, int, int, int, str, int, int]  # code, reason, calls, disagreements
Took = tuple[int, int, int, int, int]  # bucket, calls
Counted = tuple[int, str, int, int]  # the same as in the first, of one rollup

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


@lru_cache(maxsize=4_096)  # the same few, tens of thousands of times for a page
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
    """Packed rollup with these sums added."""
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
