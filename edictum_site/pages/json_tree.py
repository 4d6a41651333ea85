"""Render JSON as nested lists that expand without JavaScript; all text is escaped."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from governance.core.json_text import json_written
from governance.core.masking import MASK
from outcomes.masking.domain.json_pointers import below

LONG = 400  # characters of a text shown before it is expanded
OPEN = 3  # levels expanded initially
DEEPEST = 60  # levels rendered, so that hostile nesting can't exhaust the stack

_CLOSED = "<details><summary>{}</summary><ul>{}</ul></details>"
_OPENED = "<details open><summary>{}</summary><ul>{}</ul></details>"

Path = Sequence[str | int]


class Place(NamedTuple):
    """Position of a masked value that can be opened: a URL and a JSON pointer."""

    url: str
    pointer: str


def json_tree(value: object, decided: Path | None = None, place: Place | None = None) -> SafeString:
    """JSON as HTML. The value at the path `decided` is highlighted and its parents are expanded.
    With a place, masked values can be opened."""
    path = None if decided is None else list(decided)
    return format_html('<div class="code json">{}</div>', _value(value, "", path, 0, place))


def opener(place: Place) -> SafeString:
    """Button that replaces a masked value, and itself, with the value."""
    return format_html(
        ' <button class="button quiet small" type="submit" form="open-value" name="place"'
        ' value="{}" hx-post="{}" hx-target="closest .masked-value" hx-select="unset"'
        ' hx-swap="outerHTML" hx-push-url="false" title="Recorded in the audit log">Show'
        '<span class="unseen"> {}</span></button>',
        place.pointer,
        place.url,
        place.pointer,
    )


def _value(
    value: object,
    key: SafeString | str,
    path: list[str | int] | None,
    depth: int,
    place: Place | None,
) -> SafeString:
    match value:
        case dict() if value:
            parts = [(json_written(k), k, item) for k, item in value.items()]
            return _opening(f"object, {_count(len(value), 'key')}", parts, key, path, depth, place)
        case list() | tuple() if value:
            parts = [(str(n), n, item) for n, item in enumerate(value)]
            return _opening(f"array, {_count(len(value), 'item')}", parts, key, path, depth, place)
        case _:
            return _marked(format_html("{}{}", key, _openable(value, place)), path)


def _opening(
    words: str,
    parts: list[tuple[str, str | int, object]],
    key: SafeString | str,
    path: list[str | int] | None,
    depth: int,
    place: Place | None,
) -> SafeString:
    head = _marked(format_html('{}<span class="code-note">{}</span>', key, words), path)
    if depth == DEEPEST:
        return format_html('{} <span class="code-note">deeper than this page shows</span>', head)
    items = format_html_join(
        "",
        "<li>{}</li>",
        (
            (_value(item, _key(name), _below(path, at), depth + 1, _place_of(place, at)),)
            for name, at, item in parts
        ),
    )
    return format_html(_OPENED if depth < OPEN or path else _CLOSED, head, items)


def _key(name: str) -> SafeString:
    return format_html('<span class="code-key">{}</span>: ', name)


def _openable(value: object, place: Place | None) -> SafeString:
    leaf = _leaf(value)
    if place is None or not isinstance(value, str) or MASK not in value:
        return leaf
    return format_html('<div class="masked-value">{}{}</div>', leaf, opener(place))


def _place_of(place: Place | None, name: str | int) -> Place | None:
    return place and Place(place.url, below(place.pointer, name))


def _leaf(value: object) -> SafeString:
    match value:
        case str():
            return _text(json_written(value))
        case bool() | None | dict() | list() | tuple():
            return format_html('<span class="code-word">{}</span>', json.dumps(value))
        case _:
            return format_html('<span class="code-number">{}</span>', json.dumps(value))


def _text(text: str) -> SafeString:
    if len(text) <= LONG:
        return format_html('<span class="code-string">{}</span>', text)
    return format_html(
        '<details class="long"><summary><span class="long-start">'
        '<span class="code-string">{}…</span> <span class="button small">Show all {} characters'
        '</span></span><span class="long-end button small">Show less</span></summary>'
        '<span class="code-string">{}</span></details>',
        text[:LONG],
        f"{len(text) - 2:,}",
        text,
    )


def _below(path: list[str | int] | None, place: str | int) -> list[str | int] | None:
    return path[1:] if path and path[0] == place else None


def _marked(html: SafeString, path: list[str | int] | None) -> SafeString:
    return format_html('<span class="decided-value">{}</span>', html) if path == [] else html


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
