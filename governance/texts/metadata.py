"""Fields under `metadata` in documents of any kind."""

import re
from dataclasses import dataclass

import yaml

from governance.core.errors import Problem
from governance.texts.lint_finding import as_yaml
from governance.texts.yaml_text import locate, path_text, places

NAME_AT = ("metadata", "name")
DESCRIPTION_AT = ("metadata", "description")
_NAME = re.compile(r"^metadata:\s*(?:\{\s*|\n\s+)name:\s*[\"']?([a-z0-9][a-z0-9_-]*)", re.MULTILINE)


def about_the_name(document: bytes | str, message: str, *, fix: str = "") -> Problem:
    """Problem at the name in a valid text, or without a position if it has no name."""
    text = document if isinstance(document, str) else document.decode()
    position = locate(text, {(NAME_AT, False)}).get((NAME_AT, False))
    line, column = position or (None, None)
    return Problem(message=message, path=path_text(NAME_AT), line=line, column=column, fix=fix)


def under_name(text: str, name: str) -> str:
    """The same text with another name and no other change. The text must be valid YAML."""
    for place in places(text):
        if place.path == NAME_AT and not place.is_key:
            return text[: place.start.index] + as_yaml(name) + text[place.end.index :]
    return text


def name_in(beginning: str) -> str:
    """Name in the beginning of a text, even if the rest is invalid; empty if there is none."""
    match = _NAME.search(beginning)
    return match[1] if match else ""


@dataclass(frozen=True, slots=True)
class Head:
    """Fields of a document that lists show."""

    description: str
    rules: int


def head_of(text: str) -> Head:
    """Head of a document that is valid YAML."""
    description, rules = "", 0
    for path, is_key, event in places(text):
        if path == DESCRIPTION_AT and not is_key and isinstance(event, yaml.ScalarEvent):
            description = str(event.value).strip()
        rules += len(path) == 2 and path[0] == "rules"
    return Head(description, rules)
