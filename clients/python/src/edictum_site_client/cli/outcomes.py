"""`outcomes tail`: calls as they arrive."""

from __future__ import annotations

import time
from argparse import Namespace
from typing import Any

from edictum_site_client.cli.api import Api
from edictum_site_client.cli.output import Output

PAGE = 200  # calls per request
PAGES = 5  # per poll; further calls are left out, and the output says so
REMEMBERED = 20_000  # calls

Identity = tuple[str, str]


class Tail:
    """Printer of new calls that remembers which ones it has seen."""

    def __init__(self, api: Api, options: Namespace, out: Output) -> None:
        self.api = api
        self.options = options
        self.out = out
        self.seen: dict[Identity, str | None] = {}
        self.floor = ""  # timestamp of the oldest call at the start; older calls are not new

    def begin(self, lines: int) -> None:
        page = self._page()
        calls = page["outcomes"]
        if page["next"] and calls:
            self.floor = str(calls[-1]["timestamp"])
        for call in reversed(calls):
            self._remember(call)
        for call in reversed(calls[:lines]):
            self._print(call)

    def poll(self) -> None:
        calls, is_cut = self._unseen()
        if is_cut:
            self.out.problem(f"More than {PAGE * PAGES:,} new calls: older ones are left out.")
        for call in reversed(calls):
            self._remember(call)
            self._print(call)

    def _unseen(self) -> tuple[list[Any], bool]:
        """New and changed calls, newest first, and whether more were left out."""
        calls: list[Any] = []
        cursor = ""
        for _ in range(PAGES):
            page = self._page(cursor)
            known = [each for each in page["outcomes"] if _identity(each) in self.seen]
            calls += [each for each in page["outcomes"] if self._is_new(each)]
            cursor = page["next"] or ""
            if known or not cursor:
                return calls, False
        return calls, True

    def _is_new(self, call: Any) -> bool:
        is_known = _identity(call) in self.seen
        if is_known:
            return bool(self.seen[_identity(call)] != call["type"])
        return str(call["timestamp"]) >= self.floor

    def _page(self, cursor: str = "") -> Any:
        names = ("agent", "tool", "session", "env", "verdict", "type", "q")
        filters = {name: getattr(self.options, name) for name in names}
        return self.api.get("outcomes", **filters, limit=PAGE, cursor=cursor)

    def _remember(self, call: Any) -> None:
        self.seen.pop(_identity(call), None)
        self.seen[_identity(call)] = call["type"]
        while len(self.seen) > REMEMBERED:
            del self.seen[next(iter(self.seen))]

    def _print(self, call: Any) -> None:
        if self.out.as_json:
            self.out.document(call)
        else:
            self.out.say(line_of(call))


def tail(api: Api, options: Namespace, out: Output) -> list[dict[str, Any]]:
    """Print the newest calls, then new ones as they arrive, for `--for` seconds."""
    end = None if options.seconds is None else time.monotonic() + options.seconds
    printer = Tail(api, options, out)
    printer.begin(options.lines)
    while end is None or time.monotonic() < end:
        left = options.interval if end is None else end - time.monotonic()
        time.sleep(max(0.0, min(options.interval, left)))
        printer.poll()
    return []


def line_of(call: Any) -> str:
    what = call["type"] or "open"
    why = call.get("error") or call.get("reason") or call.get("verdict_reason") or ""
    took = "" if call["elapsed_ms"] is None else f"{call['elapsed_ms']:g} ms"
    parts = [
        call["timestamp"],
        call["environment"],
        call["agent_id"],
        call["tool_name"],
        what,
        call["verdict"] or "no verdict",
        took,
        " ".join(str(why).split())[:120],
    ]
    return "  ".join(part for part in parts if part)


def _identity(call: Any) -> Identity:
    return str(call["environment"]), str(call["call_id"])
