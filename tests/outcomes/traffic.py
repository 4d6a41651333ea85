"""Random traffic in a separate project, with late reports, reclassification, removed sessions and
time zones, and a plain count of its calls."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.people import auth
from outcomes.figures.commands.rolling_up import roll_up
from outcomes.models import Call, Session
from outcomes.sessions.commands.removal import remove_session
from outcomes.stored import names
from tests import builders
from tests.outcomes.figures.test_stats import ENVIRONMENTS, bind_all_to_another_check
from tests.outcomes.pages import Pages
from tests.outcomes.posting import Agent
from tests.outcomes.rejudging import reclassified
from tests.outcomes.waiting_jobs import run_waiting_removals

BEGIN = datetime(2026, 3, 28, 12, tzinfo=UTC)  # the day before European clocks go forward
ZONES = ("", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe")
LENGTHS = (1, 15, 90, 24 * 60, 25 * 60 + 7, 5 * 24 * 60)  # minutes
RESULTS: list[dict[str, Any]] = [
    {"output": 1, "tool_success": True},
    {"output": "Error: x", "tool_success": True},
    {"output": {"ok": False}, "tool_success": True},
    {"output": {"is_error": True}, "tool_success": False},
    {"output": "x" * 13_000, "tool_success": False},
    {
        "output": {"ok": False},
        "tool_success": False,
        "metadata": {"success_check": {"name": "custom"}},
    },
    {"type": "failure", "error": "broken"},
    {"type": "timeout", "elapsed_ms": 30_000},
    {"type": "denied", "reason": "limit"},
    {"type": "denied", "reason": "contract"},
]
TOOK = (None, None, 0, 0.4, 12, 12.1, 950.5)
Reported = tuple[str, bool, dict[str, Any], dict[str, Any]]


@st.composite
def traffic(draw: st.DrawFn, lengths: Sequence[int] = LENGTHS) -> dict[str, Any]:
    since, length = draw(st.integers(0, 2_000)), draw(st.sampled_from(lengths))
    listed = [at + by for at in (since - length, since, since + length) for by in (-1, 0, 1)]
    minutes = st.sampled_from(listed) | st.integers(since - length, since + length)
    seconds = st.sampled_from([0, 0.4, 59.999])

    def a_report(number: int) -> Reported:
        at = BEGIN + timedelta(minutes=draw(minutes), seconds=draw(seconds))
        about = {
            "call_id": f"call-{number}",
            "tool_name": draw(st.sampled_from(["http_get", "sql"])),
            "agent_id": draw(st.sampled_from(["billing-bot", "ops"])),
            "session_id": draw(st.sampled_from(["s-1", "s-2", "s-3", None])),
            "timestamp": at.isoformat(),
        }
        place, late = draw(st.sampled_from(ENVIRONMENTS)), draw(st.booleans())
        result, took = draw(st.sampled_from([*RESULTS, {}])), draw(st.sampled_from(TOOK))
        if result.get("type") != "denied" and result:
            result = {"elapsed_ms": took} | result
        return place, late, about, result

    return {
        "reported": [a_report(number) for number in range(draw(st.integers(1, 25)))],
        "scope": {
            "from": f"{BEGIN + timedelta(minutes=since):%Y-%m-%dT%H:%M}Z",
            "to": f"{BEGIN + timedelta(minutes=since + length):%Y-%m-%dT%H:%M}Z",
            "environment": draw(st.sampled_from(["", *ENVIRONMENTS])),
            "agent": draw(st.sampled_from(["", "ops"])),
        },
        "zone": draw(st.sampled_from(ZONES)),
        "events": draw(st.sets(st.sampled_from(["rolled up", "reclassified", "removed"]))),
    }


def report(agents: dict[str, Agent], reported: Iterable[Reported], *, late: bool) -> None:
    """Post the items of these calls. A call without a result is still running."""
    for place, agent in agents.items():
        mine = [each[2:] for each in reported if each[:2] == (place, late)]
        done = [builders.an_outcome(**about, **result) for about, result in mine if result]
        begun = [
            builders.an_event("call_allowed", run_id=about["session_id"], **about)
            for about, result in mine
            if not result
        ]
        for path, items in (("outcomes", done), ("events", begun)):
            assert agent.post(*items, to=path)["rejected"] == []


@dataclass(frozen=True)
class Filled:
    """A project with all of its traffic, and the calls within a scope."""

    pages: Pages
    reader: Agent
    scope: dict[str, str]
    zone: ZoneInfo
    rows: list[Call]  # all of them, whatever the scope
    calls: list[Call]
    before: list[Call]

    @property
    def times(self) -> tuple[datetime, datetime]:
        return times_of(self.scope)

    def within(self, calls: Iterable[Call]) -> list[Call]:
        since, until = self.times
        return [call for call in calls if since <= call.at < until]

    def just_before(self, calls: Iterable[Call]) -> list[Call]:
        since, until = self.times
        return [call for call in calls if since - (until - since) <= call.at < since]

    def file(self, path: str, **query: str) -> list[dict[str, Any]]:
        answer = self.pages.get(path, format="json", **self.scope | query)
        (rows,) = json.loads(b"".join(answer.streaming_content)).values()
        return list(rows)


def filled(drawn: dict[str, Any]) -> Filled:
    scope, events = drawn["scope"], drawn["events"]
    names.forget()
    auth.forget_keys()
    project = builders.a_project()
    agents = {
        place: Agent(builders.bearing(builders.a_key(project, "agent", env=place)[0]))
        for place in ENVIRONMENTS
    }
    report(agents, drawn["reported"], late=False)
    if "rolled up" in events:
        roll_up()
    report(agents, drawn["reported"], late=True)
    if "reclassified" in events:
        bind_all_to_another_check(project)
        reclassified(project)
    gone = Session.objects.filter(project=project, session_id="s-1").first()
    if gone and "removed" in events:
        remove_session(gone, typed="s-1", by=CONSOLE)
        run_waiting_removals()
    rows = list(Call.objects.select_related("environment", "agent", "tool", "session__agent"))
    fitting = [
        call
        for call in rows
        if scope["environment"] in ("", call.environment.name)
        and scope["agent"] in ("", call.agent.name)
    ]
    viewer = builders.a_member(project, Role.VIEWER).user
    pages = Pages(builders.signed_in(viewer), project.slug)
    pages.client.cookies["zone"] = drawn["zone"]
    reader = Agent(builders.bearing(builders.a_key(project, "read")[0]))
    zone = ZoneInfo(drawn["zone"] or "UTC")
    result = Filled(pages, reader, scope, zone, rows, calls=fitting, before=fitting)
    return replace(result, calls=result.within(fitting), before=result.just_before(fitting))


def times_of(scope: dict[str, str]) -> tuple[datetime, datetime]:
    return datetime.fromisoformat(scope["from"]), datetime.fromisoformat(scope["to"])


def counted(calls: Iterable[Call]) -> dict[str, int]:
    calls = list(calls)
    verdicts = Counter(call.verdict for call in calls)
    return {
        "calls": len(calls),
        "successes": verdicts["success"],
        "failures": verdicts["failure"],
        "unknown": verdicts["unknown"],
        "denied": sum(call.kind == "denied" for call in calls),
        "open": sum(call.kind == "" for call in calls),
        "disagreements": sum(call.disagreement for call in calls),
    }


def judged(calls: Iterable[Call]) -> tuple[int, int]:
    """Number of successes, and of calls with a success or failure verdict."""
    counts = counted(calls)
    return counts["successes"], counts["successes"] + counts["failures"]


def ran_and_failed(calls: Iterable[Call]) -> int:
    with_result = ("execution_result", "artifact_reference")
    return sum(call.kind in with_result and call.verdict == "failure" for call in calls)


def took(calls: Iterable[Call], percent: int) -> float | None:
    """Nearest-rank percentile of the measured durations."""
    measured = sorted(call.elapsed_ms for call in calls if call.elapsed_ms is not None)
    return measured[ceil(len(measured) * percent / 100) - 1] if measured else None


def grouped(calls: Iterable[Call], key: Callable[[Call], Any]) -> dict[Any, list[Call]]:
    """Calls by key, without those whose key is None."""
    result: dict[Any, list[Call]] = defaultdict(list)
    for call in calls:
        result[key(call)].append(call)
    result.pop(None, None)
    return dict(result)


def by(calls: Iterable[Call], key: Callable[[Call], Any]) -> dict[Any, dict[str, int]]:
    return {name: counted(those) for name, those in grouped(calls, key).items()}


def only(row: dict[str, Any], *columns: str) -> dict[str, Any]:
    return {column: row[column] for column in columns}


KEYS: dict[str, Callable[[Call], Any]] = {
    "tool": lambda call: call.tool.name,
    "agent": lambda call: call.agent.name,
    "session": lambda call: call.session.session_id if call.session else None,
    "reason": lambda call: call.reason or None,
    "hour": lambda call: f"{call.at:%Y-%m-%dT%H}:00:00Z",
}


def outputs_sent(calls: Sequence[Call]) -> str:
    """Text on sent outputs, empty if no call has a verdict."""
    returned = [call for call in calls if call.kind in ("execution_result", "artifact_reference")]
    if not returned or not judged(calls)[1]:
        return ""
    sent = sum(call.classified != "" for call in returned)
    return f"{sent or 'none'} of {len(returned)} sent an output"


def shown_rate(calls: Sequence[Call]) -> str:
    successes, of = judged(calls)
    return f"{100 * successes / of:.1f} % of {of}" if of else "\N{EN DASH}"
