"""Named values as lines of text, `name=value`, so that users don't have to write JSON."""

import re
from collections.abc import Mapping
from typing import Final

from governance.core.errors import InvalidInput
from governance.core.json_text import json_written, read_json, read_object
from governance.core.json_value import Json
from governance.core.texts import is_storable

_NAME: Final = re.compile(r"[^\s={\"'][^\s=]*")
_NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_WORDS: Final = frozenset({"true", "false", "null"})


def lines_of(values: Mapping[str, Json]) -> str:
    """One value per line, or a JSON object if a name can't be written this way."""
    if not all(_NAME.fullmatch(name) and is_storable(name) for name in values):
        return json_written(dict(values), indent=2)
    return "\n".join(f"{name}={_written(value)}" for name, value in values.items())


def values_in(text: str) -> dict[str, Json]:
    """Values of such lines, or of a JSON object. Numbers, true, false, null, lists and objects are
    parsed; anything else is a string, with or without quotes."""
    if text.lstrip().startswith("{"):
        return read_object(text)
    values: dict[str, Json] = {}
    for line in filter(None, (line.strip() for line in text.replace("\r", "\n").split("\n"))):
        name, separator, value = line.partition("=")
        name = name.strip()
        if not separator or not _NAME.fullmatch(name):
            raise InvalidInput(f"Write `name=value`, not `{line[:60]}`.")
        if name in values:
            raise InvalidInput(f"`{name}` is listed twice.")
        values[name] = _read(name, value.strip())
    return values


def _written(value: Json) -> str:
    if isinstance(value, str) and is_storable(value) and not _is_json(value):
        is_one_line = not {"\n", "\r"} & set(value) and value == value.strip()
        return value if is_one_line else json_written(value)
    return json_written(value)


def _read(name: str, text: str) -> Json:
    if not _is_json(text):
        return text
    try:
        return read_json(text)
    except InvalidInput as refused:
        raise InvalidInput(f"`{name}`: {refused}") from refused


def _is_json(text: str) -> bool:
    return text in _WORDS or text[:1] in ('"', "{", "[") or bool(_NUMBER.fullmatch(text))
