"""Collects the problems of a check's text with their positions, up to a limit."""

from dataclasses import dataclass, field

from governance.checks.language.tree import Node, Word
from governance.core.errors import Problem
from governance.texts.dialect import Path
from governance.texts.yaml_text import Position, path_text

MOST = 100  # more would not be read


@dataclass(slots=True)
class Problems:
    listed: list[Problem] = field(default_factory=list)

    def at(self, node: Node, message: str, *, fix: str = "") -> None:
        at_start = isinstance(node, Word) and node.stands_as_one
        self.here(node.path, node.at, message, fix=fix if at_start else "")

    def inside(self, word: Word, index: int, message: str) -> None:
        """Report a problem at one character of a string."""
        self.here(word.path, word.place_of(index), message)

    def here(self, path: Path, at: Position, message: str, *, fix: str = "") -> None:
        if len(self.listed) < MOST:
            line, column = at
            self.listed.append(
                Problem(message=message, path=path_text(path), line=line, column=column, fix=fix)
            )

    @property
    def full(self) -> bool:
        return len(self.listed) >= MOST

    def in_order(self) -> tuple[Problem, ...]:
        """Problems in the order of the text."""
        return tuple(sorted(self.listed, key=lambda each: (each.line or 0, each.column or 0)))
