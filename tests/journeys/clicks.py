"""Counts the clicks of a person in a browser and records the pages they open."""

from typing import NamedTuple

from playwright.sync_api import Page, Response

COUNT = """
document.addEventListener("click", (event) => {
  if (event.isTrusted) countClick(event.target.innerText || event.target.id);
}, true);
"""


class Opened(NamedTuple):
    """An opened page: its URL, content type and referring page."""

    url: str
    content: str
    from_url: str


def clicks_counted(page: Page) -> list[str]:
    """Texts of the clicked elements, starting with the next page."""
    clicks: list[str] = []
    page.expose_function("countClick", lambda words: clicks.append(words))
    page.add_init_script(COUNT)
    return clicks


def pages_opened(page: Page) -> list[Opened]:
    opened: list[Opened] = []

    def note(response: Response) -> None:
        request = response.request
        if request.is_navigation_request() and request.redirected_from is None:
            content = response.headers.get("content-type", "")
            opened.append(Opened(response.url, content, request.headers.get("referer", "")))

    page.on("response", note)
    return opened
