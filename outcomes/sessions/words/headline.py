"""Headline of a session: fixed phrases with names and figures put in, at most 90 characters."""

from collections.abc import Iterable, Sequence
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

LONGEST: Final = 90
_SHORT: Final = 24  # characters of a name where there is no room for all of it
_ANY: Final = "This session"


class Code(str):
    """A name in a sentence: of a session, tool, rule or limit."""

    __slots__ = ()


def headline(session_id: str, *parts: str) -> SafeString:
    """The crumbs above have the whole id, so a long one gives way first, then other names."""
    shortened = tuple(_shortened(part) for part in parts)
    for shown in ((Code(session_id), *parts), (_ANY, *parts), (_ANY, *shortened)):
        if sum(map(len, shown)) <= LONGEST:
            return sentence(shown)
    return sentence(_cut((_ANY, *shortened)))


def sentence(parts: Iterable[str]) -> SafeString:
    return format_html_join(
        "",
        "{}",
        (
            (format_html("<code>{}</code>", part) if isinstance(part, Code) else part,)
            for part in parts
        ),
    )


def _shortened(part: str) -> str:
    is_long = isinstance(part, Code) and len(part) > _SHORT
    return Code(f"{part[: _SHORT - 1]}…") if is_long else part


def _cut(parts: Sequence[str]) -> list[str]:
    """An error text comes last and has no end of its own."""
    room, shown = LONGEST - 1, []
    for part in parts:
        shown.append(type(part)(part[:room]))
        room -= len(shown[-1])
        if not room:
            break
    return [*shown, "…"]
