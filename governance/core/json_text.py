"""Parse JSON typed by people, with readable errors that name the line and column."""

import json
from typing import Any, Never

from governance.core.errors import InvalidInput, Problem
from governance.core.json_value import Json
from governance.core.texts import is_storable

DEEPEST = 60


def read_json(text: str, path: str = "") -> Json:
    def no_number(word: str) -> Never:
        raise ValueError(f"`{word}` is not a JSON number.")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            if key in members:
                raise ValueError(f"The key `{key}` is defined twice.")
            members[key] = value
        return members

    try:
        value: Json = json.loads(text, parse_constant=no_number, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        message = f"Line {error.lineno}, column {error.colno}: {_words(error)}"
        _refuse(message, path, error.lineno, error.colno)
    except RecursionError:
        _refuse("This is nested too deeply.", path)
    except ValueError as error:  # raised above, or a number with thousands of digits
        _refuse(str(error), path)
    if _depth(value) > DEEPEST:
        _refuse(f"This is nested too deeply: at most {DEEPEST} levels.", path)
    return value


def read_object(text: str, path: str = "") -> dict[str, Json]:
    value = read_json(text, path)
    if not isinstance(value, dict):
        _refuse('This is not an object. Write {"name": value}.', path, 1, 1)
    return value


def json_written(value: Json, *, indent: int | None = None) -> str:
    """Readable JSON, in ASCII only if the text contains NUL or a lone surrogate."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text if is_storable(text) else json.dumps(value, indent=indent)


def _words(error: json.JSONDecodeError) -> str:
    if not error.doc.strip():
        return 'This is empty. Write {"name": value}, or {} for nothing.'
    if error.msg == "Extra data":
        return "Unexpected text after the value."
    if error.msg.startswith("Expecting property name"):
        return 'Expected a name in double quotes, such as "path".'
    if error.msg == "Expecting value":
        return 'Expected a value: a "string", a number, true, false or null.'
    if error.msg.startswith("Unterminated string"):
        return "The string that starts here has no closing quote."
    if error.msg.startswith("Invalid control character"):
        return "Write a line break or tab in a string as \\n or \\t."
    if error.msg.startswith("Expecting ',' delimiter"):
        return "Expected a comma or closing bracket here."
    if error.msg.startswith("Expecting ':' delimiter"):
        return "Expected a colon between the name and its value."
    if error.msg.startswith("Invalid \\"):
        return "Write a backslash in a string as \\\\."
    return error.msg.rstrip(".") + "."


def _depth(value: Json) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        each, depth = waiting.pop()
        deepest = max(deepest, depth)
        if depth > DEEPEST:
            break
        inner = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        waiting.extend((item, depth + 1) for item in inner)
    return deepest


def _refuse(message: str, path: str, line: int | None = None, column: int | None = None) -> Never:
    problem = Problem(message=message, path=path, line=line, column=column)
    raise InvalidInput(message, errors=[problem])
