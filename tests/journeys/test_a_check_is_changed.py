"""A changed check is previewed over stored calls, then applied while agents keep posting, and
cancelled."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Page, expect

from edictum_site.stack.running import product as running
from tests.databases import own_database
from tests.items import an_outcome
from tests.journeys.conftest import signed_in_at
from tests.journeys.console import BEHIND, VARIABLES, Console, a_session

pytestmark = pytest.mark.both_databases

CALLS, OF_A_SESSION = 6_000, 40
DONE = re.compile(r"^[\d,]+ of [\d,]+ calls changed to failure")
CHECK = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {{name: {name}}}
otherwise: success
rules:
{more}  - {{id: not-ok, when: {{result.ok: {{equals: false}}}}, verdict: failure}}
"""
NEVER = "  - {id: n-%s, when: {result.text: {matches: '(a|b)*c%s$'}}, verdict: unknown}\n"
# Patterns that scan a text to its end without a match, so that a job takes a while.
SLOW = "".join(NEVER % (number, number) for number in range(120))
TEXT = "ab" * 400


@dataclass(frozen=True)
class Stored:
    """Stored calls with unique names."""

    name: str
    more: str = ""

    @property
    def tool(self) -> str:
        return f"{self.name}_lookup"

    @property
    def check(self) -> str:
        return CHECK.format(name=self.name, more=self.more)


def answer_of(console: Console, method: str, path: str, body: Any) -> Any:
    status, answer = console.ask(method, path, json.dumps(body).encode())
    assert status in (200, 201, 202), answer
    return answer


def items(stored: Stored, tag: str, calls: int) -> list[dict[str, Any]]:
    return [
        an_outcome(
            f"{tag}-{number}",
            tool_name=stored.tool,
            output={"ok": number % 4 != 0} | ({"text": TEXT} if stored.more else {}),
            agent_id="stored-bot",
            session_id=f"{tag}-{number // OF_A_SESSION}",
        )
        for number in range(calls)
    ]


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A separate console, as the search index would process these calls before those of other
    journeys."""
    data = tmp_path_factory.mktemp("changed")
    with own_database() as store, running(data, VARIABLES | store) as product:
        yield Console(product, store["DATABASE_URL"])


@pytest.fixture(scope="module")
def signed_in(console: Console, browser: Browser) -> Any:
    return signed_in_at(console.url, browser)


@pytest.fixture
def stored(console: Console, request: pytest.FixtureRequest) -> Iterator[Stored]:
    """Calls classified by the default check; then the check is saved and bound to their tool."""
    stored = Stored(f"stored-{uuid4().hex[:8]}", getattr(request, "param", ""))
    calls = items(stored, stored.name, CALLS)
    for start in range(0, CALLS, 1_000):
        console.post(*calls[start : start + 1_000])
    console.settled(f"agent-sessions/{stored.name}-0")
    answer_of(console, "PUT", f"success-checks/{stored.name}", {"yaml": stored.check})
    bind(console, {"environment": "*", "agent": "*", "tool": stored.tool, "check": stored.name})
    yield stored
    bind(console)


def bind(console: Console, *lines: dict[str, str]) -> None:
    answer_of(console, "PUT", "success-check-bindings", {"bindings": lines})


def failures(console: Console, stored: Stored) -> int:
    """Current number of failures in all sessions of these calls."""
    sessions = CALLS // OF_A_SESSION
    counts = [
        console.settled(f"agent-sessions/{stored.name}-{number}")["counts"]
        for number in range(sessions)
    ]
    assert sum(each["attempts"] for each in counts) == CALLS
    return sum(each["failures"] for each in counts)


def test_the_impact_of_a_check_is_previewed_before_it_applies(
    console: Console, admin: Page, stored: Stored
) -> None:
    admin.goto(f"{console.url}/p/default/checks/c/{stored.name}/backtests/")
    admin.get_by_label("Period").select_option("Last 24 hours")
    admin.get_by_role("button", name="Preview impact").click()
    heading = admin.get_by_role("heading", level=1)
    # Without a reload: the page polls until the job is done.
    expect(heading).to_contain_text(
        re.compile(r"^[\d,]+ of [\d,]+ calls would change to failure"), timeout=BEHIND
    )
    expect(admin.get_by_role("row", name="not-ok 1,500 1,500 0")).to_be_visible()
    assert failures(console, stored) == 0


def test_calls_can_be_reclassified_while_agents_keep_posting(
    console: Console, admin: Page, stored: Stored
) -> None:
    admin.goto(f"{console.url}/p/default/checks/reclassifications/")
    admin.get_by_label("Period").select_option("Last 24 hours")
    admin.get_by_label("Tools", exact=True).fill(stored.tool)
    admin.get_by_role("button", name="Reclassify these calls").click()
    later = a_session()
    posted = 0
    heading = admin.get_by_role("heading", level=1)
    # An agent keeps posting, and its calls are classified by the current check.
    for _ in range(200):
        console.post(*items(stored, f"{later}-{posted}", 20))
        posted += 1
        if DONE.search(heading.inner_text()):
            break
    expect(heading).to_contain_text(DONE, timeout=BEHIND)
    assert failures(console, stored) == CALLS // 4
    counts = console.settled(f"agent-sessions/{later}-{posted - 1}-0")["counts"]
    assert (counts["successes"], counts["failures"]) == (15, 5)


@pytest.mark.parametrize("stored", [SLOW], indirect=True, ids=["slow"])
def test_a_reclassification_is_cancelled_at_once_and_reports_its_progress(
    console: Console, admin: Page, stored: Stored
) -> None:
    admin.goto(f"{console.url}/p/default/checks/reclassifications/")
    admin.get_by_label("Period").select_option("Last 24 hours")
    admin.get_by_label("Tools", exact=True).fill(stored.tool)
    admin.get_by_role("button", name="Reclassify these calls").click()
    heading = admin.get_by_role("heading", level=1)
    expect(heading).to_contain_text(re.compile(r"% done|Queued"))
    admin.get_by_role("button", name="Cancel").click()
    expect(heading).to_contain_text(re.compile("^Cancelled after "))
    passed = int(re.findall(r"[\d,]+", heading.inner_text())[0].replace(",", ""))
    number = admin.url.rstrip("/").rpartition("/")[2]
    answer = console.ask("GET", f"reclassifications/{number}")[1]
    assert answer["status"] == "cancelled"
    # Only the calls read so far have the new verdict, and the counts match.
    assert failures(console, stored) == answer["newly_failed"]
    assert answer["calls"] <= passed
