"""Parses the text of a check to a tree whose keys and values know their position."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, cast

import yaml

from governance.core.texts import is_storable
from governance.texts.dialect import Path
from governance.texts.yaml_text import Place, Position, places, position, refuse

_ENDS_A_WORD = re.compile(r"[\s,{}\[\]#:]")


@dataclass(frozen=True, slots=True)
class Word:
    """A scalar as written. Its type depends on its path in the document."""

    path: Path
    at: Position
    text: str
    quoted: bool
    begins: int | None  # columns from `at` to its first character; None if escaped or folded

    @property
    def stands_as_one(self) -> bool:
        """Whether an editor can determine where the scalar ends, in order to replace it."""
        return self.begins is not None and (self.quoted or not _ENDS_A_WORD.search(self.text))

    def place_of(self, index: int) -> Position:
        """Position of one character, or of the node if characters can't be located."""
        if self.begins is None:
            return self.at
        return Position(self.at.line, self.at.column + self.begins + index)


@dataclass(frozen=True, slots=True)
class Listing:
    path: Path
    at: Position
    items: list["Node"] = field(default_factory=list)


class Entry(NamedTuple):
    key: Word
    value: "Node"


@dataclass(frozen=True, slots=True)
class Keys:
    path: Path
    at: Position
    entries: dict[str, Entry] = field(default_factory=dict)

    def get(self, key: str) -> "Node | None":
        entry = self.entries.get(key)
        return entry.value if entry else None

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())


Node: TypeAlias = Word | Listing | Keys


def tree_of(text: str) -> Node | None:
    """Tree of a text, or None if it is empty. Raises DocumentInvalid at the first YAML error."""
    open_nodes: list[Node] = []  # by depth
    key: dict[int, Word] = {}
    for place in places(text):
        depth = len(place.path)
        if place.is_key:
            key[depth] = _word(place)
            continue
        node = _node(place)
        if depth:
            match open_nodes[depth - 1]:
                case Listing(items=items):
                    items.append(node)
                case Keys(entries=entries):
                    entries[key[depth].text] = Entry(key[depth], node)
                case Word():  # scalars have no children
                    pass
        del open_nodes[depth:]
        open_nodes.append(node)
    return open_nodes[0] if open_nodes else None


def _node(place: Place) -> Node:
    match place.event:
        case yaml.SequenceStartEvent(tag=tag):
            _refuse_tag(place, tag)
            return Listing(place.path, position(place.start))
        case yaml.MappingStartEvent(tag=tag):
            _refuse_tag(place, tag)
            return Keys(place.path, position(place.start))
        case _:
            return _word(place)


def _word(place: Place) -> Word:
    event = cast(yaml.ScalarEvent, place.event)
    _refuse_tag(place, event.tag)
    if not is_storable(event.value):
        refuse("NUL characters and lone surrogates cannot be stored.", event, place.path)
    return Word(place.path, position(place.start), event.value, bool(event.style), _begins(place))


def _begins(place: Place) -> int | None:
    event = cast(yaml.ScalarEvent, place.event)
    around = (place.end.index - place.start.index) - len(event.value)
    if place.start.line != place.end.line:
        return None
    # Escapes and doubled quotes make the source longer than the value.
    return {(False, 0): 0, (True, 2): 1}.get((bool(event.style), around))


def _refuse_tag(place: Place, tag: str | None) -> None:
    if tag:
        refuse("Tags (!…) are not supported. Put text in quotes.", place.event, place.path)
