"""Static files to serve: all style sheets as one, and all files of apps, but only the editor files
that pages load.

The editor has about 670 files of modes and themes, which would take a first start a second to hash
and compress.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import AppDirectoriesFinder, FileSystemFinder
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage

EDITOR = "django_ace/"
_LOADED = re.compile(
    r"django_ace/ace/(ace|mode-yaml|ext-(error_marker|language_tools|searchbox))\.js"
    r"|django_ace/ace/css/(ace\.css|main-[0-9]+\.(png|svg))"  # the style sheet names the images
)
SHEET = "css/site.css"  # imports the others
_IMPORT = re.compile(r'^@import url\("([a-z-]+\.css)"\);\n', re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
_INDENT = re.compile(r"^ +", re.MULTILINE)


class AppFiles(AppDirectoriesFinder):
    def list(
        self, ignore_patterns: Iterable[str] | None
    ) -> Iterator[tuple[str, FileSystemStorage]]:
        for path, storage in super().list(ignore_patterns):
            if not path.startswith(EDITOR) or _LOADED.fullmatch(path):
                yield path, storage


class OwnFiles(FileSystemFinder):
    """Finder of our files, with one style sheet instead of many, as browsers fetch only six files
    at a time."""

    def list(
        self, ignore_patterns: Iterable[str] | None
    ) -> Iterator[tuple[str, FileSystemStorage]]:
        files = dict(super().list(ignore_patterns))
        sheets = Sheets(files[SHEET].location)
        parts = sheets.parts()
        for path, storage in files.items():
            if path not in parts:
                yield path, sheets if path == SHEET else storage


class Sheets(FileSystemStorage):
    """Storage in which the main style sheet contains the sheets that it imports."""

    def parts(self) -> list[str]:
        names = _IMPORT.findall(Path(self.path(SHEET)).read_text())
        return [f"css/{name}" for name in names]

    def _open(self, name: str, mode: str = "rb") -> Any:
        texts = [Path(self.path(part)).read_text() for part in self.parts()]
        return ContentFile(_INDENT.sub("", _COMMENT.sub("", "".join(texts))).encode(), name)

    def get_modified_time(self, name: str) -> datetime:
        return max(super(Sheets, self).get_modified_time(each) for each in (name, *self.parts()))

    def size(self, name: str) -> int:
        return sum(super(Sheets, self).size(each) for each in (name, *self.parts()))
