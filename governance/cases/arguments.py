"""Arguments of a call as form fields, one per name, so that users don't have to write JSON."""

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from governance.core.errors import InvalidInput
from governance.core.json_text import json_written, read_json
from governance.core.json_value import Json
from governance.core.texts import is_storable

PREFIX: Final = "arg:"
TEXT, NUMBER, FLAG, JSON = "text", "number", "flag", "json"
MOST_FIELDS: Final = 20
LONGEST: Final = 2_000  # characters of a value that a field shows


class ArgumentField(NamedTuple):
    name: str
    kind: str
    value: str

    @property
    def key(self) -> str:
        return f"{PREFIX}{self.kind}:{self.name}"


def argument_fields(args: Mapping[str, Json]) -> list[ArgumentField]:
    """Fields of these arguments. Empty if fields can't show all of them: then the form has only
    JSON."""
    if not all(is_storable(name) for name in args):
        return []
    fields = [ArgumentField(name, *_shown(value)) for name, value in args.items()]
    if len(fields) > MOST_FIELDS or any(len(field.value) > LONGEST for field in fields):
        return []
    return fields


def sent_fields(sent: Mapping[str, str]) -> list[ArgumentField]:
    """Fields as a form sent them, whether their values are valid or not."""
    keys = [key.removeprefix(PREFIX) for key in sent if key.startswith(PREFIX)][:MOST_FIELDS]
    parts = (key.partition(":") for key in keys)
    return [ArgumentField(name, kind, sent[f"{PREFIX}{kind}:{name}"]) for kind, _, name in parts]


def arguments_in(sent: Mapping[str, str]) -> dict[str, Json] | None:
    """Arguments of the fields that a form sent; None if it sent none. Empty fields are omitted."""
    fields = sent_fields(sent)
    if not fields:
        return None
    return {field.name: _read(field) for field in fields if field.value}


def _shown(value: Json) -> tuple[str, str]:
    match value:
        case bool():
            return FLAG, json.dumps(value)
        case int() | float():
            return NUMBER, json.dumps(value)
        case str() if "\n" not in value and "\r" not in value and is_storable(value):
            return TEXT, value
        case _:
            return JSON, json_written(value)


def _read(field: ArgumentField) -> Json:
    if field.kind == TEXT:
        return field.value
    try:
        value = read_json(field.value)
    except InvalidInput as refused:
        raise InvalidInput(f"{field.name}: {refused}") from refused
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if field.kind == NUMBER and not is_number:
        raise InvalidInput(f"{field.name}: enter a number.")
    if field.kind == FLAG and not isinstance(value, bool):
        raise InvalidInput(f"{field.name}: enter true or false.")
    return value
