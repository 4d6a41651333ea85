"""Columns of a table that a user has chosen, stored in a browser cookie."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse

YEAR: Final = 365 * 24 * 3600  # seconds


@dataclass(frozen=True, slots=True)
class Columns:
    """Optional columns of a table by name, with their labels."""

    table: str
    words: Mapping[str, str]
    usual: frozenset[str]

    @property
    def cookie(self) -> str:
        return f"columns_{self.table}"

    def shown(self, request: HttpRequest) -> frozenset[str]:
        chosen = request.COOKIES.get(self.cookie)
        return self.usual if chosen is None else self.known(chosen.split("."))

    def known(self, names: list[str]) -> frozenset[str]:
        return frozenset(name for name in names if name in self.words)

    def choices(self, request: HttpRequest) -> list[tuple[str, str, bool]]:
        """Name and label of each column, and whether it is shown."""
        shown = self.shown(request)
        return [(name, words, name in shown) for name, words in self.words.items()]

    def keep(self, response: HttpResponse, names: list[str], *, secure: bool) -> None:
        value = ".".join(sorted(self.known(names)))
        response.set_cookie(
            self.cookie, value, max_age=YEAR, secure=secure, httponly=True, samesite="Lax"
        )
