"""Fenced code blocks of the user documentation."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_PATHS = [ROOT / "README.md", ROOT / "clients/python/README.md", *(ROOT / "docs").glob("*.md")]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in _PATHS)
_FENCE = re.compile(r"^( *)```(\w*)$")


class Block(NamedTuple):
    page: str
    line: int  # of the opening fence
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks_of(page: str) -> list[Block]:
    return list(blocks_in(page, (ROOT / page).read_text()))


def blocks_in(page: str, text: str) -> Iterator[Block]:
    opened: tuple[int, str, str] | None = None
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if opened is None:
            if fence is not None:
                opened, lines = (number, fence[1], fence[2]), []
            elif "```" in line:
                raise AssertionError(f"{page}:{number}: a fence that no reader of it knows")
        elif fence is not None and fence[1] == opened[1] and not fence[2]:
            yield Block(page, opened[0], opened[2], "\n".join(lines) + "\n")
            opened = None
        else:
            lines.append(line.removeprefix(opened[1]))
    assert opened is None, f"{page}:{opened and opened[0]}: a fence without its end"
