"""Page components as template tags with named parameters. A block tag's content is its slot. A
second slot is defined first, with `{% slot as aside %}`, and passed by name."""

from itertools import accumulate
from typing import Any

from django import template
from django.template import Context
from django.template.loader import get_template
from django.utils.crypto import get_random_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from edictum_site.help.glossary import meanings

register = template.Library()

NOTE_STYLES = {"warning": " warning", "error": " error-note", "good": " good"}


@register.simple_block_tag
def slot(content: str) -> str:
    """Markup for a component, stored under the name after `as`."""
    return content


@register.simple_block_tag
def note(content: str, severity: str = "note", url: str = "", link: str = "") -> SafeString:
    """A sentence in a box. Severity: note, warning, error or good."""
    style = NOTE_STYLES.get(severity, "")
    words = {"content": SafeString(content.strip()), "style": style, "severity": severity}
    return _rendered("note", words | {"url": url, "link": link})


@register.simple_block_tag
def empty_state(
    content: str,
    title: str,
    url: str = "",
    link: str = "",
    other_url: str = "",
    other_link: str = "",
) -> SafeString:
    """Empty state of a list or page: its title, the reason, and one or two links."""
    ways = [way for way in ((url, link, ""), (other_url, other_link, " quiet")) if way[0]]
    return _rendered(
        "empty_state", {"content": SafeString(content.strip()), "title": title, "ways": ways}
    )


@register.simple_block_tag
def tile(content: str, label: str, *, row: str, url: str = "") -> SafeString:
    """Tile with a figure that links to what it counts. The slot has figure, text and bar."""
    return _rendered("tile", {"content": content, "label": label, "url": url, "row": row})


@register.simple_tag
def term(word: str, words: str = "") -> SafeString:
    """A glossary term, shown as `words`, with its definition in a popover."""
    popover = f"term-{get_random_string(8)}"  # random, as parts of a page are loaded separately
    shown = {"id": popover, "word": word, "words": words or word, "meaning": meanings()[word]}
    return SafeString(_rendered("term", shown).strip())


@register.inclusion_tag("_components/parts_bar.html")
def parts_bar(of: float, **parts: float) -> dict[str, Any]:
    """Stacked bar of the parts of a number, each in the color of its name."""
    starts = accumulate(parts.values(), initial=0.0)
    return {"of": of, "parts": list(zip(parts, starts, parts.values(), strict=False))}


@register.inclusion_tag("_components/code_tabs.html")
def code_tabs(snippets: object, id: str) -> dict[str, Any]:
    """Code in several languages, each with a copy button; works without JavaScript."""
    return {"snippets": snippets, "id": id}


@register.inclusion_tag("_components/sort_head.html")
def sort_head(head: object, words: str, classes: str = "") -> dict[str, Any]:
    """Column header with its sort link."""
    return {"head": head, "words": words, "classes": classes}


@register.simple_tag(takes_context=True)
def version(
    context: Context, name: str, number: int | None, *, project: object = None
) -> SafeString:
    """Contract version, linked to its YAML if the number is known."""
    words = {
        "project": project or context.get("project"),
        "carried_to_one": context.get("carried_to_one", ""),
        "name": name,
        "number": number,
    }
    return _rendered("version", words)


@register.simple_tag
def dash(*why: str) -> SafeString:
    """A dash for a missing value, with the reason as its title."""
    return format_html('<span class="quiet-text" title="{}">&ndash;</span>', " ".join(why))


@register.inclusion_tag("_components/crumbs.html")
def crumbs(
    above: str,
    url: str,
    here: str = "",
    *,
    name: str = "",
    name_url: str = "",
    part: str = "",
    part_url: str = "",
    mono: bool = False,
    copy: str | bool = False,
) -> dict[str, Any]:
    """Breadcrumbs: the list above a page, optionally an entry and a part of it, then the page.
    `copy` adds a button that copies the page's name, and labels it."""
    between = [(name, name_url, "mono"), (part, part_url, "")]
    links = [(above, url, ""), *(link for link in between if link[1])]
    return {"links": links, "here": here, "mono": mono, "copy": copy}


def _rendered(component: str, words: dict[str, Any]) -> SafeString:
    rendered = get_template(f"_components/{component}.html").render(words)
    return SafeString(rendered.lstrip())
