"""Load templates without indentation, which would make pages a third larger."""

import re
from typing import Final

from django.template import Origin
from django.template.loaders import filesystem

INDENTATION: Final = re.compile(r"\s*\n[ \t]+")


class Loader(filesystem.Loader):
    """Loader for production. Not for development, as template errors have no line numbers."""

    def get_contents(self, origin: Origin) -> str:
        return INDENTATION.sub(" ", super().get_contents(origin))
