"""Fields under `metadata` of a document of any kind."""

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
    """At the name, in a text that can be read; without a place in one that has none."""
    text = document if isinstance(document, str) else document.decode()
    position = locate(text, {(NAME_AT, False)}).get((NAME_AT, False))
    line, column = position or (None, None)
    return Problem(message=message, path=path_text(NAME_AT), line=line, column=column, fix=fix)


def under_name(text: str, name: str) -> str:
    """The same text with another name, and everything else as it was written; of one that can be
    read."""
    for place in places(text):
        if place.path == NAME_AT and not place.is_key:
            return text[: place.start.index] + as_yaml(name) + text[place.end.index :]
    return text


def name_in(beginning: str) -> str:
    """The name that the beginning of a text says, be the rest as it may; empty where it says none
    yet."""
    match = _NAME.search(beginning)
    return match[1] if match else ""


@dataclass(frozen=True, slots=True)
class Head:
    """Fields of a document that lists show."""

    description: str
    rules: int


def head_of(text: str) -> Head:
    """Head of a document that can be read."""
    description, rules = "", 0
    for path, is_key, event in places(text):
        if path == DESCRIPTION_AT and not is_key and isinstance(event, yaml.ScalarEvent):
            description = str(event.value).strip()
        rules += len(path) == 2 and path[0] == "rules"
    return Head(description, rules)
