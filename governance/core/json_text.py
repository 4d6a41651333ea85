"""JSON as people type it: a value, or a sentence that names the place where it ends being one."""

import json
from typing import Any, Never

from governance.core.errors import InvalidInput, Problem
from governance.core.json_value import Json
from governance.core.texts import can_be_kept

DEEPEST = 60


def read_json(text: str, path: str = "") -> Json:
    def no_number(word: str) -> Never:
        raise ValueError(f"`{word}` is no number in JSON.")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise ValueError(f"The key `{key}` stands here twice.")
            found[key] = value
        return found

    try:
        value: Json = json.loads(text, parse_constant=no_number, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        message = f"Line {error.lineno}, column {error.colno}: {_words(error)}"
        _refuse(message, path, error.lineno, error.colno)
    except RecursionError:
        _refuse("This is nested too deeply.", path)
    except ValueError as error:  # of ours, or a number with thousands of digits
        _refuse(str(error), path)
    if _depth(value) > DEEPEST:
        _refuse(f"This is nested too deeply: at most {DEEPEST} levels.", path)
    return value


def read_object(text: str, path: str = "") -> dict[str, Json]:
    value = read_json(text, path)
    if not isinstance(value, dict):
        _refuse('This is no object: write {"name": value}.', path, 1, 1)
    return value


def json_written(value: Json, *, indent: int | None = None) -> str:
    """As people read it; half of a character stands as its escape."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text if can_be_kept(text) else json.dumps(value, indent=indent)


def _words(error: json.JSONDecodeError) -> str:
    if not error.doc.strip():
        return 'Nothing stands here: write {"name": value}, or {} for nothing.'
    if error.msg == "Extra data":
        return "More stands after the end of the value."
    if error.msg.startswith("Expecting property name"):
        return 'A name in double quotes belongs here, such as "path".'
    if error.msg == "Expecting value":
        return 'A value belongs here: a text in "double quotes", a number, true, false, null.'
    if error.msg.startswith("Unterminated string"):
        return "The text that begins here has no closing quote."
    if error.msg.startswith("Invalid control character"):
        return "A line break or tab inside a text is written as \\n or \\t."
    if error.msg.startswith("Expecting ',' delimiter"):
        return "A comma or the closing bracket is missing here."
    if error.msg.startswith("Expecting ':' delimiter"):
        return "A colon belongs between a name and its value."
    if error.msg.startswith("Invalid \\"):
        return "A backslash inside a text is written twice: \\\\."
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
