"""Approval requests: values, digest, and the arguments as shown to people."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from governance.core.approval_status import OnTimeout, ShownArgument
from governance.core.json_value import Json
from governance.core.masking import Masking

SHORT: Final = 60  # characters of an argument that a sentence can hold
MENTIONED: Final = 3  # arguments in a sentence
_AMOUNT: Final = re.compile(r"(?:^|_)(?:amount|total|price|sum)(?:_|$)", re.IGNORECASE)
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
LONGEST_SHOWN: Final = 1_000  # characters of one argument
MOST_SHOWN: Final = 40  # arguments
DEEPEST: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    agent_id: str
    tool_name: str
    tool_args: Mapping[str, Json]
    message: str
    session_id: str  # empty: not sent
    timeout_s: int
    on_timeout: OnTimeout


def digest_of(request: Request) -> bytes:
    """Digest that is equal for a retried request."""
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
    """JSON that any database can store. Raises ValueError for NaN and infinity."""
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
    """Arguments to show: secrets masked and long values truncated, unless opened."""
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


@dataclass(frozen=True, slots=True)
class Amount:
    value: Decimal
    currency: str  # empty: unknown

    def __str__(self) -> str:
        if self.currency or self.value != self.value.to_integral():
            return f"{self.value:,.2f} {self.currency}".strip()
        return f"{int(self.value):,}"


def amount_of(arguments: Iterable[ShownArgument]) -> Amount | None:
    """First numeric argument with an amount's name, with its currency if known; or None."""
    values = {each.name: _value(each) for each in arguments if not each.masked}
    currency = values.get("currency")
    known = currency if isinstance(currency, str) and _CURRENCY.fullmatch(currency) else ""
    for name, value in values.items():
        if _AMOUNT.search(name) and isinstance(value, int | float) and not isinstance(value, bool):
            return Amount(Decimal(str(value)), known)
    return None


def names_in(arguments: Iterable[ShownArgument]) -> dict[str, str]:
    """Short text arguments, which often name what a call is about: an account, a host."""
    values = {each.name: _value(each) for each in arguments if not each.masked}
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, str) and 2 <= len(value) <= SHORT and name != "currency"
    }


def unmentioned(message: str, arguments: Iterable[ShownArgument]) -> list[str]:
    """Short arguments that the message doesn't mention, as `name value`."""
    left_out = []
    for each in arguments:
        value = _value(each)
        text = value if isinstance(value, str) else each.text
        if isinstance(value, dict | list) or value is None or each.masked or len(text) > SHORT:
            continue
        if text and not any(_is_in(message, spelling) for spelling in _spellings(value, text)):
            left_out.append(f"{each.name} {text}")
    return left_out[:MENTIONED]


def _is_in(message: str, text: str) -> bool:
    """Whether the message contains the text as a separate word: 0 is not in 1,000."""
    return re.search(rf"(?<![\w.,]){re.escape(text)}(?!\w|[.,]\d)", message) is not None


def _spellings(value: Json, text: str) -> set[str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {text, f"{value:,}", f"{value:,.2f}", f"{value:.2f}"}
    return {text}


def _value(argument: ShownArgument) -> Json:
    """Parsed value, or None if it was truncated."""
    try:
        value: Json = json.loads(argument.text)
    except ValueError:
        return None
    return value


def _showable(text: str) -> str:
    # A lone surrogate can't be encoded, and PostgreSQL rejects NUL.
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
