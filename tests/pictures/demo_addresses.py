"""Addresses of a session, a call and a version of a demo, read from the running console."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from django.urls import get_resolver, reverse
from playwright.sync_api import Page

from tests.edictum_site.test_routes import patterns

# Pages that have more to show than their address alone: a name, the page, and what is asked of it.
ALSO = {
    "session-stopped": ("outcomes:session", {"session_id": "reminders-2"}, ""),
    "session-loop": ("outcomes:session", {"session_id": "deploy-night"}, ""),
    "session-running": ("outcomes:session", {"session_id": "billing-now"}, ""),
    "search-of-a-word": ("lookup:search", {}, "?q=billing"),
    "denials-of-rule": ("outcomes:denials_of_rule", {}, "?rule=no-deleting&range=7d"),
    "start-over-http": ("first_hour:start", {}, "?with=curl"),
}
# They end what the next page needs, or belong to no project.
LEFT_OUT = re.compile(r"^(api:|account_(logout|inactive)|session_store|governance:(set_up|join))")


class DemoAddresses:
    def __init__(self, page: Page, url: str, slug: str = "demo") -> None:
        self._page, self._url, self.slug = page, url, slug
        self.named = {
            "slug": slug,
            "session_id": self.long_session,
            "call_id": self._calls("tool=warehouse_lookup")[0]["call_id"],
            "name": "stock-bot",
            "tool_name": "crm_lookup",
            "group_key": self._group,
            "sha256": self._artifact,
            "artifact_id": self._artifact,
            "bundle_name": "billing",
            "check_name": "services",
            "number": 2,
            "kind": "py",
            "environment": "production",
            "deployment_id": self._deployment,
            "key_id": self._first("keys", "keys", "id"),
        }

    def _ask(self, path: str) -> Any:
        between = "&" if "?" in path else "?"
        answer = self._page.request.get(f"{self._url}/v1/{path}{between}project={self.slug}")
        return answer.json()

    def _calls(self, query: str) -> list[Any]:
        result: list[Any] = self._ask(f"outcomes?{query}&limit=20")["outcomes"]
        return result

    def _first(self, path: str, name: str, field: str) -> Any:
        rows = self._ask(path)[name]
        return rows[0][field] if rows else None

    @cached_property
    def long_session(self) -> str:
        rows = self._ask("agent-sessions?agent=research-bot&limit=50")["sessions"]
        return str(max(rows, key=lambda row: row["counts"]["attempts"])["session_id"])

    @cached_property
    def _group(self) -> str | None:
        """Group of failures of a tool."""
        part = f"{self._url}/p/{self.slug}/live/tool-groups/?of=crm_lookup&range=30d"
        match = re.search(r"/groups/(\w+)/", self._page.request.get(part).text())
        return match[1] if match else None

    @cached_property
    def _artifact(self) -> str:
        return str(self._calls("type=artifact_reference")[0]["artifact_id"])

    @cached_property
    def _deployment(self) -> Any:
        return self._first("contracts/billing/deployments", "deployments", "id")


def pages_of(answer: DemoAddresses) -> Iterator[tuple[str, str]]:
    """Each page's name and path, as far as it is known what its address names."""
    for name, route in patterns(get_resolver()):
        arguments = re.findall(r"<(?:\w+:)?(\w+)>", route)
        named = {each: answer.named.get(each) for each in arguments}
        if LEFT_OUT.match(name) or "/live/" in route or None in named.values():
            continue
        yield re.sub(r"\W+", "-", name), reverse(name, kwargs=named)
    for name, (page, arguments_of, query) in ALSO.items():
        yield name, reverse(page, kwargs={"slug": answer.slug, **arguments_of}) + query
    yield "empty-start", "/p/default/start/"
    yield "empty-sessions", "/p/default/sessions/"
