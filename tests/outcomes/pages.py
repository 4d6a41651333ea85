"""Helpers for tests of pages: session items, a member's browser, and the text of a response."""

import html
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from urllib.parse import quote

from django.http.response import HttpResponseBase
from django.test import Client

TAG = r"""<(?:"[^"]*"|'[^']*'|[^'">])*>"""
_NUMBERS: Iterator[int] = count(1)
_latest = datetime.min.replace(tzinfo=UTC)


def a_moment() -> datetime:
    """Timestamp later than all before and never ahead of the clock, as figures end at the current
    minute."""
    global _latest  # keeps all items of a test run in order
    _latest = max(datetime.now(UTC), _latest + timedelta(microseconds=1))
    return _latest


def an_item(session: str | None = "s-1", **fields: Any) -> dict[str, Any]:
    item = {
        "type": "execution_result",
        "call_id": f"c-{next(_NUMBERS)}",
        "tool_name": "query",
        "agent_id": "bot",
        "session_id": session,
        "timestamp": a_moment().isoformat(),
        "output": {"ok": True},
        "tool_success": True,
    }
    return {name: value for name, value in (item | fields).items() if value is not None}


def a_denied_item(session: str = "s-1", reason: str = "contract", **fields: Any) -> dict[str, Any]:
    words = {"type": "denied", "reason": reason, "output": None, "tool_success": None}
    return an_item(session, **words | fields)


def text_of(response: HttpResponseBase) -> str:
    """Text of a page as a reader sees it, without markup and repeated whitespace."""
    assert response.status_code == 200, response.status_code
    body = getattr(response, "content").decode()  # noqa: B009 - streamed answers have none
    body = re.sub(r"<head>.*?</head>|<dialog.*?</dialog>", " ", body, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(TAG, " ", body))).strip()


def tile(body: str, name: str) -> str:
    """Text of one of the large figures on a page."""
    (matches,) = re.findall(rf'data-row="tile-{name}">(.*?)</a>', body, flags=re.S)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", matches))).strip()


class Pages:
    """A member's browser on the pages of one project."""

    def __init__(self, client: Client, slug: str) -> None:
        self.client = client
        self.base = f"/p/{slug}"

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(f"{self.base}/{path}", query)

    def text(self, path: str, **query: Any) -> str:
        return text_of(self.get(path, **query))

    def session(self, session_id: str, **query: Any) -> str:
        return self.text(f"sessions/{quote(session_id, safe='')}/", **query)

    def call(self, call_id: str, **query: Any) -> str:
        return self.text(f"calls/{quote(call_id, safe='')}/", **query)

    def rows(self, path: str, **query: Any) -> list[str]:
        """Ids of the rows of a list, in order."""
        return re.findall(r'<tr data-row="(\d+)"', self.get(path, **query).content.decode())

    def links(self, path: str, **query: Any) -> dict[str, str]:
        """URLs of the links to newer and older rows."""
        body = self.get(path, **query).content.decode()
        matches = re.findall(r'rel="(prev|next)" href="([^"]*)"', body)
        return {rel: html.unescape(url) for rel, url in matches}
