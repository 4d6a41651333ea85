"""What pages tell of any traffic is what GET stats and a plain recount of the calls give: with late
reports, other verdicts, removed sessions, every zone, and times that begin and end beside calls."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from governance import auth
from governance.domain.actor import CONSOLE
from governance.domain.roles import Role
from outcomes import commands
from outcomes.commands import names
from outcomes.models import Call, Session
from tests import builders
from tests.examples import with_a_database
from tests.outcomes.pages import Pages, tile
from tests.outcomes.posting import Agent
from tests.outcomes.rejudging import reclassified
from tests.outcomes.test_stats import ENVIRONMENTS, bind_all_to_another_check
from tests.recount import differences

BEGIN = datetime(2026, 3, 28, 12, tzinfo=UTC)  # in the night clocks of Europe go forward
ZONES = ("", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe")
LENGTHS = (1, 15, 90, 24 * 60, 25 * 60 + 7)  # minutes
RESULTS: list[dict[str, Any]] = [
    {"output": 1, "tool_success": True},
    {"output": "Error: x", "tool_success": True},
    {"output": {"ok": False}, "tool_success": True},
    {"output": {"is_error": True}, "tool_success": False},
    {"type": "failure", "error": "broken"},
    {"type": "timeout", "elapsed_ms": 30_000},
    {"type": "denied", "reason": "limit"},
    {"type": "denied", "reason": "contract"},
]
Reported = tuple[str, bool, dict[str, Any], dict[str, Any]]


@st.composite
def traffic(draw: st.DrawFn) -> dict[str, Any]:
    since, length = draw(st.integers(0, 2_000)), draw(st.sampled_from(LENGTHS))
    beside = [at + by for at in (since - length, since, since + length) for by in (-1, 0, 1)]
    minutes = st.sampled_from(beside) | st.integers(since - length, since + length)
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
        return place, late, about, draw(st.sampled_from([*RESULTS, {}]))

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
    """What has no result is open as yet."""
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


def by(calls: Iterable[Call], key: Callable[[Call], Any]) -> dict[Any, dict[str, int]]:
    found: dict[Any, list[Call]] = defaultdict(list)
    for call in calls:
        found[key(call)].append(call)
    found.pop(None, None)
    return {name: counted(those) for name, those in found.items()}


STATS: dict[str, Callable[[Call], Any]] = {
    "tool": lambda call: call.tool.name,
    "agent": lambda call: call.agent.name,
    "session": lambda call: call.session.session_id if call.session else None,
    "reason": lambda call: call.reason or None,
    "hour": lambda call: f"{call.at:%Y-%m-%dT%H}:00:00Z",
}


def check_stats(reader: Agent, scope: dict[str, str], calls: list[Call]) -> None:
    asked = {"since": scope["from"], "until": scope["to"], "env": scope["environment"]}
    for name, key in STATS.items():
        rows = reader.get("stats", by=name, agent=scope["agent"], **asked)["rows"]
        right = by(calls, key)
        assert {row["key"] for row in rows} == set(right), name
        for row in rows:
            assert right[row["key"]].items() >= only(row, "calls", "failures", "denied").items()
            assert right[row["key"]].items() >= only(row, "successes", "unknown").items()


def only(row: dict[str, Any], *columns: str) -> dict[str, Any]:
    return {column: row[column] for column in columns}


def file_of(pages: Pages, path: str, scope: dict[str, str]) -> list[dict[str, Any]]:
    answer = pages.get(path, format="json", **scope)
    (rows,) = json.loads(b"".join(answer.streaming_content)).values()
    return list(rows)


def check_overview(
    pages: Pages, scope: dict[str, str], calls: list[Call], before: list[Call]
) -> None:
    body = pages.get("overview/", **scope).content.decode()
    now, was = counted(calls), counted(before)
    judged, judged_before = (each["successes"] + each["failures"] for each in (now, was))
    rate = f"{100 * now['successes'] / judged:.1f} % of {judged}" if judged else "\N{EN DASH}"
    assert tile(body, "rate").startswith(f"Success rate {rate}")
    assert tile(body, "denied").startswith(
        f"Denied {now['denied']} of {now['calls']} was {was['denied']} of {was['calls']}"
    )
    assert tile(body, "disagreements").startswith(
        f"Disagreements {now['disagreements']} of {judged}"
        f" was {was['disagreements']} of {judged_before}"
    )


def check_tools(pages: Pages, scope: dict[str, str], calls: list[Call], before: list[Call]) -> None:
    rows = {row["tool_name"]: row for row in file_of(pages, "tools/", scope)}
    now, was = by(calls, STATS["tool"]), by(before, STATS["tool"])
    for name, right in now.items():
        assert only(rows[name], *right) == right
        of_before = was.get(name, counted([]))
        assert rows[name]["calls_before"] == of_before["calls"]
        assert rows[name]["denied_before"] == of_before["denied"]
    assert all(row["calls"] == 0 for name, row in rows.items() if name not in now)


def check_denials(
    pages: Pages, scope: dict[str, str], calls: list[Call], before: list[Call]
) -> None:
    def alike(calls: Iterable[Call]) -> Counter[tuple[str, str, str]]:
        denied = (call for call in calls if call.kind == "denied")
        return Counter((call.reason, call.tool.name, call.agent.name) for call in denied)

    rows = file_of(pages, "denials/", scope)
    for column, right in (("denied", alike(calls)), ("denied_before", alike(before))):
        told: Counter[tuple[str, str, str]] = Counter()
        for row in rows:
            told[row["reason"], row["tool_name"], row["agent_id"]] += row[column]
        assert +told == right, column


def check_sessions(pages: Pages, scope: dict[str, str], calls: Iterable[Call]) -> None:
    """Those whose last call was in this time, each with all of its calls."""
    of_sessions: dict[Any, list[Call]] = defaultdict(list)
    for call in calls:
        of, place = call.session, call.environment.name
        # A session is one agent's, whoever else calls in it.
        is_of_agent = of and of.agent and scope["agent"] in ("", of.agent.name)
        if of and is_of_agent and scope["environment"] in ("", place):
            of_sessions[place, of.session_id].append(call)
    since, until = times_of(scope)
    right = {
        key: counted(calls)
        for key, calls in of_sessions.items()
        if since <= max(call.at for call in calls) < until
    }
    rows = file_of(pages, "sessions/", scope)
    assert {(row["environment"], row["session_id"]) for row in rows} == set(right)
    for row in rows:
        counts = right[row["environment"], row["session_id"]]
        assert only(row | {"calls": row["attempts"]}, *counts) == counts
    (all_of_them, *_) = re.findall(r">All ([\d,]+)<", pages.get("sessions/", **scope).text)
    assert all_of_them == str(len(right))
    body = pages.get("overview/", **scope).text
    stopped = sum(row["stopped"] is not None for row in rows)
    assert tile(body, "stopped").startswith(f"Stopped by a limit {stopped} of {len(right)} session")


def times_of(scope: dict[str, str]) -> tuple[datetime, datetime]:
    return datetime.fromisoformat(scope["from"]), datetime.fromisoformat(scope["to"])


def check_session(pages: Pages, calls: list[Call]) -> None:
    right = counted(calls)
    ran = right["calls"] - right["denied"] - right["open"]
    session, place = calls[0].session, calls[0].environment.name
    assert session is not None
    body = pages.get(f"sessions/{session.session_id}/", environment=place).content.decode()
    opened = f", {right['open']} open" if right["open"] else ""
    assert tile(body, "calls").startswith(
        f"Calls {right['calls']} {ran} ran, {right['denied']} denied{opened}"
    )
    assert tile(body, "failures").startswith(f"Failures {right['failures']} of {ran}")


@with_a_database(12)
@given(traffic())
def test_every_number_is_what_a_plain_recount_gives(db, drawn):
    scope, events = drawn["scope"], drawn["events"]
    with transaction.atomic():
        names.forget()
        auth.forget_keys()
        project = builders.a_project()
        agents = {
            place: Agent(builders.bearing(builders.a_key(project, "agent", env=place)[0]))
            for place in ENVIRONMENTS
        }
        report(agents, drawn["reported"], late=False)
        if "rolled up" in events:
            commands.roll_up()
        report(agents, drawn["reported"], late=True)
        if "reclassified" in events:
            bind_all_to_another_check(project)
            reclassified(project)
        gone = Session.objects.filter(project=project, session_id="s-1").first()
        if gone and "removed" in events:
            commands.remove_session(gone, typed="s-1", by=CONSOLE)
            commands.run_waiting_removals()
        assert differences() == []

        rows = Call.objects.select_related("environment", "agent", "tool", "session__agent")
        fitting = [
            call
            for call in rows
            if scope["environment"] in ("", call.environment.name)
            and scope["agent"] in ("", call.agent.name)
        ]
        since, until = times_of(scope)
        calls = [call for call in fitting if since <= call.at < until]
        before = [call for call in fitting if since - (until - since) <= call.at < since]
        pages = Pages(
            builders.signed_in(builders.a_member(project, Role.VIEWER).user), project.slug
        )
        pages.client.cookies["zone"] = drawn["zone"]
        check_stats(Agent(builders.bearing(builders.a_key(project, "read")[0])), scope, calls)
        check_overview(pages, scope, calls, before)
        check_tools(pages, scope, calls, before)
        check_denials(pages, scope, calls, before)
        of_sessions = [call for call in rows if call.session]
        check_sessions(pages, scope, rows)
        if of_sessions:
            first = of_sessions[0].session_id
            check_session(pages, [call for call in of_sessions if call.session_id == first])
        transaction.set_rollback(True)
