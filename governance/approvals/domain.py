"""A call that asks for leave: what is asked, how it stands at a time, and what people see of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from governance.core.approval_status import OnTimeout, ShownArgument
from governance.core.json_value import Json
from governance.core.masking import Masking

LONGEST_SHOWN: Final = 1_000  # characters of one argument
MOST_SHOWN: Final = 40  # arguments
DEEPEST: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    agent_id: str
    tool_name: str
    tool_args: Mapping[str, Json]
    message: str
    session_id: str  # empty: not told
    timeout_s: int
    on_timeout: OnTimeout


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
