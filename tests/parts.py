"""Splits a run between processes: `--part 2/3` is the second of three parts of the test files.

Files are assigned round-robin: neighboring files often take equally long, and so do the parts.
"""

from functools import cache
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", metavar="K/N", type=_part, help="only part K of N of the test files")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    part = config.getoption("--part")
    if part is None or not collection_path.match("test_*.py"):
        return None
    number, parts = part
    place = _places(config.rootpath, *config.getini("testpaths"))[collection_path]
    return True if place % parts != number - 1 else None


@cache
def _places(root: Path, *folders: str) -> dict[Path, int]:
    files = (path for folder in folders for path in (root / folder).rglob("test_*.py"))
    return {path: place for place, path in enumerate(sorted(files))}


def _part(text: str) -> tuple[int, int]:
    number, _, parts = text.partition("/")
    if not 0 < int(number) <= int(parts):
        raise ValueError(text)
    return int(number), int(parts)
