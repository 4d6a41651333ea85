"""The arguments of a call in one line."""

import json
from typing import Final

from governance.core.json_value import Json
from governance.core.masking import masked

ARGUMENTS: Final = 160  # characters of a line of arguments


def arguments_text(arguments: Json) -> str:
    """In one line, secrets masked; of many, how they begin."""
    match masked(arguments)[0]:
        case None:
            return ""
        case dict() as fields:
            text = ", ".join(f"{key}: {_text(value)}" for key, value in fields.items())
        case value:
            text = _text(value)
    return text if len(text) <= ARGUMENTS else text[: ARGUMENTS - 1] + "…"


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
