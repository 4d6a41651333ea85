"""Which files of the apps are served: all of them, but of the editor only what a page loads.

It brings a mode and a theme for everything there is: some 670 files, which a first start would
hash and compress for a second.
"""

import re
from collections.abc import Iterable, Iterator

from django.contrib.staticfiles.finders import AppDirectoriesFinder
from django.core.files.storage import FileSystemStorage

EDITOR = "django_ace/"
_LOADED = re.compile(
    r"django_ace/ace/(ace|mode-yaml|ext-(error_marker|language_tools|searchbox))\.js"
    r"|django_ace/ace/css/(ace\.css|main-[0-9]+\.(png|svg))"  # the style sheet names the images
)


class AppFiles(AppDirectoriesFinder):
    def list(
        self, ignore_patterns: Iterable[str] | None
    ) -> Iterator[tuple[str, FileSystemStorage]]:
        for path, storage in super().list(ignore_patterns):
            if not path.startswith(EDITOR) or _LOADED.fullmatch(path):
                yield path, storage
