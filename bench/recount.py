"""Recounts stored data by call, event, rollup and session.

It reads the tables directly and uses none of the product's queries."""

# ruff: noqa: S608 - the queries are made of this file's own names

import json
from collections import Counter
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

import msgspec

from bench.site import Site
from bench.stores import Store
from bench.workload import TAG, Workload, expected

# In the order of their codes in packed rollups.
_KINDS: Final = ("", "execution_result", "timeout", "failure", "denied", "artifact_reference")
_VERDICTS: Final = ("", "success", "failure", "unknown")
_CODES: Final = len(_KINDS) * len(_VERDICTS)  # codes from here on mean unchecked calls
_UNCHECKED = "CASE WHEN verdict <> '' AND classified = '' THEN 1 ELSE 0 END"
_DENIED = "CASE WHEN kind = 'denied' THEN 1 ELSE 0 END"
_RAN = "kind NOT IN ('', 'denied')"
_SESSION_COUNTS = f"""count(*),
    sum(CASE WHEN {_RAN} THEN 1 ELSE 0 END),
    sum(CASE WHEN {_RAN} AND verdict = 'success' THEN 1 ELSE 0 END),
    sum(CASE WHEN {_RAN} AND verdict = 'failure' THEN 1 ELSE 0 END),
    sum(CASE WHEN {_RAN} AND verdict NOT IN ('success', 'failure') THEN 1 ELSE 0 END),
    sum({_DENIED}),
    sum(CASE WHEN kind = '' THEN 1 ELSE 0 END),
    sum(CASE WHEN disagreement THEN 1 ELSE 0 END)"""
_STORED_COUNTS = "attempts, executions, successes, failures, unknown, denied, open, disagreements"


def faults_in(store: Store, load: Workload, posted: list[int]) -> list[str]:
    """Differences between stored and acknowledged data; empty if all is well."""
    want = expected(load, posted)
    tag = load.tag
    stored = store.rows(
        "SELECT c.call_id, c.kind, s.session_id FROM outcomes_call c"
        " LEFT JOIN outcomes_session s ON s.id = c.session_id"
        f" WHERE substr(c.call_id, 1, {TAG}) = %s",
        tag,
    )
    faults = []
    kinds = {call: kind for call, kind, _ in stored}
    if kinds != want.kinds:
        missing, foreign = len(want.kinds.keys() - kinds), len(kinds.keys() - want.kinds)
        faults.append(
            f"calls: {len(kinds)} stored for {len(want.kinds)} acknowledged,"
            f" {missing} missing, {foreign} unknown"
        )
    if len(stored) != len(kinds):
        faults.append(f"calls: {len(stored) - len(kinds)} stored twice")
    if Counter(session for _, _, session in stored) != want.sessions:
        faults.append("sessions: calls stand in other sessions than they were posted for")
    agents = f"SELECT id FROM outcomes_agent WHERE substr(name, 1, {TAG}) = %s"
    ((events,),) = store.rows(
        f"SELECT count(*) FROM outcomes_event WHERE agent_id IN ({agents})",
        tag,
    )
    if events != len(want.kinds):
        faults.append(f"events: {events} stored for {len(want.kinds)} acknowledged")
    faults += _in_rollups(store, tag)
    faults += _differing("counts of sessions", store, *_sessions(), tag)
    ((ungoverned,),) = store.rows(
        "SELECT count(*) FROM outcomes_call"
        f" WHERE version_id IS NULL AND substr(call_id, 1, {TAG}) = %s",
        tag,
    )
    if ungoverned:
        faults.append(f"calls: {ungoverned} without the contract that governed them")
    ((left,),) = store.rows("SELECT count(*) FROM outcomes_batch")
    if left:
        faults.append(f"inbox: {left} batches left")
    return faults


