"""Render our Markdown documents as safe HTML: raw HTML is escaped, and links to other documents
point to their pages."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

_NOT_IN_A_SLUG: Final = re.compile(r"[^\w\- ]")


class Heading(NamedTuple):
    words: str
    anchor: str


def render(
    text: str, path: Path, names: Mapping[Path, str]
) -> tuple[SafeString, tuple[Heading, ...]]:
    """HTML of a document, and its second-level headings. `names` are the documents that can be
    linked."""
    parser = _parser()
    tokens = parser.parse(text)
    headings = _with_anchors(tokens)
    for token in tokens:
        _lead_to_pages(token.children or [], path, names)
    return SafeString(parser.renderer.render(tokens, parser.options, {})), headings


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    rules: dict[str, Any] = {
        "fence": _code,
        "table_open": lambda *_: '<div class="scrolls" tabindex="0"><table>',
        "table_close": lambda *_: "</table></div>",
    }
    parser.renderer.rules.update(rules)  # type: ignore[attr-defined]  # of RendererHTML
    return parser


def _code(tokens: Sequence[Token], index: int, *_: object) -> str:
    # Focusable, so that wide code can be scrolled with the keyboard.
    return f'<pre class="code" tabindex="0"><code>{escape(tokens[index].content)}</code></pre>\n'


def _with_anchors(tokens: Sequence[Token]) -> tuple[Heading, ...]:
    headings = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            words = "".join(child.content for child in inline.children or [])
            anchor = _NOT_IN_A_SLUG.sub("", words.lower()).replace(" ", "-")
            opening.attrSet("id", anchor)
            if opening.tag == "h2":
                headings.append(Heading(words, anchor))
    return tuple(headings)


def _lead_to_pages(tokens: Sequence[Token], path: Path, names: Mapping[Path, str]) -> None:
    """Point links to other documents to their pages. Links to files that are not served become
    plain text."""
    leads_nowhere = False
    for token in tokens:
        if token.type == "link_open":
            address = _address(str(token.attrGet("href") or ""), path, names)
            leads_nowhere = not address
            token.attrSet("href", address)
        if token.type in ("link_open", "link_close") and leads_nowhere:
            token.hidden = True


def _address(href: str, path: Path, names: Mapping[Path, str]) -> str:
    if re.match(r"https?://|mailto:|#", href):
        return href
    file, _, anchor = href.partition("#")
    name = names.get((path.parent / file).resolve(), "")
    if not name:
        return ""
    return reverse("help:doc", args=[name]) + (f"#{anchor}" if anchor else "")
