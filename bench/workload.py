"""Items that the agents of a bench post, and the rows that must be stored afterwards.

Items are about 1 KB of random words and hex ids; one in twenty has 8 KB. Repeated letters would
compress a hundredfold and make every figure look better. The recount derives everything from an
item's number, so posted items need not be recorded."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any

import msgspec

SESSIONS_AT_ONCE = 20  # concurrent sessions per client
CALLS_OF_A_SESSION = 50
TOOLS, AGENTS = 24, 8
TAG = 8  # length of the prefix that all names of a part share
_KINDS = (
    ["execution_result"] * 84
    + ["denied"] * 6
    + ["failure"] * 5
    + ["artifact_reference"] * 3
    + ["timeout"] * 2
)
_REASONS = ("contract", "approval", "limit", "unknown_tool")


@dataclass(frozen=True, slots=True)
class Workload:
    """Number of clients, posts per client, and items per post."""

    tag: str
    clients: int
    posts: int  # per client
    batch: int

    @property
    def items(self) -> int:
        return self.clients * self.posts * self.batch


def call_id(tag: str, client: int, place: int) -> str:
    return tag + _hex(f"{tag} call {client} {place}", 12)


def session_id(tag: str, client: int, place: int) -> str:
    """Session of a call. A client's sessions interleave, and new ones replace finished ones."""
    slot, turn = place % SESSIONS_AT_ONCE, place // SESSIONS_AT_ONCE
    return tag + _hex(f"{tag} session {client} {slot} {turn // CALLS_OF_A_SESSION}", 8)


def is_large(place: int) -> bool:
    return (place + place // 20) % 20 == 0  # one in twenty, always in a different session


def kind_of(place: int) -> str:
    return "execution_result" if is_large(place) else _KINDS[place * 37 % 100]


@dataclass(frozen=True, slots=True)
class Expected:
    kinds: dict[str, str]  # by call id
    sessions: Counter[str]  # calls per session


def expected(load: Workload, posted: list[int]) -> Expected:
    """Rows that must be stored, given the number of acknowledged posts per client."""
    kinds: dict[str, str] = {}
    sessions: Counter[str] = Counter()
    for client, posts in enumerate(posted):
        for place in range(posts * load.batch):
            kinds[call_id(load.tag, client, place)] = kind_of(place)
            sessions[session_id(load.tag, client, place)] += 1
    return Expected(kinds, sessions)


def bodies(load: Workload, client: int) -> Iterator[bytes]:
    """Posts of one client, in order, with call times that increase from now on."""
    # Seeded, so that every run has the same words and runs can be compared.
    rng = random.Random(f"{load.batch} {client}")  # noqa: S311 - words, not secrets
    words = _vocabulary()
    first = datetime.now(UTC)
    for post in range(load.posts):
        places = range(post * load.batch, (post + 1) * load.batch)
        items = [_item(load, client, place, first, rng, words) for place in places]
        yield msgspec.json.encode({"outcomes": items})


def _item(
    load: Workload,
    client: int,
    place: int,
    first: datetime,
    rng: random.Random,
    words: list[str],
) -> dict[str, Any]:
    tag, kind = load.tag, kind_of(place)
    session = session_id(tag, client, place)
    at = first + timedelta(microseconds=100 * place)
    return {
        "type": kind,
        "call_id": call_id(tag, client, place),
        "tool_name": f"{tag}_tool_{int(TOOLS * rng.random() ** 2)}",
        "agent_id": f"{tag}-agent-{int(session[TAG:], 16) % AGENTS}",
        "session_id": session,
        "turn_id": session[TAG:] + f"{place // SESSIONS_AT_ONCE // 5:x}",
        "environment": "production",
        "timestamp": at.isoformat(),
        "tool_args": {
            "url": f"https://example.test/{rng.choice(words)}/{rng.getrandbits(64):016x}",
            "query": " ".join(rng.choices(words, k=12)),
        },
        "principal": {"user_id": f"{rng.getrandbits(48):012x}", "role": rng.choice(words)},
        "metadata": {
            "trace": f"{rng.getrandbits(128):032x}",
            "span": f"{rng.getrandbits(64):016x}",
        },
        **_became(kind, large=is_large(place), rng=rng, words=words),
    }


def _became(kind: str, *, large: bool, rng: random.Random, words: list[str]) -> dict[str, Any]:
    text = " ".join(rng.choices(words, k=1_070 if large else 38))
    elapsed = round(rng.expovariate(1 / 80), 1)
    if kind == "denied":
        return {"reason": rng.choice(_REASONS), "details": text}
    if kind == "failure":
        return {"error": text, "elapsed_ms": elapsed, "retryable": rng.random() < 0.5}
    if kind == "timeout":
        return {"deadline_s": 30, "elapsed_ms": 30_000, "metadata": {"note": text}}
    if kind == "artifact_reference":
        sha = f"{rng.getrandbits(256):064x}"
        return {"artifact_id": sha, "summary": text, "size_bytes": 40_000}
    status = 500 if rng.random() < 0.03 else 200
    output = {"status": status, "id": f"{rng.getrandbits(96):024x}", "text": text}
    return {"output": output, "elapsed_ms": elapsed, "tool_success": True}


def _vocabulary() -> list[str]:
    rng = random.Random("words")  # noqa: S311 - words, not secrets
    syllables = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
    return ["".join(rng.choices(syllables, k=rng.randint(2, 5))) for _ in range(2_000)]


def _hex(text: str, size: int) -> str:
    return blake2b(text.encode(), digest_size=size).hexdigest()
