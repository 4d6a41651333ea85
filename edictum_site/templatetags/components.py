"""Components of pages: what a block tag holds is its slot, and its parameters have names. A slot
of a second place is written first, with `{% slot as aside %}`, and handed over by its name."""

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
    """Markup for a component, under the name that follows `as`."""
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
    """A list or page without entries: its title, why, and one or two links to go on."""
    ways = [way for way in ((url, link, ""), (other_url, other_link, " quiet")) if way[0]]
    return _rendered(
        "empty_state", {"content": SafeString(content.strip()), "title": title, "ways": ways}
    )


@register.simple_block_tag
def tile(content: str, label: str, *, row: str, url: str = "") -> SafeString:
    """A figure, which leads to what it counts; the slot holds figure, words and bar."""
    return _rendered("tile", {"content": content, "label": label, "url": url, "row": row})


@register.simple_tag
def term(word: str, words: str = "") -> SafeString:
    """A word with its meaning from the glossary in a popover, written as `words`."""
    popover = f"term-{get_random_string(8)}"  # parts of a page come from requests of their own
    shown = {"id": popover, "word": word, "words": words or word, "meaning": meanings()[word]}
    return SafeString(_rendered("term", shown).strip())


@register.inclusion_tag("_components/parts_bar.html")
def parts_bar(of: float, **parts: float) -> dict[str, Any]:
    """Parts of a number, one after the other, each in the colour of its name."""
    starts = accumulate(parts.values(), initial=0.0)
    return {"of": of, "parts": list(zip(parts, starts, parts.values(), strict=False))}


@register.inclusion_tag("_components/code_tabs.html")
def code_tabs(snippets: object, id: str) -> dict[str, Any]:
    """Code in several languages, each with a copy button; works without JavaScript."""
    return {"snippets": snippets, "id": id}


@register.inclusion_tag("_components/sort_head.html")
def sort_head(head: object, words: str, classes: str = "") -> dict[str, Any]:
    """The head of a column, with the link that sorts by it."""
    return {"head": head, "words": words, "classes": classes}


@register.simple_tag(takes_context=True)
def version(
    context: Context, name: str, number: int | None, *, project: object = None
) -> SafeString:
    """A version of a contract, with a link to its text where it is known."""
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
    """The list above a page, then the page itself; between them what is listed and a part of it,
    where those have pages. `copy` offers the name of the page, and says what it is."""
    between = [(name, name_url, "mono"), (part, part_url, "")]
    links = [(above, url, ""), *(link for link in between if link[1])]
    return {"links": links, "here": here, "mono": mono, "copy": copy}


def _rendered(component: str, words: dict[str, Any]) -> SafeString:
    rendered = get_template(f"_components/{component}.html").render(words)
    return SafeString(rendered.lstrip())
