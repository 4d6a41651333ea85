"""A call that asks for leave: what is asked, how it stands at a time, and what people see of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from governance.core.json_value import Json
from governance.core.masking import MASK, Masking

LONGEST_SHOWN: Final = 1_000  # characters of one argument
MOST_SHOWN: Final = 40  # arguments
FOLDED_FROM: Final = 240  # characters; what is longer begins with fewer and opens
BEGINS_WITH: Final = 120
DEEPEST: Final = 100


class Status(StrEnum):
    """In the words that every version of the SDKs understands."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    TIMEOUT = "timeout"


class OnTimeout(StrEnum):
    """What the agent does when nobody decides; it says so itself, and we only show it."""

    BLOCK = "block"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    agent_id: str
    tool_name: str
    tool_args: Mapping[str, Json]
    message: str
    session_id: str  # empty: not told
    timeout_s: int
    on_timeout: OnTimeout


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownArgument:
    name: str
    text: str  # the value as JSON, its secrets masked
    masked: bool
    length: int  # of the text before it was cut

    @property
    def is_cut(self) -> bool:
        return self.length > len(self.text)

    @property
    def beginning(self) -> str:
        """Of a long one as much as tells what it is; empty: it is short, so all of it shows."""
        return self.text[:BEGINS_WITH] if len(self.text) > FOLDED_FROM else ""

    @property
    def is_wholly_masked(self) -> bool:
        return self.text == f'"{MASK}"'


def status_at(status: Status, ends_at: datetime, now: datetime) -> Status:
    """Nobody has to write that time ran out for it to have run out."""
    if status is Status.PENDING and ends_at <= now:
        return Status.TIMEOUT
    return status


def digest_of(request: Request) -> bytes:
    """Equal for a request that was sent again."""
    parts = (
        request.agent_id,
        request.tool_name,
        dict(request.tool_args),
        request.message,
        request.session_id,
        request.timeout_s,
        request.on_timeout.value,
    )
    return hashlib.sha256(as_text(parts, sort_keys=True).encode("ascii")).digest()


def as_text(value: object, *, sort_keys: bool = False) -> str:
    """JSON that any database keeps, whatever the texts in it hold. ValueError: NaN, infinity."""
    return json.dumps(value, allow_nan=False, sort_keys=sort_keys, separators=(",", ":"))


def is_deeper_than(value: Json, levels: int) -> bool:
    layer: list[Json] = [value]
    for _ in range(levels + 1):
        inner: list[Json] = []
        for each in layer:
            if isinstance(each, dict):
                inner += each.values()
            elif isinstance(each, list):
                inner += each
        if not inner:
            return False
        layer = inner
    return True


def shown_arguments(arguments: Mapping[str, Json], *, opened: bool = False) -> list[ShownArgument]:
    """As a person decides by them: secrets masked and long values cut, unless they are opened."""
    masking = Masking(dict(arguments))
    shown = []
    for name, value in list(arguments.items())[: None if opened else MOST_SHOWN]:
        secrets = 0
        if not opened:
            value, secrets = masking.field(name, value)
        text = _showable(json.dumps(value, ensure_ascii=False))
        shown.append(
            ShownArgument(
                name=_showable(name) if opened else _showable(name)[:200],
                text=text if opened else text[:LONGEST_SHOWN],
                masked=secrets > 0,
                length=len(text),
            )
        )
    return shown


def _showable(text: str) -> str:
    # Half a character has no bytes, and PostgreSQL keeps no NUL.
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
