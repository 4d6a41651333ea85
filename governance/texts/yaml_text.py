"""Parser for a subset of YAML: one document, no aliases, no duplicate keys; with positions.

Only events are read and no objects are built, so a hostile text costs one pass over it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Never, Protocol, cast

import yaml

from governance.core.errors import DocumentInvalid, Problem
from governance.texts.dialect import Path

MAX_DEPTH = 50

_WORDS = {
    "mapping values are not allowed in this context": (
        "A colon isn't allowed here: put the text in quotes, or check the indentation."
    ),
    "found character that cannot start any token": (
        "A value cannot begin with this character: put it in quotes."
    ),
    "found unexpected end of stream": "A quote is opened here or above and never closed.",
    "found unknown escape character": (
        "Unknown escape: use single quotes, or write the backslash twice."
    ),
    "found invalid Unicode character escape code": (
        "A lone surrogate cannot be escaped. Write the character itself."
    ),
    "could not find expected ':'": "A colon is missing after this key.",
    "did not find expected key": "A key was expected here: check the indentation.",
    "did not find expected '-' indicator": (
        "A list item (- …) was expected here: check the indentation."
    ),
    "did not find expected node content": "A value is missing, or a bracket is not closed.",
    "did not find expected ',' or ']'": "A comma or ] was expected here.",
    "did not find expected ',' or '}'": "A comma or } was expected here.",
}


class Mark(Protocol):
    """Position as PyYAML's C parser reports it."""

    index: int
    line: int
    column: int


class Place(NamedTuple):
    path: Path
    is_key: bool
    event: yaml.NodeEvent

    @property
    def start(self) -> Mark:
        return cast(Mark, self.event.start_mark)

    @property
    def end(self) -> Mark:
        return cast(Mark, self.event.end_mark)


class Position(NamedTuple):
    line: int
    column: int


@dataclass(slots=True)
class _Collection:
    path: Path
    is_mapping: bool
    key: str | None = None
    keys: set[str] = field(default_factory=set)
    length: int = 0


def places(text: str) -> Iterator[Place]:
    """All keys and values in text order. Raises DocumentInvalid at the first error."""
    open_collections: list[_Collection] = []
    seen_document = False
    for event in _events(text):
        match event:
            case yaml.DocumentStartEvent():
                if seen_document:
                    refuse("There can be only one document: remove what follows ---.", event)
                seen_document = True
            case yaml.CollectionEndEvent():
                open_collections.pop()
            case yaml.NodeEvent():
                place = _place(event, open_collections[-1] if open_collections else None)
                yield place
                if isinstance(event, yaml.CollectionStartEvent):
                    if len(open_collections) == MAX_DEPTH:
                        refuse(f"Nested more than {MAX_DEPTH} levels deep.", event, place.path)
                    is_mapping = isinstance(event, yaml.MappingStartEvent)
                    open_collections.append(_Collection(place.path, is_mapping))
            case _:  # start and end of the stream and the document
                pass


def locate(text: str, targets: set[tuple[Path, bool]]) -> dict[tuple[Path, bool], Position]:
    """Positions of these paths: of the key if the flag is set, else of its value."""
    positions = {}
    for place in places(text):
        if (place.path, place.is_key) in targets:
            positions[place.path, place.is_key] = position(place.start)
    return positions


def position(mark: Mark) -> Position:
    return Position(mark.line + 1, mark.column + 1)


def path_text(path: Path) -> str:
    """Path as text, such as rules[2].then.action."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def refuse(message: str, event: yaml.Event, path: Path = ()) -> Never:
    line, column = position(cast(Mark, event.start_mark))
    raise DocumentInvalid(
        [Problem(message=message, path=path_text(path), line=line, column=column)]
    )


def _events(text: str) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = cast(Mark, error.problem_mark)
        message = _in_words(error, text[mark.index : mark.index + 1])
        line, column = position(mark) if mark.index < len(text) else _end(text)
        raise DocumentInvalid([Problem(message=message, line=line, column=column)]) from error


def _end(text: str) -> Position:
    """End of the text. The parser reports missing tokens one line late, after the editor's last
    line."""
    written = text.rstrip()
    return Position(written.count("\n") + 1, len(written) - written.rfind("\n"))


def _in_words(error: yaml.MarkedYAMLError, character: str) -> str:
    if character == "\t":
        return "YAML can't be indented with tabs: use spaces."
    problem = str(error.problem or "it ends too early")
    return _WORDS.get(problem, f"This is not YAML: {problem}.")


def _place(event: yaml.NodeEvent, inside: _Collection | None) -> Place:
    path = inside.path if inside else ()
    if isinstance(event, yaml.AliasEvent):
        refuse("Aliases (*name) are not supported. Write the value out.", event, path)
    if event.anchor is not None:
        refuse(
            "Anchors (&name) are not supported. Write the value out where it is used.", event, path
        )
    if inside is None:
        return Place(path=(), is_key=False, event=event)
    if not inside.is_mapping:
        inside.length += 1
        return Place(path=(*path, inside.length - 1), is_key=False, event=event)
    if inside.key is not None:
        key, inside.key = inside.key, None
        return Place(path=(*path, key), is_key=False, event=event)
    return _key(event, inside)


def _key(event: yaml.NodeEvent, inside: _Collection) -> Place:
    if not isinstance(event, yaml.ScalarEvent):
        refuse("A key must be a word, not a list or an object.", event, inside.path)
    key = event.value
    if key == "<<" and not event.style:
        refuse("Merge keys (<<) are not supported. Write the keys out.", event, inside.path)
    if key in inside.keys:
        refuse(f"`{key}` is defined twice.", event, (*inside.path, key))
    inside.keys.add(key)
    inside.key = key
    return Place(path=(*inside.path, key), is_key=True, event=event)
