"""A JSON value on one line of YAML, plain where that is safe, such that every reader reads it."""

import json
import re
from typing import Final

from governance.core.json_value import Json
from governance.texts.lint_finding import is_plain

# What readers of YAML refuse raw, or take for the end of a line.
_ESCAPED: Final = re.compile(
    "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def flow(value: Json, *, as_json: bool = False) -> str:
    match value:
        case dict():
            pairs = (
                f"{_text(key, as_json=as_json)}: {flow(inner, as_json=as_json)}"
                for key, inner in value.items()
            )
            return "{" + ", ".join(pairs) + "}"
        case list():
            return "[" + ", ".join(flow(inner, as_json=as_json) for inner in value) + "]"
        case str():
            return _text(value, as_json=as_json)
        case _:
            return json.dumps(value)


def _text(text: str, *, as_json: bool) -> str:
    if not as_json and is_plain(text):
        return text
    return _ESCAPED.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
