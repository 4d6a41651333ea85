"""Templates without their indentation: a page is a third larger with it, and no reader needs it."""

import re
from typing import Final

from django.template import Origin
from django.template.loaders import filesystem

INDENTATION: Final = re.compile(r"\s*\n[ \t]+")


class Loader(filesystem.Loader):
    """For use, not for development: errors of such a template name no line."""

    def get_contents(self, origin: Origin) -> str:
        return INDENTATION.sub(" ", super().get_contents(origin))