def _in_rollups(store: Store, tag: str) -> list[str]:
    """Differences by minute between calls and rollups, both applied and pending."""
    tools = f"SELECT id FROM outcomes_tool WHERE substr(name, 1, {TAG}) = %s"
    ours = {tool for (tool,) in store.rows(tools, tag)}
    counted = {
        tuple(key): [calls, disagreements]
        for *key, calls, disagreements in store.rows(
            f"""SELECT environment_id, {_minute(store)}, tool_id, agent_id, kind, verdict,
            {_UNCHECKED}, substr(reason, 1, 64), count(*),
            sum(CASE WHEN disagreement THEN 1 ELSE 0 END)
            FROM outcomes_call WHERE tool_id IN ({tools}) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8""",
            tag,
        )
    }
    fields: dict[tuple[object, ...], list[int]] = {}
    for table in ("rollupminute", "rollupchange"):
        for environment, packed in store.rows(
            f"SELECT environment_id, counts FROM outcomes_{table}"
        ):
            for minute, tool, agent, code, reason, *numbers in msgspec.msgpack.decode(packed):
                if tool in ours:
                    unchecked, became = divmod(code, _CODES)
                    kind, verdict = _KINDS[became % len(_KINDS)], _VERDICTS[became // len(_KINDS)]
                    sums = fields.setdefault(
                        (environment, minute, tool, agent, kind, verdict, unchecked, reason), [0, 0]
                    )
                    sums[:] = [one + more for one, more in zip(sums, numbers, strict=True)]
    fields = {key: sums for key, sums in fields.items() if any(sums)}
    wrong = [key for key in counted.keys() | fields.keys() if counted.get(key) != fields.get(key)]
    return [f"rollups: {len(wrong)} missing, too many or wrong"] if wrong else []


def faults_in_figures(site: Site, calls: int, since: datetime) -> list[str]:
    """Differences between the product's figures and the stored calls."""
    counted = {
        tool: numbers
        for tool, *numbers in site.store.rows(
            f"""SELECT tool.name, count(*),
            sum(CASE WHEN {_RAN} AND verdict = 'success' THEN 1 ELSE 0 END),
            sum(CASE WHEN {_RAN} AND verdict = 'failure' THEN 1 ELSE 0 END), sum({_DENIED})
            FROM outcomes_call JOIN outcomes_tool tool ON tool.id = tool_id GROUP BY 1"""
        )
    }
    request = urlencode({"by": "tool", "since": since.isoformat()})
    rows = json.loads(site.ask("GET", f"/v1/stats?{request}", None)[1])["rows"]
    names = ("calls", "successes", "failures", "denied")
    fields = {row["key"]: [row[name] for name in names] for row in rows}
    faults = [f"figures of {tool}" for tool in counted if counted[tool] != fields.get(tool)]
    if fields.keys() - counted.keys():
        faults.append("figures of tools without a call")
    if (stored := sum(numbers[0] for numbers in counted.values())) != calls:
        faults.append(f"calls: {stored} stored, not {calls}")
    outcome = "SELECT count(*) FROM outcomes_session WHERE attempts <> 0"
    ((sessions,), (of_calls,)) = (
        site.store.rows(outcome)[0],
        site.store.rows("SELECT count(DISTINCT session_id) FROM outcomes_call")[0],
    )
    if sessions != of_calls:
        faults.append(f"sessions: {sessions} have calls as they say, {of_calls} do")
    return faults


def _sessions() -> tuple[str, str]:
    tagged = f"SELECT id FROM outcomes_session WHERE substr(session_id, 1, {TAG}) = %s"
    calls = f"""SELECT session_id, {_SESSION_COUNTS}
        FROM outcomes_call WHERE session_id IN ({tagged}) GROUP BY session_id"""
    sessions = f"SELECT id, {_STORED_COUNTS} FROM outcomes_session WHERE id IN ({tagged})"
    return calls, sessions


def _differing(what: str, store: Store, counted: str, stored: str, tag: str) -> list[str]:
    """Differences between the rows of two queries; empty if they are equal."""
    faults = []
    for one, other, how in ((counted, stored, "missing or wrong"), (stored, counted, "too many")):
        rest = f"SELECT * FROM ({one}) AS one EXCEPT SELECT * FROM ({other}) AS other"
        query = f"SELECT count(*) FROM ({rest}) AS rest"
        ((rows,),) = store.rows(query, tag, tag)
        if rows:
            faults.append(f"{what}: {rows} {how}")
    return faults


def _minute(store: Store) -> str:
    """SQL for a call's time in minutes since 1970."""
    if store.url:
        return "floor(extract(epoch FROM at) / 60)::int"
    return "unixepoch(substr(at, 1, 19)) / 60"
